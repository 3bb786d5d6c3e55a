//! Mutexes, read-write locks, condition variables, barriers, semaphores and the like, known by their address. Their
//! bytes are never interpreted: a static initialiser is plain data.

use super::frames::ThreadState;
use super::{Machine, Step, Value};
use crate::memory::Pointer;
use crate::settings::ThreadId;
use base::Id;
use rustc_hash::FxHashMap;

/// What a thread waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum Wait {
    /// The end of another thread; its result goes there.
    Join(ThreadId, Pointer),
    /// A mutex.
    Mutex(u64),
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
    },
    /// The rest of those a barrier waits for.
    Barrier {
        /// The address of the barrier.
        address: u64,
        /// The round it waits in.
        round: u64,
    },
    /// A semaphore above zero.
    Semaphore(u64),
    /// Somebody else's `pthread_once`.
    Once(u64),
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
    /// How many have come in this round.
    pub arrived: u64,
    /// How often all threads have met at it.
    pub round: u64,
}

/// State of all synchronisation objects, by address.
#[derive(Clone, Debug, Default)]
pub struct SyncObjects {
    /// Locked mutexes and their owners.
    pub mutexes: FxHashMap<u64, ThreadId>,
    /// Mutexes and other objects that were destroyed and not initialised again.
    pub destroyed: FxHashMap<u64, ()>,
    /// Read-write locks in use.
    pub locks: FxHashMap<u64, ReadWriteLock>,
    /// Barriers, by address.
    pub barriers: FxHashMap<u64, Barrier>,
    /// Semaphores and their values.
    pub semaphores: FxHashMap<u64, u64>,
    /// `pthread_once` calls: done or running.
    pub once: FxHashMap<u64, bool>,
    /// Destructors of thread-specific data, by key; null for none.
    pub keys: Vec<Pointer>,
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

    /// The initialising function of a `pthread_once` has returned.
    pub fn once_done(&mut self, address: u64) {
        self.once.insert(address, true);
    }

    /// The destructor of a key, if it has one.
    pub fn key_destructor(&self, key: usize) -> Option<Pointer> {
        self.keys.get(key).copied().filter(|destructor| destructor.address != 0)
    }
}

impl Machine<'_, '_> {
    /// Has what a thread waits for come?
    pub fn is_over(&self, wait: &Wait) -> bool {
        match wait {
            Wait::Join(thread, _) => matches!(self.threads[*thread].state, ThreadState::Ended(_)),
            Wait::Mutex(address) => !self.sync.mutexes.contains_key(address),
            Wait::ReadLock(address) => self.sync.locks.get(address).is_none_or(|lock| lock.writer.is_none()),
            Wait::WriteLock(address) => self
                .sync
                .locks
                .get(address)
                .is_none_or(|lock| lock.writer.is_none() && lock.readers.is_empty()),
            Wait::Signal { .. } => false,
            Wait::Barrier { address, round } => {
                self.sync.barriers.get(address).is_none_or(|barrier| barrier.round != *round)
            }
            Wait::Semaphore(address) => self.sync.semaphores.get(address).is_some_and(|&value| value > 0),
            Wait::Once(address) => self.sync.once.get(address) == Some(&true),
        }
    }

    /// What was waited for has come: takes it, and gives the result of the call.
    pub fn finish_wait(&mut self, wait: Wait) -> Step<Value> {
        match wait {
            Wait::Join(thread, into) => {
                let ThreadState::Ended(result) = self.threads[thread].state else {
                    unreachable!("only ended threads are joined")
                };
                self.threads[thread].is_joined = true;
                if into.address != 0 {
                    let at = self.locate(into, self.memory.word(), super::access::Access::Write)?;
                    self.memory.store_pointer(at, result);
                }
            }
            Wait::Mutex(address) => {
                self.sync.mutexes.insert(address, self.current);
            }
            Wait::ReadLock(address) => {
                self.sync.locks.entry(address).or_default().readers.push(self.current);
            }
            Wait::WriteLock(address) => {
                self.sync.locks.entry(address).or_default().writer = Some(self.current);
            }
            Wait::Semaphore(address) => {
                *self.sync.semaphores.get_mut(&address).expect("it was above zero") -= 1;
            }
            Wait::Barrier { .. } | Wait::Once(_) => {}
            Wait::Signal { .. } => unreachable!("a signal turns into waiting for the mutex"),
        }
        Ok(Value::int(0))
    }

    /// Wakes up to `count` threads that wait for a condition variable, the lowest number first.
    pub fn signal(&mut self, condition: u64, count: usize) {
        let waiting: Vec<ThreadId> = self
            .threads
            .ids()
            .filter(|&id| {
                matches!(&self.threads[id].state, ThreadState::Waiting(Wait::Signal { condition: on, .. }) if *on == condition)
            })
            .take(count)
            .collect();
        for id in waiting {
            if let ThreadState::Waiting(Wait::Signal { mutex, .. }) = self.threads[id].state {
                self.threads[id].state = ThreadState::Waiting(Wait::Mutex(mutex));
            }
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
            Wait::Mutex(address) => match self.sync.mutexes.get(address) {
                Some(owner) => format!("{}, held by thread {}", named("the mutex", *address), owner.index()),
                None => named("the mutex", *address),
            },
            Wait::ReadLock(address) | Wait::WriteLock(address) => named("the read-write lock", *address),
            Wait::Signal { condition, .. } => {
                format!("a signal on {}", named("the condition variable", *condition))
            }
            Wait::Barrier { address, .. } => named("the barrier", *address),
            Wait::Semaphore(address) => named("the semaphore", *address),
            Wait::Once(address) => named("the `pthread_once` call", *address),
        }
    }
}
