//! C programs read, lowered, run and printed again, compared with gcc.
#![allow(clippy::print_stderr)] // a test says what it leaves out

mod corpus;
mod differential;
mod generator;
