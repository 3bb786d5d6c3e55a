//! Clusters in blocks that can only get smaller: one array in which every block is a stretch, those of its
//! members that must be looked at again first.

use super::clusters::ClusterId;
use base::{Id, IndexVec};
use lks::quotient::BlockId;
use std::ops::Range;

#[derive(Clone, Copy)]
struct Extent {
    first: u32,
    end: u32,
    /// Members from `first` to here are to be looked at again.
    changed_end: u32,
}

pub(super) struct Blocks {
    elements: Vec<ClusterId>,
    place: IndexVec<ClusterId, u32>,
    block_of: IndexVec<ClusterId, BlockId>,
    extents: IndexVec<BlockId, Extent>,
}

impl Blocks {
    /// Clusters with equal keys share a block; blocks are numbered like the keys.
    pub fn by_key(keys: IndexVec<ClusterId, BlockId>, count: usize) -> Blocks {
        let mut first = vec![0u32; count + 1];
        keys.iter().for_each(|block| first[block.index() + 1] += 1);
        for index in 1..first.len() {
            first[index] += first[index - 1];
        }
        let extents = (0..count)
            .map(|block| Extent { first: first[block], end: first[block + 1], changed_end: first[block] })
            .collect();
        let mut elements = vec![ClusterId::from_index(0); keys.len()];
        let mut place = IndexVec::filled(0, keys.len());
        for (cluster, block) in keys.iter_enumerated() {
            let at = &mut first[block.index()];
            elements[*at as usize] = cluster;
            place[cluster] = *at;
            *at += 1;
        }
        Blocks { elements, place, block_of: keys, extents }
    }

    pub fn ids(&self) -> impl Iterator<Item = BlockId> + use<> {
        self.extents.ids()
    }

    pub fn block_of(&self, cluster: ClusterId) -> BlockId {
        self.block_of[cluster]
    }

    pub fn size(&self, block: BlockId) -> usize {
        (self.extents[block].end - self.extents[block].first) as usize
    }

    pub fn members(&self, block: BlockId) -> &[ClusterId] {
        let Extent { first, end, .. } = self.extents[block];
        &self.elements[first as usize..end as usize]
    }

    /// Wants a member to be looked at again; true if it is the first of its block.
    pub fn look_again(&mut self, cluster: ClusterId) -> bool {
        let extent = &mut self.extents[self.block_of[cluster]];
        let (at, to) = (self.place[cluster], extent.changed_end);
        if at < to {
            return false;
        }
        extent.changed_end += 1;
        let is_first = to == extent.first;
        self.swap(at, to);
        is_first
    }

    /// Wants all members to be looked at again.
    pub fn look_at_all_again(&mut self, block: BlockId) {
        let extent = &mut self.extents[block];
        extent.changed_end = extent.end;
    }

    /// The members to be looked at again, which from now on are not.
    pub fn take_changed(&mut self, block: BlockId) -> Range<u32> {
        let extent = &mut self.extents[block];
        let changed = extent.first..extent.changed_end;
        extent.changed_end = extent.first;
        changed
    }

    pub fn element(&self, at: u32) -> ClusterId {
        self.elements[at as usize]
    }

    /// Puts these members last in their block, in this order. None may be waiting to be looked at.
    pub fn put_last(&mut self, block: BlockId, last: impl ExactSizeIterator<Item = ClusterId>) {
        let Extent { first, end, changed_end } = self.extents[block];
        debug_assert_eq!(first, changed_end, "members that wait stay first");
        for (to, cluster) in (end - last.len() as u32..).zip(last) {
            self.swap(self.place[cluster], to);
        }
    }

    /// Cuts a block into stretches of these lengths. The one at `stays` keeps the name, the others get new
    /// ones, which are given, in order.
    pub fn cut(&mut self, block: BlockId, lengths: &[u32], stays: usize) -> Vec<BlockId> {
        let mut first = self.extents[block].first;
        let mut new = Vec::with_capacity(lengths.len() - 1);
        for (index, length) in lengths.iter().enumerate() {
            let extent = Extent { first, end: first + length, changed_end: first };
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

    fn swap(&mut self, left: u32, right: u32) {
        self.elements.swap(left as usize, right as usize);
        self.place[self.elements[left as usize]] = left;
        self.place[self.elements[right as usize]] = right;
    }
}
