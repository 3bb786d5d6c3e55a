//! One check of the abstract system.

use super::lassos::other_violations;
use super::localise::safe_by_a_few;
use super::parts::Part;
use super::refusals::{run_before_the_stop, telling_refusals};
use super::returns::{MOST_SETS, allowing, disagreements, with_disagreements};
use super::several::{Sought, other_runs};
use super::witness::{self, Witness};
use super::{Conformance, Engine, Question, Settings};
use base::{Budget, Silent};
use check::UnknownActions;
use check::compositional::{self, CompositionalSettings};
use check::conformance::watched;
use check::engine::{self, FiniteEngine, FiniteSystem};
use check::simulation::{SimulationSettings, simulates};
use check::temporal::{TemporalSettings, holds};
use check::two_level;
use lks::{ActionId, Component, Composition, Lks, LksBuilder, Role, StateId, StateMark, SyncId, explore};
use question::{Answer, Asks, Verdict};
use rustc_hash::FxHashSet;
use spec::{Atom, Formula};
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
pub(super) struct Asked {
    /// The answer about the abstraction.
    pub answer: Answer,
    /// Counterexamples in terms of the parts, if it is violated.
    pub witnesses: Vec<Witness>,
    /// States of the product, where it was built.
    pub product_states: usize,
}

impl Asked {
    fn of(answer: Answer) -> Asked {
        let product_states = answer.statistics.value("states").unwrap_or(0) as usize;
        Asked { answer, witnesses: Vec::new(), product_states }
    }
}

/// A copy whose states are told by their numbers, as counterexamples are read back, with these marks, and able to make these
/// events anywhere without changing.
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

fn composition(parts: &[Part], question: &Question) -> Composition {
    let mut disagreements = disagreements(parts);
    if let Question::DeadlockFree = question {
        disagreements.retain(|one| one.is_allowed);
    }
    let is_awaited = awaited(parts);
    let components = parts.iter().enumerate().map(|(index, part)| {
        let lks = match part {
            Part::Code(code) => {
                let lks = &code.view.as_ref().expect("abstracted before it is asked about").lks;
                with_disagreements(lks, index, &disagreements)
            }
            Part::Process(lks) => Arc::new(rebuilt(lks, |state| lks.mark(state), &[])),
        };
        let is_watcher = matches!(question, Question::DeadlockFree) && !is_awaited[index];
        let role = if is_watcher { Role::Watcher } else { Role::Process };
        Component { name: part.name(), lks, role }
    });
    Composition::new(components.collect())
}

/// Which parts must have ended for the system to have ended: as in `model`, those that cannot end and can do nothing
/// without those that can are not waited for (a lock, a buffer, a server).
fn awaited(parts: &[Part]) -> Vec<bool> {
    let ends: Vec<bool> = parts.iter().map(Part::can_end).collect();
    let of = |wanted: bool| parts.iter().zip(&ends).filter(move |(_, ends)| **ends == wanted);
    let known: FxHashSet<Arc<str>> = of(true).flat_map(|(part, _)| part.events()).collect();
    let serve = ends.contains(&true)
        && of(false).all(|(part, _)| part.events().iter().all(|event| known.contains(event)));
    ends.iter().map(|&ends| ends || !serve).collect()
}

/// Answers the question on the abstract system.
pub(super) fn ask(
    parts: &[Part],
    question: &Question,
    settings: &Settings,
    effort: Effort,
    budget: &Budget,
) -> Asked {
    let system = composition(parts, question);
    match question {
        Question::Conforms(process, how) => {
            let Some(process) = &allowing(process, &disagreements(parts)) else {
                let what = "sets of states of the process after the same events";
                let reason = Reason::SizeLimit { what, limit: MOST_SETS as u64 };
                return Asked::of(Answer::by("watched", Undecided::because(reason)));
            };
            let system = system.hiding(|name| process.alphabet().find(name).is_none());
            // A deterministic process simulates what its traces contain: the game is not needed.
            let by_traces = settings.engine == Engine::Auto
                && process.is_deterministic()
                && process.error_states().is_empty();
            match how {
                Conformance::Simulation if !by_traces => simulation(&system, process, settings, budget),
                Conformance::Simulation | Conformance::Trace => {
                    // Watching keeps the states of the components apart, which the counterexample needs.
                    match watched(&system, process, UnknownActions::Forbidden, budget) {
                        Err(limit) => Asked::of(Answer::by("watched", Undecided::from(limit))),
                        Ok(watched) => {
                            let engine = engine_of(settings.engine);
                            let is_large = parts.len() >= MANY_PARTS && settings.engine == Engine::Auto;
                            let answer = is_large.then(|| safe_by_a_few(&watched, budget)).flatten();
                            let answer =
                                answer.unwrap_or_else(|| asked_of(&watched, Asks::NoError, engine, budget));
                            let asked = with_runs(&watched, parts, answer);
                            with_others(asked, &watched, parts, Sought::Error, settings, budget)
                        }
                    }
                }
            }
        }
        Question::Satisfies(formula) => {
            // Components that are checked together return alike, whatever else is asked.
            let formula = disagreements(parts).iter().filter(|one| !one.is_allowed).fold(
                formula.clone(),
                |formula, one| {
                    let never = Formula::Atom(Atom::Event(one.name.clone())).negate();
                    formula.and(Formula::Always(Arc::new(never)))
                },
            );
            satisfies(&system, parts, &formula, settings, effort, budget)
        }
        Question::DeadlockFree => {
            let engine = engine_of(settings.engine);
            let asked = if matches!(settings.engine, Engine::AssumeGuarantee1 | Engine::AssumeGuarantee2) {
                let telling = telling_refusals(&system);
                let answer = asked_of(&telling, Asks::NoError, engine, budget);
                let mut asked = with_runs(&telling, parts, answer);
                asked.witnesses = asked.witnesses.into_iter().map(run_before_the_stop).collect();
                asked
            } else {
                let answer = asked_of(&system, Asks::NoDeadlock, engine, budget);
                with_runs(&system, parts, answer)
            };
            with_others(asked, &system, parts, Sought::Deadlock, settings, budget)
        }
    }
}

/// Every conjunct is asked for alone: each has a small automaton, and lets more of the system be put together.
fn satisfies(
    system: &Composition,
    parts: &[Part],
    formula: &Formula,
    settings: &Settings,
    effort: Effort,
    budget: &Budget,
) -> Asked {
    if let Formula::And(first, second) = formula {
        let asked = satisfies(system, parts, first, settings, effort, budget);
        if !matches!(asked.answer.verdict, Verdict::Holds(_)) {
            return asked;
        }
        let mut other = satisfies(system, parts, second, settings, effort, budget);
        other.product_states = other.product_states.max(asked.product_states);
        other.answer.remarks.extend(asked.answer.remarks);
        return other;
    }
    let how = TemporalSettings::default();
    if settings.engine == Engine::Auto || effort == Effort::Little {
        // Parts are made small before they are put together; what was found is a run of the parts.
        let most = if effort == Effort::Little { FEW_JOINED_STATES } else { MOST_JOINED_STATES };
        let limits = CompositionalSettings { most_states: Some(most) };
        let answer = compositional::holds(system, formula, &how, &limits, budget);
        if effort == Effort::Little {
            return Asked::of(answer);
        }
        if !answer.verdict.is_undecided() {
            let asked = with_runs(system, parts, answer);
            return with_other_violations(asked, system, parts, formula, settings, budget);
        }
    }
    let mut answer = match settings.engine {
        Engine::Symbolic => {
            asked_of(system, Asks::Satisfies(formula.clone()), Some(&engine::SYMBOLIC), budget)
        }
        _ => holds(system, formula, &how, budget),
    };
    if matches!(settings.engine, Engine::TwoLevel | Engine::AssumeGuarantee1 | Engine::AssumeGuarantee2) {
        let engine = settings.engine.name();
        let why = "a formula is about whole runs, not about their beginnings";
        answer
            .remarks
            .push(format!("--engine {engine} is not for formulas ({why}): answered state by state"));
    }
    let asked = with_runs(system, parts, answer);
    with_other_violations(asked, system, parts, formula, settings, budget)
}

/// As many violating runs as the settings ask for, if there are.
fn with_other_violations(
    mut asked: Asked,
    system: &Composition,
    parts: &[Part],
    formula: &Formula,
    settings: &Settings,
    budget: &Budget,
) -> Asked {
    let wanted = settings.counterexamples.saturating_sub(asked.witnesses.len());
    if !asked.witnesses.is_empty() && wanted > 0 {
        let others = other_violations(system, parts.len(), formula, &asked.witnesses, wanted, budget);
        asked.witnesses.extend(others);
    }
    asked
}

fn engine_of(engine: Engine) -> Option<&'static FiniteEngine> {
    match engine {
        Engine::Auto => None,
        Engine::Plain => Some(&engine::EXPLICIT),
        Engine::TwoLevel => Some(&engine::TWO_LEVEL),
        Engine::AssumeGuarantee1 => Some(&engine::LEARN1),
        Engine::AssumeGuarantee2 => Some(&engine::LEARN2),
        Engine::Symbolic => Some(&engine::SYMBOLIC),
    }
}

/// The answer of the engines for finite models.
pub(super) fn asked_of(
    system: &Composition,
    asks: Asks,
    engine: Option<&FiniteEngine>,
    budget: &Budget,
) -> Answer {
    check::ask(&FiniteSystem::new(system).question("", asks), engine, budget, &Silent)
}

fn with_runs(system: &Composition, parts: &[Part], answer: Answer) -> Asked {
    let mut asked = Asked::of(answer);
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

/// As many counterexamples as the settings ask for, if there are.
fn with_others(
    mut asked: Asked,
    system: &Composition,
    parts: &[Part],
    sought: Sought,
    settings: &Settings,
    budget: &Budget,
) -> Asked {
    let wanted = settings.counterexamples.saturating_sub(asked.witnesses.len());
    if !asked.witnesses.is_empty() && wanted > 0 {
        let others = other_runs(system, parts.len(), sought, &asked.witnesses, wanted, budget);
        asked.witnesses.extend(others);
    }
    asked
}

fn unreadable() -> Undecided {
    let why = "the counterexample cannot be told apart by components".to_owned();
    Undecided::because(Reason::NotConfirmed { why }).try_next("use --engine auto")
}

/// The same question without hidden events and ends, which projections of a witness do not show: a process that may make
/// an event anywhere without changing matches it as it matches silence, and an end is a state without steps.
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

fn simulation(system: &Composition, process: &Lks, settings: &Settings, budget: &Budget) -> Asked {
    if settings.engine == Engine::TwoLevel {
        let (shown, lenient) = with_hidden_events_shown(system, process);
        let answer = two_level::conforms(&shown, &lenient, UnknownActions::Forbidden, budget, &Silent);
        if !matches!(answer.verdict, Verdict::Violated(_)) {
            return Asked::of(answer);
        }
        // What is violated is asked again state by state, for a tree that can be followed.
    } else if settings.engine == Engine::Symbolic {
        let asks = Asks::Conforms(Arc::new(process.clone()), question::Conformance::Simulation);
        let answer = asked_of(system, asks, Some(&engine::SYMBOLIC), budget);
        if !matches!(answer.verdict, Verdict::Violated(_)) {
            return Asked::of(answer);
        }
    } else if !matches!(settings.engine, Engine::Auto | Engine::Plain) {
        let why = "assumptions are about traces, and simulation is more than traces".to_owned();
        let engine = settings.engine.name();
        let undecided = Undecided::because(Reason::EngineCannot { engine, why })
            .try_next("use --engine auto")
            .try_next("use --conformance trace");
        return Asked::of(Answer::by(engine, undecided));
    }
    let explored = match explore(system, "system", budget) {
        Ok(explored) => explored,
        Err(unfinished) => {
            let undecided =
                Undecided::from(unfinished.limit).proved(format!("{} states were found", unfinished.states));
            return Asked::of(Answer::by("plain", undecided));
        }
    };
    let how = SimulationSettings {
        unknown_actions: UnknownActions::Forbidden,
        counterexamples: settings.counterexamples.max(1),
    };
    let found = simulates(&explored.lks, process, &how, budget);
    let mut asked = Asked::of(Answer { engine: "plain", ..found.answer });
    for tree in &found.trees {
        match witness::of_tree(system, &explored, tree) {
            Some(witness) => asked.witnesses.push(witness),
            None => asked.answer.verdict = unreadable().into(),
        }
    }
    asked
}
