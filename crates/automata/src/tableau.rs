//! A formula's automaton by unfolding (a tableau construction, LTL to generalised Büchi): states are formulas, edges
//! come from what a formula says of the present letter, of the next position, and of what it still promises.
//! After Couvreur 1999 ("FM" below), with the improvements of Duret-Lutz 2014.
//! DIVERGENCE: edges are read off the diagram of a state layer by layer (letters first), not letter by letter; so
//! the many atoms of a formula over events cost nothing.
//!
//! Worked example: `G (p -> F q)`. Unfolded, the first state says: now `!p | q`, next the same formula; or
//! now anything, next `F q & G (p -> F q)`, with `q` promised. From the second state, `q` leads back (the
//! promise is kept) and anything leads to itself (it is left open). Two states, and one mark on all edges
//! that leave no promise open: a run that waits for `q` for ever does not meet the mark again and again.
//!
//! Naive twin: `testkit::meaning`; the tests require agreement on random formulas and words.

use crate::automaton::{Automaton, Edge, Location, Marks};
use crate::formula::{Formula, Formulas, Shape};
use crate::guard::{Guard, Variable};
use base::{Budget, Exhausted, Id};
use rustc_hash::FxHashMap;

/// Why a formula has no automaton here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CannotTranslate {
    /// The formula makes more promises than there are marks.
    TooManyPromises,
    /// A limit of the run was reached.
    Exhausted(Exhausted),
}

impl From<Exhausted> for CannotTranslate {
    fn from(exhausted: Exhausted) -> CannotTranslate {
        CannotTranslate::Exhausted(exhausted)
    }
}

impl std::fmt::Display for CannotTranslate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CannotTranslate::TooManyPromises => {
                write!(f, "the formula has more than {} eventualities", Marks::MOST)
            }
            CannotTranslate::Exhausted(exhausted) => write!(f, "{exhausted}"),
        }
    }
}

impl std::error::Error for CannotTranslate {}

/// What a variable beyond the atoms stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Meaning {
    /// The formula must hold at the next position.
    Next(Formula),
    /// The formula is promised, not yet kept. FM: a[f].
    Promise(Formula),
}

struct Tableau<'a> {
    formulas: &'a mut Formulas,
    first_meaning: Variable,
    meanings: Vec<Meaning>,
    variables: FxHashMap<Meaning, Variable>,
    unfolded: FxHashMap<(Formula, bool), Guard>,
    promises: Vec<Formula>,
}

/// The automaton of a formula over the given atoms, not yet reduced.
pub fn unfold(
    formulas: &mut Formulas,
    formula: Formula,
    atoms: &[String],
    budget: &Budget,
) -> Result<Automaton, CannotTranslate> {
    let mut tableau = Tableau {
        formulas,
        first_meaning: Variable::from_index(atoms.len()),
        meanings: Vec::new(),
        variables: FxHashMap::default(),
        unfolded: FxHashMap::default(),
        promises: Vec::new(),
    };
    let mut automaton = Automaton::empty(atoms.to_vec());
    // States whose unfolding is the same function are the same state.
    let mut by_unfolding: FxHashMap<Guard, Location> = FxHashMap::default();
    let mut by_formula: FxHashMap<Formula, Location> = FxHashMap::default();
    let mut promised: Vec<Vec<(Edge, Marks)>> = vec![Vec::new()];
    // What remains of a state's function after the letter says where its edges lead; many states share it.
    let mut by_remainder: FxHashMap<Guard, Vec<(Location, Marks)>> = FxHashMap::default();
    let first = tableau.unfold(formula, false);
    by_unfolding.insert(first, automaton.initial);
    by_formula.insert(formula, automaton.initial);
    let mut open = vec![(automaton.initial, first)];
    while let Some((state, function)) = open.pop() {
        budget.check()?;
        for (condition, rest) in tableau.formulas.guards.remainders(function, tableau.first_meaning) {
            let guard = automaton.guards.import(&tableau.formulas.guards, condition, &|v| v);
            if let Some(known) = by_remainder.get(&rest) {
                let edge = |(to, left_open): &(Location, Marks)| {
                    (Edge { to: *to, marks: Marks::NONE, guard }, *left_open)
                };
                promised[state.index()].extend(known.iter().map(edge));
                continue;
            }
            let mut targets = Vec::new();
            for cube in tableau.formulas.guards.cubes(rest) {
                let mut obligations = Vec::new();
                let mut left_open = Marks::NONE;
                for literal in cube {
                    debug_assert!(literal.value, "an unfolding is monotone in what comes next");
                    match tableau.meanings[literal.variable.index() - tableau.first_meaning.index()] {
                        Meaning::Next(next) => obligations.push(next),
                        Meaning::Promise(kept_by) => {
                            left_open = left_open.union(Marks::only(tableau.promise_number(kept_by)?));
                        }
                    }
                }
                let target = tableau.formulas.obligations(obligations);
                if target == Formulas::FALSE {
                    continue;
                }
                let to = match by_formula.get(&target) {
                    Some(known) => *known,
                    None => {
                        let function = tableau.unfold(target, false);
                        let location = *by_unfolding.entry(function).or_insert_with(|| {
                            let location = automaton.edges.push(Vec::new());
                            promised.push(Vec::new());
                            open.push((location, function));
                            location
                        });
                        by_formula.insert(target, location);
                        location
                    }
                };
                promised[state.index()].push((Edge { to, marks: Marks::NONE, guard }, left_open));
                targets.push((to, left_open));
            }
            by_remainder.insert(rest, targets);
        }
    }
    automaton.marks = u32::try_from(tableau.promises.len()).expect("at most `Marks::MOST`");
    for (state, edges) in promised.into_iter().enumerate() {
        for (mut edge, left_open) in edges {
            // An edge carries the mark of every promise it does not leave open.
            edge.marks = Marks::all(automaton.marks).without(left_open);
            automaton.edges[Location::from_index(state)].push(edge);
        }
    }
    automaton.merge_parallel_edges();
    Ok(automaton)
}

impl Tableau<'_> {
    /// The mark that stands for the promise.
    fn promise_number(&mut self, kept_by: Formula) -> Result<u32, CannotTranslate> {
        let known = self.promises.iter().position(|known| *known == kept_by);
        let number = known.unwrap_or_else(|| {
            self.promises.push(kept_by);
            self.promises.len() - 1
        });
        match u32::try_from(number) {
            Ok(number) if number < Marks::MOST => Ok(number),
            _ => Err(CannotTranslate::TooManyPromises),
        }
    }

    fn variable(&mut self, meaning: Meaning) -> Guard {
        let next = Variable::from_index(self.first_meaning.index() + self.meanings.len());
        let variable = *self.variables.entry(meaning).or_insert_with(|| {
            self.meanings.push(meaning);
            next
        });
        self.formulas.guards.variable(variable)
    }

    /// The obligation that the formula holds at the next position, conjunct by conjunct.
    fn at_next(&mut self, formula: Formula) -> Guard {
        match self.formulas.shape(formula).clone() {
            Shape::Letter(guard) if guard.is_constant() => guard,
            Shape::And(parts) => {
                let mut all = Guard::TRUE;
                for part in parts {
                    let part = self.at_next(part);
                    all = self.formulas.guards.and(all, part);
                }
                all
            }
            _ => self.variable(Meaning::Next(formula)),
        }
    }

    /// What the formula says, as a function of letter, next obligations and promises. FM: r(f).
    /// `recurring`: the formula is under a G that will assert it again, so it need not carry itself on.
    fn unfold(&mut self, formula: Formula, recurring: bool) -> Guard {
        if let Some(&known) = self.unfolded.get(&(formula, recurring)) {
            return known;
        }
        let function = match self.formulas.shape(formula).clone() {
            Shape::Letter(guard) => guard,
            Shape::And(parts) => {
                let mut all = Guard::TRUE;
                for part in parts {
                    let part = self.unfold(part, recurring);
                    all = self.formulas.guards.and(all, part);
                }
                all
            }
            Shape::Or(parts) => {
                let mut some = Guard::FALSE;
                for part in parts {
                    let part = self.unfold(part, false);
                    some = self.formulas.guards.or(some, part);
                }
                some
            }
            Shape::Next(a) => self.at_next(a),
            Shape::Until(a, b) => {
                let (now, later) = (self.unfold(b, false), self.unfold(a, false));
                let promise = self.variable(Meaning::Promise(b));
                let later = self.formulas.guards.and(later, promise);
                let later = self.carried_on(later, formula, recurring);
                self.formulas.guards.or(now, later)
            }
            Shape::WeakUntil(a, b) => {
                let (now, later) = (self.unfold(b, false), self.unfold(a, false));
                let later = self.carried_on(later, formula, false);
                self.formulas.guards.or(now, later)
            }
            Shape::Release(Formulas::FALSE, b) => {
                let now = self.unfold(b, true);
                self.carried_on(now, formula, false)
            }
            Shape::Release(a, b) => {
                let (released, now) = (self.unfold(a, false), self.unfold(b, false));
                let later = self.carried_on(Guard::TRUE, formula, false);
                let either = self.formulas.guards.or(released, later);
                self.formulas.guards.and(now, either)
            }
            Shape::StrongRelease(a, b) => {
                let (released, now) = (self.unfold(a, false), self.unfold(b, false));
                let promise = self.variable(Meaning::Promise(a));
                let later = self.carried_on(promise, formula, recurring);
                let either = self.formulas.guards.or(released, later);
                self.formulas.guards.and(now, either)
            }
        };
        self.unfolded.insert((formula, recurring), function);
        function
    }

    fn carried_on(&mut self, present: Guard, formula: Formula, recurring: bool) -> Guard {
        if recurring {
            return present;
        }
        let next = self.variable(Meaning::Next(formula));
        self.formulas.guards.and(present, next)
    }
}
