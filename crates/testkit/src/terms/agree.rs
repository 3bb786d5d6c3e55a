//! Three readings of a term must agree: the evaluator, the simplifier followed by the evaluator, and the solver.

use super::coverage::Coverage;
use super::fix;
use base::Budget;
use logic::Answer;
use logic::model::{Model, Value};
use logic::random_terms::{RandomTerms, TermShape};
use logic::simplify::Simplifier;
use logic::smt::{EmbeddedSettings, EmbeddedSolver, Simplification};
use logic::term::{FunctionId, Op, Postorder, TermId, TermPool, symbols_in};
use logic::traits::{Assert, CheckAssuming, GetModel, PushPop};
use std::time::Duration;

/// What was compared. A difference ends the run with an error instead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Terms looked at.
    pub terms: u64,
    /// Terms the simplifier changed.
    pub simplified: u64,
    /// Solver answers of `Sat`, each with a model that the evaluator confirmed.
    pub sat: u64,
    /// Solver answers of `Unsat`, each not contradicted by the values at hand.
    pub unsat: u64,
    /// Questions with free symbols that the solver gave up in the time it had.
    pub unknown: u64,
    /// Terms whose value the solver computed and no other, all symbols and functions being fixed.
    pub computed: u64,
    /// What the terms were made of.
    pub coverage: Coverage,
}

impl Agreement {
    /// Adds the figures of another run.
    pub fn join(&mut self, other: &Agreement) {
        self.terms += other.terms;
        self.simplified += other.simplified;
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        self.computed += other.computed;
        self.coverage.join(&other.coverage);
    }
}

/// Every so many-th term is asked about with its symbols free as well; odd, so that it is done with and without
/// simplification.
const ASKED_WITH_FREE_SYMBOLS: u64 = 3;

/// Compares the readings of `count` random terms. An error names the term that they differ on.
pub fn check_random_terms(seed: u64, count: u64, shape: TermShape) -> Result<Agreement, String> {
    let mut agreement = Agreement::default();
    for number in 0..count {
        check_one(seed.wrapping_mul(0x1_0000_0001).wrapping_add(number), shape, &mut agreement)
            .map_err(|difference| format!("term {number} of seed {seed}: {difference}"))?;
    }
    Ok(agreement)
}

fn functions_in(pool: &TermPool, term: TermId) -> Vec<FunctionId> {
    let mut functions: Vec<FunctionId> = Postorder::new(pool, &[term])
        .filter_map(|node| match pool.op(node) {
            Op::Apply(function) => Some(function),
            _ => None,
        })
        .collect();
    functions.sort_unstable();
    functions.dedup();
    functions
}

fn check_one(seed: u64, shape: TermShape, agreement: &mut Agreement) -> Result<(), String> {
    let mut pool = TermPool::new();
    let mut terms = RandomTerms::new(seed, shape);
    let term = terms.term(&mut pool);
    agreement.terms += 1;
    agreement.coverage.add(&pool, term);
    let (symbols, functions) = (symbols_in(&pool, &[term]), functions_in(&pool, term));
    let model = terms.model(&pool, &symbols, &functions);
    let evaluate = |pool: &TermPool, model: &Model, term: TermId| {
        model.evaluate(pool, term).map_err(|error| format!("{error} in {}", pool.display(term)))
    };
    let value = evaluate(&pool, &model, term)?;

    // The simplifier keeps the value.
    let simple = Simplifier::new().simplify(&mut pool, term);
    agreement.simplified += u64::from(simple != term);
    let simple_value = evaluate(&pool, &model, simple)?;
    if simple_value != value {
        return Err(format!(
            "simplifier: {} is {value:?}, simplified {} is {simple_value:?}",
            pool.display(term),
            pool.display(simple)
        ));
    }

    let has_value = match &value {
        Value::Bool(true) => term,
        Value::Bool(false) => pool.not(term),
        Value::Bits(bits) => {
            let constant = pool.constant(bits.clone());
            pool.equal(term, constant)
        }
        other => return Err(format!("terms are Boolean or bit-vectors, not {other:?}")),
    };
    let has_other_value = pool.not(has_value);
    let simplification = if seed.is_multiple_of(2) { Simplification::On } else { Simplification::Off };
    let mut solver = EmbeddedSolver::new(EmbeddedSettings { simplification, ..Default::default() });

    // The solver, with everything fixed: the term then has exactly this value, and the model says so.
    let fixed = fix::equations(&mut pool, term, &model)?;
    solver.push();
    for &equation in &fixed {
        solver.assert(&mut pool, equation);
    }
    for (question, expected) in [(has_value, Answer::Sat), (has_other_value, Answer::Unsat)] {
        let answer = solver.check_assuming(&mut pool, &[question], &Budget::unlimited());
        if answer != expected {
            return Err(format!("solver: {answer:?} to {} under {model:?}", pool.display(question)));
        }
        if answer == Answer::Sat {
            confirm(&mut pool, &mut solver, &[&[question], &fixed[..]].concat())?;
            agreement.sat += 1;
        }
    }
    solver.pop();
    agreement.computed += 1;

    // The solver, with the symbols free: can the term have this value? It can, as the evaluator just showed; and a
    // model must bear it out. Can it have another? Then a model must bear that out as well. This is far more work,
    // so that only some of the terms are asked about.
    if !seed.is_multiple_of(ASKED_WITH_FREE_SYMBOLS) {
        return Ok(());
    }
    for (question, must_be_sat) in [(has_value, true), (has_other_value, false)] {
        let budget = Budget::unlimited().with_time(Duration::from_millis(5));
        match solver.check_assuming(&mut pool, &[question], &budget) {
            Answer::Sat => {
                confirm(&mut pool, &mut solver, &[question])?;
                agreement.sat += 1;
            }
            Answer::Unsat if must_be_sat => {
                return Err(format!("solver: {} has a model, {model:?}", pool.display(question)));
            }
            Answer::Unsat => agreement.unsat += 1,
            Answer::Unknown(_) => agreement.unknown += 1,
        }
    }
    Ok(())
}

/// Does the evaluator find that the solver's model satisfies the formulas?
fn confirm(pool: &mut TermPool, solver: &mut EmbeddedSolver, formulas: &[TermId]) -> Result<(), String> {
    let found = solver.model(pool, formulas).ok_or("no model after Sat")?;
    for &formula in formulas {
        if !found.satisfies(pool, formula) {
            return Err(format!("solver: model {found:?} of {} is none", pool.display(formula)));
        }
    }
    Ok(())
}
