//! The loop of abstraction and refinement (CEGAR; THESIS 6.3, SimulCEGAR in Procedure 6.5), once for all that
//! refine: abstract, check, validate, refine.
//! After Clarke, Grumberg, Jha, Lu, Veith 2000. What differs between questions is the shape of the
//! counterexample, and that is a type.
//!
//! Worked example: two philosophers in C and their forks. The first abstraction knows no condition of either
//! program; the check finds an abstract run in which both hold the same fork; validation follows it on each
//! program and sees that the second cannot take the fork while `taken` is set; refinement adds the predicate
//! `taken`, and the next check finds nothing.

use crate::Decided;
use base::{Budget, Event, EventSink};
use verdict::{Reason, Undecided};

/// What the check of an abstraction says.
#[derive(Debug)]
pub enum Checked<Proof, Witness> {
    /// The abstraction has no counterexample. It over-approximates, so neither has what it stands for.
    Proved(Proof),
    /// It has one; whether it is real is for the validation to say.
    Witness(Witness),
}

/// Whether an abstract counterexample is one of what was abstracted.
#[derive(Debug)]
pub enum Validated<Violation, Cause> {
    /// It is real.
    Real(Violation),
    /// It is spurious: what is abstracted cannot do this, for this cause.
    Spurious(Cause),
}

/// How far a refinement has come, for people who wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Predicates, classes or cuts by which the abstraction tells states apart.
    pub distinctions: usize,
    /// States of the last abstraction.
    pub states: usize,
}

/// What one round came to, in words, for people who want to see how it was decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// States of the abstraction that was checked; of a Boolean program, its places.
    pub states: usize,
    /// Predicates that it had.
    pub predicates: usize,
    /// The counterexample that was followed, step by step; empty if there was none.
    pub counterexample: Vec<String>,
    /// Why the code cannot do that; empty if it can.
    pub why: Vec<String>,
    /// Predicates that were added, each with where it is looked at.
    pub found: Vec<String>,
}

/// An abstraction that can be checked, and made finer where its counterexamples are not real.
///
/// Obligations: `abstraction` over-approximates what is asked about (every real counterexample has an
/// abstract one); `check` says `Proved` only of an abstraction without counterexample; `validate` says `Real`
/// only of what was followed on the thing itself; `refine` excludes the witness, or says why it cannot:
/// otherwise the loop makes no progress.
pub trait Refinement {
    /// The abstraction of a round.
    type Model;
    /// What a check without counterexample leaves as evidence.
    type Proof;
    /// An abstract counterexample, or several of one round.
    type Witness;
    /// A real one.
    type Violation;
    /// Why a witness is not real.
    type Cause;

    /// The abstraction by what is known now.
    fn abstraction(&mut self, budget: &Budget) -> Result<Self::Model, Undecided>;

    /// Has it a counterexample?
    fn check(
        &mut self,
        model: &mut Self::Model,
        budget: &Budget,
    ) -> Result<Checked<Self::Proof, Self::Witness>, Undecided>;

    /// Is the counterexample real?
    fn validate(
        &mut self,
        model: &mut Self::Model,
        witness: &mut Self::Witness,
        budget: &Budget,
    ) -> Result<Validated<Self::Violation, Self::Cause>, Undecided>;

    /// Learns from a counterexample that is not.
    fn refine(
        &mut self,
        model: Self::Model,
        witness: Self::Witness,
        cause: Self::Cause,
        budget: &Budget,
    ) -> Result<(), Undecided>;

    /// How far it has come.
    fn progress(&self) -> Progress {
        Progress::default()
    }
}

/// Rounds that are made at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MostRounds(pub usize);

impl MostRounds {
    /// As many as it takes: for refinements that come to an end by themselves.
    pub const UNLIMITED: MostRounds = MostRounds(usize::MAX);
}

/// Abstracts, checks, validates and refines until there is an answer, or the reason why there is none.
pub fn refine_until_decided<R: Refinement>(
    refinement: &mut R,
    most_rounds: MostRounds,
    budget: &Budget,
    events: &dyn EventSink,
) -> Result<Decided<R::Proof, R::Violation>, Undecided> {
    for round in 1..=most_rounds.0 {
        events.emit(Event::Count { what: "rounds", value: round as u64 });
        let mut model = refinement.abstraction(budget)?;
        let progress = refinement.progress();
        events.emit(Event::Count { what: "predicates", value: progress.distinctions as u64 });
        events.emit(Event::Count { what: "states", value: progress.states as u64 });
        let mut witness = match refinement.check(&mut model, budget)? {
            Checked::Proved(proof) => return Ok(Decided::Proved(proof)),
            Checked::Witness(witness) => witness,
        };
        match refinement.validate(&mut model, &mut witness, budget)? {
            Validated::Real(violation) => return Ok(Decided::Violated(violation)),
            Validated::Spurious(cause) => refinement.refine(model, witness, cause, budget)?,
        }
        budget.check()?;
    }
    let limit = most_rounds.0 as u64;
    Err(Undecided::because(Reason::SizeLimit { what: "rounds of refinement", limit }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Silent;

    /// Is a number below ten even? The abstraction knows the numbers that were ruled out.
    struct Guess {
        secret: Option<u32>,
        ruled_out: Vec<u32>,
    }

    impl Refinement for Guess {
        type Model = Vec<u32>;
        type Proof = usize;
        type Witness = u32;
        type Violation = u32;
        type Cause = ();

        fn abstraction(&mut self, _: &Budget) -> Result<Vec<u32>, Undecided> {
            Ok((0..10).filter(|number| !self.ruled_out.contains(number)).collect())
        }

        fn check(&mut self, model: &mut Vec<u32>, _: &Budget) -> Result<Checked<usize, u32>, Undecided> {
            Ok(model.first().map_or(Checked::Proved(self.ruled_out.len()), |&first| Checked::Witness(first)))
        }

        fn validate(
            &mut self,
            _: &mut Vec<u32>,
            witness: &mut u32,
            _: &Budget,
        ) -> Result<Validated<u32, ()>, Undecided> {
            let is_real = self.secret == Some(*witness);
            Ok(if is_real { Validated::Real(*witness) } else { Validated::Spurious(()) })
        }

        fn refine(&mut self, _: Vec<u32>, witness: u32, (): (), _: &Budget) -> Result<(), Undecided> {
            self.ruled_out.push(witness);
            Ok(())
        }
    }

    fn decide(
        secret: Option<u32>,
        rounds: MostRounds,
        budget: &Budget,
    ) -> Result<Decided<usize, u32>, Undecided> {
        refine_until_decided(&mut Guess { secret, ruled_out: Vec::new() }, rounds, budget, &Silent)
    }

    #[test]
    fn it_ends_with_a_proof_a_violation_or_a_limit() {
        let budget = Budget::unlimited();
        assert!(matches!(decide(None, MostRounds::UNLIMITED, &budget), Ok(Decided::Proved(10))));
        assert!(matches!(decide(Some(4), MostRounds::UNLIMITED, &budget), Ok(Decided::Violated(4))));
        let limited = decide(Some(4), MostRounds(3), &budget).expect_err("three rounds are too few");
        assert_eq!(limited.reason, Reason::SizeLimit { what: "rounds of refinement", limit: 3 });
        budget.cancel();
        assert_eq!(
            decide(None, MostRounds::UNLIMITED, &budget).expect_err("cancelled").reason,
            Reason::Interrupted
        );
    }
}
