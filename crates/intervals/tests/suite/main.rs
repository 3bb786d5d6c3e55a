//! All tests of the crate that are not beside its code; one binary, so that it is linked once.

mod claims;
mod common;
mod ctl;
mod findings;
mod levels;
mod ranges;
