//! C expressions as text: one text per tree, with no more parentheses than needed, which the parser reads back.

use super::{CExpression, CUnary};
use std::fmt::{Display, Formatter, Result};

/// Operators before an operand bind tighter than those between operands; what follows an operand, tighter still.
const UNARY: u8 = 11;
const POSTFIX: u8 = 12;

impl CExpression {
    fn strength(&self) -> u8 {
        match self {
            CExpression::Conditional(..) => 0,
            CExpression::Binary(operator, ..) => operator.strength(),
            CExpression::Unary(..) | CExpression::Cast(..) => UNARY,
            CExpression::Integer(value) if *value < 0 => UNARY,
            _ => POSTFIX,
        }
    }
}

fn at_least(expression: &CExpression, strength: u8, f: &mut Formatter<'_>) -> Result {
    if expression.strength() >= strength { write!(f, "{expression}") } else { write!(f, "({expression})") }
}

impl Display for CExpression {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            CExpression::Integer(value) => write!(f, "{value}"),
            CExpression::Name(name) => f.write_str(name),
            CExpression::Argument(index) => write!(f, "${index}"),
            CExpression::Unary(operator, operand) => {
                f.write_str(match operator {
                    CUnary::Not => "!",
                    CUnary::Minus => "-",
                    CUnary::Plus => "+",
                    CUnary::Complement => "~",
                    CUnary::Dereference => "*",
                    CUnary::Address => "&",
                })?;
                // `- -1` and `& &x` must not become other tokens.
                let touching = matches!(**operand, CExpression::Unary(..)) || operand.strength() == UNARY;
                at_least(operand, if touching { POSTFIX } else { UNARY }, f)
            }
            CExpression::Binary(operator, left, right) => {
                // `!a - b` in a formula is the negation of `a - b`.
                let is_negation = matches!(**left, CExpression::Unary(CUnary::Not, _));
                let is_logical = matches!(operator.text(), "&&" | "||");
                let strength = if is_negation && !is_logical { POSTFIX } else { operator.strength() };
                at_least(left, strength, f)?;
                write!(f, " {} ", operator.text())?;
                at_least(right, operator.strength() + 1, f)
            }
            CExpression::Conditional(condition, then, otherwise) => {
                let is_negation = matches!(**condition, CExpression::Unary(CUnary::Not, _));
                at_least(condition, if is_negation { POSTFIX } else { 1 }, f)?;
                f.write_str(" ? ")?;
                at_least(then, 1, f)?;
                f.write_str(" : ")?;
                at_least(otherwise, 0, f)
            }
            CExpression::Member(object, field) => {
                // `0.x` would be a number with a fraction.
                let is_number = matches!(**object, CExpression::Integer(_));
                at_least(object, if is_number { POSTFIX + 1 } else { POSTFIX }, f)?;
                write!(f, ".{field}")
            }
            CExpression::Arrow(object, field) => {
                at_least(object, POSTFIX, f)?;
                write!(f, "->{field}")
            }
            CExpression::Element(array, index) => {
                at_least(array, POSTFIX, f)?;
                write!(f, "[{index}]")
            }
            CExpression::Cast(to, operand) => {
                write!(f, "({to})")?;
                at_least(operand, UNARY, f)
            }
        }
    }
}
