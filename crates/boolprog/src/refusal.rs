//! Why something is not what it was taken for: a run that cannot be made again, a text that names no state.

use verdict::Reason;

/// What was found is no run of the system: a step of it is refused, or it does not end where it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotARun {
    /// Why, in words.
    pub why: String,
}

impl From<String> for NotARun {
    fn from(why: String) -> NotARun {
        NotARun { why }
    }
}

impl From<&str> for NotARun {
    fn from(why: &str) -> NotARun {
        NotARun { why: why.to_owned() }
    }
}

impl From<NotARun> for Reason {
    fn from(refused: NotARun) -> Reason {
        Reason::NotConfirmed { why: refused.why }
    }
}

/// A text that should name a state of a system does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAState {
    /// Why, in words.
    pub why: String,
}

impl From<String> for NotAState {
    fn from(why: String) -> NotAState {
        NotAState { why }
    }
}
