//! An open answer: ignorance with a reason, what was shown all the same, what to try.

use crate::reason::Reason;
use base::Exhausted;

/// An open answer: why, where, what was proved, what to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// Why there is no answer.
    pub reason: Reason,
    /// What was shown before it stopped, each a sentence without a full stop.
    pub proved: Vec<String>,
    /// Which engines tried in vain, and why, each a sentence without a full stop.
    pub tried: Vec<String>,
    /// What the user can try, each a sentence without a full stop.
    pub try_next: Vec<String>,
}

impl Undecided {
    /// Open for this reason; nothing proved, nothing to try yet.
    pub fn because(reason: Reason) -> Undecided {
        Undecided { reason, proved: Vec::new(), tried: Vec::new(), try_next: Vec::new() }
    }

    /// Adds something that was shown.
    #[must_use]
    pub fn proved(mut self, sentence: impl Into<String>) -> Undecided {
        self.proved.push(sentence.into());
        self
    }

    /// Adds why an engine tried in vain.
    #[must_use]
    pub fn tried(mut self, sentence: impl Into<String>) -> Undecided {
        self.tried.push(sentence.into());
        self
    }

    /// Adds something to try.
    #[must_use]
    pub fn try_next(mut self, sentence: impl Into<String>) -> Undecided {
        self.try_next.push(sentence.into());
        self
    }
}

impl From<Exhausted> for Undecided {
    fn from(exhausted: Exhausted) -> Undecided {
        let undecided = Undecided::because(exhausted.into());
        match exhausted {
            Exhausted::Time => undecided.try_next("give more time with --time-limit"),
            Exhausted::Memory => undecided.try_next("give more memory with --memory-limit"),
            Exhausted::Cancelled => undecided,
        }
    }
}

impl std::fmt::Display for Undecided {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_say_what_to_try() {
        let open = Undecided::from(Exhausted::Time).proved("no deadlock within 12 steps");
        assert_eq!(open.to_string(), "the time limit was reached");
        assert_eq!(open.try_next, ["give more time with --time-limit"]);
        assert_eq!(open.proved, ["no deadlock within 12 steps"]);
    }
}
