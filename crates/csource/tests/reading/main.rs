//! From files to the syntax tree: real programs, files of our own, limits, and input that is no C at all.

mod common;
mod corpus;
mod limits;
mod own_files;
mod soup;
