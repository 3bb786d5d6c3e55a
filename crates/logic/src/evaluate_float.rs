//! The meaning of float operators, for binary32 and binary64, where the machine computes exactly what IEEE 754
//! asks for. Everything else is left unevaluated with a reason, never guessed.

use crate::bits::Bits;
use crate::evaluate::NotEvaluated;
use crate::model::Value;
use crate::term::{FloatFormat, Op, RoundingMode, Sort};

#[derive(Clone, Copy)]
enum Number {
    Single(f32),
    Double(f64),
}

fn refuse<T>(why: impl Into<String>) -> Result<T, NotEvaluated> {
    Err(NotEvaluated { why: why.into() })
}

fn number(value: &Value, format: FloatFormat) -> Result<Number, NotEvaluated> {
    let Value::Float(bits) = value else { unreachable!("the sort is a float, the value {value:?}") };
    let raw = bits.to_u64();
    match (format, raw) {
        (FloatFormat::SINGLE, Some(raw)) => Ok(Number::Single(f32::from_bits(raw as u32))),
        (FloatFormat::DOUBLE, Some(raw)) => Ok(Number::Double(f64::from_bits(raw))),
        _ => refuse("only binary32 and binary64 are evaluated"),
    }
}

/// The value, with one NaN for all.
fn value(number: Number) -> Value {
    Value::Float(match number {
        Number::Single(x) if x.is_nan() => Bits::from_u64(32, 0x7fc0_0000),
        Number::Double(x) if x.is_nan() => Bits::from_u64(64, 0x7ff8_0000_0000_0000),
        Number::Single(x) => Bits::from_u64(32, u64::from(x.to_bits())),
        Number::Double(x) => Bits::from_u64(64, x.to_bits()),
    })
}

fn map(a: Number, single: impl Fn(f32) -> f32, double: impl Fn(f64) -> f64) -> Value {
    value(match a {
        Number::Single(a) => Number::Single(single(a)),
        Number::Double(a) => Number::Double(double(a)),
    })
}

fn zip(
    a: Number,
    b: Number,
    single: impl Fn(f32, f32) -> f32,
    double: impl Fn(f64, f64) -> f64,
) -> Result<Value, NotEvaluated> {
    Ok(value(match (a, b) {
        (Number::Single(a), Number::Single(b)) => Number::Single(single(a, b)),
        (Number::Double(a), Number::Double(b)) => Number::Double(double(a, b)),
        _ => unreachable!("both floats have one format"),
    }))
}

fn compare(a: Number, b: Number) -> Option<std::cmp::Ordering> {
    match (a, b) {
        (Number::Single(a), Number::Single(b)) => a.partial_cmp(&b),
        (Number::Double(a), Number::Double(b)) => a.partial_cmp(&b),
        _ => unreachable!("both floats have one format"),
    }
}

fn classify(a: Number) -> (std::num::FpCategory, bool) {
    match a {
        Number::Single(a) => (a.classify(), a.is_sign_negative()),
        Number::Double(a) => (a.classify(), a.is_sign_negative()),
    }
}

/// The machine rounds to nearest, ties to even, and so do we; other modes are left alone.
fn nearest_even(mode: RoundingMode) -> Result<(), NotEvaluated> {
    match mode {
        RoundingMode::NearestEven => Ok(()),
        other => refuse(format!("rounding mode {} is not evaluated", other.smtlib_name())),
    }
}

/// The value of a float operator applied to values of the given sorts.
pub(crate) fn apply_float(op: Op, sorts: &[Sort], values: &[&Value]) -> Result<Value, NotEvaluated> {
    use std::num::FpCategory;
    let float = |position: usize| match sorts[position] {
        Sort::Float(format) => number(values[position], format),
        other => unreachable!("the argument is a float, not {other:?}"),
    };
    let test = |wanted: FpCategory| Ok(Value::Bool(classify(float(0)?).0 == wanted));
    match op {
        Op::FpAdd(mode) => {
            nearest_even(mode).and_then(|()| zip(float(0)?, float(1)?, |a, b| a + b, |a, b| a + b))
        }
        Op::FpSub(mode) => {
            nearest_even(mode).and_then(|()| zip(float(0)?, float(1)?, |a, b| a - b, |a, b| a - b))
        }
        Op::FpMul(mode) => {
            nearest_even(mode).and_then(|()| zip(float(0)?, float(1)?, |a, b| a * b, |a, b| a * b))
        }
        Op::FpDiv(mode) => {
            nearest_even(mode).and_then(|()| zip(float(0)?, float(1)?, |a, b| a / b, |a, b| a / b))
        }
        Op::FpSqrt(mode) => nearest_even(mode).and_then(|()| Ok(map(float(0)?, f32::sqrt, f64::sqrt))),
        Op::FpRoundToIntegral(mode) => Ok(match mode {
            RoundingMode::NearestEven => map(float(0)?, f32::round_ties_even, f64::round_ties_even),
            RoundingMode::NearestAway => map(float(0)?, f32::round, f64::round),
            RoundingMode::TowardPositive => map(float(0)?, f32::ceil, f64::ceil),
            RoundingMode::TowardNegative => map(float(0)?, f32::floor, f64::floor),
            RoundingMode::TowardZero => map(float(0)?, f32::trunc, f64::trunc),
        }),
        Op::FpNeg => Ok(map(float(0)?, |a| -a, |a| -a)),
        Op::FpAbs => Ok(map(float(0)?, f32::abs, f64::abs)),
        Op::FpEqual => Ok(Value::Bool(compare(float(0)?, float(1)?) == Some(std::cmp::Ordering::Equal))),
        Op::FpLess => Ok(Value::Bool(compare(float(0)?, float(1)?) == Some(std::cmp::Ordering::Less))),
        Op::FpLessOrEqual => {
            Ok(Value::Bool(compare(float(0)?, float(1)?).is_some_and(std::cmp::Ordering::is_le)))
        }
        Op::FpIsNan => test(FpCategory::Nan),
        Op::FpIsInfinite => test(FpCategory::Infinite),
        Op::FpIsZero => test(FpCategory::Zero),
        Op::FpIsNormal => test(FpCategory::Normal),
        Op::FpIsSubnormal => test(FpCategory::Subnormal),
        Op::FpIsNegative | Op::FpIsPositive => {
            let (category, negative) = classify(float(0)?);
            Ok(Value::Bool(category != FpCategory::Nan && negative == (op == Op::FpIsNegative)))
        }
        Op::FpFromBits(format) => {
            let bits = values[0].as_bits().expect("the sort is a bit-vector");
            Ok(value(number(&Value::Float(bits.clone()), format)?))
        }
        Op::FpFromFloat(mode, to) => {
            nearest_even(mode)?;
            match (float(0)?, to) {
                (Number::Single(a), FloatFormat::SINGLE) => Ok(value(Number::Single(a))),
                (Number::Single(a), FloatFormat::DOUBLE) => Ok(value(Number::Double(f64::from(a)))),
                (Number::Double(a), FloatFormat::SINGLE) => Ok(value(Number::Single(a as f32))),
                (Number::Double(a), FloatFormat::DOUBLE) => Ok(value(Number::Double(a))),
                _ => refuse("only binary32 and binary64 are evaluated"),
            }
        }
        Op::FpFromSigned(mode, to) | Op::FpFromUnsigned(mode, to) => {
            nearest_even(mode)?;
            let bits = values[0].as_bits().expect("the sort is a bit-vector");
            let integer = if matches!(op, Op::FpFromSigned(..)) {
                bits.to_i128()
            } else {
                bits.to_u128().and_then(|number| i128::try_from(number).ok())
            };
            // Rust's `as` rounds to nearest, ties to even.
            match (integer, to) {
                (Some(integer), FloatFormat::SINGLE) => Ok(value(Number::Single(integer as f32))),
                (Some(integer), FloatFormat::DOUBLE) => Ok(value(Number::Double(integer as f64))),
                _ => refuse("this conversion to a float is not evaluated"),
            }
        }
        Op::FpToSigned(RoundingMode::TowardZero, width)
        | Op::FpToUnsigned(RoundingMode::TowardZero, width) => {
            let number = match float(0)? {
                Number::Single(a) => f64::from(a),
                Number::Double(a) => a,
            };
            let whole = number.trunc();
            // Within 2^120 `as i128` is exact; outside the range of the result SMT-LIB leaves the value open.
            if !whole.is_finite() || whole.abs() >= 2f64.powi(120) {
                return refuse("a float outside the integer's range has no specified value");
            }
            let integer = whole as i128;
            let bits = Bits::from_i128(width, integer);
            let back = if matches!(op, Op::FpToSigned(..)) {
                bits.to_i128()
            } else {
                bits.to_u128().and_then(|number| i128::try_from(number).ok())
            };
            if back == Some(integer) {
                Ok(Value::Bits(bits))
            } else {
                refuse("a float outside the integer's range has no specified value")
            }
        }
        other => refuse(format!("{other:?} is not evaluated")),
    }
}
