//! Local variables that a run reads before they are written. A compiled program cannot be given their values one by one, but compilers can begin all locals alike
//! (`-ftrivial-auto-var-init`): a run that fails so as well is the better one to show.

use crate::finding::Violation;
use crate::property::{Property, Settings};
use crate::replay::{Replayed, replay};
use base::Budget;
use concrete::{ConsumedInput, InputShape, InputTrouble, Inputs, Interpreter};
use program::{Program, VariableKind};
use std::time::Duration;

/// What all locals begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// Zeros.
    Zero,
    /// Bytes 0xFE, gcc's `pattern`.
    Pattern,
}

impl Fill {
    /// The value of a shape; `None` where it is not said.
    fn bits(self, shape: InputShape) -> Option<u128> {
        match (self, shape) {
            (Fill::Zero, _) => Some(0),
            (Fill::Pattern, InputShape::Bool | InputShape::Pointer { .. }) => None,
            (Fill::Pattern, shape) => {
                let all = u128::from_ne_bytes([0xfe; 16]);
                let width = shape.width();
                Some(if width >= 128 { all } else { all & ((1 << width) - 1) })
            }
        }
    }
}

/// Is an input of this name the value of a local variable that was never written?
pub fn is_unwritten_local(program: &Program, name: &str) -> bool {
    let has = |kind: VariableKind| {
        program.variables.iter().any(|variable| &*variable.name == name && variable.kind == kind)
    };
    program.procedure_named(name).is_none() && has(VariableKind::Local) && !has(VariableKind::Global)
}

/// What the unwritten locals of a run all begin with, if there are any and they are alike.
pub fn fill_of(program: &Program, inputs: &[ConsumedInput]) -> Option<Fill> {
    let unwritten = || inputs.iter().filter(|input| is_unwritten_local(program, &input.name));
    unwritten().next()?;
    [Fill::Zero, Fill::Pattern]
        .into_iter()
        .find(|fill| unwritten().all(|input| fill.bits(input.shape) == Some(input.bits)))
}

/// The values of another run, but for unwritten locals.
struct Filled<'a> {
    program: &'a Program,
    fill: Fill,
    given: std::vec::IntoIter<u128>,
}

impl Inputs for Filled<'_> {
    fn next(&mut self, name: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        if is_unwritten_local(self.program, name) {
            return self.fill.bits(shape).ok_or(InputTrouble::Exhausted);
        }
        let bits = self.given.next().unwrap_or(0);
        let width = shape.width();
        Ok(if width >= 128 { bits } else { bits & ((1 << width) - 1) })
    }
}

/// Longer than this, and the run stays as it is.
const MOST_TIME: Duration = Duration::from_secs(2);

/// The same failure with locals that all begin alike, if a run shows it.
pub fn begun_alike(
    program: &Program,
    property: &Property,
    settings: &Settings,
    budget: &Budget,
    violation: Box<Violation>,
) -> Box<Violation> {
    let is_unwritten = |input: &&ConsumedInput| is_unwritten_local(program, &input.name);
    if !violation.inputs.iter().any(|input| is_unwritten(&input))
        || fill_of(program, &violation.inputs).is_some()
    {
        return violation;
    }
    let interpreter = Interpreter::new(program);
    let given: Vec<u128> =
        violation.inputs.iter().filter(|input| !is_unwritten(input)).map(|input| input.bits).collect();
    let mut run_settings = crate::replay::settings(settings.missing, &budget.clone().with_time(MOST_TIME));
    run_settings.limits.steps = Some(violation.run.statistics.steps.saturating_mul(4) + 1000);
    for fill in [Fill::Zero, Fill::Pattern] {
        let mut inputs = Filled { program, fill, given: given.clone().into_iter() };
        if let Replayed::Confirmed(confirmed) =
            replay(&interpreter, program, property, &run_settings, &mut inputs)
            && confirmed.check == violation.check
        {
            return Box::new(crate::testing::violation(*confirmed, violation.engine));
        }
    }
    violation
}
