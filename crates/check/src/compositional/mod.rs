//! Compositional minimisation: components are joined two at a time, what only they share becomes silent, and
//! the result is made as small as branching bisimulation allows before the next one joins. After Graf and
//! Steffen 1990. Deadlock needs divergence kept; ERROR does not. A bad state of the final, small system is
//! brought back to a run of the components step by step (`lift`) and confirmed on the system itself. The same
//! parts answer formulas (`formula`), simulation (`conforms`) and progress (`progress`), with what those must
//! keep (`Keeps`). `node` is a joined part of the system, `join` the product of two, `plan` chooses who joins
//! next, `context` says what a component can do among its neighbours.
//!
//! Worked example: buffers `A = (in -> x -> A)` and `B = (x -> out -> B)`, with `in` and `out` shared with
//! others. Their product has four states; `x` is theirs alone and becomes silent. "`A` is full, `B` is empty"
//! can do nothing but the silent step to "`A` is empty, `B` is full", so branching bisimulation makes them
//! one: a buffer of two places, three states.
//!
//! Naive twin: `safety::explicit` on the whole system.

mod conforms;
mod context;
mod formula;
mod join;
mod lift;
mod node;
mod plan;
mod progress;

pub use conforms::conforms;
pub use formula::holds;
pub use progress::progress;

use crate::bisimulation::{Divergence, Equivalence};
use crate::safety::SafetyQuestion;
use crate::safety::replay::{Run, confirmed};
use crate::stopped::Stopped;
use base::Id;
use lift::LeafEvent;
use lks::{ActionId, Composition, Lks, Role, StateId, StateMark, Successors};
use node::{Keeps, Node, is_ended};
use plan::joined;
use question::{Answer, Monitor, Verdict};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use verdict::Certificate;

/// How far to go.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompositionalSettings {
    /// Give up when no order of joining keeps every product below this many states.
    pub most_states: Option<usize>,
}

/// Is no bad state reachable?
pub fn safe(
    system: &Composition,
    question: SafetyQuestion,
    settings: &CompositionalSettings,
    monitor: Monitor<'_>,
) -> Answer {
    Stopped::settle("compositional", || {
        if let Some(why) = cannot(system) {
            return Err(Stopped::cannot("compositional", why));
        }
        let divergence = if question.asks_for_deadlock() { Divergence::Kept } else { Divergence::Ignored };
        let keeps = Keeps {
            equivalence: Equivalence::Branching(divergence),
            actions: FxHashSet::default(),
            propositions: Vec::new(),
            termination: true,
        };
        let (root, largest) = joined(system, &keeps, settings.most_states, monitor)?;
        let small = &root.reduced;
        let verdict = match run_to_bad(small, question) {
            None => Verdict::Holds(Certificate::Exhaustive { states: small.state_count() as u64 }),
            Some((start, steps)) => {
                let last = steps.last().map_or(start, |(_, state)| *state);
                let events = root.lift(start, &steps, small.mark(last) != StateMark::Error);
                let (start, steps) = on_system(system, &root, start, &events);
                let evidence = confirmed(system, question, &start, &steps);
                evidence.expect("a run of equivalent parts is a run of the system").into()
            }
        };
        Ok(Answer::by("compositional", verdict)
            .count("states", largest.states)
            .count("transitions", largest.transitions))
    })
}

fn cannot(system: &Composition) -> Option<&'static str> {
    if system.has_priority() {
        return Some("a priority is not a matter of parts");
    }
    if !system.components().iter().any(|part| part.role == Role::Process) {
        return Some("there is no process");
    }
    let has_end = system.components().iter().any(|part| !part.lks.end_states().is_empty());
    let watches_alone = system.syncs().skip(1).any(|sync| {
        system.participants(sync).iter().all(|(id, _)| system.components()[*id].role == Role::Watcher)
    });
    (has_end && watches_alone).then_some("a property speaks of an action that no process has")
}

/// A shortest run of the small system into a bad state.
fn run_to_bad(small: &Lks, question: SafetyQuestion) -> Option<(StateId, Vec<(ActionId, StateId)>)> {
    let is_bad = |state: StateId| match small.mark(state) {
        StateMark::Error => question.asks_for_error(),
        _ => question.asks_for_deadlock() && !is_ended(small, state) && small.actions(state).is_empty(),
    };
    let mut before: Vec<Option<(StateId, ActionId)>> = vec![None; small.state_count()];
    let mut queue: VecDeque<StateId> = small.initial().iter().copied().collect();
    while let Some(state) = queue.pop_front() {
        if is_bad(state) {
            let mut steps = Vec::new();
            let mut at = state;
            while let Some((previous, action)) = before[at.index()] {
                steps.push((action, at));
                at = previous;
            }
            steps.reverse();
            return Some((at, steps));
        }
        for (action, target) in small.transitions(state) {
            if before[target.index()].is_none() && !small.initial().contains(&target) {
                before[target.index()] = Some((state, action));
                queue.push_back(target);
            }
        }
    }
    None
}

/// The run of the system that the events of its components make: one step per event.
fn on_system(system: &Composition, root: &Node, start: StateId, events: &[LeafEvent]) -> Run {
    let mut locals: Vec<StateId> = vec![StateId::from_index(0); system.components().len()];
    for (component, state) in root.start_of(start) {
        locals[component.index()] = state;
    }
    let begin = system.state_of(&locals);
    let mut steps = Vec::new();
    for event in events {
        for (component, state) in &event.moves {
            locals[component.index()] = *state;
        }
        let action = match &event.name {
            None => ActionId::TAU,
            Some(name) => {
                let (component, _) = event.moves[0];
                let own = system.components()[component].lks.alphabet().find(name).expect("its own action");
                system.shown(system.sync_of(component, own))
            }
        };
        steps.push((action, system.state_of(&locals)));
    }
    debug_assert!(system.initial_states().contains(&begin));
    (begin, steps)
}
