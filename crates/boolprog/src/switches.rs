//! The same run with fewer context switches: steps of a thread are moved before those of others as long as
//! the interpreter takes the result for a run. Shortest runs come with their steps in any order; people read
//! one thread at a time.

use crate::explicit::replay;
use crate::graph::Program;
use crate::setup::Setup;
use crate::trace::{Trace, TraceStep};
use crate::values::Values;

/// Longer runs are left as they are.
const LONGEST: usize = 400;
/// So many changes are tried at most.
const MOST_TRIES: usize = 2_000;

/// Moves steps while that makes fewer switches. Every result is replayed.
pub(crate) fn with_fewer_switches(program: &Program, setup: &Setup, trace: Trace) -> Trace {
    let tells = trace.steps.iter().any(|step| !step.others.is_empty());
    let is_alone = trace.steps.windows(2).all(|pair| pair[0].thread == pair[1].thread);
    if is_alone || tells || trace.steps.len() > LONGEST {
        return trace;
    }
    let mut best = trace;
    let mut tries = 0;
    let mut at = 0;
    while at + 2 < best.steps.len() && tries < MOST_TRIES {
        if best.steps[at + 1].thread != best.steps[at].thread
            && let Some(next) = next_of_thread(&best, at)
        {
            tries += 1;
            let moved = moved(program, &best, next, at + 1);
            if switches(&moved) < switches(&best) && replay(program, setup, &moved).is_ok() {
                best = moved;
            }
        }
        at += 1;
    }
    best
}

/// The next step of the thread that moves at a position; the failing step stays where it is.
fn next_of_thread(trace: &Trace, at: usize) -> Option<usize> {
    let thread = trace.steps[at].thread;
    (at + 1..trace.steps.len() - 1).find(|later| trace.steps[*later].thread == thread)
}

fn switches(trace: &Trace) -> usize {
    trace.steps.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count()
}

/// The run with a step earlier: each step changes the globals that it changed, whatever the others are.
fn moved(program: &Program, trace: &Trace, from: usize, to: usize) -> Trace {
    let count = program.globals().len();
    let mut before = &trace.globals;
    let mut steps: Vec<(TraceStep, Vec<(usize, bool)>)> = Vec::new();
    for step in &trace.steps {
        let differs = |slot: &usize| before.get(*slot) != step.globals.get(*slot);
        let changes = (0..count).filter(differs).map(|slot| (slot, step.globals.get(slot))).collect();
        steps.push((step.clone(), changes));
        before = &step.globals;
    }
    let step = steps.remove(from);
    steps.insert(to, step);
    let mut globals: Values = trace.globals.clone();
    let mut result = Trace { steps: Vec::with_capacity(steps.len()), ..trace.clone() };
    for (mut step, changes) in steps {
        changes.into_iter().for_each(|(slot, value)| globals.set(slot, value));
        step.globals = globals.clone();
        result.steps.push(step);
    }
    result
}
