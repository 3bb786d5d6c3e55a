//! Evidence for answers about C programs, as texts of formats that others read.
//!
//! Reading order: [`task`] (what was asked) → [`place`] → [`inputs`], [`started`](mod@started), [`columns`], [`trace`]
//! (the violating run), [`schedule`] (its threads) → [`harness`] (`seen`, `kept`: what a compiled program shows), [`witness`] (ours), [`foreign`] (anybody's),
//! [`simpler`] (invariants), [`words`], [`json`], [`sarif`], [`junit`] → [`certificate`], [`mod@any_number`] (the proof), [`earlier`] (either, for the next time: `moved`) → `yaml`.

pub mod any_number;
pub mod certificate;
pub mod columns;
pub mod earlier;
pub mod execution;
pub mod foreign;
pub mod harness;
pub mod inputs;
pub mod json;
pub mod junit;
mod kept;
mod mentioned;
mod moved;
pub mod place;
pub mod sarif;
pub mod schedule;
mod seen;
pub mod simpler;
pub mod started;
pub mod task;
pub mod trace;
pub mod turns;
pub mod witness;
pub mod words;
mod yaml;

pub use any_number::AnyNumber;
pub use certificate::{BadCertificate, CertificateFile};
pub use earlier::Earlier;
pub use started::started;
pub use task::{Task, TaskFile, ThreadsAsOne, sha256};
