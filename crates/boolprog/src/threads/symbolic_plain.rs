//! Plain symbolic exploration: explicit program counters of all threads, one decision diagram over the shared
//! variables and the rows of all threads. No symmetry is used; this is the reference of BOOM 7.5.1 ("plain"),
//! and with reductions the one of BOOM 6.2 to 6.4.
//!
//! The reductions of BOOM 6 are in [`reductions`], the way back from a failure to a run in [`backwards`].

// A diagram is hashed and compared by its node, which never changes while a handle exists.
#![allow(clippy::mutable_key_type)]

mod backwards;
mod reductions;

use super::counters::Reductions;
use super::encoding::{Encoding, Relation, Stop};
use super::flat::{FlatEdge, FlatLocationId};
use super::footprint::Footprints;
use super::thread_state::ThreadStates;
use crate::graph::Action;
use crate::setup::Setup;
use crate::trace::Trace;
use base::IndexVec;
use logic::bdd::{Bdd, BddVariable, NodeLimitReached, Renaming};
use question::{Decided, Monitor, Searched};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;
use verdict::{Reason, Statistics, Undecided};

/// Where everybody is.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Counters {
    /// By position: the place, and whether the thread is in an atomic section; `None` where there is no
    /// thread.
    threads: Vec<Option<(FlatLocationId, bool)>>,
    /// Threads that persistent sets left out; they still count against the bound.
    left_out: usize,
}

struct State {
    counters: Counters,
    set: Bdd,
    origin: Option<Origin>,
}

#[derive(Clone)]
enum Origin {
    /// The thread at a position took a step.
    Step { before: usize, position: usize, step: FlatEdge, started: Option<usize> },
    /// Threads were left out.
    Parted { before: usize },
}

/// What a step of one thread leads to.
struct Image {
    counters: Counters,
    set: Bdd,
    step: FlatEdge,
    started: Option<usize>,
}

/// An edge's relation for the thread at one position.
struct Positioned {
    generic: Relation,
    relation: Bdd,
    fails: Bdd,
    assigned: Bdd,
    renaming: Option<Renaming>,
}

struct Search<'a, 'p> {
    states: &'a mut ThreadStates<'p>,
    setup: &'a Setup,
    encoding: Encoding,
    /// The rows by position, and the renaming of the generic row to each.
    rows: Vec<Vec<BddVariable>>,
    to_row: Vec<Renaming>,
    relations: FxHashMap<(FlatLocationId, usize), Rc<Vec<Positioned>>>,
    known: FxHashMap<Counters, Bdd>,
    /// All states, those that threads only pass while they run ahead included.
    list: Vec<State>,
    waiting: VecDeque<usize>,
    added: u64,
    reductions: Reductions,
    footprints: Option<Footprints>,
    back: IndexVec<FlatLocationId, bool>,
}

/// Explores all interleavings of a bounded number of threads that the reductions leave.
pub fn explore(
    states: &mut ThreadStates<'_>,
    setup: &Setup,
    reductions: Reductions,
    monitor: Monitor<'_>,
    statistics: &mut Statistics,
) -> Searched<Trace> {
    let open = |stop: Stop| stop.undecided("take an engine with counters");
    let starts = states.flat.program.has_threads();
    let most = if starts { setup.most_threads } else { Some(setup.roots.len()) };
    let Some(most) = most.map(|most| most.max(setup.roots.len())) else {
        let why = "it has a row of variables per thread, so it needs a bound".to_owned();
        let reason = Reason::EngineCannot { engine: "symbolic-plain", why };
        return Err(Undecided::because(reason));
    };
    let reduced = reductions != Reductions::default();
    let footprints = reduced.then(|| Footprints::new(&states.flat, true));
    let back = reductions::with_back_edge(&states.flat);
    let made = Encoding::new(&states.flat).and_then(|encoding| {
        let rows = encoding.manager.add_interleaved(states.flat.row, most);
        let to_row: Result<Vec<Renaming>, NodeLimitReached> = rows
            .iter()
            .map(|row| {
                let pairs: Vec<(BddVariable, BddVariable)> =
                    encoding.row.iter().copied().zip(row.iter().copied()).collect();
                encoding.manager.variable_renaming(&pairs)
            })
            .collect();
        Ok((encoding, rows, to_row?))
    });
    let (encoding, rows, to_row) = made.map_err(|limit| open(limit.into()))?;
    let mut search = Search {
        states,
        setup,
        encoding,
        rows,
        to_row,
        relations: FxHashMap::default(),
        known: FxHashMap::default(),
        list: Vec::new(),
        waiting: VecDeque::new(),
        added: 0,
        reductions,
        footprints,
        back,
    };
    let found = search.run(monitor).map_err(open);
    statistics.count("symbolic states", search.added);
    found
}

impl Image {
    fn from(self, before: usize, position: usize) -> State {
        let Image { counters, set, step, started } = self;
        State { counters, set, origin: Some(Origin::Step { before, position, step, started }) }
    }
}

impl Search<'_, '_> {
    fn run(&mut self, monitor: Monitor<'_>) -> Result<Decided<(), Trace>, Stop> {
        let mut counters = Counters { threads: vec![None; self.rows.len()], left_out: 0 };
        for (position, root) in self.setup.roots.iter().enumerate() {
            counters.threads[position] = Some((self.states.flat.entry(*root), false));
        }
        let set = self.encoding.initial_globals(&self.states.flat)?;
        self.add(State { counters, set, origin: None })?;
        while let Some(at) = self.waiting.pop_front() {
            monitor.count("symbolic states", self.list.len());
            monitor.check()?;
            if let Some(outcome) = self.expand(at)? {
                return Ok(outcome);
            }
        }
        Ok(Decided::Proved(()))
    }

    fn add(&mut self, mut state: State) -> Result<(), Stop> {
        if let Some(known) = self.known.get(&state.counters) {
            state.set = state.set.minus(known)?;
            if state.set.is_false() {
                return Ok(());
            }
            let all = known.or(&state.set)?;
            self.known.insert(state.counters.clone(), all);
        } else {
            self.known.insert(state.counters.clone(), state.set.clone());
        }
        self.waiting.push_back(self.list.len());
        self.added += 1;
        self.list.push(state);
        Ok(())
    }

    fn relations(&mut self, location: FlatLocationId, position: usize) -> Result<Rc<Vec<Positioned>>, Stop> {
        if let Some(known) = self.relations.get(&(location, position)) {
            return Ok(known.clone());
        }
        let flat = &self.states.flat;
        let mut made = Vec::new();
        for step in &flat.locations[location].edges {
            let generic = self.encoding.relation(flat, location, step)?;
            let mine = |variable: BddVariable| {
                let slot = self.encoding.row.iter().position(|known| *known == variable);
                slot.map_or(variable, |slot| self.rows[position][slot])
            };
            let before: Vec<BddVariable> = generic.pairs.iter().map(|(before, _)| mine(*before)).collect();
            let back: Vec<(BddVariable, BddVariable)> =
                generic.pairs.iter().map(|(before, after)| (*after, mine(*before))).collect();
            made.push(Positioned {
                relation: generic.relation.substitute(&self.to_row[position])?,
                fails: generic.fails.substitute(&self.to_row[position])?,
                assigned: self.encoding.manager.variable_set(&before)?,
                renaming: if back.is_empty() {
                    None
                } else {
                    Some(self.encoding.manager.variable_renaming(&back)?)
                },
                generic,
            });
        }
        let made = Rc::new(made);
        self.relations.insert((location, position), made.clone());
        Ok(made)
    }

    fn expand(&mut self, at: usize) -> Result<Option<Decided<(), Trace>>, Stop> {
        let (counters, set) = (self.list[at].counters.clone(), self.list[at].set.clone());
        let threads = &counters.threads;
        let alone = threads.iter().position(|thread| thread.is_some_and(|(_, atomic)| atomic));
        let movers: Vec<(usize, FlatLocationId)> = threads
            .iter()
            .enumerate()
            .filter(|(position, _)| alone.is_none_or(|alone| alone == *position))
            .filter_map(|(position, thread)| Some((position, (*thread)?.0)))
            .collect();
        for (position, location) in &movers {
            if let Some(outcome) = self.failure_of(at, *position, *location, &set)? {
                return Ok(Some(outcome));
            }
        }
        let mut rest = set;
        if self.footprints.is_some() && alone.is_none() {
            if self.reductions.persistent && self.part(at, &counters, &rest, &movers)? {
                return Ok(None);
            }
            if self.reductions.ample {
                rest = self.go_unnoticed(at, &counters, rest, &movers)?;
            }
            if self.reductions.cartesian {
                return if rest.is_false() {
                    Ok(None)
                } else {
                    self.run_ahead(at, &counters, &rest, &movers)
                };
            }
        }
        if !rest.is_false() {
            for (position, _) in &movers {
                self.step(at, &counters, &rest, *position)?;
            }
        }
        Ok(None)
    }

    /// A failure of the thread at a position in some state of the set.
    fn failure_of(
        &mut self,
        at: usize,
        position: usize,
        location: FlatLocationId,
        set: &Bdd,
    ) -> Result<Option<Decided<(), Trace>>, Stop> {
        let relations = self.relations(location, position)?;
        let steps = self.states.flat.locations[location].edges.clone();
        for (step, relation) in steps.iter().zip(relations.iter()) {
            let failing = set.and(&relation.fails)?;
            if !failing.is_false() {
                return Ok(Some(self.violated(at, position, step, &failing)?));
            }
        }
        Ok(None)
    }

    /// Takes all steps of one thread.
    fn step(&mut self, at: usize, counters: &Counters, set: &Bdd, position: usize) -> Result<(), Stop> {
        for image in self.images(counters, set, position)? {
            self.add(image.from(at, position))?;
        }
        Ok(())
    }

    /// What the steps of one thread lead to.
    fn images(&mut self, counters: &Counters, set: &Bdd, position: usize) -> Result<Vec<Image>, Stop> {
        let (location, was_atomic) = counters.threads[position].expect("a thread that moves is there");
        let relations = self.relations(location, position)?;
        let steps = self.states.flat.locations[location].edges.clone();
        let running = counters.threads.iter().flatten().count() + counters.left_out;
        let mut images = Vec::new();
        for (step, relation) in steps.into_iter().zip(relations.iter()) {
            let mut after = set.and_exists(&relation.relation, &relation.assigned)?;
            if let Some(renaming) = &relation.renaming {
                after = after.substitute(renaming)?;
            }
            if after.is_false() {
                continue;
            }
            let mut counters = counters.clone();
            let atomic = match self.states.flat.edge(&step).action {
                Action::AtomicBegin => true,
                Action::AtomicEnd => false,
                _ => was_atomic && step.to.is_some(),
            };
            let mut started = None;
            if let Some(start) = step.starts.filter(|_| self.setup.may_start_thread(running)) {
                let free = counters.threads.iter().position(Option::is_none);
                let free = free.expect("as many rows as threads may run");
                after = after.and(&self.start(location, position, &step, start, free)?)?;
                counters.threads[free] = Some((start, false));
                started = Some(free);
            }
            counters.threads[position] = step.to.map(|to| (to, atomic));
            let live = step.to.map(|to| &self.states.flat.locations[to].live);
            let dead: Vec<BddVariable> = (0..self.states.flat.row)
                .filter(|slot| live.is_none_or(|live| !live.get(*slot)))
                .map(|slot| self.rows[position][slot])
                .collect();
            if !dead.is_empty() {
                after = after.exists(&self.encoding.manager.variable_set(&dead)?)?;
            }
            images.push(Image { counters, set: after, step, started });
        }
        Ok(images)
    }

    /// The row of a started thread, tied to the one that starts it.
    fn start(
        &self,
        location: FlatLocationId,
        from: usize,
        step: &FlatEdge,
        start: FlatLocationId,
        to: usize,
    ) -> Result<Bdd, Stop> {
        let flat = &self.states.flat;
        let context = flat.locations[location].context;
        let offset = flat.contexts[context].offset;
        let live = &flat.locations[start].live;
        let mut tied = self.encoding.manager.constant(true);
        match &flat.edge(step).action {
            Action::StartThread { at } => {
                let length = flat.program.procedures()[flat.program.procedure_of(*at)].variables.len();
                for slot in (0..length).filter(|slot| live.get(*slot)) {
                    let theirs = self.encoding.manager.variable(self.rows[to][slot])?;
                    let mine = self.encoding.manager.variable(self.rows[from][offset + slot])?;
                    tied = tied.and(&theirs.equivalent(&mine)?)?;
                }
            }
            Action::Async { arguments, .. } => {
                for (slot, argument) in arguments.iter().enumerate().filter(|(slot, _)| live.get(*slot)) {
                    let value = self.encoding.before(flat, context, argument)?;
                    let theirs = self.encoding.manager.variable(self.rows[to][slot])?;
                    let (yes, no) =
                        (value.yes.substitute(&self.to_row[from])?, value.no.substitute(&self.to_row[from])?);
                    tied = tied.and(&theirs.ite(&yes, &no)?)?;
                }
            }
            _ => {}
        }
        Ok(tied)
    }
}
