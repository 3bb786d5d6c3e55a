//! Weighted sums in binary, by full adders. After Eén, Sörensson 2006 ("MiniSat+"), whose adder networks stay small
//! whatever the weights are.

use crate::blast::{Circuit, Gates};
use crate::sat::{Literal, TakeClauses};
use std::collections::VecDeque;

/// A sum as a word of literals, least bit first.
pub(super) struct Sum {
    word: Vec<Literal>,
}

impl Sum {
    pub(super) fn new(solver: &mut impl TakeClauses, gates: &mut Gates, terms: &[(Literal, u64)]) -> Sum {
        let mut buckets: Vec<VecDeque<Literal>> = Vec::new();
        for &(literal, weight) in terms {
            for bit in 0..64 {
                if weight >> bit & 1 == 1 {
                    buckets.resize(buckets.len().max(bit + 1), VecDeque::new());
                    buckets[bit].push_back(literal);
                }
            }
        }
        let mut word = Vec::new();
        let mut place = 0;
        while place < buckets.len() {
            while buckets[place].len() > 1 {
                let a = buckets[place].pop_front().expect("two at least");
                let b = buckets[place].pop_front().expect("two at least");
                let c = buckets[place].pop_front().unwrap_or(gates.constant(false));
                let (sum, carry) = (gates.xor3(solver, a, b, c), gates.majority(solver, a, b, c));
                buckets[place].push_back(sum);
                if place + 1 == buckets.len() {
                    buckets.push(VecDeque::new());
                }
                buckets[place + 1].push_back(carry);
            }
            word.push(buckets[place].pop_front().unwrap_or(gates.constant(false)));
            place += 1;
        }
        Sum { word }
    }

    /// The literal of "the sum is at most the bound".
    pub(super) fn at_most(&self, solver: &mut impl TakeClauses, gates: &mut Gates, bound: u128) -> Literal {
        if self.word.is_empty() || (self.word.len() < 128 && bound >> self.word.len() != 0) {
            return gates.constant(true);
        }
        let constant: Vec<Literal> =
            (0..self.word.len()).map(|bit| gates.constant(bit < 128 && bound >> bit & 1 == 1)).collect();
        Circuit { gates, solver }.ule(&self.word, &constant)
    }
}
