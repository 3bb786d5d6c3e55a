//! POSIX threads: creation, joining, keys, `pthread_once`. Locks and what else threads wait for are in
//! [`super::locks`].

use super::{Arguments, Native};
use crate::machine::access::Access;
use crate::machine::frames::{ReturnTo, ThreadState};
use crate::machine::sync::{DEADLOCK, Wait};
use crate::machine::{Machine, Step, Value};
use crate::memory::Pointer;
use crate::outcome::UndefinedKind;
use crate::schedule::SharedResource;
use base::Id;
use program::Known;

const INVALID: i64 = 22;
const NO_SUCH: i64 = 3;
const AGAIN: i64 = 11;
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
        ThreadDetach => detach(machine, arguments),
        ThreadYield => {
            machine.must_switch = true;
            Ok(Native::int(0))
        }
        OnceCall => once(machine, arguments),
        _ => keys(machine, known, arguments),
    }
}

fn create(machine: &mut Machine<'_, '_>, arguments: &Arguments) -> Step<Native> {
    let into = arguments.pointer(machine, 0)?;
    if arguments.pointer(machine, 1)?.address != 0 {
        return Err(machine.unsupported("`pthread_create` with attributes"));
    }
    let routine = arguments.pointer(machine, 2)?;
    // Those of the program's calls are given one argument; threads that `lower` makes may be given more.
    let mut given = vec![Value::Pointer(arguments.pointer(machine, 3)?)];
    given.extend(arguments.items.iter().skip(4).map(|argument| argument.value.clone()));
    let word = machine.memory.word();
    let procedure = machine.called_through_any(routine)?;
    let thread = machine.start_thread(procedure, &given)?;
    machine.note_object(SharedResource::Names, true);
    machine.note_object(SharedResource::Thread(thread), true);
    machine.before_thread(thread);
    // Verification tasks pass null here now and then, and mean that nobody needs the handle.
    if into.address != 0 {
        let at = machine.locate(into, word, Access::Write)?;
        machine.memory.object_mut(at.slot).store(at.offset, word, Machine::handle_of(thread), word);
    }
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
        return Ok(Native::int(DEADLOCK));
    }
    machine.note_object(SharedResource::Thread(thread), true);
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

fn detach(machine: &mut Machine<'_, '_>, arguments: &Arguments) -> Step<Native> {
    let handle = arguments.size(machine, 0)?;
    let Some(thread) = machine.thread_of(handle) else {
        let message = format!("`pthread_detach` is given {handle:#x}, which is no thread");
        machine.undefined(UndefinedKind::ThreadMisuse, message, None)?;
        return Ok(Native::int(NO_SUCH));
    };
    machine.note_object(SharedResource::Thread(thread), true);
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

fn once(machine: &mut Machine<'_, '_>, arguments: &Arguments) -> Step<Native> {
    let control = arguments.pointer(machine, 0)?;
    let address = machine.sync_address(control, "pthread_once_t")?;
    let routine = arguments.pointer(machine, 1)?;
    machine.note_object(SharedResource::Object(address), true);
    match machine.sync.once.get(&address) {
        Some(None) => {
            machine.acquire(address);
            Ok(Native::int(0))
        }
        Some(Some(_)) => Ok(Native::Wait(Wait::Once(address))),
        None => {
            let procedure = machine.called_through_any(routine)?;
            machine.sync.once.insert(address, Some(machine.current));
            machine.enter_with(procedure, ReturnTo::Once(address), &[])?;
            Ok(Native::Entered)
        }
    }
}

fn keys(machine: &mut Machine<'_, '_>, known: Known, arguments: &Arguments) -> Step<Native> {
    if known == Known::KeyCreate {
        let into = arguments.pointer(machine, 0)?;
        let destructor = arguments.pointer(machine, 1)?;
        machine.note_object(SharedResource::Names, true);
        if machine.sync.keys.len() >= MOST_KEYS {
            return Ok(Native::int(AGAIN));
        }
        let key = machine.sync.keys.len() as u32;
        machine.write_bytes(into, &key.to_le_bytes())?;
        machine.sync.keys.push(Some(destructor));
        return Ok(Native::int(0));
    }
    let key = arguments.integer(machine, 0)?;
    let exists = |key: &usize| matches!(machine.sync.keys.get(*key), Some(Some(_)));
    let key = usize::try_from(key).ok().filter(exists);
    match (known, key) {
        (Known::KeyGet, key) => {
            let value = key.and_then(|key| machine.thread.specifics.get(key).copied());
            Ok(Native::pointer(value.unwrap_or(Pointer::NULL)))
        }
        (_, None) => Ok(Native::int(INVALID)),
        (Known::KeyDelete, Some(key)) => {
            machine.note_object(SharedResource::Names, true);
            machine.sync.keys[key] = None;
            Ok(Native::int(0))
        }
        (_, Some(key)) => {
            let value = arguments.pointer(machine, 1)?;
            if machine.thread.specifics.len() <= key {
                machine.thread.specifics.resize(key + 1, Pointer::NULL);
            }
            machine.thread.specifics[key] = value;
            Ok(Native::int(0))
        }
    }
}
