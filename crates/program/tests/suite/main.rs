//! All tests of the crate that are not beside its code; one binary, so that it is linked once.

mod points_to;
mod round_trip;
