//! Abstract interpretation (Cousot and Cousot 1977): fixpoints, inside a procedure in weak topological order
//! with delayed widening and narrowing, between procedures by entry states.
//!
//! A procedure is analysed anew for each entry state, up to `Settings::contexts` of them; further ones share
//! one general entry state that is widened when it grows. Procedures that call themselves share one entry and
//! one exit state each, which are widened until nothing changes. What callers know about their own plain
//! variables is put aside during a call.
//!
//! Worked example: `i = 0; while (i < 1000) i++;`. At the head the states {0}, {0..1}, {0..2}, … are joined
//! for a few rounds, then widened to thresholds, which are the program's constants and their neighbours:
//! {0..999}, {0..1000}. Inside the loop `i < 1000` leaves {0..999}, and another round adds nothing: a
//! fixpoint; behind the loop `i >= 1000` leaves {1000}. Had widening gone to the end of the type, narrowing
//! would bring it back: what comes in, {0} and {1..1000}, is less.
//!
//! Twin: `concrete`; values that runs have must lie in the ranges (`values_seen_by_runs_lie_in_the_ranges`).

use crate::call::Call;
use crate::checks::Check;
use crate::context::Context;
use crate::defined;
use crate::described;
use crate::library::{self, CallSite, Effect, Escapes};
use crate::live::Dead;
use crate::memory;
use crate::natives::is_native;
use crate::order::{Element, weak_topological_order};
use crate::promised;
use crate::relate;
use crate::state::{Joining, State, join_into};
use crate::transfer::{RESULT, Transfer};
use base::{Budget, Exhausted, IndexVec};
use program::{Action, Callee, EdgeId, Graph, NodeId, ProcedureId};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};
use std::rc::Rc;

/// Edges from which on a procedure is long.
const LONG: usize = 600;
/// Entry states that are told apart of a procedure where states are not kept apart.
const FEW_CONTEXTS: usize = 6;

/// Why solving stops early.
#[derive(Debug)]
pub enum Stop {
    /// A limit of time, memory or the user was reached.
    Exhausted(Exhausted),
    /// These procedures turn out to call each other in a circle, through pointers.
    Recursion(Vec<ProcedureId>),
}

impl From<Exhausted> for Stop {
    fn from(exhausted: Exhausted) -> Stop {
        Stop::Exhausted(exhausted)
    }
}

base::define_id!(
    /// A procedure together with the entry states it was analysed for.
    InstanceId,
    "i"
);

/// States of which any may hold; mostly one.
pub type Few = SmallVec<[State; 1]>;
/// States at the nodes of a procedure, of which any may hold; none if no run gets there.
pub type States = IndexVec<NodeId, Vec<State>>;
/// One state for each node.
pub type NodeStates = IndexVec<NodeId, Option<State>>;

/// A procedure analysed for some entry states.
#[derive(Debug)]
pub struct Instance {
    /// The procedure that was analysed.
    pub procedure: ProcedureId,
    /// The entry states.
    pub entry: State,
    /// What is known at each node.
    pub nodes: Rc<States>,
    /// What is known at the exit: any of these; none if it never returns.
    pub exit: Vec<State>,
    /// Counts the times it was analysed.
    pub version: u32,
    growths: u32,
}

/// Something that is called and not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingBody {
    /// Its name; `None` if it is called through a pointer of which nothing is known.
    pub function: Option<String>,
    /// Where it is called.
    pub span: base::Span,
}

/// What happened on an edge, for who records it.
#[derive(Default)]
pub struct Visited {
    /// Instances that were called.
    pub called: Vec<InstanceId>,
    /// Something without a body was called.
    pub missing: Option<MissingBody>,
}

/// The fixpoint computation.
pub struct Solver<'a, 'p> {
    /// The program, with the tables that the analysis has of it.
    pub context: &'a Context<'p>,
    pub(crate) budget: &'a Budget,
    orders: FxHashMap<ProcedureId, Rc<Vec<Element>>>,
    dead: FxHashMap<ProcedureId, Rc<Dead>>,
    /// The procedures that were analysed, each for the entries it was called with.
    pub instances: IndexVec<InstanceId, Instance>,
    of_procedure: FxHashMap<ProcedureId, Vec<InstanceId>>,
    general: FxHashMap<ProcedureId, InstanceId>,
    component: FxHashMap<ProcedureId, usize>,
    components: Vec<Vec<ProcedureId>>,
    solving: FxHashSet<usize>,
    has_changed: bool,
    pub(crate) stack: Vec<ProcedureId>,
    /// What missing functions got hold of.
    pub escapes: Escapes,
    /// Procedures that are started at unknown times.
    pub started: FxHashSet<ProcedureId>,
    /// Edges carried out.
    pub steps: u64,
}

impl<'a, 'p> Solver<'a, 'p> {
    /// A solver for a program whose circles of calls are known.
    pub fn new(
        context: &'a Context<'p>,
        budget: &'a Budget,
        components: Vec<Vec<ProcedureId>>,
        escapes: Escapes,
    ) -> Solver<'a, 'p> {
        let component = components
            .iter()
            .enumerate()
            .flat_map(|(at, members)| members.iter().map(move |&member| (member, at)))
            .collect();
        Solver {
            context,
            budget,
            orders: FxHashMap::default(),
            dead: FxHashMap::default(),
            instances: IndexVec::new(),
            of_procedure: FxHashMap::default(),
            general: FxHashMap::default(),
            component,
            components,
            solving: FxHashSet::default(),
            has_changed: false,
            stack: Vec::new(),
            escapes,
            started: FxHashSet::default(),
            steps: 0,
        }
    }

    pub(crate) fn graph(&self, procedure: ProcedureId) -> &'p Graph {
        self.context.program.procedures[procedure]
            .body
            .as_ref()
            .expect("only procedures with a body are analysed")
    }

    pub(crate) fn order(&mut self, procedure: ProcedureId) -> Rc<Vec<Element>> {
        let graph = self.graph(procedure);
        self.orders.entry(procedure).or_insert_with(|| Rc::new(weak_topological_order(graph))).clone()
    }

    /// What is dead at the nodes of a procedure.
    pub(crate) fn dead(&mut self, procedure: ProcedureId) -> Rc<Dead> {
        let (context, graph) = (self.context, self.graph(procedure));
        self.dead.entry(procedure).or_insert_with(|| Rc::new(Dead::of(context, procedure, graph))).clone()
    }

    /// Is one more call of a member of the circle told apart from those that are active?
    fn unrolls(&self, component: usize) -> bool {
        let is_member = |id: &&ProcedureId| self.component.get(id) == Some(&component);
        let active = self.stack.iter().filter(is_member).count();
        self.keeps_apart()
            && !self.solving.contains(&component)
            && active < self.context.settings.precision.depth
    }

    /// Calls a procedure with a body. The instance's exit is what it returns with.
    pub fn call(&mut self, procedure: ProcedureId, entry: State) -> Result<InstanceId, Stop> {
        match self.component.get(&procedure) {
            Some(&component) if !self.unrolls(component) => {
                return self.call_recursive(procedure, component, entry);
            }
            Some(_) => {}
            None => {
                if let Some(at) = self.stack.iter().position(|&active| active == procedure) {
                    return Err(Stop::Recursion(self.stack[at..].to_vec()));
                }
            }
        }
        // Long procedures are dear: they share the general entry state earlier.
        let edges = self.graph(procedure).edges.len();
        let contexts = match self.context.settings.precision {
            precision if self.keeps_apart() => precision.contexts,
            _ if edges > LONG => 1,
            precision => precision.contexts.min(FEW_CONTEXTS),
        };
        let known = self.of_procedure.entry(procedure).or_default();
        if let Some(&found) = known.iter().rev().find(|&&id| self.instances[id].entry == entry) {
            return Ok(found);
        }
        if known.len() < contexts {
            let (nodes, exit) = self.solve(procedure, &entry)?;
            let nodes = Rc::new(nodes);
            let instance = Instance { procedure, entry, nodes, exit, version: 1, growths: 0 };
            let id = self.instances.push(instance);
            self.of_procedure.entry(procedure).or_default().push(id);
            return Ok(id);
        }
        // The general entry of a circle is that of its fixpoint.
        if let Some(&component) = self.component.get(&procedure) {
            return self.call_recursive(procedure, component, entry);
        }
        let id = match self.general.get(&procedure) {
            Some(&id) if entry.is_within(&self.instances[id].entry) => return Ok(id),
            Some(&id) => {
                let instance = &self.instances[id];
                // A long procedure is given fewer steps to settle.
                let pace = if edges > LONG { 3 } else { 1 };
                let grown = self.grown(&instance.entry, &entry, instance.growths * pace);
                let instance = &mut self.instances[id];
                instance.entry = grown;
                instance.growths += 1;
                id
            }
            None => {
                let joining = self.context.joining();
                let known = self.of_procedure[&procedure].clone();
                let all = known.iter().fold(entry, |all, &id| all.join(&self.instances[id].entry, joining));
                self.new_general(procedure, all)
            }
        };
        let entry = self.instances[id].entry.clone();
        let (nodes, exit) = self.solve(procedure, &entry)?;
        let instance = &mut self.instances[id];
        (instance.nodes, instance.exit) = (Rc::new(nodes), exit);
        instance.version += 1;
        Ok(id)
    }

    fn new_general(&mut self, procedure: ProcedureId, entry: State) -> InstanceId {
        let nodes = Rc::new(self.graph(procedure).nodes.iter().map(|_| Vec::new()).collect());
        let instance = Instance { procedure, entry, nodes, exit: Vec::new(), version: 0, growths: 0 };
        let id = self.instances.push(instance);
        self.general.insert(procedure, id);
        id
    }

    /// The first growths are joined, later ones widened, still later ones forgotten.
    fn grown(&self, old: &State, new: &State, growths: u32) -> State {
        let joining = self.context.joining();
        let joined = old.join(new, joining);
        match growths {
            0..2 => joined,
            2..10 => old.widen(&joined, joining),
            10..24 => old.widen(&joined, Joining { thresholds: &[], ..joining }),
            _ => old.forget_changes(&joined),
        }
    }

    fn call_recursive(
        &mut self,
        procedure: ProcedureId,
        component: usize,
        entry: State,
    ) -> Result<InstanceId, Stop> {
        let is_solving = self.solving.contains(&component);
        if is_solving {
            // Whoever stands between two members of a circle belongs to it, or it would be kept with half a
            // result.
            let is_member = |id: &ProcedureId| self.component.get(id) == Some(&component);
            let first = self.stack.iter().position(is_member).unwrap_or(self.stack.len());
            if !self.stack[first..].iter().all(is_member) {
                let mut circle = self.stack[first..].to_vec();
                circle.push(procedure);
                return Err(Stop::Recursion(circle));
            }
        }
        let id = match self.general.get(&procedure) {
            Some(&id) if entry.is_within(&self.instances[id].entry) => {
                if is_solving || self.instances[id].version > 0 {
                    return Ok(id);
                }
                id
            }
            Some(&id) => {
                let instance = &self.instances[id];
                let grown = self.grown(&instance.entry, &entry, instance.growths);
                let instance = &mut self.instances[id];
                instance.entry = grown;
                instance.growths += 1;
                self.has_changed = true;
                id
            }
            None => {
                self.has_changed = true;
                self.new_general(procedure, entry)
            }
        };
        if !is_solving {
            self.solve_component(component)?;
        }
        Ok(id)
    }

    /// All procedures of a circle, until neither an entry nor an exit grows in a whole round.
    fn solve_component(&mut self, component: usize) -> Result<(), Stop> {
        self.solving.insert(component);
        let changed_outside = self.has_changed;
        let members = self.components[component].clone();
        let mut exit_growths: FxHashMap<ProcedureId, u32> = FxHashMap::default();
        loop {
            self.has_changed = false;
            for &member in &members {
                let Some(&id) = self.general.get(&member) else { continue };
                let entry = self.instances[id].entry.clone();
                let (nodes, exit) = self.solve(member, &entry)?;
                let known = self.instances[id].exit.first().cloned();
                let exit = match (known, self.joined(exit)) {
                    (None, exit) => {
                        self.has_changed |= exit.is_some();
                        exit
                    }
                    (Some(known), None) => Some(known),
                    (Some(known), Some(new)) if new.is_within(&known) => Some(known),
                    (Some(known), Some(new)) => {
                        self.has_changed = true;
                        let growths = exit_growths.entry(member).or_default();
                        *growths += 1;
                        Some(self.grown(&known, &new, *growths))
                    }
                };
                let instance = &mut self.instances[id];
                (instance.nodes, instance.exit) = (Rc::new(nodes), exit.into_iter().collect());
                instance.version += 1;
            }
            if !self.has_changed {
                break;
            }
        }
        self.solving.remove(&component);
        self.has_changed = changed_outside;
        Ok(())
    }

    /// The states after an edge; none if no run gets past it.
    pub fn step(
        &mut self,
        procedure: ProcedureId,
        edge_id: EdgeId,
        state: &State,
        log: Option<&mut Vec<Check>>,
        visited: &mut Visited,
    ) -> Result<Few, Stop> {
        self.steps += 1;
        if self.steps.is_multiple_of(32) {
            self.budget.check()?;
        }
        let edge = &self.graph(procedure).edges[edge_id];
        let mut transfer = Transfer { context: self.context, procedure, log, inputs: None };
        let Action::Call { result, callee, arguments } = &edge.action else {
            return Ok(transfer.step(state, edge).into_iter().collect());
        };
        let Some(mut defined) = defined::during(self.context, state, &edge.action) else {
            // What goes wrong in the arguments is all that happens.
            drop(transfer.arguments(state, arguments));
            return Ok(Few::new());
        };
        if transfer.log.is_some() && defined != *state && transfer.arguments(state, arguments).is_none() {
            return Ok(Few::new());
        }
        promised::drop_all(&mut defined);
        let state = &defined;
        let site = CallSite { procedure, edge_id, edge, result: result.as_ref(), arguments, name: "" };
        let (targets, may_be_outside) = match callee {
            Callee::Direct(id) => (vec![*id], false),
            Callee::Indirect(pointer) => {
                let Some(pointers) = transfer.evaluator(state).pointers(pointer) else {
                    return Ok(Few::new());
                };
                if transfer.note_call(state, &pointers, Some(pointer), Some(arguments)).is_none() {
                    return Ok(Few::new());
                }
                (transfer.procedures_in(&pointers), pointers.can_be_anything)
            }
        };
        let mut after = Few::new();
        if may_be_outside {
            let mut escapes = std::mem::take(&mut self.escapes);
            let state = transfer.missing(state, site, &mut escapes);
            self.escapes = escapes;
            visited.missing = Some(MissingBody { function: None, span: edge.span });
            after.extend(state);
        }
        for target in targets {
            for mut state in self.call_one(&mut transfer, state, site, target, visited)? {
                self.forget_error_number(&mut state, procedure, target);
                after.push(state);
            }
        }
        Ok(after)
    }

    /// All of them in one state.
    pub fn joined(&self, states: impl IntoIterator<Item = State>) -> Option<State> {
        let joining = self.context.joining();
        let mut all = None;
        for state in states {
            join_into(&mut all, state, joining);
        }
        all
    }

    /// A library function that the program called may have set `errno`, where what we know of it leaves it as it is.
    fn forget_error_number(&self, state: &mut State, caller: ProcedureId, callee: ProcedureId) {
        let Some(errno) = self.context.error_number else { return };
        let program = self.context.program;
        if program.procedures[caller].origin == program::Origin::User && program.may_set_error_number(callee)
        {
            memory::forget_object(self.context, state, self.context.object_of(errno));
        }
    }

    fn call_one(
        &mut self,
        transfer: &mut Transfer<'_, 'p>,
        state: &State,
        site: CallSite<'_>,
        target: ProcedureId,
        visited: &mut Visited,
    ) -> Result<Few, Stop> {
        let program = self.context.program;
        let procedure = &program.procedures[target];
        let site = CallSite { name: library::as_written(&procedure.name), ..site };
        if let Some(known) = procedure.known
            && crate::context::is_direct(procedure)
        {
            return Ok(match Call::new(transfer, state, site).and_then(|mut call| call.known(known)) {
                None | Some(Effect::Ends) => Few::new(),
                Some(Effect::Returns(after)) => smallvec![after],
                Some(Effect::Starts(after, procedures)) => {
                    self.started.extend(procedures);
                    smallvec![after]
                }
            });
        }
        if procedure.body.is_none() {
            let mut escapes = std::mem::take(&mut self.escapes);
            let after = transfer.missing(state, site, &mut escapes);
            self.escapes = escapes;
            visited.missing =
                Some(MissingBody { function: Some(site.name.to_owned()), span: site.edge.span });
            return Ok(after.filter(|_| !procedure.is_noreturn).into_iter().collect());
        }
        if procedure.origin == program::Origin::Model && is_native(&procedure.name) {
            return Ok(Call::new(transfer, state, site)
                .and_then(|mut call| call.native())
                .into_iter()
                .collect());
        }
        let Some(entry) = library::bind(transfer, state, target, site.arguments) else {
            return Ok(Few::new());
        };
        let id = self.call(target, entry)?;
        visited.called.push(id);
        let mut all = Few::new();
        for left in &self.instances[id].exit {
            let value = transfer.returned(state, site, left.locals.get(RESULT));
            let mut after = State {
                locals: state.locals.clone(),
                globals: left.globals.clone(),
                memory: left.memory.clone(),
                relations: state.relations.clone(),
            };
            relate::forget_globals(self.context, &mut after);
            described::come_back(&mut after, left, procedure);
            all.extend(transfer.give(&after, site, value));
        }
        Ok(all)
    }

    /// Everything any pointer may reach is unknown: where procedures that are started at unknown times begin.
    pub fn unknown_entry(&self) -> State {
        State::default()
    }

    /// The procedures that missing functions may call.
    pub fn callbacks(&self) -> Vec<ProcedureId> {
        let mut all: Vec<ProcedureId> =
            self.escapes.procedures.iter().chain(&self.started).copied().collect();
        all.sort_unstable();
        all.dedup();
        all.retain(|&id| self.context.program.procedures[id].body.is_some());
        all
    }
}
