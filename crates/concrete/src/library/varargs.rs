//! `va_list`: a position in the area of unnamed arguments. It is kept in the bytes of the program's own `va_list`
//! object, so copies behave as copies do: on LP64 `overflow_arg_area` points to the next argument (the register areas
//! count as used up), on ILP32 the `char *` itself does.

use super::{Argument, Arguments, Native};
use crate::code::{Class, class_of};
use crate::machine::access::Access;
use crate::machine::{Machine, Step, Value};
use crate::memory::{ArgumentSlot, Location, ObjectKind, Pointer};
use crate::outcome::UndefinedKind;
use program::{Known, TypeId};

/// Where `overflow_arg_area` stands in `__va_list_tag`.
const AREA_OFFSET: usize = 8;
const TAG_SIZE: usize = 24;

pub fn call(
    machine: &mut Machine<'_, '_>,
    known: Known,
    arguments: &Arguments,
    wanted: Option<TypeId>,
) -> Step<Native> {
    let list = arguments.pointer(machine, 0)?;
    match known {
        Known::VaStart => {
            let Some(slot) = machine.frame.arguments else {
                let message = "`va_start` is used in a function without variable arguments".to_owned();
                return Err(machine.undefined_always(UndefinedKind::VariableArguments, message, None));
            };
            let area = machine.memory.pointer_to(slot);
            machine.set_position(list, area)?;
            Ok(Native::NOTHING)
        }
        Known::VaArg => {
            let Some(wanted) = wanted else {
                return Err(machine.unsupported("`va_arg` is used without a place for its value"));
            };
            if class_of(&machine.program.types, wanted) == Class::Aggregate(0) {
                // Records without members take no room among the arguments.
                return Ok(Native::Value(Value::Aggregate(Box::default())));
            }
            let position = machine.position(list)?;
            let (argument, next) = machine.next_unnamed(position)?;
            let value = fits(machine, &argument, wanted)?;
            machine.set_position(list, next)?;
            Ok(Native::Value(value))
        }
        Known::VaEnd => {
            let size = list_size(machine);
            let at = machine.locate(list, size, Access::Write)?;
            let word = machine.memory.word();
            machine.memory.object_mut(at.slot).make_unwritten(at.offset, size, word);
            Ok(Native::NOTHING)
        }
        Known::VaCopy => {
            let from = arguments.pointer(machine, 1)?;
            let position = machine.position(from)?;
            machine.set_position(list, position)?;
            Ok(Native::NOTHING)
        }
        other => unreachable!("{other:?} has nothing to do with variable arguments"),
    }
}

fn list_size(machine: &Machine<'_, '_>) -> usize {
    if machine.memory.word() == 4 { 4 } else { TAG_SIZE }
}

/// The value of an unnamed argument as the type asked for.
fn fits(machine: &mut Machine<'_, '_>, argument: &Argument, wanted: TypeId) -> Step<Value> {
    let types = &machine.program.types;
    let (given, asked) = (class_of(types, argument.ty), class_of(types, wanted));
    let word = machine.memory.word();
    let value = argument.value.clone();
    let fitted = match (given, asked, &value) {
        (Class::Integer { size: a, .. }, Class::Integer { size: b, shape, .. }, Value::Word(bits))
            if a == b && a >= 4 =>
        {
            Some(Value::Word(shape.extend(*bits)))
        }
        (Class::Integer { size, .. }, Class::Pointer, Value::Word(bits)) if size as usize == word => {
            Some(Value::Pointer(Pointer::of_address(machine.cut_address(*bits))))
        }
        (Class::Pointer, Class::Integer { size, shape, .. }, Value::Pointer(pointer))
            if size as usize == word =>
        {
            Some(Value::Word(shape.extend(pointer.address)))
        }
        (a, b, _) if a == b => Some(value),
        _ => None,
    };
    if let Some(value) = fitted {
        return Ok(value);
    }
    let message = format!(
        "`va_arg` asks for `{}` where an argument of type `{}` was passed",
        types.show(wanted),
        types.show(argument.ty)
    );
    Err(machine.undefined_always(UndefinedKind::VariableArguments, message, None))
}

impl Machine<'_, '_> {
    /// The next argument's position, from the storage of a `va_list`.
    pub fn position(&mut self, list: Pointer) -> Step<Pointer> {
        let size = list_size(self);
        let at = self.locate(list, size, Access::Read)?;
        let offset = if self.memory.word() == 4 { at.offset } else { at.offset + AREA_OFFSET };
        self.load_pointer(Location { offset, ..at })
    }

    /// Writes a position to the storage of a `va_list`.
    pub fn set_position(&mut self, list: Pointer, position: Pointer) -> Step<()> {
        let size = list_size(self);
        let at = self.locate(list, size, Access::Write)?;
        let word = self.memory.word();
        if word == 4 {
            self.memory.store_pointer(at, position);
            return Ok(());
        }
        // All register arguments count as taken: 6 × 8 bytes, and 8 × 16 behind them.
        let object = self.memory.object_mut(at.slot);
        object.store(at.offset, 4, 48, word);
        object.store(at.offset + 4, 4, 176, word);
        self.memory.store_pointer(Location { offset: at.offset + AREA_OFFSET, ..at }, position);
        self.memory.store_pointer(Location { offset: at.offset + 16, ..at }, Pointer::NULL);
        Ok(())
    }

    /// The argument at a position, and the position behind it.
    pub fn next_unnamed(&mut self, position: Pointer) -> Step<(Argument, Pointer)> {
        let slot = match self.object_of(position) {
            Some(slot) => slot,
            None => return Err(self.bad_access(position, 1, Access::Read)),
        };
        let object = self.memory.object(slot);
        let ObjectKind::Arguments(slots) = &object.kind else {
            let message = "a `va_list` does not stand for variable arguments".to_owned();
            return Err(self.undefined_always(UndefinedKind::VariableArguments, message, None));
        };
        let offset = position.address.wrapping_sub(object.base);
        let found: Option<ArgumentSlot> = slots.iter().find(|slot| slot.offset >= offset).copied();
        let base = object.base;
        let Some(found) = found else {
            let message = "more variable arguments are asked for than were passed".to_owned();
            return Err(self.undefined_always(UndefinedKind::VariableArguments, message, None));
        };
        let at = Location { slot, offset: found.offset as usize };
        let class = class_of(&self.program.types, found.ty);
        let value = match class {
            Class::Pointer => Value::Pointer(self.load_pointer(at)?),
            Class::Wide(_, size) => Value::Wide(self.load_wide(at, size as usize)?),
            Class::Aggregate(size) => Value::Aggregate(Box::new(self.memory.lift(at, size as usize))),
            _ => match class.word_form() {
                Some(form) => Value::Word(self.load_word(at, form)?),
                None => return Err(self.unsupported("a variable argument of a type without a size")),
            },
        };
        let word = self.memory.word() as u64;
        let size = self.program.types.size_of(found.ty).unwrap_or(0).next_multiple_of(word);
        let next = base + found.offset + size;
        Ok((Argument { ty: found.ty, value }, Pointer { address: next, tag: position.tag }))
    }
}
