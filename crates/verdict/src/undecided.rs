//! Ignorance with a reason: why there is no answer, what was shown all the same, what to try.

use base::{Exhausted, Span};

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The time limit was reached.
    TimeLimit,
    /// The memory limit was reached.
    MemoryLimit,
    /// The user interrupted the run.
    Interrupted,
    /// A limit on a size was reached, such as states or subsets.
    SizeLimit {
        /// What was counted.
        what: &'static str,
        /// How many are allowed.
        limit: u64,
    },
    /// A reached function has neither body nor specification.
    MissingBody {
        /// The function that is called.
        function: String,
        /// Where it is called.
        called_at: Span,
    },
    /// A solver could not say.
    SolverUnknown {
        /// What it was asked.
        question: String,
    },
    /// The input uses something that is not supported.
    NotSupported {
        /// What it is.
        construct: String,
        /// Where it stands.
        at: Span,
    },
    /// The engine that was asked for cannot answer this kind of question.
    EngineCannot {
        /// The engine, as `--engine` names it.
        engine: &'static str,
        /// Why it cannot.
        why: String,
    },
    /// A proof was found whose certificate does not stand up to an audit: a mistake of ours.
    NotAudited {
        /// What does not hold.
        why: String,
    },
    /// A counterexample was found in an abstraction, and could neither be confirmed nor refuted.
    NotConfirmed {
        /// What stood in the way.
        why: String,
    },
    /// A run may come to undefined behaviour that nobody asked about, past which nothing is known.
    UnknownPast {
        /// What it is, where, and what stood in the way of a run that shows it.
        why: String,
    },
    /// An analysis of all runs at once cannot exclude it; whether a run does it was not asked.
    NotExcluded {
        /// What it cannot exclude, in a sentence without a full stop.
        what: String,
    },
    /// An engine tried and did not get there.
    NotShown {
        /// Where it got stuck, in a sentence without a full stop.
        why: String,
    },
}

impl Reason {
    /// Is it a limit that the user set for the whole run, or the end that the user made of it?
    pub fn is_limit_of_the_run(&self) -> bool {
        matches!(self, Reason::TimeLimit | Reason::MemoryLimit | Reason::Interrupted)
    }
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::TimeLimit => write!(f, "{}", Exhausted::Time),
            Reason::MemoryLimit => write!(f, "{}", Exhausted::Memory),
            Reason::Interrupted => write!(f, "{}", Exhausted::Cancelled),
            Reason::SizeLimit { what, limit } => write!(f, "more than {limit} {what}"),
            Reason::MissingBody { function, .. } => {
                write!(f, "`{function}` has neither a body nor a specification")
            }
            Reason::SolverUnknown { question } => write!(f, "the solver could not say whether {question}"),
            Reason::NotSupported { construct, .. } => write!(f, "{construct} is not supported"),
            Reason::EngineCannot { engine, why } => {
                write!(f, "the engine `{engine}` cannot answer this: {why}")
            }
            Reason::NotAudited { why } => {
                write!(f, "internal error: a proof was found, and its certificate does not audit: {why}")
            }
            Reason::NotConfirmed { why } => {
                write!(f, "a possible counterexample could not be confirmed: {why}")
            }
            Reason::UnknownPast { why } => f.write_str(why),
            Reason::NotExcluded { what: sentence } | Reason::NotShown { why: sentence } => {
                f.write_str(sentence)
            }
        }
    }
}

impl From<Exhausted> for Reason {
    fn from(exhausted: Exhausted) -> Reason {
        match exhausted {
            Exhausted::Time => Reason::TimeLimit,
            Exhausted::Memory => Reason::MemoryLimit,
            Exhausted::Cancelled => Reason::Interrupted,
        }
    }
}

/// What an engine says of itself when it gives up.
impl From<String> for Reason {
    fn from(why: String) -> Reason {
        Reason::NotShown { why }
    }
}

impl From<&str> for Reason {
    fn from(why: &str) -> Reason {
        Reason::NotShown { why: why.to_owned() }
    }
}

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
