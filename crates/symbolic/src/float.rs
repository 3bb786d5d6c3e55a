//! Floating arithmetic on the bits of the formats. Exact: constants, comparisons, signs. The rest are uninterpreted
//! functions of the bits: they may give any result, but the same for the same operands; a note says so.

use crate::step::Encoder;
use logic::model::Value;
use logic::term::{FloatFormat, RoundingMode};
use logic::{Model, Sort, TermId};
use program::types::IntegerShape;
use program::{BinaryOp, FloatKind};

/// The format, if it is one of IEEE 754 (x87's has a bit of its own).
fn format_of(kind: FloatKind) -> Option<FloatFormat> {
    match kind {
        FloatKind::Float => Some(FloatFormat::SINGLE),
        FloatKind::Double => Some(FloatFormat::DOUBLE),
        FloatKind::LongDouble | FloatKind::Float128 => None,
    }
}

impl Encoder<'_> {
    /// Any value, but the same for the same operands.
    pub(crate) fn some_function(&mut self, name: &str, arguments: &[TermId], width: u32) -> TermId {
        self.notes.insert(format!("floating arithmetic (`{name}`) may give any result"));
        let sorts: Vec<Sort> = arguments.iter().map(|&argument| self.terms.pool.sort(argument)).collect();
        let function = self.terms.pool.function(name, &sorts, Sort::BitVec(width));
        self.terms.pool.apply(function, arguments)
    }

    /// The value of a float term over constants, as bits, if it can be computed.
    fn computed(&mut self, float: TermId) -> Option<TermId> {
        match Model::new().evaluate(&self.terms.pool, float) {
            // Which NaN the machine makes is not said: any.
            Ok(Value::Float(bits)) if !is_nan(&bits) => Some(self.terms.pool.constant(bits)),
            _ => None,
        }
    }

    fn both_constant(&self, a: TermId, b: TermId) -> bool {
        self.terms.constant(a).is_some() && self.terms.constant(b).is_some()
    }

    pub(crate) fn float_is_nonzero(&mut self, value: TermId, kind: FloatKind) -> TermId {
        let width = super::value::float_width(kind);
        let magnitude = self.terms.cut(value, width - 2, 0);
        self.terms.is_nonzero(magnitude)
    }

    pub(crate) fn float_operation(&mut self, op: BinaryOp, a: TermId, b: TermId, kind: FloatKind) -> TermId {
        if self.both_constant(a, b)
            && let Some(format) = format_of(kind)
        {
            let pool = &mut self.terms.pool;
            let (x, y) = (pool.fp_from_bits(a, format), pool.fp_from_bits(b, format));
            let mode = RoundingMode::NearestEven;
            let result = match op {
                BinaryOp::Add => Some(pool.fp_add(mode, x, y)),
                BinaryOp::Subtract => Some(pool.fp_sub(mode, x, y)),
                BinaryOp::Multiply => Some(pool.fp_mul(mode, x, y)),
                BinaryOp::Divide => Some(pool.fp_div(mode, x, y)),
                _ => None,
            };
            if let Some(bits) = result.and_then(|result| self.computed(result)) {
                return bits;
            }
        }
        let width = super::value::float_width(kind);
        self.some_function(&format!("{op:?}{width}"), &[a, b], width)
    }

    /// Exact on the bits: NaN compares unequal, zeros are equal, the rest is ordered by sign and magnitude.
    pub(crate) fn float_comparison(&mut self, op: BinaryOp, a: TermId, b: TermId, kind: FloatKind) -> TermId {
        let width = super::value::float_width(kind);
        let exponent_bits = match kind {
            FloatKind::Float => 8,
            FloatKind::Double => 11,
            FloatKind::LongDouble | FloatKind::Float128 => {
                let result = self.some_function(&format!("{op:?}{width}"), &[a, b], 1);
                return self.terms.is_nonzero(result);
            }
        };
        let not_a_number = |encoder: &mut Self, term: TermId| {
            let magnitude = encoder.terms.cut(term, width - 2, 0);
            let fraction_bits = width - 1 - exponent_bits;
            let infinity = ((1u128 << exponent_bits) - 1) << fraction_bits;
            let infinity = encoder.terms.number(width - 1, infinity);
            encoder.terms.below(infinity, magnitude)
        };
        let (nan_a, nan_b) = (not_a_number(self, a), not_a_number(self, b));
        let unordered = self.terms.or(nan_a, nan_b);
        let (some_a, some_b) = (self.float_is_nonzero(a, kind), self.float_is_nonzero(b, kind));
        let some = self.terms.or(some_a, some_b);
        let both_zero = self.terms.not(some);
        let same_bits = self.terms.equal(a, b);
        let equal = self.terms.or(same_bits, both_zero);
        let less = |encoder: &mut Self, x: TermId, y: TermId| {
            let (sign_x, sign_y) =
                (encoder.terms.cut(x, width - 1, width - 1), encoder.terms.cut(y, width - 1, width - 1));
            let (neg_x, neg_y) = (encoder.terms.is_nonzero(sign_x), encoder.terms.is_nonzero(sign_y));
            let (up, down) = (encoder.terms.below(x, y), encoder.terms.below(y, x));
            let pos_y = encoder.terms.not(neg_y);
            // Both negative: the greater magnitude is less. Otherwise a negative is less than what is not.
            let when_negative = encoder.terms.or(pos_y, down);
            let when_positive = encoder.terms.and(pos_y, up);
            encoder.terms.ite(neg_x, when_negative, when_positive)
        };
        let ordered = self.terms.not(unordered);
        match op {
            BinaryOp::Equal => self.terms.and(ordered, equal),
            BinaryOp::NotEqual => {
                let equal = self.terms.and(ordered, equal);
                self.terms.not(equal)
            }
            _ => {
                let (x, y) = if matches!(op, BinaryOp::Less | BinaryOp::LessEqual) { (a, b) } else { (b, a) };
                let is_less = less(self, x, y);
                let strictly = self.terms.and(some, is_less);
                let holds = if matches!(op, BinaryOp::LessEqual | BinaryOp::GreaterEqual) {
                    self.terms.or(strictly, equal)
                } else {
                    let differ = self.terms.not(equal);
                    self.terms.and(strictly, differ)
                };
                self.terms.and(ordered, holds)
            }
        }
    }

    pub(crate) fn float_to_float(&mut self, value: TermId, from: FloatKind, to: FloatKind) -> TermId {
        if from == to {
            return value;
        }
        if self.terms.constant(value).is_some()
            && let (Some(source), Some(target)) = (format_of(from), format_of(to))
        {
            let float = self.terms.pool.fp_from_bits(value, source);
            let float = self.terms.pool.fp_from_float(RoundingMode::NearestEven, float, target);
            if let Some(bits) = self.computed(float) {
                return bits;
            }
        }
        let (a, b) = (super::value::float_width(from), super::value::float_width(to));
        self.some_function(&format!("float{a}to{b}"), &[value], b)
    }

    /// Out of range is undefined; unoptimised x86 code gives some value, and so does this.
    pub(crate) fn float_to_integer(&mut self, value: TermId, kind: FloatKind, shape: IntegerShape) -> TermId {
        if let Some(number) = constant_integer(self, value, kind) {
            let fits = if shape.signed {
                let half = 1i128 << (shape.width - 1).min(126);
                (-half..half).contains(&number)
            } else {
                number >= 0 && (shape.width >= 127 || number < 1i128 << shape.width)
            };
            if fits {
                return self.terms.number(shape.width, number as u128);
            }
        }
        let name = format!(
            "float{}to{}{}",
            super::value::float_width(kind),
            if shape.signed { "i" } else { "u" },
            shape.width
        );
        self.some_function(&name, &[value], shape.width)
    }

    pub(crate) fn integer_to_float(&mut self, value: TermId, shape: IntegerShape, kind: FloatKind) -> TermId {
        if self.terms.constant(value).is_some()
            && let Some(format) = format_of(kind)
        {
            let pool = &mut self.terms.pool;
            let mode = RoundingMode::NearestEven;
            let float = if shape.signed {
                pool.fp_from_signed(mode, value, format)
            } else {
                pool.fp_from_unsigned(mode, value, format)
            };
            if let Some(bits) = self.computed(float) {
                return bits;
            }
        }
        let width = super::value::float_width(kind);
        let name = format!("{}{}tofloat{width}", if shape.signed { "i" } else { "u" }, shape.width);
        self.some_function(&name, &[value], width)
    }
}

fn is_nan(bits: &logic::Bits) -> bool {
    match (bits.width(), bits.to_u64()) {
        (32, Some(bits)) => f32::from_bits(bits as u32).is_nan(),
        (64, Some(bits)) => f64::from_bits(bits).is_nan(),
        _ => true,
    }
}

/// A constant float cut to a whole number, where a `double` holds it and 126 bits do.
fn constant_integer(encoder: &Encoder<'_>, value: TermId, kind: FloatKind) -> Option<i128> {
    let bits = encoder.terms.constant(value)?;
    let number = match kind {
        FloatKind::Float => f64::from(f32::from_bits(bits as u32)),
        FloatKind::Double => f64::from_bits(bits as u64),
        FloatKind::LongDouble | FloatKind::Float128 => return None,
    };
    (number.abs() < 2f64.powi(120)).then(|| number.trunc() as i128)
}
