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
use crate::described;
use crate::library::{self, CallSite, Effect, Escapes};
use crate::lives;
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
use std::rc::Rc;

/// Edges from which on a procedure is long.
const LONG: usize = 600;

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

/// States at the nodes of a procedure.
pub type NodeStates = IndexVec<NodeId, Option<State>>;

/// A procedure analysed for some entry states.
#[derive(Debug)]
pub struct Instance {
    /// The procedure that was analysed.
    pub procedure: ProcedureId,
    /// The entry states.
    pub entry: State,
    /// What is known at each node.
    pub nodes: NodeStates,
    /// What is known at the exit; `None` if it never returns.
    pub exit: Option<State>,
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
    budget: &'a Budget,
    orders: FxHashMap<ProcedureId, Rc<Vec<Element>>>,
    /// The procedures that were analysed, each for the entries it was called with.
    pub instances: IndexVec<InstanceId, Instance>,
    of_procedure: FxHashMap<ProcedureId, Vec<InstanceId>>,
    general: FxHashMap<ProcedureId, InstanceId>,
    component: FxHashMap<ProcedureId, usize>,
    components: Vec<Vec<ProcedureId>>,
    solving: FxHashSet<usize>,
    has_changed: bool,
    stack: Vec<ProcedureId>,
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

    fn graph(&self, procedure: ProcedureId) -> &'p Graph {
        self.context.program.procedures[procedure]
            .body
            .as_ref()
            .expect("only procedures with a body are analysed")
    }

    fn order(&mut self, procedure: ProcedureId) -> Rc<Vec<Element>> {
        let graph = self.graph(procedure);
        self.orders.entry(procedure).or_insert_with(|| Rc::new(weak_topological_order(graph))).clone()
    }

    /// Calls a procedure with a body. The instance's exit is what it returns with.
    pub fn call(&mut self, procedure: ProcedureId, entry: State) -> Result<InstanceId, Stop> {
        if let Some(&component) = self.component.get(&procedure) {
            return self.call_recursive(procedure, component, entry);
        }
        if let Some(at) = self.stack.iter().position(|&active| active == procedure) {
            return Err(Stop::Recursion(self.stack[at..].to_vec()));
        }
        // Long procedures are dear: they share the general entry state earlier.
        let edges = self.graph(procedure).edges.len();
        let most = self.context.settings.contexts;
        let contexts = if edges > LONG { most.min(1) } else { most };
        let known = self.of_procedure.entry(procedure).or_default();
        if let Some(&found) = known.iter().find(|&&id| self.instances[id].entry == entry) {
            return Ok(found);
        }
        if known.len() < contexts {
            let (nodes, exit) = self.solve(procedure, &entry)?;
            let instance = Instance { procedure, entry, nodes, exit, version: 1, growths: 0 };
            let id = self.instances.push(instance);
            self.of_procedure.entry(procedure).or_default().push(id);
            return Ok(id);
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
        (instance.nodes, instance.exit) = (nodes, exit);
        instance.version += 1;
        Ok(id)
    }

    fn new_general(&mut self, procedure: ProcedureId, entry: State) -> InstanceId {
        let nodes = self.graph(procedure).nodes.iter().map(|_| None).collect();
        let instance = Instance { procedure, entry, nodes, exit: None, version: 0, growths: 0 };
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
                let known = self.instances[id].exit.clone();
                let exit = match (known, exit) {
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
                (instance.nodes, instance.exit) = (nodes, exit);
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

    /// The fixpoint of one procedure from an entry state: what is known at its nodes and at its exit.
    fn solve(&mut self, procedure: ProcedureId, entry: &State) -> Result<(NodeStates, Option<State>), Stop> {
        self.stack.push(procedure);
        let result = self.solve_body(procedure, entry);
        self.stack.pop();
        result
    }

    fn solve_body(
        &mut self,
        procedure: ProcedureId,
        entry: &State,
    ) -> Result<(NodeStates, Option<State>), Stop> {
        let graph = self.graph(procedure);
        let order = self.order(procedure);
        let mut body = Body {
            procedure,
            graph,
            entry,
            states: graph.nodes.iter().map(|_| None).collect(),
            rounds: FxHashMap::default(),
        };
        self.ascend(&mut body, &order)?;
        for _ in 0..self.context.settings.narrowing_rounds {
            if body.rounds.is_empty() {
                break;
            }
            self.descend(&mut body, &order)?;
        }
        let exit = body.states[graph.exit].clone().map(|exit| self.leave(procedure, exit));
        Ok((body.states, exit))
    }

    /// What the caller gets to see: the result, globals and memory, without what ended with the procedure.
    fn leave(&self, procedure: ProcedureId, exit: State) -> State {
        let mut left =
            State { globals: exit.globals.clone(), memory: exit.memory.clone(), ..State::default() };
        described::leave(&exit, &mut left, &self.context.program.procedures[procedure]);
        if let Some(result) = exit.locals.get(RESULT) {
            left.locals.insert(RESULT, result.clone());
        }
        let own = &self.context.program.procedures[procedure];
        for &id in own.parameters.iter().chain(&own.locals) {
            if self.context.program.variables[id].in_memory && !self.context.is_global(id) {
                memory::forget_object(self.context, &mut left, self.context.object_of(id));
            }
        }
        lives::leave(self.context, &mut left, procedure);
        left
    }

    /// All that comes into a node.
    fn incoming(&mut self, body: &Body<'_>, node: NodeId) -> Result<Option<State>, Stop> {
        let mut state = if node == body.graph.entry { Some(body.entry.clone()) } else { None };
        let joining = self.context.joining();
        for &edge in &body.graph.nodes[node].into {
            let Some(from) = &body.states[body.graph.edges[edge].from] else { continue };
            if let Some(after) = self.step(body.procedure, edge, from, None, &mut Visited::default())? {
                join_into(&mut state, after, joining);
            }
        }
        Ok(state)
    }

    fn ascend(&mut self, body: &mut Body<'_>, order: &[Element]) -> Result<(), Stop> {
        for element in order {
            match element {
                Element::Node(node) => body.states[*node] = self.incoming(body, *node)?,
                Element::Loop(head, inner) => self.stabilise(body, *head, inner)?,
            }
        }
        Ok(())
    }

    fn stabilise(&mut self, body: &mut Body<'_>, head: NodeId, inner: &[Element]) -> Result<(), Stop> {
        let joining = self.context.joining();
        let delay = self.context.settings.widening_delay;
        let mut round = 0;
        loop {
            let Some(new) = self.incoming(body, head)? else {
                if round > 0 {
                    return Ok(());
                }
                // The loop may be entered elsewhere (a jump into it) and come to its head only from inside.
                round += 1;
                self.ascend(body, inner)?;
                continue;
            };
            let state = match &body.states[head] {
                None => new,
                Some(old) if new.is_within(old) => {
                    if round > 0 && body.rounds.contains_key(&head) {
                        return Ok(());
                    }
                    old.clone()
                }
                Some(old) => {
                    let total = body.rounds.get(&head).copied().unwrap_or(0);
                    let joined = old.join(&new, joining);
                    // Octagons may grow without end under joining too, so widening must come in the end.
                    if round < delay && total < 4 * delay {
                        joined
                    } else if total < 5 * delay + 16 {
                        old.widen(&joined, joining)
                    } else if total < 12 * delay + 60 {
                        // Many thresholds make many rounds: from here on only the ends of types stop.
                        old.widen(&joined, Joining { thresholds: &[], ..joining })
                    } else {
                        old.forget_changes(&joined)
                    }
                }
            };
            body.states[head] = Some(state);
            *body.rounds.entry(head).or_default() += 1;
            round += 1;
            self.ascend(body, inner)?;
        }
    }

    fn descend(&mut self, body: &mut Body<'_>, order: &[Element]) -> Result<(), Stop> {
        for element in order {
            match element {
                Element::Node(node) => body.states[*node] = self.incoming(body, *node)?,
                Element::Loop(head, inner) => {
                    let new = self.incoming(body, *head)?;
                    body.states[*head] = match (&body.states[*head], new) {
                        (Some(old), Some(new)) => Some(old.narrow(&new)),
                        _ => None,
                    };
                    self.descend(body, inner)?;
                }
            }
        }
        Ok(())
    }

    /// The state after an edge; `None` if no run gets past it.
    pub fn step(
        &mut self,
        procedure: ProcedureId,
        edge_id: EdgeId,
        state: &State,
        log: Option<&mut Vec<Check>>,
        visited: &mut Visited,
    ) -> Result<Option<State>, Stop> {
        self.steps += 1;
        if self.steps.is_multiple_of(32) {
            self.budget.check()?;
        }
        let edge = &self.graph(procedure).edges[edge_id];
        let mut transfer = Transfer { context: self.context, procedure, log, inputs: None };
        let Action::Call { result, callee, arguments } = &edge.action else {
            return Ok(transfer.step(state, edge));
        };
        let dropped;
        let state = if promised::is_any(state) {
            let mut without = state.clone();
            promised::drop_all(&mut without);
            dropped = without;
            &dropped
        } else {
            state
        };
        let site = CallSite { procedure, edge_id, edge, result: result.as_ref(), arguments, name: "" };
        let (targets, may_be_outside) = match callee {
            Callee::Direct(id) => (vec![*id], false),
            Callee::Indirect(pointer) => {
                let Some(pointers) = transfer.evaluator(state).pointers(pointer) else { return Ok(None) };
                if transfer.note_call(state, &pointers, Some(pointer), Some(arguments)).is_none() {
                    return Ok(None);
                }
                (transfer.procedures_in(&pointers), pointers.can_be_anything)
            }
        };
        let mut after = None;
        let joining = self.context.joining();
        if may_be_outside {
            let mut escapes = std::mem::take(&mut self.escapes);
            let state = transfer.missing(state, site, &mut escapes);
            self.escapes = escapes;
            visited.missing = Some(MissingBody { function: None, span: edge.span });
            after = state;
        }
        for target in targets {
            if let Some(mut state) = self.call_one(&mut transfer, state, site, target, visited)? {
                self.forget_error_number(&mut state, procedure, target);
                join_into(&mut after, state, joining);
            }
        }
        Ok(after)
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
    ) -> Result<Option<State>, Stop> {
        let program = self.context.program;
        let procedure = &program.procedures[target];
        let site = CallSite { name: library::as_written(&procedure.name), ..site };
        if let Some(known) = procedure.known
            && crate::context::is_direct(procedure)
        {
            return Ok(match Call::new(transfer, state, site).and_then(|mut call| call.known(known)) {
                None | Some(Effect::Ends) => None,
                Some(Effect::Returns(after)) => Some(after),
                Some(Effect::Starts(after, procedures)) => {
                    self.started.extend(procedures);
                    Some(after)
                }
            });
        }
        if procedure.body.is_none() {
            let mut escapes = std::mem::take(&mut self.escapes);
            let after = transfer.missing(state, site, &mut escapes);
            self.escapes = escapes;
            visited.missing =
                Some(MissingBody { function: Some(site.name.to_owned()), span: site.edge.span });
            return Ok(after.filter(|_| !procedure.is_noreturn));
        }
        if procedure.origin == program::Origin::Model && is_native(&procedure.name) {
            return Ok(Call::new(transfer, state, site).and_then(|mut call| call.native()));
        }
        let Some(entry) = library::bind(transfer, state, target, site.arguments) else { return Ok(None) };
        let id = self.call(target, entry)?;
        visited.called.push(id);
        let Some(left) = self.instances[id].exit.clone() else { return Ok(None) };
        let value = transfer.returned(state, site, left.locals.get(RESULT));
        let mut after = State {
            locals: state.locals.clone(),
            globals: left.globals.clone(),
            memory: left.memory.clone(),
            relations: state.relations.clone(),
        };
        relate::forget_globals(self.context, &mut after);
        described::come_back(&mut after, &left, procedure);
        Ok(transfer.give(&after, site, value))
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

struct Body<'b> {
    procedure: ProcedureId,
    graph: &'b Graph,
    entry: &'b State,
    states: NodeStates,
    rounds: FxHashMap<NodeId, u32>,
}
