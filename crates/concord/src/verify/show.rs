//! The answer in words and as JSON.

use crate::settle::Settled;
use evidence::trace::{self, Detail};
use program::Program;
use question::{Verdict, Violation};
use serde_json::{Value, json};
use std::fmt::Write;

/// For people.
pub fn words(program: &Program, answer: &Settled, full: bool) -> String {
    let property = &answer.property;
    let mut text = String::new();
    let at =
        |span: base::Span| program.sources.location(span).map_or_else(String::new, |at| format!(" at {at}"));
    match &answer.verdict {
        Verdict::Holds(_) => {
            let _ = writeln!(text, "HOLDS: {property}");
            let _ = writeln!(text, "  {} ({})", answer.how, answer.engine);
            let proof = answer.verdict.program_proof();
            for invariant in proof.iter().flat_map(|proof| &proof.loops) {
                if invariant.conditions.is_empty() {
                    continue;
                }
                // What has no words in C is about memory, and long.
                let is_shown =
                    |condition: &&verdict::Condition| full || matches!(condition, verdict::Condition::C(_));
                let texts: Vec<&str> =
                    invariant.conditions.iter().filter(is_shown).map(|condition| condition.text()).collect();
                let called = match invariant.calls.last() {
                    Some(call) => format!(" (called{})", at(call.at)),
                    None => String::new(),
                };
                let most = if full { usize::MAX } else { SHOWN_CONDITIONS };
                let shown = texts[..texts.len().min(most)].join(" && ");
                let mut shown = if shown.is_empty() { Vec::new() } else { vec![shown] };
                shown.extend(match texts.len().saturating_sub(most) {
                    0 => None,
                    left_out => Some(format!("… {left_out} more (--full shows them)")),
                });
                shown.extend(match invariant.conditions.len() - texts.len() {
                    0 => None,
                    left_out => Some(format!("{left_out} about memory (--full shows them)")),
                });
                let shown = shown.join(" && ");
                let _ = writeln!(text, "  invariant{}{called}: {shown}", at(invariant.at));
            }
            for contract in proof.iter().flat_map(|proof| &proof.contracts) {
                let most = if full { usize::MAX } else { SHOWN_OF_CONTRACTS };
                for (word, conditions) in [("requires", &contract.requires), ("ensures", &contract.ensures)] {
                    if conditions.is_empty() {
                        continue;
                    }
                    let texts: Vec<String> =
                        conditions.iter().take(most).map(|condition| in_contract(condition.text())).collect();
                    let more = match conditions.len().saturating_sub(most) {
                        0 => String::new(),
                        left_out => format!(" && … {left_out} more (--full shows them)"),
                    };
                    let _ = writeln!(
                        text,
                        "  contract of `{}` {word}: {}{more}",
                        contract.procedure,
                        texts.join(" && ")
                    );
                }
            }
            match &answer.audit {
                Some(report) => {
                    let _ = writeln!(text, "  {}", super::answer::audit_words(report));
                }
                None => text.push_str("  not audited\n"),
            }
            if let Some(vacuity) = &answer.vacuity {
                let word = if vacuity.is_vacuous() { "vacuous" } else { "note" };
                for sentence in super::vacuity::words(vacuity, program) {
                    let _ = writeln!(text, "  {word}: {sentence}");
                }
            }
        }
        Verdict::Violated(_) => {
            let _ = writeln!(text, "VIOLATED: {property}");
            let Some(violation) = answer.verdict.run() else { return text };
            let _ = writeln!(text, "  {}{}", violation.what, at(violation.span));
            if violation.inputs.is_empty() {
                text.push_str("  without any input\n");
            } else {
                text.push_str("  inputs:\n");
                let lines = input_lines(program, violation);
                let shown = if full { lines.len() } else { SHOWN };
                lines.iter().take(shown).for_each(|line| text.push_str(line));
                if let Some(more) = lines.len().checked_sub(shown).filter(|&more| more > 0) {
                    let _ = writeln!(text, "    … and {more} more (--full shows them)");
                }
            }
            for report in &violation.run.tolerated {
                if violation.check.is_some() && report.place.span == violation.span {
                    continue;
                }
                let _ = writeln!(
                    text,
                    "  note: {}{}: gcc gives it a meaning, C does not",
                    report.message,
                    at(report.place.span)
                );
            }
            text.push_str("  run:\n");
            text.push_str(&trace_text(program, violation, full));
        }
        Verdict::Undecided(undecided) => {
            let _ = writeln!(text, "UNDECIDED: {property}");
            let _ = writeln!(text, "  {}", super::answer::reason_words(program, &undecided.reason));
            for sentence in &undecided.proved {
                let _ = writeln!(text, "  shown: {sentence}");
            }
            for sentence in &undecided.tried {
                let _ = writeln!(text, "  tried: {sentence}");
            }
            for sentence in &undecided.try_next {
                let _ = writeln!(text, "  try: {sentence}");
            }
        }
    }
    for assumption in &answer.assumptions {
        let _ = writeln!(text, "  assumed: {assumption}");
    }
    text
}

/// Lines of a trace, and conditions of an invariant, that are shown unless all are asked for.
const SHOWN: usize = 40;
const SHOWN_CONDITIONS: usize = 12;

/// The inputs, a line each; the characters of an argument together.
fn input_lines(program: &Program, violation: &Violation) -> Vec<String> {
    let at = |span| program.sources.location(span).map_or_else(String::new, |at| format!(" at {at}"));
    let line = |input: &concrete::ConsumedInput| {
        format!("    {} = {}{}\n", input.name, evidence::inputs::value(input), at(input.span))
    };
    let Some(started) = evidence::started(program, &violation.inputs) else {
        return violation.inputs.iter().map(line).collect();
    };
    let mut lines: Vec<String> = violation.inputs.iter().take(1).map(line).collect();
    if lower::arguments::are_read(program) {
        let shown = started.arguments.iter().enumerate();
        lines.extend(
            shown.map(|(at, text)| format!("    argv[{at}] = {}\n", evidence::started::quoted(text))),
        );
    }
    lines.extend(started.others.into_iter().map(line));
    lines
}

/// The run: inputs were told before, here is what they lead to.
fn trace_text(program: &Program, violation: &Violation, full: bool) -> String {
    let detail = if full { Detail::Everything } else { Detail::Changes };
    let lines = trace::lines(program, violation, detail);
    let lines = if full { lines } else { trace::shortened(lines, SHOWN) };
    let mut text = String::new();
    for line in lines {
        let indent = "  ".repeat(line.depth.min(20) as usize);
        match program.sources.location(line.span) {
            Some(place) => {
                let _ = writeln!(text, "    {place}: {indent}{}", line.text);
            }
            None => {
                let _ = writeln!(text, "    {} (--full shows them)", line.text);
            }
        }
    }
    text
}

/// Conditions of a contract that are shown unless all are asked for.
const SHOWN_OF_CONTRACTS: usize = 4;

/// A condition of a contract, with the words people use for values at the call and for the result.
fn in_contract(text: &str) -> String {
    text.replace("$old", " at the call").replace("result$", "the result")
}

/// For machines.
pub fn json(program: &Program, answer: &Settled, seconds: f64) -> Value {
    let at = |span: base::Span| evidence::place::json(program, span);
    let figure = |name| answer.statistics.value(name).unwrap_or(0);
    let statistics = json!({ "steps": figure("steps"), "queries": figure("queries"), "rounds": figure("rounds"),
        "seconds": seconds });
    let (reason, engine, counterexample, proof) = match &answer.verdict {
        Verdict::Holds(_) => {
            let proof = answer.verdict.program_proof();
            let invariants: Vec<Value> = proof
                .iter()
                .flat_map(|proof| &proof.loops)
                .map(|invariant| {
                    let texts: Vec<&str> =
                        invariant.conditions.iter().map(|condition| condition.text()).collect();
                    json!({ "at": at(invariant.at), "condition": texts.join(" && ") })
                })
                .collect();
            let audit = answer.audit.as_ref().map(super::answer::audit_json);
            let texts = |conditions: &[::verdict::Condition]| -> Vec<String> {
                conditions.iter().map(|condition| condition.text().to_owned()).collect()
            };
            let contracts: Vec<Value> = proof
                .iter()
                .flat_map(|proof| &proof.contracts)
                .map(|contract| {
                    json!({ "procedure": contract.procedure, "requires": texts(&contract.requires),
                        "ensures": texts(&contract.ensures) })
                })
                .collect();
            let shown = json!({ "how": answer.how, "invariants": invariants, "contracts": contracts, "audit": audit });
            (Value::Null, answer.engine, Value::Null, shown)
        }
        Verdict::Violated(_) => {
            let Some(violation) = answer.verdict.run() else { return Value::Null };
            let inputs: Vec<Value> = violation
                .inputs
                .iter()
                .map(|input| {
                    json!({ "name": &*input.name, "value": evidence::inputs::value(input), "at": at(input.span) })
                })
                .collect();
            let steps: Vec<Value> =
                trace::shortened(trace::lines(program, violation, Detail::Changes), MOST_JSON_STEPS)
                    .iter()
                    .map(|line| json!({ "at": at(line.span), "depth": line.depth, "text": line.text }))
                    .collect();
            let check = violation.check.map(|check| check.name());
            let shown = json!({ "what": violation.what, "check": check, "at": at(violation.span), "inputs": inputs,
                "steps": steps });
            (Value::Null, violation.engine, shown, Value::Null)
        }
        Verdict::Undecided(undecided) => {
            let reason = super::answer::reason_words(program, &undecided.reason);
            (json!(reason), "auto", Value::Null, Value::Null)
        }
    };
    let (proved, try_next) = match &answer.verdict {
        Verdict::Undecided(undecided) => {
            let said: Vec<&String> = undecided.proved.iter().chain(&undecided.tried).collect();
            (json!(said), json!(undecided.try_next))
        }
        _ => (json!([]), json!([])),
    };
    let vacuity = answer.vacuity.as_ref().map(|vacuity| {
        let places: Vec<Value> = vacuity
            .places
            .iter()
            .map(|place| {
                let kind = if place.is_assumption { "assumption" } else { "assertion" };
                json!({ "at": at(place.at), "kind": kind, "reached": place.reached.name() })
            })
            .collect();
        json!({ "vacuous": vacuity.is_vacuous(), "why": super::vacuity::words(vacuity, program), "places": places })
    });
    json!({
        "property": answer.property,
        "vacuity": vacuity,
        "verdict": answer.verdict.word(),
        "reason": reason,
        "proved": proved,
        "try_next": try_next,
        "engine": engine,
        "assumptions": answer.assumptions,
        "counterexample": counterexample,
        "proof": proof,
        "statistics": statistics,
    })
}

const MOST_JSON_STEPS: usize = 2000;
