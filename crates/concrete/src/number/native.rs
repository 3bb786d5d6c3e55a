//! `float` and `double` arithmetic by the machine, with the bits x86 gives results that are not a number.

use super::soft;
use program::{BinaryOp, FloatKind};

/// `left op right` on doubles.
#[inline]
pub fn double(op: BinaryOp, left: f64, right: f64) -> f64 {
    let result = match op {
        BinaryOp::Add => left + right,
        BinaryOp::Subtract => left - right,
        BinaryOp::Multiply => left * right,
        BinaryOp::Divide => left / right,
        other => unreachable!("`{}` is no floating operator", other.symbol()),
    };
    if result.is_nan() {
        let (left, right) = (u128::from(left.to_bits()), u128::from(right.to_bits()));
        return f64::from_bits(soft::not_a_number(left, right, FloatKind::Double) as u64);
    }
    result
}

/// `left op right` on floats.
#[inline]
pub fn single(op: BinaryOp, left: f32, right: f32) -> f32 {
    let result = match op {
        BinaryOp::Add => left + right,
        BinaryOp::Subtract => left - right,
        BinaryOp::Multiply => left * right,
        BinaryOp::Divide => left / right,
        other => unreachable!("`{}` is no floating operator", other.symbol()),
    };
    if result.is_nan() {
        let (left, right) = (u128::from(left.to_bits()), u128::from(right.to_bits()));
        return f32::from_bits(soft::not_a_number(left, right, FloatKind::Float) as u32);
    }
    result
}

/// What unoptimised x86-64 code gives when a value does not fit the integer type it is cut to: the conversion
/// instruction of the next larger size, its "indefinite" result where that does not fit either, and the low bits kept.
pub fn unfit_to_integer(bits: u128, kind: FloatKind, width: u32, is_signed: bool) -> u128 {
    let converted =
        |bits: u128, to: u32| soft::to_integer(bits, kind, to, true).unwrap_or(u128::MAX << (to - 1));
    match (width, is_signed) {
        (..=16, _) => converted(bits, 32),
        (32, true) => converted(bits, 32),
        (32, false) | (64, true) => converted(bits, 64),
        (64, false) => {
            let limit = soft::from_integer(1 << 63, false, kind);
            let is_large = soft::compare(bits, limit, kind).is_some_and(|order| order.is_ge());
            if is_large {
                let rest = soft::arithmetic(BinaryOp::Subtract, bits, limit, kind);
                converted(rest, 64) ^ (1 << 63)
            } else {
                converted(bits, 64)
            }
        }
        // libgcc's 128-bit conversions saturate in no documented way: zero.
        _ => 0,
    }
}
