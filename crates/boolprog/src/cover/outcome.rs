//! What a coverability engine says, and what it may spend.

use super::proof::Proof;
use super::witness::Chain;
use base::Exhausted;
use question::{Decided, Monitor};

/// Limits of one engine's run.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// Time, memory, cancellation, and who hears how many steps were made.
    pub monitor: Monitor<'a>,
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

/// After so many steps people who wait hear of them.
const STEPS_BETWEEN_NEWS: u64 = 1 << 12;

/// Counts the steps of a main loop against its limits.
pub(super) struct Meter<'a> {
    limits: Limits<'a>,
    taken: u64,
}

impl<'a> Meter<'a> {
    pub(super) fn new(limits: Limits<'a>) -> Meter<'a> {
        Meter { limits, taken: 0 }
    }

    /// Counts one step.
    pub(super) fn step(&mut self) -> Result<(), Stopped> {
        self.taken += 1;
        if self.limits.steps.is_some_and(|steps| self.taken > steps) {
            return Err(Stopped::Steps);
        }
        if self.taken % STEPS_BETWEEN_NEWS == 1 {
            self.limits.monitor.count("steps", self.taken as usize);
        }
        self.limits.monitor.check().map_err(Stopped::Budget)
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

/// An engine's answer with its figures.
#[derive(Clone, Debug)]
pub struct CoverabilityResult {
    /// Why no target can be covered; or how one can, in the reading where upper limits lose tokens.
    pub found: Result<Decided<Proof, Chain>, Stopped>,
    /// Steps of the main loop.
    pub steps: u64,
    /// Markings held at the end: the basis, the frames, or the maximal markings.
    pub markings: u64,
    /// For engines that know: no target can be covered within so many steps of the system.
    pub safe_depth: Option<u64>,
}
