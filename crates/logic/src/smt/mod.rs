//! Solvers for terms: the embedded one, and any SMT-LIB 2 solver as a process.

mod embedded;
mod enumerate;
mod pipe;
mod process;

pub(crate) use enumerate::Enumeration;

pub use embedded::{EmbeddedSettings, EmbeddedSolver, Simplification};
pub use process::{ProcessSolver, SolverCommand};
