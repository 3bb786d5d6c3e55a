//! Boolean programs, after Basler's thesis ("BOOM"): the language, graphs, and one engine per question.

pub mod analysis;
pub mod concretise;
pub mod cover;
pub mod engine;
pub mod explicit;
mod gates;
pub mod graph;
pub mod pushdown;
pub mod setup;
pub mod simplify;
pub mod summaries;
pub mod syntax;
pub mod threads;
pub mod trace;
pub mod unrolling;
pub mod values;
mod words;

pub use engine::{BooleanEngine, BooleanSystem, Threads, ask};
pub use setup::{SearchResult, Setup, add_start};
pub use trace::{ThreadId, Trace, TraceStep};
pub use values::Values;
