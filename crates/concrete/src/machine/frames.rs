//! Threads, frames and registers; objects of frames begin and end here.

use super::sync::Wait;
use super::{Halt, Machine, Step};
use crate::code::{FrameObject, ProcedureCode};
use crate::memory::store::Contents;
use crate::memory::{ObjectKind, Pointer, Slot, Tag, WriteGuard};
use crate::outcome::Limit;
use base::{Id, Span};
use program::ProcedureId;

/// A variable outside memory.
#[derive(Clone, Copy, Debug)]
pub struct Register {
    /// A word, an address, or half of a wide value.
    pub bits: u64,
    /// A pointer's provenance, or a mark that there is no value.
    pub tag: Tag,
}

impl Register {
    /// No value yet.
    pub const UNWRITTEN: Register = Register { bits: 0, tag: Tag::UNWRITTEN };

    /// A word.
    #[inline]
    pub fn word(bits: u64) -> Register {
        Register { bits, tag: Tag::NONE }
    }
}

/// What follows when a call returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnTo {
    /// The caller's edge is completed.
    Caller,
    /// The next constructor with this number, or `main`, is called.
    Startup(usize),
    /// The program exits with the result.
    Main,
    /// The thread ends with the result.
    ThreadEnd,
    /// The next exit handler is called.
    ExitHandler,
    /// `pthread_once` at this address is done.
    Once(u64),
    /// The next destructor of thread-specific data is called.
    KeyDestructor,
    /// Nothing: there is no call.
    Nowhere,
}

/// An active call.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The procedure that is active.
    pub procedure: ProcedureId,
    /// Where control is.
    pub node: u32,
    /// The frame's first register.
    pub registers: usize,
    /// The frame's first object.
    pub objects: usize,
    /// Lowest address of the frame's objects.
    pub stack_base: u64,
    /// What happens when it returns.
    pub returns: ReturnTo,
    /// The unnamed arguments.
    pub arguments: Option<Slot>,
    /// Objects made by `alloca`.
    pub allocas: Vec<Slot>,
    /// Does it end an atomic section when it returns?
    pub is_atomic: bool,
}

impl Frame {
    /// Stands where no call is active.
    pub fn outermost() -> Frame {
        Frame {
            procedure: ProcedureId::from_index(0),
            node: 0,
            registers: 0,
            objects: 0,
            stack_base: 0,
            returns: ReturnTo::Nowhere,
            arguments: None,
            allocas: Vec::new(),
            is_atomic: false,
        }
    }
}

/// No object yet.
pub const NO_OBJECT: Slot = Slot(u32::MAX);

/// Where a thread stands.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum ThreadState {
    /// It can run.
    #[default]
    Ready,
    /// It waits for another thread.
    Waiting(Wait),
    /// It has ended with this result.
    Ended(Pointer),
    /// What it assumes does not hold: it stays where it is.
    Stopped(Box<crate::outcome::Place>),
}

/// A thread.
#[derive(Clone, Debug, Default)]
pub struct Thread {
    /// Calls around the innermost one (whose frame is kept apart while the thread runs).
    pub frames: Vec<Frame>,
    /// Registers of all frames.
    pub registers: Vec<Register>,
    /// Objects of all frames; [`NO_OBJECT`] where a variable's life has not begun.
    pub objects: Vec<Slot>,
    /// Its own instances of thread-local variables.
    pub own_objects: Vec<Slot>,
    /// Its own instances of thread-local variables outside memory.
    pub own_registers: Vec<Register>,
    /// Lowest address its stack may reach.
    pub stack_low: u64,
    /// One past the highest address of its stack.
    pub stack_high: u64,
    /// Can it run?
    pub state: ThreadState,
    /// Sections nobody may interrupt that it is in.
    pub atomic_depth: u32,
    /// How many of them are mere steps, whose accesses do not count as the program's.
    pub step_depth: u32,
    /// Was it created and has not run since?
    pub is_new: bool,
    /// What it touched before its first visible step, under a driver.
    pub first_touched: Vec<crate::schedule::Touched>,
    /// The blocking step it stands before, while it is parked under a driver.
    pub pending: Option<Wait>,
    /// Under a driver: how it stood when it last began to wait for a signal, to tell whether waking up changed
    /// anything.
    pub waited: Option<super::driven::Standing>,
    /// Did it wake up for no reason since then?
    pub woke_idly: bool,
    /// Would waking up for no reason again lead back to where it stands?
    pub wakes_in_vain: bool,
    /// Its name: the creator's, and which of its creations it was.
    pub name: String,
    /// Threads it created.
    pub created: u32,
    /// Will nobody join it?
    pub is_detached: bool,
    /// Was it joined?
    pub is_joined: bool,
    /// Thread-specific data by key.
    pub specifics: Vec<Pointer>,
    /// The value it ends with once its destructors have run.
    pub result: Option<Pointer>,
    /// Rounds of destructors done.
    pub destructor_rounds: u32,
}

impl<'p> Machine<'p, '_> {
    /// The code of the innermost call.
    pub fn procedure_code(&self) -> &'p ProcedureCode {
        self.code.procedures[self.frame.procedure].as_ref().expect("a frame has a body")
    }

    /// Opens a frame for a procedure with a body. Its registers and objects have no values yet; `self.frame` is still
    /// the caller's, so that arguments can be evaluated; [`enter`](Self::enter) completes the call.
    pub fn open_frame(&mut self, procedure: ProcedureId, returns: ReturnTo) -> Step<Frame> {
        let code = self.code.procedures[procedure].as_ref().expect("only procedures with a body are entered");
        let depth = self.thread.frames.len() as u32 + 1;
        if depth > self.settings.limits.call_depth {
            return Err(self.limit(Limit::CallDepth));
        }
        self.peak_depth = self.peak_depth.max(depth);
        let top = match self.frame.returns {
            ReturnTo::Nowhere => self.thread.stack_high,
            _ => self.frame.stack_base,
        };
        let lowest = top.checked_sub(code.stack_size).map(|base| base & !(code.stack_alignment - 1));
        let stack_base = lowest.filter(|&base| base >= self.thread.stack_low);
        let Some(stack_base) = stack_base else { return Err(self.limit(Limit::CallDepth)) };
        let registers = self.thread.registers.len();
        let objects = self.thread.objects.len();
        self.thread.registers.resize(registers + code.register_count as usize, Register::UNWRITTEN);
        self.thread.objects.resize(objects + code.objects.len(), NO_OBJECT);
        Ok(Frame {
            procedure,
            node: code.entry,
            registers,
            objects,
            stack_base,
            returns,
            arguments: None,
            allocas: Vec::new(),
            is_atomic: false,
        })
    }

    /// The opened frame becomes the innermost one.
    pub fn enter(&mut self, mut frame: Frame) {
        if self.program.procedures[frame.procedure].is_atomic {
            frame.is_atomic = true;
            self.enter_section();
        }
        if let Some(observer) = &mut self.world.observer {
            observer.called(self.current, frame.procedure);
        }
        self.thread.frames.push(std::mem::replace(&mut self.frame, frame));
    }

    /// Closes the innermost frame: its objects end.
    pub fn leave(&mut self) -> Frame {
        let has_objects = self.thread.objects.len() > self.frame.objects;
        if has_objects || !self.frame.allocas.is_empty() || self.frame.arguments.is_some() {
            self.end_frame_objects();
        }
        self.thread.registers.truncate(self.frame.registers);
        if self.frame.is_atomic {
            self.end_atomic();
        }
        let outer = self.thread.frames.pop().expect("an outermost frame is always there");
        std::mem::replace(&mut self.frame, outer)
    }

    fn end_frame_objects(&mut self) {
        let span = self.span();
        for index in self.frame.objects..self.thread.objects.len() {
            let slot = self.thread.objects[index];
            if slot != NO_OBJECT {
                self.end_object(slot, span);
            }
        }
        self.thread.objects.truncate(self.frame.objects);
        for slot in std::mem::take(&mut self.frame.allocas) {
            self.end_heap_object(slot, span);
        }
        if let Some(arguments) = self.frame.arguments.take() {
            self.end_heap_object(arguments, span);
        }
    }

    /// The object of a frame's variable; its life begins if it has not.
    #[inline]
    pub fn frame_object(&mut self, number: u32) -> Step<Slot> {
        let slot = self.thread.objects[self.frame.objects + number as usize];
        if slot != NO_OBJECT { Ok(slot) } else { self.begin_local(number) }
    }

    /// Begins the life of a variable of the current frame.
    #[inline(never)]
    pub fn begin_local(&mut self, number: u32) -> Step<Slot> {
        let object = &self.procedure_code().objects[number as usize];
        let (index, base) = (self.frame.objects + number as usize, self.frame.stack_base);
        self.begin_frame_object(object, index, base)
    }

    /// Begins the life of a variable of a frame that starts at `stack_base`.
    pub fn begin_frame_object(&mut self, object: &FrameObject, index: usize, stack_base: u64) -> Step<Slot> {
        let variable = &self.program.variables[object.variable];
        let Some(size) = object.size else {
            let message = format!("the size of `{}` is not known", variable.name);
            return Err(self.unsupported(message));
        };
        self.room_for(size)?;
        let kind = ObjectKind::Variable(object.variable);
        let slot = self.memory.make(kind, size as usize, Contents::Unwritten, variable.span);
        let made = self.memory.object_mut(slot);
        made.base = stack_base + object.stack_offset;
        made.guard = if object.is_const { WriteGuard::ConstLocal } else { WriteGuard::Open };
        self.thread.objects[index] = slot;
        Ok(slot)
    }

    /// Ends the life of a variable of the current frame.
    pub fn end_local(&mut self, number: u32) {
        let index = self.frame.objects + number as usize;
        let slot = std::mem::replace(&mut self.thread.objects[index], NO_OBJECT);
        if slot != NO_OBJECT {
            let span = self.span();
            self.end_object(slot, span);
        }
    }

    /// Ends an object that is not on the heap.
    fn end_object(&mut self, slot: Slot, span: Span) {
        self.forget_sync_objects(slot);
        self.memory.end(slot, span);
    }

    /// Ends an object with an address on the heap.
    pub fn end_heap_object(&mut self, slot: Slot, span: Span) {
        let base = self.memory.object(slot).base;
        self.memory.space.release_heap(base);
        self.end_object(slot, span);
    }

    /// Fails when the program's memory limit does not allow so many bytes more.
    pub fn room_for(&mut self, bytes: u64) -> Step<()> {
        let wanted = self.memory.live_bytes().saturating_add(bytes);
        if wanted > self.settings.limits.memory_bytes {
            return Err(self.limit(Limit::ProgramMemory));
        }
        Ok(())
    }

    /// Makes an object on the heap.
    pub fn make_on_heap(
        &mut self,
        kind: ObjectKind,
        size: u64,
        alignment: u64,
        contents: Contents,
    ) -> Step<Option<Slot>> {
        self.room_for(size)?;
        let span = self.span();
        let slot = self.memory.make(kind, size as usize, contents, span);
        match self.memory.space.place_on_heap(slot, size, alignment) {
            Some(base) => {
                self.memory.object_mut(slot).base = base;
                Ok(Some(slot))
            }
            None => {
                self.memory.end(slot, span);
                Ok(None)
            }
        }
    }

    /// The living object an address lies in or just behind.
    pub fn object_at(&self, address: u64) -> Option<Slot> {
        if let Some(slot) = self.memory.space.object_at(address) {
            return Some(slot);
        }
        let running = (&self.thread, Some(&self.frame));
        let others = self
            .threads
            .iter_enumerated()
            .filter(|(id, _)| *id != self.current)
            .map(|(_, thread)| (thread, None));
        for (thread, innermost) in std::iter::once(running).chain(others) {
            if address < thread.stack_low || address >= thread.stack_high {
                continue;
            }
            // Stacks grow down, so bases fall from the outermost call on; the first entry stands for no call.
            let calls = thread.frames.get(1..).unwrap_or(&[]);
            let outside = calls.partition_point(|frame| frame.stack_base > address);
            let frame = calls.get(outside).or(innermost).filter(|frame| frame.stack_base <= address)?;
            return self.object_in_frame(thread, frame, address);
        }
        None
    }

    fn object_in_frame(&self, thread: &Thread, frame: &Frame, address: u64) -> Option<Slot> {
        let code = self.code.procedures[frame.procedure].as_ref()?;
        let offset = address - frame.stack_base;
        let after = code.objects.partition_point(|object| object.stack_offset <= offset);
        let number = after.checked_sub(1)?;
        let object = &code.objects[number];
        let slot = *thread.objects.get(frame.objects + number)?;
        let within = offset - object.stack_offset <= object.size?;
        (slot != NO_OBJECT && within).then_some(slot)
    }

    /// Stops: nothing is known about what happens next.
    pub fn unsupported(&mut self, what: impl Into<String>) -> Halt {
        self.unknown(crate::outcome::UnknownReason::Unsupported, what.into())
    }
}
