//! Graphs given by their successors: what is reached, the order of a depth-first search, strongly connected
//! components and nested loops. The one place for these; whoever has a graph passes a function from a node to the
//! nodes after it.
//!
//! All of them use stacks of their own, never recursion, since graphs of programs are deep; and all are
//! deterministic: the order of the results depends only on the order of roots and successors.
//! Naive twins (transitive closure) in `tests`; random graphs require agreement.
//!
//! Not here: searches that build their graph on the way and stop early (`check::temporal`, `check::safety`), and
//! `audit`, which shares nothing with what it checks.

mod components;
mod nesting;
#[cfg(test)]
mod tests;

pub use components::{Components, Search, components};
pub use nesting::{Step, weak_topological_order};

use rustc_hash::FxHashSet;
use std::hash::Hash;

/// The nodes that can be reached from the roots, these included.
pub fn reachable<N: Copy + Eq + Hash, S: IntoIterator<Item = N>>(
    roots: impl IntoIterator<Item = N>,
    mut successors: impl FnMut(N) -> S,
) -> FxHashSet<N> {
    let mut seen = FxHashSet::default();
    let mut open: Vec<N> = roots.into_iter().collect();
    while let Some(node) = open.pop() {
        if seen.insert(node) {
            open.extend(successors(node));
        }
    }
    seen
}

/// The nodes that can be reached from a root, each before its successors where no cycle forbids it: those that a
/// depth-first search leaves last come first.
pub fn reverse_postorder<N: Copy + Eq + Hash, S: IntoIterator<Item = N>>(
    root: N,
    mut successors: impl FnMut(N) -> S,
) -> Vec<N> {
    let mut seen = FxHashSet::from_iter([root]);
    let mut path = vec![(root, successors(root).into_iter())];
    let mut order = Vec::new();
    while let Some((node, rest)) = path.last_mut() {
        match rest.find(|&next| seen.insert(next)) {
            Some(next) => path.push((next, successors(next).into_iter())),
            None => {
                order.push(*node);
                path.pop();
            }
        }
    }
    order.reverse();
    order
}
