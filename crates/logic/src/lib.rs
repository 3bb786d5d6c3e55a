//! Answers from solvers: terms, SAT, SMT, optimisation and BDDs behind small traits.
//!
//! Reading order: [`bits`] and [`term`] (what can be said), [`model`] and [`evaluate`] (what it means),
//! [`traits`] and [`answer`] (what can be asked), [`sat`], [`smt`], [`bdd`], [`optimise`] (what answers),
//! [`abstraction`] (the question the whole tool asks most).
//!
//! ```
//! use base::Budget;
//! use logic::traits::{Assert, CheckAssuming, GetModel, UnsatCore};
//! use logic::{Answer, EmbeddedSolver, TermPool};
//!
//! let mut pool = TermPool::new();
//! let mut solver = EmbeddedSolver::default();
//! let x = pool.bitvec_symbol("x", 32);
//! let (ten, eleven) = (pool.number(32, 10), pool.number(32, 11));
//! let (small, large) = (pool.ult(x, ten), pool.ult(eleven, x));
//! solver.assert(&mut pool, small);
//! let budget = Budget::unlimited();
//! assert_eq!(solver.check(&mut pool, &budget), Answer::Sat);
//! assert!(solver.model(&mut pool, &[x]).unwrap().satisfies(&pool, small));
//! // Assumptions hold for one call; the core tells which were to blame.
//! assert_eq!(solver.check_assuming(&mut pool, &[large], &budget), Answer::Unsat);
//! assert_eq!(solver.core(), [large]);
//! ```

pub mod abstraction;
pub mod answer;
pub mod bdd;
pub mod bits;
mod blast;
pub mod conformance;
pub mod doctor;
pub mod evaluate;
mod evaluate_float;
pub mod model;
pub mod on_demand;
pub mod optimise;
#[doc(hidden)]
pub mod random_terms;
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
