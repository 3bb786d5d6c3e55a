//! A structure seen through a partition of its states (quotient, existential abstraction; thesis ch. 9): one state per
//! block.
//!
//! Worked example: `P = (a -> b -> P)` with both states in one block has one state that does `a` and `b` in
//! any order: more than `P` does, and nothing less. With the states in blocks of their own it is `P` again.

use crate::{Lks, LksBuilder, StateId, StateMark};
use base::{Id, IndexVec};

base::define_id!(
    /// A block of one [`Partition`].
    BlockId,
    "block"
);

/// A partition of the states of one structure into blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    block_of: IndexVec<StateId, BlockId>,
    blocks: usize,
}

impl Partition {
    /// The partition in which each state's block is given. Blocks are numbered densely from 0.
    pub fn new(block_of: IndexVec<StateId, BlockId>) -> Partition {
        let blocks = block_of.iter().map(|block| block.index() + 1).max().unwrap_or(0);
        Partition { block_of, blocks }
    }

    /// States with equal keys share a block; blocks are numbered in the order in which they first occur.
    pub fn by_key<K: std::hash::Hash + Eq>(keys: impl IntoIterator<Item = K>) -> Partition {
        let mut known = rustc_hash::FxHashMap::default();
        let mut block_of = IndexVec::new();
        for key in keys {
            let next = known.len();
            block_of.push(BlockId::from_index(*known.entry(key).or_insert(next)));
        }
        Partition { block_of, blocks: known.len() }
    }

    /// The block a state is in.
    pub fn block_of(&self, state: StateId) -> BlockId {
        self.block_of[state]
    }

    /// How many blocks there are.
    pub fn block_count(&self) -> usize {
        self.blocks
    }

    /// How many states there are.
    pub fn state_count(&self) -> usize {
        self.block_of.len()
    }
}

/// What happens to a silent transition between two states of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InnerSilence {
    /// It becomes a silent loop.
    Kept,
    /// It is dropped, as branching and weak equivalences allow where divergence does not matter.
    Dropped,
}

impl Lks {
    /// One state per block, in the order of the blocks; a block does what any of its states does.
    ///
    /// Over-approximates whatever the partition. A block holds a proposition when some state of it does, and is marked
    /// when some state of it is (ERROR before END); partitions made for exact answers keep these apart.
    #[must_use]
    pub fn quotient(&self, partition: &Partition, inner_silence: InnerSilence) -> Lks {
        assert_eq!(partition.state_count(), self.state_count(), "a partition of another structure");
        let block = |state| StateId::from_index(partition.block_of(state).index());
        let mut builder = LksBuilder::with_names(self.name(), self.alphabet(), self.propositions());
        builder.ensure_states(partition.block_count());
        self.initial().iter().for_each(|&state| builder.initial(block(state)));
        let mut marks = vec![StateMark::Plain; partition.block_count()];
        for state in self.states() {
            let from = block(state);
            let mark = &mut marks[from.index()];
            *mark = (*mark).max(self.mark(state));
            self.label(state).iter().for_each(|proposition| builder.label(from, proposition));
            for (action, target) in self.transitions(state) {
                let to = block(target);
                let is_inner = action.is_silent() && from == to;
                if !(is_inner && inner_silence == InnerSilence::Dropped) {
                    builder.transition(from, action, to);
                }
            }
        }
        for (index, mark) in marks.into_iter().enumerate().filter(|(_, mark)| *mark != StateMark::Plain) {
            builder.mark(StateId::from_index(index), mark);
        }
        builder.build()
    }
}
