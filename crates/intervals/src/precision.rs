//! How closely a program is looked at: what is kept apart, and for how long.
//!
//! Level 0 is quick and coarse, 1 joins whatever meets, and from 2 on states that come to a place by different ways
//! are kept apart (trace partitioning after Mauborgne and Rival 2005, as a number of states per place), loops are
//! followed round by round before the rest is taken together, and elements of arrays and blocks of one call have
//! cells of their own. A level is a set of limits and nothing else: all levels are sound.

/// What is kept apart, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precision {
    /// States kept apart at one place of a procedure; 1 joins whatever meets.
    pub states: usize,
    /// Rounds of a loop that are kept apart before the rest is taken together.
    pub rounds: u32,
    /// Entry states of a procedure that are told apart.
    pub contexts: usize,
    /// Calls of functions that call themselves that are told apart while they are active together.
    pub depth: usize,
    /// Elements from which on those of an array are taken together.
    pub fold_from: u64,
    /// Blocks that one call allocates that are told apart.
    pub blocks: u32,
    /// Steps after which nothing new is kept apart.
    pub steps: u64,
}

/// The level at which other engines ask, and the first look of `analyze`.
pub const FIRST_LEVEL: u8 = 1;
/// The closest level.
pub const CLOSEST_LEVEL: u8 = 5;

impl Precision {
    /// The limits of a level; levels past the closest are the closest.
    pub const fn level(level: u8) -> Precision {
        let (states, rounds, contexts, depth, fold_from, blocks, steps) = match level {
            0 => (1, 0, 1, 0, 65, 0, 0),
            1 => (1, 0, 6, 0, 65, 0, 0),
            2 => (3, 40, 60, 3, 129, 8, 20_000),
            3 => (10, 300, 400, 8, 513, 32, 150_000),
            4 => (40, 2_000, 2_000, 16, 1_025, 64, 1_000_000),
            _ => (150, 20_000, 10_000, 50, 1_025, 128, 10_000_000),
        };
        Precision { states, rounds, contexts, depth, fold_from, blocks, steps }
    }

    /// Are ways to one place kept apart at all?
    pub const fn keeps_apart(&self) -> bool {
        self.states > 1
    }
}

impl Default for Precision {
    fn default() -> Precision {
        Precision::level(FIRST_LEVEL)
    }
}
