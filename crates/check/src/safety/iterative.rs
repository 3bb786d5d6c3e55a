//! Abstraction and refinement on components, for deadlock and for ERROR. Deadlock is IterDeadlock (THESIS ch.
//! 10): each component is replaced by a quotient; what an abstract state may refuse is what any of its states
//! refuses (Def. 38), so an abstract system without abstract deadlock has none (Lemma 1). An abstract
//! deadlock is validated on each component alone (Def. 41, Lemma 2), and a component that cannot follow is
//! split (AbsRefine). ERROR is the upper level of the two-level scheme of THESIS ch. 9 for paths: an abstract
//! run into ERROR is followed by each component, or splits it.
//! DIVERGENCE: silent steps are actions of their component that can be refused like others; END and ERROR
//! states are kept apart from the start, and all processes in END is not a deadlock (SEEDS correction 8); the
//! quotient starts from the initial states in it (the thesis' X := α0 is too large); every component that
//! fails is split, not only the first.
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
use super::quotients::{NAME, Quotients, decide, validated};
use super::replay::confirmed;
use crate::stopped::Stopped;
use base::{Budget, Exhausted, Id};
use indexmap::IndexSet;
use lks::composition::ComponentId;
use lks::quotient::BlockId;
use lks::{ActionId, Composition, StateMark, Step, Successors, SystemState};
use question::{Answer, Checked, Counterexample, Monitor, Progress, Refinement, Validated};
use rustc_hash::FxBuildHasher;
use verdict::{Certificate, Undecided};

/// Is no bad state reachable?
pub fn safe(system: &Composition, question: SafetyQuestion, monitor: Monitor<'_>) -> Answer {
    if let Some(why) = Quotients::objection(system) {
        return Stopped::cannot(NAME, why).answer(NAME);
    }
    decide(Safety { question, quotients: Quotients::coarsest(system) }, monitor)
}

/// What the loop refines.
struct Safety<'a> {
    question: SafetyQuestion,
    quotients: Quotients<'a>,
}

impl<'a> AsRef<Quotients<'a>> for Safety<'a> {
    fn as_ref(&self) -> &Quotients<'a> {
        &self.quotients
    }
}

impl Refinement for Safety<'_> {
    type Model = Composition;
    type Proof = Certificate;
    type Witness = AbstractRun;
    type Violation = Counterexample;
    /// The components that cannot follow the run.
    type Cause = Vec<ComponentId>;

    fn abstraction(&mut self, _: &Budget) -> Result<Composition, Undecided> {
        Ok(self.quotients.of_next_round())
    }

    fn check(
        &mut self,
        system: &mut Composition,
        budget: &Budget,
    ) -> Result<Checked<Certificate, AbstractRun>, Undecided> {
        let (found, states) = abstract_violation(system, &self.quotients.abstraction, self.question, budget)
            .map_err(|limit| self.quotients.stopped(limit))?;
        self.quotients.saw(states);
        Ok(found.map_or_else(|| Checked::Proved(self.quotients.abstraction.certificate()), Checked::Witness))
    }

    /// Each component alone (Def. 41).
    fn validate(
        &mut self,
        system: &mut Composition,
        run: &mut AbstractRun,
        _: &Budget,
    ) -> Result<Validated<Counterexample, Vec<ComponentId>>, Undecided> {
        let Quotients { abstraction, system: original, .. } = &self.quotients;
        let last = run.states.last().expect("a run has a state");
        let refusing = Successors::mark(system, last) != StateMark::Error;
        let follows = |id| abstraction.parts[id].follow(&run.projection(system, id), refusing).is_some();
        let cannot_follow = original.components().ids().filter(|&id| !follows(id)).collect();
        Ok(validated(cannot_follow, || {
            let (start, steps) = abstraction.concretise(system, run, refusing);
            confirmed(original, self.question, &start, &steps)
                .expect("components that follow alone follow together (THESIS Lemma 2)")
        }))
    }

    /// AbsRefine, of every component that cannot follow.
    fn refine(
        &mut self,
        system: Composition,
        run: AbstractRun,
        cannot_follow: Vec<ComponentId>,
        _: &Budget,
    ) -> Result<(), Undecided> {
        for id in cannot_follow {
            self.quotients.abstraction.parts[id].refine(&run.projection(&system, id));
        }
        Ok(())
    }

    fn progress(&self) -> Progress {
        self.quotients.progress()
    }
}

/// AbsDeadlock: breadth-first search for an abstract state in ERROR, or in which every action may be refused
/// by someone. Also tells how many states were found.
fn abstract_violation(
    quotients: &Composition,
    abstraction: &Abstraction<'_>,
    question: SafetyQuestion,
    budget: &Budget,
) -> Result<(Option<AbstractRun>, usize), Exhausted> {
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
            let mut run = AbstractRun { states: vec![state], steps: Vec::new() };
            let mut at = next;
            while let Some((before, step)) = &reached[at] {
                run.steps.push(step.clone());
                run.states.push(found[*before].clone());
                at = *before;
            }
            run.states.reverse();
            run.steps.reverse();
            return Ok((Some(run), found.len()));
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
    Ok((None, found.len()))
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
