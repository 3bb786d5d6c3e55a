//! What of a program's shape a method does not take. Engines and the audit of their proofs ask for the same, so they
//! say it in the same words.

use std::fmt::{self, Display, Formatter};

/// What of a program's shape a method does not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// There is no `main`.
    NoMain,
    /// `main` calls itself.
    MainRecurs,
    /// A function calls itself.
    Recursion {
        /// The function.
        function: String,
    },
    /// A function calls itself, and a contract of it would not say enough.
    RecursionWithoutContract {
        /// The function.
        function: String,
        /// What stands in the way, in words that follow "and".
        because: String,
    },
    /// A function is called below one that calls itself.
    BelowRecursion {
        /// The function.
        function: String,
    },
    /// Something calls itself, and contracts leave open what else it does.
    RecursionHasEffects {
        /// What else, in words that follow "a procedure calls itself, and".
        because: &'static str,
    },
    /// Functions without a body may write to memory.
    MissingBodiesWrite,
    /// The initial values have something without a meaning.
    InitialValues {
        /// What it is.
        detail: String,
    },
    /// Something may fail before the first loop, so that nothing can be supposed of it.
    StartMayFail {
        /// What it is.
        what: String,
    },
    /// There are too many places to cut runs at.
    TooManyCuts {
        /// How many are taken.
        limit: u64,
        /// What they are.
        what: &'static str,
    },
    /// A loop runs while memory of `alloca` or of an array of run-time length lives.
    StackBlocksInLoops,
    /// A pointer to a variable may be used when the variable is gone.
    OutlivedPointer {
        /// The variable.
        variable: String,
    },
    /// A function is called with arguments that it does not take.
    WrongArguments {
        /// The function.
        function: String,
    },
    /// The program has no threads, or none that are chosen among.
    NoThreads,
    /// The meaning of its steps was not made.
    NoMeaning,
}

impl Display for Shape {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Shape::NoMain => f.write_str("there is no `main`"),
            Shape::MainRecurs => f.write_str("`main` calls itself"),
            Shape::Recursion { function } => write!(f, "`{function}` calls itself"),
            Shape::RecursionWithoutContract { function, because } => {
                write!(f, "`{function}` calls itself and {because}")
            }
            Shape::BelowRecursion { function } => {
                write!(f, "`{function}` is called below a procedure that calls itself")
            }
            Shape::RecursionHasEffects { because } => write!(f, "a procedure calls itself, and {because}"),
            Shape::MissingBodiesWrite => f.write_str("functions without a body may write to memory"),
            Shape::InitialValues { detail } => write!(f, "the initial values have {detail}"),
            Shape::StartMayFail { what } => write!(f, "the start may fail ({what})"),
            Shape::TooManyCuts { limit, what } => write!(f, "there are more than {limit} {what}"),
            Shape::StackBlocksInLoops => {
                f.write_str("a loop runs while a block of `alloca` or an array of run-time length lives, which may be made more than once")
            }
            Shape::OutlivedPointer { variable } => write!(f, "a pointer to `{variable}` may outlive it"),
            Shape::WrongArguments { function } => write!(f, "`{function}` is called with wrong arguments"),
            Shape::NoThreads => f.write_str("there are no threads to choose among"),
            Shape::NoMeaning => f.write_str("the meaning of steps is not known"),
        }
    }
}
