//! Ranges of floating values.
//! DIVERGENCE from "directed rounding": C computes to nearest, and rounding to nearest is monotone, so the
//! results at the corners, rounded to nearest in the operand's own format, bound all results exactly; nothing
//! is lost by rounding outwards. `long double` and `__float128` are not computed with: any value.

use program::{BinaryOp, FloatKind};

/// Floating values from `low` to `high`, and perhaps not-a-number. `low > high` with `can_be_nan` is only
/// not-a-number.
#[derive(Clone, Copy, Debug)]
pub struct FloatRange {
    /// The least, perhaps minus infinity.
    pub low: f64,
    /// The greatest, perhaps infinity.
    pub high: f64,
    /// Can it be not-a-number?
    pub can_be_nan: bool,
}

// Bounds are never not-a-number; -0 and +0 are one bound.
impl PartialEq for FloatRange {
    fn eq(&self, other: &FloatRange) -> bool {
        self.low == other.low && self.high == other.high && self.can_be_nan == other.can_be_nan
    }
}

impl std::hash::Hash for FloatRange {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        // -0 and +0 are one bound: adding 0 makes one of them.
        ((self.low + 0.0).to_bits(), (self.high + 0.0).to_bits(), self.can_be_nan).hash(hasher);
    }
}

impl FloatRange {
    /// Every value.
    pub const ANY: FloatRange = FloatRange { low: f64::NEG_INFINITY, high: f64::INFINITY, can_be_nan: true };
    const NONE: FloatRange = FloatRange { low: f64::INFINITY, high: f64::NEG_INFINITY, can_be_nan: false };

    /// One value.
    pub fn only(value: f64) -> FloatRange {
        if value.is_nan() {
            FloatRange { can_be_nan: true, ..FloatRange::NONE }
        } else {
            FloatRange { low: value, high: value, can_be_nan: false }
        }
    }

    /// The value of a format's bits, where `f64` holds it.
    pub fn of_bits(bits: u128, kind: FloatKind) -> FloatRange {
        match kind {
            FloatKind::Float => FloatRange::only(f64::from(f32::from_bits(bits as u32))),
            FloatKind::Double => FloatRange::only(f64::from_bits(bits as u64)),
            FloatKind::LongDouble | FloatKind::Float128 => FloatRange::ANY,
        }
    }

    /// Is the value possible?
    pub fn contains(&self, value: f64) -> bool {
        if value.is_nan() { self.can_be_nan } else { self.low <= value && value <= self.high }
    }

    /// Is there no value?
    pub fn is_empty(&self) -> bool {
        self.low > self.high && !self.can_be_nan
    }

    fn has_numbers(&self) -> bool {
        self.low <= self.high
    }

    /// Values of either.
    pub fn join(&self, other: &FloatRange) -> FloatRange {
        FloatRange {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            can_be_nan: self.can_be_nan || other.can_be_nan,
        }
    }

    /// Values of both.
    pub fn meet(&self, other: &FloatRange) -> FloatRange {
        FloatRange {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            can_be_nan: self.can_be_nan && other.can_be_nan,
        }
    }

    /// Is every value possible in the other too?
    pub fn is_within(&self, other: &FloatRange) -> bool {
        (!self.has_numbers() || (other.low <= self.low && self.high <= other.high))
            && (other.can_be_nan || !self.can_be_nan)
    }

    /// An upper bound that grows a few times only: by steps that get longer (widening with thresholds), so that what a
    /// contraction keeps bounded stays bounded.
    pub fn widen(&self, grown: &FloatRange) -> FloatRange {
        const STEPS: [f64; 14] = [
            0.0,
            1.0,
            4.0,
            16.0,
            64.0,
            256.0,
            1024.0,
            4096.0,
            65536.0,
            1_048_576.0,
            4_294_967_296.0,
            18_446_744_073_709_551_616.0,
            f32::MAX as f64,
            f64::MAX,
        ];
        let above = |value: f64| STEPS.into_iter().find(|&step| step >= value).unwrap_or(f64::INFINITY);
        let below = |value: f64| STEPS.into_iter().rev().find(|&step| step <= value);
        let up = |value: f64| if value < 0.0 { -below(-value).unwrap_or(0.0) } else { above(value) };
        let joined = self.join(grown);
        FloatRange {
            low: if joined.low < self.low { -up(-joined.low) } else { joined.low },
            high: if joined.high > self.high { up(joined.high) } else { joined.high },
            can_be_nan: joined.can_be_nan,
        }
    }

    /// The same values in another format, rounded to nearest.
    pub fn convert(&self, to: FloatKind) -> FloatRange {
        match to {
            FloatKind::Double => *self,
            FloatKind::Float => {
                let round = |value: f64| f64::from(value as f32);
                FloatRange { low: round(self.low), high: round(self.high), can_be_nan: self.can_be_nan }
            }
            FloatKind::LongDouble | FloatKind::Float128 => FloatRange::ANY,
        }
    }

    /// Integers from `low` to `high` in a format.
    pub fn of_integers(low: i128, high: i128, kind: FloatKind) -> FloatRange {
        let (low, high) = match kind {
            FloatKind::Float => (f64::from(low as f32), f64::from(high as f32)),
            FloatKind::Double => (low as f64, high as f64),
            FloatKind::LongDouble | FloatKind::Float128 => return FloatRange::ANY,
        };
        FloatRange { low, high, can_be_nan: false }
    }

    /// The integers that truncation gives, for numbers that `i128` holds; `None` if some do not fit or are
    /// not numbers.
    pub fn truncated(&self) -> Option<(i128, i128)> {
        let fits = |value: f64| value.abs() < 1e38;
        let is_whole = self.has_numbers() && !self.can_be_nan && fits(self.low) && fits(self.high);
        is_whole.then(|| (self.low.trunc() as i128, self.high.trunc() as i128))
    }

    /// `-x`
    pub fn negate(&self) -> FloatRange {
        FloatRange { low: -self.high, high: -self.low, can_be_nan: self.can_be_nan }
    }

    /// `+ - * /` in a format.
    pub fn binary(&self, op: BinaryOp, other: &FloatRange, kind: FloatKind) -> FloatRange {
        let compute = |x: f64, y: f64| -> f64 {
            match kind {
                FloatKind::Float => {
                    let (x, y) = (x as f32, y as f32);
                    f64::from(match op {
                        BinaryOp::Add => x + y,
                        BinaryOp::Subtract => x - y,
                        BinaryOp::Multiply => x * y,
                        _ => x / y,
                    })
                }
                _ => match op {
                    BinaryOp::Add => x + y,
                    BinaryOp::Subtract => x - y,
                    BinaryOp::Multiply => x * y,
                    _ => x / y,
                },
            }
        };
        let is_known = matches!(kind, FloatKind::Float | FloatKind::Double)
            && matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide);
        if !is_known {
            return FloatRange::ANY;
        }
        let nan = self.can_be_nan || other.can_be_nan;
        if !self.has_numbers() || !other.has_numbers() {
            return FloatRange { can_be_nan: nan, ..FloatRange::NONE };
        }
        if op == BinaryOp::Divide && other.low <= 0.0 && other.high >= 0.0 {
            return FloatRange::ANY;
        }
        // Infinity minus infinity and zero times infinity are hidden inside the corners: give up on
        // infinities.
        let is_finite = [self.low, self.high, other.low, other.high].iter().all(|bound| bound.is_finite());
        if !is_finite {
            return FloatRange::ANY;
        }
        let corners = [
            compute(self.low, other.low),
            compute(self.low, other.high),
            compute(self.high, other.low),
            compute(self.high, other.high),
        ];
        let low = corners.into_iter().fold(f64::INFINITY, f64::min);
        let high = corners.into_iter().fold(f64::NEG_INFINITY, f64::max);
        FloatRange { low, high, can_be_nan: nan }
    }

    /// Can the comparison be false, can it be true?
    pub fn compare(&self, op: BinaryOp, other: &FloatRange) -> (bool, bool) {
        use BinaryOp::*;
        let nan = self.can_be_nan || other.can_be_nan;
        if !self.has_numbers() || !other.has_numbers() {
            return if op == NotEqual { (false, true) } else { (true, false) };
        }
        let (x, y) = (self, other);
        let can_equal = x.low <= y.high && y.low <= x.high;
        let must_equal = x.low == x.high && y.low == y.high && x.low == y.low;
        let (can, can_not) = match op {
            Equal => (can_equal, !must_equal),
            NotEqual => (!must_equal, can_equal),
            Less => (x.low < y.high, x.high >= y.low),
            LessEqual => (x.low <= y.high, x.high > y.low),
            Greater => (x.high > y.low, x.low <= y.high),
            GreaterEqual => (x.high >= y.low, x.low < y.high),
            _ => (true, true),
        };
        if op == NotEqual { (can_not, can || nan) } else { (can_not || nan, can) }
    }
}

impl std::fmt::Display for FloatRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.has_numbers() {
            return f.write_str(if self.can_be_nan { "nan" } else { "no value" });
        }
        if self.low == self.high {
            write!(f, "{{{}", self.low)?
        } else {
            write!(f, "{{{}..{}", self.low, self.high)?
        }
        f.write_str(if self.can_be_nan { ", nan}" } else { "}" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn range() -> impl Strategy<Value = (FloatRange, f64)> {
        let value = prop_oneof![
            any::<f64>(),
            -10.0..10.0,
            Just(0.0),
            Just(-0.0),
            Just(f64::INFINITY),
            Just(f64::NAN)
        ];
        (value, -10.0..10.0).prop_map(|(value, other): (f64, f64)| {
            (FloatRange::only(value).join(&FloatRange::only(other)), value)
        })
    }

    proptest! {
        #[test]
        fn ranges_contain_what_machines_compute((a, x) in range(), (b, y) in range()) {
            prop_assert!(a.contains(x));
            use BinaryOp::*;
            for (op, result) in [(Add, x + y), (Subtract, x - y), (Multiply, x * y), (Divide, x / y)] {
                prop_assert!(a.binary(op, &b, FloatKind::Double).contains(result), "{x} {} {y} = {result}", op.symbol());
            }
            let (x32, y32) = (x as f32, y as f32);
            let (a32, b32) = (a.convert(FloatKind::Float), b.convert(FloatKind::Float));
            for (op, result) in [(Add, x32 + y32), (Subtract, x32 - y32), (Multiply, x32 * y32), (Divide, x32 / y32)] {
                prop_assert!(a32.binary(op, &b32, FloatKind::Float).contains(f64::from(result)));
            }
            for (op, holds) in [(Less, x < y), (LessEqual, x <= y), (Equal, x == y), (NotEqual, x != y), (Greater, x > y), (GreaterEqual, x >= y)] {
                let (can_not, can) = a.compare(op, &b);
                prop_assert!(if holds { can } else { can_not }, "{x} {} {y}", op.symbol());
            }
            prop_assert!(a.negate().contains(-x));
            if let Some((low, high)) = a.truncated() {
                prop_assert!((low..=high).contains(&(x as i128)));
            }
        }
    }
}
