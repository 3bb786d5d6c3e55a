//! Steps that do nothing are removed: a node with nothing but an unconditional step is replaced by where the
//! step leads, and a step that only leads to another is joined with it. Nodes nobody comes to are left out.
//! Sound with threads too: what is removed reads and writes nothing. A node that a broadcast names stays: who
//! stands there is seen by others.

use crate::graph::{Action, Edge, EdgeId, NodeId, Program, Scope};
use crate::trace::ThreadId;
use base::{Id, IndexVec};
use rustc_hash::FxHashSet;

/// A smaller program and the way back to the original.
#[derive(Clone, Debug)]
pub struct Compressed {
    /// The smaller program: same variables, same procedures, fewer nodes and edges.
    pub program: Program,
    /// For each of its edges, the original edges; the last of them is the one that does something.
    originals: IndexVec<EdgeId, Vec<EdgeId>>,
    /// For each original node, the steps that do nothing and were skipped from there.
    skipped: IndexVec<NodeId, Vec<EdgeId>>,
}

/// Removes what does nothing.
pub fn compress(program: &Program) -> Compressed {
    let mut skipped: IndexVec<NodeId, Vec<EdgeId>> = IndexVec::filled(Vec::new(), program.nodes().len());
    let named = named_nodes(program);
    let mut landing: IndexVec<NodeId, NodeId> = program.nodes().ids().collect();
    for node in program.nodes().ids() {
        (landing[node], skipped[node]) = land(program, &named, node);
    }
    let mut small = Program::new();
    for (slot, &id) in program.globals().iter().enumerate() {
        small.add_global(&program.variables()[id].name, program.initial()[slot]);
    }
    // Variable ids must stay: locals are added in the order of their ids.
    let mut originals = IndexVec::new();
    let mut nodes: IndexVec<NodeId, Option<NodeId>> = IndexVec::filled(None, program.nodes().len());
    for (id, procedure) in program.procedures().iter_enumerated() {
        let copy = small.add_procedure(&procedure.name, procedure.returns, procedure.span);
        assert_eq!(copy, id, "procedures keep their ids");
        nodes[landing[procedure.entry]] = Some(small.procedures()[copy].entry);
        nodes[procedure.exit] = Some(small.procedures()[copy].exit);
    }
    let mut locals: Vec<_> = program.variables().ids().filter(|id| !program.globals().contains(id)).collect();
    locals.sort_unstable();
    for id in locals {
        let variable = &program.variables()[id];
        let copy = match variable.scope {
            Scope::Global => continue,
            Scope::Local(procedure) if variable.slot < program.procedures()[procedure].parameters => {
                small.add_parameter(procedure, &variable.name)
            }
            Scope::Local(procedure) => small.add_local(procedure, &variable.name),
            Scope::Passive(procedure) => {
                small.passive_copy(program.procedures()[procedure].variables[variable.slot])
            }
        };
        assert_eq!(copy, id, "variables keep their ids");
    }
    if let Some(main) = program.main() {
        small.set_main(main);
    }
    let mut builder = Builder {
        program,
        landing: &landing,
        named: &named,
        small,
        nodes,
        originals: &mut originals,
        open: Vec::new(),
    };
    for procedure in program.procedures() {
        builder.open.push(landing[procedure.entry]);
    }
    builder.run();
    Compressed { program: builder.small, originals, skipped }
}

/// The step that does nothing, if a node has nothing else.
fn only_skip(program: &Program, named: &FxHashSet<NodeId>, node: NodeId) -> Option<EdgeId> {
    let [only] = program.outgoing(node) else { return None };
    if named.contains(&node) {
        return None;
    }
    let edge = &program.edges()[*only];
    (edge.guard.is_true() && edge.action.is_skip()).then_some(*only)
}

/// The nodes at which a broadcast asks who stands there.
fn named_nodes(program: &Program) -> FxHashSet<NodeId> {
    program.edges().iter().flat_map(|edge| edge.action.passive()).filter_map(|rule| rule.at).collect()
}

/// Where steps that do nothing lead, and these steps. In a circle of them nothing is skipped.
fn land(program: &Program, named: &FxHashSet<NodeId>, node: NodeId) -> (NodeId, Vec<EdgeId>) {
    let (mut at, mut steps) = (node, Vec::new());
    while let Some(edge) = only_skip(program, named, at) {
        at = program.edges()[edge].to;
        steps.push(edge);
        if at == node || steps.len() > program.nodes().len() {
            return (node, Vec::new());
        }
    }
    (at, steps)
}

struct Builder<'p> {
    program: &'p Program,
    landing: &'p IndexVec<NodeId, NodeId>,
    named: &'p FxHashSet<NodeId>,
    small: Program,
    nodes: IndexVec<NodeId, Option<NodeId>>,
    originals: &'p mut IndexVec<EdgeId, Vec<EdgeId>>,
    open: Vec<NodeId>,
}

impl Builder<'_> {
    fn run(&mut self) {
        let mut seen: IndexVec<NodeId, bool> = IndexVec::filled(false, self.program.nodes().len());
        while let Some(node) = self.open.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            for &edge in self.program.outgoing(node) {
                self.edge(node, edge);
            }
        }
    }

    /// The copy of the node where one lands coming to `node`.
    fn copy_of(&mut self, node: NodeId) -> NodeId {
        let node = self.landing[node];
        self.open.push(node);
        if let Some(copy) = self.nodes[node] {
            return copy;
        }
        let known = &self.program.nodes()[node];
        let copy = self.small.add_node(known.procedure, known.span);
        for label in &known.labels {
            self.small.add_label(copy, label);
        }
        self.nodes[node] = Some(copy);
        copy
    }

    fn edge(&mut self, from: NodeId, first: EdgeId) {
        let from = self.copy_of(from);
        let mut originals = vec![first];
        let mut edge = &self.program.edges()[first];
        // A step that does nothing but lead to a single other edge is joined with it.
        while edge.guard.is_true() && edge.action.is_skip() && originals.len() < 64 {
            let via = self.landing[edge.to];
            if self.named.contains(&via) {
                break;
            }
            let [only] = self.program.outgoing(via) else { break };
            let (_, skips) = land(self.program, self.named, edge.to);
            originals.extend(skips);
            originals.push(*only);
            edge = &self.program.edges()[*only];
        }
        let mut action = edge.action.clone();
        if let Action::StartThread { at } = &mut action {
            *at = self.copy_of(*at);
        }
        if let Action::Assign { passive, .. } = &mut action {
            for at in passive.iter_mut().filter_map(|rule| rule.at.as_mut()) {
                *at = self.copy_of(*at);
            }
        }
        let to = match action {
            Action::Error { .. } => from,
            _ => self.copy_of(edge.to),
        };
        let id = self.small.add_edge(Edge { from, to, guard: edge.guard.clone(), action, span: edge.span });
        let kept = self.originals.push(originals);
        debug_assert_eq!(id, kept, "one list of originals per edge");
    }
}

impl Compressed {
    /// The original edges of a run of the smaller program.
    pub fn expand(
        &self,
        original: &Program,
        roots: &[crate::graph::ProcedureId],
        path: &[(ThreadId, EdgeId)],
        starts_thread: impl Fn(usize) -> bool,
    ) -> Vec<(ThreadId, EdgeId)> {
        let entry = |procedure| original.procedures()[procedure].entry;
        // By thread: steps skipped where it stands, and where its callers go on.
        let mut threads: Vec<(NodeId, Vec<NodeId>)> =
            roots.iter().map(|&root| (entry(root), Vec::new())).collect();
        let mut found = Vec::new();
        for (position, &(thread, edge)) in path.iter().enumerate() {
            let (at, waiting) = &mut threads[thread.index()];
            found.extend(self.skipped[*at].iter().map(|&skip| (thread, skip)));
            let originals = &self.originals[edge];
            found.extend(originals.iter().map(|&step| (thread, step)));
            let last = &original.edges()[*originals.last().expect("an edge stands for at least one")];
            let mut started = None;
            match last.action {
                Action::Call { callee, .. } => {
                    waiting.push(last.to);
                    *at = entry(callee);
                }
                Action::Return { .. } => *at = waiting.pop().unwrap_or(last.to),
                Action::Async { callee, .. } => {
                    *at = last.to;
                    started = Some(entry(callee));
                }
                Action::StartThread { at: begins } => {
                    *at = last.to;
                    started = Some(begins);
                }
                _ => *at = last.to,
            }
            if let Some(begins) = started.filter(|_| starts_thread(position)) {
                threads.push((begins, Vec::new()));
            }
        }
        found
    }
}
