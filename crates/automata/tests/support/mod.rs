//! Random formulas and words, the same for the same seed.

use automata::{Atom, LassoWord, Letter, Ltl};
use base::Id;

/// A small generator of random numbers (xorshift64*), so that failures can be repeated.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }

    pub fn formula(&mut self, size: usize, atoms: usize) -> Ltl {
        if size <= 1 {
            return match self.below(12) {
                0 => Ltl::True,
                1 => Ltl::False,
                _ => Ltl::atom(Atom::from_index(self.below(atoms))),
            };
        }
        let kind = self.below(11);
        if kind < 4 {
            let inner = self.formula(size - 1, atoms);
            return match kind {
                0 => inner.negated(),
                1 => inner.next(),
                2 => inner.finally(),
                _ => inner.globally(),
            };
        }
        let left_size = 1 + self.below(size.saturating_sub(2).max(1));
        let left = self.formula(left_size, atoms);
        let right = self.formula((size - 1).saturating_sub(left_size).max(1), atoms);
        match kind {
            4 | 5 => left.and(right),
            6 => left.or(right),
            7 => left.until(right),
            8 => left.weak_until(right),
            9 => left.release(right),
            _ => left.strong_release(right),
        }
    }

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

pub fn names(atoms: usize) -> Vec<String> {
    (0..atoms).map(|index| format!("p{index}")).collect()
}
