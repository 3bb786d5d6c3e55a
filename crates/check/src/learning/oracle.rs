//! Whether processes can violate a property, asked of the engines that need no assumption. The rules use it where a premise
//! is about several components at once.

use crate::compositional::{self, CompositionalSettings};
use crate::engine::{FiniteSystem, ask};
use crate::safety::SafetyQuestion;
use crate::safety::explicit::{self, ExplicitSettings};
use crate::stopped::Stopped;
use crate::symbolic::{self, SymbolicSettings};
use base::{Budget, Silent};
use lks::{Component, Composition};
use question::{Asks, Counterexample, Verdict};

/// So many states are looked at one by one before parts are joined.
const FEW_STATES: usize = 4_000;
/// So large may joined parts become.
const SMALL_PRODUCT: usize = 1 << 13;
/// And so many nodes may diagrams of sets of states have, which is a second or so.
const SMALL_DIAGRAMS: SymbolicSettings = SymbolicSettings { most_nodes: Some(1 << 19) };

/// What an engine says about a premise.
pub(super) enum Premise {
    Holds,
    /// The visible actions of a run that violates it.
    Violated(Vec<String>),
}

fn of_verdict(verdict: &Verdict) -> Option<Premise> {
    match verdict {
        Verdict::Holds(_) => Some(Premise::Holds),
        Verdict::Violated(counterexample) => match &**counterexample {
            Counterexample::Path(path) => {
                Some(Premise::Violated(path.visible_actions().map(str::to_owned).collect()))
            }
            _ => None,
        },
        Verdict::Undecided(_) => None,
    }
}

/// What little work can tell: some states one by one, then parts joined while they stay small, then sets of states.
pub(super) fn soon(parts: Vec<Component>, budget: &Budget) -> Option<Premise> {
    let system = Composition::new(parts);
    let few = ExplicitSettings { most_states: Some(FEW_STATES), ..ExplicitSettings::default() };
    let outcome = explicit::safe(&system, SafetyQuestion::Error, &few, budget, &Silent);
    of_verdict(&outcome.verdict).or_else(|| {
        let small = CompositionalSettings { most_states: Some(SMALL_PRODUCT) };
        let joined = compositional::safe(&system, SafetyQuestion::Error, &small, budget);
        of_verdict(&joined.verdict).or_else(|| {
            of_verdict(
                &symbolic::safe(&system, SafetyQuestion::Error, &SMALL_DIAGRAMS, budget, &Silent).verdict,
            )
        })
    })
}

/// The answer, however much work it takes.
pub(super) fn decided(parts: Vec<Component>, budget: &Budget) -> Result<Premise, Stopped> {
    if let Some(premise) = soon(parts.clone(), budget) {
        return Ok(premise);
    }
    let system = Composition::new(parts);
    let answer = ask(&FiniteSystem::new(&system).question("premise", Asks::NoError), None, budget, &Silent);
    match (of_verdict(&answer.verdict), answer.verdict) {
        (Some(premise), _) => Ok(premise),
        (None, Verdict::Undecided(undecided)) => Err(Stopped::from(*undecided)),
        (None, other) => unreachable!("a violated property has a path: {}", other.word()),
    }
}
