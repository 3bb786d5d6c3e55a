//! How an algorithm says that it had to stop, and the answer that becomes of it.

use base::Exhausted;
use question::Answer;
use verdict::{Reason, Undecided};

/// An algorithm stopped before its answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stopped {
    /// Why, and what was shown until then.
    pub undecided: Undecided,
}

impl Stopped {
    /// Stopped for this reason.
    pub fn because(reason: Reason) -> Stopped {
        Stopped { undecided: Undecided::because(reason) }
    }

    /// The engine is not for this.
    pub fn cannot(engine: &'static str, why: &str) -> Stopped {
        Stopped::because(Reason::EngineCannot { engine, why: why.to_owned() })
    }

    /// Adds what was shown until then.
    #[must_use]
    pub fn having_shown(mut self, sentence: impl Into<String>) -> Stopped {
        self.undecided = self.undecided.proved(sentence);
        self
    }

    /// The answer of a computation that may stop early.
    pub fn settle(engine: &'static str, decide: impl FnOnce() -> Result<Answer, Stopped>) -> Answer {
        decide().unwrap_or_else(|stopped| stopped.answer(engine))
    }

    /// The answer that it stopped.
    pub fn answer(self, engine: &'static str) -> Answer {
        Answer::by(engine, self.undecided)
    }
}

impl From<Exhausted> for Stopped {
    fn from(exhausted: Exhausted) -> Stopped {
        Stopped { undecided: exhausted.into() }
    }
}

impl From<Undecided> for Stopped {
    fn from(undecided: Undecided) -> Stopped {
        Stopped { undecided }
    }
}

impl From<Stopped> for Undecided {
    fn from(stopped: Stopped) -> Undecided {
        stopped.undecided
    }
}
