//! The actions a system may perform, by name. The silent action is always there, under [`ActionId::TAU`].

use crate::ActionId;
use base::{Id, IndexVec};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A set of named actions with dense ids. Two systems agree on an action when they agree on its name.
#[derive(Clone, Debug)]
pub struct Alphabet {
    names: IndexVec<ActionId, Arc<str>>,
    by_name: FxHashMap<Arc<str>, ActionId>,
}

impl Alphabet {
    /// How the silent action is written.
    pub const TAU_NAME: &'static str = "tau";

    /// Only the silent action.
    pub fn new() -> Alphabet {
        let mut alphabet = Alphabet { names: IndexVec::new(), by_name: FxHashMap::default() };
        let tau = alphabet.intern(Alphabet::TAU_NAME);
        debug_assert_eq!(tau, ActionId::TAU);
        alphabet
    }

    /// The action of that name, new or known. `tau` is the silent action.
    pub fn intern(&mut self, name: &str) -> ActionId {
        if let Some(&known) = self.by_name.get(name) {
            return known;
        }
        self.intern_shared(&Arc::from(name))
    }

    /// As [`intern`](Alphabet::intern), without copying the text.
    pub fn intern_shared(&mut self, name: &Arc<str>) -> ActionId {
        if let Some(&known) = self.by_name.get(name) {
            return known;
        }
        let id = self.names.push(name.clone());
        self.by_name.insert(name.clone(), id);
        id
    }

    /// The action of that name, if the alphabet has it.
    pub fn find(&self, name: &str) -> Option<ActionId> {
        self.by_name.get(name).copied()
    }

    /// How the action is written.
    pub fn name(&self, action: ActionId) -> &str {
        &self.names[action]
    }

    /// How the action is written, to keep.
    pub fn shared_name(&self, action: ActionId) -> Arc<str> {
        self.names[action].clone()
    }

    /// How many actions there are, the silent one included: one past the largest id.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Is there no action but the silent one?
    pub fn is_empty(&self) -> bool {
        self.names.len() == 1
    }

    /// All ids, the silent action first.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ActionId> + ExactSizeIterator + use<> {
        self.names.ids()
    }

    /// The ids of all actions but the silent one.
    pub fn visible(&self) -> impl DoubleEndedIterator<Item = ActionId> + ExactSizeIterator + use<> {
        (1..self.names.len()).map(ActionId::from_index)
    }

    /// For each action of `self`, its id in `other`, where `other` has it.
    pub fn translation_to(&self, other: &Alphabet) -> IndexVec<ActionId, Option<ActionId>> {
        self.names.iter().map(|name| other.find(name)).collect()
    }
}

impl Default for Alphabet {
    fn default() -> Self {
        Alphabet::new()
    }
}

/// The same set of names, whatever their order.
impl PartialEq for Alphabet {
    fn eq(&self, other: &Alphabet) -> bool {
        self.len() == other.len() && self.names.iter().all(|name| other.find(name).is_some())
    }
}

impl Eq for Alphabet {}
