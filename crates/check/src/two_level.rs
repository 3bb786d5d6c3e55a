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

use crate::safety::parts::{Abstraction, Part};
use crate::simulation::{SimulationSettings, Witness, simulates};
use crate::stopped::Stopped;
use crate::weak_moves::UnknownActions;
use base::{Budget, EventSink, Id};
use lks::composition::ComponentId;
use lks::quotient::BlockId;
use lks::{Composition, Explored, Lks, SyncId, SystemState, explore};
use question::{
    Answer, Checked, Decided, MostRounds, Progress, Refinement, Validated, Verdict, refine_until_decided,
};
use verdict::{Certificate, Undecided};

/// Does the specification weakly simulate the composition?
pub fn conforms(
    system: &Composition,
    specification: &Lks,
    unknown_actions: UnknownActions,
    budget: &Budget,
    events: &dyn EventSink,
) -> Answer {
    if let Some(why) = cannot(system) {
        return Stopped::settle("two-level", Err(Stopped::cannot("two-level", why)));
    }
    let mut quotients = Quotients {
        system,
        specification,
        settings: SimulationSettings { unknown_actions, counterexamples: 1 },
        abstraction: Abstraction::coarsest(system),
        iterations: 0,
        states: 0,
    };
    let decided = refine_until_decided(&mut quotients, MostRounds::UNLIMITED, budget, events);
    match decided {
        Ok(Decided::Proved(certificate)) => quotients.counted(Verdict::Holds(certificate)),
        Ok(Decided::Violated(tree)) => {
            quotients.counted(tree).remark("states of the implementation in the tree are classes of states")
        }
        Err(undecided) => Answer::by("two-level", undecided),
    }
}

/// Quotients of the components: what the loop refines.
struct Quotients<'a> {
    system: &'a Composition,
    specification: &'a Lks,
    settings: SimulationSettings,
    abstraction: Abstraction<'a>,
    iterations: usize,
    /// Of the largest abstract system.
    states: usize,
}

/// The abstract system of a round.
struct AbstractSystem {
    quotients: Composition,
    explored: Explored<SystemState>,
}

impl Quotients<'_> {
    fn counted(&self, verdict: Verdict) -> Answer {
        Answer::by("two-level", verdict)
            .count("states", self.states)
            .count("iterations", self.iterations)
            .count("classes", self.abstraction.class_count())
    }
}

impl Refinement for Quotients<'_> {
    type Model = AbstractSystem;
    type Proof = Certificate;
    /// With the verdict it stands for: the tree.
    type Witness = (Witness, Verdict);
    type Violation = Verdict;
    /// The components that cannot follow the witness.
    type Cause = Vec<ComponentId>;

    fn abstraction(&mut self, budget: &Budget) -> Result<AbstractSystem, Undecided> {
        self.iterations += 1;
        let quotients = self.abstraction.composition();
        let explored = explore(&quotients, "abstract", budget).map_err(|unfinished| {
            let made = format!("{} refinements were made", self.iterations - 1);
            Undecided::from(unfinished.limit).proved(made)
        })?;
        self.states = self.states.max(explored.lks.state_count());
        Ok(AbstractSystem { quotients, explored })
    }

    fn check(
        &mut self,
        model: &mut AbstractSystem,
        budget: &Budget,
    ) -> Result<Checked<Certificate, (Witness, Verdict)>, Undecided> {
        let found = simulates(&model.explored.lks, self.specification, &self.settings, budget);
        match (found.witness, found.answer.verdict) {
            (Some(witness), verdict) => Ok(Checked::Witness((witness, verdict))),
            (None, Verdict::Undecided(undecided)) => Err(*undecided),
            (None, _) => Ok(Checked::Proved(self.abstraction.certificate())),
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
        for id in self.system.components().ids() {
            if !can_follow(&self.abstraction.parts[id], witness, budget)? {
                cannot_follow.push(id);
            }
        }
        Ok(match cannot_follow.is_empty() {
            true => Validated::Real(tree.clone()),
            false => Validated::Spurious(cannot_follow),
        })
    }

    fn refine(
        &mut self,
        model: AbstractSystem,
        (witness, _): (Witness, Verdict),
        cannot_follow: Vec<ComponentId>,
        _: &Budget,
    ) -> Result<(), Undecided> {
        for id in cannot_follow {
            split_on_the_way(&mut self.abstraction.parts[id], id, &model, &witness);
        }
        Ok(())
    }

    fn progress(&self) -> Progress {
        Progress { distinctions: self.abstraction.class_count(), states: self.states }
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
fn can_follow(part: &Part, witness: &Witness, budget: &Budget) -> Result<bool, Undecided> {
    let own = &part.lks;
    let projection = witness.lks.project(own.alphabet(), |name| own.propositions().find(name).is_some());
    let answer = simulates(&projection, own, &SimulationSettings::default(), budget);
    match answer.answer.verdict {
        Verdict::Undecided(undecided) => Err(*undecided),
        verdict => Ok(verdict.holds()),
    }
}

/// AbsRefineAG: some class that the witness passes can be split by some action.
fn split_on_the_way(part: &mut Part, id: ComponentId, model: &AbstractSystem, witness: &Witness) {
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
