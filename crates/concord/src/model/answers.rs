//! How each question is answered. A broken invariant is caught per question: the others are still answered.

use super::input::Loaded;
use super::plan::{ModelProperty, Plan, Question, Relation};
use super::{EquivalenceArgument, ModelArgs, SilenceArgument, UnknownActionsArgument};
use super::{json, places, sarif, show};
use crate::channel::{Format, ONLY_TEXT, Output, Refused};
use crate::exit::Exit;
use crate::settle::{Settled, settle};
use crate::shares::in_shares;
use base::{Budget, EventSink};
use check::bisimulation::{Divergence, Equivalence, bisimilar, smallest};
use check::engine::{EXPLICIT, FEW_STATES, FiniteSystem, has_at_most};
use check::refinement::{RefinementSettings, Refines, refines};
use check::simulation::{SimulationSettings, simulates};
use check::temporal::{Fairness, TemporalSettings, runs_of_automaton};
use check::{FiniteEngine, UnknownActions};
use lks::{Composition, Lks, explore};
use question::{Answer, Asks, Conformance, Counterexample, Engine, Monitor};
use spec::evaluate::claims::ProgressTest;
use spec::{Model, System};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use verdict::{Reason, Statistic, Undecided, Unit};

/// An answer and what belongs to it.
pub struct SystemAnswer {
    pub system: String,
    pub answer: Settled,
    /// What holds if the answer is yes, in a sentence.
    pub promise: String,
    /// Further counterexamples, if asked for.
    pub more: Vec<Counterexample>,
    /// Does it hold of nothing, because there is no run to look at?
    pub is_vacuous: bool,
    /// Concord itself failed on this question.
    pub is_internal: bool,
}

/// For `minimal`: smaller, and the same to every question. A limit leaves the structure as it is.
pub fn reduced(lks: &Lks, budget: &Budget) -> Lks {
    smallest(lks, Equivalence::Branching(Divergence::Kept), budget).unwrap_or_else(|_| lks.clone())
}

pub fn exit_status(answers: &[SystemAnswer]) -> Exit {
    match answers.iter().any(|told| told.is_internal) {
        true => Exit::Internal,
        false => Exit::of_answers(answers.iter().map(|told| &*told.answer)),
    }
}

pub fn answer_all(
    plan: &Plan,
    arguments: &ModelArgs,
    model: &mut Model<'_>,
    loaded: &Loaded,
    output: &mut Output<'_>,
    budget: &Budget,
) -> Result<Vec<SystemAnswer>, Refused> {
    let mut warned = model.diagnostics().iter().count();
    let places = places::of(plan, loaded);
    output.listener.questions(plan.questions.iter().map(property).collect());
    let is_open = |told: &SystemAnswer| told.answer.verdict.is_undecided() && !told.is_internal;
    in_shares(&plan.questions, budget, is_open, |index, question, share| {
        let prepared = prepare(question, model).map_err(|problem| loaded.refuse(problem, output))?;
        // Evaluation warns, for instance of indices out of range; each warning once.
        let mut news = base::Diagnostics::default();
        model.diagnostics().iter().skip(warned).for_each(|diagnostic| news.push(diagnostic.clone()));
        warned = model.diagnostics().iter().count();
        loaded.refuse_errors(&news, output)?;
        let answered =
            catch_unwind(AssertUnwindSafe(|| ask(&prepared, question, arguments, output.events, share)));
        let (answer, more, is_internal) = match answered {
            Ok(Ok((mut answer, more))) => {
                answer.property = property(question);
                // Remarks about a system stand with its first question.
                if plan.questions[..index].iter().all(|earlier| earlier.system != question.system) {
                    answer.remarks.extend(idle_actions(&prepared.system));
                }
                (answer, more, false)
            }
            Ok(Err(refused)) => return Err(refused),
            Err(_) => {
                let undecided = Undecided::because(Reason::NotSupported {
                    construct: "what led to an internal error on this question".to_owned(),
                    at: base::Span::NOWHERE,
                });
                (Answer::new(property(question), "none", undecided.into()), Vec::new(), true)
            }
        };
        let (system, answer) = (question.system.clone(), settle(answer, [], &[]));
        let promise = question.asked.promise();
        let told = SystemAnswer { system, answer, promise, more, is_vacuous: false, is_internal };
        let mut text = String::new();
        show::answer(&mut text, &told, output.is_verbose);
        let place = places[index].as_ref();
        let result = match output.format {
            Format::Sarif => sarif::result_of(&told, question, place),
            _ => json::result(&told, place),
        };
        output.listener.answered(index, text, result, exit_status(std::slice::from_ref(&told)));
        Ok(told)
    })
}

fn property(question: &Question) -> String {
    format!("{}: {}", question.system, question.name)
}

/// The systems a question is about, with the formula for an assertion.
struct Prepared {
    system: System,
    other: Option<System>,
    formula: Option<spec::Formula>,
    remarks: Vec<String>,
}

fn prepare(question: &Question, model: &mut Model<'_>) -> Result<Prepared, base::Diagnostic> {
    let system = model.system(&question.system)?;
    Ok(match &question.asked {
        ModelProperty::Relation(_, other) => {
            Prepared { system, other: Some(model.system(other)?), formula: None, remarks: Vec::new() }
        }
        ModelProperty::Assert(name) => {
            let assertion = model.assertion(name, &system)?;
            let system = system.with(assertion.watchers);
            Prepared { system, other: None, formula: Some(assertion.formula), remarks: assertion.remarks }
        }
        ModelProperty::Formula(formula) => {
            Prepared { system, other: None, formula: Some(formula.clone()), remarks: Vec::new() }
        }
        _ => Prepared { system, other: None, formula: None, remarks: Vec::new() },
    })
}

/// The answer, and further counterexamples if they are asked for.
fn ask(
    prepared: &Prepared,
    question: &Question,
    arguments: &ModelArgs,
    events: &dyn EventSink,
    budget: &Budget,
) -> Result<(Answer, Vec<Counterexample>), Refused> {
    let started = std::time::Instant::now();
    let composition = prepared.system.composition();
    let asked = Asking { arguments, name: property(question), events, budget };
    let mut more = Vec::new();
    let mut answer = match &question.asked {
        ModelProperty::Safety => asked.of(&composition, Asks::NoErrorOrDeadlock),
        ModelProperty::Deadlock => {
            asked.of(&prepared.system.without_watchers().composition(), Asks::NoDeadlock)
        }
        ModelProperty::Properties => asked.of(&composition, Asks::NoError),
        ModelProperty::Progress(test) => asked.of(&composition, Asks::MakesProgress(test.clone())),
        ModelProperty::DefaultProgress => asked.default_progress(&composition),
        ModelProperty::Assert(_) | ModelProperty::Formula(_) => {
            let formula = prepared.formula.clone().expect("prepared with its formula");
            asked.of(&composition, Asks::Satisfies(formula))
        }
        ModelProperty::Automaton(file) => {
            let automaton = read_automaton(file)?;
            let settings = TemporalSettings { fairness: fairness(arguments), ..TemporalSettings::default() };
            match other_than_explicit(arguments) {
                Some(engine) => cannot(engine, "automata are decided state by state"),
                None => runs_of_automaton(&composition, &automaton, &settings, Monitor { budget, events }),
            }
        }
        ModelProperty::Relation(relation, _) => {
            let other = prepared.other.as_ref().expect("prepared with both systems");
            let (answer, trees) = asked.related(*relation, &prepared.system, other);
            more = trees;
            answer
        }
    };
    answer.remarks.splice(0..0, prepared.remarks.iter().cloned());
    answer.statistics.time("time", started.elapsed());
    if let Some(value) = base::budget::peak_resident_bytes() {
        answer.statistics.record(Statistic { name: "peak_memory", value, unit: Unit::Bytes });
    }
    Ok((answer, more))
}

/// Actions that a component knows and nobody does, and those that only properties speak of.
fn idle_actions(system: &System) -> Vec<String> {
    let composition = system.composition();
    let (mut undone, mut only_watched) = (Vec::new(), Vec::new());
    for sync in composition.syncs().skip(1) {
        let name = composition.sync_name(sync);
        let participants = composition.participants(sync);
        let part = |id: lks::composition::ComponentId| &composition.components()[id];
        let does = |(id, action): &(lks::composition::ComponentId, lks::ActionId)| {
            part(*id).lks.states().any(|state| part(*id).lks.offers(state, *action))
        };
        if participants.iter().all(|(id, _)| part(*id).role == lks::Role::Watcher) {
            only_watched.push(name);
        } else if !participants.iter().any(does) {
            undone.push(name);
        }
    }
    let has_process = composition.components().iter().any(|part| part.role == lks::Role::Process);
    let mut remarks = Vec::new();
    if !undone.is_empty() {
        remarks.push(format!("in the alphabet, but done by nobody: {}", listed(&undone)));
    }
    if has_process && !only_watched.is_empty() {
        let names = listed(&only_watched);
        remarks
            .push(format!("properties speak of actions that no process has, so they happen freely: {names}"));
    }
    remarks
}

fn listed(names: &[&str]) -> String {
    const MOST_SHOWN: usize = 5;
    let shown: Vec<String> = names.iter().take(MOST_SHOWN).map(|name| format!("`{name}`")).collect();
    match names.len().checked_sub(MOST_SHOWN + 1) {
        Some(rest) => format!("{} and {} more", shown.join(", "), rest + 1),
        None => shown.join(", "),
    }
}

fn cannot(engine: &FiniteEngine, why: &str) -> Answer {
    let name = engine.name();
    let reason = Reason::EngineCannot { engine: name, why: why.to_owned() };
    Answer::by(name, Undecided::because(reason).try_next("use --engine auto"))
}

/// The engine that was asked for, if it does not look at states one by one.
fn other_than_explicit(arguments: &ModelArgs) -> Option<&'static FiniteEngine> {
    arguments.engine().filter(|engine| engine.name() != EXPLICIT.name())
}

/// How the questions of one run are asked.
struct Asking<'a> {
    arguments: &'a ModelArgs,
    name: String,
    events: &'a dyn EventSink,
    budget: &'a Budget,
}

fn fairness(arguments: &ModelArgs) -> Fairness {
    let sets = |texts: &[String]| -> Vec<Vec<String>> {
        texts.iter().map(|text| text.split(',').map(|name| name.trim().to_owned()).collect()).collect()
    };
    Fairness {
        weak: sets(&arguments.weak_fairness),
        strong: sets(&arguments.strong_fairness),
        choice: arguments.fair_choice,
    }
}

fn read_automaton(file: &Path) -> Result<automata::Automaton, Refused> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Refused::bad_input(format!("{} cannot be read: {error}", file.display())))?;
    let name = file.display().to_string();
    automata::hoa::read(&text, ONLY_TEXT)
        .map_err(|problem| Refused::inside(Exit::BadInput, &name, &text, &problem))
}

impl Asking<'_> {
    fn of(&self, composition: &Composition, asks: Asks) -> Answer {
        let temporal = TemporalSettings { fairness: fairness(self.arguments), ..TemporalSettings::default() };
        let system = FiniteSystem { composition, unknown_actions: unknown_actions(self.arguments), temporal };
        let question = system.question(self.name.clone(), asks);
        check::ask(&question, self.arguments.engine(), self.budget, self.events)
    }

    /// LTSA's test where no other is declared: in every terminal set of states every action goes on
    /// happening.
    fn default_progress(&self, composition: &Composition) -> Answer {
        use lks::Successors;
        let asked = |condition, actions| {
            self.of(
                composition,
                Asks::MakesProgress(ProgressTest { name: String::new(), condition, actions }),
            )
        };
        let mut last = None;
        for action in composition.alphabet().visible() {
            let name = composition.alphabet().name(action);
            let answer = asked(None, vec![name.into()]);
            if !answer.verdict.holds() {
                return answer.remark(format!("no progress of `{name}`"));
            }
            last = Some(answer);
        }
        // Without actions there is nothing to go on happening.
        last.unwrap_or_else(|| asked(Some(Vec::new()), Vec::new()))
    }

    /// Compares state by state where that was asked for, or is cheap, or is the only way; else by the engine
    /// that fits.
    fn related(&self, relation: Relation, system: &System, other: &System) -> (Answer, Vec<Counterexample>) {
        let Asking { arguments, budget, .. } = *self;
        let by_states = || compare(relation, system, other, arguments, budget);
        let only_by_states = match relation {
            Relation::Bisimilar => Some("two systems are compared for equivalence state by state"),
            Relation::Failures => Some("failures are compared state by state"),
            _ if !matches!(arguments.silence, SilenceArgument::Weak) => {
                Some("silent steps are answered step by step only when states are compared one by one")
            }
            _ if arguments.counterexamples > 1 => {
                Some("several counterexamples are found state by state only")
            }
            _ => None,
        };
        let composition = system.composition();
        match (arguments.engine(), only_by_states) {
            (Some(engine), _) if engine.name() == EXPLICIT.name() => return by_states(),
            (None, Some(_)) => return by_states(),
            (None, None) if has_at_most(&composition, FEW_STATES, budget) => return by_states(),
            (Some(engine), Some(why)) => return (cannot(engine, why), Vec::new()),
            (_, None) => {}
        }
        let specification = match explore(&other.composition(), &other.name, budget) {
            Ok(explored) => named(explored, other),
            Err(unfinished) => {
                let engine = arguments.engine().map_or("auto", |engine| engine.name());
                return (Answer::by(engine, not_explored(&unfinished)), Vec::new());
            }
        };
        let names = lks::Successors::alphabet(&composition);
        let remark = unknown_remark(names, &specification, arguments.unknown_actions);
        let conformance = match relation {
            Relation::Traces => Conformance::Trace,
            _ => Conformance::Simulation,
        };
        let mut answer = self.of(&composition, Asks::Conforms(specification.into(), conformance));
        answer.remarks.extend(remark);
        (answer, Vec::new())
    }
}

fn unknown_actions(arguments: &ModelArgs) -> UnknownActions {
    match arguments.unknown_actions {
        UnknownActionsArgument::Ignored => UnknownActions::Silent,
        UnknownActionsArgument::Forbidden => UnknownActions::Forbidden,
    }
}

fn not_explored(unfinished: &lks::Unfinished) -> Undecided {
    Undecided::from(unfinished.limit).proved(format!("{} states were found", unfinished.states))
}

/// Builds both systems, then compares them.
fn compare(
    relation: Relation,
    system: &System,
    other: &System,
    arguments: &ModelArgs,
    budget: &Budget,
) -> (Answer, Vec<Counterexample>) {
    let built = |system: &System| {
        explore(&system.composition(), &system.name, budget).map(|explored| named(explored, system))
    };
    let (left, right) = match (built(system), built(other)) {
        (Ok(left), Ok(right)) => (left, right),
        (Err(unfinished), _) | (_, Err(unfinished)) => {
            return (Answer::by(EXPLICIT.name(), not_explored(&unfinished)), Vec::new());
        }
    };
    let (left, right) = match (relation, arguments.silence) {
        (Relation::Bisimilar, _) | (_, SilenceArgument::Weak) => (left, right),
        (_, SilenceArgument::Strong) => {
            (audible(&left, Waiting::IsNotAnAnswer), audible(&right, Waiting::IsNotAnAnswer))
        }
        (_, SilenceArgument::Direct) => {
            (audible(&left, Waiting::IsNotAnAnswer), audible(&right, Waiting::IsAnAnswer))
        }
    };
    let unknown_actions = unknown_actions(arguments);
    let mut more = Vec::new();
    let mut answer = match relation {
        Relation::Simulates => {
            let settings =
                SimulationSettings { unknown_actions, counterexamples: arguments.counterexamples.max(1) };
            let found = simulates(&left, &right, &settings, Monitor::silent(budget));
            more.extend(found.trees.into_iter().skip(1).map(Counterexample::Tree));
            found.answer
        }
        Relation::Traces => {
            let settings = RefinementSettings { refines: Refines::Traces, unknown_actions };
            refines(&left, &right, &settings, Monitor::silent(budget))
        }
        Relation::Failures => {
            let settings = RefinementSettings { refines: Refines::Failures, unknown_actions };
            refines(&left, &right, &settings, Monitor::silent(budget))
        }
        Relation::Bisimilar => {
            let equivalence = match arguments.equivalence {
                EquivalenceArgument::Strong => Equivalence::Strong,
                EquivalenceArgument::Branching => Equivalence::Branching(Divergence::Ignored),
                EquivalenceArgument::DivergenceBranching => Equivalence::Branching(Divergence::Kept),
                EquivalenceArgument::Weak => Equivalence::Weak,
            };
            bisimilar(&left, &right, equivalence, budget)
        }
    };
    if relation != Relation::Bisimilar {
        answer.remarks.extend(unknown_remark(left.alphabet(), &right, arguments.unknown_actions));
    }
    (answer, more)
}

/// May a silent step be answered by staying where one is?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waiting {
    IsAnAnswer,
    IsNotAnAnswer,
}

/// Silent steps become an action like others; where waiting answers them, every state can do it and stay.
fn audible(lks: &Lks, waiting: Waiting) -> Lks {
    let mut builder = lks::LksBuilder::with_names(lks.name(), lks.alphabet(), lks.propositions());
    builder.ensure_states(lks.state_count());
    lks.initial().iter().for_each(|&state| builder.initial(state));
    for state in lks.states() {
        if let Some(name) = lks.state_name(state) {
            builder.name_state(state, name);
        }
        builder.mark(state, lks.mark(state));
        lks.label(state).iter().for_each(|proposition| builder.label(state, proposition));
        for (action, to) in lks.transitions(state) {
            let action = if action.is_silent() { builder.action("(silent step)") } else { action };
            builder.transition(state, action, to);
        }
        if waiting == Waiting::IsAnAnswer && lks.mark(state) != lks::StateMark::Error {
            let silent = builder.action("(silent step)");
            builder.transition(state, silent, state);
        }
    }
    builder.build()
}

/// States of a product are called by the states of its components.
pub fn named(explored: lks::Explored<lks::SystemState>, system: &System) -> Lks {
    use base::Id;
    use lks::Successors;
    let composition = system.composition();
    let mut builder =
        lks::LksBuilder::with_names(&system.name, explored.lks.alphabet(), explored.lks.propositions());
    builder.ensure_states(explored.lks.state_count());
    explored.lks.initial().iter().for_each(|&state| builder.initial(state));
    for state in explored.lks.states() {
        let global = &explored.states[state.index()];
        let name = composition.describe(global);
        let name = if composition.components().len() == 1 { name.trim_matches(['(', ')']) } else { &name };
        builder.name_state(state, name);
        builder.mark(state, explored.lks.mark(state));
        explored.lks.label(state).iter().for_each(|proposition| builder.label(state, proposition));
        explored.lks.transitions(state).for_each(|(action, to)| builder.transition(state, action, to));
    }
    builder.build()
}

fn unknown_remark(own: &lks::Alphabet, right: &Lks, how: UnknownActionsArgument) -> Option<String> {
    let known = right.alphabet();
    let names = own.visible().map(|action| own.name(action));
    let mut unknown: Vec<&str> = names.filter(|name| known.find(name).is_none()).collect();
    if unknown.is_empty() {
        return None;
    }
    unknown.sort_unstable();
    let count = unknown.len();
    unknown.truncate(5);
    let more = if count > 5 { format!(" and {} more", count - 5) } else { String::new() };
    let how = match how {
        UnknownActionsArgument::Ignored => "are ignored; --unknown-actions forbidden would not allow them",
        UnknownActionsArgument::Forbidden => "are not allowed; --unknown-actions ignored would ignore them",
    };
    Some(format!("actions that `{}` does not know {how}: {}{more}", right.name(), unknown.join(", ")))
}
