//! Signatures of the members of one block, each different one kept once.

use super::branching::ClusterId;
use base::{Id, IndexVec};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// An entry of a signature: an action and the block it leads to.
pub(super) type Entry = u64;

base::define_id!(
    /// A signature of the block that is looked at.
    SignatureId,
    "s"
);

impl SignatureId {
    /// The signature of the members that nothing has changed for.
    pub const SETTLED: SignatureId = SignatureId(0);
}

pub(super) struct Signatures {
    pub arena: Vec<Entry>,
    extents: IndexVec<SignatureId, (u32, u32)>,
    /// The signature with a hash that was found last; `before` has the one found before it.
    by_hash: FxHashMap<u64, SignatureId>,
    before: IndexVec<SignatureId, Option<SignatureId>>,
    /// For each cluster of the block its signature.
    pub of: IndexVec<ClusterId, SignatureId>,
    inherited: Vec<SignatureId>,
    opened_at: usize,
}

impl Signatures {
    pub fn new(clusters: usize) -> Signatures {
        Signatures {
            arena: Vec::new(),
            extents: IndexVec::new(),
            by_hash: FxHashMap::default(),
            before: IndexVec::new(),
            of: IndexVec::filled(SignatureId::SETTLED, clusters),
            inherited: Vec::new(),
            opened_at: 0,
        }
    }

    /// Forgets the block before.
    pub fn begin(&mut self, settled: &[Entry]) {
        self.arena.clear();
        self.extents = IndexVec::new();
        self.before = IndexVec::new();
        // Not cleared: that would cost as much as the largest block ever did.
        self.by_hash = FxHashMap::default();
        self.open();
        self.arena.extend_from_slice(settled);
        let first = self.close();
        debug_assert_eq!(first, SignatureId::SETTLED);
    }

    pub fn text(&self, signature: SignatureId) -> &[Entry] {
        let (from, to) = self.extents[signature];
        &self.arena[from as usize..to as usize]
    }

    /// Begins a signature; its entries are pushed to the arena.
    pub fn open(&mut self) {
        self.inherited.clear();
        self.opened_at = self.arena.len();
    }

    /// Adds all entries of another one.
    pub fn inherit(&mut self, other: SignatureId) {
        if !self.inherited.contains(&other) {
            self.inherited.push(other);
            let (from, to) = self.extents[other];
            self.arena.extend_from_within(from as usize..to as usize);
        }
    }

    /// Ends the signature: entries in order, each once; one that is known already is not kept again.
    pub fn close(&mut self) -> SignatureId {
        let from = self.opened_at;
        self.arena[from..].sort_unstable();
        let mut kept = from;
        for at in from..self.arena.len() {
            if at == from || self.arena[at] != self.arena[kept - 1] {
                self.arena[kept] = self.arena[at];
                kept += 1;
            }
        }
        self.arena.truncate(kept);
        let mut hasher = FxHasher::default();
        self.arena[from..].hash(&mut hasher);
        let next = SignatureId::from_index(self.extents.len());
        let newest = self.by_hash.entry(hasher.finish()).or_insert(next);
        let mut candidate = (*newest != next).then_some(*newest);
        while let Some(known) = candidate {
            let (start, end) = self.extents[known];
            if self.arena[start as usize..end as usize] == self.arena[from..] {
                self.arena.truncate(from);
                return known;
            }
            candidate = self.before[known];
        }
        self.before.push((*newest != next).then_some(*newest));
        *newest = next;
        self.extents.push((from as u32, kept as u32))
    }
}
