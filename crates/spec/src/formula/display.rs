//! Formulas as text that the parser reads back to the same tree.

use super::{Atom, Formula};
use std::fmt::{self, Display, Formatter};

impl Display for Atom {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Proposition(name) => write!(f, "[{name}]"),
            Atom::Event(name) if reads_back_bare(name) => f.write_str(name),
            Atom::Event(name) => write!(f, "\"{name}\""),
        }
    }
}

/// Does the parser take the name for an event without quotes?
fn reads_back_bare(name: &str) -> bool {
    let is_word =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let starts_small = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    let is_reserved = matches!(name, "true" | "false" | "xor" | "return");
    name.starts_with("return {") || (starts_small && !is_reserved && name.split('.').all(is_word))
}

impl Display for Formula {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let unary = |f: &mut Formatter<'_>, operator: &str, inner: &Formula| {
            f.write_str(operator)?;
            write_operand(inner, f)
        };
        match self {
            Formula::True => f.write_str("true"),
            Formula::False => f.write_str("false"),
            Formula::Atom(atom) => atom.fmt(f),
            Formula::Not(inner) => unary(f, "!", inner),
            Formula::Next(inner) => unary(f, "X ", inner),
            Formula::Eventually(inner) => unary(f, "F ", inner),
            Formula::Always(inner) => unary(f, "G ", inner),
            Formula::And(l, r) => chain(f, l, "&", r, matches!(**l, Formula::And(..))),
            Formula::Or(l, r) => chain(f, l, "|", r, matches!(**l, Formula::Or(..))),
            Formula::Implies(l, r) => binary(f, l, "=>", r),
            Formula::Iff(l, r) => binary(f, l, "<=>", r),
            Formula::Until(l, r) => binary(f, l, "U", r),
            Formula::WeakUntil(l, r) => binary(f, l, "W", r),
            Formula::Release(l, r) => binary(f, l, "R", r),
        }
    }
}

fn binary(f: &mut Formatter<'_>, left: &Formula, operator: &str, right: &Formula) -> fmt::Result {
    write_operand(left, f)?;
    write!(f, " {operator} ")?;
    write_operand(right, f)
}

/// `a & b & c` needs no parentheses: it is read to the left.
fn chain(
    f: &mut Formatter<'_>,
    left: &Formula,
    operator: &str,
    right: &Formula,
    goes_on: bool,
) -> fmt::Result {
    if !goes_on {
        return binary(f, left, operator, right);
    }
    write!(f, "{left} {operator} ")?;
    write_operand(right, f)
}

/// Every other binary operand stands in parentheses: nobody should need the precedence of `W` to read a report.
fn write_operand(formula: &Formula, f: &mut Formatter<'_>) -> fmt::Result {
    if formula.children().count() == 2 { write!(f, "({formula})") } else { write!(f, "{formula}") }
}
