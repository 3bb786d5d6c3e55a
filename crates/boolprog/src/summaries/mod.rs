//! Sequential, recursive programs by procedure summaries (the functional approach; interprocedural
//! reachability): path edges and summary edges as BDDs, with explicit program counters.
//! After Reps, Horwitz, Sagiv 1995 and Ball, Rajamani 2000 (BEBOP); BOOM ch. 4.1 and 10.
//!
//! Reading order: `settings`, `places` (BDD variables), `relation` (edges as relations), `engine` (the
//! fixpoint), `walk` (from an error back to the start), `invariant` and `recheck` (the fixpoint as a proof,
//! and its check by SAT).
//!
//! Worked example: `main() { g := F; flip(); flip(); assert(!g); }`, `flip() { g := !g; }`. The first call
//! enters `flip` with `g = F`; its path edge at the exit, entered with F and now T, is the summary F → T, and
//! control is behind the first call with T. The second call enters with T, which gives the summary T → F.
//! Behind it `g` is F: nothing fails. A third call would be answered by the summaries alone, whoever makes
//! it.
//!
//! Naive twins: `explicit` (states one by one), and the engine with every optimisation off; random programs
//! must agree.

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

pub use engine::{check_by_summaries, prove_by_summaries};
pub use invariant::{Function, Invariant, Observed};
pub use recheck::{Refused, recheck};
pub use settings::{Choices, DeadVariables, PassingGlobals, SummarySettings, VariableOrder, WorkListOrder};
