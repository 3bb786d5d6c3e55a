//! Weighted sums in unary: one output for every sum that can come about. After Joshi, Martins, Manquinho 2015 ("GTE"
//! there). It propagates better than an adder by far, and grows with the number of different sums, so that it is
//! made only while it stays small; sums from `most` on are one.

use crate::sat::{Literal, TakeClauses};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// An output for each sum s: true when the true inputs have weight s or more.
pub(super) struct WeightedTotalizer {
    outputs: BTreeMap<u64, Literal>,
}

/// The sums of two sides: of either alone, and of both.
fn sums(
    a: impl Iterator<Item = u64> + Clone,
    b: impl Iterator<Item = u64> + Clone,
    most: u64,
) -> BTreeSet<u64> {
    let both = a.clone().flat_map(|x| b.clone().map(move |y| x.saturating_add(y)));
    a.clone().chain(b.clone()).chain(both).map(|sum| sum.min(most)).collect()
}

impl WeightedTotalizer {
    /// `None` when it would take more than `clauses` clauses.
    pub(super) fn new(
        solver: &mut impl TakeClauses,
        terms: &[(Literal, u64)],
        most: u64,
        clauses: usize,
    ) -> Option<WeightedTotalizer> {
        // Equal weights next to each other have the fewest different sums.
        let mut terms = terms.to_vec();
        terms.sort_by_key(|&(literal, weight)| (weight, literal));
        // The sizes first, without making anything.
        let mut sizes: VecDeque<BTreeSet<u64>> =
            terms.iter().map(|&(_, weight)| BTreeSet::from([weight.min(most)])).collect();
        let mut needed = 0usize;
        while sizes.len() > 1 {
            let (a, b) = (sizes.pop_front()?, sizes.pop_front()?);
            needed = needed.saturating_add((a.len() + 1).saturating_mul(b.len() + 1));
            if needed > clauses {
                return None;
            }
            sizes.push_back(sums(a.iter().copied(), b.iter().copied(), most));
        }
        let mut open: VecDeque<BTreeMap<u64, Literal>> =
            terms.iter().map(|&(literal, weight)| BTreeMap::from([(weight.min(most), literal)])).collect();
        while open.len() > 1 {
            let (a, b) = (open.pop_front()?, open.pop_front()?);
            open.push_back(join(solver, &a, &b, most));
        }
        Some(WeightedTotalizer { outputs: open.pop_front().unwrap_or_default() })
    }

    /// True when the sum is `bound` or more, for bounds up to `most`; `None` when that cannot be.
    pub(super) fn at_least(&self, bound: u64) -> Option<Literal> {
        self.outputs.range(bound..).next().map(|(_, &output)| output)
    }
}

fn join(
    solver: &mut impl TakeClauses,
    a: &BTreeMap<u64, Literal>,
    b: &BTreeMap<u64, Literal>,
    most: u64,
) -> BTreeMap<u64, Literal> {
    let all = sums(a.keys().copied(), b.keys().copied(), most);
    let outputs: BTreeMap<u64, Literal> = all.into_iter().map(|sum| (sum, solver.new_literal())).collect();
    for (&sum, &input) in a.iter().chain(b) {
        solver.add_clause(&[!input, outputs[&sum]]);
    }
    for (&x, &left) in a {
        for (&y, &right) in b {
            solver.add_clause(&[!left, !right, outputs[&x.saturating_add(y).min(most)]]);
        }
    }
    let mut fewer: Option<Literal> = None;
    for &output in outputs.values() {
        if let Some(fewer) = fewer {
            solver.add_clause(&[!output, fewer]);
        }
        fewer = Some(output);
    }
    outputs
}
