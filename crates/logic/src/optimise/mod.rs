//! Minimum weighted sums of Booleans under clauses and pseudo-Boolean constraints, and minimum hitting sets.

mod adder;
mod core_guided;
mod hitting_set;
mod minimise;
mod totalizer;

pub use hitting_set::{HittingSet, minimum_hitting_set};
pub use minimise::{Comparison, Minimiser, Mode, Optimum, Weighted};

#[cfg(test)]
mod tests;
