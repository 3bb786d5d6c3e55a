//! Thread states as numbers, and the steps of one thread from them (BOOM 5.2, 8.2).
//!
//! A thread state is a shared state (the globals, and whether some thread is in an atomic section) and a
//! local state (a place and a row of variables, dead ones false). Both are numbered when they are first met:
//! only reachable local states ever get a number (BOOM 7.3, "context-aware"). Steps are computed once per
//! thread state.
//!
//! Globals that begin with either value are *open*: a shared state with open globals stands for all ways to
//! settle them. A step settles those that it may read, both ways; one that is written before anybody reads it
//! never multiplies states.
//!
//! With [`Compression::LocalSteps`], steps that touch nothing shared are taken together with the step before
//! them: no other thread can see or disturb them, so every order is the same as "at once" (the ample sets of
//! BOOM 6.2 with one thread, as a single step). A loop of such steps is entered step by step, so nothing is
//! put off for ever (BOOM's C3).

use super::broadcast::{Broadcast, BroadcastId};
use super::flat::{FlatLocationId, FlatProgram};
use super::outcomes::{After, combinations};
use super::stacks::{Beyond, Entered, Pushed, StackId, StackSettings, Stacks, Waiting};
use super::visibility::{globals_read, spots_nobody_sees};
use crate::graph::{EdgeId, Possible, ProcedureId};
use crate::values::Values;
use base::{Id, IndexVec, define_id};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::Arc;

define_id!(
    /// A numbered shared state.
    SharedId,
    "s"
);
define_id!(
    /// A numbered local state.
    LocalId,
    "l"
);

/// The globals, and whether a thread is in an atomic section.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SharedState {
    /// The globals by slot; open ones are false.
    pub globals: Values,
    /// The globals that may still have either value.
    pub open: Values,
    /// Is some thread in an atomic section?
    pub atomic: bool,
}

/// Where a thread is and what it holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LocalState {
    /// The place.
    pub location: FlatLocationId,
    /// Is it this thread that is in an atomic section?
    pub atomic: bool,
    /// Its row of variables; those that do not matter any more are false.
    pub row: Values,
    /// What lies below the row.
    pub stack: StackId,
}

/// One edge taken by a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MicroStep {
    /// The edge.
    pub edge: EdgeId,
    /// The shared state before it, if open globals had to be settled for it.
    pub settled: Option<SharedId>,
    /// The shared state after it.
    pub shared: SharedId,
    /// The thread's local state after it; `None` if it has ended.
    pub local: Option<LocalId>,
    /// A thread that it started; not started if there are as many threads as there may be.
    pub started: Option<LocalId>,
    /// What it does to the others, if anything.
    pub broadcast: Option<BroadcastId>,
}

/// What a thread can do at once. Never empty; only the first edge touches anything shared or starts a thread.
pub type ThreadStep = Vec<MicroStep>;

/// Everything a thread can do from a thread state.
#[derive(Clone, Debug, Default)]
pub struct Possibilities {
    /// The steps.
    pub steps: Vec<ThreadStep>,
    /// A way into a failure, if there is one.
    pub failure: Option<Failure>,
}

/// How a thread fails.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Steps to take first.
    pub way: ThreadStep,
    /// The shared state after them, if open globals must be settled for the failure.
    pub settled: Option<SharedId>,
    /// The edge that fails then.
    pub edge: EdgeId,
}

/// Are steps that nobody else can notice taken at once?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Every edge is a step.
    None,
    /// Local steps are joined to the step before.
    LocalSteps,
}

/// A step has more free choices than are tried one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyChoices;

/// More choices in one step than this are not tried one by one.
pub const MOST_CHOICES: usize = 16;

/// Numbered thread states of a program.
pub struct ThreadStates<'p> {
    /// The program.
    pub flat: FlatProgram<'p>,
    compression: Compression,
    shared: IndexSet<SharedState, FxBuildHasher>,
    locals: IndexSet<LocalState, FxBuildHasher>,
    known: FxHashMap<(SharedId, LocalId), Arc<Possibilities>>,
    stacks: Stacks,
    unseen: IndexVec<FlatLocationId, bool>,
    /// Globals that the steps of a location may read.
    read: IndexVec<FlatLocationId, Values>,
    pub(super) broadcasts: IndexSet<Broadcast, FxBuildHasher>,
    pub(super) told: FxHashMap<(BroadcastId, LocalId), Arc<[LocalId]>>,
}

impl<'p> ThreadStates<'p> {
    /// No states yet, of a program without recursion.
    pub fn new(flat: FlatProgram<'p>, compression: Compression) -> ThreadStates<'p> {
        ThreadStates::with_stacks(flat, compression, StackSettings { exact: 0, beyond: Beyond::Cut })
    }

    /// No states yet, of a program with recursion.
    pub fn with_stacks(
        flat: FlatProgram<'p>,
        compression: Compression,
        settings: StackSettings,
    ) -> ThreadStates<'p> {
        let unseen = spots_nobody_sees(&flat);
        let read = flat.locations.ids().map(|location| globals_read(&flat, location)).collect();
        ThreadStates {
            flat,
            compression,
            shared: IndexSet::default(),
            locals: IndexSet::default(),
            known: FxHashMap::default(),
            stacks: Stacks::new(settings),
            unseen,
            read,
            broadcasts: IndexSet::default(),
            told: FxHashMap::default(),
        }
    }

    /// A shared state by its number.
    pub fn shared(&self, id: SharedId) -> &SharedState {
        &self.shared[id.index()]
    }

    /// A local state by its number.
    pub fn local(&self, id: LocalId) -> &LocalState {
        &self.locals[id.index()]
    }

    /// How many local states were met.
    pub fn local_count(&self) -> usize {
        self.locals.len()
    }

    /// The stacks that were met.
    pub fn stacks(&self) -> &Stacks {
        &self.stacks
    }

    /// Thread states whose steps must be computed again, because callers were found that they may return to.
    pub fn take_outdated(&mut self) -> Vec<(SharedId, LocalId)> {
        self.stacks.take_outdated()
    }

    /// From now on a call by a caller that was not met before counts as a failure.
    pub fn freeze_callers(&mut self) {
        self.stacks.freeze(true);
        self.forget_steps();
    }

    /// Adds the callers that a thread state makes, although they are frozen; were there any new ones?
    pub fn admit_callers(&mut self, shared: SharedId, local: LocalId) -> Result<bool, TooManyChoices> {
        let before = self.stacks.caller_count();
        self.stacks.freeze(false);
        self.forget_steps();
        let admitted = self.possibilities(shared, local);
        self.freeze_callers();
        admitted.map(|_| self.stacks.caller_count() > before)
    }

    fn forget_steps(&mut self) {
        self.known.clear();
        self.stacks.take_outdated();
    }

    pub(super) fn number_shared(&mut self, state: SharedState) -> SharedId {
        SharedId::from_index(self.shared.insert_full(state).0)
    }

    pub(super) fn number_local(&mut self, state: LocalState) -> LocalId {
        let state = self.canonical(state);
        LocalId::from_index(self.locals.insert_full(state).0)
    }

    /// The shared state the program starts in.
    pub fn initial_shared(&mut self) -> SharedId {
        let initial = self.flat.program.initial();
        let globals = row(initial.iter().map(|value| *value == Some(true)));
        let open = row(initial.iter().map(|value| value.is_none()));
        self.number_shared(SharedState { globals, open, atomic: false })
    }

    /// A shared state without open globals.
    pub(super) fn closed(&self, globals: Values, atomic: bool) -> SharedState {
        SharedState { globals, open: Values::falses(self.flat.program.globals().len()), atomic }
    }

    /// All ways to settle the open globals that steps from a location may read; only the state itself if there
    /// are none.
    fn settle(
        &self,
        shared: &SharedState,
        location: FlatLocationId,
    ) -> Result<Vec<SharedState>, TooManyChoices> {
        let read = &self.read[location];
        let count = self.flat.program.globals().len();
        let wanted: Vec<usize> =
            (0..count).filter(|slot| shared.open.get(*slot) && read.get(*slot)).collect();
        let either = vec![Possible { yes: true, no: true }; wanted.len()];
        let mut settled = Vec::new();
        combinations(&either, &mut |chosen| {
            let mut state = shared.clone();
            for (slot, value) in wanted.iter().zip(chosen) {
                state.globals.set(*slot, *value);
                state.open.set(*slot, false);
            }
            settled.push(state);
        })?;
        Ok(settled)
    }

    /// All local states a thread of this root can start in.
    pub fn initial_locals(&mut self, root: ProcedureId) -> Result<Vec<LocalId>, TooManyChoices> {
        let location = self.flat.entry(root);
        let rows = self.entry_rows(location, &[])?;
        let first = |row: Values| LocalState { location, atomic: false, row, stack: StackId::EMPTY };
        let mut found: Vec<LocalId> = rows.into_iter().map(|row| self.number_local(first(row))).collect();
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// Rows with an activation at a location just entered: arguments as given, the rest as it may be.
    pub(super) fn entry_rows(
        &self,
        location: FlatLocationId,
        arguments: &[bool],
    ) -> Result<Vec<Values>, TooManyChoices> {
        let place = &self.flat.locations[location];
        let context = &self.flat.contexts[place.context];
        let length = self.flat.program.procedures()[context.procedure].variables.len();
        let allowed: Vec<Possible> = (0..length)
            .map(|slot| match arguments.get(slot) {
                Some(&value) => Possible { yes: value, no: !value },
                None => Possible { yes: place.live.get(context.offset + slot), no: true },
            })
            .collect();
        let mut rows = Vec::new();
        combinations(&allowed, &mut |chosen| {
            let mut row = Values::falses(self.flat.row);
            chosen.iter().enumerate().for_each(|(slot, &value)| row.set(context.offset + slot, value));
            rows.push(row);
        })?;
        Ok(rows)
    }

    /// What a thread can do; nothing while another is in an atomic section.
    pub fn possibilities(
        &mut self,
        shared: SharedId,
        local: LocalId,
    ) -> Result<Arc<Possibilities>, TooManyChoices> {
        if let Some(known) = self.known.get(&(shared, local)) {
            return Ok(known.clone());
        }
        let asked = (shared, local);
        let mut found = self.single_steps(asked, asked)?;
        if self.compression == Compression::LocalSteps && found.failure.is_none() {
            found = self.compressed(asked, found)?;
        }
        let found = Arc::new(found);
        self.known.insert(asked, found.clone());
        for outdated in self.stacks.outdated() {
            self.known.remove(outdated);
        }
        Ok(found)
    }

    /// Joins local steps to each step, as long as there is no loop in them.
    fn compressed(
        &mut self,
        asked: (SharedId, LocalId),
        first: Possibilities,
    ) -> Result<Possibilities, TooManyChoices> {
        let mut done = Possibilities::default();
        let mut open = first.steps;
        while let Some(step) = open.pop() {
            let last = step.last().expect("a step has an edge");
            let (shared, local) = (last.shared, last.local);
            // Whether a broadcast is possible depends on the others: nothing may be taken for done after it.
            if last.broadcast.is_some() {
                done.steps.push(step);
                continue;
            }
            let goes_on = local.filter(|local| self.unseen[self.locals[local.index()].location]);
            let Some(local) = goes_on else {
                done.steps.push(step);
                continue;
            };
            // The locations nobody sees form no loop, so this ends.
            let more = self.single_steps(asked, (shared, local))?;
            if let Some(failure) = more.failure
                && done.failure.is_none()
            {
                done.failure = Some(Failure { way: step.clone(), ..failure });
            }
            if more.steps.is_empty() {
                done.steps.push(step); // the thread is stuck, but what it did before stands
                continue;
            }
            open.extend(more.steps.into_iter().map(|next| [&step[..], &next[..]].concat()));
        }
        Ok(done)
    }

    /// The edges a thread can take, for the steps of the thread state that was asked about.
    fn single_steps(
        &mut self,
        asked: (SharedId, LocalId),
        (shared, local): (SharedId, LocalId),
    ) -> Result<Possibilities, TooManyChoices> {
        let mut found = Possibilities::default();
        let (before, thread) = (&self.shared[shared.index()], &self.locals[local.index()]);
        if before.atomic && !thread.atomic {
            return Ok(found);
        }
        let edges = &self.flat.locations[thread.location].edges;
        let callers = match edges.iter().any(|step| self.flat.comes_back(step)) {
            true => self.stacks.callers_for(thread.stack, asked),
            false => None,
        };
        let mut results = Vec::new();
        if before.open.is_disjoint_from(&self.read[thread.location]) {
            for step in edges {
                results.push((step, None, self.outcomes(before, thread, step, callers.as_deref())?));
            }
        } else {
            for settled in self.settle(before, thread.location)? {
                for step in edges {
                    let outcomes = self.outcomes(&settled, thread, step, callers.as_deref())?;
                    results.push((step, Some(settled.clone()), outcomes));
                }
            }
        }
        let mut broadcasts = Vec::new();
        for (step, settled, outcomes) in &results {
            let before = settled.as_ref().unwrap_or(before);
            let of = |after: &After| self.broadcast_of(step.edge, before, thread, after);
            broadcasts.push(outcomes.after.iter().map(of).collect::<Vec<_>>());
        }
        let results: Vec<_> =
            results.into_iter().map(|(step, settled, outcomes)| (step.edge, settled, outcomes)).collect();
        for ((edge, settled, outcomes), broadcasts) in results.into_iter().zip(broadcasts) {
            let settled = settled.map(|state| self.number_shared(state));
            if outcomes.fails && found.failure.is_none() {
                found.failure = Some(Failure { settled, way: Vec::new(), edge });
            }
            for (After { shared, local, started, waits }, broadcast) in
                outcomes.after.into_iter().zip(broadcasts)
            {
                let broadcast = broadcast.map(|broadcast| self.number_broadcast(broadcast));
                let shared = self.number_shared(shared);
                let local = match (local, waits) {
                    (Some(callee), Some(waiting)) => match self.enter(&callee, waiting, shared) {
                        Pushed::On(stack) => Some(self.number_local(LocalState { stack, ..callee })),
                        Pushed::Cut => continue,
                        Pushed::Unmet => {
                            found.failure.get_or_insert(Failure { settled, way: Vec::new(), edge });
                            continue;
                        }
                    },
                    (local, _) => local.map(|state| self.number_local(state)),
                };
                let started = started.map(|state| self.number_local(state));
                let micro = vec![MicroStep { edge, settled, shared, local, started, broadcast }];
                if !found.steps.contains(&micro) {
                    found.steps.push(micro);
                }
            }
        }
        Ok(found)
    }

    /// Puts the caller below the callee.
    fn enter(&mut self, callee: &LocalState, mut waiting: Waiting, shared: SharedId) -> Pushed {
        waiting.row.keep_only(&self.flat.kept_over_call(waiting.back, waiting.call));
        let place = &self.flat.locations[callee.location];
        let procedure = self.flat.contexts[place.context].procedure;
        let mut arguments = callee.row.clone();
        arguments.keep_only(&place.live);
        for slot in self.flat.program.procedures()[procedure].parameters..self.flat.row {
            arguments.set(slot, false);
        }
        self.stacks.push(waiting, Entered { entry: callee.location, arguments, shared })
    }

    /// The local state with what does not matter any more set to false.
    pub(super) fn canonical(&self, mut state: LocalState) -> LocalState {
        state.row.keep_only(&self.flat.locations[state.location].live);
        state
    }
}

fn row(values: impl ExactSizeIterator<Item = bool>) -> Values {
    let mut row = Values::falses(values.len());
    values.enumerate().for_each(|(slot, value)| row.set(slot, value));
    row
}
