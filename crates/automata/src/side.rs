//! Every rule of rewriting has a dual (De Morgan): U and R, W and M, `|` and `&`, F and G, `true` and `false`,
//! "implies" and "is implied by" change places. So a rule is written once, for the side of `|`, and read on either
//! side.
//!
//! Example: `a U (a & x) = x M a`, read on the other side, is `a R (a | x) = x W a`.

use crate::formula::{Formula, Formulas, Shape};

/// On which side a rule is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// As it is written.
    Or,
    /// As its dual.
    And,
}

impl Side {
    pub fn other(self) -> Side {
        if self == Side::Or { Side::And } else { Side::Or }
    }

    /// What `true` is here.
    pub fn yes(self) -> Formula {
        if self == Side::Or { Formulas::TRUE } else { Formulas::FALSE }
    }

    /// What `false` is here.
    pub fn no(self) -> Formula {
        self.other().yes()
    }

    /// The shape that stands here for this one. Letters are not looked into.
    fn turned(self, shape: Shape) -> Shape {
        match (self, shape) {
            (Side::Or, shape) => shape,
            (Side::And, Shape::And(parts)) => Shape::Or(parts),
            (Side::And, Shape::Or(parts)) => Shape::And(parts),
            (Side::And, Shape::Until(a, b)) => Shape::Release(a, b),
            (Side::And, Shape::Release(a, b)) => Shape::Until(a, b),
            (Side::And, Shape::WeakUntil(a, b)) => Shape::StrongRelease(a, b),
            (Side::And, Shape::StrongRelease(a, b)) => Shape::WeakUntil(a, b),
            (Side::And, shape @ (Shape::Letter(_) | Shape::Next(_))) => shape,
        }
    }
}

impl Formulas {
    pub(crate) fn seen_on(&self, side: Side, formula: Formula) -> Shape {
        side.turned(self.shape(formula).clone())
    }

    pub(crate) fn intern_on(&mut self, side: Side, shape: Shape) -> Formula {
        self.intern(side.turned(shape))
    }

    pub(crate) fn is_eventual_on(&self, side: Side, formula: Formula) -> bool {
        if side == Side::Or { self.is_eventual(formula) } else { self.is_universal(formula) }
    }

    pub(crate) fn is_universal_on(&self, side: Side, formula: Formula) -> bool {
        self.is_eventual_on(side.other(), formula)
    }

    pub(crate) fn implies_on(&mut self, side: Side, left: Formula, right: Formula) -> bool {
        if side == Side::Or { self.surely_implies(left, right) } else { self.surely_implies(right, left) }
    }

    pub(crate) fn cover_on(&mut self, side: Side, left: Formula, right: Formula) -> bool {
        if side == Side::Or { self.surely_cover(left, right) } else { self.surely_exclude(left, right) }
    }
}
