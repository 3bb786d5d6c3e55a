//! What is audited, and what came of it.

use base::Span;
use logic::SolverCommand;
use program::{Known, Procedure};
use symbolic::FailureKind;

/// What must never happen: what the proof claims.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// A failing `assert`.
    pub assertions: bool,
    /// A call of one of these functions.
    pub functions: Vec<String>,
    /// Control at a place with one of these labels.
    pub labels: Vec<String>,
    /// Signed overflow. (Undefined behaviour that compilers give no meaning must not happen in any case.)
    pub signed_overflow: bool,
    /// Shifts by too much.
    pub shifts: bool,
    /// Memory that is read before it is written: followed where the certificate unrolls the program from its start.
    pub uninitialised: bool,
    /// Allocated blocks that live when the program ends by itself.
    pub leaks: bool,
    /// What a function without a body does.
    pub missing: Missing,
}

/// What a function without a body does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// Nothing is known past a call of it.
    #[default]
    Stop,
    /// It gives any result and changes nothing else.
    AnyResult,
    /// It gives any result and may write to all it can get at.
    AnyEffect,
}

impl Question {
    /// Is a failure one that gcc gives a meaning and nobody asked about?
    pub(crate) fn ignores(&self, kind: FailureKind) -> bool {
        match kind {
            FailureKind::SignedOverflow => !self.signed_overflow,
            FailureKind::BadShift => !self.shifts,
            FailureKind::Uninitialised => !self.uninitialised,
            _ => false,
        }
    }

    /// Is a call of the procedure what must not happen?
    pub(crate) fn forbids(&self, procedure: &Procedure) -> bool {
        self.functions.iter().any(|name| **name == *procedure.name)
            || (self.assertions && procedure.known == Some(Known::AssertFail) && procedure.is_native())
    }
}

/// How it is audited.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// A solver beside the embedded one.
    pub second_solver: Option<SolverCommand>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Everything the certificate claims was shown again.
    Accepted,
    /// Something it claims does not hold.
    Refuted {
        /// What, in a sentence without a full stop.
        why: String,
        /// Where.
        at: Span,
    },
    /// It could not be shown, nor refuted.
    Open {
        /// Why.
        why: String,
    },
}

/// What another solver said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondOpinion {
    /// How it was started.
    pub command: String,
    /// Obligations it showed as well.
    pub agreed: u64,
    /// Obligations it could not say anything about.
    pub unknown: u64,
}

/// The outcome of an audit.
#[derive(Clone, Debug)]
pub struct Report {
    /// Accepted or not.
    pub judgement: Judgement,
    /// Obligations that were shown.
    pub obligations: u64,
    /// Heads of loops, with the calls active there, that were met.
    pub heads: usize,
    /// What the second solver said, if there was one.
    pub second: Option<SecondOpinion>,
}
