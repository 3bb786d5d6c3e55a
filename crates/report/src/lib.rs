//! What people look at: drawings of programs, finite models and counterexamples as DOT and SVG, and reports as pages of
//! HTML that need nothing else.

pub mod draw;
pub mod page;
