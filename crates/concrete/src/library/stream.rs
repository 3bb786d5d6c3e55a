//! Input from `stdin`.

use super::{Arguments, Native};
use crate::host::Host;
use crate::machine::access::Access;
use crate::machine::{Machine, Step};
use crate::memory::{Pointer, Stream};
use crate::outcome::UndefinedKind;
use program::Known;

const END_OF_FILE: i64 = -1;

/// What was read of `stdin` and not yet given to the program.
#[derive(Clone, Debug, Default)]
pub struct InputBuffer {
    bytes: Vec<u8>,
    next: usize,
    has_ended: bool,
    /// Was the end seen by somebody who wanted to read on (`feof`)?
    end_is_seen: bool,
}

impl InputBuffer {
    /// The next byte, left where it is.
    pub fn peek(&mut self, host: &mut dyn Host) -> Option<u8> {
        if self.next >= self.bytes.len() && !self.has_ended {
            host.flush();
            self.bytes.resize(4096, 0);
            let count = host.read(&mut self.bytes);
            self.bytes.truncate(count);
            self.next = 0;
            self.has_ended = count == 0;
        }
        let found = self.bytes.get(self.next).copied();
        self.end_is_seen |= found.is_none();
        found
    }

    /// Puts a byte back, to be read next.
    fn put_back(&mut self, byte: u8) {
        self.bytes.drain(..self.next);
        self.bytes.insert(0, byte);
        self.next = 0;
        self.end_is_seen = false;
    }

    /// The next byte.
    pub fn take(&mut self, host: &mut dyn Host) -> Option<u8> {
        let byte = self.peek(host)?;
        self.next += 1;
        Some(byte)
    }
}

pub fn call(machine: &mut Machine<'_, '_>, known: Known, arguments: &Arguments) -> Step<Native> {
    match known {
        Known::Getchar => {
            machine.needs_standard(0)?;
            Ok(machine.next_byte())
        }
        Known::Fgetc => {
            let stream = arguments.pointer(machine, 0)?;
            machine.input_stream(stream)?;
            Ok(machine.next_byte())
        }
        Known::Fgets => {
            let buffer = arguments.pointer(machine, 0)?;
            let most = arguments.integer(machine, 1)?;
            let stream = arguments.pointer(machine, 2)?;
            machine.input_stream(stream)?;
            if most > 1 && machine.input.peek(machine.world.host).is_some() {
                machine.find(buffer, usize::try_from(most).unwrap_or(usize::MAX), Access::Write)?;
            }
            let mut line = Vec::new();
            while (line.len() as i128) < most - 1 {
                let Some(byte) = machine.input.take(machine.world.host) else { break };
                line.push(byte);
                if byte == b'\n' {
                    break;
                }
            }
            if most <= 0 || (line.is_empty() && most > 1) {
                return Ok(Native::pointer(Pointer::NULL));
            }
            line.push(0);
            machine.write_bytes(buffer, &line)?;
            Ok(Native::pointer(buffer))
        }
        Known::Fread => {
            let to = arguments.pointer(machine, 0)?;
            let (size, count) = (arguments.size(machine, 1)?, arguments.size(machine, 2)?);
            let stream = arguments.pointer(machine, 3)?;
            machine.input_stream(stream)?;
            let wanted = size.checked_mul(count).and_then(|bytes| usize::try_from(bytes).ok());
            let Some(wanted) = wanted else {
                let message = "the bytes are more than any object has".to_owned();
                return Err(machine.undefined_always(UndefinedKind::BadArgument, message, None));
            };
            if wanted == 0 || machine.input.peek(machine.world.host).is_none() {
                return Ok(Native::int(0));
            }
            machine.find(to, wanted, Access::Write)?;
            let mut bytes = Vec::new();
            while bytes.len() < wanted
                && let Some(byte) = machine.input.take(machine.world.host)
            {
                bytes.push(byte);
            }
            machine.write_bytes(to, &bytes)?;
            Ok(Native::int((bytes.len() as u64 / size) as i64))
        }
        Known::Ungetc => {
            let byte = arguments.integer(machine, 0)?;
            let stream = arguments.pointer(machine, 1)?;
            machine.input_stream(stream)?;
            if byte == i128::from(END_OF_FILE) {
                return Ok(Native::int(END_OF_FILE));
            }
            machine.input.put_back(byte as u8);
            Ok(Native::int(i64::from(byte as u8)))
        }
        Known::Feof => {
            let stream = arguments.pointer(machine, 0)?;
            let is_input = machine.stream(stream)? == Stream::In;
            Ok(Native::int(i64::from(is_input && machine.input.end_is_seen)))
        }
        other => unreachable!("{other:?} does not read"),
    }
}

impl Machine<'_, '_> {
    fn next_byte(&mut self) -> Native {
        Native::int(self.input.take(self.world.host).map_or(END_OF_FILE, i64::from))
    }

    /// Fails unless the stream is `stdin`.
    pub fn input_stream(&mut self, pointer: Pointer) -> Step<()> {
        match self.stream(pointer)? {
            Stream::In => Ok(()),
            Stream::File => Err(self.unsupported("the program reads from a file")),
            _ => Err(self.unsupported("the program reads from an output stream")),
        }
    }
}
