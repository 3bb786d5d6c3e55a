//! Branching bisimulation, with or without divergence kept.
//! Groote and Vaandrager 1990: cycles of silent steps are contracted first, then blocks are split until all states of
//! a block can do the same after silent steps inside it. The splitting is by signatures (Blom and van de Pol 2009),
//! looking again only at blocks into which something changed; of the parts of a split block the largest keeps its
//! name, so a state changes its block's name at most log n times.
//! DIVERGENCE: a block is looked at as a whole, so the worst case is O(m n), not O(m log n); on generated systems the
//! growth is measured in `bench/model`.
//! Naive twin: `branching_by_iteration` in the tests.

use super::strong::by_offer;
use base::{Budget, Exhausted, Id, IndexVec};
use lks::quotient::{BlockId, Partition};
use lks::{ActionId, Lks, StateId};

/// Whether a state that can go on silently for ever is told apart from one that cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divergence {
    /// It is not.
    Ignored,
    /// It is; needed where deadlock or liveness matters.
    Kept,
}

base::define_id!(
    /// A component of the silent steps: its states do everything together.
    ClusterId,
    "u"
);

/// The coarsest branching bisimulation whose blocks agree on marks and propositions.
pub fn branching_partition(
    lks: &Lks,
    divergence: Divergence,
    budget: &Budget,
) -> Result<Partition, Exhausted> {
    let (labels, label_count) = by_offer(lks, false);
    let clusters = Clusters::of(lks, &labels, budget)?;
    let mut splitting = Splitting::new(lks, &labels, label_count, &clusters, divergence);
    splitting.run(budget)?;
    Ok(Partition::new(lks.states().map(|state| splitting.block_of[clusters.of[state]]).collect()))
}

/// States on a common cycle of silent steps between equally labelled states. Tarjan 1972, without recursion; a
/// cluster's number is larger than those it reaches silently.
struct Clusters {
    of: IndexVec<StateId, ClusterId>,
    /// Can its states go round silently for ever?
    diverges: IndexVec<ClusterId, bool>,
}

impl Clusters {
    fn of(lks: &Lks, labels: &IndexVec<StateId, BlockId>, budget: &Budget) -> Result<Clusters, Exhausted> {
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

/// An entry of a signature: an action and the block it leads to.
type Entry = u64;
/// Stands for going round silently for ever. No action has this number: there are fewer than 2^32 - 1.
const DIVERGES: Entry = u64::MAX;

fn entry(action: ActionId, block: BlockId) -> Entry {
    (action.index() as u64) << 32 | block.index() as u64
}

struct Splitting<'a> {
    divergence: Divergence,
    clusters: &'a Clusters,
    /// Outgoing transitions of clusters, compressed.
    first: Vec<u32>,
    moves: Vec<(ActionId, ClusterId)>,
    /// Which clusters lead to a cluster, compressed.
    first_source: Vec<u32>,
    sources: Vec<ClusterId>,
    block_of: IndexVec<ClusterId, BlockId>,
    members: IndexVec<BlockId, Vec<ClusterId>>,
    dirty: IndexVec<BlockId, bool>,
    work: std::collections::VecDeque<BlockId>,
}

impl<'a> Splitting<'a> {
    fn new(
        lks: &Lks,
        labels: &IndexVec<StateId, BlockId>,
        label_count: usize,
        clusters: &'a Clusters,
        divergence: Divergence,
    ) -> Splitting<'a> {
        let count = clusters.diverges.len();
        let mut members: IndexVec<BlockId, Vec<ClusterId>> = IndexVec::filled(Vec::new(), label_count);
        let mut block_of = IndexVec::filled(BlockId::from_index(0), count);
        let mut states_of: Vec<Vec<StateId>> = vec![Vec::new(); count];
        for state in lks.states() {
            let cluster = clusters.of[state];
            if states_of[cluster.index()].is_empty() {
                members[labels[state]].push(cluster);
            }
            block_of[cluster] = labels[state];
            states_of[cluster.index()].push(state);
        }
        let mut first = Vec::with_capacity(count + 1);
        let mut moves = Vec::with_capacity(lks.transition_count());
        first.push(0);
        for (index, states) in states_of.iter().enumerate() {
            let own = ClusterId::from_index(index);
            let from = moves.len();
            for state in states {
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
        let (first_source, sources) = reversed(count, &first, &moves);
        let blocks = members.len();
        Splitting {
            divergence,
            clusters,
            first,
            moves,
            first_source,
            sources,
            block_of,
            members,
            dirty: IndexVec::filled(true, blocks),
            work: (0..blocks).map(BlockId::from_index).collect(),
        }
    }

    fn moves(&self, cluster: ClusterId) -> &[(ActionId, ClusterId)] {
        &self.moves[self.first[cluster.index()] as usize..self.first[cluster.index() + 1] as usize]
    }

    fn run(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        // Reused by every block: where in the arena each cluster's signature lies.
        let mut extent: IndexVec<ClusterId, (u32, u32)> = IndexVec::filled((0, 0), self.block_of.len());
        let mut arena: Vec<Entry> = Vec::new();
        while let Some(block) = self.work.pop_front() {
            budget.check()?;
            self.dirty[block] = false;
            if self.members[block].len() == 1 {
                continue;
            }
            self.members[block].sort_unstable();
            arena.clear();
            for position in 0..self.members[block].len() {
                let cluster = self.members[block][position];
                extent[cluster] = self.signature(cluster, &mut arena, &extent);
            }
            let signature =
                |cluster: ClusterId| &arena[extent[cluster].0 as usize..extent[cluster].1 as usize];
            let mut order = std::mem::take(&mut self.members[block]);
            let is_uniform = order.windows(2).all(|pair| signature(pair[0]) == signature(pair[1]));
            if is_uniform {
                self.members[block] = order;
                continue;
            }
            order.sort_unstable_by(|left, right| signature(*left).cmp(signature(*right)));
            let mut parts: Vec<Vec<ClusterId>> = order
                .chunk_by(|left, right| signature(*left) == signature(*right))
                .map(<[ClusterId]>::to_vec)
                .collect();
            let largest = (0..parts.len()).max_by_key(|part| parts[*part].len()).expect("a split has parts");
            self.members[block] = parts.swap_remove(largest);
            let mut moved = Vec::new();
            for part in parts {
                moved.extend(&part);
                let new = self.members.push(part);
                self.dirty.push(false);
                for position in 0..self.members[new].len() {
                    let cluster = self.members[new][position];
                    self.block_of[cluster] = new;
                }
            }
            for cluster in moved {
                // What moved may now be able to leave its part silently, and whoever leads to it looks different.
                self.look_again(self.block_of[cluster]);
                let range = self.first_source[cluster.index()]..self.first_source[cluster.index() + 1];
                for index in range {
                    self.look_again(self.block_of[self.sources[index as usize]]);
                }
            }
        }
        Ok(())
    }

    fn look_again(&mut self, block: BlockId) {
        if !std::mem::replace(&mut self.dirty[block], true) {
            self.work.push_back(block);
        }
    }

    /// What the cluster can do after silent steps inside its block. Those it reaches so have smaller numbers, hence
    /// their signatures are in the arena already.
    fn signature(
        &self,
        cluster: ClusterId,
        arena: &mut Vec<Entry>,
        extent: &IndexVec<ClusterId, (u32, u32)>,
    ) -> (u32, u32) {
        let from = arena.len();
        let block = self.block_of[cluster];
        for &(action, to) in self.moves(cluster) {
            if action.is_silent() && self.block_of[to] == block {
                let (start, end) = extent[to];
                arena.extend_from_within(start as usize..end as usize);
            } else {
                arena.push(entry(action, self.block_of[to]));
            }
        }
        if self.divergence == Divergence::Kept && self.clusters.diverges[cluster] {
            arena.push(DIVERGES);
        }
        arena[from..].sort_unstable();
        let mut kept = from;
        for at in from..arena.len() {
            if at == from || arena[at] != arena[kept - 1] {
                arena[kept] = arena[at];
                kept += 1;
            }
        }
        arena.truncate(kept);
        (from as u32, kept as u32)
    }
}

fn reversed(count: usize, first: &[u32], moves: &[(ActionId, ClusterId)]) -> (Vec<u32>, Vec<ClusterId>) {
    let mut first_source = vec![0u32; count + 2];
    for (_, to) in moves {
        first_source[to.index() + 2] += 1;
    }
    for index in 1..first_source.len() {
        first_source[index] += first_source[index - 1];
    }
    let mut sources = vec![ClusterId::from_index(0); moves.len()];
    for from in 0..count {
        for (_, to) in &moves[first[from] as usize..first[from + 1] as usize] {
            let at = &mut first_source[to.index() + 1];
            sources[*at as usize] = ClusterId::from_index(from);
            *at += 1;
        }
    }
    (first_source, sources)
}
