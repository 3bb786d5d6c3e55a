//! A counterexample on real values: the inputs a model gives, run by the interpreter. Only what it confirms
//! is a violation.

use crate::explorer::PathInput;
use base::Budget;
use concrete::{
    Captured, ConsumedInput, InputShape, InputTrouble, Inputs, Interpreter, Observer, OnUndefined, Run,
    RunOutcome, Settings, Step, ThreadId, UndefinedKind, Uninitialised, UnknownReason,
};
use logic::evaluate::Evaluator;
use logic::model::Value;
use logic::{Model, TermPool};
use program::{Node, ProcedureId, Program};
use question::{Broken, Check, Missing, Property, Violation};
use std::collections::VecDeque;
use std::sync::Arc;

/// Values for a run, in order, with the name each is for.
#[derive(Clone, Debug, Default)]
pub struct PlannedInputs {
    values: VecDeque<(Arc<str>, u128)>,
    /// Inputs that were asked for and not planned.
    unplanned: usize,
    /// Addresses that were planned, in the order they were asked for.
    addresses: Vec<u128>,
}

/// What pointers get that lead nowhere lies so far apart, below all objects: systems map nothing there.
const NOWHERE_STEP: u128 = 16;
const MOST_NOWHERE: usize = 255;

/// A run that asks for more inputs than were planned, by so many, is not the planned one.
const MOST_UNPLANNED: usize = 10_000;

impl PlannedInputs {
    /// The inputs that a run takes under a model.
    pub fn under(model: &Model, pool: &TermPool, inputs: &[PathInput]) -> PlannedInputs {
        let mut evaluator = Evaluator::new(model);
        let mut values = VecDeque::new();
        for taken in inputs.iter().filter(|taken| !taken.is_modelled) {
            if evaluator.evaluate(pool, taken.guard) != Ok(Value::Bool(true)) {
                continue;
            }
            let bits = match evaluator.evaluate(pool, taken.input.symbol) {
                Ok(Value::Bits(bits)) => bits.to_u128().unwrap_or(0),
                _ => 0,
            };
            values.push_back((taken.input.name.clone(), bits));
        }
        PlannedInputs { values, unplanned: 0, addresses: Vec::new() }
    }

    /// Addresses are the engine's, not the interpreter's: null means the same to both, and of others only which of them
    /// are the same. They lead nowhere.
    fn address(&mut self, bits: u128) -> u128 {
        if bits == 0 {
            return 0;
        }
        let at = self.addresses.iter().position(|&known| known == bits).unwrap_or_else(|| {
            self.addresses.push(bits);
            self.addresses.len() - 1
        });
        (at.min(MOST_NOWHERE) as u128 + 1) * NOWHERE_STEP
    }

    /// In order, with the names of the functions that give them.
    pub fn into_list(self) -> Vec<(Arc<str>, u128)> {
        self.values.into()
    }

    /// These, in order.
    pub fn listed(values: Vec<(Arc<str>, u128)>) -> PlannedInputs {
        PlannedInputs { values: values.into(), unplanned: 0, addresses: Vec::new() }
    }
}

impl Inputs for PlannedInputs {
    fn next(&mut self, name: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        let at = self.values.iter().position(|(own, _)| **own == *name);
        let planned = at.and_then(|at| self.values.remove(at));
        if planned.is_none() {
            self.unplanned += 1;
            if self.unplanned > MOST_UNPLANNED {
                return Err(InputTrouble::Exhausted);
            }
        }
        let bits = planned.map_or(0, |(_, bits)| bits);
        if matches!(shape, InputShape::Pointer { .. }) {
            return Ok(self.address(bits));
        }
        let width = shape.width();
        Ok(if width >= 128 { bits } else { bits & ((1 << width) - 1) })
    }
}

/// What the interpreter made of a counterexample.
#[derive(Debug)]
pub enum Replayed {
    /// The property is violated, at this place.
    Confirmed(Box<Confirmed>),
    /// It is not, or not without undefined behaviour on the way; in words.
    Refused(String),
}

/// A confirmed counterexample.
#[derive(Debug)]
pub struct Confirmed {
    /// What happened.
    pub what: String,
    /// Which part of the property that breaks.
    pub broken: Broken,
    /// The place in the source.
    pub span: base::Span,
    /// The run.
    pub run: Run,
    /// Its inputs.
    pub inputs: Vec<ConsumedInput>,
    /// Its steps.
    pub steps: Vec<Step>,
}

impl Confirmed {
    /// The violation that it shows, found by this engine.
    pub fn found_by(self, engine: &'static str) -> Box<Violation> {
        let Confirmed { what, broken, span, run, inputs, steps } = self;
        Box::new(Violation {
            what,
            broken,
            span,
            inputs,
            run,
            steps,
            schedule: None,
            visible: Vec::new(),
            cycle: None,
            engine,
        })
    }
}

/// Steps that are kept for the trace.
const MOST_STEPS: usize = 200_000;

/// Watches a run for what the property forbids.
pub(crate) struct Watcher<'p> {
    program: &'p Program,
    property: &'p Property,
    hit: Option<(String, Broken, base::Span)>,
    steps: Vec<Step>,
    /// Steps up to the failure: what comes after it says nothing.
    most_steps: usize,
}

impl<'p> Watcher<'p> {
    /// Nothing was seen yet.
    pub(crate) fn new(program: &'p Program, property: &'p Property) -> Watcher<'p> {
        Watcher { program, property, hit: None, steps: Vec::new(), most_steps: MOST_STEPS }
    }

    /// The same, of which no steps are wanted.
    pub(crate) fn without_steps(program: &'p Program, property: &'p Property) -> Watcher<'p> {
        Watcher { most_steps: 0, ..Watcher::new(program, property) }
    }

    /// Control comes to a node.
    fn reach(&mut self, node: &Node) {
        if self.hit.is_some() || self.property.labels.is_empty() {
            return;
        }
        let is_asked = |label: &&Arc<str>| self.property.labels.iter().any(|wanted| **wanted == ***label);
        if let Some(label) = node.labels.iter().find(is_asked) {
            self.hit = Some((format!("label `{label}` is reached"), Broken::Label, node.span));
            self.most_steps = self.steps.len();
        }
    }

    /// What happened that the property forbids.
    pub(crate) fn seen(&self) -> Option<(String, Broken, base::Span)> {
        self.hit.clone()
    }

    /// The steps that were kept.
    pub(crate) fn into_steps(self) -> Vec<Step> {
        self.steps
    }

    /// Has nothing happened that the property forbids?
    pub(crate) fn has_seen_nothing(&self) -> bool {
        self.hit.is_none()
    }
}

impl Observer for Watcher<'_> {
    fn step(&mut self, step: Step) {
        if self.steps.len() < self.most_steps {
            self.steps.push(step);
        }
        if let Some(body) = &self.program.procedures[step.procedure].body {
            self.reach(&body.nodes[body.edges[step.edge].to]);
        }
    }

    // A label on the way is reached in the last round, too.
    fn may_skip_rounds(&self) -> bool {
        true
    }

    fn tolerated(&mut self, report: &concrete::UndefinedReport) {
        let is_asked = Check::of_report(report.kind).is_some_and(|check| self.property.checks.has(check));
        if is_asked && self.hit.is_none() {
            // The step in which it happens is not told yet.
            self.most_steps = self.most_steps.min(self.steps.len() + 1);
        }
    }

    fn called(&mut self, _thread: ThreadId, procedure: ProcedureId) {
        let callee = &self.program.procedures[procedure];
        if self.hit.is_none() && self.property.forbids(callee) {
            let is_named = self.property.functions.iter().any(|name| **name == *callee.name);
            let broken = if is_named { Broken::Call } else { Broken::Assertion };
            self.hit = Some((format!("`{}` is called", callee.name), broken, callee.span));
        }
        // No step leads to the place where a procedure starts.
        if let Some(body) = &callee.body {
            self.reach(&body.nodes[body.entry]);
        }
    }
}

/// Is the run past this what unoptimised code on x86 does?
pub(crate) fn is_tolerable(kind: UndefinedKind) -> bool {
    use UndefinedKind::*;
    matches!(kind, SignedOverflow | BadShift | LeftShift | FloatToInteger)
}

/// The settings of a replay.
pub fn replay_settings(missing: Missing, budget: &Budget) -> Settings {
    let mut settings = Settings {
        on_undefined: OnUndefined::Continue,
        uninitialised: Uninitialised::Input,
        missing: match missing {
            Missing::Stop => concrete::OnMissingBody::Stop,
            // What a function without a body writes is told by inputs, in steps of the program of their own.
            Missing::AnyResult | Missing::AnyEffect => concrete::OnMissingBody::Nondet,
        },
        outside: concrete::Outside::Inputs,
        ..Settings::default()
    };
    settings.strictness.layout = true;
    settings.limits.budget = budget.clone();
    settings.limits.steps = Some(100_000_000);
    settings
}

/// Runs the program on planned inputs.
pub fn replay(
    interpreter: &Interpreter<'_>,
    program: &Program,
    property: &Property,
    settings: &Settings,
    inputs: &mut dyn Inputs,
) -> Replayed {
    let mut host = Captured::default();
    let mut watcher = Watcher::new(program, property);
    let mut settings = settings.clone();
    settings.lost_blocks = property.checks.follow_blocks();
    if property.checks.has(Check::Uninitialised) || property.passed.has(Check::Uninitialised) {
        settings.uninitialised = Uninitialised::Report;
    }
    let run = interpreter.watch(&settings, &mut host, inputs, &mut watcher);
    let is_asked = |report: &concrete::UndefinedReport| {
        Check::of_report(report.kind).is_some_and(|check| property.checks.has(check))
    };
    let is_passed = |report: &concrete::UndefinedReport| {
        Check::of_report(report.kind).is_some_and(|check| property.passed.has(check))
    };
    let of_interest = |report: &&concrete::UndefinedReport| {
        is_asked(report) || is_passed(report) || !is_tolerable(report.kind)
    };
    let first = run.tolerated.iter().find(of_interest).or(match &run.outcome {
        RunOutcome::Undefined(report) => Some(&**report).filter(of_interest),
        _ => None,
    });
    if let Some(report) = first
        && is_asked(report)
        && watcher.hit.is_none()
        && let Some(check) = Check::of_report(report.kind)
    {
        let (what, broken, span) = (report.message.clone(), Broken::Check(check), report.place.span);
        let (inputs, steps) = (run.inputs.clone(), watcher.steps);
        return Replayed::Confirmed(Box::new(Confirmed { what, broken, span, run, inputs, steps }));
    }
    if let Some(report) = run.tolerated.iter().find(|report| !is_tolerable(report.kind) || is_passed(report))
    {
        let at =
            program.sources.location(report.place.span).map_or_else(String::new, |at| format!(" at {at}"));
        return Replayed::Refused(match report.kind {
            UndefinedKind::LayoutDependent => {
                format!("what the run does{at} is not fixed: {}", report.message)
            }
            _ => format!("the run has undefined behaviour{at}: {}", report.message),
        });
    }
    let steps = watcher.steps;
    let ended = match &run.outcome {
        RunOutcome::ErrorReached { function, place }
            if property.functions.iter().any(|name| **name == **function) =>
        {
            Some((format!("`{function}` is called"), Broken::Call, place.span))
        }
        RunOutcome::AssertionFailed { expression, place, .. } if property.assertions => {
            Some((format!("the assertion `{expression}` fails"), Broken::Assertion, place.span))
        }
        RunOutcome::Unknown(unknown) => match &unknown.reason {
            UnknownReason::MissingBody(name)
                if property.functions.iter().any(|wanted| **wanted == **name) =>
            {
                Some((format!("`{name}` is called"), Broken::Call, unknown.place.span))
            }
            _ => watcher.hit,
        },
        _ => watcher.hit,
    };
    match ended {
        Some((what, broken, span)) => {
            let inputs = run.inputs.clone();
            Replayed::Confirmed(Box::new(Confirmed { what, broken, span, run, inputs, steps }))
        }
        None => match left_block(&run, property) {
            Some((block, check)) => {
                let what = about_left_block(block, check);
                let (span, inputs) = (block.made_at, run.inputs.clone());
                let broken = Broken::Check(check);
                Replayed::Confirmed(Box::new(Confirmed { what, broken, span, run, inputs, steps }))
            }
            _ => Replayed::Refused(refusal(program, &run.outcome)),
        },
    }
}

/// A block that lives at the end of a run where the property forbids it, and the check that does.
pub(crate) fn left_block<'r>(
    run: &'r concrete::Run,
    property: &Property,
) -> Option<(&'r concrete::ObjectDescription, Check)> {
    let by_itself = run.leaked.first().filter(|_| property.checks.has(Check::Leak));
    let by_abort = run.left_by_abort.first().filter(|_| property.checks.has(Check::Cleanup));
    // Those that nothing points to come first.
    let left = run.leaked.first().or(run.left_by_abort.first());
    let lost = left.filter(|_| property.checks.has(Check::Lost) && run.lost > 0);
    by_itself
        .map(|block| (block, Check::Leak))
        .or(by_abort.map(|block| (block, Check::Cleanup)))
        .or(lost.map(|block| (block, Check::Lost)))
}

/// What is told of a block that [`left_block`] found.
pub(crate) fn about_left_block(block: &concrete::ObjectDescription, check: Check) -> String {
    let what = match check {
        Check::Lost => "is lost: when the run ends, it is not freed and nothing points to it",
        _ => "is never freed",
    };
    format!("{} ({} bytes) {what}", block.name, block.size)
}

pub(crate) fn refusal(program: &Program, outcome: &RunOutcome) -> String {
    let at = |place: &concrete::Place| {
        program.sources.location(place.span).map_or_else(String::new, |at| format!(" at {at}"))
    };
    match outcome {
        RunOutcome::Exited(status) => format!("the run ends with status {status} instead"),
        RunOutcome::Aborted(place) => format!("the run aborts{} instead", at(place)),
        RunOutcome::AssertionFailed { place, .. } => format!("an assertion fails{} first", at(place)),
        RunOutcome::ErrorReached { function, place } => format!("`{function}` is called{} first", at(place)),
        RunOutcome::Undefined(report) => {
            format!("the run has undefined behaviour{}: {}", at(&report.place), report.message)
        }
        RunOutcome::AssumptionUnmet(place) => format!("the run does not meet what is assumed{}", at(place)),
        RunOutcome::Deadlock(_) => "every thread waits".into(),
        RunOutcome::Unknown(unknown) => unknown.message.clone(),
        RunOutcome::LimitReached(limit, _) => limit.to_string(),
    }
}
