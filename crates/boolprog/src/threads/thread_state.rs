//! Thread states as numbers, and the steps of one thread from them (BOOM 5.2, 8.2).
//!
//! A thread state is a shared state (the globals, and whether some thread is in an atomic section) and a local state (a
//! place and a row of variables, dead ones false). Both are numbered when they are first met: only reachable local
//! states ever get a number (BOOM 7.3, "context-aware"). Steps are computed once per thread state.
//!
//! Globals that begin with either value are *open*: a shared state with open globals stands for all ways to settle them. A
//! step settles those that it may read, both ways; one that is written before anybody reads it never multiplies states.
//!
//! With [`Compression::LocalSteps`], steps that touch nothing shared are taken together with the step before them: no
//! other thread can see or disturb them, so every order is the same as "at once" (the ample sets of BOOM 6.2 with one
//! thread, as a single step). A loop of such steps is entered step by step, so nothing is put off for ever (BOOM's C3).

use super::flat::{ContextId, FlatEdge, FlatProgram, SpotId};
use crate::graph::{Action, EdgeId, Expr, Possible, ProcedureId, Scope, VariableId};
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
    pub spot: SpotId,
    /// Is it this thread that is in an atomic section?
    pub atomic: bool,
    /// Its row of variables; those that do not matter any more are false.
    pub row: Values,
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
    unseen: IndexVec<SpotId, bool>,
    /// Globals that the steps of a spot may read.
    read: IndexVec<SpotId, Values>,
}

impl<'p> ThreadStates<'p> {
    /// No states yet.
    pub fn new(flat: FlatProgram<'p>, compression: Compression) -> ThreadStates<'p> {
        let unseen = spots_nobody_sees(&flat);
        let read = flat.spots.ids().map(|spot| globals_read(&flat, spot)).collect();
        ThreadStates {
            flat,
            compression,
            shared: IndexSet::default(),
            locals: IndexSet::default(),
            known: FxHashMap::default(),
            unseen,
            read,
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

    /// How many shared states were met.
    pub fn shared_count(&self) -> usize {
        self.shared.len()
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

    /// All ways to settle the open globals that steps from a spot may read; only the state itself if there are none.
    fn settle(&self, shared: &SharedState, spot: SpotId) -> Result<Vec<SharedState>, TooManyChoices> {
        let read = &self.read[spot];
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
        let spot = self.flat.entry(root);
        let rows = self.entry_rows(spot, &[])?;
        let mut found: Vec<LocalId> =
            rows.into_iter().map(|row| self.number_local(LocalState { spot, atomic: false, row })).collect();
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// Rows with an activation at a spot just entered: arguments as given, the rest as it may be.
    fn entry_rows(&self, spot: SpotId, arguments: &[bool]) -> Result<Vec<Values>, TooManyChoices> {
        let place = &self.flat.spots[spot];
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
        let mut found = self.single_steps(shared, local)?;
        if self.compression == Compression::LocalSteps && found.failure.is_none() {
            found = self.compressed(found)?;
        }
        let found = Arc::new(found);
        self.known.insert((shared, local), found.clone());
        Ok(found)
    }

    /// Joins local steps to each step, as long as there is no loop in them.
    fn compressed(&mut self, first: Possibilities) -> Result<Possibilities, TooManyChoices> {
        let mut done = Possibilities::default();
        let mut open = first.steps;
        while let Some(step) = open.pop() {
            let last = step.last().expect("a step has an edge");
            let (shared, local) = (last.shared, last.local);
            let goes_on = local.filter(|local| self.unseen[self.locals[local.index()].spot]);
            let Some(local) = goes_on else {
                done.steps.push(step);
                continue;
            };
            // The spots nobody sees form no loop, so this ends.
            let more = self.single_steps(shared, local)?;
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

    fn single_steps(&mut self, shared: SharedId, local: LocalId) -> Result<Possibilities, TooManyChoices> {
        let mut found = Possibilities::default();
        let (before, thread) = (self.shared(shared), self.local(local));
        if before.atomic && !thread.atomic {
            return Ok(found);
        }
        let mut results = Vec::new();
        if before.open.is_disjoint_from(&self.read[thread.spot]) {
            for step in &self.flat.spots[thread.spot].edges {
                results.push((step.edge, None, self.outcomes(before, thread, step)?));
            }
        } else {
            for settled in self.settle(before, thread.spot)? {
                for step in &self.flat.spots[thread.spot].edges {
                    let outcomes = self.outcomes(&settled, thread, step)?;
                    results.push((step.edge, Some(settled.clone()), outcomes));
                }
            }
        }
        for (edge, settled, outcomes) in results {
            let settled = settled.map(|state| self.number_shared(state));
            if outcomes.fails && found.failure.is_none() {
                found.failure = Some(Failure { settled, way: Vec::new(), edge });
            }
            for after in outcomes.after {
                let shared = self.number_shared(after.shared);
                let local = after.local.map(|state| self.number_local(state));
                let started = after.started.map(|state| self.number_local(state));
                let micro = vec![MicroStep { edge, settled, shared, local, started }];
                if !found.steps.contains(&micro) {
                    found.steps.push(micro);
                }
            }
        }
        Ok(found)
    }

    fn can(&self, expr: &Expr, shared: &SharedState, thread: &LocalState) -> Possible {
        let context = self.flat.spots[thread.spot].context;
        expr.possible(&|variable, _| self.value(context, &shared.globals, &thread.row, variable))
    }

    fn value(&self, context: ContextId, globals: &Values, row: &Values, variable: VariableId) -> bool {
        match self.flat.slot(context, variable) {
            Some(slot) => row.get(slot),
            None => globals.get(self.flat.program.variables()[variable].slot),
        }
    }

    fn set(
        &self,
        context: ContextId,
        globals: &mut Values,
        row: &mut Values,
        variable: VariableId,
        value: bool,
    ) {
        match self.flat.slot(context, variable) {
            Some(slot) => row.set(slot, value),
            None => globals.set(self.flat.program.variables()[variable].slot, value),
        }
    }

    /// Takes an edge with every choice, on rows as they are.
    pub(super) fn outcomes(
        &self,
        before: &SharedState,
        thread: &LocalState,
        step: &FlatEdge,
    ) -> Result<Outcomes, TooManyChoices> {
        let context = self.flat.spots[thread.spot].context;
        let edge = self.flat.edge(step);
        let mut found = Outcomes { after: Vec::new(), fails: false };
        if !self.can(&edge.guard, before, thread).yes {
            return Ok(found);
        }
        let possible =
            |all: &[Expr]| all.iter().map(|expr| self.can(expr, before, thread)).collect::<Vec<_>>();
        let with = |globals: Values, row: Values, atomic: bool, started: Option<Values>| {
            // Who ends inside an atomic section leaves it.
            let atomic = atomic && step.to.is_some();
            After {
                shared: SharedState { globals, open: before.open.clone(), atomic },
                local: step.to.map(|spot| LocalState { spot, atomic, row }),
                started: started.map(|row| {
                    let spot = step.starts.expect("a new thread begins somewhere");
                    LocalState { spot, atomic: false, row }
                }),
            }
        };
        let same = |atomic: bool| with(before.globals.clone(), thread.row.clone(), atomic, None);
        match &edge.action {
            Action::Assign { assignments, constraint } => {
                let values: Vec<Possible> =
                    assignments.iter().map(|(_, value)| self.can(value, before, thread)).collect();
                combinations(&values, &mut |chosen| {
                    let (mut globals, mut row) = (before.globals.clone(), thread.row.clone());
                    for ((target, _), &value) in assignments.iter().zip(chosen) {
                        self.set(context, &mut globals, &mut row, *target, value);
                    }
                    let value = |variable, is_next| match is_next {
                        true => self.value(context, &globals, &row, variable),
                        false => self.value(context, &before.globals, &thread.row, variable),
                    };
                    if constraint.possible(&value).yes {
                        let mut after = with(globals, row, thread.atomic, None);
                        self.close(&mut after.shared, assignments.iter().map(|(target, _)| *target));
                        found.after.push(after);
                    }
                })?;
            }
            Action::Assert { condition } => {
                let possible = self.can(condition, before, thread);
                found.fails = possible.no;
                if possible.yes {
                    found.after.push(same(thread.atomic));
                }
            }
            Action::Error { .. } => found.fails = true,
            Action::Call { arguments, .. } => {
                let entry = step.to.expect("a call leads into its callee");
                let offset = self.flat.contexts[self.flat.spots[entry].context].offset;
                for arguments in all_combinations(&possible(arguments))? {
                    for mut row in self.entry_rows(entry, &arguments)? {
                        (0..offset).for_each(|slot| row.set(slot, thread.row.get(slot)));
                        found.after.push(with(before.globals.clone(), row, thread.atomic, None));
                    }
                }
            }
            Action::Return { values } => match self.flat.call_of(context) {
                None => found.after.push(same(false)),
                Some((caller, call)) => {
                    let Action::Call { results: targets, .. } = &call.action else {
                        panic!("a caller waits for a call")
                    };
                    // Values nobody takes are not chosen.
                    let allowed: Vec<Possible> = targets
                        .iter()
                        .zip(values)
                        .map(|(target, value)| match target {
                            Some(_) => self.can(value, before, thread),
                            None => Possible { yes: false, no: true },
                        })
                        .collect();
                    combinations(&allowed, &mut |chosen| {
                        let (mut globals, mut row) = (before.globals.clone(), thread.row.clone());
                        for (target, &value) in targets.iter().zip(chosen) {
                            if let Some(target) = target {
                                self.set(caller, &mut globals, &mut row, *target, value);
                            }
                        }
                        let mut after = with(globals, row, thread.atomic, None);
                        self.close(&mut after.shared, targets.iter().flatten().copied());
                        found.after.push(after);
                    })?;
                }
            },
            Action::Async { arguments, .. } => {
                let entry = step.starts.expect("an asynchronous call starts a thread");
                for arguments in all_combinations(&possible(arguments))? {
                    for row in self.entry_rows(entry, &arguments)? {
                        let (globals, own) = (before.globals.clone(), thread.row.clone());
                        found.after.push(with(globals, own, thread.atomic, Some(row)));
                    }
                }
            }
            Action::StartThread { at } => {
                let procedure = self.flat.program.procedure_of(*at);
                let length = self.flat.program.procedures()[procedure].variables.len();
                let copy = self.flat.row_of(&self.flat.activation(context, &thread.row), length);
                let (globals, own) = (before.globals.clone(), thread.row.clone());
                found.after.push(with(globals, own, thread.atomic, Some(copy)));
            }
            Action::EndThread | Action::AtomicEnd => found.after.push(same(false)),
            Action::AtomicBegin => found.after.push(same(true)),
        }
        Ok(found)
    }

    /// What was assigned is open no longer.
    fn close(&self, shared: &mut SharedState, assigned: impl Iterator<Item = VariableId>) {
        for variable in assigned.map(|id| &self.flat.program.variables()[id]) {
            if variable.scope == Scope::Global {
                shared.open.set(variable.slot, false);
            }
        }
    }

    /// The local state with what does not matter any more set to false.
    pub(super) fn canonical(&self, mut state: LocalState) -> LocalState {
        state.row.keep_only(&self.flat.spots[state.spot].live);
        state
    }
}

/// The result of an edge, before it is numbered.
pub(super) struct After {
    pub(super) shared: SharedState,
    pub(super) local: Option<LocalState>,
    pub(super) started: Option<LocalState>,
}

/// All results of an edge.
pub(super) struct Outcomes {
    pub(super) after: Vec<After>,
    pub(super) fails: bool,
}

fn row(values: impl ExactSizeIterator<Item = bool>) -> Values {
    let mut row = Values::falses(values.len());
    values.enumerate().for_each(|(slot, value)| row.set(slot, value));
    row
}

/// Globals that the steps of a spot may read.
fn globals_read(flat: &FlatProgram<'_>, spot: SpotId) -> Values {
    let mut read = Values::falses(flat.program.globals().len());
    let mut look = |expr: &Expr, assigned: &[(VariableId, Expr)]| {
        expr.for_each_variable(&mut |id, is_next| {
            let variable = &flat.program.variables()[id];
            let is_new = is_next && assigned.iter().any(|(target, _)| *target == id);
            if variable.scope == Scope::Global && !is_new {
                read.set(variable.slot, true);
            }
        });
    };
    for step in &flat.spots[spot].edges {
        let edge = flat.edge(step);
        look(&edge.guard, &[]);
        match &edge.action {
            Action::Assign { assignments, constraint } => {
                assignments.iter().for_each(|(_, value)| look(value, &[]));
                look(constraint, assignments);
            }
            Action::Assert { condition } => look(condition, &[]),
            Action::Call { arguments: values, .. }
            | Action::Return { values }
            | Action::Async { arguments: values, .. } => values.iter().for_each(|value| look(value, &[])),
            Action::Error { .. }
            | Action::StartThread { .. }
            | Action::EndThread
            | Action::AtomicBegin
            | Action::AtomicEnd => {}
        }
    }
    read
}

fn all_combinations(allowed: &[Possible]) -> Result<Vec<Vec<bool>>, TooManyChoices> {
    let mut found = Vec::new();
    combinations(allowed, &mut |chosen| found.push(chosen.to_vec()))?;
    Ok(found)
}

/// Calls `visit` with every choice of one possible value each.
fn combinations(allowed: &[Possible], visit: &mut impl FnMut(&[bool])) -> Result<(), TooManyChoices> {
    let free: Vec<usize> = (0..allowed.len()).filter(|at| allowed[*at].yes && allowed[*at].no).collect();
    if free.len() > MOST_CHOICES {
        return Err(TooManyChoices);
    }
    if allowed.iter().any(|possible| !possible.yes && !possible.no) {
        return Ok(());
    }
    let mut chosen: Vec<bool> = allowed.iter().map(|possible| possible.yes && !possible.no).collect();
    for bits in 0..1u32 << free.len() {
        free.iter().enumerate().for_each(|(bit, at)| chosen[*at] = bits >> bit & 1 == 1);
        visit(&chosen);
    }
    Ok(())
}

/// Does a step read or write anything that other threads can read or write?
fn touches_shared(flat: &FlatProgram<'_>, step: &FlatEdge) -> bool {
    let edge = flat.edge(step);
    let is_global = |variable: VariableId| flat.program.variables()[variable].scope == Scope::Global;
    let mut touched = false;
    let mut look = |expr: &Expr| expr.for_each_variable(&mut |variable, _| touched |= is_global(variable));
    look(&edge.guard);
    match &edge.action {
        Action::Assign { assignments, constraint } => {
            look(constraint);
            assignments.iter().for_each(|(_, value)| look(value));
            touched |= assignments.iter().any(|(target, _)| is_global(*target));
        }
        Action::Assert { condition } => look(condition),
        Action::Call { arguments, .. } => arguments.iter().for_each(look),
        Action::Return { values } => {
            values.iter().for_each(look);
            // Results may be globals, and a thread that ends makes room for another one.
            touched |= step.to.is_none() || returns_to_global(flat, edge.from, &is_global);
        }
        Action::Error { .. } => {}
        Action::Async { .. }
        | Action::StartThread { .. }
        | Action::EndThread
        | Action::AtomicBegin
        | Action::AtomicEnd => touched = true,
    }
    touched
}

fn returns_to_global(
    flat: &FlatProgram<'_>,
    node: crate::graph::NodeId,
    is_global: &impl Fn(VariableId) -> bool,
) -> bool {
    let procedure = flat.program.procedure_of(node);
    flat.program.edges().iter().any(|edge| match &edge.action {
        Action::Call { callee, results, .. } => {
            *callee == procedure && results.iter().flatten().any(|target| is_global(*target))
        }
        _ => false,
    })
}

/// Spots all of whose steps are local, without those that would close a loop of such spots.
fn spots_nobody_sees(flat: &FlatProgram<'_>) -> IndexVec<SpotId, bool> {
    let local = |spot: SpotId| {
        let edges = &flat.spots[spot].edges;
        !edges.is_empty() && edges.iter().all(|step| !touches_shared(flat, step))
    };
    let mut unseen: IndexVec<SpotId, bool> = flat.spots.ids().map(local).collect();
    // Depth first: a spot that is met again while it is open closes a loop and is seen from then on.
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks: IndexVec<SpotId, Mark> = IndexVec::filled(Mark::New, flat.spots.len());
    for root in flat.spots.ids() {
        if marks[root] != Mark::New || !unseen[root] {
            continue;
        }
        let mut stack = vec![(root, 0)];
        marks[root] = Mark::Open;
        while let Some((spot, next)) = stack.pop() {
            let Some(step) = flat.spots[spot].edges.get(next) else {
                marks[spot] = Mark::Done;
                continue;
            };
            stack.push((spot, next + 1));
            if let Some(to) = step.to.filter(|to| unseen[*to]) {
                match marks[to] {
                    Mark::New => {
                        marks[to] = Mark::Open;
                        stack.push((to, 0));
                    }
                    Mark::Open => unseen[to] = false,
                    Mark::Done => {}
                }
            }
        }
    }
    unseen
}
