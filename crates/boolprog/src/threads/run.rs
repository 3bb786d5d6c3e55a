//! From a run over numbered states to a trace of the program: threads get names, dead variables get values.

use super::broadcast::BroadcastId;
use super::stacks::Waiting;
use super::thread_state::{LocalId, LocalState, MicroStep, SharedId, SharedState, ThreadStates};
use crate::explicit::{ReplayError, replay};
use crate::graph::{EdgeId, ProcedureId};
use crate::refusal::NotARun;
use crate::setup::Setup;
use crate::trace::{OtherChange, ThreadId, Trace, TraceStep};
use base::Id;
use question::{Decided, Searched};
use verdict::{Reason, Undecided};

/// A run into a failure over numbered states.
#[derive(Clone, Debug)]
pub struct NumberedRun {
    /// The shared state it starts in.
    pub shared: SharedId,
    /// The local states it starts in, one per root of the question, in that order.
    pub locals: Vec<LocalId>,
    /// The steps.
    pub steps: Vec<NumberedStep>,
    /// The local state that fails in the end, and the failing edge.
    pub failure: (LocalId, EdgeId),
    /// The shared state in the end, if open globals must be settled for the failure.
    pub settled: Option<SharedId>,
}

/// A step of a run over numbered states.
#[derive(Clone, Debug)]
pub struct NumberedStep {
    /// Who moves: any thread in this local state.
    pub mover: LocalId,
    /// The edges that it takes.
    pub edges: Vec<MicroStep>,
    /// If one of them is a broadcast: the local states of all other threads before and after it.
    pub others: Vec<(LocalId, LocalId)>,
}

impl NumberedStep {
    /// A step that leaves the others alone.
    pub fn alone(mover: LocalId, edges: Vec<MicroStep>) -> NumberedStep {
        NumberedStep { mover, edges, others: Vec::new() }
    }
}

/// A thread of the run: its row as it is, and who really waits below. Its stack in `local` is the one that
/// the run says; where stacks are summarised the two may part, and then the run is none of the program.
#[derive(Clone)]
struct Walking {
    local: LocalState,
    below: Vec<Waiting>,
}

struct Walker<'a, 'p> {
    states: &'a ThreadStates<'p>,
    setup: &'a Setup,
    shared: SharedState,
    /// By thread; `None` once it has ended.
    threads: Vec<Option<Walking>>,
    trace: Trace,
}

/// The program's own run, checked by the explicit interpreter. What it does not confirm is undecided.
pub fn confirm(states: &ThreadStates<'_>, setup: &Setup, run: &NumberedRun) -> Searched<Trace> {
    let program = states.flat.program;
    let replayed = rebuild(states, setup, run).and_then(|trace| {
        let refused =
            |error: ReplayError| NotARun::from(format!("step {} of the run: {}", error.step, error.why));
        replay(program, setup, &trace).map_err(refused).map(|()| trace)
    });
    replayed.map(Decided::Violated).map_err(|NotARun { why }| {
        let place = program.describe(program.edges()[run.failure.1].from);
        let why = format!("the run to a failure at {place} cannot be replayed: {why}");
        Undecided::because(Reason::NotConfirmed { why })
    })
}

fn rebuild(states: &ThreadStates<'_>, setup: &Setup, run: &NumberedRun) -> Result<Trace, NotARun> {
    let shared = first_shared(states, run);
    let threads = run.locals.iter().map(|id| Some(Walking::alone(states.local(*id).clone()))).collect();
    let started: Vec<(ProcedureId, crate::Values)> = setup
        .roots
        .iter()
        .zip(&run.locals)
        .map(|(root, local)| {
            let local = states.local(*local);
            (*root, states.flat.activation(states.flat.locations[local.location].context, &local.row))
        })
        .collect();
    let trace = Trace { globals: shared.globals.clone(), threads: started, steps: Vec::new() };
    let mut walker = Walker { states, setup, shared, threads, trace };
    for NumberedStep { mover, edges, others } in &run.steps {
        let thread = walker.thread_in(*mover)?;
        for step in edges {
            walker.take(thread, step, others)?;
        }
    }
    let (local, edge) = run.failure;
    let thread = walker.thread_in(local)?;
    walker.fail(thread, edge);
    Ok(walker.trace)
}

/// The shared state at the start: what is open there has the value that the run settles for, if it ever does.
fn first_shared(states: &ThreadStates<'_>, run: &NumberedRun) -> SharedState {
    let mut first = states.shared(run.shared).clone();
    let count = states.flat.program.globals().len();
    let open: Vec<usize> = (0..count).filter(|slot| first.open.get(*slot)).collect();
    for slot in open {
        let micros = run.steps.iter().flat_map(|step| &step.edges);
        let moments = micros
            .flat_map(|micro| micro.settled.map(|id| (id, true)).into_iter().chain([(micro.shared, false)]));
        let known = moments
            .chain(run.settled.map(|id| (id, true)))
            .find(|(id, _)| !states.shared(*id).open.get(slot));
        // Written before it was settled: its first value does not matter.
        let value = known.is_some_and(|(id, is_settled)| is_settled && states.shared(id).globals.get(slot));
        first.globals.set(slot, value);
        first.open.set(slot, false);
    }
    first
}

/// Is the state one of those that the other stands for?
fn is_one_of(state: &SharedState, others: &SharedState, count: usize) -> bool {
    let same = |slot: usize| others.open.get(slot) || state.globals.get(slot) == others.globals.get(slot);
    state.atomic == others.atomic && (0..count).all(same)
}

impl Walking {
    fn alone(local: LocalState) -> Walking {
        Walking { local, below: Vec::new() }
    }
}

impl Walker<'_, '_> {
    /// Some thread that is in the local state, up to what does not matter.
    fn thread_in(&self, local: LocalId) -> Result<usize, NotARun> {
        let wanted = self.states.local(local);
        let is = |thread: &Option<Walking>| {
            thread.as_ref().is_some_and(|Walking { local, .. }| {
                local.location == wanted.location && self.states.canonical(local.clone()) == *wanted
            })
        };
        self.threads.iter().position(is).ok_or_else(|| "no thread is where the run says".into())
    }

    /// Is the state the one that the run says, up to what does not matter and what lies below?
    fn agrees(&self, found: Option<&LocalState>, wanted: Option<LocalId>) -> bool {
        match (found, wanted.map(|id| self.states.local(id))) {
            (None, None) => true,
            (Some(found), Some(wanted)) => {
                let found = LocalState { stack: wanted.stack, ..found.clone() };
                self.states.canonical(found) == *wanted
            }
            _ => false,
        }
    }

    fn take(
        &mut self,
        thread: usize,
        step: &MicroStep,
        others: &[(LocalId, LocalId)],
    ) -> Result<(), NotARun> {
        let states = self.states;
        let Walking { local: before, mut below } =
            self.threads[thread].clone().ok_or("a thread moves that has ended")?;
        let edges = &states.flat.locations[before.location].edges;
        let edge = edges.iter().find(|edge| edge.edge == step.edge).ok_or("the edge is not there")?;
        let callers = below.last().map(std::slice::from_ref);
        let outcomes =
            states.outcomes(&self.shared, &before, edge, callers).map_err(|_| "too many choices")?;
        let running = self.threads.iter().flatten().count();
        let may_start = self.setup.may_start_thread(running);
        let matching = outcomes.after.into_iter().find(|after| {
            is_one_of(&after.shared, states.shared(step.shared), states.flat.program.globals().len())
                && self.agrees(after.local.as_ref(), step.local)
                && (!may_start || self.agrees(after.started.as_ref(), step.started))
                && (states.broadcast_of(step.edge, &self.shared, &before, after).as_ref()
                    == step.broadcast.map(|id| states.broadcast(id)))
        });
        let after = matching.ok_or("no choice leads where the run says")?;
        let activation = |local: &LocalState| {
            states.flat.activation(states.flat.locations[local.location].context, &local.row)
        };
        let others = match step.broadcast {
            Some(id) => self.tell_others(thread, id, others)?,
            None => Vec::new(),
        };
        let started = after.started.filter(|_| may_start);
        self.trace.steps.push(TraceStep {
            thread: ThreadId::from_index(thread),
            edge: step.edge,
            globals: after.shared.globals.clone(),
            locals: after.local.as_ref().map(activation),
            spawned: started.as_ref().map(activation),
            others,
        });
        self.shared = after.shared;
        if let Some(waiting) = after.waits {
            below.push(waiting);
        } else if states.flat.comes_back(edge) {
            below.pop();
        }
        self.threads[thread] = after.local.zip(step.local).map(|(local, said)| {
            let stack = states.local(said).stack;
            Walking { local: LocalState { stack, ..local }, below }
        });
        self.threads.extend(started.map(|local| Some(Walking::alone(local))));
        Ok(())
    }

    /// Changes all threads but the mover as a broadcast does and the run says; tells which activations have
    /// changed.
    fn tell_others(
        &mut self,
        mover: usize,
        broadcast: BroadcastId,
        others: &[(LocalId, LocalId)],
    ) -> Result<Vec<OtherChange>, NotARun> {
        let states = self.states;
        let mut said: Vec<(LocalId, LocalId)> = others.to_vec();
        let mut changes = Vec::new();
        for index in (0..self.threads.len()).filter(|index| *index != mover) {
            let Some(Walking { local, .. }) = &mut self.threads[index] else { continue };
            let before = states.canonical(local.clone());
            let at = said.iter().position(|(from, _)| *states.local(*from) == before);
            let (_, to) = said.swap_remove(at.ok_or("the run says nothing about a thread")?);
            let rows = states
                .rows_told(states.broadcast(broadcast), local.location, &local.row)
                .map_err(|_| "too many choices")?;
            let is_meant = |row: &&crate::Values| {
                states.canonical(LocalState { row: (*row).clone(), ..local.clone() }) == *states.local(to)
            };
            let row = rows.iter().find(is_meant).ok_or("another thread cannot become what the run says")?;
            changes.extend(changed_activations(states, index, local, row));
            local.row = row.clone();
        }
        Ok(changes)
    }

    fn fail(&mut self, thread: usize, edge: EdgeId) {
        let Walking { local, .. } = self.threads[thread].as_ref().expect("a thread that runs was found");
        let context = self.states.flat.locations[local.location].context;
        self.trace.steps.push(TraceStep {
            thread: ThreadId::from_index(thread),
            edge,
            globals: self.shared.globals.clone(),
            locals: Some(self.states.flat.activation(context, &local.row)),
            spawned: None,
            others: Vec::new(),
        });
    }
}

/// The activations of a thread whose variables differ in another row.
fn changed_activations(
    states: &ThreadStates<'_>,
    thread: usize,
    local: &LocalState,
    row: &crate::Values,
) -> Vec<OtherChange> {
    let mut contexts = vec![states.flat.locations[local.location].context];
    while let Some((caller, _)) = contexts.last().and_then(|last| states.flat.call_of(*last)) {
        contexts.push(caller);
    }
    let mut found = Vec::new();
    for (depth, context) in contexts.into_iter().rev().enumerate() {
        let (before, locals) =
            (states.flat.activation(context, &local.row), states.flat.activation(context, row));
        if before != locals {
            found.push(OtherChange { thread: ThreadId::from_index(thread), depth, locals });
        }
    }
    found
}
