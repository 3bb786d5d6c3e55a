//! Pseudo-Boolean optimisation (weighted MaxSAT): minimum weighted sums of Booleans under clauses and pseudo-Boolean
//! constraints, and minimum hitting sets.

mod adder;
mod core_guided;
mod hitting_set;
mod linear;
mod minimise;
mod totalizer;
mod weighted_totalizer;

pub use hitting_set::{HittingSet, minimum_hitting_set};
pub use minimise::{Comparison, Minimiser, MinimiserSettings, Mode, Optimum, Weighted};

#[cfg(test)]
mod tests;
