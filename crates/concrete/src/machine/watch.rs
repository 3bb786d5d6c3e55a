//! What is kept about accesses while threads run: what each visible step touched, and what happened before what.

use super::access::Access;
use super::races::{Accessed, Order, Races};
use super::{Machine, Step};
use crate::code::BitField;
use crate::memory::Location;
use crate::outcome::UndefinedKind;
use crate::schedule::{SharedResource, Touched};
use crate::settings::ThreadId;
use base::Id;

/// The watch that is kept, where somebody asks.
#[derive(Debug, Default)]
pub struct Watch {
    /// Looks for races.
    pub races: Option<Races>,
    /// What the current visible step touched, with the steps behind it.
    pub touched: Vec<Touched>,
    /// Is the visible step itself under way, and not what follows it?
    pub is_own: bool,
}

/// A fence stands for no access; `lower` marks it so among the memory orders.
const FENCE: u8 = 64;

impl Machine<'_, '_> {
    /// Bytes are read or written.
    #[inline]
    pub fn touch(&mut self, at: Location, size: usize, access: Access, is_atomic: bool) -> Step<()> {
        if self.watch.is_none() || self.threads.len() == 1 {
            return Ok(());
        }
        let start = self.memory.object(at.slot).base + at.offset as u64;
        self.touch_bytes(start, size as u64, access, is_atomic)
    }

    /// A bit-field is read or written: with it the memory location that it is a part of.
    pub fn touch_unit(&mut self, at: Location, field: BitField, access: Access) -> Step<()> {
        if self.watch.is_none() || self.threads.len() == 1 {
            return Ok(());
        }
        let start = self.memory.object(at.slot).base + at.offset as u64 - u64::from(field.unit_before);
        self.touch_bytes(start, u64::from(field.unit_bytes), access, false)
    }

    #[cold]
    fn touch_bytes(&mut self, start: u64, size: u64, access: Access, is_atomic: bool) -> Step<()> {
        let is_write = access == Access::Write;
        let (current, span) = (self.current, self.span());
        let Some(watch) = &mut self.watch else { return Ok(()) };
        if is_write {
            self.thread.woke_idly = false;
        }
        let is_own = watch.is_own;
        watch.touched.push(Touched { what: SharedResource::Bytes(start, start + size), is_write, is_own });
        if self.thread.step_depth > 0 {
            return Ok(()); // no access of the program's
        }
        let Some(races) = &mut watch.races else { return Ok(()) };
        let is_atomic = is_atomic || races.is_in_operation();
        match races.access(current, start..start + size, is_write, is_atomic, span) {
            Some(other) => self.race(start, is_write, other),
            None => Ok(()),
        }
    }

    fn race(&mut self, address: u64, is_write: bool, other: Accessed) -> Step<()> {
        let object = self.object_at(address).map(|slot| self.describe_slot(slot));
        let name = object.as_ref().map_or_else(|| "memory".to_owned(), |object| object.name.clone());
        let verb = |is_write: bool| if is_write { "written" } else { "read" };
        let place = match self.program.sources.location(other.span) {
            Some(at) => format!(" at {}:{}:{}", at.file, at.line, at.column),
            None => String::new(),
        };
        let message = format!(
            "{name} is {} here by thread {} and {}{place} by thread {}, and nothing says which comes first",
            verb(is_write),
            self.current.index(),
            verb(other.is_write),
            other.thread.index()
        );
        self.undefined(UndefinedKind::DataRace, message, object)
    }

    /// A synchronisation object is used, or looked at only.
    pub fn note_object(&mut self, what: SharedResource, is_write: bool) {
        if let Some(watch) = &mut self.watch {
            let is_own = watch.is_own;
            watch.touched.push(Touched { what, is_write, is_own });
        }
    }

    /// What lies there has ended.
    pub fn forget_accesses(&mut self, base: u64, size: u64) {
        let several = self.threads.len() > 1;
        let Some(watch) = self.watch.as_mut().filter(|_| several && size > 0) else { return };
        let is_own = watch.is_own;
        watch.touched.push(Touched {
            what: SharedResource::Bytes(base, base + size),
            is_write: true,
            is_own,
        });
        if let Some(races) = &mut watch.races {
            races.forget(base, size);
        }
    }

    fn races(&mut self) -> Option<&mut Races> {
        self.watch.as_mut().and_then(|watch| watch.races.as_mut())
    }

    /// The running thread created another.
    pub fn before_thread(&mut self, child: ThreadId) {
        let current = self.current;
        if let Some(races) = self.races() {
            races.fork(current, child);
        }
    }

    /// The running thread joined another.
    pub fn after_thread(&mut self, ended: ThreadId) {
        let current = self.current;
        if let Some(races) = self.races() {
            races.joined(current, ended);
        }
    }

    /// The running thread takes an object.
    pub fn acquire(&mut self, object: u64) {
        let current = self.current;
        if let Some(races) = self.races() {
            races.acquire(current, object);
        }
    }

    /// The running thread gives an object back.
    pub fn release(&mut self, object: u64) {
        let current = self.current;
        if let Some(races) = self.races() {
            races.release(current, object);
        }
    }

    /// The running thread posts a semaphore.
    pub fn release_more(&mut self, object: u64) {
        let current = self.current;
        if let Some(races) = self.races() {
            races.release_more(current, object);
        }
    }

    /// The running thread ends reading under a lock.
    pub fn release_to_writers(&mut self, object: u64) {
        let current = self.current;
        if let Some(races) = self.races() {
            races.release_to_writers(current, object);
        }
    }

    /// The running thread has a lock that others read under before.
    pub fn acquire_from_readers(&mut self, object: u64) {
        let current = self.current;
        if let Some(races) = self.races() {
            races.acquire_from_readers(current, object);
        }
    }

    /// The running thread comes to a barrier.
    pub fn arrive(&mut self, barrier: u64, round: u64) {
        let current = self.current;
        if let Some(races) = self.races() {
            races.arrive(current, (barrier, round));
        }
    }

    /// The running thread leaves a barrier.
    pub fn leave_barrier(&mut self, barrier: u64, round: u64) {
        let current = self.current;
        if let Some(races) = self.races() {
            races.leave(current, (barrier, round));
        }
    }

    /// An atomic section begins: one that the program marks, or an operation with a memory order (for a
    /// compare-and-swap that of failure as well, from the fourth bit on).
    pub fn begin_atomic(&mut self, order: Option<u8>) -> Step<()> {
        let Some(order) = order else {
            self.enter_section();
            return Ok(());
        };
        if order & FENCE != 0 && self.races().is_some() {
            return Err(self.unsupported("a memory fence, which orders accesses of other threads"));
        }
        self.thread.atomic_depth += 1;
        if let Some(races) = self.races() {
            races.begin_operation(Order(order & 7), Order(order >> 3 & 7));
        }
        Ok(())
    }

    /// A section begins that the program marks.
    pub fn enter_section(&mut self) {
        let current = self.current;
        self.thread.atomic_depth += 1;
        if self.thread.atomic_depth == 1
            && let Some(races) = self.races()
        {
            races.begin_section(current);
            self.note_object(SharedResource::Sections, true);
        }
    }

    /// What follows is one step, and nothing else.
    pub fn begin_step(&mut self) {
        self.thread.atomic_depth += 1;
        self.thread.step_depth += 1;
    }

    /// The step is made.
    pub fn end_step(&mut self) {
        // A jump out of it has ended it already.
        if self.thread.step_depth > 0 {
            self.thread.atomic_depth = self.thread.atomic_depth.saturating_sub(1);
            self.thread.step_depth -= 1;
        }
    }

    /// An atomic section ends.
    pub fn end_atomic(&mut self) {
        let current = self.current;
        self.thread.atomic_depth = self.thread.atomic_depth.saturating_sub(1);
        let is_outside = self.thread.atomic_depth == 0;
        let Some(races) = self.races() else { return };
        if races.is_in_operation() {
            races.end_operation(current);
        } else if is_outside {
            races.end_section(current);
        }
    }
}
