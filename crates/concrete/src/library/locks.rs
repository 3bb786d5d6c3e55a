//! What threads wait for: mutexes of each kind, spin locks, read-write locks, condition variables, barriers,
//! semaphores.

use super::{Arguments, Native};
use crate::machine::access::Access;
use crate::machine::sync::{Barrier, DEADLOCK, Mutex, MutexKind, SERIAL, TIMED_OUT, Wait};
use crate::machine::{Machine, Step};
use crate::memory::Pointer;
use crate::outcome::UndefinedKind;
use crate::schedule::{ChoiceKind, SharedResource};
use base::Id;
use program::Known;

const BUSY: i64 = 16;
const INVALID: i64 = 22;
const NOT_PERMITTED: i64 = 1;
/// `SEM_VALUE_MAX`
const MOST_PERMITS: u64 = i32::MAX as u64;

pub fn call(machine: &mut Machine<'_, '_>, known: Known, arguments: &Arguments) -> Step<Native> {
    use Known::*;
    match known {
        MutexAttributesInit | MutexAttributesSetType | MutexAttributesDestroy => {
            mutex_attributes(machine, known, arguments)
        }
        MutexInit | SpinInit | RwlockInit | CondInit | MutexDestroy | RwlockDestroy | CondDestroy
        | BarrierInit | BarrierDestroy | SemaphoreInit | SemaphoreDestroy => {
            set_up(machine, known, arguments)
        }
        MutexLock | MutexTryLock | MutexTimedLock | MutexUnlock => mutex(machine, known, arguments),
        RwlockReadLock | RwlockWriteLock | RwlockTryReadLock | RwlockTryWriteLock | RwlockTimedReadLock
        | RwlockTimedWriteLock | RwlockUnlock => read_write_lock(machine, known, arguments),
        CondWait | CondTimedWait | CondSignal | CondBroadcast => condition(machine, known, arguments),
        BarrierWait => barrier(machine, arguments),
        SemaphoreWait | SemaphoreTryWait | SemaphoreTimedWait | SemaphoreGetValue | SemaphorePost => {
            semaphore(machine, known, arguments)
        }
        other => unreachable!("{other:?} is nothing that threads wait for"),
    }
}

/// The kind of a mutex to be, kept in the first bytes of the attributes.
fn mutex_attributes(machine: &mut Machine<'_, '_>, known: Known, arguments: &Arguments) -> Step<Native> {
    let pointer = arguments.pointer(machine, 0)?;
    match known {
        Known::MutexAttributesInit => machine.write_bytes(pointer, &0u32.to_le_bytes())?,
        Known::MutexAttributesSetType => {
            let kind = arguments.integer(machine, 1)?;
            if !u64::try_from(kind).is_ok_and(|kind| MutexKind::by_number(kind).is_some()) {
                return Ok(Native::int(INVALID));
            }
            machine.write_bytes(pointer, &(kind as u32).to_le_bytes())?;
        }
        _ => {}
    }
    Ok(Native::int(0))
}

/// Initialising and destroying.
fn set_up(machine: &mut Machine<'_, '_>, known: Known, arguments: &Arguments) -> Step<Native> {
    use Known::*;
    let pointer = arguments.pointer(machine, 0)?;
    let at = machine.find(pointer, 1, Access::Write)?;
    let address = pointer.address;
    machine.note_object(SharedResource::Object(address), true);
    match known {
        MutexInit | SpinInit | RwlockInit | CondInit | BarrierInit | SemaphoreInit => {
            let types = &machine.program.types;
            let pointee = types.pointee(arguments.items[0].ty).and_then(|to| types.size_of(to.id));
            let object = machine.memory.object(at.slot);
            let size = (pointee.unwrap_or(1) as usize).min(object.size() - at.offset);
            let word = machine.memory.word();
            machine.memory.object_mut(at.slot).fill(at.offset, size, 0, word);
            machine.sync.destroyed.remove(&address);
        }
        _ => {
            machine.sync.destroyed.insert(address, ());
        }
    }
    match known {
        BarrierInit => {
            no_attributes(machine, arguments, 1, "pthread_barrier_init")?;
            let needed = arguments.integer(machine, 2)? as u64;
            if needed == 0 {
                return Ok(Native::int(INVALID));
            }
            machine.sync.barriers.insert(address, Barrier { needed, arrived: Vec::new(), round: 0 });
        }
        SemaphoreInit => {
            no_sharing(machine, arguments)?;
            let value = arguments.integer(machine, 2)? as u64;
            machine.sync.semaphores.insert(address, value);
        }
        MutexInit | SpinInit => {
            if machine.sync.owner(address).is_some() {
                let message = "a mutex is initialised while it is locked".to_owned();
                machine.undefined(UndefinedKind::MutexMisuse, message, None)?;
            }
            let kind = match known {
                SpinInit => {
                    no_sharing(machine, arguments)?;
                    MutexKind::Normal
                }
                _ => asked_kind(machine, arguments)?,
            };
            machine.sync.mutexes.insert(address, Mutex { kind, held: None });
        }
        RwlockInit | CondInit => no_attributes(machine, arguments, 1, "attributes")?,
        MutexDestroy if machine.sync.owner(address).is_some() => {
            let message = "a mutex is destroyed while it is locked".to_owned();
            machine.undefined(UndefinedKind::MutexMisuse, message, None)?;
            return Ok(Native::int(BUSY));
        }
        MutexDestroy => {
            machine.sync.mutexes.remove(&address);
        }
        RwlockDestroy => {
            machine.sync.locks.remove(&address);
        }
        BarrierDestroy => {
            machine.sync.barriers.remove(&address);
        }
        SemaphoreDestroy => {
            machine.sync.semaphores.remove(&address);
        }
        _ => {}
    }
    Ok(Native::int(0))
}

/// The kind that the attributes of `pthread_mutex_init` ask for.
fn asked_kind(machine: &mut Machine<'_, '_>, arguments: &Arguments) -> Step<MutexKind> {
    let attributes = match arguments.items.len() {
        0 | 1 => Pointer::NULL,
        _ => arguments.pointer(machine, 1)?,
    };
    if attributes.address == 0 {
        return Ok(MutexKind::Normal);
    }
    let bytes = machine.read_bytes(attributes, 4)?;
    let number = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    match MutexKind::by_number(u64::from(number)) {
        Some(kind) => Ok(kind),
        None => Err(machine.unsupported("a mutex with attributes other than its type")),
    }
}

fn no_attributes(
    machine: &mut Machine<'_, '_>,
    arguments: &Arguments,
    number: usize,
    what: &str,
) -> Step<()> {
    if arguments.items.len() > number && arguments.pointer(machine, number)?.address != 0 {
        return Err(machine.unsupported(format!("a synchronisation object with attributes ({what})")));
    }
    Ok(())
}

fn no_sharing(machine: &mut Machine<'_, '_>, arguments: &Arguments) -> Step<()> {
    if arguments.integer(machine, 1)? != 0 {
        return Err(machine.unsupported("a synchronisation object that processes share"));
    }
    Ok(())
}

fn mutex(machine: &mut Machine<'_, '_>, known: Known, arguments: &Arguments) -> Step<Native> {
    let pointer = arguments.pointer(machine, 0)?;
    let address = machine.sync_address(pointer, "mutex")?;
    let held = machine.sync.mutexes.get(&address).and_then(|mutex| mutex.held);
    let is_own = held.is_some_and(|(owner, _)| owner == machine.current);
    let kind = machine.mutex_kind(address);
    match known {
        Known::MutexUnlock if is_own => {
            machine.give_back_mutex(address);
            Ok(Native::int(0))
        }
        Known::MutexUnlock if kind != MutexKind::Normal => {
            machine.note_object(SharedResource::Object(address), false);
            Ok(Native::int(NOT_PERMITTED))
        }
        Known::MutexUnlock => {
            machine.note_object(SharedResource::Object(address), true);
            let message = match held {
                Some((owner, _)) => format!("a mutex is unlocked that thread {} holds", owner.index()),
                None => "a mutex is unlocked that nobody holds".to_owned(),
            };
            let object = machine.describe_pointer(pointer);
            machine.undefined(UndefinedKind::MutexMisuse, message, object)?;
            machine.sync.mutexes.remove(&address);
            Ok(Native::int(0))
        }
        // Another try at an error-checking mutex that is one's own is refused as everybody's is.
        Known::MutexTryLock if held.is_some() && !(is_own && kind == MutexKind::Recursive) => {
            machine.note_object(SharedResource::Object(address), false);
            Ok(Native::int(BUSY))
        }
        Known::MutexTimedLock => timed(machine, Wait::Mutex(address)),
        _ => now_or_later(machine, Wait::Mutex(address)),
    }
}

/// Goes on at once if that is possible, and waits otherwise.
fn now_or_later(machine: &mut Machine<'_, '_>, wait: Wait) -> Step<Native> {
    if machine.is_over(machine.current, &wait) {
        return machine.finish_wait(wait).map(Native::Value);
    }
    Ok(Native::Wait(wait))
}

/// As [`now_or_later`], or gives up. Under a driver it is one step at a moment of the driver's choosing: it goes on, or
/// its time is over (POSIX: never where it could go on at once); undriven, its time is over only when nobody can run
/// any more.
fn timed(machine: &mut Machine<'_, '_>, wait: Wait) -> Step<Native> {
    let is_over = machine.is_over(machine.current, &wait);
    if machine.world.driver.is_none() {
        return match is_over {
            true => machine.finish_wait(wait).map(Native::Value),
            false => Ok(Native::Wait(Wait::Timed(Box::new(wait)))),
        };
    }
    if is_over {
        return machine.finish_wait(wait).map(Native::Value);
    }
    let what = machine.part_of(&wait);
    machine.note_object(what, false);
    Ok(Native::int(machine.time_out(&wait)?))
}

fn read_write_lock(machine: &mut Machine<'_, '_>, known: Known, arguments: &Arguments) -> Step<Native> {
    use Known::*;
    let pointer = arguments.pointer(machine, 0)?;
    let address = machine.sync_address(pointer, "read-write lock")?;
    let current = machine.current;
    let wait = match known {
        RwlockReadLock | RwlockTryReadLock | RwlockTimedReadLock => Wait::ReadLock(address),
        RwlockWriteLock | RwlockTryWriteLock | RwlockTimedWriteLock => Wait::WriteLock(address),
        _ => {
            machine.note_object(SharedResource::Object(address), true);
            let lock = machine.sync.locks.entry(address).or_default();
            if lock.writer == Some(current) {
                lock.writer = None;
                machine.release(address);
            } else if let Some(position) = lock.readers.iter().position(|&reader| reader == current) {
                lock.readers.swap_remove(position);
                machine.release_to_writers(address);
            } else {
                let message = "a read-write lock is unlocked that this thread does not hold".to_owned();
                let object = machine.describe_pointer(pointer);
                machine.undefined(UndefinedKind::MutexMisuse, message, object)?;
            }
            return Ok(Native::int(0));
        }
    };
    let writer = machine.sync.locks.get(&address).and_then(|lock| lock.writer);
    let is_try = matches!(known, RwlockTryReadLock | RwlockTryWriteLock);
    if writer == Some(current) || is_try && !machine.is_over(current, &wait) {
        machine.note_object(SharedResource::Object(address), false);
        return Ok(Native::int(if is_try { BUSY } else { DEADLOCK }));
    }
    match known {
        RwlockTimedReadLock | RwlockTimedWriteLock => timed(machine, wait),
        _ => now_or_later(machine, wait),
    }
}

fn condition(machine: &mut Machine<'_, '_>, known: Known, arguments: &Arguments) -> Step<Native> {
    let pointer = arguments.pointer(machine, 0)?;
    let condition = machine.sync_address(pointer, "condition variable")?;
    machine.note_object(SharedResource::Object(condition), true);
    match known {
        Known::CondSignal => machine.signal(condition, false),
        Known::CondBroadcast => machine.signal(condition, true),
        _ => {
            let held = arguments.pointer(machine, 1)?;
            let mutex = machine.sync_address(held, "mutex")?;
            match machine.sync.mutexes.get(&mutex).map(|mutex| (mutex.kind, mutex.held)) {
                Some((_, Some((owner, 1)))) if owner == machine.current => {}
                Some((_, Some((owner, _)))) if owner == machine.current => {
                    return Err(machine.unsupported("a wait for a signal with a mutex that is held twice"));
                }
                Some((MutexKind::ErrorChecking | MutexKind::Recursive, _)) => {
                    return Ok(Native::int(NOT_PERMITTED));
                }
                _ => {
                    let message =
                        "`pthread_cond_wait` is given a mutex that this thread does not hold".to_owned();
                    let object = machine.describe_pointer(held);
                    machine.undefined(UndefinedKind::MutexMisuse, message, object)?;
                }
            }
            if machine.waits_with_another(condition, mutex) {
                return Err(machine.unsupported("a condition variable that is used with two mutexes"));
            }
            machine.give_back_mutex(mutex);
            let is_timed = known == Known::CondTimedWait;
            machine.begin_waiting();
            return Ok(Native::Wait(Wait::Signal { condition, mutex, is_timed }));
        }
    }
    Ok(Native::int(0))
}

fn barrier(machine: &mut Machine<'_, '_>, arguments: &Arguments) -> Step<Native> {
    let pointer = arguments.pointer(machine, 0)?;
    let address = machine.sync_address(pointer, "barrier")?;
    machine.note_object(SharedResource::Object(address), true);
    let who = machine.current;
    let Some(barrier) = machine.sync.barriers.get_mut(&address) else {
        let message = "a barrier is used that was never initialised".to_owned();
        return Err(machine.undefined_always(UndefinedKind::ThreadMisuse, message, None));
    };
    barrier.arrived.push(who);
    let round = barrier.round;
    let is_last = barrier.arrived.len() as u64 >= barrier.needed;
    machine.arrive(address, round);
    if !is_last {
        return Ok(Native::Wait(Wait::Barrier { address, round, is_serial: false }));
    }
    let met = machine.open_barrier(address);
    let chosen = match met.len() {
        1 => 0,
        several => machine.decide(ChoiceKind::Serial, several as u32) as usize,
    };
    machine.leave_barrier(address, round);
    if met[chosen] == who {
        return Ok(Native::int(SERIAL));
    }
    machine.tell_serial(met[chosen]);
    Ok(Native::int(0))
}

fn semaphore(machine: &mut Machine<'_, '_>, known: Known, arguments: &Arguments) -> Step<Native> {
    let pointer = arguments.pointer(machine, 0)?;
    let address = machine.sync_address(pointer, "semaphore")?;
    let Some(value) = machine.sync.semaphores.get(&address).copied() else {
        let message = "a semaphore is used that was never initialised".to_owned();
        return Err(machine.undefined_always(UndefinedKind::ThreadMisuse, message, None));
    };
    let wait = Wait::Semaphore(address);
    match known {
        Known::SemaphorePost => {
            machine.note_object(SharedResource::Object(address), true);
            if value >= MOST_PERMITS {
                return Err(machine.unsupported("a semaphore that overflows"));
            }
            machine.sync.semaphores.insert(address, value + 1);
            machine.release_more(address);
            Ok(Native::int(0))
        }
        Known::SemaphoreGetValue => {
            machine.note_object(SharedResource::Object(address), false);
            let into = arguments.pointer(machine, 1)?;
            machine.write_bytes(into, &(value as u32).to_le_bytes())?;
            Ok(Native::int(0))
        }
        Known::SemaphoreTryWait if value == 0 => {
            machine.note_object(SharedResource::Object(address), false);
            Ok(Native::int(machine.time_out(&wait)?))
        }
        Known::SemaphoreTimedWait => timed(machine, wait),
        _ => now_or_later(machine, wait),
    }
}

impl Machine<'_, '_> {
    /// The address of a synchronisation object that must exist and not be destroyed.
    pub fn sync_address(&mut self, pointer: Pointer, what: &str) -> Step<u64> {
        let at = self.find(pointer, 1, Access::Read)?;
        if self.sync.destroyed.contains_key(&pointer.address) {
            let message = format!("a {what} is used after it was destroyed");
            let description = self.describe_slot(at.slot);
            return Err(self.undefined_always(UndefinedKind::MutexMisuse, message, Some(description)));
        }
        if !self.memory.object(at.slot).is_written(at.offset, 1) {
            self.unwritten_memory(at, 1)?;
        }
        Ok(pointer.address)
    }

    /// The owner unlocks a mutex once.
    fn give_back_mutex(&mut self, address: u64) {
        self.note_object(SharedResource::Object(address), true);
        if let Some(Mutex { held: held @ Some(_), .. }) = self.sync.mutexes.get_mut(&address) {
            let count = held.map_or(0, |(_, count)| count);
            *held = held.filter(|_| count > 1).map(|(owner, count)| (owner, count - 1));
        }
        self.release(address);
    }

    /// What a wait gives whose time is over. Semaphores tell the reason in `errno`, which is not followed here.
    pub fn time_out(&mut self, wait: &Wait) -> Step<i64> {
        match wait {
            Wait::Timed(wait) => self.time_out(wait),
            Wait::Semaphore(_) => {
                if self.program.looks_at_error_number() {
                    return Err(
                        self.unsupported("a semaphore that is not taken, in a program that uses `errno`")
                    );
                }
                Ok(-1)
            }
            _ => Ok(TIMED_OUT),
        }
    }
}
