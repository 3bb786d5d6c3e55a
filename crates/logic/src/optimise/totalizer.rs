//! Counting literals in unary. After Bailleux, Boufkhad 2003, in the direction "so many are true, hence this output
//! is", which is all that upper bounds need; outputs are made when they are asked for (Martins, Joshi, Manquinho,
//! Lynce 2014), since a search for a minimum rarely needs more than the first few.

use crate::sat::{Literal, TakeClauses};

/// A tree of counters. Output k (from 0) is true when more than k inputs are.
pub(super) struct Totalizer {
    nodes: Vec<Node>,
}

struct Node {
    /// None for a leaf, which is an input.
    children: Option<(usize, usize)>,
    /// How many inputs are below.
    inputs: usize,
    /// The outputs made so far, from the first.
    outputs: Vec<Literal>,
}

impl Totalizer {
    /// A counter of the inputs; no clause is made yet.
    pub(super) fn new(inputs: &[Literal]) -> Totalizer {
        let mut nodes: Vec<Node> =
            inputs.iter().map(|&input| Node { children: None, inputs: 1, outputs: vec![input] }).collect();
        // Joining the two that wait longest each time keeps the tree balanced; the last node made is the root.
        let mut next = 0;
        while next + 1 < nodes.len() {
            let inputs = nodes[next].inputs + nodes[next + 1].inputs;
            nodes.push(Node { children: Some((next, next + 1)), inputs, outputs: Vec::new() });
            next += 2;
        }
        Totalizer { nodes }
    }

    /// True when more than `count` inputs are; `None` when that cannot be.
    pub(super) fn more_than(&mut self, solver: &mut impl TakeClauses, count: usize) -> Option<Literal> {
        let root = self.nodes.len().checked_sub(1)?;
        if count >= self.nodes[root].inputs {
            return None;
        }
        self.extend(solver, root, count + 1);
        Some(self.nodes[root].outputs[count])
    }

    /// Makes the first `wanted` outputs of a node, or all it has. Recursion is as deep as the tree, which is
    /// balanced.
    fn extend(&mut self, solver: &mut impl TakeClauses, node: usize, wanted: usize) {
        let Some((left, right)) = self.nodes[node].children else { return };
        let (made, wanted) = (self.nodes[node].outputs.len(), wanted.min(self.nodes[node].inputs));
        if wanted <= made {
            return;
        }
        self.extend(solver, left, wanted);
        self.extend(solver, right, wanted);
        for count in made..wanted {
            let output = solver.new_literal();
            // More than `count` are more than `count - 1`.
            if let Some(&fewer) = self.nodes[node].outputs.last() {
                solver.add_clause(&[!output, fewer]);
            }
            let (a, b) = (&self.nodes[left].outputs, &self.nodes[right].outputs);
            // i + j = count + 1 of the two sides are true.
            for i in (count + 1).saturating_sub(b.len())..=a.len().min(count + 1) {
                let j = count + 1 - i;
                let mut clause = vec![output];
                clause.extend(i.checked_sub(1).map(|i| !a[i]));
                clause.extend(j.checked_sub(1).map(|j| !b[j]));
                solver.add_clause(&clause);
            }
            self.nodes[node].outputs.push(output);
        }
    }
}
