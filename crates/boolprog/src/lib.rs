//! Boolean programs, after Basler's thesis ("BOOM"): the language, graphs, and one engine per question.

pub mod analysis;
pub mod certificate;
pub mod concretise;
pub mod cover;
pub mod engine;
pub mod explicit;
mod gates;
pub mod graph;
pub mod pushdown;
pub mod question;
pub mod simplify;
pub mod summaries;
pub mod syntax;
pub mod threads;
pub mod trace;
pub mod unrolling;
pub mod values;

pub use question::{Outcome, Question};
pub use trace::{ThreadId, Trace, TraceStep};
pub use values::Values;
