//! Engines for programs with threads.
//!
//! Reading order: `judged` (what a run of threads shows about a property) → `interleavings` (all of them).

mod interleavings;
mod judged;

pub use interleavings::Interleavings;

/// The engine's name.
const NAME: &str = "interleavings";
