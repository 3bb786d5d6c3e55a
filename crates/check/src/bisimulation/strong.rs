//! Strong bisimulation by partition refinement, in O(m log n) time and O(m) space. Paige and Tarjan 1987
//! ("process the smaller half"), with labels as in Valmari 2009: the partition is kept stable under
//! *compounds*, unions of its blocks; a compound of several blocks gives up a small one, and every block is
//! split by what its states can do into it. A counter per (state, action, compound) tells in constant time
//! whether a state still reaches the rest of the compound.
//! Naive twin: `bisimilar_by_iteration` in the tests.
//!
//! Worked example: `P = (a -> b -> P)` beside `Q = (a -> b -> a -> c -> Q)`. By what they offer, the blocks
//! are {P, Q, Q''} (offer `a`), {P', Q'} (offer `b`) and {Q'''} (offers `c`). The block {Q'''} as splitter:
//! of the first block only Q'' reaches it by `a`, so Q'' is apart; now of {P', Q'} only Q' reaches Q'' by
//! `b`, so these part, and at last P and Q do, by `a` into different blocks. Nothing is left together.

use super::blocks::Blocks;
use base::{Budget, Exhausted, Id, IndexVec};
use lks::quotient::{BlockId, Partition};
use lks::{ActionId, Lks, StateId};
use rustc_hash::FxHashMap;

/// The coarsest partition whose blocks agree on marks, propositions and moves.
pub fn strong_partition(lks: &Lks, budget: &Budget) -> Result<Partition, Exhausted> {
    strong_partition_counted(lks, budget).map(|(partition, _)| partition)
}

/// [`strong_partition`], and how often a transition was looked at.
pub fn strong_partition_counted(lks: &Lks, budget: &Budget) -> Result<(Partition, u64), Exhausted> {
    let mut refinement = Refinement::new(lks);
    while let Some(compound) = refinement.work.pop() {
        budget.check()?;
        refinement.give_up_small_block(compound);
    }
    Ok((Partition::new(refinement.partition.into_blocks()), refinement.looks))
}

/// States that differ in mark, propositions or offered actions are apart from the start.
pub(super) fn by_offer(lks: &Lks, with_actions: bool) -> (IndexVec<StateId, BlockId>, usize) {
    let mut numbers: FxHashMap<Vec<u64>, BlockId> = FxHashMap::default();
    let mut key = Vec::new();
    let mut keys = IndexVec::new();
    for state in lks.states() {
        key.clear();
        key.push(lks.mark(state) as u64);
        key.extend(lks.label_words(state));
        if with_actions {
            let actions = lks.actions(state);
            key.extend(actions.iter().map(|action| action.index() as u64));
            // Sorted, so equal actions are neighbours; the fixed part before them has the same length for
            // all.
            key.dedup_from(1 + lks.label_words(state).len());
        }
        let next = BlockId::from_index(numbers.len());
        let block = match numbers.get(&key) {
            Some(known) => *known,
            None => {
                numbers.insert(key.clone(), next);
                next
            }
        };
        keys.push(block);
    }
    (keys, numbers.len())
}

trait DedupFrom {
    fn dedup_from(&mut self, from: usize);
}

impl DedupFrom for Vec<u64> {
    /// Removes repetitions among neighbours from a position on.
    fn dedup_from(&mut self, from: usize) {
        let mut kept = from;
        for at in from..self.len() {
            if at == from || self[at] != self[kept - 1] {
                self[kept] = self[at];
                kept += 1;
            }
        }
        self.truncate(kept);
    }
}

base::define_id!(
    /// A union of blocks under which the partition is stable.
    CompoundId,
    "c"
);

base::define_id!(
    /// A counter: how many transitions a state has under one action into one compound.
    CounterId,
    "k"
);

base::define_id!(
    /// A transition, in the order of its target.
    IncomingId,
    "t"
);

struct Refinement {
    partition: Blocks<StateId>,
    /// Where the incoming transitions of each state begin.
    first_incoming: Vec<u32>,
    source: IndexVec<IncomingId, StateId>,
    action: IndexVec<IncomingId, ActionId>,
    counter: IndexVec<IncomingId, CounterId>,
    counts: IndexVec<CounterId, u32>,
    unused_counters: Vec<CounterId>,
    compounds: IndexVec<CompoundId, Vec<BlockId>>,
    compound_of: IndexVec<BlockId, CompoundId>,
    /// Compounds of several blocks.
    work: Vec<CompoundId>,
    /// Scratch: for a state its new and old counter while one action is treated.
    renewed: IndexVec<StateId, Option<CounterId>>,
    buckets: IndexVec<ActionId, Vec<IncomingId>>,
    /// Transitions looked at, each as often as it was.
    looks: u64,
}

impl Refinement {
    fn new(lks: &Lks) -> Refinement {
        let (keys, blocks) = by_offer(lks, true);
        let transitions = lks.transition_count();
        let mut first_incoming = vec![0u32; lks.state_count() + 2];
        for state in lks.states() {
            for target in lks.targets(state) {
                first_incoming[target.index() + 2] += 1;
            }
        }
        for index in 1..first_incoming.len() {
            first_incoming[index] += first_incoming[index - 1];
        }
        let mut refinement = Refinement {
            partition: Blocks::by_key(keys, blocks),
            first_incoming: Vec::new(),
            source: IndexVec::filled(StateId::from_index(0), transitions),
            action: IndexVec::filled(ActionId::TAU, transitions),
            counter: IndexVec::filled(CounterId::from_index(0), transitions),
            counts: IndexVec::new(),
            unused_counters: Vec::new(),
            compounds: IndexVec::new(),
            compound_of: IndexVec::filled(CompoundId::from_index(0), blocks),
            work: Vec::new(),
            renewed: IndexVec::filled(None, lks.state_count()),
            buckets: IndexVec::filled(Vec::new(), lks.alphabet().len()),
            looks: 0,
        };
        for state in lks.states() {
            let mut last: Option<(ActionId, CounterId)> = None;
            for (action, target) in lks.transitions(state) {
                let counter = match last {
                    Some((known, counter)) if known == action => counter,
                    _ => refinement.counts.push(0),
                };
                last = Some((action, counter));
                refinement.counts[counter] += 1;
                let at = IncomingId::from_index(first_incoming[target.index() + 1] as usize);
                first_incoming[target.index() + 1] += 1;
                refinement.source[at] = state;
                refinement.action[at] = action;
                refinement.counter[at] = counter;
            }
        }
        refinement.first_incoming = first_incoming;
        let all: Vec<BlockId> = (0..blocks).map(BlockId::from_index).collect();
        let whole = refinement.compounds.push(all);
        if blocks > 1 {
            refinement.work.push(whole);
        }
        refinement
    }

    /// Makes a block of at most half the compound a compound of its own and restores stability.
    fn give_up_small_block(&mut self, compound: CompoundId) {
        let blocks = &mut self.compounds[compound];
        let (left, right) = (blocks[blocks.len() - 2], blocks[blocks.len() - 1]);
        let splitter = if self.partition.size(left) < self.partition.size(right) { left } else { right };
        let at = if splitter == left { blocks.len() - 2 } else { blocks.len() - 1 };
        blocks.swap_remove(at);
        if blocks.len() > 1 {
            self.work.push(compound);
        }
        self.compound_of[splitter] = self.compounds.push(vec![splitter]);
        // The transitions into the splitter, by action. Collected first: the splitter itself may be split
        // below.
        let mut used_actions = Vec::new();
        for &state in self.partition.members(splitter) {
            let range = self.first_incoming[state.index()]..self.first_incoming[state.index() + 1];
            self.looks += range.len() as u64;
            for incoming in range.map(|index| IncomingId::from_index(index as usize)) {
                let bucket = &mut self.buckets[self.action[incoming]];
                if bucket.is_empty() {
                    used_actions.push(self.action[incoming]);
                }
                bucket.push(incoming);
            }
        }
        for action in used_actions {
            let mut incoming = std::mem::take(&mut self.buckets[action]);
            self.split_by(&incoming);
            incoming.clear();
            self.buckets[action] = incoming;
        }
    }

    /// Splits every block by whether its states have one of these transitions, which share an action, and by
    /// whether they also have others under that action into the rest of the compound.
    fn split_by(&mut self, incoming: &[IncomingId]) {
        let mut states: Vec<(StateId, CounterId)> = Vec::new();
        for &transition in incoming {
            let (state, old) = (self.source[transition], self.counter[transition]);
            let new = match self.renewed[state] {
                Some(new) => new,
                None => {
                    let new = match self.unused_counters.pop() {
                        Some(reused) => reused,
                        None => self.counts.push(0),
                    };
                    self.renewed[state] = Some(new);
                    states.push((state, old));
                    new
                }
            };
            self.counts[new] += 1;
            self.counts[old] -= 1;
            self.counter[transition] = new;
        }
        self.split_at(states.iter().map(|(state, _)| *state));
        let counts = std::mem::take(&mut self.counts);
        self.split_at(states.iter().filter(|(_, old)| counts[*old] > 0).map(|(state, _)| *state));
        self.counts = counts;
        for (state, old) in states {
            self.renewed[state] = None;
            if self.counts[old] == 0 {
                self.unused_counters.push(old);
            }
        }
    }

    fn split_at(&mut self, states: impl Iterator<Item = StateId>) {
        let mut touched = Vec::new();
        for state in states {
            if self.partition.mark(state) {
                touched.push(self.partition.block_of(state));
            }
        }
        for block in touched {
            if self.partition.split_marked(block).is_some() {
                let compound = self.compound_of[block];
                let new = self.compound_of.push(compound);
                debug_assert_eq!(new.index() + 1, self.partition.ids().len());
                self.compounds[compound].push(new);
                if self.compounds[compound].len() == 2 {
                    self.work.push(compound);
                }
            }
        }
    }
}
