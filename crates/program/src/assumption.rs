//! What an answer about the program rests on. Recorded while lowering, shown with every verdict.

use base::Span;
use std::sync::Arc;

/// Something the program does not tell and the tool had to suppose, or could not give a meaning to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// What kind of assumption it is.
    pub kind: AssumptionKind,
    /// The function, variable or construct it is about.
    pub subject: Arc<str>,
    /// One sentence for people.
    pub message: String,
    /// Where it was met first.
    pub span: Span,
}

/// The kinds of assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AssumptionKind {
    /// A function is called that has neither a body nor a model.
    MissingBody,
    /// A library function's built-in model stands for the real one.
    LibraryModel,
    /// Inline assembly may have written anything to its outputs.
    InlineAsm,
    /// A compiler builtin has no model.
    UnmodelledBuiltin,
    /// Nobody but the program changes a `volatile` object.
    Volatile,
    /// A call through a pointer has no known target.
    NoCallTarget,
    /// `goto *p`.
    ComputedGoto,
    /// An array of run-time length; given a meaning, never checked for stack exhaustion.
    VariableLengthArray,
    /// An `extern` variable that no unit defines: any initial value.
    ExternalVariable,
    /// `setjmp`/`longjmp`: the jump is not modelled.
    NonLocalJump,
    /// Something weak that no file defines: its address is null.
    WeakUndefined,
    /// The only definition of a function is `inline` and exported by no file: compiled without optimisation, a call of
    /// it is not linked.
    InlineOnly,
    /// Annotations in comments (`//@ assert …`) are not read.
    UnreadAnnotations,
    /// What is supposed of the call that a run starts with, where a function is the entry.
    Entry,
    /// A pointer from outside that is null or leads to what is not known: no failure may rest on where it leads.
    UnknownPointer,
    /// What pointers lead to that lead to no object of the program is supposed to be memory of its own.
    OutsideMemory,
    /// A construct without a meaning; reaching it leaves the answer open.
    Unsupported,
}

impl AssumptionKind {
    /// A stable name for machine-readable output.
    pub fn name(self) -> &'static str {
        match self {
            AssumptionKind::MissingBody => "missing-body",
            AssumptionKind::LibraryModel => "library-model",
            AssumptionKind::InlineAsm => "inline-asm",
            AssumptionKind::UnmodelledBuiltin => "unmodelled-builtin",
            AssumptionKind::Volatile => "volatile",
            AssumptionKind::NoCallTarget => "no-call-target",
            AssumptionKind::ComputedGoto => "computed-goto",
            AssumptionKind::VariableLengthArray => "variable-length-array",
            AssumptionKind::ExternalVariable => "external-variable",
            AssumptionKind::NonLocalJump => "non-local-jump",
            AssumptionKind::WeakUndefined => "weak-undefined",
            AssumptionKind::InlineOnly => "inline-only",
            AssumptionKind::UnreadAnnotations => "unread-annotations",
            AssumptionKind::Entry => "entry",
            AssumptionKind::UnknownPointer => "unknown-pointer",
            AssumptionKind::OutsideMemory => "outside-memory",
            AssumptionKind::Unsupported => "unsupported",
        }
    }
}
