//! Random formulas of linear temporal logic, and words to read them on.

use crate::Random;
use automata::{Atom, LassoWord, Letter, Ltl};
use base::Id;

impl Random {
    /// A formula of about a size over so many atoms.
    pub fn ltl(&mut self, size: usize, atoms: usize) -> Ltl {
        if size <= 1 {
            return match self.below(12) {
                0 => Ltl::True,
                1 => Ltl::False,
                _ => Ltl::atom(Atom::from_index(self.below(atoms))),
            };
        }
        let kind = self.below(11);
        if kind < 4 {
            let inner = self.ltl(size - 1, atoms);
            return match kind {
                0 => inner.negated(),
                1 => inner.next(),
                2 => inner.finally(),
                _ => inner.globally(),
            };
        }
        let left_size = 1 + self.below(size.saturating_sub(2).max(1));
        let left = self.ltl(left_size, atoms);
        let right = self.ltl((size - 1).saturating_sub(left_size).max(1), atoms);
        match kind {
            4 | 5 => left.and(right),
            6 => left.or(right),
            7 => left.until(right),
            8 => left.weak_until(right),
            9 => left.release(right),
            _ => left.strong_release(right),
        }
    }

    /// A word with a short stem and a short cycle.
    pub fn word(&mut self, atoms: usize) -> LassoWord {
        let stem = self.below(4);
        let cycle = 1 + self.below(4);
        LassoWord { stem: self.letters(stem, atoms), cycle: self.letters(cycle, atoms) }
    }

    fn letters(&mut self, count: usize, atoms: usize) -> Vec<Letter> {
        (0..count)
            .map(|_| (0..atoms).filter(|_| self.below(2) == 1).map(Atom::from_index).collect())
            .collect()
    }
}

/// Names of atoms: `p0`, `p1`, …
pub fn names(atoms: usize) -> Vec<String> {
    (0..atoms).map(|index| format!("p{index}")).collect()
}
