//! What can go wrong at a place: kinds, and how sure it is.

use crate::domain::operators::Certainty;

/// Kinds of trouble that are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum CheckKind {
    Overflow,
    DivisionByZero,
    /// The least number divided by -1.
    DivisionOverflow,
    BadShift,
    FloatToInteger,
    OutOfBounds,
    NullDereference,
    /// A pointer about which nothing is known is used.
    UnknownPointer,
    Uninitialised,
    /// A `_Bool` is read that is neither 0 nor 1.
    InvalidBool,
    /// A block that was freed is used.
    UseAfterFree,
    /// A variable of a block or function that has ended is used.
    UseAfterScope,
    /// A block is freed again.
    DoubleFree,
    /// What is freed is not the start of an allocated block.
    InvalidFree,
    /// A string literal or a constant is written.
    ReadOnlyWrite,
    /// Bytes are copied to bytes that overlap them.
    Overlap,
    /// What is called is no function, or one of another type.
    BadCall,
    /// The value of a function that ends without one is used.
    MissingReturnValue,
    /// A function that promised not to return does.
    ReturnedFromNoreturn,
    /// A format does not fit its arguments.
    FormatArguments,
    /// More variable arguments are taken than given, or of other types.
    VariableArguments,
    /// A library function does not accept its argument.
    BadArgument,
    /// A lock is released that is not held.
    MutexMisuse,
    /// The program gets where it says it never is.
    Unreachable,
    /// What a library function does next is not described.
    NotFollowed,
}

impl CheckKind {
    /// A stable name, the one `run` reports it under where there is one.
    pub fn name(self) -> &'static str {
        match self {
            CheckKind::Overflow => "signed-overflow",
            CheckKind::DivisionByZero => "division-by-zero",
            CheckKind::DivisionOverflow => "division-overflow",
            CheckKind::BadShift => "bad-shift",
            CheckKind::FloatToInteger => "float-to-integer",
            CheckKind::OutOfBounds => "out-of-bounds",
            CheckKind::NullDereference => "null-dereference",
            CheckKind::UnknownPointer => "unknown-pointer",
            CheckKind::Uninitialised => "uninitialised-read",
            CheckKind::InvalidBool => "invalid-bool",
            CheckKind::UseAfterFree => "use-after-free",
            CheckKind::UseAfterScope => "use-after-scope",
            CheckKind::DoubleFree => "double-free",
            CheckKind::InvalidFree => "invalid-free",
            CheckKind::ReadOnlyWrite => "read-only-write",
            CheckKind::Overlap => "overlap",
            CheckKind::BadCall => "bad-call",
            CheckKind::MissingReturnValue => "missing-return-value",
            CheckKind::ReturnedFromNoreturn => "returned-from-noreturn",
            CheckKind::FormatArguments => "format-arguments",
            CheckKind::VariableArguments => "variable-arguments",
            CheckKind::BadArgument => "bad-argument",
            CheckKind::MutexMisuse => "mutex-misuse",
            CheckKind::Unreachable => "unreachable",
            CheckKind::NotFollowed => "not-followed",
        }
    }

    /// In words, for `... here`.
    pub fn words(self) -> &'static str {
        match self {
            CheckKind::Overflow => "signed overflow",
            CheckKind::DivisionByZero => "division by zero",
            CheckKind::DivisionOverflow => "a division whose result does not fit",
            CheckKind::BadShift => "a shift count out of range",
            CheckKind::FloatToInteger => "a conversion out of range",
            CheckKind::OutOfBounds => "an access out of bounds",
            CheckKind::NullDereference => "use of a null pointer",
            CheckKind::UnknownPointer => "use of a pointer that is not followed",
            CheckKind::Uninitialised => "a read of what was never written",
            CheckKind::InvalidBool => "a read of a `_Bool` that is neither 0 nor 1",
            CheckKind::UseAfterFree => "use of a block that was freed",
            CheckKind::UseAfterScope => "use of a variable after its block or function has ended",
            CheckKind::DoubleFree => "freeing a block again",
            CheckKind::InvalidFree => "freeing what is not the start of an allocated block",
            CheckKind::ReadOnlyWrite => "a write to a string literal or constant",
            CheckKind::Overlap => "a copy to bytes that overlap those copied",
            CheckKind::BadCall => "a call of what is no function of that type",
            CheckKind::MissingReturnValue => "use of a value that the function did not return",
            CheckKind::ReturnedFromNoreturn => "return from a function that promised not to return",
            CheckKind::FormatArguments => "a format that does not fit its arguments",
            CheckKind::VariableArguments => "taking an argument that was not given",
            CheckKind::BadArgument => "an argument that the library function does not accept",
            CheckKind::MutexMisuse => "release of a lock that is not held",
            CheckKind::Unreachable => "control where the program says it never is",
            CheckKind::NotFollowed => "a call of which nothing is known",
        }
    }

    /// All kinds, in order.
    pub const ALL: [CheckKind; 25] = [
        CheckKind::Overflow,
        CheckKind::DivisionByZero,
        CheckKind::DivisionOverflow,
        CheckKind::BadShift,
        CheckKind::FloatToInteger,
        CheckKind::OutOfBounds,
        CheckKind::NullDereference,
        CheckKind::UnknownPointer,
        CheckKind::Uninitialised,
        CheckKind::InvalidBool,
        CheckKind::UseAfterFree,
        CheckKind::UseAfterScope,
        CheckKind::DoubleFree,
        CheckKind::InvalidFree,
        CheckKind::ReadOnlyWrite,
        CheckKind::Overlap,
        CheckKind::BadCall,
        CheckKind::MissingReturnValue,
        CheckKind::ReturnedFromNoreturn,
        CheckKind::FormatArguments,
        CheckKind::VariableArguments,
        CheckKind::BadArgument,
        CheckKind::MutexMisuse,
        CheckKind::Unreachable,
        CheckKind::NotFollowed,
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
    /// What a library function would do with it, if it is a library function that goes wrong.
    pub detail: String,
}
