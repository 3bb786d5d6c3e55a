//! Read-write locks: one writer, or readers. Each thread's holds for reading are counted in two bits of its own, so
//! that who holds the lock is known. Of threads that stand for any number of others (`general`) it is known only whether one of them reads.

use crate::cells::Meaning;
use crate::deadlock::{On, Waits};
use crate::mode::{Here, Mover, ThreadIndex};
use crate::synchronisation::{BUSY, Call, Patience, WOULD_WAIT_FOR_EVER};
use crate::weave::Weaver;
use base::Id;
use program::{Action, BinaryOp, Expr, Known, Place};

/// Bits that count how often a thread holds a lock for reading.
const BITS: usize = 2;
/// Threads whose holds can be counted so.
const MOST_THREADS: usize = 32 / BITS;

/// The state of a lock.
struct ReadWrite {
    writer: Place,
    readers: Place,
    others: Option<Place>,
}

/// The writer of a lock that was destroyed.
const DESTROYED: i64 = -1;

impl Weaver<'_> {
    /// How often a thread holds a lock for reading.
    pub fn own_reads(&self, readers: &Place, thread: ThreadIndex) -> Expr {
        let unsigned = self.unsigned;
        let number = |value: u128| Expr::integer(value, unsigned, &self.new.types);
        let all = Expr::load(readers.clone()).cast(unsigned);
        let shift = number((BITS * thread.index()) as u128);
        let shifted = self.terms.binary(BinaryOp::ShiftRight, all, shift);
        self.terms.binary(BinaryOp::BitAnd, shifted, number((1 << BITS) - 1)).cast(self.terms.int)
    }

    /// The writer, the readers, and, among any number of threads, whether one reads that is not followed.
    fn read_write_state(&mut self, call: &Call<'_>, pointer: &Expr) -> Option<ReadWrite> {
        if call.thread.index() >= MOST_THREADS && !self.is_environment(call.thread) {
            return None;
        }
        let found = match self.general {
            None => {
                let [writer, readers] = self.state::<2>(call.frame, pointer)?;
                ReadWrite { writer, readers, others: None }
            }
            Some(_) => {
                let [writer, readers, others] = self.state::<3>(call.frame, pointer)?;
                ReadWrite { writer, readers, others: Some(others) }
            }
        };
        self.cells.says(&found.writer, Meaning::Owner);
        self.cells.is_read_by(&found.writer, &found.readers);
        Some(found)
    }

    /// Does nobody read?
    fn nobody_reads(&self, lock: &ReadWrite) -> Expr {
        let none = self.terms.holds(&lock.readers, 0, &self.new);
        match &lock.others {
            None => none,
            Some(others) => {
                let no_other = self.terms.holds(others, 0, &self.new);
                self.terms.binary(BinaryOp::BitAnd, none, no_other)
            }
        }
    }

    fn change_reads(&mut self, here: Here, call: &Call<'_>, readers: &Place, op: BinaryOp) -> Here {
        let unit = Expr::integer(1 << (BITS * call.thread.index()), self.unsigned, &self.new.types);
        let all = Expr::load(readers.clone()).cast(self.unsigned);
        let value = self.terms.binary(op, all, unit).cast(readers.ty.id);
        self.step(here, call.thread, Action::Assign { target: readers.clone(), value }, call.span)
    }

    /// `pthread_rwlock_init`, `pthread_rwlock_destroy`
    pub fn set_up_read_write(&mut self, here: Here, call: &Call<'_>, known: Known, arguments: &[Expr]) {
        let is_init = known == Known::RwlockInit;
        let further = arguments.get(1).filter(|value| crate::cells::uncast(value).as_integer() != Some(0));
        if is_init && further.is_some() {
            return self.give_up(here, call.thread, "a lock with attributes", call.span);
        }
        let Some(lock) = self.read_write_state(call, &arguments[0]) else { return self.no_room(here, call) };
        let mut here = self.before(here, call.thread, Mover::No, None);
        if is_init {
            for part in [&lock.writer, &lock.readers].into_iter().chain(&lock.others) {
                here = self.assign(here, call, part, 0);
            }
            return self.done(here, call, 0);
        }
        let free = self.terms.holds(&lock.writer, 0, &self.new);
        let unread = self.nobody_reads(&lock);
        let writer = lock.writer;
        let is_free = self.terms.binary(BinaryOp::BitAnd, free, unread);
        let (free, held) = self.branch(here, call.thread, is_free, call.span);
        let why = "a read-write lock is destroyed while it is held, or again";
        self.misuse(held, call.thread, why, call.span);
        let free = self.assign(free, call, &writer, DESTROYED);
        self.done(free, call, 0);
    }

    /// Locks and unlocks.
    pub fn read_write(&mut self, here: Here, call: &Call<'_>, known: Known, pointer: &Expr) {
        use Known::*;
        let Some(lock) = self.read_write_state(call, pointer) else { return self.no_room(here, call) };
        let (writer, readers) = (lock.writer.clone(), lock.readers.clone());
        let patience = match known {
            RwlockTryReadLock | RwlockTryWriteLock => Patience::None,
            RwlockTimedReadLock | RwlockTimedWriteLock => Patience::Timed,
            _ => Patience::Endless,
        };
        let reads = matches!(known, RwlockReadLock | RwlockTryReadLock | RwlockTimedReadLock);
        let on = match reads {
            true => On::Reading { writer: writer.clone() },
            false => On::Writing { writer: writer.clone(), readers: readers.clone() },
        };
        let waits = self.waits(pointer, "the read-write lock", on);
        let here = match (known, patience) {
            (RwlockUnlock, _) => self.before(here, call.thread, Mover::No, None),
            (_, Patience::Endless) => self.before_waiting(here, call, Mover::No, &waits),
            _ => {
                let here = self.before(here, call.thread, Mover::No, None);
                self.leave_races_open(here, call)
            }
        };
        let here = if self.facts.has_destroyed {
            let is_gone = self.terms.holds(&writer, DESTROYED, &self.new);
            let (gone, here) = self.branch(here, call.thread, is_gone, call.span);
            self.misuse(gone, call.thread, "a read-write lock is used after it was destroyed", call.span);
            here
        } else {
            here
        };
        let is_own = self.terms.holds(&writer, Self::own_number(call.thread), &self.new);
        let (own, here) = self.branch(here, call.thread, is_own, call.span);
        if known == RwlockUnlock {
            self.log.gives_back(own.node, &writer);
            let own = self.assign(own, call, &writer, 0);
            self.done(own, call, 0);
            return self.stop_reading(here, call, &lock);
        }
        let (own, of_another) = self.own_or_not(own, call);
        self.done(own, call, if patience == Patience::None { BUSY } else { WOULD_WAIT_FOR_EVER });
        if let Some(here) = of_another.filter(|_| patience != Patience::Endless) {
            self.done(here, call, patience.result());
        }
        let no_writer = self.terms.holds(&writer, 0, &self.new);
        let free = match reads {
            true => no_writer,
            false => {
                let no_reader = self.nobody_reads(&lock);
                self.terms.binary(BinaryOp::BitAnd, no_writer, no_reader)
            }
        };
        let here = self.wait_or_give_up(here, call, free, patience, &waits);
        if reads {
            return self.start_reading(here, call, &lock);
        }
        self.log.takes(here.node, &writer);
        let here = self.assign(here, call, &writer, Self::own_number(call.thread));
        self.done(here, call, 0);
    }

    /// Goes on where something can be had; elsewhere the thread waits, or gives up.
    fn wait_or_give_up(
        &mut self,
        here: Here,
        call: &Call<'_>,
        can_be_had: Expr,
        patience: Patience,
        waits: &Waits,
    ) -> Here {
        if patience == Patience::Endless {
            return self.wait_until(here, call, can_be_had, waits);
        }
        let (yes, no) = self.branch(here, call.thread, can_be_had, call.span);
        self.done(no, call, patience.result());
        yes
    }

    fn start_reading(&mut self, here: Here, call: &Call<'_>, lock: &ReadWrite) {
        let readers = &lock.readers;
        if let Some(others) = lock.others.as_ref().filter(|_| self.is_environment(call.thread)) {
            let here = self.assign(here, call, others, 1);
            return self.done(here, call, 0);
        }
        let own = self.own_reads(readers, call.thread);
        let most = self.terms.number((1 << BITS) - 1, &self.new);
        let is_full = self.terms.binary(BinaryOp::Equal, own, most);
        let (full, here) = self.branch(here, call.thread, is_full, call.span);
        self.give_up(full, call.thread, "a thread that reads under one lock so many times", call.span);
        let here = self.change_reads(here, call, readers, BinaryOp::Add);
        self.done(here, call, 0);
    }

    fn stop_reading(&mut self, here: Here, call: &Call<'_>, lock: &ReadWrite) {
        let readers = &lock.readers;
        if let Some(others) = lock.others.as_ref().filter(|_| self.is_environment(call.thread)) {
            let reads = self.terms.holds(others, 1, &self.new);
            let (reads, none) = self.branch(here, call.thread, reads, call.span);
            self.nobody(none.node);
            // It may have been the last.
            let (last, more) = self.drawn(reads, call);
            let last = self.assign(last, call, others, 0);
            self.done(last, call, 0);
            return self.done(more, call, 0);
        }
        let own = self.own_reads(readers, call.thread);
        let none = self.terms.number(0, &self.new);
        let is_none = self.terms.binary(BinaryOp::Equal, own, none);
        let (none, some) = self.branch(here, call.thread, is_none, call.span);
        let why = "a thread unlocks a read-write lock that it does not hold";
        self.misuse(none, call.thread, why, call.span);
        let some = self.change_reads(some, call, readers, BinaryOp::Subtract);
        self.done(some, call, 0);
    }
}
