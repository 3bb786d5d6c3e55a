//! One trait for all engines, and the table that says which of them answers a kind of question, when, with which share of the time.

use crate::{Answer, Knowledge, Question, Verdict};
use base::{Budget, Event, EventSink};
use std::time::{Duration, Instant};
use verdict::{Reason, Undecided};

/// Something that answers questions about a kind of subject: a C program, a finite model, a Boolean program.
///
/// Obligations: an answer HOLDS covers every run of the subject; an answer VIOLATED has a counterexample that was followed on the
/// subject itself; whatever else happens is UNDECIDED with the reason. An engine looks at the budget often, and never prints.
pub trait Engine<Subject: ?Sized> {
    /// As users write it after `--engine`, and as answers name it.
    fn name(&self) -> &'static str;

    /// One line for `--help` and for the documents.
    fn description(&self) -> &'static str;

    /// Can it say anything about this? If not, why.
    fn can_answer(&self, question: &Question<'_, Subject>) -> Result<(), Reason>;

    /// Answers, with what others found out, and tells others what it finds out.
    fn run(
        &self,
        question: &Question<'_, Subject>,
        knowledge: &Knowledge,
        budget: &Budget,
        events: &dyn EventSink,
    ) -> Answer;
}

/// A part of the time that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// One of so many equal parts; 1 for all of it.
    pub part: u32,
    /// And no more than this.
    pub most: Duration,
}

impl Share {
    /// All that is left.
    pub const ALL: Share = Share { part: 1, most: Duration::MAX };

    /// One part of so many, of at most so many seconds.
    pub const fn part(part: u32, seconds: u64) -> Share {
        Share { part, most: Duration::from_secs(seconds) }
    }

    /// What that is of a budget.
    pub fn of(self, budget: &Budget) -> Budget {
        let left = budget.deadline().map(|end| end.saturating_duration_since(Instant::now()) / self.part);
        match left.map_or(self.most, |left| left.min(self.most)) {
            Duration::MAX => budget.clone(),
            share => budget.clone().with_time(share),
        }
    }
}

/// One row of a table of engines.
pub struct Row<'t, Subject: ?Sized> {
    /// The engine.
    pub engine: &'t dyn Engine<Subject>,
    /// When it is asked; the sentence is the reason for its being taken if it answers.
    pub when: When<Subject>,
    /// How long it may take.
    pub share: Share,
}

/// When a row of a table is asked.
pub struct When<Subject: ?Sized> {
    /// Is it?
    pub applies: fn(&Question<'_, Subject>, &Knowledge) -> bool,
    /// Why it is the one that answers, if it does.
    pub because: &'static str,
}

impl<'t, Subject: ?Sized> Row<'t, Subject> {
    /// An engine that may take all the time there is, whatever is asked.
    pub fn always(engine: &'t dyn Engine<Subject>, because: &'static str) -> Row<'t, Subject> {
        Row { engine, when: When { applies: |_, _| true, because }, share: Share::ALL }
    }
}

/// Asks one engine, whether or not it is for this; if it is not, the answer says so, and what to do instead.
pub fn ask_only<Subject: ?Sized>(
    engine: &dyn Engine<Subject>,
    instead: &str,
    question: &Question<'_, Subject>,
    knowledge: &Knowledge,
    budget: &Budget,
    events: &dyn EventSink,
) -> Answer {
    if let Err(reason) = engine.can_answer(question) {
        let undecided = Undecided::because(reason).try_next(instead);
        return Answer::new(question.name.clone(), engine.name(), undecided.into());
    }
    events.emit(Event::PhaseStarted { phase: engine.name(), subject: question.name.clone() });
    let answer = engine.run(question, knowledge, budget, events);
    events.emit(Event::PhaseEnded { phase: engine.name() });
    answer
}

/// Asks the engines of a table one after the other until one decides; else the last answer stands, with what the others said.
pub fn first_to_decide<Subject: ?Sized>(
    rows: &[Row<'_, Subject>],
    question: &Question<'_, Subject>,
    knowledge: &Knowledge,
    budget: &Budget,
    events: &dyn EventSink,
) -> Answer {
    let mut last: Option<Answer> = None;
    let mut tried: Vec<String> = Vec::new();
    for row in rows {
        let engine = row.engine;
        if !(row.when.applies)(question, knowledge) || engine.can_answer(question).is_err() {
            continue;
        }
        events.emit(Event::PhaseStarted { phase: engine.name(), subject: question.name.clone() });
        let mut answer = engine.run(question, knowledge, &row.share.of(budget), events);
        events.emit(Event::PhaseEnded { phase: engine.name() });
        if answer.engine_reason.is_empty() {
            row.when.because.clone_into(&mut answer.engine_reason);
        }
        let Verdict::Undecided(undecided) = &answer.verdict else { return answer };
        // A limit of the whole run ends it; the limit of one engine's share does not.
        if budget.check().is_err() || (row.share == Share::ALL && undecided.reason.is_limit_of_the_run()) {
            return answer;
        }
        tried.push(format!("{}: {undecided}", engine.name()));
        last = Some(answer);
    }
    let mut answer = last.unwrap_or_else(|| {
        let why = "no engine of the table can answer it".to_owned();
        let undecided = Undecided::because(Reason::EngineCannot { engine: "auto", why });
        Answer::new(question.name.clone(), "auto", undecided.into())
    });
    if tried.len() > 1 {
        answer.remarks.extend(tried);
    }
    answer
}
