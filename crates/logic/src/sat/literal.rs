//! Propositional variables and literals.

use std::fmt;
use std::ops::Not;

base::define_id!(
    /// A propositional variable of one solver.
    Variable,
    "b"
);

impl Variable {
    /// The literal that is true when the variable is.
    pub fn positive(self) -> Literal {
        Literal(base::Id::index(self) as u32 * 2)
    }

    /// The literal that is true when the variable is false.
    pub fn negative(self) -> Literal {
        !self.positive()
    }

    /// The literal of this variable that holds when the variable has `value`.
    pub fn literal(self, value: bool) -> Literal {
        if value { self.positive() } else { self.negative() }
    }
}

/// A variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(u32);

impl Literal {
    /// The variable of the literal.
    pub fn variable(self) -> Variable {
        base::Id::from_index(self.0 as usize / 2)
    }

    /// Does the literal hold when its variable is true?
    pub fn is_positive(self) -> bool {
        self.0.is_multiple_of(2)
    }

    /// The same literal, negated when `negate` is true.
    #[must_use]
    pub fn negated_if(self, negate: bool) -> Literal {
        Literal(self.0 ^ u32::from(negate))
    }
}

impl Not for Literal {
    type Output = Literal;
    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

impl fmt::Debug for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.is_positive() { "" } else { "¬" }, self.variable())
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}
