//! Linear temporal formulas as users write them, before any rewriting; and what an atom of them is.
//! The meaning is that of infinite words; questions about finite maximal paths are turned into such by `check`.

use base::define_id;

define_id!(
    /// An atomic statement about one position of a word; its name is kept by whoever made the formula.
    Atom,
    "p"
);

/// A formula over infinite words of letters, a letter being the set of atoms that hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ltl {
    /// Holds everywhere.
    True,
    /// Holds nowhere.
    False,
    /// Holds where the atom does.
    Atom(Atom),
    /// Holds where the operand does not.
    Not(Box<Ltl>),
    /// Holds where both do.
    And(Box<Ltl>, Box<Ltl>),
    /// Holds where at least one does.
    Or(Box<Ltl>, Box<Ltl>),
    /// The operand holds at the next position.
    Next(Box<Ltl>),
    /// The second holds now or later, and the first up to then (U).
    Until(Box<Ltl>, Box<Ltl>),
    /// As `Until`, but the second need never hold if the first always does (W).
    WeakUntil(Box<Ltl>, Box<Ltl>),
    /// The second holds up to and including the first position where the first does, if there is one (R).
    Release(Box<Ltl>, Box<Ltl>),
    /// As `Release`, and there is such a position (M).
    StrongRelease(Box<Ltl>, Box<Ltl>),
    /// The operand holds now or later (F).
    Finally(Box<Ltl>),
    /// The operand holds from now on (G).
    Globally(Box<Ltl>),
}

impl Ltl {
    /// An atom.
    pub fn atom(atom: Atom) -> Ltl {
        Ltl::Atom(atom)
    }

    /// The negation.
    #[must_use]
    pub fn negated(self) -> Ltl {
        match self {
            Ltl::Not(inner) => *inner,
            other => Ltl::Not(Box::new(other)),
        }
    }

    /// The conjunction of two formulas.
    #[must_use]
    pub fn and(self, other: Ltl) -> Ltl {
        Ltl::And(Box::new(self), Box::new(other))
    }

    /// At least one.
    #[must_use]
    pub fn or(self, other: Ltl) -> Ltl {
        Ltl::Or(Box::new(self), Box::new(other))
    }

    /// The second wherever the first.
    #[must_use]
    pub fn implies(self, other: Ltl) -> Ltl {
        self.negated().or(other)
    }

    /// Both or neither.
    #[must_use]
    pub fn iff(self, other: Ltl) -> Ltl {
        self.clone().and(other.clone()).or(self.negated().and(other.negated()))
    }

    /// At the next position (X).
    #[must_use]
    pub fn next(self) -> Ltl {
        Ltl::Next(Box::new(self))
    }

    /// Until (U).
    #[must_use]
    pub fn until(self, other: Ltl) -> Ltl {
        Ltl::Until(Box::new(self), Box::new(other))
    }

    /// Weak until (W).
    #[must_use]
    pub fn weak_until(self, other: Ltl) -> Ltl {
        Ltl::WeakUntil(Box::new(self), Box::new(other))
    }

    /// Release (R).
    #[must_use]
    pub fn release(self, other: Ltl) -> Ltl {
        Ltl::Release(Box::new(self), Box::new(other))
    }

    /// Strong release (M).
    #[must_use]
    pub fn strong_release(self, other: Ltl) -> Ltl {
        Ltl::StrongRelease(Box::new(self), Box::new(other))
    }

    /// Now or later (F).
    #[must_use]
    pub fn finally(self) -> Ltl {
        Ltl::Finally(Box::new(self))
    }

    /// From now on (G).
    #[must_use]
    pub fn globally(self) -> Ltl {
        Ltl::Globally(Box::new(self))
    }

    /// The direct operands, left to right.
    pub fn operands(&self) -> Vec<&Ltl> {
        match self {
            Ltl::True | Ltl::False | Ltl::Atom(_) => vec![],
            Ltl::Not(a) | Ltl::Next(a) | Ltl::Finally(a) | Ltl::Globally(a) => vec![a],
            Ltl::And(a, b)
            | Ltl::Or(a, b)
            | Ltl::Until(a, b)
            | Ltl::WeakUntil(a, b)
            | Ltl::Release(a, b)
            | Ltl::StrongRelease(a, b) => vec![a, b],
        }
    }
}
