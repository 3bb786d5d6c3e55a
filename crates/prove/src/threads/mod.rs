//! Engines for programs with threads.
//!
//! Reading order: `judged` (what a run of threads shows about a property) → `interleavings` (all of them) → `script` (what a run of the sequential program says
//! about threads) → `follow` (the same by threads) → `fewer` (smaller) → `confirm` (the whole, before anybody is told); `drawn` (runs with drawn schedules).

mod confirm;
mod drawn;
mod fewer;
mod follow;
mod interleavings;
mod judged;
mod script;

pub use confirm::{Repeated, confirm};
pub use drawn::drawn_schedules;
pub use interleavings::Interleavings;

/// The engine's name.
const NAME: &str = "interleavings";
