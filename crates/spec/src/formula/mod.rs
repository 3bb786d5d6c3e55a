//! State/event linear temporal logic (SE-LTL): formulas over what holds in a state and what happens on leaving it.
//! After Chaki et al., "State/Event-based Software Model Checking", section 2, over *maximal* paths: a path that
//! cannot go on is a path too. There `X f` asks for a next state, and no event happens in the last one.
//! Text: [`parse`](mod@parse) reads both the operators of SE-LTL and those of FSP's `assert`.

pub mod display;
pub mod parse;

use std::collections::BTreeSet;
use std::sync::Arc;

/// What a formula can ask of one position of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// The state proposition of this name holds in the state. Written `[text]`.
    Proposition(Arc<str>),
    /// The state is left by the event of this name.
    Event(Arc<str>),
}

/// A formula. Children are shared, so cloning is cheap.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Formula {
    /// Always true.
    True,
    /// Never true.
    False,
    /// A proposition or an event.
    Atom(Atom),
    /// `!f`
    Not(Arc<Formula>),
    /// `f & g`
    And(Arc<Formula>, Arc<Formula>),
    /// `f | g`
    Or(Arc<Formula>, Arc<Formula>),
    /// `f => g`
    Implies(Arc<Formula>, Arc<Formula>),
    /// `f <=> g`
    Iff(Arc<Formula>, Arc<Formula>),
    /// `X f`: there is a next state, and `f` holds from there.
    Next(Arc<Formula>),
    /// `F f`: now or later.
    Eventually(Arc<Formula>),
    /// `G f`: now and for ever, as long as the path lasts.
    Always(Arc<Formula>),
    /// `f U g`: `g` comes, and `f` holds until then.
    Until(Arc<Formula>, Arc<Formula>),
    /// `f W g`: `f` holds until `g` comes, which it need not.
    WeakUntil(Arc<Formula>, Arc<Formula>),
    /// `f R g`: `g` holds up to and including the first `f`, which need not come.
    Release(Arc<Formula>, Arc<Formula>),
}

impl Formula {
    /// The state proposition of that name.
    pub fn proposition(name: &str) -> Formula {
        Formula::Atom(Atom::Proposition(Arc::from(name)))
    }

    /// The event of that name.
    pub fn event(name: &str) -> Formula {
        Formula::Atom(Atom::Event(Arc::from(name)))
    }

    /// `!f`; a double negation is dropped.
    #[must_use]
    pub fn negate(self) -> Formula {
        match self {
            Formula::Not(inner) => (*inner).clone(),
            Formula::True => Formula::False,
            Formula::False => Formula::True,
            other => Formula::Not(Arc::new(other)),
        }
    }

    /// `f & g`
    #[must_use]
    pub fn and(self, other: Formula) -> Formula {
        Formula::And(Arc::new(self), Arc::new(other))
    }

    /// `f | g`
    #[must_use]
    pub fn or(self, other: Formula) -> Formula {
        Formula::Or(Arc::new(self), Arc::new(other))
    }

    /// The conjunction of all; true for none.
    pub fn all(formulas: impl IntoIterator<Item = Formula>) -> Formula {
        formulas.into_iter().reduce(Formula::and).unwrap_or(Formula::True)
    }

    /// The disjunction of all; false for none.
    pub fn any(formulas: impl IntoIterator<Item = Formula>) -> Formula {
        formulas.into_iter().reduce(Formula::or).unwrap_or(Formula::False)
    }

    /// The formula with other formulas in place of its atoms.
    #[must_use]
    pub fn with_atoms(&self, atom: &dyn Fn(&Atom) -> Formula) -> Formula {
        let of = |inner: &Formula| Arc::new(inner.with_atoms(atom));
        match self {
            Formula::True | Formula::False => self.clone(),
            Formula::Atom(own) => atom(own),
            Formula::Not(f) => Formula::Not(of(f)),
            Formula::And(f, g) => Formula::And(of(f), of(g)),
            Formula::Or(f, g) => Formula::Or(of(f), of(g)),
            Formula::Implies(f, g) => Formula::Implies(of(f), of(g)),
            Formula::Iff(f, g) => Formula::Iff(of(f), of(g)),
            Formula::Next(f) => Formula::Next(of(f)),
            Formula::Eventually(f) => Formula::Eventually(of(f)),
            Formula::Always(f) => Formula::Always(of(f)),
            Formula::Until(f, g) => Formula::Until(of(f), of(g)),
            Formula::WeakUntil(f, g) => Formula::WeakUntil(of(f), of(g)),
            Formula::Release(f, g) => Formula::Release(of(f), of(g)),
        }
    }

    /// The direct subformulas, left to right.
    pub fn children(&self) -> impl Iterator<Item = &Formula> {
        let (left, right) = match self {
            Formula::True | Formula::False | Formula::Atom(_) => (None, None),
            Formula::Not(f) | Formula::Next(f) | Formula::Eventually(f) | Formula::Always(f) => {
                (Some(f), None)
            }
            Formula::And(f, g)
            | Formula::Or(f, g)
            | Formula::Implies(f, g)
            | Formula::Iff(f, g)
            | Formula::Until(f, g)
            | Formula::WeakUntil(f, g)
            | Formula::Release(f, g) => (Some(f), Some(g)),
        };
        left.into_iter().chain(right).map(|child| &**child)
    }

    /// All atoms that occur, each once, in order.
    pub fn atoms(&self) -> BTreeSet<Atom> {
        let mut atoms = BTreeSet::new();
        let mut open = vec![self];
        while let Some(formula) = open.pop() {
            if let Formula::Atom(atom) = formula {
                atoms.insert(atom.clone());
            }
            open.extend(formula.children());
        }
        atoms
    }

    /// The number of atoms, constants and operators.
    pub fn size(&self) -> usize {
        1 + self.children().map(Formula::size).sum::<usize>()
    }

    /// The formula with each atom replaced.
    #[must_use]
    pub fn map_atoms(&self, replace: &mut impl FnMut(&Atom) -> Formula) -> Formula {
        let mut map = |f: &Arc<Formula>| Arc::new(f.map_atoms(replace));
        match self {
            Formula::True => Formula::True,
            Formula::False => Formula::False,
            Formula::Atom(atom) => replace(atom),
            Formula::Not(f) => Formula::Not(map(f)),
            Formula::And(f, g) => Formula::And(map(f), map(g)),
            Formula::Or(f, g) => Formula::Or(map(f), map(g)),
            Formula::Implies(f, g) => Formula::Implies(map(f), map(g)),
            Formula::Iff(f, g) => Formula::Iff(map(f), map(g)),
            Formula::Next(f) => Formula::Next(map(f)),
            Formula::Eventually(f) => Formula::Eventually(map(f)),
            Formula::Always(f) => Formula::Always(map(f)),
            Formula::Until(f, g) => Formula::Until(map(f), map(g)),
            Formula::WeakUntil(f, g) => Formula::WeakUntil(map(f), map(g)),
            Formula::Release(f, g) => Formula::Release(map(f), map(g)),
        }
    }
}
