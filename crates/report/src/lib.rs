//! Drawings of programs as DOT and SVG text.

pub mod draw;
