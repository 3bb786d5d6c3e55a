//! Components against specifications by compositional abstraction refinement (THESIS ch. 6 to 10; SELTL; AG 5).
//!
//! Reading order: this file (the question and the answer), `parts` (what the system is made of), `ask` (one check of the
//! abstract system), `witness` (its counterexample in terms of the parts), `several` and `lassos` (more of them), `judge`
//! (is it real?), `common` (do all components start with the same values of what they share?), `bypass` (which of its branches do not matter), `replay` (is it real on real values?), `run` (the loop),
//! `narrow` and `fewer` (what the proof did not need), `refusals` (deadlock for engines that know traces only), `localise` (a few of many components), `report` (what people are shown).

mod ask;
mod bypass;
mod common;
mod fewer;
mod judge;
mod lassos;
mod localise;
mod narrow;
mod parts;
mod refusals;
mod replay;
mod report;
mod returns;
mod run;
mod several;
mod shared;
mod witness;

pub use parts::{Part, formula_with_returns, with_returns_told_apart};
pub use report::{PartFigures, Report};
pub use returns::returns_together;
pub use run::check;

use lks::Lks;
use predicate::refine::Minimisation;
use spec::Formula;
use std::sync::Arc;

/// What conformance means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Conformance {
    /// Weak simulation (SEEDS correction 5).
    #[default]
    Simulation,
    /// Every trace of the system is one of the specification.
    Trace,
}

/// What is asked of the system.
#[derive(Clone, Debug)]
pub enum Question {
    /// Does it conform to the process? Actions that the process does not mention are hidden.
    Conforms(Arc<Lks>, Conformance),
    /// Does every maximal run satisfy the formula?
    Satisfies(Formula),
    /// Can it not deadlock?
    DeadlockFree,
}

/// Which engine answers on the abstract system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Chosen for the question.
    #[default]
    Auto,
    /// State by state, components as they are.
    Plain,
    /// Quotients of components, refined where they are too coarse (THESIS 9).
    TwoLevel,
    /// Assume-guarantee, rule 1 (AG).
    AssumeGuarantee1,
    /// Assume-guarantee, rule 2 (AG).
    AssumeGuarantee2,
    /// Sets of states as decision diagrams.
    Symbolic,
}

impl Engine {
    /// As users write it.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Plain => "plain",
            Engine::TwoLevel => "two-level",
            Engine::AssumeGuarantee1 => "ag1",
            Engine::AssumeGuarantee2 => "ag2",
            Engine::Symbolic => "symbolic",
        }
    }
}

/// How the question is answered.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Which engine.
    pub engine: Engine,
    /// How many predicates are kept.
    pub predicates: Minimisation,
    /// Counterexamples looked at in each round, where the engine gives several.
    pub counterexamples: usize,
    /// Rounds before it gives up.
    pub most_rounds: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            engine: Engine::Auto,
            predicates: Minimisation::Minimal,
            counterexamples: 1,
            most_rounds: 500,
        }
    }
}
