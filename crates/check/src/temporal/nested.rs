//! Nested depth-first search for accepting cycles, for automata with accepting states and without fairness.
//! After Courcoubetis, Vardi, Wolper, Yannakakis 1992 ("CVWY" below), with the colours of Schwoon and Esparza
//! 2005: the inner search stops at any state on the outer stack.
//! Twin: `components`; the tests require agreement.
//!
//! Worked example: states `1 -> 2 -> 3 -> 1`, 2 accepting. The outer search has 1, 2, 3 on its stack and
//! finds nothing behind 3, which becomes blue. When 2 is left, the inner search starts there, colours 3 red,
//! and meets 1, which is still on the stack: 1 leads to 2, so there is a cycle through 2.

use super::lasso::{ProductLasso, walk};
use super::product::{Node, Product, ProductEdge};
use crate::stopped::Stopped;
use lks::Successors;
use question::Monitor;
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Colour {
    /// On the outer stack.
    Cyan,
    /// Finished by the outer search.
    Blue,
    /// Seen by an inner search.
    Red,
}

struct Frame {
    node: Node,
    edges: Vec<ProductEdge>,
    next: usize,
}

/// An accepting run, if there is one.
pub(super) fn accepting_run<S: Successors>(
    product: &mut Product<'_, S>,
    monitor: Monitor<'_>,
) -> Result<Option<ProductLasso>, Stopped> {
    let initial = product.initial();
    monitor.count("states of the product", initial.len());
    let mut colours: FxHashMap<Node, Colour> = FxHashMap::default();
    let mut steps = 0u32;
    for start in initial.clone() {
        if colours.contains_key(&start) {
            continue;
        }
        colours.insert(start, Colour::Cyan);
        let mut calls = vec![Frame { node: start, edges: product.successors(start), next: 0 }];
        while let Some(frame) = calls.last_mut() {
            steps += 1;
            if steps.is_multiple_of(1024) {
                product.check(monitor)?;
            }
            let node = frame.node;
            if let Some(edge) = frame.edges.get(frame.next).copied() {
                frame.next += 1;
                match colours.get(&edge.to) {
                    None => {
                        colours.insert(edge.to, Colour::Cyan);
                        calls.push(Frame { node: edge.to, edges: product.successors(edge.to), next: 0 });
                    }
                    Some(Colour::Cyan) if product.is_accepting(node) || product.is_accepting(edge.to) => {
                        return Ok(Some(lasso_through(product, &initial, edge.to, node)));
                    }
                    Some(_) => {}
                }
                continue;
            }
            calls.pop();
            if product.is_accepting(node) {
                // CVWY: seed the inner search from accepting states, in postorder.
                if let Some(hit) = inner_search(product, node, &mut colours, monitor)? {
                    return Ok(Some(lasso_through(product, &initial, hit, node)));
                }
                colours.insert(node, Colour::Red);
            } else {
                colours.insert(node, Colour::Blue);
            }
        }
    }
    Ok(None)
}

/// A state of the outer stack that can be reached from the seed, if there is one.
fn inner_search<S: Successors>(
    product: &mut Product<'_, S>,
    seed: Node,
    colours: &mut FxHashMap<Node, Colour>,
    monitor: Monitor<'_>,
) -> Result<Option<Node>, Stopped> {
    let mut open = vec![seed];
    let mut steps = 0u32;
    while let Some(node) = open.pop() {
        steps += 1;
        if steps.is_multiple_of(1024) {
            product.check(monitor)?;
        }
        for edge in product.successors(node) {
            match colours.get(&edge.to) {
                Some(Colour::Cyan) => return Ok(Some(edge.to)),
                Some(Colour::Blue) => {
                    colours.insert(edge.to, Colour::Red);
                    open.push(edge.to);
                }
                _ => {}
            }
        }
    }
    Ok(None)
}

/// The lasso through two nodes that reach each other; one of them, or a state between, accepts.
fn lasso_through<S: Successors>(
    product: &mut Product<'_, S>,
    initial: &[Node],
    on_stack: Node,
    seed: Node,
) -> ProductLasso {
    let accepting = if product.is_accepting(seed) { seed } else { on_stack };
    let other = if accepting == seed { on_stack } else { seed };
    let (start, stem) = match initial.contains(&accepting) {
        true => (accepting, Vec::new()),
        false => {
            walk(product, initial, |_| true, |_, edge| edge.to == accepting).expect("the seed was reached")
        }
    };
    let mut cycle = Vec::new();
    if other != accepting {
        cycle =
            walk(product, &[accepting], |_| true, |_, edge| edge.to == other).expect("they lie on a cycle").1;
    }
    cycle.extend(
        walk(product, &[other], |_| true, |_, edge| edge.to == accepting).expect("they lie on a cycle").1,
    );
    ProductLasso { start, stem, cycle }
}
