//! Weak topological order of a graph: nodes in an order in which every cycle is inside a loop with a head.
//! After Bourdoncle 1993. DIVERGENCE: components are found by Tarjan's algorithm without recursion, once per nesting depth, so
//! that long procedures do not exhaust the stack.

use base::Id;
use program::{EdgeId, Graph, NodeId};
use rustc_hash::FxHashMap;

/// Part of a weak topological order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Element {
    /// A node outside all loops at this depth.
    Node(NodeId),
    /// A loop: its head, then the rest.
    Loop(NodeId, Vec<Element>),
}

/// The nodes that can be reached from the entry, in weak topological order.
pub fn weak_topological_order(graph: &Graph) -> Vec<Element> {
    let allowed = vec![true; graph.nodes.len()];
    arrange(graph, &allowed, &[graph.entry])
}

/// For each node that can be reached the number of its strongly connected component.
pub fn component_of(graph: &Graph) -> FxHashMap<NodeId, usize> {
    let found = components(graph, &vec![true; graph.nodes.len()], &[graph.entry]);
    found.iter().enumerate().flat_map(|(at, members)| members.iter().map(move |&node| (node, at))).collect()
}

fn successors(graph: &Graph, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    graph.nodes[node].out.iter().map(|&edge: &EdgeId| graph.edges[edge].to)
}

/// Components of the allowed nodes reachable from the starts, each arranged; heads are taken out while arranging inside.
fn arrange(graph: &Graph, allowed: &[bool], starts: &[NodeId]) -> Vec<Element> {
    let mut elements = Vec::new();
    let mut components = components(graph, allowed, starts);
    // Tarjan finds components in reverse topological order.
    components.reverse();
    for component in components {
        let head = component[0];
        let is_loop = component.len() > 1 || successors(graph, head).any(|to| to == head);
        if !is_loop {
            elements.push(Element::Node(head));
            continue;
        }
        let mut inside = vec![false; graph.nodes.len()];
        component.iter().for_each(|node| inside[node.index()] = true);
        inside[head.index()] = false;
        let starts: Vec<NodeId> = successors(graph, head).filter(|to| inside[to.index()]).collect();
        elements.push(Element::Loop(head, arrange(graph, &inside, &starts)));
    }
    elements
}

/// Strongly connected components in reverse topological order; the first node of each is the one the search entered by.
fn components(graph: &Graph, allowed: &[bool], starts: &[NodeId]) -> Vec<Vec<NodeId>> {
    struct Visit {
        node: NodeId,
        next: usize,
    }
    let mut number: FxHashMap<NodeId, usize> = FxHashMap::default();
    let mut low: FxHashMap<NodeId, usize> = FxHashMap::default();
    let mut on_stack: FxHashMap<NodeId, bool> = FxHashMap::default();
    let mut stack: Vec<NodeId> = Vec::new();
    let mut found = Vec::new();
    for &start in starts {
        if number.contains_key(&start) || !allowed[start.index()] {
            continue;
        }
        let mut visits = vec![Visit { node: start, next: 0 }];
        number.insert(start, number.len());
        low.insert(start, number[&start]);
        on_stack.insert(start, true);
        stack.push(start);
        while let Some(visit) = visits.last_mut() {
            let node = visit.node;
            if let Some(&edge) = graph.nodes[node].out.get(visit.next) {
                visit.next += 1;
                let to = graph.edges[edge].to;
                if !allowed[to.index()] {
                    continue;
                }
                if let Some(&seen) = number.get(&to) {
                    if on_stack[&to] {
                        let least = low[&node].min(seen);
                        low.insert(node, least);
                    }
                } else {
                    number.insert(to, number.len());
                    low.insert(to, number[&to]);
                    on_stack.insert(to, true);
                    stack.push(to);
                    visits.push(Visit { node: to, next: 0 });
                }
                continue;
            }
            visits.pop();
            if let Some(parent) = visits.last() {
                let least = low[&parent.node].min(low[&node]);
                low.insert(parent.node, least);
            }
            if low[&node] == number[&node] {
                let at = stack.iter().rposition(|&other| other == node).expect("the node is on the stack");
                let component = stack.split_off(at);
                component.iter().for_each(|node| {
                    on_stack.insert(*node, false);
                });
                found.push(component);
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

    fn graph(nodes: usize, edges: &[(usize, usize)]) -> Graph {
        let mut graph = Graph::new();
        while graph.nodes.len() < nodes {
            graph.add_node(Span::NOWHERE);
        }
        let ids: Vec<NodeId> = graph.nodes.ids().collect();
        for &(from, to) in edges {
            graph.add_edge(ids[from], ids[to], Action::Skip, Span::NOWHERE);
        }
        graph
    }

    fn shown(elements: &[Element]) -> String {
        let parts = elements.iter().map(|element| match element {
            Element::Node(node) => node.index().to_string(),
            Element::Loop(head, inner) => format!("({} {})", head.index(), shown(inner)),
        });
        parts.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn loops_are_nested_as_in_the_paper() {
        // Bourdoncle's figure: 1 2 (3 4 (5 6) 7) 8, counted from 0 here, with 0 and 1 as entry and exit.
        let graph = graph(
            9,
            &[(0, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 5), (6, 7), (7, 3), (3, 8), (5, 7), (8, 1)],
        );
        assert_eq!(shown(&weak_topological_order(&graph)), "0 2 (3 4 (5 6) 7) 8 1");
    }

    #[test]
    fn a_node_may_be_its_own_loop() {
        let graph = graph(3, &[(0, 2), (2, 2), (2, 1)]);
        assert_eq!(shown(&weak_topological_order(&graph)), "0 (2 ) 1");
    }
}
