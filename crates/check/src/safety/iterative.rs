//! Abstraction and refinement on components, for deadlock and for ERROR.
//! Deadlock is IterDeadlock (THESIS ch. 10): each component is replaced by a quotient; what an abstract state may
//! refuse is what any of its states refuses (Def. 38), so an abstract system without abstract deadlock has none
//! (Lemma 1). An abstract deadlock is validated on each component alone (Def. 41, Lemma 2), and a component that
//! cannot follow is split (AbsRefine). ERROR is the upper level of the two-level scheme of THESIS ch. 9 for paths:
//! an abstract run into ERROR is followed by each component, or splits it.
//! DIVERGENCE: silent steps are actions of their component that can be refused like others; END and ERROR states
//! are kept apart from the start, and all processes in END is not a deadlock (SEEDS correction 8); the quotient starts
//! from the initial states in it (the thesis' X := α0 is too large); every component that fails is split, not
//! only the first.
//! Not for systems under a priority: what components do alone does not tell what a priority forbids.
//! Naive twin: `explicit`.
//!
//! Worked example: `P = (get -> put -> P)` and `Q = (get -> put -> Q)`. With one class each, a class may
//! refuse `get` (its second state does) and `put` (its first), so the first abstract state may be a deadlock.
//! Followed on `P` alone, its first state must refuse both and offers `get`: the class is split by what its
//! states refuse; so is that of `Q`. Then `get` is refused by nobody in the first state and `put` by nobody
//! in the second: no deadlock, with two classes for each.

use super::SafetyQuestion;
use super::parts::{AbstractRun, Abstraction};
use super::replay::confirmed;
use crate::stopped::Stopped;
use base::{Budget, EventSink, Exhausted, Id};
use indexmap::IndexSet;
use lks::composition::ComponentId;
use lks::quotient::BlockId;
use lks::{ActionId, Composition, StateMark, Step, Successors, SystemState};
use question::{
    Answer, Checked, Counterexample, Decided, MostRounds, Progress, Refinement, Validated, Verdict,
    refine_until_decided,
};
use rustc_hash::FxBuildHasher;
use verdict::{Certificate, Undecided};

/// Is no bad state reachable?
pub fn safe(
    system: &Composition,
    question: SafetyQuestion,
    budget: &Budget,
    events: &dyn EventSink,
) -> Answer {
    if system.has_priority() {
        let why = "a priority makes what is possible depend on the whole system";
        return Stopped::settle("two-level", Err(Stopped::cannot("two-level", why)));
    }
    let abstraction = Abstraction::coarsest(system);
    let mut quotients = Quotients { system, question, abstraction, iterations: 0, states: 0 };
    let decided = refine_until_decided(&mut quotients, MostRounds::UNLIMITED, budget, events);
    let verdict: Verdict = match decided {
        Ok(Decided::Proved(certificate)) => Verdict::Holds(certificate),
        Ok(Decided::Violated(evidence)) => evidence.into(),
        Err(undecided) => return Answer::by("two-level", undecided),
    };
    quotients.counted(verdict)
}

/// Quotients of the components: what the loop refines.
struct Quotients<'a> {
    system: &'a Composition,
    question: SafetyQuestion,
    abstraction: Abstraction<'a>,
    iterations: usize,
    /// Of the largest abstract system.
    states: usize,
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
    type Model = Composition;
    type Proof = Certificate;
    type Witness = AbstractRun;
    type Violation = Counterexample;
    /// The components that cannot follow the run.
    type Cause = Vec<ComponentId>;

    fn abstraction(&mut self, _: &Budget) -> Result<Composition, Undecided> {
        self.iterations += 1;
        Ok(self.abstraction.composition())
    }

    fn check(
        &mut self,
        quotients: &mut Composition,
        budget: &Budget,
    ) -> Result<Checked<Certificate, AbstractRun>, Undecided> {
        let found = abstract_violation(quotients, &self.abstraction, self.question, &mut self.states, budget)
            .map_err(|limit| {
                Undecided::from(limit).proved(format!("{} refinements were made", self.iterations - 1))
            })?;
        Ok(found.map_or_else(|| Checked::Proved(self.abstraction.certificate()), Checked::Witness))
    }

    /// Each component alone (Def. 41).
    fn validate(
        &mut self,
        quotients: &mut Composition,
        run: &mut AbstractRun,
        _: &Budget,
    ) -> Result<Validated<Counterexample, Vec<ComponentId>>, Undecided> {
        let last = run.states.last().expect("a run has a state");
        let refusing = Successors::mark(quotients, last) != StateMark::Error;
        let cannot_follow: Vec<ComponentId> = self
            .system
            .components()
            .ids()
            .filter(|&id| {
                self.abstraction.parts[id].follow(&run.projection(quotients, id), refusing).is_none()
            })
            .collect();
        if !cannot_follow.is_empty() {
            return Ok(Validated::Spurious(cannot_follow));
        }
        let (start, steps) = self.abstraction.concretise(quotients, run, refusing);
        let evidence = confirmed(self.system, self.question, &start, &steps)
            .expect("components that follow alone follow together (THESIS Lemma 2)");
        Ok(Validated::Real(evidence))
    }

    /// AbsRefine, of every component that cannot follow.
    fn refine(
        &mut self,
        quotients: Composition,
        run: AbstractRun,
        cannot_follow: Vec<ComponentId>,
        _: &Budget,
    ) -> Result<(), Undecided> {
        for id in cannot_follow {
            self.abstraction.parts[id].refine(&run.projection(&quotients, id));
        }
        Ok(())
    }

    fn progress(&self) -> Progress {
        Progress { distinctions: self.abstraction.class_count(), states: self.states }
    }
}

/// AbsDeadlock: breadth-first search for an abstract state in ERROR, or in which every action may be refused by
/// someone.
fn abstract_violation(
    quotients: &Composition,
    abstraction: &Abstraction<'_>,
    question: SafetyQuestion,
    states: &mut usize,
    budget: &Budget,
) -> Result<Option<AbstractRun>, Exhausted> {
    let mut found: IndexSet<SystemState, FxBuildHasher> = quotients.initial_states().into_iter().collect();
    let initial = found.len();
    let mut reached: Vec<Option<(usize, Step)>> = vec![None; initial];
    let mut steps = Vec::new();
    let mut next = 0;
    while next < found.len() {
        if next.is_multiple_of(256) {
            budget.check()?;
        }
        let state = found[next].clone();
        if may_be_bad(quotients, abstraction, question, &state) {
            *states = (*states).max(found.len());
            let mut run = AbstractRun { states: vec![state], steps: Vec::new() };
            let mut at = next;
            while let Some((before, step)) = &reached[at] {
                run.steps.push(step.clone());
                run.states.push(found[*before].clone());
                at = *before;
            }
            run.states.reverse();
            run.steps.reverse();
            return Ok(Some(run));
        }
        steps.clear();
        quotients.steps(&state, &mut steps);
        for step in steps.drain(..) {
            let (_, is_new) = found.insert_full(step.target.clone());
            if is_new {
                reached.push(Some((next, step)));
            }
        }
        next += 1;
    }
    *states = (*states).max(found.len());
    Ok(None)
}

fn may_be_bad(
    quotients: &Composition,
    abstraction: &Abstraction<'_>,
    question: SafetyQuestion,
    state: &SystemState,
) -> bool {
    match Successors::mark(quotients, state) {
        StateMark::Error => return question.asks_for_error(),
        StateMark::End => return false,
        StateMark::Plain if !question.asks_for_deadlock() => return false,
        StateMark::Plain => {}
    }
    let class = |id: ComponentId| BlockId::from_index(quotients.component_state(state, id).index());
    let refuses = |id: ComponentId, action: ActionId| abstraction.parts[id].refusals[class(id)][action];
    quotients.components().ids().all(|id| refuses(id, ActionId::TAU))
        && quotients
            .syncs()
            .skip(1)
            .all(|sync| quotients.participants(sync).iter().any(|(id, action)| refuses(*id, *action)))
}
