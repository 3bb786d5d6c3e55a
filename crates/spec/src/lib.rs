//! The specification language.
