//! Answers from solvers: terms, SAT, SMT, optimisation and BDDs behind small traits.
//!
//! Reading order: [`bits`] and [`term`] (what can be said), [`model`] and [`evaluate`] (what it means),
//! [`traits`] and [`answer`] (what can be asked), [`sat`], [`bdd`] (what answers).

pub mod abstraction;
pub mod answer;
pub mod bdd;
pub mod bits;
mod blast;
pub mod conformance;
#[doc(hidden)]
pub mod differential;
pub mod doctor;
pub mod evaluate;
mod evaluate_float;
pub mod model;
pub mod optimise;
#[doc(hidden)]
pub mod random;
pub mod sat;
pub mod simplify;
pub mod smt;
pub mod smtlib;
pub mod term;
pub mod traits;

pub use answer::{Answer, UnknownReason};
pub use bits::Bits;
pub use model::{Model, Value};
pub use smt::{EmbeddedSettings, EmbeddedSolver, ProcessSolver, SolverCommand};
pub use term::{Sort, TermId, TermPool};
pub use traits::Interrupter;
