//! `malloc` and its relatives. Fresh memory has no values; addresses come again only when the space is used up.

use super::{Arguments, Native};
use crate::inputs::InputShape;
use crate::machine::{Machine, Step};
use crate::memory::store::Contents;
use crate::memory::{Location, ObjectKind, Pointer, Slot, Stream, Tag};
use crate::outcome::UndefinedKind;
use program::Known;
use std::sync::Arc;

/// What `malloc` aligns to.
const ALIGNMENT: u64 = 16;

pub fn call(machine: &mut Machine<'_, '_>, known: Known, arguments: &Arguments) -> Step<Native> {
    match known {
        Known::Malloc => {
            let size = arguments.size(machine, 0)?;
            machine.allocate("malloc", size, ALIGNMENT, Contents::Unwritten).map(Native::pointer)
        }
        Known::Calloc => {
            let (count, size) = (arguments.size(machine, 0)?, arguments.size(machine, 1)?);
            match count.checked_mul(size) {
                Some(bytes) => {
                    machine.allocate("calloc", bytes, ALIGNMENT, Contents::Zero).map(Native::pointer)
                }
                None => Ok(Native::pointer(Pointer::NULL)),
            }
        }
        Known::Realloc => {
            let (pointer, size) = (arguments.pointer(machine, 0)?, arguments.size(machine, 1)?);
            machine.reallocate(pointer, size).map(Native::pointer)
        }
        Known::Free => {
            let pointer = arguments.pointer(machine, 0)?;
            if pointer.address != 0 {
                let slot = machine.freeable(pointer, "free")?;
                let span = machine.span();
                machine.end_heap_object(slot, span);
            }
            Ok(Native::NOTHING)
        }
        Known::Alloca => {
            let size = arguments.size(machine, 0)?;
            match machine.make_on_heap(ObjectKind::Alloca, size, ALIGNMENT, Contents::Unwritten)? {
                Some(slot) => {
                    machine.frame.allocas.push(slot);
                    Ok(Native::pointer(machine.memory.pointer_to(slot)))
                }
                None => Err(machine.limit(crate::outcome::Limit::CallDepth)),
            }
        }
        Known::NewStream => {
            let size = arguments.size(machine, 0)?;
            let kind = ObjectKind::Stream(Stream::File);
            match machine.make_on_heap(kind, size, ALIGNMENT, Contents::Unwritten)? {
                Some(slot) => Ok(Native::pointer(machine.memory.pointer_to(slot))),
                None => Err(machine.limit(crate::outcome::Limit::ProgramMemory)),
            }
        }
        Known::AlignedAlloc => {
            let (alignment, size) = (arguments.size(machine, 0)?, arguments.size(machine, 1)?);
            if !alignment.is_power_of_two() {
                return Ok(Native::pointer(Pointer::NULL));
            }
            machine.allocate("aligned_alloc", size, alignment, Contents::Unwritten).map(Native::pointer)
        }
        other => unreachable!("{other:?} does not allocate"),
    }
}

impl Machine<'_, '_> {
    /// A fresh block, or null.
    fn allocate(
        &mut self,
        function: &'static str,
        size: u64,
        alignment: u64,
        contents: Contents,
    ) -> Step<Pointer> {
        if self.settings.allocation_may_fail {
            let name: Arc<str> = Arc::from(function);
            if self.input(&name, InputShape::Bool)? == 0 {
                return Ok(Pointer::NULL);
            }
        }
        // PTRDIFF_MAX, as glibc has it.
        let most = if self.memory.word() == 4 { i32::MAX as u64 } else { i64::MAX as u64 };
        if size > most {
            return Ok(Pointer::NULL);
        }
        Ok(match self.make_on_heap(ObjectKind::Heap(function), size, alignment, contents)? {
            Some(slot) => self.memory.pointer_to(slot),
            None => Pointer::NULL,
        })
    }

    fn reallocate(&mut self, pointer: Pointer, size: u64) -> Step<Pointer> {
        if pointer.address == 0 {
            return self.allocate("realloc", size, ALIGNMENT, Contents::Unwritten);
        }
        let old = self.freeable(pointer, "realloc")?;
        let span = self.span();
        if size == 0 {
            // glibc frees the block and gives null.
            self.end_heap_object(old, span);
            return Ok(Pointer::NULL);
        }
        let made = self.allocate("realloc", size, ALIGNMENT, Contents::Unwritten)?;
        let Some(new) = self.memory.living(made.tag) else { return Ok(made) };
        let kept = self.memory.object(old).size().min(size as usize);
        let region = self.memory.lift(Location { slot: old, offset: 0 }, kept);
        self.memory.put(Location { slot: new, offset: 0 }, &region);
        self.end_heap_object(old, span);
        Ok(made)
    }

    /// The block that may be freed through a pointer.
    fn freeable(&mut self, pointer: Pointer, function: &str) -> Step<Slot> {
        if let Some(slot) = self.object_of(pointer) {
            let object = self.memory.object(slot);
            let is_heap = matches!(object.kind, ObjectKind::Heap(_));
            let offset = pointer.address.wrapping_sub(object.base);
            if is_heap && offset == 0 {
                return Ok(slot);
            }
            if let ObjectKind::Variable(variable) = object.kind
                && self.program.entry.as_ref().is_some_and(|entry| entry.objects.contains(&variable))
            {
                let message = format!(
                    "`{function}` is given what a pointer from outside points to, and who allocated it is not known"
                );
                return Err(self.unsupported(message));
            }
            let description = self.describe_slot(slot);
            let message = if is_heap {
                format!("`{function}` is given a pointer {offset} bytes into {}", description.name)
            } else {
                format!("`{function}` is given {}, which was not allocated", description.name)
            };
            return Err(self.undefined_always(UndefinedKind::InvalidFree, message, Some(description)));
        }
        let dead = match pointer.tag {
            Tag::NONE => self.memory.remembered_at(pointer.address),
            tag => self.memory.remembered(tag),
        };
        let dead = dead.cloned();
        let (kind, message) = match &dead {
            Some(dead) if matches!(dead.kind, ObjectKind::Heap(_)) => {
                (UndefinedKind::DoubleFree, format!("`{function}` is given a block that was freed before"))
            }
            Some(_) => {
                let message = format!("`{function}` is given an object that was not allocated");
                (UndefinedKind::InvalidFree, message)
            }
            None if pointer.tag != Tag::NONE => {
                (UndefinedKind::DoubleFree, format!("`{function}` is given an object whose life has ended"))
            }
            None => (
                UndefinedKind::InvalidFree,
                format!("`{function}` is given the address {:#x}, where no block is", pointer.address),
            ),
        };
        let description = dead.map(|dead| self.describe_dead(&dead));
        Err(self.undefined_always(kind, message, description))
    }
}
