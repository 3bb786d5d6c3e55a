//! Rules of floats. Each holds for every value: NaN is one value, zeros are two, and what is rounded is rounded once.

use super::rule::{Rule, fold, order, two, under, under_one};
use crate::model::{Model, Value};
use crate::term::{FloatFormat, Op, RoundingMode, Sort, TermId, TermPool};

const MODE: RoundingMode = RoundingMode::NearestEven;
const FORMAT: FloatFormat = FloatFormat::SINGLE;
const FROM_BITS: Op = Op::FpFromBits(FORMAT);
const FROM_FLOAT: Op = Op::FpFromFloat(MODE, FORMAT);
const ADD: Op = Op::FpAdd(MODE);
const SUB: Op = Op::FpSub(MODE);
const MUL: Op = Op::FpMul(MODE);
const DIV: Op = Op::FpDiv(MODE);

/// The packed bits of a constant float.
fn constant(pool: &TermPool, term: TermId) -> Option<crate::bits::Bits> {
    let bits = matches!(pool.op(term), Op::FpFromBits(_)).then(|| pool.arguments(term)[0])?;
    pool.constant_value(bits)?;
    match Model::new().evaluate(pool, term) {
        Ok(Value::Float(bits)) => Some(bits),
        _ => None,
    }
}

/// Sign, exponent as it is stored, and fraction of a constant.
fn parts(pool: &TermPool, term: TermId) -> Option<(bool, i64, bool)> {
    let (bits, format) = (constant(pool, term)?, pool.float_format(term));
    let fraction = format.significand - 1;
    let exponent = bits.extract(format.width() - 2, fraction).to_u64()?;
    Some((bits.is_negative(), exponent as i64, bits.extract(fraction - 1, 0).is_zero()))
}

fn bias(format: FloatFormat) -> i64 {
    (1 << (format.exponent - 1)) - 1
}

/// Is it this power of two, positive?
fn is_power(pool: &TermPool, term: TermId, power: i64) -> bool {
    let format = pool.float_format(term);
    parts(pool, term) == Some((false, bias(format) + power, true))
}

fn is_zero(pool: &TermPool, term: TermId, negative: bool) -> bool {
    parts(pool, term) == Some((negative, 0, true))
}

/// The float that was converted to one that holds all its values.
fn widened(pool: &TermPool, term: TermId) -> Option<TermId> {
    let Op::FpFromFloat(_, to) = pool.op(term) else { return None };
    let inner = pool.arguments(term)[0];
    let from = pool.float_format(inner);
    // A wider exponent by that much holds the subnormal numbers as normal ones.
    let holds_all = to.significand >= from.significand
        && (to.exponent == from.exponent || bias(to) >= bias(from) + i64::from(from.significand));
    holds_all.then_some(inner)
}

/// Two floats of a narrower format whose order is that of the two given.
fn narrowed(pool: &mut TermPool, a: TermId, b: TermId) -> Option<(TermId, TermId)> {
    let (x, y) = (widened(pool, a), widened(pool, b));
    let narrow = |pool: &mut TermPool, wide: TermId, format: FloatFormat| {
        constant(pool, wide)?;
        let term = pool.fp_from_float(MODE, wide, format);
        let Ok(Value::Float(bits)) = Model::new().evaluate(pool, term) else { return None };
        let bits = pool.constant(bits);
        let narrow = pool.fp_from_bits(bits, format);
        let back = pool.fp_from_float(MODE, narrow, pool.float_format(wide));
        let same = pool.equal(back, wide);
        Model::new().satisfies(pool, same).then_some(narrow)
    };
    match (x, y) {
        (Some(x), Some(y)) if pool.sort(x) == pool.sort(y) => Some((x, y)),
        (Some(x), None) => {
            let format = pool.float_format(x);
            Some((x, narrow(pool, b, format)?))
        }
        (None, Some(y)) => {
            let format = pool.float_format(y);
            Some((narrow(pool, a, format)?, y))
        }
        _ => None,
    }
}

fn mode_of(op: Op) -> RoundingMode {
    match op {
        Op::FpAdd(mode) | Op::FpSub(mode) | Op::FpMul(mode) | Op::FpDiv(mode) => mode,
        other => unreachable!("{other:?} is not one of the rules' heads"),
    }
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "a float operator on constants is its value",
        heads: &[
            FROM_BITS,
            FROM_FLOAT,
            ADD,
            SUB,
            MUL,
            DIV,
            Op::FpSqrt(MODE),
            Op::FpFma(MODE),
            Op::FpRoundToIntegral(MODE),
            Op::FpRem,
            Op::FpFmod,
            Op::FpNeg,
            Op::FpAbs,
            Op::FpMin,
            Op::FpMax,
            Op::FpEqual,
            Op::FpLess,
            Op::FpLessOrEqual,
            Op::FpIsNan,
            Op::FpIsInfinite,
            Op::FpIsZero,
            Op::FpIsNormal,
            Op::FpIsSubnormal,
            Op::FpIsNegative,
            Op::FpIsPositive,
            Op::FpFromSigned(MODE, FORMAT),
            Op::FpFromUnsigned(MODE, FORMAT),
            Op::FpToSigned(MODE, 1),
            Op::FpToUnsigned(MODE, 1),
            Op::FpToBits,
        ],
        apply: fold,
    },
    Rule {
        name: "constant floats to the right, the rest by age",
        heads: &[ADD, MUL, Op::FpEqual],
        apply: order,
    },
    Rule {
        name: "the bits of a constant that is a number",
        heads: &[Op::FpToBits],
        apply: |pool, term| {
            let (float, _) = two(pool, term);
            let bits = constant(pool, float)?;
            let is_nan = pool.fp_is_nan(float);
            (!Model::new().satisfies(pool, is_nan)).then(|| pool.constant(bits))
        },
    },
    Rule {
        name: "the float of the bits of a float",
        heads: &[FROM_BITS],
        apply: |pool, term| {
            let (float, _) = under(pool, pool.arguments(term)[0], Op::FpToBits)?;
            (pool.sort(float) == pool.sort(term)).then_some(float)
        },
    },
    Rule {
        name: "the float of a choice between bits, where one is known as a float",
        heads: &[FROM_BITS],
        apply: |pool, term| {
            let inner = pool.arguments(term)[0];
            if pool.op(inner) != Op::Ite {
                return None;
            }
            let [condition, a, b] = *pool.arguments(inner) else { unreachable!("an ite has three parts") };
            let is_known = |term: TermId| matches!(pool.op(term), Op::FpToBits | Op::Constant(_));
            if !is_known(a) && !is_known(b) {
                return None;
            }
            let format = pool.float_format(term);
            let (a, b) = (pool.fp_from_bits(a, format), pool.fp_from_bits(b, format));
            Some(pool.ite(condition, a, b))
        },
    },
    Rule {
        name: "-(-x) = x",
        heads: &[Op::FpNeg],
        apply: |pool, term| under_one(pool, pool.arguments(term)[0], Op::FpNeg),
    },
    Rule {
        name: "|-x| = ||x|| = |x|",
        heads: &[Op::FpAbs],
        apply: |pool, term| {
            let inner = pool.arguments(term)[0];
            let x = under_one(pool, inner, Op::FpNeg).or_else(|| under_one(pool, inner, Op::FpAbs))?;
            Some(pool.fp_abs(x))
        },
    },
    Rule {
        name: "x * 1 = x / 1 = x",
        heads: &[MUL, DIV],
        apply: |pool, term| {
            let (x, one) = two(pool, term);
            is_power(pool, one, 0).then_some(x)
        },
    },
    Rule {
        name: "x / 2^k = x * 2^-k",
        heads: &[DIV],
        apply: |pool, term| {
            let (x, y) = two(pool, term);
            let (negative, exponent, is_power) = parts(pool, y)?;
            let format = pool.float_format(y);
            let inverse = 2 * bias(format) - exponent;
            // Both are normal numbers.
            if !is_power || exponent < 1 || inverse < 1 || exponent > 2 * bias(format) {
                return None;
            }
            let fraction = format.significand - 1;
            let bits = crate::bits::Bits::from_u64(
                format.exponent + 1,
                inverse as u64 | u64::from(negative) << format.exponent,
            );
            let bits = bits.concat(&crate::bits::Bits::zero(fraction));
            let bits = pool.constant(bits);
            let factor = pool.fp_from_bits(bits, format);
            Some(pool.fp_mul(mode_of(pool.op(term)), x, factor))
        },
    },
    Rule {
        name: "x + -0 = x - 0 = x, rounding to nearest",
        heads: &[ADD, SUB],
        apply: |pool, term| {
            let (x, zero) = two(pool, term);
            let op = pool.op(term);
            let is_neutral = is_zero(pool, zero, matches!(op, Op::FpAdd(_)));
            (mode_of(op) == MODE && is_neutral).then_some(x)
        },
    },
    Rule {
        name: "a float is equal to itself, but for NaN",
        heads: &[Op::FpEqual, Op::FpLessOrEqual],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            if a != b {
                return None;
            }
            let is_nan = pool.fp_is_nan(a);
            Some(pool.not(is_nan))
        },
    },
    Rule {
        name: "no float is less than itself",
        heads: &[Op::FpLess],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            (a == b).then(|| pool.ff())
        },
    },
    Rule {
        name: "whole numbers and their like are never NaN, and sign and format do not make one",
        heads: &[Op::FpIsNan],
        apply: |pool, term| {
            let inner = pool.arguments(term)[0];
            match pool.op(inner) {
                Op::FpFromSigned(..) | Op::FpFromUnsigned(..) => Some(pool.ff()),
                Op::FpNeg | Op::FpAbs | Op::FpFromFloat(..) | Op::FpRoundToIntegral(_) => {
                    let x = pool.arguments(inner)[0];
                    Some(pool.fp_is_nan(x))
                }
                _ => None,
            }
        },
    },
    Rule {
        name: "to a wider format and back",
        heads: &[FROM_FLOAT],
        apply: |pool, term| {
            let inner = widened(pool, pool.arguments(term)[0])?;
            (pool.sort(inner) == pool.sort(term)).then_some(inner)
        },
    },
    Rule {
        name: "wider floats compare as the narrower ones they come from",
        heads: &[Op::FpEqual, Op::FpLess, Op::FpLessOrEqual],
        apply: |pool, term| {
            let (a, b) = two(pool, term);
            let (a, b) = narrowed(pool, a, b)?;
            Some(match pool.op(term) {
                Op::FpEqual => pool.fp_equal(a, b),
                Op::FpLess => pool.fp_less(a, b),
                _ => pool.fp_less_or_equal(a, b),
            })
        },
    },
    Rule {
        name: "a float read as a whole number it was made from",
        heads: &[Op::FpToSigned(MODE, 1)],
        apply: |pool, term| {
            let inner = pool.arguments(term)[0];
            let Op::FpFromSigned(_, format) = pool.op(inner) else { return None };
            let number = pool.arguments(inner)[0];
            let width = pool.width(number);
            // Every number of that width is a number of the format.
            let is_exact = width <= format.significand && i64::from(width) <= bias(format);
            (is_exact && pool.sort(term) == Sort::BitVec(width)).then_some(number)
        },
    },
];
