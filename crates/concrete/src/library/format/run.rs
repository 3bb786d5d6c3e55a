//! Carrying out a format: takes each directive's argument, checks that it has the type the directive needs, lays it
//! out.

use super::{Layout, float, integer};
use crate::code::{Class, WideKind, class_of};
use crate::library::Argument;
use crate::machine::access::Access;
use crate::machine::{Halt, Machine, Step, Value};
use crate::memory::Pointer;
use crate::outcome::UndefinedKind;
use library::format::{Amount, Directive, Length, Piece, is_positional, pieces};
use program::FloatKind;

/// Where a format's arguments come from.
pub enum Source {
    /// The call itself.
    Listed(std::vec::IntoIter<Argument>),
    /// A position in the unnamed arguments of another call.
    Area(Pointer),
}

impl Source {
    fn next(&mut self, machine: &mut Machine<'_, '_>) -> Step<Argument> {
        match self {
            Source::Listed(items) => match items.next() {
                Some(item) => Ok(item),
                None => {
                    let message = "the format asks for more arguments than were passed".to_owned();
                    Err(machine.undefined_always(UndefinedKind::FormatArguments, message, None))
                }
            },
            Source::Area(position) => {
                let (argument, next) = machine.next_unnamed(*position)?;
                *position = next;
                Ok(argument)
            }
        }
    }
}

/// A string that `%s` read: where it is, and its length without the zero.
pub type StringRead = (Pointer, u64);

/// What a format comes to; `None` where glibc gives up with -1 (a wide character the C locale does not have). `shown`
/// gets the strings that were read.
pub fn formatted(
    machine: &mut Machine<'_, '_>,
    format: &[u8],
    source: &mut Source,
    shown: &mut Vec<StringRead>,
) -> Step<Option<Vec<u8>>> {
    let mut out = Vec::new();
    for piece in pieces(format) {
        match piece {
            Piece::Text(text) => out.extend_from_slice(text),
            Piece::Broken(text) => {
                let directive = String::from_utf8_lossy(text).into_owned();
                if is_positional(text) {
                    return Err(
                        machine.unsupported(format!("the format directive `{directive}` is not known"))
                    );
                }
                let message = format!("`{directive}` in a format is no directive");
                machine.undefined(UndefinedKind::FormatArguments, message, None)?;
                out.extend_from_slice(text);
            }
            Piece::Directive(directive) => {
                if !carry_out(machine, directive, source, &mut out, shown)? {
                    return Ok(None);
                }
            }
        }
    }
    Ok(Some(out))
}

/// One directive; false where glibc gives up.
fn carry_out(
    machine: &mut Machine<'_, '_>,
    directive: Directive,
    source: &mut Source,
    out: &mut Vec<u8>,
    shown: &mut Vec<StringRead>,
) -> Step<bool> {
    if directive.conversion == b'%' {
        out.push(b'%');
        return Ok(true);
    }
    let layout = layout(machine, directive, source)?;
    if layout.width > 1 << 28 || layout.precision > Some(1 << 28) {
        return Err(machine.unsupported("a format asks for more than 256 MiB of text"));
    }
    match directive.conversion {
        b'd' | b'i' => {
            let value = integer_argument(machine, directive, source, true)?;
            integer::signed(&layout, value, out);
        }
        b'u' | b'o' | b'x' | b'X' => {
            let value = integer_argument(machine, directive, source, false)?;
            integer::unsigned(&layout, value as u128, out);
        }
        b'c' if directive.length != Length::Long => {
            let value =
                integer_argument(machine, Directive { length: Length::None, ..directive }, source, true)?;
            layout.padded(&[value as u8], out);
        }
        b'c' | b'C' => {
            let value =
                integer_argument(machine, Directive { length: Length::None, ..directive }, source, false)?;
            match u8::try_from(value) {
                Ok(byte) if byte < 128 => layout.padded(&[byte], out),
                _ => return Ok(false),
            }
        }
        b's' if directive.length != Length::Long => {
            let pointer = pointer_argument(machine, directive, source)?;
            let text = printed_string(machine, pointer, layout.precision)?;
            shown.push((pointer, text.len() as u64));
            layout.padded(&text, out);
        }
        b's' | b'S' => {
            let pointer = pointer_argument(machine, directive, source)?;
            match wide_string(machine, pointer, layout.precision)? {
                Some(text) => layout.padded(&text, out),
                None => return Ok(false),
            }
        }
        b'p' => {
            let pointer = pointer_argument(machine, directive, source)?;
            machine.note_number(pointer)?;
            integer::pointer(&layout, pointer.address, out);
        }
        b'n' => {
            let argument = source.next(machine)?;
            let pointer = as_pointer(machine, directive, &argument)?;
            let size = integer_size(machine, directive.length);
            if !points_to_integer(machine, &argument, size) {
                mismatch(machine, directive, &argument)?;
            }
            let at = machine.locate(pointer, size, Access::Write)?;
            let word = machine.memory.word();
            machine.memory.object_mut(at.slot).store(at.offset, size, out.len() as u64, word);
        }
        // `errno` is never set by the built-in functions.
        b'm' => layout.padded(b"Success", out),
        _ => {
            let (bits, kind) = float_argument(machine, directive, source)?;
            float::float(&layout, bits, kind, out);
        }
    }
    Ok(true)
}

fn layout(machine: &mut Machine<'_, '_>, directive: Directive, source: &mut Source) -> Step<Layout> {
    let star = Directive { length: Length::None, conversion: b'*', ..directive };
    let mut flags = directive.flags;
    let width = match directive.width {
        Amount::Absent => 0,
        Amount::Written(width) => width as usize,
        Amount::Argument => {
            let width = integer_argument(machine, star, source, true)?;
            flags.left |= width < 0;
            width.unsigned_abs() as usize
        }
    };
    let precision = match directive.precision {
        Amount::Absent => None,
        Amount::Written(precision) => Some(precision as usize),
        Amount::Argument => usize::try_from(integer_argument(machine, star, source, true)?).ok(),
    };
    Ok(Layout { flags, width, precision, conversion: directive.conversion })
}

/// Bytes of the integer a length modifier means.
pub fn integer_size(machine: &Machine<'_, '_>, length: Length) -> usize {
    length.integer_bytes(machine.memory.word())
}

fn integer_argument(
    machine: &mut Machine<'_, '_>,
    directive: Directive,
    source: &mut Source,
    signed: bool,
) -> Step<i128> {
    let argument = source.next(machine)?;
    let wanted = integer_size(machine, directive.length);
    let passed = wanted.max(4);
    let class = class_of(&machine.program.types, argument.ty);
    let bits = match (class, &argument.value) {
        (Class::Integer { size, .. }, Value::Word(bits)) => {
            if size as usize != passed {
                mismatch(machine, directive, &argument)?;
            }
            *bits
        }
        (Class::Pointer, Value::Pointer(pointer)) => {
            if machine.memory.word() != passed {
                mismatch(machine, directive, &argument)?;
            }
            pointer.address
        }
        (Class::Wide(WideKind::Integer { .. }, _), Value::Wide(bits)) => {
            mismatch(machine, directive, &argument)?;
            *bits as u64
        }
        _ => return Err(unusable(machine, directive, &argument)),
    };
    let unused = 64 - 8 * wanted as u32;
    Ok(if signed {
        i128::from((bits << unused) as i64 >> unused)
    } else {
        i128::from((bits << unused) >> unused)
    })
}

fn pointer_argument(
    machine: &mut Machine<'_, '_>,
    directive: Directive,
    source: &mut Source,
) -> Step<Pointer> {
    let argument = source.next(machine)?;
    as_pointer(machine, directive, &argument)
}

fn as_pointer(machine: &mut Machine<'_, '_>, directive: Directive, argument: &Argument) -> Step<Pointer> {
    let class = class_of(&machine.program.types, argument.ty);
    match (class, &argument.value) {
        (_, Value::Pointer(pointer)) => Ok(*pointer),
        (Class::Integer { size, .. }, Value::Word(bits)) => {
            let pointer = Pointer::of_address(machine.cut_address(*bits));
            if size as usize != machine.memory.word() {
                mismatch(machine, directive, argument)?;
            }
            Ok(pointer)
        }
        _ => Err(unusable(machine, directive, argument)),
    }
}

/// May a count of so many bytes be stored through the argument? As `library::format::Passed::takes_count` has it.
fn points_to_integer(machine: &Machine<'_, '_>, argument: &Argument, size: usize) -> bool {
    let types = &machine.program.types;
    let Some(to) = types.pointee(argument.ty) else { return true };
    match (types.get(to.id), types.size_of(to.id)) {
        (program::Type::Void | program::Type::Function(_), _) | (_, None) => true,
        (_, Some(bytes)) => types.integer_shape(to.id).is_some() && bytes == size as u64,
    }
}

fn float_argument(
    machine: &mut Machine<'_, '_>,
    directive: Directive,
    source: &mut Source,
) -> Step<(u128, FloatKind)> {
    let argument = source.next(machine)?;
    let class = class_of(&machine.program.types, argument.ty);
    let wants_long = matches!(directive.length, Length::LongDouble | Length::LongLong);
    match (class, &argument.value) {
        (Class::Float(kind), Value::Word(bits)) if !wants_long => Ok((u128::from(*bits), kind)),
        (Class::Wide(WideKind::Float(kind @ FloatKind::LongDouble), _), Value::Wide(bits)) if wants_long => {
            Ok((*bits, kind))
        }
        _ => Err(unusable(machine, directive, &argument)),
    }
}

fn mismatch(machine: &mut Machine<'_, '_>, directive: Directive, argument: &Argument) -> Step<()> {
    let message = mismatch_message(machine, directive, argument);
    machine.undefined(UndefinedKind::FormatArguments, message, None)
}

fn unusable(machine: &mut Machine<'_, '_>, directive: Directive, argument: &Argument) -> Halt {
    let message = mismatch_message(machine, directive, argument);
    machine.undefined_always(UndefinedKind::FormatArguments, message, None)
}

fn mismatch_message(machine: &Machine<'_, '_>, directive: Directive, argument: &Argument) -> String {
    let shown = machine.program.types.show(argument.ty);
    format!("`{}` is given an argument of type `{shown}`", directive.name())
}

/// A string for `%s`; glibc shows a null pointer as `(null)`.
fn printed_string(
    machine: &mut Machine<'_, '_>,
    pointer: Pointer,
    precision: Option<usize>,
) -> Step<Vec<u8>> {
    if pointer.address == 0 {
        let message = "a null pointer is printed with `%s`".to_owned();
        machine.undefined(UndefinedKind::NullDereference, message, None)?;
        return Ok(if precision.is_none_or(|most| most >= 6) { b"(null)".to_vec() } else { Vec::new() });
    }
    machine.read_string(pointer, precision.map(|most| most as u64))
}

/// A wide string for `%ls`; `None` if the C locale cannot show it.
fn wide_string(
    machine: &mut Machine<'_, '_>,
    pointer: Pointer,
    precision: Option<usize>,
) -> Step<Option<Vec<u8>>> {
    if pointer.address == 0 {
        return printed_string(machine, pointer, precision).map(Some);
    }
    let mut text = Vec::new();
    let mut at = pointer;
    while precision.is_none_or(|most| text.len() < most) {
        let bytes = machine.read_bytes(at, 4)?;
        let unit = u32::from_le_bytes(bytes.try_into().expect("four bytes were read"));
        match unit {
            0 => break,
            1..128 => text.push(unit as u8),
            _ => return Ok(None),
        }
        at.address = machine.cut_address(at.address.wrapping_add(4));
    }
    Ok(Some(text))
}
