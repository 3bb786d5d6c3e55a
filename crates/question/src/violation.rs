//! A run of a C program that violates a property: found by whoever, made again by the interpreter.

use crate::checks::Check;
use base::Span;
use concrete::{ConsumedInput, Run, RunOutcome, UndefinedReport};

/// Which part of a property a run breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// An assertion fails.
    Assertion,
    /// A function is called that must not be.
    Call,
    /// A label is reached that must not be.
    Label,
    /// Threads wait for each other for ever.
    Deadlock,
    /// The run goes on for ever.
    Endless,
    /// The run does not satisfy a temporal formula.
    Formula,
    /// Undefined behaviour happens that a built-in check forbids.
    Check(Check),
}

/// A run that violates the property.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// What happened, in words.
    pub what: String,
    /// Which part of the property that breaks.
    pub broken: Broken,
    /// The place in the source.
    pub span: Span,
    /// The inputs of the run, in order.
    pub inputs: Vec<ConsumedInput>,
    /// The run, as the interpreter ended it.
    pub run: Run,
    /// The steps of the run, as far as they were kept.
    pub steps: Vec<concrete::Step>,
    /// Who made which steps, if there are several threads and their order was found.
    pub schedule: Option<concrete::Plan>,
    /// The visible steps of that schedule, one by one.
    pub visible: Vec<concrete::VisibleStep>,
    /// Of a run that goes on for ever: what it does again and again.
    pub cycle: Option<Cycle>,
    /// The engine that found it.
    pub engine: &'static str,
}

/// The part of a run that can be repeated for ever: behind it the whole state is as it was before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Where the state comes back.
    pub at: Span,
    /// So many inputs are taken before it begins.
    pub inputs: usize,
    /// So many steps are made before it begins, of those that were kept.
    pub steps: usize,
    /// How many steps it has.
    pub length: u64,
}

impl Violation {
    /// The built-in check that it violates, if it is one.
    pub fn check(&self) -> Option<Check> {
        match self.broken {
            Broken::Check(check) => Some(check),
            Broken::Assertion
            | Broken::Call
            | Broken::Label
            | Broken::Deadlock
            | Broken::Endless
            | Broken::Formula => None,
        }
    }

    /// The interpreter's report that it rests on, if it violates a check: the first of those that break it.
    pub fn report(&self) -> Option<&UndefinedReport> {
        let broken = self.check()?;
        self.reports().find(|report| Check::of_report(report.kind) == Some(broken))
    }

    /// All undefined behaviour of the run, in order.
    pub fn reports(&self) -> impl Iterator<Item = &UndefinedReport> {
        let last = match &self.run.outcome {
            RunOutcome::Undefined(report) => Some(&**report),
            _ => None,
        };
        self.run.tolerated.iter().chain(last)
    }
}
