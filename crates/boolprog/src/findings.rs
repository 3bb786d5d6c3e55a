//! What an engine for Boolean programs found, before it is put into the words of the source.

use crate::trace::Trace;
use question::Searched;
use verdict::{InductiveFacts, Statistics, Undecided};

/// What an engine found, with its run as a trace of the program's edges.
#[derive(Clone, Debug)]
pub struct Findings {
    /// Can an assertion fail, or an error label be reached? A trace ends there, and engines replay it before
    /// they give it.
    pub outcome: Searched<Trace>,
    /// What it took.
    pub statistics: Statistics,
    /// The proof in words, if it was asked for and checked.
    pub certificate: Option<InductiveFacts>,
    /// What a HOLDS rests on beyond the engine's own rules, in a sentence.
    pub rests_on: Option<String>,
}

impl Findings {
    /// Without a certificate.
    pub fn new(outcome: Searched<Trace>, statistics: Statistics) -> Findings {
        Findings { outcome, statistics, certificate: None, rests_on: None }
    }
}

impl From<Undecided> for Findings {
    fn from(open: Undecided) -> Findings {
        Findings::new(Err(open), Statistics::default())
    }
}

impl AsMut<Findings> for Findings {
    fn as_mut(&mut self) -> &mut Findings {
        self
    }
}
