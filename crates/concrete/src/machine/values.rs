//! Values on their way: results of calls, inputs, record values.

use super::{Machine, Step};
use crate::code::{Class, HavocCode, Home, ResultCode, Target, WideKind};
use crate::inputs::InputShape;
use crate::machine::frames::Register;
use crate::memory::{Location, Pointer, Region, Tag};
use crate::outcome::{UndefinedKind, UnknownReason};
use crate::settings::OnMissingBody;
use program::{HavocSource, VariableId};
use std::sync::Arc;

/// A value of any class.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Of a procedure that has no result.
    Nothing,
    /// There should be one, but the procedure ended without it.
    Missing,
    /// An integer extended by its sign, or the bits of a `float` or `double`.
    Word(u64),
    /// A 128-bit integer or a wide float's bits.
    Wide(u128),
    /// A pointer.
    Pointer(Pointer),
    /// A record.
    Aggregate(Box<Region>),
}

impl Value {
    /// An `int` or the like.
    pub fn int(value: i64) -> Value {
        Value::Word(value as u64)
    }
}

impl Machine<'_, '_> {
    /// Bytes of a class in memory that matter.
    pub fn class_size(&self, class: Class) -> usize {
        match class {
            Class::Integer { size, .. } => size as usize,
            Class::Float(program::FloatKind::Float) => 4,
            Class::Float(_) => 8,
            Class::Wide(_, size) => size as usize,
            Class::Pointer => self.memory.word(),
            Class::Aggregate(size) => size as usize,
            Class::Nothing => 0,
        }
    }

    /// Writes the result of a call to where it goes.
    pub fn deliver(&mut self, result: &ResultCode, value: Value) -> Step<()> {
        match (result.class, value) {
            (Class::Nothing, _) => Ok(()),
            (Class::Integer { shape, .. }, Value::Word(bits)) => {
                self.write_word(&result.target, result.form, shape.extend(bits))
            }
            (Class::Integer { shape, .. }, Value::Pointer(pointer)) => {
                self.write_word(&result.target, result.form, shape.extend(pointer.address))
            }
            (Class::Integer { shape, .. }, Value::Wide(bits)) => {
                self.write_word(&result.target, result.form, shape.extend(bits as u64))
            }
            (Class::Float(_), Value::Word(bits)) => self.write_word(&result.target, result.form, bits),
            (Class::Pointer, Value::Pointer(pointer)) => self.write_pointer(&result.target, pointer),
            (Class::Pointer, Value::Word(bits)) => {
                let pointer = Pointer::of_address(self.cut_address(bits));
                self.write_pointer(&result.target, pointer)
            }
            (Class::Wide(_, size), Value::Wide(bits)) => self.write_wide(&result.target, size as usize, bits),
            (Class::Wide(WideKind::Integer { .. }, size), Value::Word(bits)) => {
                self.write_wide(&result.target, size as usize, bits as i64 as i128 as u128)
            }
            (Class::Aggregate(size), Value::Aggregate(region)) if region.bytes.len() as u64 == size => {
                let Target::Memory(place) = &result.target else {
                    return Err(self.unsupported("a record outside memory"));
                };
                let at = self.resolve_write(place, size as usize)?;
                self.memory.put(at, &region);
                Ok(())
            }
            (class, Value::Missing | Value::Nothing) => {
                if !result.is_temporary {
                    self.no_result("the result of a call")?;
                }
                let size = match result.form {
                    _ if matches!(class, Class::Integer { .. }) => result.form.size(),
                    _ => self.class_size(class),
                };
                self.mark(&result.target, size, Tag::NO_RESULT)
            }
            _ => {
                let message = format!(
                    "the function's result does not have the type `{}` it is used with",
                    self.program.types.show(result.ty)
                );
                Err(self.undefined_always(UndefinedKind::BadCall, message, None))
            }
        }
    }

    /// Writes an unknown value.
    pub fn havoc(&mut self, havoc: &HavocCode) -> Step<()> {
        let name = match &havoc.source {
            HavocSource::Indeterminate => {
                let size = match havoc.into.class {
                    Class::Integer { .. } | Class::Float(_) => havoc.into.form.size(),
                    Class::Nothing => {
                        return Err(self.unsupported("an object whose size is not known loses its value"));
                    }
                    class => self.class_size(class),
                };
                return self.mark(&havoc.into.target, size, Tag::UNWRITTEN);
            }
            HavocSource::Input(name) => name.clone(),
            HavocSource::Asm => {
                if self.settings.missing == OnMissingBody::Stop {
                    return Err(self.unsupported("inline assembly is reached, whose effect is not known"));
                }
                Arc::from("asm")
            }
        };
        let value = self.input_value(&name, havoc.into.class)?;
        self.deliver(&havoc.into, value)
    }

    /// An unknown value of a class.
    pub fn input_value(&mut self, name: &Arc<str>, class: Class) -> Step<Value> {
        let Some(shape) = class.input_shape(self.memory.word()) else {
            return match class {
                Class::Aggregate(size) => Ok(Value::Aggregate(Box::new(self.input_bytes(name, size)?))),
                _ => Ok(Value::Nothing),
            };
        };
        let bits = self.input(name, shape)?;
        Ok(match class {
            Class::Integer { shape, .. } => Value::Word(shape.extend(bits as u64)),
            Class::Float(_) => Value::Word(bits as u64),
            Class::Pointer => Value::Pointer(Pointer::of_address(bits as u64)),
            _ => Value::Wide(bits),
        })
    }

    /// Unknown bytes, one input each.
    fn input_bytes(&mut self, name: &Arc<str>, size: u64) -> Step<Region> {
        let mut region = Region::zero(size as usize);
        for byte in &mut region.bytes {
            *byte = self.input(name, InputShape::Integer { width: 8, signed: false })? as u8;
        }
        Ok(region)
    }

    /// Gives a variable outside memory a value from the inputs.
    pub fn fill_register(&mut self, variable: VariableId, name: &Arc<str>) -> Step<Register> {
        let class = crate::code::class_of(&self.program.types, self.program.variables[variable].ty.id);
        let (low, high) = match self.input_value(name, class)? {
            Value::Pointer(pointer) => (Register { bits: pointer.address, tag: pointer.tag }, None),
            Value::Wide(bits) => (Register::word(bits as u64), Some(Register::word((bits >> 64) as u64))),
            Value::Word(bits) => (Register::word(bits), None),
            _ => return Err(self.unsupported(format!("the value of `{name}` is not known"))),
        };
        let (registers, index) = match self.code.homes[variable] {
            Home::Register(number) => (&mut self.thread.registers, self.frame.registers + number as usize),
            Home::Shared(bank, number) => (self.shared(bank), number as usize),
            _ => unreachable!("only variables outside memory have registers"),
        };
        registers[index] = low;
        if let Some(high) = high {
            registers[index + 1] = high;
        }
        Ok(low)
    }

    /// A register of an `extern` variable that nobody defines is read.
    pub fn external_register(&mut self, variable: VariableId) -> Step<Register> {
        let name = self.program.variables[variable].name.clone();
        self.unknown_external(&name, variable)?;
        self.fill_register(variable, &name)
    }

    /// Bytes of an object that another unit would define are read before they were written: takes inputs for them.
    pub fn external_bytes(&mut self, at: Location, size: usize, variable: VariableId) -> Step<()> {
        let name = self.program.variables[variable].name.clone();
        self.unknown_external(&name, variable)?;
        self.fill_bytes(at, size, &name)
    }

    /// Gives the bytes of a range that were never written values from the inputs.
    pub fn fill_bytes(&mut self, at: Location, size: usize, name: &Arc<str>) -> Step<()> {
        let word = self.memory.word();
        for offset in at.offset..at.offset + size {
            if !self.memory.object(at.slot).is_written(offset, 1) {
                let byte = self.input(name, InputShape::Integer { width: 8, signed: false })?;
                // Bits of it that a bit-field wrote stay.
                let byte = self.memory.object(at.slot).with_written_bits(offset, byte as u8);
                self.memory.object_mut(at.slot).store(offset, 1, u64::from(byte), word);
            }
        }
        Ok(())
    }

    fn unknown_external(&mut self, name: &Arc<str>, variable: VariableId) -> Step<()> {
        if self.settings.missing != OnMissingBody::Stop || self.program.is_given(variable) {
            return Ok(());
        }
        let message = format!("the value of `{name}` is needed, which is declared but defined nowhere");
        Err(self.unknown(UnknownReason::ExternalVariable(name.clone()), message))
    }

    /// A record is copied out of an object that another unit would define, or that was never written where that means
    /// any value: its bytes must be known first.
    pub fn check_external(&mut self, at: Location, size: usize) -> Step<()> {
        let object = self.memory.object(at.slot);
        if object.is_external
            && !object.is_written(at.offset, size)
            && let crate::memory::ObjectKind::Variable(variable) = object.kind
        {
            return self.external_bytes(at, size, variable);
        }
        // A copy of what was never written has the same bytes as the original: they are drawn once, before.
        if self.settings.uninitialised == crate::settings::Uninitialised::Input
            && !self.memory.object(at.slot).is_written(at.offset, size)
        {
            return self.unwritten_memory(at, size);
        }
        Ok(())
    }
}
