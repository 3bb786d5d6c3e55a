//! Ultimately periodic words (lassos): what an automaton accepts, and what a violated obligation looks like.

use crate::syntax::Atom;

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
    pub fn position_count(&self) -> usize {
        self.stem.len() + self.cycle.len()
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
        if position + 1 < self.position_count() { position + 1 } else { self.stem.len() }
    }
}
