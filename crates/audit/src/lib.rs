//! Checks certificates of proofs about C programs again, with nothing of the engines that found them.
//!
//! Reading order: `claim` → `expression` → `elements` → `reading` → `nesting` → `walk` → `contract` → `judge`
//! → `check` → `ranking` → `only_run` → `all_runs`.

mod all_runs;
mod call;
mod check;
mod claim;
mod contract;
mod elements;
mod expression;
mod judge;
mod nesting;
mod only_run;
mod ranking;
mod reading;
mod unwritten;
mod walk;

pub use check::audit;
pub use claim::{Claim, Settings};
