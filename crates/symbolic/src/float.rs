//! Floating arithmetic. Scalars are the bits of their formats, so that memory and unions are nothing special; every operation takes bits
//! to a float term and its result back to bits. The simplifier cancels such a pair, so that chains of operations are over floats only.
//!
//! What IEEE 754 and C leave open is left open: the bits of a NaN that an operation makes (any quiet NaN, another each time: gcc may swap
//! operands, and x86 keeps the payload of the first), which zero `fmin` and `fmax` give, and what functions such as `sin` give within
//! their range. Rounding is to nearest; `long double` is the x87 format, whose encodings that no instruction makes are not followed.

use crate::step::{Encoder, FailureKind};
use logic::term::{FloatFormat, RoundingMode};
use logic::{Sort, TermId};
use program::known::MathFunction;
use program::types::IntegerShape;
use program::{BinaryOp, FloatKind};

const NEAREST: RoundingMode = RoundingMode::NearestEven;

/// The format of a kind, without the bit that x87 stores in front of the fraction.
fn format_of(kind: FloatKind) -> FloatFormat {
    match kind {
        FloatKind::Float => FloatFormat::SINGLE,
        FloatKind::Double => FloatFormat::DOUBLE,
        FloatKind::LongDouble => FloatFormat::EXTENDED,
        FloatKind::Float128 => FloatFormat::QUAD,
    }
}

impl Encoder<'_> {
    /// The float with the bits of a scalar.
    fn float(&mut self, bits: TermId, kind: FloatKind) -> TermId {
        let format = format_of(kind);
        let bits = if kind == FloatKind::LongDouble { self.without_leading_bit(bits) } else { bits };
        let float = self.terms.pool.fp_from_bits(bits, format);
        self.terms.simple(float)
    }

    /// Does the leading bit of a `long double` say that the exponent is not zero?
    pub(crate) fn leading_bit_fits(&mut self, bits: TermId) -> TermId {
        let exponent = self.terms.cut(bits, 78, 64);
        let has_exponent = self.terms.is_nonzero(exponent);
        let leading = self.terms.cut(bits, 63, 63);
        let leads = self.terms.is_nonzero(leading);
        self.terms.equal(has_exponent, leads)
    }

    /// The leading bit of a `long double` says whether the exponent is zero; anything else is no number that x87 makes.
    fn without_leading_bit(&mut self, bits: TermId) -> TermId {
        let fits = self.leading_bit_fits(bits);
        let is_odd = self.terms.not(fits);
        if self.terms.truth(is_odd) != Some(false) {
            self.effect.failures.push(crate::Failure {
                condition: is_odd,
                kind: FailureKind::Unknown,
                detail: Some("a `long double` whose leading bit contradicts its exponent".into()),
                span: self.span,
            });
        }
        let (above, fraction) = (self.terms.cut(bits, 79, 64), self.terms.cut(bits, 62, 0));
        self.terms.join(above, fraction)
    }

    /// The bits of a float as a scalar. Of what is not a number: any quiet NaN.
    fn float_bits(&mut self, float: TermId, kind: FloatKind) -> TermId {
        let nan = self.terms.fresh_bits("which NaN", format_of(kind).width());
        let bits = self.terms.pool.fp_to_bits(float, nan);
        let bits = self.terms.simple(bits);
        if kind != FloatKind::LongDouble {
            return bits;
        }
        let (above, exponent) = (self.terms.cut(bits, 78, 63), self.terms.cut(bits, 77, 63));
        let has_exponent = self.terms.is_nonzero(exponent);
        let leading = self.terms.pool.bool_to_bits(has_exponent, 1);
        let leading = self.terms.simple(leading);
        let fraction = self.terms.cut(bits, 62, 0);
        let low = self.terms.join(leading, fraction);
        self.terms.join(above, low)
    }

    /// A constant of a format that every format holds exactly.
    fn float_constant(&mut self, value: f64, kind: FloatKind) -> TermId {
        let constant = self.terms.pool.double_constant(value);
        let constant = self.terms.pool.fp_from_float(NEAREST, constant, format_of(kind));
        self.terms.simple(constant)
    }

    pub(crate) fn float_is_nonzero(&mut self, value: TermId, kind: FloatKind) -> TermId {
        let float = self.float(value, kind);
        let is_zero = self.terms.pool.fp_is_zero(float);
        let is_zero = self.terms.simple(is_zero);
        self.terms.not(is_zero)
    }

    pub(crate) fn float_operation(&mut self, op: BinaryOp, a: TermId, b: TermId, kind: FloatKind) -> TermId {
        let (x, y) = (self.float(a, kind), self.float(b, kind));
        let pool = &mut self.terms.pool;
        let result = match op {
            BinaryOp::Add => pool.fp_add(NEAREST, x, y),
            BinaryOp::Subtract => pool.fp_sub(NEAREST, x, y),
            BinaryOp::Multiply => pool.fp_mul(NEAREST, x, y),
            BinaryOp::Divide => pool.fp_div(NEAREST, x, y),
            other => unreachable!("`{}` is no operator on floats", other.symbol()),
        };
        self.float_bits(result, kind)
    }

    /// NaN compares unequal, zeros are equal.
    pub(crate) fn float_comparison(&mut self, op: BinaryOp, a: TermId, b: TermId, kind: FloatKind) -> TermId {
        let (x, y) = (self.float(a, kind), self.float(b, kind));
        self.compare(op, x, y)
    }

    fn compare(&mut self, op: BinaryOp, x: TermId, y: TermId) -> TermId {
        let pool = &mut self.terms.pool;
        let holds = match op {
            BinaryOp::Equal | BinaryOp::NotEqual => pool.fp_equal(x, y),
            BinaryOp::Less => pool.fp_less(x, y),
            BinaryOp::LessEqual => pool.fp_less_or_equal(x, y),
            BinaryOp::Greater => pool.fp_less(y, x),
            BinaryOp::GreaterEqual => pool.fp_less_or_equal(y, x),
            other => unreachable!("`{}` is no comparison", other.symbol()),
        };
        let holds = self.terms.simple(holds);
        if op == BinaryOp::NotEqual { self.terms.not(holds) } else { holds }
    }

    pub(crate) fn float_to_float(&mut self, value: TermId, from: FloatKind, to: FloatKind) -> TermId {
        if from == to {
            return value;
        }
        let float = self.float(value, from);
        let converted = self.terms.pool.fp_from_float(NEAREST, float, format_of(to));
        self.float_bits(converted, to)
    }

    /// Cut towards zero. Out of range is undefined; what comes then is what gcc's instructions on x86 give, which convert to 32 or 64 signed
    /// bits and give the least number where those do not suffice.
    pub(crate) fn float_to_integer(&mut self, value: TermId, kind: FloatKind, shape: IntegerShape) -> TermId {
        let float = self.float(value, kind);
        let cut = |encoder: &mut Self, width: u32| {
            let term = encoder.terms.pool.fp_to_signed(RoundingMode::TowardZero, float, width);
            encoder.terms.simple(term)
        };
        match (shape.width, shape.signed) {
            (..=16, _) | (32, true) => {
                let wide = cut(self, 32);
                self.terms.resize(wide, shape.width, true)
            }
            (..=32, _) | (64, true) => {
                let wide = cut(self, 64);
                self.terms.resize(wide, shape.width, true)
            }
            (64, false) => {
                // From 2^63 on that much less is converted, and the bit put back; from 2^64 on, that bit twice.
                let wide = cut(self, 66);
                let low = self.terms.cut(wide, 63, 0);
                let (half, whole) = (2f64.powi(63), 2f64.powi(64));
                let (least, limit) = (self.float_constant(-half, kind), self.float_constant(whole, kind));
                let is_above = self.compare(BinaryOp::GreaterEqual, float, limit);
                let fits = self.compare(BinaryOp::GreaterEqual, float, least);
                let (zero, indefinite) = (self.terms.number(64, 0), self.terms.number(64, 1 << 63));
                let signed = self.terms.ite(fits, low, indefinite);
                self.terms.ite(is_above, zero, signed)
            }
            (width, signed) => {
                let term = match signed {
                    true => self.terms.pool.fp_to_signed(RoundingMode::TowardZero, float, width),
                    false => self.terms.pool.fp_to_unsigned(RoundingMode::TowardZero, float, width),
                };
                let inside = self.terms.simple(term);
                // libgcc does not say what it gives outside.
                let outside = self.terms.fresh_bits("out of range", width);
                let power = 2f64.powi(width as i32 - i32::from(signed));
                let limit = self.float_constant(power, kind);
                let below = self.compare(BinaryOp::Less, float, limit);
                let least = self.float_constant(if signed { -power } else { 0.0 }, kind);
                let above = self.compare(BinaryOp::GreaterEqual, float, least);
                let fits = self.terms.and(below, above);
                self.terms.ite(fits, inside, outside)
            }
        }
    }

    pub(crate) fn integer_to_float(&mut self, value: TermId, shape: IntegerShape, kind: FloatKind) -> TermId {
        let pool = &mut self.terms.pool;
        let float = match shape.signed {
            true => pool.fp_from_signed(NEAREST, value, format_of(kind)),
            false => pool.fp_from_unsigned(NEAREST, value, format_of(kind)),
        };
        self.float_bits(float, kind)
    }

    /// A function of `math.h`. `None`: the operands are not what it takes.
    pub(crate) fn math(
        &mut self,
        function: MathFunction,
        kind: FloatKind,
        operands: &[TermId],
    ) -> Option<TermId> {
        use MathFunction::*;
        let width = crate::value::float_width(kind);
        let takes = match function {
            Fma => 3,
            Fmod | Remainder | Fmin | Fmax | Fdim | Copysign | Pow | Atan2 | Hypot | Nextafter => 2,
            _ => 1,
        };
        if operands.len() != takes || operands.iter().any(|&operand| self.terms.pool.width(operand) != width)
        {
            return None;
        }
        let sign_of = |encoder: &mut Self, bits: TermId| encoder.terms.cut(bits, width - 1, width - 1);
        // On the bits, NaN or not.
        match function {
            Fabs => {
                let magnitude = self.terms.cut(operands[0], width - 2, 0);
                return Some(self.terms.resize(magnitude, width, false));
            }
            Copysign => {
                let magnitude = self.terms.cut(operands[0], width - 2, 0);
                let sign = sign_of(self, operands[1]);
                return Some(self.terms.join(sign, magnitude));
            }
            SignBit => {
                let sign = sign_of(self, operands[0]);
                return Some(self.terms.resize(sign, 32, false));
            }
            _ => {}
        }
        let floats: Vec<TermId> = operands.iter().map(|&operand| self.float(operand, kind)).collect();
        let x = floats[0];
        let y = floats.get(1).copied().unwrap_or(x);
        let whole = |encoder: &mut Self, mode: RoundingMode| encoder.terms.pool.fp_round_to_integral(mode, x);
        let result = match function {
            IsNan | IsInf | IsFinite | Classify => return Some(self.classified(function, x)),
            Fmin | Fmax => return Some(self.extremum(function, operands, x, y)),
            Sqrt => self.terms.pool.fp_sqrt(NEAREST, x),
            Floor => whole(self, RoundingMode::TowardNegative),
            Ceil => whole(self, RoundingMode::TowardPositive),
            Trunc => whole(self, RoundingMode::TowardZero),
            Round => whole(self, RoundingMode::NearestAway),
            Rint => whole(self, NEAREST),
            Fmod => self.terms.pool.fp_fmod(x, y),
            Remainder => self.terms.pool.fp_rem(x, y),
            Fma => self.terms.pool.fp_fma(NEAREST, x, y, floats[2]),
            Fdim => {
                let difference = self.terms.pool.fp_sub(NEAREST, x, y);
                let is_not_above = self.compare(BinaryOp::LessEqual, x, y);
                let zero = self.float_constant(0.0, kind);
                self.terms.ite(is_not_above, zero, difference)
            }
            Nextafter => return Some(self.next_after(operands, x, y, kind)),
            _ => self.within_range(function, kind, &floats),
        };
        Some(self.float_bits(result, kind))
    }

    fn classified(&mut self, function: MathFunction, x: TermId) -> TermId {
        let pool = &mut self.terms.pool;
        let (nan, infinite) = (pool.fp_is_nan(x), pool.fp_is_infinite(x));
        let number = |encoder: &mut Self, value: u128| encoder.terms.number(32, value);
        let (zero, one) = (number(self, 0), number(self, 1));
        let term = match function {
            MathFunction::IsNan => self.terms.ite(nan, one, zero),
            MathFunction::IsInf => {
                let minus_one = number(self, u128::MAX);
                let negative = self.terms.pool.fp_is_negative(x);
                let either = self.terms.ite(negative, minus_one, one);
                self.terms.ite(infinite, either, zero)
            }
            MathFunction::IsFinite => {
                let special = self.terms.or(nan, infinite);
                self.terms.ite(special, zero, one)
            }
            // FP_NAN 0, FP_INFINITE 1, FP_ZERO 2, FP_SUBNORMAL 3, FP_NORMAL 4
            _ => {
                let pool = &mut self.terms.pool;
                let (is_zero, is_small) = (pool.fp_is_zero(x), pool.fp_is_subnormal(x));
                let (two, three, four) = (number(self, 2), number(self, 3), number(self, 4));
                let rest = self.terms.ite(is_small, three, four);
                let rest = self.terms.ite(is_zero, two, rest);
                let rest = self.terms.ite(infinite, one, rest);
                self.terms.ite(nan, zero, rest)
            }
        };
        self.terms.simple(term)
    }

    /// A number rather than NaN; of two zeros, either.
    fn extremum(&mut self, function: MathFunction, operands: &[TermId], x: TermId, y: TermId) -> TermId {
        let (first, second) = (operands[0], operands[1]);
        let before = if function == MathFunction::Fmin { BinaryOp::Less } else { BinaryOp::Greater };
        let takes_first = self.compare(before, x, y);
        let nan_y = self.terms.pool.fp_is_nan(y);
        let nan_x = self.terms.pool.fp_is_nan(x);
        let (nan_x, nan_y) = (self.terms.simple(nan_x), self.terms.simple(nan_y));
        let takes_first = self.terms.or(takes_first, nan_y);
        let equal = self.compare(BinaryOp::Equal, x, y);
        let same = self.terms.equal(first, second);
        let differ = self.terms.not(same);
        // Equal and yet not the same: zeros. And of two NaNs, either.
        let zeros = self.terms.and(equal, differ);
        let nans = self.terms.and(nan_x, nan_y);
        let open = self.terms.or(zeros, nans);
        let takes_first = if self.terms.truth(open) == Some(false) {
            takes_first
        } else {
            let either = self.terms.fresh("which of two equal", Sort::Bool);
            self.terms.ite(open, either, takes_first)
        };
        self.terms.ite(takes_first, first, second)
    }

    /// The neighbour in the direction of another number. The magnitudes of a format are in the order of their bits.
    fn next_after(&mut self, operands: &[TermId], x: TermId, y: TermId, kind: FloatKind) -> TermId {
        let format = format_of(kind);
        let width = format.width();
        // Over the bits without the one that x87 stores in front of the fraction.
        let packed =
            if kind == FloatKind::LongDouble { self.without_leading_bit(operands[0]) } else { operands[0] };
        let (one, sign) = (self.terms.number(width, 1), self.terms.number(width, 1 << (width - 1)));
        let up = self.compare(BinaryOp::Less, x, y);
        let negative = self.terms.cut(packed, width - 1, width - 1);
        let negative = self.terms.is_nonzero(negative);
        let is_zero = self.terms.pool.fp_is_zero(x);
        let is_zero = self.terms.simple(is_zero);
        let (more, less) = (self.terms.add(packed, one), self.terms.sub(packed, one));
        let positive = self.terms.ite(up, more, less);
        let other = self.terms.ite(up, less, more);
        let moved = self.terms.ite(negative, other, positive);
        let least_negative = self.terms.add(sign, one);
        let least = self.terms.ite(up, one, least_negative);
        let moved = self.terms.ite(is_zero, least, moved);
        let moved = self.terms.pool.fp_from_bits(moved, format);
        // y itself when they are equal (zeros may differ in sign), and NaN, as a sum, when one is.
        let equal = self.compare(BinaryOp::Equal, x, y);
        let result = self.terms.ite(equal, y, moved);
        let sum = self.terms.pool.fp_add(NEAREST, x, y);
        let (nan_x, nan_y) = (self.terms.pool.fp_is_nan(x), self.terms.pool.fp_is_nan(y));
        let is_nan = self.terms.or(nan_x, nan_y);
        let result = self.terms.ite(is_nan, sum, result);
        self.float_bits(result, kind)
    }

    /// Functions that are not correctly rounded: the same result for the same operands, in the range that the function has, with the special
    /// values of C11 annex F. Ranges are wider than exact ones by more than any library errs.
    fn within_range(&mut self, function: MathFunction, kind: FloatKind, operands: &[TermId]) -> TermId {
        use MathFunction::*;
        let format = format_of(kind);
        let sort = Sort::Float(format);
        let name = format!("{function:?}{}", format.width());
        let in_words = format!("{function:?}").to_lowercase();
        self.notes.insert(format!("`{in_words}` may give any result of its range"));
        let symbol = self.terms.pool.function(&name, &vec![sort; operands.len()], sort);
        let result = self.terms.pool.apply(symbol, operands);
        let x = operands[0];
        let constant = |encoder: &mut Self, value: f64| encoder.float_constant(value, kind);
        let (zero, one) = (constant(self, 0.0), constant(self, 1.0));
        let (minus_one, infinity) = (constant(self, -1.0), constant(self, f64::INFINITY));
        let is = |encoder: &mut Self, term: TermId| encoder.terms.simple(term);
        let nan_x = self.terms.pool.fp_is_nan(x);
        let nan_x = is(self, nan_x);
        let infinite_x = self.terms.pool.fp_is_infinite(x);
        let infinite_x = is(self, infinite_x);
        let nan_result = self.terms.pool.fp_is_nan(result);
        let zero_x = self.terms.pool.fp_is_zero(x);
        let zero_x = is(self, zero_x);
        let mut facts: Vec<TermId> = Vec::new();
        // When it is no number.
        let never = self.terms.no();
        let no_number = match function {
            Sin | Cos | Tan => Some(self.terms.or(nan_x, infinite_x)),
            Asin | Acos => {
                let above = self.compare(BinaryOp::Greater, x, one);
                let below = self.compare(BinaryOp::Less, x, minus_one);
                let outside = self.terms.or(above, below);
                Some(self.terms.or(outside, nan_x))
            }
            Log | Log2 | Log10 => {
                let below = self.compare(BinaryOp::Less, x, zero);
                Some(self.terms.or(below, nan_x))
            }
            Exp | Atan | Sinh | Cosh | Tanh | Cbrt => Some(nan_x),
            Atan2 => {
                let nan_y = self.terms.pool.fp_is_nan(operands[1]);
                Some(self.terms.or(nan_x, nan_y))
            }
            Hypot => {
                let (nan_y, infinite_y) =
                    (self.terms.pool.fp_is_nan(operands[1]), self.terms.pool.fp_is_infinite(operands[1]));
                let nan = self.terms.or(nan_x, nan_y);
                let infinite = self.terms.or(infinite_x, infinite_y);
                let finite = self.terms.not(infinite);
                Some(self.terms.and(nan, finite))
            }
            _ => None,
        };
        if let Some(no_number) = no_number {
            facts.push(self.terms.equal(nan_result, no_number));
        }
        let no_number = no_number.unwrap_or(never);
        // The range of what is a number.
        let range = match function {
            Sin | Cos | Tanh => Some((-1.0, 1.0)),
            Asin | Atan => Some((-1.6, 1.6)),
            Acos => Some((0.0, 3.2)),
            Atan2 => Some((-3.2, 3.2)),
            Exp | Hypot => Some((0.0, f64::INFINITY)),
            Cosh => Some((1.0, f64::INFINITY)),
            _ => None,
        };
        if let Some((low, high)) = range {
            let (low, high) = (constant(self, low), constant(self, high));
            let above = self.compare(BinaryOp::LessEqual, low, result);
            let below = self.compare(BinaryOp::LessEqual, result, high);
            let inside = self.terms.and(above, below);
            facts.push(self.terms.or(no_number, inside));
        }
        // Special values.
        let mut gives = |encoder: &mut Self, when: TermId, value: TermId| {
            let is_it = encoder.terms.equal(result, value);
            let not_when = encoder.terms.not(when);
            facts.push(encoder.terms.or(not_when, is_it));
        };
        let is_one = self.terms.equal(x, one);
        match function {
            Sin | Tan | Asin | Atan | Sinh | Tanh | Cbrt => gives(self, zero_x, x),
            Cos | Cosh | Exp => gives(self, zero_x, one),
            Log | Log2 | Log10 => {
                let minus_infinity = constant(self, f64::NEG_INFINITY);
                gives(self, zero_x, minus_infinity);
                gives(self, is_one, zero);
                let is_infinity = self.terms.equal(x, infinity);
                gives(self, is_infinity, infinity);
            }
            Acos => gives(self, is_one, zero),
            Pow => {
                let zero_y = self.terms.pool.fp_is_zero(operands[1]);
                let is_unit = self.terms.or(zero_y, is_one);
                gives(self, is_unit, one);
            }
            _ => {}
        }
        // Signs: on which side of a value the result lies, by the side of the operand.
        let mut follows = |encoder: &mut Self, when: TermId, op: BinaryOp, value: TermId| {
            let holds = encoder.compare(op, result, value);
            let not_when = encoder.terms.not(when);
            facts.push(encoder.terms.or(not_when, holds));
        };
        let (up, down) =
            (self.compare(BinaryOp::GreaterEqual, x, zero), self.compare(BinaryOp::LessEqual, x, zero));
        match function {
            Asin | Atan | Sinh | Tanh | Cbrt => {
                // Asin of more than one is NaN.
                let inside = self.terms.not(no_number);
                let (up, down) = (self.terms.and(up, inside), self.terms.and(down, inside));
                follows(self, up, BinaryOp::GreaterEqual, zero);
                follows(self, down, BinaryOp::LessEqual, zero);
            }
            Exp => {
                follows(self, up, BinaryOp::GreaterEqual, one);
                follows(self, down, BinaryOp::LessEqual, one);
            }
            Log | Log2 | Log10 => {
                let above = self.compare(BinaryOp::GreaterEqual, x, one);
                let below = self.compare(BinaryOp::LessEqual, x, one);
                let below = self.terms.and(below, up);
                follows(self, above, BinaryOp::GreaterEqual, zero);
                follows(self, below, BinaryOp::LessEqual, zero);
                // Logarithms of finite numbers are small in every format.
                let (high, low) = (constant(self, 17_000.0), constant(self, -17_000.0));
                let above_zero = self.compare(BinaryOp::Greater, x, zero);
                let finite = self.compare(BinaryOp::Less, x, infinity);
                let usual = self.terms.and(above_zero, finite);
                follows(self, usual, BinaryOp::LessEqual, high);
                follows(self, usual, BinaryOp::GreaterEqual, low);
            }
            Pow => {
                let nan_y = self.terms.pool.fp_is_nan(operands[1]);
                let is_number = self.terms.not(nan_y);
                let positive = self.terms.and(up, is_number);
                follows(self, positive, BinaryOp::GreaterEqual, zero);
                let grows = self.compare(BinaryOp::GreaterEqual, operands[1], zero);
                let large = self.compare(BinaryOp::GreaterEqual, x, one);
                let large = self.terms.and(large, grows);
                follows(self, large, BinaryOp::GreaterEqual, one);
            }
            _ => {}
        }
        for fact in facts {
            if self.terms.truth(fact) != Some(true) {
                self.facts.push(fact);
            }
        }
        result
    }
}
