//! A partition that can only get finer: one array in which every block is a stretch, its marked members first. So
//! splitting off the marked members costs no more than marking them did. After Valmari and Lehtinen 2008. Strong
//! bisimulation has states in the blocks and marks who reaches a splitter; branching bisimulation has clusters in them
//! and marks who must be looked at again.

use base::{Id, IndexVec};
use lks::quotient::BlockId;
use std::ops::Range;

#[derive(Clone, Copy)]
struct Extent {
    first: u32,
    end: u32,
    /// Members from `first` to here are marked.
    marked_end: u32,
}

pub(super) struct Blocks<E> {
    elements: Vec<E>,
    place: IndexVec<E, u32>,
    block_of: IndexVec<E, BlockId>,
    extents: IndexVec<BlockId, Extent>,
}

impl<E: Id> Blocks<E> {
    /// Elements with equal keys share a block; blocks are numbered like the keys.
    pub fn by_key(keys: IndexVec<E, BlockId>, count: usize) -> Blocks<E> {
        let mut first = vec![0u32; count + 1];
        keys.iter().for_each(|block| first[block.index() + 1] += 1);
        for index in 1..first.len() {
            first[index] += first[index - 1];
        }
        let extents = (0..count)
            .map(|block| Extent { first: first[block], end: first[block + 1], marked_end: first[block] })
            .collect();
        let mut elements = vec![E::from_index(0); keys.len()];
        let mut place = IndexVec::filled(0, keys.len());
        for (element, block) in keys.iter_enumerated() {
            let at = &mut first[block.index()];
            elements[*at as usize] = element;
            place[element] = *at;
            *at += 1;
        }
        Blocks { elements, place, block_of: keys, extents }
    }

    pub fn ids(&self) -> impl ExactSizeIterator<Item = BlockId> + use<E> {
        self.extents.ids()
    }

    pub fn block_of(&self, element: E) -> BlockId {
        self.block_of[element]
    }

    pub fn size(&self, block: BlockId) -> usize {
        (self.extents[block].end - self.extents[block].first) as usize
    }

    pub fn members(&self, block: BlockId) -> &[E] {
        let Extent { first, end, .. } = self.extents[block];
        &self.elements[first as usize..end as usize]
    }

    /// Marks a member; true if its block had no marked one before.
    pub fn mark(&mut self, element: E) -> bool {
        let extent = &mut self.extents[self.block_of[element]];
        let (at, to) = (self.place[element], extent.marked_end);
        if at < to {
            return false;
        }
        extent.marked_end += 1;
        let is_first = to == extent.first;
        self.swap(at, to);
        is_first
    }

    /// Marks all members.
    pub fn mark_all(&mut self, block: BlockId) {
        let extent = &mut self.extents[block];
        extent.marked_end = extent.end;
    }

    /// Where the marked members stand, which from now on are not marked.
    pub fn take_marked(&mut self, block: BlockId) -> Range<u32> {
        let extent = &mut self.extents[block];
        let marked = extent.first..extent.marked_end;
        extent.marked_end = extent.first;
        marked
    }

    pub fn element(&self, at: u32) -> E {
        self.elements[at as usize]
    }

    /// Puts these members last in their block, in this order. None may be marked.
    pub fn put_last(&mut self, block: BlockId, last: impl ExactSizeIterator<Item = E>) {
        let Extent { first, end, marked_end } = self.extents[block];
        debug_assert_eq!(first, marked_end, "marked members stay first");
        for (to, element) in (end - last.len() as u32..).zip(last) {
            self.swap(self.place[element], to);
        }
    }

    /// Cuts a block into stretches of these lengths. The one at `stays` keeps the name, the others get new
    /// ones, which are given, in order.
    pub fn cut(&mut self, block: BlockId, lengths: &[u32], stays: usize) -> Vec<BlockId> {
        let mut first = self.extents[block].first;
        let mut new = Vec::with_capacity(lengths.len() - 1);
        for (index, length) in lengths.iter().enumerate() {
            let extent = Extent { first, end: first + length, marked_end: first };
            first = extent.end;
            if index == stays {
                self.extents[block] = extent;
                continue;
            }
            let id = self.extents.push(extent);
            for at in extent.first..extent.end {
                self.block_of[self.elements[at as usize]] = id;
            }
            new.push(id);
        }
        new
    }

    /// Splits the marked members off and unmarks. The smaller part becomes the new block; `None` if all are
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

    /// Which block each element is in.
    pub fn into_blocks(self) -> IndexVec<E, BlockId> {
        self.block_of
    }

    fn swap(&mut self, left: u32, right: u32) {
        self.elements.swap(left as usize, right as usize);
        self.place[self.elements[left as usize]] = left;
        self.place[self.elements[right as usize]] = right;
    }
}
