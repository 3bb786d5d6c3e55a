//! Whether processes can violate a property, asked of the engines that need no assumption. The rules use it
//! where a premise is about several components at once.

use crate::compositional::{self, CompositionalSettings};
use crate::engine::{FiniteSystem, ask};
use crate::safety::SafetyQuestion;
use crate::safety::explicit::{self, ExplicitSettings};
use crate::stopped::Stopped;
use crate::symbolic::{self, SymbolicSettings};
use lks::{Component, Composition};
use question::{Asks, Counterexample, Decided, Monitor, Verdict};

/// So many states are looked at one by one before parts are joined.
const FEW_STATES: usize = 4_000;
/// So large may joined parts become.
const SMALL_PRODUCT: usize = 1 << 13;
/// And so many nodes may diagrams of sets of states have, which is a second or so.
const SMALL_DIAGRAMS: SymbolicSettings = SymbolicSettings { most_nodes: Some(1 << 19) };

/// What an engine says about a premise: it holds, or a run with these visible actions violates it.
pub(super) type Premise = Decided<(), Vec<String>>;

fn of_verdict(verdict: &Verdict) -> Option<Premise> {
    match (verdict, verdict.counterexample()) {
        (Verdict::Holds(_), _) => Some(Decided::Proved(())),
        (_, Some(Counterexample::Path(path))) => {
            Some(Decided::Violated(path.visible_actions().map(str::to_owned).collect()))
        }
        _ => None,
    }
}

/// What little work can tell: some states one by one, then parts joined while they stay small, then sets of
/// states.
pub(super) fn soon(parts: Vec<Component>, monitor: Monitor<'_>) -> Option<Premise> {
    let system = Composition::new(parts);
    let few = ExplicitSettings { most_states: Some(FEW_STATES), ..ExplicitSettings::default() };
    let small = CompositionalSettings { most_states: Some(SMALL_PRODUCT) };
    let asked = SafetyQuestion::Error;
    of_verdict(&explicit::safe(&system, asked, &few, monitor).verdict)
        .or_else(|| of_verdict(&compositional::safe(&system, asked, &small, monitor).verdict))
        .or_else(|| of_verdict(&symbolic::safe(&system, asked, &SMALL_DIAGRAMS, monitor).verdict))
}

/// The answer, however much work it takes.
pub(super) fn decided(parts: Vec<Component>, monitor: Monitor<'_>) -> Result<Premise, Stopped> {
    if let Some(premise) = soon(parts.clone(), monitor) {
        return Ok(premise);
    }
    let system = Composition::new(parts);
    let subject = FiniteSystem::new(&system);
    let answer = ask(&subject.question("premise", Asks::NoError), None, monitor.budget, monitor.events);
    match (of_verdict(&answer.verdict), answer.verdict) {
        (Some(premise), _) => Ok(premise),
        (None, Verdict::Undecided(undecided)) => Err(Stopped::from(*undecided)),
        (None, other) => unreachable!("a violated property has a path: {}", other.word()),
    }
}
