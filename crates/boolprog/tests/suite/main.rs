//! Tests of the whole crate, one file per part. Programs with their expectations are in `tests/programs`.
#![allow(clippy::print_stderr)] // what is absent is said plainly

mod agreement;
mod broadcasts;
mod common;
mod cover;
mod events;
mod explicit;
mod language;
mod pushdown;
mod recursion;
mod summaries;
mod threads;
mod walk;
