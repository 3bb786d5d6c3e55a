//! A partition that can only get finer, with marking: splitting off the marked states of a block costs no
//! more than marking them did. After Valmari and Lehtinen 2008.

use base::{Id, IndexVec};
use lks::StateId;
use lks::quotient::{BlockId, Partition};

#[derive(Clone, Copy)]
struct Extent {
    first: u32,
    end: u32,
    /// Marked states are those from `first` to here.
    marked_end: u32,
}

pub(super) struct RefinablePartition {
    elements: Vec<StateId>,
    location: IndexVec<StateId, u32>,
    block_of: IndexVec<StateId, BlockId>,
    extents: IndexVec<BlockId, Extent>,
}

impl RefinablePartition {
    /// States with equal keys share a block.
    pub fn by_key(keys: IndexVec<StateId, BlockId>, blocks: usize) -> RefinablePartition {
        let mut first = vec![0u32; blocks + 1];
        for block in &keys {
            first[block.index() + 1] += 1;
        }
        for index in 1..first.len() {
            first[index] += first[index - 1];
        }
        let extents = (0..blocks)
            .map(|block| Extent { first: first[block], end: first[block + 1], marked_end: first[block] })
            .collect();
        let mut next = first;
        let mut elements = vec![StateId::from_index(0); keys.len()];
        let mut location = IndexVec::filled(0, keys.len());
        for (state, block) in keys.iter_enumerated() {
            let at = next[block.index()];
            elements[at as usize] = state;
            location[state] = at;
            next[block.index()] += 1;
        }
        RefinablePartition { elements, location, block_of: keys, extents }
    }

    pub fn block_count(&self) -> usize {
        self.extents.len()
    }

    pub fn block_of(&self, state: StateId) -> BlockId {
        self.block_of[state]
    }

    pub fn size(&self, block: BlockId) -> u32 {
        self.extents[block].end - self.extents[block].first
    }

    pub fn members(&self, block: BlockId) -> &[StateId] {
        let Extent { first, end, .. } = self.extents[block];
        &self.elements[first as usize..end as usize]
    }

    /// Marks a state; true if its block had no marked state before.
    pub fn mark(&mut self, state: StateId) -> bool {
        let block = self.block_of[state];
        let extent = &mut self.extents[block];
        let (at, to) = (self.location[state], extent.marked_end);
        if at < to {
            return false;
        }
        let is_first = extent.first == extent.marked_end;
        extent.marked_end += 1;
        let other = self.elements[to as usize];
        self.elements.swap(at as usize, to as usize);
        self.location[state] = to;
        self.location[other] = at;
        is_first
    }

    /// Splits the marked states off and unmarks. The smaller part becomes the new block; `None` if all are
    /// marked.
    pub fn split_marked(&mut self, block: BlockId) -> Option<BlockId> {
        let extent = &mut self.extents[block];
        let (first, middle, end) = (extent.first, extent.marked_end, extent.end);
        extent.marked_end = first;
        if middle == end || middle == first {
            return None;
        }
        let new = if middle - first <= end - middle {
            extent.first = middle;
            extent.marked_end = middle;
            Extent { first, end: middle, marked_end: first }
        } else {
            extent.end = middle;
            Extent { first: middle, end, marked_end: middle }
        };
        let id = self.extents.push(new);
        for at in new.first..new.end {
            self.block_of[self.elements[at as usize]] = id;
        }
        Some(id)
    }

    pub fn into_partition(self) -> Partition {
        Partition::new(self.block_of)
    }
}
