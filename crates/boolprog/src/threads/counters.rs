//! Explicit-state counter abstraction, a symmetry reduction (BOOM 7.3, 7.5.2): a state is a shared state and
//! how many threads are in which local state; zero counters are not stored. Threads are interchangeable, so
//! nothing is lost.
//!
//! Kept as the sorted list of local states, one entry per thread, which for few threads is shorter than
//! counters. Reductions (BOOM 6): ample sets look for one thread whose next step nobody else can ever notice;
//! persistent sets split the threads into groups that never meet, each explored for itself; Cartesian
//! reduction lets threads run ahead ([`cartesian`]). Counter abstraction and reductions are independent of
//! each other and of the compression of local steps.
//! DIVERGENCE from BOOM's cycle condition (no back edge): a reduced step must lead to a state not seen
//! before, otherwise all threads are expanded; with breadth-first search that puts nothing off for ever
//! either.
//!
//! Worked example: three threads, each `0: lock; 1: unlock`. "Thread 1 at place 1, the others at 0" and the
//! two states in which another thread is at 1 are one state: two threads at 0, one at 1. So two states are
//! looked at instead of four.
//!
//! Naive twins: `explicit`, and `symbolic_plain`, which uses no symmetry.

use super::broadcast::BroadcastId;
use super::cartesian;
use super::footprint::Footprints;
use super::run::{self, NumberedRun, NumberedStep};
use super::thread_state::{
    Failure, LocalId, MicroStep, Possibilities, SharedId, ThreadStates, ThreadStep, TooManyChoices,
};
use crate::setup::Setup;
use crate::trace::Trace;
use base::Id;
use indexmap::{IndexMap, IndexSet};
use question::{Decided, Monitor, Searched};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::sync::Arc;
use verdict::{Reason, Undecided};

/// Which interleavings are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Reductions {
    /// A thread whose next step nobody can notice goes first (BOOM 6.2).
    pub ample: bool,
    /// Threads that never meet are explored apart (BOOM 6.3).
    pub persistent: bool,
    /// Threads run ahead as long as they stay out of each other's way (BOOM 6.4); not with joined local
    /// steps.
    pub cartesian: bool,
}

/// When the search ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// At the first failure.
    FirstFailure,
    /// When every state was seen, for measurements; the first failure is reported then.
    Exhausted,
}

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct CounterSettings {
    /// Which interleavings are left out.
    pub reductions: Reductions,
    /// When to end.
    pub until: Until,
}

/// What was found.
#[derive(Debug)]
pub struct Counted {
    /// The answer.
    pub outcome: Searched<Trace>,
    /// States with counters.
    pub states: u64,
    /// Reached thread states, that is, pairs of shared and local states.
    pub thread_states: FxHashSet<(SharedId, LocalId)>,
}

/// Step numbers from here on are runs.
const FIRST_RUN: u32 = 1 << 31;
/// No thread moved.
const NO_STEP: u32 = u32::MAX;

/// Shared state, number of threads left out by persistent sets, then the local states, sorted.
type Key = SmallVec<[u32; 12]>;

/// Sorted local states of the other threads after a broadcast, with who became what.
type AfterBroadcast = IndexMap<Vec<u32>, Vec<(LocalId, LocalId)>, FxBuildHasher>;

struct Search<'a, 'p> {
    states: &'a mut ThreadStates<'p>,
    setup: &'a Setup,
    settings: CounterSettings,
    monitor: Monitor<'a>,
    footprints: Option<Footprints>,
    seen: IndexSet<Key, FxBuildHasher>,
    /// For each state: the one before, who moved, and which of its steps; the first states have none.
    origins: Vec<Option<(u32, LocalId, u32)>>,
    /// Runs of threads that ran ahead; steps from [`FIRST_RUN`] on are numbers of these.
    runs: Vec<ThreadStep>,
    /// A failure that a thread reaches by running ahead from the state that is expanded.
    ahead_failure: Option<Failure>,
    /// For states that a broadcast led to: what became of the other threads.
    told: FxHashMap<u32, Vec<(LocalId, LocalId)>>,
    thread_states: FxHashSet<(SharedId, LocalId)>,
}

/// Explores all states with counters.
pub fn explore(
    states: &mut ThreadStates<'_>,
    setup: &Setup,
    mut settings: CounterSettings,
    monitor: Monitor<'_>,
) -> Counted {
    // Who is left out by persistent sets may still stand in the way of a broadcast.
    settings.reductions.persistent &= !states.flat.program.has_broadcasts();
    let reduced = settings.reductions != Reductions::default();
    let footprints = reduced.then(|| Footprints::new(&states.flat, setup.most_threads.is_some()));
    let mut search = Search {
        states,
        setup,
        settings,
        monitor,
        footprints,
        seen: IndexSet::default(),
        origins: Vec::new(),
        runs: Vec::new(),
        ahead_failure: None,
        told: FxHashMap::default(),
        thread_states: FxHashSet::default(),
    };
    let outcome = search.run();
    Counted { outcome, states: search.seen.len() as u64, thread_states: search.thread_states }
}

impl From<TooManyChoices> for Undecided {
    fn from(_: TooManyChoices) -> Undecided {
        let limit = super::thread_state::MOST_CHOICES as u64;
        let reason =
            Reason::SizeLimit { what: "free choices in one step, which are tried one by one", limit };
        Undecided::because(reason).try_next("take a symbolic engine")
    }
}

fn key(shared: SharedId, frozen: u32, locals: &mut [u32]) -> Key {
    locals.sort_unstable();
    let mut key = Key::with_capacity(locals.len() + 2);
    key.push(shared.index() as u32);
    key.push(frozen);
    key.extend_from_slice(locals);
    key
}

impl Search<'_, '_> {
    fn run(&mut self) -> Searched<Trace> {
        self.start()?;
        let mut failure = None;
        let mut at = 0;
        while at < self.seen.len() {
            if at.is_multiple_of(64) {
                self.monitor.count("states", self.seen.len());
                self.monitor.check()?;
            }
            self.ahead_failure = None;
            if let Some(found) = self.expand(at)?
                && failure.is_none()
            {
                failure = Some((at, found, self.ahead_failure.take()));
                if self.settings.until == Until::FirstFailure {
                    break;
                }
            }
            at += 1;
        }
        let Some((at, local, ahead)) = failure else { return Ok(Decided::Proved(())) };
        let run = self.run_to(at, local, ahead)?;
        run::confirm(self.states, self.setup, &run)
    }

    fn start(&mut self) -> Result<(), Undecided> {
        let shared = self.states.initial_shared();
        let mut starts: Vec<Vec<u32>> = vec![Vec::new()];
        for root in &self.setup.roots {
            let locals = self.states.initial_locals(*root)?;
            let mut next: FxHashSet<Vec<u32>> = FxHashSet::default();
            for start in &starts {
                for local in &locals {
                    let mut longer = start.clone();
                    longer.push(local.index() as u32);
                    longer.sort_unstable();
                    next.insert(longer);
                }
            }
            starts = next.into_iter().collect();
            starts.sort();
        }
        for mut start in starts {
            self.add(key(shared, 0, &mut start), None);
        }
        Ok(())
    }

    fn add(&mut self, key: Key, origin: Option<(u32, LocalId, u32)>) -> bool {
        let is_new = self.seen.insert(key);
        if is_new {
            self.origins.push(origin);
        }
        is_new
    }

    /// Adds the successors; tells if a thread fails here.
    fn expand(&mut self, at: usize) -> Result<Option<LocalId>, Undecided> {
        let state = self.seen.get_index(at).expect("within the length").clone();
        let shared = SharedId::from_index(state[0] as usize);
        let mut threads: SmallVec<[(LocalId, u32, Arc<Possibilities>); 12]> = SmallVec::new();
        let mut fails = None;
        for number in &state[2..] {
            let local = LocalId::from_index(*number as usize);
            if let Some(last) = threads.last_mut().filter(|last| last.0 == local) {
                last.1 += 1;
                continue;
            }
            self.thread_states.insert((shared, local));
            let possibilities = self.states.possibilities(shared, local)?;
            if possibilities.failure.is_some() {
                fails.get_or_insert(local);
            }
            threads.push((local, 1, possibilities));
        }
        if self.settings.reductions.persistent && self.split(at, &state, &threads) {
            return Ok(fails);
        }
        if self.settings.reductions.ample && !self.states.shared(shared).atomic {
            for index in 0..threads.len() {
                if self.goes_unnoticed(index, &threads) && self.step(at, &state, &threads[index])? {
                    return Ok(fails);
                }
            }
        }
        if self.settings.reductions.cartesian && !self.states.shared(shared).atomic {
            return Ok(self.run_ahead(at, &state)?.or(fails));
        }
        for thread in &threads {
            self.step(at, &state, thread)?;
        }
        Ok(fails)
    }

    /// Every thread runs ahead and takes one step more; tells if one of them fails on the way.
    fn run_ahead(&mut self, at: usize, state: &Key) -> Result<Option<LocalId>, Undecided> {
        let shared = SharedId::from_index(state[0] as usize);
        let footprints = self.footprints.as_ref().expect("made for reductions");
        let all: Vec<LocalId> =
            state[2..].iter().map(|number| LocalId::from_index(*number as usize)).collect();
        let locations: Vec<_> = all.iter().map(|local| self.states.local(*local).location).collect();
        let regions = cartesian::regions(self.states, footprints, &locations);
        let mut fails = None;
        for (position, local) in all.iter().enumerate() {
            // Threads in the same local state may still have different regions: one gives way to the other.
            let is_same = |earlier: usize| all[earlier] == *local && regions[earlier] == regions[position];
            if (0..position).any(is_same) {
                continue;
            }
            let ahead = cartesian::run_ahead(self.states, shared, *local, &regions[position])?;
            if let Some(failure) = ahead.failure
                && self.ahead_failure.is_none()
            {
                self.ahead_failure = Some(failure);
                fails = Some(*local);
            }
            for run in ahead.runs {
                let number = FIRST_RUN + self.runs.len() as u32;
                if self.follow(at, state, *local, position, &run, number)? {
                    self.runs.push(run);
                }
            }
        }
        Ok(fails)
    }

    /// Takes all steps of one thread; was a new state among the results?
    fn step(
        &mut self,
        at: usize,
        state: &Key,
        thread: &(LocalId, u32, Arc<Possibilities>),
    ) -> Result<bool, Undecided> {
        let (local, _, possibilities) = thread;
        let mut found_new = false;
        let position = state[2..].iter().position(|number| *number as usize == local.index());
        let position = position.expect("the thread is in the state");
        for (index, step) in possibilities.steps.iter().enumerate() {
            found_new |= self.follow(at, state, *local, position, step, index as u32)?;
        }
        Ok(found_new)
    }

    /// Adds the states after a step, several only if others have choices in it; was one of them new?
    fn follow(
        &mut self,
        at: usize,
        state: &Key,
        local: LocalId,
        position: usize,
        step: &[MicroStep],
        number: u32,
    ) -> Result<bool, Undecided> {
        let running = state.len() - 2 + state[1] as usize;
        let last = &step[step.len() - 1];
        let mut others: SmallVec<[u32; 12]> = SmallVec::from_slice(&state[2..]);
        others.remove(position);
        let mut own: SmallVec<[u32; 2]> = last.local.map(|local| local.index() as u32).into_iter().collect();
        // At most one edge of a step starts a thread.
        if let Some(started) = step.iter().find_map(|micro| micro.started)
            && self.setup.may_start_thread(running)
        {
            own.push(started.index() as u32);
        }
        let origin = Some((at as u32, local, number));
        let Some(broadcast) = step.iter().find_map(|micro| micro.broadcast) else {
            others.extend(own);
            return Ok(self.add(key(last.shared, state[1], &mut others), origin));
        };
        let mut found_new = false;
        for (told, pairs) in self.told_others(broadcast, &others)? {
            let mut locals: SmallVec<[u32; 12]> = SmallVec::from_slice(&told);
            locals.extend(own.iter().copied());
            if self.add(key(last.shared, state[1], &mut locals), origin) {
                self.told.insert(self.seen.len() as u32 - 1, pairs);
                found_new = true;
            }
        }
        Ok(found_new)
    }

    /// All that can become of the other threads by a broadcast, sorted, with who became what. Nothing if one
    /// of them excludes it.
    fn told_others(&mut self, broadcast: BroadcastId, others: &[u32]) -> Result<AfterBroadcast, Undecided> {
        let mut all: AfterBroadcast = AfterBroadcast::default();
        all.insert(Vec::new(), Vec::new());
        for number in others {
            let before = LocalId::from_index(*number as usize);
            let choices = self.states.told(broadcast, before)?;
            let mut longer = AfterBroadcast::default();
            for (told, pairs) in &all {
                for after in choices.iter() {
                    let mut told = told.clone();
                    let number = after.index() as u32;
                    told.insert(told.partition_point(|known| *known < number), number);
                    longer.entry(told).or_insert_with(|| [&pairs[..], &[(before, *after)]].concat());
                }
            }
            all = longer;
            self.monitor.check()?;
        }
        Ok(all)
    }

    /// Can nobody else ever notice the next step of this thread? (BOOM Alg. 6.1)
    fn goes_unnoticed(&self, index: usize, threads: &[(LocalId, u32, Arc<Possibilities>)]) -> bool {
        let footprints = self.footprints.as_ref().expect("made for reductions");
        let (local, count, possibilities) = &threads[index];
        let location = self.states.local(*local).location;
        if possibilities.steps.is_empty() || footprints.enters_atomic[location] {
            return false;
        }
        // A step that settles open globals parts what the state stands for: that one result is new says
        // nothing about the other part then.
        let settles = |step: &ThreadStep| step.iter().any(|micro| micro.settled.is_some());
        let tells = |step: &ThreadStep| step.iter().any(|micro| micro.broadcast.is_some());
        if possibilities.steps.iter().any(|step| settles(step) || tells(step)) {
            return false;
        }
        let mine = &footprints.now[location];
        threads.iter().enumerate().all(|(other, (their_local, ..))| {
            let is_same_thread = other == index && *count == 1;
            let theirs = &footprints.later[self.states.local(*their_local).location];
            is_same_thread || !mine.conflicts_with(theirs, footprints.count)
        })
    }

    /// Splits the threads into groups that never meet (BOOM Alg. 6.2, 6.3). False if there is one group only.
    fn split(&mut self, at: usize, state: &Key, threads: &[(LocalId, u32, Arc<Possibilities>)]) -> bool {
        let footprints = self.footprints.as_ref().expect("made for reductions");
        // A thread in an atomic section stops the others; they are told apart again when it is over.
        if self.states.shared(SharedId::from_index(state[0] as usize)).atomic {
            return false;
        }
        let later = |local: LocalId| &footprints.later[self.states.local(local).location];
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for (local, count, _) in threads {
            let alone = later(*local).conflicts_with(later(*local), footprints.count);
            for _ in 0..*count {
                let meets = |group: &Vec<u32>| {
                    group.iter().any(|number| {
                        let other = LocalId::from_index(*number as usize);
                        if other == *local {
                            alone
                        } else {
                            later(*local).conflicts_with(later(other), footprints.count)
                        }
                    })
                };
                let (mut met, rest): (Vec<_>, Vec<_>) = groups.into_iter().partition(meets);
                let mut joined: Vec<u32> = met.drain(..).flatten().collect();
                joined.push(local.index() as u32);
                groups = rest;
                groups.push(joined);
            }
        }
        if groups.len() < 2 {
            return false;
        }
        let total = state.len() - 2 + state[1] as usize;
        for mut group in groups {
            let frozen = (total - group.len()) as u32;
            let next = key(SharedId::from_index(state[0] as usize), frozen, &mut group);
            // No thread moves: the origin's step number says so.
            self.add(next, Some((at as u32, LocalId::from_index(0), NO_STEP)));
        }
        true
    }

    fn run_to(
        &mut self,
        last: usize,
        local: LocalId,
        ahead: Option<Failure>,
    ) -> Result<NumberedRun, Undecided> {
        let mut steps = Vec::new();
        let mut at = last;
        while let Some((before, mover, index)) = self.origins[at] {
            let shared = SharedId::from_index(self.seen[before as usize][0] as usize);
            let others = self.told.get(&(at as u32)).cloned().unwrap_or_default();
            if (FIRST_RUN..NO_STEP).contains(&index) {
                let edges = self.runs[(index - FIRST_RUN) as usize].clone();
                steps.push(NumberedStep { mover, edges, others });
            } else if index != NO_STEP {
                let possibilities = self.states.possibilities(shared, mover)?;
                let edges = possibilities.steps[index as usize].clone();
                steps.push(NumberedStep { mover, edges, others });
            }
            at = before as usize;
        }
        steps.reverse();
        let first = self.seen[at].clone();
        let shared = SharedId::from_index(first[0] as usize);
        let mut left: Vec<u32> = first[2..].to_vec();
        let mut locals = Vec::new();
        for root in &self.setup.roots {
            let location = self.states.flat.entry(*root);
            let is_root =
                |number: &u32| self.states.local(LocalId::from_index(*number as usize)).location == location;
            let at = left.iter().position(is_root).expect("every root has a thread");
            locals.push(LocalId::from_index(left.remove(at) as usize));
        }
        let end = SharedId::from_index(self.seen[last][0] as usize);
        let possibilities = self.states.possibilities(end, local)?;
        let failure = ahead.or_else(|| possibilities.failure.clone());
        let Failure { way, settled, edge } = failure.expect("the thread fails here");
        let failing = way.last().and_then(|step| step.local).unwrap_or(local);
        if !way.is_empty() {
            steps.push(NumberedStep::alone(local, way));
        }
        Ok(NumberedRun { shared, locals, steps, failure: (failing, edge), settled })
    }
}
