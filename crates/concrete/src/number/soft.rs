//! x87 extended and IEEE quadruple arithmetic on bit patterns, through `rustc_apfloat`.
//! Results that are not a number get the bits x86 gives them: those of an operand that is not a number, made quiet,
//! else the "indefinite" one with its sign set.

use super::{Class, parts, sign_bit};
use program::{BinaryOp, FloatKind};
use rustc_apfloat::ieee::{Double, IeeeFloat, Quad, Semantics, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round};
use std::cmp::Ordering;

/// `left op right` in a format. Comparisons are not for here.
pub fn arithmetic(op: BinaryOp, left: u128, right: u128, kind: FloatKind) -> u128 {
    let result = match kind {
        FloatKind::Float => compute::<Single>(op, left, right),
        FloatKind::Double => compute::<Double>(op, left, right),
        FloatKind::LongDouble => compute::<X87DoubleExtended>(op, left, right),
        FloatKind::Float128 => compute::<Quad>(op, left, right),
    };
    if super::is_nan(result, kind) { not_a_number(left, right, kind) } else { result }
}

/// What x86 gives where a result is not a number.
pub fn not_a_number(left: u128, right: u128, kind: FloatKind) -> u128 {
    let quiet = |bits: u128| bits | quiet_bit(kind);
    match (super::is_nan(left, kind), super::is_nan(right, kind)) {
        // The x87 takes the one with the larger significand, SSE the first.
        (true, true) if kind == FloatKind::LongDouble => {
            let significand = |bits: u128| bits as u64;
            quiet(if significand(right) > significand(left) { right } else { left })
        }
        (true, _) => quiet(left),
        (false, true) => quiet(right),
        (false, false) => indefinite(kind),
    }
}

/// The value x86 makes when no operand is to blame.
pub fn indefinite(kind: FloatKind) -> u128 {
    sign_bit(kind) | infinity(kind) | quiet_bit(kind)
}

/// Positive infinity.
pub fn infinity(kind: FloatKind) -> u128 {
    match kind {
        FloatKind::Float => 0xff << 23,
        FloatKind::Double => 0x7ff << 52,
        FloatKind::LongDouble => 0x7fff << 64 | 1 << 63,
        FloatKind::Float128 => 0x7fff << 112,
    }
}

fn quiet_bit(kind: FloatKind) -> u128 {
    match kind {
        FloatKind::Float => 1 << 22,
        FloatKind::Double => 1 << 51,
        FloatKind::LongDouble => 1 << 62,
        FloatKind::Float128 => 1 << 111,
    }
}

fn compute<F: Float>(op: BinaryOp, left: u128, right: u128) -> u128 {
    let (left, right) = (F::from_bits(left), F::from_bits(right));
    let round = Round::NearestTiesToEven;
    let result = match op {
        BinaryOp::Add => left.add_r(right, round).value,
        BinaryOp::Subtract => left.sub_r(right, round).value,
        BinaryOp::Multiply => left.mul_r(right, round).value,
        BinaryOp::Divide => left.div_r(right, round).value,
        other => unreachable!("`{}` is no floating operator", other.symbol()),
    };
    result.to_bits()
}

/// How two values compare; `None` if one is not a number.
pub fn compare(left: u128, right: u128, kind: FloatKind) -> Option<Ordering> {
    fn ordering<F: Float>(left: u128, right: u128) -> Option<Ordering> {
        F::from_bits(left).partial_cmp(&F::from_bits(right))
    }
    match kind {
        FloatKind::Float => f32::from_bits(left as u32).partial_cmp(&f32::from_bits(right as u32)),
        FloatKind::Double => f64::from_bits(left as u64).partial_cmp(&f64::from_bits(right as u64)),
        FloatKind::LongDouble => ordering::<X87DoubleExtended>(left, right),
        FloatKind::Float128 => ordering::<Quad>(left, right),
    }
}

/// The same value in another format, rounded to nearest.
pub fn convert(bits: u128, from: FloatKind, to: FloatKind) -> u128 {
    fn step<F: FloatConvert<T>, T: Float>(bits: u128) -> u128 {
        F::from_bits(bits).convert(&mut false).value.to_bits()
    }
    use FloatKind as Kind;
    let result = match (from, to) {
        (Kind::Float, Kind::Double) => u128::from(f64::from(f32::from_bits(bits as u32)).to_bits()),
        (Kind::Double, Kind::Float) => u128::from((f64::from_bits(bits as u64) as f32).to_bits()),
        (Kind::Float, Kind::LongDouble) => step::<Single, X87DoubleExtended>(bits),
        (Kind::Float, Kind::Float128) => step::<Single, Quad>(bits),
        (Kind::Double, Kind::LongDouble) => step::<Double, X87DoubleExtended>(bits),
        (Kind::Double, Kind::Float128) => step::<Double, Quad>(bits),
        (Kind::LongDouble, Kind::Float) => step::<X87DoubleExtended, Single>(bits),
        (Kind::LongDouble, Kind::Double) => step::<X87DoubleExtended, Double>(bits),
        (Kind::LongDouble, Kind::Float128) => step::<X87DoubleExtended, Quad>(bits),
        (Kind::Float128, Kind::Float) => step::<Quad, Single>(bits),
        (Kind::Float128, Kind::Double) => step::<Quad, Double>(bits),
        (Kind::Float128, Kind::LongDouble) => step::<Quad, X87DoubleExtended>(bits),
        (Kind::Float, Kind::Float)
        | (Kind::Double, Kind::Double)
        | (Kind::LongDouble, Kind::LongDouble)
        | (Kind::Float128, Kind::Float128) => bits,
    };
    if super::is_nan(result, to) { result | quiet_bit(to) } else { result }
}

/// A double in a format.
pub fn float_from_f64(value: f64, kind: FloatKind) -> u128 {
    convert(u128::from(value.to_bits()), FloatKind::Double, kind)
}

/// A whole number in a format, rounded to nearest.
pub fn from_integer(bits: u128, is_signed: bool, kind: FloatKind) -> u128 {
    fn make<S: Semantics>(bits: u128, is_signed: bool) -> u128 {
        let made =
            if is_signed { IeeeFloat::<S>::from_i128(bits as i128) } else { IeeeFloat::<S>::from_u128(bits) };
        made.value.to_bits()
    }
    match kind {
        FloatKind::Float if is_signed => u128::from((bits as i128 as f32).to_bits()),
        FloatKind::Float => u128::from((bits as f32).to_bits()),
        FloatKind::Double if is_signed => u128::from((bits as i128 as f64).to_bits()),
        FloatKind::Double => u128::from((bits as f64).to_bits()),
        FloatKind::LongDouble => make::<rustc_apfloat::ieee::X87DoubleExtendedS>(bits, is_signed),
        FloatKind::Float128 => make::<rustc_apfloat::ieee::QuadS>(bits, is_signed),
    }
}

/// A value cut towards zero as an integer of that width, extended to 128 bits by its sign; `None` out of range.
pub fn to_integer(bits: u128, kind: FloatKind, width: u32, is_signed: bool) -> Option<u128> {
    let parts = parts(bits, kind);
    let Class::Number { mantissa, exponent } = parts.class else { return None };
    let magnitude = if exponent >= 0 {
        if mantissa != 0 && exponent as u32 > mantissa.leading_zeros() {
            return None;
        }
        mantissa.checked_shl(exponent as u32).unwrap_or(0)
    } else {
        mantissa.checked_shr(exponent.unsigned_abs()).unwrap_or(0)
    };
    let most = match (width, is_signed) {
        (128, false) => u128::MAX,
        (_, false) => (1 << width) - 1,
        (_, true) => (1u128 << (width - 1)) - 1,
    };
    if parts.negative {
        let least = if is_signed { most + 1 } else { 0 };
        (magnitude <= least).then(|| magnitude.wrapping_neg())
    } else {
        (magnitude <= most).then_some(magnitude)
    }
}

/// Text (decimal or hexadecimal, `inf`, `nan`) in a format, rounded once.
pub fn parse_float(text: &str, kind: FloatKind) -> Option<u128> {
    let (negative, body) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let magnitude = match body.to_ascii_lowercase().as_str() {
        "inf" | "infinity" => infinity(kind),
        "nan" => infinity(kind) | quiet_bit(kind),
        other => {
            fn read<F: Float>(text: &str) -> Option<u128> {
                Some(F::from_str_r(text, Round::NearestTiesToEven).ok()?.value.to_bits())
            }
            if !other.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
                return None;
            }
            // The crate wants an exponent behind a hexadecimal mantissa; C's functions do not.
            let needs_exponent = other.starts_with("0x") && !other.contains('p');
            let text = if needs_exponent { format!("{other}p0") } else { other.to_owned() };
            match kind {
                FloatKind::Float => read::<Single>(&text),
                FloatKind::Double => read::<Double>(&text),
                FloatKind::LongDouble => read::<X87DoubleExtended>(&text),
                FloatKind::Float128 => read::<Quad>(&text),
            }?
        }
    };
    Some(if negative { magnitude | sign_bit(kind) } else { magnitude })
}

/// The square root, correctly rounded: digit by digit with the remainder as sticky bit.
pub fn square_root(bits: u128, kind: FloatKind) -> u128 {
    let parts = parts(bits, kind);
    let Class::Number { mantissa, exponent } = parts.class else {
        let is_bad = parts.negative && parts.class == Class::Infinite;
        return if is_bad { indefinite(kind) } else { convert(bits, kind, kind) };
    };
    if mantissa == 0 {
        return bits;
    }
    if parts.negative {
        return indefinite(kind);
    }
    // value = m × 2^e with e even and m normalised to the top of 128 bits (or one below).
    let mut shift = mantissa.leading_zeros() as i32;
    if (exponent - shift) % 2 != 0 {
        shift -= 1;
    }
    // No format fills 128 bits, so the shift is never negative.
    let (high, half_exponent) = (mantissa << shift, (exponent - shift) / 2);
    // 118 root digits: 64 from the 128 bits of m, the rest from zeros behind it. Remainders stay below 2^120.
    const DIGITS: u32 = 118;
    let (mut root, mut remainder) = (0u128, 0u128);
    for digit in 0..DIGITS {
        let next = if digit < 64 { high >> (126 - 2 * digit) & 3 } else { 0 };
        remainder = remainder << 2 | next;
        let trial = root << 2 | 1;
        root <<= 1;
        if remainder >= trial {
            remainder -= trial;
            root |= 1;
        }
    }
    let sticky = u128::from(remainder != 0);
    let scale = half_exponent - (DIGITS as i32 - 64) - 1;
    let whole = root << 1 | sticky;
    fn scaled<F: Float>(whole: u128, scale: i32) -> u128 {
        F::from_u128(whole).value.scalbn(scale).to_bits()
    }
    match kind {
        FloatKind::Float => scaled::<Single>(whole, scale),
        FloatKind::Double => scaled::<Double>(whole, scale),
        FloatKind::LongDouble => scaled::<X87DoubleExtended>(whole, scale),
        FloatKind::Float128 => scaled::<Quad>(whole, scale),
    }
}

/// `left * right + addend`, rounded once.
pub fn multiply_add(left: u128, right: u128, addend: u128, kind: FloatKind) -> u128 {
    fn compute<F: Float>(left: u128, right: u128, addend: u128) -> u128 {
        let (left, right, addend) = (F::from_bits(left), F::from_bits(right), F::from_bits(addend));
        left.mul_add_r(right, addend, Round::NearestTiesToEven).value.to_bits()
    }
    let result = match kind {
        FloatKind::Float => compute::<Single>(left, right, addend),
        FloatKind::Double => compute::<Double>(left, right, addend),
        FloatKind::LongDouble => compute::<X87DoubleExtended>(left, right, addend),
        FloatKind::Float128 => compute::<Quad>(left, right, addend),
    };
    if !super::is_nan(result, kind) {
        return result;
    }
    let first = not_a_number(left, right, kind);
    if super::is_nan(left, kind) || super::is_nan(right, kind) {
        first
    } else {
        not_a_number(addend, addend, kind)
    }
}

/// `nextafter`: the neighbour of `left` in the direction of `right`; `right` where they are equal.
pub fn next_after(left: u128, right: u128, kind: FloatKind) -> u128 {
    fn next<F: Float>(bits: u128, up: bool) -> u128 {
        let number = F::from_bits(bits);
        if up { number.next_up().value.to_bits() } else { number.next_down().value.to_bits() }
    }
    match compare(left, right, kind) {
        None => not_a_number(left, right, kind),
        Some(Ordering::Equal) => right,
        Some(order) => {
            let up = order == Ordering::Less;
            match kind {
                FloatKind::Float => next::<Single>(left, up),
                FloatKind::Double => next::<Double>(left, up),
                FloatKind::LongDouble => next::<X87DoubleExtended>(left, up),
                FloatKind::Float128 => next::<Quad>(left, up),
            }
        }
    }
}

/// `fmod`: the rest with the sign of `left`.
pub fn remainder_towards_zero(left: u128, right: u128, kind: FloatKind) -> u128 {
    fn rest<F: Float>(left: u128, right: u128) -> u128 {
        F::from_bits(left).c_fmod(F::from_bits(right)).value.to_bits()
    }
    by_kind(left, right, kind, rest::<Single>, rest::<Double>, rest::<X87DoubleExtended>, rest::<Quad>)
}

/// IEEE `remainder`: the quotient is rounded to nearest even.
pub fn remainder_to_nearest(left: u128, right: u128, kind: FloatKind) -> u128 {
    fn rest<F: Float>(left: u128, right: u128) -> u128 {
        F::from_bits(left).ieee_rem(F::from_bits(right)).value.to_bits()
    }
    by_kind(left, right, kind, rest::<Single>, rest::<Double>, rest::<X87DoubleExtended>, rest::<Quad>)
}

type Two = fn(u128, u128) -> u128;

fn by_kind(left: u128, right: u128, kind: FloatKind, f: Two, d: Two, l: Two, q: Two) -> u128 {
    let result = match kind {
        FloatKind::Float => f(left, right),
        FloatKind::Double => d(left, right),
        FloatKind::LongDouble => l(left, right),
        FloatKind::Float128 => q(left, right),
    };
    if super::is_nan(result, kind) { not_a_number(left, right, kind) } else { result }
}

/// How to round to a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToWhole {
    /// `floor`
    Down,
    /// `ceil`
    Up,
    /// `trunc`
    TowardsZero,
    /// `round`: halves away from zero.
    HalfAway,
    /// `rint`: halves to even.
    HalfEven,
}

/// A value rounded to a whole number in its format.
pub fn round_to_whole(bits: u128, kind: FloatKind, how: ToWhole) -> u128 {
    fn rounded<F: Float>(bits: u128, round: Round) -> u128 {
        F::from_bits(bits).round_to_integral(round).value.to_bits()
    }
    if super::is_nan(bits, kind) {
        return bits | quiet_bit(kind);
    }
    let round = match how {
        ToWhole::Down => Round::TowardNegative,
        ToWhole::Up => Round::TowardPositive,
        ToWhole::TowardsZero => Round::TowardZero,
        ToWhole::HalfAway => Round::NearestTiesToAway,
        ToWhole::HalfEven => Round::NearestTiesToEven,
    };
    match kind {
        FloatKind::Float => rounded::<Single>(bits, round),
        FloatKind::Double => rounded::<Double>(bits, round),
        FloatKind::LongDouble => rounded::<X87DoubleExtended>(bits, round),
        FloatKind::Float128 => rounded::<Quad>(bits, round),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn extended_has_64_bits_of_mantissa() {
        let kind = FloatKind::LongDouble;
        let one = float_from_f64(1.0, kind);
        let tiny = float_from_f64(2f64.powi(-63), kind);
        let sum = arithmetic(BinaryOp::Add, one, tiny, kind);
        assert_eq!(sum, one + 1);
        assert_eq!(convert(sum, kind, FloatKind::Double), u128::from(1f64.to_bits()));
        assert_eq!(to_integer(float_from_f64(-2.9, kind), kind, 32, true), Some((-2i128) as u128));
        assert_eq!(to_integer(float_from_f64(2147483648.0, kind), kind, 32, true), None);
        assert_eq!(
            to_integer(float_from_f64(-2147483648.9, kind), kind, 32, true),
            Some((-2147483648i128) as u128)
        );
    }

    proptest! {
        #[test]
        fn soft_doubles_agree_with_the_machine(a in any::<u64>(), b in any::<u64>()) {
            let (x, y) = (f64::from_bits(a), f64::from_bits(b));
            for (op, expected) in [
                (BinaryOp::Add, x + y),
                (BinaryOp::Subtract, x - y),
                (BinaryOp::Multiply, x * y),
                (BinaryOp::Divide, x / y),
            ] {
                let soft = arithmetic(op, u128::from(a), u128::from(b), FloatKind::Double);
                if expected.is_nan() {
                    prop_assert!(super::super::is_nan(soft, FloatKind::Double));
                } else {
                    prop_assert_eq!(soft, u128::from(expected.to_bits()));
                }
            }
        }

        #[test]
        fn square_roots_agree_with_the_machine(a in any::<u64>(), b in any::<u32>()) {
            let value = f64::from_bits(a & !(1 << 63));
            prop_assume!(!value.is_nan());
            let soft = square_root(u128::from(value.to_bits()), FloatKind::Double);
            prop_assert_eq!(soft, u128::from(value.sqrt().to_bits()));
            let value = f32::from_bits(b & !(1 << 31));
            prop_assume!(!value.is_nan());
            let soft = square_root(u128::from(value.to_bits()), FloatKind::Float);
            prop_assert_eq!(soft, u128::from(value.sqrt().to_bits()));
        }

        #[test]
        fn conversions_to_integers_agree_with_the_machine(value in -1e20f64..1e20) {
            let bits = u128::from(value.to_bits());
            let expected = (value.trunc() as i128 == i128::from(value as i64)).then_some(value as i64 as i128 as u128);
            prop_assert_eq!(to_integer(bits, FloatKind::Double, 64, true), expected);
        }
    }
}
