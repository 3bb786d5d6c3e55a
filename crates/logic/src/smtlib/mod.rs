//! SMT-LIB 2 text: reading scripts and solvers' answers. (Writing is with the terms.)

mod desugar;
mod read;
mod sexp;
mod value;

pub use read::{ReadError, Script, read_script};

pub(crate) use desugar::Desugar;
pub(crate) use sexp::{Sexps, complete_expression};
pub(crate) use value::read_value;

#[cfg(test)]
mod tests;
