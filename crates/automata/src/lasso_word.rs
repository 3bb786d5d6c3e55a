//! Whether a formula holds of an ultimately periodic word, straight from the definition of the operators.
//! This is the oracle that automata are tested against; it shares no code with the translation.
//! Fixpoints of U and R over the finitely many positions: after Markey and Schnoebelen 2003, section 3.

use crate::syntax::{Atom, Ltl};

/// A letter: the atoms that hold at a position.
pub type Letter = std::collections::BTreeSet<Atom>;

/// The infinite word `stem cycle cycle …`; the cycle is not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LassoWord {
    /// The letters before the cycle.
    pub stem: Vec<Letter>,
    /// The letters that repeat.
    pub cycle: Vec<Letter>,
}

impl LassoWord {
    /// How many distinct positions there are.
    pub fn len(&self) -> usize {
        self.stem.len() + self.cycle.len()
    }

    /// A word always has a position; this is here because `len` is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The letter at a position.
    pub fn letter(&self, position: usize) -> &Letter {
        match position.checked_sub(self.stem.len()) {
            None => &self.stem[position],
            Some(in_cycle) => &self.cycle[in_cycle],
        }
    }

    /// The position that follows.
    pub fn successor(&self, position: usize) -> usize {
        if position + 1 < self.len() { position + 1 } else { self.stem.len() }
    }

    /// Does the formula hold of the word?
    pub fn satisfies(&self, formula: &Ltl) -> bool {
        assert!(!self.cycle.is_empty(), "an infinite word repeats something");
        self.positions_where(formula)[0]
    }

    /// At which positions does the formula hold?
    pub fn positions_where(&self, formula: &Ltl) -> Vec<bool> {
        let all = |value: bool| vec![value; self.len()];
        let each = |f: &dyn Fn(usize) -> bool| (0..self.len()).map(f).collect::<Vec<bool>>();
        match formula {
            Ltl::True => all(true),
            Ltl::False => all(false),
            Ltl::Atom(atom) => each(&|i| self.letter(i).contains(atom)),
            Ltl::Not(a) => self.positions_where(a).iter().map(|value| !value).collect(),
            Ltl::And(a, b) => zip(&self.positions_where(a), &self.positions_where(b), |x, y| x && y),
            Ltl::Or(a, b) => zip(&self.positions_where(a), &self.positions_where(b), |x, y| x || y),
            Ltl::Next(a) => {
                let inner = self.positions_where(a);
                each(&|i| inner[self.successor(i)])
            }
            Ltl::Finally(b) => self.until(&all(true), &self.positions_where(b)),
            Ltl::Globally(b) => self.release(&all(false), &self.positions_where(b)),
            Ltl::Until(a, b) => self.until(&self.positions_where(a), &self.positions_where(b)),
            Ltl::Release(a, b) => self.release(&self.positions_where(a), &self.positions_where(b)),
            Ltl::WeakUntil(a, b) => {
                let (a, b) = (self.positions_where(a), self.positions_where(b));
                let strong = self.until(&a, &b);
                let always = self.release(&all(false), &a);
                zip(&strong, &always, |x, y| x || y)
            }
            Ltl::StrongRelease(a, b) => {
                let (a, b) = (self.positions_where(a), self.positions_where(b));
                let weak = self.release(&a, &b);
                let some = self.until(&all(true), &a);
                zip(&weak, &some, |x, y| x && y)
            }
        }
    }

    /// Least fixpoint of `b or (a and next)`.
    fn until(&self, a: &[bool], b: &[bool]) -> Vec<bool> {
        self.fixpoint(false, |i, next| b[i] || (a[i] && next))
    }

    /// Greatest fixpoint of `b and (a or next)`.
    fn release(&self, a: &[bool], b: &[bool]) -> Vec<bool> {
        self.fixpoint(true, |i, next| b[i] && (a[i] || next))
    }

    fn fixpoint(&self, start: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut values = vec![start; self.len()];
        loop {
            let mut changed = false;
            for position in (0..self.len()).rev() {
                let value = step(position, values[self.successor(position)]);
                changed |= value != values[position];
                values[position] = value;
            }
            if !changed {
                return values;
            }
        }
    }
}

fn zip(left: &[bool], right: &[bool], join: impl Fn(bool, bool) -> bool) -> Vec<bool> {
    left.iter().zip(right).map(|(x, y)| join(*x, *y)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Id;

    #[test]
    fn operators_mean_what_their_definitions_say() {
        let (p, q) = (Atom::from_index(0), Atom::from_index(1));
        let (lp, lq) = (Ltl::atom(p), Ltl::atom(q));
        // p p q (p)^ω
        let word = LassoWord {
            stem: vec![Letter::from([p]), Letter::from([p]), Letter::from([q])],
            cycle: vec![Letter::from([p])],
        };
        assert!(word.satisfies(&lp.clone().until(lq.clone())));
        assert!(!word.satisfies(&lp.clone().globally()));
        assert!(word.satisfies(&lp.clone().globally().finally()));
        assert!(!word.satisfies(&lq.clone().finally().globally()));
        assert!(word.satisfies(&lq.clone().next().next()));
        assert!(!word.satisfies(&lq.clone().release(lp.clone())), "p must still hold when q does");
        assert!(word.satisfies(&lq.clone().release(lp.clone().or(lq.clone()))));
        assert!(!word.satisfies(&Ltl::False.strong_release(Ltl::True)));
        assert!(word.satisfies(&Ltl::True.weak_until(Ltl::False)));
    }
}
