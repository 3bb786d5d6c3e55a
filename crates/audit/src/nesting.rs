//! The loops of a graph, one inside the other: a list of places and loops in an order in which every step
//! leads on, or back to the head of a loop around it. After Bourdoncle 1993 (weak topological order). On
//! purpose not from `base::graph`: proofs were found with that, and the audit shares no algorithm with what
//! it checks.

use base::IndexVec;
use program::{Graph, NodeId};
use rustc_hash::FxHashSet;

/// An element of the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    /// A place outside inner loops.
    Place(NodeId),
    /// A loop: its head, and the rest of it in order.
    Loop(NodeId, Vec<Element>),
}

/// The order of a graph. Heads are taken from `preferred` where a loop has one of these.
pub(crate) fn order_of(graph: &Graph, preferred: &FxHashSet<NodeId>) -> Vec<Element> {
    let all: Vec<NodeId> = graph.nodes.ids().collect();
    ordered(graph, &all, preferred)
}

fn ordered(graph: &Graph, nodes: &[NodeId], preferred: &FxHashSet<NodeId>) -> Vec<Element> {
    let mut elements = Vec::new();
    // Components are found in an order in which what is reached comes first.
    for component in components(graph, nodes).into_iter().rev() {
        let is_loop = component.len() > 1 || graph.out(component[0]).any(|(_, edge)| edge.to == component[0]);
        if !is_loop {
            elements.push(Element::Place(component[0]));
            continue;
        }
        let head = head_of(graph, &component, preferred);
        let rest: Vec<NodeId> = component.into_iter().filter(|&node| node != head).collect();
        elements.push(Element::Loop(head, ordered(graph, &rest, preferred)));
    }
    elements
}

fn head_of(graph: &Graph, component: &[NodeId], preferred: &FxHashSet<NodeId>) -> NodeId {
    let inside: FxHashSet<NodeId> = component.iter().copied().collect();
    let is_entered = |node: NodeId| {
        node == graph.entry
            || graph.nodes[node].into.iter().any(|&edge| !inside.contains(&graph.edges[edge].from))
    };
    let mut sorted = component.to_vec();
    sorted.sort_by_key(|&node| {
        (!preferred.contains(&node), !is_entered(node), !graph.nodes[node].is_loop_head, node)
    });
    sorted[0]
}

/// Strongly connected components between some nodes (Tarjan 1972, with a stack of its own: graphs are deep).
fn components(graph: &Graph, nodes: &[NodeId]) -> Vec<Vec<NodeId>> {
    const UNSEEN: u32 = u32::MAX;
    let mut is_inside: IndexVec<NodeId, bool> = IndexVec::filled(false, graph.nodes.len());
    nodes.iter().for_each(|&node| is_inside[node] = true);
    let mut number: IndexVec<NodeId, u32> = IndexVec::filled(UNSEEN, graph.nodes.len());
    let mut low: IndexVec<NodeId, u32> = IndexVec::filled(UNSEEN, graph.nodes.len());
    let mut is_open: IndexVec<NodeId, bool> = IndexVec::filled(false, graph.nodes.len());
    let mut open: Vec<NodeId> = Vec::new();
    let mut found = Vec::new();
    let mut next = 0;
    for &root in nodes {
        if number[root] != UNSEEN {
            continue;
        }
        let mut path: Vec<(NodeId, usize)> = vec![(root, 0)];
        while let Some((node, at)) = path.pop() {
            if at == 0 {
                number[node] = next;
                low[node] = next;
                next += 1;
                open.push(node);
                is_open[node] = true;
            }
            let out = &graph.nodes[node].out;
            let mut position = at;
            let mut descends = false;
            while position < out.len() {
                let to = graph.edges[out[position]].to;
                position += 1;
                if !is_inside[to] {
                    continue;
                }
                if number[to] == UNSEEN {
                    path.push((node, position));
                    path.push((to, 0));
                    descends = true;
                    break;
                }
                if is_open[to] {
                    low[node] = low[node].min(number[to]);
                }
            }
            if descends {
                continue;
            }
            if low[node] == number[node] {
                let mut component = Vec::new();
                while let Some(member) = open.pop() {
                    is_open[member] = false;
                    component.push(member);
                    if member == node {
                        break;
                    }
                }
                found.push(component);
            }
            if let Some(&(parent, _)) = path.last() {
                low[parent] = low[parent].min(low[node]);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Span;
    use program::Action;

    #[test]
    fn loops_are_nested_and_the_rest_is_in_order() {
        let mut graph = Graph::new();
        let [a, b, c] = [(); 3].map(|()| graph.add_node(Span::default()));
        for (from, to) in [(graph.entry, a), (a, b), (b, b), (b, c), (c, a), (a, graph.exit)] {
            graph.add_edge(from, to, Action::Skip, Span::default());
        }
        let order = order_of(&graph, &FxHashSet::default());
        let inner = vec![Element::Loop(b, Vec::new()), Element::Place(c)];
        assert_eq!(order, [Element::Place(graph.entry), Element::Loop(a, inner), Element::Place(graph.exit)]);
        // Another head of the same loop may be asked for.
        let order = order_of(&graph, &FxHashSet::from_iter([c]));
        let inner = vec![Element::Place(a), Element::Loop(b, Vec::new())];
        assert!(order.contains(&Element::Loop(c, inner)), "{order:?}");
    }
}
