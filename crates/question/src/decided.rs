//! What a search, or a loop of abstraction and refinement, comes to before an engine puts it into words.

use verdict::Undecided;

/// How it ended: the one type for "no" and "yes, by this" of every search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decided<Proof, Violation> {
    /// There is no violation; what shows it.
    Proved(Proof),
    /// There is one.
    Violated(Violation),
}

impl<Violation> Decided<(), Violation> {
    /// Nothing found is a proof where everything was looked at.
    pub fn by(violation: Option<Violation>) -> Decided<(), Violation> {
        violation.map_or(Decided::Proved(()), Decided::Violated)
    }
}

/// What a search found, or why it could not say.
pub type Searched<Violation> = Result<Decided<(), Violation>, Undecided>;

/// As in a verdict: `holds`, `violated` or `undecided`.
pub fn word<Proof, Violation>(found: &Result<Decided<Proof, Violation>, Undecided>) -> &'static str {
    match found {
        Ok(Decided::Proved(_)) => "holds",
        Ok(Decided::Violated(_)) => "violated",
        Err(_) => "undecided",
    }
}
