//! The order in which the places of a procedure are visited when its loops are unrolled.
//! After Bourdoncle 1993, "Efficient chaotic iteration strategies with widenings": a weak topological order by strongly connected
//! components, each with a head; taking the head out leaves components inside. Every cycle passes through a head.

use base::IndexVec;
use program::{Graph, NodeId};
use rustc_hash::FxHashMap;

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
        let mut next = 0;
        // Components inside components; the stack holds what is still to be divided, innermost last.
        let mut open: Vec<(Vec<NodeId>, Vec<NodeId>)> = vec![(all, Vec::new())];
        while let Some((nodes, around)) = open.pop() {
            let mut parts = components(graph, &nodes);
            // Tarjan finds what is reached first last.
            if parts.len() > 1 {
                while let Some(part) = parts.first().cloned() {
                    parts.remove(0);
                    open.push((part, around.clone()));
                }
                continue;
            }
            let Some(part) = parts.pop() else { continue };
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

/// Strongly connected components of the graph between some nodes, last ones first (Tarjan 1972, without recursion).
fn components(graph: &Graph, nodes: &[NodeId]) -> Vec<Vec<NodeId>> {
    struct Visit {
        index: u32,
        low: u32,
        is_open: bool,
    }
    let inside: rustc_hash::FxHashSet<NodeId> = nodes.iter().copied().collect();
    let mut visits: FxHashMap<NodeId, Visit> = FxHashMap::default();
    let mut found = Vec::new();
    let mut open_nodes: Vec<NodeId> = Vec::new();
    let mut next = 0;
    for &root in nodes {
        if visits.contains_key(&root) {
            continue;
        }
        let mut path: Vec<(NodeId, usize)> = vec![(root, 0)];
        while let Some(&mut (node, ref mut at)) = path.last_mut() {
            if *at == 0 {
                visits.insert(node, Visit { index: next, low: next, is_open: true });
                next += 1;
                open_nodes.push(node);
            }
            let out = &graph.nodes[node].out;
            let successor =
                out[*at..].iter().map(|&edge| graph.edges[edge].to).position(|to| inside.contains(&to));
            match successor {
                Some(skipped) => {
                    let to = graph.edges[out[*at + skipped]].to;
                    *at += skipped + 1;
                    match visits.get(&to) {
                        None => path.push((to, 0)),
                        Some(visit) if visit.is_open => {
                            let index = visit.index;
                            let own = visits.get_mut(&node).expect("it is being visited");
                            own.low = own.low.min(index);
                        }
                        Some(_) => {}
                    }
                    // A node without edges before must not count as new again.
                }
                None => {
                    path.pop();
                    let (index, low) = (visits[&node].index, visits[&node].low);
                    if let Some(&(parent, _)) = path.last() {
                        let parent = visits.get_mut(&parent).expect("it is being visited");
                        parent.low = parent.low.min(low);
                    }
                    if index == low {
                        let mut part = Vec::new();
                        loop {
                            let member = open_nodes.pop().expect("the root of a component is open");
                            visits.get_mut(&member).expect("it was visited").is_open = false;
                            part.push(member);
                            if member == node {
                                break;
                            }
                        }
                        found.push(part);
                    }
                }
            }
        }
    }
    found
}
