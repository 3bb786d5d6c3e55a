//! A labelled Kripke structure held in memory (thesis Def. 1), compressed: per state one offset, per transition
//! one action and one target (8 bytes), sorted by action so that the successors under one action are a slice.
//! DIVERGENCE: two kinds of marked states are added, as FSP has them: END (the process terminated) and ERROR
//! (a property was violated). ERROR states have no successors; in a composition an END state may have some, where what
//! is left only serves.

use crate::{ActionId, Alphabet, PropositionId, PropositionNames, PropositionSet, StateId};
use base::{Id, IndexVec};
use std::ops::Range;
use std::sync::Arc;

/// What a state says about the run that reached it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum StateMark {
    /// Nothing: the run goes on, or is stuck.
    #[default]
    Plain,
    /// The process terminated as intended (FSP's END); not a deadlock.
    End,
    /// A property was violated (FSP's ERROR, LTSA's state -1).
    Error,
}

/// A labelled Kripke structure. Made by [`LksBuilder`](crate::LksBuilder).
#[derive(Clone, Debug)]
pub struct Lks {
    pub(crate) name: Arc<str>,
    pub(crate) alphabet: Arc<Alphabet>,
    pub(crate) propositions: Arc<PropositionNames>,
    pub(crate) initial: Vec<StateId>,
    /// Where each state's transitions start; one more entry than states.
    pub(crate) first: Vec<u32>,
    pub(crate) actions: Vec<ActionId>,
    pub(crate) targets: Vec<StateId>,
    /// Sorted; few states are marked.
    pub(crate) ends: Vec<StateId>,
    pub(crate) errors: Vec<StateId>,
    /// `words()` per state.
    pub(crate) labels: Vec<u64>,
    /// Either empty or one per state.
    pub(crate) state_names: IndexVec<StateId, Arc<str>>,
}

impl Lks {
    /// The name of the process.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same structure under another name.
    #[must_use]
    pub fn named(mut self, name: &str) -> Lks {
        self.name = Arc::from(name);
        self
    }

    /// What it may do. Actions without a transition still synchronise: they are refused for ever.
    pub fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// What its states are labelled with.
    pub fn propositions(&self) -> &PropositionNames {
        &self.propositions
    }

    /// Where it may start.
    pub fn initial(&self) -> &[StateId] {
        &self.initial
    }

    /// How many states it has.
    pub fn state_count(&self) -> usize {
        self.first.len() - 1
    }

    /// How many transitions it has.
    pub fn transition_count(&self) -> usize {
        self.targets.len()
    }

    /// All states.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = StateId> + ExactSizeIterator + use<> {
        (0..self.state_count()).map(StateId::from_index)
    }

    fn range(&self, state: StateId) -> Range<usize> {
        self.first[state.index()] as usize..self.first[state.index() + 1] as usize
    }

    /// The transitions of a state, sorted by action, then target.
    pub fn transitions(
        &self,
        state: StateId,
    ) -> impl DoubleEndedIterator<Item = (ActionId, StateId)> + ExactSizeIterator + '_ {
        let range = self.range(state);
        self.actions[range.clone()].iter().copied().zip(self.targets[range].iter().copied())
    }

    /// The actions of a state's transitions, in step with [`targets`](Lks::targets); sorted.
    pub fn actions(&self, state: StateId) -> &[ActionId] {
        &self.actions[self.range(state)]
    }

    /// The targets of a state's transitions, in step with [`actions`](Lks::actions).
    pub fn targets(&self, state: StateId) -> &[StateId] {
        &self.targets[self.range(state)]
    }

    /// The successors under one action. // Succ(s, α), Def. 2
    pub fn successors_by(&self, state: StateId, action: ActionId) -> &[StateId] {
        let range = self.range(state);
        let actions = &self.actions[range.clone()];
        // Most states have few transitions: a scan beats bisection there.
        let (from, to) = if actions.len() <= 8 {
            let from = actions.iter().position(|&other| other >= action).unwrap_or(actions.len());
            let same = actions[from..].iter().take_while(|&&other| other == action).count();
            (from, from + same)
        } else {
            let from = actions.partition_point(|&other| other < action);
            (from, from + actions[from..].partition_point(|&other| other <= action))
        };
        &self.targets[range.start + from..range.start + to]
    }

    /// Does the state have a transition under the action?
    pub fn offers(&self, state: StateId, action: ActionId) -> bool {
        !self.successors_by(state, action).is_empty()
    }

    /// Is the state END, ERROR or neither?
    pub fn mark(&self, state: StateId) -> StateMark {
        if self.errors.binary_search(&state).is_ok() {
            StateMark::Error
        } else if self.ends.binary_search(&state).is_ok() {
            StateMark::End
        } else {
            StateMark::Plain
        }
    }

    /// The states in which the process has terminated.
    pub fn end_states(&self) -> &[StateId] {
        &self.ends
    }

    /// The states in which a property is violated.
    pub fn error_states(&self) -> &[StateId] {
        &self.errors
    }

    /// The propositions that hold in a state. // L(s)
    pub fn label(&self, state: StateId) -> PropositionSet {
        PropositionSet::from_words(self.label_words(state))
    }

    /// As [`label`](Lks::label), as bits.
    pub fn label_words(&self, state: StateId) -> &[u64] {
        let words = self.propositions.words();
        &self.labels[state.index() * words..(state.index() + 1) * words]
    }

    /// Does the proposition hold in the state?
    pub fn holds(&self, state: StateId, proposition: PropositionId) -> bool {
        self.label_words(state)[proposition.index() / 64] >> (proposition.index() % 64) & 1 == 1
    }

    /// What the state is called in the source, where it was given a name.
    pub fn state_name(&self, state: StateId) -> Option<&str> {
        self.state_names.get(state).map(|name| &**name)
    }

    /// Has no state two transitions under one action, is no transition silent, and is there at most one initial
    /// state?
    pub fn is_deterministic(&self) -> bool {
        self.initial.len() <= 1
            && self.states().all(|state| {
                let actions = self.actions(state);
                actions.windows(2).all(|pair| pair[0] != pair[1])
                    && !actions.first().is_some_and(|action| action.is_silent())
            })
    }

    /// Bytes the transitions and states take, the names aside.
    pub fn heap_bytes(&self) -> usize {
        self.first.capacity() * 4
            + self.actions.capacity() * size_of::<ActionId>()
            + self.targets.capacity() * size_of::<StateId>()
            + self.labels.capacity() * 8
            + (self.ends.capacity() + self.errors.capacity()) * size_of::<StateId>()
    }
}
