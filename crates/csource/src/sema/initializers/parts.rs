//! The parts of an initialiser as they are collected: later ones may strike out earlier ones.

use crate::sema::effects::is_invariant;
use crate::tree::{InitializerPart, PartValue, PathStep};
use crate::types::{RecordId, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Parts so far, and where we are.
#[derive(Default)]
pub(super) struct Parts {
    parts: Vec<InitializerPart>,
    /// Positions in `parts` that no longer count.
    struck: Vec<bool>,
    any_struck: bool,
    /// The parts that are whole records or unions given by one value, by their paths.
    whole_values: FxHashMap<Vec<PathStep>, usize>,
    /// Objects that a range initialised by a list in braces with values that are not constant: gcc keeps such a list as
    /// one value, which is dropped like those above.
    kept_lists: FxHashSet<Vec<PathStep>>,
    /// From the whole object to the part being initialised.
    pub path: Vec<PathStep>,
    /// The path of the object that the value of a range's entry initialises.
    pub target: Vec<PathStep>,
    /// Does the object live as long as the program?
    pub is_static: bool,
    /// Elements given to a flexible array member.
    pub flexible_elements: u64,
}

/// What a repeated value takes the place of.
pub(super) struct Overrides<'a> {
    /// Can any of the elements have been initialised before?
    pub is_possible: bool,
    /// Is the object at the target initialised as a whole?
    pub whole_target: bool,
    /// Is the record a union?
    pub is_union: &'a dyn Fn(RecordId) -> bool,
}

impl Parts {
    /// Nothing yet, for an object that lives as long as the program.
    pub fn of_static_object() -> Parts {
        Parts { is_static: true, ..Parts::default() }
    }

    /// How many there are, struck ones included.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// The object at the current path gets a value.
    pub fn push(&mut self, ty: TypeId, value: PartValue) {
        let path = std::mem::take(&mut self.path);
        self.drop_values_around(&path);
        self.path = path;
        self.parts.push(InitializerPart { path: self.path.clone(), ty, value });
        self.struck.push(false);
    }

    /// The record or union at the current path gets a value as a whole.
    pub fn push_whole(&mut self, ty: TypeId, value: PartValue) {
        self.push(ty, value);
        self.whole_values.insert(self.path.clone(), self.parts.len() - 1);
    }

    /// A part inside an object that got its value as a whole: gcc drops that value, its side effects too, and what is
    /// not initialised again is zero (`{.s = x, .s.b = 9}` leaves `s.a` zero).
    fn drop_values_around(&mut self, path: &[PathStep]) {
        if self.whole_values.is_empty() && self.kept_lists.is_empty() {
            return;
        }
        for length in 0..path.len() {
            if self.kept_lists.remove(&path[..length]) {
                self.strike(|part| part.path.starts_with(&path[..length]));
            }
            if let Some(at) = self.whole_values.remove(&path[..length]) {
                self.struck[at] = true;
                self.any_struck = true;
            }
        }
    }

    /// Are all values from `start` to `end` known before the run?
    pub fn are_invariant(&self, start: usize, end: usize) -> bool {
        self.parts[start..end].iter().all(|part| {
            let value = match part.value {
                PartValue::SameAs(first) => &self.parts[first].value,
                ref value => value,
            };
            match value {
                PartValue::Expr(value) => is_invariant(value),
                PartValue::String(_) | PartValue::SameAs(_) => true,
            }
        })
    }

    /// The object at the target, in each of the elements, is one value.
    pub fn keep_lists(&mut self, depth: usize, elements: std::ops::RangeInclusive<u64>) {
        for element in elements {
            let mut path = self.target.clone();
            if let Some(step) = path.get_mut(depth) {
                *step = PathStep::Index(element);
            }
            self.kept_lists.insert(path);
        }
    }

    /// Everything at or below the current path is initialised anew.
    pub fn strike_here(&mut self) {
        let path = std::mem::take(&mut self.path);
        self.strike(|part| part.path.starts_with(&path));
        self.path = path;
    }

    /// Everything below the current path (a union) but one member.
    pub fn strike_siblings(&mut self, member: u32) {
        let path = std::mem::take(&mut self.path);
        self.strike(|part| {
            part.path.starts_with(&path)
                && !matches!(part.path.get(path.len()), Some(PathStep::Field(_, at)) if *at == member)
        });
        self.path = path;
    }

    fn strike(&mut self, is_gone: impl Fn(&InitializerPart) -> bool) {
        for (part, struck) in self.parts.iter().zip(&mut self.struck) {
            if !*struck && is_gone(part) {
                *struck = true;
                self.any_struck = true;
            }
        }
    }

    /// Does any of these parts have a path longer than `depth`?
    pub fn goes_deeper(&self, start: usize, end: usize, depth: usize) -> bool {
        self.parts[start..end].iter().any(|part| part.path.len() > depth)
    }

    /// Repeats parts, which all lie in one element, for other elements. The element's index is the step at `depth`.
    pub fn repeat(
        &mut self,
        parts: Range<usize>,
        depth: usize,
        elements: Range<u64>,
        overrides: &Overrides<'_>,
    ) {
        for element in elements {
            if overrides.whole_target {
                let mut prefix = self.target.clone();
                if let Some(step) = prefix.get_mut(depth) {
                    *step = PathStep::Index(element);
                }
                self.strike(|part| part.path.starts_with(&prefix));
            }
            for at in parts.clone() {
                if self.struck[at] {
                    continue;
                }
                let mut path = self.parts[at].path.clone();
                if let Some(step) = path.get_mut(depth) {
                    *step = PathStep::Index(element);
                }
                if overrides.is_possible {
                    self.strike_other_members_along(&path, depth, overrides.is_union);
                }
                let value = match self.parts[at].value {
                    PartValue::SameAs(first) => PartValue::SameAs(first),
                    PartValue::String(id) => PartValue::String(id),
                    PartValue::Expr(_) => PartValue::SameAs(at),
                };
                let ty = self.parts[at].ty;
                let is_whole = self.whole_values.contains_key(&self.parts[at].path);
                self.drop_values_around(&path);
                if is_whole {
                    self.whole_values.insert(path.clone(), self.parts.len());
                }
                self.parts.push(InitializerPart { path, ty, value });
                self.struck.push(false);
            }
        }
    }

    /// Wherever a path goes into a union below `depth`, the union's other members are gone.
    fn strike_other_members_along(
        &mut self,
        path: &[PathStep],
        depth: usize,
        is_union: &dyn Fn(RecordId) -> bool,
    ) {
        for (at, step) in path.iter().enumerate().skip(depth + 1) {
            if let PathStep::Field(record, _) = step
                && is_union(*record)
            {
                self.strike(|part| {
                    part.path.starts_with(&path[..at]) && part.path.get(at).is_some_and(|other| other != step)
                });
            }
        }
    }

    /// The parts that count. A value whose first use was struck moves to its next one.
    pub fn finish(&mut self) -> Vec<InitializerPart> {
        let parts = std::mem::take(&mut self.parts);
        let struck = std::mem::take(&mut self.struck);
        if !self.any_struck {
            return parts;
        }
        let mut kept: Vec<InitializerPart> = Vec::with_capacity(parts.len());
        // Where the value of each old part is now; values of struck parts wait in `orphans`.
        let mut moved_to: Vec<Option<usize>> = vec![None; parts.len()];
        let mut orphans: Vec<Option<PartValue>> = Vec::with_capacity(parts.len());
        for (at, (part, is_struck)) in parts.into_iter().zip(struck).enumerate() {
            if is_struck {
                orphans.push(Some(part.value));
                continue;
            }
            orphans.push(None);
            let value = match part.value {
                PartValue::SameAs(first) => match (moved_to[first], orphans[first].take()) {
                    (Some(place), _) => PartValue::SameAs(place),
                    (None, orphan) => {
                        moved_to[first] = Some(kept.len());
                        orphan.unwrap_or(PartValue::SameAs(first))
                    }
                },
                value => value,
            };
            moved_to[at] = Some(kept.len());
            kept.push(InitializerPart { path: part.path, ty: part.ty, value });
        }
        kept
    }
}
