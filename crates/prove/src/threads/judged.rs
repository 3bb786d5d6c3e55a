//! What a run of threads shows about a property, and the violation that it is.

use super::NAME;
use crate::replay::{Watcher, is_tolerable, replay_settings};
use base::{Budget, Id, Span};
use concrete::interleavings::{Judge, Judged};
use concrete::{Interpreter, Observer, Plan, Run, RunOutcome, Settings, UndefinedKind, VisibleEdges};
use program::{DATA_RACE, DEADLOCK, Program, THREAD_MISUSE};
use question::{Broken, Check, Missing, Property, Violation};
use std::cell::Cell;

/// What must not happen.
#[derive(Clone, Copy, Debug)]
pub struct ThreadProperty<'a> {
    /// In any program.
    pub property: &'a Property,
    /// A data race.
    pub races: bool,
    /// A thread that waits for ever.
    pub deadlocks: bool,
    /// A function of threads that is called as it must not be.
    pub misuse: bool,
    /// What functions without a body do.
    pub missing: Missing,
}

/// What happened that must not.
#[derive(Clone, Debug)]
pub struct ThreadFailure {
    /// In words.
    pub what: String,
    /// Which part of what is asked that breaks.
    pub broken: Broken,
    /// The place in the source.
    pub span: Span,
}

/// What a run shows.
pub enum RunShows {
    /// What must not happen.
    ThreadFailure(ThreadFailure),
    /// Nothing.
    Fine,
    /// Nothing that one could tell, for this reason.
    Open(String),
}

/// Steps of a run at most.
const MOST_STEPS: u64 = 1_000_000;

impl<'a> ThreadProperty<'a> {
    /// What a property asks about threads.
    pub fn of(property: &'a Property, missing: Missing) -> ThreadProperty<'a> {
        let has = |function: &str| property.functions.iter().any(|name| name == function);
        ThreadProperty {
            property,
            races: property.checks.has(Check::Race) || has(DATA_RACE),
            deadlocks: has(DEADLOCK),
            misuse: has(THREAD_MISUSE),
            missing,
        }
    }

    /// Must this undefined behaviour not happen?
    pub fn forbids(&self, kind: UndefinedKind) -> bool {
        match kind {
            UndefinedKind::DataRace => self.races,
            UndefinedKind::MutexMisuse | UndefinedKind::ThreadMisuse if self.misuse => true,
            kind => Check::of_report(kind).is_some_and(|check| self.property.checks.has(check)),
        }
    }

    /// How runs are made.
    pub fn settings(&self, budget: &Budget) -> Settings {
        let mut settings = replay_settings(self.missing, budget);
        (settings.races, settings.deadlocks) = (self.races, self.deadlocks);
        settings.limits.steps = Some(MOST_STEPS);
        settings.lost_blocks = self.property.checks.has(Check::Lost);
        if self.property.checks.has(Check::Uninitialised) {
            settings.uninitialised = concrete::Uninitialised::Report;
        }
        settings
    }
}

/// Watches a run until something happens that must not: then it need not go on.
pub struct UntilBad<'p> {
    asked: ThreadProperty<'p>,
    /// Sees what the property forbids, and keeps the steps.
    pub watcher: Watcher<'p>,
    is_over: &'p Cell<bool>,
}

impl<'p> UntilBad<'p> {
    /// Tells by `is_over`.
    pub fn new(asked: ThreadProperty<'p>, watcher: Watcher<'p>, is_over: &'p Cell<bool>) -> UntilBad<'p> {
        UntilBad { asked, watcher, is_over }
    }

    fn look(&self) {
        if !self.watcher.has_seen_nothing() {
            self.is_over.set(true);
        }
    }
}

impl Observer for UntilBad<'_> {
    fn step(&mut self, step: concrete::Step) {
        self.watcher.step(step);
        self.look();
    }

    fn tolerated(&mut self, report: &concrete::UndefinedReport) {
        self.watcher.tolerated(report);
        if self.asked.forbids(report.kind) {
            self.is_over.set(true);
        }
    }

    fn called(&mut self, thread: concrete::ThreadId, procedure: program::ProcedureId) {
        self.watcher.called(thread, procedure);
        self.look();
    }
}

/// Judges runs by what is asked.
pub struct Judging<'p> {
    program: &'p Program,
    asked: ThreadProperty<'p>,
    watcher: Watcher<'p>,
}

impl<'p> Judging<'p> {
    /// Before the first run.
    pub fn new(program: &'p Program, asked: ThreadProperty<'p>) -> Judging<'p> {
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
        let RunShows::ThreadFailure(ThreadFailure { what, broken, span }) = shown(&self.asked, &run, seen)
        else {
            return None;
        };
        let (inputs, schedule) = (run.inputs.clone(), Some(plan.clone()));
        let steps = self.watcher.into_steps();
        Some(Box::new(Violation {
            what,
            broken,
            span,
            inputs,
            run,
            steps,
            schedule,
            visible: Vec::new(),
            cycle: None,
            engine: NAME,
        }))
    }
}

impl Judge for Judging<'_> {
    fn observer(&mut self) -> Option<&mut dyn Observer> {
        self.watcher = Watcher::new(self.program, self.asked.property);
        Some(&mut self.watcher)
    }

    fn judge(&mut self, run: &Run) -> Judged {
        match shown(&self.asked, run, self.watcher.seen()) {
            RunShows::ThreadFailure(_) => Judged::Found,
            RunShows::Fine => Judged::Fine,
            RunShows::Open(why) => Judged::Open(why),
        }
    }
}

/// What a run shows, in which the watcher saw this.
pub fn shown(asked: &ThreadProperty<'_>, run: &Run, seen: Option<(String, Broken, Span)>) -> RunShows {
    let property = asked.property;
    let bad = |what: String, broken: Broken, span: Span| {
        RunShows::ThreadFailure(ThreadFailure { what, broken, span })
    };
    if let Some((what, broken, span)) = seen {
        return bad(what, broken, span);
    }
    // The first that is not what unoptimised code carries on after decides.
    let ended = match &run.outcome {
        RunOutcome::Undefined(report) => Some(&**report),
        _ => None,
    };
    for report in run.tolerated.iter().chain(ended) {
        if asked.forbids(report.kind) {
            let check = match report.kind {
                UndefinedKind::DataRace => Check::Race,
                kind => Check::of_report(kind).unwrap_or(Check::Library),
            };
            return bad(report.message.clone(), Broken::Check(check), report.place.span);
        }
        if !is_tolerable(report.kind) {
            return RunShows::Open(format!("a run has undefined behaviour: {}", report.message));
        }
    }
    match &run.outcome {
        RunOutcome::AssertionFailed { expression, place, .. } if property.assertions => {
            bad(format!("the assertion `{expression}` fails"), Broken::Assertion, place.span)
        }
        RunOutcome::ErrorReached { function, place }
            if property.functions.iter().any(|name| **name == **function) =>
        {
            bad(format!("`{function}` is called"), Broken::Call, place.span)
        }
        RunOutcome::Deadlock(waiting) if asked.deadlocks => {
            let span = waiting.first().map(|waiting| waiting.place.span).unwrap_or_default();
            let who = waiting.iter().map(|waiting| {
                let thread =
                    waiting.place.thread.map_or_else(String::new, |thread| thread.index().to_string());
                format!("thread {thread} waits for {}", waiting.waits_for)
            });
            let who = who.collect::<Vec<_>>().join("; ");
            bad(format!("some threads wait for ever: {who}"), Broken::Check(Check::Deadlock), span)
        }
        RunOutcome::Deadlock(_) => RunShows::Fine,
        outcome if outcome.is_end() && crate::replay::left_block(run, property).is_some() => {
            let (block, check) = crate::replay::left_block(run, property).expect("there is one");
            bad(crate::replay::about_left_block(block, check), Broken::Check(check), block.made_at)
        }
        RunOutcome::Exited(_)
        | RunOutcome::Aborted(_)
        | RunOutcome::AssertionFailed { .. }
        | RunOutcome::ErrorReached { .. }
        | RunOutcome::AssumptionUnmet(_) => RunShows::Fine,
        RunOutcome::Undefined(report) => RunShows::Open(report.message.clone()),
        RunOutcome::Unknown(unknown) => RunShows::Open(unknown.message.clone()),
        RunOutcome::LimitReached(limit, _) => RunShows::Open(limit.to_string()),
    }
}
