//! A fuzzer for the ground under the engines: random programs with library calls, linkage, streams and the rest of what C programs rest
//! on, and Concord's answers about them beside what gcc and its sanitizers see. Nothing of Concord is used but its executable.

pub mod campaign;
pub mod compare;
pub mod concord;
pub mod json;
pub mod native;
pub mod piece;
pub mod pieces;
pub mod program;
pub mod random;
pub mod systems;
pub mod truth;
