//! The engines for finite models, and the tables by which `auto` takes them: cheap ones first, and the answer says which
//! engine answered and why. Each can be forced.

use crate::compositional::{self, CompositionalSettings};
use crate::conformance::{cannot_watch, watched};
use crate::learning::{by_rule_1, by_rule_2};
use crate::refinement::{RefinementSettings, Refines, refines};
use crate::safety::explicit::{ExplicitSettings, Order, Reduction};
use crate::safety::{SafetyQuestion, explicit, iterative};
use crate::simulation::{SimulationSettings, simulates};
use crate::stopped::Stopped;
use crate::symbolic::{self, SymbolicSettings};
use crate::temporal::{self, TemporalSettings};
use crate::two_level;
use crate::weak_moves::UnknownActions;
use base::{Budget, EventSink, Id};
use indexmap::IndexSet;
use lks::{Composition, Explored, Lks, LksBuilder, Successors, SystemState, explore};
use question::{Answer, Asks, Conformance, Engine, Knowledge, Question, Row, ask_only, first_to_decide};
use rustc_hash::FxBuildHasher;
use verdict::{Reason, Undecided};

/// A composition, and how what is asked of it is meant.
#[derive(Clone, Debug)]
pub struct FiniteSystem<'c> {
    /// The components, explored on the fly.
    pub composition: &'c Composition,
    /// For conformance: what becomes of actions that the specification does not know.
    pub unknown_actions: UnknownActions,
    /// For formulas: which runs count, and how they are searched.
    pub temporal: TemporalSettings,
}

impl<'c> FiniteSystem<'c> {
    /// Nothing is fair, and actions that a specification does not know are forbidden.
    pub fn new(composition: &'c Composition) -> FiniteSystem<'c> {
        let unknown_actions = UnknownActions::Forbidden;
        FiniteSystem { composition, unknown_actions, temporal: TemporalSettings::default() }
    }

    /// A question about it.
    pub fn question(&self, name: impl Into<String>, asks: Asks) -> Question<'_, FiniteSystem<'c>> {
        Question { name: name.into(), about: self, asks }
    }
}

/// An engine for finite models.
pub type FiniteEngine = dyn for<'c> Engine<FiniteSystem<'c>> + Sync;

/// States one by one.
pub static EXPLICIT: Explicit = Explicit { order: Order::BreadthFirst, most: Most::All };
/// Sets of states.
pub static SYMBOLIC: Symbolic = Symbolic { most_nodes: None };
/// Parts joined and minimised.
pub static COMPOSITIONAL: Compositional = Compositional { most_states: None };
/// Learned assumptions, the asymmetric rule.
pub static LEARN1: Learn1 = Learn1;
/// Learned assumptions, the symmetric rule.
pub static LEARN2: Learn2 = Learn2;
/// Quotients of components, refined.
pub static TWO_LEVEL: TwoLevel = TwoLevel;

/// All engines, in the order in which they are listed to users.
pub static ENGINES: [&FiniteEngine; 6] = [&EXPLICIT, &SYMBOLIC, &COMPOSITIONAL, &LEARN1, &LEARN2, &TWO_LEVEL];

/// Names and descriptions, for who lists them.
pub fn listed() -> impl Iterator<Item = (&'static str, &'static str)> {
    ENGINES.into_iter().map(|engine| (engine.name(), engine.description()))
}

/// The engine of that name.
pub fn named(name: &str) -> Option<&'static FiniteEngine> {
    ENGINES.into_iter().find(|engine| engine.name() == name)
}

/// `auto` looks at about this many states one by one before it turns to structure; at fewer if each has many parts.
pub const FEW_STATES: usize = 100_000;
/// So many components make a state twice as dear.
const COMPONENTS_THAT_DOUBLE: usize = 4;
/// `auto` first lets products of two parts grow to this many states: where the order of joining is good, they stay small.
const SMALL_PRODUCTS: Compositional = Compositional { most_states: Some(1 << 13) };
/// Later it lets them grow to this many before it turns to BDDs.
const MODEST_PRODUCTS: Compositional = Compositional { most_states: Some(1 << 21) };
/// Before that it sees whether sets of states stay small: diagrams of so many nodes take seconds, not minutes.
const SMALL_DIAGRAMS: Symbolic = Symbolic { most_nodes: Some(1 << 20) };

/// A search of at most so many states, nearest first.
const fn searching(most: Most) -> Explicit {
    Explicit { order: Order::BreadthFirst, most }
}

const JOINED: &str = "the states are many, and parts of the system become small when joined";
const SETS: &str = "the states are many, and joining parts did not keep them few";
const LAST: &str = "nothing else could answer";

/// An engine, and why it is the one that answers if it does.
type Attempt = (&'static FiniteEngine, &'static str);

/// Cheap first: look at some states, shortest runs first; let a guess lead, which finds errors of large systems; see
/// whether joined parts stay small, or sets of states; then more of the same; at last look at all states.
static FOR_SAFETY: [Attempt; 8] = [
    (&searching(Most::FewForItsParts), "the states are few enough to look at each"),
    (
        &Explicit { order: Order::Directed, most: Most::OnePerLocalState },
        "a search led by the distance to the violation found it",
    ),
    (&SMALL_PRODUCTS, JOINED),
    (&SMALL_DIAGRAMS, SETS),
    (&searching(Most::Few), "the states can be looked at one by one"),
    (&MODEST_PRODUCTS, JOINED),
    (&SYMBOLIC, SETS),
    (&EXPLICIT, LAST),
];
static FOR_SIMULATION: [Attempt; 6] =
    with_structure((&searching(Most::Few), "the states are few enough to play the game on each"));
static FOR_PROGRESS: [Attempt; 6] =
    with_structure((&searching(Most::Few), "the states are few enough to look at each"));
static FOR_FORMULAS: [Attempt; 6] =
    with_structure((&searching(Most::Few), "the product with the automaton is searched on the fly"));
static ONLY_BY_STATES: [Attempt; 1] = [(&EXPLICIT, "")];

const fn with_structure(first: Attempt) -> [Attempt; 6] {
    [
        first,
        (&SMALL_PRODUCTS, JOINED),
        (&SMALL_DIAGRAMS, SETS),
        (&MODEST_PRODUCTS, JOINED),
        (&SYMBOLIC, SETS),
        (&EXPLICIT, LAST),
    ]
}

/// Which engines `auto` asks, in this order.
fn table(asks: &Asks) -> &'static [Attempt] {
    match asks {
        Asks::Conforms(_, Conformance::Trace | Conformance::Failures) => &ONLY_BY_STATES,
        Asks::Conforms(_, Conformance::Simulation) => &FOR_SIMULATION,
        Asks::MakesProgress(_) => &FOR_PROGRESS,
        Asks::Satisfies(_) => &FOR_FORMULAS,
        _ => &FOR_SAFETY,
    }
}

/// Answers by this engine, or by the table if none is given. Whether traces conform is asked as a safety question, with the
/// specification as a watcher, wherever that is possible.
pub fn ask(
    question: &Question<'_, FiniteSystem<'_>>,
    engine: Option<&FiniteEngine>,
    budget: &Budget,
    events: &dyn EventSink,
) -> Answer {
    let system = question.about;
    let by_states = engine.is_some_and(|engine| engine.name() == EXPLICIT.name());
    if let Asks::Conforms(specification, Conformance::Trace) = &question.asks
        && !by_states
        && cannot_watch(system.composition).is_none()
    {
        return match watched(system.composition, specification, system.unknown_actions, budget) {
            Err(limit) => {
                let engine = engine.map_or("auto", |engine| engine.name());
                Answer::new(question.name.clone(), engine, Undecided::from(limit).into())
            }
            Ok(watched) => {
                let safety = FiniteSystem::new(&watched);
                ask(&safety.question(question.name.clone(), Asks::NoError), engine, budget, events)
            }
        };
    }
    let knowledge = Knowledge::new();
    let Some(engine) = engine else {
        let attempts = table(&question.asks).iter();
        let rows: Vec<Row<'_, FiniteSystem<'_>>> =
            attempts.map(|&(engine, because)| Row::always(engine, because)).collect();
        return first_to_decide(&rows, question, &knowledge, budget, events);
    };
    ask_only(engine, "use --engine auto", question, &knowledge, budget, events)
}

/// What no engine for finite models is for.
fn not_of_finite_models(engine: &'static str) -> Reason {
    let why = "that is not a question about finite models".to_owned();
    Reason::EngineCannot { engine, why }
}

/// Can an engine that looks at more than states answer, if it is for what is left?
fn by_structure(
    engine: &'static str,
    question: &Question<'_, FiniteSystem<'_>>,
    cannot: impl Fn(&Asks) -> Option<&'static str>,
) -> Result<(), Reason> {
    let why = match &question.asks {
        Asks::Never(_) | Asks::Branching(_) => return Err(not_of_finite_models(engine)),
        Asks::Conforms(_, Conformance::Failures) => Some("failures are compared state by state"),
        Asks::Conforms(_, Conformance::Trace) => {
            // What can be watched was asked as a safety question.
            Some(
                cannot_watch(question.about.composition).unwrap_or("the specification must watch the system"),
            )
        }
        asks => cannot(asks),
    };
    why.map_or(Ok(()), |why| Err(Reason::EngineCannot { engine, why: why.to_owned() }))
}

/// The answer under the name of its question.
fn named_as(question: &Question<'_, FiniteSystem<'_>>, mut answer: Answer) -> Answer {
    answer.property.clone_from(&question.name);
    answer
}

/// States one by one, with partial-order reduction.
pub struct Explicit {
    order: Order,
    most: Most,
}

/// How many states are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Most {
    /// All of them.
    All,
    /// [`FEW_STATES`].
    Few,
    /// Fewer, if each has many parts.
    FewForItsParts,
    /// A guess that leads well needs about one step per component and state.
    OnePerLocalState,
}

impl Most {
    fn of(self, system: &Composition) -> Option<usize> {
        let few = FEW_STATES / (1 + system.components().len() / COMPONENTS_THAT_DOUBLE);
        match self {
            Most::All => None,
            Most::Few => Some(FEW_STATES),
            Most::FewForItsParts => Some(few),
            Most::OnePerLocalState => {
                let local_states: usize = system.components().iter().map(|part| part.lks.state_count()).sum();
                Some(local_states.min(few))
            }
        }
    }
}

impl Explicit {
    /// Builds the system and looks at it, if it is not too large.
    fn on_explored(
        &self,
        system: &Composition,
        budget: &Budget,
        check: impl FnOnce(&Lks) -> Answer,
    ) -> Answer {
        let engine = EXPLICIT.name();
        if let Some(stopped) = self.too_large(system, budget) {
            return Stopped::settle(engine, Err(stopped));
        }
        match explore(system, "system", budget) {
            Ok(explored) => check(&with_names(system, &explored)),
            Err(unfinished) => {
                let shown = format!("{} states were found", unfinished.states);
                Stopped::settle(engine, Err(Stopped::from(unfinished.limit).having_shown(shown)))
            }
        }
    }

    fn too_large(&self, system: &Composition, budget: &Budget) -> Option<Stopped> {
        let most = self.most.of(system)?;
        let reason = Reason::SizeLimit { what: "states", limit: most as u64 };
        (!has_at_most(system, most, budget)).then(|| Stopped::because(reason))
    }
}

impl Engine<FiniteSystem<'_>> for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn description(&self) -> &'static str {
        "State by state, with partial-order reduction"
    }

    fn can_answer(&self, question: &Question<'_, FiniteSystem<'_>>) -> Result<(), Reason> {
        match &question.asks {
            Asks::Never(_) | Asks::Branching(_) => Err(not_of_finite_models(self.name())),
            _ => Ok(()),
        }
    }

    fn run(
        &self,
        question: &Question<'_, FiniteSystem<'_>>,
        _: &Knowledge,
        budget: &Budget,
        events: &dyn EventSink,
    ) -> Answer {
        let FiniteSystem { composition: system, unknown_actions, temporal: how } = question.about;
        let unknown_actions = *unknown_actions;
        let refining = |specification: &Lks, refines_what| {
            let settings = RefinementSettings { refines: refines_what, unknown_actions };
            self.on_explored(system, budget, |lks| refines(lks, specification, &settings, budget))
        };
        let answer = match &question.asks {
            Asks::Conforms(specification, Conformance::Trace) => refining(specification, Refines::Traces),
            Asks::Conforms(specification, Conformance::Failures) => {
                refining(specification, Refines::Failures)
            }
            Asks::Conforms(specification, Conformance::Simulation) => {
                let settings = SimulationSettings { unknown_actions, counterexamples: 1 };
                self.on_explored(system, budget, |lks| {
                    simulates(lks, specification, &settings, budget).answer
                })
            }
            Asks::MakesProgress(test) => match self.too_large(system, budget) {
                Some(stopped) => Stopped::settle(self.name(), Err(stopped)),
                None => temporal::progress(*system, test, budget),
            },
            Asks::Satisfies(formula) => {
                let most_states = self.most.of(system).or(how.most_states);
                temporal::holds(*system, formula, &TemporalSettings { most_states, ..how.clone() }, budget)
            }
            asks => {
                let safety = SafetyQuestion::of(asks).expect("it can answer what is left");
                let settings = ExplicitSettings {
                    order: self.order,
                    reduction: Reduction::PartialOrder,
                    most_states: self.most.of(system),
                };
                explicit::safe(system, safety, &settings, budget, events)
            }
        };
        named_as(question, answer)
    }
}

/// Sets of states as BDDs.
pub struct Symbolic {
    most_nodes: Option<usize>,
}

impl Engine<FiniteSystem<'_>> for Symbolic {
    fn name(&self) -> &'static str {
        "symbolic"
    }

    fn description(&self) -> &'static str {
        "Sets of states as decision diagrams"
    }

    fn can_answer(&self, question: &Question<'_, FiniteSystem<'_>>) -> Result<(), Reason> {
        by_structure(self.name(), question, |_| None)
    }

    fn run(
        &self,
        question: &Question<'_, FiniteSystem<'_>>,
        _: &Knowledge,
        budget: &Budget,
        events: &dyn EventSink,
    ) -> Answer {
        let FiniteSystem { composition: system, unknown_actions, temporal: how } = question.about;
        let limits = SymbolicSettings { most_nodes: self.most_nodes };
        let answer = match &question.asks {
            Asks::Conforms(specification, _) => {
                let settings = SimulationSettings { unknown_actions: *unknown_actions, counterexamples: 1 };
                symbolic::conforms(system, specification, &settings, &limits, budget)
            }
            Asks::Satisfies(formula) => symbolic::holds(system, formula, how, &limits, budget),
            Asks::MakesProgress(test) => symbolic::progress(system, test, &limits, budget),
            asks => {
                let safety = SafetyQuestion::of(asks).expect("it can answer what is left");
                symbolic::safe(system, safety, &limits, budget, events)
            }
        };
        named_as(question, answer)
    }
}

/// Parts joined and minimised two at a time.
pub struct Compositional {
    most_states: Option<usize>,
}

impl Engine<FiniteSystem<'_>> for Compositional {
    fn name(&self) -> &'static str {
        "compositional"
    }

    fn description(&self) -> &'static str {
        "Components reduced before they are composed"
    }

    fn can_answer(&self, question: &Question<'_, FiniteSystem<'_>>) -> Result<(), Reason> {
        by_structure(self.name(), question, |_| None)
    }

    fn run(
        &self,
        question: &Question<'_, FiniteSystem<'_>>,
        _: &Knowledge,
        budget: &Budget,
        _: &dyn EventSink,
    ) -> Answer {
        let FiniteSystem { composition: system, unknown_actions, temporal: how } = question.about;
        let limits = CompositionalSettings { most_states: self.most_states };
        let answer = match &question.asks {
            Asks::Conforms(specification, _) => {
                let settings = SimulationSettings { unknown_actions: *unknown_actions, counterexamples: 1 };
                compositional::conforms(system, specification, &settings, &limits, budget)
            }
            Asks::Satisfies(formula) => compositional::holds(system, formula, how, &limits, budget),
            Asks::MakesProgress(test) => compositional::progress(system, test, &limits, budget),
            asks => {
                let safety = SafetyQuestion::of(asks).expect("it can answer what is left");
                compositional::safe(system, safety, &limits, budget)
            }
        };
        named_as(question, answer)
    }
}

/// Why learned assumptions do not help, if they do not.
fn not_by_assumptions(asks: &Asks) -> Option<&'static str> {
    match asks {
        Asks::NoError => None,
        Asks::Conforms(..) => Some("assumptions are about traces, and simulation is more than traces"),
        Asks::Satisfies(_) => Some("assumptions are about finite traces, and a formula is about whole runs"),
        Asks::MakesProgress(_) => {
            Some("assumptions are about finite traces, and progress is about whole runs")
        }
        _ => Some("assumptions are about traces, and a deadlock is not a trace"),
    }
}

/// Learned assumptions, the asymmetric rule.
pub struct Learn1;

impl Engine<FiniteSystem<'_>> for Learn1 {
    fn name(&self) -> &'static str {
        "learn1"
    }

    fn description(&self) -> &'static str {
        "Assume-guarantee by learning, rule 1"
    }

    fn can_answer(&self, question: &Question<'_, FiniteSystem<'_>>) -> Result<(), Reason> {
        by_structure(self.name(), question, not_by_assumptions)
    }

    fn run(
        &self,
        question: &Question<'_, FiniteSystem<'_>>,
        _: &Knowledge,
        budget: &Budget,
        _: &dyn EventSink,
    ) -> Answer {
        named_as(question, by_rule_1(question.about.composition, budget))
    }
}

/// Learned assumptions, the symmetric rule.
pub struct Learn2;

impl Engine<FiniteSystem<'_>> for Learn2 {
    fn name(&self) -> &'static str {
        "learn2"
    }

    fn description(&self) -> &'static str {
        "Assume-guarantee by learning, rule 2"
    }

    fn can_answer(&self, question: &Question<'_, FiniteSystem<'_>>) -> Result<(), Reason> {
        by_structure(self.name(), question, not_by_assumptions)
    }

    fn run(
        &self,
        question: &Question<'_, FiniteSystem<'_>>,
        _: &Knowledge,
        budget: &Budget,
        _: &dyn EventSink,
    ) -> Answer {
        named_as(question, by_rule_2(question.about.composition, budget))
    }
}

/// Quotients of components, refined where they are too coarse.
pub struct TwoLevel;

impl Engine<FiniteSystem<'_>> for TwoLevel {
    fn name(&self) -> &'static str {
        "two-level"
    }

    fn description(&self) -> &'static str {
        "Components abstracted and refined as needed"
    }

    fn can_answer(&self, question: &Question<'_, FiniteSystem<'_>>) -> Result<(), Reason> {
        by_structure(self.name(), question, |asks| match asks {
            Asks::Satisfies(_) => Some("a quotient has cycles that no component has"),
            Asks::MakesProgress(_) => Some("a quotient can do for ever what no component can"),
            _ => None,
        })
    }

    fn run(
        &self,
        question: &Question<'_, FiniteSystem<'_>>,
        _: &Knowledge,
        budget: &Budget,
        events: &dyn EventSink,
    ) -> Answer {
        let system = question.about.composition;
        let answer = match &question.asks {
            Asks::Conforms(specification, _) => {
                two_level::conforms(system, specification, question.about.unknown_actions, budget, events)
            }
            asks => {
                let safety = SafetyQuestion::of(asks).expect("it can answer what is left");
                iterative::safe(system, safety, budget, events)
            }
        };
        named_as(question, answer)
    }
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
