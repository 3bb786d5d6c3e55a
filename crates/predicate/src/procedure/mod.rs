//! Procedures that call each other, with predicates at their cut points, to a Boolean program with the same
//! calls and returns (predicate abstraction).
//! After Ball, Majumdar, Millstein, Rajamani 2001 ("C2bp"), with large blocks (Beyer, Cimatti, Griggio,
//! Keremoglu, Sebastiani 2009): what lies between two cut points is one step, and its abstraction one joint
//! question.
//!
//! Reading order: [`system`] (procedures as cut points and blocks between them), [`scope`] (which predicates
//! stand where), [`boolean`] (the Boolean program, and what its steps stand for).
//!
//! **Obligation.** Every run of the system is a run of the Boolean program, step by step, whose variables
//! have the truth values that the predicates have. So what the Boolean program never reaches, the system
//! never reaches. Tested by `concrete_runs_are_abstract_runs`.
//!
//! Worked example: `int inc(int n) { return n + 1; }` with the predicates `n > 0` at its entry and `result >
//! 1` at its end becomes `bool inc(e)`, whose one step sets its result to any value under the constraint that
//! some `n` shows it together with `e`: `e` gives T (overflow apart), `!e` gives F. A caller with `x > 0`
//! passes T and learns that the result is greater than 1.

pub mod boolean;
pub mod scope;
pub mod system;

pub use boolean::{Abstracter, BooleanProgram, StepMeaning};
pub use scope::Scopes;
pub use system::{Call, Cut, CutId, LargeBlock, LargeBlockId, Routine, RoutineId, System, Target};
