//! Why a property does not hold: one type for every shape of counterexample.

use crate::Violation;
use verdict::{Deadlock, Lasso, Path, Tree};

/// Why a property does not hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Counterexample {
    /// A finite run, such as one into an error.
    Path(Path),
    /// A finite run that cannot be extended, on which a temporal formula fails.
    MaximalPath(Path),
    /// An infinite run.
    Lasso(Lasso),
    /// A winning strategy against conformance.
    Tree(Tree),
    /// A run into a deadlock.
    Deadlock(Deadlock),
    /// A run of a C program, as the interpreter made it.
    Run(Box<Violation>),
}
