//! Cycles of silent steps contracted: the first step of branching bisimulation.

use base::{Budget, Exhausted, Id, IndexVec};
use lks::quotient::BlockId;
use lks::{ActionId, Lks, StateId};

base::define_id!(
    /// A component of the silent steps: its states do everything together.
    ClusterId,
    "u"
);

/// States on a common cycle of silent steps between equally labelled states. Tarjan 1972, without recursion; a
/// cluster's number is larger than those it reaches silently.
pub(super) struct Clusters {
    pub of: IndexVec<StateId, ClusterId>,
    /// Can its states go round silently for ever?
    pub diverges: IndexVec<ClusterId, bool>,
}

impl Clusters {
    pub fn of(
        lks: &Lks,
        labels: &IndexVec<StateId, BlockId>,
        budget: &Budget,
    ) -> Result<Clusters, Exhausted> {
        const UNSEEN: u32 = 0;
        let none = ClusterId::from_index(u32::MAX as usize);
        let mut of: IndexVec<StateId, ClusterId> = IndexVec::filled(none, lks.state_count());
        let mut number: IndexVec<StateId, u32> = IndexVec::filled(UNSEEN, lks.state_count());
        let mut low = number.clone();
        let mut diverges = IndexVec::new();
        let mut next_number = 0;
        let mut stack: Vec<StateId> = Vec::new();
        let mut calls: Vec<(StateId, u32)> = Vec::new();
        for root in lks.states() {
            if number[root] != UNSEEN {
                continue;
            }
            if root.index().is_multiple_of(65536) {
                budget.check()?;
            }
            next_number += 1;
            number[root] = next_number;
            low[root] = next_number;
            stack.push(root);
            calls.push((root, 0));
            while let Some((state, position)) = calls.last_mut() {
                let state = *state;
                let silent = lks.successors_by(state, ActionId::TAU);
                if let Some(&target) = silent.get(*position as usize) {
                    *position += 1;
                    if labels[target] != labels[state] {
                        continue;
                    }
                    if number[target] == UNSEEN {
                        next_number += 1;
                        number[target] = next_number;
                        low[target] = next_number;
                        stack.push(target);
                        calls.push((target, 0));
                    } else if of[target] == none {
                        low[state] = low[state].min(number[target]);
                    }
                    continue;
                }
                calls.pop();
                if let Some((parent, _)) = calls.last() {
                    low[*parent] = low[*parent].min(low[state]);
                }
                if low[state] == number[state] {
                    let has_loop = silent.contains(&state);
                    let cluster = diverges.push(has_loop);
                    loop {
                        let member = stack.pop().expect("the root of a component is on the stack");
                        of[member] = cluster;
                        if member == state {
                            break;
                        }
                        diverges[cluster] = true;
                    }
                }
            }
        }
        Ok(Clusters { of, diverges })
    }
}

/// The states of each cluster, compressed.
pub(super) struct StatesOf {
    first: Vec<u32>,
    states: Vec<StateId>,
}

impl StatesOf {
    pub fn new(lks: &Lks, clusters: &Clusters) -> StatesOf {
        let mut first = vec![0u32; clusters.diverges.len() + 2];
        for state in lks.states() {
            first[clusters.of[state].index() + 2] += 1;
        }
        for index in 1..first.len() {
            first[index] += first[index - 1];
        }
        let mut states = vec![StateId::from_index(0); lks.state_count()];
        for state in lks.states() {
            let at = &mut first[clusters.of[state].index() + 1];
            states[*at as usize] = state;
            *at += 1;
        }
        StatesOf { first, states }
    }

    pub fn of(&self, cluster: ClusterId) -> &[StateId] {
        &self.states[self.first[cluster.index()] as usize..self.first[cluster.index() + 1] as usize]
    }
}
