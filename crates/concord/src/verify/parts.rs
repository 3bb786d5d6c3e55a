//! A verdict for each part of a property: each assertion, each call of an error function, each label, each check. All
//! at once are asked first, which is all there is to do where they hold. After a violation the others are asked again
//! with that part set aside, until nothing more fails; what stays open is then asked part by part. (Like goal-by-goal
//! covering with `cbmc`, by repeated questions instead of one formula.)
//!
//! **Obligation.** A part HOLDS if a proof says so about a question that asked for it, and is VIOLATED if a run
//! breaks it first: see `question::parts` for what the other parts do meanwhile.

use super::asking::{Asking, Found};
use super::coverage::Coverage;
use crate::exit::Exit;
use crate::settle::{Settled, settle};
use base::Budget;
use cegar::Property;
use clap::ValueEnum;
use program::Program;
use question::{Answer, Part, Verdict};
use serde_json::Value;
use std::borrow::Cow;
use std::time::{Duration, Instant};
use verdict::{Certificate, Reason, Undecided};

/// Of several things that can fail, how many are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Failures {
    /// Stop at the first
    First,
    /// After the first, look for others as long as that took, or 5 s if that is more
    Some,
    /// After the first, look for others in all the time there is
    All,
}

/// For how long others are looked for after the first answer.
const LEAST_AFTERWARDS: Duration = Duration::from_secs(5);
/// One part of so many of the time limit is kept for asking part by part.
const KEPT_BACK: u32 = 10;
/// No question is asked for less time than this.
const LEAST_SHARE: Duration = Duration::from_millis(100);

/// The answers about a property, and which of them each part has its verdict from.
pub struct Answers<'p> {
    /// What was asked, in the order in which it was. The first is about all parts at once.
    pub found: Vec<Found<'p>>,
    /// Each part, with the answer that it has its verdict from.
    pub parts: Vec<(Part, usize)>,
    /// Which answer is that about the whole.
    pub whole: usize,
}

impl<'p> Answers<'p> {
    /// One answer about everything.
    pub fn one(found: Found<'p>, parts: Vec<Part>) -> Answers<'p> {
        Answers { found: vec![found], parts: parts.into_iter().map(|part| (part, 0)).collect(), whole: 0 }
    }

    /// The answer about the whole property.
    pub fn about_all(&self) -> &Found<'p> {
        &self.found[self.whole]
    }

    /// How the verb ends with them: a proof that did not stand up is told whatever else was found.
    pub fn exit(&self) -> Exit {
        let is_wrong = self.found.iter().any(|found| found.settled.is_internal_error());
        if is_wrong { Exit::Internal } else { self.about_all().settled.exit() }
    }

    /// What is shown of them.
    pub fn shown(&self) -> PropertyResult<'_> {
        let Found { program, settled, .. } = self.about_all();
        let is_other =
            |(at, found): &(usize, &Found<'_>)| *at != self.whole && found.settled.verdict.is_violated();
        let others = self.found.iter().enumerate().filter(is_other);
        let parts = self.parts.iter().map(|one| {
            let Found { program, settled, .. } = &self.found[one.1];
            PartResult { part: &one.0, program, settled }
        });
        PropertyResult {
            program,
            settled,
            parts: parts.collect(),
            other_failures: others.map(|(_, found)| (&*found.program, &found.settled)).collect(),
            coverage: None,
        }
    }
}

/// What is shown of the answers about a property.
pub struct PropertyResult<'s> {
    /// The program of the answer about the whole.
    pub program: &'s Program,
    /// The answer about the whole.
    pub settled: &'s Settled,
    /// Each part, with the answer that it has its verdict from.
    pub parts: Vec<PartResult<'s>>,
    /// Further runs that fail.
    pub other_failures: Vec<(&'s Program, &'s Settled)>,
    /// Which lines runs reach, if that is asked.
    pub coverage: Option<Coverage>,
}

/// A part, the answer that it has its verdict from, and the program that this is about.
pub struct PartResult<'s> {
    /// The part.
    pub part: &'s Part,
    /// The program that the answer is about.
    pub program: &'s Program,
    /// The answer.
    pub settled: &'s Settled,
}

impl<'s> PropertyResult<'s> {
    /// One answer, parts untold.
    pub fn one(program: &'s Program, settled: &'s Settled) -> PropertyResult<'s> {
        PropertyResult { program, settled, parts: Vec::new(), other_failures: Vec::new(), coverage: None }
    }

    /// As results of SARIF: what fails first, then what is open.
    pub fn sarif(&self) -> Vec<Value> {
        let is_told =
            |part: &PartResult<'_>| part.settled.verdict.run().is_some_and(|run| part.part.is_broken_by(run));
        let mut results = Vec::new();
        // A run that breaks something else than a part, such as a call through a pointer.
        if self.parts.len() < 2 || (self.settled.verdict.is_violated() && !self.parts.iter().any(is_told)) {
            results.push(self.settled.sarif_about(self.program));
        }
        if self.parts.len() > 1 {
            let mut parts: Vec<&PartResult<'_>> = self.parts.iter().collect();
            parts.sort_by_key(|part| match &part.settled.verdict {
                Verdict::Violated(_) => (0, part.settled.property != self.settled.property),
                Verdict::Undecided(_) => (1, false),
                Verdict::Holds(_) => (2, false),
            });
            results.extend(parts.iter().map(|one| one.settled.part_sarif(one.program, one.part)));
        }
        results
    }
}

/// How much of the budget the first question may use, so that the parts can be asked apart if it stays open.
pub fn for_all_at_once(budget: &Budget, parts: &[Part], failures: Failures) -> Budget {
    match budget.deadline() {
        Some(end) if parts.len() > 1 && failures != Failures::First => {
            let left = end.saturating_duration_since(Instant::now());
            budget.clone().with_time(left - left / KEPT_BACK)
        }
        _ => budget.clone(),
    }
}

/// Asks on about what the first answer leaves open, which took so long.
pub fn ask_on<'p>(
    asking: &Asking<'_>,
    program: &'p Program,
    property: &Property,
    (first, parts): (Found<'p>, Vec<Part>),
    (failures, took): (Failures, Duration),
    budget: &Budget,
) -> Answers<'p> {
    let answers = Answers::one(first, parts);
    let is_settled = answers.found[0].settled.verdict.holds() || answers.found[0].settled.is_internal_error();
    if failures == Failures::First || answers.parts.len() < 2 || is_settled {
        return answers;
    }
    let budget = match failures {
        Failures::All => budget.clone(),
        _ => budget.clone().with_time(took.max(LEAST_AFTERWARDS)),
    };
    let mut rounds = Rounds { asking, program, property, failures, budget, answers };
    rounds.set_aside_what_fails();
    rounds.ask_one_by_one();
    rounds.conclude();
    rounds.answers
}

/// An equal part of the time that is left, but not too little.
fn part_of_left(budget: &Budget, parts: usize) -> Budget {
    let Some(end) = budget.deadline() else { return budget.clone() };
    let left = end.saturating_duration_since(Instant::now());
    let parts = u32::try_from(parts.max(1)).unwrap_or(u32::MAX);
    budget.clone().with_time((left / parts).max(LEAST_SHARE))
}

struct Rounds<'r, 'a, 'p> {
    asking: &'r Asking<'a>,
    program: &'p Program,
    property: &'r Property,
    failures: Failures,
    budget: Budget,
    answers: Answers<'p>,
}

impl Rounds<'_, '_, '_> {
    fn verdict_of(&self, part: usize) -> &Verdict {
        &self.answers.found[self.answers.parts[part].1].settled.verdict
    }

    /// Has it been shown to fail, or not to?
    fn is_decided(&self, part: usize) -> bool {
        let (part, by) = &self.answers.parts[part];
        match &self.answers.found[*by].settled.verdict {
            Verdict::Holds(_) => true,
            verdict => verdict.run().is_some_and(|run| part.is_broken_by(run)),
        }
    }

    fn open(&self) -> Vec<usize> {
        (0..self.answers.parts.len()).filter(|&part| !self.is_decided(part)).collect()
    }

    fn has_time(&self) -> bool {
        let end = self.budget.deadline();
        let left = end.is_none_or(|end| end.saturating_duration_since(Instant::now()) > LEAST_SHARE);
        left && self.budget.check().is_ok()
    }

    /// Asks for some of the parts; they have their verdict from the answer, as far as it is about them.
    fn ask(&mut self, asked: &[usize], budget: &Budget) {
        let aside: Vec<&Part> = { self.answers.parts.iter().enumerate() }
            .filter(|(part, _)| !asked.contains(part))
            .map(|(_, (part, _))| part)
            .collect();
        let found = self.asking.ask(self.program, self.property, &aside, budget, &|_| {});
        let number = self.answers.found.len();
        let run = found.settled.verdict.run();
        for &part in asked {
            let (part, by) = &mut self.answers.parts[part];
            if run.is_none_or(|run| part.is_broken_by(run)) {
                *by = number;
            }
        }
        self.answers.found.push(found);
    }

    /// Asks for what is open as long as something fails.
    fn set_aside_what_fails(&mut self) {
        let mut open = self.open();
        let mut last_fails = self.answers.found[0].settled.verdict.is_violated();
        while last_fails && !open.is_empty() && self.has_time() {
            let was_open = open.len();
            // Half of it is for asking one by one.
            let share = if was_open > 1 { self.budget.share(2) } else { self.budget.clone() };
            self.ask(&open, &share);
            open = self.open();
            last_fails = open.len() < was_open;
        }
    }

    fn ask_one_by_one(&mut self) {
        let open = self.open();
        let is_alone = open.len() == 1 && self.answers.found.len() > 1;
        for (at, &part) in open.iter().enumerate() {
            if is_alone || !self.has_time() {
                break;
            }
            let share = part_of_left(&self.budget, open.len() - at);
            let before = self.answers.parts[part].1;
            self.ask(&[part], &share);
            // Why all at once stay open says more than that one had too little time.
            let is_late =
                |verdict: &Verdict| verdict.undecided().is_some_and(|open| open.reason == Reason::TimeLimit);
            if is_late(self.verdict_of(part)) && self.answers.found[before].settled.verdict.is_undecided() {
                self.answers.parts[part].1 = before;
            }
        }
    }

    /// What of the whole property can be said now, and why open parts are open.
    fn conclude(&mut self) {
        let fails = |found: &Found<'_>| found.settled.verdict.is_violated();
        if self.answers.found[0].settled.verdict.is_undecided() {
            if let Some(at) = self.answers.found.iter().position(fails) {
                self.answers.whole = at;
            } else if self.open().is_empty() {
                self.all_hold();
            }
        }
        // A part that no answer is about, or that had too little of the time for other failures, was not asked for long
        // enough.
        let is_late = |part: usize| match self.verdict_of(part) {
            Verdict::Undecided(open) => {
                open.reason == Reason::TimeLimit
                    && self.failures == Failures::Some
                    && self.answers.parts[part].1 != 0
            }
            verdict => verdict.is_violated(),
        };
        let unasked: Vec<usize> = self.open().into_iter().filter(|&part| is_late(part)).collect();
        if !unasked.is_empty() {
            let settled = settle(self.not_asked(), [], &[]);
            let number = self.push(settled);
            unasked.into_iter().for_each(|part| self.answers.parts[part].1 = number);
        }
    }

    fn not_asked(&self) -> Answer {
        let reason = match self.failures {
            Failures::All => Reason::TimeLimit,
            _ => Reason::ShareUsedUp {
                which: "not decided in the time for other failures; --failures all gives it all there is"
                    .to_owned(),
            },
        };
        Answer::new(self.property.words(), "auto", Undecided::because(reason).into())
    }

    /// No run breaks a part first: no run breaks any.
    fn all_hold(&mut self) {
        let mut answer = Answer::new(self.property.words(), "auto", Verdict::Holds(Certificate::Unrecorded));
        answer.how =
            "each part was proved apart, on runs on which none of the others fails before".to_owned();
        let assumed = self.answers.found.iter().flat_map(|found| found.settled.assumptions.iter().cloned());
        let settled = settle(answer, assumed.collect::<Vec<_>>(), &[]);
        self.answers.whole = self.push(settled);
    }

    fn push(&mut self, settled: Settled) -> usize {
        let task = self.answers.found[0].task.clone();
        self.answers.found.push(Found { program: Cow::Borrowed(self.program), task, settled });
        self.answers.found.len() - 1
    }
}
