//! The answer in words and as JSON.

use cegar::{Finding, Outcome, Violation};
use concrete::{ConsumedInput, InputShape};
use program::{Action, Program};
use serde_json::{Value, json};
use std::fmt::Write;

/// The verdict's word.
pub fn word(finding: &Finding) -> &'static str {
    match finding {
        Finding::Holds(_) => "holds",
        Finding::Violated(_) => "violated",
        Finding::Undecided(_) => "undecided",
    }
}

/// A value of an input as a person writes it.
pub fn input_value(input: &ConsumedInput) -> String {
    match input.shape {
        InputShape::Integer { width, signed: true } if width <= 64 => {
            let shift = 64 - width;
            (((input.bits as u64) << shift) as i64 >> shift).to_string()
        }
        InputShape::Float(program::FloatKind::Float) => format!("{:?}", f32::from_bits(input.bits as u32)),
        InputShape::Float(program::FloatKind::Double) => format!("{:?}", f64::from_bits(input.bits as u64)),
        InputShape::Float(_) => format!("{:#x}", input.bits),
        _ => input.bits.to_string(),
    }
}

/// The inputs as a list that `concord run --inputs` reads.
pub fn input_list(violation: &Violation) -> String {
    let mut text = String::new();
    for input in &violation.inputs {
        let value = match input.shape {
            InputShape::Pointer { .. } => input.bits.to_string(),
            _ => input_value(input),
        };
        let _ = writeln!(text, "{} = {value}", input.name);
    }
    text
}

/// For people.
pub fn words(program: &Program, property: &str, outcome: &Outcome, full: bool) -> String {
    let mut text = String::new();
    let at =
        |span: base::Span| program.sources.location(span).map_or_else(String::new, |at| format!(" at {at}"));
    match &outcome.finding {
        Finding::Holds(proof) => {
            let _ = writeln!(text, "HOLDS: {property}");
            let _ = writeln!(text, "  {} ({})", proof.how, proof.engine);
            for invariant in &proof.certificate.loops {
                if invariant.conditions.is_empty() {
                    continue;
                }
                let texts: Vec<&str> =
                    invariant.conditions.iter().map(|condition| condition.text()).collect();
                let _ = writeln!(text, "  invariant{}: {}", at(invariant.at), texts.join(" && "));
            }
        }
        Finding::Violated(violation) => {
            let _ = writeln!(text, "VIOLATED: {property}");
            let _ = writeln!(text, "  {}{}", violation.what, at(violation.span));
            if violation.inputs.is_empty() {
                text.push_str("  without any input\n");
            } else {
                text.push_str("  inputs:\n");
                for input in &violation.inputs {
                    let _ = writeln!(text, "    {} = {}{}", input.name, input_value(input), at(input.span));
                }
            }
            for report in &violation.run.tolerated {
                let _ = writeln!(
                    text,
                    "  note: {}{}: gcc gives it a meaning, C does not",
                    report.message,
                    at(report.place.span)
                );
            }
            text.push_str("  run:\n");
            text.push_str(&trace(program, violation, full));
        }
        Finding::Undecided(undecided) => {
            let _ = writeln!(text, "UNDECIDED: {property}");
            let _ = writeln!(text, "  {}", undecided.reason);
            for sentence in &undecided.proved {
                let _ = writeln!(text, "  shown: {sentence}");
            }
            for sentence in &undecided.try_next {
                let _ = writeln!(text, "  try: {sentence}");
            }
        }
    }
    for assumption in &outcome.assumptions {
        let _ = writeln!(text, "  assumed: {assumption}");
    }
    text
}

/// Lines of a trace that are shown unless all are asked for.
const SHOWN: usize = 40;

/// One line per step that matters: assignments that change something, calls, decisions of the user's code.
fn trace(program: &Program, violation: &Violation, full: bool) -> String {
    let mut lines = Vec::new();
    let mut last: std::collections::BTreeMap<(u32, String), u128> = std::collections::BTreeMap::new();
    for step in &violation.steps {
        let procedure = &program.procedures[step.procedure];
        if procedure.origin != program::Origin::User {
            continue;
        }
        let Some(body) = &procedure.body else { continue };
        let edge = &body.edges[step.edge];
        let place = program.sources.location(edge.span).map_or_else(String::new, |at| at.to_string());
        let indent = "  ".repeat(step.depth.min(20) as usize);
        let line = match &edge.action {
            Action::Assign { target, .. }
            | Action::Havoc { target, .. }
            | Action::Call { result: Some(target), .. } => {
                let Some(written) = step.written else { continue };
                let is_temporary = matches!(target.base, program::PlaceBase::Variable(id)
                    if program.variables[id].kind == program::VariableKind::Temporary);
                if is_temporary && !full {
                    continue;
                }
                let name = program.show().place(target);
                let key = (step.depth, name.clone());
                if last.insert(key, written.bits) == Some(written.bits) && !full {
                    continue;
                }
                format!("{indent}{name} = {}", program.show().constant(written.bits, target.ty.id))
            }
            Action::Assume { condition, expected, .. } if full => {
                format!("{indent}[{}]", program.show().condition(condition, *expected))
            }
            Action::Call { .. } => format!("{indent}{}", program.show().action(&edge.action)),
            _ => continue,
        };
        lines.push(format!("    {place}: {line}\n"));
    }
    let count = lines.len();
    if full || count <= SHOWN {
        return lines.concat();
    }
    let (head, tail) = (SHOWN / 2, SHOWN - SHOWN / 2);
    let left_out = count - head - tail;
    let mut text = lines[..head].concat();
    let _ = writeln!(text, "    … {left_out} lines left out (--full shows them)");
    text.push_str(&lines[count - tail..].concat());
    text
}

/// For machines.
pub fn json(program: &Program, property: &str, outcome: &Outcome, seconds: f64) -> Value {
    let at = |span: base::Span| {
        program
            .sources
            .location(span)
            .map(|at| json!({ "file": &*at.file, "line": at.line, "column": at.column }))
    };
    let statistics = json!({ "steps": outcome.steps, "queries": outcome.queries, "rounds": outcome.rounds, "seconds": seconds });
    let (reason, engine, counterexample, proof) = match &outcome.finding {
        Finding::Holds(proof) => {
            let invariants: Vec<Value> = proof
                .certificate
                .loops
                .iter()
                .map(|invariant| {
                    let texts: Vec<&str> =
                        invariant.conditions.iter().map(|condition| condition.text()).collect();
                    json!({ "at": at(invariant.at), "condition": texts.join(" && ") })
                })
                .collect();
            (Value::Null, proof.engine, Value::Null, json!({ "how": proof.how, "invariants": invariants }))
        }
        Finding::Violated(violation) => {
            let inputs: Vec<Value> = violation
                .inputs
                .iter()
                .map(|input| json!({ "name": &*input.name, "value": input_value(input), "at": at(input.span) }))
                .collect();
            let shown = json!({ "what": violation.what, "at": at(violation.span), "inputs": inputs });
            (Value::Null, violation.engine, shown, Value::Null)
        }
        Finding::Undecided(undecided) => {
            (json!(undecided.reason.to_string()), "auto", Value::Null, Value::Null)
        }
    };
    json!({
        "property": property,
        "verdict": word(&outcome.finding),
        "reason": reason,
        "engine": engine,
        "assumptions": outcome.assumptions,
        "counterexample": counterexample,
        "proof": proof,
        "statistics": statistics,
    })
}
