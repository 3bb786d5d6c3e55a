//! Engines that answer questions about C programs, and the loop that runs them in turns.
//!
//! Reading order: [`property`], [`checks`] (the question) → [`finding`], [`certificate`] (the answer) → `order`, [`explorer`] (the walk) → [`checker`] →
//! [`bounded`] → `finite`, `candidates`, [`induction`] → [`replay`], [`shorten`] → `testing` → `covered` → [`verify`]; [`watch`]
//! turns "this condition always holds" into such a question. Beside them [`components`]:
//! systems of communicating components.

pub mod bounded;
mod candidates;
pub mod certificate;
pub mod checker;
pub mod checks;
pub mod components;
mod covered;
pub mod explorer;
pub mod finding;
mod finite;
pub mod induction;
pub mod order;
pub mod property;
pub mod replay;
pub mod shorten;
mod testing;
pub mod verify;
pub mod watch;

pub use finding::{Finding, Outcome, Proof, Violation};
pub use property::{Check, Checks, Engine, Missing, Property, Settings};
pub use verify::verify;
