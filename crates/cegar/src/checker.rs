//! A solver that keeps up with an encoder: facts are asserted as they appear.

use base::Budget;
use logic::traits::{Assert, CheckAssuming, GetModel, UnsatCore};
use logic::{Answer, EmbeddedSolver, Model, TermId};
use symbolic::Encoder;

/// The embedded solver and how far it has kept up.
#[derive(Debug, Default)]
pub struct Checker {
    solver: EmbeddedSolver,
    asserted: usize,
    /// Questions asked.
    pub queries: u64,
}

impl Checker {
    /// Can all assumptions hold together, with the encoder's facts?
    pub fn ask(&mut self, encoder: &mut Encoder<'_>, assumptions: &[TermId], budget: &Budget) -> Answer {
        if assumptions.iter().any(|&assumption| encoder.terms.truth(assumption) == Some(false)) {
            return Answer::Unsat;
        }
        while let Some(&fact) = encoder.facts.get(self.asserted) {
            self.solver.assert(&mut encoder.terms.pool, fact);
            self.asserted += 1;
        }
        self.queries += 1;
        self.solver.check_assuming(&mut encoder.terms.pool, assumptions, budget)
    }

    /// Assumptions of the last question that cannot hold together. Empty where the question was answered without the solver.
    pub fn core(&self) -> &[TermId] {
        self.solver.core()
    }

    /// Something that was shown to hold always.
    pub fn learn(&mut self, encoder: &mut Encoder<'_>, fact: TermId) {
        self.solver.assert(&mut encoder.terms.pool, fact);
    }

    /// The model of the last question, which could hold.
    pub fn model(&mut self, encoder: &mut Encoder<'_>) -> Option<Model> {
        self.solver.model(&mut encoder.terms.pool, &[])
    }

    /// The values of some terms in the model of the last question, which could hold.
    pub fn values(&mut self, encoder: &mut Encoder<'_>, terms: &[TermId]) -> Option<Vec<logic::Value>> {
        self.solver.values_of(&mut encoder.terms.pool, terms)
    }
}
