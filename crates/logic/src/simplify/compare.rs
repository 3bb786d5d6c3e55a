//! Rules of equations, order and overflow tests. Constants stand to the right of equations already.

use super::rule::{Rule, two, under, under_one, value};
use crate::bits::Bits;
use crate::term::{Op, TermId, TermPool};

const ORDER: &[Op] = &[Op::Ult, Op::Ule, Op::Slt, Op::Sle];

fn is_strict(op: Op) -> bool {
    matches!(op, Op::Ult | Op::Slt)
}

/// The smallest and the largest number in the order of the operator.
fn range(op: Op, width: u32) -> (Bits, Bits) {
    match op {
        Op::Ult | Op::Ule => (Bits::zero(width), Bits::ones(width)),
        _ => (Bits::signed_minimum(width), Bits::signed_minimum(width).not()),
    }
}

/// How far a term is extended, and the term itself: (inner, by, signed).
fn extension(pool: &TermPool, term: TermId) -> Option<(TermId, u32, bool)> {
    match pool.op(term) {
        Op::ZeroExtend { by } => Some((pool.arguments(term)[0], by, false)),
        Op::SignExtend { by } => Some((pool.arguments(term)[0], by, true)),
        _ => None,
    }
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "(a + k = m) = (a = m - k)",
        heads: &[Op::Equal],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let (x, k) = under(pool, a, Op::BvAdd)?;
            let moved = value(pool, b)?.sub(&value(pool, k)?);
            let moved = pool.constant(moved);
            Some(pool.equal(x, moved))
        },
    },
    Rule {
        name: "(a ^ k = m) = (a = m ^ k)",
        heads: &[Op::Equal],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let (x, k) = under(pool, a, Op::BvXor)?;
            let moved = value(pool, b)?.xor(&value(pool, k)?);
            let moved = pool.constant(moved);
            Some(pool.equal(x, moved))
        },
    },
    Rule {
        name: "(~a = k) = (a = ~k), (-a = k) = (a = -k)",
        heads: &[Op::Equal],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let bits = value(pool, b)?;
            let (x, moved) = match pool.op(a) {
                Op::BvNot => (pool.arguments(a)[0], bits.not()),
                Op::BvNeg => (pool.arguments(a)[0], bits.neg()),
                _ => return None,
            };
            let moved = pool.constant(moved);
            Some(pool.equal(x, moved))
        },
    },
    Rule {
        name: "(a - b = 0) = (a = b), (a ^ b = 0) = (a = b)",
        heads: &[Op::Equal],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            if !value(pool, b)?.is_zero() {
                return None;
            }
            let (x, y) = under(pool, a, Op::BvSub).or_else(|| under(pool, a, Op::BvXor))?;
            Some(pool.equal(x, y))
        },
    },
    Rule {
        name: "(extended a = k) = (a = low k), or false",
        heads: &[Op::Equal],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let bits = value(pool, b)?;
            let (x, by, signed) = extension(pool, a)?;
            let low = bits.extract(pool.width(x) - 1, 0);
            let back = if signed { low.sign_extend(by) } else { low.zero_extend(by) };
            if back != bits {
                return Some(pool.ff());
            }
            let low = pool.constant(low);
            Some(pool.equal(x, low))
        },
    },
    Rule {
        name: "(extended a = extended b) = (a = b)",
        heads: &[Op::Equal],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let ((x, by, signed), (y, by_too, signed_too)) = (extension(pool, a)?, extension(pool, b)?);
            (by == by_too && signed == signed_too).then(|| pool.equal(x, y))
        },
    },
    Rule {
        name: "(a·b = k) = (a = high k) ∧ (b = low k) for joined bits",
        heads: &[Op::Equal],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let bits = value(pool, b)?;
            let (high, low) = under(pool, a, Op::Concat)?;
            let low_width = pool.width(low);
            let high_bits = pool.constant(bits.extract(bits.width() - 1, low_width));
            let low_bits = pool.constant(bits.extract(low_width - 1, 0));
            let (first, second) = (pool.equal(high, high_bits), pool.equal(low, low_bits));
            Some(pool.and(first, second))
        },
    },
    Rule {
        name: "(a + b = a + c) = (b = c)",
        heads: &[Op::Equal],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let ((p, q), (r, s)) = (under(pool, a, Op::BvAdd)?, under(pool, b, Op::BvAdd)?);
            let (x, y) = match () {
                () if p == r => (q, s),
                () if p == s => (q, r),
                () if q == r => (p, s),
                () if q == s => (p, r),
                () => return None,
            };
            Some(pool.equal(x, y))
        },
    },
    Rule {
        name: "(a + b = a) = (b = 0)",
        heads: &[Op::Equal],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            for (sum, other) in [(a, b), (b, a)] {
                if let Some((x, y)) = under(pool, sum, Op::BvAdd)
                    && (x == other || y == other)
                {
                    let rest = if x == other { y } else { x };
                    let zero = pool.number(pool.width(rest), 0);
                    return Some(pool.equal(rest, zero));
                }
            }
            None
        },
    },
    Rule {
        name: "a < a, a ≤ a",
        heads: ORDER,
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            (a == b).then(|| pool.bool(!is_strict(pool.op(term))))
        },
    },
    Rule {
        name: "order against the ends of the range",
        heads: ORDER,
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let op = pool.op(term);
            let (least, most) = range(op, pool.width(a));
            let (left, right) = (value(pool, a), value(pool, b));
            // a < least, most < b: never; least ≤ b, a ≤ most: always.
            if is_strict(op) && (right.as_ref() == Some(&least) || left.as_ref() == Some(&most)) {
                return Some(pool.ff());
            }
            if !is_strict(op) && (left.as_ref() == Some(&least) || right.as_ref() == Some(&most)) {
                return Some(pool.tt());
            }
            // a ≤ least, most ≤ b: only equal; a < most, least < b: only different.
            if !is_strict(op) && (right.as_ref() == Some(&least) || left.as_ref() == Some(&most)) {
                return Some(pool.equal(a, b));
            }
            if is_strict(op) && (right.as_ref() == Some(&most) || left.as_ref() == Some(&least)) {
                return Some(pool.distinct(a, b));
            }
            None
        },
    },
    Rule {
        name: "a < least + 1 is a = least, most - 1 < b is b = most",
        heads: &[Op::Ult, Op::Slt],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let (least, most) = range(pool.op(term), pool.width(a));
            let one = Bits::from_u64(least.width(), 1);
            if value(pool, b).is_some_and(|bits| bits == least.add(&one)) {
                let least = pool.constant(least);
                return Some(pool.equal(a, least));
            }
            if value(pool, a).is_some_and(|bits| bits == most.sub(&one)) {
                let most = pool.constant(most);
                return Some(pool.equal(b, most));
            }
            None
        },
    },
    Rule {
        name: "order of extended numbers is their order",
        heads: ORDER,
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let ((x, by, signed), (y, by_too, signed_too)) = (extension(pool, a)?, extension(pool, b)?);
            if by != by_too || signed != signed_too {
                return None;
            }
            // Zero-extended numbers are not negative; sign extension keeps either order.
            let op = match (pool.op(term), signed) {
                (Op::Slt, false) => Op::Ult,
                (Op::Sle, false) => Op::Ule,
                (op, _) => op,
            };
            Some(match op {
                Op::Ult => pool.ult(x, y),
                Op::Ule => pool.ule(x, y),
                Op::Slt => pool.slt(x, y),
                _ => pool.sle(x, y),
            })
        },
    },
    Rule {
        name: "order of an extended number and a constant in its range",
        heads: ORDER,
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let op = pool.op(term);
            let extended_left = extension(pool, a).is_some();
            let (extended, constant) = if extended_left { (a, b) } else { (b, a) };
            let (x, by, signed) = extension(pool, extended)?;
            let bits = value(pool, constant)?;
            let low = bits.extract(pool.width(x) - 1, 0);
            let back = if signed { low.sign_extend(by) } else { low.zero_extend(by) };
            if back != bits {
                return None;
            }
            let low = pool.constant(low);
            let (x, y) = if extended_left { (x, low) } else { (low, x) };
            Some(match (op, signed) {
                (Op::Ult, _) | (Op::Slt, false) => pool.ult(x, y),
                (Op::Ule, _) | (Op::Sle, false) => pool.ule(x, y),
                (Op::Slt, true) => pool.slt(x, y),
                _ => pool.sle(x, y),
            })
        },
    },
    Rule {
        name: "no overflow with 0",
        heads: &[
            Op::UaddOverflow,
            Op::SaddOverflow,
            Op::UsubOverflow,
            Op::SsubOverflow,
            Op::UmulOverflow,
            Op::SmulOverflow,
        ],
        apply: |pool, term| value(pool, two(pool, term).1)?.is_zero().then(|| pool.ff()),
    },
    Rule {
        name: "unsigned a - b overflows when a < b",
        heads: &[Op::UsubOverflow],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            Some(pool.ult(a, b))
        },
    },
    Rule {
        name: "-a overflows when a is the minimum",
        heads: &[Op::SnegOverflow],
        apply: |pool, term| {
            let a = pool.arguments(term)[0];
            let minimum = pool.constant(Bits::signed_minimum(pool.width(a)));
            Some(pool.equal(a, minimum))
        },
    },
    Rule {
        name: "a / b overflows when a is the minimum and b is -1",
        heads: &[Op::SdivOverflow],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let width = pool.width(a);
            let (minimum, minus_one) = (pool.constant(Bits::signed_minimum(width)), pool.number(width, -1));
            let (first, second) = (pool.equal(a, minimum), pool.equal(b, minus_one));
            Some(pool.and(first, second))
        },
    },
    Rule {
        name: "sums of extended numbers do not overflow",
        heads: &[Op::SaddOverflow, Op::SsubOverflow],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            // One spare bit each holds any sum or difference; a zero-extended number needs one more for its sign,
            // which it has.
            let fits = |term: TermId| {
                extension(pool, term).is_some_and(|(_, by, signed)| by >= if signed { 1 } else { 2 })
            };
            (fits(a) && fits(b)).then(|| pool.ff())
        },
    },
    Rule {
        name: "(¬a as 0 or 1) = 0 and the like: a bit that equals 0 is its opposite",
        heads: &[Op::Equal],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            if pool.sort(a) != crate::term::Sort::BitVec(1) || !value(pool, b)?.is_zero() {
                return None;
            }
            // Prefer one form: a = 1 is kept, a = 0 becomes ¬(a = 1).
            if under_one(pool, a, Op::BvNot).is_some() {
                return None;
            }
            let one = pool.number(1, 1);
            Some(pool.distinct(a, one))
        },
    },
];
