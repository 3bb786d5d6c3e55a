//! A solver that keeps up with an encoder: facts are asserted as they appear.

use base::Budget;
use logic::on_demand::OnDemand;
use logic::sat::{CadicalSettings, Inprocessing};
use logic::traits::{Assert, CheckAssuming, GetModel, UnsatCore};
use logic::{Answer, EmbeddedSettings, EmbeddedSolver, Model, TermId};
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::ops::Range;
use symbolic::Encoder;

/// The embedded solver and how far it has kept up.
#[derive(Debug, Default)]
pub struct Checker {
    solver: EmbeddedSolver,
    asserted: usize,
    on_demand: OnDemand,
    /// Facts from here on are of no interest.
    until: Option<usize>,
    /// Questions asked.
    pub queries: u64,
}

impl Checker {
    /// One that asserts only some of the facts. To leave facts out allows more. It is asked hundreds of short questions about one
    /// block, on whose clauses more work between them does not pay.
    pub fn within(facts: Range<usize>) -> Checker {
        let sat = CadicalSettings { inprocessing: Inprocessing::Off, ..CadicalSettings::default() };
        let solver = EmbeddedSolver::new(EmbeddedSettings { sat, ..EmbeddedSettings::default() });
        Checker { solver, asserted: facts.start, until: Some(facts.end), ..Checker::default() }
    }

    /// Can all assumptions hold together, with the encoder's facts?
    pub fn ask(&mut self, encoder: &mut Encoder<'_>, assumptions: &[TermId], budget: &Budget) -> Answer {
        if assumptions.iter().any(|&assumption| encoder.terms.truth(assumption) == Some(false)) {
            return Answer::Unsat;
        }
        self.keep_up(encoder);
        self.solver.check_assuming(&mut encoder.terms.pool, assumptions, budget)
    }

    /// Can the question hold with all that is supposed? The solver is told only what its models break.
    pub fn ask_supposing(
        &mut self,
        encoder: &mut Encoder<'_>,
        question: &[TermId],
        supposed: &[TermId],
        budget: &Budget,
    ) -> Answer {
        if question.iter().any(|&part| encoder.terms.truth(part) == Some(false)) {
            return Answer::Unsat;
        }
        self.keep_up(encoder);
        self.on_demand.check(&mut self.solver, &mut encoder.terms.pool, question, supposed, budget)
    }

    fn keep_up(&mut self, encoder: &mut Encoder<'_>) {
        while self.until.is_none_or(|until| self.asserted < until)
            && let Some(&fact) = encoder.facts.get(self.asserted)
        {
            self.solver.assert(&mut encoder.terms.pool, fact);
            self.asserted += 1;
        }
        self.queries += 1;
    }

    /// Assumptions of the last question that cannot hold together. Empty where the question was answered
    /// without the solver.
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

/// A solver for every part of a program. One for all would give values to all parts at every question.
#[derive(Debug)]
pub struct Checkers<Part> {
    checkers: FxHashMap<Part, Checker>,
    last: Option<Part>,
}

impl<Part> Default for Checkers<Part> {
    fn default() -> Self {
        Checkers { checkers: FxHashMap::default(), last: None }
    }
}

impl<Part: Copy + Eq + Hash> Checkers<Part> {
    fn of(&mut self, (part, facts): (Part, Range<usize>)) -> &mut Checker {
        self.checkers.entry(part).or_insert_with(|| Checker::within(facts))
    }

    /// Can all assumptions hold together, with the facts of the part?
    pub fn ask(
        &mut self,
        encoder: &mut Encoder<'_>,
        part: (Part, Range<usize>),
        assumptions: &[TermId],
        budget: &Budget,
    ) -> Answer {
        self.last = Some(part.0);
        self.of(part).ask(encoder, assumptions, budget)
    }

    /// Can the question hold with all that is supposed, with the facts of the part? The solver is told only what its models
    /// break.
    pub fn ask_supposing(
        &mut self,
        encoder: &mut Encoder<'_>,
        part: (Part, Range<usize>),
        question: &[TermId],
        supposed: &[TermId],
        budget: &Budget,
    ) -> Answer {
        self.last = Some(part.0);
        self.of(part).ask_supposing(encoder, question, supposed, budget)
    }

    /// Something that was shown to hold always.
    pub fn learn(&mut self, encoder: &mut Encoder<'_>, part: (Part, Range<usize>), fact: TermId) {
        self.of(part).learn(encoder, fact);
    }

    /// Assumptions of the last question that cannot hold together. Empty where the question was answered
    /// without a solver.
    pub fn core(&self) -> &[TermId] {
        self.last.and_then(|last| self.checkers.get(&last)).map_or(&[], Checker::core)
    }

    /// The values of some terms in the model of the last question, which could hold.
    pub fn values(&mut self, encoder: &mut Encoder<'_>, terms: &[TermId]) -> Option<Vec<logic::Value>> {
        self.checkers.get_mut(&self.last?)?.values(encoder, terms)
    }

    /// Questions asked.
    pub fn queries(&self) -> u64 {
        self.checkers.values().map(|checker| checker.queries).sum()
    }
}
