//! Differential testing of `logic`: random terms, and the three readings of them that must agree. Used by its tests (a
//! few hundred terms) and by the measurements (as many as asked for).

mod agree;
mod coverage;
mod fix;

pub use agree::{Agreement, check_random_terms};
pub use coverage::Coverage;
