//! For cargo-fuzz; what is done with the text, and what must hold, is in `bodies/parse_spec.rs`.
#![no_main]

#[path = "../bodies/parse_spec.rs"]
mod parse_spec;

libfuzzer_sys::fuzz_target!(|text: &str| parse_spec::body(text));
