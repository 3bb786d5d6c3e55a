//! Output: `printf` and its relatives, `puts`, `fwrite` and so on. What goes to files is not kept.

use super::format::run::{Source, StringRead, formatted};
use super::{Arguments, Native};
use crate::host::OutputStream;
use crate::machine::{Machine, Step};
use crate::memory::{ObjectKind, Pointer, Slot, Stream};
use crate::outcome::UndefinedKind;
use program::Known;

const END_OF_FILE: i64 = -1;

/// Where formatted text goes.
enum Sink {
    Stream(Option<OutputStream>),
    /// The whole text, wherever it fits.
    Buffer(Pointer),
    /// At most so many bytes with the end mark.
    Bounded(Pointer, u64),
}

/// `printf` and its relatives.
pub fn print_formatted(machine: &mut Machine<'_, '_>, known: Known, arguments: &Arguments) -> Step<Native> {
    use Known::*;
    let (sink, format) = match known {
        Printf | Vprintf => {
            machine.needs_standard(1)?;
            (Sink::Stream(Some(OutputStream::Out)), 0)
        }
        Fprintf | Vfprintf => {
            let stream = arguments.pointer(machine, 0)?;
            (Sink::Stream(machine.output_stream(stream)?), 1)
        }
        Sprintf | Vsprintf => (Sink::Buffer(arguments.pointer(machine, 0)?), 1),
        _ => (Sink::Bounded(arguments.pointer(machine, 0)?, arguments.size(machine, 1)?), 2),
    };
    let takes_list = matches!(known, Vprintf | Vfprintf | Vsprintf | Vsnprintf);
    let text = arguments.pointer(machine, format)?;
    let text = machine.read_string(text, None)?;
    let mut list = None;
    let mut source = if takes_list {
        let given = arguments.pointer(machine, format + 1)?;
        if machine.memory.word() == 4 {
            Source::Area(given)
        } else {
            list = Some(given);
            Source::Area(machine.position(given)?)
        }
    } else {
        let rest: Vec<_> = arguments.items.iter().skip(format + 1).cloned().collect();
        Source::Listed(rest.into_iter())
    };
    let mut shown = Vec::new();
    let done = formatted(machine, &text, &mut source, &mut shown)?;
    if let (Some(list), Source::Area(position)) = (list, source) {
        machine.set_position(list, position)?;
    }
    let Some(out) = done else { return Ok(Native::int(END_OF_FILE)) };
    match sink {
        Sink::Stream(stream) => machine.write(stream, &out),
        Sink::Buffer(buffer) => {
            let mut ended = out.clone();
            ended.push(0);
            apart(machine, buffer, ended.len(), &shown)?;
            machine.write_bytes(buffer, &ended)?;
        }
        Sink::Bounded(buffer, most) if most > 0 => {
            let kept = out.len().min(usize::try_from(most - 1).unwrap_or(usize::MAX));
            let mut ended = out[..kept].to_vec();
            ended.push(0);
            apart(machine, buffer, ended.len(), &shown)?;
            machine.write_bytes(buffer, &ended)?;
        }
        Sink::Bounded(..) => {}
    }
    Ok(Native::int(out.len() as i64))
}

/// Fails if a string that is shown has bytes in common with the buffer that is written.
fn apart(machine: &mut Machine<'_, '_>, buffer: Pointer, written: usize, shown: &[StringRead]) -> Step<()> {
    for &(string, length) in shown {
        let touch = buffer.address.wrapping_sub(string.address) < length + 1
            || string.address.wrapping_sub(buffer.address) < written as u64;
        if touch {
            let message = "a string is printed to a buffer that overlaps it".to_owned();
            let object = machine.describe_pointer(buffer);
            machine.undefined(UndefinedKind::Overlap, message, object)?;
        }
    }
    Ok(())
}

/// Plain output.
pub fn call(machine: &mut Machine<'_, '_>, known: Known, arguments: &Arguments) -> Step<Native> {
    match known {
        Known::Putchar => {
            machine.needs_standard(1)?;
            let byte = arguments.integer(machine, 0)? as u8;
            machine.world.host.write(OutputStream::Out, &[byte]);
            Ok(Native::int(i64::from(byte)))
        }
        Known::Puts => {
            machine.needs_standard(1)?;
            let text = arguments.pointer(machine, 0)?;
            let mut text = machine.read_string(text, None)?;
            text.push(b'\n');
            machine.world.host.write(OutputStream::Out, &text);
            Ok(Native::int(text.len() as i64))
        }
        Known::Fputc => {
            let byte = arguments.integer(machine, 0)? as u8;
            let stream = arguments.pointer(machine, 1)?;
            let stream = machine.output_stream(stream)?;
            machine.write(stream, &[byte]);
            Ok(Native::int(i64::from(byte)))
        }
        Known::Fputs => {
            let stream = arguments.pointer(machine, 1)?;
            let stream = machine.output_stream(stream)?;
            let text = arguments.pointer(machine, 0)?;
            let text = machine.read_string(text, None)?;
            machine.write(stream, &text);
            Ok(Native::int(1))
        }
        Known::Fwrite => {
            let data = arguments.pointer(machine, 0)?;
            let (size, count) = (arguments.size(machine, 1)?, arguments.size(machine, 2)?);
            let stream = arguments.pointer(machine, 3)?;
            let stream = machine.output_stream(stream)?;
            let bytes = size.checked_mul(count).and_then(|bytes| usize::try_from(bytes).ok());
            let Some(bytes) = bytes else {
                return Err(machine.bad_access(data, usize::MAX, crate::machine::access::Access::Read));
            };
            let text = machine.read_bytes(data, bytes)?;
            machine.write(stream, &text);
            Ok(Native::int(if size == 0 { 0 } else { count as i64 }))
        }
        Known::Fflush => {
            let stream = arguments.pointer(machine, 0)?;
            if stream.address != 0 {
                machine.stream(stream)?;
            }
            machine.world.host.flush();
            Ok(Native::int(0))
        }
        Known::Perror => {
            let text = arguments.pointer(machine, 0)?;
            let mut line = Vec::new();
            if text.address != 0 {
                line = machine.read_string(text, None)?;
                if !line.is_empty() {
                    line.extend_from_slice(b": ");
                }
            }
            // `errno` is never set by the built-in functions.
            line.extend_from_slice(b"Success\n");
            machine.world.host.write(OutputStream::Err, &line);
            Ok(Native::NOTHING)
        }
        other => unreachable!("{other:?} does not write"),
    }
}

impl Machine<'_, '_> {
    /// The stream that a `FILE *` stands for, which must be open.
    pub fn stream(&mut self, pointer: Pointer) -> Step<Stream> {
        let slot = self.object_of(pointer);
        let standard =
            slot.and_then(|slot| self.standard_streams.iter().position(|known| *known == Some(slot)));
        let stream = match (standard, slot.map(|slot| &self.memory.object(slot).kind)) {
            (Some(number), _) => Some([Stream::In, Stream::Out, Stream::Err][number]),
            (None, Some(ObjectKind::Stream(stream))) => Some(*stream),
            _ => None,
        };
        if let (Some(stream), Some(slot)) = (stream, slot)
            && self.memory.object(slot).base == pointer.address
            && self.is_open(slot)
        {
            return Ok(stream);
        }
        let object = self.describe_pointer(pointer);
        let message = if pointer.address == 0 {
            "a null pointer is used as a stream"
        } else if stream.is_some() {
            "a stream is used that was closed"
        } else {
            "a pointer that is no stream is used as one"
        };
        Err(self.undefined_always(UndefinedKind::BadArgument, message.to_owned(), object))
    }

    /// Fails unless the standard stream with that number is open.
    pub fn needs_standard(&mut self, number: usize) -> Step<()> {
        match self.standard_streams[number] {
            Some(slot) if !self.is_open(slot) => {
                let object = Some(self.describe_slot(slot));
                let message = "a stream is used that was closed".to_owned();
                Err(self.undefined_always(UndefinedKind::BadArgument, message, object))
            }
            _ => Ok(()),
        }
    }

    /// The mark at the beginning of a stream's object says so; a stream that no description defines has none and is
    /// never closed.
    fn is_open(&self, slot: Slot) -> bool {
        let object = self.memory.object(slot);
        object.size() < 4 || object.load(0, 4) as u32 == library::OPEN_STREAM
    }

    fn output_stream(&mut self, pointer: Pointer) -> Step<Option<OutputStream>> {
        match self.stream(pointer)? {
            Stream::Out => Ok(Some(OutputStream::Out)),
            Stream::Err => Ok(Some(OutputStream::Err)),
            // What goes to a file is not kept.
            Stream::File => Ok(None),
            Stream::In => Err(self.unsupported("the program writes to `stdin`")),
        }
    }

    fn write(&mut self, stream: Option<OutputStream>, bytes: &[u8]) {
        if let Some(stream) = stream {
            self.world.host.write(stream, bytes);
        }
    }
}
