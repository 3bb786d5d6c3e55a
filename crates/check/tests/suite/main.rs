//! All tests of the crate that are not beside its code; one binary, so that it is linked once.

mod conformance;
mod engines;
mod learning;
mod recorded_sizes;
mod safety;
mod temporal;
