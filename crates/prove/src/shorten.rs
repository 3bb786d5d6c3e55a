//! Shorter runs to the same failure: inputs are left out and made small as long as the interpreter still gets
//! there, after the idea of delta debugging (Zeller and Hildebrandt 2002). Random inputs find failures;
//! people read the short ones.

use crate::replay::{Confirmed, Replayed, replay};

use base::Budget;
use concrete::{InputShape, InputTrouble, Inputs, Interpreter, Settings};
use program::Program;
use question::Property;
use question::unwritten::fill_of;

/// Runs at most.
const MOST_RUNS: u32 = 600;
/// More inputs than this are not shortened one by one.
const MOST_INPUTS: usize = 5000;

/// Values in order; zero when there are no more.
struct Values<'a> {
    values: &'a [u128],
    next: usize,
}

impl Inputs for Values<'_> {
    fn next(&mut self, _name: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        let bits = self.values.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        let width = shape.width();
        Ok(if width >= 128 { bits } else { bits & ((1 << width) - 1) })
    }
}

/// Looks for a shorter way to a failure.
pub struct Shortener<'a, 'p> {
    /// Runs the program.
    pub interpreter: &'a Interpreter<'p>,
    /// The program.
    pub program: &'p Program,
    /// What fails.
    pub property: &'p Property,
    /// How runs are made.
    pub settings: &'a Settings,
    /// Runs stop when this is used up.
    pub budget: &'a Budget,
}

impl Shortener<'_, '_> {
    /// A run to the same place with fewer and smaller inputs, as far as it is found.
    pub fn shorten(&self, found: Confirmed) -> Confirmed {
        if found.inputs.len() > MOST_INPUTS {
            return found;
        }
        let mut search = Search { shortener: self, best: found, runs: 0 };
        search.leave_out();
        search.make_small();
        search.leave_out();
        search.best
    }
}

struct Search<'s, 'a, 'p> {
    shortener: &'s Shortener<'a, 'p>,
    best: Confirmed,
    runs: u32,
}

impl Search<'_, '_, '_> {
    fn values(&self) -> Vec<u128> {
        self.best.inputs.iter().map(|input| input.bits).collect()
    }

    fn is_over(&self) -> bool {
        self.runs >= MOST_RUNS || self.shortener.budget.check().is_err()
    }

    /// Does the run on these inputs fail at the same place? Then it is the best so far, unless it asks for
    /// more inputs.
    fn try_values(&mut self, values: &[u128]) -> bool {
        self.runs += 1;
        let Shortener { interpreter, program, property, settings, .. } = *self.shortener;
        let mut inputs = Values { values, next: 0 };
        match replay(interpreter, program, property, settings, &mut inputs) {
            Replayed::Confirmed(confirmed)
                if confirmed.span == self.best.span
                    && confirmed.inputs.len() <= self.best.inputs.len()
                    && (fill_of(program, &self.best.inputs).is_none()
                        || fill_of(program, &confirmed.inputs).is_some()) =>
            {
                self.best = *confirmed;
                true
            }
            _ => false,
        }
    }

    /// Leaves out stretches of inputs, long ones first.
    fn leave_out(&mut self) {
        let mut length = self.best.inputs.len() / 2;
        while length > 0 {
            let mut from = 0;
            while from + length <= self.best.inputs.len() && !self.is_over() {
                let mut values = self.values();
                let before = values.len();
                values.drain(from..from + length);
                if !(self.try_values(&values) && self.best.inputs.len() < before) {
                    from += length;
                }
            }
            length /= 2;
        }
    }

    /// Makes inputs zero, or else one.
    fn make_small(&mut self) {
        let mut at = 0;
        while at < self.best.inputs.len() && !self.is_over() {
            for small in [0, 1] {
                let mut values = self.values();
                if values[at] <= small {
                    break;
                }
                values[at] = small;
                if self.try_values(&values) {
                    break;
                }
            }
            at += 1;
        }
    }
}
