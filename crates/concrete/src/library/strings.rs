//! Bytes in bulk: `memcpy`, `memmove`, `memset`, and strings the other built-in functions read.

use super::words::need_range;
use super::{Arguments, Native};
use crate::machine::access::Access;
use crate::machine::{Machine, Step};
use crate::memory::Pointer;
use crate::outcome::UndefinedKind;
use program::Known;

/// `memcpy`, `memmove` and `memset`: the needs of their descriptions, then the bytes at once.
pub fn call(machine: &mut Machine<'_, '_>, known: Known, arguments: &Arguments) -> Step<Native> {
    let target = arguments.pointer(machine, 0)?;
    let size = arguments.size(machine, 2)?;
    if known == Known::MemorySet {
        let byte = arguments.integer(machine, 1)? as u8;
        need_range(machine, target, size, Access::Write)?;
        if size > 0 {
            let at = machine.locate(target, size as usize, Access::Write)?;
            let word = machine.memory.word();
            machine.memory.object_mut(at.slot).fill(at.offset, size as usize, byte, word);
        }
        return Ok(Native::pointer(target));
    }
    let source = arguments.pointer(machine, 1)?;
    need_range(machine, source, size, Access::Read)?;
    need_range(machine, target, size, Access::Write)?;
    if size > 0 {
        let size = size as usize;
        let from = machine.locate(source, size, Access::Read)?;
        machine.check_external(from, size)?;
        let to = machine.locate(target, size, Access::Write)?;
        let distance = from.offset.abs_diff(to.offset);
        // Copying onto the very same place is what compilers themselves do for `s = s`.
        let overlaps = from.slot == to.slot && distance > 0 && distance < size;
        if known == Known::MemoryCopy && overlaps {
            let description = machine.describe_slot(from.slot);
            let message = format!("{size} bytes are copied to bytes that overlap them, {distance} away");
            machine.undefined(UndefinedKind::Overlap, message, Some(description))?;
        }
        let region = machine.memory.lift(from, size);
        machine.memory.put(to, &region);
    }
    Ok(Native::pointer(target))
}

impl Machine<'_, '_> {
    /// The bytes of a string up to its end, or at most `most` of them.
    pub fn read_string(&mut self, pointer: Pointer, most: Option<u64>) -> Step<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut at = pointer;
        while most.is_none_or(|most| (bytes.len() as u64) < most) {
            let byte = self.read_byte(at)?;
            if byte == 0 {
                break;
            }
            bytes.push(byte);
            at.address = self.cut_address(at.address.wrapping_add(1));
        }
        Ok(bytes)
    }

    /// One byte, which must have a value.
    pub fn read_byte(&mut self, pointer: Pointer) -> Step<u8> {
        let at = self.locate(pointer, 1, Access::Read)?;
        if !self.memory.object(at.slot).is_written(at.offset, 1) {
            self.unwritten_memory(at, 1)?;
        }
        self.note_pointer_bytes(at, 1)?;
        Ok(self.memory.object(at.slot).bytes[at.offset])
    }

    /// So many bytes, which must have values.
    pub fn read_bytes(&mut self, pointer: Pointer, size: usize) -> Step<Vec<u8>> {
        if size == 0 {
            return Ok(Vec::new());
        }
        let at = self.locate(pointer, size, Access::Read)?;
        if !self.memory.object(at.slot).is_written(at.offset, size) {
            self.unwritten_memory(at, size)?;
        }
        self.note_pointer_bytes(at, size)?;
        Ok(self.memory.object(at.slot).bytes[at.offset..at.offset + size].to_vec())
    }

    /// Writes bytes.
    pub fn write_bytes(&mut self, pointer: Pointer, bytes: &[u8]) -> Step<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let at = self.locate(pointer, bytes.len(), Access::Write)?;
        let word = self.memory.word();
        self.memory.object_mut(at.slot).store_bytes(at.offset, bytes, word);
        Ok(())
    }
}
