//! From the syntax tree to the typed tree: layouts, types and constants compared with gcc; messages; real programs; limits.

mod common;
mod corpus;
mod expressions;
mod layout;
mod random;
#[path = "../reading/common.rs"]
mod reading;
