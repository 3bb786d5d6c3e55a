//! What an engine found out.

use question::Violation;
use verdict::{ProgramProof, Undecided};

/// The answer.
#[derive(Clone, Debug)]
pub enum Finding {
    /// The property holds.
    Holds(Proof),
    /// It does not: a real run shows it.
    Violated(Box<Violation>),
    /// Neither was shown.
    Undecided(Undecided),
}

/// Why it holds.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The engine that found it.
    pub engine: &'static str,
    /// How, in a sentence.
    pub how: String,
    /// What it rests on, for whoever wants to check it.
    pub certificate: ProgramProof,
}

/// An answer with what goes along.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer.
    pub finding: Finding,
    /// What it rests on, in words.
    pub assumptions: Vec<String>,
    /// Steps encoded.
    pub steps: u64,
    /// Questions asked of the solver.
    pub queries: u64,
    /// The deepest unrolling that was finished.
    pub rounds: u32,
    /// The last Boolean program of predicate abstraction, as text, if there was one.
    pub boolean: Option<String>,
}
