//! Test tools of the front end: random programs, comparisons with gcc, the corpus, speed and fuzz runs.
//!
//! Reading order: [`generate`] (programs of our own), [`csmith`] → [`native`] (gcc's side), [`ours`] (Concord's side) →
//! [`compare`] (one program) → [`differences`] (many), [`minimise`]; [`manifest`] → [`corpus`], [`speed`]; [`worker`] → [`fuzz`].

pub mod compare;
pub mod corpus;
pub mod csmith;
pub mod differences;
pub mod fuzz;
pub mod generate;
pub mod manifest;
pub mod minimise;
pub mod native;
pub mod ours;
pub mod parallel;
pub mod random;
pub mod speed;
pub mod worker;
