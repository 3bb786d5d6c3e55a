//! The fixpoint: path edges grow node by node, summaries grow procedure by procedure.

use super::context::{CallSite, Context};
use super::invariant::Invariant;
use super::relation::Step;
use super::settings::SummarySettings;
use super::walk;
use super::worklist::WorkList;
use crate::analysis::call_shape;
use crate::concretise::replayed_alone;
use crate::graph::{Action, EdgeId, NodeId, ProcedureId, Program};
use crate::setup::Setup;
use crate::trace::Trace;
use base::{Exhausted, IndexVec};
use logic::bdd::{Bdd, NodeLimitReached, Renaming};
use question::{Decided, Monitor, Searched};
use std::rc::Rc;
use verdict::{Reason, Statistics, Undecided};

/// Answers for a sequential program, recursive or not. Never gives a trace that was not replayed.
pub fn check_by_summaries(
    program: &Program,
    setup: &Setup,
    settings: SummarySettings,
    monitor: Monitor<'_>,
    statistics: &mut Statistics,
) -> Searched<Trace> {
    solve(program, setup, settings, monitor, statistics, |_| ())
}

/// The same with the invariant that shows it, if it holds.
pub fn prove_by_summaries(
    program: &Program,
    setup: &Setup,
    settings: SummarySettings,
    monitor: Monitor<'_>,
    statistics: &mut Statistics,
) -> Result<Decided<Invariant, Trace>, Undecided> {
    solve(program, setup, settings, monitor, statistics, Invariant::of)
}

/// The proof takes time and memory, so it is read off only if it is wanted.
fn solve<Proof>(
    program: &Program,
    setup: &Setup,
    settings: SummarySettings,
    monitor: Monitor<'_>,
    statistics: &mut Statistics,
    proof: impl FnOnce(&Engine<'_, '_>) -> Proof,
) -> Result<Decided<Proof, Trace>, Undecided> {
    if !setup.is_sequential(program) {
        let why = "it takes sequential programs; this one can have several threads".to_string();
        return Err(Undecided::because(Reason::EngineCannot { engine: "bdd", why }));
    }
    let context = Context::new(program, settings);
    let mut engine = Engine::new(&context, monitor);
    let found = engine.run(setup).map_err(|stop| stop.undecided(&engine));
    statistics.count("path_edge_sets", engine.path_edge_sets as u64);
    statistics.count("summary_sets", engine.summary_sets as u64);
    statistics.count("bdd_variables", context.places.manager.statistics().variables as u64);
    found.map(|trace| match trace {
        Some(trace) => Decided::Violated(trace),
        None => Decided::Proved(proof(&engine)),
    })
}

/// Why the fixpoint was not reached.
pub(super) enum Stop {
    Nodes(NodeLimitReached),
    Limit(Exhausted),
    Open(Undecided),
}

impl From<NodeLimitReached> for Stop {
    fn from(reached: NodeLimitReached) -> Stop {
        Stop::Nodes(reached)
    }
}

impl From<Exhausted> for Stop {
    fn from(limit: Exhausted) -> Stop {
        Stop::Limit(limit)
    }
}

impl Stop {
    fn undecided(self, engine: &Engine<'_, '_>) -> Undecided {
        let seen = format!(
            "{} of {} procedures were entered, no failure was found in {} sets of path edges",
            engine.procedures.iter().filter(|known| !known.entries.is_false()).count(),
            engine.context.program.procedures().len(),
            engine.path_edge_sets
        );
        match self {
            Stop::Nodes(NodeLimitReached { limit }) => {
                Undecided::because(Reason::SizeLimit { what: "BDD nodes", limit: limit as u64 })
                    .proved(seen)
                    .try_next("try `--engine sat`")
            }
            Stop::Limit(limit) => Undecided::from(limit).proved(seen),
            Stop::Open(open) => open,
        }
    }
}

/// How states came to a node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Initial,
    Entered,
    Stepped,
}

/// States that came to a node at one time.
pub(super) struct Ring {
    pub time: usize,
    pub states: Bdd,
    pub origin: Origin,
}

/// What is known of a node: states it was reached with, those not looked at yet, and when they came.
pub(super) struct NodeStates {
    pub reached: Bdd,
    pending: Bdd,
    pub rings: Vec<Ring>,
}

pub(super) struct ProcedureStates {
    pub entries: Bdd,
    summary: Bdd,
    /// In the caller's variables.
    summary_for_callers: Bdd,
    /// In the caller's variables, with their times.
    pub summary_rings: Vec<(usize, Bdd)>,
    to_caller: Option<Rc<Renaming>>,
    pub called_by: Vec<EdgeId>,
}

pub(super) struct Engine<'c, 'p> {
    pub context: &'c Context<'p>,
    monitor: Monitor<'c>,
    pub nodes: IndexVec<NodeId, NodeStates>,
    pub procedures: IndexVec<ProcedureId, ProcedureStates>,
    steps: IndexVec<EdgeId, Option<Rc<Step>>>,
    call_sites: IndexVec<EdgeId, Option<Rc<CallSite>>>,
    failures: IndexVec<EdgeId, Option<Bdd>>,
    work: WorkList,
    time: usize,
    /// Sets of path edges added to nodes.
    path_edge_sets: usize,
    /// Sets of summary edges added to procedures.
    summary_sets: usize,
}

impl<'c, 'p> Engine<'c, 'p> {
    fn new(context: &'c Context<'p>, monitor: Monitor<'c>) -> Engine<'c, 'p> {
        let program = context.program;
        let nothing = context.places.manager.constant(false);
        let node = |_| NodeStates { reached: nothing.clone(), pending: nothing.clone(), rings: Vec::new() };
        let mut procedures: IndexVec<ProcedureId, ProcedureStates> = program
            .procedures()
            .ids()
            .map(|_| ProcedureStates {
                entries: nothing.clone(),
                summary: nothing.clone(),
                summary_for_callers: nothing.clone(),
                summary_rings: Vec::new(),
                to_caller: None,
                called_by: Vec::new(),
            })
            .collect();
        for (id, edge) in program.edges().iter_enumerated() {
            if let Action::Call { callee, .. } = edge.action {
                procedures[callee].called_by.push(id);
            }
        }
        let edges = program.edges().len();
        Engine {
            context,
            monitor,
            nodes: program.nodes().ids().map(node).collect(),
            procedures,
            steps: program.edges().ids().map(|_| None).collect(),
            call_sites: program.edges().ids().map(|_| None).collect(),
            failures: IndexVec::filled(None, edges),
            work: WorkList::new(program, &call_shape(program), context.settings.work_list),
            time: 0,
            path_edge_sets: 0,
            summary_sets: 0,
        }
    }

    /// A run into a failure, if there is one.
    fn run(&mut self, setup: &Setup) -> Result<Option<Trace>, Stop> {
        self.begin(setup.roots[0])?;
        while let Some(node) = self.work.pop() {
            self.monitor.count("sets of path edges", self.path_edge_sets);
            self.monitor.check()?;
            let nothing = self.context.places.manager.constant(false);
            let states = std::mem::replace(&mut self.nodes[node].pending, nothing);
            for &edge in self.context.program.outgoing(node) {
                if let Some(failing) = self.follow(edge, &states)? {
                    return self.violated(setup, edge, &failing).map(Some);
                }
            }
        }
        Ok(None)
    }

    fn begin(&mut self, root: ProcedureId) -> Result<(), Stop> {
        let (context, program) = (self.context, self.context.program);
        let mut fixed = Vec::new();
        for slot in context.entry_globals(root) {
            if let Some(value) = program.initial()[slot] {
                fixed.push((context.places.globals[slot].entry, value));
            }
        }
        let entries = context.places.manager.cube(&fixed)?;
        self.enter(root, &entries, Origin::Initial)
    }

    fn enter(&mut self, procedure: ProcedureId, entries: &Bdd, origin: Origin) -> Result<(), Stop> {
        let known = &mut self.procedures[procedure];
        let new = entries.minus(&known.entries)?;
        if new.is_false() {
            return Ok(());
        }
        known.entries = known.entries.or(&new)?;
        let states = new.and(&self.context.identity(procedure)?)?;
        self.insert(self.context.program.procedures()[procedure].entry, &states, origin)
    }

    fn insert(&mut self, node: NodeId, states: &Bdd, origin: Origin) -> Result<(), Stop> {
        let known = &mut self.nodes[node];
        let new = states.minus(&known.reached)?;
        if new.is_false() {
            return Ok(());
        }
        known.reached = known.reached.or(&new)?;
        known.pending = known.pending.or(&new)?;
        self.time += 1;
        known.rings.push(Ring { time: self.time, states: new, origin });
        self.path_edge_sets += 1;
        self.work.push(node);
        Ok(())
    }

    /// Follows an edge; the states in which it fails, if there are.
    fn follow(&mut self, id: EdgeId, states: &Bdd) -> Result<Option<Bdd>, Stop> {
        let edge = &self.context.program.edges()[id];
        match &edge.action {
            Action::Assert { .. } | Action::Error { .. } => {
                let failing = states.and(&self.failure(id)?)?;
                if !failing.is_false() {
                    return Ok(Some(failing));
                }
                if matches!(edge.action, Action::Assert { .. }) {
                    let after = self.step(id)?.image(states)?;
                    self.insert(edge.to, &after, Origin::Stepped)?;
                }
            }
            Action::Call { callee, .. } => {
                let site = self.call_site(id)?;
                let entries = site.entering.image(states)?;
                self.enter(*callee, &entries, Origin::Entered)?;
                let summary = self.procedures[*callee].summary_for_callers.clone();
                if !summary.is_false() {
                    let after = site.apply(states, &summary)?;
                    self.insert(edge.to, &after, Origin::Stepped)?;
                }
            }
            Action::Return { .. } => {
                let summary = self.step(id)?.image(states)?;
                self.summarise(self.context.program.procedure_of(edge.from), &summary)?;
            }
            Action::EndThread => {}
            // Threads are not started here: the question allows one only.
            Action::Assign { .. }
            | Action::Async { .. }
            | Action::StartThread { .. }
            | Action::AtomicBegin
            | Action::AtomicEnd => {
                let after = self.step(id)?.image(states)?;
                self.insert(edge.to, &after, Origin::Stepped)?;
            }
        }
        Ok(None)
    }

    /// New summary edges: every caller that waits for them goes on.
    fn summarise(&mut self, procedure: ProcedureId, summary: &Bdd) -> Result<(), Stop> {
        let known = &mut self.procedures[procedure];
        let new = summary.minus(&known.summary)?;
        if new.is_false() {
            return Ok(());
        }
        known.summary = known.summary.or(&new)?;
        let renaming = match &known.to_caller {
            Some(renaming) => renaming.clone(),
            None => {
                let renaming = Rc::new(self.context.to_caller(procedure)?);
                known.to_caller = Some(renaming.clone());
                renaming
            }
        };
        let for_callers = new.substitute(&renaming)?;
        known.summary_for_callers = known.summary_for_callers.or(&for_callers)?;
        self.time += 1;
        self.summary_sets += 1;
        known.summary_rings.push((self.time, for_callers.clone()));
        for id in known.called_by.clone() {
            let edge = &self.context.program.edges()[id];
            let states = self.nodes[edge.from].reached.clone();
            if !states.is_false() {
                let after = self.call_site(id)?.apply(&states, &for_callers)?;
                self.insert(edge.to, &after, Origin::Stepped)?;
            }
        }
        Ok(())
    }

    /// The relation of an edge that is no call, made once.
    pub(super) fn step(&mut self, id: EdgeId) -> Result<Rc<Step>, Stop> {
        if let Some(step) = &self.steps[id] {
            return Ok(step.clone());
        }
        let edge = &self.context.program.edges()[id];
        let step = Rc::new(match &edge.action {
            Action::Return { values } => self.context.returning(edge, values)?,
            _ => self.context.plain_step(edge)?,
        });
        self.steps[id] = Some(step.clone());
        Ok(step)
    }

    pub(super) fn call_site(&mut self, id: EdgeId) -> Result<Rc<CallSite>, Stop> {
        if let Some(site) = &self.call_sites[id] {
            return Ok(site.clone());
        }
        let site = Rc::new(self.context.call_site(&self.context.program.edges()[id])?);
        self.call_sites[id] = Some(site.clone());
        Ok(site)
    }

    fn failure(&mut self, id: EdgeId) -> Result<Bdd, Stop> {
        if let Some(failure) = &self.failures[id] {
            return Ok(failure.clone());
        }
        let failure = self.context.failure(&self.context.program.edges()[id])?;
        self.failures[id] = Some(failure.clone());
        Ok(failure)
    }

    /// The way back gives the edges; SAT gives the values; the interpreter has the last word.
    fn violated(&mut self, setup: &Setup, edge: EdgeId, failing: &Bdd) -> Result<Trace, Stop> {
        let longest = self.context.settings.longest_trace;
        let Some(mut path) = walk::way_back(self, edge, failing, longest)? else {
            let reason = Reason::NotConfirmed { why: format!("it has more than {longest} steps") };
            return Err(Stop::Open(Undecided::because(reason)));
        };
        path.reverse();
        replayed_alone(self.context.program, setup, path, self.monitor.budget).map_err(Stop::Open)
    }

    pub(super) fn summary(&self, procedure: ProcedureId) -> &Bdd {
        &self.procedures[procedure].summary
    }

    pub(super) fn check_budget(&self) -> Result<(), Stop> {
        Ok(self.monitor.check()?)
    }
}
