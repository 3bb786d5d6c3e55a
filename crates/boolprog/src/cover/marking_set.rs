//! Subsumption: sets of markings that answer "is one of them below (above) this one?" quickly.
//!
//! As clause databases of SAT solvers do for subsumption: a marking below `m` has each of its places in `m`,
//! so it is enough to file it under one of them (the one with the shortest list) and to look under every
//! place of `m`. A marking above `m` is listed under every place of `m`, so the shortest of these lists is
//! looked through.

use super::marking::Marking;
use super::system::{ControlId, PlaceId};
use base::{IndexVec, define_id};
use rustc_hash::FxHashMap;

define_id!(
    /// A marking in a [`MarkingSet`]; stays valid after the marking was removed.
    EntryId,
    "e"
);

struct Entry {
    marking: Marking,
    level: u32,
    alive: bool,
    filed_under: Option<PlaceId>,
}

/// Markings with a level each (the inductive engine's frames; others use level 0).
#[derive(Default)]
pub struct MarkingSet {
    entries: IndexVec<EntryId, Entry>,
    filed: FxHashMap<(ControlId, Option<PlaceId>), Vec<EntryId>>,
    occurs: FxHashMap<(ControlId, PlaceId), Vec<EntryId>>,
    of_control: FxHashMap<ControlId, Vec<EntryId>>,
    alive: usize,
}

impl MarkingSet {
    /// How many markings are in it.
    pub fn len(&self) -> usize {
        self.alive
    }

    /// Is the entry still in it?
    pub fn contains(&self, id: EntryId) -> bool {
        self.entries[id].alive
    }

    /// The entry's marking, even after its removal.
    pub fn marking(&self, id: EntryId) -> &Marking {
        &self.entries[id].marking
    }

    /// The entry's level.
    pub fn level(&self, id: EntryId) -> u32 {
        self.entries[id].level
    }

    /// Raises an entry's level.
    pub fn raise(&mut self, id: EntryId, level: u32) {
        debug_assert!(level >= self.entries[id].level);
        self.entries[id].level = level;
    }

    /// The markings in it.
    pub fn iter(&self) -> impl Iterator<Item = (EntryId, &Marking)> {
        self.entries
            .iter_enumerated()
            .filter(|(_, entry)| entry.alive)
            .map(|(id, entry)| (id, &entry.marking))
    }

    /// Adds a marking.
    pub fn insert(&mut self, marking: Marking, level: u32) -> EntryId {
        let control = marking.control;
        let listed = |place: &PlaceId| self.filed.get(&(control, Some(*place))).map_or(0, Vec::len);
        let filed_under = marking.tokens().iter().map(|(place, _)| *place).min_by_key(listed);
        let id = self.entries.next_id();
        self.filed.entry((control, filed_under)).or_default().push(id);
        for (place, _) in marking.tokens() {
            self.occurs.entry((control, *place)).or_default().push(id);
        }
        self.of_control.entry(control).or_default().push(id);
        self.alive += 1;
        self.entries.push(Entry { marking, level, alive: true, filed_under })
    }

    /// Takes a marking out.
    pub fn remove(&mut self, id: EntryId) {
        let entry = &mut self.entries[id];
        if !entry.alive {
            return;
        }
        entry.alive = false;
        self.alive -= 1;
        let control = entry.marking.control;
        let drop_from = |list: Option<&mut Vec<EntryId>>| {
            if let Some(list) = list {
                list.retain(|listed| *listed != id);
            }
        };
        drop_from(self.filed.get_mut(&(control, entry.filed_under)));
        for (place, _) in entry.marking.tokens() {
            drop_from(self.occurs.get_mut(&(control, *place)));
        }
        drop_from(self.of_control.get_mut(&control));
    }

    /// Some marking of at least this level that `marking` covers.
    pub fn some_below(&self, marking: &Marking, level: u32) -> Option<EntryId> {
        let places = marking.tokens().iter().map(|(place, _)| Some(*place));
        std::iter::once(None).chain(places).find_map(|place| {
            self.filed.get(&(marking.control, place))?.iter().copied().find(|id| {
                let entry = &self.entries[*id];
                entry.level >= level && entry.marking.is_covered_by(marking)
            })
        })
    }

    /// Some marking that covers `marking`.
    pub fn some_above(&self, marking: &Marking) -> Option<EntryId> {
        let above = |id: &&EntryId| marking.is_covered_by(&self.entries[**id].marking);
        self.candidates_above(marking).iter().find(above).copied()
    }

    /// All markings of at most this level that cover `marking`.
    pub fn all_above(&self, marking: &Marking, level: u32) -> Vec<EntryId> {
        let above = |id: &&EntryId| {
            let entry = &self.entries[**id];
            entry.level <= level && marking.is_covered_by(&entry.marking)
        };
        self.candidates_above(marking).iter().filter(above).copied().collect()
    }

    /// All markings that `marking` covers.
    pub fn all_below(&self, marking: &Marking) -> Vec<EntryId> {
        let places = marking.tokens().iter().map(|(place, _)| Some(*place));
        let lists =
            std::iter::once(None).chain(places).filter_map(|place| self.filed.get(&(marking.control, place)));
        lists.flatten().copied().filter(|id| self.entries[*id].marking.is_covered_by(marking)).collect()
    }

    fn candidates_above(&self, marking: &Marking) -> &[EntryId] {
        let lists = marking.tokens().iter().map(|(place, _)| self.occurs.get(&(marking.control, *place)));
        let shortest = lists.min_by_key(|list| list.map_or(0, Vec::len));
        shortest.unwrap_or_else(|| self.of_control.get(&marking.control)).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Id;

    fn marking(numbers: [u32; 4]) -> Marking {
        let tokens = numbers.iter().enumerate().filter(|(_, count)| **count > 0);
        let tokens = tokens.map(|(place, count)| (PlaceId::from_index(place), *count)).collect();
        Marking::new(ControlId::from_index(0), tokens)
    }

    #[test]
    fn finds_what_a_scan_finds() {
        let mut state = 7u64;
        let mut random = move |limit: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % limit
        };
        let mut draw = || marking([0; 4].map(|_: u32| random(3) as u32));
        let mut set = MarkingSet::default();
        let mut ids = Vec::new();
        for round in 0..60 {
            ids.push(set.insert(draw(), round % 3));
            if round % 4 == 3 {
                set.remove(ids[round as usize / 2]);
            }
        }
        for _ in 0..200 {
            let query = draw();
            let below: Vec<EntryId> =
                set.iter().filter(|(_, known)| known.is_covered_by(&query)).map(|(id, _)| id).collect();
            let mut found = set.all_below(&query);
            found.sort();
            assert_eq!(found, below);
            assert_eq!(set.some_below(&query, 0).is_some(), !below.is_empty());
            assert_eq!(set.some_below(&query, 2).is_some(), below.iter().any(|id| set.level(*id) >= 2));
            let above: Vec<EntryId> = set
                .iter()
                .filter(|(id, known)| set.level(*id) <= 1 && query.is_covered_by(known))
                .map(|(id, _)| id)
                .collect();
            let mut found = set.all_above(&query, 1);
            found.sort();
            assert_eq!(found, above);
            assert_eq!(
                set.some_above(&query).is_some(),
                set.iter().any(|(_, known)| query.is_covered_by(known))
            );
        }
    }
}
