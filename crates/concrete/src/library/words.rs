//! Contract words: what must hold when a library function is called.

use super::{Arguments, Native};
use crate::code::class_of;
use crate::machine::access::Access;
use crate::machine::{Machine, Step};
use crate::memory::{ObjectKind, Pointer};
use crate::outcome::{Touched, UndefinedKind, UnknownReason};
use crate::settings::Outside;
use program::Word;

pub fn call(machine: &mut Machine<'_, '_>, word: Word, arguments: &Arguments) -> Step<Native> {
    match word {
        Word::Readable => range(machine, arguments, Access::Read)?,
        Word::Writable => range(machine, arguments, Access::Write)?,
        Word::Apart => {
            let (one, two) = (arguments.pointer(machine, 0)?, arguments.pointer(machine, 2)?);
            let (bytes, others) = (arguments.size(machine, 1)?, arguments.size(machine, 3)?);
            let touch = one.address.wrapping_sub(two.address) < others
                || two.address.wrapping_sub(one.address) < bytes;
            if bytes > 0 && others > 0 && touch {
                let distance = one.address.abs_diff(two.address);
                let message = format!("{bytes} bytes are copied to bytes that overlap them, {distance} away");
                let object = machine.describe_pointer(one);
                machine.undefined(UndefinedKind::Overlap, message, object)?;
            }
        }
        Word::Need | Word::NeedNoOverflow | Word::NeedArgument => {
            if arguments.integer(machine, 0)? == 0 {
                let kind = match word {
                    Word::Need => UndefinedKind::BadArgument,
                    Word::NeedArgument => UndefinedKind::VariableArguments,
                    _ => UndefinedKind::SignedOverflow,
                };
                let text = text(machine, arguments, 1)?;
                machine.undefined(kind, text, None)?;
            }
        }
        Word::Any if machine.world.driver.is_some() && &*arguments.name == "__concord_any_bool" => {
            let chosen = machine.decide(crate::schedule::ChoiceKind::SwapFails, 2);
            return Ok(Native::Value(crate::machine::Value::Word(u64::from(chosen))));
        }
        Word::Any | Word::Some if machine.settings.outside == Outside::Host => {
            return Ok(Native::Value(arguments.items[0].value.clone()));
        }
        Word::Any => {
            let class = class_of(&machine.program.types, arguments.items[0].ty);
            let name = arguments.name.clone();
            return machine.input_value(&name, class).map(Native::Value);
        }
        Word::Some => {
            let name =
                machine.called_model().map(|(called, _)| machine.program.procedures[called].name.clone());
            let message =
                format!("nothing is known of what `{}` gives here", name.as_deref().unwrap_or("it"));
            return Err(machine.unknown(UnknownReason::Unsupported, message));
        }
        Word::Unknown => {
            let text = text(machine, arguments, 0)?;
            let message = format!("nothing is known of what comes next: {text}");
            return Err(machine.unknown(UnknownReason::Unsupported, message));
        }
    }
    Ok(Native::NOTHING)
}

fn range(machine: &mut Machine<'_, '_>, arguments: &Arguments, access: Access) -> Step<()> {
    let (at, bytes) = (arguments.pointer(machine, 0)?, arguments.size(machine, 1)?);
    need_range(machine, at, bytes, access)
}

/// So many bytes must be readable or writable.
pub fn need_range(machine: &mut Machine<'_, '_>, at: Pointer, bytes: u64, access: Access) -> Step<()> {
    if bytes == 0 {
        return Ok(());
    }
    if let Some(slot) = machine.memory.living(at.tag) {
        let object = machine.memory.object(slot);
        let is_data = !matches!(object.kind, ObjectKind::Function(_) | ObjectKind::Stream(_));
        let (offset, size) = (at.address.wrapping_sub(object.base), object.size() as u64);
        if is_data && offset <= size && bytes > size - offset {
            let description = machine.describe_slot(slot);
            let kind = if access == Access::Write { "writable" } else { "readable" };
            let plural = if bytes == 1 { "byte" } else { "bytes" };
            let left = match offset {
                0 => format!("{}, which has {size}", description.name),
                _ => format!("offset {offset} of {}, which has {size}", description.name),
            };
            let message = format!("needs {bytes} {kind} {plural} at {left}");
            // The first byte that is not there.
            let (owner, has_others) = machine.owner(&machine.memory.object(slot).kind);
            let is_write = access == Access::Write;
            let (owner, offset) = (Some(owner), size as i64);
            let touched = Touched { owner, offset, bytes: 1, size, is_write, has_others };
            return Err(machine.touched(UndefinedKind::OutOfBounds, message, Some(description), touched));
        }
    }
    match usize::try_from(bytes) {
        Ok(bytes) => machine.find(at, bytes, access).map(drop),
        Err(_) => Err(machine.bad_access(at, usize::MAX, access)),
    }
}

fn text(machine: &mut Machine<'_, '_>, arguments: &Arguments, number: usize) -> Step<String> {
    let at = arguments.pointer(machine, number)?;
    let bytes = machine.read_string(at, None)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
