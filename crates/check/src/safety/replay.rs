//! Checks a run that some engine claims against the system itself, step by step.

use super::SafetyQuestion;
use super::question::counterexample;
use lks::{ActionId, Composition, Successors, SystemState};
use verdict::Counterexample;

/// The evidence, if the run is one of the system and ends in a bad state.
pub fn confirmed(
    system: &Composition,
    question: SafetyQuestion,
    start: &SystemState,
    steps: &[(ActionId, SystemState)],
) -> Option<Counterexample> {
    if !system.initial_states().contains(start) {
        return None;
    }
    let mut at = start;
    let mut successors = Vec::new();
    for (action, next) in steps {
        successors.clear();
        system.successors(at, &mut successors);
        if !successors.iter().any(|(other, target)| other == action && target == next) {
            return None;
        }
        at = next;
    }
    successors.clear();
    system.successors(at, &mut successors);
    let is_bad = question.is_bad(Successors::mark(system, at), !successors.is_empty());
    is_bad.then(|| counterexample(system, start, steps))
}
