//! The service: prepares steps, groups predicates, and remembers every part it has solved.

use super::component::ComponentSolver;
use super::prepare::{Group, Links, PreparedStep};
use super::relation::{AbstractRelation, Column, Factor};
use crate::simplify::Simplifier;
use crate::term::{Op, TermId, TermPool};
use base::{Budget, Exhausted};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// When to enumerate and when to settle for entailment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AbstractionSettings {
    /// A part with more distinct predicates than this is not enumerated (at most 63).
    pub exact_predicates: usize,
    /// A part with more solutions than this is not enumerated to the end.
    pub exact_solutions: usize,
    /// Solutions looked at before entailment, when a part is not enumerated: each refutes many clauses.
    pub samples: usize,
    /// Literals in a clause of the entailment mode, at most.
    pub clause_length: usize,
}

impl Default for AbstractionSettings {
    fn default() -> Self {
        AbstractionSettings { exact_predicates: 24, exact_solutions: 20_000, samples: 200, clause_length: 3 }
    }
}

/// Work of the service so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AbstractionStatistics {
    /// Relations asked for.
    pub relations: u64,
    /// Parts solved.
    pub solved_parts: u64,
    /// Parts that were remembered.
    pub remembered_parts: u64,
    /// Solver checks made.
    pub checks: u64,
    /// Solutions taken over from witnesses of earlier ones, without a check.
    pub reused_solutions: u64,
}

/// Computes abstract relations, for terms of one pool. It stays on the thread that made it.
pub struct AbstractionService {
    settings: AbstractionSettings,
    simplifier: Simplifier,
    links: Links,
    steps: FxHashMap<TermId, PreparedStep>,
    solvers: FxHashMap<(Vec<TermId>, Option<TermId>), ComponentSolver>,
    parts: FxHashMap<Group, Rc<Factor>>,
    statistics: AbstractionStatistics,
}

impl std::fmt::Debug for AbstractionService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AbstractionService").field("statistics", &self.statistics).finish_non_exhaustive()
    }
}

impl AbstractionService {
    /// A service that has solved no part yet.
    pub fn new(settings: AbstractionSettings) -> AbstractionService {
        AbstractionService {
            settings,
            simplifier: Simplifier::new(),
            links: Links::default(),
            steps: FxHashMap::default(),
            solvers: FxHashMap::default(),
            parts: FxHashMap::default(),
            statistics: AbstractionStatistics::default(),
        }
    }

    /// Work done so far.
    pub fn statistics(&self) -> AbstractionStatistics {
        self.statistics
    }

    /// Drops everything remembered, and its memory.
    pub fn forget(&mut self) {
        let statistics = self.statistics;
        *self = AbstractionService::new(self.settings);
        self.statistics = statistics;
    }

    /// The abstract relation of a step: `before` are predicates over the symbols before it, `after` over those
    /// after it. Must contain every combination that some concrete step shows, whatever the solver could not
    /// decide; tested by `concrete_steps_stay_inside`. Fails only when the budget ends before anything is known.
    pub fn relation(
        &mut self,
        pool: &mut TermPool,
        step: TermId,
        before: &[TermId],
        after: &[TermId],
        budget: &Budget,
    ) -> Result<AbstractRelation, Exhausted> {
        self.statistics.relations += 1;
        pool.check(budget)?;
        if !self.steps.contains_key(&step) {
            let prepared = PreparedStep::new(pool, &mut self.simplifier, step, budget)?;
            self.steps.insert(step, prepared);
        }
        let prepared = self.steps.get_mut(&step).expect("just prepared");
        // Indicators as (predicate without its negation, negated); constants apart.
        let mut indicators = Vec::with_capacity(before.len() + after.len());
        for &predicate in before.iter().chain(after) {
            let term = prepared.predicate(pool, &mut self.simplifier, predicate, budget)?;
            indicators.push(match pool.op(term) {
                Op::True => Err(true),
                Op::False => Err(false),
                Op::Not => Ok((pool.arguments(term)[0], true)),
                _ => Ok((term, false)),
            });
        }
        let mut distinct: Vec<TermId> =
            indicators.iter().filter_map(|indicator| indicator.ok().map(|(term, _)| term)).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let groups = self.links.group(pool, &prepared.conjuncts, &distinct);
        let mut parts = Vec::with_capacity(groups.len());
        let mut place: FxHashMap<TermId, (usize, usize)> = FxHashMap::default();
        for group in groups {
            for (position, &predicate) in group.predicates.iter().enumerate() {
                place.insert(predicate, (parts.len(), position));
            }
            parts.push(self.part(pool, group, budget));
        }
        let columns = indicators
            .into_iter()
            .map(|indicator| match indicator {
                Err(value) => Column::Constant(value),
                Ok((term, negated)) => {
                    let (part, predicate) = place[&term];
                    Column::Of { part, predicate, negated }
                }
            })
            .collect();
        Ok(AbstractRelation { columns, parts })
    }

    fn part(&mut self, pool: &mut TermPool, group: Group, budget: &Budget) -> Rc<Factor> {
        if let Some(known) = self.parts.get(&group) {
            self.statistics.remembered_parts += 1;
            return known.clone();
        }
        self.statistics.solved_parts += 1;
        // Without conjuncts a part is about its symbols only: solvers are told apart by the first of them, so that
        // predicates about unrelated symbols do not share one.
        let about = if group.conjuncts.is_empty() {
            crate::term::symbols_in(pool, &group.predicates).into_iter().min()
        } else {
            None
        };
        let key = (group.conjuncts.clone(), about);
        let solver = self.solvers.entry(key).or_insert_with(|| ComponentSolver::new(pool, &group.conjuncts));
        let part = solver.solve(pool, &group, &self.settings, budget, &mut self.statistics);
        let undecided = matches!(part.exactness, super::relation::Exactness::Unknown(_));
        let part = Rc::new(part);
        // What a limit cut short may be answered in full another time.
        if !undecided {
            self.parts.insert(group, part.clone());
        }
        part
    }
}
