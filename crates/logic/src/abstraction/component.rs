//! One independent part: which combinations of its predicates are possible? One incremental solver per part keeps
//! everything it ever encoded; states that witnessed a combination are kept for when predicates are added.

use super::prepare::Group;
use super::relation::{Exactness, Factor, FactorKind};
use super::service::{AbstractionSettings, AbstractionStatistics};
use crate::answer::Answer;
use crate::evaluate::Evaluator;
use crate::model::{Model, Value};
use crate::smt::{EmbeddedSolver, Enumeration};
use crate::term::{TermId, TermPool};
use crate::traits::{Assert, CheckAssuming, Completeness};
use base::Budget;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// The solver of one set of conjuncts.
pub(super) struct ComponentSolver {
    solver: EmbeddedSolver,
    /// Predicates of the last enumeration, and a state for each of its solutions.
    witnesses: Vec<Rc<Model>>,
}

impl ComponentSolver {
    pub(super) fn new(pool: &mut TermPool, conjuncts: &[TermId]) -> ComponentSolver {
        let mut solver = EmbeddedSolver::default();
        for &conjunct in conjuncts {
            solver.assert(pool, conjunct);
        }
        ComponentSolver { solver, witnesses: Vec::new() }
    }

    /// The possible combinations of the group's predicates, exactly if they are few enough.
    pub(super) fn solve(
        &mut self,
        pool: &mut TermPool,
        group: &Group,
        settings: &AbstractionSettings,
        budget: &Budget,
        statistics: &mut AbstractionStatistics,
    ) -> Factor {
        let predicates = group.predicates.clone();
        let enumerable = predicates.len() <= settings.exact_predicates.min(63);
        let limit = if enumerable { settings.exact_solutions } else { settings.samples };
        let mut solutions: FxHashSet<u64> = FxHashSet::default();
        let mut samples: Vec<Vec<bool>> = Vec::new();
        let mut witnesses: Vec<Rc<Model>> = Vec::new();
        // States seen before are states still: their combinations need no solver.
        let mut known: Vec<Vec<bool>> = Vec::new();
        let mut seen: FxHashSet<Vec<bool>> = FxHashSet::default();
        for witness in &self.witnesses {
            let Some(values) = values_under(pool, witness, &predicates) else { continue };
            if seen.insert(values.clone()) {
                known.push(values);
                witnesses.push(witness.clone());
            }
        }
        statistics.reused_solutions += known.len() as u64;
        let mut checks = 0;
        let completeness = self.solver.for_each_new_solution(
            pool,
            &predicates,
            &known,
            budget,
            &mut |solver, pool, values| {
                checks += 1;
                samples.push(values.to_vec());
                witnesses.push(Rc::new(solver.current_model(pool)));
                if known.len() + samples.len() > limit { Enumeration::Stop } else { Enumeration::GoOn }
            },
        );
        statistics.checks += checks + 1;
        samples.extend(known);
        self.witnesses = witnesses;
        let exactness = match completeness {
            Completeness::Complete => {
                if predicates.len() <= 63 {
                    solutions.extend(samples.iter().map(|values| as_number(values)));
                    let mut solutions: Vec<u64> = solutions.into_iter().collect();
                    solutions.sort_unstable();
                    return Factor {
                        predicates,
                        kind: FactorKind::Solutions(solutions),
                        exactness: Exactness::Exact,
                    };
                }
                Exactness::TooMany
            }
            Completeness::LimitReached => Exactness::TooMany,
            Completeness::Unknown(reason) => Exactness::Unknown(reason),
        };
        let clauses = self.entailed_clauses(pool, &predicates, &samples, settings, budget, statistics);
        Factor { predicates, kind: FactorKind::Clauses(clauses), exactness }
    }

    /// All clauses over the predicates up to a length that the step entails. Every sample refutes the clauses it
    /// breaks without the solver; every clause that follows from a shorter one is left out.
    fn entailed_clauses(
        &mut self,
        pool: &mut TermPool,
        predicates: &[TermId],
        samples: &[Vec<bool>],
        settings: &AbstractionSettings,
        budget: &Budget,
        statistics: &mut AbstractionStatistics,
    ) -> Vec<Vec<(usize, bool)>> {
        let mut samples = samples.to_vec();
        let mut entailed: Vec<Vec<(usize, bool)>> = Vec::new();
        let mut candidates: Vec<Vec<(usize, bool)>> = vec![Vec::new()];
        for _ in 0..=settings.clause_length {
            let mut next = Vec::new();
            for candidate in candidates {
                let follows =
                    entailed.iter().any(|clause| clause.iter().all(|literal| candidate.contains(literal)));
                if follows {
                    continue;
                }
                let broken =
                    |values: &Vec<bool>| candidate.iter().all(|&(position, value)| values[position] != value);
                if samples.iter().any(broken) {
                    extend_clause(&candidate, predicates.len(), &mut next);
                    continue;
                }
                if budget.check().is_err() {
                    // Fewer clauses are still implied.
                    return entailed;
                }
                let negated: Vec<TermId> = candidate
                    .iter()
                    .map(
                        |&(position, value)| {
                            if value { pool.not(predicates[position]) } else { predicates[position] }
                        },
                    )
                    .collect();
                statistics.checks += 1;
                match self.solver.check_assuming(pool, &negated, budget) {
                    Answer::Unsat => entailed.push(candidate),
                    Answer::Sat => {
                        let witness = self.solver.current_model(pool);
                        samples.extend(values_under(pool, &witness, predicates));
                        extend_clause(&candidate, predicates.len(), &mut next);
                    }
                    // Not known to be entailed: left out, which is the safe side.
                    Answer::Unknown(_) => extend_clause(&candidate, predicates.len(), &mut next),
                }
            }
            candidates = next;
        }
        entailed
    }
}

/// The clauses with one more literal, behind the last.
fn extend_clause(clause: &[(usize, bool)], predicates: usize, next: &mut Vec<Vec<(usize, bool)>>) {
    let from = clause.last().map_or(0, |&(position, _)| position + 1);
    for position in from..predicates {
        for value in [false, true] {
            let mut longer = clause.to_vec();
            longer.push((position, value));
            next.push(longer);
        }
    }
}

fn values_under(pool: &TermPool, state: &Model, predicates: &[TermId]) -> Option<Vec<bool>> {
    let mut evaluator = Evaluator::new(state);
    predicates
        .iter()
        .map(|&predicate| match evaluator.evaluate(pool, predicate) {
            Ok(Value::Bool(value)) => Some(value),
            _ => None,
        })
        .collect()
}

/// Truth values as the bits of a number, the first the least.
fn as_number(values: &[bool]) -> u64 {
    values.iter().rev().fold(0, |number, &value| number << 1 | u64::from(value))
}
