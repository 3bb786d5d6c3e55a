//! The embedded solver (bit-blasting with lemmas on demand): simplify, encode to clauses, ask CaDiCaL, and add lemmas
//! about arrays and functions until the answer stands. Everything it ever encoded stays encoded, so that the next
//! question about the same terms costs little; levels and assumptions are literals.

use crate::answer::{Answer, UnknownReason};
use crate::blast::{Encoder, Unsupported};
use crate::model::{Model, Value};
use crate::sat::{
    Assignment, CadicalSettings, CadicalSolver, FailedAssumptions, InterruptSat, Literal, SolveUnder,
    TakeClauses,
};
use crate::simplify::Simplifier;
use crate::term::{Op, Sort, TermId, TermPool};
use crate::traits::{
    Assert, CheckAssuming, GetModel, Interrupt, Interrupter, PushPop, SolverStatistics, Statistics, UnsatCore,
};
use base::Budget;

/// Whether terms are simplified before they are encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Simplification {
    /// Terms are simplified before they are encoded.
    #[default]
    On,
    /// They are not: for testing the simplifier itself.
    Off,
}

/// Settings of the embedded solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EmbeddedSettings {
    /// Whether terms are simplified before they are encoded.
    pub simplification: Simplification,
    /// Settings of the SAT solver underneath.
    pub sat: CadicalSettings,
}

/// The solver that is always there. It stays on the thread that made it.
pub struct EmbeddedSolver {
    pub(super) sat: CadicalSolver,
    pub(super) encoder: Encoder,
    simplifier: Option<Simplifier>,
    pool: Option<u64>,
    levels: Vec<Level>,
    core: Vec<TermId>,
    checks: u64,
    holds_model: bool,
}

#[derive(Default)]
struct Level {
    /// Assumed while the level is open; `None` for the outermost, which never closes.
    active: Option<Literal>,
    /// An assertion of this level that could not be encoded.
    unsupported: Option<Unsupported>,
}

impl std::fmt::Debug for EmbeddedSolver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EmbeddedSolver").field("statistics", &self.statistics()).finish_non_exhaustive()
    }
}

impl Default for EmbeddedSolver {
    fn default() -> Self {
        Self::new(EmbeddedSettings::default())
    }
}

impl EmbeddedSolver {
    /// A solver without assertions.
    pub fn new(settings: EmbeddedSettings) -> EmbeddedSolver {
        let mut sat = CadicalSolver::with_settings(settings.sat);
        let encoder = Encoder::new(&mut sat);
        let simplifier = match settings.simplification {
            Simplification::On => Some(Simplifier::new()),
            Simplification::Off => None,
        };
        EmbeddedSolver {
            sat,
            encoder,
            simplifier,
            pool: None,
            levels: vec![Level::default()],
            core: Vec::new(),
            checks: 0,
            holds_model: false,
        }
    }

    fn expect_pool(&mut self, pool: &TermPool) {
        let expected = *self.pool.get_or_insert(pool.identity());
        assert_eq!(expected, pool.identity(), "a solver is always given the same pool");
    }

    pub(super) fn simplified(&mut self, pool: &mut TermPool, term: TermId) -> TermId {
        match &mut self.simplifier {
            Some(simplifier) => simplifier.simplify(pool, term),
            None => term,
        }
    }

    /// The literal that is true when the term is.
    pub(super) fn literal_of(&mut self, pool: &mut TermPool, term: TermId) -> Result<Literal, Unsupported> {
        self.expect_pool(pool);
        let term = self.simplified(pool, term);
        self.holds_model = false;
        self.encoder.literal(pool, &mut self.sat, term)
    }

    /// The literals that stand for the open levels, or what cannot be supported in them.
    pub(super) fn open_levels(&self) -> Result<Vec<Literal>, Unsupported> {
        let mut literals = Vec::with_capacity(self.levels.len());
        for level in &self.levels {
            if let Some(unsupported) = &level.unsupported {
                return Err(unsupported.clone());
            }
            literals.extend(level.active);
        }
        Ok(literals)
    }

    /// Solves under literals until no lemma is violated.
    pub(super) fn solve_literals(
        &mut self,
        pool: &mut TermPool,
        assumptions: &[Literal],
        budget: &Budget,
    ) -> Answer {
        self.checks += 1;
        loop {
            match self.sat.solve_under(assumptions, budget) {
                Answer::Sat if self.encoder.needs_no_lemmas() => return Answer::Sat,
                Answer::Sat => {
                    if let Err(limit) = pool.check(budget) {
                        return Answer::Unknown(limit.into());
                    }
                    match self.encoder.add_violated_lemmas(pool, &mut self.sat) {
                        Ok(false) => return Answer::Sat,
                        Ok(true) => {}
                        Err(Unsupported(why)) => return Answer::Unknown(UnknownReason::Unsupported(why)),
                    }
                }
                other => return other,
            }
        }
    }

    /// The model of the last answer, which was `Sat`.
    pub(crate) fn current_model(&self, pool: &TermPool) -> Model {
        self.encoder.model(pool, &self.sat)
    }

    pub(super) fn assignment(&self) -> &impl Assignment {
        &self.sat
    }

    pub(super) fn set_model_held(&mut self, held: bool) {
        self.holds_model = held;
    }

    fn assert_literal(&mut self, literal: Literal) {
        match self.levels.last().and_then(|level| level.active) {
            Some(active) => self.sat.add_clause(&[!active, literal]),
            None => self.sat.add_clause(&[literal]),
        }
    }

    fn assert_simplified(&mut self, pool: &mut TermPool, formula: TermId) -> Result<(), Unsupported> {
        // Conjunctions need no gate of their own.
        let mut open = vec![formula];
        while let Some(term) = open.pop() {
            match pool.op(term) {
                Op::And => open.extend(pool.arguments(term).iter().rev()),
                Op::Or => {
                    let arguments = pool.arguments(term).to_vec();
                    let mut clause: Vec<Literal> = Vec::with_capacity(arguments.len() + 1);
                    for argument in arguments {
                        clause.push(self.encoder.literal(pool, &mut self.sat, argument)?);
                    }
                    clause.extend(self.levels.last().and_then(|level| level.active).map(|active| !active));
                    self.sat.add_clause(&clause);
                }
                _ => {
                    let literal = self.encoder.literal(pool, &mut self.sat, term)?;
                    self.assert_literal(literal);
                }
            }
        }
        Ok(())
    }
}

impl Assert for EmbeddedSolver {
    fn assert(&mut self, pool: &mut TermPool, formula: TermId) {
        self.expect_pool(pool);
        self.holds_model = false;
        let formula = self.simplified(pool, formula);
        if let Err(unsupported) = self.assert_simplified(pool, formula) {
            self.levels.last_mut().expect("there is a level").unsupported = Some(unsupported);
        }
    }
}

impl PushPop for EmbeddedSolver {
    fn push(&mut self) {
        self.holds_model = false;
        let active = Some(self.sat.new_literal());
        self.levels.push(Level { active, unsupported: None });
    }

    fn pop(&mut self) {
        self.holds_model = false;
        assert!(self.levels.len() > 1, "pop closes a level that push opened");
        let level = self.levels.pop().expect("there is a level");
        if let Some(active) = level.active {
            self.sat.add_clause(&[!active]);
        }
    }
}

impl CheckAssuming for EmbeddedSolver {
    fn check_assuming(&mut self, pool: &mut TermPool, assumptions: &[TermId], budget: &Budget) -> Answer {
        self.expect_pool(pool);
        self.holds_model = false;
        self.core.clear();
        let unsupported = |Unsupported(why)| Answer::Unknown(UnknownReason::Unsupported(why));
        let mut literals = match self.open_levels() {
            Ok(literals) => literals,
            Err(error) => return unsupported(error),
        };
        let levels = literals.len();
        for &assumption in assumptions {
            match self.literal_of(pool, assumption) {
                Ok(literal) => literals.push(literal),
                Err(error) => return unsupported(error),
            }
        }
        let answer = self.solve_literals(pool, &literals, budget);
        match answer {
            Answer::Sat => self.holds_model = true,
            Answer::Unsat => {
                let failed = self.sat.failed_assumptions();
                for (position, &assumption) in assumptions.iter().enumerate() {
                    let literal = literals[levels + position];
                    // Terms that became one literal are one assumption.
                    let first = literals[levels..].iter().position(|&l| l == literal) == Some(position);
                    if first && failed.contains(&literal) {
                        self.core.push(assumption);
                    }
                }
            }
            Answer::Unknown(_) => {}
        }
        answer
    }
}

impl GetModel for EmbeddedSolver {
    fn model(&mut self, pool: &mut TermPool, _terms: &[TermId]) -> Option<Model> {
        self.holds_model.then(|| self.current_model(pool))
    }

    /// Reads the bits of terms it has encoded, without making a model of everything.
    fn values_of(&mut self, pool: &mut TermPool, terms: &[TermId]) -> Option<Vec<Value>> {
        if !self.holds_model {
            return None;
        }
        let mut model: Option<Model> = None;
        let mut values = Vec::with_capacity(terms.len());
        for &term in terms {
            let simple = self.simplified(pool, term);
            let plain = matches!(pool.sort(term), Sort::Bool | Sort::BitVec(_));
            values.push(if plain && self.encoder.is_encoded(simple) {
                self.encoder.value(pool, &self.sat, simple)
            } else {
                let model = model.get_or_insert_with(|| self.encoder.model(pool, &self.sat));
                model.evaluate(pool, term).ok()?
            });
        }
        Some(values)
    }
}

impl UnsatCore for EmbeddedSolver {
    fn core(&self) -> &[TermId] {
        &self.core
    }
}

impl Interrupt for EmbeddedSolver {
    fn interrupter(&self) -> Interrupter {
        self.sat.interrupter()
    }
}

impl Statistics for EmbeddedSolver {
    fn statistics(&self) -> SolverStatistics {
        SolverStatistics {
            checks: self.checks,
            lemmas: self.encoder.lemma_count(),
            encoded_terms: self.encoder.encoded_terms() as u64,
            ..self.sat.statistics()
        }
    }
}
