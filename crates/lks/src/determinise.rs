//! The subset construction (determinisation), and the complement of what a structure can do.

use crate::{Alphabet, Lks, LksBuilder, PropositionSet, StateId, StateMark};
use base::{Budget, Exhausted, Id};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

impl Lks {
    /// A deterministic structure with the same traces, silent steps left out: its states are the sets of states the
    /// structure may be in after a trace. Exponential in the worst case, hence the budget.
    ///
    /// A set is ERROR when one of its states is (the violation is possible after the trace), END when some are and all
    /// others can only go on silently, and is labelled with the propositions that hold in all of its states.
    pub fn determinise(&self, budget: &Budget) -> Result<Lks, Exhausted> {
        let mut builder = LksBuilder::with_names(self.name(), self.alphabet(), self.propositions());
        let mut found: IndexMap<Vec<StateId>, (), FxBuildHasher> = IndexMap::default();
        let start = self.silent_closure(self.initial().to_vec());
        if start.is_empty() {
            return Ok(builder.build());
        }
        found.insert(start, ());
        let first = builder.state();
        builder.initial(first);
        let mut next = 0;
        while next < found.len() {
            if next.is_multiple_of(256) {
                budget.check()?;
            }
            let from = StateId::from_index(next);
            let members = found.get_index(next).expect("in range").0.clone();
            next += 1;
            self.decorate_subset(&members, from, &mut builder);
            let mut moves: Vec<_> = members
                .iter()
                .flat_map(|&state| self.transitions(state))
                .filter(|(action, _)| !action.is_silent())
                .collect();
            moves.sort_unstable();
            for same in moves.chunk_by(|left, right| left.0 == right.0) {
                let targets = self.silent_closure(same.iter().map(|&(_, target)| target).collect());
                let (index, known) = found.insert_full(targets, ());
                if known.is_none() {
                    builder.state();
                }
                builder.transition(from, same[0].0, StateId::from_index(index));
            }
        }
        Ok(builder.build())
    }

    /// The states reachable from these by silent steps, these included; sorted.
    pub fn silent_closure(&self, mut states: Vec<StateId>) -> Vec<StateId> {
        states.sort_unstable();
        states.dedup();
        let mut next = 0;
        let mut known: rustc_hash::FxHashSet<StateId> = states.iter().copied().collect();
        while next < states.len() {
            for &target in self.successors_by(states[next], crate::ActionId::TAU) {
                if known.insert(target) {
                    states.push(target);
                }
            }
            next += 1;
        }
        states.sort_unstable();
        states
    }

    /// Has the state terminated, or has it silent steps only?
    fn has_ended_soon(&self, state: StateId) -> bool {
        let mut steps = self.transitions(state).peekable();
        let can_move = steps.peek().is_some();
        self.mark(state) == StateMark::End || can_move && steps.all(|(action, _)| action.is_silent())
    }

    fn decorate_subset(&self, members: &[StateId], subset: StateId, builder: &mut LksBuilder) {
        let is = |mark| move |&state: &StateId| self.mark(state) == mark;
        if members.iter().any(is(StateMark::Error)) {
            builder.mark(subset, StateMark::Error);
        } else if members.iter().any(is(StateMark::End))
            && members.iter().all(|state| self.has_ended_soon(*state))
        {
            builder.mark(subset, StateMark::End);
        }
        let everywhere: PropositionSet = self
            .propositions()
            .ids()
            .filter(|&proposition| members.iter().all(|&state| self.holds(state, proposition)))
            .collect();
        everywhere.iter().for_each(|proposition| builder.label(subset, proposition));
    }

    /// Watches for what this structure cannot do: over `alphabet`, its ERROR state is reached by exactly the traces
    /// that are not traces of this structure. Without END states; this is FSP's `property` for a deterministic
    /// structure. Actions of the structure outside `alphabet` must have been hidden.
    pub fn complement(&self, alphabet: &Alphabet, budget: &Budget) -> Result<Lks, Exhausted> {
        let deterministic = self.determinise(budget)?;
        let mut builder = LksBuilder::new(self.name());
        for action in alphabet.visible() {
            builder.action(alphabet.name(action));
        }
        builder.ensure_states(deterministic.state_count());
        let error = builder.state();
        builder.mark(error, StateMark::Error);
        match deterministic.initial() {
            [] => builder.initial(error),
            initial => initial.iter().for_each(|&state| builder.initial(state)),
        }
        for state in deterministic.states() {
            if deterministic.mark(state) == StateMark::Error {
                // The structure itself calls this a violation.
                builder.mark(state, StateMark::Error);
                continue;
            }
            for action in alphabet.visible() {
                let name = alphabet.name(action);
                let known = deterministic.alphabet().find(name);
                let target = known.and_then(|own| deterministic.successors_by(state, own).first().copied());
                builder.transition(state, action, target.unwrap_or(error));
            }
        }
        Ok(builder.build().reachable())
    }
}
