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
    /// Allocated blocks that nothing points to any more, wherever runs end or go on for ever without a change. Only
    /// asked for by its name.
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
            Check::Unreachable => ("unreachable", "way to a place that is marked as unreachable"),
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

/// What is wrong with a list of checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrongList {
    /// A name that no check has.
    Unknown(String),
    /// It begins with what is taken away.
    TakesFromNothing,
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

    /// All of them but `cleanup`, since most programs that abort leave memory on purpose, and `lost`, of which `leak`
    /// says more where programs end by themselves.
    pub fn all() -> Checks {
        let by_name_only = [Check::Cleanup, Check::Lost];
        let usual = Check::ALL.into_iter().filter(|check| !by_name_only.contains(check));
        usual.fold(Checks::none(), Checks::with)
    }

    /// The undefined behaviour that compilers give no meaning: a proof excludes it in any case, so that asking costs
    /// little, and turns "it may happen" into a run that shows it.
    pub fn usual() -> Checks {
        use Check::*;
        [Division, Bounds, Pointer, UseAfterFree, DoubleFree, Unreachable, Library]
            .into_iter()
            .fold(Checks::none(), Checks::with)
    }

    /// Those that a list names: `all`, `default`, `none`, names of checks, in order; one behind `-` is taken away.
    pub fn listed(list: &str) -> Result<Checks, WrongList> {
        if list.trim_start().starts_with('-') {
            return Err(WrongList::TakesFromNothing);
        }
        let mut checks = Checks::none();
        for word in list.split(',').map(str::trim) {
            let (name, is_taken) = word.strip_prefix('-').map_or((word, false), |name| (name.trim(), true));
            let named = match name {
                "all" => Checks::all(),
                "default" => Checks::usual(),
                "none" => Checks::none(),
                _ => {
                    let check = Check::named(name).ok_or_else(|| WrongList::Unknown(name.to_owned()))?;
                    // Taken away is what was named, and nothing that it brought with it.
                    if is_taken { Checks { bits: 1 << check as u16 } } else { Checks::none().with(check) }
                }
            };
            checks = match (is_taken, name) {
                (true, _) => checks.without(named),
                (false, "none") => Checks::none(),
                (false, _) => named.iter().fold(checks, Checks::with),
            };
        }
        Ok(checks)
    }

    /// These but those.
    #[must_use]
    pub fn without(self, others: Checks) -> Checks {
        // Whoever asks for `cleanup` asks for `leak`; who takes away `leak` takes away both.
        let cleanup = if others.has(Check::Leak) { 1 << Check::Cleanup as u16 } else { 0 };
        Checks { bits: self.bits & !(others.bits | cleanup) }
    }

    /// In words, each to stand in a list of what a property says.
    pub fn words(self) -> Option<String> {
        const FEW: usize = 3;
        let count = self.iter().count();
        let all_but = Checks::all().without(self);
        if self.is_empty() {
            return None;
        }
        Some(if self == Checks::all() {
            format!("there is no undefined behaviour (all {count} checks)")
        } else if self == Checks::usual() {
            format!("there is no undefined behaviour (the {count} default checks)")
        } else if all_but.iter().count() <= FEW && self.without(Checks::all()).is_empty() {
            let names: Vec<&str> = all_but.iter().map(Check::name).collect();
            format!("there is no undefined behaviour (all checks but {})", names.join(", "))
        } else if count <= FEW {
            let each: Vec<String> =
                self.iter().map(|check| format!("there is no {}", check.words())).collect();
            each.join(", ")
        } else {
            let names: Vec<&str> = self.iter().map(Check::name).collect();
            format!("there is no undefined behaviour (the checks {})", names.join(", "))
        })
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

    /// Are all of those among them?
    pub fn have_all(self, others: &[Check]) -> bool {
        others.iter().all(|&check| self.has(check))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(list: &str) -> Checks {
        Checks::listed(list).expect("names of checks")
    }

    #[test]
    fn lists_add_and_take_away() {
        let names = |checks: Checks| checks.iter().map(Check::name).collect::<Vec<_>>().join(",");
        assert_eq!(names(listed("leak, bounds")), "bounds,leak");
        assert_eq!(listed("all,-leak"), Checks::all().without(listed("leak")));
        assert!(!listed("all,-leak").has(Check::Leak) && listed("all,-leak").has(Check::Bounds));
        assert_eq!(names(listed("bounds,shift,-bounds")), "shift");
        // `cleanup` brings `leak` with it, and does not stay without it.
        assert_eq!(names(listed("cleanup")), "leak,cleanup");
        assert_eq!(names(listed("cleanup,-leak")), "");
        assert_eq!(names(listed("cleanup,-cleanup")), "leak");
        assert_eq!(names(listed("all,none")), "");
        assert_eq!(names(listed("default,-library,leak")), {
            "division,bounds,pointer,use-after-free,double-free,leak,unreachable"
        });
        assert_eq!(Checks::listed("bounds,bouds"), Err(WrongList::Unknown("bouds".into())));
        assert_eq!(Checks::listed("bounds,-"), Err(WrongList::Unknown(String::new())));
        assert_eq!(Checks::listed("-leak"), Err(WrongList::TakesFromNothing));
    }
}
