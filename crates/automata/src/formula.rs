//! Formulas in negation normal form, shared: equal formulas have equal ids, and letters are guards, so that any
//! two Boolean formulas with the same meaning are the same formula.
//! The smart constructors are in `rewrite.rs`; syntactic implication in `implication.rs`.

use crate::guard::{Guard, Guards, Variable};
use crate::syntax::Ltl;
use base::{Id, IndexVec, define_id};
use rustc_hash::FxHashMap;

define_id!(
    /// A formula in a [`Formulas`] store.
    Formula,
    "f"
);

/// The shape of a formula. Negation occurs in guards only.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A condition on the present letter.
    Letter(Guard),
    /// At least two conjuncts, sorted, at most one of them a letter.
    And(Vec<Formula>),
    /// At least two disjuncts, sorted, at most one of them a letter.
    Or(Vec<Formula>),
    /// `X a`: at the next position.
    Next(Formula),
    /// U; F when the first is `true`.
    Until(Formula, Formula),
    /// `a W b`: `a` until `b`, or for ever.
    WeakUntil(Formula, Formula),
    /// R; G when the first is `false`.
    Release(Formula, Formula),
    /// `a M b`: `b` up to and with a position where `a` holds too, which comes.
    StrongRelease(Formula, Formula),
}

/// What is known of a formula from its shape alone (Etessami and Holzmann 2000).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closure {
    /// If it holds of a word, it holds of every word that ends in it: purely "sooner or later".
    pub eventual: bool,
    /// If it holds of a word, it holds of all its suffixes: purely "from now on".
    pub universal: bool,
}

/// Owns formulas and their guards.
#[derive(Clone, Debug)]
pub struct Formulas {
    pub(crate) guards: Guards,
    shapes: IndexVec<Formula, Shape>,
    closures: IndexVec<Formula, Closure>,
    unique: FxHashMap<Shape, Formula>,
    negations: FxHashMap<Formula, Formula>,
    pub(crate) implications: FxHashMap<(Formula, Formula), bool>,
}

impl Formulas {
    /// The formula that holds nowhere.
    pub const FALSE: Formula = Formula(0);
    /// The formula that holds everywhere.
    pub const TRUE: Formula = Formula(1);

    /// A store with the two constants.
    pub fn new() -> Formulas {
        let mut formulas = Formulas {
            guards: Guards::new(),
            shapes: IndexVec::new(),
            closures: IndexVec::new(),
            unique: FxHashMap::default(),
            negations: FxHashMap::default(),
            implications: FxHashMap::default(),
        };
        let no = formulas.intern(Shape::Letter(Guard::FALSE));
        let yes = formulas.intern(Shape::Letter(Guard::TRUE));
        assert_eq!((no, yes), (Formulas::FALSE, Formulas::TRUE), "the constants are the first two");
        formulas
    }

    /// The shape of a formula.
    pub fn shape(&self, formula: Formula) -> &Shape {
        &self.shapes[formula]
    }

    pub(crate) fn intern(&mut self, shape: Shape) -> Formula {
        if let Some(&known) = self.unique.get(&shape) {
            return known;
        }
        let closure = self.closure_of(&shape);
        let formula = self.shapes.push(shape.clone());
        self.closures.push(closure);
        self.unique.insert(shape, formula);
        formula
    }

    fn closure_of(&self, shape: &Shape) -> Closure {
        let eventual = |f: &Formula| self.closures[*f].eventual;
        let universal = |f: &Formula| self.closures[*f].universal;
        match shape {
            Shape::Letter(guard) => Closure { eventual: guard.is_constant(), universal: guard.is_constant() },
            Shape::And(parts) | Shape::Or(parts) => {
                Closure { eventual: parts.iter().all(eventual), universal: parts.iter().all(universal) }
            }
            Shape::Next(a) => Closure { eventual: eventual(a), universal: universal(a) },
            Shape::Until(a, b) => Closure {
                eventual: *a == Formulas::TRUE || eventual(b),
                universal: (universal(a) || *a == Formulas::TRUE) && universal(b),
            },
            Shape::WeakUntil(a, b) => {
                Closure { eventual: eventual(a) && eventual(b), universal: universal(a) && universal(b) }
            }
            Shape::Release(a, b) => Closure {
                eventual: (eventual(a) || *a == Formulas::FALSE) && eventual(b),
                universal: *a == Formulas::FALSE || universal(b),
            },
            Shape::StrongRelease(a, b) => {
                Closure { eventual: eventual(a) && eventual(b), universal: universal(a) && universal(b) }
            }
        }
    }

    pub(crate) fn is_eventual(&self, formula: Formula) -> bool {
        self.closures[formula].eventual
    }

    pub(crate) fn is_universal(&self, formula: Formula) -> bool {
        self.closures[formula].universal
    }

    /// Holds or fails of all suffixes of a word alike.
    pub(crate) fn is_suspendable(&self, formula: Formula) -> bool {
        self.is_eventual(formula) && self.is_universal(formula)
    }

    /// The condition on the present letter.
    pub fn letter(&mut self, guard: Guard) -> Formula {
        self.intern(Shape::Letter(guard))
    }

    /// The negation, in negation normal form, without further rewriting.
    pub fn negate(&mut self, formula: Formula) -> Formula {
        if let Some(&known) = self.negations.get(&formula) {
            return known;
        }
        let shape = match self.shapes[formula].clone() {
            Shape::Letter(guard) => Shape::Letter(self.guards.not(guard)),
            Shape::And(parts) => Shape::Or(self.negate_all(&parts)),
            Shape::Or(parts) => Shape::And(self.negate_all(&parts)),
            Shape::Next(a) => Shape::Next(self.negate(a)),
            Shape::Until(a, b) => Shape::Release(self.negate(a), self.negate(b)),
            Shape::Release(a, b) => Shape::Until(self.negate(a), self.negate(b)),
            Shape::WeakUntil(a, b) => Shape::StrongRelease(self.negate(a), self.negate(b)),
            Shape::StrongRelease(a, b) => Shape::WeakUntil(self.negate(a), self.negate(b)),
        };
        let negation = self.intern(shape);
        self.negations.insert(formula, negation);
        self.negations.insert(negation, formula);
        negation
    }

    fn negate_all(&mut self, parts: &[Formula]) -> Vec<Formula> {
        let mut negated: Vec<Formula> = parts.iter().map(|part| self.negate(*part)).collect();
        negated.sort_unstable();
        negated
    }

    /// The formula, or its negation if `positive` is false, rewritten on the way. Atom `i` is variable `i`.
    pub fn from_ltl(&mut self, ltl: &Ltl, positive: bool) -> Formula {
        match (ltl, positive) {
            (Ltl::True, true) | (Ltl::False, false) => Formulas::TRUE,
            (Ltl::True, false) | (Ltl::False, true) => Formulas::FALSE,
            (Ltl::Atom(atom), _) => {
                let variable = Variable::from_index(atom.index());
                let literal = crate::guard::Literal { variable, value: positive };
                let guard = self.guards.literal(literal);
                self.letter(guard)
            }
            (Ltl::Not(a), _) => self.from_ltl(a, !positive),
            (Ltl::And(a, b), true) | (Ltl::Or(a, b), false) => {
                let parts = vec![self.from_ltl(a, positive), self.from_ltl(b, positive)];
                self.and(parts)
            }
            (Ltl::Or(a, b), true) | (Ltl::And(a, b), false) => {
                let parts = vec![self.from_ltl(a, positive), self.from_ltl(b, positive)];
                self.or(parts)
            }
            (Ltl::Next(a), _) => {
                let a = self.from_ltl(a, positive);
                self.next(a)
            }
            (Ltl::Finally(a), true) | (Ltl::Globally(a), false) => {
                let a = self.from_ltl(a, positive);
                self.until(Formulas::TRUE, a)
            }
            (Ltl::Globally(a), true) | (Ltl::Finally(a), false) => {
                let a = self.from_ltl(a, positive);
                self.release(Formulas::FALSE, a)
            }
            (Ltl::Until(a, b), true) | (Ltl::Release(a, b), false) => {
                let (a, b) = (self.from_ltl(a, positive), self.from_ltl(b, positive));
                self.until(a, b)
            }
            (Ltl::Release(a, b), true) | (Ltl::Until(a, b), false) => {
                let (a, b) = (self.from_ltl(a, positive), self.from_ltl(b, positive));
                self.release(a, b)
            }
            (Ltl::WeakUntil(a, b), true) | (Ltl::StrongRelease(a, b), false) => {
                let (a, b) = (self.from_ltl(a, positive), self.from_ltl(b, positive));
                self.weak_until(a, b)
            }
            (Ltl::StrongRelease(a, b), true) | (Ltl::WeakUntil(a, b), false) => {
                let (a, b) = (self.from_ltl(a, positive), self.from_ltl(b, positive));
                self.strong_release(a, b)
            }
        }
    }
}

impl Default for Formulas {
    fn default() -> Formulas {
        Formulas::new()
    }
}
