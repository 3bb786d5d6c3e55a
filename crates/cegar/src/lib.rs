//! Refinements that plug into the loop of `question`, and the table of engines that answers questions about C programs.
//!
//! Reading order: [`predicates`] (predicate abstraction to Boolean programs) → `prover` → [`verify`] (which engine answers, when); [`watch`] turns
//! "this condition always holds" into such a question. Beside them [`components`]: systems of communicating components.

pub mod components;
pub mod predicates;
mod prover;
pub mod verify;
pub mod watch;

pub use prove::{Engine, Finding, Outcome, Proof, Settings, inputs_into_depth};
pub use question::{Check, Checks, Missing, Property, Violation};
pub use verify::verify;
