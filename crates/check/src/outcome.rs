//! What every check gives back, and how an algorithm says that it had to stop.

use base::Exhausted;
use question::Verdict;
use verdict::{Reason, Statistics, Undecided};

/// A verdict with what it took and what is worth knowing about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// What it took.
    pub statistics: Statistics,
    /// Worth knowing, such as a formula that holds vacuously.
    pub remarks: Vec<String>,
}

impl Outcome {
    /// A verdict without figures.
    pub fn new(verdict: impl Into<Verdict>) -> Outcome {
        Outcome { verdict: verdict.into(), statistics: Statistics::default(), remarks: Vec::new() }
    }

    /// Adds a count.
    #[must_use]
    pub fn count(mut self, name: &'static str, value: usize) -> Outcome {
        self.statistics.count(name, value as u64);
        self
    }

    /// Adds what is worth knowing.
    #[must_use]
    pub fn remark(mut self, remark: impl Into<String>) -> Outcome {
        self.remarks.push(remark.into());
        self
    }

    /// The outcome of a computation that may have stopped early.
    pub fn settle(result: Result<Outcome, Stopped>) -> Outcome {
        result.unwrap_or_else(|stopped| Outcome::new(stopped.undecided))
    }
}

/// An algorithm stopped before its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Stopped {
    /// Why, and what was shown until then.
    pub undecided: Undecided,
}

impl Stopped {
    /// Stopped for this reason.
    pub fn because(reason: Reason) -> Stopped {
        Stopped { undecided: Undecided::because(reason) }
    }

    /// Adds what was shown until then.
    #[must_use]
    pub fn having_shown(mut self, sentence: impl Into<String>) -> Stopped {
        self.undecided = self.undecided.proved(sentence);
        self
    }
}

impl From<Exhausted> for Stopped {
    fn from(exhausted: Exhausted) -> Stopped {
        Stopped { undecided: exhausted.into() }
    }
}
