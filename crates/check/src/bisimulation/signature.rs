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

/// How much of a signature is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// Two words that depend on the set of entries alone, and of a union on the words of its parts only:
    /// which of 64 classes of entries occur, and the smallest entry in two random orders (Broder 1997).
    /// States with different sketches have different signatures.
    Sketch,
    /// All entries.
    Whole,
}

/// Of no entry.
const EMPTY_SKETCH: [Entry; 2] = [0, Entry::MAX];

fn sketch(entry: Entry) -> [Entry; 2] {
    let mixed = entry.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let other = entry.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    [1 << (mixed >> 58), (mixed >> 26 & 0xFFFF_FFFF) << 32 | other >> 32]
}

fn union([bits, smallest]: [Entry; 2], [more_bits, others]: [Entry; 2]) -> [Entry; 2] {
    const UPPER: u64 = 0xFFFF_FFFF << 32;
    [bits | more_bits, (smallest & UPPER).min(others & UPPER) | (smallest & !UPPER).min(others & !UPPER)]
}

/// A hash table with room for more is made anew.
const LARGE_TABLE: usize = 256;

pub(super) struct Signatures {
    detail: Detail,
    /// The words of all signatures: entries, or two words each.
    arena: Vec<Entry>,
    /// Where in the arena each begins; it ends where the next begins.
    first: Vec<u32>,
    /// The signature with a hash that was found last; `before` has the one found before it, or itself.
    by_hash: FxHashMap<u64, SignatureId>,
    before: Vec<SignatureId>,
    /// For each cluster of the block its signature.
    pub of: IndexVec<ClusterId, SignatureId>,
    /// Of the signature that is open: where its entries begin, its sketch, and what it inherited.
    opened_at: usize,
    sketch: [Entry; 2],
    inherited: Vec<SignatureId>,
}

impl Signatures {
    pub fn new(clusters: usize, detail: Detail) -> Signatures {
        Signatures {
            detail,
            arena: Vec::new(),
            first: Vec::new(),
            by_hash: FxHashMap::default(),
            before: Vec::new(),
            of: IndexVec::filled(SignatureId::SETTLED, clusters),
            opened_at: 0,
            sketch: EMPTY_SKETCH,
            inherited: Vec::new(),
        }
    }

    /// Forgets the block before. The words of its settled signature come first; none are those of no entry.
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
        match (self.detail, settled) {
            (Detail::Whole, entries) => self.arena.extend_from_slice(entries),
            (Detail::Sketch, [bits, smallest]) => self.sketch = [*bits, *smallest],
            (Detail::Sketch, _) => {}
        }
        let first = self.close();
        debug_assert_eq!(first, SignatureId::SETTLED);
    }

    fn range(&self, signature: SignatureId) -> Range<usize> {
        let from = self.first[signature.index()] as usize;
        // The last one ends where the one that is open begins.
        from..self.first.get(signature.index() + 1).map_or(self.opened_at, |next| *next as usize)
    }

    pub fn words(&self, signature: SignatureId) -> &[Entry] {
        &self.arena[self.range(signature)]
    }

    /// Begins a signature.
    pub fn open(&mut self) {
        self.inherited.clear();
        self.sketch = EMPTY_SKETCH;
        self.opened_at = self.arena.len();
    }

    pub fn add(&mut self, entry: Entry) {
        match self.detail {
            Detail::Whole => self.arena.push(entry),
            Detail::Sketch => self.sketch = union(self.sketch, sketch(entry)),
        }
    }

    /// Adds all entries of another one.
    pub fn inherit(&mut self, other: SignatureId) {
        let range = self.range(other);
        if self.detail == Detail::Sketch {
            self.sketch = union(self.sketch, [self.arena[range.start], self.arena[range.start + 1]]);
        } else if !self.inherited.contains(&other) {
            self.inherited.push(other);
            self.arena.extend_from_within(range);
        }
    }

    /// Ends the signature; one that is known already is not kept again.
    pub fn close(&mut self) -> SignatureId {
        let from = self.opened_at;
        match self.detail {
            Detail::Sketch => self.arena.extend(self.sketch),
            Detail::Whole => self.sort_entries(),
        }
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
        self.opened_at = self.arena.len();
        next
    }

    /// Puts the entries of the open signature in order, each once.
    fn sort_entries(&mut self) {
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
    }
}
