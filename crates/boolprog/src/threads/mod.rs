//! Threads that share variables: BOOM 5 to 9.
//!
//! [`flat`] removes calls, [`stacks`] keeps those that recursion leaves, [`thread_state`] numbers what one
//! thread can be in and do (what an edge means is in `outcomes`, what it does to others in [`broadcast`]), `run` turns
//! a run over numbers into a trace and has it replayed. With a bound on threads: [`counters`] (explicit counter
//! abstraction) with the reductions that `footprint` allows, and `symbolic_counters` and `symbolic_plain` over the
//! relations of [`encoding`]. Without: [`unbounded`] (coverability and cutoffs), and [`callers`] where stacks are
//! summarised. [`recursion`] asks them about programs that have recursion too.

pub mod broadcast;
pub mod callers;
mod cartesian;
mod closure;
pub mod counters;
mod cutoff;
pub mod encoding;
pub mod engine;
pub mod few;
pub mod flat;
mod footprint;
mod legend;
mod outcomes;
pub mod recursion;
mod run;
pub mod stacks;
mod symbolic_counters;
mod symbolic_plain;
pub mod thread_state;
pub mod unbounded;
mod visibility;

pub use cutoff::check_by_cutoff;
pub use engine::{THREAD_ENGINES, ThreadEngine, check};
pub use unbounded::{Unbounded, UnboundedSettings, UnboundedSetup};
