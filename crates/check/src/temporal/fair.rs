//! Fairness: which infinite runs are counted. Finite maximal runs always are.

use base::IndexVec;
use lks::{ActionId, Alphabet};

/// Fairness constraints; each is a set of actions by name. Names the system does not have are ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fairness {
    /// From some point on always possible implies taken again and again.
    pub weak: Vec<Vec<String>>,
    /// Again and again possible implies taken again and again.
    pub strong: Vec<Vec<String>>,
    /// Fair choice, as FSP's `progress` and LTSA's `assert` have it: a state that is passed again and again
    /// is left by each of its transitions again and again. Implies all other constraints.
    pub choice: bool,
}

impl Fairness {
    /// Every run counts.
    pub fn none() -> Fairness {
        Fairness::default()
    }

    /// Is there no constraint?
    pub fn is_none(&self) -> bool {
        self.weak.is_empty() && self.strong.is_empty() && !self.choice
    }
}

/// The constraints as sets of action ids.
#[derive(Clone, Debug, Default)]
pub(super) struct FairActions {
    pub weak: Vec<IndexVec<ActionId, bool>>,
    pub strong: Vec<IndexVec<ActionId, bool>>,
    pub choice: bool,
}

impl FairActions {
    pub fn of(fairness: &Fairness, alphabet: &Alphabet) -> FairActions {
        let set = |names: &Vec<String>| {
            let mut members = IndexVec::filled(false, alphabet.len());
            names.iter().filter_map(|name| alphabet.find(name)).for_each(|action| members[action] = true);
            members
        };
        FairActions {
            weak: fairness.weak.iter().map(set).collect(),
            strong: fairness.strong.iter().map(set).collect(),
            choice: fairness.choice,
        }
    }
}
