//! The search from above: each solution bounds the next, until there is none. After Eén, Sörensson 2006; the sum is
//! counted in unary where that stays small (see `weighted_totalizer`), else in binary by an adder.

use super::adder::Sum;
use super::core_guided::Ended;
use super::minimise::{Objective, assignment_of};
use super::weighted_totalizer::WeightedTotalizer;
use crate::answer::Answer;
use crate::blast::Gates;
use crate::sat::{CadicalSolver, Literal, SolveUnder, TakeClauses};
use base::Budget;

enum Bound {
    Unary(WeightedTotalizer),
    Binary(Sum),
}

impl Bound {
    /// Allows only sums below `cost` while `improving` is assumed.
    fn stay_below(&self, sat: &mut CadicalSolver, gates: &mut Gates, improving: Literal, cost: u64) {
        match self {
            Bound::Unary(counter) => {
                if let Some(reached) = counter.at_least(cost) {
                    sat.add_clause(&[!improving, !reached]);
                }
            }
            Bound::Binary(sum) => {
                let below = sum.at_most(sat, gates, u128::from(cost) - 1);
                sat.add_clause(&[!improving, below]);
            }
        }
    }
}

/// The cheapest solution found with its cost, and whether it is the cheapest of all.
pub(super) fn search(
    sat: &mut CadicalSolver,
    gates: &mut Gates,
    objective: &Objective,
    unary_clauses: usize,
    budget: &Budget,
) -> (Ended, Option<(u64, Vec<bool>)>) {
    for &(literal, _) in &objective.terms {
        sat.prefer(!literal);
    }
    // Bounds must not bind the next search: they hang on this literal.
    let improving = sat.new_literal();
    let mut best: Option<(u64, Vec<bool>)> = None;
    let mut bound: Option<Bound> = None;
    let ended = loop {
        match sat.solve_under(&[improving], budget) {
            Answer::Unknown(reason) => break Ended::Unknown(reason),
            Answer::Unsat if best.is_none() => break Ended::Unsatisfiable,
            Answer::Unsat => break Ended::Minimum,
            Answer::Sat => {}
        }
        let cost = objective.cost(sat);
        best = Some((cost, assignment_of(sat)));
        if cost == 0 {
            break Ended::Minimum;
        }
        let bound = bound.get_or_insert_with(|| {
            match WeightedTotalizer::new(sat, &objective.terms, cost, unary_clauses) {
                Some(counter) => Bound::Unary(counter),
                None => Bound::Binary(Sum::new(sat, gates, &objective.terms)),
            }
        });
        bound.stay_below(sat, gates, improving, cost);
    };
    sat.add_clause(&[!improving]);
    for &(literal, _) in &objective.terms {
        sat.forget_preference(literal);
    }
    (ended, best)
}
