//! Memory before the first step: functions, static variables, thread-local variables, standard streams, arguments.

use super::frames::{Register, Thread};
use super::{Machine, Step};
use crate::code::InitialStep;
use crate::memory::store::Contents;
use crate::memory::{Location, ObjectKind, Pointer, Slot, Stream, Tag, WriteGuard};
use crate::outcome::Limit;
use base::Span;
use program::types::ArrayLength;
use program::{Type, VariableId, VariableKind};

impl Machine<'_, '_> {
    /// Gives functions and static variables their addresses, then their values.
    pub fn set_up_memory(&mut self) -> Step<()> {
        for (id, procedure) in self.program.procedures.iter_enumerated() {
            let slot = self.make_static(ObjectKind::Function(id), 0, 16, procedure.span)?;
            self.functions.push(slot);
        }
        let code = self.code;
        for &variable in &code.statics {
            let slot = self.make_static_variable(variable)?;
            self.statics.push(slot);
        }
        for &(variable, first) in &code.global_registers {
            let declared = &self.program.variables[variable];
            let start = if declared.is_external {
                self.external_start(&declared.name.clone())?
            } else {
                Register::word(0)
            };
            let class = crate::code::class_of(&self.program.types, declared.ty.id);
            for index in first..first + class.registers() {
                self.globals[index as usize] = start;
            }
        }
        for initial in &code.initial {
            if !self.program.variables[initial.variable].is_thread_local {
                self.initialise(&initial.step)?;
            }
        }
        Ok(())
    }

    fn initialise(&mut self, step: &InitialStep) -> Step<()> {
        match step {
            InitialStep::Assign(step) => self.rare_step(step),
            InitialStep::Bytes(place, bytes) => {
                let at = self.resolve_write(place, bytes.len())?;
                let word = self.memory.word();
                self.memory.object_mut(at.slot).store_bytes(at.offset, bytes, word);
                Ok(())
            }
        }
    }

    /// An object that lives as long as the program.
    pub fn make_static(&mut self, kind: ObjectKind, size: u64, alignment: u64, span: Span) -> Step<Slot> {
        self.room_for(size)?;
        let slot = self.memory.make(kind, size as usize, Contents::Zero, span);
        match self.memory.space.place_static(slot, size, alignment) {
            Some(base) => {
                self.memory.object_mut(slot).base = base;
                Ok(slot)
            }
            None => Err(self.limit(Limit::ProgramMemory)),
        }
    }

    fn make_static_variable(&mut self, variable: VariableId) -> Step<Slot> {
        let declared = &self.program.variables[variable];
        let types = &self.program.types;
        let size = self.static_size(variable);
        // GCC aligns large arrays generously; only the type's own alignment can be relied upon.
        let alignment = types.align_of(declared.ty.id).unwrap_or(1).max(declared.alignment.unwrap_or(1));
        let slot = self.make_static(ObjectKind::Variable(variable), size, alignment, declared.span)?;
        if declared.is_external {
            let pointer = self.standard_stream(&declared.name)?;
            let word = self.memory.word();
            match pointer {
                Some(pointer) if size >= word as u64 => {
                    self.memory.store_pointer(Location { slot, offset: 0 }, pointer);
                }
                _ => {
                    let object = self.memory.object_mut(slot);
                    object.is_external = true;
                    object.make_unwritten(0, size as usize, word);
                }
            }
        }
        let standard = ["__concord_stdin", "__concord_stdout", "__concord_stderr"];
        if let Some(number) = standard.iter().position(|name| *name == &*declared.name) {
            self.standard_streams[number] = Some(slot);
        }
        let is_literal = declared.kind == VariableKind::StringLiteral;
        if is_literal || self.program.types.is_constant(declared.ty) {
            self.memory.object_mut(slot).guard = WriteGuard::ReadOnly;
        }
        Ok(slot)
    }

    /// Bytes of a static variable, an initialised flexible member included; an array of unknown length has one element.
    fn static_size(&self, variable: VariableId) -> u64 {
        let declared = &self.program.variables[variable];
        let types = &self.program.types;
        let own = types.size_of(declared.ty.id).unwrap_or_else(|| match types.get(declared.ty.id) {
            Type::Array(element, ArrayLength::Unknown) => types.size_of(element.id).unwrap_or(0),
            _ => 0,
        });
        own.saturating_add(declared.extra_bytes)
    }

    /// The pointer that `stdin`, `stdout` or `stderr` holds.
    fn standard_stream(&mut self, name: &str) -> Step<Option<Pointer>> {
        let stream = match name {
            "stdin" => Stream::In,
            "stdout" => Stream::Out,
            "stderr" => Stream::Err,
            _ => return Ok(None),
        };
        let slot = self.make_static(ObjectKind::Stream(stream), 0, 16, Span::NOWHERE)?;
        Ok(Some(self.memory.pointer_to(slot)))
    }

    /// How an `extern` variable outside memory starts.
    fn external_start(&mut self, name: &str) -> Step<Register> {
        Ok(match self.standard_stream(name)? {
            Some(pointer) => Register { bits: pointer.address, tag: pointer.tag },
            None => Register { bits: 0, tag: Tag::EXTERNAL },
        })
    }

    /// A thread's own variables.
    pub fn set_up_thread_variables(&mut self, thread: &mut Thread) -> Step<()> {
        let code = self.code;
        thread.own_registers = vec![Register::word(0); code.thread_register_count as usize];
        for &variable in &code.thread_objects {
            let declared = &self.program.variables[variable];
            let size = self.program.types.size_of(declared.ty.id).unwrap_or(0);
            let alignment = self.program.types.align_of(declared.ty.id).unwrap_or(1);
            let kind = ObjectKind::Variable(variable);
            let alignment = alignment.max(declared.alignment.unwrap_or(1));
            let Some(slot) = self.make_on_heap(kind, size, alignment, Contents::Zero)? else {
                return Err(self.limit(Limit::ProgramMemory));
            };
            self.memory.object_mut(slot).made_at = declared.span;
            thread.own_objects.push(slot);
        }
        if !code.thread_objects.is_empty() || code.thread_register_count > 0 {
            std::mem::swap(&mut self.thread, thread);
            let mut done = Ok(());
            for initial in &code.initial {
                if self.program.variables[initial.variable].is_thread_local && done.is_ok() {
                    done = self.initialise(&initial.step);
                }
            }
            std::mem::swap(&mut self.thread, thread);
            done?;
        }
        Ok(())
    }

    /// Strings and the table of pointers to them, ended by a null pointer.
    pub fn make_string_table(&mut self, strings: &[Vec<u8>]) -> Step<Pointer> {
        let word = self.memory.word();
        let table_size = ((strings.len() + 1) * word) as u64;
        let table = self.make_static(ObjectKind::ProgramArguments, table_size, word as u64, Span::NOWHERE)?;
        for (index, string) in strings.iter().enumerate() {
            let size = string.len() as u64 + 1;
            let slot = self.make_static(ObjectKind::ProgramArguments, size, 1, Span::NOWHERE)?;
            self.memory.object_mut(slot).store_bytes(0, string, word);
            let pointer = self.memory.pointer_to(slot);
            self.memory.store_pointer(Location { slot: table, offset: index * word }, pointer);
        }
        Ok(self.memory.pointer_to(table))
    }
}
