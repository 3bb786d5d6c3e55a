//! How a run ended, and what is known about it. Plain data; words for people are made here too.

use crate::inputs::ConsumedInput;
use crate::settings::ThreadId;
use base::{Diagnostic, Exhausted, Span};
use program::{Assumption, EdgeId, NodeId, ProcedureId, VariableId};
use std::sync::Arc;

/// The end of a run with all that was recorded on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// How it ended.
    pub outcome: RunOutcome,
    /// Every input that was asked for, in order: enough to repeat the run.
    pub inputs: Vec<ConsumedInput>,
    /// Undefined behaviour the run was told to go on after (the first of each kind and place).
    pub tolerated: Vec<UndefinedReport>,
    /// Names of its threads: the creator's, and which of its creations it was.
    pub threads: Vec<String>,
    /// What the run had to suppose (`Missing::Nondet`).
    pub assumptions: Vec<Assumption>,
    /// Allocated blocks that live when the program has ended by itself, in the order they were made; the first hundred.
    pub leaked: Vec<ObjectDescription>,
    /// The same where the program was ended by `abort`, a failed assertion or an error function.
    pub left_by_abort: Vec<ObjectDescription>,
    /// How many of these blocks nothing points to any more; they come first ([`Settings::lost_blocks`]).
    ///
    /// [`Settings::lost_blocks`]: crate::Settings::lost_blocks
    pub lost: usize,
    /// What the run took.
    pub statistics: Statistics,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum RunOutcome {
    /// `main` returned or `exit` was called, with this status (only its low 8 bits reach a shell).
    Exited(i32),
    /// `abort` or a trap.
    Aborted(Place),
    /// An `assert` failed.
    AssertionFailed {
        /// The text of the asserted expression, as the program passes it.
        expression: String,
        /// File, line and function, as the program passes them, in glibc's form.
        told: String,
        /// Where the run was.
        place: Place,
    },
    /// A function that stands for an error was called.
    ErrorReached {
        /// Its name.
        function: Arc<str>,
        /// Where the run was.
        place: Place,
    },
    /// C does not say what happens next.
    Undefined(Box<UndefinedReport>),
    /// `__VERIFIER_assume` does not hold: this run does not count.
    AssumptionUnmet(Place),
    /// These threads wait for ever; unless deadlocks are asked for, only told when every thread waits.
    Deadlock(Vec<Waiting>),
    /// Nothing can be said about what happens next.
    Unknown(Unknown),
    /// A limit was reached.
    LimitReached(Limit, Place),
}

impl RunOutcome {
    /// Has the program ended, by itself or by `abort` and its like?
    pub fn is_end(&self) -> bool {
        use RunOutcome::*;
        matches!(self, Exited(_) | Aborted(_) | AssertionFailed { .. } | ErrorReached { .. })
    }
}

/// Where a thread is.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Place {
    /// The thread that was there, if there are several.
    pub thread: Option<ThreadId>,
    /// The source of the step.
    pub span: Span,
    /// Active calls, innermost first.
    pub calls: Vec<StackEntry>,
}

/// One active call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackEntry {
    /// The procedure.
    pub procedure: ProcedureId,
    /// Its name.
    pub name: Arc<str>,
    /// Where in it the run is (for outer calls: the call).
    pub span: Span,
}

/// A thread that waits.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    /// For what, in words such as "the mutex `m`, held by thread 2".
    pub waits_for: String,
    /// The threads that would have to do something first: who holds the lock, who is joined. Empty where any thread could.
    pub held_by: Vec<ThreadId>,
    /// Who and where.
    pub place: Place,
    /// The node that it stands at, in its innermost call.
    pub at: Option<(ProcedureId, NodeId)>,
    /// How far it has come there.
    pub how: Stands,
}

/// How far a thread has come that waits for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stands {
    /// Before a call that does not return.
    Before,
    /// In a wait that no signal ended.
    WithoutSignal,
    /// In a wait whose signal has come, without the mutex.
    WithoutMutex,
    /// At a barrier, without all others.
    AtBarrier,
}

/// Why nothing more can be said.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// The kind of trouble.
    pub reason: UnknownReason,
    /// Why it is unknown, in words.
    pub message: String,
    /// Where the run was then.
    pub place: Place,
}

/// Kinds of ignorance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownReason {
    /// A function without body or built-in meaning was called.
    MissingBody(Arc<str>),
    /// There are no more inputs.
    InputsExhausted,
    /// An input cannot be a value of the type asked for.
    BadInput,
    /// The value of an `extern` variable that no unit defines is needed.
    ExternalVariable(Arc<str>),
    /// Something without a meaning here.
    Unsupported,
    /// The program has no `main`.
    NoMain,
}

/// A limit that ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The step limit.
    Steps,
    /// Too many active calls, or no stack left for another.
    CallDepth,
    /// The program's own memory.
    ProgramMemory,
    /// Too many threads.
    Threads,
    /// The budget.
    Budget(Exhausted),
    /// Whoever decides about the order of steps ended it.
    Driver,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Limit::Steps => f.write_str("the step limit was reached"),
            Limit::CallDepth => f.write_str("the stack is exhausted: too many calls are active at once"),
            Limit::ProgramMemory => f.write_str("the program holds more memory than allowed"),
            Limit::Threads => f.write_str("the program started more threads than allowed"),
            Limit::Budget(why) => why.fmt(f),
            Limit::Driver => f.write_str("the run was ended before the program did"),
        }
    }
}

/// Kinds of undefined behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum UndefinedKind {
    OutOfBounds,
    /// An index outside its array, with which the access leaves the whole object.
    IndexOutOfBounds,
    /// An index outside an array that is part of an object, in which the access stays.
    InnerIndex,
    NullDereference,
    WildPointer,
    UseAfterFree,
    UseAfterScope,
    DoubleFree,
    InvalidFree,
    UninitialisedRead,
    MissingReturnValue,
    SignedOverflow,
    DivisionByZero,
    DivisionOverflow,
    BadShift,
    LeftShift,
    FloatToInteger,
    Misaligned,
    ReadOnlyWrite,
    Overlap,
    BadCall,
    VariableArguments,
    FormatArguments,
    InvalidBool,
    UnrelatedPointers,
    PointerArithmetic,
    MutexMisuse,
    ThreadMisuse,
    Unreachable,
    ReturnedFromNoreturn,
    LayoutDependent,
    BadArgument,
    DataRace,
}

impl UndefinedKind {
    /// A stable name, such as `out-of-bounds`.
    pub fn name(self) -> &'static str {
        use UndefinedKind::*;
        match self {
            OutOfBounds => "out-of-bounds",
            IndexOutOfBounds | InnerIndex => "index-out-of-bounds",
            NullDereference => "null-dereference",
            WildPointer => "wild-pointer",
            UseAfterFree => "use-after-free",
            UseAfterScope => "use-after-scope",
            DoubleFree => "double-free",
            InvalidFree => "invalid-free",
            UninitialisedRead => "uninitialised-read",
            MissingReturnValue => "missing-return-value",
            SignedOverflow => "signed-overflow",
            DivisionByZero => "division-by-zero",
            DivisionOverflow => "division-overflow",
            BadShift => "bad-shift",
            LeftShift => "left-shift",
            FloatToInteger => "float-to-integer",
            Misaligned => "misaligned",
            ReadOnlyWrite => "read-only-write",
            Overlap => "overlap",
            BadCall => "bad-call",
            VariableArguments => "variable-arguments",
            FormatArguments => "format-arguments",
            InvalidBool => "invalid-bool",
            UnrelatedPointers => "unrelated-pointers",
            PointerArithmetic => "pointer-arithmetic",
            MutexMisuse => "mutex-misuse",
            ThreadMisuse => "thread-misuse",
            Unreachable => "unreachable",
            ReturnedFromNoreturn => "returned-from-noreturn",
            LayoutDependent => "layout-dependent",
            BadArgument => "bad-argument",
            DataRace => "data-race",
        }
    }
}

/// What went wrong, where, and with which object.
#[derive(Clone, Debug, PartialEq)]
pub struct UndefinedReport {
    /// The kind.
    pub kind: UndefinedKind,
    /// One sentence without a full stop.
    pub message: String,
    /// Where the run was then.
    pub place: Place,
    /// The object concerned.
    pub object: Option<ObjectDescription>,
    /// The step of the user's code in which it happens (inside a library function: that calls it).
    pub step: Option<(ProcedureId, EdgeId)>,
    /// The library function in which it happens, or whose arguments are evaluated.
    pub library: Option<Arc<str>>,
    /// Which memory an access was for that it must not have.
    pub touched: Option<Touched>,
}

/// The memory that an access was for which must not touch it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Whose memory it is, was, or lies beside; `None` for an address where nothing is.
    pub owner: Option<Owner>,
    /// From the start of the owner; without an owner, the address.
    pub offset: i64,
    /// Bytes of the access.
    pub bytes: u64,
    /// Bytes of the owner.
    pub size: u64,
    /// Is something written (or called) there, not read?
    pub is_write: bool,
    /// Does another allocated block live, or the same variable in another life?
    pub has_others: bool,
}

/// What memory belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A variable or a string literal.
    Variable(VariableId),
    /// A block that was allocated.
    Block,
    /// A block on the stack: `alloca`, an array of run-time length.
    StackBlock,
    /// A function, a stream, the program's arguments.
    NoData,
}

/// An object as people know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectDescription {
    /// Such as "the local variable `a` of `f`" or "the block allocated by `malloc`".
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// Where it was declared or allocated.
    pub made_at: Span,
    /// Where it was freed or its life ended, if it did.
    pub ended_at: Option<Span>,
}

impl UndefinedReport {
    /// As a diagnostic with its call stack and object.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let code = self.kind.name();
        let mut diagnostic = Diagnostic::error(code, self.place.span, self.message.clone());
        if let Some(object) = &self.object {
            let bytes = if object.size == 1 { "byte" } else { "bytes" };
            if !object.made_at.is_nowhere() {
                let text = format!("{}, {} {bytes}", object.name, object.size);
                diagnostic = diagnostic.label(object.made_at, text);
            }
            if let Some(ended) = object.ended_at.filter(|ended| !ended.is_nowhere()) {
                diagnostic = diagnostic.label(ended, "its life ended here");
            }
        }
        diagnostic
    }
}

/// Figures of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Edges taken, over all threads.
    pub steps: u64,
    /// Most bytes the program's objects had at once.
    pub peak_bytes: u64,
    /// Threads started, the first included.
    pub threads: u32,
    /// Most calls active at once in a thread.
    pub peak_call_depth: u32,
}
