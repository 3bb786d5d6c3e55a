//! Conformance of a composition to a specification by two-level abstraction (THESIS ch. 9): components are replaced by
//! quotients, the specification must simulate their composition; a witness that it cannot is projected on each
//! component and checked there by weak simulation (Theorem 12); a component that cannot follow has a class split.
//! The lower level, from C to structures, is in `predicate`.
//! Naive twin: `simulation` on the explored composition.
//!
//! Worked example: `P = (a -> b -> P)` against `S = (a -> b -> S)`. With one class, `P` may do `a` and `b` in
//! any order, and the witness "`b` first" is not simulated by `S`. Projected on `P`, it cannot be followed:
//! the class is split into the state that does `a` and the one that does `b`. Now the quotient is `P` itself,
//! and `S` simulates it.

use crate::outcome::{Outcome, Stopped};
use crate::safety::parts::{Abstraction, Part};
use crate::simulation::{SimulationSettings, Witness, simulates};
use crate::weak_moves::UnknownActions;
use base::{Budget, Id};
use lks::composition::ComponentId;
use lks::quotient::BlockId;
use lks::{Composition, Explored, Lks, SyncId, SystemState, explore};
use question::Verdict;
use verdict::Reason;

/// Does the specification weakly simulate the composition?
pub fn conforms(
    system: &Composition,
    specification: &Lks,
    unknown_actions: UnknownActions,
    budget: &Budget,
) -> Outcome {
    Outcome::settle(iterate(system, specification, unknown_actions, budget))
}

fn iterate(
    system: &Composition,
    specification: &Lks,
    unknown_actions: UnknownActions,
    budget: &Budget,
) -> Result<Outcome, Stopped> {
    if let Some(why) = cannot(system) {
        return Err(Stopped::because(Reason::EngineCannot { engine: "two-level", why: why.to_owned() }));
    }
    let settings = SimulationSettings { unknown_actions, counterexamples: 1 };
    let mut abstraction = Abstraction::coarsest(system);
    let mut iterations = 0usize;
    let mut states = 0usize;
    loop {
        iterations += 1;
        let quotients = abstraction.composition();
        let explored = explore(&quotients, "abstract", budget).map_err(|unfinished| {
            Stopped::from(unfinished.limit).having_shown(format!("{} refinements were made", iterations - 1))
        })?;
        states = states.max(explored.lks.state_count());
        let answer = simulates(&explored.lks, specification, &settings, budget);
        let classes = abstraction.class_count();
        let counted = |verdict: Verdict| {
            Outcome::new(verdict)
                .count("states", states)
                .count("iterations", iterations)
                .count("classes", classes)
        };
        let Some(witness) = answer.witness else {
            return Ok(match answer.outcome.verdict {
                Verdict::Holds(_) => counted(Verdict::Holds(abstraction.certificate())),
                undecided => counted(undecided),
            });
        };
        let mut is_valid = true;
        for id in system.components().ids() {
            let part = &mut abstraction.parts[id];
            if !can_follow(part, &witness, budget)? {
                is_valid = false;
                split_on_the_way(part, id, &quotients, &explored, &witness);
            }
        }
        if is_valid {
            let outcome = counted(answer.outcome.verdict);
            return Ok(outcome.remark("states of the implementation in the tree are classes of states"));
        }
        budget.check()?;
    }
}

fn cannot(system: &Composition) -> Option<&'static str> {
    if system.has_priority() {
        return Some("a priority makes what is possible depend on the whole system");
    }
    if system.syncs().any(|sync| sync != SyncId::SILENT && system.shown(sync).is_silent()) {
        return Some("a witness with hidden actions cannot be projected on the components");
    }
    let marked = |lks: &Lks| !lks.end_states().is_empty() || !lks.error_states().is_empty();
    if system.components().iter().any(|component| marked(&component.lks)) {
        return Some("components that end, or are properties, stop others, which a projection does not show");
    }
    None
}

/// CW ↓ γ ≲ M: the component weakly simulates its projection of the witness.
fn can_follow(part: &Part, witness: &Witness, budget: &Budget) -> Result<bool, Stopped> {
    let own = &part.lks;
    let projection = witness.lks.project(own.alphabet(), |name| own.propositions().find(name).is_some());
    let answer = simulates(&projection, own, &SimulationSettings::default(), budget);
    match answer.outcome.verdict {
        Verdict::Undecided(undecided) => Err(Stopped { undecided: *undecided }),
        verdict => Ok(verdict.holds()),
    }
}

/// AbsRefineAG: some class that the witness passes can be split by some action.
fn split_on_the_way(
    part: &mut Part,
    id: ComponentId,
    quotients: &Composition,
    explored: &Explored<SystemState>,
    witness: &Witness,
) {
    let actions: Vec<_> = part.lks.alphabet().ids().collect();
    let mut classes: Vec<BlockId> = witness
        .copies
        .iter()
        .map(|state| quotients.component_state(&explored.states[state.index()], id))
        .map(|class| BlockId::from_index(class.index()))
        .collect();
    classes.sort_unstable();
    classes.dedup();
    let is_finer = classes.iter().any(|class| actions.iter().any(|action| part.split(*class, &[*action])));
    assert!(is_finer, "a component that cannot follow has a class to split (THESIS 9.4.3)");
}
