//! Runs in which local variables that are read before they are written all begin alike (see
//! `question::unwritten`): such a run is the better one to show.

use crate::replay::{Replayed, replay};
use crate::settings::Settings;
use base::Budget;
use concrete::{ConsumedInput, InputShape, InputTrouble, Inputs, Interpreter};
use program::{Program, VariableKind};
use question::unwritten::{Fill, fill_of, is_unwritten_local};
use question::{Property, Violation};
use rustc_hash::FxHashSet;
use std::time::Duration;

/// What unwritten locals begin with in a drawn run: often alike, so that a compiled program can show the run.
pub(crate) fn drawn_fill(run: u64) -> Option<Fill> {
    [Some(Fill::Zero), Some(Fill::Pattern), None][(run % 3) as usize]
}

/// Other inputs, but for unwritten locals, which all begin alike.
pub(crate) struct Filled<'a, I> {
    /// The other inputs.
    pub inner: I,
    fill: Option<Fill>,
    locals: FxHashSet<&'a str>,
}

impl<'a, I> Filled<'a, I> {
    /// With this fill, or none.
    pub fn new(program: &'a Program, fill: Option<Fill>, inner: I) -> Filled<'a, I> {
        let locals = match fill {
            None => FxHashSet::default(),
            Some(_) => program
                .variables
                .iter()
                .filter(|variable| variable.kind == VariableKind::Local)
                .map(|variable| &*variable.name)
                .filter(|name| is_unwritten_local(program, name))
                .collect(),
        };
        Filled { inner, fill, locals }
    }
}

impl<I: Inputs> Inputs for Filled<'_, I> {
    fn next(&mut self, name: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        match self.fill {
            Some(fill) if self.locals.contains(name) => fill.bits(shape).ok_or(InputTrouble::Exhausted),
            _ => self.inner.next(name, shape),
        }
    }
}

/// Values in order, then zeros.
struct Given(std::vec::IntoIter<u128>);

impl Inputs for Given {
    fn next(&mut self, _name: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        let bits = self.0.next().unwrap_or(0);
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
    let mut run_settings =
        crate::replay::replay_settings(settings.missing, &budget.clone().with_time(MOST_TIME));
    run_settings.limits.steps = Some(violation.run.statistics.steps.saturating_mul(4) + 1000);
    for fill in [Fill::Zero, Fill::Pattern] {
        let mut inputs = Filled::new(program, Some(fill), Given(given.clone().into_iter()));
        if let Replayed::Confirmed(confirmed) =
            replay(&interpreter, program, property, &run_settings, &mut inputs)
            && confirmed.broken == violation.broken
        {
            return confirmed.found_by(violation.engine);
        }
    }
    violation
}
