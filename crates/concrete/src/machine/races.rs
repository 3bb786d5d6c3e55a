//! Data races by vector clocks: two accesses of one location by different threads, one a write, not both atomic, that
//! nothing orders (C11 5.1.2.4). After Flanagan and Freund 2009 (FastTrack). DIVERGENCE: per byte, every thread's last
//! access of each sort is kept instead of an epoch; programs here are small, and both places of a race can be told.
//!
//! What orders: program order, creation and joining, an unlock and the next lock, a post and the wait it lets through,
//! arrivals at a barrier and leaving it, `pthread_once`, a release and the acquire that reads it, sections that the
//! program marks as atomic. What does not: a failed try, a signal, relaxed accesses, `volatile`.

use crate::settings::ThreadId;
use base::{Id, Span};
use rustc_hash::FxHashMap;

/// For each thread, how much of it happened before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock(Vec<u32>);

impl Clock {
    fn of(&self, thread: ThreadId) -> u32 {
        self.0.get(thread.index()).copied().unwrap_or(0)
    }

    fn tick(&mut self, thread: ThreadId) {
        if self.0.len() <= thread.index() {
            self.0.resize(thread.index() + 1, 0);
        }
        self.0[thread.index()] += 1;
    }

    /// What happened before either.
    pub fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (own, theirs) in self.0.iter_mut().zip(&other.0) {
            *own = (*own).max(*theirs);
        }
    }
}

/// One access of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accessed {
    /// Who.
    pub thread: ThreadId,
    /// Is it written?
    pub is_write: bool,
    /// Is it an atomic access?
    pub is_atomic: bool,
    /// Where in the source.
    pub span: Span,
    time: u32,
}

/// Memory orders, by gcc's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order(pub u8);

impl Order {
    /// `memory_order_seq_cst`
    pub const STRONGEST: Order = Order(5);

    fn acquires(self) -> bool {
        matches!(self.0, 1 | 2 | 4 | 5)
    }

    fn releases(self) -> bool {
        matches!(self.0, 3..=5)
    }
}

/// What an atomic operation has read so far: the location and what was released there.
#[derive(Clone, Debug)]
struct Operation {
    order: Order,
    /// Of a compare-and-swap that fails.
    failure: Order,
    read: Option<(u64, Clock)>,
    has_written: bool,
}

/// All that is known about which accesses happen before which.
#[derive(Debug, Default)]
pub struct Races {
    clocks: FxHashMap<ThreadId, Clock>,
    bytes: FxHashMap<u64, Vec<Accessed>>,
    /// By synchronisation object: what was before its last release.
    released: FxHashMap<u64, Clock>,
    /// By read-write lock: what was before its readers' unlocking.
    by_readers: FxHashMap<u64, Clock>,
    /// By barrier and round.
    arrived: FxHashMap<(u64, u64), Clock>,
    /// By atomic location: what the release sequence that its value belongs to carries, and who heads it.
    carried: FxHashMap<u64, (ThreadId, Clock)>,
    /// Sections that the program marks.
    section: Clock,
    /// The atomic operation that is under way.
    operation: Option<Operation>,
}

impl Races {
    fn clock(&mut self, thread: ThreadId) -> &mut Clock {
        self.clocks.entry(thread).or_insert_with(|| {
            let mut clock = Clock::default();
            clock.tick(thread);
            clock
        })
    }

    /// What the thread did until now is apart from what it does next.
    fn snapshot(&mut self, thread: ThreadId) -> Clock {
        let clock = self.clock(thread);
        let taken = clock.clone();
        clock.tick(thread);
        taken
    }

    /// A thread is created.
    pub fn fork(&mut self, parent: ThreadId, child: ThreadId) {
        let before = self.snapshot(parent);
        self.clock(child).join(&before);
    }

    /// An ended thread is joined.
    pub fn joined(&mut self, by: ThreadId, ended: ThreadId) {
        let before = self.snapshot(ended);
        self.clock(by).join(&before);
    }

    /// An object is taken that was given back before.
    pub fn acquire(&mut self, by: ThreadId, object: u64) {
        if let Some(before) = self.released.get(&object).cloned() {
            self.clock(by).join(&before);
        }
    }

    /// A lock is given back.
    pub fn release(&mut self, by: ThreadId, object: u64) {
        let before = self.snapshot(by);
        self.released.insert(object, before);
    }

    /// A semaphore is posted: whoever takes it may take any post before.
    pub fn release_more(&mut self, by: ThreadId, object: u64) {
        let before = self.snapshot(by);
        self.released.entry(object).or_default().join(&before);
    }

    /// A reader gives a read-write lock back.
    pub fn release_to_writers(&mut self, by: ThreadId, object: u64) {
        let before = self.snapshot(by);
        self.by_readers.entry(object).or_default().join(&before);
    }

    /// A writer comes after all readers.
    pub fn acquire_from_readers(&mut self, by: ThreadId, object: u64) {
        if let Some(before) = self.by_readers.get(&object).cloned() {
            self.clock(by).join(&before);
        }
    }

    /// A thread comes to a barrier.
    pub fn arrive(&mut self, by: ThreadId, barrier: (u64, u64)) {
        let before = self.snapshot(by);
        self.arrived.entry(barrier).or_default().join(&before);
    }

    /// A thread leaves a barrier where all have met.
    pub fn leave(&mut self, by: ThreadId, barrier: (u64, u64)) {
        if let Some(before) = self.arrived.get(&barrier).cloned() {
            self.clock(by).join(&before);
        }
    }

    /// A section begins that the program marks.
    pub fn begin_section(&mut self, by: ThreadId) {
        let before = self.section.clone();
        self.clock(by).join(&before);
    }

    /// It ends.
    pub fn end_section(&mut self, by: ThreadId) {
        self.section = self.snapshot(by);
    }

    /// An atomic operation begins, with its order if it succeeds and if it fails.
    pub fn begin_operation(&mut self, order: Order, failure: Order) {
        self.operation = Some(Operation { order, failure, read: None, has_written: false });
    }

    /// It ends: what it acquires depends on whether it wrote.
    pub fn end_operation(&mut self, by: ThreadId) {
        let Some(operation) = self.operation.take() else { return };
        let order = if operation.has_written { operation.order } else { operation.failure };
        if let Some((_, carried)) = operation.read
            && order.acquires()
        {
            self.clock(by).join(&carried);
        }
    }

    /// Is an atomic operation under way?
    pub fn is_in_operation(&self) -> bool {
        self.operation.is_some()
    }

    /// An atomic location is read or written.
    fn atomic(&mut self, by: ThreadId, at: u64, is_write: bool) {
        let carried = self.carried.get(&at).cloned();
        let operation = self.operation.take();
        let order = operation.as_ref().map_or(Order::STRONGEST, |operation| operation.order);
        let is_update = operation.as_ref().is_some_and(|operation| operation.read.is_some());
        self.operation = operation;
        if !is_write {
            let carried = carried.map(|(_, clock)| clock).unwrap_or_default();
            match &mut self.operation {
                Some(operation) => operation.read = Some((at, carried)),
                None => self.clock(by).join(&carried),
            }
            return;
        }
        if let Some(operation) = &mut self.operation {
            operation.has_written = true;
        }
        let released = order.releases().then(|| self.snapshot(by));
        // An update goes on with the release sequence that it reads from; so does the head's own relaxed store.
        let goes_on = is_update || carried.as_ref().is_some_and(|(head, _)| *head == by);
        let kept = carried.filter(|_| goes_on);
        let next = match (released, kept) {
            (Some(mut released), Some((_, kept))) if is_update => {
                released.join(&kept);
                Some((by, released))
            }
            (Some(released), _) => Some((by, released)),
            (None, kept) => kept,
        };
        match next {
            Some(next) => {
                self.carried.insert(at, next);
            }
            None => {
                self.carried.remove(&at);
            }
        }
    }

    /// Bytes are accessed; gives an earlier access that races with it.
    pub fn access(
        &mut self,
        by: ThreadId,
        bytes: std::ops::Range<u64>,
        is_write: bool,
        is_atomic: bool,
        span: Span,
    ) -> Option<Accessed> {
        let clock = self.clock(by).clone();
        let time = clock.of(by);
        let mut found = None;
        for byte in bytes.clone() {
            let known = self.bytes.entry(byte).or_default();
            let races = |other: &&Accessed| {
                other.thread != by
                    && (other.is_write || is_write)
                    && !(other.is_atomic && is_atomic)
                    && other.time > clock.of(other.thread)
            };
            found = found.or_else(|| known.iter().find(races).copied());
            let new = Accessed { thread: by, is_write, is_atomic, span, time };
            let same = |other: &&mut Accessed| {
                other.thread == by && other.is_write == is_write && other.is_atomic == is_atomic
            };
            match known.iter_mut().find(same) {
                Some(own) => *own = new,
                None => known.push(new),
            }
        }
        if is_atomic {
            self.atomic(by, bytes.start, is_write);
        }
        found
    }

    /// An object has ended: what lies there next is another.
    pub fn forget(&mut self, base: u64, size: u64) {
        let is_outside = |address: u64| address < base || address >= base + size;
        self.bytes.retain(|byte, _| is_outside(*byte));
        self.carried.retain(|at, _| is_outside(*at));
        self.released.retain(|at, _| is_outside(*at));
        self.by_readers.retain(|at, _| is_outside(*at));
        self.arrived.retain(|(at, _), _| is_outside(*at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(number: usize) -> ThreadId {
        ThreadId::from_index(number)
    }

    fn access(races: &mut Races, by: usize, is_write: bool, is_atomic: bool) -> bool {
        races.access(thread(by), 100..104, is_write, is_atomic, Span::NOWHERE).is_some()
    }

    fn two() -> Races {
        let mut races = Races::default();
        races.fork(thread(0), thread(1));
        races
    }

    #[test]
    fn unordered_accesses_race_unless_both_read_or_both_are_atomic() {
        let mut races = two();
        assert!(!access(&mut races, 0, false, false) && !access(&mut races, 1, false, false));
        assert!(access(&mut races, 1, true, false));
        let mut races = two();
        assert!(!access(&mut races, 0, true, true) && !access(&mut races, 1, true, true));
        assert!(access(&mut races, 0, false, false));
    }

    #[test]
    fn locks_order_and_signals_of_nobody_do_not() {
        let mut races = two();
        assert!(!access(&mut races, 0, true, false));
        races.release(thread(0), 7);
        races.acquire(thread(1), 7);
        assert!(!access(&mut races, 1, true, false));
        races.acquire(thread(0), 7);
        assert!(access(&mut races, 0, true, false));
    }

    #[test]
    fn a_readers_unlock_orders_writers_only() {
        let mut races = two();
        assert!(!access(&mut races, 0, true, false));
        races.release_to_writers(thread(0), 7);
        races.acquire(thread(1), 7);
        assert!(access(&mut races, 1, false, false));
        let mut races = two();
        assert!(!access(&mut races, 0, true, false));
        races.release_to_writers(thread(0), 7);
        races.acquire_from_readers(thread(1), 7);
        assert!(!access(&mut races, 1, true, false));
    }

    #[test]
    fn a_release_orders_the_acquire_that_reads_it_and_a_relaxed_store_does_not() {
        for (stored, loaded, expected) in [(3, 2, false), (0, 2, true), (3, 0, true), (5, 5, false)] {
            let mut races = two();
            assert!(!access(&mut races, 0, true, false));
            races.begin_operation(Order(stored), Order(stored));
            races.access(thread(0), 200..204, true, true, Span::NOWHERE);
            races.end_operation(thread(0));
            races.begin_operation(Order(loaded), Order(loaded));
            races.access(thread(1), 200..204, false, true, Span::NOWHERE);
            races.end_operation(thread(1));
            assert_eq!(access(&mut races, 1, true, false), expected, "{stored} {loaded}");
        }
    }

    #[test]
    fn what_a_creator_does_after_creating_is_not_before_the_thread() {
        let mut races = Races::default();
        assert!(!access(&mut races, 0, true, false));
        races.fork(thread(0), thread(1));
        assert!(!access(&mut races, 1, true, false));
        assert!(access(&mut races, 0, false, false));
        let mut races = two();
        assert!(!access(&mut races, 1, true, false));
        races.joined(thread(0), thread(1));
        assert!(!access(&mut races, 0, true, false));
    }
}
