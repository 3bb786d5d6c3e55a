//! Contract words: what must hold when a library function is called.

use super::{Arguments, Native};
use crate::machine::access::Access;
use crate::machine::{Machine, Step};
use crate::outcome::{UndefinedKind, UnknownReason};
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
        Word::Need | Word::NeedNoOverflow => {
            if arguments.integer(machine, 0)? == 0 {
                let kind = match word {
                    Word::Need => UndefinedKind::BadArgument,
                    _ => UndefinedKind::SignedOverflow,
                };
                let text = text(machine, arguments, 1)?;
                machine.undefined(kind, text, None)?;
            }
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
    if bytes == 0 {
        return Ok(());
    }
    match usize::try_from(bytes) {
        Ok(bytes) => machine.locate(at, bytes, access).map(drop),
        Err(_) => Err(machine.bad_access(at, usize::MAX, access)),
    }
}

fn text(machine: &mut Machine<'_, '_>, arguments: &Arguments, number: usize) -> Step<String> {
    let at = arguments.pointer(machine, number)?;
    let bytes = machine.read_string(at, None)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
