//! What an engine for Boolean programs found, before it is put into the words of the source.

use crate::graph::NodeId;
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
    /// What the names in the certificate mean, as far as they are no words of the program.
    pub legend: Vec<Meaning>,
    /// What a HOLDS rests on beyond the engine's own rules, in a sentence.
    pub rests_on: Option<String>,
}

/// A name in a proof and what it stands for.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// The name.
    pub name: String,
    /// Where a thread is, if it is about one.
    pub at: Option<NodeId>,
    /// What there is to say of values, such as `with x=1 y=0`; empty if there is nothing.
    pub values: String,
}

impl Findings {
    /// Without a certificate.
    pub fn new(outcome: Searched<Trace>, statistics: Statistics) -> Findings {
        Findings { outcome, statistics, certificate: None, legend: Vec::new(), rests_on: None }
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
