//! Temporal formulas to Büchi automata, automata in and out of HOA, and automata learned by asking.
//!
//! Reading order: `syntax` (formulas as written), `lasso_word` (what they are about), `guard` (letters),
//! `formula`, `implication`, `side`, `rewrite`, `rewrite_boolean` (formulas as worked with), `automaton`, `tableau`
//! (formula to automaton), `simulation`, `obligation`, `degeneralise` (making it small), `translate` (all together).

pub mod automaton;
mod degeneralise;
pub mod formula;
pub mod guard;
pub mod hoa;
mod implication;
pub mod lasso_word;
pub mod learn;
mod obligation;
mod rewrite;
mod rewrite_boolean;
mod side;
mod simulation;
pub mod syntax;
mod tableau;
pub mod translate;

pub use automaton::{Automaton, Edge, Location, Marks};
pub use degeneralise::with_accepting_states;
pub use guard::{Guard, Guards, Literal, Variable};
pub use lasso_word::{LassoWord, Letter};
pub use simulation::reduce;
pub use syntax::{Atom, Ltl};
pub use tableau::CannotTranslate;
pub use translate::{Acceptance, translate};
