//! Checks a run that some engine claims against the system itself, step by step.

use super::SafetyQuestion;
use super::question::counterexample;
use base::{Budget, Exhausted};
use indexmap::IndexMap;
use lks::{ActionId, Composition, Successors, SyncId, SystemState};
use question::Counterexample;
use rustc_hash::FxBuildHasher;

/// A run: where it begins, and its steps.
pub type Run = (SystemState, Vec<(ActionId, SystemState)>);

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

/// A run of the system whose visible actions, before hiding, are those of the word, or a beginning of it, and
/// that ends in a bad state; `None` if there is none.
pub fn run_of_word(
    system: &Composition,
    question: SafetyQuestion,
    word: &[String],
    budget: &Budget,
) -> Result<Option<Run>, Exhausted> {
    let mut found: IndexMap<(SystemState, usize), Option<(usize, ActionId)>, FxBuildHasher> =
        IndexMap::default();
    for state in system.initial_states() {
        found.insert((state, 0), None);
    }
    let mut steps = Vec::new();
    let mut next = 0;
    while next < found.len() {
        if next.is_multiple_of(256) {
            budget.check()?;
        }
        let (state, position) = found.get_index(next).expect("in range").0.clone();
        steps.clear();
        system.steps(&state, &mut steps);
        if question.is_bad(Successors::mark(system, &state), !steps.is_empty()) {
            let mut run = Vec::new();
            let mut at = next;
            loop {
                let ((state, _), from) = found.get_index(at).expect("in range");
                let Some((before, action)) = from else {
                    run.reverse();
                    return Ok(Some((state.clone(), run)));
                };
                run.push((*action, state.clone()));
                at = *before;
            }
        }
        for step in steps.drain(..) {
            let after = match step.sync {
                SyncId::SILENT => position,
                sync if word.get(position).is_some_and(|wanted| wanted == system.sync_name(sync)) => {
                    position + 1
                }
                _ => continue,
            };
            found.entry((step.target, after)).or_insert(Some((next, step.action)));
        }
        next += 1;
    }
    Ok(None)
}
