//! A few runs on drawn inputs before anything else: what shows at once needs no solver, however long the loops are.

use crate::finding::Violation;
use crate::property::{Property, Settings};
use crate::replay::{Replayed, replay};
use base::Budget;
use concrete::{Interpreter, SeededInputs};
use program::Program;
use std::time::{Duration, Instant};

/// Runs, steps of each, and time at most.
const MOST_RUNS: u64 = 40;
const MOST_STEPS: u64 = 3_000_000;
const MOST_TIME: Duration = Duration::from_secs(2);

/// A violation, if one of the runs shows it.
pub fn test(
    program: &Program,
    property: &Property,
    settings: &Settings,
    budget: &Budget,
) -> Option<Violation> {
    let interpreter = Interpreter::new(program);
    let started = Instant::now();
    for seed in 0..MOST_RUNS {
        if started.elapsed() > MOST_TIME || budget.check().is_err() {
            return None;
        }
        let mut run_settings = crate::replay::settings(settings.missing, budget);
        run_settings.limits.steps = Some(MOST_STEPS);
        let mut inputs = SeededInputs::new(seed);
        if let Replayed::Confirmed(confirmed) =
            replay(&interpreter, program, property, &run_settings, &mut inputs)
        {
            let confirmed = *confirmed;
            return Some(Violation {
                what: confirmed.what,
                span: confirmed.span,
                inputs: confirmed.inputs,
                run: confirmed.run,
                steps: confirmed.steps,
                engine: "testing",
            });
        }
    }
    None
}
