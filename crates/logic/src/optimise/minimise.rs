//! The minimiser. Core-guided: OLL (Andres, Kaufmann, Matheis, Schaub 2012; Morgado, Dodaro, Marques-Silva 2014) with
//! stratified weights and minimised cores, over totalizers. Linear: solution-improving search, each solution
//! bounding the next through an adder network. Both give the same minimum; the tests require it.

use super::adder::Sum;
use super::totalizer::Totalizer;
use crate::answer::{Answer, UnknownReason};
use crate::blast::Gates;
use crate::sat::{Assignment, CadicalSolver, FailedAssumptions, Literal, SolveUnder, TakeClauses, Variable};
use base::{Budget, Id};
use rustc_hash::FxHashMap;
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
        /// The sum.
        cost: i64,
        /// Values by variable.
        assignment: Vec<bool>,
    },
    /// There is no assignment at all.
    Unsatisfiable,
    /// The search ended early.
    Unknown {
        /// Why.
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
struct Objective {
    terms: Vec<(Literal, u64)>,
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

    fn cost(&self, solver: &impl Assignment) -> u64 {
        self.terms.iter().filter(|&&(literal, _)| solver.value(literal) == Some(true)).map(|&(_, w)| w).sum()
    }
}

impl Minimiser {
    /// No constraints yet.
    pub fn new() -> Minimiser {
        let mut sat = CadicalSolver::new();
        let gates = GatesBox(Gates::new(&mut sat));
        Minimiser { sat, gates }
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
        // Equal weights are counted in unary, which propagates well; others are added in binary.
        let same = objective.terms.first().map(|&(_, first)| first);
        let Some(first) = same else { return };
        if objective.terms.len() <= 200 && objective.terms.iter().all(|&(_, weight)| weight == first) {
            let inputs: Vec<Literal> = objective.terms.iter().map(|&(literal, _)| literal).collect();
            let most = usize::try_from(bound / u128::from(first)).unwrap_or(usize::MAX);
            if let Some(above) = Totalizer::new(&mut self.sat, &inputs).more_than(most) {
                self.sat.add_clause(&[!above]);
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

    fn assignment(&self) -> Vec<bool> {
        let value = |index| self.sat.value(Variable::from_index(index).positive()).unwrap_or(false);
        (0..self.sat.variable_count()).map(value).collect()
    }

    fn linear(&mut self, objective: &Objective, budget: &Budget) -> Optimum {
        let mut best: Option<(u64, Vec<bool>)> = None;
        let mut sum: Option<Sum> = None;
        // Bounds are assumed, not asserted: they must not bind the next search.
        let mut bound: Vec<Literal> = Vec::new();
        loop {
            match self.sat.solve_under(&bound, budget) {
                Answer::Unknown(reason) => {
                    return Optimum::Unknown {
                        reason,
                        best: best.map(|(cost, values)| (objective.constant + cost as i64, values)),
                        at_least: objective.constant,
                    };
                }
                Answer::Unsat => {
                    return match best {
                        Some((cost, assignment)) => {
                            Optimum::Minimum { cost: objective.constant + cost as i64, assignment }
                        }
                        None => Optimum::Unsatisfiable,
                    };
                }
                Answer::Sat => {}
            }
            let cost = objective.cost(&self.sat);
            best = Some((cost, self.assignment()));
            if cost == 0 {
                continue_with_nothing_better(&mut bound, &self.gates.0);
                continue;
            }
            let sum = sum.get_or_insert_with(|| Sum::new(&mut self.sat, &mut self.gates.0, &objective.terms));
            bound = vec![sum.at_most(&mut self.sat, &mut self.gates.0, u128::from(cost - 1))];
        }
    }

    fn core_guided(&mut self, objective: &Objective, budget: &Budget) -> Optimum {
        // Assumptions and what giving each up costs. Ordered, so that runs are repeatable.
        let mut soft: BTreeMap<Literal, u64> = BTreeMap::new();
        for &(literal, weight) in &objective.terms {
            *soft.entry(!literal).or_default() += weight;
        }
        // For the negated output k of a totalizer: which one, and k.
        let mut counters: Vec<(Totalizer, u64)> = Vec::new();
        let mut counted: FxHashMap<Literal, (usize, usize)> = FxHashMap::default();
        let mut lower = 0u64;
        let mut best: Option<(u64, Vec<bool>)> = None;
        let mut least_weight = soft.values().copied().max().unwrap_or(0);
        loop {
            let assumptions: Vec<Literal> = soft
                .iter()
                .filter(|&(_, &weight)| weight >= least_weight)
                .map(|(&literal, _)| literal)
                .collect();
            match self.sat.solve_under(&assumptions, budget) {
                Answer::Unknown(reason) => {
                    return Optimum::Unknown {
                        reason,
                        best: best.map(|(cost, values)| (objective.constant + cost as i64, values)),
                        at_least: objective.constant + lower as i64,
                    };
                }
                Answer::Sat => {
                    let cost = objective.cost(&self.sat);
                    if best.as_ref().is_none_or(|&(known, _)| cost < known) {
                        best = Some((cost, self.assignment()));
                    }
                    // Next stratum: the largest weight not yet assumed.
                    let next = soft.values().copied().filter(|&weight| weight < least_weight).max();
                    let reached = best.as_ref().is_some_and(|&(cost, _)| cost == lower);
                    match next {
                        Some(weight) if !reached => least_weight = weight,
                        _ => {
                            let (cost, assignment) = best.expect("a solution was just found");
                            debug_assert_eq!(cost, lower, "without a conflict the cost is what cores proved");
                            return Optimum::Minimum { cost: objective.constant + cost as i64, assignment };
                        }
                    }
                }
                Answer::Unsat => {
                    let core = self.sat.failed_assumptions().to_vec();
                    if core.is_empty() {
                        return Optimum::Unsatisfiable;
                    }
                    let core = self.smaller_core(core, budget);
                    let weight = core.iter().map(|literal| soft[literal]).min().expect("a core is not empty");
                    lower += weight;
                    for literal in &core {
                        let left = soft.get_mut(literal).expect("cores are made of assumptions");
                        *left -= weight;
                        if *left == 0 {
                            soft.remove(literal);
                        }
                        // One more of an older core is given up: allow the next count at the same price.
                        if let Some(&(counter, count)) = counted.get(literal)
                            && let Some(above) = counters[counter].0.more_than(count + 1)
                        {
                            *soft.entry(!above).or_default() += weight;
                            counted.insert(!above, (counter, count + 1));
                        }
                    }
                    if let [only] = core[..] {
                        self.sat.add_clause(&[!only]);
                        continue;
                    }
                    // One of the core is given up for `weight`; each further one costs the same again.
                    let broken: Vec<Literal> = core.iter().map(|&literal| !literal).collect();
                    let totalizer = Totalizer::new(&mut self.sat, &broken);
                    if let Some(second) = totalizer.more_than(1) {
                        *soft.entry(!second).or_default() += weight;
                        counted.insert(!second, (counters.len(), 1));
                    }
                    counters.push((totalizer, weight));
                }
            }
        }
    }

    /// A smaller core, as far as a few conflicts go (not time: runs must be repeatable): small cores make small
    /// counters.
    fn smaller_core(&mut self, mut core: Vec<Literal>, budget: &Budget) -> Vec<Literal> {
        const CONFLICTS_A_TRY: u32 = 500;
        const TRIES: usize = 100;
        let mut position = 0;
        for _ in 0..TRIES {
            if core.len() <= 1 || position >= core.len() || budget.check().is_err() {
                break;
            }
            let mut without = core.clone();
            without.remove(position);
            self.sat.limit_conflicts(CONFLICTS_A_TRY);
            match self.sat.solve_under(&without, budget) {
                Answer::Unsat => {
                    let failed = self.sat.failed_assumptions();
                    if failed.is_empty() {
                        // The constraints alone are unsatisfiable, which the next search will tell.
                        return core;
                    }
                    without.retain(|literal| failed.contains(literal));
                    core = without;
                }
                Answer::Sat | Answer::Unknown(_) => position += 1,
            }
        }
        core
    }
}

/// The cost cannot fall below zero: the next question is the constant false.
fn continue_with_nothing_better(bound: &mut Vec<Literal>, gates: &Gates) {
    *bound = vec![gates.constant(false)];
}
