//! Conformance of a composition to a specification by two-level abstraction (THESIS ch. 9): components are
//! replaced by quotients, the specification must simulate their composition; a witness that it cannot is
//! projected on each component and checked there by weak simulation (Theorem 12); a component that cannot
//! follow has a class split. The lower level, from C to structures, is in `predicate`.
//! Naive twin: `simulation` on the explored composition.
//!
//! Worked example: `P = (a -> b -> P)` against `S = (a -> b -> S)`. With one class, `P` may do `a` and `b` in
//! any order, and the witness "`b` first" is not simulated by `S`. Projected on `P`, it cannot be followed:
//! the class is split into the state that does `a` and the one that does `b`. Now the quotient is `P` itself,
//! and `S` simulates it.

use crate::safety::parts::AbstractedComponent;
use crate::safety::quotients::{NAME, Quotients, decide, validated};
use crate::simulation::{SimulationSettings, Witness, simulates};
use crate::stopped::Stopped;
use crate::weak_moves::UnknownActions;
use base::{Budget, Id};
use lks::composition::ComponentId;
use lks::quotient::BlockId;
use lks::{Composition, Explored, Lks, SyncId, SystemState, explore};
use question::{Answer, Checked, Monitor, Progress, Refinement, Validated, Verdict};
use verdict::{Certificate, Undecided};

/// Does the specification weakly simulate the composition?
pub fn conforms(
    system: &Composition,
    specification: &Lks,
    unknown_actions: UnknownActions,
    monitor: Monitor<'_>,
) -> Answer {
    if let Some(why) = cannot(system) {
        return Stopped::cannot(NAME, why).answer(NAME);
    }
    let settings = SimulationSettings { unknown_actions, counterexamples: 1 };
    let refined = Conformance { specification, settings, quotients: Quotients::coarsest(system) };
    let answer = decide(refined, monitor);
    match answer.verdict.is_violated() {
        true => answer.remark("states of the implementation in the tree are classes of states"),
        false => answer,
    }
}

/// What the loop refines.
struct Conformance<'a> {
    specification: &'a Lks,
    settings: SimulationSettings,
    quotients: Quotients<'a>,
}

/// The abstract system of a round.
struct AbstractSystem {
    quotients: Composition,
    explored: Explored<SystemState>,
}

impl<'a> AsRef<Quotients<'a>> for Conformance<'a> {
    fn as_ref(&self) -> &Quotients<'a> {
        &self.quotients
    }
}

impl Refinement for Conformance<'_> {
    type Model = AbstractSystem;
    type Proof = Certificate;
    /// With the verdict it stands for: the tree.
    type Witness = (Witness, Verdict);
    type Violation = Verdict;
    /// The components that cannot follow the witness.
    type Cause = Vec<ComponentId>;

    fn abstraction(&mut self, budget: &Budget) -> Result<AbstractSystem, Undecided> {
        let quotients = self.quotients.of_next_round();
        let explored = explore(&quotients, "abstract", budget)
            .map_err(|unfinished| self.quotients.stopped(unfinished.limit))?;
        self.quotients.saw(explored.lks.state_count());
        Ok(AbstractSystem { quotients, explored })
    }

    fn check(
        &mut self,
        model: &mut AbstractSystem,
        budget: &Budget,
    ) -> Result<Checked<Certificate, (Witness, Verdict)>, Undecided> {
        let found =
            simulates(&model.explored.lks, self.specification, &self.settings, Monitor::silent(budget));
        match (found.witness, found.answer.verdict) {
            (Some(witness), verdict) => Ok(Checked::Witness((witness, verdict))),
            (None, Verdict::Undecided(undecided)) => Err(*undecided),
            (None, _) => Ok(Checked::Proved(self.quotients.abstraction.certificate())),
        }
    }

    /// Theorem 12: the witness is real if every component can follow its projection.
    fn validate(
        &mut self,
        _: &mut AbstractSystem,
        (witness, tree): &mut (Witness, Verdict),
        budget: &Budget,
    ) -> Result<Validated<Verdict, Vec<ComponentId>>, Undecided> {
        let mut cannot_follow = Vec::new();
        for id in self.quotients.system.components().ids() {
            if !can_follow(&self.quotients.abstraction.parts[id], witness, budget)? {
                cannot_follow.push(id);
            }
        }
        Ok(validated(cannot_follow, || tree.clone()))
    }

    fn refine(
        &mut self,
        model: AbstractSystem,
        (witness, _): (Witness, Verdict),
        cannot_follow: Vec<ComponentId>,
        _: &Budget,
    ) -> Result<(), Undecided> {
        for id in cannot_follow {
            split_on_the_way(&mut self.quotients.abstraction.parts[id], id, &model, &witness);
        }
        Ok(())
    }

    fn progress(&self) -> Progress {
        self.quotients.progress()
    }
}

fn cannot(system: &Composition) -> Option<&'static str> {
    if let Some(why) = Quotients::objection(system) {
        return Some(why);
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
fn can_follow(part: &AbstractedComponent, witness: &Witness, budget: &Budget) -> Result<bool, Undecided> {
    let own = &part.lks;
    let projection = witness.lks.project(own.alphabet(), |name| own.propositions().find(name).is_some());
    let answer = simulates(&projection, own, &SimulationSettings::default(), Monitor::silent(budget));
    match answer.answer.verdict {
        Verdict::Undecided(undecided) => Err(*undecided),
        verdict => Ok(verdict.holds()),
    }
}

/// AbsRefineAG: some class that the witness passes can be split by some action.
fn split_on_the_way(
    part: &mut AbstractedComponent,
    id: ComponentId,
    model: &AbstractSystem,
    witness: &Witness,
) {
    let actions: Vec<_> = part.lks.alphabet().ids().collect();
    let mut classes: Vec<BlockId> = witness
        .copies
        .iter()
        .map(|state| model.quotients.component_state(&model.explored.states[state.index()], id))
        .map(|class| BlockId::from_index(class.index()))
        .collect();
    classes.sort_unstable();
    classes.dedup();
    let is_finer = classes.iter().any(|class| actions.iter().any(|action| part.split(*class, &[*action])));
    assert!(is_finer, "a component that cannot follow has a class to split (THESIS 9.4.3)");
}
