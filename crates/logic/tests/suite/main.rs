//! All tests of the crate that are not beside its code; one binary, so that it is linked once.

mod agreement;
mod conformance;
mod sat_engines;
