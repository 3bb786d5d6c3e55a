//! Differential testing of this crate: random terms, and the three readings of them that must agree. Used by the
//! tests (a few hundred terms) and by the measurements (as many as asked for).

mod agree;
mod random_terms;

pub use agree::{Agreement, check_random_terms};
pub use random_terms::{RandomTerms, TermShape, Theories};
