//! What every crate of Concord shares: typed ids, graphs, source positions, diagnostics, budgets and progress events.

pub mod budget;
pub mod diagnostic;
pub mod event;
pub mod graph;
pub mod ids;
pub mod random;
pub mod render;
pub mod source;
pub mod symbol;

pub use budget::{Budget, Exhausted};
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use event::{Event, EventSink, Silent};
pub use ids::{Id, IndexVec};
pub use source::{Location, SourceId, SourceMap, Span};
pub use symbol::{Interner, Symbol};
