//! A run of the product that accepts, as a stem and a cycle, and how to find short ones inside a set of
//! nodes.

use super::product::{Node, Product, ProductEdge};
use automata::Marks;
use lks::{ActionId, Successors};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// An accepting run: `start stem cycle cycle …`.
#[derive(Clone, Debug)]
pub(super) struct ProductLasso {
    pub start: Node,
    pub stem: Vec<ProductEdge>,
    /// Not empty; ends where it begins.
    pub cycle: Vec<ProductEdge>,
}

/// A shortest walk from one of `from` to the first edge that `wanted` accepts, that edge included.
pub(super) fn walk<S: Successors>(
    product: &mut Product<'_, S>,
    from: &[Node],
    within: impl Fn(Node) -> bool,
    wanted: impl Fn(Node, &ProductEdge) -> bool,
) -> Option<(Node, Vec<ProductEdge>)> {
    let mut before: FxHashMap<Node, (Node, ProductEdge)> = FxHashMap::default();
    let mut seen: FxHashSet<Node> = from.iter().copied().collect();
    let mut queue: VecDeque<Node> = from.iter().copied().collect();
    while let Some(node) = queue.pop_front() {
        for edge in product.successors(node) {
            if !within(edge.to) {
                continue;
            }
            if wanted(node, &edge) {
                let mut steps = vec![edge];
                let mut at = node;
                while let Some((previous, edge)) = before.get(&at) {
                    steps.push(*edge);
                    at = *previous;
                }
                steps.reverse();
                return Some((at, steps));
            }
            if seen.insert(edge.to) {
                before.insert(edge.to, (node, edge));
                queue.push_back(edge.to);
            }
        }
    }
    None
}

/// A lasso whose cycle stays among `members`, a strongly connected set with all marks, carries every mark,
/// and takes an event of each strong fairness constraint that is enabled there.
pub(super) fn lasso_into<S: Successors>(
    product: &mut Product<'_, S>,
    initial: &[Node],
    members: &FxHashSet<Node>,
    serving: &[Vec<ActionId>],
) -> ProductLasso {
    let target = |node: Node| members.contains(&node);
    let (start, stem, entry) = match initial.iter().find(|node| target(**node)) {
        Some(node) => (*node, Vec::new(), *node),
        None => {
            let (start, stem) =
                walk(product, initial, |_| true, |_, edge| target(edge.to)).expect("the set can be reached");
            let entry = stem.last().expect("the walk has an edge").to;
            (start, stem, entry)
        }
    };
    let mut cycle: Vec<ProductEdge> = Vec::new();
    let mut at = entry;
    let mut missing = product.all_marks();
    let step_to = |product: &mut Product<'_, S>, at: Node, wanted: &dyn Fn(&ProductEdge) -> bool| {
        walk(product, &[at], target, |_, edge| wanted(edge)).expect("the set is strongly connected").1
    };
    while missing != Marks::NONE {
        let walked = step_to(product, at, &|edge| edge.marks.intersection(missing) != Marks::NONE);
        for edge in &walked {
            missing = missing.without(edge.marks);
        }
        at = walked.last().expect("the walk has an edge").to;
        cycle.extend(walked);
    }
    for actions in serving {
        let serves = |edge: &ProductEdge| edge.event.is_some_and(|event| actions.contains(&event));
        if !cycle.iter().any(serves) {
            let walked = step_to(product, at, &serves);
            at = walked.last().expect("the walk has an edge").to;
            cycle.extend(walked);
        }
    }
    if at != entry || cycle.is_empty() {
        cycle.extend(step_to(product, at, &|edge| edge.to == entry));
    }
    ProductLasso { start, stem, cycle }
}
