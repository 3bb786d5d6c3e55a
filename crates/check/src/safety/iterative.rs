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
use crate::outcome::{Outcome, Stopped};
use base::{Budget, Id};
use indexmap::IndexSet;
use lks::composition::ComponentId;
use lks::quotient::BlockId;
use lks::{ActionId, Composition, StateMark, Step, Successors, SystemState};
use question::Verdict;
use rustc_hash::FxBuildHasher;
use verdict::Reason;

/// Is no bad state reachable?
pub fn safe(system: &Composition, question: SafetyQuestion, budget: &Budget) -> Outcome {
    Outcome::settle(iterate(system, question, budget))
}

fn iterate(system: &Composition, question: SafetyQuestion, budget: &Budget) -> Result<Outcome, Stopped> {
    if system.has_priority() {
        let why = "a priority makes what is possible depend on the whole system".to_owned();
        return Err(Stopped::because(Reason::EngineCannot { engine: "two-level", why }));
    }
    let mut abstraction = Abstraction::coarsest(system);
    let mut iterations = 0usize;
    let mut states = 0usize;
    loop {
        iterations += 1;
        let quotients = abstraction.composition();
        let found = abstract_violation(&quotients, &abstraction, question, &mut states, budget)
            .map_err(|stopped| stopped.having_shown(format!("{} refinements were made", iterations - 1)))?;
        let classes = abstraction.class_count();
        let counted = |verdict: Verdict| {
            Outcome::new(verdict)
                .count("states", states)
                .count("iterations", iterations)
                .count("classes", classes)
        };
        let Some(run) = found else {
            return Ok(counted(Verdict::Holds(abstraction.certificate())));
        };
        let last = run.states.last().expect("a run has a state");
        let refusing = Successors::mark(&quotients, last) != StateMark::Error;
        // Validate on each component alone, and split those that cannot follow.
        let mut all_follow = true;
        for id in system.components().ids() {
            let projection = run.projection(&quotients, id);
            if abstraction.parts[id].follow(&projection, refusing).is_none() {
                all_follow = false;
                abstraction.parts[id].refine(&projection);
            }
        }
        if all_follow {
            let (start, steps) = abstraction.concretise(&quotients, &run, refusing);
            let evidence = confirmed(system, question, &start, &steps)
                .expect("components that follow alone follow together (THESIS Lemma 2)");
            return Ok(counted(evidence.into()));
        }
        budget.check()?;
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
) -> Result<Option<AbstractRun>, Stopped> {
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
