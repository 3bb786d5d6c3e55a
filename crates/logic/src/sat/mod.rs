//! Plain incremental SAT: clauses, assumptions, models, cores, interruption.
//! Small traits in the manner of rustsat; the engines on Boolean programs use these directly.
//!
//! What an engine that unrolls, inducts or works frame by frame needs:
//!
//! - [`SolveUnder::solve_under`]: assumptions that hold for one call; [`FailedAssumptions`] then tells which of them
//!   were to blame, and [`minimise_failed`] which are needed (generalising a cube, lifting a state);
//! - [`SolveWithClause::solve_with_clause`]: one clause for one call (the negation of a cube, in relative induction);
//! - [`ClauseGroup`]: clauses that are switched on by an assumption and dropped for good (a frame, a bound);
//! - [`Assignment::literals_of`]: the part of a solution that is about some variables (the state at one step).
//!
//! ```
//! use base::Budget;
//! use logic::Answer;
//! use logic::sat::*;
//!
//! let mut solver = CadicalSolver::new();
//! let (now, then) = (solver.new_variable(), solver.new_variable());
//! // One bit that flips at each step: then = ¬now.
//! solver.add_clause(&[now.positive(), then.positive()]);
//! solver.add_clause(&[now.negative(), then.negative()]);
//! let budget = Budget::unlimited();
//!
//! // From 0 the step leads to 1 …
//! assert_eq!(solver.solve_under(&[now.negative()], &budget), Answer::Sat);
//! assert_eq!(solver.literals_of(&[then]), Some(vec![then.positive()]));
//! // … and not to 0; both ends are to blame.
//! assert_eq!(solver.solve_under(&[now.negative(), then.negative()], &budget), Answer::Unsat);
//! assert_eq!(solver.failed_assumptions().len(), 2);
//!
//! // A frame that says "it is 0 now", while it is open.
//! let frame = ClauseGroup::open(&mut solver);
//! frame.add_clause(&mut solver, &[now.negative()]);
//! assert_eq!(solver.solve_under(&[frame.active(), then.negative()], &budget), Answer::Unsat);
//! frame.close(&mut solver);
//! assert_eq!(solver.solve_under(&[then.negative()], &budget), Answer::Sat);
//! ```

mod cadical;
mod group;
mod literal;

pub use cadical::{CadicalSettings, CadicalSolver, Inprocessing, LuckyPhases, cadical_version};
pub use group::ClauseGroup;
pub use literal::{Literal, Variable};

use crate::answer::Answer;
use crate::traits::Interrupter;
use base::Budget;

/// Takes variables and clauses. Encodings are written against this.
pub trait TakeClauses {
    /// A variable nobody has used yet.
    fn new_variable(&mut self) -> Variable;

    /// Requires one of the literals to hold, for ever. The empty clause makes everything unsatisfiable.
    fn add_clause(&mut self, clause: &[Literal]);

    /// The positive literal of a new variable.
    fn new_literal(&mut self) -> Literal {
        self.new_variable().positive()
    }
}

/// Decides satisfiability of the clauses under assumptions that hold for one call only.
pub trait SolveUnder: TakeClauses {
    /// Is there an assignment satisfying all clauses and all `assumptions`?
    fn solve_under(&mut self, assumptions: &[Literal], budget: &Budget) -> Answer;
}

/// Takes one more clause for one call: in relative induction, the negation of a cube (Bradley 2011; Froleyks, Biere
/// 2021 for the clause as part of the call).
pub trait SolveWithClause: SolveUnder {
    /// Is there an assignment satisfying all clauses, all `assumptions` and one of the literals of `clause`?
    /// After `Unsat`, the failed assumptions are unsatisfiable together with the clauses and `clause`.
    fn solve_with_clause(&mut self, assumptions: &[Literal], clause: &[Literal], budget: &Budget) -> Answer;

    /// After `Unsat`: was the clause of the last call used to show it? Always false after a call without one.
    fn is_clause_to_blame(&self) -> bool;
}

/// Tells the assignment found. Valid after `Sat`, until the next clause or call.
pub trait Assignment {
    /// The value of a literal, if the last answer was `Sat`. Variables the solver never needed are false.
    fn value(&self, literal: Literal) -> Option<bool>;

    /// The solution as far as it is about these variables: the literal of each that holds.
    fn literals_of(&self, variables: &[Variable]) -> Option<Vec<Literal>> {
        variables.iter().map(|&variable| Some(variable.literal(self.value(variable.positive())?))).collect()
    }
}

/// Tells which assumptions were to blame. Valid after `Unsat`, until the next call.
pub trait FailedAssumptions {
    /// A subset of the assumptions that is already unsatisfiable with the clauses; not always a minimal one.
    fn failed_assumptions(&self) -> &[Literal];
}

/// Can be stopped from another thread.
pub trait InterruptSat {
    /// A handle that stops a running call.
    fn interrupter(&self) -> Interrupter;
}

/// Everything the SAT-based parts of this crate need.
pub trait IncrementalSat: SolveUnder + Assignment + FailedAssumptions {}

impl<S: SolveUnder + Assignment + FailedAssumptions> IncrementalSat for S {}

/// Makes a failed set of assumptions minimal: dropping any one of the result makes it satisfiable.
/// Deletion-based (Chinneck, Dravnieks 1991), with every core found on the way used as the next start.
/// Stops early with a smaller, perhaps not minimal, set when the budget ends.
pub fn minimise_failed<S: IncrementalSat>(
    solver: &mut S,
    failed: &[Literal],
    budget: &Budget,
) -> Vec<Literal> {
    let mut core = failed.to_vec();
    let mut position = 0;
    while position < core.len() {
        let mut without = core.clone();
        without.remove(position);
        match solver.solve_under(&without, budget) {
            Answer::Unsat => {
                let smaller = solver.failed_assumptions();
                without.retain(|literal| smaller.contains(literal));
                // Literals before `position` are known to be needed in every subset core, so they all stayed.
                core = without;
            }
            Answer::Sat => position += 1,
            Answer::Unknown(_) => break,
        }
    }
    core
}

#[cfg(test)]
mod tests;
