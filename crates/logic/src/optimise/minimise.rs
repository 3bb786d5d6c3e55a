//! The minimiser: constraints, and the two searches, from below (`core_guided`) and from above (`linear`). Both give
//! the same minimum; the tests require it.

use super::adder::Sum;
use super::core_guided::{CoreGuided, Ended};
use super::linear;
use super::totalizer::Totalizer;
use super::weighted_totalizer::WeightedTotalizer;
use crate::answer::UnknownReason;
use crate::blast::Gates;
use crate::sat::{Assignment, CadicalSolver, Literal, TakeClauses, Variable};
use base::{Budget, Id};
use std::collections::BTreeMap;

/// A literal and what it costs when true. Costs may be negative.
pub type Weighted = (Literal, i64);

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// From below, by unsatisfiable cores: best when the minimum is small compared to the sum of all weights.
    CoreGuided,
    /// From above, by better and better solutions: has a solution at any time.
    Linear,
}

/// How a weighted sum compares to a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// ≤
    AtMost,
    /// ≥
    AtLeast,
    /// =
    Exactly,
}

/// What was found.
#[must_use = "the minimum may be Unknown, and Unknown must be handled"]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Optimum {
    /// The minimum, and an assignment (by variable) that has it.
    Minimum {
        /// The least sum.
        cost: i64,
        /// Values by variable.
        assignment: Vec<bool>,
    },
    /// There is no assignment at all.
    Unsatisfiable,
    /// The search ended early.
    Unknown {
        /// Why the search ended.
        reason: UnknownReason,
        /// The best found so far: its sum, and values by variable.
        best: Option<(i64, Vec<bool>)>,
        /// The minimum is at least this.
        at_least: i64,
    },
}

/// Clauses, pseudo-Boolean constraints, and the search for minima under them. Constraints can be added between
/// searches.
#[derive(Debug)]
pub struct Minimiser {
    sat: CadicalSolver,
    gates: GatesBox,
    settings: MinimiserSettings,
}

/// Settings of the minimiser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MinimiserSettings {
    /// Weighted sums are counted in unary, which propagates well, while that takes no more clauses than this;
    /// larger ones are added in binary.
    pub unary_clauses: usize,
}

impl Default for MinimiserSettings {
    fn default() -> Self {
        MinimiserSettings { unary_clauses: 200_000 }
    }
}

struct GatesBox(Gates);

impl std::fmt::Debug for GatesBox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Gates")
    }
}

impl Default for Minimiser {
    fn default() -> Self {
        Self::new()
    }
}

impl TakeClauses for Minimiser {
    fn new_variable(&mut self) -> Variable {
        self.sat.new_variable()
    }

    fn add_clause(&mut self, clause: &[Literal]) {
        self.sat.add_clause(clause);
    }
}

/// Costs made non-negative: a negative cost of a literal is a cost of its negation, and a constant.
pub(super) struct Objective {
    pub(super) terms: Vec<(Literal, u64)>,
    constant: i64,
}

impl Objective {
    fn new(weighted: &[Weighted]) -> Objective {
        let mut by_literal: BTreeMap<Literal, i64> = BTreeMap::new();
        let mut constant = 0;
        for &(literal, weight) in weighted {
            let variable = literal.variable().positive();
            // w·¬x = w - w·x
            if literal != variable {
                constant += weight;
            }
            *by_literal.entry(variable).or_default() += if literal == variable { weight } else { -weight };
        }
        let mut terms = Vec::new();
        for (literal, weight) in by_literal {
            if weight > 0 {
                terms.push((literal, weight.unsigned_abs()));
            } else if weight < 0 {
                constant += weight;
                terms.push((!literal, weight.unsigned_abs()));
            }
        }
        Objective { terms, constant }
    }

    /// The result of a search, with the constant put back.
    fn optimum(&self, ended: Ended, best: Option<(u64, Vec<bool>)>, lower: u64) -> Optimum {
        let best = best.map(|(cost, values)| (self.constant + cost as i64, values));
        match (ended, best) {
            (Ended::Minimum, Some((cost, assignment))) => Optimum::Minimum { cost, assignment },
            (Ended::Minimum, None) => unreachable!("a minimum is the cost of a solution"),
            (Ended::Unsatisfiable, _) => Optimum::Unsatisfiable,
            (Ended::Unknown(reason), best) => {
                Optimum::Unknown { reason, best, at_least: self.constant + lower as i64 }
            }
        }
    }

    pub(super) fn cost(&self, solver: &impl Assignment) -> u64 {
        self.terms.iter().filter(|&&(literal, _)| solver.value(literal) == Some(true)).map(|&(_, w)| w).sum()
    }
}

impl Minimiser {
    /// No constraints yet.
    pub fn new() -> Minimiser {
        Minimiser::with_settings(MinimiserSettings::default())
    }

    /// No constraints yet, and settings other than the usual.
    pub fn with_settings(settings: MinimiserSettings) -> Minimiser {
        let mut sat = CadicalSolver::new();
        let gates = GatesBox(Gates::new(&mut sat));
        Minimiser { sat, gates, settings }
    }

    /// Requires a weighted sum to compare to a bound, for ever.
    pub fn add_pseudo_boolean(&mut self, sum: &[Weighted], comparison: Comparison, bound: i64) {
        if matches!(comparison, Comparison::AtMost | Comparison::Exactly) {
            self.add_at_most(sum, i128::from(bound));
        }
        if matches!(comparison, Comparison::AtLeast | Comparison::Exactly) {
            let negated: Vec<Weighted> = sum.iter().map(|&(literal, weight)| (literal, -weight)).collect();
            self.add_at_most(&negated, -i128::from(bound));
        }
    }

    fn add_at_most(&mut self, sum: &[Weighted], bound: i128) {
        let objective = Objective::new(sum);
        let Ok(bound) = u128::try_from(bound - i128::from(objective.constant)) else {
            self.sat.add_clause(&[]);
            return;
        };
        // Equal weights are counted in unary, which propagates well, and so are others while that stays small.
        let same = objective.terms.first().map(|&(_, first)| first);
        let Some(first) = same else { return };
        if objective.terms.len() <= 200 && objective.terms.iter().all(|&(_, weight)| weight == first) {
            let inputs: Vec<Literal> = objective.terms.iter().map(|&(literal, _)| literal).collect();
            let most = usize::try_from(bound / u128::from(first)).unwrap_or(usize::MAX);
            if let Some(above) = Totalizer::new(&inputs).more_than(&mut self.sat, most) {
                self.sat.add_clause(&[!above]);
            }
            return;
        }
        let Ok(above) = u64::try_from(bound + 1) else { return };
        let unary =
            WeightedTotalizer::new(&mut self.sat, &objective.terms, above, self.settings.unary_clauses);
        if let Some(counter) = unary {
            if let Some(reached) = counter.at_least(above) {
                self.sat.add_clause(&[!reached]);
            }
            return;
        }
        let sum = Sum::new(&mut self.sat, &mut self.gates.0, &objective.terms);
        let holds = sum.at_most(&mut self.sat, &mut self.gates.0, bound);
        self.sat.add_clause(&[holds]);
    }

    /// The least value of the sum under all constraints.
    pub fn minimise(&mut self, sum: &[Weighted], mode: Mode, budget: &Budget) -> Optimum {
        let objective = Objective::new(sum);
        match mode {
            Mode::CoreGuided => self.core_guided(&objective, budget),
            Mode::Linear => self.linear(&objective, budget),
        }
    }

    fn core_guided(&mut self, objective: &Objective, budget: &Budget) -> Optimum {
        let mut search = CoreGuided::new(&mut self.sat, objective, budget);
        let ended = search.run();
        let lower = search.lower;
        objective.optimum(ended, search.best, lower)
    }

    fn linear(&mut self, objective: &Objective, budget: &Budget) -> Optimum {
        let unary_clauses = self.settings.unary_clauses;
        let (ended, best) =
            linear::search(&mut self.sat, &mut self.gates.0, objective, unary_clauses, budget);
        objective.optimum(ended, best, 0)
    }
}

/// The solver's solution, by variable.
pub(super) fn assignment_of(sat: &CadicalSolver) -> Vec<bool> {
    let value = |index| sat.value(Variable::from_index(index).positive()).unwrap_or(false);
    (0..sat.variable_count()).map(value).collect()
}
