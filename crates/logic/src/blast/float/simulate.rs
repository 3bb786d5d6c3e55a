//! Runs gates on drawn inputs, 64 at a time, without a solver: an output is always made after the inputs of its gate,
//! so that the order of variables is an order of evaluation.

use crate::blast::gates::Gates;
use crate::blast::words::{Circuit, Word};
use crate::sat::{Literal, TakeClauses, Variable};
use base::Id;

/// Takes variables, and throws clauses away.
#[derive(Default)]
pub(super) struct Counter {
    variables: usize,
    pub(super) clauses: usize,
}

impl Counter {
    pub(super) fn variables(&self) -> usize {
        self.variables
    }
}

impl TakeClauses for Counter {
    fn new_variable(&mut self) -> Variable {
        self.variables += 1;
        Variable::from_index(self.variables - 1)
    }

    fn add_clause(&mut self, _: &[Literal]) {
        self.clauses += 1;
    }
}

/// A circuit with its inputs and its outputs.
pub(super) struct Machine {
    inputs: Vec<Word>,
    outputs: Word,
    gates: Gates,
    values: Vec<u64>,
    pub(super) size: Counter,
}

impl Machine {
    /// Builds a circuit on words of these widths.
    pub(super) fn new(
        widths: &[usize],
        build: impl FnOnce(&mut Circuit<'_, Counter>, &[Word]) -> Word,
    ) -> Machine {
        let mut size = Counter::default();
        let mut gates = Gates::new(&mut size);
        let mut circuit = Circuit { gates: &mut gates, solver: &mut size };
        let inputs: Vec<Word> = widths.iter().map(|&width| circuit.fresh(width)).collect();
        let outputs = build(&mut circuit, &inputs);
        let values = vec![0; size.variables];
        Machine { inputs, outputs, gates, values, size }
    }

    /// The outputs for up to 64 rows of inputs.
    pub(super) fn run(&mut self, rows: &[Vec<u128>]) -> Vec<u128> {
        assert!(rows.len() <= 64, "a word has 64 bits");
        for (number, input) in self.inputs.iter().enumerate() {
            for (place, literal) in input.iter().enumerate() {
                let mut bits = 0u64;
                for (row, values) in rows.iter().enumerate() {
                    bits |= ((values[number] >> place & 1) as u64) << row;
                }
                self.values[literal.variable().index()] = bits;
            }
        }
        self.gates.simulate(&mut self.values);
        let mut results = vec![0u128; rows.len()];
        for (place, &literal) in self.outputs.iter().enumerate() {
            let value = self.values[literal.variable().index()];
            let value = if literal.is_positive() { value } else { !value };
            for (row, result) in results.iter_mut().enumerate() {
                *result |= u128::from(value >> row & 1) << place;
            }
        }
        results
    }
}
