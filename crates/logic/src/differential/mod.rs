//! Differential testing of this crate: random terms, and the three readings of them that must agree. Used by the
//! tests (a few hundred terms) and by the measurements (as many as asked for).

mod agree;
mod coverage;
mod fix;
mod random_terms;

pub use agree::{Agreement, check_random_terms};
pub use coverage::Coverage;
pub use random_terms::{RandomTerms, TermShape, Theories};
