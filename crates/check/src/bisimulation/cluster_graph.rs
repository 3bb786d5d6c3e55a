//! The steps between clusters, both ways, compressed: 12 bytes per transition.

use super::clusters::{ClusterId, Clusters, StatesOf};
use base::Id;
use lks::{ActionId, Lks, StateId};

pub(super) struct ClusterGraph {
    first: Vec<u32>,
    moves: Vec<(ActionId, ClusterId)>,
    first_source: Vec<u32>,
    sources: Vec<ClusterId>,
    /// How many of a cluster's sources, the first ones, lead to it silently.
    silent_sources: Vec<u32>,
}

impl ClusterGraph {
    /// Silent steps inside a cluster are left out. `meet` is told some state of each cluster, in order.
    pub fn new(lks: &Lks, clusters: &Clusters, mut meet: impl FnMut(ClusterId, StateId)) -> ClusterGraph {
        let count = clusters.diverges.len();
        let states_of = StatesOf::new(lks, clusters);
        let mut first = Vec::with_capacity(count + 1);
        let mut moves = Vec::with_capacity(lks.transition_count());
        first.push(0);
        for own in clusters.diverges.ids() {
            meet(own, states_of.of(own)[0]);
            let from = moves.len();
            for state in states_of.of(own) {
                let all = lks.transitions(*state).map(|(action, target)| (action, clusters.of[target]));
                moves.extend(all.filter(|(action, to)| !(action.is_silent() && *to == own)));
            }
            moves[from..].sort_unstable();
            let mut kept = from;
            for at in from..moves.len() {
                if at == from || moves[at] != moves[kept - 1] {
                    moves[kept] = moves[at];
                    kept += 1;
                }
            }
            moves.truncate(kept);
            first.push(moves.len() as u32);
        }
        drop(states_of);
        let (first_source, sources, silent_sources) = reversed(count, &first, &moves);
        ClusterGraph { first, moves, first_source, sources, silent_sources }
    }

    /// What a cluster can do, sorted by action, then target.
    pub fn moves(&self, cluster: ClusterId) -> &[(ActionId, ClusterId)] {
        &self.moves[self.first[cluster.index()] as usize..self.first[cluster.index() + 1] as usize]
    }

    /// Which clusters lead to this one.
    pub fn sources(&self, cluster: ClusterId) -> &[ClusterId] {
        let range = self.first_source[cluster.index()]..self.first_source[cluster.index() + 1];
        &self.sources[range.start as usize..range.end as usize]
    }

    /// Which clusters lead to this one silently.
    pub fn silent_sources(&self, cluster: ClusterId) -> &[ClusterId] {
        &self.sources(cluster)[..self.silent_sources[cluster.index()] as usize]
    }
}

fn reversed(count: usize, first: &[u32], moves: &[(ActionId, ClusterId)]) -> Sources {
    let mut first_source = vec![0u32; count + 1];
    let mut silent = vec![0u32; count];
    for (action, to) in moves {
        first_source[to.index() + 1] += 1;
        silent[to.index()] += u32::from(action.is_silent());
    }
    for index in 1..first_source.len() {
        first_source[index] += first_source[index - 1];
    }
    let mut sources = vec![ClusterId::from_index(0); moves.len()];
    let mut next_silent: Vec<u32> = first_source[..count].to_vec();
    let mut next_other: Vec<u32> = (0..count).map(|to| first_source[to] + silent[to]).collect();
    for from in 0..count {
        for (action, to) in &moves[first[from] as usize..first[from + 1] as usize] {
            let next = if action.is_silent() { &mut next_silent } else { &mut next_other };
            let at = &mut next[to.index()];
            sources[*at as usize] = ClusterId::from_index(from);
            *at += 1;
        }
    }
    (first_source, sources, silent)
}

/// Where the sources of each cluster begin, the sources, and how many of each, the first ones, lead to it
/// silently.
type Sources = (Vec<u32>, Vec<ClusterId>, Vec<u32>);
