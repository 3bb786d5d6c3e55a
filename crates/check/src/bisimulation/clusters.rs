//! Cycles of silent steps contracted: the first step of branching bisimulation.

use base::{Budget, Exhausted, Id, IndexVec};
use lks::quotient::BlockId;
use lks::{ActionId, Lks, StateId};

base::define_id!(
    /// A component of the silent steps: its states do everything together.
    ClusterId,
    "u"
);

/// States on a common cycle of silent steps between equally labelled states; a cluster's number is larger
/// than those it reaches silently.
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
        budget.check()?;
        let after = |state: StateId| {
            let silent = lks.successors_by(state, ActionId::TAU).iter().copied();
            silent.filter(move |&target| labels[target] == labels[state])
        };
        let found = base::graph::components(lks.state_count(), lks.states(), after);
        let mut of = IndexVec::filled(ClusterId::from_index(0), lks.state_count());
        let mut diverges = IndexVec::new();
        for members in found.iter() {
            let goes_round = members.len() > 1 || after(members[0]).any(|target| target == members[0]);
            let cluster = diverges.push(goes_round);
            members.iter().for_each(|&member| of[member] = cluster);
        }
        budget.check()?;
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
