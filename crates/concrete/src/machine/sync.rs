//! Mutexes, read-write locks, condition variables, barriers, semaphores and the like, known by their address. Their
//! bytes are not interpreted, but for the kind of a mutex that its static initialiser gives.

use super::frames::ThreadState;
use super::{Machine, Step, Value};
use crate::memory::{Pointer, Slot};
use crate::schedule::{ChoiceKind, SharedResource};
use crate::settings::ThreadId;
use base::Id;
use rustc_hash::FxHashMap;

/// `ETIMEDOUT`
pub const TIMED_OUT: i64 = 110;

/// What a thread waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum Wait {
    /// The end of another thread; its result goes there.
    Join(ThreadId, Pointer),
    /// A mutex.
    Mutex(u64),
    /// The mutex again after waiting for a signal.
    Relock {
        /// The mutex.
        mutex: u64,
        /// The condition variable.
        condition: u64,
        /// What the call then gives.
        told: i64,
    },
    /// A lock for reading.
    ReadLock(u64),
    /// A lock for writing.
    WriteLock(u64),
    /// A signal; then the mutex again.
    Signal {
        /// The condition variable.
        condition: u64,
        /// The mutex.
        mutex: u64,
        /// Does it give up after a while?
        is_timed: bool,
    },
    /// The rest of those a barrier waits for.
    Barrier {
        /// The address of the barrier.
        address: u64,
        /// The round it waits in.
        round: u64,
        /// Is it the one that is told that all met?
        is_serial: bool,
    },
    /// A semaphore above zero.
    Semaphore(u64),
    /// Somebody else's `pthread_once`.
    Once(u64),
    /// One of these, but only for a while.
    Timed(Box<Wait>),
}

/// What a mutex does when its owner locks it again, and when others unlock it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum MutexKind {
    /// Waits for ever; a mistake.
    #[default]
    Normal,
    /// Counts; an error.
    Recursive,
    /// Errors.
    ErrorChecking,
}

impl MutexKind {
    /// By glibc's number (`PTHREAD_MUTEX_NORMAL` and its relatives); the adaptive kind behaves as a normal one.
    pub fn by_number(number: u64) -> Option<MutexKind> {
        match number {
            0 | 3 => Some(MutexKind::Normal),
            1 => Some(MutexKind::Recursive),
            2 => Some(MutexKind::ErrorChecking),
            _ => None,
        }
    }
}

/// A mutex that was used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mutex {
    /// What relocking does.
    pub kind: MutexKind,
    /// Who holds it, and how often.
    pub held: Option<(ThreadId, u32)>,
}

/// A read-write lock.
#[derive(Clone, Debug, Default)]
pub struct ReadWriteLock {
    /// Who reads; once per time locked.
    pub readers: Vec<ThreadId>,
    /// The thread that holds it for writing.
    pub writer: Option<ThreadId>,
}

/// A barrier.
#[derive(Clone, Debug)]
pub struct Barrier {
    /// How many must come.
    pub needed: u64,
    /// Who has come in this round.
    pub arrived: Vec<ThreadId>,
    /// How often all threads have met at it.
    pub round: u64,
}

/// State of all synchronisation objects, by address.
#[derive(Clone, Debug, Default)]
pub struct SyncObjects {
    /// Mutexes that were initialised by a call or locked.
    pub mutexes: FxHashMap<u64, Mutex>,
    /// Mutexes and other objects that were destroyed and not initialised again.
    pub destroyed: FxHashMap<u64, ()>,
    /// Read-write locks in use.
    pub locks: FxHashMap<u64, ReadWriteLock>,
    /// Barriers, by address.
    pub barriers: FxHashMap<u64, Barrier>,
    /// Semaphores and their values.
    pub semaphores: FxHashMap<u64, u64>,
    /// `pthread_once` calls that were begun: who runs it, `None` when it is done.
    pub once: FxHashMap<u64, Option<ThreadId>>,
    /// Destructors of thread-specific data, by key; null for none. `None` where the key was deleted.
    pub keys: Vec<Option<Pointer>>,
}

impl SyncObjects {
    /// Is there nothing that the end of an object could concern?
    pub fn is_empty(&self) -> bool {
        self.mutexes.is_empty()
            && self.destroyed.is_empty()
            && self.locks.is_empty()
            && self.barriers.is_empty()
            && self.semaphores.is_empty()
            && self.once.is_empty()
    }

    /// Memory is given back: what lay there is no synchronisation object any more.
    pub fn forget(&mut self, base: u64, size: u64) {
        let is_outside = |address: &u64| *address < base || *address >= base + size;
        self.mutexes.retain(|address, _| is_outside(address));
        self.destroyed.retain(|address, _| is_outside(address));
        self.locks.retain(|address, _| is_outside(address));
        self.barriers.retain(|address, _| is_outside(address));
        self.semaphores.retain(|address, _| is_outside(address));
        self.once.retain(|address, _| is_outside(address));
    }

    /// Who holds a mutex.
    pub fn owner(&self, mutex: u64) -> Option<ThreadId> {
        self.mutexes.get(&mutex).and_then(|mutex| mutex.held).map(|(owner, _)| owner)
    }

    /// The destructor of a key, if it has one.
    pub fn key_destructor(&self, key: usize) -> Option<Pointer> {
        self.keys.get(key).copied().flatten().filter(|destructor| destructor.address != 0)
    }
}

impl Machine<'_, '_> {
    /// Could a thread that waits for this go on now?
    pub fn is_over(&self, who: ThreadId, wait: &Wait) -> bool {
        match wait {
            Wait::Join(thread, _) => {
                *thread == who || matches!(self.threads[*thread].state, ThreadState::Ended(_))
            }
            Wait::Mutex(address) => match self.sync.mutexes.get(address) {
                Some(Mutex { held: Some((owner, _)), kind }) => *owner == who && *kind != MutexKind::Normal,
                _ => true,
            },
            Wait::Relock { mutex, .. } => self.sync.owner(*mutex).is_none(),
            Wait::ReadLock(address) => {
                let writer = self.sync.locks.get(address).and_then(|lock| lock.writer);
                writer.is_none_or(|writer| writer == who)
            }
            Wait::WriteLock(address) => self.sync.locks.get(address).is_none_or(|lock| {
                lock.writer.map_or_else(|| lock.readers.is_empty(), |writer| writer == who)
            }),
            Wait::Signal { .. } => false,
            Wait::Barrier { address, round, .. } => {
                self.sync.barriers.get(address).is_none_or(|barrier| barrier.round != *round)
            }
            Wait::Semaphore(address) => self.sync.semaphores.get(address).is_none_or(|&value| value > 0),
            Wait::Once(address) => !matches!(self.sync.once.get(address), Some(Some(_))),
            Wait::Timed(wait) => self.is_over(who, wait),
        }
    }

    /// What was waited for has come: takes it, and gives the result of the call.
    pub fn finish_wait(&mut self, wait: Wait) -> Step<Value> {
        let mut result = 0;
        match wait {
            Wait::Join(thread, into) => {
                let ThreadState::Ended(ended_with) = self.threads[thread].state else {
                    unreachable!("only ended threads are joined")
                };
                self.threads[thread].is_joined = true;
                self.note_object(SharedResource::Thread(thread), true);
                self.after_thread(thread);
                if into.address != 0 {
                    let at = self.locate(into, self.memory.word(), super::access::Access::Write)?;
                    self.memory.store_pointer(at, ended_with);
                }
            }
            Wait::Mutex(address) => result = self.take_mutex(address),
            Wait::Relock { mutex, condition, told } => {
                self.note_object(SharedResource::Object(condition), false);
                result = self.take_mutex(mutex);
                if result == 0 {
                    result = told;
                }
            }
            Wait::ReadLock(address) | Wait::WriteLock(address)
                if self.sync.locks.get(&address).is_some_and(|lock| lock.writer == Some(self.current)) =>
            {
                self.note_object(SharedResource::Object(address), false);
                result = DEADLOCK;
            }
            Wait::ReadLock(address) => {
                self.sync.locks.entry(address).or_default().readers.push(self.current);
                self.note_object(SharedResource::Object(address), true);
                self.acquire(address);
            }
            Wait::WriteLock(address) => {
                self.sync.locks.entry(address).or_default().writer = Some(self.current);
                self.note_object(SharedResource::Object(address), true);
                self.acquire(address);
                self.acquire_from_readers(address);
            }
            Wait::Semaphore(address) => {
                if let Some(value) = self.sync.semaphores.get_mut(&address) {
                    *value -= 1;
                }
                self.note_object(SharedResource::Object(address), true);
                self.acquire(address);
            }
            Wait::Barrier { address, round, is_serial } => {
                self.note_object(SharedResource::Object(address), true);
                self.leave_barrier(address, round);
                result = if is_serial { SERIAL } else { 0 };
            }
            Wait::Once(address) => {
                self.note_object(SharedResource::Object(address), true);
                self.acquire(address);
            }
            Wait::Timed(wait) => return self.finish_wait(*wait),
            Wait::Signal { .. } => unreachable!("a signal turns into waiting for the mutex"),
        }
        Ok(Value::int(result))
    }

    /// Takes a mutex that can be taken; gives what the call gives.
    pub fn take_mutex(&mut self, address: u64) -> i64 {
        let who = self.current;
        let kind = self.mutex_kind(address);
        self.note_object(SharedResource::Object(address), true);
        let mutex = self.sync.mutexes.entry(address).or_insert(Mutex { kind, held: None });
        match &mut mutex.held {
            None => mutex.held = Some((who, 1)),
            Some(_) if mutex.kind == MutexKind::ErrorChecking => return DEADLOCK,
            Some((_, count)) => *count += 1,
        }
        self.acquire(address);
        0
    }

    /// The kind of the mutex at an address: as it was initialised, or as its bytes say, which a static initialiser
    /// sets.
    pub fn mutex_kind(&self, address: u64) -> MutexKind {
        if let Some(mutex) = self.sync.mutexes.get(&address) {
            return mutex.kind;
        }
        // glibc: `__kind` is the fifth `int` of a mutex of 40 bytes, the fourth of one of 24.
        let (at, size) = if self.memory.word() == 8 { (16, 40) } else { (12, 24) };
        let Some(slot) = self.object_at(address) else { return MutexKind::Normal };
        let object = self.memory.object(slot);
        let offset = (address - object.base) as usize + at;
        if offset - at + size > object.size() || !object.is_written(offset, 4) {
            return MutexKind::Normal;
        }
        MutexKind::by_number(object.load(offset, 4)).unwrap_or_default()
    }

    /// Wakes threads that wait for a condition variable: one of them, or all.
    pub fn signal(&mut self, condition: u64, wakes_all: bool) {
        let mut waiting: Vec<ThreadId> = self
            .threads
            .ids()
            .filter(|&id| {
                matches!(&self.threads[id].state, ThreadState::Waiting(Wait::Signal { condition: on, .. }) if *on == condition)
            })
            .collect();
        if !wakes_all && waiting.len() > 1 {
            let woken = self.decide(ChoiceKind::Wake, waiting.len() as u32) as usize;
            waiting = vec![waiting[woken]];
        }
        for id in waiting {
            self.wake(id, 0);
        }
    }

    /// A thread leaves the queue of its condition variable; its call will give that.
    pub fn wake(&mut self, id: ThreadId, told: i64) {
        let state = if id == self.current { &mut self.thread.state } else { &mut self.threads[id].state };
        if let ThreadState::Waiting(Wait::Signal { mutex, condition, .. }) = *state {
            *state = ThreadState::Waiting(Wait::Relock { mutex, condition, told });
        }
    }

    /// Does somebody wait for a signal with another mutex?
    pub fn waits_with_another(&self, condition: u64, mutex: u64) -> bool {
        self.threads.iter().any(|thread| {
            matches!(&thread.state, ThreadState::Waiting(Wait::Signal { condition: on, mutex: with, .. })
                if *on == condition && *with != mutex)
        })
    }

    /// All threads that a barrier needs have come: it begins a new round. Gives who came.
    pub fn open_barrier(&mut self, address: u64) -> Vec<ThreadId> {
        let barrier = self.sync.barriers.get_mut(&address);
        barrier.map_or_else(Vec::new, |barrier| {
            barrier.round += 1;
            std::mem::take(&mut barrier.arrived)
        })
    }

    /// A thread that waits at a barrier is the one that is told that all met.
    pub fn tell_serial(&mut self, id: ThreadId) {
        if let ThreadState::Waiting(Wait::Barrier { is_serial, .. }) = &mut self.threads[id].state {
            *is_serial = true;
        }
    }

    /// The initialising function of a `pthread_once` has returned.
    pub fn finish_once(&mut self, address: u64) {
        self.sync.once.insert(address, None);
        self.note_object(SharedResource::Object(address), true);
        self.release(address);
    }

    /// What a waiting thread's step would touch.
    pub fn part_of(&self, wait: &Wait) -> SharedResource {
        match wait {
            Wait::Join(thread, _) => SharedResource::Thread(*thread),
            Wait::Mutex(address)
            | Wait::Relock { mutex: address, .. }
            | Wait::ReadLock(address)
            | Wait::WriteLock(address)
            | Wait::Semaphore(address)
            | Wait::Once(address)
            | Wait::Barrier { address, .. }
            | Wait::Signal { condition: address, .. } => SharedResource::Object(*address),
            Wait::Timed(wait) => self.part_of(wait),
        }
    }

    /// What is waited for, in words.
    pub fn wait_in_words(&self, wait: &Wait) -> String {
        let named = |what: &str, address: u64| match self.object_at(address) {
            Some(slot) => format!("{what} in {}", self.describe_slot(slot).name),
            None => format!("{what} at {address:#x}"),
        };
        match wait {
            Wait::Join(thread, _) => format!("the end of thread {}", thread.index()),
            Wait::Mutex(address) | Wait::Relock { mutex: address, .. } => match self.sync.owner(*address) {
                Some(owner) => format!("{}, held by thread {}", named("the mutex", *address), owner.index()),
                None => named("the mutex", *address),
            },
            Wait::ReadLock(address) | Wait::WriteLock(address) => {
                let lock = named("the read-write lock", *address);
                let holders =
                    self.sync.locks.get(address).map(|lock| lock.writer.iter().chain(&lock.readers));
                let holders: Vec<String> =
                    holders.into_iter().flatten().map(|id| id.index().to_string()).collect();
                match &holders[..] {
                    [] => lock,
                    [one] => format!("{lock}, held by thread {one}"),
                    several => format!("{lock}, held by threads {}", several.join(", ")),
                }
            }
            Wait::Signal { condition, .. } => {
                format!("a signal on {}", named("the condition variable", *condition))
            }
            Wait::Barrier { address, .. } => named("the barrier", *address),
            Wait::Semaphore(address) => named("the semaphore", *address),
            Wait::Once(address) => named("the `pthread_once` call", *address),
            Wait::Timed(wait) => self.wait_in_words(wait),
        }
    }

    /// A pthread object is inside an object that ends.
    pub fn forget_sync_objects(&mut self, slot: Slot) {
        let object = self.memory.object(slot);
        let (base, size) = (object.base, object.size() as u64);
        if !self.sync.is_empty() {
            self.sync.forget(base, size);
        }
        self.forget_accesses(base, size);
    }
}

/// `PTHREAD_BARRIER_SERIAL_THREAD`
pub const SERIAL: i64 = -1;

/// `EDEADLK`
pub const DEADLOCK: i64 = 35;
