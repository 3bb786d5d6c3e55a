//! What a HOLDS rests on, as data that can be written down. Engines make it, and it was checked apart from them first.

/// States that something is said about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Where: a program counter, a procedure, a shared state.
    pub place: String,
    /// Which states.
    pub states: String,
}

/// An inductive invariant in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// `summaries`, `excluded markings` or `cover`.
    pub shape: &'static str,
    /// How to read the facts, and why they prove the property.
    pub meaning: &'static str,
    /// The facts.
    pub facts: Vec<Fact>,
    /// How many conditions the check went through.
    pub conditions: u64,
}
