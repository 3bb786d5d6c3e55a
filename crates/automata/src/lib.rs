//! Temporal formulas to Büchi automata, automata in and out of HOA, and automata learned by asking.
//!
//! Reading order: `syntax` (formulas as written), `lasso_word` (their meaning, the oracle), `guard` (letters),
//! `formula`, `implication`, `rewrite`, `rewrite_boolean` (formulas as worked with), `automaton`, `tableau`
//! (formula to automaton), `simulation`, `obligation`, `degeneralise` (making it small), `translate` (all together).

pub mod automaton;
pub mod formula;
pub mod guard;
mod implication;
pub mod lasso_word;
mod rewrite;
mod rewrite_boolean;
pub mod syntax;
pub mod tableau;

pub use automaton::{Automaton, Edge, Location, Marks};
pub use guard::{Guard, Guards, Literal, Variable};
pub use lasso_word::{LassoWord, Letter};
pub use syntax::{Atom, Ltl};
pub use tableau::CannotTranslate;
