//! What a solver can answer. Ignorance is an answer of its own and carries its reason, so that no caller can
//! take "I do not know" for "no".

use base::Exhausted;
use std::fmt;

/// The answer to "is there a model?".
#[must_use = "an answer may be Unknown, and Unknown must be handled"]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is a model, and the solver holds it.
    Sat,
    /// There is none.
    Unsat,
    /// The solver cannot tell, for the reason given.
    Unknown(UnknownReason),
}

impl Answer {
    /// Is there certainly a model?
    pub fn is_sat(&self) -> bool {
        matches!(self, Answer::Sat)
    }

    /// `Ok(true)` for sat, `Ok(false)` for unsat, the reason otherwise: for use with `?`.
    pub fn decided(self) -> Result<bool, UnknownReason> {
        match self {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(reason) => Err(reason),
        }
    }
}

/// Why a solver could not tell.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum UnknownReason {
    /// A limit of the budget was reached.
    Exhausted(Exhausted),
    /// The [`Interrupter`](crate::Interrupter) of this solver was used.
    Interrupted,
    /// The question uses something this back end does not have.
    Unsupported(String),
    /// The back end itself said unknown, or failed; its own words.
    BackEnd(String),
}

impl fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownReason::Exhausted(limit) => write!(f, "{limit}"),
            UnknownReason::Interrupted => f.write_str("the solver was interrupted"),
            UnknownReason::Unsupported(what) => write!(f, "{what}"),
            UnknownReason::BackEnd(words) => write!(f, "the solver says: {words}"),
        }
    }
}

impl std::error::Error for UnknownReason {}

impl From<Exhausted> for UnknownReason {
    fn from(limit: Exhausted) -> Self {
        UnknownReason::Exhausted(limit)
    }
}
