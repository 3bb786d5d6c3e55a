//! The meaning of float operators. binary32 and binary64 rounded to nearest are computed by the machine, which does
//! what IEEE 754 asks for; other modes and formats by `rustc_apfloat`. A format that neither knows is left unevaluated
//! with a reason, never guessed.

use crate::bits::Bits;
use crate::evaluate::NotEvaluated;
use crate::model::Value;
use crate::term::{FloatFormat, Op, RoundingMode, Sort};
use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Category, Float, FloatConvert, Round};
use std::cmp::Ordering;

fn refuse<T>(why: impl Into<String>) -> Result<T, NotEvaluated> {
    Err(NotEvaluated { why: why.into() })
}

fn rounding(mode: RoundingMode) -> Round {
    match mode {
        RoundingMode::NearestEven => Round::NearestTiesToEven,
        RoundingMode::NearestAway => Round::NearestTiesToAway,
        RoundingMode::TowardPositive => Round::TowardPositive,
        RoundingMode::TowardNegative => Round::TowardNegative,
        RoundingMode::TowardZero => Round::TowardZero,
    }
}

/// How the bits of a format are given to a type that computes with it.
trait Layout: Float {
    fn from_packed(bits: u128) -> Self {
        Self::from_bits(bits)
    }

    fn to_packed(self) -> u128 {
        self.to_bits()
    }
}

impl Layout for Half {}
impl Layout for BFloat {}
impl Layout for Single {}
impl Layout for Double {}
impl Layout for Quad {}

/// Stored with its leading bit, which our words leave out.
impl Layout for X87DoubleExtended {
    fn from_packed(bits: u128) -> Self {
        let (fraction, above) = (bits & ((1 << 63) - 1), bits >> 63);
        let leading = u128::from(above & 0x7fff != 0);
        Self::from_bits(above << 64 | leading << 63 | fraction)
    }

    fn to_packed(self) -> u128 {
        let bits = self.to_bits();
        bits >> 64 << 63 | bits & ((1 << 63) - 1)
    }
}

/// Calls a function that is generic in the type of a format.
macro_rules! with_format {
    ($format:expr, $function:ident :: <_ $(, $more:ty)*> ($($argument:expr),*)) => {
        match ($format.exponent, $format.significand) {
            (5, 11) => $function::<Half $(, $more)*>($($argument),*),
            (8, 8) => $function::<BFloat $(, $more)*>($($argument),*),
            (8, 24) => $function::<Single $(, $more)*>($($argument),*),
            (11, 53) => $function::<Double $(, $more)*>($($argument),*),
            (15, 64) => $function::<X87DoubleExtended $(, $more)*>($($argument),*),
            (15, 113) => $function::<Quad $(, $more)*>($($argument),*),
            (exponent, significand) => {
                refuse(format!("floats with {exponent} and {significand} bits are not evaluated"))
            }
        }
    };
}

fn packed(value: &Value) -> u128 {
    let Value::Float(bits) = value else { unreachable!("the sort is a float, the value {value:?}") };
    bits.to_u128().expect("formats that are evaluated have at most 128 bits")
}

/// The one NaN.
fn the_nan(format: FloatFormat) -> u128 {
    let fraction = format.significand - 1;
    ((1u128 << format.exponent) - 1) << fraction | 1 << (fraction - 1)
}

fn is_nan(bits: u128, format: FloatFormat) -> bool {
    let fraction = format.significand - 1;
    let magnitude = bits & ((1 << (format.width() - 1)) - 1);
    magnitude > ((1 << format.exponent) - 1) << fraction
}

/// The value of packed bits, with one NaN for all.
fn value(bits: u128, format: FloatFormat) -> Value {
    let bits = if is_nan(bits, format) { the_nan(format) } else { bits };
    Value::Float(Bits::from_i128(format.width(), bits as i128))
}

/// By the machine: binary32 and binary64, to nearest.
fn by_machine(op: Op, format: FloatFormat, values: &[u128]) -> Option<u128> {
    macro_rules! compute {
        ($float:ty, $bits:ty) => {{
            let x = <$float>::from_bits(values[0] as $bits);
            let y = || <$float>::from_bits(values[1] as $bits);
            let result = match op {
                Op::FpAdd(RoundingMode::NearestEven) => x + y(),
                Op::FpSub(RoundingMode::NearestEven) => x - y(),
                Op::FpMul(RoundingMode::NearestEven) => x * y(),
                Op::FpDiv(RoundingMode::NearestEven) => x / y(),
                Op::FpSqrt(RoundingMode::NearestEven) => x.sqrt(),
                Op::FpRoundToIntegral(RoundingMode::NearestEven) => x.round_ties_even(),
                Op::FpRoundToIntegral(RoundingMode::NearestAway) => x.round(),
                Op::FpRoundToIntegral(RoundingMode::TowardPositive) => x.ceil(),
                Op::FpRoundToIntegral(RoundingMode::TowardNegative) => x.floor(),
                Op::FpRoundToIntegral(RoundingMode::TowardZero) => x.trunc(),
                Op::FpFmod => x % y(),
                _ => return None,
            };
            Some(u128::from(result.to_bits()))
        }};
    }
    match format {
        FloatFormat::SINGLE => compute!(f32, u32),
        FloatFormat::DOUBLE => compute!(f64, u64),
        _ => None,
    }
}

fn compute<F: Layout>(op: Op, values: &[u128]) -> Result<u128, NotEvaluated> {
    let number = |position: usize| F::from_packed(values[position]);
    let result = match op {
        Op::FpAdd(mode) => number(0).add_r(number(1), rounding(mode)).value,
        Op::FpSub(mode) => number(0).sub_r(number(1), rounding(mode)).value,
        Op::FpMul(mode) => number(0).mul_r(number(1), rounding(mode)).value,
        Op::FpDiv(mode) => number(0).div_r(number(1), rounding(mode)).value,
        Op::FpFma(mode) => number(0).mul_add_r(number(1), number(2), rounding(mode)).value,
        Op::FpRoundToIntegral(mode) => number(0).round_to_integral(rounding(mode)).value,
        Op::FpRem => number(0).ieee_rem(number(1)).value,
        Op::FpFmod => number(0).c_fmod(number(1)).value,
        Op::FpSqrt(mode) => square_root(number(0), rounding(mode)),
        other => return refuse(format!("{other:?} is not evaluated")),
    };
    Ok(result.to_packed())
}

/// Digit by digit, the remainder as sticky bit, rounded by a multiplication with a power of two, which is exact but for
/// rounding.
fn square_root<F: Layout>(number: F, round: Round) -> F {
    if number.is_nan() || number.is_zero() || (number.is_infinite() && !number.is_negative()) {
        return number;
    }
    if number.is_negative() {
        return F::NAN;
    }
    // number = whole · 2^(exponent), with an even exponent and a whole number of just PRECISION bits or one more.
    let precision = F::PRECISION as i32;
    let mut exponent = number.ilogb() - (precision - 1);
    let mut whole = number.scalbn(-exponent).to_u128_r(128, Round::TowardZero, &mut false).value;
    if exponent % 2 != 0 {
        whole <<= 1;
        exponent -= 1;
    }
    let bits = 128 - whole.leading_zeros();
    let pairs = bits.div_ceil(2);
    let digits = precision as u32 + 3;
    let (mut root, mut remainder) = (0u128, 0u128);
    for digit in 0..digits {
        let next = if digit < pairs { whole >> (2 * (pairs - 1 - digit)) & 3 } else { 0 };
        remainder = remainder << 2 | next;
        let trial = root << 2 | 1;
        root <<= 1;
        if remainder >= trial {
            remainder -= trial;
            root |= 1;
        }
    }
    let extended = root << 1 | u128::from(remainder != 0);
    let scale = exponent / 2 + pairs as i32 - digits as i32 - 1;
    // A root is never subnormal, so that scaling is exact.
    F::from_u128_r(extended, round).value.scalbn(scale)
}

fn compare<F: Layout>(left: u128, right: u128) -> Result<Option<Ordering>, NotEvaluated> {
    Ok(F::from_packed(left).partial_cmp(&F::from_packed(right)))
}

fn classify<F: Layout>(bits: u128) -> Result<(Category, bool, bool), NotEvaluated> {
    let number = F::from_packed(bits);
    Ok((number.category(), number.is_negative(), number.is_denormal()))
}

fn convert_from<F>(mode: RoundingMode, bits: u128, to: FloatFormat) -> Result<u128, NotEvaluated>
where
    F: Layout
        + FloatConvert<Half>
        + FloatConvert<BFloat>
        + FloatConvert<Single>
        + FloatConvert<Double>
        + FloatConvert<X87DoubleExtended>
        + FloatConvert<Quad>,
{
    fn convert_to<T: Layout, F: Layout + FloatConvert<T>>(
        mode: RoundingMode,
        bits: u128,
    ) -> Result<u128, NotEvaluated> {
        Ok(F::from_packed(bits).convert_r(rounding(mode), &mut false).value.to_packed())
    }
    with_format!(to, convert_to::<_, F>(mode, bits))
}

fn from_signed<F: Layout>(mode: RoundingMode, number: i128) -> Result<u128, NotEvaluated> {
    Ok(F::from_i128_r(number, rounding(mode)).value.to_packed())
}

fn from_unsigned<F: Layout>(mode: RoundingMode, number: u128) -> Result<u128, NotEvaluated> {
    Ok(F::from_u128_r(number, rounding(mode)).value.to_packed())
}

/// `None`: out of range.
fn to_integer<F: Layout>(
    mode: RoundingMode,
    bits: u128,
    width: u32,
    is_signed: bool,
) -> Result<Option<u128>, NotEvaluated> {
    let number = F::from_packed(bits);
    let (status, result) = if is_signed {
        let result = number.to_i128_r(width as usize, rounding(mode), &mut false);
        (result.status, result.value as u128)
    } else {
        let result = number.to_u128_r(width as usize, rounding(mode), &mut false);
        (result.status, result.value)
    };
    Ok((!status.contains(rustc_apfloat::Status::INVALID_OP)).then_some(result))
}

/// The value of a float operator applied to values of the given sorts.
pub(crate) fn apply_float(op: Op, sorts: &[Sort], values: &[&Value]) -> Result<Value, NotEvaluated> {
    let format_of = |position: usize| match sorts[position] {
        Sort::Float(format) => format,
        other => unreachable!("the argument is a float, not {other:?}"),
    };
    let known = |format: FloatFormat| with_format!(format, is_known::<_>());
    if let Some(&Sort::Float(format)) = sorts.first() {
        known(format)?;
    }
    let number_of = |position: usize| {
        let bits = values[position].as_bits().expect("the sort is a bit-vector");
        bits.to_u128()
            .ok_or_else(|| NotEvaluated { why: "numbers of more than 128 bits are not evaluated".into() })
    };
    let class = || {
        let format = format_of(0);
        with_format!(format, classify::<_>(packed(values[0])))
    };
    let order = || {
        let format = format_of(0);
        with_format!(format, compare::<_>(packed(values[0]), packed(values[1])))
    };
    let test = |wanted: Category| Ok(Value::Bool(class()?.0 == wanted));
    match op {
        Op::FpNeg | Op::FpAbs => {
            let format = format_of(0);
            let sign = 1u128 << (format.width() - 1);
            let bits = packed(values[0]);
            Ok(value(if op == Op::FpNeg { bits ^ sign } else { bits & !sign }, format))
        }
        Op::FpMin | Op::FpMax => {
            let format = format_of(0);
            let (a, b) = (packed(values[0]), packed(values[1]));
            let first = match order()? {
                None => is_nan(b, format),
                Some(order) => order == if op == Op::FpMin { Ordering::Less } else { Ordering::Greater },
            };
            Ok(value(if first { a } else { b }, format))
        }
        Op::FpEqual => Ok(Value::Bool(order()? == Some(Ordering::Equal))),
        Op::FpLess => Ok(Value::Bool(order()? == Some(Ordering::Less))),
        Op::FpLessOrEqual => Ok(Value::Bool(order()?.is_some_and(Ordering::is_le))),
        Op::FpIsNan => test(Category::NaN),
        Op::FpIsInfinite => test(Category::Infinity),
        Op::FpIsZero => test(Category::Zero),
        Op::FpIsNormal => {
            class().map(|(category, _, subnormal)| Value::Bool(category == Category::Normal && !subnormal))
        }
        Op::FpIsSubnormal => class().map(|(_, _, subnormal)| Value::Bool(subnormal)),
        Op::FpIsNegative | Op::FpIsPositive => {
            let (category, negative, _) = class()?;
            Ok(Value::Bool(category != Category::NaN && negative == (op == Op::FpIsNegative)))
        }
        Op::FpFromBits(format) => {
            known(format)?;
            Ok(value(number_of(0)?, format))
        }
        Op::FpToBits => {
            let format = format_of(0);
            let bits = packed(values[0]);
            let bits = if is_nan(bits, format) { number_of(1)? | the_nan(format) } else { bits };
            Ok(Value::Bits(Bits::from_i128(format.width(), bits as i128)))
        }
        Op::FpFromFloat(mode, to) => {
            let from = format_of(0);
            Ok(value(with_format!(from, convert_from::<_>(mode, packed(values[0]), to))?, to))
        }
        Op::FpFromSigned(mode, to) => {
            let bits = values[0].as_bits().expect("the sort is a bit-vector");
            let Some(number) = bits.to_i128() else {
                return refuse("numbers of more than 128 bits are not evaluated");
            };
            Ok(value(with_format!(to, from_signed::<_>(mode, number))?, to))
        }
        Op::FpFromUnsigned(mode, to) => {
            let number = number_of(0)?;
            Ok(value(with_format!(to, from_unsigned::<_>(mode, number))?, to))
        }
        Op::FpToSigned(mode, width) | Op::FpToUnsigned(mode, width) => {
            let is_signed = matches!(op, Op::FpToSigned(..));
            if width > 128 {
                return refuse("numbers of more than 128 bits are not evaluated");
            }
            let format = format_of(0);
            let whole = with_format!(format, to_integer::<_>(mode, packed(values[0]), width, is_signed))?;
            Ok(Value::Bits(match whole {
                Some(number) => Bits::from_i128(width, number as i128),
                None if is_signed => Bits::signed_minimum(width),
                None => Bits::ones(width),
            }))
        }
        _ => {
            let format = format_of(0);
            let numbers: Vec<u128> = values.iter().map(|value| packed(value)).collect();
            let bits = match by_machine(op, format, &numbers) {
                Some(bits) => bits,
                None => with_format!(format, compute::<_>(op, &numbers))?,
            };
            Ok(value(bits, format))
        }
    }
}

fn is_known<F: Layout>() -> Result<(), NotEvaluated> {
    Ok(())
}
