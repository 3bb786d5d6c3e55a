//! Components against specifications by compositional abstraction refinement (THESIS ch. 6 to 10; SELTL; AG
//! 5).
//!
//! Reading order: `specified` (from specifications to a question about parts) and `names`, `run` (what the
//! loop of `question` refines), `parts` (what the system is made of), `ask` (one check of the abstract
//! system: the table of engines), `fair` (which runs count), `shared_variables` (variables as parts of the system),
//! `witness` (its counterexample in terms of the parts), `several` and
//! `lassos` (more of them), `judge` (is it real?), `common` (do all components start with the same values of
//! what they share?), `bypass` (which of its branches do not matter), `replay` (is it real on real values?),
//! `validate` (all of that, and what is learned from it), `narrow` and `fewer` (what the proof did not need),
//! `refusals` (deadlock for engines that know traces only), `localise` (a few of many components), `report`
//! and `summary` (what people are shown).

mod ask;
mod bypass;
mod common;
mod fair;
mod fewer;
mod judge;
mod lassos;
mod localise;
mod names;
mod narrow;
mod parts;
mod refusals;
mod replay;
mod report;
mod returns;
mod run;
mod several;
mod shared;
mod shared_variables;
mod specified;
mod summary;
mod validate;
mod witness;

pub use ask::{AbstractEngine, AbstractSystem, engine_named, engines};
pub use fair::{FairTo, SystemFairness};
pub use names::nearest;
pub use parts::{SystemPart, formula_with_returns, with_returns_told_apart};
pub use report::{PartFigures, SystemReport};
pub use returns::returns_together;
pub use run::check;
pub use specified::{
    Book, BookId, CannotAsk, Conventions, Globals, Specified, SystemProperty, SystemQuestion, ask, uncalled,
};

use predicate::refine::Minimisation;

/// How the question is answered.
#[derive(Clone)]
pub struct Settings {
    /// Which engine answers on the abstract system; none for the table's choice.
    pub engine: Option<&'static AbstractEngine>,
    /// How many predicates are kept.
    pub predicates: Minimisation,
    /// Counterexamples looked at in each round, where the engine gives several.
    pub counterexamples: usize,
    /// Rounds before it gives up.
    pub most_rounds: usize,
    /// Which infinite runs count, where a formula is asked for.
    pub fairness: SystemFairness,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            engine: None,
            predicates: Minimisation::Minimal,
            counterexamples: 1,
            most_rounds: 500,
            fairness: SystemFairness::default(),
        }
    }
}
