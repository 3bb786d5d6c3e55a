//! Expressions over resolved variables.
//!
//! INVARIANT of meaning: every occurrence of [`Expr::Any`] is a choice of its own. Therefore "can it be true"
//! and "can it be false" of an expression follow from those of its parts, exactly: the parts share no choice.
//! Engines use this pair instead of auxiliary variables (BOOM 10.8 quantifies them; SEEDS 11: existentially).

use super::program::VariableId;
use std::sync::Arc;

/// An expression over values before (`Current`) and after (`Next`) a step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A constant.
    Constant(bool),
    /// Either value, chosen anew at each occurrence and each time.
    Any,
    /// The value before the step.
    Current(VariableId),
    /// The value after the step; only in constraints.
    Next(VariableId),
    /// ¬e
    Not(Arc<Expr>),
    /// All of them; none means true.
    And(Vec<Expr>),
    /// One of them; none means false.
    Or(Vec<Expr>),
    /// Exactly one of the two.
    Xor(Arc<Expr>, Arc<Expr>),
    /// If the first then the second, else the third.
    Ite(Arc<Expr>, Arc<Expr>, Arc<Expr>),
}

/// Can an expression be true, can it be false?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Possible {
    /// Some choice makes it true.
    pub yes: bool,
    /// Some choice makes it false.
    pub no: bool,
}

impl Possible {
    /// Is this value among the possible ones?
    pub fn allows(self, value: bool) -> bool {
        if value { self.yes } else { self.no }
    }
}

impl Expr {
    /// The constant that always holds.
    pub const TRUE: Expr = Expr::Constant(true);
    /// The constant that never holds.
    pub const FALSE: Expr = Expr::Constant(false);

    /// ¬self, with double negation and constants removed.
    #[must_use]
    pub fn negated(self) -> Expr {
        match self {
            Expr::Constant(value) => Expr::Constant(!value),
            Expr::Any => Expr::Any,
            Expr::Not(inner) => Arc::unwrap_or_clone(inner),
            other => Expr::Not(Arc::new(other)),
        }
    }

    /// self ∧ other, flat, with constants removed.
    #[must_use]
    pub fn and(self, other: Expr) -> Expr {
        match (self, other) {
            (Expr::Constant(true), other) | (other, Expr::Constant(true)) => other,
            (Expr::Constant(false), _) | (_, Expr::Constant(false)) => Expr::FALSE,
            (Expr::And(mut parts), Expr::And(more)) => {
                parts.extend(more);
                Expr::And(parts)
            }
            (Expr::And(mut parts), other) => {
                parts.push(other);
                Expr::And(parts)
            }
            (first, other) => Expr::And(vec![first, other]),
        }
    }

    /// self ∨ other, flat, with constants removed.
    #[must_use]
    pub fn or(self, other: Expr) -> Expr {
        match (self, other) {
            (Expr::Constant(false), other) | (other, Expr::Constant(false)) => other,
            (Expr::Constant(true), _) | (_, Expr::Constant(true)) => Expr::TRUE,
            (Expr::Or(mut parts), Expr::Or(more)) => {
                parts.extend(more);
                Expr::Or(parts)
            }
            (Expr::Or(mut parts), other) => {
                parts.push(other);
                Expr::Or(parts)
            }
            (first, other) => Expr::Or(vec![first, other]),
        }
    }

    /// self ⊕ other
    #[must_use]
    pub fn xor(self, other: Expr) -> Expr {
        match (self, other) {
            (Expr::Constant(false), other) | (other, Expr::Constant(false)) => other,
            (Expr::Constant(true), other) | (other, Expr::Constant(true)) => other.negated(),
            (first, other) => Expr::Xor(Arc::new(first), Arc::new(other)),
        }
    }

    /// self ↔ other
    #[must_use]
    pub fn equals(self, other: Expr) -> Expr {
        self.xor(other).negated()
    }

    /// Is it the constant true?
    pub fn is_true(&self) -> bool {
        matches!(self, Expr::Constant(true))
    }

    /// Is it the constant false?
    pub fn is_false(&self) -> bool {
        matches!(self, Expr::Constant(false))
    }

    /// Is there a choice in it?
    pub fn has_choice(&self) -> bool {
        match self {
            Expr::Any => true,
            Expr::Constant(_) | Expr::Current(_) | Expr::Next(_) => false,
            Expr::Not(inner) => inner.has_choice(),
            Expr::And(parts) | Expr::Or(parts) => parts.iter().any(Expr::has_choice),
            Expr::Xor(left, right) => left.has_choice() || right.has_choice(),
            Expr::Ite(condition, then, otherwise) => {
                condition.has_choice() || then.has_choice() || otherwise.has_choice()
            }
        }
    }

    /// Calls `visit` with every variable that occurs, and whether its value after the step is meant.
    pub fn for_each_variable(&self, visit: &mut impl FnMut(VariableId, bool)) {
        match self {
            Expr::Constant(_) | Expr::Any => {}
            Expr::Current(variable) => visit(*variable, false),
            Expr::Next(variable) => visit(*variable, true),
            Expr::Not(inner) => inner.for_each_variable(visit),
            Expr::And(parts) | Expr::Or(parts) => {
                parts.iter().for_each(|part| part.for_each_variable(visit));
            }
            Expr::Xor(left, right) => {
                left.for_each_variable(visit);
                right.for_each_variable(visit);
            }
            Expr::Ite(condition, then, otherwise) => {
                condition.for_each_variable(visit);
                then.for_each_variable(visit);
                otherwise.for_each_variable(visit);
            }
        }
    }

    /// The values the expression can take, for given values of the variables: `value(variable, is_next)`.
    pub fn possible(&self, value: &impl Fn(VariableId, bool) -> bool) -> Possible {
        let known = |value| Possible { yes: value, no: !value };
        match self {
            Expr::Constant(value) => known(*value),
            Expr::Any => Possible { yes: true, no: true },
            Expr::Current(variable) => known(value(*variable, false)),
            Expr::Next(variable) => known(value(*variable, true)),
            Expr::Not(inner) => {
                let inner = inner.possible(value);
                Possible { yes: inner.no, no: inner.yes }
            }
            Expr::And(parts) => {
                let mut all = known(true);
                for part in parts {
                    let part = part.possible(value);
                    all = Possible { yes: all.yes && part.yes, no: all.no || part.no };
                }
                all
            }
            Expr::Or(parts) => {
                let mut any = known(false);
                for part in parts {
                    let part = part.possible(value);
                    any = Possible { yes: any.yes || part.yes, no: any.no && part.no };
                }
                any
            }
            Expr::Xor(left, right) => {
                let (left, right) = (left.possible(value), right.possible(value));
                Possible {
                    yes: (left.yes && right.no) || (left.no && right.yes),
                    no: (left.yes && right.yes) || (left.no && right.no),
                }
            }
            Expr::Ite(condition, then, otherwise) => {
                let condition = condition.possible(value);
                let (then, otherwise) = (then.possible(value), otherwise.possible(value));
                Possible {
                    yes: (condition.yes && then.yes) || (condition.no && otherwise.yes),
                    no: (condition.yes && then.no) || (condition.no && otherwise.no),
                }
            }
        }
    }
}
