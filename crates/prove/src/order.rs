//! The order in which the places of a procedure are visited when its loops are unrolled.
//! After Bourdoncle 1993, "Efficient chaotic iteration strategies with widenings": a weak topological order
//! by strongly connected components, each with a head; taking the head out leaves components inside. Every
//! cycle passes through a head.
//! DIVERGENCE: nodes without an order between them come as runs were always explored, not as
//! `base::graph::weak_topological_order` has them, so that the same program gives the same formulas.

use base::IndexVec;
use base::graph::Search;
use program::{Graph, NodeId};

/// Positions and enclosing loops of all nodes.
#[derive(Debug)]
pub struct Order {
    position: IndexVec<NodeId, u32>,
    /// Heads of the loops around a node, outermost first; a head is in its own loop.
    loops: IndexVec<NodeId, Vec<NodeId>>,
}

impl Order {
    /// Of a graph.
    pub fn of(graph: &Graph) -> Order {
        let mut order = Order {
            position: IndexVec::filled(u32::MAX, graph.nodes.len()),
            loops: IndexVec::filled(Vec::new(), graph.nodes.len()),
        };
        let all: Vec<NodeId> = graph.nodes.ids().collect();
        let mut search = Search::new(all.len());
        let mut next = 0;
        // Components inside components; the stack holds what is still to be divided, innermost last.
        let mut open: Vec<(Vec<NodeId>, Vec<NodeId>)> = vec![(all, Vec::new())];
        while let Some((nodes, around)) = open.pop() {
            // All other nodes are done, so the search stays between these.
            nodes.iter().for_each(|&node| search.renew(node));
            let parts = search.run(nodes, |node| graph.out(node).map(|(_, edge)| edge.to));
            let mut parts = parts.iter().map(|part| part.iter().rev().copied().collect::<Vec<_>>());
            // What comes first is found last.
            if parts.len() > 1 {
                open.extend(parts.map(|part| (part, around.clone())));
                continue;
            }
            let Some(part) = parts.next() else { continue };
            let is_loop = part.len() > 1 || graph.out(part[0]).any(|(_, edge)| edge.to == part[0]);
            if !is_loop {
                order.position[part[0]] = next;
                order.loops[part[0]] = around;
                next += 1;
                continue;
            }
            let head = head_of(graph, &part);
            let mut inside = around.clone();
            inside.push(head);
            order.position[head] = next;
            order.loops[head] = inside.clone();
            next += 1;
            let rest: Vec<NodeId> = part.into_iter().filter(|&node| node != head).collect();
            if !rest.is_empty() {
                open.push((rest, inside));
            }
        }
        order
    }

    /// The place of a node in the order.
    pub fn position(&self, node: NodeId) -> u32 {
        self.position[node]
    }

    /// The heads of the loops around a node, outermost first.
    pub fn loops(&self, node: NodeId) -> &[NodeId] {
        &self.loops[node]
    }

    /// Does a loop begin its rounds here?
    pub fn is_head(&self, node: NodeId) -> bool {
        self.loops[node].last() == Some(&node)
    }
}

/// The node that is entered from outside, the one the lowering marked if there are several.
fn head_of(graph: &Graph, part: &[NodeId]) -> NodeId {
    let inside: rustc_hash::FxHashSet<NodeId> = part.iter().copied().collect();
    let is_entered = |&node: &NodeId| {
        node == graph.entry
            || graph.nodes[node].into.iter().any(|&edge| !inside.contains(&graph.edges[edge].from))
    };
    let mut entered: Vec<NodeId> = part.iter().copied().filter(is_entered).collect();
    entered.sort_unstable();
    let marked = entered.iter().copied().find(|&node| graph.nodes[node].is_loop_head);
    marked.or_else(|| entered.first().copied()).unwrap_or(part[0])
}
