//! What the auditor makes of a property, and how it is set.

use crate::expression::Meaning;
use logic::SolverCommand;
use question::{Check, Missing, Property};
use symbolic::FailureKind;

/// What the proof claims never to happen, and what functions without a body do.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'c> {
    /// What must never happen. (Undefined behaviour that compilers give no meaning must not happen in any
    /// case.)
    pub property: &'c Property,
    /// What a function without a body does.
    pub missing: Missing,
}

impl Claim<'_> {
    /// Is a failure one that gcc gives a meaning and nobody asked about?
    pub(crate) fn ignores(&self, kind: FailureKind) -> bool {
        let is_asked = |check| self.property.checks.has(check);
        match kind {
            FailureKind::SignedOverflow => !is_asked(Check::SignedOverflow),
            FailureKind::BadShift => !is_asked(Check::Shift),
            FailureKind::Uninitialised => !is_asked(Check::Uninitialised),
            _ => false,
        }
    }

    /// Does a failure end a run without breaking the claim? `InvalidAccess` may be any of three checks.
    pub(crate) fn passes(&self, kind: FailureKind) -> bool {
        let passed = |check| self.property.passed.has(check);
        match kind {
            FailureKind::InvalidAccess => {
                passed(Check::Bounds) && passed(Check::Pointer) && passed(Check::UseAfterFree)
            }
            FailureKind::IndexOutOfBounds => passed(Check::Bounds),
            FailureKind::ReadOnlyWrite | FailureKind::BadCall | FailureKind::Overlap => {
                passed(Check::Pointer)
            }
            FailureKind::DivisionByZero | FailureKind::DivisionOverflow => passed(Check::Division),
            FailureKind::InvalidFree => passed(Check::DoubleFree),
            FailureKind::Unreachable => passed(Check::Unreachable),
            FailureKind::SignedOverflow => passed(Check::SignedOverflow),
            FailureKind::BadShift => passed(Check::Shift),
            FailureKind::Uninitialised => passed(Check::Uninitialised),
            // No check of their own, and undefined as well.
            FailureKind::BadArgument
            | FailureKind::PointerLeft
            | FailureKind::Misaligned
            | FailureKind::InvalidBool => self.property.endless_runs,
            _ => false,
        }
    }
}

/// How it is audited.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// A solver beside the embedded one.
    pub second_solver: Option<SolverCommand>,
    /// Does a condition in C hold only where its value is defined? Ours wrap; what others write means what C says.
    pub defined_conditions: bool,
}

impl Settings {
    pub(crate) fn meaning(&self) -> Meaning {
        if self.defined_conditions { Meaning::Defined } else { Meaning::Wraps }
    }
}
