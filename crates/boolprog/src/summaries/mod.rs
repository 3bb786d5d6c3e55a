//! Sequential, recursive programs: path edges and summary edges as BDDs, with explicit program counters.
//! After Reps, Horwitz, Sagiv 1995 and Ball, Rajamani 2000 (BEBOP); BOOM ch. 4.1 and 10.
//!
//! Reading order: `settings`, `places` (BDD variables), `relation` (edges as relations), `engine` (the fixpoint),
//! `walk` (from an error back to the start), `invariant` and `recheck` (the fixpoint as a proof, and its check by SAT).

mod context;
mod engine;
mod invariant;
mod order;
mod places;
mod recheck;
mod relation;
mod settings;
mod walk;
mod worklist;

pub use engine::{SummaryResult, SummaryStatistics, check_by_summaries, prove_by_summaries};
pub use invariant::{Function, Invariant, Observed};
pub use recheck::{Refused, recheck};
pub use settings::{Choices, DeadVariables, PassingGlobals, SummarySettings, VariableOrder, WorkListOrder};
