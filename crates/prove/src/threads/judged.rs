//! What a run of threads shows about a property, and the violation that it is.

use super::NAME;
use crate::replay::{Watcher, is_tolerable, replay_settings};
use base::{Budget, Id, Span};
use concrete::interleavings::{Judge, Judged};
use concrete::{Interpreter, Observer, Outcome, Plan, Run, Settings, UndefinedKind, VisibleEdges};
use program::Program;
use question::{Broken, Check, Missing, Property, Violation};

/// What must not happen.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// In any program.
    pub property: &'a Property,
    /// A data race.
    pub races: bool,
    /// A thread that waits for ever.
    pub deadlocks: bool,
    /// What functions without a body do.
    pub missing: Missing,
}

/// What happened that must not.
#[derive(Clone, Debug)]
pub struct Bad {
    /// In words.
    pub what: String,
    /// Which part of what is asked that breaks.
    pub broken: Broken,
    /// The place in the source.
    pub span: Span,
}

enum Shown {
    Bad(Bad),
    Fine,
    Open(String),
}

/// Steps of a run at most.
const MOST_STEPS: u64 = 1_000_000;

impl Asked<'_> {
    /// How runs are made.
    pub fn settings(&self, budget: &Budget) -> Settings {
        let mut settings = replay_settings(self.missing, budget);
        (settings.races, settings.deadlocks) = (self.races, self.deadlocks);
        settings.limits.steps = Some(MOST_STEPS);
        settings
    }
}

/// Judges runs by what is asked.
pub struct Judging<'p> {
    program: &'p Program,
    asked: Asked<'p>,
    watcher: Watcher<'p>,
}

impl<'p> Judging<'p> {
    /// Before the first run.
    pub fn new(program: &'p Program, asked: Asked<'p>) -> Judging<'p> {
        Judging { program, asked, watcher: Watcher::new(program, asked.property) }
    }

    /// Makes the run of a plan once more: the violation that it shows, if it does what must not happen.
    pub fn repeat(
        mut self,
        interpreter: &Interpreter<'_>,
        visible: &VisibleEdges,
        plan: &Plan,
        budget: &Budget,
    ) -> Option<Box<Violation>> {
        let settings = self.asked.settings(budget);
        let run = interpreter.repeat(&settings, visible, plan, Some(&mut self.watcher))?;
        let seen = self.watcher.seen();
        let Shown::Bad(Bad { what, broken, span }) = shown(&self.asked, &run, seen) else { return None };
        let (inputs, schedule) = (run.inputs.clone(), Some(plan.clone()));
        let steps = Vec::new();
        Some(Box::new(Violation { what, broken, span, inputs, run, steps, schedule, engine: NAME }))
    }
}

impl Judge for Judging<'_> {
    fn observer(&mut self) -> Option<&mut dyn Observer> {
        self.watcher = Watcher::new(self.program, self.asked.property);
        Some(&mut self.watcher)
    }

    fn judge(&mut self, run: &Run) -> Judged {
        match shown(&self.asked, run, self.watcher.seen()) {
            Shown::Bad(_) => Judged::Found,
            Shown::Fine => Judged::Fine,
            Shown::Open(why) => Judged::Open(why),
        }
    }
}

fn shown(asked: &Asked<'_>, run: &Run, seen: Option<(String, Broken, Span)>) -> Shown {
    let property = asked.property;
    let is_asked = |kind: UndefinedKind| match kind {
        UndefinedKind::DataRace => asked.races,
        kind => Check::of_report(kind).is_some_and(|check| property.checks.has(check)),
    };
    let bad = |what: String, broken: Broken, span: Span| Shown::Bad(Bad { what, broken, span });
    if let Some((what, broken, span)) = seen {
        return bad(what, broken, span);
    }
    // The first that is not what unoptimised code carries on after decides.
    let ended = match &run.outcome {
        Outcome::Undefined(report) => Some(&**report),
        _ => None,
    };
    for report in run.tolerated.iter().chain(ended) {
        if is_asked(report.kind) {
            let check = Check::of_report(report.kind).unwrap_or(Check::Race);
            return bad(report.message.clone(), Broken::Check(check), report.place.span);
        }
        if !is_tolerable(report.kind) {
            return Shown::Open(format!("a run has undefined behaviour: {}", report.message));
        }
    }
    match &run.outcome {
        Outcome::AssertionFailed { expression, place, .. } if property.assertions => {
            bad(format!("the assertion `{expression}` fails"), Broken::Assertion, place.span)
        }
        Outcome::ErrorReached { function, place }
            if property.functions.iter().any(|name| **name == **function) =>
        {
            bad(format!("`{function}` is called"), Broken::Call, place.span)
        }
        Outcome::Deadlock(waiting) if asked.deadlocks => {
            let span = waiting.first().map(|waiting| waiting.place.span).unwrap_or_default();
            let who = waiting.iter().map(|waiting| {
                let thread =
                    waiting.place.thread.map_or_else(String::new, |thread| thread.index().to_string());
                format!("thread {thread} waits for {}", waiting.waits_for)
            });
            let who = who.collect::<Vec<_>>().join("; ");
            bad(format!("some threads wait for ever: {who}"), Broken::Deadlock, span)
        }
        Outcome::Deadlock(_) => Shown::Fine,
        Outcome::Exited(_)
        | Outcome::Aborted(_)
        | Outcome::AssertionFailed { .. }
        | Outcome::ErrorReached { .. }
        | Outcome::AssumptionUnmet(_) => Shown::Fine,
        Outcome::Undefined(report) => Shown::Open(report.message.clone()),
        Outcome::Unknown(unknown) => Shown::Open(unknown.message.clone()),
        Outcome::LimitReached(limit, _) => Shown::Open(limit.to_string()),
    }
}
