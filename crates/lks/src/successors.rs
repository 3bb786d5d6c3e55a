//! How algorithms look at a system: where it starts and what it can do next, without asking for all of it.

use crate::{ActionId, Alphabet, Lks, LksBuilder, PropositionNames, PropositionSet, StateId, StateMark};
use base::{Budget, Event, EventSink, Exhausted, Id, Silent};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::fmt::Debug;
use std::hash::Hash;

/// A system that can be explored step by step. Implemented by [`Lks`] and by [`Composition`](crate::Composition).
///
/// Implementations must be functional: the same state gives the same answers, in the same order.
pub trait Successors {
    /// A state of the system.
    type State: Clone + Eq + Hash + Debug;

    /// What it may do.
    fn alphabet(&self) -> &Alphabet;

    /// What its states are labelled with.
    fn propositions(&self) -> &PropositionNames;

    /// Where it may start, without repetition.
    fn initial_states(&self) -> Vec<Self::State>;

    /// Appends the transitions of a state. ERROR states have none.
    fn successors(&self, state: &Self::State, out: &mut Vec<(ActionId, Self::State)>);

    /// Is the state END, ERROR or neither?
    fn mark(&self, state: &Self::State) -> StateMark;

    /// The propositions that hold in the state.
    fn label(&self, state: &Self::State) -> PropositionSet;

    /// The state as people may read it.
    fn describe(&self, state: &Self::State) -> String {
        format!("{state:?}")
    }
}

impl Successors for Lks {
    type State = StateId;

    fn alphabet(&self) -> &Alphabet {
        Lks::alphabet(self)
    }

    fn propositions(&self) -> &PropositionNames {
        Lks::propositions(self)
    }

    fn initial_states(&self) -> Vec<StateId> {
        self.initial().to_vec()
    }

    fn successors(&self, state: &StateId, out: &mut Vec<(ActionId, StateId)>) {
        out.extend(self.transitions(*state));
    }

    fn mark(&self, state: &StateId) -> StateMark {
        Lks::mark(self, *state)
    }

    fn label(&self, state: &StateId) -> PropositionSet {
        Lks::label(self, *state)
    }

    fn describe(&self, state: &StateId) -> String {
        self.state_name(*state).map_or_else(|| state.index().to_string(), str::to_owned)
    }
}

impl<S: Successors + ?Sized> Successors for &S {
    type State = S::State;
    fn alphabet(&self) -> &Alphabet {
        (**self).alphabet()
    }
    fn propositions(&self) -> &PropositionNames {
        (**self).propositions()
    }
    fn initial_states(&self) -> Vec<Self::State> {
        (**self).initial_states()
    }
    fn successors(&self, state: &Self::State, out: &mut Vec<(ActionId, Self::State)>) {
        (**self).successors(state, out);
    }
    fn mark(&self, state: &Self::State) -> StateMark {
        (**self).mark(state)
    }
    fn label(&self, state: &Self::State) -> PropositionSet {
        (**self).label(state)
    }
    fn describe(&self, state: &Self::State) -> String {
        (**self).describe(state)
    }
}

/// A system that was explored to its end.
#[derive(Clone, Debug)]
pub struct Explored<S> {
    /// The reachable part.
    pub lks: Lks,
    /// For each state of `lks`, the state of the system it stands for.
    pub states: Vec<S>,
}

/// An exploration that a limit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// The limit that was reached.
    pub limit: Exhausted,
    /// States found until then.
    pub states: usize,
}

/// The reachable part of a system, breadth first, so that state 0 is initial and numbers grow with distance.
pub fn explore<S: Successors>(
    system: &S,
    name: &str,
    budget: &Budget,
) -> Result<Explored<S::State>, Unfinished> {
    explore_telling(system, name, budget, &Silent)
}

/// The same, for somebody who waits and hears how many states there are.
pub fn explore_telling<S: Successors>(
    system: &S,
    name: &str,
    budget: &Budget,
    events: &dyn EventSink,
) -> Result<Explored<S::State>, Unfinished> {
    let mut builder = LksBuilder::with_names(name, system.alphabet(), system.propositions());
    let mut found: IndexSet<S::State, FxBuildHasher> = IndexSet::default();
    for state in system.initial_states() {
        let (index, is_new) = found.insert_full(state);
        if is_new {
            builder.state();
        }
        builder.initial(StateId::from_index(index));
    }
    let mut successors = Vec::new();
    let mut next = 0;
    while next < found.len() {
        if next.is_multiple_of(1024) {
            events.emit(Event::Count { what: "states", value: found.len() as u64 });
            budget.check().map_err(|limit| Unfinished { limit, states: found.len() })?;
        }
        let from = StateId::from_index(next);
        let state = found[next].clone();
        next += 1;
        let mark = system.mark(&state);
        if mark != crate::StateMark::Plain {
            builder.mark(from, mark);
        }
        system.label(&state).iter().for_each(|proposition| builder.label(from, proposition));
        successors.clear();
        system.successors(&state, &mut successors);
        for (action, target) in successors.drain(..) {
            let (index, is_new) = found.insert_full(target);
            if is_new {
                builder.state();
            }
            builder.transition(from, action, StateId::from_index(index));
        }
    }
    Ok(Explored { lks: builder.build(), states: found.into_iter().collect() })
}
