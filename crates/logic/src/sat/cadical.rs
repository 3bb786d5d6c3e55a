//! CaDiCaL (Biere et al.) in process, through the `cadical-sys` bindings, which compile the bundled source with
//! nothing but a C++ compiler (rustsat's bindings ask for libclang; see `docs/decisions/solver.md`).
//! Limits come from a [`Budget`] that CaDiCaL's terminator polls.

use super::{
    Assignment, FailedAssumptions, InterruptSat, Literal, SolveUnder, SolveWithClause, TakeClauses, Variable,
};
use crate::answer::{Answer, UnknownReason};
use crate::traits::{Interrupter, SolverStatistics};
use base::{Budget, Id};
use cadical_sys::{CaDiCal, Status, Terminator};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// An incremental SAT solver. It stays on the thread that made it; its [`Interrupter`] may travel.
pub struct CadicalSolver {
    // `val` of the bindings wants `&mut`, though it changes nothing a caller can see.
    solver: RefCell<CaDiCal>,
    variables: u32,
    clauses: u64,
    calls: u64,
    failed: Vec<Literal>,
    clause_failed: bool,
    interrupter: Interrupter,
    limits: Rc<Limits>,
    holds_model: bool,
}

/// Settings of the SAT solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CadicalSettings {
    /// Whether simple assignments are tried before each search.
    pub lucky_phases: LuckyPhases,
    /// Whether clauses are simplified between searches.
    pub inprocessing: Inprocessing,
}

/// Whether CaDiCaL simplifies clauses between searches (elimination, probing, vivification …).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inprocessing {
    /// It does: what long searches need.
    #[default]
    On,
    /// It does not: hundreds of short questions about the same clauses, each with some more, spend most of their time
    /// on it.
    Off,
}

/// Whether CaDiCaL tries a few simple assignments (all true, all false, in order) before it searches. It does so anew
/// at every call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LuckyPhases {
    /// It does not: Concord's questions are many and small, and trying costs as much as such a question
    /// (`docs/decisions/solver.md` has the figures).
    #[default]
    Off,
    /// CaDiCaL tries them at every call.
    On,
}

/// What the terminator asks while CaDiCaL works.
struct Limits {
    budget: RefCell<Budget>,
    stopped_by: Cell<Option<StoppedBy>>,
}

/// The limit that was reached, or `None` for the interrupter.
type StoppedBy = Option<base::Exhausted>;

struct PollLimits {
    limits: Rc<Limits>,
    interrupter: Interrupter,
}

impl Terminator for PollLimits {
    fn terminated(&mut self) -> bool {
        let why = if self.interrupter.is_set() {
            None
        } else {
            match self.limits.budget.borrow().check() {
                Ok(()) => return false,
                Err(limit) => Some(limit),
            }
        };
        self.limits.stopped_by.set(Some(why));
        true
    }
}

impl CadicalSolver {
    /// An empty solver.
    pub fn new() -> CadicalSolver {
        CadicalSolver::with_settings(CadicalSettings::default())
    }

    /// An empty solver with other settings than the usual.
    pub fn with_settings(settings: CadicalSettings) -> CadicalSolver {
        let mut solver = CaDiCal::new();
        let lucky = match settings.lucky_phases {
            LuckyPhases::Off => 0,
            LuckyPhases::On => 1,
        };
        let accepted = solver.set("lucky", lucky);
        assert!(accepted, "CaDiCaL knows its option `lucky`");
        if settings.inprocessing == Inprocessing::Off {
            let accepted = solver.set("inprocessing", 0);
            assert!(accepted, "CaDiCaL knows its option `inprocessing`");
        }
        let limits =
            Rc::new(Limits { budget: RefCell::new(Budget::unlimited()), stopped_by: Cell::new(None) });
        let interrupter = Interrupter::new();
        solver.connect_terminator(PollLimits { limits: limits.clone(), interrupter: interrupter.clone() });
        CadicalSolver {
            solver: RefCell::new(solver),
            variables: 0,
            clauses: 0,
            calls: 0,
            failed: Vec::new(),
            clause_failed: false,
            interrupter,
            limits,
            holds_model: false,
        }
    }

    /// Work done so far.
    pub fn statistics(&self) -> SolverStatistics {
        let solver = self.solver.borrow();
        let figure = |name: &str| u64::try_from(solver.get_statistic_value(name)).unwrap_or(0);
        SolverStatistics {
            checks: self.calls,
            variables: u64::from(self.variables),
            clauses: self.clauses,
            conflicts: figure("conflicts"),
            ..SolverStatistics::default()
        }
    }

    /// How many variables have been made.
    pub fn variable_count(&self) -> usize {
        self.variables as usize
    }

    /// Lets the next call (only) give up, with Unknown, after so many conflicts.
    pub fn limit_conflicts(&mut self, conflicts: u32) {
        let accepted = self.solver.get_mut().limit("conflicts", i32::try_from(conflicts).unwrap_or(i32::MAX));
        assert!(accepted, "CaDiCaL knows the limit `conflicts`");
    }

    /// Prefers this value for the literal's variable when the search has a choice.
    pub fn prefer(&mut self, literal: Literal) {
        self.solver.get_mut().phase(external(literal));
    }

    /// Takes back what [`prefer`](Self::prefer) said about the literal's variable.
    pub fn forget_preference(&mut self, literal: Literal) {
        self.solver.get_mut().unphase(external(literal));
    }
}

impl Default for CadicalSolver {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for CadicalSolver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CadicalSolver")
            .field("variables", &self.variables)
            .field("clauses", &self.clauses)
            .field("calls", &self.calls)
            .finish_non_exhaustive()
    }
}

/// The literal in DIMACS numbering.
fn external(literal: Literal) -> i32 {
    let number = i32::try_from(literal.variable().index() + 1).expect("fewer than 2^31 variables");
    if literal.is_positive() { number } else { -number }
}

impl TakeClauses for CadicalSolver {
    fn new_variable(&mut self) -> Variable {
        let variable = Variable::from_index(self.variables as usize);
        self.variables += 1;
        variable
    }

    fn add_clause(&mut self, clause: &[Literal]) {
        self.holds_model = false;
        self.clauses += 1;
        let solver = self.solver.get_mut();
        for &literal in clause {
            solver.add(external(literal));
        }
        solver.add(0);
    }
}

impl CadicalSolver {
    fn solve(&mut self, assumptions: &[Literal], clause: Option<&[Literal]>, budget: &Budget) -> Answer {
        self.holds_model = false;
        self.failed.clear();
        self.clause_failed = false;
        self.calls += 1;
        if self.interrupter.is_set() {
            self.interrupter.clear();
            return Answer::Unknown(UnknownReason::Interrupted);
        }
        if let Err(limit) = budget.check() {
            return Answer::Unknown(limit.into());
        }
        self.limits.stopped_by.set(None);
        self.limits.budget.replace(budget.clone());
        let solver = self.solver.get_mut();
        for &literal in assumptions {
            solver.assume(external(literal));
        }
        if let Some(clause) = clause {
            for &literal in clause {
                solver.constrain(external(literal));
            }
            solver.constrain(0);
        }
        match solver.solve() {
            Status::SATISFIABLE => {
                self.holds_model = true;
                Answer::Sat
            }
            Status::UNSATISFIABLE => {
                for &literal in assumptions {
                    if solver.failed(external(literal)) {
                        self.failed.push(literal);
                    }
                }
                self.clause_failed = clause.is_some() && solver.constraint_failed();
                Answer::Unsat
            }
            Status::UNKNOWN => {
                self.interrupter.clear();
                Answer::Unknown(match self.limits.stopped_by.get() {
                    Some(Some(limit)) => UnknownReason::Exhausted(limit),
                    Some(None) => UnknownReason::Interrupted,
                    None => UnknownReason::BackEnd("the limit of conflicts was reached".to_owned()),
                })
            }
        }
    }
}

impl SolveUnder for CadicalSolver {
    fn solve_under(&mut self, assumptions: &[Literal], budget: &Budget) -> Answer {
        self.solve(assumptions, None, budget)
    }
}

impl SolveWithClause for CadicalSolver {
    fn solve_with_clause(&mut self, assumptions: &[Literal], clause: &[Literal], budget: &Budget) -> Answer {
        if clause.is_empty() {
            // Nothing satisfies the empty clause, and it alone is to blame.
            self.holds_model = false;
            self.failed.clear();
            self.clause_failed = true;
            return Answer::Unsat;
        }
        self.solve(assumptions, Some(clause), budget)
    }

    fn is_clause_to_blame(&self) -> bool {
        self.clause_failed
    }
}

impl Assignment for CadicalSolver {
    fn value(&self, literal: Literal) -> Option<bool> {
        if !self.holds_model || literal.variable().index() >= self.variables as usize {
            return None;
        }
        // CaDiCaL answers the literal itself when it is true, and its negation otherwise.
        let number = external(literal.variable().positive());
        let variable_is_true = self.solver.borrow_mut().val(number) == number;
        Some(variable_is_true == literal.is_positive())
    }
}

impl FailedAssumptions for CadicalSolver {
    fn failed_assumptions(&self) -> &[Literal] {
        &self.failed
    }
}

impl InterruptSat for CadicalSolver {
    fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }
}

/// Name and version of the solver that was compiled in.
pub fn cadical_version() -> String {
    CaDiCal::signature()
}
