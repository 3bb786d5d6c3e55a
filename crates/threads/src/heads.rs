//! Where a thread that goes round a loop must be interrupted. A thread that has made a step others see must come to a cut (`mode`), so there is one where loops begin; but
//! where every way round a loop passes a step before which the thread is interrupted anyway, that cut would only be one more place to speak of.
//!
//! **Obligation.** Every cycle of a procedure passes a head that is found here, or a step that is a cut for a thread that comes to it outside of atomic sections after
//! something that does not move to the right (`Weaver::before` with [`Mover::No`] or [`Mover::Right`]). Who is not sure says no: then there is one cut more.
//!
//! Worked example: `while (test_and_set(&lock)) delay *= 2;` is interrupted before `test_and_set`, and not where the loop begins: whoever has taken the lock stands at a place
//! that nobody else stands at.

use crate::mode::Mover;
use crate::weave::Weaver;
use base::{Id, IndexVec};
use program::{Action, Callee, Edge, Graph, Known, NodeId, PlaceBase, ProcedureId};
use rustc_hash::FxHashSet;

impl Weaver<'_> {
    /// Heads of loops at which a thread has to be interrupted.
    pub fn heads_without_cuts(&mut self, procedure: ProcedureId, body: &Graph) -> FxHashSet<NodeId> {
        // Who looks for threads that wait is told of each round.
        if self.options.deadlocks {
            return heads(body, &FxHashSet::default());
        }
        let cuts = self.cutting_steps(procedure, body);
        heads(body, &cuts)
    }

    /// Nodes whose step is a cut, for whoever comes there outside of sections.
    fn cutting_steps(&mut self, procedure: ProcedureId, body: &Graph) -> FxHashSet<NodeId> {
        let has_sections = body.edges.iter().any(|edge| match &edge.action {
            Action::Call { callee: Callee::Direct(callee), arguments, .. } => {
                let known = self.old.procedures[*callee].known;
                matches!(known, Some(Known::AtomicBegin | Known::AtomicEnd)) && !Known::is_step(arguments)
            }
            _ => false,
        });
        let mut found = FxHashSet::default();
        for node in body.nodes.ids() {
            let [only] = body.nodes[node].out[..] else { continue };
            if self.is_cutting(procedure, &body.edges[only], has_sections) {
                found.insert(node);
            }
        }
        found
    }

    fn is_cutting(&mut self, procedure: ProcedureId, edge: &Edge, has_sections: bool) -> bool {
        let stops = |mover: Mover| matches!(mover, Mover::No | Mover::Right);
        match &edge.action {
            Action::Call { callee: Callee::Direct(callee), arguments, .. } => {
                let called = &self.old.procedures[*callee];
                match called.known {
                    Some(Known::AtomicBegin) if called.has_direct_meaning() || called.body.is_none() => {
                        !Known::is_step(arguments) && stops(self.quiet.section((procedure, edge.from)))
                    }
                    Some(_) => false,
                    None => self.is_interrupted_in(*callee),
                }
            }
            Action::Assign { .. } | Action::Havoc { .. } if !has_sections => {
                let Some((place, is_write)) = self.seen_place(&edge.action) else { return false };
                let is_named = matches!(place.base, PlaceBase::Variable(_));
                let is_undisturbed = !is_write && self.quiet.reads_undisturbed((procedure, edge.from));
                is_named && !is_undisturbed && !self.quiet.has(self.old, self.points_to, place)
            }
            _ => false,
        }
    }

    /// Is a thread surely interrupted on its way through the procedure?
    fn is_interrupted_in(&mut self, procedure: ProcedureId) -> bool {
        if let Some(&known) = self.interrupted.get(&procedure) {
            return known;
        }
        // One that calls itself is not asked again.
        self.interrupted.insert(procedure, false);
        let called = &self.old.procedures[procedure];
        let Some(body) = called.body.as_ref().filter(|_| self.visible.contains(&procedure)) else {
            return false;
        };
        let is_interrupted = if called.is_atomic {
            matches!(self.quiet.section((procedure, body.entry)), Mover::No | Mover::Right)
        } else {
            let cuts = self.cutting_steps(procedure, body);
            let onward = |node: NodeId| {
                let out = if cuts.contains(&node) { &[][..] } else { &body.nodes[node].out[..] };
                out.iter().map(|&edge| body.edges[edge].to).collect::<Vec<_>>()
            };
            let reached = base::graph::reachable([body.entry], onward);
            !reached.into_iter().any(|node| {
                body.nodes[node].out.iter().any(|&edge| {
                    !cuts.contains(&node) && matches!(body.edges[edge].action, Action::Return { .. })
                })
            })
        };
        self.interrupted.insert(procedure, is_interrupted);
        is_interrupted
    }
}

/// Targets of edges that lead back in a depth-first search which does not go past the cuts: every cycle has one, or a cut.
fn heads(body: &Graph, cuts: &FxHashSet<NodeId>) -> FxHashSet<NodeId> {
    let mut targets = FxHashSet::default();
    let mut state: IndexVec<NodeId, u8> = IndexVec::filled(0, body.nodes.len());
    let mut starts = vec![body.entry];
    starts.extend(cuts.iter().flat_map(|&node| body.nodes[node].out.iter().map(|&edge| body.edges[edge].to)));
    starts[1..].sort_unstable_by_key(|node| node.index());
    for start in starts {
        if state[start] != 0 {
            continue;
        }
        let mut stack = vec![(start, 0usize)];
        state[start] = 1;
        while let Some((node, next)) = stack.pop() {
            let out = if cuts.contains(&node) { &[][..] } else { &body.nodes[node].out[..] };
            match out.get(next) {
                None => state[node] = 2,
                Some(&edge) => {
                    stack.push((node, next + 1));
                    let to = body.edges[edge].to;
                    match state[to] {
                        0 => {
                            state[to] = 1;
                            stack.push((to, 0));
                        }
                        1 => {
                            targets.insert(to);
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Span;

    /// A ring of four nodes with a way across, entered at its first.
    fn ring() -> (Graph, Vec<NodeId>) {
        let mut graph = Graph::new();
        let nodes: Vec<NodeId> = (0..4).map(|_| graph.add_node(Span::NOWHERE)).collect();
        graph.add_edge(graph.entry, nodes[0], Action::Skip, Span::NOWHERE);
        for (from, to) in [(0, 1), (1, 2), (2, 3), (3, 0), (1, 3)] {
            graph.add_edge(nodes[from], nodes[to], Action::Skip, Span::NOWHERE);
        }
        (graph, nodes)
    }

    #[test]
    fn every_cycle_has_a_head_or_a_cut() {
        let (graph, nodes) = ring();
        let heads_with = |cuts: &[usize]| heads(&graph, &cuts.iter().map(|&at| nodes[at]).collect());
        assert_eq!(heads_with(&[]).into_iter().collect::<Vec<_>>(), [nodes[0]]);
        assert!(heads_with(&[1]).is_empty());
        // The way across does not pass it.
        assert_eq!(heads_with(&[2]).into_iter().collect::<Vec<_>>(), [nodes[0]]);
    }
}
