//! Drawings of programs, finite models and counterexamples as DOT and SVG text.

pub mod draw;
