//! Quotients of the components as what the loop of abstraction and refinement refines: what `iterative`
//! (deadlock and ERROR) and `two_level` (conformance) share. Each round has the system of quotients; a
//! counterexample that some components cannot follow splits classes of those.

use super::parts::Abstraction;
use base::Exhausted;
use lks::Composition;
use lks::composition::ComponentId;
use question::{
    Answer, Decided, Monitor, MostRounds, Progress, Refinement, Validated, Verdict, refine_until_decided,
};
use verdict::{Certificate, Undecided};

/// The name of the engine.
pub(crate) const NAME: &str = "two-level";

/// Every component with its current abstraction, and how far it has come.
pub(crate) struct Quotients<'a> {
    pub system: &'a Composition,
    pub abstraction: Abstraction<'a>,
    rounds: usize,
    /// Of the largest abstract system.
    states: usize,
}

impl<'a> Quotients<'a> {
    /// The coarsest; not for systems under a priority.
    pub fn coarsest(system: &'a Composition) -> Quotients<'a> {
        Quotients { system, abstraction: Abstraction::coarsest(system), rounds: 0, states: 0 }
    }

    /// Why there are none of the system, if there are none.
    pub fn objection(system: &Composition) -> Option<&'static str> {
        system.has_priority().then_some("a priority makes what is possible depend on the whole system")
    }

    /// The system of quotients of the next round.
    pub fn of_next_round(&mut self) -> Composition {
        self.rounds += 1;
        self.abstraction.composition()
    }

    /// An abstract system had so many states.
    pub fn saw(&mut self, states: usize) {
        self.states = self.states.max(states);
    }

    /// A limit was met in this round.
    pub fn stopped(&self, limit: Exhausted) -> Undecided {
        Undecided::from(limit).proved(format!("{} refinements were made", self.rounds - 1))
    }

    pub fn progress(&self) -> Progress {
        Progress { distinctions: self.abstraction.class_count(), states: self.states }
    }
}

/// Real where every component can follow.
pub(crate) fn validated<Violation>(
    cannot_follow: Vec<ComponentId>,
    real: impl FnOnce() -> Violation,
) -> Validated<Violation, Vec<ComponentId>> {
    if cannot_follow.is_empty() { Validated::Real(real()) } else { Validated::Spurious(cannot_follow) }
}

/// Runs the loop; the answer counts what it took.
pub(crate) fn decide<'a, R>(mut refinement: R, monitor: Monitor<'_>) -> Answer
where
    R: Refinement<Proof = Certificate> + AsRef<Quotients<'a>>,
    R::Violation: Into<Verdict>,
{
    let verdict =
        match refine_until_decided(&mut refinement, MostRounds::UNLIMITED, monitor.budget, monitor.events) {
            Ok(Decided::Proved(certificate)) => Verdict::Holds(certificate),
            Ok(Decided::Violated(evidence)) => evidence.into(),
            Err(undecided) => return Answer::by(NAME, undecided),
        };
    let quotients = refinement.as_ref();
    Answer::by(NAME, verdict)
        .count("states", quotients.states)
        .count("iterations", quotients.rounds)
        .count("classes", quotients.abstraction.class_count())
}
