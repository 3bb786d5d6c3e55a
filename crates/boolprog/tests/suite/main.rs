//! Tests of the whole crate, one file per part. Programs with their expectations are in `tests/programs`.

mod agreement;
mod common;
mod explicit;
mod language;
mod summaries;
mod threads;
