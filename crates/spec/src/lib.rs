//! The specification language: FSP as LTSA accepts it with MAGIC's extensions, and formulas over states and events.

pub mod formula;

pub use formula::{Atom, Formula};
