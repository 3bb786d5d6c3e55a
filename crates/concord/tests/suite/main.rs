//! The command line, verb by verb; one binary, so that it is linked once.

mod analyze;
mod architecture;
mod arguments;
mod book;
mod boolean;
mod browser;
mod check;
mod cli;
mod documents;
mod draw_finite;
mod entry;
mod everyday;
mod examples;
mod gate;
mod harness;
mod library;
mod limits;
mod linkage;
mod model;
mod order;
mod parts;
mod schema;
mod threads;
mod verify;
