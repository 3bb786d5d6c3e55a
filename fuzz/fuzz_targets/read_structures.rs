//! For cargo-fuzz; what is done with the text, and what must hold, is in `bodies/read_structures.rs`.
#![no_main]

#[path = "../bodies/read_structures.rs"]
mod read_structures;

libfuzzer_sys::fuzz_target!(|text: &str| read_structures::body(text));
