//! Checks certificates of proofs about C programs again, with nothing of the engines that found them.
//!
//! Reading order: [`question`] → `expression` → `elements` → `reading` → `nesting` → `walk` → `contract` → `judge` → `lifetimes` → [`check`] → `only_run`.

mod call;
pub mod check;
mod contract;
mod elements;
mod expression;
mod judge;
mod lifetimes;
mod nesting;
mod only_run;
pub mod question;
mod reading;
mod walk;

pub use check::audit;
pub use question::{Judgement, Missing, Question, Report, SecondOpinion, Settings};
