//! The engines for finite models, a row each, and the tables by which `auto` takes them: cheap ones first,
//! and the answer says which engine answered and why. Each can be forced. What the rows do is in `runs`.

mod runs;

use crate::conformance::{cannot_watch, watched};
use crate::safety::explicit::Order;
use crate::temporal::TemporalSettings;
use crate::weak_moves::UnknownActions;
use base::{Budget, EventSink};
use indexmap::IndexSet;
use lks::{Composition, Successors, SystemState};
use question::{
    Answer, Asks, Conformance, Engine, Knowledge, Monitor, Question, Row, ask_only, first_to_decide,
};
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

/// An engine for finite models: a row of [`ENGINES`], or one of those with less effort.
#[derive(Clone, Copy, Debug)]
pub struct FiniteEngine {
    name: &'static str,
    description: &'static str,
    /// Why it is not for what is asked, if it is not.
    cannot: fn(&FiniteSystem<'_>, &Asks) -> Option<&'static str>,
    run: runs::Run,
    effort: Effort,
}

/// How far an engine goes.
#[derive(Clone, Copy, Debug)]
struct Effort {
    /// In which order states are looked at one by one.
    order: Order,
    most: Most,
}

/// How many states are looked at, one by one or in a product of two parts, or how many nodes diagrams may
/// have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Most {
    /// All of them.
    All,
    /// So many.
    Of(usize),
    /// Fewer than [`FEW_STATES`], if each has many parts.
    FewForItsParts,
    /// A guess that leads well needs about one step per component and state.
    OnePerLocalState,
}

impl Most {
    fn of(self, system: &Composition) -> Option<usize> {
        let few = FEW_STATES / (1 + system.components().len() / COMPONENTS_THAT_DOUBLE);
        match self {
            Most::All => None,
            Most::Of(most) => Some(most),
            Most::FewForItsParts => Some(few),
            Most::OnePerLocalState => {
                let local_states: usize = system.components().iter().map(|part| part.lks.state_count()).sum();
                Some(local_states.min(few))
            }
        }
    }
}

impl FiniteEngine {
    const fn new(
        name: &'static str,
        description: &'static str,
        cannot: fn(&FiniteSystem<'_>, &Asks) -> Option<&'static str>,
        run: runs::Run,
    ) -> FiniteEngine {
        let effort = Effort { order: Order::BreadthFirst, most: Most::All };
        FiniteEngine { name, description, cannot, run, effort }
    }

    /// The same with at most so much effort.
    const fn at_most(self, most: Most) -> FiniteEngine {
        FiniteEngine { effort: Effort { most, ..self.effort }, ..self }
    }
}

/// States one by one, with partial-order reduction.
pub static EXPLICIT: FiniteEngine = BY_STATES;
/// Sets of states as BDDs.
pub static SYMBOLIC: FiniteEngine = BY_SETS;
/// Parts joined and minimised two at a time.
pub static COMPOSITIONAL: FiniteEngine = BY_PARTS;
/// Learned assumptions, the asymmetric rule.
pub static LEARN1: FiniteEngine =
    FiniteEngine::new("learn1", "Assume-guarantee by learning, rule 1", not_by_assumptions, runs::by_rule_1);
/// Learned assumptions, the symmetric rule.
pub static LEARN2: FiniteEngine =
    FiniteEngine::new("learn2", "Assume-guarantee by learning, rule 2", not_by_assumptions, runs::by_rule_2);
/// Quotients of components, refined where they are too coarse.
pub static TWO_LEVEL: FiniteEngine = FiniteEngine::new(
    "two-level",
    "Components abstracted and refined as needed",
    not_by_quotients,
    runs::by_quotients,
);

const BY_STATES: FiniteEngine = FiniteEngine::new(
    "explicit",
    "State by state, with partial-order reduction",
    |_, _| None,
    runs::by_states,
);
const BY_SETS: FiniteEngine =
    FiniteEngine::new("symbolic", "Sets of states as decision diagrams", not_by_structure, runs::by_sets);
const BY_PARTS: FiniteEngine = FiniteEngine::new(
    "compositional",
    "Components reduced before they are composed",
    not_by_structure,
    runs::by_parts,
);

/// All engines, in the order in which they are listed to users.
pub static ENGINES: [&FiniteEngine; 6] = [&EXPLICIT, &SYMBOLIC, &COMPOSITIONAL, &LEARN1, &LEARN2, &TWO_LEVEL];

/// Names and descriptions, for who lists them.
pub fn listed() -> impl Iterator<Item = (&'static str, &'static str)> {
    ENGINES.into_iter().map(|engine| (engine.name, engine.description))
}

/// The engine of that name.
pub fn named(name: &str) -> Option<&'static FiniteEngine> {
    ENGINES.into_iter().find(|engine| engine.name == name)
}

/// What an engine that looks at more than states is not for.
fn not_by_structure(system: &FiniteSystem<'_>, asks: &Asks) -> Option<&'static str> {
    match asks {
        Asks::Conforms(_, Conformance::Failures) => Some("failures are compared state by state"),
        // What can be watched was asked as a safety question.
        Asks::Conforms(_, Conformance::Trace) => {
            Some(cannot_watch(system.composition).unwrap_or("the specification must watch the system"))
        }
        _ => None,
    }
}

/// Why learned assumptions do not help, if they do not.
fn not_by_assumptions(system: &FiniteSystem<'_>, asks: &Asks) -> Option<&'static str> {
    not_by_structure(system, asks).or(match asks {
        Asks::NoError => None,
        Asks::Conforms(..) => Some("assumptions are about traces, and simulation is more than traces"),
        Asks::Satisfies(_) => Some("assumptions are about finite traces, and a formula is about whole runs"),
        Asks::MakesProgress(_) => {
            Some("assumptions are about finite traces, and progress is about whole runs")
        }
        _ => Some("assumptions are about traces, and a deadlock is not a trace"),
    })
}

/// What quotients do not tell.
fn not_by_quotients(system: &FiniteSystem<'_>, asks: &Asks) -> Option<&'static str> {
    not_by_structure(system, asks).or(match asks {
        Asks::Satisfies(_) => Some("a quotient has cycles that no component has"),
        Asks::MakesProgress(_) => Some("a quotient can do for ever what no component can"),
        _ => None,
    })
}

impl Engine<FiniteSystem<'_>> for FiniteEngine {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> &'static str {
        self.description
    }

    fn can_answer(&self, question: &Question<'_, FiniteSystem<'_>>) -> Result<(), Reason> {
        let why = match &question.asks {
            Asks::Never(_) | Asks::Branching(_) => Some("that is not a question about finite models"),
            asks => (self.cannot)(question.about, asks),
        };
        why.map_or(Ok(()), |why| Err(Reason::EngineCannot { engine: self.name, why: why.to_owned() }))
    }

    fn run(
        &self,
        question: &Question<'_, FiniteSystem<'_>>,
        _: &Knowledge,
        budget: &Budget,
        events: &dyn EventSink,
    ) -> Answer {
        let mut answer = (self.run)(question.about, &question.asks, self.effort, Monitor { budget, events });
        answer.property.clone_from(&question.name);
        answer
    }
}

/// `auto` looks at about this many states one by one before it turns to structure; at fewer if each has many
/// parts.
pub const FEW_STATES: usize = 100_000;
/// So many components make a state twice as dear.
const COMPONENTS_THAT_DOUBLE: usize = 4;
/// `auto` first lets products of two parts grow to this many states: where the order of joining is good, they
/// stay small.
const SMALL_PRODUCTS: FiniteEngine = BY_PARTS.at_most(Most::Of(1 << 13));
/// Later it lets them grow to this many before it turns to BDDs.
const MODEST_PRODUCTS: FiniteEngine = BY_PARTS.at_most(Most::Of(1 << 21));
/// Before that it sees whether sets of states stay small: diagrams of so many nodes take seconds, not
/// minutes.
const SMALL_DIAGRAMS: FiniteEngine = BY_SETS.at_most(Most::Of(1 << 20));
/// Few states, nearest first.
const FEW: FiniteEngine = BY_STATES.at_most(Most::Of(FEW_STATES));
/// Led by the distance to what is looked for.
const DIRECTED: FiniteEngine =
    FiniteEngine { effort: Effort { order: Order::Directed, most: Most::OnePerLocalState }, ..BY_STATES };

const JOINED: &str = "the states are many, and parts of the system become small when joined";
const SETS: &str = "the states are many, and joining parts did not keep them few";
const LAST: &str = "nothing else could answer";

/// An engine, and why it is the one that answers if it does.
type Attempt = (FiniteEngine, &'static str);

/// Cheap first: look at some states, shortest runs first; let a guess lead, which finds errors of large
/// systems; see whether joined parts stay small, or sets of states; then more of the same; at last look at
/// all states.
static FOR_SAFETY: [Attempt; 8] = [
    (BY_STATES.at_most(Most::FewForItsParts), "the states are few enough to look at each"),
    (DIRECTED, "a search led by the distance to the violation found it"),
    (SMALL_PRODUCTS, JOINED),
    (SMALL_DIAGRAMS, SETS),
    (FEW, "the states can be looked at one by one"),
    (MODEST_PRODUCTS, JOINED),
    (BY_SETS, SETS),
    (BY_STATES, LAST),
];
static FOR_SIMULATION: [Attempt; 6] = with_structure("the states are few enough to play the game on each");
static FOR_PROGRESS: [Attempt; 6] = with_structure("the states are few enough to look at each");
static FOR_FORMULAS: [Attempt; 6] = with_structure("the product with the automaton is searched on the fly");
static ONLY_BY_STATES: [Attempt; 1] = [(BY_STATES, "")];

const fn with_structure(few: &'static str) -> [Attempt; 6] {
    [
        (FEW, few),
        (SMALL_PRODUCTS, JOINED),
        (SMALL_DIAGRAMS, SETS),
        (MODEST_PRODUCTS, JOINED),
        (BY_SETS, SETS),
        (BY_STATES, LAST),
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

/// Answers by this engine, or by the table if none is given. Whether traces conform is asked as a safety
/// question, with the specification as a watcher, wherever that is possible.
pub fn ask(
    question: &Question<'_, FiniteSystem<'_>>,
    engine: Option<&FiniteEngine>,
    budget: &Budget,
    events: &dyn EventSink,
) -> Answer {
    let system = question.about;
    let by_states = engine.is_some_and(|engine| engine.name == EXPLICIT.name);
    if let Asks::Conforms(specification, Conformance::Trace) = &question.asks
        && !by_states
        && cannot_watch(system.composition).is_none()
    {
        return match watched(system.composition, specification, system.unknown_actions, budget) {
            Err(limit) => {
                let engine = engine.map_or("auto", |engine| engine.name);
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
            attempts.map(|(engine, because)| Row::always(engine, because)).collect();
        return first_to_decide(&rows, question, &knowledge, budget, events);
    };
    ask_only(engine, "use --engine auto", question, &knowledge, budget, events)
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
