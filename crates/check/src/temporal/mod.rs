//! State/event temporal logic (SE-LTL) on finite models: formulas over what holds in a state and what happens
//! next. Meaning: SELTL sections 2 and 3, over maximal paths, so a run that cannot go on is a run. Reduction
//! to automata by the ⊥-completion of SELTL 3.1. See `formula` for the question, `product` for the search
//! space, `components` and `nested` for the two searches, `fair` for fairness, `meaning` for the oracle,
//! `silence` for formulas that cannot count silent steps.

mod components;
mod fair;
mod formula;
mod lasso;
pub mod meaning;
mod nested;
mod product;
mod progress;
mod silence;
mod vacuity;
mod words;

pub use fair::Fairness;
pub use formula::{Emptiness, TemporalSettings, Vacuity, holds, runs_of_automaton};
pub(crate) use formula::{ViolatingRun, counterexample, forbidden, unknown_atoms, violating_run};
pub(crate) use product::AtomMeaning;
pub(crate) use progress::no_progress;
pub use progress::progress;
pub use silence::is_blind_to_silence;
pub use words::{over_infinite_words, with_finite_paths};
