//! What a second look at an answer says, as plain data: the audit of a certificate, and whether a proof is
//! about anything.

use base::Span;

/// What came of an audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Everything the certificate claims was shown again.
    Accepted,
    /// Something it claims does not hold.
    Refuted {
        /// What, in a sentence without a full stop.
        why: String,
        /// The place that is about.
        at: Span,
    },
    /// It could not be shown, nor refuted.
    Open {
        /// Why it could not be shown.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audit {
    /// Accepted or not.
    pub judgement: Judgement,
    /// Obligations that were shown.
    pub obligations: u64,
    /// Heads of loops, with the calls active there, that were met.
    pub heads: usize,
    /// What the second solver said, if there was one.
    pub second: Option<SecondOpinion>,
}

impl Audit {
    /// Does the certificate claim something that does not hold?
    pub fn refutes(&self) -> bool {
        matches!(self.judgement, Judgement::Refuted { .. })
    }
}

/// Do runs reach a place?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// A run reaches it.
    Yes,
    /// No run does.
    No,
    /// It was not found out.
    NotKnown,
}

impl Reached {
    /// What is known of two places of which one is enough.
    #[must_use]
    pub fn or(self, other: Reached) -> Reached {
        match (self, other) {
            (Reached::Yes, _) | (_, Reached::Yes) => Reached::Yes,
            (Reached::No, Reached::No) => Reached::No,
            _ => Reached::NotKnown,
        }
    }

    /// For machines.
    pub fn name(self) -> &'static str {
        match self {
            Reached::Yes => "reached",
            Reached::No => "unreachable",
            Reached::NotKnown => "not-known",
        }
    }
}

/// A place that a proof is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProvedPlace {
    /// The place in the source.
    pub at: Span,
    /// Is it behind an assumption of the program's, rather than where something must not fail?
    pub is_assumption: bool,
    /// Do runs reach it?
    pub reached: Reached,
}

/// Whether a proof says anything (vacuity): where no run reaches what must not fail, HOLDS is true and means
/// nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vacuity {
    /// The places that were asked about.
    pub places: Vec<ProvedPlace>,
    /// Is there nothing in the program that could violate the property?
    pub nothing_to_violate: bool,
}

impl Vacuity {
    /// Is the proof about nothing?
    pub fn is_vacuous(&self) -> bool {
        let mut asserted = self.places.iter().filter(|place| !place.is_assumption).peekable();
        self.nothing_to_violate
            || (asserted.peek().is_some() && { asserted }.all(|place| place.reached == Reached::No))
    }
}
