//! Floating expressions. Variables hold at most a million in magnitude (`keep` sees to that at every assignment), so
//! no expression of the depths used here comes near overflow, and no NaN arises.

use super::Generator;
use super::integer::{Int, Range};
use super::scope::{Purpose, Reads, Shape};
use super::value::{Binding, Real, RealValue, Value};

/// What `keep` lets through.
pub(super) const KEPT: i128 = 1_000_000;

impl Generator {
    /// A random floating expression without side effects.
    pub(super) fn real(&mut self, depth: usize, reads: Reads) -> RealValue {
        if depth == 0 || self.random.chance(15) {
            return self.real_leaf(reads);
        }
        match self.random.below(10) {
            0..=4 => {
                let (left, right) = (self.real(depth - 1, reads), self.real(depth - 1, reads));
                let (sign, binding) = *self.random.pick(&[
                    ("+", Binding::Additive),
                    ("-", Binding::Additive),
                    ("*", Binding::Multiplicative),
                ]);
                let text = format!("{} {sign} {}", left.at(binding), right.at(binding.tighter()));
                RealValue::new(text, binding, left.ty.max(right.ty))
            }
            5 => {
                let left = self.real(depth - 1, reads);
                let divisor = self.real_constant();
                let text = format!("{} / {}", left.at(Binding::Multiplicative), divisor.at(Binding::Prefix));
                RealValue::new(text, Binding::Multiplicative, left.ty.max(divisor.ty))
            }
            6 => {
                // An integer operand is converted to the other one's type.
                let left = self.real(depth - 1, reads);
                let right = self.integer(depth - 1, reads);
                let right = self.masked(right, 4095);
                let text =
                    format!("{} + {}", left.at(Binding::Additive), right.at(Binding::Additive.tighter()));
                RealValue::new(text, Binding::Additive, left.ty)
            }
            7 => {
                let value = self.integer(depth - 1, reads);
                let value = self.masked(value, 65535);
                let ty = *self.random.pick(&[Real::Float, Real::Double, Real::LongDouble]);
                let text = format!("({}){}", ty.name(), value.at(Binding::Prefix));
                RealValue::new(text, Binding::Prefix, ty)
            }
            8 => {
                let value = self.real(depth - 1, reads);
                let ty = *self.random.pick(&[Real::Float, Real::Double, Real::Double, Real::LongDouble]);
                let text = format!("({}){}", ty.name(), value.at(Binding::Prefix));
                RealValue::new(text, Binding::Prefix, ty)
            }
            _ => {
                let condition = self.integer(depth - 1, reads);
                let (then, otherwise) = (self.real(depth - 1, reads), self.real(depth - 1, reads));
                let text = format!(
                    "{} ? {} : {}",
                    condition.at(Binding::LogicalOr),
                    then.at(Binding::Comma),
                    otherwise.at(Binding::Conditional)
                );
                RealValue::new(text, Binding::Conditional, then.ty.max(otherwise.ty))
            }
        }
    }

    fn real_leaf(&mut self, reads: Reads) -> RealValue {
        if self.random.chance(65)
            && let Some(place) = self.place(Purpose::Read(reads), |shape| matches!(shape, Shape::Real(_)))
            && let Shape::Real(ty) = place.shape
        {
            return RealValue { text: place.text, ty };
        }
        self.real_constant()
    }

    /// A constant that is not zero.
    pub(super) fn real_constant(&mut self) -> RealValue {
        let ty =
            *self.random.pick(&[Real::Float, Real::Double, Real::Double, Real::Double, Real::LongDouble]);
        let whole = self.random.within(0..=300);
        let part = self.random.within(1..=999);
        let text = match self.random.below(5) {
            0 => format!("{whole}.{part:03}"),
            1 => format!("{}e{}", part, self.random.within(-3..=1)),
            2 => format!(".{part:03}"),
            3 => format!("0x1.{:x}p{}", part, self.random.within(-4..=4)),
            _ => format!("{}.", whole + 1),
        };
        RealValue::new(format!("{text}{}", ty.suffix()), Binding::Postfix, ty)
    }

    /// `value` cut to what a variable may hold.
    pub(super) fn kept(&mut self, value: &RealValue) -> RealValue {
        match value.ty {
            Real::LongDouble if self.random.chance(50) => RealValue::new(
                format!("keepl({})", value.at(Binding::Assignment)),
                Binding::Postfix,
                Real::LongDouble,
            ),
            _ => RealValue::new(
                format!("keep({})", value.at(Binding::Assignment)),
                Binding::Postfix,
                Real::Double,
            ),
        }
    }

    /// An integer made from a floating expression: a comparison, or a conversion that is in range.
    pub(super) fn integer_from_real(&mut self, depth: usize, reads: Reads) -> Value {
        if !self.uses_reals {
            return self.constant();
        }
        let value = self.real(depth.min(2), reads);
        match self.random.below(4) {
            0 => {
                let other = self.real(1, reads);
                let sign = *self.random.pick(&["<", "<=", ">", ">="]);
                let text = format!(
                    "{} {sign} {}",
                    value.at(Binding::Relational),
                    other.at(Binding::Relational.tighter())
                );
                Value::new(text, Binding::Relational, Int::Plain, Range::new(0, 1))
            }
            1 => {
                let text = format!("(_Bool){}", value.at(Binding::Prefix));
                Value::new(text, Binding::Prefix, Int::Bool, Range::new(0, 1))
            }
            _ => {
                let ty = *self.random.pick(&[Int::Plain, Int::Long, Int::LongLong]);
                let kept = self.kept(&value);
                let text = format!("({}){}", ty.spelling(0), kept.at(Binding::Prefix));
                Value::new(text, Binding::Prefix, ty, Range::new(-KEPT, KEPT))
            }
        }
    }
}
