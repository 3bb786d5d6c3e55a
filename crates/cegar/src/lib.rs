//! Refinements that plug into the loop of `question`, and the table of engines that answers questions about C
//! programs.
//!
//! Reading order: `predicates` (predicate abstraction to Boolean programs) → `table` (which engine answers,
//! when) → `verify`; [`watch`] turns "this condition always holds" into such a question. Beside them
//! [`components`]: systems of communicating components.

mod any_number;
pub mod components;
mod conditions;
mod formulas;
mod predicates;
mod table;
mod threads;
mod verify;
pub mod watch;

pub use any_number::{Supposed, program_for_any};
pub use formulas::{AboutFormula, verify_formula};
pub use prove::{Settings, inputs_into_depth};
pub use question::{Check, Checks, Missing, Property, Violation};
pub use table::Choice;
pub use threads::{Threaded, asks_for_leaks, beyond_one_program, verify_threads, with_races_as_calls};
pub use verify::{Before, answered_before, verify};
