//! Functions of `math.h`, by name and format.

use super::Known;
use crate::FloatKind;

/// Functions of `math.h` on one, two or three values of one format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum MathFunction {
    Sqrt,
    Fabs,
    Floor,
    Ceil,
    Trunc,
    Round,
    Rint,
    Fmod,
    Remainder,
    Fmin,
    Fmax,
    Fdim,
    Copysign,
    Pow,
    Exp,
    Log,
    Log2,
    Log10,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Cbrt,
    Hypot,
    /// Multiplication and addition, rounded once; of three values.
    Fma,
    Nextafter,
    /// `isnan` as a function: an `int`.
    IsNan,
    /// `isinf` as a function: an `int`, -1 or 1 by sign as glibc has it.
    IsInf,
    /// `finite`, `__finite`: an `int`.
    IsFinite,
    /// `signbit`, `__signbit`: an `int`.
    SignBit,
    /// `__fpclassify`: glibc's `FP_…` value.
    Classify,
}

pub(super) fn math(name: &str) -> Option<Known> {
    if let Some(function) = math_function(name) {
        return Some(Known::Math(function, FloatKind::Double));
    }
    let kind = match name.as_bytes().last()? {
        b'f' => FloatKind::Float,
        b'l' => FloatKind::LongDouble,
        _ => return None,
    };
    Some(Known::Math(math_function(&name[..name.len() - 1])?, kind))
}

fn math_function(name: &str) -> Option<MathFunction> {
    use MathFunction::*;
    Some(match name {
        "sqrt" => Sqrt,
        "fabs" => Fabs,
        "floor" => Floor,
        "ceil" => Ceil,
        "trunc" => Trunc,
        "round" => Round,
        "rint" | "nearbyint" => Rint,
        "fmod" => Fmod,
        "remainder" => Remainder,
        "fmin" => Fmin,
        "fmax" => Fmax,
        "fdim" => Fdim,
        "copysign" => Copysign,
        "pow" => Pow,
        "exp" => Exp,
        "log" => Log,
        "log2" => Log2,
        "log10" => Log10,
        "sin" => Sin,
        "cos" => Cos,
        "tan" => Tan,
        "asin" => Asin,
        "acos" => Acos,
        "atan" => Atan,
        "atan2" => Atan2,
        "sinh" => Sinh,
        "cosh" => Cosh,
        "tanh" => Tanh,
        "cbrt" => Cbrt,
        "hypot" => Hypot,
        "fma" => Fma,
        "nextafter" => Nextafter,
        "isnan" | "__isnan" => IsNan,
        "isinf" | "__isinf" => IsInf,
        "finite" | "__finite" => IsFinite,
        "signbit" | "__signbit" => SignBit,
        "__fpclassify" => Classify,
        _ => return None,
    })
}
