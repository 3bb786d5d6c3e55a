//! The memory of one region (a region-based memory model): an array of cells, and beside it what is known at constant addresses.
//!
//! Most accesses of a search are at constant addresses; those never meet the array theory. The array is brought up to
//! date only when an address is not constant.

use crate::terms::Terms;
use logic::term::Op;
use logic::{Sort, TermId};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What is known at one constant address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cell {
    value: TermId,
    /// Does the array not have it yet?
    is_new: bool,
}

/// An array with a cache of cells at constant indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cells {
    array: TermId,
    known: BTreeMap<u128, Cell>,
    index_bits: u32,
    zero: Option<Rc<ZeroObjects>>,
}

/// Objects that begin as zeros, in an array that begins as a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZeroObjects {
    /// The symbol.
    pub array: TermId,
    /// The numbers of the objects.
    pub objects: BTreeSet<u128>,
    /// Bits of an address below the object's number.
    pub offset_bits: u32,
}

/// More known cells than this are forgotten rather than guarded when something is written at an unknown address.
const MOST_GUARDED: usize = 24;
/// A pointer that is one of at most this many constants is looked at case by case.
pub const MOST_CHOICES: usize = 24;

impl Cells {
    /// The contents of an array.
    pub fn new(array: TermId, index_bits: u32) -> Cells {
        Cells { array, known: BTreeMap::new(), index_bits, zero: None }
    }

    /// The contents of an array in which some objects begin as zeros.
    pub fn with_zeros(zero: Rc<ZeroObjects>, index_bits: u32) -> Cells {
        Cells { array: zero.array, known: BTreeMap::new(), index_bits, zero: Some(zero) }
    }

    /// One more object that begins as zeros: one that nobody has written yet.
    pub fn add_zero_object(&mut self, number: u128) {
        if let Some(zero) = &mut self.zero {
            Rc::make_mut(zero).objects.insert(number);
        }
    }

    /// The objects that begin as zeros, if the array begins as a symbol.
    pub fn zero_objects(&self) -> Option<&Rc<ZeroObjects>> {
        self.zero.as_ref()
    }

    /// What is at an address.
    pub fn load(&mut self, terms: &mut Terms, index: TermId) -> TermId {
        if let Some(at) = terms.constant(index) {
            return self.load_constant(terms, at);
        }
        if let Some(choices) = terms.choices(index, MOST_CHOICES) {
            let mut value = None;
            for (condition, at) in choices.into_iter().rev() {
                let here = self.load_constant(terms, at);
                value = Some(match value {
                    None => here,
                    Some(other) => terms.ite(condition, here, other),
                });
            }
            return value.expect("a term is one of at least one constant");
        }
        self.bring_up_to_date(terms);
        terms.select(self.array, index)
    }

    /// What is at a constant address.
    pub fn load_constant(&mut self, terms: &mut Terms, at: u128) -> TermId {
        if let Some(cell) = self.known.get(&at) {
            return cell.value;
        }
        let index = terms.number(self.index_bits, at);
        let mut value = terms.select(self.array, index);
        if let Some(zero) = &self.zero
            && terms.pool.op(value) == Op::Select
            && terms.pool.arguments(value)[0] == zero.array
            && zero.objects.contains(&(at >> zero.offset_bits))
        {
            let width = terms.pool.width(value);
            value = terms.number(width, 0);
        }
        self.known.insert(at, Cell { value, is_new: false });
        value
    }

    /// Writes at an address.
    pub fn store(&mut self, terms: &mut Terms, index: TermId, value: TermId) {
        if let Some(at) = terms.constant(index) {
            self.known.insert(at, Cell { value, is_new: true });
            return;
        }
        if let Some(choices) = terms.choices(index, MOST_CHOICES) {
            for (condition, at) in choices {
                let old = self.load_constant(terms, at);
                let value = terms.ite(condition, value, old);
                self.known.insert(at, Cell { value, is_new: true });
            }
            return;
        }
        self.bring_up_to_date(terms);
        let array = terms.pool.store(self.array, index, value);
        self.array = terms.simple(array);
        if self.known.len() > MOST_GUARDED {
            self.known.clear();
        }
        for (&at, cell) in &mut self.known {
            let here = terms.number(self.index_bits, at);
            let is_here = terms.equal(index, here);
            cell.value = terms.ite(is_here, value, cell.value);
        }
    }

    /// The array, with everything in it.
    pub fn bring_up_to_date(&mut self, terms: &mut Terms) -> TermId {
        for (&at, cell) in &mut self.known {
            if cell.is_new {
                let index = terms.number(self.index_bits, at);
                let array = terms.pool.store(self.array, index, cell.value);
                self.array = terms.simple(array);
                cell.is_new = false;
            }
        }
        self.array
    }

    /// The contents that are `self` if the condition holds, and else `other`.
    pub fn merged(&self, terms: &mut Terms, condition: TermId, other: &Cells) -> Cells {
        let (mut one, mut two) = (self.clone(), other.clone());
        if one.array != two.array {
            let (first, second) = (one.bring_up_to_date(terms), two.bring_up_to_date(terms));
            let mut merged = Cells::new(terms.ite(condition, first, second), self.index_bits);
            merged.zero = both_zero(&self.zero, &other.zero);
            for (&at, cell) in &one.known {
                if let Some(with) = two.known.get(&at) {
                    let value = terms.ite(condition, cell.value, with.value);
                    merged.known.insert(at, Cell { value, is_new: false });
                }
            }
            return merged;
        }
        let mut merged = Cells::new(one.array, self.index_bits);
        merged.zero = both_zero(&self.zero, &other.zero);
        let keys: BTreeSet<u128> = one.known.keys().chain(two.known.keys()).copied().collect();
        for at in keys {
            let (first, second) = (one.known.get(&at).copied(), two.known.get(&at).copied());
            let cell = match (first, second) {
                (Some(first), Some(second)) if first == second => first,
                _ => {
                    let is_new =
                        first.is_some_and(|cell| cell.is_new) || second.is_some_and(|cell| cell.is_new);
                    let (first, second) = (one.load_constant(terms, at), two.load_constant(terms, at));
                    Cell { value: terms.ite(condition, first, second), is_new }
                }
            };
            merged.known.insert(at, cell);
        }
        merged
    }

    /// Is it certain that the two have the same contents?
    pub fn holds_the_same(&self, terms: &mut Terms, other: &Cells) -> bool {
        let (mut one, mut two) = (self.clone(), other.clone());
        if one.array == two.array {
            let keys: BTreeSet<u128> = one.known.keys().chain(two.known.keys()).copied().collect();
            return keys.into_iter().all(|at| one.load_constant(terms, at) == two.load_constant(terms, at));
        }
        one.bring_up_to_date(terms) == two.bring_up_to_date(terms)
    }

    /// Bits of an index.
    pub fn index_bits(&self) -> u32 {
        self.index_bits
    }

    /// The sort of the array.
    pub fn sort(&self, terms: &Terms) -> Sort {
        terms.pool.sort(self.array)
    }
}

/// Numbers of objects are never used twice, so what one side knows does not concern the other.
fn both_zero(one: &Option<Rc<ZeroObjects>>, two: &Option<Rc<ZeroObjects>>) -> Option<Rc<ZeroObjects>> {
    let (Some(one), Some(two)) = (one, two) else { return one.clone().or_else(|| two.clone()) };
    if one.objects.is_superset(&two.objects) {
        return Some(one.clone());
    }
    let mut both = (**one).clone();
    both.objects.extend(&two.objects);
    Some(Rc::new(both))
}
