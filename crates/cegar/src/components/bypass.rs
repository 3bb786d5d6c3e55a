//! Branches of a counterexample that it could as well have taken the other way: the other side comes back to
//! the counterexample before anybody sees anything. Their conditions are poor reasons to call it spurious,
//! and predicates for them are wasted; what matters is whether the events can be made.

use predicate::component::Component;
use predicate::refine::TreeStep;
use predicate::{EdgeId, NodeId};
use rustc_hash::FxHashSet;

/// How many steps the other side may take to come back.
const MOST_STEPS: usize = 24;

/// The steps of a tree whose conditions can be bypassed.
pub(super) fn bypassed(component: &Component, steps: &[TreeStep]) -> FxHashSet<usize> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); steps.len()];
    for (index, step) in steps.iter().enumerate() {
        if let Some(parent) = step.parent {
            children[parent].push(index);
        }
    }
    let mut found = FxHashSet::default();
    for (index, step) in steps.iter().enumerate() {
        let edge = &component.edges[step.edge];
        if !edge.is_branch || edge.event.is_some() {
            continue;
        }
        let joins = silent_places(component, steps, &children, index);
        let others = component.nodes[edge.from].out.iter().filter(|&&other| other != step.edge);
        let mut others = others.peekable();
        if others.peek().is_some() && others.all(|&other| comes_back(component, edge.from, other, &joins)) {
            found.insert(index);
        }
    }
    found
}

/// Where the tree passes after a step before anybody sees anything.
fn silent_places(
    component: &Component,
    steps: &[TreeStep],
    children: &[Vec<usize>],
    from: usize,
) -> FxHashSet<NodeId> {
    let mut places = FxHashSet::default();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        places.insert(component.edges[steps[at].edge].to);
        open.extend(children[at].iter().filter(|&&next| component.edges[steps[next].edge].event.is_none()));
    }
    places
}

fn comes_back(component: &Component, branch: NodeId, side: EdgeId, joins: &FxHashSet<NodeId>) -> bool {
    let is_silent = |edge: EdgeId| {
        let edge = &component.edges[edge];
        edge.event.is_none() && edge.trouble.is_none()
    };
    if !is_silent(side) {
        return false;
    }
    let mut seen: FxHashSet<NodeId> = [branch, component.edges[side].to].into_iter().collect();
    let mut layer = vec![component.edges[side].to];
    for _ in 0..MOST_STEPS {
        if layer.iter().any(|node| joins.contains(node)) {
            return true;
        }
        let mut next = Vec::new();
        for node in layer {
            for &edge in component.nodes[node].out.iter().filter(|&&edge| is_silent(edge)) {
                if seen.insert(component.edges[edge].to) {
                    next.push(component.edges[edge].to);
                }
            }
        }
        layer = next;
    }
    false
}
