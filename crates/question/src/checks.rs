//! The built-in checks: undefined behaviour that a property may forbid by name.

use concrete::UndefinedKind;

/// A kind of undefined behaviour that can be asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// Signed arithmetic whose result does not fit.
    SignedOverflow,
    /// Division by zero, or whose result does not fit.
    Division,
    /// Shifts by a negative count or by the width or more.
    Shift,
    /// Accesses outside their object or array.
    Bounds,
    /// Accesses through null or invalid pointers, writes to constants, calls of what is no function.
    Pointer,
    /// Accesses to what was freed or has left its scope.
    UseAfterFree,
    /// `free` of what is freed already or was never allocated.
    DoubleFree,
    /// Reads of what was never written.
    Uninitialised,
    /// Allocated blocks that are not freed when the program ends.
    Leak,
    /// The same where `abort`, a failed assertion or an error function ends the program. Only asked for by its name.
    Cleanup,
    /// Allocated blocks that nothing points to any more, wherever runs end or go on for ever without a change. Only asked
    /// for by its name.
    Lost,
    /// Control where the program says it never is (`__builtin_unreachable`).
    Unreachable,
    /// Library functions called with what they do not accept, where no other check says it.
    Library,
    /// Accesses of threads to the same memory, one of them a write, not both atomic, that nothing orders.
    Race,
    /// Threads that wait for ever: for each other, for those that have ended, for what nobody will do.
    Deadlock,
}

impl Check {
    /// All of them.
    pub const ALL: [Check; 15] = [
        Check::SignedOverflow,
        Check::Division,
        Check::Shift,
        Check::Bounds,
        Check::Pointer,
        Check::UseAfterFree,
        Check::DoubleFree,
        Check::Uninitialised,
        Check::Leak,
        Check::Cleanup,
        Check::Lost,
        Check::Unreachable,
        Check::Library,
        Check::Race,
        Check::Deadlock,
    ];

    /// The name on the command line and in files; and in words, to stand after "there is no".
    const fn name_and_words(self) -> (&'static str, &'static str) {
        match self {
            Check::SignedOverflow => ("signed-overflow", "signed overflow"),
            Check::Division => ("division", "division by zero"),
            Check::Shift => ("shift", "shift by a wrong count"),
            Check::Bounds => ("bounds", "access out of bounds"),
            Check::Pointer => ("pointer", "use of an invalid pointer"),
            Check::UseAfterFree => ("use-after-free", "use after free"),
            Check::DoubleFree => ("double-free", "invalid free"),
            Check::Uninitialised => ("uninitialised", "read of an uninitialised value"),
            Check::Leak => ("leak", "memory leak"),
            Check::Cleanup => ("cleanup", "memory left when the program is aborted"),
            Check::Lost => ("lost", "allocated memory that nothing points to any more"),
            Check::Unreachable => ("unreachable", "reached unreachable place"),
            Check::Library => ("library", "wrong argument of a library function"),
            Check::Race => ("race", "data race"),
            Check::Deadlock => ("deadlock", "deadlock"),
        }
    }

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        self.name_and_words().0
    }

    /// The check of a name.
    pub fn named(name: &str) -> Option<Check> {
        Check::ALL.into_iter().find(|check| check.name() == name)
    }

    /// In words, to stand after "there is no".
    pub fn words(self) -> &'static str {
        self.name_and_words().1
    }

    /// The check that forbids what the interpreter reports.
    pub fn of_report(kind: UndefinedKind) -> Option<Check> {
        use UndefinedKind::*;
        Some(match kind {
            SignedOverflow => Check::SignedOverflow,
            DivisionByZero | DivisionOverflow => Check::Division,
            BadShift => Check::Shift,
            OutOfBounds | IndexOutOfBounds | InnerIndex => Check::Bounds,
            NullDereference | WildPointer | ReadOnlyWrite | BadCall | Overlap => Check::Pointer,
            UseAfterFree | UseAfterScope => Check::UseAfterFree,
            DoubleFree | InvalidFree => Check::DoubleFree,
            UninitialisedRead | MissingReturnValue => Check::Uninitialised,
            Unreachable | ReturnedFromNoreturn => Check::Unreachable,
            DataRace => Check::Race,
            BadArgument | FormatArguments | VariableArguments | MutexMisuse | ThreadMisuse => Check::Library,
            _ => return None,
        })
    }
}

/// Some of the checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    bits: u16,
}

impl Checks {
    /// None of them.
    pub fn none() -> Checks {
        Checks::default()
    }

    /// All of them but `cleanup`, since most programs that abort leave memory on purpose, and `lost`, of which `leak` says
    /// more where programs end by themselves.
    pub fn all() -> Checks {
        let by_name_only = [Check::Cleanup, Check::Lost];
        let usual = Check::ALL.into_iter().filter(|check| !by_name_only.contains(check));
        usual.fold(Checks::none(), Checks::with)
    }

    /// These and one more.
    #[must_use]
    pub fn with(self, check: Check) -> Checks {
        // Who cleans up before an abort does so before an ordinary end.
        let also = if check == Check::Cleanup { 1 << Check::Leak as u16 } else { 0 };
        Checks { bits: self.bits | 1 << check as u16 | also }
    }

    /// Is it one of them?
    pub fn has(self, check: Check) -> bool {
        self.bits >> check as u16 & 1 == 1
    }

    /// Are there none?
    pub fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// Those that there are, in order.
    pub fn iter(self) -> impl Iterator<Item = Check> {
        Check::ALL.into_iter().filter(move |&check| self.has(check))
    }

    /// Is it asked what becomes of allocated blocks?
    pub fn follow_blocks(self) -> bool {
        self.has(Check::Leak) || self.has(Check::Lost)
    }

    /// Must arithmetic be watched that gcc gives a meaning?
    pub fn watch_arithmetic(self) -> bool {
        self.has(Check::SignedOverflow) || self.has(Check::Shift)
    }
}
