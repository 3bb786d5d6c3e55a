//! What the analysis found, for machines: versioned JSON, and SARIF 2.1.0.

use super::AnalyzeArgs;
use super::show::{
    certainty_word, is_users, loop_invariants, missing_words, places, sentence, unreached, value_text,
    values_at,
};
use base::Span;
use evidence::sarif::{self, Rule};
use intervals::Certainty;
use intervals::CheckKind;
use intervals::{Analysis, Invariants};
use program::AssumptionKind;
use serde_json::{Value, json};

fn place(analysis: &Analysis<'_>, span: Span) -> Value {
    match analysis.program().sources.location(span) {
        Some(place) => json!({ "file": place.file.to_string(), "line": place.line, "column": place.column }),
        None => Value::Null,
    }
}

/// The results as JSON.
pub fn json(analysis: &Analysis<'_>, arguments: &AnalyzeArgs) -> Value {
    let program = analysis.program();
    let findings = analysis.findings.iter().filter(|finding| is_users(analysis, finding.procedure));
    let mut results: Vec<Value> = findings
        .map(|finding| {
            json!({
                "property": finding.kind.name(),
                "certainty": certainty_word(finding.certainty),
                "verdict": if finding.certainty == Certainty::Excluded { "holds" } else { "undecided" },
                "about": finding.about,
                "message": sentence(finding),
                "at": place(analysis, finding.span),
                "engine": "intervals",
            })
        })
        .collect();
    results.extend(analysis.error_calls.iter().map(|call| {
        json!({
            "property": "error-call",
            "verdict": if call.can_be_reached { "undecided" } else { "holds" },
            "about": call.function,
            "at": place(analysis, call.span),
            "engine": "intervals",
        })
    }));
    let mut document = json!({
        "concord": 1,
        "verb": "analyze",
        "results": results,
        "constant_conditions": analysis.constant_conditions.iter()
            .filter(|one| is_users(analysis, one.procedure))
            .map(|one| json!({ "at": place(analysis, one.span), "outcome": one.outcome }))
            .collect::<Vec<_>>(),
        "unreachable": unreached(analysis).into_iter().map(|span| place(analysis, span)).collect::<Vec<_>>(),
        "outputs": analysis.outputs.iter()
            .filter(|one| is_users(analysis, one.procedure))
            .map(|one| json!({
                "at": place(analysis, one.span),
                "values": one.values.iter()
                    .map(|(text, value)| json!({ "expression": text, "values": value_text(value) }))
                    .collect::<Vec<_>>(),
            }))
            .collect::<Vec<_>>(),
        "assumptions": analysis.missing.iter()
            .map(|one| json!({
                "kind": "missing-body",
                "subject": one.function.as_deref().unwrap_or("a call through a pointer"),
                "message": missing_words(one, analysis),
                "at": place(analysis, one.span),
            }))
            .chain(analysis.unsupported.iter().map(|(what, span)| json!({
                "kind": "unsupported", "subject": what, "at": place(analysis, *span),
            })))
            .chain(program.assumptions.iter().filter(|one| one.kind == AssumptionKind::Entry).map(|one| json!({
                "kind": one.kind.name(), "subject": &*one.subject, "message": one.message, "at": place(analysis, one.span),
            })))
            .collect::<Vec<_>>(),
        "not_looked_for": super::show::NOT_LOOKED_FOR.trim(),
        "statistics": { "steps": analysis.steps },
    });
    if arguments.invariants {
        document["loops"] = loop_invariants(analysis)
            .into_iter()
            .map(|(procedure, span, conditions)| {
                let function = &*program.procedures[procedure].name;
                json!({ "function": function, "at": place(analysis, span), "invariants": conditions })
            })
            .collect();
    }
    if arguments.at.is_some() || arguments.variable.is_some() {
        let invariants = Invariants::of(analysis);
        let values: Vec<Value> = places(analysis, arguments.at)
            .into_iter()
            .map(|(procedure, node, line)| {
                let known = values_at(analysis, procedure, node, arguments.variable.as_deref());
                json!({
                    "line": line,
                    "function": &*program.procedures[procedure].name,
                    "reached": analysis.at(procedure, node).is_some(),
                    "variables": known.into_iter()
                        .map(|(id, value, _)| json!({ "name": &*program.variables[id].name, "values": value_text(&value) }))
                        .collect::<Vec<_>>(),
                    "invariants": invariants.c_at(procedure, node).unwrap_or_default(),
                })
            })
            .collect();
        document["values"] = Value::Array(values);
    }
    document
}

/// The results as SARIF 2.1.0: what is possible or definite, and what is never reached.
pub fn sarif(analysis: &Analysis<'_>) -> Value {
    let location = |span: Span| match sarif::physical_location(analysis.program(), span) {
        Some(place) => json!([place]),
        None => json!([]),
    };
    let mut results: Vec<Value> = analysis
        .findings
        .iter()
        .filter(|finding| is_users(analysis, finding.procedure) && finding.certainty != Certainty::Excluded)
        .map(|finding| {
            json!({
                "ruleId": finding.kind.name(),
                "level": if finding.certainty == Certainty::Definite { "error" } else { "warning" },
                "message": { "text": sentence(finding) },
                "locations": location(finding.span),
            })
        })
        .collect();
    results.extend(analysis.error_calls.iter().filter(|call| call.can_be_reached).map(|call| {
        json!({
            "ruleId": "error-call",
            "level": "warning",
            "message": { "text": format!("it is not excluded that `{}` is called here", call.function) },
            "locations": location(call.span),
        })
    }));
    results.extend(unreached(analysis).into_iter().map(|span| {
        json!({
            "ruleId": "unreachable",
            "level": "note",
            "message": { "text": "no run gets here" },
            "locations": location(span),
        })
    }));
    let rule = |id: &str, text: &str| Rule { id: id.to_owned(), text: text.to_owned() };
    let mut rules: Vec<Rule> = CheckKind::ALL.iter().map(|kind| rule(kind.name(), kind.words())).collect();
    rules.push(rule("error-call", "a call that means an error"));
    rules.push(rule("unreachable", "code that no run gets to"));
    sarif::document(&rules, results)
}
