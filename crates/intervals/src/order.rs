//! Weak topological order of a graph: nodes in an order in which every cycle is inside a loop with a head
//! (`base::graph`), as a tree.

use base::IndexVec;
use base::graph::{self, Step};
use program::{EdgeId, Graph, NodeId};

/// Part of a weak topological order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Element {
    /// A node outside all loops at this depth.
    Node(NodeId),
    /// A loop: its head, then the rest.
    Loop(NodeId, Vec<Element>),
}

/// The nodes that can be reached from the entry, in weak topological order. The head of a loop is the node it
/// is entered by.
pub fn weak_topological_order(graph: &Graph) -> Vec<Element> {
    let steps = graph::weak_topological_order(
        graph.nodes.len(),
        [graph.entry],
        |node| successors(graph, node),
        |members| members[0],
    );
    let mut elements = Vec::new();
    let mut around: Vec<(NodeId, Vec<Element>)> = Vec::new();
    for step in steps {
        match step {
            Step::Node(node) => elements.push(Element::Node(node)),
            Step::Enter(head) => around.push((head, std::mem::take(&mut elements))),
            Step::Leave => {
                let (head, before) = around.pop().expect("what ends has begun");
                let inside = std::mem::replace(&mut elements, before);
                elements.push(Element::Loop(head, inside));
            }
        }
    }
    elements
}

/// For each node the number of its strongly connected component, none if it cannot be reached.
pub fn component_of(graph: &Graph) -> IndexVec<NodeId, Option<usize>> {
    let count = graph.nodes.len();
    graph::components(count, [graph.entry], |node| successors(graph, node)).numbers(count)
}

fn successors(graph: &Graph, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    graph.nodes[node].out.iter().map(|&edge: &EdgeId| graph.edges[edge].to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Id, Span};
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
