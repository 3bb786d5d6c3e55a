//! Signatures of the members of one block, each different one kept once.

use super::clusters::ClusterId;
use base::{Id, IndexVec};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::ops::Range;

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

/// A hash table with room for more is made anew.
const LARGE_TABLE: usize = 256;

pub(super) struct Signatures {
    pub arena: Vec<Entry>,
    /// Where in the arena each begins; it ends where the next begins.
    first: Vec<u32>,
    /// The signature with a hash that was found last; `before` has the one found before it, or itself.
    by_hash: FxHashMap<u64, SignatureId>,
    before: Vec<SignatureId>,
    /// For each cluster of the block its signature.
    pub of: IndexVec<ClusterId, SignatureId>,
    inherited: Vec<SignatureId>,
    opened_at: usize,
}

impl Signatures {
    pub fn new(clusters: usize) -> Signatures {
        Signatures {
            arena: Vec::new(),
            first: Vec::new(),
            by_hash: FxHashMap::default(),
            before: Vec::new(),
            of: IndexVec::filled(SignatureId::SETTLED, clusters),
            inherited: Vec::new(),
            opened_at: 0,
        }
    }

    /// Forgets the block before.
    pub fn begin(&mut self, settled: &[Entry]) {
        self.arena.clear();
        self.first.clear();
        self.before.clear();
        // A large table is not cleared: that would cost as much as the largest block ever did.
        if self.by_hash.capacity() > LARGE_TABLE {
            self.by_hash = FxHashMap::default();
        } else {
            self.by_hash.clear();
        }
        self.open();
        self.arena.extend_from_slice(settled);
        let first = self.close();
        debug_assert_eq!(first, SignatureId::SETTLED);
    }

    fn range(&self, signature: SignatureId) -> Range<usize> {
        let from = self.first[signature.index()] as usize;
        // The last one ends where the one that is open begins.
        from..self.first.get(signature.index() + 1).map_or(self.opened_at, |next| *next as usize)
    }

    pub fn text(&self, signature: SignatureId) -> &[Entry] {
        &self.arena[self.range(signature)]
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
            let range = self.range(other);
            self.arena.extend_from_within(range);
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
        let next = SignatureId::from_index(self.first.len());
        let newest = *self.by_hash.entry(hasher.finish()).or_insert(next);
        let mut candidate = newest;
        while candidate != next {
            if self.arena[self.range(candidate)] == self.arena[from..] {
                self.arena.truncate(from);
                return candidate;
            }
            let before = self.before[candidate.index()];
            if before == candidate {
                break;
            }
            candidate = before;
        }
        self.before.push(newest);
        if newest != next {
            self.by_hash.insert(hasher.finish(), next);
        }
        self.first.push(u32::try_from(from).expect("fewer than 2^32 entries in the signatures of a block"));
        self.opened_at = kept;
        next
    }
}
