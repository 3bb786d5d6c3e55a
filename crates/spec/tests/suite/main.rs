//! All tests of the crate that are not beside its code; one binary, so that it is linked once.

mod language_document;
mod meaning;
mod messages;
mod robustness;
mod shared_models;
