//! The language: text to a tree with spans, and a tree to text.
//! The union of the dialects of SLAM/BEBOP and SATABS/BOPPO/BOOM; `docs/BOOLEAN-PROGRAMS.md` describes it.

mod expression;
mod parse;
mod print;
mod token;
pub mod tree;

pub use parse::parse;
pub use print::{print, print_expression};
pub use tree::{
    Binary, Declared, Expression, Name, ProcedureTree, ProgramTree, Statement, StatementKind, ThreadStart,
};
