//! Test tools of the interval analysis. Reading order: [`read`] (files to programs) → [`soundness`] (runs lie in the ranges) →
//! [`formulas`] (CTL against exhaustive search) → [`table`] (many files, with times) →
//! [`eva`], [`warnings`] (beside another tool).

pub mod eva;
pub mod formulas;
pub mod read;
pub mod soundness;
pub mod table;
pub mod warnings;
