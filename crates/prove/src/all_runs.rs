//! Every run of a program whose inputs have two values each, such as the choices of a scheduler: explicit-state search. A run goes on until it comes to a state that was
//! seen before, or ends; then the last choice that has another value is made otherwise, from the moment that was kept before it on.
//!
//! Source: Holzmann's search with hash compaction ("An analysis of bitstate hashing", 1998); where no moment is kept, by re-execution as in Godefroid's VeriSoft
//! (1997). Departure: states are kept by digests of sixteen bytes, and only where an input is asked for. Twin: `testkit` enumerates all interleavings.
//!
//! **Obligation.** HOLDS only if every run was followed to its end or to a state that is known, every input had two values, and nothing in any run depends on what
//! another system might do otherwise (as for the only run of a program without input).
//!
//! Worked example: two threads that each set a variable of their own. The first choice has two values; both orders come to one state after two steps, in
//! which the second run stops.

use crate::code::{Code, CodeEngine, CodeRequest, gave_up};
use crate::replay::{Replayed, Watcher, replay, replay_settings};
use crate::testing::{asks_outside, is_clean, shortened, strict_settings};
use base::{Budget, Event, EventSink};
use concrete::{
    Discarded, InputShape, InputTrouble, Inputs, Interpreter, Moments, RunOutcome, UnknownReason,
};
use question::Answer;
use rustc_hash::FxHashSet;
use verdict::{ProgramProof, ProofArgument, Reason, Undecided};

const NAME: &str = "all-runs";
/// Steps of one run.
const MOST_STEPS: u64 = 2_000_000;
/// Choices of one run.
const MOST_CHOICES: usize = 20_000;
/// States in all.
const MOST_STATES: usize = 20_000_000;
/// Events after so many runs.
const RUNS_PER_EVENT: u64 = 1024;

/// Every run, where inputs have few values.
pub const ALL_RUNS: CodeEngine =
    CodeEngine::new(NAME, "Every run of a program whose inputs have few values", all_runs);

fn all_runs(asked: &CodeRequest<'_, '_>) -> Answer {
    let CodeRequest { code, budget, events, .. } = *asked;
    let mut search = Search { seen: FxHashSet::default(), is_complete: !asks_outside(code.program) };
    // A run that goes on for ever is left when it comes to a state that is known, and nobody looks at its blocks.
    search.is_complete &= !code.property.checks.has(question::Check::Lost);
    match search.go(code, budget, events) {
        Ok(answer) => answer,
        Err(why) => Answer::by(NAME, gave_up("all runs", why, budget)),
    }
}

struct Search {
    seen: FxHashSet<u128>,
    /// Can it still be a proof?
    is_complete: bool,
}

impl Search {
    fn go(&mut self, code: &Code<'_>, budget: &Budget, events: &dyn EventSink) -> Result<Answer, Reason> {
        let interpreter = Interpreter::new(code.program);
        let settings = strict_settings(code, budget, MOST_STEPS);
        let mut choices: Vec<Choice> = Vec::new();
        let mut moments = Moments::default();
        let mut runs = 0u64;
        loop {
            budget.check()?;
            runs += 1;
            if runs.is_multiple_of(RUNS_PER_EVENT) {
                events.emit(Event::Count { what: "states", value: self.seen.len() as u64 });
            }
            let mut watcher = Watcher::without_steps(code.program, code.property);
            let known = choices.len();
            // The last choice is the one that is made otherwise.
            let at = moments.back_to(known.saturating_sub(1));
            let mut inputs = Chosen {
                seen: &mut self.seen,
                choices: &mut choices,
                at,
                known,
                stop: None,
                has_more: false,
            };
            let run =
                interpreter.watch_on(&settings, &mut Discarded, &mut inputs, &mut watcher, &mut moments);
            let stop = inputs.stop.take();
            self.is_complete &= !inputs.has_more;
            if !is_clean(&run, &watcher, code.property) || ended_badly(&run.outcome, code) {
                if let Some(answer) = self.violation(&interpreter, code, &choices, budget) {
                    return Ok(answer);
                }
                self.is_complete = false;
            }
            self.is_complete &= match (&run.outcome, &stop) {
                (RunOutcome::Unknown(unknown), Some(stop)) => {
                    unknown.reason == UnknownReason::InputsExhausted && *stop == Stop::Known
                }
                (RunOutcome::Exited(_) | RunOutcome::Aborted(_) | RunOutcome::AssumptionUnmet(_), None) => {
                    true
                }
                (RunOutcome::AssertionFailed { .. }, None) => !code.property.assertions,
                _ => false,
            };
            while choices.last().is_some_and(|choice| choice.is_second) {
                choices.pop();
            }
            match choices.last_mut() {
                Some(choice) => choice.is_second = true,
                None => {
                    events.emit(Event::Count { what: "states", value: self.seen.len() as u64 });
                    return Ok(self.all_seen(runs));
                }
            }
            if self.seen.len() > MOST_STATES {
                return Err(Reason::SizeLimit { what: "states", limit: MOST_STATES as u64 });
            }
        }
    }

    fn all_seen(&self, runs: u64) -> Answer {
        if !self.is_complete {
            let why = "no run that was tried fails, and there are others".to_owned();
            return Answer::by(NAME, Undecided::because(Reason::NotConfirmed { why }));
        }
        let states = self.seen.len();
        let how = format!("every run was made: {runs} runs through {states} states at which they differ");
        Answer::proved(NAME, &how, ProgramProof::by(ProofArgument::AllRuns))
    }

    /// The choices as a run that fails, if it does.
    fn violation(
        &self,
        interpreter: &Interpreter<'_>,
        code: &Code<'_>,
        choices: &[Choice],
        budget: &Budget,
    ) -> Option<Answer> {
        let values = choices.iter().map(|choice| u128::from(choice.value()));
        let mut inputs = Repeated { values: values.collect(), next: 0 };
        let settings = replay_settings(code.settings.missing, budget);
        match replay(interpreter, code.program, code.property, &settings, &mut inputs) {
            Replayed::Confirmed(confirmed) => {
                let Code { program, property, settings, .. } = *code;
                let confirmed = shortened(interpreter, program, property, settings, budget, *confirmed);
                Some(Answer::by(NAME, confirmed.found_by(NAME)))
            }
            Replayed::Refused(_) => None,
        }
    }
}

/// Did the run end as the property forbids, or where nothing is known?
fn ended_badly(outcome: &RunOutcome, code: &Code<'_>) -> bool {
    match outcome {
        RunOutcome::ErrorReached { .. } | RunOutcome::Undefined(_) | RunOutcome::Deadlock(_) => true,
        RunOutcome::AssertionFailed { .. } => code.property.assertions,
        RunOutcome::Unknown(unknown) => unknown.reason != UnknownReason::InputsExhausted,
        _ => false,
    }
}

/// An input with two values.
#[derive(Clone, Copy, Debug)]
struct Choice {
    is_second: bool,
}

impl Choice {
    fn value(self) -> bool {
        self.is_second
    }
}

/// Why a run was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// It came to a state that is known.
    Known,
    /// An input has more values, or the run too many inputs.
    TooMany,
}

/// Inputs as they were chosen; then the first value each, until the state is known.
struct Chosen<'c> {
    seen: &'c mut FxHashSet<u128>,
    choices: &'c mut Vec<Choice>,
    at: usize,
    /// So many of the choices are from the run before, the last of them made otherwise.
    known: usize,
    stop: Option<Stop>,
    /// Has an input more values than two?
    has_more: bool,
}

impl Inputs for Chosen<'_> {
    fn next(&mut self, _: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        // Of an integer two values are tried: enough to find something, not to exclude it.
        self.has_more |= shape != InputShape::Bool;
        let is_number = matches!(shape, InputShape::Bool | InputShape::Integer { .. });
        if self.stop.is_some() || self.at >= MOST_CHOICES || !is_number {
            self.stop = self.stop.or(Some(Stop::TooMany));
            return Err(InputTrouble::Exhausted);
        }
        if self.at == self.choices.len() {
            self.choices.push(Choice { is_second: false });
        }
        let value = self.choices[self.at].value();
        self.at += 1;
        Ok(u128::from(value))
    }

    fn wants_state(&self) -> bool {
        self.at >= self.known
    }

    fn state(&mut self, digest: Option<u128>) {
        match digest {
            Some(digest) if self.seen.insert(digest) => {}
            Some(_) => self.stop = Some(Stop::Known),
            None => self.stop = Some(Stop::TooMany),
        }
    }

    fn comes_back(&self) -> bool {
        self.stop.is_none()
    }
}

/// The same inputs again.
struct Repeated {
    values: Vec<u128>,
    next: usize,
}

impl Inputs for Repeated {
    fn next(&mut self, _: &str, _: InputShape) -> Result<u128, InputTrouble> {
        let value = self.values.get(self.next).copied().ok_or(InputTrouble::Exhausted)?;
        self.next += 1;
        Ok(value)
    }
}
