//! Progress (FSP) on the minimised system. Which actions can still be reached from a state, and whether ERROR
//! or END can, branching bisimulation keeps, with divergence left aside: fair choice leaves every silent
//! cycle that can be left. A violation's evidence is a run of the system itself, found by sets of states.
//! Naive twin: `temporal::progress`.

use super::node::{Keeps, is_ended, visible_actions};
use super::plan::joined;
use super::{CompositionalSettings, cannot};
use crate::bisimulation::{Divergence, Equivalence};
use crate::stopped::Stopped;
use crate::symbolic::{self, SymbolicSettings};
use base::IndexVec;
use lks::{Composition, Lks, StateId, StateMark};
use question::{Answer, Monitor, Verdict};
use spec::evaluate::claims::ProgressTest;
use std::sync::Arc;
use verdict::Certificate;

/// Does the system make progress?
pub fn progress(
    system: &Composition,
    property: &ProgressTest,
    limits: &CompositionalSettings,
    monitor: Monitor<'_>,
) -> Answer {
    Stopped::settle("compositional", || {
        let condition = property.condition.as_deref();
        let is_named = |name: &str| {
            property.actions.iter().chain(condition.unwrap_or_default()).any(|other| **other == *name)
        };
        let why = cannot(system)
            .or_else(|| is_named(lks::Alphabet::TAU_NAME).then_some("silent steps are put together"));
        if let Some(why) = why {
            return Err(Stopped::cannot("compositional", why));
        }
        let keeps = Keeps {
            equivalence: Equivalence::Branching(Divergence::Ignored),
            actions: visible_actions(system, is_named),
            propositions: Vec::new(),
            termination: true,
        };
        let (root, largest) = joined(system, &keeps, limits.most_states, monitor)?;
        let verdict = match makes_progress(&root.reduced, &property.actions, condition) {
            true => Verdict::Holds(Certificate::Exhaustive { states: root.reduced.state_count() as u64 }),
            false => {
                match symbolic::progress(system, property, &SymbolicSettings::default(), monitor).verdict {
                    Verdict::Holds(_) => unreachable!("a system equivalent to this one makes no progress"),
                    verdict => verdict,
                }
            }
        };
        Ok(Answer::by("compositional", verdict)
            .count("states", largest.states)
            .count("transitions", largest.transitions))
    })
}

/// As by sets of states (`symbolic::progress`), state by state.
fn makes_progress(small: &Lks, actions: &[Arc<str>], condition: Option<&[Arc<str>]>) -> bool {
    let small = &small.reachable();
    let offers = |state: StateId, names: &[Arc<str>]| {
        names
            .iter()
            .filter_map(|name| small.alphabet().find(name))
            .any(|action| !action.is_silent() && small.offers(state, action))
    };
    let is_marked = |state: StateId| small.mark(state) == StateMark::Error || is_ended(small, state);
    let goes_on = leading_to(small, |state| is_marked(state) || offers(state, actions));
    let fails = match condition {
        None => IndexVec::filled(false, small.state_count()),
        Some(condition) => {
            let meets = leading_to(small, |state| offers(state, condition));
            leading_to(small, |state| !meets[state])
        }
    };
    small.states().all(|state| goes_on[state] || fails[state])
}

/// The states from which a wanted one is reached, themselves included.
fn leading_to(lks: &Lks, wanted: impl Fn(StateId) -> bool) -> IndexVec<StateId, bool> {
    let mut sources: IndexVec<StateId, Vec<StateId>> = IndexVec::filled(Vec::new(), lks.state_count());
    for state in lks.states() {
        lks.targets(state).iter().for_each(|target| sources[*target].push(state));
    }
    let mut known: IndexVec<StateId, bool> = lks.states().map(&wanted).collect();
    let mut open: Vec<StateId> = lks.states().filter(|state| known[*state]).collect();
    while let Some(state) = open.pop() {
        for source in &sources[state] {
            if !std::mem::replace(&mut known[*source], true) {
                open.push(*source);
            }
        }
    }
    known
}
