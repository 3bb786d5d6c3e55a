//! What a coverability engine says, and what it may spend.

use super::proof::Proof;
use super::witness::Chain;
use base::{Budget, Exhausted};

/// Limits of one engine's run.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Time, memory, cancellation.
    pub budget: Budget,
    /// At most so many steps of the engine's main loop; the same on every machine.
    pub steps: Option<u64>,
}

/// Why an engine stopped before its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// A limit of the budget.
    Budget(Exhausted),
    /// The limit on steps.
    Steps,
}

/// Counts the steps of a main loop against its limits.
pub(super) struct Meter<'a> {
    limits: &'a Limits,
    taken: u64,
}

impl<'a> Meter<'a> {
    pub(super) fn new(limits: &'a Limits) -> Meter<'a> {
        Meter { limits, taken: 0 }
    }

    /// Counts one step.
    pub(super) fn step(&mut self) -> Result<(), Stopped> {
        self.taken += 1;
        if self.limits.steps.is_some_and(|steps| self.taken > steps) {
            return Err(Stopped::Steps);
        }
        self.limits.budget.check().map_err(Stopped::Budget)
    }

    /// Counts so many steps at once.
    pub(super) fn steps(&mut self, count: u64) -> Result<(), Stopped> {
        self.taken += count - 1;
        self.step()
    }

    pub(super) fn taken(&self) -> u64 {
        self.taken
    }
}

/// An engine's answer.
#[derive(Clone, Debug)]
pub enum Finding {
    /// No target can be covered.
    Safe,
    /// A target can be covered (in the reading where upper limits lose tokens).
    Coverable(Chain),
    /// A limit was reached before there was an answer.
    Stopped(Stopped),
}

/// An engine's answer with its figures.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer.
    pub finding: Finding,
    /// Steps of the main loop.
    pub steps: u64,
    /// Markings held at the end: the basis, the frames, or the maximal markings.
    pub markings: u64,
    /// For engines that know: no target can be covered within so many steps of the system.
    pub safe_depth: Option<u64>,
    /// For a safe system: why it is.
    pub proof: Option<Proof>,
}
