//! What the analysis found, for machines: versioned JSON, and SARIF 2.1.0.

use super::AnalyzeArgs;
use super::claims::{Claim, Kind, UP_TO_MISTAKES, is_up_to_mistakes};
use super::going_on::Asked;
use super::show::{
    NOT_LOOKED_FOR, after_line, certainty_word, is_users, loop_invariants, missing_words, places, value_text,
    values_at,
};
use base::{Severity, Span};
use evidence::sarif::{self, Rule};
use intervals::{Analysis, CheckKind, Invariants};
use program::AssumptionKind;
use serde_json::{Value, json};

/// The results as JSON.
pub fn json(analysis: &Analysis<'_>, claims: &[Claim], asked: &[Asked], arguments: &AnalyzeArgs) -> String {
    let program = analysis.program();
    let place = |span: Span| evidence::place::json(program, span);
    let of_kind = |wanted: fn(&Kind) -> bool| claims.iter().filter(move |claim| wanted(&claim.kind));
    let results = of_kind(|kind| matches!(kind, Kind::Mistake(_) | Kind::ErrorCall(_))).map(|claim| {
        let mut fields = claim.answer.json();
        fields.insert("about".into(), json!(claim.about));
        fields.insert("at".into(), place(claim.span));
        if let Kind::Mistake(certainty) = claim.kind {
            fields.insert("certainty".into(), json!(certainty_word(certainty)));
            fields.insert("message".into(), json!(claim.message));
        }
        if let Some(function) = claim.procedure {
            fields.insert("function".into(), json!(&*program.procedures[function].name));
        }
        if let Some(why) = &claim.why {
            let values: Vec<Value> = { why.values.iter() }
                .map(|(shown, values)| json!({ "expression": shown, "values": values }))
                .collect();
            let origin =
                why.origin.as_ref().map(|(value, span)| json!({ "value": value, "at": place(*span) }));
            let why = json!({ "text": why.text, "subject": why.subject, "values": values, "origin": origin });
            fields.insert("why".into(), why);
        }
        if claim.is_accepted {
            fields.insert("accepted".into(), json!(true));
        }
        Value::Object(fields)
    });
    let constant = claims.iter().filter_map(|claim| match claim.kind {
        Kind::ConstantCondition(outcome) => Some(json!({ "at": place(claim.span), "outcome": outcome })),
        _ => None,
    });
    let unreachable = of_kind(|kind| *kind == Kind::Unreachable).map(|claim| place(claim.span));
    let outputs = analysis.outputs.iter().filter(|one| is_users(analysis, one.procedure)).map(|one| {
        let values = one.values.iter();
        let values = values.map(|(text, value)| json!({ "expression": text, "values": value_text(value) }));
        json!({ "at": place(one.span), "values": values.collect::<Vec<_>>() })
    });
    let missing = analysis.missing.iter().map(|one| {
        json!({ "kind": "missing-body", "subject": one.function.as_deref().unwrap_or("a call through a pointer"),
            "message": missing_words(one, analysis), "at": place(one.span) })
    });
    let unsupported = analysis
        .unsupported
        .iter()
        .map(|(what, span)| json!({ "kind": "unsupported", "subject": what, "at": place(*span) }));
    let entry = program.assumptions.iter().filter(|one| matches!(one.kind, AssumptionKind::Entry | AssumptionKind::UnknownPointer | AssumptionKind::OutsideMemory)).map(|one| {
        json!({ "kind": one.kind.name(), "subject": &*one.subject, "message": one.message, "at": place(one.span) })
    });
    let up_to_mistakes = is_up_to_mistakes(claims)
        .then(|| json!({ "kind": "undefined-behaviour", "subject": "", "message": UP_TO_MISTAKES }));
    let mut document = json!({
        "results": results.collect::<Vec<_>>(),
        "constant_conditions": constant.collect::<Vec<_>>(),
        "unreachable": unreachable.collect::<Vec<_>>(),
        "outputs": outputs.collect::<Vec<_>>(),
        "assumptions": missing.chain(unsupported).chain(entry).chain(up_to_mistakes).collect::<Vec<_>>(),
        "asked_on": asked.iter().map(|one| json!({ "question": one.what, "answer": one.came })).collect::<Vec<_>>(),
        "not_looked_for": NOT_LOOKED_FOR.trim(),
        "statistics": { "steps": analysis.steps },
    });
    if arguments.invariants {
        document["loops"] = loop_invariants(analysis)
            .into_iter()
            .map(|(procedure, span, conditions)| {
                let function = &*program.procedures[procedure].name;
                json!({ "function": function, "at": place(span), "invariants": conditions })
            })
            .collect();
    }
    if let Some(line) = arguments.at {
        let all = after_line(analysis, line, arguments.variable.as_deref());
        document["values"] = { all.into_iter() }
            .map(|(procedure, values)| {
                let is_reached = values.is_some();
                let variables: Vec<Value> = { values.into_iter().flatten() }
                    .map(|(id, value, _)| json!({ "name": &*program.variables[id].name, "values": value_text(&value) }))
                    .collect();
                json!({
                    "line": line,
                    "function": &*program.procedures[procedure].name,
                    "reached": is_reached,
                    "variables": variables,
                })
            })
            .collect();
    } else if arguments.variable.is_some() {
        let invariants = Invariants::of(analysis);
        document["values"] = places(analysis, arguments.at)
            .into_iter()
            .map(|(procedure, node, line)| {
                let known = values_at(analysis, procedure, node, arguments.variable.as_deref()).into_iter();
                let variables = known.map(|(id, value, _)| {
                    json!({ "name": &*program.variables[id].name, "values": value_text(&value) })
                });
                json!({
                    "line": line,
                    "function": &*program.procedures[procedure].name,
                    "reached": analysis.at(procedure, node).is_some(),
                    "variables": variables.collect::<Vec<_>>(),
                    "invariants": invariants.c_at(procedure, node).unwrap_or_default(),
                })
            })
            .collect();
    }
    evidence::json::document_with("analyze", document)
}

/// The results as SARIF 2.1.0: what is possible or definite, and what is never reached.
pub fn sarif(analysis: &Analysis<'_>, claims: &[Claim]) -> String {
    let is_told = |claim: &&Claim| match claim.kind {
        Kind::ConstantCondition(_) => false,
        _ => !claim.is_all_clear(),
    };
    let results = claims.iter().filter(is_told).map(|claim| {
        let level = match claim.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let place = analysis.program().sources.location(claim.span);
        sarif::finding(claim.rule, level, &claim.message, place.as_ref())
    });
    let mut rules: Vec<Rule<'_>> =
        CheckKind::ALL.iter().map(|kind| (kind.name(), kind.words().to_owned())).collect();
    rules.push(("error-call", "a call that means an error".to_owned()));
    rules.push(("unreachable", "code that no run gets to".to_owned()));
    sarif::document(&rules, results.collect())
}
