//! Counting literals in unary. After Bailleux, Boufkhad 2003, in the direction "so many are true, hence this output
//! is", which is all that upper bounds need.

use crate::sat::{Literal, TakeClauses};

/// Output k (from 0) is true when more than k inputs are.
pub(super) struct Totalizer {
    outputs: Vec<Literal>,
}

impl Totalizer {
    pub(super) fn new(solver: &mut impl TakeClauses, inputs: &[Literal]) -> Totalizer {
        let mut layers: std::collections::VecDeque<Vec<Literal>> =
            inputs.iter().map(|&input| vec![input]).collect();
        // Merging the two shortest each time keeps the tree balanced.
        while layers.len() > 1 {
            let (a, b) = (layers.pop_front().expect("two"), layers.pop_front().expect("two"));
            let merged = merge(solver, &a, &b);
            layers.push_back(merged);
        }
        Totalizer { outputs: layers.pop_front().unwrap_or_default() }
    }

    /// True when more than `count` inputs are; `None` when that cannot be.
    pub(super) fn more_than(&self, count: usize) -> Option<Literal> {
        self.outputs.get(count).copied()
    }
}

fn merge(solver: &mut impl TakeClauses, a: &[Literal], b: &[Literal]) -> Vec<Literal> {
    let outputs: Vec<Literal> = (0..a.len() + b.len()).map(|_| solver.new_literal()).collect();
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            if i + j == 0 {
                continue;
            }
            let mut clause = vec![outputs[i + j - 1]];
            clause.extend(i.checked_sub(1).map(|i| !a[i]));
            clause.extend(j.checked_sub(1).map(|j| !b[j]));
            solver.add_clause(&clause);
        }
    }
    for pair in outputs.windows(2) {
        solver.add_clause(&[!pair[1], pair[0]]);
    }
    outputs
}
