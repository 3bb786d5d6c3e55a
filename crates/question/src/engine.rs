//! One trait for all engines, and the table that says which of them answers a kind of question, when, with
//! which share of the time.

use crate::{Answer, Knowledge, Question, Verdict};
use base::{Budget, Event, EventSink};
use std::time::{Duration, Instant};
use verdict::{Reason, Undecided};

/// Something that answers questions about a kind of subject: a C program, a finite model, a Boolean program.
///
/// Obligations: an answer HOLDS covers every run of the subject; an answer VIOLATED has a counterexample that
/// was followed on the subject itself; whatever else happens is UNDECIDED with the reason. An engine looks at
/// the budget often, and never prints.
pub trait Engine<Subject: ?Sized> {
    /// As users write it after `--engine`, and as answers name it.
    fn name(&self) -> &'static str;

    /// One line for `--help` and for the documents.
    fn description(&self) -> &'static str;

    /// Can it say anything about this? If not, why.
    fn can_answer(&self, _question: &Question<'_, Subject>) -> Result<(), Reason> {
        Ok(())
    }

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
    patience: Patience,
}

/// What becomes of the time once an answer is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Patience {
    /// There is none: the answer ends the search for one.
    None,
    /// An answer of this row stands, but a better one may come: the rows behind it have one of so many parts,
    /// and no more than so long.
    ForBetter(u32, Duration),
    /// This row is not hurried by an answer that stands: it makes that one better.
    Unhurried,
}

impl Share {
    /// All that is left.
    pub const ALL: Share = Share { part: 1, most: Duration::MAX, patience: Patience::None };

    /// One part of so many, of at most so many seconds.
    pub const fn part(part: u32, seconds: u64) -> Share {
        Share { part, most: Duration::from_secs(seconds), patience: Patience::None }
    }

    /// The same; an answer stands unless the rows behind give a better one in this part of the time, of at
    /// most so many seconds.
    #[must_use]
    pub const fn unless_better_within(self, part: u32, seconds: u64) -> Share {
        Share { patience: Patience::ForBetter(part, Duration::from_secs(seconds)), ..self }
    }

    /// The same, of all the time there is, even where an answer stands already.
    #[must_use]
    pub const fn unhurried(self) -> Share {
        Share { patience: Patience::Unhurried, ..self }
    }

    /// What that is of a budget.
    pub fn of(self, budget: &Budget) -> Budget {
        part_of(budget, self.part, self.most)
    }
}

/// One of so many parts of the time that is left, and no more than `most`.
pub fn part_of(budget: &Budget, part: u32, most: Duration) -> Budget {
    let left = budget.deadline().map(|end| end.saturating_duration_since(Instant::now()) / part);
    match left.map_or(most, |left| left.min(most)) {
        Duration::MAX => budget.clone(),
        share => budget.clone().with_time(share),
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

/// Asks the engines of a table one after the other until one decides; else the answer that stands, or the
/// last one, with what the others said and supposed. Engines share what they build, so an answer rests on the
/// assumptions of those before it too.
pub fn first_to_decide<'r, 't: 'r, Subject: ?Sized + 't>(
    rows: impl IntoIterator<Item = &'r Row<'t, Subject>>,
    question: &Question<'_, Subject>,
    knowledge: &Knowledge,
    budget: &Budget,
    events: &dyn EventSink,
) -> Answer {
    let mut so_far = SoFar::default();
    let mut hurried = budget.clone();
    for row in rows {
        let engine = row.engine;
        if !(row.when.applies)(question, knowledge) || engine.can_answer(question).is_err() {
            continue;
        }
        let time = if row.share.patience == Patience::Unhurried { budget } else { &hurried };
        events.emit(Event::PhaseStarted { phase: engine.name(), subject: question.name.clone() });
        let mut answer = engine.run(question, knowledge, &row.share.of(time), events);
        events.emit(Event::PhaseEnded { phase: engine.name() });
        if answer.property.is_empty() {
            answer.property.clone_from(&question.name);
        }
        if answer.engine_reason.is_empty() {
            row.when.because.clone_into(&mut answer.engine_reason);
        }
        // An engine that was hurried, or that parted its time, may say "time" while there is some left.
        let reason = answer.verdict.undecided().map(|undecided| &undecided.reason);
        let is_over = budget.check().is_err() || matches!(reason, Some(Reason::MemoryLimit));
        match (answer.verdict.is_undecided(), row.share.patience) {
            (true, _) => so_far.gave_up(engine.name(), answer),
            (false, Patience::ForBetter(part, most)) => {
                hurried = part_of(budget, part, most);
                so_far.standing = Some(answer);
            }
            (false, _) => return so_far.decided_by(answer),
        }
        // A limit of the whole run ends it, and is all there is to say; the limit of one engine's share does
        // not.
        if is_over {
            so_far.remarks.clear();
            break;
        }
    }
    so_far.concluded(question)
}

/// What the rows of a table said so far.
#[derive(Default)]
struct SoFar {
    /// Holds or is violated, unless something better comes.
    standing: Option<Answer>,
    /// Of the last engine that gave up.
    last: Option<Answer>,
    /// What engines told about themselves.
    tried: Vec<String>,
    /// Engines and why they gave up.
    remarks: Vec<String>,
    assumptions: Vec<String>,
    boolean: Option<String>,
}

impl SoFar {
    fn gave_up(&mut self, engine: &'static str, mut answer: Answer) {
        self.assumptions.append(&mut answer.assumptions);
        self.boolean = answer.boolean.take().or(self.boolean.take());
        if let Verdict::Undecided(undecided) = &mut answer.verdict {
            match undecided.reason {
                // That it was stopped because another one had answered says nothing; nor that it is not meant
                // for this.
                Reason::Interrupted | Reason::EngineCannot { .. } => {}
                _ if undecided.tried.is_empty() => self.remarks.push(format!("{engine}: {undecided}")),
                _ => self.tried.append(&mut undecided.tried),
            }
            undecided.tried.clear();
        }
        self.last = Some(answer);
    }

    /// The answer, with what those before it supposed.
    fn decided_by(self, mut answer: Answer) -> Answer {
        let own = std::mem::take(&mut answer.assumptions);
        answer.assume(self.assumptions.into_iter().chain(own));
        answer.boolean = answer.boolean.or(self.boolean);
        answer
    }

    fn concluded<Subject: ?Sized>(mut self, question: &Question<'_, Subject>) -> Answer {
        let answer = self.standing.take().or_else(|| {
            let mut answer = self.last.take()?;
            if self.remarks.len() > 1 {
                answer.remarks.append(&mut self.remarks);
            }
            if let Verdict::Undecided(undecided) = &mut answer.verdict {
                undecided.tried.append(&mut self.tried);
            }
            Some(answer)
        });
        let answer = answer.unwrap_or_else(|| {
            let why = "no engine of the table can answer it".to_owned();
            let undecided = Undecided::because(Reason::EngineCannot { engine: "auto", why });
            Answer::new(question.name.clone(), "auto", undecided.into())
        });
        self.decided_by(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Silent;
    use verdict::Certificate;

    /// Says what it is told to say.
    struct Says(&'static str, Verdict);

    impl Engine<()> for Says {
        fn name(&self) -> &'static str {
            self.0
        }

        fn description(&self) -> &'static str {
            "for tests"
        }

        fn run(&self, _: &Question<'_, ()>, _: &Knowledge, _: &Budget, _: &dyn EventSink) -> Answer {
            Answer { assumptions: vec![self.0.to_owned()], ..Answer::by(self.0, self.1.clone()) }
        }
    }

    fn ask(engines: &[(&Says, Share)]) -> Answer {
        let always = |_: &Question<'_, ()>, _: &Knowledge| true;
        let rows: Vec<Row<'_, ()>> = engines
            .iter()
            .map(|(engine, share)| Row {
                engine: *engine,
                when: When { applies: always, because: "always" },
                share: *share,
            })
            .collect();
        let question = Question::never(&(), crate::Property::standard());
        first_to_decide(&rows, &question, &Knowledge::new(), &Budget::unlimited(), &Silent)
    }

    fn open(sentence: &str) -> Verdict {
        Undecided::because(Reason::NoInvariant { why: sentence.to_owned() }).tried(sentence).into()
    }

    #[test]
    fn the_first_decided_answer_ends_it_with_what_those_before_supposed() {
        let (one, two) = (Says("one", open("stuck")), Says("two", Verdict::Holds(Certificate::Unrecorded)));
        let answer = ask(&[(&one, Share::ALL), (&two, Share::ALL), (&one, Share::ALL)]);
        assert_eq!(
            (answer.engine, &answer.assumptions[..]),
            ("two", &["one".to_owned(), "two".to_owned()][..])
        );
        let answer = ask(&[(&one, Share::ALL), (&one, Share::ALL)]);
        assert_eq!(answer.verdict.undecided().map(|open| open.tried.len()), Some(2));
    }

    #[test]
    fn an_answer_stands_unless_a_better_one_comes() {
        let rough = Says("rough", Verdict::Holds(Certificate::Unrecorded));
        let fine = Says("fine", Verdict::Holds(Certificate::Exhaustive { states: 1 }));
        let stuck = Says("stuck", open("stuck"));
        let first = Share::part(5, 60).unless_better_within(10, 3);
        assert_eq!(ask(&[(&rough, first), (&stuck, Share::ALL)]).engine, "rough");
        assert_eq!(ask(&[(&rough, first), (&stuck, Share::ALL), (&fine, Share::ALL)]).engine, "fine");
        assert_eq!(ask(&[(&rough, first)]).engine, "rough");
    }
}
