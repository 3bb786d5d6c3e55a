//! A program without calls, for threads: every call is followed into a copy of the callee (BOOM 7.2.1,
//! "inlined").
//!
//! A place of the flat program is a node together with the calls it was reached through. The activations of a
//! thread lie one behind the other in one row of variables, so a thread's local state is a place and a row of
//! values. Steps stay one to one with edges of the original program: a run of the flat program is a run of
//! the original.
//!
//! Recursion cannot be followed so. [`flatten`] refuses it and says through which procedure it goes;
//! [`flatten_with_stacks`] lets a call of a recursive procedure begin a row of its own, and who waits for it
//! is kept apart ([`super::stacks`]).

use crate::analysis::call_shape;
use crate::graph::{Action, Edge, EdgeId, Expr, Mixed, NodeId, ProcedureId, Program, Scope, VariableId};
use crate::values::Values;
use base::{IndexVec, define_id};
use rustc_hash::{FxHashMap, FxHashSet};

define_id!(
    /// The chain of calls that led to an activation.
    ContextId,
    "context"
);
define_id!(
    /// A program counter of the flat program.
    FlatLocationId,
    "location"
);

/// An activation's place in the row of variables, and who called it.
#[derive(Clone, Debug)]
pub struct Context {
    /// The procedure.
    pub procedure: ProcedureId,
    /// The caller and its call; `None` where a row begins: with a thread, or with a recursive procedure.
    pub caller: Option<(ContextId, EdgeId)>,
    /// The first of its variables in the thread's row.
    pub offset: usize,
}

/// A step from a location, one to one with an edge.
#[derive(Clone, Debug)]
pub struct FlatEdge {
    /// The edge.
    pub edge: EdgeId,
    /// Where the thread is afterwards; `None` if it has ended, or if it goes on wherever somebody waits.
    pub to: Option<FlatLocationId>,
    /// Where a new thread begins.
    pub starts: Option<FlatLocationId>,
    /// Where the caller goes on after a call that begins a row of its own.
    pub back: Option<FlatLocationId>,
}

/// A program counter.
#[derive(Clone, Debug)]
pub struct FlatLocation {
    /// The chain of calls.
    pub context: ContextId,
    /// The node.
    pub node: NodeId,
    /// The steps that leave it.
    pub edges: Vec<FlatEdge>,
    /// The variables of the row that still matter here.
    pub live: Values,
}

/// The flat program.
#[derive(Debug)]
pub struct FlatProgram<'p> {
    /// What it was made from.
    pub program: &'p Program,
    /// All chains of calls.
    pub contexts: IndexVec<ContextId, Context>,
    /// All program counters that can be reached in the graph.
    pub locations: IndexVec<FlatLocationId, FlatLocation>,
    /// The length of a thread's row.
    pub row: usize,
    entries: FxHashMap<ProcedureId, FlatLocationId>,
    /// Procedures in which threads begin.
    begins_threads: FxHashSet<ProcedureId>,
    /// By procedure that begins a row: where its callers go on.
    backs: FxHashMap<ProcedureId, Vec<FlatLocationId>>,
}

/// Why there is no flat program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotFlat {
    /// A procedure can call itself.
    Recursion {
        /// The procedure that can call itself.
        procedure: String,
    },
    /// Steps change variables of other threads, among them of callers that wait for recursive procedures.
    Broadcasts,
    /// There are too many chains of calls.
    TooLarge {
        /// More places than this.
        limit: usize,
    },
}

/// The most places a flat program may have.
pub const MOST_SPOTS: usize = 400_000;

struct Flattening<'p> {
    flat: FlatProgram<'p>,
    /// Procedures whose calls begin a row of their own.
    begins_row: FxHashSet<ProcedureId>,
    known: FxHashMap<(ContextId, NodeId), FlatLocationId>,
    roots: FxHashMap<ProcedureId, ContextId>,
    called: FxHashMap<(ContextId, EdgeId), ContextId>,
    waiting: Vec<FlatLocationId>,
}

/// Follows all calls from the given threads.
pub fn flatten<'p>(program: &'p Program, roots: &[ProcedureId]) -> Result<FlatProgram<'p>, NotFlat> {
    flatten_but(program, roots, FxHashSet::default())
}

/// Follows all calls from the given threads but those of procedures that can call themselves.
pub fn flatten_with_stacks<'p>(
    program: &'p Program,
    roots: &[ProcedureId],
) -> Result<FlatProgram<'p>, NotFlat> {
    if program.has_broadcasts() {
        return Err(NotFlat::Broadcasts);
    }
    let shape = call_shape(program);
    let recursive = program.procedures().ids().filter(|id| shape.is_recursive[*id]);
    flatten_but(program, roots, recursive.collect())
}

fn flatten_but<'p>(
    program: &'p Program,
    roots: &[ProcedureId],
    begins_row: FxHashSet<ProcedureId>,
) -> Result<FlatProgram<'p>, NotFlat> {
    let flat = FlatProgram {
        program,
        contexts: IndexVec::new(),
        locations: IndexVec::new(),
        row: 0,
        entries: FxHashMap::default(),
        begins_threads: FxHashSet::default(),
        backs: FxHashMap::default(),
    };
    let mut work = Flattening {
        flat,
        begins_row,
        known: FxHashMap::default(),
        roots: FxHashMap::default(),
        called: FxHashMap::default(),
        waiting: Vec::new(),
    };
    for root in roots {
        let location = work.thread_at(*root, program.procedures()[*root].entry);
        work.flat.entries.insert(*root, location);
    }
    while let Some(location) = work.waiting.pop() {
        if work.flat.locations.len() > MOST_SPOTS {
            return Err(NotFlat::TooLarge { limit: MOST_SPOTS });
        }
        work.expand(location)?;
    }
    work.flat.find_live();
    Ok(work.flat)
}

impl<'p> Flattening<'p> {
    fn thread_at(&mut self, procedure: ProcedureId, node: NodeId) -> FlatLocationId {
        self.flat.begins_threads.insert(procedure);
        self.row_at(procedure, node)
    }

    /// A place of an activation with which a row begins.
    fn row_at(&mut self, procedure: ProcedureId, node: NodeId) -> FlatLocationId {
        let context = match self.roots.get(&procedure) {
            Some(known) => *known,
            None => {
                let context = self.context(Context { procedure, caller: None, offset: 0 });
                self.roots.insert(procedure, context);
                context
            }
        };
        self.location(context, node)
    }

    fn context(&mut self, context: Context) -> ContextId {
        let length = self.flat.program.procedures()[context.procedure].variables.len();
        self.flat.row = self.flat.row.max(context.offset + length);
        self.flat.contexts.push(context)
    }

    fn location(&mut self, context: ContextId, node: NodeId) -> FlatLocationId {
        if let Some(known) = self.known.get(&(context, node)) {
            return *known;
        }
        let location = self.flat.locations.push(FlatLocation {
            context,
            node,
            edges: Vec::new(),
            live: Values::default(),
        });
        self.known.insert((context, node), location);
        self.waiting.push(location);
        location
    }

    fn expand(&mut self, location: FlatLocationId) -> Result<(), NotFlat> {
        let program = self.flat.program;
        let (context, node) = (self.flat.locations[location].context, self.flat.locations[location].node);
        let mut edges = Vec::new();
        for &id in program.outgoing(node) {
            let edge = &program.edges()[id];
            let (mut starts, mut back) = (None, None);
            let to = match &edge.action {
                Action::Call { callee, .. } if self.begins_row.contains(callee) => {
                    let waits = self.location(context, edge.to);
                    self.flat.backs.entry(*callee).or_default().push(waits);
                    back = Some(waits);
                    Some(self.row_at(*callee, program.procedures()[*callee].entry))
                }
                Action::Call { callee, .. } => {
                    let callee_context = self.call(context, id, *callee)?;
                    Some(self.location(callee_context, program.procedures()[*callee].entry))
                }
                Action::Return { .. } => {
                    let caller = self.flat.contexts[context].caller;
                    caller.map(|(caller, call)| self.location(caller, program.edges()[call].to))
                }
                Action::EndThread | Action::Error { .. } => None,
                Action::Async { callee, .. } => {
                    starts = Some(self.thread_at(*callee, program.procedures()[*callee].entry));
                    Some(self.location(context, edge.to))
                }
                Action::StartThread { at } => {
                    starts = Some(self.thread_at(program.procedure_of(*at), *at));
                    Some(self.location(context, edge.to))
                }
                _ => Some(self.location(context, edge.to)),
            };
            edges.push(FlatEdge { edge: id, to, starts, back });
        }
        self.flat.locations[location].edges = edges;
        Ok(())
    }

    fn call(&mut self, context: ContextId, call: EdgeId, callee: ProcedureId) -> Result<ContextId, NotFlat> {
        if let Some(known) = self.called.get(&(context, call)) {
            return Ok(*known);
        }
        let mut at = Some(context);
        while let Some(id) = at {
            if self.flat.contexts[id].procedure == callee {
                let procedure = self.flat.program.procedures()[callee].name.to_string();
                return Err(NotFlat::Recursion { procedure });
            }
            at = self.flat.contexts[id].caller.map(|(caller, _)| caller);
        }
        let caller = &self.flat.contexts[context];
        let length = self.flat.program.procedures()[caller.procedure].variables.len();
        let offset = caller.offset + length;
        let new = self.context(Context { procedure: callee, caller: Some((context, call)), offset });
        self.called.insert((context, call), new);
        Ok(new)
    }
}

impl FlatProgram<'_> {
    /// Where a root's threads begin.
    pub fn entry(&self, root: ProcedureId) -> FlatLocationId {
        self.entries[&root]
    }

    /// Where a step may lead: for a return to whoever waits, wherever somebody may wait.
    pub fn successors(&self, step: &FlatEdge) -> impl Iterator<Item = FlatLocationId> {
        step.to.into_iter().chain(self.waiting_callers(step).iter().copied())
    }

    /// Where callers may go on after a return that ends a row; nowhere for all other steps.
    fn waiting_callers(&self, step: &FlatEdge) -> &[FlatLocationId] {
        let edge = self.edge(step);
        if step.to.is_some() || !matches!(edge.action, Action::Return { .. }) {
            return &[];
        }
        self.backs.get(&self.program.procedure_of(edge.from)).map_or(&[], Vec::as_slice)
    }

    /// Does a return that ends a row lead back to callers?
    pub fn comes_back(&self, step: &FlatEdge) -> bool {
        !self.waiting_callers(step).is_empty()
    }

    /// May the thread be gone after a return that ends a row?
    pub fn may_end_thread(&self, step: &FlatEdge) -> bool {
        step.to.is_none() && self.begins_threads.contains(&self.program.procedure_of(self.edge(step).from))
    }

    /// What a caller keeps in its row while it waits: what matters afterwards and is not given by the call.
    pub fn kept_over_call(&self, back: FlatLocationId, call: EdgeId) -> Values {
        let FlatLocation { context, live, .. } = &self.locations[back];
        let mut kept = live.clone();
        if let Action::Call { results, .. } = &self.program.edges()[call].action {
            let given = results.iter().flatten().filter_map(|result| self.slot(*context, *result));
            given.for_each(|slot| kept.set(slot, false));
        }
        kept
    }

    /// A variable's place in the row, seen from a context; `None` for globals, and for what others have.
    pub fn slot(&self, context: ContextId, variable: VariableId) -> Option<usize> {
        let variable = &self.program.variables()[variable];
        match variable.scope {
            Scope::Global | Scope::Passive(_) => None,
            Scope::Local(_) => Some(self.contexts[context].offset + variable.slot),
        }
    }

    /// The original edge of a step.
    pub fn edge(&self, step: &FlatEdge) -> &Edge {
        &self.program.edges()[step.edge]
    }

    /// The caller's context and the call a context was entered by.
    pub fn call_of(&self, context: ContextId) -> Option<(ContextId, &Edge)> {
        let (caller, call) = self.contexts[context].caller?;
        Some((caller, &self.program.edges()[call]))
    }

    /// The variables of one activation, out of a thread's row.
    pub fn activation(&self, context: ContextId, row: &Values) -> Values {
        let context = &self.contexts[context];
        let length = self.program.procedures()[context.procedure].variables.len();
        let mut values = Values::falses(length);
        (0..length).for_each(|slot| values.set(slot, row.get(context.offset + slot)));
        values
    }

    /// A row with this activation as the only one, at the front.
    pub fn row_of(&self, activation: &Values, length: usize) -> Values {
        let mut row = Values::falses(self.row);
        (0..length).for_each(|slot| row.set(slot, activation.get(slot)));
        row
    }

    fn find_live(&mut self) {
        let mixed = Mixed::of(self.program);
        for id in self.locations.ids() {
            self.locations[id].live = self.read_by_others(&mixed, self.locations[id].context);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for id in self.locations.ids().rev() {
                let mut live = Values::falses(self.row);
                for step in &self.locations[id].edges {
                    live.join(&self.live_before(&self.locations[id], step));
                }
                changed |= self.locations[id].live.join(&live);
            }
        }
    }

    /// What broadcasts read of the activations of a thread, which matters wherever it stands.
    fn read_by_others(&self, mixed: &Mixed, context: ContextId) -> Values {
        let mut read = Values::falses(self.row);
        let mut at = Some(context);
        while let Some(id) = at {
            let Context { procedure, caller, offset } = &self.contexts[id];
            let variables = self.program.procedures()[*procedure].variables.iter().enumerate();
            for (slot, _) in variables.filter(|(_, variable)| mixed.is_read[**variable]) {
                read.set(offset + slot, true);
            }
            at = caller.map(|(caller, _)| caller);
        }
        read
    }

    fn live_before(&self, location: &FlatLocation, step: &FlatEdge) -> Values {
        let context = location.context;
        let edge = self.edge(step);
        let mut live = step.to.map_or_else(|| Values::falses(self.row), |to| self.locations[to].live.clone());
        let read = |live: &mut Values, expr: &Expr, assigned: &[(VariableId, Expr)]| {
            expr.for_each_variable(&mut |variable, is_next| {
                let is_new = is_next && assigned.iter().any(|(target, _)| *target == variable);
                if let Some(slot) = self.slot(context, variable).filter(|_| !is_new) {
                    live.set(slot, true);
                }
            });
        };
        let offset = self.contexts[context].offset;
        match &edge.action {
            Action::Call { arguments, .. } if step.back.is_some() => {
                live = self.kept_over_call(step.back.expect("just asked"), step.edge);
                arguments.iter().for_each(|argument| read(&mut live, argument, &[]));
            }
            Action::Return { values } if self.comes_back(step) => {
                values.iter().for_each(|value| read(&mut live, value, &[]));
            }
            Action::Assign { assignments, constraint, passive } => {
                for (target, _) in assignments {
                    self.slot(context, *target).into_iter().for_each(|slot| live.set(slot, false));
                }
                assignments.iter().for_each(|(_, value)| read(&mut live, value, &[]));
                read(&mut live, constraint, assignments);
                for rule in passive {
                    rule.for_each_expression(&mut |expr| read(&mut live, expr, assignments));
                }
            }
            Action::Assert { condition } => read(&mut live, condition, &[]),
            Action::Call { callee, arguments, .. } => {
                let from =
                    offset + self.program.procedures()[self.contexts[context].procedure].variables.len();
                let length = self.program.procedures()[*callee].variables.len();
                (from..from + length).for_each(|slot| live.set(slot, false));
                arguments.iter().for_each(|argument| read(&mut live, argument, &[]));
            }
            Action::Return { values } => {
                if let Some((caller, call)) = self.call_of(context)
                    && let Action::Call { results, .. } = &call.action
                {
                    for result in results.iter().flatten() {
                        self.slot(caller, *result).into_iter().for_each(|slot| live.set(slot, false));
                    }
                    let taken = values.iter().zip(results).filter(|(_, result)| result.is_some());
                    taken.for_each(|(value, _)| read(&mut live, value, &[]));
                }
            }
            Action::Async { arguments, .. } => {
                arguments.iter().for_each(|argument| read(&mut live, argument, &[]))
            }
            Action::StartThread { at } => {
                let length = self.program.procedures()[self.program.procedure_of(*at)].variables.len();
                if let Some(start) = step.starts {
                    let theirs = &self.locations[start].live;
                    (0..length)
                        .filter(|slot| theirs.get(*slot))
                        .for_each(|slot| live.set(offset + slot, true));
                }
            }
            Action::Error { .. } | Action::EndThread | Action::AtomicBegin | Action::AtomicEnd => {}
        }
        read(&mut live, &edge.guard, &[]);
        live
    }
}
