//! Boolean programs, after Basler's thesis ("BOOM"): the language, graphs, and one engine per question.
//!
//! The door is [`ask`]: a [`BooleanSystem`] (a program, and which threads of it run) and an engine, or none
//! for the table's choice. Files of counters and stacks come in by [`cover`] and [`pushdown`], programs by
//! [`syntax`] and [`graph`]. [`summaries`] is also for who follows a run, or takes an invariant, of a program
//! made in memory.

mod analysis;
mod concretise;
pub mod cover;
pub mod engine;
pub mod explicit;
mod findings;
mod gates;
pub mod graph;
mod possibly;
pub mod pushdown;
mod refusal;
mod setup;
pub mod simplify;
pub mod summaries;
mod switches;
pub mod syntax;
pub mod threads;
mod trace;
pub mod unrolling;
mod values;
mod words;

pub use engine::{BooleanEngine, BooleanSystem, Threads, ask};
pub use findings::Findings;
pub use refusal::{NotARun, NotAState};
pub use setup::{Setup, add_start};
pub use trace::{OtherChange, ThreadId, Trace, TraceStep};
pub use values::Values;
