//! Terms with the simplifier at hand: what is built here is simple at once, so that constants stay constants.

use logic::simplify::Simplifier;
use logic::term::Op;
use logic::{Bits, Sort, TermId, TermPool};

/// A pool of terms and its simplifier.
#[derive(Debug, Default)]
pub struct Terms {
    /// The terms.
    pub pool: TermPool,
    simplifier: Simplifier,
    fresh: u64,
}

impl Terms {
    /// Nothing made yet.
    pub fn new() -> Terms {
        Terms::default()
    }

    /// The simplest known form of a term.
    pub fn simple(&mut self, term: TermId) -> TermId {
        self.simplifier.simplify(&mut self.pool, term)
    }

    /// A number in `width` bits.
    pub fn number(&mut self, width: u32, value: u128) -> TermId {
        self.pool.constant(Bits::from_i128(width, value as i128))
    }

    /// The value, if the term is a bit-vector constant of at most 128 bits.
    pub fn constant(&self, term: TermId) -> Option<u128> {
        self.pool.constant_value(term).and_then(Bits::to_u128)
    }

    /// The truth value, if the term is one.
    pub fn truth(&self, term: TermId) -> Option<bool> {
        self.pool.bool_value(term)
    }

    /// A symbol that stands nowhere else. `hint` is for people.
    pub fn fresh(&mut self, hint: &str, sort: Sort) -> TermId {
        self.fresh += 1;
        let name = format!("{hint}!{}", self.fresh);
        self.pool.symbol(&name, sort)
    }

    /// A fresh bit-vector.
    pub fn fresh_bits(&mut self, hint: &str, width: u32) -> TermId {
        self.fresh(hint, Sort::BitVec(width))
    }

    /// true
    pub fn yes(&mut self) -> TermId {
        self.pool.tt()
    }

    /// false
    pub fn no(&mut self) -> TermId {
        self.pool.ff()
    }

    /// ¬a
    pub fn not(&mut self, a: TermId) -> TermId {
        let term = self.pool.not(a);
        self.simple(term)
    }

    /// a ∧ b
    pub fn and(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.truth(a), self.truth(b)) {
            (Some(false), _) | (_, Some(true)) => a,
            (_, Some(false)) | (Some(true), _) => b,
            _ => {
                let term = self.pool.and(a, b);
                self.simple(term)
            }
        }
    }

    /// a ∨ b
    pub fn or(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.truth(a), self.truth(b)) {
            (Some(true), _) | (_, Some(false)) => a,
            (_, Some(true)) | (Some(false), _) => b,
            _ => {
                let term = self.pool.or(a, b);
                self.simple(term)
            }
        }
    }

    /// The disjunction of all.
    pub fn any(&mut self, terms: &[TermId]) -> TermId {
        let term = self.pool.any_of(terms);
        self.simple(term)
    }

    /// a = b
    pub fn equal(&mut self, a: TermId, b: TermId) -> TermId {
        if a == b {
            return self.yes();
        }
        let term = self.pool.equal(a, b);
        self.simple(term)
    }

    /// if condition then a else b
    pub fn ite(&mut self, condition: TermId, a: TermId, b: TermId) -> TermId {
        match self.truth(condition) {
            Some(true) => a,
            Some(false) => b,
            None if a == b => a,
            None => {
                let term = self.pool.ite(condition, a, b);
                self.simple(term)
            }
        }
    }

    /// a + b
    pub fn add(&mut self, a: TermId, b: TermId) -> TermId {
        let term = self.pool.bvadd(a, b);
        self.simple(term)
    }

    /// a + a number
    pub fn add_number(&mut self, a: TermId, by: u128) -> TermId {
        if by == 0 {
            return a;
        }
        let width = self.pool.width(a);
        let by = self.number(width, by);
        self.add(a, by)
    }

    /// a - b
    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        let term = self.pool.bvsub(a, b);
        self.simple(term)
    }

    /// a * a number
    pub fn times(&mut self, a: TermId, by: u128) -> TermId {
        let width = self.pool.width(a);
        let by = self.number(width, by);
        let term = self.pool.bvmul(a, by);
        self.simple(term)
    }

    /// a < b, unsigned
    pub fn below(&mut self, a: TermId, b: TermId) -> TermId {
        let term = self.pool.ult(a, b);
        self.simple(term)
    }

    /// Is any bit one?
    pub fn is_nonzero(&mut self, a: TermId) -> TermId {
        let term = self.pool.is_nonzero(a);
        self.simple(term)
    }

    /// The bits from `low` to `high`, both included.
    pub fn cut(&mut self, a: TermId, high: u32, low: u32) -> TermId {
        if low == 0 && high + 1 == self.pool.width(a) {
            return a;
        }
        let term = self.pool.extract(a, high, low);
        self.simple(term)
    }

    /// high above low
    pub fn join(&mut self, high: TermId, low: TermId) -> TermId {
        let term = self.pool.concat(high, low);
        self.simple(term)
    }

    /// The number in another width: its low bits, or extended by zeros or by its sign.
    pub fn resize(&mut self, a: TermId, width: u32, signed: bool) -> TermId {
        if width == self.pool.width(a) {
            return a;
        }
        let term = crate::arithmetic::converted(&mut self.pool, a, width, signed);
        self.simple(term)
    }

    /// `a[index]`, seeing through writes elsewhere.
    pub fn select(&mut self, array: TermId, index: TermId) -> TermId {
        let term = self.pool.select(array, index);
        self.simple(term)
    }

    /// The constants that a term of `ite`s over constants can be, with the condition of each, if it is such a term
    /// and there are at most `most`.
    pub fn choices(&mut self, term: TermId, most: usize) -> Option<Vec<(TermId, u128)>> {
        // First only look: building conditions for a term that turns out not to be one would be waste.
        let mut open = vec![term];
        let mut leaves = 0;
        while let Some(next) = open.pop() {
            if self.constant(next).is_some() {
                leaves += 1;
            } else if self.pool.op(next) == Op::Ite {
                open.extend_from_slice(&self.pool.arguments(next)[1..]);
            } else {
                return None;
            }
            if leaves + open.len() > most {
                return None;
            }
        }
        let mut found: Vec<(TermId, u128)> = Vec::new();
        let yes = self.yes();
        let mut open = vec![(term, yes)];
        while let Some((next, condition)) = open.pop() {
            if let Some(value) = self.constant(next) {
                match found.iter().position(|(_, known)| *known == value) {
                    Some(at) => found[at].0 = self.or(found[at].0, condition),
                    None => found.push((condition, value)),
                }
                continue;
            }
            let [test, then, other] = *self.pool.arguments(next) else {
                unreachable!("an ite has three parts")
            };
            let not_test = self.not(test);
            let (taken, left) = (self.and(condition, test), self.and(condition, not_test));
            open.push((other, left));
            open.push((then, taken));
        }
        Some(found)
    }
}
