//! What can be asked of a solver for terms, one small trait per capability (in the manner of rustsat).
//! A back end implements what it has; a caller asks for what it needs; `conformance` tests them all alike.
//!
//! Every method that takes a [`TermPool`] must always be given the same one: a solver remembers terms by id.

use crate::answer::{Answer, UnknownReason};
use crate::evaluate::Evaluator;
use crate::model::{Model, Value};
use crate::term::{TermId, TermPool};
use base::Budget;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Takes formulas that must hold.
pub trait Assert {
    /// Requires a Boolean term to hold, until the level it was asserted in is popped.
    fn assert(&mut self, pool: &mut TermPool, formula: TermId);
}

/// Forgets assertions in the reverse order of taking them.
pub trait PushPop {
    /// Opens a level.
    fn push(&mut self);

    /// Closes the innermost level and forgets what was asserted in it.
    ///
    /// # Panics
    /// When no level is open: that is a bug of the caller.
    fn pop(&mut self);
}

/// Decides the assertions together with assumptions that hold for one call only.
pub trait CheckAssuming {
    /// Is there a model of all assertions and all `assumptions` (Boolean terms)?
    /// Must never answer `Sat` or `Unsat` wrongly; anything doubtful is `Unknown`.
    fn check_assuming(&mut self, pool: &mut TermPool, assumptions: &[TermId], budget: &Budget) -> Answer;

    /// Is there a model of all assertions?
    fn check(&mut self, pool: &mut TermPool, budget: &Budget) -> Answer {
        self.check_assuming(pool, &[], budget)
    }
}

/// Tells the model. Valid after `Sat`, until the next assertion, level or check.
pub trait GetModel {
    /// Values for the declared symbols that occur in `terms` and in what was asserted; `None` unless the last
    /// answer was `Sat`.
    fn model(&mut self, pool: &mut TermPool, terms: &[TermId]) -> Option<Model>;

    /// The values of some terms only (the state at one step, say); `None` unless the last answer was `Sat` and every
    /// term has a value that can be computed.
    fn values_of(&mut self, pool: &mut TermPool, terms: &[TermId]) -> Option<Vec<Value>> {
        let model = self.model(pool, terms)?;
        let mut evaluator = Evaluator::new(&model);
        terms.iter().map(|&term| evaluator.evaluate(pool, term).ok()).collect()
    }
}

/// Tells which assumptions were to blame. Valid after `Unsat`, until the next check.
pub trait UnsatCore {
    /// A subset of the last check's assumptions that is unsatisfiable with the assertions; not always minimal.
    fn core(&self) -> &[TermId];
}

/// Can be stopped from another thread.
pub trait Interrupt {
    /// A handle that stops the running check, or else the next one.
    fn interrupter(&self) -> Interrupter;
}

/// Counts its work.
pub trait Statistics {
    /// Work done since the solver was made.
    fn statistics(&self) -> SolverStatistics;
}

/// Lists all solutions, projected.
pub trait AllSolutions {
    /// Every combination of truth values of `indicators` that the assertions and `assumptions` allow, as cubes that
    /// do not overlap. An incomplete list says so.
    fn all_solutions(
        &mut self,
        pool: &mut TermPool,
        indicators: &[TermId],
        assumptions: &[TermId],
        limit: SolutionLimit,
        budget: &Budget,
    ) -> Solutions;
}

/// How many cubes to list at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolutionLimit {
    /// As many as there are.
    All,
    /// No more than this.
    AtMost(usize),
}

impl SolutionLimit {
    /// Have that many cubes reached the limit?
    pub fn is_reached_by(self, count: usize) -> bool {
        match self {
            SolutionLimit::All => false,
            SolutionLimit::AtMost(most) => count >= most,
        }
    }
}

/// A conjunction of indicators: position by position, true, false, or either (`None`).
pub type Cube = Vec<Option<bool>>;

/// What [`AllSolutions`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solutions {
    /// The combinations found, not overlapping.
    pub cubes: Vec<Cube>,
    /// Whether these are all.
    pub completeness: Completeness,
}

/// Is the list complete?
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// Every solution is in the list.
    Complete,
    /// The limit on their number was reached; there may be more.
    LimitReached,
    /// The solver could not go on; there may be more.
    Unknown(UnknownReason),
}

/// Makes a core minimal: dropping any one term of the result makes it satisfiable.
/// Deletion-based; every core found on the way is the next start. When the budget ends, the core so far.
pub fn minimise_core<S: CheckAssuming + UnsatCore>(
    solver: &mut S,
    pool: &mut TermPool,
    core: &[TermId],
    budget: &Budget,
) -> Vec<TermId> {
    let mut core = core.to_vec();
    let mut position = 0;
    while position < core.len() {
        let mut without = core.clone();
        without.remove(position);
        match solver.check_assuming(pool, &without, budget) {
            Answer::Unsat => {
                let smaller = solver.core();
                without.retain(|term| smaller.contains(term));
                // What stands before `position` is needed in every core inside this one, so it is still there.
                core = without;
            }
            Answer::Sat => position += 1,
            Answer::Unknown(_) => break,
        }
    }
    core
}

/// Stops a solver from another thread.
#[derive(Clone, Debug, Default)]
pub struct Interrupter {
    flag: Arc<AtomicBool>,
}

impl Interrupter {
    /// A handle that is not set.
    pub fn new() -> Interrupter {
        Interrupter::default()
    }

    /// Stops the running check, or else the next one; it answers Unknown.
    pub fn interrupt(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Was it used and not yet obeyed?
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// Called by a solver that has obeyed.
    pub(crate) fn clear(&self) {
        self.flag.store(false, Ordering::Relaxed);
    }
}

/// Work of one solver; every figure names its unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SolverStatistics {
    /// Checks asked.
    pub checks: u64,
    /// Propositional variables made.
    pub variables: u64,
    /// Clauses added.
    pub clauses: u64,
    /// Conflicts met in the search.
    pub conflicts: u64,
    /// Lemmas about arrays and functions added on demand.
    pub lemmas: u64,
    /// Terms encoded.
    pub encoded_terms: u64,
}
