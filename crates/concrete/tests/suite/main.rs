//! All tests of the crate that are not beside its code; one binary, so that it is linked once.

mod against_compiled;
mod builtins;
mod common;
mod interleavings;
mod moments;
mod programs;
mod rounds;
mod runs;
mod tricky;
