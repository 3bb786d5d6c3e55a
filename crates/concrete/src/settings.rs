//! What a run may do, and where it has to stop. Passed down; nothing is global.

use base::Budget;

/// What to do where C leaves the behaviour undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OnUndefined {
    /// Stop with a report.
    #[default]
    Stop,
    /// Go on as unoptimised code on x86 would, where that can be said (wrapping arithmetic, masked shift counts, zero
    /// for what was never written); stop where it cannot (a wild access).
    Continue,
}

/// What to do when something is read that was never written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Uninitialised {
    /// It is undefined behaviour.
    #[default]
    Report,
    /// It has some value, which is taken from the inputs, as the verification competitions have it.
    Input,
}

/// What to do when a function without body or built-in meaning is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OnMissingBody {
    /// Stop: nothing is known about the run from there on.
    #[default]
    Stop,
    /// Take the result from the inputs and suppose that nothing else changes; the outcome lists each assumption.
    Nondet,
}

/// Where what the program reads from outside comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Outside {
    /// Characters from the host's standard input; a library function without a meaning here is missing.
    #[default]
    Host,
    /// From the inputs: characters (`getchar`), and the results of library functions, where it is sure that they can be
    /// so (`fopen` fails).
    Inputs,
}

/// What to do when the program calls the function that stands for an error (`reach_error`, `__VERIFIER_error`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OnError {
    /// Stop with [`RunOutcome::ErrorReached`](crate::RunOutcome::ErrorReached).
    #[default]
    Stop,
    /// Run its body, if the program gives one, as a compiled program would; stop only without a body.
    RunBody,
}

/// Which thread runs when several can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Each thread in turn, for so many steps.
    RoundRobin {
        /// Steps before the next thread's turn.
        quantum: u32,
    },
    /// A thread drawn by a pseudo-random generator, for a drawn number of steps. The same seed gives the same run.
    Seeded(u64),
    /// One entry per step from the start of the second thread on: which thread makes it. When the list is used up,
    /// or names a thread that cannot run, the next thread in turn does.
    Explicit(Vec<ThreadId>),
}

impl Default for Schedule {
    fn default() -> Self {
        Schedule::RoundRobin { quantum: 200 }
    }
}

base::define_id!(
    /// A thread of the running program; the first is the one that runs `main`.
    ThreadId,
    "thread"
);

/// Things C calls undefined that compilers on x86 give a meaning: reported only if asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Strictness {
    /// Left shifts of negative values, and left shifts whose result does not fit (gcc defines both).
    pub left_shifts: bool,
    /// Accesses through pointers that are not aligned for the type (x86 carries them out).
    pub alignment: bool,
    /// Pointers moved further than one past the end of their object, even if never used.
    pub pointer_arithmetic: bool,
    /// `<` and its relatives on pointers into different objects.
    pub pointer_order: bool,
    /// Whatever depends on where objects lie: addresses as numbers, whether a pointer past its object equals another,
    /// whether equal string literals are one. The run is then that of one layout of several.
    pub layout: bool,
}

/// Limits of the run itself. The budget's limits are asked for every few thousand steps.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Edges taken, over all threads; `None` is no limit.
    pub steps: Option<u64>,
    /// Calls active at once in a thread.
    pub call_depth: u32,
    /// Bytes of all objects of the program that live at once.
    pub memory_bytes: u64,
    /// Threads ever started.
    pub threads: u32,
    /// Time, process memory and cancellation.
    pub budget: Budget,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            steps: None,
            call_depth: 1_000_000,
            memory_bytes: 2 << 30,
            threads: 10_000,
            budget: Budget::unlimited(),
        }
    }
}

/// Everything a run can be told.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What undefined behaviour does.
    pub on_undefined: OnUndefined,
    /// What reading the never written does.
    pub uninitialised: Uninitialised,
    /// What a missing function does.
    pub missing: OnMissingBody,
    /// What reading from outside does.
    pub outside: Outside,
    /// What calling an error function does.
    pub on_error: OnError,
    /// Doubtful things to report as well.
    pub strictness: Strictness,
    /// Does allocation fail? Each allocation then takes an input (`malloc`): 0 is failure.
    pub allocation_may_fail: bool,
    /// Who runs when.
    pub schedule: Schedule,
    /// Is a data race reported? Needs an interpreter that keeps static variables in memory
    /// ([`crate::Interpreter::for_threads`]).
    pub races: bool,
    /// Which of the blocks that live at the end does nothing point to? Costs a look through all memory.
    pub lost_blocks: bool,
    /// Does the run end as soon as some threads wait for ever, though others can go on?
    pub deadlocks: bool,
    /// When to give up.
    pub limits: Limits,
    /// `argv`, the program's name first. Empty means a name and nothing else.
    pub arguments: Vec<Vec<u8>>,
    /// `envp`: `NAME=value` each.
    pub environment: Vec<Vec<u8>>,
}
