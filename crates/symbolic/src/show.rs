//! Terms over variables, written as C again: invariants and predicates for people and for other tools.
//!
//! Only what C can say without surprises is written: a term whose meaning would need a cast that C's promotions hide is
//! written with that cast. `None` where there is no such text (memory, frames of other calls).

use crate::terms::Terms;
use logic::term::Op;
use logic::{Sort, TermId};

/// Writes terms as C. `name_of` gives the C text and signedness of the symbols that have one.
pub struct ShowTerms<'t, F> {
    terms: &'t Terms,
    name_of: F,
}

impl<F> std::fmt::Debug for ShowTerms<'_, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShowTerms").finish_non_exhaustive()
    }
}

/// Deeper terms are not for people.
const MOST_DEPTH: u32 = 40;

impl<'t, F: Fn(TermId) -> Option<String>> ShowTerms<'t, F> {
    /// A writer of terms that asks for the names of symbols.
    pub fn new(terms: &'t Terms, name_of: F) -> Self {
        ShowTerms { terms, name_of }
    }

    /// The C expression of a Boolean term (true where it is unequal to zero).
    pub fn condition(&self, term: TermId) -> Option<String> {
        self.boolean(term, 0)
    }

    /// The C expression of a number, read with or without a sign.
    pub fn value(&self, term: TermId, signed: bool) -> Option<String> {
        self.number(term, signed, 0)
    }

    fn boolean(&self, term: TermId, depth: u32) -> Option<String> {
        if depth > MOST_DEPTH {
            return None;
        }
        let pool = &self.terms.pool;
        let arguments = pool.arguments(term);
        let sub = |at: usize| self.boolean(arguments[at], depth + 1);
        let all = |symbol: &str| -> Option<String> {
            let parts: Option<Vec<String>> = (0..arguments.len()).map(sub).collect();
            Some(format!("({})", parts?.join(symbol)))
        };
        let relation = |symbol: &str, signed: bool| -> Option<String> {
            let left = self.number(arguments[0], signed, depth + 1)?;
            let right = self.number(arguments[1], signed, depth + 1)?;
            Some(format!("{left} {symbol} {right}"))
        };
        if let Some(text) = self.comparison_of_truth(term, true, depth + 1) {
            return Some(text);
        }
        match pool.op(term) {
            Op::True => Some("1".into()),
            Op::False => Some("0".into()),
            Op::And => all(" && "),
            Op::Or => all(" || "),
            Op::Not => self.negated(arguments[0], depth + 1),
            Op::Equal if matches!(pool.sort(arguments[0]), Sort::BitVec(_)) => relation("==", true),
            Op::Equal if pool.sort(arguments[0]) == Sort::Bool => {
                Some(format!("(!({}) == !({}))", sub(0)?, sub(1)?))
            }
            Op::Ult => relation("<", false),
            Op::Ule => relation("<=", false),
            Op::Slt => relation("<", true),
            Op::Sle => relation("<=", true),
            Op::Ite => Some(format!("({} ? {} : {})", sub(0)?, sub(1)?, sub(2)?)),
            _ => None,
        }
    }

    /// A truth value that was made a number and compared with 0 or 1 again, or that this is not so: `a || b` for
    /// `((a ? 1 : 0) | (b ? 1 : 0)) != 0`. `None` for all else.
    fn comparison_of_truth(&self, term: TermId, expected: bool, depth: u32) -> Option<String> {
        let pool = &self.terms.pool;
        if pool.op(term) != Op::Equal || !matches!(pool.sort(pool.arguments(term)[0]), Sort::BitVec(_)) {
            return None;
        }
        let arguments = pool.arguments(term);
        let (number, constant) = match (self.small(arguments[0]), self.small(arguments[1])) {
            (None, Some(constant)) => (arguments[0], constant),
            (Some(constant), None) => (arguments[1], constant),
            _ => return None,
        };
        match constant {
            0 => self.truth(number, !expected, depth),
            1 => self.truth(number, expected, depth),
            _ => None,
        }
    }

    /// That a number which is 0 or 1 by its form is 1, or 0.
    fn truth(&self, number: TermId, expected: bool, depth: u32) -> Option<String> {
        if depth > MOST_DEPTH {
            return None;
        }
        let pool = &self.terms.pool;
        let arguments = pool.arguments(number);
        let joined = |symbol: &str| -> Option<String> {
            let parts: Option<Vec<String>> =
                arguments.iter().map(|&part| self.truth(part, expected, depth + 1)).collect();
            Some(format!("({})", parts?.join(symbol)))
        };
        match pool.op(number) {
            Op::Ite => {
                let is_one_if = match (self.small(arguments[1])?, self.small(arguments[2])?) {
                    (1, 0) => true,
                    (0, 1) => false,
                    _ => return None,
                };
                match is_one_if == expected {
                    true => self.boolean(arguments[0], depth + 1),
                    false => self.negated(arguments[0], depth + 1),
                }
            }
            // Not both are 1, or one of them is; and the other way round.
            Op::BvOr => joined(if expected { " || " } else { " && " }),
            Op::BvAnd => joined(if expected { " && " } else { " || " }),
            Op::ZeroExtend { .. } => self.truth(arguments[0], expected, depth + 1),
            _ => None,
        }
    }

    /// That a condition does not hold.
    fn negated(&self, condition: TermId, depth: u32) -> Option<String> {
        let pool = &self.terms.pool;
        let arguments = pool.arguments(condition);
        let turned = |symbol: &str, signed: bool| -> Option<String> {
            let left = self.number(arguments[0], signed, depth + 1)?;
            let right = self.number(arguments[1], signed, depth + 1)?;
            Some(format!("{left} {symbol} {right}"))
        };
        if let Some(text) = self.comparison_of_truth(condition, false, depth + 1) {
            return Some(text);
        }
        match pool.op(condition) {
            Op::Not => self.boolean(arguments[0], depth + 1),
            Op::Equal if matches!(pool.sort(arguments[0]), Sort::BitVec(_)) => turned("!=", true),
            Op::Ult => turned(">=", false),
            Op::Ule => turned(">", false),
            Op::Slt => turned(">=", true),
            Op::Sle => turned(">", true),
            _ => Some(format!("!({})", self.boolean(condition, depth + 1)?)),
        }
    }

    /// A constant that is 0 or 1.
    fn small(&self, number: TermId) -> Option<u64> {
        let value = self.terms.pool.constant_value(number)?.to_u64()?;
        (value <= 1).then_some(value)
    }

    /// A single bit: 0 or 1. A conversion to `_Bool` would ask whether any bit is set.
    fn bit(&self, term: TermId, depth: u32) -> Option<String> {
        let pool = &self.terms.pool;
        if let Some(bits) = pool.constant_value(term) {
            return Some(if bits.is_zero() { "0".into() } else { "1".into() });
        }
        match pool.op(term) {
            Op::Symbol(_) => (self.name_of)(term),
            Op::Extract { low, .. } => {
                let inner = self.number(pool.arguments(term)[0], false, depth + 1)?;
                Some(format!("(({inner} >> {low}) & 1)"))
            }
            _ => None,
        }
    }

    /// A number in its own width, read as signed or unsigned.
    fn number(&self, term: TermId, signed: bool, depth: u32) -> Option<String> {
        if depth > MOST_DEPTH {
            return None;
        }
        let pool = &self.terms.pool;
        let width = pool.width(term);
        if width == 1 {
            return self.bit(term, depth);
        }
        let cast = c_type(width, signed)?;
        if let Some(bits) = pool.constant_value(term) {
            let value = if signed { bits.to_i128()? } else { bits.to_u128()? as i128 };
            let suffix = match (width, signed) {
                (64, true) => "LL",
                (64, false) => "ULL",
                (_, false) => "U",
                _ => "",
            };
            let minimum = -(1i128 << (width - 1));
            if signed && value == minimum && width >= 32 {
                return Some(format!("({}{suffix} - 1)", value + 1));
            }
            return Some(format!("{value}{suffix}"));
        }
        let arguments = pool.arguments(term);
        let binary = |symbol: &str, signed: bool| -> Option<String> {
            let left = self.number(arguments[0], signed, depth + 1)?;
            let right = self.number(arguments[1], signed, depth + 1)?;
            Some(format!("({cast})({left} {symbol} {right})"))
        };
        match pool.op(term) {
            Op::Symbol(_) => Some(format!("({cast}){}", (self.name_of)(term)?)),
            // Computed without sign, so that C defines the wrapping.
            Op::BvAdd => binary("+", false),
            Op::BvSub => binary("-", false),
            Op::BvMul => binary("*", false),
            Op::BvAnd => binary("&", false),
            Op::BvOr => binary("|", false),
            Op::BvXor => binary("^", false),
            Op::BvShl
                if pool
                    .constant_value(arguments[1])
                    .is_some_and(|by| by.to_u64().is_some_and(|by| by < u64::from(width))) =>
            {
                binary("<<", false)
            }
            Op::BvNeg => Some(format!("({cast})(0 - {})", self.number(arguments[0], false, depth + 1)?)),
            Op::BvNot => Some(format!("({cast})~{}", self.number(arguments[0], false, depth + 1)?)),
            Op::ZeroExtend { .. } => {
                Some(format!("({cast}){}", self.number(arguments[0], false, depth + 1)?))
            }
            Op::SignExtend { .. } => Some(format!("({cast}){}", self.number(arguments[0], true, depth + 1)?)),
            Op::Extract { low, .. } => {
                let inner = self.number(arguments[0], false, depth + 1)?;
                c_type(width, signed)?;
                Some(if low == 0 {
                    format!("({cast}){inner}")
                } else {
                    format!("({cast})({inner} >> {low})")
                })
            }
            Op::Ite => Some(format!(
                "({} ? {} : {})",
                self.boolean(arguments[0], depth + 1)?,
                self.number(arguments[1], signed, depth + 1)?,
                self.number(arguments[2], signed, depth + 1)?
            )),
            _ => None,
        }
    }
}

pub(crate) fn c_type(width: u32, signed: bool) -> Option<&'static str> {
    Some(match (width, signed) {
        (8, true) => "signed char",
        (8, false) => "unsigned char",
        (16, true) => "short",
        (16, false) => "unsigned short",
        (32, true) => "int",
        (32, false) => "unsigned",
        (64, true) => "long long",
        (64, false) => "unsigned long long",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_become_c_that_means_the_same() {
        let mut terms = Terms::new();
        let x = terms.pool.bitvec_symbol("x", 32);
        let y = terms.pool.bitvec_symbol("y", 32);
        let three = terms.number(32, 3);
        let scaled = terms.pool.bvmul(y, three);
        let same = terms.pool.equal(x, scaled);
        let below = terms.pool.slt(x, y);
        let above = terms.pool.not(below);
        let bit = terms.pool.extract(x, 0, 0);
        let one = terms.number(1, 1);
        let odd = terms.pool.equal(bit, one);
        let unnamed = terms.pool.bitvec_symbol("unnamed", 32);
        let hidden = terms.pool.equal(unnamed, x);
        let name_of = |term| {
            [(x, "x"), (y, "y")]
                .iter()
                .find(|(symbol, _)| *symbol == term)
                .map(|(_, name)| (*name).to_owned())
        };
        let show = ShowTerms::new(&terms, name_of);
        assert_eq!(show.condition(same).as_deref(), Some("(int)x == (int)((unsigned)y * 3U)"));
        assert_eq!(show.condition(above).as_deref(), Some("(int)x >= (int)y"));
        assert_eq!(show.condition(odd).as_deref(), Some("(((unsigned)x >> 0) & 1) == 1"));
        assert_eq!(show.condition(hidden), None);
        // `!(x == y) || x < y`, as code that computes with truth values has it.
        let (zero, one) = (terms.number(32, 0), terms.number(32, 1));
        let (equal, less) = (terms.pool.equal(x, y), terms.pool.slt(x, y));
        let (left, right) = (terms.pool.ite(equal, zero, one), terms.pool.ite(less, one, zero));
        let either = terms.pool.bvor(left, right);
        let is_zero = terms.pool.equal(either, zero);
        let holds = terms.pool.not(is_zero);
        let show = ShowTerms::new(&terms, name_of);
        assert_eq!(show.condition(holds).as_deref(), Some("((int)x != (int)y || (int)x < (int)y)"));
        assert_eq!(show.condition(is_zero).as_deref(), Some("((int)x == (int)y && (int)x >= (int)y)"));
    }
}
