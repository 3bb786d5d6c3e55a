//! Branching bisimulation, with or without divergence kept. Groote and Vaandrager 1990: cycles of silent
//! steps are contracted first, then blocks are split until all states of a block can do the same after silent
//! steps inside it. The splitting is by signatures (Blom and van de Pol 2009), and only states whose
//! signature may have changed are looked at again; of the parts of a split block the largest keeps its name,
//! so a state changes its block's name at most log n times.
//! DIVERGENCE: a change is passed on along silent steps inside a block, so the worst case is O(m n), not the
//! O(m log n) of Groote, Jansen, Keiren and Wijs 2017; on generated systems the growth is measured in
//! `bench/model`.
//! Naive twin: `branching_by_iteration` in the tests.
//!
//! Worked example: in `P = (tau -> a -> STOP)` the silent step changes nothing: both states can do `a` after
//! silent steps inside their block, so their signatures are equal and they stay together. In `Q = (tau -> a
//! -> STOP | b -> STOP)` it gives up `b`: the signatures are {a, b} and {a}, the block is split, and the
//! silent step becomes an entry of the signature of `Q`.

use super::blocks::Blocks;
use super::cluster_graph::ClusterGraph;
use super::clusters::{ClusterId, Clusters};
use super::signature::{Detail, Entry, SignatureId, Signatures};
use super::strong::by_offer;
use base::{Budget, Exhausted, Id, IndexVec};
use lks::quotient::{BlockId, Partition};
use lks::{ActionId, Lks};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Whether a state that can go on silently for ever is told apart from one that cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divergence {
    /// It is not.
    Ignored,
    /// It is; needed where deadlock or liveness matters.
    Kept,
}

/// The coarsest branching bisimulation whose blocks agree on marks and propositions.
pub fn branching_partition(
    lks: &Lks,
    divergence: Divergence,
    budget: &Budget,
) -> Result<Partition, Exhausted> {
    branching_partition_counted(lks, divergence, budget).map(|(partition, _)| partition)
}

/// [`branching_partition`], and how often a transition was looked at.
pub fn branching_partition_counted(
    lks: &Lks,
    divergence: Divergence,
    budget: &Budget,
) -> Result<(Partition, u64), Exhausted> {
    let passes: &[Detail] =
        if lks.transition_count() > MANY_TRANSITIONS { &SKETCHES_FIRST } else { &[Detail::Whole] };
    partition_in(lks, divergence, passes, budget)
}

/// Past this many transitions signatures take more memory than the structure.
const MANY_TRANSITIONS: usize = 1 << 16;

/// Most states are told apart by sketches of their signatures. What is left for whole signatures, which are
/// large where silent steps inherit many entries, are small blocks.
const SKETCHES_FIRST: [Detail; 2] = [Detail::Sketch, Detail::Whole];

fn partition_in(
    lks: &Lks,
    divergence: Divergence,
    passes: &[Detail],
    budget: &Budget,
) -> Result<(Partition, u64), Exhausted> {
    let (labels, label_count) = by_offer(lks, false);
    let clusters = Clusters::of(lks, &labels, budget)?;
    let mut keys = IndexVec::new();
    let graph = ClusterGraph::new(lks, &clusters, |_, state| {
        keys.push(labels[state]);
    });
    drop(labels);
    let mut splitting = Splitting {
        divergence,
        clusters: &clusters,
        graph,
        blocks: Blocks::by_key(keys, label_count),
        settled: IndexVec::filled(Box::default(), label_count),
        is_queued: IndexVec::filled(false, clusters.diverges.len()),
        work: VecDeque::new(),
        looks: 0,
    };
    for detail in passes {
        splitting.look_at_all_again();
        splitting.run(*detail, budget)?;
    }
    let Splitting { blocks, looks, .. } = splitting;
    let partition = Partition::new(lks.states().map(|state| blocks.block_of(clusters.of[state])).collect());
    Ok((partition, looks))
}

/// Stands for going round silently for ever. No action has this number: there are fewer than 2^32 - 1.
const DIVERGES: Entry = u64::MAX;

fn entry(action: ActionId, block: BlockId) -> Entry {
    (action.index() as u64) << 32 | block.index() as u64
}

struct Splitting<'a> {
    divergence: Divergence,
    clusters: &'a Clusters,
    graph: ClusterGraph,
    blocks: Blocks<ClusterId>,
    /// The words of the signature of those members that nothing has changed for; none for blocks of one,
    /// which nobody looks at.
    settled: IndexVec<BlockId, Box<[Entry]>>,
    /// Clusters of the block at work whose signature is still to be found.
    is_queued: IndexVec<ClusterId, bool>,
    /// Blocks with members to be looked at again.
    work: VecDeque<BlockId>,
    /// Transitions looked at, each as often as it was.
    looks: u64,
}

impl Splitting<'_> {
    fn run(&mut self, detail: Detail, budget: &Budget) -> Result<(), Exhausted> {
        let mut scratch = Signatures::new(self.clusters.diverges.len(), detail);
        while let Some(id) = self.work.pop_front() {
            budget.check()?;
            scratch.begin(&self.settled[id]);
            let told_apart = self.told_apart(id, &mut scratch);
            if !told_apart.is_empty() {
                self.split(id, &told_apart, &mut scratch);
            }
        }
        Ok(())
    }

    /// The members whose signature is no longer the settled one, sorted by signature. Those at the end of
    /// silent steps come first, so that a signature is known before others inherit it; what did not change is
    /// not passed on.
    fn told_apart(&mut self, id: BlockId, scratch: &mut Signatures) -> Vec<(SignatureId, ClusterId)> {
        let changed = self.blocks.take_marked(id);
        let mut queue: BinaryHeap<Reverse<ClusterId>> =
            changed.map(|at| Reverse(self.blocks.element(at))).collect();
        queue.iter().for_each(|Reverse(cluster)| self.is_queued[*cluster] = true);
        let mut told_apart = Vec::new();
        while let Some(Reverse(cluster)) = queue.pop() {
            self.is_queued[cluster] = false;
            self.looks += self.graph.moves(cluster).len() as u64;
            let signature = self.signature(cluster, scratch);
            if signature == SignatureId::SETTLED {
                continue;
            }
            scratch.of[cluster] = signature;
            told_apart.push((signature, cluster));
            for source in self.graph.silent_sources(cluster) {
                let is_inside = self.blocks.block_of(*source) == id;
                if is_inside && !std::mem::replace(&mut self.is_queued[*source], true) {
                    queue.push(Reverse(*source));
                }
            }
        }
        told_apart.sort_unstable();
        told_apart
    }

    /// Makes the members of each signature a block of their own; the largest part keeps the block's name.
    fn split(&mut self, id: BlockId, told_apart: &[(SignatureId, ClusterId)], scratch: &mut Signatures) {
        let rest = self.blocks.size(id) - told_apart.len();
        self.blocks.put_last(id, told_apart.iter().map(|(_, cluster)| *cluster));
        let mut lengths = vec![rest as u32];
        let mut signatures = vec![SignatureId::SETTLED];
        for group in told_apart.chunk_by(|left, right| left.0 == right.0) {
            lengths.push(group.len() as u32);
            signatures.push(group[0].0);
        }
        if rest == 0 {
            lengths.remove(0);
            signatures.remove(0);
        }
        told_apart.iter().for_each(|(_, cluster)| scratch.of[*cluster] = SignatureId::SETTLED);
        let largest = lengths.iter().max().expect("a block is not empty");
        let stays = lengths.iter().position(|length| length == largest).expect("it is one of them");
        let new = self.blocks.cut(id, &lengths, stays);
        let settled = |blocks: &Blocks<ClusterId>, block: BlockId, signature: SignatureId| -> Box<[Entry]> {
            if blocks.size(block) > 1 { scratch.words(signature).into() } else { Box::default() }
        };
        self.settled[id] = settled(&self.blocks, id, signatures[stays]);
        signatures.remove(stays);
        let mut moved: Vec<ClusterId> = Vec::new();
        for (block, signature) in new.into_iter().zip(signatures) {
            let text = settled(&self.blocks, block, signature);
            let added = self.settled.push(text);
            debug_assert_eq!(added, block);
            moved.extend(self.blocks.members(block));
        }
        for cluster in moved {
            // What moved may now leave its block silently, and whoever leads to it looks different.
            self.look_again(cluster);
            self.looks += self.graph.sources(cluster).len() as u64;
            for index in 0..self.graph.sources(cluster).len() {
                self.look_again(self.graph.sources(cluster)[index]);
            }
        }
    }

    fn look_again(&mut self, cluster: ClusterId) {
        let id = self.blocks.block_of(cluster);
        if self.blocks.size(id) > 1 && self.blocks.mark(cluster) {
            self.work.push_back(id);
        }
    }

    /// Forgets what is settled.
    fn look_at_all_again(&mut self) {
        for id in self.blocks.ids() {
            if self.blocks.size(id) > 1 {
                self.settled[id] = Box::default();
                self.blocks.mark_all(id);
                self.work.push_back(id);
            }
        }
    }

    /// What the cluster can do after silent steps inside its block. Those it reaches so have smaller numbers,
    /// hence their signatures are known already.
    fn signature(&self, cluster: ClusterId, scratch: &mut Signatures) -> SignatureId {
        let block = self.blocks.block_of(cluster);
        scratch.open();
        for &(action, to) in self.graph.moves(cluster) {
            let target = self.blocks.block_of(to);
            if action.is_silent() && target == block {
                scratch.inherit(scratch.of[to]);
            } else {
                scratch.add(entry(action, target));
            }
        }
        if self.divergence == Divergence::Kept && self.clusters.diverges[cluster] {
            scratch.add(DIVERGES);
        }
        scratch.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lks::{LksBuilder, StateId};

    /// The naive twin, in the crate's tests, compares with the way small structures are split; this is the
    /// other way.
    #[test]
    fn sketches_first_change_nothing() {
        const STATES: usize = 12;
        let mut seed = 1u64;
        let mut below = |bound: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % bound
        };
        for round in 0..500 {
            let mut builder = LksBuilder::new("P");
            let actions = [ActionId::TAU, ActionId::TAU, builder.action("a"), builder.action("b")];
            builder.ensure_states(STATES);
            builder.initial(StateId::from_index(0));
            for _ in 0..below(40) {
                let (from, to) = (StateId::from_index(below(STATES)), StateId::from_index(below(STATES)));
                builder.transition(from, actions[below(4)], to);
            }
            let lks = builder.build();
            let divergence = if round % 2 == 0 { Divergence::Kept } else { Divergence::Ignored };
            let in_passes =
                |passes: &[Detail]| partition_in(&lks, divergence, passes, &Budget::unlimited()).unwrap().0;
            let [one, two] = [in_passes(&[Detail::Whole]), in_passes(&SKETCHES_FIRST)];
            assert_eq!(one.block_count(), two.block_count(), "round {round}");
            for left in lks.states() {
                for right in lks.states() {
                    let together = |of: &Partition| of.block_of(left) == of.block_of(right);
                    assert_eq!(together(&one), together(&two), "round {round}: {left} and {right}");
                }
            }
        }
    }
}
