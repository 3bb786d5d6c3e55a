//! What the user chose about the analysis. Passed down; nothing is global.

use crate::domain::integers::DEFAULT_CAP;
use crate::domain::operators::{Arithmetic, Overflow};
use crate::precision::Precision;

/// Which domains take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Domain {
    /// Interval sets and congruences.
    Intervals,
    /// Octagons over variables that meet in conditions, with single intervals.
    Octagons,
    /// All of them.
    #[default]
    Both,
}

/// What reading input does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Reads {
    /// `scanf` may fail and leave its targets as they were.
    #[default]
    MayFail,
    /// Every conversion delivers a value.
    Deliver,
}

/// What a function without a body may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum MissingEffect {
    /// Nothing is decided by runs that call it. What the analysis says of places after it is what it says for
    /// `Nondet`.
    Stop,
    /// Return any value, write through every pointer it is given, and change every global that it can see.
    #[default]
    Nondet,
    /// Return any value and change nothing.
    Pure,
}

impl MissingEffect {
    /// What such a function may do, in words.
    pub fn words(self) -> &'static str {
        match self {
            MissingEffect::Stop | MissingEffect::Nondet => {
                "return anything, write through every pointer it can get hold of and change every global that others can see; it is supposed to free \
                 nothing and to call only functions whose address it can get hold of"
            }
            MissingEffect::Pure => "return anything; it is supposed to change nothing",
        }
    }
}

/// Everything the analysis can be told.
#[derive(Clone, Debug)]
pub struct Settings {
    /// At signed overflow.
    pub overflow: Overflow,
    /// Ranges kept apart per variable.
    pub interval_cap: usize,
    /// Which abstract domains are used.
    pub domain: Domain,
    /// Rounds of a loop before widening.
    pub widening_delay: u32,
    /// Descending rounds after widening.
    pub narrowing_rounds: u32,
    /// What is kept apart, and for how long.
    pub precision: Precision,
    /// Input by `scanf`.
    pub reads: Reads,
    /// Functions without a body.
    pub missing: MissingEffect,
    /// Can allocation fail?
    pub allocation_may_fail: bool,
    /// What inputs can be, from a test-case file.
    pub tests: crate::testcases::TestCases,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            overflow: Overflow::default(),
            interval_cap: DEFAULT_CAP,
            domain: Domain::default(),
            widening_delay: 6,
            narrowing_rounds: 2,
            precision: Precision::default(),
            reads: Reads::default(),
            missing: MissingEffect::default(),
            allocation_may_fail: false,
            tests: crate::testcases::TestCases::default(),
        }
    }
}

impl Settings {
    /// How sets are computed with.
    pub fn arithmetic(&self) -> Arithmetic {
        let cap = if self.domain == Domain::Octagons { 1 } else { self.interval_cap.max(1) };
        Arithmetic { overflow: self.overflow, cap }
    }
}
