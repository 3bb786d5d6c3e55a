//! The loop: abstract, check, validate, refine.

pub mod components;
