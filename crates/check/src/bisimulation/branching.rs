//! Branching bisimulation, with or without divergence kept.
//! Groote and Vaandrager 1990: cycles of silent steps are contracted first, then blocks are split until all states of
//! a block can do the same after silent steps inside it. The splitting is by signatures (Blom and van de Pol 2009), and
//! only states whose signature may have changed are looked at again; of the parts of a split block the largest keeps
//! its name, so a state changes its block's name at most log n times.
//! DIVERGENCE: a change is passed on along silent steps inside a block, so the worst case is O(m n), not the O(m log n)
//! of Groote, Jansen, Keiren and Wijs 2017; on generated systems the growth is measured in `bench/model`.
//! Naive twin: `branching_by_iteration` in the tests.

use super::signature::{Entry, SignatureId, Signatures};
use super::strong::by_offer;
use base::{Budget, Exhausted, Id, IndexVec};
use lks::quotient::{BlockId, Partition};
use lks::{ActionId, Lks, StateId};
use rustc_hash::FxHashMap;
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

/// Stands for going round silently for ever. No action has this number: there are fewer than 2^32 - 1.
const DIVERGES: Entry = u64::MAX;

fn entry(action: ActionId, block: BlockId) -> Entry {
    (action.index() as u64) << 32 | block.index() as u64
}

/// A block of several clusters.
#[derive(Default)]
struct Block {
    members: Vec<ClusterId>,
    /// The signature of those members that nothing has changed for.
    settled: Box<[Entry]>,
    /// Members whose signature may have changed.
    changed: Vec<ClusterId>,
}

struct Splitting<'a> {
    divergence: Divergence,
    clusters: &'a Clusters,
    /// Outgoing transitions of clusters, compressed.
    first: Vec<u32>,
    moves: Vec<(ActionId, ClusterId)>,
    /// Which clusters lead to a cluster, compressed; silently first.
    first_source: Vec<u32>,
    sources: Vec<ClusterId>,
    silent_sources: Vec<u32>,
    block_of: IndexVec<ClusterId, BlockId>,
    /// Where in its block's members a cluster is.
    place: IndexVec<ClusterId, u32>,
    is_changed: IndexVec<ClusterId, bool>,
    /// Blocks of several clusters only: in the end most have one, and those are never looked at again.
    blocks: FxHashMap<BlockId, Block>,
    block_count: usize,
    work: VecDeque<BlockId>,
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
        let mut place = IndexVec::filled(0, count);
        let states_of = StatesOf::new(lks, clusters);
        let mut first = Vec::with_capacity(count + 1);
        let mut moves = Vec::with_capacity(lks.transition_count());
        first.push(0);
        for index in 0..count {
            let own = ClusterId::from_index(index);
            let label = labels[states_of.of(own)[0]];
            block_of[own] = label;
            place[own] = members[label].len() as u32;
            members[label].push(own);
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
        let mut splitting = Splitting {
            divergence,
            clusters,
            first,
            moves,
            first_source,
            sources,
            silent_sources,
            block_of,
            place,
            is_changed: IndexVec::filled(false, count),
            blocks: FxHashMap::default(),
            block_count: label_count,
            work: VecDeque::new(),
        };
        for id in members.ids() {
            let members = std::mem::take(&mut members[id]);
            if members.len() > 1 {
                members.iter().for_each(|cluster| splitting.is_changed[*cluster] = true);
                let changed = members.clone();
                splitting.blocks.insert(id, Block { members, settled: Box::default(), changed });
                splitting.work.push_back(id);
            }
        }
        splitting
    }

    fn moves(&self, cluster: ClusterId) -> &[(ActionId, ClusterId)] {
        &self.moves[self.first[cluster.index()] as usize..self.first[cluster.index() + 1] as usize]
    }

    fn run(&mut self, budget: &Budget) -> Result<(), Exhausted> {
        let mut scratch = Signatures::new(self.block_of.len());
        while let Some(id) = self.work.pop_front() {
            budget.check()?;
            // It may have been split to one member since.
            let Some(block) = self.blocks.get_mut(&id) else { continue };
            let changed = std::mem::take(&mut block.changed);
            scratch.begin(&block.settled);
            let told_apart = self.told_apart(id, changed, &mut scratch);
            if !told_apart.is_empty() {
                self.split(id, &told_apart, &mut scratch);
            }
        }
        Ok(())
    }

    /// The members whose signature is no longer the settled one, sorted by signature. Those at the end of silent steps
    /// come first, so that a signature is known before others inherit it; what did not change is not passed on.
    fn told_apart(
        &mut self,
        id: BlockId,
        changed: Vec<ClusterId>,
        scratch: &mut Signatures,
    ) -> Vec<(SignatureId, ClusterId)> {
        let mut queue: BinaryHeap<Reverse<ClusterId>> = changed.into_iter().map(Reverse).collect();
        let mut told_apart = Vec::new();
        while let Some(Reverse(cluster)) = queue.pop() {
            self.is_changed[cluster] = false;
            let signature = self.signature(cluster, scratch);
            if signature == SignatureId::SETTLED {
                continue;
            }
            scratch.of[cluster] = signature;
            told_apart.push((signature, cluster));
            let from = self.first_source[cluster.index()] as usize;
            for at in from..from + self.silent_sources[cluster.index()] as usize {
                let source = self.sources[at];
                if self.block_of[source] == id && !std::mem::replace(&mut self.is_changed[source], true) {
                    queue.push(Reverse(source));
                }
            }
        }
        told_apart.sort_unstable();
        told_apart
    }

    /// Makes the members of each signature a block of their own; the largest part keeps the block's name.
    fn split(&mut self, id: BlockId, told_apart: &[(SignatureId, ClusterId)], scratch: &mut Signatures) {
        let mut block = self.blocks.remove(&id).expect("only blocks of several are split");
        let rest = block.members.len() - told_apart.len();
        let groups = || told_apart.chunk_by(|left, right| left.0 == right.0);
        let largest = groups().max_by_key(|group| group.len()).expect("some were told apart");
        let mut moved: Vec<ClusterId> = Vec::new();
        let stays = (largest.len() > rest).then_some(largest[0].0);
        if let Some(signature) = stays {
            // The group stays, the rest goes.
            block.members.retain(|cluster| scratch.of[*cluster] == SignatureId::SETTLED);
            let old = std::mem::replace(&mut block.settled, scratch.text(signature).into());
            let others = std::mem::replace(&mut block.members, largest.iter().map(|(_, c)| *c).collect());
            for (at, cluster) in block.members.iter().enumerate() {
                self.place[*cluster] = at as u32;
            }
            moved.extend(&others);
            self.add_block(&others, &old);
        } else {
            for (_, cluster) in told_apart {
                let at = self.place[*cluster] as usize;
                block.members.swap_remove(at);
                if let Some(other) = block.members.get(at) {
                    self.place[*other] = at as u32;
                }
            }
        }
        if block.members.len() > 1 {
            self.blocks.insert(id, block);
        }
        for group in groups().filter(|group| Some(group[0].0) != stays) {
            let members: Vec<ClusterId> = group.iter().map(|(_, cluster)| *cluster).collect();
            self.add_block(&members, scratch.text(group[0].0));
            moved.extend(members);
        }
        told_apart.iter().for_each(|(_, cluster)| scratch.of[*cluster] = SignatureId::SETTLED);
        for cluster in moved {
            // What moved may now leave its block silently, and whoever leads to it looks different.
            self.look_again(cluster);
            for index in self.first_source[cluster.index()]..self.first_source[cluster.index() + 1] {
                self.look_again(self.sources[index as usize]);
            }
        }
    }

    fn add_block(&mut self, members: &[ClusterId], settled: &[Entry]) {
        if members.is_empty() {
            return;
        }
        let id = BlockId::from_index(self.block_count);
        self.block_count += 1;
        for (at, cluster) in members.iter().enumerate() {
            self.block_of[*cluster] = id;
            self.place[*cluster] = at as u32;
        }
        if members.len() > 1 {
            let block = Block { members: members.to_vec(), settled: settled.into(), changed: Vec::new() };
            self.blocks.insert(id, block);
        }
    }

    fn look_again(&mut self, cluster: ClusterId) {
        let id = self.block_of[cluster];
        let Some(block) = self.blocks.get_mut(&id) else { return };
        if std::mem::replace(&mut self.is_changed[cluster], true) {
            return;
        }
        if block.changed.is_empty() {
            self.work.push_back(id);
        }
        block.changed.push(cluster);
    }

    /// What the cluster can do after silent steps inside its block. Those it reaches so have smaller numbers, hence
    /// their signatures are known already.
    fn signature(&self, cluster: ClusterId, scratch: &mut Signatures) -> SignatureId {
        let block = self.block_of[cluster];
        scratch.open();
        for &(action, to) in self.moves(cluster) {
            if action.is_silent() && self.block_of[to] == block {
                scratch.inherit(scratch.of[to]);
            } else {
                scratch.arena.push(entry(action, self.block_of[to]));
            }
        }
        if self.divergence == Divergence::Kept && self.clusters.diverges[cluster] {
            scratch.arena.push(DIVERGES);
        }
        scratch.close()
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

/// Where the sources of each cluster begin, the sources, and how many of each, the first ones, lead to it silently.
type Sources = (Vec<u32>, Vec<ClusterId>, Vec<u32>);

/// The states of each cluster, compressed.
struct StatesOf {
    first: Vec<u32>,
    states: Vec<StateId>,
}

impl StatesOf {
    fn new(lks: &Lks, clusters: &Clusters) -> StatesOf {
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

    fn of(&self, cluster: ClusterId) -> &[StateId] {
        &self.states[self.first[cluster.index()] as usize..self.first[cluster.index() + 1] as usize]
    }
}
