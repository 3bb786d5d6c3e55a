//! All solutions, projected on indicator terms.
//!
//! Each solution is blocked by a clause (McMillan 2002), so that it costs one check; the clauses hang on a literal
//! that is dropped afterwards. Indicators are gates in both directions, hence total: a solution is a full row.

use super::embedded::EmbeddedSolver;
use crate::answer::{Answer, UnknownReason};
use crate::blast::Unsupported;
use crate::sat::{Assignment, CadicalSolver, Literal, TakeClauses};
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
        let question = Question { indicators, assumptions, known: &[] };
        let completeness = self.for_each_solution(pool, question, budget, &mut |_, _, cube: &[bool]| {
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
    /// No further solution is wanted.
    Stop,
}

/// What to list, under which assumptions, and what is known already.
#[derive(Clone, Copy)]
struct Question<'a> {
    indicators: &'a [TermId],
    assumptions: &'a [TermId],
    known: &'a [Vec<bool>],
}

/// Takes one combination.
type Take<'a> = &'a mut dyn FnMut(&EmbeddedSolver, &mut TermPool, &[bool]) -> Enumeration;

impl EmbeddedSolver {
    /// Calls `take` with each combination of indicator values but the known ones; the solver holds a model of it
    /// meanwhile.
    pub(crate) fn for_each_new_solution(
        &mut self,
        pool: &mut TermPool,
        indicators: &[TermId],
        known: &[Vec<bool>],
        budget: &Budget,
        take: Take<'_>,
    ) -> Completeness {
        self.for_each_solution(pool, Question { indicators, assumptions: &[], known }, budget, take)
    }

    fn for_each_solution(
        &mut self,
        pool: &mut TermPool,
        question: Question<'_>,
        budget: &Budget,
        take: Take<'_>,
    ) -> Completeness {
        match self.try_for_each(pool, question, budget, take) {
            Ok(completeness) => completeness,
            Err(Unsupported(why)) => Completeness::Unknown(UnknownReason::Unsupported(why)),
        }
    }

    fn try_for_each(
        &mut self,
        pool: &mut TermPool,
        question: Question<'_>,
        budget: &Budget,
        take: Take<'_>,
    ) -> Result<Completeness, Unsupported> {
        let mut literals = self.open_levels()?;
        for &assumption in question.assumptions {
            literals.push(self.literal_of(pool, assumption)?);
        }
        let mut projected: Vec<Literal> = Vec::with_capacity(question.indicators.len());
        for &indicator in question.indicators {
            projected.push(self.literal_of(pool, indicator)?);
        }
        // The blocking clauses hold while this literal is assumed, and are dropped for good afterwards.
        let blocking = self.sat.new_literal();
        literals.push(blocking);
        let mut clause: Vec<Literal> = Vec::with_capacity(projected.len() + 1);
        let mut block = |sat: &mut CadicalSolver, values: &[bool]| {
            clause.clear();
            clause.push(!blocking);
            clause.extend(projected.iter().zip(values).map(|(&literal, &value)| literal.negated_if(value)));
            sat.add_clause(&clause);
        };
        for values in question.known {
            block(&mut self.sat, values);
        }
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
