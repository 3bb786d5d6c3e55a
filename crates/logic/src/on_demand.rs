//! Asks with as few of the assumptions as the answer takes: a solver is told those that its models break, until a model
//! breaks none or what it was told cannot hold together. After Ge, de Moura 2009, "Complete instantiation for
//! quantified formulas in satisfiability modulo theories" (model-based instantiation).
//!
//! Thousands of instances of an invariant are supposed where a dozen matter; each that is told is encoded, and then
//! costs in every later question. Which have mattered is remembered: they are told at once the next time.
//!
//! Twin: [`CheckAssuming`] with all of them; the tests require the same answers.

use crate::answer::Answer;
use crate::evaluate::Evaluator;
use crate::model::Value;
use crate::term::{TermId, TermPool};
use crate::traits::{CheckAssuming, GetModel};
use base::Budget;
use rustc_hash::FxHashSet;

/// What some model broke before.
#[derive(Clone, Debug, Default)]
pub struct OnDemand {
    useful: FxHashSet<TermId>,
    told: Vec<TermId>,
}

impl OnDemand {
    /// Can the question hold with all that is supposed? After `Sat`, the model of the solver is one of everything; a
    /// core after `Unsat` is one of what was told.
    pub fn check<S: CheckAssuming + GetModel>(
        &mut self,
        solver: &mut S,
        pool: &mut TermPool,
        question: &[TermId],
        supposed: &[TermId],
        budget: &Budget,
    ) -> Answer {
        let (useful, mut open): (Vec<TermId>, Vec<TermId>) =
            supposed.iter().partition(|condition| self.useful.contains(condition));
        self.told = question.to_vec();
        self.told.extend(useful);
        loop {
            let answer = solver.check_assuming(pool, &self.told, budget);
            if answer != Answer::Sat || open.is_empty() {
                return answer;
            }
            let Some(model) = solver.model(pool, &open) else {
                self.told.append(&mut open);
                continue;
            };
            let mut evaluator = Evaluator::new(&model);
            // What has no value that can be computed may be broken.
            let (holding, broken): (Vec<TermId>, Vec<TermId>) = open
                .into_iter()
                .partition(|&condition| evaluator.evaluate(pool, condition) == Ok(Value::Bool(true)));
            if broken.is_empty() {
                return Answer::Sat;
            }
            self.useful.extend(&broken);
            self.told.extend(broken);
            open = holding;
        }
    }

    /// What the solver was told in the last question.
    pub fn told(&self) -> &[TermId] {
        &self.told
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_terms::{RandomTerms, TermShape};
    use crate::smt::EmbeddedSolver;

    #[test]
    fn answers_are_those_with_all_assumptions() {
        let (mut possible, mut impossible) = (0, 0);
        for seed in 0..120 {
            let narrow = TermShape { widest: 6, ..TermShape::BITS };
            let shape = if seed % 2 == 0 { TermShape::ARRAYS } else { narrow };
            let mut pool = TermPool::new();
            let mut random = RandomTerms::new(seed, shape);
            let all: Vec<TermId> = (0..8).map(|_| random.formula(&mut pool)).collect();
            let budget = Budget::unlimited();
            let (mut one, mut other) = (EmbeddedSolver::default(), EmbeddedSolver::default());
            let mut on_demand = OnDemand::default();
            for asked in 0..3 {
                let supposed = &all[1..=2 + 2 * asked];
                let answer = on_demand.check(&mut one, &mut pool, &all[..1], supposed, &budget);
                let together = [&all[..1], supposed].concat();
                assert_eq!(answer, other.check_assuming(&mut pool, &together, &budget), "seed {seed}");
                if answer == Answer::Sat {
                    let model = one.model(&mut pool, &together).expect("there is a model");
                    assert!(together.iter().all(|&term| model.satisfies(&pool, term)), "seed {seed}");
                    possible += 1;
                } else {
                    assert!(on_demand.told().iter().all(|told| together.contains(told)));
                    impossible += 1;
                }
            }
        }
        assert!(possible > 30 && impossible > 30, "{possible} can hold, {impossible} cannot");
    }
}
