//! Input from `stdin`.

use super::{Arguments, Native};
use crate::host::Host;
use crate::machine::{Machine, Step};
use crate::memory::{Pointer, Stream};
use program::Known;

const END_OF_FILE: i64 = -1;

/// What was read of `stdin` and not yet given to the program.
#[derive(Debug, Default)]
pub struct InputBuffer {
    bytes: Vec<u8>,
    next: usize,
    has_ended: bool,
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
        self.bytes.get(self.next).copied()
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
        Known::Getchar => Ok(machine.next_byte()),
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
            _ => Err(self.unsupported("the program reads from an output stream")),
        }
    }
}
