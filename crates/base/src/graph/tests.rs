//! The searches against what the definitions say, by transitive closure, on random graphs.

// Nodes are numbers here, and relations between them tables.
#![allow(clippy::needless_range_loop)]

use super::*;
use crate::Id;
use proptest::prelude::*;

crate::define_id!(
    /// A node of a test's graph.
    Place,
    "p"
);

/// The successors of each node.
type Edges = Vec<Vec<usize>>;

fn places(nodes: &[usize]) -> impl Iterator<Item = Place> {
    nodes.iter().map(|&node| Place::from_index(node))
}

fn after(edges: &Edges) -> impl Fn(Place) -> Vec<Place> {
    move |node| places(&edges[node.index()]).collect()
}

/// `closure[a][b]`: is there a way of at least one step from `a` to `b` through nodes that are allowed?
fn closure(edges: &Edges, is_allowed: impl Fn(usize) -> bool) -> Vec<Vec<bool>> {
    let count = edges.len();
    let mut reaches = vec![vec![false; count]; count];
    for (from, targets) in edges.iter().enumerate().filter(|(from, _)| is_allowed(*from)) {
        targets.iter().filter(|&&to| is_allowed(to)).for_each(|&to| reaches[from][to] = true);
    }
    for middle in 0..count {
        for from in 0..count {
            for to in 0..count {
                reaches[from][to] |= reaches[from][middle] && reaches[middle][to];
            }
        }
    }
    reaches
}

fn graphs() -> impl Strategy<Value = Edges> {
    (1usize..12).prop_flat_map(|count| prop::collection::vec(prop::collection::vec(0..count, 0..4), count))
}

proptest! {
    #[test]
    fn reached_is_what_the_closure_reaches(edges in graphs()) {
        let reaches = closure(&edges, |_| true);
        let found = reachable([0], |node| edges[node].clone());
        for node in 0..edges.len() {
            prop_assert_eq!(found.contains(&node), node == 0 || reaches[0][node]);
        }
    }

    #[test]
    fn reverse_postorder_turns_back_only_on_cycles(edges in graphs()) {
        let reaches = closure(&edges, |_| true);
        let order = reverse_postorder(0, |node| edges[node].clone());
        prop_assert_eq!(order[0], 0);
        prop_assert_eq!(order.len(), reachable([0], |node| edges[node].clone()).len());
        for (at, &from) in order.iter().enumerate() {
            for to in &order[..at] {
                prop_assert!(!edges[from].contains(to) || reaches[*to][from], "{} → {} in {:?}", from, to, order);
            }
        }
    }

    #[test]
    fn components_are_classes_of_mutual_reachability(edges in graphs(), all in any::<bool>()) {
        let count = edges.len();
        let reaches = closure(&edges, |_| true);
        let roots = if all { (0..count).collect() } else { vec![0] };
        let found = components(count, places(&roots), after(&edges));
        let numbers = found.numbers(count);
        let number = |node: usize| numbers[Place::from_index(node)];
        for from in 0..count {
            prop_assert_eq!(number(from).is_some(), all || from == 0 || reaches[0][from]);
            for to in (0..count).filter(|&to| number(from).is_some() && number(to).is_some()) {
                let is_mutual = from == to || reaches[from][to] && reaches[to][from];
                prop_assert_eq!(number(from) == number(to), is_mutual);
                // What is reached comes first.
                prop_assert!(!reaches[from][to] || number(to) <= number(from));
            }
        }
        // Each node once, and the first of each is entered from outside, if any is.
        prop_assert_eq!(found.iter().map(<[Place]>::len).sum::<usize>(), numbers.iter().flatten().count());
        prop_assert_eq!(found.iter().len(), found.len());
    }

    #[test]
    fn every_cycle_passes_a_head_and_the_rest_leads_on(edges in graphs(), last in any::<bool>()) {
        let count = edges.len();
        let head_of = |members: &[Place]| members[if last { members.len() - 1 } else { 0 }];
        let order = weak_topological_order(count, places(&[0]), after(&edges), head_of);
        let mut position = vec![None; count];
        let mut around: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut heads: Vec<usize> = Vec::new();
        for (at, step) in order.iter().enumerate() {
            let node = match step {
                Step::Leave => {
                    prop_assert!(heads.pop().is_some());
                    continue;
                }
                Step::Enter(head) => {
                    heads.push(head.index());
                    head.index()
                }
                Step::Node(node) => node.index(),
            };
            prop_assert_eq!(position[node].replace(at), None);
            around[node] = heads.clone();
        }
        prop_assert!(heads.is_empty());
        for from in (0..count).filter(|&from| position[from].is_some()) {
            for &to in &edges[from] {
                prop_assert!(position[to] > position[from] || around[from].contains(&to), "{:?}", order);
            }
            // A loop is a component of what is left when the heads around it are taken out.
            let outer: Vec<usize> = around[from].iter().copied().filter(|&head| head != from).collect();
            let reaches = closure(&edges, |node| !outer.contains(&node));
            prop_assert_eq!(around[from].contains(&from), reaches[from][from]);
        }
    }
}

fn shown(order: &[Step<Place>]) -> String {
    let mut text = String::new();
    for step in order {
        match step {
            Step::Node(node) => text += &format!(" {}", node.index()),
            Step::Enter(node) => text += &format!(" ({}", node.index()),
            Step::Leave => text += ")",
        }
    }
    text.trim_start().to_owned()
}

#[test]
fn loops_are_nested_as_in_the_paper() {
    let mut edges = vec![Vec::new(); 9];
    for (from, to) in [(1, 2), (2, 3), (2, 8), (3, 4), (4, 5), (4, 7), (5, 6), (6, 5), (6, 7), (7, 3), (7, 8)]
    {
        edges[from].push(to);
    }
    let order = weak_topological_order(9, places(&[1]), after(&edges), |members| members[0]);
    assert_eq!(shown(&order), "1 2 (3 4 (5 6) 7) 8");
}

#[test]
fn long_chains_need_no_stack() {
    let count = 200_000;
    let next = |node: Place| (node.index() + 1 < count).then(|| Place::from_index(node.index() + 1));
    let first = Place::from_index(0);
    assert_eq!(components(count, [first], next).len(), count);
    assert_eq!(reverse_postorder(first, next).len(), count);
    assert_eq!(weak_topological_order(count, [first], next, |members| members[0]).len(), count);
}
