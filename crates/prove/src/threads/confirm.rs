//! A violation that the sequential program shows is told only if the interpreter's own threads show it too, on the threaded program, by a schedule that repeats it.
//!
//! The two descriptions of threads are independent: a mistake in making the sequential program does not become a wrong VIOLATED here. Where the run cannot
//! be followed turn by turn, the interpreter looks for a failing interleaving of its own for a while.

use super::fewer::{RecordedRun, Steps, attempt, fewer, side_by_side};
use super::follow::{Stage, follow};
use super::judged::{Judging, ThreadFailure, ThreadProperty};
use super::script::script;
use base::Budget;
use concrete::interleavings::{Explored, Search, accesses};
use concrete::{Interpreter, Plan};
use program::Program;
use question::{Broken, Check, Missing, Property, Violation};
use std::time::Duration;

/// Interleavings that are tried where the run cannot be followed, and for how long.
const MOST_RUNS: u64 = 20_000;
const MOST_SECONDS: u64 = 5;

/// A violation as threads show it.
#[derive(Debug)]
pub struct Repeated {
    /// The program that its steps are of: one shared access per step.
    pub program: Program,
    /// The violation, with its schedule.
    pub violation: Box<Violation>,
}

/// Repeats a violation of the sequential program by threads, with as few threads and switches as are found. Otherwise tells why that cannot be done.
pub fn confirm(
    threaded: &Program,
    sequential: &Program,
    property: &Property,
    missing: Missing,
    violation: &Violation,
    budget: &Budget,
) -> Result<Repeated, String> {
    let divided = threads::divided(threaded);
    let visible = accesses(&divided);
    let asked = ThreadProperty::of(property, missing);
    let interpreter = Interpreter::for_threads(&divided);
    let stage = Stage { interpreter: &interpreter, program: &divided, visible: &visible, asked, budget };
    let Some(script) = script(sequential, &divided, &asked, violation, budget) else {
        return Err("the program is no interleaving of threads".to_owned());
    };
    let plan = follow(stage, &script).or_else(|why| {
        let short = budget.clone().with_time(Duration::from_secs(MOST_SECONDS));
        let search = Search { most_runs: MOST_RUNS, ..Search::ALL };
        let mut judging = Judging::new(&divided, asked);
        match interpreter.explore(&asked.settings(&short), &visible, search, &mut judging) {
            Explored::Found(plan) => Ok(*plan),
            Explored::Everything { .. } | Explored::Partly(_) => Err(why),
        }
    })?;
    let shown = smallest(stage, &plan, violation.engine)?;
    drop(interpreter);
    Ok(Repeated { program: divided, violation: shown })
}

/// The failing run of a schedule, with as few threads and switches as are found.
pub fn smallest(stage: Stage<'_, '_>, plan: &Plan, engine: &'static str) -> Result<Box<Violation>, String> {
    let asked = stage.asked;
    let mut plan = plan.clone();
    (plan.races, plan.deadlocks) = (asked.races, asked.deadlocks);
    let gone = || "the schedule that was found could not be repeated".to_owned();
    let found = fewer(stage, attempt(stage, &plan, Steps::LeftOut).ok_or_else(gone)?);
    let plan = side_by_side(&found).filter(|plan| attempt(stage, plan, Steps::LeftOut).is_some());
    let made = attempt(stage, plan.as_ref().unwrap_or(&found.plan), Steps::Kept).ok_or_else(gone)?;
    let RecordedRun { plan, bad: ThreadFailure { what, broken, span }, run, steps, visible, .. } = made;
    let what = if broken == Broken::Check(Check::Race) { format!("data race: {what}") } else { what };
    let (inputs, schedule, cycle) = (run.inputs.clone(), Some(plan), None);
    Ok(Box::new(Violation { what, broken, span, inputs, run, steps, schedule, visible, cycle, engine }))
}
