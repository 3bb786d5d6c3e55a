//! Floating constants: exact text to correctly rounded bits, and arithmetic on them, independent of the host.
//!
//! Bits are as `tree::ExprKind::Float` has them: the type's own format, x87 extended in the low 80 bits.

use crate::tree::BinaryOp;
use crate::types::{FloatKind, IntegerShape};
use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status};
use std::cmp::Ordering;

/// Runs `$body` with `$float` standing for the soft type of `$kind`.
macro_rules! with_format {
    ($kind:expr, $float:ident => $body:expr) => {
        match $kind {
            FloatKind::Float => {
                type $float = Single;
                $body
            }
            FloatKind::Double => {
                type $float = Double;
                $body
            }
            FloatKind::LongDouble => {
                type $float = X87DoubleExtended;
                $body
            }
            FloatKind::Float128 => {
                type $float = Quad;
                $body
            }
        }
    };
}

/// The value of a literal without its suffix, rounded to nearest; `None` if the text is no number.
pub(super) fn parse(text: &str, kind: FloatKind) -> Option<u128> {
    with_format!(kind, F => F::from_str_r(text, Round::NearestTiesToEven).ok().map(|parsed| parsed.value.to_bits()))
}

/// An integer (bits of the given shape) as a float.
pub(super) fn from_integer(bits: u128, shape: IntegerShape, kind: FloatKind) -> u128 {
    let bits = shape.truncate(bits);
    with_format!(kind, F => {
        let converted = if shape.signed { F::from_i128(shape.value(bits)) } else { F::from_u128(bits) };
        converted.value.to_bits()
    })
}

/// A float as an integer, cut towards zero, and whether it fitted. What does not fit becomes the nearest number of the
/// type, NaN becomes 0, as GCC folds them.
pub(super) fn to_integer(bits: u128, kind: FloatKind, shape: IntegerShape) -> (u128, bool) {
    with_format!(kind, F => {
        let value = F::from_bits(bits);
        let mut is_exact = false;
        let width = shape.width as usize;
        if shape.signed {
            let cut = value.to_i128_r(width, Round::TowardZero, &mut is_exact);
            (shape.truncate(cut.value as u128), !cut.status.contains(Status::INVALID_OP))
        } else {
            let cut = value.to_u128_r(width, Round::TowardZero, &mut is_exact);
            (shape.truncate(cut.value), !cut.status.contains(Status::INVALID_OP))
        }
    })
}

/// From one format to another, rounded to nearest.
pub(super) fn convert(bits: u128, from: FloatKind, to: FloatKind) -> u128 {
    if from == to {
        return bits;
    }
    let mut loses_info = false;
    with_format!(from, From => with_format!(to, To => {
        let converted: To = From::from_bits(bits).convert(&mut loses_info).value;
        converted.to_bits()
    }))
}

/// `-x`
pub(super) fn negate(bits: u128, kind: FloatKind) -> u128 {
    with_format!(kind, F => (-F::from_bits(bits)).to_bits())
}

/// `+`, `-`, `*`, `/`; `None` for operators that floats do not have.
pub(super) fn arithmetic(op: BinaryOp, a: u128, b: u128, kind: FloatKind) -> Option<u128> {
    with_format!(kind, F => {
        let (a, b) = (F::from_bits(a), F::from_bits(b));
        Some(match op {
            BinaryOp::Add => a + b,
            BinaryOp::Subtract => a - b,
            BinaryOp::Multiply => a * b,
            BinaryOp::Divide => a / b,
            _ => return None,
        }.value.to_bits())
    })
}

/// How two values compare; `None` when one is not a number.
pub(super) fn compare(a: u128, b: u128, kind: FloatKind) -> Option<Ordering> {
    with_format!(kind, F => F::from_bits(a).partial_cmp(&F::from_bits(b)))
}

/// Is it plus or minus zero?
pub(super) fn is_zero(bits: u128, kind: FloatKind) -> bool {
    with_format!(kind, F => F::from_bits(bits).is_zero())
}

/// Is it not a number?
pub(super) fn is_nan(bits: u128, kind: FloatKind) -> bool {
    with_format!(kind, F => F::from_bits(bits).is_nan())
}

/// Is it an infinity?
pub(super) fn is_infinite(bits: u128, kind: FloatKind) -> bool {
    with_format!(kind, F => F::from_bits(bits).is_infinite())
}

/// Is its sign bit set?
pub(super) fn is_negative(bits: u128, kind: FloatKind) -> bool {
    with_format!(kind, F => F::from_bits(bits).is_negative())
}

/// The classes of `fpclassify`, in the order of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Nan,
    Infinite,
    Normal,
    Subnormal,
    Zero,
}

/// Which class a value belongs to.
pub(super) fn class(bits: u128, kind: FloatKind) -> Class {
    with_format!(kind, F => {
        let value = F::from_bits(bits);
        match value.category() {
            rustc_apfloat::Category::NaN => Class::Nan,
            rustc_apfloat::Category::Infinity => Class::Infinite,
            rustc_apfloat::Category::Zero => Class::Zero,
            rustc_apfloat::Category::Normal if value.is_denormal() => Class::Subnormal,
            rustc_apfloat::Category::Normal => Class::Normal,
        }
    })
}

/// Plus infinity.
pub(super) fn infinity(kind: FloatKind) -> u128 {
    with_format!(kind, F => F::INFINITY.to_bits())
}

/// A quiet NaN with that payload, or a signalling one.
pub(super) fn not_a_number(kind: FloatKind, payload: u128, is_signalling: bool) -> u128 {
    with_format!(kind, F => {
        let payload = Some(payload);
        let value = if is_signalling { F::snan(payload) } else { F::qnan(payload) };
        value.to_bits()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_round_to_nearest_in_every_format() {
        assert_eq!(parse("0.1", FloatKind::Float), Some(u128::from(0.1f32.to_bits())));
        assert_eq!(parse("0.1", FloatKind::Double), Some(u128::from(0.1f64.to_bits())));
        assert_eq!(parse("0x1.8p3", FloatKind::Double), Some(u128::from(12f64.to_bits())));
        assert_eq!(parse("1e400", FloatKind::Double), Some(u128::from(f64::INFINITY.to_bits())));
        // gcc: 0.1L is 0x3ffb_cccccccccccccccd, 0.1Q is 0x3ffb999999999999999999999999999a
        assert_eq!(parse("0.1", FloatKind::LongDouble), Some(0x3ffb_cccc_cccc_cccc_cccd));
        assert_eq!(parse("0.1", FloatKind::Float128), Some(0x3ffb_9999_9999_9999_9999_9999_9999_999a));
        assert_eq!(parse("1.", FloatKind::Double), parse(".1e1", FloatKind::Double));
    }

    #[test]
    fn conversion_to_integers_cuts_and_checks_the_range() {
        let int = IntegerShape { width: 32, signed: true };
        let byte = IntegerShape { width: 8, signed: false };
        let bits = |value: f64| u128::from(value.to_bits());
        assert_eq!(to_integer(bits(-1.9), FloatKind::Double, int), (0xffff_ffff, true));
        assert_eq!(to_integer(bits(255.9), FloatKind::Double, byte), (255, true));
        assert_eq!(to_integer(bits(256.0), FloatKind::Double, byte), (255, false));
        assert_eq!(to_integer(bits(-3.0), FloatKind::Double, byte), (0, false));
        assert_eq!(to_integer(bits(f64::NAN), FloatKind::Double, int), (0, false));
        assert_eq!(from_integer(0xffff_ffff, int, FloatKind::Double), bits(-1.0));
    }
}
