//! Which engine answers. Each can be forced; `auto` tries the cheap ones first and says which answered and why.

use crate::compositional::{self, CompositionalSettings};
use crate::conformance::watched;
use crate::learning::{by_rule_1, by_rule_2};
use crate::outcome::{Outcome, Stopped};
use crate::refinement::{RefinementSettings, Refines, refines};
use crate::safety::explicit::{ExplicitSettings, Order, Reduction};
use crate::safety::{SafetyQuestion, explicit, iterative};
use crate::simulation::{SimulationSettings, simulates};
use crate::symbolic::{self, SymbolicSettings};
use crate::temporal::{Progress, TemporalSettings, holds, progress};
use crate::two_level;
use crate::weak_moves::UnknownActions;
use base::{Budget, Id};
use indexmap::IndexSet;
use lks::{Composition, Explored, Lks, LksBuilder, Successors, SystemState, explore};
use question::{Answer, Verdict};
use rustc_hash::FxBuildHasher;
use spec::Formula;
use verdict::Reason;

/// An engine, or the wish that one be chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Chosen by what works.
    #[default]
    Auto,
    /// States one by one, with partial-order reduction.
    Explicit,
    /// Sets of states as BDDs.
    Symbolic,
    /// Parts joined and minimised two at a time.
    Compositional,
    /// Learned assumptions, the asymmetric rule.
    Learn1,
    /// Learned assumptions, the symmetric rule.
    Learn2,
    /// Quotients of components, refined where they are too coarse.
    TwoLevel,
}

impl Engine {
    /// All of them, in the order they are listed to users.
    pub const ALL: [Engine; 7] = [
        Engine::Auto,
        Engine::Explicit,
        Engine::Symbolic,
        Engine::Compositional,
        Engine::Learn1,
        Engine::Learn2,
        Engine::TwoLevel,
    ];

    /// As users write it.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Explicit => "explicit",
            Engine::Symbolic => "symbolic",
            Engine::Compositional => "compositional",
            Engine::Learn1 => "learn1",
            Engine::Learn2 => "learn2",
            Engine::TwoLevel => "two-level",
        }
    }

    /// The engine of that name.
    pub fn from_name(name: &str) -> Option<Engine> {
        Engine::ALL.into_iter().find(|engine| engine.name() == name)
    }
}

/// `auto` looks at about this many states one by one before it turns to structure; at fewer if each has many parts.
pub const FEW_STATES: usize = 100_000;
/// So many components make a state twice as dear.
const COMPONENTS_THAT_DOUBLE: usize = 4;
/// `auto` first lets products of two parts grow to this many states: where the order of joining is good, they stay small.
const SMALL_PRODUCT: usize = 1 << 13;
/// Later it lets them grow to this many before it turns to BDDs.
const MODEST_PRODUCT: usize = 1 << 21;
/// Before that it sees whether sets of states stay small: diagrams of so many nodes take seconds, not minutes.
const SMALL_DIAGRAMS: SymbolicSettings = SymbolicSettings { most_nodes: Some(1 << 20) };

fn few_states(system: &Composition) -> usize {
    FEW_STATES / (1 + system.components().len() / COMPONENTS_THAT_DOUBLE)
}

fn answer(property: &str, engine: Engine, outcome: Outcome) -> Answer {
    let mut answer = Answer::new(property, engine.name(), outcome.verdict);
    answer.statistics = outcome.statistics;
    answer.remarks = outcome.remarks;
    answer
}

fn cannot(engine: Engine, why: &str) -> Outcome {
    let reason = Reason::EngineCannot { engine: engine.name(), why: why.to_owned() };
    let undecided = verdict::Undecided::because(reason).try_next("use --engine auto");
    Outcome::new(undecided)
}

/// Is no bad state reachable?
pub fn check_safety(
    system: &Composition,
    property: &str,
    question: SafetyQuestion,
    engine: Engine,
    budget: &Budget,
) -> Answer {
    let outcome = match engine {
        Engine::Auto => return auto_safety(system, property, question, budget),
        Engine::Explicit => {
            let settings =
                ExplicitSettings { reduction: Reduction::PartialOrder, ..ExplicitSettings::default() };
            explicit::safe(system, question, &settings, budget)
        }
        Engine::Symbolic => symbolic::safe(system, question, &SymbolicSettings::default(), budget),
        Engine::Compositional => {
            compositional::safe(system, question, &CompositionalSettings::default(), budget)
        }
        Engine::TwoLevel => iterative::safe(system, question, budget),
        Engine::Learn1 | Engine::Learn2 if question.asks_for_deadlock() => {
            cannot(engine, "assumptions are about traces, and a deadlock is not a trace")
        }
        Engine::Learn1 => by_rule_1(system, budget),
        Engine::Learn2 => by_rule_2(system, budget),
    };
    answer(property, engine, outcome)
}

/// Cheap first: look at some states, shortest runs first; let a guess lead, which finds errors of large systems; see
/// whether joined parts stay small, or sets of states; then more of the same; at last look at all states.
fn auto_safety(system: &Composition, property: &str, question: SafetyQuestion, budget: &Budget) -> Answer {
    let explicitly = |order, most_states| {
        let settings = ExplicitSettings { order, reduction: Reduction::PartialOrder, most_states };
        explicit::safe(system, question, &settings, budget)
    };
    let joining = |most| {
        compositional::safe(system, question, &CompositionalSettings { most_states: Some(most) }, budget)
    };
    let few = few_states(system);
    // A guess that leads well needs about one step per component and state.
    let local_states: usize = system.components().iter().map(|part| part.lks.state_count()).sum();
    first_decided(
        property,
        &[
            (Engine::Explicit, "the states are few enough to look at each", &|| {
                explicitly(Order::BreadthFirst, Some(few))
            }),
            (Engine::Explicit, "a search led by the distance to the violation found it", &|| {
                explicitly(Order::Directed, Some(local_states.min(few)))
            }),
            (Engine::Compositional, JOINED, &|| joining(SMALL_PRODUCT)),
            (Engine::Symbolic, SETS, &|| symbolic::safe(system, question, &SMALL_DIAGRAMS, budget)),
            (Engine::Explicit, "the states can be looked at one by one", &|| {
                explicitly(Order::BreadthFirst, Some(FEW_STATES))
            }),
            (Engine::Compositional, JOINED, &|| joining(MODEST_PRODUCT)),
            (Engine::Symbolic, SETS, &|| {
                symbolic::safe(system, question, &SymbolicSettings::default(), budget)
            }),
            (Engine::Explicit, LAST, &|| explicitly(Order::BreadthFirst, None)),
        ],
    )
}

const JOINED: &str = "the states are many, and parts of the system become small when joined";
const SETS: &str = "the states are many, and joining parts did not keep them few";
const LAST: &str = "nothing else could answer";

/// An engine, why it is the one to answer if it does, and how it is asked.
type Attempt<'a> = (Engine, &'a str, &'a dyn Fn() -> Outcome);

/// The answer of the first that decides; else the last one's, with what the others said.
fn first_decided(property: &str, attempts: &[Attempt<'_>]) -> Answer {
    let mut tried: Vec<String> = Vec::new();
    let mut last = None;
    for (engine, reason, run) in attempts {
        let outcome = run();
        if let Verdict::Undecided(undecided) = &outcome.verdict {
            tried.push(format!("{}: {undecided}", engine.name()));
        }
        let mut answer = answer(property, *engine, outcome);
        (*reason).clone_into(&mut answer.engine_reason);
        // A limit of the whole run ends it; a limit of one engine does not.
        let is_over = matches!(&answer.verdict, Verdict::Undecided(undecided) if matches!(
            undecided.reason,
            Reason::TimeLimit | Reason::MemoryLimit | Reason::Interrupted
        ));
        if is_over || !answer.verdict.is_undecided() {
            return answer;
        }
        last = Some(answer);
    }
    let mut answer = last.expect("there is at least one attempt");
    answer.remarks.extend(tried);
    answer
}

/// Is every trace of the system one of the specification?
pub fn check_traces(
    system: &Composition,
    specification: &Lks,
    property: &str,
    unknown_actions: UnknownActions,
    engine: Engine,
    budget: &Budget,
) -> Answer {
    if engine == Engine::Explicit {
        let settings = RefinementSettings { refines: Refines::Traces, unknown_actions };
        return answer(
            property,
            engine,
            on_explored(system, budget, |lks| refines(lks, specification, &settings, budget)),
        );
    }
    if let Some(why) = cannot_watch(system) {
        return match engine {
            Engine::Auto => {
                check_traces(system, specification, property, unknown_actions, Engine::Explicit, budget)
            }
            other => answer(property, other, cannot(other, why)),
        };
    }
    match watched(system, specification, unknown_actions, budget) {
        Err(exhausted) => answer(property, engine, Outcome::settle(Err(Stopped::from(exhausted)))),
        Ok(watched) => check_safety(&watched, property, SafetyQuestion::Error, engine, budget),
    }
}

/// Why a specification cannot watch the system, if it cannot.
fn cannot_watch(system: &Composition) -> Option<&'static str> {
    if system.has_priority() {
        return Some("a watcher would take part in the priority");
    }
    let has_errors = system.components().iter().any(|component| !component.lks.error_states().is_empty());
    has_errors.then_some("the system has properties of its own, whose violation is not a trace too many")
}

/// Does the system refine the specification in the stable failures model?
pub fn check_failures(
    system: &Composition,
    specification: &Lks,
    property: &str,
    unknown_actions: UnknownActions,
    engine: Engine,
    budget: &Budget,
) -> Answer {
    let settings = RefinementSettings { refines: Refines::Failures, unknown_actions };
    match engine {
        Engine::Auto | Engine::Explicit => {
            let outcome = on_explored(system, budget, |lks| refines(lks, specification, &settings, budget));
            answer(property, Engine::Explicit, outcome)
        }
        other => answer(property, other, cannot(other, "failures are compared state by state")),
    }
}

/// Does the specification weakly simulate the system?
pub fn check_simulation(
    system: &Composition,
    specification: &Lks,
    property: &str,
    settings: &SimulationSettings,
    engine: Engine,
    budget: &Budget,
) -> Answer {
    let unlimited = CompositionalSettings::default();
    let explicitly =
        || on_explored(system, budget, |lks| simulates(lks, specification, settings, budget).outcome);
    let joining = |limits: &CompositionalSettings| {
        compositional::conforms(system, specification, settings, limits, budget)
    };
    let by_sets =
        |limits: &SymbolicSettings| symbolic::conforms(system, specification, settings, limits, budget);
    let outcome = match engine {
        Engine::Auto if has_at_most(system, FEW_STATES, budget) => {
            let mut answer = answer(property, Engine::Explicit, explicitly());
            "the states are few enough to play the game on each".clone_into(&mut answer.engine_reason);
            return answer;
        }
        Engine::Auto => {
            let small = CompositionalSettings { most_states: Some(SMALL_PRODUCT) };
            let modest = CompositionalSettings { most_states: Some(MODEST_PRODUCT) };
            return first_decided(
                property,
                &[
                    (Engine::Compositional, JOINED, &|| joining(&small)),
                    (Engine::Symbolic, SETS, &|| by_sets(&SMALL_DIAGRAMS)),
                    (Engine::Compositional, JOINED, &|| joining(&modest)),
                    (Engine::Symbolic, SETS, &|| by_sets(&SymbolicSettings::default())),
                    (Engine::Explicit, LAST, &explicitly),
                ],
            );
        }
        Engine::Explicit => explicitly(),
        Engine::Symbolic => by_sets(&SymbolicSettings::default()),
        Engine::Compositional => joining(&unlimited),
        Engine::TwoLevel => two_level::conforms(system, specification, settings.unknown_actions, budget),
        Engine::Learn1 | Engine::Learn2 => {
            cannot(engine, "assumptions are about traces, and simulation is more than traces")
        }
    };
    answer(property, engine, outcome)
}

/// Does every maximal path of the system satisfy the formula?
pub fn check_formula(
    system: &Composition,
    formula: &Formula,
    property: &str,
    settings: &TemporalSettings,
    engine: Engine,
    budget: &Budget,
) -> Answer {
    let explicitly = || holds(system, formula, settings, budget);
    let joining =
        |limits: &CompositionalSettings| compositional::holds(system, formula, settings, limits, budget);
    let by_sets = |limits: &SymbolicSettings| symbolic::holds(system, formula, settings, limits, budget);
    let outcome = match engine {
        Engine::Auto => {
            let few = TemporalSettings { most_states: Some(FEW_STATES), ..settings.clone() };
            let small = CompositionalSettings { most_states: Some(SMALL_PRODUCT) };
            let modest = CompositionalSettings { most_states: Some(MODEST_PRODUCT) };
            return first_decided(
                property,
                &[
                    (Engine::Explicit, "the product with the automaton is searched on the fly", &|| {
                        holds(system, formula, &few, budget)
                    }),
                    (Engine::Compositional, JOINED, &|| joining(&small)),
                    (Engine::Symbolic, SETS, &|| by_sets(&SMALL_DIAGRAMS)),
                    (Engine::Compositional, JOINED, &|| joining(&modest)),
                    (Engine::Symbolic, SETS, &|| by_sets(&SymbolicSettings::default())),
                    (Engine::Explicit, LAST, &explicitly),
                ],
            );
        }
        Engine::Explicit => explicitly(),
        Engine::Symbolic => by_sets(&SymbolicSettings::default()),
        Engine::Compositional => joining(&CompositionalSettings::default()),
        Engine::Learn1 | Engine::Learn2 => {
            cannot(engine, "assumptions are about finite traces, and a formula is about whole runs")
        }
        Engine::TwoLevel => cannot(engine, "a quotient has cycles that no component has"),
    };
    answer(property, engine, outcome)
}

/// Does the system make progress, as FSP means it?
pub fn check_progress(
    system: &Composition,
    property: &str,
    test: &Progress,
    engine: Engine,
    budget: &Budget,
) -> Answer {
    let explicitly = || progress(system, test, budget);
    let joining =
        |most_states| compositional::progress(system, test, &CompositionalSettings { most_states }, budget);
    let by_sets = |limits: &SymbolicSettings| symbolic::progress(system, test, limits, budget);
    let outcome = match engine {
        Engine::Auto if has_at_most(system, FEW_STATES, budget) => {
            let mut answer = answer(property, Engine::Explicit, explicitly());
            "the states are few enough to look at each".clone_into(&mut answer.engine_reason);
            return answer;
        }
        Engine::Auto => {
            return first_decided(
                property,
                &[
                    (Engine::Compositional, JOINED, &|| joining(Some(SMALL_PRODUCT))),
                    (Engine::Symbolic, SETS, &|| by_sets(&SMALL_DIAGRAMS)),
                    (Engine::Compositional, JOINED, &|| joining(Some(MODEST_PRODUCT))),
                    (Engine::Symbolic, SETS, &|| by_sets(&SymbolicSettings::default())),
                    (Engine::Explicit, LAST, &explicitly),
                ],
            );
        }
        Engine::Explicit => explicitly(),
        Engine::Symbolic => by_sets(&SymbolicSettings::default()),
        Engine::Compositional => joining(None),
        Engine::Learn1 | Engine::Learn2 => {
            cannot(engine, "assumptions are about finite traces, and progress is about whole runs")
        }
        Engine::TwoLevel => cannot(engine, "a quotient can do for ever what no component can"),
    };
    answer(property, engine, outcome)
}

/// Has the system at most this many states? A limit of the budget counts as no: whoever comes next meets it.
pub fn has_at_most(system: &Composition, most: usize, budget: &Budget) -> bool {
    let mut found: IndexSet<SystemState, FxBuildHasher> = system.initial_states().into_iter().collect();
    let mut successors = Vec::new();
    let mut next = 0;
    while next < found.len() {
        if found.len() > most || (next.is_multiple_of(1024) && budget.check().is_err()) {
            return false;
        }
        let state = found[next].clone();
        next += 1;
        system.successors(&state, &mut successors);
        found.extend(successors.drain(..).map(|(_, target)| target));
    }
    true
}

fn on_explored(system: &Composition, budget: &Budget, check: impl FnOnce(&Lks) -> Outcome) -> Outcome {
    match explore(system, "system", budget) {
        Ok(explored) => check(&named(system, &explored)),
        Err(unfinished) => {
            let shown = format!("{} states were found", unfinished.states);
            Outcome::settle(Err(Stopped::from(unfinished.limit).having_shown(shown)))
        }
    }
}

/// Past this many states names would cost more than they tell.
const MOST_STATES_NAMED: usize = 100_000;

/// The explored system with its states called as the components call theirs.
fn named(system: &Composition, explored: &Explored<SystemState>) -> Lks {
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
