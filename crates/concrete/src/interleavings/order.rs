//! Which steps of a run depend on which: the happens-before order of a Mazurkiewicz trace, by vector clocks.
//! After Mazurkiewicz 1977 and, for the clocks, Mattern 1989.
//!
//! Two steps depend on each other if they are of one thread, or touch something in common that one of them writes:
//! overlapping bytes, a synchronisation object, a thread that is created, ends or is joined. A step that enables
//! another touches what that one waits for.

use crate::schedule::{Grain, SharedResource, Touched, VisibleStep};
use crate::settings::ThreadId;
use base::Id;

/// For each thread, how many of its steps happen before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock(Vec<u32>);

impl Clock {
    /// How many steps of the thread it covers.
    pub fn of(&self, thread: ThreadId) -> u32 {
        self.0.get(thread.index()).copied().unwrap_or(0)
    }

    fn set(&mut self, thread: ThreadId, count: u32) {
        if self.0.len() <= thread.index() {
            self.0.resize(thread.index() + 1, 0);
        }
        self.0[thread.index()] = count;
    }

    fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (own, theirs) in self.0.iter_mut().zip(&other.0) {
            *own = (*own).max(*theirs);
        }
    }
}

/// Bytes that an access touches at once, at most.
const WORD: u64 = 8;

/// One step of a run, with its place in the order.
#[derive(Clone, Debug)]
pub struct Event {
    /// Who made it.
    pub thread: ThreadId,
    /// Which of the thread's steps it is, from 1.
    pub number: u32,
    /// What the visible step itself touched.
    pub own: Vec<Touched>,
    /// What the thread's steps around it touched that are taken with it.
    pub tail: Vec<Touched>,
    /// Can others see the middle of it?
    pub grain: Grain,
    /// What its thread had seen before it.
    pub before: Clock,
    /// What happens before it, with itself.
    pub clock: Clock,
}

impl Event {
    /// Does this happen before the clock's event, or is it that one?
    pub fn is_in(&self, clock: &Clock) -> bool {
        self.number <= clock.of(self.thread)
    }
}

/// Does the order of the two matter? Both are of different threads.
pub fn depend(one: &[Touched], two: &[Touched]) -> bool {
    one.iter().any(|touched| two.iter().any(|other| touched.depends_on(*other)))
}

/// The steps of a run, in the order in which they were made.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// The steps.
    pub events: Vec<Event>,
    last: Vec<Option<usize>>,
}

impl Order {
    /// The clock of a thread after its last step so far.
    pub fn clock_of(&self, thread: ThreadId) -> Clock {
        let last = self.last.get(thread.index()).copied().flatten();
        last.map_or_else(Clock::default, |last| self.events[last].clock.clone())
    }

    /// Adds a step.
    pub fn add(&mut self, step: VisibleStep) {
        let VisibleStep { thread, touched, grain, .. } = step;
        let (mut own, tail): (Vec<Touched>, Vec<Touched>) =
            touched.into_iter().partition(|touched| touched.is_own);
        own.push(own_life(thread));
        let mut before = self.clock_of(thread);
        if before.of(thread) == 0 {
            // Whatever a thread does comes after its creation.
            let created = |event: &&Event| {
                event
                    .own
                    .iter()
                    .any(|touched| touched.is_write && touched.what == SharedResource::Thread(thread))
            };
            if let Some(creation) = self.events.iter().find(created) {
                before.join(&creation.clock);
            }
        }
        let mut clock = before.clone();
        for event in self.events.iter().rev() {
            if event.thread != thread && !event.is_in(&clock) && depend(&event.own, &own) {
                clock.join(&event.clock);
            }
        }
        let number = before.of(thread) + 1;
        clock.set(thread, number);
        if self.last.len() <= thread.index() {
            self.last.resize(thread.index() + 1, None);
        }
        self.last[thread.index()] = Some(self.events.len());
        self.events.push(Event { thread, number, own, tail, grain, before, clock });
    }

    /// Was a step taken as one that others may see the middle of? Then the runs that were seen are not all there are.
    ///
    /// A thread's steps behind a visible one are taken with it: what they touch must be its own, or be ordered against
    /// others with the whole of that stretch on one side. And a visible step must touch at most one thing that is not
    /// its own, unless it is atomic.
    pub fn is_too_coarse(&self) -> bool {
        self.events.iter().enumerate().any(|(at, event)| self.is_coarse(at, event))
    }

    fn is_coarse(&self, at: usize, event: &Event) -> bool {
        let next = self.events[at + 1..].iter().find(|other| other.thread == event.thread);
        // Can something of another thread that clashes with it happen in the middle?
        let is_seen = |touched: &Touched, before: &Clock| {
            self.events.iter().enumerate().any(|(other_at, other)| {
                let is_apart = match other_at < at {
                    true => other.is_in(before),
                    false => next.is_some_and(|next| next.is_in(&other.clock)),
                };
                let all = other.own.iter().chain(&other.tail);
                other.thread != event.thread
                    && !is_apart
                    && all.into_iter().any(|theirs| touched.depends_on(*theirs))
            })
        };
        if event.tail.iter().any(|touched| is_seen(touched, &event.clock)) {
            return true;
        }
        let widest = match event.grain {
            Grain::Whole => return false,
            Grain::Edge => WORD,
            Grain::Bytes => 1,
        };
        let is_memory = |touched: &&Touched| matches!(touched.what, SharedResource::Bytes(..));
        let seen: Vec<&Touched> =
            event.own.iter().filter(is_memory).filter(|touched| is_seen(touched, &event.before)).collect();
        let is_wide = |touched: &&Touched| matches!(touched.what, SharedResource::Bytes(from, to) if to - from > widest);
        // Two accesses: of different bytes, or a load and a store of the same.
        seen.iter().copied().any(|one| is_wide(&one))
            || seen
                .iter()
                .any(|one| seen.iter().any(|two| one.is_write != two.is_write || !one.what.meets(two.what)))
    }
}

/// What every step of a thread has in common with its creation and its end.
pub fn own_life(thread: ThreadId) -> Touched {
    Touched { what: SharedResource::Thread(thread), is_write: false, is_own: true }
}
