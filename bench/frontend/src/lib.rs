//! Test tools of the front end.

pub mod generate;
pub mod random;
