//! Boolean programs, after Basler's thesis ("BOOM"): the language, graphs, and one engine per question.

pub mod cover;
pub mod explicit;
pub mod graph;
pub mod question;
pub mod syntax;
pub mod threads;
pub mod trace;
pub mod values;

pub use question::{Outcome, Question};
pub use trace::{ThreadId, Trace, TraceStep};
pub use values::Values;
