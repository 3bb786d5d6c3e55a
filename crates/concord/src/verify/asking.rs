//! One question about a C program, from the engines through the gate: which of them answers (threads, a `main` that
//! looks at its arguments, all others), what the answer rests on, its audit, and whether it says anything.

use super::caveat::{self, Caveat};
use super::spent::Spent;
use super::{advice, arguments, resting, vacuity};
use crate::cli::Common;
use crate::settle::{Settled, settle};
use ::audit::Claim;
use base::{Budget, Event, EventSink};
use cegar::{Checks, Choice, Property, Settings};
use evidence::{Earlier, Task, TaskFile};
use program::Program;
use question::{Answer, Asks, Judgement, Part, Question, Temporal};
use std::borrow::Cow;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use verdict::{Reason, Undecided};

/// One part of so many of the time is for what an earlier answer rested on, and not more than this.
const EARLIER_PART: usize = 4;
const MOST_FOR_EARLIER: Duration = Duration::from_secs(20);

/// What stays the same for all questions about a program.
pub struct Asking<'a> {
    /// Its C files.
    pub files: &'a [PathBuf],
    /// The same with their hashes.
    pub hashed: Vec<TaskFile>,
    /// How they are lowered.
    pub lowering: &'a lower::Settings,
    /// What missing functions do, how far loops are unrolled.
    pub settings: &'a Settings,
    /// Where the checks are not quite what is asked.
    pub caveats: &'a [Caveat],
    /// Which engines answer.
    pub choice: Choice,
    /// Were leaks asked for, and is a function no program that could leave something behind?
    pub leaves_out_leaks: bool,
    /// Are proofs audited?
    pub audits: bool,
    /// What an earlier answer rested on, to be tried first.
    pub earlier: Option<&'a Earlier>,
    /// The options of every verb.
    pub common: &'a Common,
    /// Who waits.
    pub events: &'a dyn EventSink,
}

/// An answer, and what it is about.
pub struct Found<'p> {
    /// The program that the answer speaks of.
    pub program: Cow<'p, Program>,
    /// What was asked, for files of evidence.
    pub task: Task,
    /// The answer.
    pub settled: Settled,
}

/// What the engines say, before the gate.
struct Answered<'p> {
    program: Cow<'p, Program>,
    /// What is proved, if that is more than what was asked.
    property: Property,
    threads: Option<evidence::ThreadsAsOne>,
    is_threaded: bool,
    answer: Answer,
}

impl Asking<'_> {
    /// Asks, with some parts of the property set aside. `keep` takes a proof before the second look at it is over.
    pub fn ask<'p>(
        &self,
        whole: &'p Program,
        property: &Property,
        aside: &[&Part],
        budget: &Budget,
        keep: &dyn Fn(&Found<'_>),
    ) -> Found<'p> {
        let began = Instant::now();
        let spent = Spent::new(self.events);
        let Answered { program, property, threads, is_threaded, answer } =
            self.answered(whole, property, aside, (budget, &spent));
        let assumed = self.assumed(&program, is_threaded, (&answer, &property));
        let heed = |answer: &mut Answer| {
            caveat::heed(&program, self.caveats, answer);
            caveat::heed_unknown_pointers(&program, answer);
        };
        let settled = settle(answer, assumed, &[&heed, &advice::explain, &|answer| spent.tell(answer)]);
        let task = Task {
            files: self.hashed.clone(),
            property,
            missing: self.settings.missing,
            data_model: program.types.model(),
            lowering: self.lowering.clone(),
            threads,
        };
        let mut found = Found { program, task, settled };
        let found_after = began.elapsed();
        let holds = found.settled.verdict.holds();
        if holds && self.audits {
            keep(&found);
            let subject = found.settled.property.clone();
            self.events.emit(Event::PhaseStarted { phase: "audit", subject });
            let claim = Claim { property: &found.task.property, missing: self.settings.missing };
            found.settled = found.settled.audited(&found.program, claim, found_after, budget);
            self.events.emit(Event::PhaseEnded { phase: "audit" });
        }
        // Of the whole property only: whoever set parts aside has cut runs off.
        let is_looked_at = aside.is_empty() && found.task.property.temporal.is_none();
        if holds && is_looked_at && !found.settled.is_internal_error() {
            keep(&found);
            let (program, property) = (&found.program, &found.task.property);
            let seen = vacuity::look(program, property, self.settings, found_after, budget, self.events);
            found.settled = found.settled.looked_at(seen);
        }
        found
    }

    /// What the engines say.
    fn answered<'p>(
        &self,
        whole: &'p Program,
        property: &Property,
        aside: &[&Part],
        (budget, events): (&Budget, &dyn EventSink),
    ) -> Answered<'p> {
        let (program, left) = match aside {
            [] => (Cow::Borrowed(whole), property.clone()),
            _ => {
                let (program, left) = question::without(whole, property, aside);
                (Cow::Owned(program), left)
            }
        };
        // A thread can wait for ever, and misuse what threads have, though it is the only one.
        let is_threaded = threads::is_threaded(&program) || threads::may_wait(&program);
        let asked = cegar::with_races_as_calls(&left, is_threaded);
        if is_threaded && asked.endless_runs {
            let construct = match asked.temporal {
                Some(_) => "a formula, of a program with threads,".to_owned(),
                None => "the question whether every run ends, of a program with threads,".to_owned(),
            };
            let at = program.main.map_or(base::Span::NOWHERE, |main| program.procedures[main].span);
            let undecided = Undecided::because(Reason::NotSupported { construct, at });
            let answer = Answer::new(asked.words(), "auto", undecided.into());
            return Answered { program, property: asked, threads: None, is_threaded: false, answer };
        }
        if is_threaded {
            return self.about_threads(program, asked, (budget, events));
        }
        if let Some(temporal) = asked.temporal.clone() {
            return self.about_formula(program, (asked, temporal), (budget, events));
        }
        if lower::arguments::are_read(&program) {
            let narrow = |program: Program| match aside {
                [] => program,
                _ => question::without(&program, property, aside).0,
            };
            let asking = arguments::ProgramRequest {
                files: self.files,
                lowering: self.lowering,
                property: &asked,
                narrow: &narrow,
                choice: self.choice,
                settings: self.settings,
                events,
            };
            let (searched, answer) = arguments::verify(program, &asking, self.common, budget);
            return Answered { program: searched, property: asked, threads: None, is_threaded, answer };
        }
        let question = Question::never(&*program, asked.clone());
        let known = if aside.is_empty() { self.by_earlier(&question, &asked, budget) } else { None };
        let answer =
            known.unwrap_or_else(|| cegar::verify(&question, self.choice, self.settings, budget, events));
        Answered { program, property: asked, threads: None, is_threaded, answer }
    }

    /// What an earlier answer rested on, tried on this program.
    fn by_earlier(
        &self,
        question: &Question<'_, Program>,
        property: &Property,
        budget: &Budget,
    ) -> Option<Answer> {
        // That a run ends is shown by a measure, that one does not by a state that comes back: neither is kept.
        if property.endless_runs {
            return None;
        }
        // A part of the time is enough to know, and the engines have the rest.
        let budget = budget.share(EARLIER_PART).with_time(MOST_FOR_EARLIER);
        let moved;
        let before = match self.earlier? {
            Earlier::Inputs(values) => cegar::Before::Inputs(values),
            Earlier::Proof(earlier) => {
                let task = &earlier.file.task;
                // The audit is about what is asked now; of another question the proof is hardly one.
                let is_of_this = task.property.checks == property.checks
                    && task.missing == self.settings.missing
                    && task.data_model == question.about.types.model()
                    && task.threads.is_none();
                if !is_of_this || earlier.file.proof.gap.is_some() {
                    return None;
                }
                let claim = Claim { property, missing: self.settings.missing };
                let settings = ::audit::Settings::default();
                moved = earlier.moved_to(question.about);
                let audit = ::audit::audit(question.about, claim, &moved, &settings, &budget);
                if !matches!(audit.judgement, Judgement::Accepted) {
                    return None;
                }
                cegar::Before::Audited(&moved)
            }
        };
        let answer = cegar::answered_before(question, before, self.settings, &budget)?;
        (!answer.verdict.is_undecided()).then_some(answer)
    }

    fn about_formula<'p>(
        &self,
        program: Cow<'p, Program>,
        (property, temporal): (Property, Temporal),
        (budget, events): (&Budget, &dyn EventSink),
    ) -> Answered<'p> {
        let open = |property: Property, program, reason: Reason| {
            let answer = Answer::new(property.words(), "auto", Undecided::because(reason).into());
            Answered { program, property, threads: None, is_threaded: false, answer }
        };
        if lower::arguments::are_read(&program) {
            let construct = "a formula, of a program that reads its arguments,".to_owned();
            let at = program.main.map_or(base::Span::NOWHERE, |main| program.procedures[main].span);
            return open(property, program, Reason::NotSupported { construct, at });
        }
        let question = Question { name: property.words(), about: &*program, asks: Asks::Runs(temporal) };
        match cegar::verify_formula(&question, self.choice, self.settings, budget, events) {
            Ok(found) => Answered {
                program: found.program.map_or(program, Cow::Owned),
                property: found.property,
                threads: None,
                is_threaded: false,
                answer: found.answer,
            },
            Err(trouble) => open(property, program, Reason::NotUnderstood { what: trouble.message }),
        }
    }

    fn about_threads<'p>(
        &self,
        program: Cow<'p, Program>,
        property: Property,
        (budget, events): (&Budget, &dyn EventSink),
    ) -> Answered<'p> {
        let property = Property { passed: Checks::none(), ..property };
        let question = Question::never(&*program, property.clone());
        let threaded = cegar::verify_threads(&question, self.choice, self.settings, budget, events);
        let mut answer = threaded.answer;
        if rests_on_arguments(&program, threaded.divided.as_ref(), &answer) {
            let why = "the run may rest on an `argv` that no system gives".to_owned();
            answer.downgrade(Undecided::because(Reason::NotConfirmed { why }));
        }
        let most_at_once = threaded.most_at_once;
        let any = threaded.supposed.map(|supposed| evidence::AnyNumber {
            followed: supposed.followed,
            conditions: supposed.conditions,
            tallies: supposed.tallies,
        });
        let threads = threaded.sequential.is_some().then_some(evidence::ThreadsAsOne { most_at_once, any });
        // A run is one of the program's own threads, a proof is about all interleavings as one program.
        let sequential = threaded.sequential.map(|sequential| sequential.program);
        let shown = threaded.divided.or(sequential).map_or(program, Cow::Owned);
        let property = threaded.shows.unwrap_or(property);
        Answered { program: shown, property, threads, is_threaded: true, answer }
    }

    /// What the answer rests on beside what engines told.
    fn assumed(
        &self,
        program: &Program,
        is_threaded: bool,
        (answer, property): (&Answer, &Property),
    ) -> Vec<String> {
        let mut assumed = resting::untold(program, self.settings.missing, &answer.assumptions);
        assumed.extend(resting::about_allocation(program, self.lowering.malloc_may_fail));
        if is_threaded && self.lowering.steps == lower::Steps::Statement {
            let steps =
                "threads make whole statements, conditions and assertions in one step (--steps statement)";
            assumed.push(steps.into());
        }
        if answer.verdict.holds() && property.endless_runs {
            let over = "a run is over where it does something undefined, but for a signed overflow, which gives any value";
            assumed.push(over.into());
            let room = "stacks are deep enough, and `malloc` finds room";
            assumed.push(room.into());
        }
        if self.leaves_out_leaks {
            let leaks =
                "what the function allocates and leaves behind is its caller's: leaks are not looked for";
            assumed.push(leaks.into());
        }
        assumed
    }
}

/// Of shorter runs all steps are kept.
const SURELY_KEPT: usize = 100_000;

/// Does a violation rest on what `argv` points to, of which nothing is known?
fn rests_on_arguments(threaded: &Program, divided: Option<&Program>, answer: &Answer) -> bool {
    let Some(violation) = answer.verdict.run() else { return false };
    if !lower::arguments::are_read(threaded) {
        return false;
    }
    let Some((divided, main)) = divided.and_then(|divided| Some((divided, divided.main?))) else {
        return true;
    };
    let is_whole = violation.steps.len() < SURELY_KEPT;
    let own: Vec<_> =
        violation.steps.iter().filter(|step| step.procedure == main).map(|step| step.edge).collect();
    !is_whole || lower::arguments::are_read_on(divided, &own)
}
