//! Values of expressions. What can be undefined is reported where it happens.

use super::arithmetic::compare;
use super::frames::Register;
use super::{Machine, Step, Value};
use crate::code::{AggregateCode, Bank, Condition, PointerCode, ValueCode, ValueKind, Wide, WideKind, Word};
use crate::memory::{ObjectKind, Pointer, Region, Tag};
use crate::number::{self, native, soft};
use crate::outcome::UndefinedKind;
use program::{BinaryOp, FloatKind};
use std::cmp::Ordering;

impl Machine<'_, '_> {
    /// The value of a word expression. Constants and registers, the most frequent, are taken on the spot.
    #[inline(always)]
    pub fn word(&mut self, word: &Word) -> Step<u64> {
        match word {
            Word::Constant(bits) => Ok(*bits),
            Word::Register(register) => self.register(*register),
            other => self.computed_word(other),
        }
    }

    /// The value of an operation that is frequent.
    fn computed_word(&mut self, word: &Word) -> Step<u64> {
        match word {
            Word::Binary(operation) => {
                let left = self.word(&operation.left)?;
                let right = self.word(&operation.right)?;
                self.integer_operation(operation, left, right)
            }
            Word::Compare(op, signed, operands) => {
                let left = self.word(&operands.0)?;
                let right = self.word(&operands.1)?;
                let order = if *signed { (left as i64).cmp(&(right as i64)) } else { left.cmp(&right) };
                Ok(u64::from(compare(*op, order)))
            }
            Word::Load(place, form) => {
                let at = self.resolve_read(place, form.size())?;
                self.load_word(at, *form)
            }
            Word::Convert(operand, shape) => Ok(shape.extend(self.word(operand)?)),
            other => self.rare_word(other),
        }
    }

    /// The value of the rest.
    #[inline(never)]
    fn rare_word(&mut self, word: &Word) -> Step<u64> {
        match word {
            Word::Constant(_)
            | Word::Register(_)
            | Word::Binary(_)
            | Word::Compare(..)
            | Word::Load(..)
            | Word::Convert(..) => self.word(word),
            Word::Truth(condition, expected) => Ok(u64::from(self.truth(condition)? == *expected)),
            Word::Negate(operand, shape) => {
                let value = self.word(operand)?;
                let negated = (value as i64).wrapping_neg() as u64;
                let result = shape.extend(negated);
                let overflows = shape.signed && value as i64 == i64::MIN >> (64 - shape.width);
                if overflows {
                    self.overflow(
                        UndefinedKind::SignedOverflow,
                        "-",
                        value as i64 as i128,
                        None,
                        u32::from(shape.width),
                    )?;
                }
                Ok(result)
            }
            Word::BitNot(operand, shape) => Ok(shape.extend(!self.word(operand)?)),
            Word::Shared(bank, register) => {
                let index = *register;
                let found = self.shared(*bank)[index as usize];
                if found.tag.is_mark() {
                    return Ok(self.unwritten_shared(*bank, index, found.tag)?.bits);
                }
                Ok(found.bits)
            }
            Word::ComparePointers(op, operands) => {
                let left = self.pointer(&operands.0)?;
                let right = self.pointer(&operands.1)?;
                self.compare_pointers(*op, left, right)
            }
            Word::FromPointer(pointer, shape) => {
                let pointer = self.pointer(pointer)?;
                self.note_number(pointer)?;
                Ok(shape.extend(pointer.address))
            }
            Word::Difference(pointers, size) => {
                let left = self.pointer(&pointers.0)?;
                let right = self.pointer(&pointers.1)?;
                self.pointer_difference(left, right, *size)
            }
            Word::CompareFloats(..)
            | Word::FloatToInteger(..)
            | Word::ToFloat(..)
            | Word::FloatBinary(..)
            | Word::FloatNegate(..)
            | Word::FloatConvert(..) => self.float_word(word),
            Word::CompareWide(op, kind, operands) => {
                let left = self.wide(&operands.0)?;
                let right = self.wide(&operands.1)?;
                let order = match kind {
                    WideKind::Integer { signed: true } => Some((left as i128).cmp(&(right as i128))),
                    WideKind::Integer { signed: false } => Some(left.cmp(&right)),
                    WideKind::Float(kind) => soft::compare(left, right, *kind),
                };
                Ok(u64::from(compare_partial(*op, order)))
            }
            Word::FromWide(operand, shape) => Ok(shape.extend(self.wide(operand)? as u64)),
            Word::WideFloatToInteger(operand, kind, shape) => {
                let bits = self.wide(operand)?;
                Ok(self.cut_float(bits, *kind, u32::from(shape.width), shape.signed)? as u64)
            }
            Word::WideToFloat(operand, signed, kind) => {
                Ok(soft::from_integer(self.wide(operand)?, *signed, *kind) as u64)
            }
            Word::WideFloatConvert(operand, from, to) => {
                Ok(soft::convert(self.wide(operand)?, *from, *to) as u64)
            }
            Word::Unsupported(why) => Err(self.unsupported(why.to_string())),
        }
    }

    /// Words that have to do with `float` and `double`.
    fn float_word(&mut self, word: &Word) -> Step<u64> {
        match word {
            Word::CompareFloats(op, kind, operands) => {
                let left = self.word(&operands.0)?;
                let right = self.word(&operands.1)?;
                let order = soft::compare(u128::from(left), u128::from(right), *kind);
                Ok(u64::from(compare_partial(*op, order)))
            }
            Word::FloatBinary(op, kind, operands) => {
                let left = self.word(&operands.0)?;
                let right = self.word(&operands.1)?;
                Ok(if *kind == FloatKind::Float {
                    let (left, right) = (f32::from_bits(left as u32), f32::from_bits(right as u32));
                    u64::from(native::single(*op, left, right).to_bits())
                } else {
                    native::double(*op, f64::from_bits(left), f64::from_bits(right)).to_bits()
                })
            }
            Word::FloatNegate(operand, kind) => Ok(self.word(operand)? ^ number::sign_bit(*kind) as u64),
            Word::FloatConvert(operand, from, to) => {
                Ok(soft::convert(u128::from(self.word(operand)?), *from, *to) as u64)
            }
            Word::ToFloat(operand, signed, kind) => {
                let value = self.word(operand)?;
                Ok(match (kind, signed) {
                    (FloatKind::Float, true) => u64::from((value as i64 as f32).to_bits()),
                    (FloatKind::Float, false) => u64::from((value as f32).to_bits()),
                    (_, true) => (value as i64 as f64).to_bits(),
                    (_, false) => (value as f64).to_bits(),
                })
            }
            Word::FloatToInteger(operand, kind, shape) => {
                let bits = u128::from(self.word(operand)?);
                let width = u32::from(shape.width);
                let cut = self.cut_float(bits, *kind, width, shape.signed)?;
                Ok(shape.extend(cut as u64))
            }
            other => unreachable!("{other:?} has nothing to do with floats"),
        }
    }

    /// A floating value cut to an integer; out of range is undefined.
    fn cut_float(&mut self, bits: u128, kind: FloatKind, width: u32, signed: bool) -> Step<u128> {
        if let Some(value) = soft::to_integer(bits, kind, width, signed) {
            return Ok(value);
        }
        let shown = crate::library::format::float::shortest(bits, kind);
        let sign = if signed { "a signed" } else { "an unsigned" };
        let message = format!("the floating value {shown} does not fit {sign} integer of {width} bits");
        self.undefined(UndefinedKind::FloatToInteger, message, None)?;
        Ok(native::unfit_to_integer(bits, kind, width, signed))
    }

    /// Is a scalar unequal to zero?
    #[inline]
    pub fn truth(&mut self, condition: &Condition) -> Step<bool> {
        Ok(match condition {
            Condition::Word(word) => self.word(word)? != 0,
            Condition::Pointer(pointer) => self.pointer(pointer)?.address != 0,
            Condition::Float(word, kind) => !number::is_zero(u128::from(self.word(word)?), *kind),
            Condition::Wide(wide, WideKind::Integer { .. }) => self.wide(wide)? != 0,
            Condition::Wide(wide, WideKind::Float(kind)) => !number::is_zero(self.wide(wide)?, *kind),
        })
    }

    /// The value of a wide expression.
    pub fn wide(&mut self, wide: &Wide) -> Step<u128> {
        match wide {
            Wide::Constant(bits) => Ok(*bits),
            Wide::Register(register) => {
                let low = self.register(*register)?;
                let high = self.thread.registers[self.frame.registers + *register as usize + 1].bits;
                Ok(u128::from(high) << 64 | u128::from(low))
            }
            Wide::Shared(bank, register) => {
                let found = self.shared(*bank)[*register as usize];
                if found.tag.is_mark() {
                    self.unwritten_shared(*bank, *register, found.tag)?;
                }
                let registers = self.shared(*bank);
                let (low, high) = (registers[*register as usize], registers[*register as usize + 1]);
                Ok(u128::from(high.bits) << 64 | u128::from(low.bits))
            }
            Wide::Load(place, size) => {
                let at = self.resolve_read(place, *size as usize)?;
                self.load_wide(at, *size as usize)
            }
            Wide::Binary(op, signed, operands) => {
                let left = self.wide(&operands.0)?;
                let right = self.wide(&operands.1)?;
                self.wide_operation(*op, *signed, left, right)
            }
            Wide::Shift(op, signed, operands, is_count_signed) => {
                let left = self.wide(&operands.0)?;
                let count = self.word(&operands.1)?;
                self.wide_shift(*op, *signed, left, count, *is_count_signed)
            }
            Wide::Negate(operand, signed) => {
                let value = self.wide(operand)?;
                if *signed && value as i128 == i128::MIN {
                    self.overflow(UndefinedKind::SignedOverflow, "-", i128::MIN, None, 128)?;
                }
                Ok(value.wrapping_neg())
            }
            Wide::BitNot(operand) => Ok(!self.wide(operand)?),
            Wide::Extend(operand, signed) => {
                let value = self.word(operand)?;
                Ok(if *signed { value as i64 as i128 as u128 } else { u128::from(value) })
            }
            Wide::FromPointer(pointer) => {
                let pointer = self.pointer(pointer)?;
                self.note_number(pointer)?;
                Ok(u128::from(pointer.address))
            }
            Wide::FloatToInteger(operand, kind, signed) => {
                let bits = u128::from(self.word(operand)?);
                self.cut_float(bits, *kind, 128, *signed)
            }
            Wide::LongFloatToInteger(operand, kind, signed) => {
                let bits = self.wide(operand)?;
                self.cut_float(bits, *kind, 128, *signed)
            }
            Wide::ToFloat(operand, signed, kind) => {
                let value = self.word(operand)?;
                let extended = if *signed { value as i64 as i128 as u128 } else { u128::from(value) };
                Ok(soft::from_integer(extended, *signed, *kind))
            }
            Wide::LongIntegerToFloat(operand, signed, kind) => {
                Ok(soft::from_integer(self.wide(operand)?, *signed, *kind))
            }
            Wide::FloatBinary(op, kind, operands) => {
                let left = self.wide(&operands.0)?;
                let right = self.wide(&operands.1)?;
                Ok(soft::arithmetic(*op, left, right, *kind))
            }
            Wide::FloatNegate(operand, kind) => Ok(self.wide(operand)? ^ number::sign_bit(*kind)),
            Wide::FloatConvert(operand, from, to) => {
                Ok(soft::convert(u128::from(self.word(operand)?), *from, *to))
            }
            Wide::LongFloatConvert(operand, from, to) => Ok(soft::convert(self.wide(operand)?, *from, *to)),
            Wide::Unsupported(why) => Err(self.unsupported(why.to_string())),
        }
    }

    /// The value of a pointer expression.
    pub fn pointer(&mut self, pointer: &PointerCode) -> Step<Pointer> {
        match pointer {
            PointerCode::Register(register) => {
                let found = self.thread.registers[self.frame.registers + *register as usize];
                if found.tag.is_mark() {
                    let found = self.unwritten_register(*register, found.tag)?;
                    return Ok(Pointer { address: found.bits, tag: found.tag });
                }
                Ok(Pointer { address: found.bits, tag: found.tag })
            }
            PointerCode::Offset(parts, stride) => {
                let from = self.pointer(&parts.0)?;
                let index = self.word(&parts.1)?;
                let address = self.cut_address(from.address.wrapping_add(index.wrapping_mul(*stride)));
                let moved = Pointer { address, tag: from.tag };
                if self.settings.strictness.pointer_arithmetic {
                    self.check_moved(from, moved)?;
                }
                Ok(moved)
            }
            PointerCode::Load(place) => {
                let at = self.resolve_read(place, self.memory.word())?;
                self.load_pointer(at)
            }
            PointerCode::AddressOf(place) => self.address_of(place),
            PointerCode::Constant(address) => Ok(Pointer::of_address(*address)),
            PointerCode::Shared(bank, register) => {
                let mut found = self.shared(*bank)[*register as usize];
                if found.tag.is_mark() {
                    found = self.unwritten_shared(*bank, *register, found.tag)?;
                }
                Ok(Pointer { address: found.bits, tag: found.tag })
            }
            PointerCode::Function(procedure) => Ok(self.memory.pointer_to(self.functions[*procedure])),
            PointerCode::FromWord(word) => {
                let address = self.word(word)?;
                Ok(Pointer::of_address(self.cut_address(address)))
            }
            PointerCode::FromWide(wide) => {
                let address = self.wide(wide)? as u64;
                Ok(Pointer::of_address(self.cut_address(address)))
            }
            PointerCode::Unsupported(why) => Err(self.unsupported(why.to_string())),
        }
    }

    /// A value of any class.
    pub fn value(&mut self, value: &ValueCode) -> Step<Value> {
        Ok(match &value.kind {
            ValueKind::Word(word) => Value::Word(self.word(word)?),
            ValueKind::Pointer(pointer) => Value::Pointer(self.pointer(pointer)?),
            ValueKind::Wide(wide) => Value::Wide(self.wide(wide)?),
            ValueKind::Aggregate(AggregateCode::Zero(size)) => {
                Value::Aggregate(Box::new(Region::zero(*size as usize)))
            }
            ValueKind::Aggregate(AggregateCode::Load(place, size)) => {
                let at = self.resolve_read(place, *size as usize)?;
                self.check_external(at, *size as usize)?;
                Value::Aggregate(Box::new(self.memory.lift(at, *size as usize)))
            }
        })
    }

    /// An address cut to the machine's pointers.
    #[inline]
    pub fn cut_address(&self, address: u64) -> u64 {
        if self.memory.word() == 4 { address & 0xffff_ffff } else { address }
    }

    #[inline]
    fn register(&mut self, register: u32) -> Step<u64> {
        let found = self.thread.registers[self.frame.registers + register as usize];
        if found.tag.is_mark() {
            return Ok(self.unwritten_register(register, found.tag)?.bits);
        }
        Ok(found.bits)
    }

    /// Registers that do not belong to a frame.
    pub fn shared(&mut self, bank: Bank) -> &mut Vec<Register> {
        match bank {
            Bank::Global => &mut self.globals,
            Bank::Thread => &mut self.thread.own_registers,
        }
    }

    fn compare_pointers(&mut self, op: BinaryOp, left: Pointer, right: Pointer) -> Step<u64> {
        let is_order = !matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
        if is_order && self.settings.strictness.pointer_order && !self.are_related(left, right) {
            let message = "pointers into different objects are compared for order".to_owned();
            self.undefined(UndefinedKind::UnrelatedPointers, message, None)?;
        }
        if self.settings.strictness.layout && left.tag != right.tag {
            self.note_comparison(is_order, left, right)?;
        }
        Ok(u64::from(compare(op, left.address.cmp(&right.address))))
    }

    /// Pointers of different origin are compared: says so if the outcome depends on where objects lie.
    fn note_comparison(&mut self, is_order: bool, left: Pointer, right: Pointer) -> Step<()> {
        if left.address == 0 || right.address == 0 || self.are_related(left, right) {
            return Ok(());
        }
        let is_inside = |machine: &Self, pointer: Pointer| {
            let slot = match pointer.tag {
                Tag::NONE => machine.object_at(pointer.address),
                tag => machine.memory.living(tag),
            };
            slot.is_some_and(|slot| {
                let object = machine.memory.object(slot);
                let offset = pointer.address.wrapping_sub(object.base);
                let has_no_bytes = matches!(object.kind, ObjectKind::Function(_) | ObjectKind::Stream(_));
                offset < object.size() as u64 || has_no_bytes && offset == 0
            })
        };
        let what = if is_order {
            "the order of pointers into different objects"
        } else if !is_inside(self, left) || !is_inside(self, right) {
            "whether a pointer past or outside its object equals another"
        } else if self.may_be_one_literal(left, right) {
            "whether string literals are one object"
        } else {
            return Ok(());
        };
        self.depends_on_layout(what)
    }

    fn may_be_one_literal(&self, left: Pointer, right: Pointer) -> bool {
        let variable = |pointer: Pointer| match self.memory.object(self.memory.living(pointer.tag)?).kind {
            ObjectKind::Variable(id) => Some(id),
            _ => None,
        };
        match (variable(left), variable(right)) {
            (Some(left), Some(right)) => self.program.literals_may_share(left, right),
            _ => false,
        }
    }

    /// A pointer becomes a number: what it is depends on where its object lies, unless it is null.
    pub fn note_number(&mut self, pointer: Pointer) -> Step<()> {
        if self.settings.strictness.layout && pointer.address != 0 && pointer.tag != Tag::NONE {
            return self.depends_on_layout("the address of an object as a number");
        }
        Ok(())
    }

    /// Reports, where this is asked for, that the run depends on where objects lie.
    #[cold]
    pub fn depends_on_layout(&mut self, what: &str) -> Step<()> {
        let message = format!("{what} depends on where objects lie in memory");
        self.undefined(UndefinedKind::LayoutDependent, message, None)
    }

    /// Do both belong to one object?
    fn are_related(&self, left: Pointer, right: Pointer) -> bool {
        let object = |pointer: Pointer| match pointer.tag {
            Tag::NONE => self.object_at(pointer.address).map(|slot| self.memory.object(slot).tag(slot)),
            tag => Some(tag),
        };
        object(left) == object(right)
    }

    fn pointer_difference(&mut self, left: Pointer, right: Pointer, size: u64) -> Step<u64> {
        if left.tag != right.tag && !self.are_related(left, right) {
            let object = self.describe_pointer(left);
            let message = "pointers into different objects are subtracted".to_owned();
            self.undefined(UndefinedKind::UnrelatedPointers, message, object)?;
        }
        let mut bytes = left.address.wrapping_sub(right.address) as i64;
        if self.memory.word() == 4 {
            bytes = i64::from(bytes as i32);
        }
        Ok((bytes / size as i64) as u64)
    }
}

/// The outcome of a comparison that may be unordered.
fn compare_partial(op: BinaryOp, order: Option<Ordering>) -> bool {
    match order {
        Some(order) => compare(op, order),
        None => op == BinaryOp::NotEqual,
    }
}
