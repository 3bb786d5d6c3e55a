//! Numbers beyond what Rust computes natively: the wide floating formats, exact decimals, float/integer conversions.

pub mod decimal;
pub mod native;
pub mod soft;

pub use soft::{float_from_f64, parse_float};

use program::FloatKind;

/// A floating value taken apart: `(-1)^negative × mantissa × 2^exponent`, or no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The sign bit.
    pub negative: bool,
    /// The rest.
    pub class: Class,
}

/// What a floating value is, sign aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Zero or a number: the mantissa as a whole number, the power of two it counts.
    Number {
        /// Zero for zero.
        mantissa: u128,
        /// Power of two of the mantissa's last bit.
        exponent: i32,
    },
    /// Infinity.
    Infinite,
    /// Not a number.
    Nan,
}

/// Exponent bits, mantissa bits without an implicit one, and whether the leading bit is stored.
fn format(kind: FloatKind) -> (u32, u32, bool) {
    match kind {
        FloatKind::Float => (8, 23, false),
        FloatKind::Double => (11, 52, false),
        FloatKind::LongDouble => (15, 64, true),
        FloatKind::Float128 => (15, 112, false),
    }
}

/// Takes a value's bits apart.
pub fn parts(bits: u128, kind: FloatKind) -> Parts {
    let (exponent_bits, stored, is_explicit) = format(kind);
    let negative = bits >> (exponent_bits + stored) & 1 == 1;
    let biased = (bits >> stored) as u32 & ((1 << exponent_bits) - 1);
    let fraction = bits & ((1 << stored) - 1);
    let fraction_bits = if is_explicit { stored - 1 } else { stored };
    let bias = (1i32 << (exponent_bits - 1)) - 1;
    let class = if biased == (1 << exponent_bits) - 1 {
        let payload = fraction & ((1 << fraction_bits) - 1);
        if payload == 0 { Class::Infinite } else { Class::Nan }
    } else {
        let leading = if biased == 0 || is_explicit { 0 } else { 1u128 << stored };
        let exponent = (biased.max(1) as i32) - bias - fraction_bits as i32;
        Class::Number { mantissa: fraction | leading, exponent }
    };
    Parts { negative, class }
}

/// The bit that holds the sign.
pub fn sign_bit(kind: FloatKind) -> u128 {
    let (exponent_bits, stored, _) = format(kind);
    1 << (exponent_bits + stored)
}

/// Is it not a number?
pub fn is_nan(bits: u128, kind: FloatKind) -> bool {
    parts(bits, kind).class == Class::Nan
}

/// Is it a zero of either sign?
pub fn is_zero(bits: u128, kind: FloatKind) -> bool {
    matches!(parts(bits, kind).class, Class::Number { mantissa: 0, .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_doubles() {
        let of = |value: f64| parts(u128::from(value.to_bits()), FloatKind::Double);
        let number =
            |negative, mantissa, exponent| Parts { negative, class: Class::Number { mantissa, exponent } };
        assert_eq!(of(1.0), number(false, 1 << 52, -52));
        assert_eq!(of(-0.0), number(true, 0, -1074));
        assert_eq!(of(5e-324), number(false, 1, -1074));
        assert_eq!(of(f64::INFINITY).class, Class::Infinite);
        assert_eq!(of(f64::NAN).class, Class::Nan);
        let one = float_from_f64(1.0, FloatKind::LongDouble);
        assert_eq!(parts(one, FloatKind::LongDouble), number(false, 1 << 63, -63));
    }
}
