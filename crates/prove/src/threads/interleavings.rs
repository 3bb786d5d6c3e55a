//! The engine: all interleavings of a program with threads that ends on every schedule.

use super::NAME;
use super::judged::{Judging, ThreadProperty};
use crate::code::{Code, gave_up};
use base::{Budget, Event, EventSink};
use concrete::Interpreter;
use concrete::interleavings::{Explored, Search, Unseen, accesses};
use question::{Answer, Engine, Knowledge, Question};
use verdict::{ProgramProof, ProofArgument, Reason};

/// Explores all interleavings of a program with threads, with partial-order reduction.
///
/// The steps of a violation are those of the program with one shared access per step ([`threads::divided`]), and so is its schedule.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interleavings {
    /// Must no thread wait for ever?
    pub deadlocks: bool,
}

impl<'p> Engine<Code<'p>> for Interleavings {
    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        "All interleavings of threads, with partial-order reduction"
    }

    fn can_answer(&self, question: &Question<'_, Code<'p>>) -> Result<(), Reason> {
        let cannot = |why: &str| Err(Reason::EngineCannot { engine: NAME, why: why.to_owned() });
        if !threads::is_threaded(question.about.program) {
            return cannot("the program starts no threads");
        }
        // Whether a block is freed at the end may depend on who is how far when `main` returns.
        if question.about.property.checks.follow_blocks() {
            return cannot("it does not look for leaks");
        }
        Ok(())
    }

    fn run(
        &self,
        question: &Question<'_, Code<'p>>,
        _: &Knowledge,
        budget: &Budget,
        events: &dyn EventSink,
    ) -> Answer {
        let code = question.about;
        let program = threads::divided(code.program);
        let visible = accesses(&program);
        let property = code.property;
        let mut asked = ThreadProperty::of(property, code.settings.missing);
        asked.deadlocks |= self.deadlocks;
        let interpreter = Interpreter::for_threads(&program);
        let mut judging = Judging::new(&program, asked);
        match interpreter.explore(&asked.settings(budget), &visible, Search::ALL, &mut judging) {
            Explored::Everything { runs } => {
                events.emit(Event::Count { what: "interleavings", value: runs });
                let how =
                    format!("all {runs} interleavings that differ in the order of dependent steps were run");
                Answer::proved(NAME, how, ProgramProof::by(ProofArgument::Interleavings { runs }))
            }
            Explored::Found(plan) => match judging.repeat(&interpreter, &visible, &plan, budget) {
                Some(violation) => Answer::by(NAME, violation),
                None => {
                    let why = "the schedule that was found could not be repeated".to_owned();
                    let why = Reason::NotConfirmed { why };
                    Answer::by(NAME, gave_up("the search of interleavings", why, budget))
                }
            },
            Explored::Partly(why) => {
                let why = match why {
                    Unseen::Exhausted(limit) => limit.into(),
                    Unseen::TooManyRuns | Unseen::LeftOut(_) => {
                        Reason::ShareUsedUp { which: why.to_string() }
                    }
                    Unseen::CoarseSteps | Unseen::Unjudged(_) => {
                        Reason::NotConfirmed { why: why.to_string() }
                    }
                };
                Answer::by(NAME, gave_up("the search of interleavings", why, budget))
            }
        }
    }
}
