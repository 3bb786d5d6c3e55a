//! Emptiness of generalised Büchi products by strongly connected components, on the fly. Couvreur 1999:
//! Tarjan's search with a stack of roots that collect marks; it stops at the first component, complete or
//! not, that carries all marks. Strong fairness needs whole components (Emerson and Lei 1987, as for Streett
//! acceptance): where a constraint is enabled but never served, the states that enable it are removed, and
//! the rest is decomposed again.
//! Twin: `nested`; the tests require agreement, and both against the product built in full.
//!
//! Worked example: edges `1 -> 2` with mark 0 and `2 -> 1` with mark 1, both marks wanted again and again.
//! The search opens a root for 1 and one for 2. The edge back to 1 joins them to one component with the marks
//! of both edges: all marks, so it accepts at once, whatever else is reachable.

use super::lasso::{ProductLasso, lasso_into};
use super::product::{Node, Product, ProductEdge};
use crate::stopped::Stopped;
use automata::Marks;
use base::{IndexVec, graph};
use lks::{ActionId, Successors};
use question::Monitor;
use rustc_hash::{FxHashMap, FxHashSet};

/// An accepting run, if there is one.
pub(super) fn accepting_run<S: Successors>(
    product: &mut Product<'_, S>,
    monitor: Monitor<'_>,
) -> Result<Option<ProductLasso>, Stopped> {
    let initial = product.initial();
    monitor.count("states of the product", initial.len());
    if product.has_fair_choice() {
        return fair_choice_run(product, &initial, monitor);
    }
    if product.has_strong_fairness() {
        return fair_run(product, &initial, monitor);
    }
    let Some(members) = first_accepting(product, &initial, monitor)? else { return Ok(None) };
    Ok(Some(lasso_into(product, &initial, &members, &[])))
}

struct Root {
    /// The search number of the component's first node.
    number: u32,
    marks: Marks,
    /// The marks of the edge by which it was entered.
    entered_by: Marks,
}

struct Frame {
    node: Node,
    edges: Vec<ProductEdge>,
    next: usize,
}

/// The nodes of an accepting component, as far as it is known when it is recognised.
fn first_accepting<S: Successors>(
    product: &mut Product<'_, S>,
    initial: &[Node],
    monitor: Monitor<'_>,
) -> Result<Option<FxHashSet<Node>>, Stopped> {
    let all = product.all_marks();
    // Search number of nodes on the component stack; 0 once their component is finished.
    let mut numbers: FxHashMap<Node, u32> = FxHashMap::default();
    let mut live: Vec<Node> = Vec::new();
    let mut roots: Vec<Root> = Vec::new();
    let mut calls: Vec<Frame> = Vec::new();
    let mut count = 0u32;
    for &start in initial {
        if numbers.contains_key(&start) {
            continue;
        }
        count += 1;
        numbers.insert(start, count);
        live.push(start);
        roots.push(Root { number: count, marks: Marks::NONE, entered_by: Marks::NONE });
        calls.push(Frame { node: start, edges: product.successors(start), next: 0 });
        while let Some(frame) = calls.last_mut() {
            let Some(edge) = frame.edges.get(frame.next).copied() else {
                let node = frame.node;
                calls.pop();
                let number = numbers[&node];
                if roots.last().is_some_and(|root| root.number == number) {
                    roots.pop();
                    while let Some(member) = live.pop() {
                        numbers.insert(member, 0);
                        if member == node {
                            break;
                        }
                    }
                }
                continue;
            };
            frame.next += 1;
            match numbers.get(&edge.to).copied() {
                None => {
                    count += 1;
                    if count.is_multiple_of(1024) {
                        product.check(monitor)?;
                    }
                    numbers.insert(edge.to, count);
                    live.push(edge.to);
                    roots.push(Root { number: count, marks: Marks::NONE, entered_by: edge.marks });
                    calls.push(Frame { node: edge.to, edges: product.successors(edge.to), next: 0 });
                }
                Some(0) => {}
                Some(target) => {
                    // A cycle closes: everything back to the target is one component.
                    let mut marks = edge.marks;
                    while roots.last().is_some_and(|root| root.number > target) {
                        let root = roots.pop().expect("checked");
                        marks = marks.union(root.marks).union(root.entered_by);
                    }
                    let root = roots.last_mut().expect("the target lies in a component on the stack");
                    root.marks = root.marks.union(marks);
                    if root.marks == all {
                        let first = root.number;
                        let members = live.iter().copied().filter(|node| numbers[node] >= first);
                        return Ok(Some(members.collect()));
                    }
                }
            }
        }
    }
    Ok(None)
}

base::define_id!(
    /// A node of an explored part, by its place in their order.
    PartNode,
    "node"
);

/// An explored part of the product: each node with its edges inside the part.
type ExploredPart = FxHashMap<Node, Vec<ProductEdge>>;

/// A run that passes all of a whole component again and again is fair iff that leaves out no transition of
/// the system's states in it; and a fair run takes them all within one component. So whole components are all
/// that must be looked at. The cycle that is shown does everything that is done in the component.
fn fair_choice_run<S: Successors>(
    product: &mut Product<'_, S>,
    initial: &[Node],
    monitor: Monitor<'_>,
) -> Result<Option<ProductLasso>, Stopped> {
    let whole = explored(product, initial, monitor)?;
    let all = product.all_marks();
    for members in components(&whole) {
        let steps = || {
            let from = members.iter().flat_map(|node| whole[node].iter().map(move |edge| (*node, *edge)));
            from.filter(|(_, edge)| members.contains(&edge.to))
        };
        let marks = steps().fold(Marks::NONE, |marks, (_, edge)| marks.union(edge.marks));
        if steps().next().is_some() && marks == all && product.leaves_nothing_out(steps()) {
            let mut done: Vec<ActionId> = steps().filter_map(|(_, edge)| edge.event).collect();
            done.sort_unstable();
            done.dedup();
            let serving: Vec<Vec<ActionId>> = done.into_iter().map(|action| vec![action]).collect();
            return Ok(Some(lasso_into(product, initial, &members, &serving)));
        }
    }
    Ok(None)
}

/// The whole product.
fn explored<S: Successors>(
    product: &mut Product<'_, S>,
    initial: &[Node],
    monitor: Monitor<'_>,
) -> Result<ExploredPart, Stopped> {
    let mut whole = ExploredPart::default();
    let mut open: Vec<Node> = initial.to_vec();
    while let Some(node) = open.pop() {
        if whole.contains_key(&node) {
            continue;
        }
        if whole.len().is_multiple_of(1024) {
            product.check(monitor)?;
        }
        let edges = product.successors(node);
        open.extend(edges.iter().map(|edge| edge.to));
        whole.insert(node, edges);
    }
    Ok(whole)
}

fn fair_run<S: Successors>(
    product: &mut Product<'_, S>,
    initial: &[Node],
    monitor: Monitor<'_>,
) -> Result<Option<ProductLasso>, Stopped> {
    let all = product.all_marks();
    let mut parts = vec![explored(product, initial, monitor)?];
    while let Some(part) = parts.pop() {
        product.check(monitor)?;
        for members in components(&part) {
            let inner = |edge: &&ProductEdge| members.contains(&edge.to);
            let edges: Vec<ProductEdge> =
                members.iter().flat_map(|node| part[node].iter().filter(inner)).copied().collect();
            if edges.is_empty() || edges.iter().fold(Marks::NONE, |m, edge| m.union(edge.marks)) != all {
                continue;
            }
            let constraints = product.serves(None).len();
            let mut serving: Vec<Vec<ActionId>> = Vec::new();
            let mut unserved = vec![false; constraints];
            for (index, is_unserved) in unserved.iter_mut().enumerate() {
                let mut is_enabled = false;
                for node in &members {
                    is_enabled |= product.enabled(*node)[index];
                }
                let by: Vec<ActionId> =
                    edges.iter().filter(|e| product.serves(e.event)[index]).filter_map(|e| e.event).collect();
                *is_unserved = is_enabled && by.is_empty();
                if is_enabled && !by.is_empty() {
                    serving.push(by);
                }
            }
            if unserved.iter().any(|is| *is) {
                // No fair run stays here and passes a state that enables what is never served.
                let mut smaller = ExploredPart::default();
                for node in &members {
                    let enabled = product.enabled(*node);
                    if !unserved.iter().zip(&enabled).any(|(unserved, enabled)| *unserved && *enabled) {
                        smaller.insert(*node, part[node].iter().filter(inner).copied().collect());
                    }
                }
                let kept: FxHashSet<Node> = smaller.keys().copied().collect();
                for edges in smaller.values_mut() {
                    edges.retain(|edge| kept.contains(&edge.to));
                }
                if !smaller.is_empty() {
                    parts.push(smaller);
                }
                continue;
            }
            return Ok(Some(lasso_into(product, initial, &members, &serving)));
        }
    }
    Ok(None)
}

/// The strongly connected components of an explored part.
fn components(part: &ExploredPart) -> Vec<FxHashSet<Node>> {
    let mut nodes: Vec<Node> = part.keys().copied().collect();
    nodes.sort_unstable(); // the same input gives the same run
    let nodes: IndexVec<PartNode, Node> = nodes.into_iter().collect();
    let numbers: FxHashMap<Node, PartNode> = nodes.iter_enumerated().map(|(id, &node)| (node, id)).collect();
    let after = |id: PartNode| part[&nodes[id]].iter().map(|edge| numbers[&edge.to]);
    let found = graph::components(nodes.len(), nodes.ids(), after);
    let with = |mut set: FxHashSet<Node>, &member: &PartNode| {
        set.insert(nodes[member]);
        set
    };
    found.iter().map(|members| members.iter().rev().fold(FxHashSet::default(), with)).collect()
}
