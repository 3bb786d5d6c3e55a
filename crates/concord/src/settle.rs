//! The one gate through which every verdict leaves: what it rests on is added, what does not mean what was
//! asked is taken back, a proof's certificate is audited, and it is looked whether the proof says anything.
//! What is shown takes a [`Settled`], and only this file makes one; the words HOLDS, VIOLATED and UNDECIDED,
//! and the objects for machines, are got from it and from nowhere else (tested by
//! `verdicts_are_shown_by_the_gate_only`).

use crate::exit::Exit;
use audit::Claim;
use base::Budget;
use base::source::Location;
use evidence::json::Fields;
use program::Program;
use question::{Answer, Judgement, Part, Vacuity, Verdict};
use serde_json::Value;
use std::time::{Duration, Instant};
use verdict::{Reason, Undecided};

/// An answer that may be shown.
#[derive(Clone, Debug)]
pub struct Settled(Answer);

impl std::ops::Deref for Settled {
    type Target = Answer;

    fn deref(&self) -> &Answer {
        &self.0
    }
}

/// Something that may take an answer back, or explain why there is none; it never decides.
pub type Scruple<'s> = &'s dyn Fn(&mut Answer);

/// Lets an answer through, with what else it rests on.
pub fn settle(
    mut answer: Answer,
    assumptions: impl IntoIterator<Item = String>,
    scruples: &[Scruple<'_>],
) -> Settled {
    answer.assume(assumptions);
    for scruple in scruples {
        let before = answer.verdict.word();
        scruple(&mut answer);
        let is_kept = answer.verdict.is_undecided() || answer.verdict.word() == before;
        assert!(is_kept, "a scruple turned {before} into {}", answer.verdict.word());
    }
    Settled(answer)
}

impl Settled {
    /// Is it a proof that did not stand up?
    pub fn is_internal_error(&self) -> bool {
        self.audit.as_ref().is_some_and(|audit| audit.refutes())
    }

    /// The verdict in capitals, as people see it.
    pub fn word(&self) -> String {
        self.verdict.word().to_uppercase()
    }

    /// What machines are told of every answer.
    pub fn json(&self) -> Fields {
        evidence::json::answer(self)
    }

    /// What machines are told of an answer about a C program, after so many seconds.
    pub fn json_about(&self, program: &Program, seconds: f64) -> Value {
        evidence::json::answer_about_program(program, self, seconds).into()
    }

    /// As a result of SARIF: which rule asks, and where.
    pub fn sarif(&self, rule: &str, place: Option<&Location>) -> Value {
        evidence::sarif::answer(self, rule, place)
    }

    /// As a result of SARIF about a C program, with the run.
    pub fn sarif_about(&self, program: &Program) -> Value {
        evidence::sarif::answer_about_program(program, self)
    }

    /// The verdict in capitals, and what happened or was shown, as the first line for people.
    pub fn headline(&self, program: &Program) -> String {
        format!("{}: {}", self.word(), evidence::words::headline(program, self))
    }

    /// The same about a system of processes or a Boolean program, of which `promise` was asked.
    pub fn headline_of_system(&self, adverb: &str, promise: &str) -> String {
        format!("{}{adverb}: {}", self.word(), evidence::words::about_system(self, promise))
    }

    /// The verdict of a part of the property that has it from this answer, for machines.
    pub fn part_json(&self, program: &Program, part: &Part) -> Value {
        evidence::json::part(program, part, self)
    }

    /// The same as a result of SARIF.
    pub fn part_sarif(&self, program: &Program, part: &Part) -> Value {
        evidence::sarif::part(program, part, self)
    }

    /// How the verb ends with it.
    pub fn exit(&self) -> Exit {
        match &self.verdict {
            _ if self.is_internal_error() => Exit::Internal,
            Verdict::Holds(_) => Exit::Holds,
            Verdict::Violated(_) => Exit::Violated,
            Verdict::Undecided(_) => Exit::Undecided,
        }
    }

    /// The same after a second look at what holds, for which `took` passed so far. A proof whose certificate
    /// is refuted is none.
    #[must_use]
    pub fn audited(
        mut self,
        program: &Program,
        claim: Claim<'_>,
        took: Duration,
        budget: &Budget,
    ) -> Settled {
        let Some(proof) = self.verdict.program_proof() else { return self };
        // Without a limit of the user's, an audit may take twice as long as the proof did, and some seconds.
        let limit = match budget.deadline() {
            Some(deadline) => deadline.saturating_duration_since(Instant::now()),
            None => took * 2 + Duration::from_secs(10),
        };
        let budget = budget.clone().with_time(limit);
        let audit = audit::audit(program, claim, proof, &audit::Settings::default(), &budget);
        if let Judgement::Refuted { why, at } = &audit.judgement {
            let reason = Reason::NotAudited { why: format!("{why}{}", evidence::place::at(program, *at)) };
            self.0.downgrade(Undecided::because(reason).try_next("please report this with the input"));
        }
        self.0.audit = Some(audit);
        self
    }

    /// The same after it was looked whether the proof says anything.
    #[must_use]
    pub fn looked_at(mut self, vacuity: Vacuity) -> Settled {
        self.0.vacuity = Some(vacuity);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verdict::Certificate;

    fn holds() -> Answer {
        Answer::new("p", "bmc", Verdict::Holds(Certificate::Unrecorded))
    }

    #[test]
    fn scruples_take_back_and_assumptions_are_added_once() {
        let doubt = |answer: &mut Answer| answer.downgrade(Undecided::because(Reason::Interrupted));
        let settled = settle(holds(), ["a".to_owned(), "a".to_owned()], &[&doubt]);
        assert_eq!((settled.exit(), settled.assumptions.len()), (Exit::Undecided, 1));
        assert_eq!(settle(holds(), [], &[]).exit(), Exit::Holds);
    }

    #[test]
    #[should_panic(expected = "a scruple turned undecided into holds")]
    fn no_scruple_decides() {
        let open = Answer::new("p", "bmc", Undecided::because(Reason::Interrupted).into());
        let wish = |answer: &mut Answer| answer.verdict = Verdict::Holds(Certificate::Unrecorded);
        settle(open, [], &[&wish]);
    }
}
