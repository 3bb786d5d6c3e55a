//! `math.h`. `float` and `double` go to the machine's own library, as the compiled program would; the wide formats are
//! computed exactly where the result is defined exactly, and are not known otherwise.

use super::{Arguments, Native};
use crate::machine::{Machine, Step, Value};
use crate::number::soft::{self, ToWhole};
use crate::number::{Class, is_nan, parts, sign_bit};
use crate::outcome::UnknownReason;
use crate::settings::Outside;
use program::FloatKind;
use program::known::MathFunction;
use std::cmp::Ordering;

pub fn call(
    machine: &mut Machine<'_, '_>,
    function: MathFunction,
    kind: FloatKind,
    arguments: &Arguments,
) -> Step<Native> {
    use MathFunction::*;
    let left = arguments.float(machine, 0)?;
    let takes_two = matches!(
        function,
        Fmod | Remainder | Fmin | Fmax | Fdim | Copysign | Pow | Atan2 | Hypot | Nextafter | Fma
    );
    let right = if takes_two { arguments.float(machine, 1)? } else { 0 };
    if let Some(answer) = question(function, left, kind) {
        return Ok(Native::int(answer));
    }
    if matches!(function, Fmin | Fmax)
        && machine.settings.outside == Outside::Inputs
        && left != right
        && soft::compare(left, right, kind) == Some(Ordering::Equal)
    {
        let name = format!("{function:?}").to_ascii_lowercase();
        let message = format!("which of two zeros `{name}` gives is not known");
        return Err(machine.unknown(UnknownReason::Unsupported, message));
    }
    let result = match function {
        Fma => Some(soft::multiply_add(left, right, arguments.float(machine, 2)?, kind)),
        _ => exact(function, left, right, kind).or_else(|| by_machine(function, left, right, kind)),
    };
    if result.is_some_and(|bits| may_set_error_number(function, bits, kind)) && looks_at_error_number(machine)
    {
        let name = format!("{function:?}").to_ascii_lowercase();
        return Err(machine.unsupported(format!("whether `{name}` sets `errno` here")));
    }
    match result {
        Some(bits) if matches!(kind, FloatKind::Float | FloatKind::Double) => {
            Ok(Native::Value(Value::Word(bits as u64)))
        }
        Some(bits) => Ok(Native::Value(Value::Wide(bits))),
        None => {
            let name = format!("{function:?}").to_ascii_lowercase();
            Err(machine.unsupported(format!("`{name}` of `{}` values is not known exactly", kind.name())))
        }
    }
}

/// Outside its domain or range, a function may set `errno`.
fn may_set_error_number(function: MathFunction, result: u128, kind: FloatKind) -> bool {
    use MathFunction::*;
    let never = matches!(
        function,
        Fabs | Floor | Ceil | Trunc | Round | Rint | Fmin | Fmax | Copysign | Atan | Cbrt | Tanh
    );
    let is_small = |mantissa: u128| mantissa >> (mantissa_bits(kind) - 1) == 0;
    !never
        && match parts(result, kind).class {
            Class::Nan | Class::Infinite => true,
            Class::Number { mantissa, .. } => matches!(function, Exp | Pow) && is_small(mantissa),
        }
}

fn looks_at_error_number(machine: &Machine<'_, '_>) -> bool {
    let location = machine.program.procedure_named("__errno_location");
    location.is_some_and(|id| machine.program.procedures[id].body.is_some())
}

/// Functions that answer with an `int`, as glibc numbers it.
fn question(function: MathFunction, bits: u128, kind: FloatKind) -> Option<i64> {
    let parts = parts(bits, kind);
    let class = parts.class;
    Some(match function {
        MathFunction::IsNan => i64::from(class == Class::Nan),
        MathFunction::IsInf if class == Class::Infinite => {
            if parts.negative {
                -1
            } else {
                1
            }
        }
        MathFunction::IsInf => 0,
        MathFunction::IsFinite => i64::from(matches!(class, Class::Number { .. })),
        MathFunction::SignBit => i64::from(parts.negative),
        // FP_NAN 0, FP_INFINITE 1, FP_ZERO 2, FP_SUBNORMAL 3, FP_NORMAL 4
        MathFunction::Classify => match class {
            Class::Nan => 0,
            Class::Infinite => 1,
            Class::Number { mantissa: 0, .. } => 2,
            Class::Number { mantissa, .. } if mantissa >> (mantissa_bits(kind) - 1) == 0 => 3,
            Class::Number { .. } => 4,
        },
        _ => return None,
    })
}

fn mantissa_bits(kind: FloatKind) -> u32 {
    match kind {
        FloatKind::Float => 24,
        FloatKind::Double => 53,
        FloatKind::LongDouble => 64,
        FloatKind::Float128 => 113,
    }
}

/// Functions whose result IEEE 754 fixes, in every format.
fn exact(function: MathFunction, left: u128, right: u128, kind: FloatKind) -> Option<u128> {
    use MathFunction::*;
    Some(match function {
        Sqrt => soft::square_root(left, kind),
        Nextafter => soft::next_after(left, right, kind),
        Fabs => left & !sign_bit(kind),
        Copysign => left & !sign_bit(kind) | right & sign_bit(kind),
        Floor => soft::round_to_whole(left, kind, ToWhole::Down),
        Ceil => soft::round_to_whole(left, kind, ToWhole::Up),
        Trunc => soft::round_to_whole(left, kind, ToWhole::TowardsZero),
        Round => soft::round_to_whole(left, kind, ToWhole::HalfAway),
        Rint => soft::round_to_whole(left, kind, ToWhole::HalfEven),
        Fmod => soft::remainder_towards_zero(left, right, kind),
        Remainder => soft::remainder_to_nearest(left, right, kind),
        Fmin | Fmax if is_nan(left, kind) && is_nan(right, kind) => soft::not_a_number(left, right, kind),
        Fmin | Fmax if is_nan(left, kind) => right,
        Fmin | Fmax if is_nan(right, kind) => left,
        // Of two zeros, glibc gives the first.
        Fmin if soft::compare(left, right, kind) == Some(Ordering::Greater) => right,
        Fmax if soft::compare(left, right, kind) == Some(Ordering::Less) => right,
        Fmin | Fmax => left,
        Fdim => match soft::compare(left, right, kind) {
            Some(Ordering::Greater) | None => {
                soft::arithmetic(program::BinaryOp::Subtract, left, right, kind)
            }
            _ => 0,
        },
        _ => return None,
    })
}

/// The rest, in `float` and `double`. Not `cbrt`: Rust computes it by itself and rounds otherwise than glibc.
fn by_machine(function: MathFunction, left: u128, right: u128, kind: FloatKind) -> Option<u128> {
    use MathFunction::*;
    macro_rules! computed {
        ($x:expr, $y:expr) => {
            match function {
                Pow => $x.powf($y),
                Exp => $x.exp(),
                Log => $x.ln(),
                Log2 => $x.log2(),
                Log10 => $x.log10(),
                Sin => $x.sin(),
                Cos => $x.cos(),
                Tan => $x.tan(),
                Asin => $x.asin(),
                Acos => $x.acos(),
                Atan => $x.atan(),
                Atan2 => $x.atan2($y),
                Sinh => $x.sinh(),
                Cosh => $x.cosh(),
                Tanh => $x.tanh(),
                Hypot => $x.hypot($y),
                _ => return None,
            }
        };
    }
    match kind {
        FloatKind::Float => {
            let (x, y) = (f32::from_bits(left as u32), f32::from_bits(right as u32));
            Some(u128::from(computed!(x, y).to_bits()))
        }
        FloatKind::Double => {
            let (x, y) = (f64::from_bits(left as u64), f64::from_bits(right as u64));
            Some(u128::from(computed!(x, y).to_bits()))
        }
        _ => None,
    }
}
