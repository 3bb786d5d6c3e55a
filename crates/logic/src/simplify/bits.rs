//! Rules of arithmetic and of bitwise operators. Constants stand to the right already.

use super::rule::{Rule, two, under, under_one, value};
use crate::bits::Bits;
use crate::term::{Op, TermId, TermPool};

/// Is the term the complement of the other?
fn are_complements(pool: &TermPool, a: TermId, b: TermId) -> bool {
    under_one(pool, a, Op::BvNot) == Some(b) || under_one(pool, b, Op::BvNot) == Some(a)
}

/// (x ∘ k) ∘ m = x ∘ (k ∘ m) for an associative ∘.
fn join_constants(pool: &mut TermPool, term: TermId, join: fn(&Bits, &Bits) -> Bits) -> Option<TermId> {
    let (a, b) = two(pool, term);
    let outer = value(pool, b)?;
    let (x, k) = under(pool, a, pool.op(term))?;
    let joined = join(&value(pool, k)?, &outer);
    let joined = pool.constant(joined);
    Some(pool.with_arguments(term, &[x, joined]))
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "~~a = a",
        heads: &[Op::BvNot],
        apply: |pool, term| under_one(pool, pool.arguments(term)[0], Op::BvNot),
    },
    Rule {
        name: "-(-a) = a",
        heads: &[Op::BvNeg],
        apply: |pool, term| under_one(pool, pool.arguments(term)[0], Op::BvNeg),
    },
    Rule {
        name: "-(a - b) = b - a",
        heads: &[Op::BvNeg],
        apply: |pool, term| {
            let (a, b) = under(pool, pool.arguments(term)[0], Op::BvSub)?;
            Some(pool.bvsub(b, a))
        },
    },
    Rule {
        name: "a + 0 = a",
        heads: &[Op::BvAdd],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            value(pool, b)?.is_zero().then_some(a)
        },
    },
    Rule {
        name: "(a + k) + m = a + (k + m)",
        heads: &[Op::BvAdd],
        apply: |pool, term| join_constants(pool, term, Bits::add),
    },
    Rule {
        name: "a + -b = a - b",
        heads: &[Op::BvAdd],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            if let Some(negated) = under_one(pool, b, Op::BvNeg) {
                return Some(pool.bvsub(a, negated));
            }
            let negated = under_one(pool, a, Op::BvNeg)?;
            Some(pool.bvsub(b, negated))
        },
    },
    Rule {
        name: "(a - b) + b = a",
        heads: &[Op::BvAdd],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            for (difference, other) in [(a, b), (b, a)] {
                if let Some((x, y)) = under(pool, difference, Op::BvSub)
                    && y == other
                {
                    return Some(x);
                }
            }
            None
        },
    },
    Rule {
        name: "a - a = 0",
        heads: &[Op::BvSub],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            (a == b).then(|| pool.number(pool.width(a), 0))
        },
    },
    Rule {
        name: "a - k = a + -k",
        heads: &[Op::BvSub],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let negated = value(pool, b)?.neg();
            let negated = pool.constant(negated);
            Some(pool.bvadd(a, negated))
        },
    },
    Rule {
        name: "0 - a = -a",
        heads: &[Op::BvSub],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            value(pool, a)?.is_zero().then(|| pool.bvneg(b))
        },
    },
    Rule {
        name: "(a + b) - b = a, a - (a + b) = -b",
        heads: &[Op::BvSub],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            if let Some((x, y)) = under(pool, a, Op::BvAdd) {
                if y == b {
                    return Some(x);
                }
                if x == b {
                    return Some(y);
                }
            }
            let (x, y) = under(pool, b, Op::BvAdd)?;
            if x == a {
                return Some(pool.bvneg(y));
            }
            (y == a).then(|| pool.bvneg(x))
        },
    },
    Rule {
        name: "a * 0, a * 1, a * -1",
        heads: &[Op::BvMul],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let factor = value(pool, b)?;
            if factor.is_zero() {
                return Some(b);
            }
            if factor.is_one() {
                return Some(a);
            }
            factor.is_ones().then(|| pool.bvneg(a))
        },
    },
    Rule {
        name: "(a * k) * m = a * (k * m)",
        heads: &[Op::BvMul],
        apply: |pool, term| join_constants(pool, term, Bits::mul),
    },
    Rule {
        name: "a * 2^n = a << n",
        heads: &[Op::BvMul],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let power = value(pool, b)?.power_of_two()?;
            let distance = pool.number(pool.width(a), i128::from(power));
            Some(pool.bvshl(a, distance))
        },
    },
    Rule {
        name: "unsigned a / 2^n = a >> n",
        heads: &[Op::BvUdiv],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let power = value(pool, b)?.power_of_two()?;
            let distance = pool.number(pool.width(a), i128::from(power));
            Some(pool.bvlshr(a, distance))
        },
    },
    Rule {
        name: "unsigned a % 2^n = a & (2^n - 1)",
        heads: &[Op::BvUrem],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let divisor = value(pool, b)?;
            divisor.power_of_two()?;
            let mask = divisor.sub(&Bits::from_u64(divisor.width(), 1));
            let mask = pool.constant(mask);
            Some(pool.bvand(a, mask))
        },
    },
    Rule {
        name: "signed a / 1 = a, a % 1 = 0",
        heads: &[Op::BvSdiv, Op::BvSrem],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let divisor = value(pool, b)?;
            // In one bit, 1 is -1: a / -1 = -a = a all the same, but the remainder rule below holds as well.
            if !divisor.is_one() {
                return None;
            }
            Some(if pool.op(term) == Op::BvSdiv { a } else { pool.number(pool.width(a), 0) })
        },
    },
    Rule {
        name: "division by 0",
        heads: &[Op::BvUdiv, Op::BvUrem, Op::BvSrem],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            if !value(pool, b)?.is_zero() {
                return None;
            }
            Some(if pool.op(term) == Op::BvUdiv { pool.number(pool.width(a), -1) } else { a })
        },
    },
    Rule {
        name: "a & 0, a & ~0, a | 0, a | ~0, a ^ 0, a ^ ~0",
        heads: &[Op::BvAnd, Op::BvOr, Op::BvXor],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let mask = value(pool, b)?;
            match (pool.op(term), mask.is_zero(), mask.is_ones()) {
                (Op::BvAnd, true, _) | (Op::BvOr, _, true) => Some(b),
                (Op::BvAnd, _, true) | (Op::BvOr | Op::BvXor, true, _) => Some(a),
                (Op::BvXor, _, true) => Some(pool.bvnot(a)),
                _ => None,
            }
        },
    },
    Rule {
        name: "a & a, a | a, a ^ a",
        heads: &[Op::BvAnd, Op::BvOr, Op::BvXor],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            if a != b {
                return None;
            }
            Some(if pool.op(term) == Op::BvXor { pool.number(pool.width(a), 0) } else { a })
        },
    },
    Rule {
        name: "a & ~a, a | ~a, a ^ ~a",
        heads: &[Op::BvAnd, Op::BvOr, Op::BvXor],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            if !are_complements(pool, a, b) {
                return None;
            }
            let all = if pool.op(term) == Op::BvAnd { 0 } else { -1 };
            Some(pool.number(pool.width(a), all))
        },
    },
    Rule {
        name: "(a & k) & m = a & (k & m)",
        heads: &[Op::BvAnd],
        apply: |pool, term| join_constants(pool, term, Bits::and),
    },
    Rule {
        name: "(a | k) | m = a | (k | m)",
        heads: &[Op::BvOr],
        apply: |pool, term| join_constants(pool, term, Bits::or),
    },
    Rule {
        name: "(a ^ k) ^ m = a ^ (k ^ m)",
        heads: &[Op::BvXor],
        apply: |pool, term| join_constants(pool, term, Bits::xor),
    },
    Rule {
        name: "a & (a | b) = a, a | (a & b) = a",
        heads: &[Op::BvAnd, Op::BvOr],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let dual = if pool.op(term) == Op::BvAnd { Op::BvOr } else { Op::BvAnd };
            for (single, both) in [(a, b), (b, a)] {
                if let Some((x, y)) = under(pool, both, dual)
                    && (x == single || y == single)
                {
                    return Some(single);
                }
            }
            None
        },
    },
    Rule {
        name: "shift by 0, shift of 0",
        heads: &[Op::BvShl, Op::BvLshr, Op::BvAshr],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let zero = |term| value(pool, term).is_some_and(|bits| bits.is_zero());
            (zero(a) || zero(b)).then_some(a)
        },
    },
    Rule {
        name: "shift by the width or more",
        heads: &[Op::BvShl, Op::BvLshr, Op::BvAshr],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let width = pool.width(a);
            let distance = value(pool, b)?;
            if distance.to_u64().is_some_and(|distance| distance < u64::from(width)) {
                return None;
            }
            if pool.op(term) != Op::BvAshr {
                return Some(pool.number(width, 0));
            }
            let sign = pool.extract(a, width - 1, width - 1);
            Some(pool.sign_extend(sign, width - 1))
        },
    },
    Rule {
        name: "(a << k) << m = a << (k + m), and so on",
        heads: &[Op::BvShl, Op::BvLshr, Op::BvAshr],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let (x, k) = under(pool, a, pool.op(term))?;
            let width = pool.width(a);
            let (inner, outer) = (value(pool, k)?.to_u64()?, value(pool, b)?.to_u64()?);
            // Distances are below the width here, so that their sum fits a machine number; past the width it is
            // as good as the width itself, if that can be written, and else as all ones.
            let sum = inner.checked_add(outer)?.min(u64::from(width));
            let sum = Bits::from_decimal(width + 64, &sum.to_string())?;
            let distance = sum.extract(width - 1, 0);
            let distance = if distance.zero_extend(64) == sum { distance } else { Bits::ones(width) };
            let distance = pool.constant(distance);
            Some(pool.with_arguments(term, &[x, distance]))
        },
    },
];
