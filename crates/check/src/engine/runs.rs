//! What the rows of the table do: each question to the algorithm of its engine.

use super::{EXPLICIT, Effort, FiniteSystem, has_at_most};
use crate::compositional::{self, CompositionalSettings};
use crate::learning;
use crate::refinement::{RefinementSettings, Refines, refines};
use crate::safety::explicit::{ExplicitSettings, Reduction};
use crate::safety::{SafetyQuestion, explicit, iterative};
use crate::simulation::{SimulationSettings, simulates};
use crate::stopped::Stopped;
use crate::symbolic::{self, SymbolicSettings};
use crate::temporal::{self, TemporalSettings};
use crate::two_level;
use base::Id;
use lks::{Composition, Explored, Lks, LksBuilder, Successors, SystemState, explore_telling};
use question::{Answer, Asks, Conformance, Monitor};
use verdict::Reason;

/// How an engine answers what it can answer.
pub(super) type Run = fn(&FiniteSystem<'_>, &Asks, Effort, Monitor<'_>) -> Answer;

/// The question that is left when the others were told apart.
fn about_states(asks: &Asks) -> SafetyQuestion {
    SafetyQuestion::of(asks).expect("it can answer what is left")
}

impl FiniteSystem<'_> {
    fn simulation(&self) -> SimulationSettings {
        SimulationSettings { unknown_actions: self.unknown_actions, counterexamples: 1 }
    }
}

/// Why a system is not looked at state by state, if it has more states than that.
fn too_large(system: &Composition, effort: Effort, monitor: Monitor<'_>) -> Option<Answer> {
    let most = effort.most.of(system)?;
    let reason = Reason::SizeLimit { what: "states", limit: most as u64 };
    let is_too_large = !has_at_most(system, most, monitor.budget);
    is_too_large.then(|| Stopped::because(reason).answer(EXPLICIT.name))
}

/// Builds the system and looks at it, if it is not too large.
fn on_explored(
    system: &Composition,
    effort: Effort,
    monitor: Monitor<'_>,
    check: impl FnOnce(&Lks) -> Answer,
) -> Answer {
    if let Some(refused) = too_large(system, effort, monitor) {
        return refused;
    }
    match explore_telling(system, "system", monitor.budget, monitor.events) {
        Ok(explored) => check(&with_names(system, &explored)),
        Err(unfinished) => {
            let shown = format!("{} states were found", unfinished.states);
            Stopped::from(unfinished.limit).having_shown(shown).answer(EXPLICIT.name)
        }
    }
}

pub(super) fn by_states(
    subject: &FiniteSystem<'_>,
    asks: &Asks,
    effort: Effort,
    monitor: Monitor<'_>,
) -> Answer {
    let system = subject.composition;
    let refining = |specification: &Lks, refines_what| {
        let settings = RefinementSettings { refines: refines_what, unknown_actions: subject.unknown_actions };
        on_explored(system, effort, monitor, |lks| refines(lks, specification, &settings, monitor))
    };
    match asks {
        Asks::Conforms(specification, Conformance::Trace) => refining(specification, Refines::Traces),
        Asks::Conforms(specification, Conformance::Failures) => refining(specification, Refines::Failures),
        Asks::Conforms(specification, Conformance::Simulation) => {
            on_explored(system, effort, monitor, |lks| {
                simulates(lks, specification, &subject.simulation(), monitor).answer
            })
        }
        Asks::MakesProgress(test) => {
            too_large(system, effort, monitor).unwrap_or_else(|| temporal::progress(system, test, monitor))
        }
        Asks::Satisfies(formula) => {
            let how = &subject.temporal;
            let most_states = effort.most.of(system).or(how.most_states);
            temporal::holds(system, formula, &TemporalSettings { most_states, ..how.clone() }, monitor)
        }
        asks => {
            let settings = ExplicitSettings {
                order: effort.order,
                reduction: Reduction::PartialOrder,
                most_states: effort.most.of(system),
            };
            explicit::safe(system, about_states(asks), &settings, monitor)
        }
    }
}

pub(super) fn by_sets(
    subject: &FiniteSystem<'_>,
    asks: &Asks,
    effort: Effort,
    monitor: Monitor<'_>,
) -> Answer {
    let system = subject.composition;
    let limits = SymbolicSettings { most_nodes: effort.most.of(system) };
    match asks {
        Asks::Conforms(specification, _) => {
            symbolic::conforms(system, specification, &subject.simulation(), &limits, monitor)
        }
        Asks::Satisfies(formula) => symbolic::holds(system, formula, &subject.temporal, &limits, monitor),
        Asks::MakesProgress(test) => symbolic::progress(system, test, &limits, monitor),
        asks => symbolic::safe(system, about_states(asks), &limits, monitor),
    }
}

pub(super) fn by_parts(
    subject: &FiniteSystem<'_>,
    asks: &Asks,
    effort: Effort,
    monitor: Monitor<'_>,
) -> Answer {
    let system = subject.composition;
    let limits = CompositionalSettings { most_states: effort.most.of(system) };
    match asks {
        Asks::Conforms(specification, _) => {
            compositional::conforms(system, specification, &subject.simulation(), &limits, monitor)
        }
        Asks::Satisfies(formula) => {
            compositional::holds(system, formula, &subject.temporal, &limits, monitor)
        }
        Asks::MakesProgress(test) => compositional::progress(system, test, &limits, monitor),
        asks => compositional::safe(system, about_states(asks), &limits, monitor),
    }
}

pub(super) fn by_rule_1(subject: &FiniteSystem<'_>, _: &Asks, _: Effort, monitor: Monitor<'_>) -> Answer {
    learning::by_rule_1(subject.composition, monitor)
}

pub(super) fn by_rule_2(subject: &FiniteSystem<'_>, _: &Asks, _: Effort, monitor: Monitor<'_>) -> Answer {
    learning::by_rule_2(subject.composition, monitor)
}

pub(super) fn by_quotients(
    subject: &FiniteSystem<'_>,
    asks: &Asks,
    _: Effort,
    monitor: Monitor<'_>,
) -> Answer {
    match asks {
        Asks::Conforms(specification, _) => {
            two_level::conforms(subject.composition, specification, subject.unknown_actions, monitor)
        }
        asks => iterative::safe(subject.composition, about_states(asks), monitor),
    }
}

/// Past this many states names would cost more than they tell.
const MOST_STATES_NAMED: usize = 100_000;

/// The explored system with its states called as the components call theirs.
fn with_names(system: &Composition, explored: &Explored<SystemState>) -> Lks {
    let lks = &explored.lks;
    if lks.state_count() > MOST_STATES_NAMED {
        return lks.clone();
    }
    let mut builder = LksBuilder::with_names(lks.name(), lks.alphabet(), lks.propositions());
    builder.ensure_states(lks.state_count());
    lks.initial().iter().for_each(|state| builder.initial(*state));
    for state in lks.states() {
        builder.mark(state, lks.mark(state));
        builder.name_state(state, system.describe(&explored.states[state.index()]));
        lks.label(state).iter().for_each(|proposition| builder.label(state, proposition));
        lks.transitions(state).for_each(|(action, target)| builder.transition(state, action, target));
    }
    builder.build()
}
