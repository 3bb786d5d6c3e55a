//! The command line, verb by verb; one binary, so that it is linked once.
#![allow(clippy::print_stderr)] // what is left out is said plainly

mod analyze;
mod architecture;
mod arguments;
mod book;
mod boolean;
mod browser;
mod check;
mod cli;
mod compilers;
mod constants;
mod decisions;
mod documents;
mod draw_finite;
mod ending_programs;
mod endings;
mod entry;
mod everyday;
mod examples;
mod formulas;
mod gate;
mod harness;
mod library;
mod limits;
mod linkage;
mod messages;
mod model;
mod order;
mod parts;
mod prove;
mod prove_edits;
mod schema;
mod terminal;
mod threads;
mod verify;
mod witnesses;
