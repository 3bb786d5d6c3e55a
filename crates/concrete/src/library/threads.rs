//! POSIX threads: creation, joining, locks, condition variables, barriers, semaphores, keys.

use super::{Arguments, Native};
use crate::machine::access::Access;
use crate::machine::frames::{ReturnTo, ThreadState};
use crate::machine::sync::{Barrier, Wait};
use crate::machine::{Machine, Step, Value};
use crate::memory::Pointer;
use crate::outcome::UndefinedKind;
use base::Id;
use program::Known;

const BUSY: i64 = 16;
const INVALID: i64 = 22;
const NO_SUCH: i64 = 3;
const AGAIN: i64 = 11;
/// `PTHREAD_BARRIER_SERIAL_THREAD`
const SERIAL: i64 = -1;
/// `PTHREAD_KEYS_MAX`
const MOST_KEYS: usize = 1024;

pub fn call(machine: &mut Machine<'_, '_>, known: Known, arguments: &Arguments) -> Step<Native> {
    use Known::*;
    match known {
        ThreadCreate => create(machine, arguments),
        ThreadJoin => join(machine, arguments),
        ThreadExit => {
            let result = arguments.pointer(machine, 0)?;
            machine.exit_thread(result)?;
            Ok(Native::Entered)
        }
        ThreadSelf => Ok(Native::Value(Value::Word(Machine::handle_of(machine.current)))),
        ThreadDetach => {
            let handle = arguments.size(machine, 0)?;
            let Some(thread) = machine.thread_of(handle) else { return Ok(Native::int(NO_SUCH)) };
            let own = thread == machine.current;
            let state = if own { &mut machine.thread } else { &mut machine.threads[thread] };
            if state.is_joined || std::mem::replace(&mut state.is_detached, true) {
                let why = if state.is_joined { "was joined" } else { "is detached already" };
                let message = format!("`pthread_detach` is given thread {}, which {why}", thread.index());
                machine.undefined(UndefinedKind::ThreadMisuse, message, None)?;
                return Ok(Native::int(INVALID));
            }
            Ok(Native::int(0))
        }
        ThreadYield => {
            machine.must_switch = true;
            Ok(Native::int(0))
        }
        OnceCall => once(machine, arguments),
        KeyCreate | KeyGet | KeySet => keys(machine, known, arguments),
        MutexInit | RwlockInit | CondInit | MutexDestroy | RwlockDestroy | CondDestroy | BarrierInit
        | BarrierDestroy | SemaphoreInit | SemaphoreDestroy => set_up(machine, known, arguments),
        MutexLock | MutexTryLock | MutexUnlock => mutex(machine, known, arguments),
        RwlockReadLock | RwlockWriteLock | RwlockUnlock => read_write_lock(machine, known, arguments),
        CondWait | CondSignal | CondBroadcast => condition(machine, known, arguments),
        BarrierWait => barrier(machine, arguments),
        SemaphoreWait | SemaphorePost => semaphore(machine, known, arguments),
        other => unreachable!("{other:?} has nothing to do with threads"),
    }
}

fn create(machine: &mut Machine<'_, '_>, arguments: &Arguments) -> Step<Native> {
    let into = arguments.pointer(machine, 0)?;
    let routine = arguments.pointer(machine, 2)?;
    let argument = arguments.pointer(machine, 3)?;
    let word = machine.memory.word();
    let procedure = machine.called_through_any(routine)?;
    let thread = machine.start_thread(procedure, argument)?;
    // SV-COMP programs pass null here now and then; glibc would crash, so it is reported.
    let at = machine.locate(into, word, Access::Write)?;
    machine.memory.object_mut(at.slot).store(at.offset, word, Machine::handle_of(thread), word);
    // The slice was measured for one thread alone.
    machine.must_switch = true;
    Ok(Native::int(0))
}

fn join(machine: &mut Machine<'_, '_>, arguments: &Arguments) -> Step<Native> {
    let handle = arguments.size(machine, 0)?;
    let into = if arguments.items.len() > 1 { arguments.pointer(machine, 1)? } else { Pointer::NULL };
    let Some(thread) = machine.thread_of(handle) else {
        let message = format!("`pthread_join` is given {handle:#x}, which is no thread");
        machine.undefined(UndefinedKind::ThreadMisuse, message, None)?;
        return Ok(Native::int(NO_SUCH));
    };
    if thread == machine.current {
        return Ok(Native::int(35)); // EDEADLK
    }
    let joined = &machine.threads[thread];
    if joined.is_joined || joined.is_detached {
        let why = if joined.is_joined { "was joined before" } else { "is detached" };
        let message = format!("`pthread_join` is given thread {}, which {why}", thread.index());
        machine.undefined(UndefinedKind::ThreadMisuse, message, None)?;
        return Ok(Native::int(INVALID));
    }
    let wait = Wait::Join(thread, into);
    if matches!(joined.state, ThreadState::Ended(_)) {
        return machine.finish_wait(wait).map(Native::Value);
    }
    Ok(Native::Wait(wait))
}

fn once(machine: &mut Machine<'_, '_>, arguments: &Arguments) -> Step<Native> {
    let control = arguments.pointer(machine, 0)?;
    let address = machine.sync_address(control, "pthread_once_t")?;
    let routine = arguments.pointer(machine, 1)?;
    match machine.sync.once.get(&address) {
        Some(true) => Ok(Native::int(0)),
        Some(false) => Ok(Native::Wait(Wait::Once(address))),
        None => {
            let procedure = machine.called_through_any(routine)?;
            machine.sync.once.insert(address, false);
            machine.enter_with(procedure, ReturnTo::Once(address), &[])?;
            Ok(Native::Entered)
        }
    }
}

fn keys(machine: &mut Machine<'_, '_>, known: Known, arguments: &Arguments) -> Step<Native> {
    match known {
        Known::KeyCreate => {
            let into = arguments.pointer(machine, 0)?;
            let destructor = arguments.pointer(machine, 1)?;
            if machine.sync.keys.len() >= MOST_KEYS {
                return Ok(Native::int(AGAIN));
            }
            let key = machine.sync.keys.len() as u32;
            machine.write_bytes(into, &key.to_le_bytes())?;
            machine.sync.keys.push(destructor);
            Ok(Native::int(0))
        }
        Known::KeyGet => {
            let key = arguments.integer(machine, 0)?;
            let value = usize::try_from(key).ok().and_then(|key| machine.thread.specifics.get(key).copied());
            Ok(Native::pointer(value.unwrap_or(Pointer::NULL)))
        }
        _ => {
            let key = arguments.integer(machine, 0)?;
            let value = arguments.pointer(machine, 1)?;
            let key = usize::try_from(key).ok().filter(|&key| key < machine.sync.keys.len());
            let Some(key) = key else { return Ok(Native::int(INVALID)) };
            if machine.thread.specifics.len() <= key {
                machine.thread.specifics.resize(key + 1, Pointer::NULL);
            }
            machine.thread.specifics[key] = value;
            Ok(Native::int(0))
        }
    }
}

/// Initialising and destroying.
fn set_up(machine: &mut Machine<'_, '_>, known: Known, arguments: &Arguments) -> Step<Native> {
    use Known::*;
    let pointer = arguments.pointer(machine, 0)?;
    let at = machine.locate(pointer, 1, Access::Write)?;
    let address = pointer.address;
    match known {
        MutexInit | RwlockInit | CondInit | BarrierInit | SemaphoreInit => {
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
            let needed = arguments.integer(machine, 2)? as u64;
            if needed == 0 {
                return Ok(Native::int(INVALID));
            }
            machine.sync.barriers.insert(address, Barrier { needed, arrived: 0, round: 0 });
        }
        SemaphoreInit => {
            let value = arguments.integer(machine, 2)? as u64;
            machine.sync.semaphores.insert(address, value);
        }
        MutexInit if machine.sync.mutexes.contains_key(&address) => {
            let message = "a mutex is initialised while it is locked".to_owned();
            machine.undefined(UndefinedKind::MutexMisuse, message, None)?;
            machine.sync.mutexes.remove(&address);
        }
        MutexDestroy if machine.sync.mutexes.contains_key(&address) => {
            let message = "a mutex is destroyed while it is locked".to_owned();
            machine.undefined(UndefinedKind::MutexMisuse, message, None)?;
            return Ok(Native::int(BUSY));
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

fn mutex(machine: &mut Machine<'_, '_>, known: Known, arguments: &Arguments) -> Step<Native> {
    let pointer = arguments.pointer(machine, 0)?;
    let address = machine.sync_address(pointer, "mutex")?;
    let owner = machine.sync.mutexes.get(&address).copied();
    match (known, owner) {
        (Known::MutexUnlock, Some(owner)) if owner == machine.current => {
            machine.sync.mutexes.remove(&address);
            Ok(Native::int(0))
        }
        (Known::MutexUnlock, owner) => {
            let message = match owner {
                Some(owner) => format!("a mutex is unlocked that thread {} holds", owner.index()),
                None => "a mutex is unlocked that nobody holds".to_owned(),
            };
            let object = machine.describe_pointer(pointer);
            machine.undefined(UndefinedKind::MutexMisuse, message, object)?;
            machine.sync.mutexes.remove(&address);
            Ok(Native::int(0))
        }
        (_, None) => {
            machine.sync.mutexes.insert(address, machine.current);
            Ok(Native::int(0))
        }
        (Known::MutexTryLock, Some(_)) => Ok(Native::int(BUSY)),
        (_, Some(_)) => Ok(Native::Wait(Wait::Mutex(address))),
    }
}

fn read_write_lock(machine: &mut Machine<'_, '_>, known: Known, arguments: &Arguments) -> Step<Native> {
    let pointer = arguments.pointer(machine, 0)?;
    let address = machine.sync_address(pointer, "read-write lock")?;
    let current = machine.current;
    let wait = match known {
        Known::RwlockReadLock => Wait::ReadLock(address),
        Known::RwlockWriteLock => Wait::WriteLock(address),
        _ => {
            let lock = machine.sync.locks.entry(address).or_default();
            if lock.writer == Some(current) {
                lock.writer = None;
            } else if let Some(position) = lock.readers.iter().position(|&reader| reader == current) {
                lock.readers.swap_remove(position);
            } else {
                let message = "a read-write lock is unlocked that this thread does not hold".to_owned();
                let object = machine.describe_pointer(pointer);
                machine.undefined(UndefinedKind::MutexMisuse, message, object)?;
            }
            return Ok(Native::int(0));
        }
    };
    if machine.is_over(&wait) {
        return machine.finish_wait(wait).map(Native::Value);
    }
    Ok(Native::Wait(wait))
}

fn condition(machine: &mut Machine<'_, '_>, known: Known, arguments: &Arguments) -> Step<Native> {
    let pointer = arguments.pointer(machine, 0)?;
    let condition = machine.sync_address(pointer, "condition variable")?;
    match known {
        Known::CondSignal => machine.signal(condition, 1),
        Known::CondBroadcast => machine.signal(condition, usize::MAX),
        _ => {
            let held = arguments.pointer(machine, 1)?;
            let mutex = machine.sync_address(held, "mutex")?;
            if machine.sync.mutexes.get(&mutex) != Some(&machine.current) {
                let message =
                    "`pthread_cond_wait` is given a mutex that this thread does not hold".to_owned();
                let object = machine.describe_pointer(held);
                machine.undefined(UndefinedKind::MutexMisuse, message, object)?;
            }
            machine.sync.mutexes.remove(&mutex);
            return Ok(Native::Wait(Wait::Signal { condition, mutex }));
        }
    }
    Ok(Native::int(0))
}

fn barrier(machine: &mut Machine<'_, '_>, arguments: &Arguments) -> Step<Native> {
    let pointer = arguments.pointer(machine, 0)?;
    let address = machine.sync_address(pointer, "barrier")?;
    let Some(barrier) = machine.sync.barriers.get_mut(&address) else {
        let message = "a barrier is used that was never initialised".to_owned();
        return Err(machine.undefined_always(UndefinedKind::ThreadMisuse, message, None));
    };
    barrier.arrived += 1;
    if barrier.arrived < barrier.needed {
        return Ok(Native::Wait(Wait::Barrier { address, round: barrier.round }));
    }
    barrier.arrived = 0;
    barrier.round += 1;
    Ok(Native::int(SERIAL))
}

fn semaphore(machine: &mut Machine<'_, '_>, known: Known, arguments: &Arguments) -> Step<Native> {
    let pointer = arguments.pointer(machine, 0)?;
    let address = machine.sync_address(pointer, "semaphore")?;
    let Some(value) = machine.sync.semaphores.get_mut(&address) else {
        let message = "a semaphore is used that was never initialised".to_owned();
        return Err(machine.undefined_always(UndefinedKind::ThreadMisuse, message, None));
    };
    if known == Known::SemaphorePost {
        *value += 1;
        return Ok(Native::int(0));
    }
    if *value > 0 {
        *value -= 1;
        return Ok(Native::int(0));
    }
    Ok(Native::Wait(Wait::Semaphore(address)))
}

impl Machine<'_, '_> {
    /// The address of a synchronisation object that must exist and not be destroyed.
    fn sync_address(&mut self, pointer: Pointer, what: &str) -> Step<u64> {
        let at = self.locate(pointer, 1, Access::Read)?;
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
}
