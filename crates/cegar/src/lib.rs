//! Engines that answer questions about C programs, and the loop that runs them in turns.
//!
//! Reading order: [`property`] (the question) → [`finding`] (the answer) → `order`, [`explorer`] (the walk) → [`checker`] →
//! [`bounded`] → [`replay`], [`shorten`], `testing` → `facts`, `lives`, [`blocks`] (the program as steps between loops) → `contracts`, `finite`,
//! `candidates`, `samples`, `polynomial`, `relations`, `houdini`, `needed`, [`certificate`], `elements`, `induction`, `pdr`, [`predicates`] →
//! `searcher`, `prover` → [`verify`]; [`watch`] turns "this condition always
//! holds" into such a question. Beside them [`components`]: systems of communicating components.

pub mod blocks;
pub mod bounded;
mod candidates;
pub mod certificate;
pub mod checker;
pub mod checks;
pub mod components;
mod contracts;
mod control;
mod covered;
pub mod depth;
mod elements;
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
mod polynomial;
pub mod predicates;
pub mod property;
mod prover;
mod relations;
pub mod replay;
mod samples;
mod searcher;
pub mod shorten;
mod testing;
pub mod unwritten;
pub mod verify;
pub mod watch;

pub use depth::inputs_into_depth;
pub use finding::{Finding, Outcome, Proof, Violation};
pub use property::{Check, Checks, Engine, Missing, Property, Settings};
pub use verify::verify;
