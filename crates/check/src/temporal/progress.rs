//! FSP's progress properties: under fair choice, does every run do one of these actions again and again?
//! After Giannakopoulou, Magee, Kramer 1999: violated iff some terminal set of states (a strongly connected
//! set that cannot be left) has none of them. A deadlocked state is a terminal set; a state where the system
//! has terminated as intended is not counted.
//!
//! Worked example: `P = (a -> P | b -> Q), Q = (c -> Q)`. {Q} is a terminal set and has no `a`: under fair
//! choice `b` is taken some day, so progress for `a` is violated, with the run `b` and then `c` for ever.

use crate::stopped::Stopped;
use crate::view::Viewed;
use base::{Id, IndexVec};
use lks::{ActionId, Explored, Lks, StateId, StateMark, explore_telling};
use question::{Answer, Counterexample, Monitor, Verdict};
use spec::evaluate::claims::ProgressTest;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use verdict::{Certificate, Lasso};

/// Does the system make progress?
pub fn progress<S: Viewed>(system: &S, property: &ProgressTest, monitor: Monitor<'_>) -> Answer {
    Stopped::settle("explicit", || {
        let explored =
            explore_telling(system, "system", monitor.budget, monitor.events).map_err(|unfinished| {
                Stopped::from(unfinished.limit)
                    .having_shown(format!("{} states were found", unfinished.states))
            })?;
        let lks = &explored.lks;
        let find = |names: &Vec<Arc<str>>| -> BTreeSet<ActionId> {
            names.iter().filter_map(|name| lks.alphabet().find(name)).collect()
        };
        let wanted = find(&property.actions);
        let condition = property.condition.as_ref().map(find);
        let mut verdict = Verdict::Holds(Certificate::Exhaustive { states: lks.state_count() as u64 });
        for set in terminal_sets(lks) {
            if set.iter().any(|state| lks.mark(*state) != StateMark::Plain) {
                continue;
            }
            let done: BTreeSet<ActionId> =
                set.iter().flat_map(|state| lks.actions(*state)).copied().collect();
            let counts = condition.as_ref().is_none_or(|condition| !condition.is_disjoint(&done));
            if counts && wanted.is_disjoint(&done) {
                verdict = Verdict::from(counterexample(system, &explored, &set, &done));
                break;
            }
        }
        Ok(Answer::by("explicit", verdict)
            .count("states", lks.state_count())
            .count("transitions", lks.transition_count()))
    })
}

fn counterexample<S: Viewed>(
    system: &S,
    explored: &Explored<S::State>,
    set: &[StateId],
    done: &BTreeSet<ActionId>,
) -> Counterexample {
    let lks = &explored.lks;
    let (start, stem) = shortest(lks, lks.initial(), |state| set.contains(&state), false);
    let entry = stem.last().map_or(start, |(_, state)| *state);
    let system_steps = |steps: &[(ActionId, StateId)]| -> Vec<(ActionId, S::State)> {
        steps.iter().map(|(action, state)| (*action, explored.states[state.index()].clone())).collect()
    };
    let cycle = match lks.actions(entry).is_empty() {
        true => Vec::new(),
        false => shortest(lks, &[entry], |state| state == entry, true).1,
    };
    let (stem, cycle) = (system_steps(&stem), system_steps(&cycle));
    no_progress(system, &explored.states[start.index()], &stem, &cycle, done)
}

/// The run into a terminal set in which only these actions are done; it has no cycle if nothing is possible
/// there.
pub(crate) fn no_progress<S: Viewed>(
    system: &S,
    start: &S::State,
    stem: &[(ActionId, S::State)],
    cycle: &[(ActionId, S::State)],
    done: &BTreeSet<ActionId>,
) -> Counterexample {
    let names: Vec<&str> = done.iter().map(|action| system.alphabet().name(*action)).collect();
    let why = format!("from here on only these actions occur: {{{}}}", names.join(", "));
    let path = system.view_path(start, stem, why);
    if cycle.is_empty() {
        return Counterexample::MaximalPath(path);
    }
    let entry = stem.last().map_or(start, |(_, state)| state);
    Counterexample::Lasso(Lasso { stem: path, cycle: system.view_steps(entry, cycle) })
}

/// A shortest run from one of the states to one that is wanted; with at least one step if `moving`.
fn shortest(
    lks: &Lks,
    from: &[StateId],
    wanted: impl Fn(StateId) -> bool,
    moving: bool,
) -> (StateId, Vec<(ActionId, StateId)>) {
    if let Some(state) = from.iter().find(|state| !moving && wanted(**state)) {
        return (*state, Vec::new());
    }
    let mut before: IndexVec<StateId, Option<(StateId, ActionId)>> =
        IndexVec::filled(None, lks.state_count());
    let mut queue: VecDeque<StateId> = from.iter().copied().collect();
    while let Some(state) = queue.pop_front() {
        for (action, target) in lks.transitions(state) {
            let is_start = from.contains(&target);
            if wanted(target) && (moving || !is_start) {
                let mut steps = vec![(action, target)];
                let mut at = state;
                while let Some((previous, action)) = before[at] {
                    steps.push((action, at));
                    at = previous;
                }
                steps.reverse();
                return (at, steps);
            }
            if before[target].is_none() && !is_start {
                before[target] = Some((state, action));
                queue.push_back(target);
            }
        }
    }
    unreachable!("the state was found by exploring, so a run leads to it")
}

/// Strongly connected sets that no transition leaves.
fn terminal_sets(lks: &Lks) -> Vec<Vec<StateId>> {
    let count = lks.state_count();
    let found = base::graph::components(count, lks.states(), |state| lks.targets(state).iter().copied());
    let component = found.numbers(count);
    let leaves =
        |state: &StateId| lks.targets(*state).iter().any(|target| component[*target] != component[*state]);
    let terminal = found.iter().filter(|members| !members.iter().any(leaves));
    terminal.map(|members| members.iter().rev().copied().collect()).collect()
}
