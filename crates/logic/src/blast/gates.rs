//! Logic gates as clauses. After Tseitin 1968, in both directions, so that a gate's output may be used with either
//! sign, as an assumption, and in a projection. Constants are folded and equal gates are built once.

use crate::sat::{Literal, TakeClauses};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

#[derive(Clone, PartialEq, Eq, Hash)]
enum Gate {
    And(Literal, Literal),
    AndMany(SmallVec<[Literal; 8]>),
    Xor(Literal, Literal),
    Xor3(Literal, Literal, Literal),
    Mux(Literal, Literal, Literal),
    Majority(Literal, Literal, Literal),
}

/// Builds gates over the variables of one solver.
pub(crate) struct Gates {
    truth: Literal,
    built: FxHashMap<Gate, Literal>,
    /// The gates in the order they were built, for [`Gates::simulate`].
    #[cfg(test)]
    order: Vec<(Literal, Gate)>,
}

impl Gates {
    /// Begins with one variable, which is true.
    pub(crate) fn new(solver: &mut impl TakeClauses) -> Gates {
        let truth = solver.new_literal();
        solver.add_clause(&[truth]);
        Gates {
            truth,
            built: FxHashMap::default(),
            #[cfg(test)]
            order: Vec::new(),
        }
    }

    pub(crate) fn truth(&self) -> Literal {
        self.truth
    }

    pub(crate) fn constant(&self, value: bool) -> Literal {
        self.truth.negated_if(!value)
    }

    /// The value, if the literal is a constant.
    pub(crate) fn value(&self, literal: Literal) -> Option<bool> {
        (literal.variable() == self.truth.variable()).then(|| literal == self.truth)
    }

    fn build(
        &mut self,
        solver: &mut impl TakeClauses,
        gate: Gate,
        clauses: impl FnOnce(Literal, &mut dyn FnMut(&[Literal])),
    ) -> Literal {
        if let Some(&output) = self.built.get(&gate) {
            return output;
        }
        let output = solver.new_literal();
        clauses(output, &mut |clause| solver.add_clause(clause));
        #[cfg(test)]
        self.order.push((output, gate.clone()));
        self.built.insert(gate, output);
        output
    }

    /// Computes every gate from its inputs. `values` has a word for each variable: 64 assignments side by side.
    #[cfg(test)]
    pub(crate) fn simulate(&self, values: &mut [u64]) {
        use base::Id;
        values[self.truth.variable().index()] = u64::MAX;
        for (output, gate) in &self.order {
            let value = |literal: &Literal| {
                let value = values[literal.variable().index()];
                if literal.is_positive() { value } else { !value }
            };
            let result = match gate {
                Gate::And(a, b) => value(a) & value(b),
                Gate::AndMany(inputs) => inputs.iter().fold(u64::MAX, |all, input| all & value(input)),
                Gate::Xor(a, b) => value(a) ^ value(b),
                Gate::Xor3(a, b, c) => value(a) ^ value(b) ^ value(c),
                Gate::Mux(c, a, b) => value(c) & value(a) | !value(c) & value(b),
                Gate::Majority(a, b, c) => value(a) & value(b) | value(b) & value(c) | value(a) & value(c),
            };
            values[output.variable().index()] = result;
        }
    }

    pub(crate) fn and(&mut self, solver: &mut impl TakeClauses, a: Literal, b: Literal) -> Literal {
        match (self.value(a), self.value(b)) {
            (Some(true), _) => return b,
            (_, Some(true)) => return a,
            (Some(false), _) | (_, Some(false)) => return self.constant(false),
            _ => {}
        }
        if a == b {
            return a;
        }
        if a == !b {
            return self.constant(false);
        }
        let (a, b) = (a.min(b), a.max(b));
        self.build(solver, Gate::And(a, b), |output, add| {
            add(&[!output, a]);
            add(&[!output, b]);
            add(&[output, !a, !b]);
        })
    }

    pub(crate) fn or(&mut self, solver: &mut impl TakeClauses, a: Literal, b: Literal) -> Literal {
        !self.and(solver, !a, !b)
    }

    pub(crate) fn and_many(&mut self, solver: &mut impl TakeClauses, inputs: &[Literal]) -> Literal {
        let mut kept: SmallVec<[Literal; 8]> = SmallVec::new();
        for &input in inputs {
            match self.value(input) {
                Some(true) => {}
                Some(false) => return self.constant(false),
                None => kept.push(input),
            }
        }
        kept.sort_unstable();
        kept.dedup();
        // Both signs of a variable stand next to each other.
        if kept.windows(2).any(|pair| pair[0] == !pair[1]) {
            return self.constant(false);
        }
        match kept[..] {
            [] => self.truth,
            [one] => one,
            [a, b] => self.and(solver, a, b),
            _ => self.build(solver, Gate::AndMany(kept.clone()), |output, add| {
                let mut all: SmallVec<[Literal; 9]> = SmallVec::new();
                all.push(output);
                for &input in &kept {
                    add(&[!output, input]);
                    all.push(!input);
                }
                add(&all);
            }),
        }
    }

    pub(crate) fn or_many(&mut self, solver: &mut impl TakeClauses, inputs: &[Literal]) -> Literal {
        let negated: SmallVec<[Literal; 8]> = inputs.iter().map(|&input| !input).collect();
        !self.and_many(solver, &negated)
    }

    pub(crate) fn xor(&mut self, solver: &mut impl TakeClauses, a: Literal, b: Literal) -> Literal {
        if let Some(value) = self.value(a) {
            return b.negated_if(value);
        }
        if let Some(value) = self.value(b) {
            return a.negated_if(value);
        }
        // Signs are carried outside, so that a gate is shared by all four.
        let flip = a.is_positive() != b.is_positive();
        let (a, b) = (a.variable().positive(), b.variable().positive());
        if a == b {
            return self.constant(flip);
        }
        let (a, b) = (a.min(b), a.max(b));
        let output = self.build(solver, Gate::Xor(a, b), |output, add| {
            add(&[!output, a, b]);
            add(&[!output, !a, !b]);
            add(&[output, !a, b]);
            add(&[output, a, !b]);
        });
        output.negated_if(flip)
    }

    pub(crate) fn equal(&mut self, solver: &mut impl TakeClauses, a: Literal, b: Literal) -> Literal {
        !self.xor(solver, a, b)
    }

    /// a ⊕ b ⊕ c: the sum of a full adder.
    pub(crate) fn xor3(
        &mut self,
        solver: &mut impl TakeClauses,
        a: Literal,
        b: Literal,
        c: Literal,
    ) -> Literal {
        let variables = [a.variable(), b.variable(), c.variable()];
        let constant = variables.contains(&self.truth.variable());
        if constant
            || variables[0] == variables[1]
            || variables[1] == variables[2]
            || variables[0] == variables[2]
        {
            let (first, second, third) =
                if variables[0] == variables[2] || self.value(c).is_some() { (a, c, b) } else { (a, b, c) };
            let partial = self.xor(solver, first, second);
            return self.xor(solver, partial, third);
        }
        let flips = [a, b, c].iter().filter(|literal| !literal.is_positive()).count();
        let mut inputs = variables.map(|variable| variable.positive());
        inputs.sort_unstable();
        let [a, b, c] = inputs;
        let output = self.build(solver, Gate::Xor3(a, b, c), |output, add| {
            for row in 0..8u32 {
                let bit = |position: u32| row >> position & 1 == 1;
                let odd = row.count_ones() % 2 == 1;
                add(&[
                    a.negated_if(bit(0)),
                    b.negated_if(bit(1)),
                    c.negated_if(bit(2)),
                    output.negated_if(!odd),
                ]);
            }
        });
        output.negated_if(flips % 2 == 1)
    }

    /// if condition then a else b
    pub(crate) fn mux(
        &mut self,
        solver: &mut impl TakeClauses,
        condition: Literal,
        a: Literal,
        b: Literal,
    ) -> Literal {
        if let Some(value) = self.value(condition) {
            return if value { a } else { b };
        }
        if a == b {
            return a;
        }
        if a == !b {
            return self.xor(solver, condition, b);
        }
        let (condition, a, b) = if condition.is_positive() { (condition, a, b) } else { (!condition, b, a) };
        if self.value(a) == Some(true) || a == condition {
            return self.or(solver, condition, b);
        }
        if self.value(a) == Some(false) || a == !condition {
            return self.and(solver, !condition, b);
        }
        if self.value(b) == Some(true) || b == !condition {
            return self.or(solver, !condition, a);
        }
        if self.value(b) == Some(false) || b == condition {
            return self.and(solver, condition, a);
        }
        let flip = !a.is_positive();
        let (a, b) = (a.negated_if(flip), b.negated_if(flip));
        let output = self.build(solver, Gate::Mux(condition, a, b), |output, add| {
            add(&[!condition, !a, output]);
            add(&[!condition, a, !output]);
            add(&[condition, !b, output]);
            add(&[condition, b, !output]);
            // Implied by the four, but lets propagation pass when only the branches are known.
            add(&[!a, !b, output]);
            add(&[a, b, !output]);
        });
        output.negated_if(flip)
    }

    /// At least two of three: the carry of a full adder.
    pub(crate) fn majority(
        &mut self,
        solver: &mut impl TakeClauses,
        a: Literal,
        b: Literal,
        c: Literal,
    ) -> Literal {
        for (x, y, z) in [(a, b, c), (b, c, a), (c, a, b)] {
            match self.value(x) {
                Some(true) => return self.or(solver, y, z),
                Some(false) => return self.and(solver, y, z),
                None => {}
            }
            if x == y {
                return x;
            }
            if x == !y {
                return z;
            }
        }
        let mut inputs = [a, b, c];
        inputs.sort_unstable();
        // Majority is its own dual: flipping all inputs flips the output.
        let flip = !inputs[0].is_positive();
        let [a, b, c] = inputs.map(|input| input.negated_if(flip));
        let output = self.build(solver, Gate::Majority(a, b, c), |output, add| {
            for (x, y) in [(a, b), (b, c), (a, c)] {
                add(&[!x, !y, output]);
                add(&[x, y, !output]);
            }
        });
        output.negated_if(flip)
    }
}
