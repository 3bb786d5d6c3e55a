//! State propositions: their names, and sets of them as bits.

use crate::PropositionId;
use base::{Id, IndexVec};
use smallvec::SmallVec;
use std::sync::Arc;

/// The propositions a system labels its states with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PropositionNames {
    names: IndexVec<PropositionId, Arc<str>>,
}

impl PropositionNames {
    /// No propositions.
    pub fn new() -> PropositionNames {
        PropositionNames::default()
    }

    /// The proposition of that name, new or known.
    pub fn intern(&mut self, name: &str) -> PropositionId {
        self.find(name).unwrap_or_else(|| self.names.push(Arc::from(name)))
    }

    /// The proposition of that name, if there is one.
    pub fn find(&self, name: &str) -> Option<PropositionId> {
        self.names.iter_enumerated().find(|(_, known)| &***known == name).map(|(id, _)| id)
    }

    /// How the proposition is written.
    pub fn name(&self, proposition: PropositionId) -> &str {
        &self.names[proposition]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = PropositionId> + ExactSizeIterator + use<> {
        self.names.ids()
    }

    /// Words of 64 bits that a set of these propositions takes.
    pub(crate) fn words(&self) -> usize {
        self.names.len().div_ceil(64)
    }
}

/// A set of propositions of one system. Equal sets are equal whatever was inserted and removed before.
#[derive(Clone, Debug, Default)]
pub struct PropositionSet {
    words: SmallVec<[u64; 2]>,
}

impl PropositionSet {
    /// The empty set.
    pub fn new() -> PropositionSet {
        PropositionSet::default()
    }

    /// The set of these words of bits, lowest proposition first.
    pub fn from_words(words: &[u64]) -> PropositionSet {
        PropositionSet { words: SmallVec::from_slice(words) }
    }

    /// Adds a proposition to the set.
    pub fn insert(&mut self, proposition: PropositionId) {
        let index = proposition.index();
        if self.words.len() <= index / 64 {
            self.words.resize(index / 64 + 1, 0);
        }
        self.words[index / 64] |= 1 << (index % 64);
    }

    /// Is it in the set?
    pub fn contains(&self, proposition: PropositionId) -> bool {
        let index = proposition.index();
        self.words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// Is the set empty?
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Empties the set.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// The members in order.
    pub fn iter(&self) -> impl Iterator<Item = PropositionId> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| PropositionId::from_index(at * 64 + bit))
        })
    }

    /// The bits, lowest proposition first, without trailing zero words.
    pub fn words(&self) -> &[u64] {
        let used = self.words.iter().rposition(|&word| word != 0).map_or(0, |at| at + 1);
        &self.words[..used]
    }
}

impl PartialEq for PropositionSet {
    fn eq(&self, other: &PropositionSet) -> bool {
        self.words() == other.words()
    }
}

impl Eq for PropositionSet {}

impl std::hash::Hash for PropositionSet {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.words().hash(state);
    }
}

impl FromIterator<PropositionId> for PropositionSet {
    fn from_iter<I: IntoIterator<Item = PropositionId>>(iter: I) -> Self {
        let mut set = PropositionSet::new();
        iter.into_iter().for_each(|proposition| set.insert(proposition));
        set
    }
}
