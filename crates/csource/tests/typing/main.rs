//! From the syntax tree to the typed tree: layouts, types and constants compared with gcc; messages; real programs; limits.

mod common;
mod corpus;
mod expressions;
mod layout;
mod limits;
mod messages;
#[allow(dead_code, reason = "typing needs the list of programs only")]
#[path = "../reading/common.rs"]
mod reading;
mod show;
mod soup;
mod trees;
