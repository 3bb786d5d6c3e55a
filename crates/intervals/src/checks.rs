//! What can go wrong at a place: kinds, and how sure it is.

use crate::domain::operators::Certainty;

/// Kinds of trouble that are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum CheckKind {
    Overflow,
    DivisionByZero,
    BadShift,
    FloatToInteger,
    OutOfBounds,
    NullDereference,
    /// A pointer about which nothing is known is used.
    UnknownPointer,
    Uninitialised,
}

impl CheckKind {
    /// A stable name, the one `run` reports it under where there is one.
    pub fn name(self) -> &'static str {
        match self {
            CheckKind::Overflow => "signed-overflow",
            CheckKind::DivisionByZero => "division-by-zero",
            CheckKind::BadShift => "bad-shift",
            CheckKind::FloatToInteger => "float-to-integer",
            CheckKind::OutOfBounds => "out-of-bounds",
            CheckKind::NullDereference => "null-dereference",
            CheckKind::UnknownPointer => "unknown-pointer",
            CheckKind::Uninitialised => "uninitialised-read",
        }
    }

    /// In words, for `... here`.
    pub fn words(self) -> &'static str {
        match self {
            CheckKind::Overflow => "signed overflow",
            CheckKind::DivisionByZero => "division by zero",
            CheckKind::BadShift => "a shift count out of range",
            CheckKind::FloatToInteger => "a conversion out of range",
            CheckKind::OutOfBounds => "an access out of bounds",
            CheckKind::NullDereference => "use of a null pointer",
            CheckKind::UnknownPointer => "use of a pointer that is not followed",
            CheckKind::Uninitialised => "a read of what was never written",
        }
    }

    /// All kinds, in order.
    pub const ALL: [CheckKind; 8] = [
        CheckKind::Overflow,
        CheckKind::DivisionByZero,
        CheckKind::BadShift,
        CheckKind::FloatToInteger,
        CheckKind::OutOfBounds,
        CheckKind::NullDereference,
        CheckKind::UnknownPointer,
        CheckKind::Uninitialised,
    ];
}

/// One operation that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What could go wrong.
    pub kind: CheckKind,
    /// Whether it does.
    pub certainty: Certainty,
    /// The expression or place it is about.
    pub about: String,
}
