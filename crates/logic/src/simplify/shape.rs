//! Rules that cut and join bits, and rules of arrays.

use super::rule::{Rule, two, under, under_one, value};
use crate::term::{Op, TermId, TermPool};

const EXTRACT: Op = Op::Extract { high: 0, low: 0 };
const ZERO_EXTEND: Op = Op::ZeroExtend { by: 0 };
const SIGN_EXTEND: Op = Op::SignExtend { by: 0 };

/// What is cut, from where to where: (inner, high, low).
fn cut(pool: &TermPool, term: TermId) -> Option<(TermId, u32, u32)> {
    match pool.op(term) {
        Op::Extract { high, low } => Some((pool.arguments(term)[0], high, low)),
        _ => None,
    }
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "cutting everything out",
        heads: &[EXTRACT],
        apply: |pool, term| {
            let (a, high, low) = cut(pool, term)?;
            (low == 0 && high + 1 == pool.width(a)).then_some(a)
        },
    },
    Rule {
        name: "a cut of a cut is one cut",
        heads: &[EXTRACT],
        apply: |pool, term| {
            let (inner, high, low) = cut(pool, term)?;
            let (a, _, base) = cut(pool, inner)?;
            Some(pool.extract(a, high + base, low + base))
        },
    },
    Rule {
        name: "a cut of joined bits",
        heads: &[EXTRACT],
        apply: |pool, term| {
            let (inner, high, low) = cut(pool, term)?;
            let (upper, lower) = under(pool, inner, Op::Concat)?;
            let border = pool.width(lower);
            if high < border {
                return Some(pool.extract(lower, high, low));
            }
            if low >= border {
                return Some(pool.extract(upper, high - border, low - border));
            }
            let (above, below) =
                (pool.extract(upper, high - border, 0), pool.extract(lower, border - 1, low));
            Some(pool.concat(above, below))
        },
    },
    Rule {
        name: "a cut of an extended number",
        heads: &[EXTRACT],
        apply: |pool, term| {
            let (inner, high, low) = cut(pool, term)?;
            let signed = match pool.op(inner) {
                Op::ZeroExtend { .. } => false,
                Op::SignExtend { .. } => true,
                _ => return None,
            };
            let a = pool.arguments(inner)[0];
            let border = pool.width(a);
            if high < border {
                return Some(pool.extract(a, high, low));
            }
            if low >= border {
                if !signed {
                    return Some(pool.number(high - low + 1, 0));
                }
                let sign = pool.extract(a, border - 1, border - 1);
                return Some(pool.sign_extend(sign, high - low));
            }
            let below = pool.extract(a, border - 1, low);
            let by = high + 1 - border;
            Some(if signed { pool.sign_extend(below, by) } else { pool.zero_extend(below, by) })
        },
    },
    Rule {
        name: "low bits of arithmetic need only low bits",
        heads: &[EXTRACT],
        apply: |pool, term| {
            let (inner, high, low) = cut(pool, term)?;
            let op = pool.op(inner);
            if low != 0 || !matches!(op, Op::BvAdd | Op::BvSub | Op::BvMul | Op::BvNeg) {
                return None;
            }
            let arguments = pool.arguments(inner).to_vec();
            let cut: Vec<TermId> = arguments.iter().map(|&a| pool.extract(a, high, 0)).collect();
            Some(match op {
                Op::BvAdd => pool.bvadd(cut[0], cut[1]),
                Op::BvSub => pool.bvsub(cut[0], cut[1]),
                Op::BvMul => pool.bvmul(cut[0], cut[1]),
                _ => pool.bvneg(cut[0]),
            })
        },
    },
    Rule {
        name: "a cut of bitwise operators",
        heads: &[EXTRACT],
        apply: |pool, term| {
            let (inner, high, low) = cut(pool, term)?;
            let op = pool.op(inner);
            if !matches!(op, Op::BvNot | Op::BvAnd | Op::BvOr | Op::BvXor) {
                return None;
            }
            let arguments = pool.arguments(inner).to_vec();
            let cut: Vec<TermId> = arguments.iter().map(|&a| pool.extract(a, high, low)).collect();
            Some(match op {
                Op::BvNot => pool.bvnot(cut[0]),
                Op::BvAnd => pool.bvand(cut[0], cut[1]),
                Op::BvOr => pool.bvor(cut[0], cut[1]),
                _ => pool.bvxor(cut[0], cut[1]),
            })
        },
    },
    Rule {
        name: "joining neighbours that were cut apart",
        heads: &[Op::Concat],
        apply: |pool, term| {
            let (upper, lower) = two(pool, term);
            let ((a, high, middle), (b, below, low)) = (cut(pool, upper)?, cut(pool, lower)?);
            (a == b && middle == below + 1).then(|| pool.extract(a, high, low))
        },
    },
    Rule {
        name: "0 joined above is zero extension",
        heads: &[Op::Concat],
        apply: |pool, term| {
            let (upper, lower) = two(pool, term);
            if !value(pool, upper)?.is_zero() {
                return None;
            }
            let by = pool.width(upper);
            Some(pool.zero_extend(lower, by))
        },
    },
    Rule {
        name: "extending what was extended",
        heads: &[ZERO_EXTEND, SIGN_EXTEND],
        apply: |pool, term| {
            let inner = pool.arguments(term)[0];
            match (pool.op(term), pool.op(inner)) {
                (Op::ZeroExtend { by }, Op::ZeroExtend { by: more }) => {
                    let a = pool.arguments(inner)[0];
                    Some(pool.zero_extend(a, by + more))
                }
                // A zero-extended number has sign 0.
                (Op::SignExtend { by }, Op::ZeroExtend { by: more }) => {
                    let a = pool.arguments(inner)[0];
                    Some(pool.zero_extend(a, by + more))
                }
                (Op::SignExtend { by }, Op::SignExtend { by: more }) => {
                    let a = pool.arguments(inner)[0];
                    Some(pool.sign_extend(a, by + more))
                }
                _ => None,
            }
        },
    },
    Rule {
        name: "reading what was written",
        heads: &[Op::Select],
        apply: |pool, term| {
            let (array, index) = two(pool, term);
            if pool.op(array) != Op::Store {
                return None;
            }
            let (inner, at, element) = {
                let arguments = pool.arguments(array);
                (arguments[0], arguments[1], arguments[2])
            };
            if at == index {
                return Some(element);
            }
            // Constants of one sort with different ids are different values.
            (value(pool, at).is_some() && value(pool, index).is_some()).then(|| pool.select(inner, index))
        },
    },
    Rule {
        name: "reading past a write to another place",
        heads: &[Op::Select],
        apply: |pool, term| {
            let (array, index) = two(pool, term);
            if pool.op(array) != Op::Store {
                return None;
            }
            let (inner, at) = (pool.arguments(array)[0], pool.arguments(array)[1]);
            // x + k and x + m, or x and x + k, with k ≠ m (k ≠ 0).
            let offset = |pool: &TermPool, term| match under(pool, term, Op::BvAdd) {
                Some((base, k)) => value(pool, k).map(|bits| (base, Some(bits))),
                None => Some((term, None)),
            };
            let ((base, k), (other, m)) = (offset(pool, at)?, offset(pool, index)?);
            if base != other || k == m {
                return None;
            }
            let zero =
                |bits: &Option<crate::bits::Bits>| bits.as_ref().is_none_or(crate::bits::Bits::is_zero);
            if zero(&k) && zero(&m) {
                return None;
            }
            Some(pool.select(inner, index))
        },
    },
    Rule {
        name: "reading an array that is the same everywhere",
        heads: &[Op::Select],
        apply: |pool, term| under_one(pool, pool.arguments(term)[0], Op::ConstArray),
    },
    Rule {
        name: "a write that overwrites a write",
        heads: &[Op::Store],
        apply: |pool, term| {
            let (array, index, element) = {
                let arguments = pool.arguments(term);
                (arguments[0], arguments[1], arguments[2])
            };
            if pool.op(array) != Op::Store || pool.arguments(array)[1] != index {
                return None;
            }
            let inner = pool.arguments(array)[0];
            Some(pool.store(inner, index, element))
        },
    },
    Rule {
        name: "writing back what was read",
        heads: &[Op::Store],
        apply: |pool, term| {
            let (array, index, element) = {
                let arguments = pool.arguments(term);
                (arguments[0], arguments[1], arguments[2])
            };
            (under(pool, element, Op::Select) == Some((array, index))).then_some(array)
        },
    },
];
