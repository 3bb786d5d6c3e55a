//! All tests of the crate that are not beside its code; one binary, so that it is linked once.

mod arrays;
mod crowds;
mod events;
mod heap;
mod interleaved;
mod memory;
mod once;
mod predicates;
mod random_components;
mod random_loops;
mod random_sharing;
mod smoke;
mod stdio;
mod steps;
mod verdicts;
