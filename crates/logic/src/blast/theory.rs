//! Arrays and uninterpreted functions by lemmas on demand (after Brummayer, Biere 2009, and Ackermann 1954).
//!
//! The encoder leaves three things open (and long remainders of floats), each a plain variable to the SAT solver: reads
//! of array symbols, applications of functions, and equations between arrays. After a satisfiable answer
//! `violated_lemma` looks for a fact that the assignment breaks and adds it:
//!
//! 1. congruence: equal arguments, equal results (for reads: equal indices of one array symbol);
//! 2. an equation that holds: the arrays agree at an index term where the assignment makes them differ;
//! 3. an equation that holds: the arrays agree where no index term looks (their "default"). Sound when there are
//!    more index values than index terms; for small index sorts constants stand for the index instead.
//!
//! 4. a remainder of floats whose exponents are further apart than what is encoded: more of it is encoded.
//!
//! An equation that does not hold got an index of its own, where the arrays differ, when it was encoded.
//! DIVERGENCE: reads are pushed through writes when encoded, so that rule 1 alone decides formulas without
//! equations between arrays. When no lemma is violated the assignment extends to a real model, which the tests
//! evaluate with `evaluate`, an independent reading of the terms.
//!
//! Worked example: `i = j ∧ a[i] ≠ a[j]`. The reads are two free variables `r1`, `r2`; the SAT solver makes
//! `i = j` and `r1 ≠ r2` true. Rule 1 is broken, so `i = j ⇒ r1 = r2` is added, and there is no model.

use super::encoder::{Encoder, Unsupported, bit_count};
use super::float::FIRST_STEPS;
use crate::bits::Bits;
use crate::evaluate::Evaluator;
use crate::evaluate_float::apply_float;
use crate::model::{ArrayValue, FunctionValue, Model, Value, is_same_value};
use crate::sat::{Assignment, Literal, TakeClauses};
use crate::term::{FunctionId, Op, Postorder, Sort, TermId, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Index sorts of at most this many bits are enumerated instead of using rule 3.
const SMALL_INDEX_BITS: usize = 10;

#[derive(Default)]
pub(crate) struct Theory {
    /// Reads of each array symbol: index and read term. Ordered, so that runs are repeatable.
    reads: BTreeMap<TermId, Vec<(TermId, TermId)>>,
    applications: BTreeMap<FunctionId, Vec<TermId>>,
    equations: Vec<Equation>,
    /// Equations whose difference is not encoded yet.
    unfinished: Vec<usize>,
    /// A variable of element sort per array symbol: its element where no index term looks.
    defaults: BTreeMap<TermId, TermId>,
    index_terms: FxHashMap<Sort, FxHashSet<TermId>>,
    /// Remainders that are exact for near exponents only, with the places that are encoded.
    remainders: BTreeMap<TermId, usize>,
    lemmas: u64,
}

struct Equation {
    term: TermId,
    left: TermId,
    right: TermId,
    /// Where the arrays differ, if they do.
    witness: TermId,
}

impl Theory {
    pub(super) fn add_read(&mut self, array: TermId, index: TermId, read: TermId) {
        self.reads.entry(array).or_default().push((index, read));
    }

    pub(super) fn add_application(&mut self, function: FunctionId, term: TermId) {
        self.applications.entry(function).or_default().push(term);
    }

    /// A remainder of floats that is not encoded for all exponents.
    pub(super) fn add_remainder(&mut self, term: TermId) {
        self.remainders.insert(term, FIRST_STEPS);
    }

    pub(super) fn add_equation(&mut self, pool: &mut TermPool, term: TermId) {
        let (left, right) = (pool.arguments(term)[0], pool.arguments(term)[1]);
        let (index_sort, _) = pool.array_parts(pool.sort(left)).expect("arrays");
        let witness = pool.fresh_symbol("differ", index_sort);
        for node in Postorder::new(pool, &[left, right]).collect::<Vec<_>>() {
            match pool.op(node) {
                Op::Symbol(_) if matches!(pool.sort(node), Sort::Array(_)) => {
                    // Of its own element sort: the array may only stand inside an index.
                    let (_, element) = pool.array_parts(pool.sort(node)).expect("an array");
                    self.defaults.entry(node).or_insert_with(|| pool.fresh_symbol("default", element));
                }
                Op::Store => {
                    let index = pool.arguments(node)[1];
                    self.index_terms.entry(pool.sort(index)).or_default().insert(index);
                }
                _ => {}
            }
        }
        self.index_terms.entry(index_sort).or_default().insert(witness);
        self.unfinished.push(self.equations.len());
        self.equations.push(Equation { term, left, right, witness });
    }

    pub(super) fn has_unfinished(&self) -> bool {
        !self.unfinished.is_empty()
    }

    pub(crate) fn lemmas(&self) -> u64 {
        self.lemmas
    }

    fn is_idle(&self) -> bool {
        self.reads.is_empty()
            && self.applications.is_empty()
            && self.equations.is_empty()
            && self.remainders.is_empty()
    }
}

impl Encoder {
    pub(crate) fn lemma_count(&self) -> u64 {
        self.theory.lemmas()
    }

    /// Does every assignment extend to a model as it is?
    pub(crate) fn needs_no_lemmas(&self) -> bool {
        self.theory.is_idle()
    }

    /// Gives equations that were met their index of difference.
    pub(super) fn finish_equations(
        &mut self,
        pool: &mut TermPool,
        solver: &mut impl TakeClauses,
    ) -> Result<(), Unsupported> {
        // An equation stays unfinished when this fails, and then every later question fails too: without its
        // difference it could be wrongly false.
        while let Some(&number) = self.theory.unfinished.last() {
            let equation = &self.theory.equations[number];
            let (term, left, right, witness) =
                (equation.term, equation.left, equation.right, equation.witness);
            let same = self.read_equation(pool, left, right, witness);
            self.walk(pool, solver, same)?;
            let (equation, same) = (self.word(term)[0], self.word(same)[0]);
            solver.add_clause(&[equation, !same]);
            // Everything a later evaluation of the arrays looks at must have a value of its own.
            for node in Postorder::new(pool, &[left, right]).collect::<Vec<_>>() {
                if !matches!(pool.sort(node), Sort::Array(_)) {
                    self.walk(pool, solver, node)?;
                }
            }
            self.theory.unfinished.retain(|&other| other != number);
        }
        Ok(())
    }

    fn read_equation(&self, pool: &mut TermPool, left: TermId, right: TermId, index: TermId) -> TermId {
        let (left, right) = (pool.select(left, index), pool.select(right, index));
        pool.equal(left, right)
    }

    /// Adds lemmas that the solver's assignment violates. `false`: there are none, the assignment is a model.
    pub(crate) fn add_violated_lemmas<S: TakeClauses + Assignment>(
        &mut self,
        pool: &mut TermPool,
        solver: &mut S,
    ) -> Result<bool, Unsupported> {
        if self.theory.is_idle() {
            return Ok(false);
        }
        if self.extend_wrong_remainders(pool, solver)? {
            self.theory.lemmas += 1;
            return Ok(true);
        }
        let mut lemmas: Vec<Lemma> = self.violated_congruences(pool, solver);
        if lemmas.is_empty() {
            lemmas = self.violated_equations(pool, solver)?;
        }
        self.theory.lemmas += lemmas.len() as u64;
        let found = !lemmas.is_empty();
        for lemma in lemmas {
            match lemma {
                Lemma::Congruence { pairs, results } => {
                    let mut clause: Vec<Literal> = Vec::new();
                    for (a, b) in pairs {
                        clause.push(!self.words_equal(solver, a, b));
                    }
                    clause.push(self.words_equal(solver, results.0, results.1));
                    solver.add_clause(&clause);
                }
                Lemma::Implied { equation, fact } => {
                    self.encode(pool, solver, fact)?;
                    let clause = [!self.word(equation)[0], self.word(fact)[0]];
                    solver.add_clause(&clause);
                }
            }
        }
        Ok(found)
    }

    /// Rule 4. Remainders whose exponents the assignment sets further apart than what is encoded, to something else
    /// than the remainder: eight times as many places are encoded.
    fn extend_wrong_remainders<S: TakeClauses + Assignment>(
        &mut self,
        pool: &TermPool,
        solver: &mut S,
    ) -> Result<bool, Unsupported> {
        let mut wrong = Vec::new();
        for (&term, &steps) in &self.theory.remainders {
            let arguments = pool.arguments(term);
            let values: Vec<Value> = arguments.iter().map(|&a| self.value(pool, solver, a)).collect();
            let sorts: Vec<Sort> = arguments.iter().map(|&a| pool.sort(a)).collect();
            let right = apply_float(pool.op(term), &sorts, &values.iter().collect::<Vec<_>>())
                .map_err(|error| Unsupported(error.why))?;
            if right != self.value(pool, solver, term) {
                wrong.push((term, steps));
            }
        }
        for &(term, steps) in &wrong {
            let steps = steps.saturating_mul(8);
            let format = pool.float_format(term);
            let (x, y) = (pool.arguments(term)[0], pool.arguments(term)[1]);
            let (x, y, word) = (self.word(x).to_vec(), self.word(y).to_vec(), self.word(term).to_vec());
            let mut circuit = self.circuit(solver);
            let to_nearest = pool.op(term) == Op::FpRem;
            let remainder = circuit.float_remainder(&x, &y, to_nearest, steps, format);
            let same = circuit.equal(&word, &remainder.word);
            circuit.solver.add_clause(&[!remainder.is_exact, same]);
            if circuit.gates.value(remainder.is_exact) == Some(true) {
                self.theory.remainders.remove(&term);
            } else {
                self.theory.remainders.insert(term, steps);
            }
        }
        Ok(!wrong.is_empty())
    }

    fn words_equal(&mut self, solver: &mut impl TakeClauses, a: TermId, b: TermId) -> Literal {
        let (a, b) = (self.word(a).to_vec(), self.word(b).to_vec());
        self.circuit(solver).equal(&a, &b)
    }

    /// Rule 1.
    fn violated_congruences(&self, pool: &TermPool, solver: &impl Assignment) -> Vec<Lemma> {
        let mut lemmas = Vec::new();
        let mut seen: FxHashMap<Vec<Value>, (TermId, Value)> = FxHashMap::default();
        for reads in self.theory.reads.values() {
            seen.clear();
            for &(index, read) in reads {
                let (key, result) = (vec![self.value(pool, solver, index)], self.value(pool, solver, read));
                match seen.get(&key) {
                    Some((first, known)) if *known != result => {
                        let first_index = pool.arguments(*first)[1];
                        lemmas.push(Lemma::Congruence {
                            pairs: vec![(first_index, index)],
                            results: (*first, read),
                        });
                    }
                    Some(_) => {}
                    None => {
                        seen.insert(key, (read, result));
                    }
                }
            }
        }
        for applications in self.theory.applications.values() {
            seen.clear();
            for &application in applications {
                let arguments = pool.arguments(application);
                let key: Vec<Value> = arguments.iter().map(|&a| self.value(pool, solver, a)).collect();
                let result = self.value(pool, solver, application);
                match seen.get(&key) {
                    Some((first, known)) if *known != result => {
                        let pairs =
                            pool.arguments(*first).iter().copied().zip(arguments.iter().copied()).collect();
                        lemmas.push(Lemma::Congruence { pairs, results: (*first, application) });
                    }
                    Some(_) => {}
                    None => {
                        seen.insert(key, (application, result));
                    }
                }
            }
        }
        lemmas
    }

    /// Rules 2 and 3.
    fn violated_equations(
        &mut self,
        pool: &mut TermPool,
        solver: &impl Assignment,
    ) -> Result<Vec<Lemma>, Unsupported> {
        let holding: Vec<(TermId, TermId, TermId)> = self
            .theory
            .equations
            .iter()
            .filter(|equation| solver.value(self.word(equation.term)[0]) == Some(true))
            .map(|equation| (equation.term, equation.left, equation.right))
            .collect();
        if holding.is_empty() {
            return Ok(Vec::new());
        }
        let model = self.model(pool, solver);
        let mut evaluator = Evaluator::new(&model);
        let mut lemmas = Vec::new();
        for (equation, left, right) in holding {
            let unevaluated = |error: crate::evaluate::NotEvaluated| Unsupported(error.why);
            let a = evaluator.evaluate(pool, left).map_err(unevaluated)?;
            let b = evaluator.evaluate(pool, right).map_err(unevaluated)?;
            let sort = pool.sort(left);
            if is_same_value(pool, sort, &a, &b) {
                continue;
            }
            let (Value::Array(a), Value::Array(b)) = (a, b) else { unreachable!("arrays have array values") };
            let (index_sort, _) = pool.array_parts(sort).expect("arrays");
            let named: Vec<&Value> = a.exceptions().chain(b.exceptions()).map(|(index, _)| index).collect();
            let place = named.iter().copied().find(|index| a.get(index) != b.get(index));
            let fact = match place {
                Some(place) => {
                    let index = self.index_term_at(pool, solver, index_sort, place);
                    self.read_equation(pool, left, right, index)
                }
                None if bit_count(index_sort)? <= SMALL_INDEX_BITS => {
                    let seen: FxHashSet<&Value> = named.into_iter().collect();
                    let free = all_values(index_sort).find(|value| !seen.contains(value));
                    let free = free.expect("defaults differ only where an index is left");
                    let index = self.index_term_at(pool, solver, index_sort, &free);
                    self.read_equation(pool, left, right, index)
                }
                None => {
                    self.more_indices_than_terms(index_sort)?;
                    let (left, right) = (self.default_of(pool, left), self.default_of(pool, right));
                    pool.equal(left, right)
                }
            };
            lemmas.push(Lemma::Implied { equation, fact });
        }
        Ok(lemmas)
    }

    /// Rule 3 needs an index value that no index term takes.
    fn more_indices_than_terms(&self, index_sort: Sort) -> Result<(), Unsupported> {
        let reads: usize = self.theory.reads.values().map(Vec::len).sum();
        let terms = reads + self.theory.index_terms.values().map(FxHashSet::len).sum::<usize>();
        match index_sort {
            Sort::BitVec(width) if width < 64 && terms as u64 >= 1 << width => Err(Unsupported(format!(
                "{terms} index terms for arrays indexed by {width} bits are too many for the embedded solver"
            ))),
            _ => Ok(()),
        }
    }

    /// A term for an index with this value: one of those in use, or else the constant.
    fn index_term_at(
        &self,
        pool: &mut TermPool,
        solver: &impl Assignment,
        sort: Sort,
        value: &Value,
    ) -> TermId {
        let stores = self.theory.index_terms.get(&sort).into_iter().flatten().copied();
        let reads = self.theory.reads.values().flatten().map(|&(index, _)| index);
        // The smallest, so that runs are repeatable.
        let known = stores
            .chain(reads)
            .filter(|&index| {
                pool.sort(index) == sort
                    && self.is_encoded(index)
                    && self.value(pool, solver, index) == *value
            })
            .min();
        known.unwrap_or_else(|| match value {
            Value::Bool(value) => pool.bool(*value),
            Value::Bits(bits) => pool.constant(bits.clone()),
            other => unreachable!("{other:?} comes from an index term"),
        })
    }

    /// The element of an array where no index term looks, as a term. Iterative over writes and branches.
    fn default_of(&self, pool: &mut TermPool, array: TermId) -> TermId {
        let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut open = vec![array];
        while let Some(&node) = open.last() {
            let arguments = pool.arguments(node).to_vec();
            let result = match pool.op(node) {
                Op::Symbol(_) => Some(self.theory.defaults[&node]),
                Op::ConstArray => Some(arguments[0]),
                Op::Store => done.get(&arguments[0]).copied(),
                _ => match (done.get(&arguments[1]).copied(), done.get(&arguments[2]).copied()) {
                    (Some(then), Some(otherwise)) => Some(pool.ite(arguments[0], then, otherwise)),
                    _ => None,
                },
            };
            match result {
                Some(term) => {
                    done.insert(node, term);
                    open.pop();
                }
                None if pool.op(node) == Op::Store => open.push(arguments[0]),
                None => open.extend(arguments[1..].iter().filter(|argument| !done.contains_key(argument))),
            }
        }
        done[&array]
    }

    /// The model that the solver's assignment stands for, once no lemma is violated.
    pub(crate) fn model(&self, pool: &TermPool, solver: &impl Assignment) -> Model {
        let mut model = Model::new();
        for &symbol in self.symbols() {
            model.set(symbol, self.value(pool, solver, symbol));
        }
        let arrays = self.theory.reads.keys().chain(self.theory.defaults.keys());
        for &array in arrays.collect::<std::collections::BTreeSet<_>>() {
            let (_, element) = pool.array_parts(pool.sort(array)).expect("an array");
            let default = match self.theory.defaults.get(&array) {
                Some(&symbol) if self.is_encoded(symbol) => self.value(pool, solver, symbol),
                _ => Value::default_of(pool, element),
            };
            let mut value = ArrayValue::everywhere(default);
            for &(index, read) in self.theory.reads.get(&array).into_iter().flatten() {
                value.set(self.value(pool, solver, index), self.value(pool, solver, read));
            }
            model.set(array, Value::Array(Arc::new(value)));
        }
        for (&function, applications) in &self.theory.applications {
            let (_, result) = pool.function_sorts(function);
            let mut table = FxHashMap::default();
            for &application in applications {
                let key = pool.arguments(application).iter().map(|&a| self.value(pool, solver, a)).collect();
                table.insert(key, self.value(pool, solver, application));
            }
            model.set_function(function, FunctionValue { default: Value::default_of(pool, result), table });
        }
        model
    }
}

enum Lemma {
    /// Equal arguments, equal results.
    Congruence { pairs: Vec<(TermId, TermId)>, results: (TermId, TermId) },
    /// The equation implies the fact.
    Implied { equation: TermId, fact: TermId },
}

/// All values of a small index sort.
fn all_values(sort: Sort) -> Box<dyn Iterator<Item = Value>> {
    match sort {
        Sort::Bool => Box::new([false, true].into_iter().map(Value::Bool)),
        Sort::BitVec(width) => {
            Box::new((0..1u64 << width).map(move |value| Value::Bits(Bits::from_u64(width, value))))
        }
        other => unreachable!("{other:?} is not a small index sort"),
    }
}
