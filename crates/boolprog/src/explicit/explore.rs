//! Explicit-state exploration: all reachable states, breadth first. Threads that look alike are
//! interchangeable: a state's threads are sorted.

use super::live::kept_over_call;
use super::state::{State, Thread};
use super::step::{After, Stepper, TooManyChoices};
use super::{ReplayError, replay};
use crate::graph::{Action, EdgeId, ProcedureId, Program};
use crate::setup::Setup;
use crate::trace::{OtherChange, ThreadId, Trace, TraceStep};
use crate::values::Values;
use base::Id;
use indexmap::IndexMap;
use question::{Decided, Monitor, Searched};
use rustc_hash::FxBuildHasher;
use verdict::{Reason, Undecided};

/// Limits of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExplicitSettings {
    /// The most states to keep.
    pub most_states: usize,
    /// The deepest stack to follow; deeper runs make the answer undecided.
    pub deepest_stack: usize,
}

impl Default for ExplicitSettings {
    fn default() -> Self {
        ExplicitSettings { most_states: 3_000_000, deepest_stack: 40 }
    }
}

/// What an exploration found.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The answer.
    pub outcome: Searched<Trace>,
    /// States seen.
    pub states: usize,
}

/// After so many states people who wait hear of them.
const STATES_BETWEEN_NEWS: usize = 1 << 12;

/// A state's predecessor and the edge between them; `None` at the start.
type Origin = Option<(usize, EdgeId)>;
type ReachedStates = IndexMap<State, Origin, FxBuildHasher>;

/// Answers by looking at every reachable state.
pub fn explore(
    program: &Program,
    setup: &Setup,
    settings: ExplicitSettings,
    monitor: Monitor<'_>,
) -> Exploration {
    let explorer = Explorer { stepper: Stepper::new(program, setup), settings };
    let mut seen = ReachedStates::default();
    let outcome = explorer.search(&mut seen, monitor);
    Exploration { outcome, states: seen.len() }
}

pub(super) struct Explorer<'p> {
    pub stepper: Stepper<'p>,
    pub settings: ExplicitSettings,
}

fn size_limit(what: &'static str, limit: usize) -> Undecided {
    let reason = Reason::SizeLimit { what, limit: limit as u64 };
    Undecided::because(reason).try_next("take a symbolic engine (`--engine auto`)")
}

impl From<TooManyChoices> for Undecided {
    fn from(_: TooManyChoices) -> Self {
        size_limit("free choices in one step, which the explicit engine tries one by one", 20)
    }
}

impl Explorer<'_> {
    fn search(&self, seen: &mut ReachedStates, monitor: Monitor<'_>) -> Searched<Trace> {
        let mut too_deep = false;
        for state in self.initial_states()? {
            self.insert(seen, state, None)?;
        }
        let mut at = 0;
        while at < seen.len() {
            if at.is_multiple_of(STATES_BETWEEN_NEWS) {
                monitor.count("states", seen.len());
            }
            monitor.check()?;
            let state = seen.get_index(at).expect("in range").0.clone();
            for position in runnable(&state) {
                for (edge, after) in self.stepper.steps(&state, position)? {
                    match after {
                        After::Failure => return self.violated(seen, at, edge),
                        After::State(next) => {
                            let deep = next.threads.iter().map(|thread| thread.stack.len()).max();
                            if deep.is_some_and(|deep| deep > self.settings.deepest_stack) {
                                too_deep = true;
                                continue;
                            }
                            self.insert(seen, next, Some((at, edge)))?;
                        }
                    }
                }
            }
            at += 1;
        }
        if too_deep {
            return Err(size_limit("activations on a stack", self.settings.deepest_stack));
        }
        Ok(Decided::Proved(()))
    }

    fn insert(&self, seen: &mut ReachedStates, state: State, origin: Origin) -> Result<(), Undecided> {
        if seen.len() >= self.settings.most_states {
            return Err(size_limit("states", self.settings.most_states));
        }
        seen.entry(self.canonical(state)).or_insert(origin);
        Ok(())
    }

    /// Dead locals are false, threads are sorted.
    fn canonical(&self, mut state: State) -> State {
        let program = self.stepper.program;
        for frame in state.threads.iter_mut().flat_map(|thread| &mut thread.stack) {
            match frame.waits_for.map(|call| &program.edges()[call]) {
                None => frame.locals.keep_only(&self.stepper.live[frame.node]),
                Some(call) => {
                    let Action::Call { results, .. } = &call.action else {
                        panic!("a caller waits for a call")
                    };
                    let live = &self.stepper.live[call.to];
                    let kept = kept_over_call(program, live, results, &self.stepper.mixed);
                    frame.locals.keep_only(&kept);
                }
            }
        }
        state.threads.sort();
        state
    }

    pub fn initial_states(&self) -> Result<Vec<State>, Undecided> {
        let program = self.stepper.program;
        let free: Vec<usize> =
            (0..program.globals().len()).filter(|&slot| program.initial()[slot].is_none()).collect();
        if free.len() > 20 {
            return Err(size_limit("globals with any initial value", 20));
        }
        let mut fixed = Values::falses(program.globals().len());
        for (slot, initial) in program.initial().iter().enumerate() {
            fixed.set(slot, *initial == Some(true));
        }
        let mut choices: Vec<Vec<Thread>> = vec![Vec::new()];
        for &root in &self.stepper.setup.roots {
            let entry = program.procedures()[root].entry;
            let entries = self.stepper.entries(root, &[])?;
            choices = choices
                .iter()
                .flat_map(|threads| entries.iter().map(move |locals| (threads, locals)))
                .map(|(threads, locals)| [&threads[..], &[Thread::at(entry, locals.clone())]].concat())
                .collect();
        }
        let mut states = Vec::new();
        for bits in 0..1u32 << free.len() {
            let mut globals = fixed.clone();
            free.iter().enumerate().for_each(|(bit, &slot)| globals.set(slot, bits >> bit & 1 == 1));
            states.extend(
                choices.iter().map(|threads| State { globals: globals.clone(), threads: threads.clone() }),
            );
        }
        Ok(states)
    }

    /// Finds the run again, forwards, with the threads told apart and dead variables kept.
    fn violated(&self, seen: &ReachedStates, last: usize, failing: EdgeId) -> Searched<Trace> {
        let mut way = Vec::new();
        let mut at = last;
        while let Some((before, edge)) = *seen.get_index(at).expect("in range").1 {
            way.push((edge, at));
            at = before;
        }
        way.reverse();
        let first = seen.get_index(at).expect("in range").0.clone();
        let initial = self.initial_states()?.into_iter();
        let first = initial.into_iter().find(|state| self.canonical(state.clone()) == first);
        let mut run = Run::new(first.expect("the run begins in an initial state"), self);
        for (edge, target) in way {
            let target = seen.get_index(target).expect("in range").0;
            run.go(self, edge, target)?;
        }
        run.fail(self, failing)?;
        let trace = run.trace;
        match replay(self.stepper.program, self.stepper.setup, &trace) {
            Ok(()) => Ok(Decided::Violated(trace)),
            Err(ReplayError { step, why }) => {
                let why = format!("step {step} of the explicit trace: {why}");
                Err(Undecided::because(Reason::NotConfirmed { why }))
            }
        }
    }
}

/// The threads that may move: the one in an atomic section, or all.
pub(super) fn runnable(state: &State) -> std::ops::Range<usize> {
    match state.threads.iter().position(|thread| thread.is_atomic) {
        Some(alone) => alone..alone + 1,
        None => 0..state.threads.len(),
    }
}

/// A run with the threads told apart.
#[derive(Clone)]
pub(super) struct Run {
    pub state: State,
    pub numbers: Vec<ThreadId>,
    started: usize,
    pub trace: Trace,
}

impl Run {
    pub fn new(first: State, explorer: &Explorer<'_>) -> Run {
        let roots: &[ProcedureId] = &explorer.stepper.setup.roots;
        let locals = first.threads.iter().map(|thread| thread.top().locals.clone());
        let threads: Vec<_> = roots.iter().copied().zip(locals).collect();
        let trace = Trace { globals: first.globals.clone(), threads, steps: Vec::new() };
        Run {
            numbers: (0..roots.len()).map(Id::from_index).collect(),
            started: roots.len(),
            state: first,
            trace,
        }
    }

    fn go(&mut self, explorer: &Explorer<'_>, edge: EdgeId, target: &State) -> Result<(), TooManyChoices> {
        for position in runnable(&self.state) {
            for (taken, after) in explorer.stepper.steps(&self.state, position)? {
                if let After::State(next) = after
                    && taken == edge
                    && explorer.canonical(next.clone()) == *target
                {
                    self.take(position, edge, next);
                    return Ok(());
                }
            }
        }
        panic!("a step of the search is a step of the run");
    }

    pub fn take(&mut self, position: usize, edge: EdgeId, next: State) {
        let thread = self.numbers[position];
        let before = self.state.threads.len();
        let ended = next.threads.len() < before;
        let spawned = (next.threads.len() > before)
            .then(|| next.threads.last().expect("one was added").top().locals.clone());
        let locals = (!ended).then(|| next.threads[position].top().locals.clone());
        let others = self.changed_by(position, &next);
        if ended {
            self.numbers.remove(position);
        }
        if spawned.is_some() {
            self.numbers.push(Id::from_index(self.started));
            self.started += 1;
        }
        let globals = next.globals.clone();
        self.trace.steps.push(TraceStep { thread, edge, globals, locals, spawned, others });
        self.state = next;
    }

    /// The activations of other threads that are not as before; nobody but the mover ends in a step.
    fn changed_by(&self, mover: usize, next: &State) -> Vec<OtherChange> {
        let mut found = Vec::new();
        let has_ended = next.threads.len() < self.state.threads.len();
        for (position, before) in self.state.threads.iter().enumerate().filter(|(at, _)| *at != mover) {
            let after = &next.threads[position - usize::from(has_ended && position > mover)];
            let frames = before.stack.iter().zip(&after.stack).enumerate();
            for (depth, (_, after)) in frames.filter(|(_, (before, after))| before.locals != after.locals) {
                let (thread, locals) = (self.numbers[position], after.locals.clone());
                found.push(OtherChange { thread, depth, locals });
            }
        }
        found
    }

    fn fail(&mut self, explorer: &Explorer<'_>, edge: EdgeId) -> Result<(), TooManyChoices> {
        for position in runnable(&self.state) {
            for (taken, after) in explorer.stepper.steps(&self.state, position)? {
                if matches!(after, After::Failure) && taken == edge {
                    self.fail_at(position, edge);
                    return Ok(());
                }
            }
        }
        panic!("a failure of the search is a failure of the run");
    }

    /// The last step of a run that fails.
    pub fn fail_at(&mut self, position: usize, edge: EdgeId) {
        let locals = self.state.threads[position].top().locals.clone();
        self.trace.steps.push(TraceStep {
            thread: self.numbers[position],
            edge,
            globals: self.state.globals.clone(),
            locals: Some(locals),
            spawned: None,
            others: Vec::new(),
        });
    }
}
