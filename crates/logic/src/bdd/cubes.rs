//! Walking a diagram: its cubes, and exact counting.

use super::manager::{Bdd, BddVariable};
use rustc_hash::FxHashMap;

/// A diagram still to walk, how much of the path leads to it, and the literal that comes next.
type Step = (Bdd, usize, Option<(BddVariable, bool)>);

/// The paths of a diagram to true. Depth first; memory is the depth of the diagram.
#[derive(Debug)]
pub struct CubeIterator {
    open: Vec<Step>,
    path: Vec<(BddVariable, bool)>,
}

impl CubeIterator {
    pub(super) fn new(bdd: Bdd) -> CubeIterator {
        CubeIterator { open: vec![(bdd, 0, None)], path: Vec::new() }
    }
}

impl Iterator for CubeIterator {
    type Item = Vec<(BddVariable, bool)>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some((bdd, depth, literal)) = self.open.pop() {
            self.path.truncate(depth);
            self.path.extend(literal);
            match (bdd.top_variable(), bdd.top_cofactors()) {
                (Some(variable), Some((high, low))) => {
                    let depth = self.path.len();
                    self.open.push((high, depth, Some((variable, true))));
                    self.open.push((low, depth, Some((variable, false))));
                }
                _ if bdd.is_true() => return Some(self.path.clone()),
                _ => {}
            }
        }
        None
    }
}

/// Counts over the support, then scales: variables outside it double the count. Iterative, once per node.
pub(super) fn count_exactly(bdd: &Bdd, variables: usize) -> Option<u128> {
    let support = bdd.support();
    let position: FxHashMap<BddVariable, usize> =
        support.iter().enumerate().map(|(position, &variable)| (variable, position)).collect();
    let place = |bdd: &Bdd| bdd.top_variable().map_or(support.len(), |variable| position[&variable]);
    // For each node: the count over the support variables from its own downwards.
    let mut counts: FxHashMap<Bdd, u128> = FxHashMap::default();
    let mut open = vec![bdd.clone()];
    while let Some(node) = open.pop() {
        if counts.contains_key(&node) {
            continue;
        }
        let Some((high, low)) = node.top_cofactors() else {
            counts.insert(node.clone(), u128::from(node.is_true()));
            continue;
        };
        match (counts.get(&high), counts.get(&low)) {
            (Some(&above), Some(&below)) => {
                let here = place(&node);
                let scaled = |count: u128, child: &Bdd| scale(count, place(child) - here - 1);
                let total = scaled(above, &high)?.checked_add(scaled(below, &low)?)?;
                counts.insert(node, total);
            }
            _ => open.extend([node, high, low]),
        }
    }
    let outside = variables.checked_sub(support.len()).expect("the domain contains the support");
    scale(scale(counts[bdd], place(bdd))?, outside)
}

fn scale(count: u128, doublings: usize) -> Option<u128> {
    if count == 0 {
        return Some(0);
    }
    let doublings = u32::try_from(doublings).ok()?;
    if count.leading_zeros() < doublings { None } else { Some(count << doublings) }
}
