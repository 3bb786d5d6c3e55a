//! Integer arithmetic as C has it: unsigned wraps, signed must fit, shift counts must be below the width.

use super::{Machine, Step};
use crate::code::WordBinary;
use crate::outcome::UndefinedKind;
use program::BinaryOp;
use std::cmp::Ordering;

/// The outcome of a comparison.
#[inline(always)]
pub fn compare(op: BinaryOp, order: Ordering) -> bool {
    match op {
        BinaryOp::Equal => order.is_eq(),
        BinaryOp::NotEqual => order.is_ne(),
        BinaryOp::Less => order.is_lt(),
        BinaryOp::LessEqual => order.is_le(),
        BinaryOp::Greater => order.is_gt(),
        BinaryOp::GreaterEqual => order.is_ge(),
        other => unreachable!("`{}` does not compare", other.symbol()),
    }
}

impl Machine<'_, '_> {
    /// An operation on integers of up to 64 bits, both extended.
    #[inline]
    pub fn integer_operation(&mut self, operation: &WordBinary, left: u64, right: u64) -> Step<u64> {
        let shape = operation.shape;
        let (x, y) = (left as i64, right as i64);
        // The exact result where 64 bits hold it; a signed 64-bit operation says itself when they do not.
        let (result, wrapped) = match operation.op {
            BinaryOp::Add => x.overflowing_add(y),
            BinaryOp::Subtract => x.overflowing_sub(y),
            BinaryOp::Multiply => x.overflowing_mul(y),
            BinaryOp::BitAnd => return Ok(left & right),
            BinaryOp::BitOr => return Ok(left | right),
            BinaryOp::BitXor => return Ok(left ^ right),
            BinaryOp::Divide | BinaryOp::Remainder => return self.divide(operation, left, right),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => return self.shift(operation, left, right),
            other => unreachable!("`{}` is a comparison", other.symbol()),
        };
        let kept = shape.extend(result as u64);
        if shape.signed && (kept != result as u64 || (wrapped && shape.width == 64)) {
            let (symbol, width) = (operation.op.symbol(), u32::from(shape.width));
            self.overflow(UndefinedKind::SignedOverflow, symbol, i128::from(x), Some(i128::from(y)), width)?;
        }
        Ok(kept)
    }

    fn divide(&mut self, operation: &WordBinary, left: u64, right: u64) -> Step<u64> {
        let shape = operation.shape;
        let is_division = operation.op == BinaryOp::Divide;
        if right == 0 {
            let what = if is_division { "divided by" } else { "taken modulo" };
            let shown = if shape.signed { (left as i64).to_string() } else { left.to_string() };
            return Err(self.undefined_always(
                UndefinedKind::DivisionByZero,
                format!("{shown} is {what} zero"),
                None,
            ));
        }
        if !shape.signed {
            return Ok(if is_division { left / right } else { left % right });
        }
        let (x, y) = (left as i64, right as i64);
        if y == -1 && x == i64::MIN >> (64 - shape.width) {
            let (symbol, width) = (operation.op.symbol(), u32::from(shape.width));
            self.overflow(UndefinedKind::DivisionOverflow, symbol, i128::from(x), Some(-1), width)?;
            // The machine traps here as for a division by zero.
            return Err(self.undefined_always(
                UndefinedKind::DivisionOverflow,
                "the division traps".into(),
                None,
            ));
        }
        Ok(if is_division { x.wrapping_div(y) } else { x.wrapping_rem(y) } as u64)
    }

    fn shift(&mut self, operation: &WordBinary, left: u64, count: u64) -> Step<u64> {
        let shape = operation.shape;
        let width = u32::from(shape.width);
        let count = self.shift_count(count, operation.is_count_signed, width)?;
        if operation.op == BinaryOp::ShiftRight {
            let result = if shape.signed { ((left as i64) >> count) as u64 } else { left >> count };
            return Ok(shape.extend(result));
        }
        let result = shape.extend(left << count);
        if self.settings.strictness.left_shifts && shape.signed {
            let value = left as i64;
            if value < 0 || (result as i64) >> count != value || (result as i64) < 0 {
                self.left_shift(i128::from(value), count, width)?;
            }
        }
        Ok(result)
    }

    /// A shift count, checked; when going on, x86 keeps its low bits.
    fn shift_count(&mut self, count: u64, is_signed: bool, width: u32) -> Step<u32> {
        if count < u64::from(width) {
            return Ok(count as u32);
        }
        let shown = if is_signed { (count as i64).to_string() } else { count.to_string() };
        let message = format!("a value of {width} bits is shifted by {shown}");
        self.undefined(UndefinedKind::BadShift, message, None)?;
        // x86 masks counts to 5 or 6 bits; libgcc's 128-bit shifts test bit 6 of the count.
        let mask = if width > 64 {
            127
        } else if width > 32 {
            63
        } else {
            31
        };
        Ok((count & mask) as u32)
    }

    fn left_shift(&mut self, value: i128, count: u32, width: u32) -> Step<()> {
        let message = format!("{value} << {count} does not fit a signed integer of {width} bits");
        self.undefined(UndefinedKind::LeftShift, message, None)
    }

    /// An operation on 128-bit integers.
    pub fn wide_operation(&mut self, op: BinaryOp, signed: bool, left: u128, right: u128) -> Step<u128> {
        let (x, y) = (left as i128, right as i128);
        let (result, overflows) = match op {
            BinaryOp::Add => (left.wrapping_add(right), x.checked_add(y).is_none()),
            BinaryOp::Subtract => (left.wrapping_sub(right), x.checked_sub(y).is_none()),
            BinaryOp::Multiply => (left.wrapping_mul(right), x.checked_mul(y).is_none()),
            BinaryOp::BitAnd => return Ok(left & right),
            BinaryOp::BitOr => return Ok(left | right),
            BinaryOp::BitXor => return Ok(left ^ right),
            BinaryOp::Divide | BinaryOp::Remainder => {
                let is_division = op == BinaryOp::Divide;
                if right == 0 {
                    let message = format!("{left} is divided by zero");
                    return Err(self.undefined_always(UndefinedKind::DivisionByZero, message, None));
                }
                if !signed {
                    return Ok(if is_division { left / right } else { left % right });
                }
                if x == i128::MIN && y == -1 {
                    self.overflow(UndefinedKind::DivisionOverflow, op.symbol(), x, Some(y), 128)?;
                }
                return Ok(if is_division { x.wrapping_div(y) } else { x.wrapping_rem(y) } as u128);
            }
            other => unreachable!("`{}` is no operation on two wide integers", other.symbol()),
        };
        if signed && overflows {
            self.overflow(UndefinedKind::SignedOverflow, op.symbol(), x, Some(y), 128)?;
        }
        Ok(result)
    }

    /// A shift of a 128-bit integer.
    pub fn wide_shift(
        &mut self,
        op: BinaryOp,
        signed: bool,
        left: u128,
        count: u64,
        is_count_signed: bool,
    ) -> Step<u128> {
        let count = self.shift_count(count, is_count_signed, 128)?;
        if op == BinaryOp::ShiftRight {
            return Ok(if signed { ((left as i128) >> count) as u128 } else { left >> count });
        }
        let result = left << count;
        let value = left as i128;
        let is_lossy = value < 0 || (result as i128) >> count != value || (result as i128) < 0;
        if self.settings.strictness.left_shifts && signed && is_lossy {
            self.left_shift(value, count, 128)?;
        }
        Ok(result)
    }

    /// Signed arithmetic leaves its type.
    #[cold]
    pub fn overflow(
        &mut self,
        kind: UndefinedKind,
        symbol: &str,
        left: i128,
        right: Option<i128>,
        width: u32,
    ) -> Step<()> {
        let operation = match right {
            Some(right) if right < 0 => format!("{left} {symbol} ({right})"),
            Some(right) => format!("{left} {symbol} {right}"),
            None => format!("{symbol}({left})"),
        };
        let message = format!("{operation} does not fit a signed integer of {width} bits");
        self.undefined(kind, message, None)
    }
}
