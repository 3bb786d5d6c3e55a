//! Which engine answers. Each can be forced; `auto` tries the cheap ones first and says which answered and why.

use crate::compositional::{self, CompositionalSettings};
use crate::conformance::watched;
use crate::learning::{by_rule_1, by_rule_2};
use crate::outcome::{Outcome, Stopped};
use crate::refinement::{RefinementSettings, Refines, refines};
use crate::safety::explicit::{ExplicitSettings, Order, Reduction};
use crate::safety::{SafetyQuestion, explicit, iterative};
use crate::simulation::{SimulationSettings, simulates};
use crate::temporal::{TemporalSettings, holds};
use crate::weak_moves::UnknownActions;
use crate::{symbolic, two_level};
use base::{Budget, Id};
use lks::{Composition, Explored, Lks, LksBuilder, Successors, SystemState, explore};
use spec::Formula;
use verdict::{Answer, Reason, Verdict};

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

/// `auto` looks at this many states one by one before it turns to structure.
const FEW_STATES: usize = 100_000;
/// `auto` lets products of two parts grow to this many states before it turns to BDDs.
const MODEST_PRODUCT: usize = 1 << 21;

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
        Engine::Symbolic => symbolic::safe(system, question, budget),
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

/// Cheap first: look at some states, shortest runs first; then let a guess lead, which finds errors of large systems;
/// then use structure; then sets; at last look at all states.
fn auto_safety(system: &Composition, property: &str, question: SafetyQuestion, budget: &Budget) -> Answer {
    let few =
        |order| ExplicitSettings { order, reduction: Reduction::PartialOrder, most_states: Some(FEW_STATES) };
    let mut tried: Vec<String> = Vec::new();
    let attempts: [(Engine, &str, &dyn Fn() -> Outcome); 5] = [
        (Engine::Explicit, "the states are few enough to look at each", &|| {
            explicit::safe(system, question, &few(Order::BreadthFirst), budget)
        }),
        (Engine::Explicit, "a search led by the distance to the violation found it", &|| {
            explicit::safe(system, question, &few(Order::Directed), budget)
        }),
        (
            Engine::Compositional,
            "the states are many, and parts of the system become small when joined",
            &|| {
                let settings = CompositionalSettings { most_states: Some(MODEST_PRODUCT) };
                compositional::safe(system, question, &settings, budget)
            },
        ),
        (Engine::Symbolic, "the states are many, and joining parts did not keep them few", &|| {
            symbolic::safe(system, question, budget)
        }),
        (Engine::Explicit, "nothing else could answer", &|| {
            let settings =
                ExplicitSettings { reduction: Reduction::PartialOrder, ..ExplicitSettings::default() };
            explicit::safe(system, question, &settings, budget)
        }),
    ];
    let mut last = None;
    for (engine, reason, run) in attempts {
        let outcome = run();
        let is_decided = !outcome.verdict.is_undecided();
        if let Verdict::Undecided(undecided) = &outcome.verdict {
            tried.push(format!("{}: {undecided}", engine.name()));
        }
        let mut answer = answer(property, engine, outcome);
        answer.engine_reason = reason.to_owned();
        // A limit of the whole run ends it; a limit of one engine does not.
        let is_over = matches!(&answer.verdict, Verdict::Undecided(undecided) if matches!(
            undecided.reason,
            Reason::TimeLimit | Reason::MemoryLimit | Reason::Interrupted
        ));
        if is_decided || is_over {
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
    engine: Engine,
    budget: &Budget,
) -> Answer {
    if engine == Engine::Explicit {
        let settings =
            RefinementSettings { refines: Refines::Traces, unknown_actions: UnknownActions::Forbidden };
        return answer(
            property,
            engine,
            on_explored(system, budget, |lks| refines(lks, specification, &settings, budget)),
        );
    }
    match watched(system, specification, budget) {
        Err(exhausted) => answer(property, engine, Outcome::settle(Err(Stopped::from(exhausted)))),
        Ok(watched) => check_safety(&watched, property, SafetyQuestion::Error, engine, budget),
    }
}

/// Does the system refine the specification in the stable failures model?
pub fn check_failures(
    system: &Composition,
    specification: &Lks,
    property: &str,
    engine: Engine,
    budget: &Budget,
) -> Answer {
    let settings =
        RefinementSettings { refines: Refines::Failures, unknown_actions: UnknownActions::Forbidden };
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
    match engine {
        Engine::Auto | Engine::Explicit => {
            let outcome =
                on_explored(system, budget, |lks| simulates(lks, specification, settings, budget).outcome);
            let mut answer = answer(property, Engine::Explicit, outcome);
            if engine == Engine::Auto {
                "the game needs the states of the system".clone_into(&mut answer.engine_reason);
            }
            answer
        }
        Engine::TwoLevel => answer(
            property,
            engine,
            two_level::conforms(system, specification, settings.unknown_actions, budget),
        ),
        other => {
            answer(property, other, cannot(other, "simulation is decided by explicit and two-level only"))
        }
    }
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
    match engine {
        Engine::Auto | Engine::Explicit => {
            let mut answer = answer(property, Engine::Explicit, holds(system, formula, settings, budget));
            if engine == Engine::Auto {
                "the product with the automaton is searched on the fly".clone_into(&mut answer.engine_reason);
            }
            answer
        }
        other => answer(property, other, cannot(other, "formulas are decided on the explicit product only")),
    }
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
