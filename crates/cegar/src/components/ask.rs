//! One check of the abstract system: the engines that answer on it, the table that chooses among them, and
//! their counterexamples in terms of the parts.

use super::Settings;
use super::fair::SystemFairness;
use super::lassos::other_violations;
use super::localise::safe_by_a_few;
use super::parts::SystemPart;
use super::refusals::{run_before_the_stop, telling_refusals};
use super::returns::{MOST_SETS, allowing, disagreements, with_disagreements};
use super::several::{Sought, other_runs};
use super::witness::{self, Witness};
use base::{Budget, EventSink};
use check::UnknownActions;
use check::compositional::{self, CompositionalSettings};
use check::conformance::watched;
use check::engine::{self, FiniteEngine, FiniteSystem};
use check::simulation::{SimulationSettings, simulates};
use check::temporal::{Fairness, TemporalSettings, holds};
use check::two_level;
use lks::{
    ActionId, Component, Composition, Lks, LksBuilder, Role, StateId, StateMark, SyncId, explore_telling,
};
use question::{
    Answer, Asks, Conformance, Engine, Knowledge, Monitor, Question, Row, Share, Verdict, When,
    first_to_decide,
};
use rustc_hash::FxHashSet;
use spec::{Atom, Formula};
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use verdict::{Reason, Undecided};

/// Past this many states of a joined part, parts are not joined.
const MOST_JOINED_STATES: usize = 1_000_000;

/// The same where the answer is not worth much.
const FEW_JOINED_STATES: usize = 5_000;

/// With this many parts it is worth a try to leave some out.
const MANY_PARTS: usize = 6;

/// How hard a check may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effort {
    /// As hard as the budget allows.
    Full,
    /// If it is not easy, it is left undecided.
    Little,
}

/// What a check of the abstract system says.
pub(super) struct AbstractAnswer {
    /// The answer about the abstraction.
    pub answer: Answer,
    /// Counterexamples in terms of the parts, if it is violated.
    pub witnesses: Vec<Witness>,
    /// States of the product, where it was built.
    pub product_states: usize,
}

impl AbstractAnswer {
    fn of(answer: Answer) -> AbstractAnswer {
        let product_states = answer.statistics.value("states").unwrap_or(0) as usize;
        AbstractAnswer { answer, witnesses: Vec::new(), product_states }
    }
}

/// A copy whose states are told by their numbers, as counterexamples are read back, with these marks, and
/// able to make these events anywhere without changing.
fn rebuilt(process: &Lks, mark: impl Fn(StateId) -> StateMark, anywhere: &[&str]) -> Lks {
    let mut builder = LksBuilder::with_names(process.name(), process.alphabet(), process.propositions());
    let loops: Vec<ActionId> = anywhere.iter().map(|name| builder.action(name)).collect();
    for state in process.states() {
        builder.state();
        builder.mark(state, mark(state));
        for proposition in process.propositions().ids().filter(|&one| process.holds(state, one)) {
            builder.label(state, proposition);
        }
    }
    for state in process.states() {
        process.transitions(state).for_each(|(action, to)| builder.transition(state, action, to));
        loops.iter().for_each(|&action| builder.transition(state, action, state));
    }
    process.initial().iter().for_each(|&state| builder.initial(state));
    builder.build()
}

/// The abstractions of the parts in parallel, and what is asked of them.
pub(super) struct Abstracted {
    system: Composition,
    asks: Asks,
    fairness: Fairness,
}

impl Abstracted {
    /// Of parts that are abstracted.
    pub fn of(parts: &[SystemPart], asks: &Asks, fairness: &SystemFairness) -> Result<Abstracted, Undecided> {
        // Only formulas speak of infinite runs.
        let unfair = SystemFairness::default();
        let fair_to = if matches!(asks, Asks::Satisfies(_)) { fairness } else { &unfair };
        let system = composition(parts, asks, fair_to);
        let composed: Vec<Arc<Lks>> = system.components().iter().map(|one| one.lks.clone()).collect();
        let fairness = fair_to.of_actions(parts, &composed);
        let Asks::Conforms(process, how) = asks else {
            return Ok(Abstracted { system, asks: asks.clone(), fairness });
        };
        let process = allowing(process, &disagreements(parts)).ok_or_else(|| {
            let what = "sets of states of the process after the same events";
            Undecided::because(Reason::SizeLimit { what, limit: MOST_SETS as u64 })
        })?;
        let system = system.hiding(|name| process.alphabet().find(name).is_none());
        Ok(Abstracted { system, asks: Asks::Conforms(process, *how), fairness })
    }
}

fn composition(parts: &[SystemPart], asks: &Asks, fairness: &SystemFairness) -> Composition {
    let mut disagreements = disagreements(parts);
    if let Asks::NoDeadlock = asks {
        disagreements.retain(|one| one.is_allowed);
    }
    let is_awaited = awaited(parts);
    let components = parts.iter().enumerate().map(|(index, part)| {
        let lks = match part {
            SystemPart::Code(code) => {
                let lks = &code.view.as_ref().expect("abstracted before it is asked about").lks;
                with_disagreements(lks, index, &disagreements)
            }
            SystemPart::Process(lks) => Arc::new(rebuilt(lks, |state| lks.mark(state), &[])),
        };
        let is_watcher = matches!(asks, Asks::NoDeadlock) && !is_awaited[index];
        let role = if is_watcher { Role::Watcher } else { Role::Process };
        let lks = fairness.with_silence_named(lks, index);
        Component { name: part.name(), lks, role }
    });
    Composition::new(components.collect())
}

/// Which parts must have ended for the system to have ended: as in `model`, those that cannot end and can do
/// nothing without those that can are not waited for (a lock, a buffer, a server).
fn awaited(parts: &[SystemPart]) -> Vec<bool> {
    let ends: Vec<bool> = parts.iter().map(SystemPart::can_end).collect();
    let of = |wanted: bool| parts.iter().zip(&ends).filter(move |(_, ends)| **ends == wanted);
    let known: FxHashSet<Arc<str>> = of(true).flat_map(|(part, _)| part.events()).collect();
    let serve = ends.contains(&true)
        && of(false).all(|(part, _)| part.events().iter().all(|event| known.contains(event)));
    ends.iter().map(|&ends| ends || !serve).collect()
}

/// The abstract system as its engines see it.
pub struct AbstractSystem<'a> {
    parts: &'a [SystemPart],
    composition: &'a Composition,
    /// Which infinite runs count.
    fairness: &'a Fairness,
    /// Counterexamples that are wanted.
    counterexamples: usize,
    effort: Effort,
    /// What was found in terms of the parts.
    witnesses: RefCell<Vec<Witness>>,
    product_states: Cell<usize>,
}

/// A deterministic process simulates what its traces contain: the game is not needed.
fn traces_are_enough(question: &Question<'_, AbstractSystem<'_>>) -> bool {
    let Asks::Conforms(process, how) = &question.asks else { return false };
    *how == Conformance::Trace || process.is_deterministic() && process.error_states().is_empty()
}

/// An engine for abstract systems.
pub type AbstractEngine = dyn for<'a> Engine<AbstractSystem<'a>> + Sync;

/// How an engine answers simulation.
#[derive(Clone, Copy)]
enum Simulation {
    /// As a game on the system and the process, for so many counterexamples.
    Played(fn(&Composition, &Lks, usize, Monitor<'_>) -> AbstractAnswer),
    /// As traces: it is asked only where they are enough.
    ByTraces,
    /// Not at all: it knows traces only.
    Refused,
}

/// How an engine answers each kind of question.
struct ByCases {
    name: &'static str,
    description: &'static str,
    /// The engine of `check` for runs into errors and deadlocks.
    finite: Option<&'static FiniteEngine>,
    simulation: Simulation,
    /// Is ERROR out of reach of the system with a watcher for traces that the process does not have?
    by_traces: fn(&ByCases, &Composition, Monitor<'_>) -> Answer,
    /// One conjunct of a formula.
    formula: fn(&Composition, &Formula, &Fairness, Effort, Monitor<'_>) -> Answer,
}

/// The engines that users can ask for by name.
static NAMED: [ByCases; 5] = [
    ByCases {
        name: "plain",
        description: "State by state",
        finite: Some(&engine::EXPLICIT),
        simulation: Simulation::Played(game),
        ..USUAL
    },
    ByCases {
        name: "two-level",
        description: "Quotients of components, refined as needed",
        finite: Some(&engine::TWO_LEVEL),
        simulation: Simulation::Played(game_of_quotients),
        formula: |system, formula, fairness, _, monitor| {
            by_states_instead("two-level", FORMULA_IS_NO_TRACE, system, formula, fairness, monitor)
        },
        ..USUAL
    },
    ByCases {
        name: "ag1",
        description: "Assume-guarantee by learning, rule 1",
        finite: Some(&engine::LEARN1),
        simulation: Simulation::Refused,
        formula: |system, formula, fairness, _, monitor| {
            by_states_instead("ag1", FORMULA_IS_NO_TRACE, system, formula, fairness, monitor)
        },
        ..USUAL
    },
    ByCases {
        name: "ag2",
        description: "Assume-guarantee by learning, rule 2",
        finite: Some(&engine::LEARN2),
        simulation: Simulation::Refused,
        formula: |system, formula, fairness, _, monitor| {
            by_states_instead("ag2", FORMULA_IS_NO_TRACE, system, formula, fairness, monitor)
        },
        ..USUAL
    },
    ByCases {
        name: "symbolic",
        description: "Sets of states as decision diagrams",
        finite: Some(&engine::SYMBOLIC),
        simulation: Simulation::Played(game_of_sets),
        formula: |system, formula, fairness, _, monitor| {
            if !fairness.is_none() {
                let why = "it does not know fairness";
                return by_states_instead("symbolic", why, system, formula, fairness, monitor);
            }
            asked_of(system, Asks::Satisfies(formula.clone()), Some(&engine::SYMBOLIC), monitor)
        },
        ..USUAL
    },
];

/// What most engines do.
const USUAL: ByCases = ByCases {
    name: "auto",
    description: "Chosen for the question",
    finite: None,
    simulation: Simulation::ByTraces,
    by_traces: |engine, watched, monitor| asked_of(watched, Asks::NoError, engine.finite, monitor),
    formula: |system, formula, fairness, _, monitor| {
        let settings = TemporalSettings { fairness: fairness.clone(), ..TemporalSettings::default() };
        holds(system, formula, &settings, monitor)
    },
};

const FORMULA_IS_NO_TRACE: &str = "a formula is about whole runs, not about their beginnings";

/// Only the table asks these.
static USUALLY: ByCases = USUAL;
static BY_A_FEW: ByCases = ByCases {
    name: "localise",
    description: "A few of many components",
    by_traces: |_, watched, monitor| safe_by_a_few(watched, monitor),
    ..USUAL
};
static JOINING: ByCases = ByCases {
    name: "compositional",
    description: "Parts made small before they are put together",
    formula: by_joining,
    ..USUAL
};

/// The engines that can be asked for by name, in the order they are listed to users.
pub fn engines() -> impl Iterator<Item = &'static AbstractEngine> {
    NAMED.iter().map(|engine| -> &'static AbstractEngine { engine })
}

/// The engine of that name.
pub fn engine_named(name: &str) -> Option<&'static AbstractEngine> {
    engines().find(|engine| engine.name() == name)
}

/// Which engine answers if none is asked for: the cheap ones first.
fn table<'a>() -> [Row<'a, AbstractSystem<'a>>; 5] {
    type Applies<'a> = fn(&Question<'_, AbstractSystem<'a>>, &Knowledge) -> bool;
    fn row<'a>(engine: &'static ByCases, applies: Applies<'a>) -> Row<'a, AbstractSystem<'a>> {
        Row { engine, when: When { applies, because: "" }, share: Share::ALL }
    }
    [
        row(&BY_A_FEW, |question, _| traces_are_enough(question) && question.about.parts.len() >= MANY_PARTS),
        row(&USUALLY, |question, _| traces_are_enough(question)),
        row(&NAMED[0], |question, _| {
            matches!(question.asks, Asks::Conforms(..)) && !traces_are_enough(question)
        }),
        row(&JOINING, |question, _| matches!(question.asks, Asks::Satisfies(_))),
        row(&USUALLY, |question, _| matches!(question.asks, Asks::NoDeadlock)),
    ]
}

impl Engine<AbstractSystem<'_>> for ByCases {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> &'static str {
        self.description
    }

    fn can_answer(&self, question: &Question<'_, AbstractSystem<'_>>) -> Result<(), Reason> {
        let why = match &question.asks {
            Asks::Conforms(_, Conformance::Simulation) if self.knows_traces_only() => {
                "assumptions are about traces, and simulation is more than traces"
            }
            Asks::Conforms(_, Conformance::Simulation | Conformance::Trace)
            | Asks::Satisfies(_)
            | Asks::NoDeadlock => return Ok(()),
            _ => "components are asked for conformance, formulas and deadlock",
        };
        Err(Reason::EngineCannot { engine: self.name, why: why.to_owned() })
    }

    fn run(
        &self,
        question: &Question<'_, AbstractSystem<'_>>,
        _: &Knowledge,
        budget: &Budget,
        events: &dyn EventSink,
    ) -> Answer {
        let system = question.about;
        let monitor = Monitor { budget, events };
        let asked = match &question.asks {
            Asks::Conforms(process, how) => self.conforms(system, process, *how, monitor),
            Asks::Satisfies(formula) => self.satisfies(system, formula, monitor),
            _ => self.deadlock_free(system, monitor),
        };
        system.product_states.set(asked.product_states);
        system.witnesses.replace(asked.witnesses);
        asked.answer
    }
}

/// Puts the parts together and answers the question.
pub(super) fn ask(
    parts: &[SystemPart],
    asks: &Asks,
    settings: &Settings,
    effort: Effort,
    monitor: Monitor<'_>,
) -> AbstractAnswer {
    match Abstracted::of(parts, asks, &settings.fairness) {
        Ok(abstracted) => ask_of(&abstracted, parts, settings, effort, monitor),
        Err(undecided) => AbstractAnswer::of(Answer::by("watched", undecided)),
    }
}

/// Answers the question on the abstract system.
pub(super) fn ask_of(
    abstracted: &Abstracted,
    parts: &[SystemPart],
    settings: &Settings,
    effort: Effort,
    monitor: Monitor<'_>,
) -> AbstractAnswer {
    let system = AbstractSystem {
        parts,
        composition: &abstracted.system,
        fairness: &abstracted.fairness,
        counterexamples: settings.counterexamples,
        effort,
        witnesses: RefCell::default(),
        product_states: Cell::new(0),
    };
    let question = Question { name: String::new(), about: &system, asks: abstracted.asks.clone() };
    let knowledge = Knowledge::new();
    // What is left undecided if it is not easy goes to the engine that finds that out at once.
    let is_left = effort == Effort::Little && matches!(question.asks, Asks::Satisfies(_));
    let answer = match settings.engine.filter(|_| !is_left) {
        None => first_to_decide(&table(), &question, &knowledge, monitor.budget, monitor.events),
        Some(engine) => match engine.can_answer(&question) {
            Ok(()) => engine.run(&question, &knowledge, monitor.budget, monitor.events),
            Err(reason) => {
                let undecided = Undecided::because(reason)
                    .try_next("use --engine auto")
                    .try_next("use --conformance trace");
                Answer::new("", engine.name(), undecided.into())
            }
        },
    };
    AbstractAnswer { answer, witnesses: system.witnesses.take(), product_states: system.product_states.get() }
}

impl ByCases {
    fn conforms(
        &self,
        system: &AbstractSystem<'_>,
        process: &Lks,
        how: Conformance,
        monitor: Monitor<'_>,
    ) -> AbstractAnswer {
        let seen = system.composition;
        if let (Conformance::Simulation, Simulation::Played(play)) = (how, self.simulation) {
            return play(seen, process, system.counterexamples.max(1), monitor);
        }
        // Watching keeps the states of the components apart, which the counterexample needs.
        match watched(seen, process, UnknownActions::Forbidden, monitor.budget) {
            Err(limit) => AbstractAnswer::of(Answer::by("watched", Undecided::from(limit))),
            Ok(watched) => {
                let answer = (self.by_traces)(self, &watched, monitor);
                let asked = with_runs(&watched, system.parts, answer);
                with_others(asked, &watched, system, Sought::Error, monitor)
            }
        }
    }

    /// Does it know traces only?
    fn knows_traces_only(&self) -> bool {
        matches!(self.simulation, Simulation::Refused)
    }

    fn satisfies(
        &self,
        system: &AbstractSystem<'_>,
        formula: &Formula,
        monitor: Monitor<'_>,
    ) -> AbstractAnswer {
        // Components that are checked together return alike, whatever else is asked.
        let formula = disagreements(system.parts).iter().filter(|one| !one.is_allowed).fold(
            formula.clone(),
            |formula, one| {
                let never = Formula::Atom(Atom::Event(one.name.clone())).negate();
                formula.and(Formula::Always(Arc::new(never)))
            },
        );
        self.conjuncts(system, &formula, monitor)
    }

    /// Every conjunct is asked for alone: each has a small automaton, and lets more of the system be put
    /// together.
    fn conjuncts(
        &self,
        system: &AbstractSystem<'_>,
        formula: &Formula,
        monitor: Monitor<'_>,
    ) -> AbstractAnswer {
        if let Formula::And(first, second) = formula {
            let asked = self.conjuncts(system, first, monitor);
            if !matches!(asked.answer.verdict, Verdict::Holds(_)) {
                return asked;
            }
            let mut other = self.conjuncts(system, second, monitor);
            other.product_states = other.product_states.max(asked.product_states);
            other.answer.remarks.extend(asked.answer.remarks);
            return other;
        }
        let answer = (self.formula)(system.composition, formula, system.fairness, system.effort, monitor);
        if system.effort == Effort::Little || answer.verdict.is_undecided() {
            return AbstractAnswer::of(answer);
        }
        let mut asked = with_runs(system.composition, system.parts, answer);
        asked.witnesses.iter_mut().for_each(|witness| witness.is_fair = !system.fairness.is_none());
        let wanted = system.counterexamples.saturating_sub(asked.witnesses.len());
        // The others would have to be fair as well.
        if !asked.witnesses.is_empty() && wanted > 0 && system.fairness.is_none() {
            let parts = system.parts.len();
            let others = other_violations(
                system.composition,
                parts,
                formula,
                &asked.witnesses,
                wanted,
                monitor.budget,
            );
            asked.witnesses.extend(others);
        }
        asked
    }

    fn deadlock_free(&self, system: &AbstractSystem<'_>, monitor: Monitor<'_>) -> AbstractAnswer {
        let asked = if self.knows_traces_only() {
            // It knows traces only: refusals are made visible.
            let telling = telling_refusals(system.composition);
            let answer = asked_of(&telling, Asks::NoError, self.finite, monitor);
            let mut asked = with_runs(&telling, system.parts, answer);
            asked.witnesses = asked.witnesses.into_iter().map(run_before_the_stop).collect();
            asked
        } else {
            let answer = asked_of(system.composition, Asks::NoDeadlock, self.finite, monitor);
            with_runs(system.composition, system.parts, answer)
        };
        with_others(asked, system.composition, system, Sought::Deadlock, monitor)
    }
}

/// Parts are made small before they are put together, and what was found is a run of the parts; where they do
/// not get small, state by state.
fn by_joining(
    system: &Composition,
    formula: &Formula,
    fairness: &Fairness,
    effort: Effort,
    monitor: Monitor<'_>,
) -> Answer {
    if !fairness.is_none() {
        // What is possible is asked state by state.
        return (USUAL.formula)(system, formula, fairness, effort, monitor);
    }
    let most = if effort == Effort::Little { FEW_JOINED_STATES } else { MOST_JOINED_STATES };
    let limits = CompositionalSettings { most_states: Some(most) };
    let answer = compositional::holds(system, formula, &TemporalSettings::default(), &limits, monitor);
    if effort == Effort::Full && answer.verdict.is_undecided() {
        return (USUAL.formula)(system, formula, fairness, effort, monitor);
    }
    answer
}

/// A formula for an engine that has no way to answer it.
fn by_states_instead(
    engine: &str,
    why: &str,
    system: &Composition,
    formula: &Formula,
    fairness: &Fairness,
    monitor: Monitor<'_>,
) -> Answer {
    let mut answer = (USUAL.formula)(system, formula, fairness, Effort::Full, monitor);
    answer.remarks.push(format!("--engine {engine} is not for formulas ({why}): answered state by state"));
    answer
}

/// What an engine of finite models says of an abstract system.
pub(super) fn asked_of(
    system: &Composition,
    asks: Asks,
    engine: Option<&FiniteEngine>,
    monitor: Monitor<'_>,
) -> Answer {
    check::ask(&FiniteSystem::new(system).question("", asks), engine, monitor.budget, monitor.events)
}

fn with_runs(system: &Composition, parts: &[SystemPart], answer: Answer) -> AbstractAnswer {
    let mut asked = AbstractAnswer::of(answer);
    if let Verdict::Violated(counterexample) = &asked.answer.verdict {
        match counterexample.as_ref() {
            // The explicit engine explores first and shows states of the whole.
            question::Counterexample::Path(path) if path.start.components.len() < parts.len() => {
                asked.answer.verdict = unreadable().into();
            }
            counterexample => match witness::of_run(system, parts.len(), counterexample) {
                Some(witness) => asked.witnesses.push(witness),
                None => asked.answer.verdict = unreadable().into(),
            },
        }
    }
    asked
}

/// As many counterexamples as are wanted, if there are.
fn with_others(
    mut asked: AbstractAnswer,
    watched: &Composition,
    system: &AbstractSystem<'_>,
    sought: Sought,
    monitor: Monitor<'_>,
) -> AbstractAnswer {
    let wanted = system.counterexamples.saturating_sub(asked.witnesses.len());
    if !asked.witnesses.is_empty() && wanted > 0 {
        let others =
            other_runs(watched, system.parts.len(), sought, &asked.witnesses, wanted, monitor.budget);
        asked.witnesses.extend(others);
    }
    asked
}

fn unreadable() -> Undecided {
    let why = "the counterexample cannot be told apart by components".to_owned();
    Undecided::because(Reason::NotConfirmed { why }).try_next("use --engine auto")
}

/// The same question without hidden events and ends, which projections of a witness do not show: a process
/// that may make an event anywhere without changing matches it as it matches silence, and an end is a state
/// without steps.
fn with_hidden_events_shown(system: &Composition, process: &Lks) -> (Composition, Lks) {
    let hidden: Vec<&str> = system
        .syncs()
        .filter(|&sync| sync != SyncId::SILENT && system.shown(sync).is_silent())
        .map(|sync| system.sync_name(sync))
        .collect();
    let components = system.components().iter().map(|component| Component {
        name: component.name.clone(),
        lks: Arc::new(rebuilt(&component.lks, |_| StateMark::Plain, &[])),
        role: component.role,
    });
    (Composition::new(components.collect()), rebuilt(process, |state| process.mark(state), &hidden))
}

fn game_of_quotients(
    system: &Composition,
    process: &Lks,
    counterexamples: usize,
    monitor: Monitor<'_>,
) -> AbstractAnswer {
    let (shown, lenient) = with_hidden_events_shown(system, process);
    let answer = two_level::conforms(&shown, &lenient, UnknownActions::Forbidden, monitor);
    if !matches!(answer.verdict, Verdict::Violated(_)) {
        return AbstractAnswer::of(answer);
    }
    // What is violated is asked again state by state, for a tree that can be followed.
    game(system, process, counterexamples, monitor)
}

fn game_of_sets(
    system: &Composition,
    process: &Lks,
    counterexamples: usize,
    monitor: Monitor<'_>,
) -> AbstractAnswer {
    let asks = Asks::Conforms(Arc::new(process.clone()), Conformance::Simulation);
    let answer = asked_of(system, asks, Some(&engine::SYMBOLIC), monitor);
    if !matches!(answer.verdict, Verdict::Violated(_)) {
        return AbstractAnswer::of(answer);
    }
    game(system, process, counterexamples, monitor)
}

fn game(system: &Composition, process: &Lks, counterexamples: usize, monitor: Monitor<'_>) -> AbstractAnswer {
    let explored = match explore_telling(system, "system", monitor.budget, monitor.events) {
        Ok(explored) => explored,
        Err(unfinished) => {
            let undecided =
                Undecided::from(unfinished.limit).proved(format!("{} states were found", unfinished.states));
            return AbstractAnswer::of(Answer::by("plain", undecided));
        }
    };
    let how = SimulationSettings { unknown_actions: UnknownActions::Forbidden, counterexamples };
    let found = simulates(&explored.lks, process, &how, monitor);
    let mut asked = AbstractAnswer::of(Answer { engine: "plain", ..found.answer });
    for tree in &found.trees {
        match witness::of_tree(system, &explored, tree) {
            Some(witness) => asked.witnesses.push(witness),
            None => asked.answer.verdict = unreadable().into(),
        }
    }
    asked
}
