//! Answers about C programs: what every answer has, and what only they have (inputs and steps of a run,
//! invariants and contracts of a proof, its audit, whether it says anything).

use super::Fields;
use crate::place::json as at;
use crate::trace::{self, Detail};
use crate::words;
use program::Program;
use question::{Answer, Audit, Judgement, Part, Vacuity, Violation};
use serde_json::{Value, json};
use verdict::{Condition, ProgramProof, Reason};

/// Longer runs are cut in the middle.
const MOST_STEPS: usize = 2000;

/// The answer of `verify`, found after so many seconds.
pub fn answer(program: &Program, answer: &Answer, seconds: f64) -> Fields {
    let mut fields = super::answer(answer);
    let mut set = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    let run = answer.verdict.run();
    set("message", json!(words::headline(program, answer)));
    set("counterexample", json!(run.map(|violation| counterexample(program, violation))));
    set("proof", json!(answer.verdict.holds().then(|| proof(program, answer))));
    set("vacuity", json!(answer.vacuity.as_ref().map(|found| vacuity(program, found))));
    let figure = |name| answer.statistics.value(name).unwrap_or(0);
    let statistics = json!({ "steps": figure("steps"), "queries": figure("queries"), "rounds": figure("rounds"),
        "seconds": seconds });
    set("statistics", statistics);
    let (proved, try_next) = match answer.verdict.undecided() {
        Some(undecided) => {
            set("reason", json!(words::reason(program, &undecided.reason)));
            // Several engines tried; none of them is the one that answered.
            set("engine", json!("auto"));
            let said: Vec<&String> = undecided.proved.iter().chain(&undecided.tried).collect();
            (json!(said), json!(undecided.try_next))
        }
        None => (json!([]), json!([])),
    };
    set("proved", proved);
    set("try_next", try_next);
    if let Some(violation) = run {
        set("engine", json!(violation.engine));
    }
    fields
}

/// One part of a property, which has its verdict from the answer.
pub fn part(program: &Program, part: &Part, answer: &Answer) -> Value {
    let run = answer.verdict.run();
    let reason = answer.verdict.undecided().map(|undecided| &undecided.reason);
    json!({
        "kind": part.kind(),
        "text": part.words(),
        "at": at(program, part.at),
        "verdict": answer.verdict.word(),
        "message": words::part(program, part, answer),
        "reason": reason.map(|reason| words::reason(program, reason)),
        "reason_kind": reason.map(Reason::kind),
        "engine": run.map_or(answer.engine, |violation| violation.engine),
        "counterexample": run.map(|violation| counterexample(program, violation)),
    })
}

fn counterexample(program: &Program, violation: &Violation) -> Value {
    let inputs: Vec<Value> = violation
        .inputs
        .iter()
        .map(|input| json!({ "name": &*input.name, "value": crate::inputs::value(input), "at": at(program, input.span) }))
        .collect();
    let steps: Vec<Value> = trace::shortened(trace::lines(program, violation, Detail::Changes), MOST_STEPS)
        .iter()
        .map(|line| {
            let mut step = json!({ "at": at(program, line.span), "depth": line.depth, "text": line.text });
            if let Some(thread) = line.thread {
                step["thread"] = json!(thread);
            }
            step
        })
        .collect();
    let schedule = violation.schedule.as_ref().map(concrete::Plan::to_text);
    let cycle = violation.cycle.as_ref().map(|cycle| {
        json!({ "at": at(program, cycle.at), "inputs_before": cycle.inputs, "steps_before": cycle.steps,
            "steps": cycle.length })
    });
    json!({ "cycle": cycle, "what": violation.what, "check": violation.check().map(|check| check.name()),
        "at": at(program, violation.span), "inputs": inputs, "steps": steps, "schedule": schedule })
}

fn proof(program: &Program, answer: &Answer) -> Value {
    let none = Vec::new;
    let texts = |conditions: &[Condition]| -> Vec<String> {
        conditions.iter().map(|condition| condition.text().to_owned()).collect()
    };
    let (invariants, contracts) = match answer.verdict.program_proof() {
        None => (none(), none()),
        Some(ProgramProof { loops, contracts, .. }) => (
            { loops.iter() }
                .map(|one| json!({ "at": at(program, one.at), "condition": texts(&one.conditions).join(" && ") }))
                .collect(),
            { contracts.iter() }
                .map(|one| json!({ "procedure": one.procedure, "requires": texts(&one.requires), "ensures": texts(&one.ensures) }))
                .collect(),
        ),
    };
    let measures: Vec<Value> = { answer.verdict.program_proof().into_iter() }
        .flat_map(|proof| &proof.measures)
        .map(|measure| {
            let place = |one: &verdict::MeasureAt| json!({ "at": at(program, one.at), "measure": one.shown });
            measure.places.iter().map(place).collect()
        })
        .collect();
    json!({ "measures": measures, "how": answer.how, "invariants": invariants, "contracts": contracts, "audit": answer.audit.as_ref().map(audit) })
}

fn vacuity(program: &Program, vacuity: &Vacuity) -> Value {
    let place = |place: &question::ProvedPlace| {
        let kind = if place.is_assumption { "assumption" } else { "assertion" };
        json!({ "at": at(program, place.at), "kind": kind, "reached": place.reached.name() })
    };
    let places: Vec<Value> = vacuity.places.iter().map(place).collect();
    json!({ "vacuous": vacuity.is_vacuous(), "why": words::vacuity(vacuity, program), "places": places })
}

/// What an audit said.
pub fn audit(report: &Audit) -> Value {
    let (word, why) = match &report.judgement {
        Judgement::Accepted => ("accepted", None),
        Judgement::Refuted { why, .. } => ("refuted", Some(why)),
        Judgement::Open { why } => ("open", Some(why)),
    };
    let second = report.second.as_ref().map(
        |second| json!({ "command": second.command, "agreed": second.agreed, "unknown": second.unknown }),
    );
    json!({ "judgement": word, "why": why, "obligations": report.obligations, "heads": report.heads, "second_solver": second })
}
