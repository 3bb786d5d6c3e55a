//! The specification language: FSP as LTSA accepts it with MAGIC's extensions, and formulas over states and events.
//!
//! Reading order: [`syntax`] is what the text says, `parse` reads it; [`formula`], [`ctl`] and [`cexpr`]
//! are the languages inside it; [`testcase`] reads what a program is fed with; [`action`] is what the names of actions
//! mean; [`table`] is a second notation for structures; [`evaluate`] gives all of it its meaning.

pub mod action;
pub mod cexpr;
pub mod ctl;
mod cursor;
pub mod evaluate;
pub mod formula;
pub mod lexer;
mod library;
mod lint;
mod parse;
pub mod syntax;
pub mod table;
pub mod testcase;

pub use evaluate::{Model, Settings, composite::System, shared::SharedVariable};
pub use formula::{Atom, Formula};
pub use library::{library_place, library_text};
pub use lint::{lint, used_processes};
pub use parse::parse;
pub use syntax::Specification;
