//! The fixpoint: path edges grow node by node, summaries grow procedure by procedure.

use super::context::{CallSite, Context};
use super::invariant::Invariant;
use super::relation::Step;
use super::settings::SummarySettings;
use super::walk;
use super::worklist::WorkList;
use crate::analysis::call_shape;
use crate::concretise::concretise;
use crate::explicit::replay;
use crate::graph::{Action, EdgeId, NodeId, ProcedureId, Program};
use crate::setup::{SearchResult, Setup};
use crate::trace::ThreadId;
use base::{Budget, Exhausted, Id, IndexVec};
use logic::bdd::{Bdd, NodeLimitReached, Renaming};
use std::rc::Rc;
use verdict::{Reason, Undecided};

/// Figures of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SummaryStatistics {
    /// Sets of path edges added to nodes.
    pub path_edge_sets: usize,
    /// Sets of summary edges added to procedures.
    pub summary_sets: usize,
    /// BDD nodes stored at the end, garbage included.
    pub bdd_nodes: usize,
    /// BDD variables.
    pub bdd_variables: usize,
}

/// What the engine found.
#[derive(Clone, Debug)]
pub struct SummaryResult {
    /// The answer.
    pub outcome: SearchResult,
    /// What it took.
    pub statistics: SummaryStatistics,
}

/// Answers for a sequential program, recursive or not. Never gives a trace that was not replayed.
pub fn check_by_summaries(
    program: &Program,
    setup: &Setup,
    settings: SummarySettings,
    budget: &Budget,
) -> SummaryResult {
    solve(program, setup, settings, budget, Wanted::Answer).0
}

/// The same with the invariant that shows it, if it holds.
pub fn prove_by_summaries(
    program: &Program,
    setup: &Setup,
    settings: SummarySettings,
    budget: &Budget,
) -> (SummaryResult, Option<Invariant>) {
    solve(program, setup, settings, budget, Wanted::Proof)
}

/// Is the invariant wanted too? It takes time and memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Answer,
    Proof,
}

fn solve(
    program: &Program,
    setup: &Setup,
    settings: SummarySettings,
    budget: &Budget,
    wanted: Wanted,
) -> (SummaryResult, Option<Invariant>) {
    if !setup.is_sequential(program) {
        let why = "it takes sequential programs; this one can have several threads".to_string();
        let open = Undecided::because(Reason::EngineCannot { engine: "bdd", why });
        let statistics = SummaryStatistics::default();
        return (SummaryResult { outcome: SearchResult::Undecided(open), statistics }, None);
    }
    let context = Context::new(program, settings);
    let mut engine = Engine::new(&context, budget);
    let outcome = match engine.run(setup) {
        Ok(outcome) => outcome,
        Err(stop) => SearchResult::Undecided(stop.undecided(&engine)),
    };
    let bdd = context.places.manager.statistics();
    let statistics =
        SummaryStatistics { bdd_nodes: bdd.nodes, bdd_variables: bdd.variables, ..engine.statistics };
    let is_proof = wanted == Wanted::Proof && matches!(outcome, SearchResult::Holds);
    let invariant = is_proof.then(|| Invariant::of(&engine));
    (SummaryResult { outcome, statistics }, invariant)
}

/// Why the fixpoint was not reached.
pub(super) enum Stop {
    Nodes(NodeLimitReached),
    Limit(Exhausted),
    Open(Box<Undecided>),
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
            engine.statistics.path_edge_sets
        );
        match self {
            Stop::Nodes(NodeLimitReached { limit }) => {
                Undecided::because(Reason::SizeLimit { what: "BDD nodes", limit: limit as u64 })
                    .proved(seen)
                    .try_next("try `--engine sat`")
            }
            Stop::Limit(limit) => Undecided::from(limit).proved(seen),
            Stop::Open(open) => *open,
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
    budget: &'c Budget,
    pub nodes: IndexVec<NodeId, NodeStates>,
    pub procedures: IndexVec<ProcedureId, ProcedureStates>,
    steps: IndexVec<EdgeId, Option<Rc<Step>>>,
    call_sites: IndexVec<EdgeId, Option<Rc<CallSite>>>,
    failures: IndexVec<EdgeId, Option<Bdd>>,
    work: WorkList,
    time: usize,
    statistics: SummaryStatistics,
}

impl<'c, 'p> Engine<'c, 'p> {
    fn new(context: &'c Context<'p>, budget: &'c Budget) -> Engine<'c, 'p> {
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
            budget,
            nodes: program.nodes().ids().map(node).collect(),
            procedures,
            steps: program.edges().ids().map(|_| None).collect(),
            call_sites: program.edges().ids().map(|_| None).collect(),
            failures: IndexVec::filled(None, edges),
            work: WorkList::new(program, &call_shape(program), context.settings.work_list),
            time: 0,
            statistics: SummaryStatistics::default(),
        }
    }

    fn run(&mut self, setup: &Setup) -> Result<SearchResult, Stop> {
        self.begin(setup.roots[0])?;
        while let Some(node) = self.work.pop() {
            self.budget.check()?;
            let nothing = self.context.places.manager.constant(false);
            let states = std::mem::replace(&mut self.nodes[node].pending, nothing);
            for &edge in self.context.program.outgoing(node) {
                if let Some(failing) = self.follow(edge, &states)? {
                    return self.violated(setup, edge, &failing);
                }
            }
        }
        Ok(SearchResult::Holds)
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
        self.statistics.path_edge_sets += 1;
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
        self.statistics.summary_sets += 1;
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
    fn violated(&mut self, setup: &Setup, edge: EdgeId, failing: &Bdd) -> Result<SearchResult, Stop> {
        let longest = self.context.settings.longest_trace;
        let Some(mut path) = walk::way_back(self, edge, failing, longest)? else {
            let reason = Reason::NotConfirmed { why: format!("it has more than {longest} steps") };
            return Err(Stop::Open(Box::new(Undecided::because(reason))));
        };
        path.reverse();
        let thread: ThreadId = Id::from_index(0);
        let path: Vec<_> = path.into_iter().map(|edge| (thread, edge)).collect();
        let program = self.context.program;
        let trace = concretise(program, setup, &path, self.budget).map_err(Stop::Open)?;
        let Some(trace) = trace else { panic!("the way back from a reached state is a run") };
        if let Err(error) = replay(program, setup, &trace) {
            panic!("the interpreter refuses step {} of the run: {}", error.step, error.why);
        }
        Ok(SearchResult::Violated(trace))
    }

    pub(super) fn summary(&self, procedure: ProcedureId) -> &Bdd {
        &self.procedures[procedure].summary
    }

    pub(super) fn check_budget(&self) -> Result<(), Stop> {
        Ok(self.budget.check()?)
    }
}
