//! Collects the parts of a structure in any order and compresses them at the end.

use crate::{ActionId, Alphabet, Lks, PropositionId, PropositionNames, StateId, StateMark};
use base::{Id, IndexVec};
use std::sync::Arc;

/// Makes an [`Lks`]. States are numbered in the order they are added.
#[derive(Clone, Debug, Default)]
pub struct LksBuilder {
    name: String,
    alphabet: Alphabet,
    propositions: PropositionNames,
    initial: Vec<StateId>,
    states: usize,
    transitions: Vec<(StateId, ActionId, StateId)>,
    marks: Vec<(StateId, StateMark)>,
    labels: Vec<(StateId, PropositionId)>,
    state_names: Vec<(StateId, Arc<str>)>,
}

impl LksBuilder {
    /// A structure without states.
    pub fn new(name: &str) -> LksBuilder {
        LksBuilder { name: name.to_owned(), ..LksBuilder::default() }
    }

    /// As [`new`](LksBuilder::new), with the actions and propositions of another structure under the same ids.
    pub fn with_names(name: &str, alphabet: &Alphabet, propositions: &PropositionNames) -> LksBuilder {
        LksBuilder {
            name: name.to_owned(),
            alphabet: alphabet.clone(),
            propositions: propositions.clone(),
            ..LksBuilder::default()
        }
    }

    /// The action of that name, added to the alphabet when new.
    pub fn action(&mut self, name: &str) -> ActionId {
        self.alphabet.intern(name)
    }

    /// The proposition of that name, added when new.
    pub fn proposition(&mut self, name: &str) -> PropositionId {
        self.propositions.intern(name)
    }

    /// The alphabet so far.
    pub fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// Adds a state.
    pub fn state(&mut self) -> StateId {
        let id = StateId::from_index(self.states);
        self.states += 1;
        id
    }

    /// Adds states until there are `count`.
    pub fn ensure_states(&mut self, count: usize) {
        self.states = self.states.max(count);
    }

    /// How many states there are so far.
    pub fn state_count(&self) -> usize {
        self.states
    }

    /// Lets the structure start in the state.
    pub fn initial(&mut self, state: StateId) {
        self.known(state);
        if !self.initial.contains(&state) {
            self.initial.push(state);
        }
    }

    /// Adds a transition; the same one twice is one.
    pub fn transition(&mut self, from: StateId, action: ActionId, to: StateId) {
        debug_assert!(action.index() < self.alphabet.len(), "action of another alphabet");
        self.known(from);
        self.known(to);
        self.transitions.push((from, action, to));
    }

    /// Marks a state; the last mark counts.
    pub fn mark(&mut self, state: StateId, mark: StateMark) {
        self.known(state);
        self.marks.push((state, mark));
    }

    /// Lets the proposition hold in the state.
    pub fn label(&mut self, state: StateId, proposition: PropositionId) {
        self.known(state);
        self.labels.push((state, proposition));
    }

    /// Gives the state a name for people.
    pub fn name_state(&mut self, state: StateId, name: impl Into<Arc<str>>) {
        self.known(state);
        self.state_names.push((state, name.into()));
    }

    fn known(&self, state: StateId) {
        assert!(state.index() < self.states, "state {state} was never added");
    }

    /// Compresses. ERROR states lose their transitions. Fails past 2^32 transitions.
    pub fn build(self) -> Lks {
        let LksBuilder { name, alphabet, propositions, mut initial, states, transitions, .. } = self;
        let mut marks: IndexVec<StateId, StateMark> = IndexVec::filled(StateMark::Plain, states);
        self.marks.into_iter().for_each(|(state, mark)| marks[state] = mark);
        let (first, actions, targets) = compress(states, transitions, &marks);
        initial.sort_unstable();
        let words = propositions.words();
        let mut labels = vec![0; states * words];
        for (state, proposition) in self.labels {
            labels[state.index() * words + proposition.index() / 64] |= 1 << (proposition.index() % 64);
        }
        let mut state_names = IndexVec::new();
        if !self.state_names.is_empty() {
            state_names = (0..states).map(|index| Arc::from(index.to_string())).collect();
            self.state_names.into_iter().for_each(|(state, name)| state_names[state] = name);
        }
        let marked = |wanted| marks.ids().filter(|&state| marks[state] == wanted).collect();
        Lks {
            name: Arc::from(name),
            alphabet: Arc::new(alphabet),
            propositions: Arc::new(propositions),
            initial,
            first,
            actions,
            targets,
            ends: marked(StateMark::End),
            errors: marked(StateMark::Error),
            labels,
            state_names,
        }
    }
}

type Compressed = (Vec<u32>, Vec<ActionId>, Vec<StateId>);

fn compress(
    states: usize,
    transitions: Vec<(StateId, ActionId, StateId)>,
    marks: &IndexVec<StateId, StateMark>,
) -> Compressed {
    // Counting sort by source, then a small sort per state.
    let mut starts = vec![0u32; states + 1];
    for (from, _, _) in &transitions {
        starts[from.index() + 1] =
            starts[from.index() + 1].checked_add(1).expect("fewer than 2^32 transitions");
    }
    for state in 0..states {
        starts[state + 1] =
            starts[state + 1].checked_add(starts[state]).expect("fewer than 2^32 transitions");
    }
    let mut next = starts.clone();
    let mut by_source = vec![(ActionId::TAU, StateId::from_index(0)); transitions.len()];
    for (from, action, to) in transitions {
        by_source[next[from.index()] as usize] = (action, to);
        next[from.index()] += 1;
    }
    drop(next);
    let mut first = Vec::with_capacity(states + 1);
    let mut actions = Vec::with_capacity(by_source.len());
    let mut targets = Vec::with_capacity(by_source.len());
    for state in marks.ids() {
        first.push(targets.len() as u32);
        if marks[state] == StateMark::Error {
            continue;
        }
        let own = &mut by_source[starts[state.index()] as usize..starts[state.index() + 1] as usize];
        own.sort_unstable();
        let mut last = None;
        for &mut transition in own {
            if last != Some(transition) {
                actions.push(transition.0);
                targets.push(transition.1);
                last = Some(transition);
            }
        }
    }
    first.push(targets.len() as u32);
    actions.shrink_to_fit();
    targets.shrink_to_fit();
    (first, actions, targets)
}
