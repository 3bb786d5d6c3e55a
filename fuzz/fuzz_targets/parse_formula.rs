//! For cargo-fuzz; what is done with the text, and what must hold, is in `bodies/parse_formula.rs`.
#![no_main]

#[path = "../bodies/parse_formula.rs"]
mod parse_formula;

libfuzzer_sys::fuzz_target!(|text: &str| parse_formula::body(text));
