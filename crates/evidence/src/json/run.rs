//! How a run of a C program ended, as `concord run` tells it.

use crate::place::json as at;
use concrete::{Place, Run, RunOutcome, UndefinedReport};
use program::Program;
use serde_json::{Value, json};

/// The document about a run, with a line break at the end.
pub fn run(program: &Program, run: &Run) -> String {
    let (kind, details) = outcome(program, &run.outcome);
    let inputs = run.inputs.iter().map(|input| {
        json!({ "name": &*input.name, "bits": format!("{:#x}", input.bits), "width": input.shape.width(),
            "at": at(program, input.span) })
    });
    let tolerated = run.tolerated.iter().map(|report| self::report(program, report));
    let assumptions = run.assumptions.iter().chain(&program.assumptions).map(|assumption| {
        json!({ "kind": assumption.kind.name(), "subject": &*assumption.subject,
            "message": assumption.message, "at": at(program, assumption.span) })
    });
    let figures = &run.statistics;
    super::unnamed_document(json!({ "run": {
        "outcome": kind,
        "details": details,
        "inputs": inputs.collect::<Vec<_>>(),
        "tolerated": tolerated.collect::<Vec<_>>(),
        "assumptions": assumptions.collect::<Vec<_>>(),
        "statistics": { "steps": figures.steps, "peak_bytes": figures.peak_bytes, "threads": figures.threads,
            "peak_call_depth": figures.peak_call_depth },
    } }))
}

/// The document about a run that a limit ended before it began to be told.
pub fn run_that_was_cut_off(reason: &str) -> String {
    let details = json!({ "message": reason, "place": null });
    super::unnamed_document(json!({ "run": { "outcome": "limit-reached", "details": details, "inputs": [],
        "tolerated": [], "assumptions": [], "statistics": {} } }))
}

fn outcome(program: &Program, outcome: &RunOutcome) -> (&'static str, Value) {
    let place = |at: &Place| place(program, at);
    match outcome {
        RunOutcome::Exited(status) => ("exited", json!({ "status": status })),
        RunOutcome::Aborted(at) => ("aborted", json!({ "place": place(at) })),
        RunOutcome::AssertionFailed { expression, told, place: at } => {
            ("assertion-failed", json!({ "expression": expression, "message": told, "place": place(at) }))
        }
        RunOutcome::ErrorReached { function, place: at } => {
            ("error-reached", json!({ "function": &**function, "place": place(at) }))
        }
        RunOutcome::Undefined(report) => ("undefined", self::report(program, report)),
        RunOutcome::AssumptionUnmet(at) => ("assumption-unmet", json!({ "place": place(at) })),
        RunOutcome::Deadlock(waiting) => {
            let threads =
                waiting.iter().map(|one| json!({ "waits_for": one.waits_for, "place": place(&one.place) }));
            ("deadlock", json!({ "threads": threads.collect::<Vec<_>>() }))
        }
        RunOutcome::Unknown(unknown) => {
            ("unknown", json!({ "message": unknown.message, "place": place(&unknown.place) }))
        }
        RunOutcome::LimitReached(limit, at) => {
            ("limit-reached", json!({ "message": limit.to_string(), "place": place(at) }))
        }
    }
}

fn report(program: &Program, report: &UndefinedReport) -> Value {
    let object = report.object.as_ref().map(|object| {
        json!({ "name": object.name, "size": object.size, "made_at": at(program, object.made_at),
            "ended_at": object.ended_at.map(|ended| at(program, ended)) })
    });
    json!({ "kind": report.kind.name(), "message": report.message, "object": object,
        "place": place(program, &report.place) })
}

fn place(program: &Program, place: &Place) -> Value {
    let calls =
        place.calls.iter().map(|call| json!({ "function": &*call.name, "at": at(program, call.span) }));
    let thread = place.thread.map(|thread| thread.to_string());
    json!({ "thread": thread, "at": at(program, place.span), "calls": calls.collect::<Vec<_>>() })
}
