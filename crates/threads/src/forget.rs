//! A thread that is interrupted forgets what it does not need any more: variables outside memory that are dead where it goes on become 0. So runs that differ in nothing that
//! matters come to the same state.

use crate::mode::ThreadIndex;
use crate::weave::{ENDED, Weaver};
use base::Span;
use program::expr::{Access, ExprPart};
use program::{Action, EdgeId, Expr, NodeId, Place, VariableId, VariableKind};
use rustc_hash::{FxHashMap, FxHashSet};

type Variables = FxHashSet<VariableId>;

impl Weaver<'_> {
    /// Adds the steps that forget, before threads are chosen.
    pub fn forget_the_dead(&mut self) {
        let owner: FxHashMap<VariableId, ThreadIndex> = self
            .frames
            .iter()
            .flat_map(|frame| frame.variables.values().map(|&id| (id, frame.thread)))
            .collect();
        let own: Variables = owner
            .keys()
            .copied()
            .filter(|&id| {
                let variable = &self.new.variables[id];
                !variable.in_memory
                    && matches!(variable.kind, VariableKind::Local | VariableKind::Temporary)
                    && self.new.types.integer_shape(variable.ty.id).is_some()
            })
            .collect();
        let resumed = self.resumed();
        let live = self.live(&own, &resumed);
        let dirty = self.dirty(&own, &live, &resumed);
        let leaving: Vec<EdgeId> = self.graph.nodes[self.chooser].into.clone();
        let nothing = Variables::default();
        for edge in leaving {
            let from = self.graph.edges[edge].from;
            let needed = resumed.get(&edge).and_then(|node| live.get(node)).unwrap_or(&nothing);
            let (Some(dirty), Some(thread)) = (dirty.get(&from), self.who_leaves(edge)) else { continue };
            let needed = if self.is_environment(thread) { &nothing } else { needed };
            // What it gave a thread that it created is not its own.
            let is_own = |id: &VariableId| owner.get(id) == Some(&thread);
            let mut dead: Vec<VariableId> = dirty.difference(needed).copied().filter(is_own).collect();
            dead.sort_unstable();
            self.clear_before(edge, &dead);
        }
    }

    /// The thread that notes where it is.
    fn who_leaves(&self, edge: EdgeId) -> Option<ThreadIndex> {
        let Action::Assign { target, .. } = &self.graph.edges[edge].action else { return None };
        let counter = target.as_variable()?;
        self.threads.iter_enumerated().find(|(_, thread)| thread.counter == counter).map(|(id, _)| id)
    }

    /// Where a thread goes on that left by an edge.
    pub fn resumed(&self) -> FxHashMap<EdgeId, NodeId> {
        let mut resumed = FxHashMap::default();
        for &edge in &self.graph.nodes[self.chooser].into {
            let Action::Assign { value, .. } = &self.graph.edges[edge].action else { continue };
            let number = value.as_integer().filter(|&number| number != ENDED as u128);
            if let (Some(thread), Some(number)) = (self.who_leaves(edge), number)
                && let Some(cut) = self.threads[thread].cuts.get(number as usize - 1)
                && let Some(node) = cut.resumes
            {
                resumed.insert(edge, node);
            }
        }
        resumed
    }

    /// Variables that are needed from a node on; what other threads do in between does not concern them.
    pub fn live(&self, own: &Variables, resumed: &FxHashMap<EdgeId, NodeId>) -> FxHashMap<NodeId, Variables> {
        let mut live: FxHashMap<NodeId, Variables> = FxHashMap::default();
        let mut into_resumed: FxHashMap<NodeId, Vec<EdgeId>> = FxHashMap::default();
        for (&edge, &node) in resumed {
            into_resumed.entry(node).or_default().push(edge);
        }
        let mut open: Vec<EdgeId> = self.graph.edges.ids().collect();
        while let Some(id) = open.pop() {
            let edge = &self.graph.edges[id];
            let after = if edge.to == self.chooser { resumed.get(&id).copied() } else { Some(edge.to) };
            let mut needed = after.and_then(|node| live.get(&node).cloned()).unwrap_or_default();
            if let Some(written) = written(&edge.action) {
                needed.remove(&written);
            }
            edge.action.visit(&mut |part| {
                if let ExprPart::Place(place, Access::Read) = part
                    && let program::PlaceBase::Variable(variable) = place.base
                    && own.contains(&variable)
                {
                    needed.insert(variable);
                }
            });
            let known = live.entry(edge.from).or_default();
            let before = known.len();
            known.extend(needed);
            if known.len() > before {
                open.extend(
                    self.graph.nodes[edge.from]
                        .into
                        .iter()
                        .filter(|into| self.graph.edges[**into].to != self.chooser),
                );
                open.extend(into_resumed.get(&edge.from).into_iter().flatten());
            }
        }
        live
    }

    /// Variables that may hold something at a node.
    fn dirty(
        &self,
        own: &Variables,
        live: &FxHashMap<NodeId, Variables>,
        resumed: &FxHashMap<EdgeId, NodeId>,
    ) -> FxHashMap<NodeId, Variables> {
        let mut dirty: FxHashMap<NodeId, Variables> = FxHashMap::default();
        let mut open = vec![(self.graph.entry, Variables::default())];
        let mut starts: Vec<NodeId> = resumed.values().copied().collect();
        // Threads begin with their parameters set by whoever created them.
        starts
            .extend(self.threads.iter().flat_map(|thread| thread.cuts.first()).filter_map(|cut| cut.resumes));
        open.extend(starts.into_iter().map(|node| (node, live.get(&node).cloned().unwrap_or_default())));
        while let Some((node, found)) = open.pop() {
            let is_new = !dirty.contains_key(&node);
            let known = dirty.entry(node).or_default();
            let before = known.len();
            known.extend(found);
            if known.len() == before && !is_new {
                continue;
            }
            let known = known.clone();
            for &edge in &self.graph.nodes[node].out {
                let edge = &self.graph.edges[edge];
                if edge.to == self.chooser {
                    continue;
                }
                let mut after = known.clone();
                after.extend(written(&edge.action).filter(|variable| own.contains(variable)));
                open.push((edge.to, after));
            }
        }
        dirty
    }

    /// Sets variables to 0 before an edge.
    fn clear_before(&mut self, edge: EdgeId, variables: &[VariableId]) {
        let clear = |&variable: &VariableId| {
            let ty = self.new.variables[variable].ty.id;
            let value = Expr::integer(0, ty, &self.new.types);
            Action::Assign { target: Place::variable(variable, ty), value }
        };
        let steps = variables.iter().map(clear).collect();
        self.insert_before(edge, steps);
    }

    /// Does something before an edge.
    pub fn insert_before(&mut self, edge: EdgeId, steps: Vec<Action>) {
        if steps.is_empty() {
            return;
        }
        let from = self.graph.edges[edge].from;
        self.graph.nodes[from].out.retain(|&out| out != edge);
        let mut at = from;
        for action in steps {
            let next = self.graph.add_node(Span::NOWHERE);
            self.graph.add_edge(at, next, action, Span::NOWHERE);
            at = next;
        }
        self.graph.edges[edge].from = at;
        self.graph.nodes[at].out.push(edge);
    }
}

/// The variable that an action writes as a whole.
fn written(action: &Action) -> Option<VariableId> {
    match action {
        Action::Assign { target, .. } | Action::Havoc { target, .. } => target.as_variable(),
        Action::Call { result: Some(target), .. } => target.as_variable(),
        _ => None,
    }
}
