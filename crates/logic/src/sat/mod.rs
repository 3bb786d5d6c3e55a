//! Plain incremental SAT: clauses, assumptions, models, cores, interruption.
//! Small traits in the manner of rustsat; the engines on Boolean programs use these directly.

mod cadical;
mod literal;

pub use cadical::{CadicalSolver, cadical_version};
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

/// Tells the assignment found. Valid after `Sat`, until the next clause or call.
pub trait Assignment {
    /// The value of a literal, if the last answer was `Sat`. Variables the solver never needed are false.
    fn value(&self, literal: Literal) -> Option<bool>;
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
