//! All solutions, projected on indicator terms.
//!
//! Two parts, so that any back end that can check under assumptions lists solutions alike:
//! `split_by_assumptions` walks the tree of indicator values and lets models and cores cut it; the embedded solver
//! instead blocks each solution with a clause, which costs one check a solution.

use super::embedded::EmbeddedSolver;
use crate::answer::{Answer, UnknownReason};
use crate::blast::Unsupported;
use crate::sat::{Assignment, Literal, TakeClauses};
use crate::term::{TermId, TermPool};
use crate::traits::{AllSolutions, Completeness, Cube, SolutionLimit, Solutions};
use base::Budget;

impl AllSolutions for EmbeddedSolver {
    fn all_solutions(
        &mut self,
        pool: &mut TermPool,
        indicators: &[TermId],
        assumptions: &[TermId],
        limit: SolutionLimit,
        budget: &Budget,
    ) -> Solutions {
        let mut cubes: Vec<Cube> = Vec::new();
        let completeness =
            self.for_each_solution(pool, indicators, assumptions, budget, &mut |_, _, cube| {
                cubes.push(cube.iter().map(|&value| Some(value)).collect());
                if limit.is_reached_by(cubes.len()) { Enumeration::Stop } else { Enumeration::GoOn }
            });
        Solutions { cubes, completeness }
    }
}

/// Whether to look for more solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Enumeration {
    /// Look for more.
    GoOn,
    /// Enough.
    Stop,
}

impl EmbeddedSolver {
    /// Calls `take` with each combination of indicator values, once; the solver holds a model of it meanwhile.
    pub(crate) fn for_each_solution(
        &mut self,
        pool: &mut TermPool,
        indicators: &[TermId],
        assumptions: &[TermId],
        budget: &Budget,
        take: &mut dyn FnMut(&EmbeddedSolver, &mut TermPool, &[bool]) -> Enumeration,
    ) -> Completeness {
        match self.try_for_each(pool, indicators, assumptions, budget, take) {
            Ok(completeness) => completeness,
            Err(Unsupported(why)) => Completeness::Unknown(UnknownReason::Unsupported(why)),
        }
    }

    fn try_for_each(
        &mut self,
        pool: &mut TermPool,
        indicators: &[TermId],
        assumptions: &[TermId],
        budget: &Budget,
        take: &mut dyn FnMut(&EmbeddedSolver, &mut TermPool, &[bool]) -> Enumeration,
    ) -> Result<Completeness, Unsupported> {
        let mut literals = self.open_levels()?;
        for &assumption in assumptions {
            literals.push(self.literal_of(pool, assumption)?);
        }
        let mut projected: Vec<Literal> = Vec::with_capacity(indicators.len());
        for &indicator in indicators {
            projected.push(self.literal_of(pool, indicator)?);
        }
        // The blocking clauses hold while this literal is assumed, and are dropped for good afterwards.
        let blocking = self.sat.new_literal();
        literals.push(blocking);
        let mut clause: Vec<Literal> = Vec::with_capacity(projected.len() + 1);
        let completeness = loop {
            match self.solve_literals(pool, &literals, budget) {
                Answer::Unsat => break Completeness::Complete,
                Answer::Unknown(reason) => break Completeness::Unknown(reason),
                Answer::Sat => {
                    let values: Vec<bool> = projected
                        .iter()
                        .map(|&literal| self.assignment().value(literal).unwrap_or(false))
                        .collect();
                    if take(self, pool, &values) == Enumeration::Stop {
                        break Completeness::LimitReached;
                    }
                    clause.clear();
                    clause.push(!blocking);
                    clause.extend(
                        projected.iter().zip(&values).map(|(&literal, &value)| literal.negated_if(value)),
                    );
                    self.sat.add_clause(&clause);
                }
            }
        };
        self.sat.add_clause(&[!blocking]);
        self.set_model_held(false);
        Ok(completeness)
    }
}
