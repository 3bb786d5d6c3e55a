//! Engines that answer questions about C programs, and the loop that runs them in turns.
//!
//! Reading order: [`property`] (the question) → [`finding`] (the answer) → `order`, [`explorer`] (the walk) → [`checker`] →
//! [`bounded`] → [`replay`], `testing` → `facts`, `lives`, [`blocks`] (the program as steps between loops) → `contracts`, `finite`, `candidates`,
//! `houdini`, `needed`, `induction`, `pdr` → `searcher`, `prover` → [`verify`]. Beside them [`components`]: systems of communicating components.

pub mod blocks;
pub mod bounded;
mod candidates;
pub mod checker;
pub mod components;
mod contracts;
pub mod explorer;
pub mod facts;
pub mod finding;
mod finite;
mod houdini;
mod induction;
mod lives;
mod needed;
pub mod order;
mod pdr;
pub mod property;
mod prover;
pub mod replay;
mod searcher;
mod testing;
pub mod verify;

pub use finding::{Finding, Outcome, Proof, Violation};
pub use property::{Engine, Missing, Property, Settings};
pub use verify::verify;
