//! Any number of threads: the program as a counter system for the coverability engines (BOOM 8.2-8.4).
//!
//! The thread states that matter are found first ([`super::closure`]).

use super::closure::{Closure, closure};
use super::counters::{self, CounterSettings, Reductions, Until};
use super::few;
use super::legend::legend;
use super::run::{self, NumberedRun, NumberedStep};
use super::thread_state::{Failure, LocalId, Possibilities, SharedId, ThreadStates};
use crate::cover::simulate::{Firing, State};
use crate::cover::system::{
    Arc as TokenArc, Broadcast, ControlId, Effect, Initial, InitialCount, Move, PlaceId, System, Target,
    Transition, TransitionId,
};
use crate::cover::witness::Witness;
use crate::cover::{Engine, Recheck, Settings, decide};
use crate::findings::Findings;
use crate::graph::ProcedureId;
use crate::setup::Setup;
use crate::trace::Trace;
use base::{Id, IndexVec};
use question::{Decided, Monitor, Searched};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use verdict::{Reason, Statistics, Undecided};

/// What runs at the start when there is no bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnboundedSetup {
    /// These, one thread each.
    pub roots: Vec<ProcedureId>,
    /// And any number of threads of this one.
    pub any_number_of: Option<ProcedureId>,
}

/// How to decide.
#[derive(Clone, Copy, Debug)]
pub struct UnboundedSettings {
    /// The coverability engine.
    pub engine: Engine,
    /// At most so many thread states.
    pub most_thread_states: usize,
    /// Which proofs are checked again.
    pub recheck: Recheck,
}

impl UnboundedSettings {
    /// The given engine, with room for a few million thread states.
    pub fn new(engine: Engine) -> UnboundedSettings {
        UnboundedSettings { engine, most_thread_states: 4_000_000, recheck: Recheck::Small }
    }
}

/// What was found about any number of threads.
#[derive(Debug)]
pub struct Unbounded {
    /// The findings.
    pub findings: Findings,
    /// For a violation: as many threads as the trace has at the start.
    pub setup: Option<Setup>,
    /// The engine that answered.
    pub engine: &'static str,
    /// For the cutoff engine: so many threads reach every thread state that can be reached at all.
    pub cutoff: Option<usize>,
    /// What else there is to say, a sentence each.
    pub notes: Vec<String>,
}

impl Unbounded {
    /// What an engine found of a counter system with so many thread states and transitions.
    pub(super) fn new(
        outcome: Searched<Trace>,
        engine: &'static str,
        thread_states: usize,
        transitions: usize,
    ) -> Unbounded {
        let mut statistics = Statistics::default();
        statistics.count("thread states", thread_states as u64);
        statistics.count("transitions", transitions as u64);
        let findings = Findings::new(outcome, statistics);
        Unbounded { findings, setup: None, engine, cutoff: None, notes: Vec::new() }
    }

    /// There is no counter system, or nothing came of it.
    pub(crate) fn unanswered(open: Undecided, engine: &'static str) -> Unbounded {
        let (findings, notes) = (Findings::from(open), Vec::new());
        Unbounded { findings, setup: None, engine, cutoff: None, notes }
    }
}

impl AsMut<Findings> for Unbounded {
    fn as_mut(&mut self) -> &mut Findings {
        &mut self.findings
    }
}

/// What a transition of the counter system stands for.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// A root is in this local state at the start.
    First(LocalId),
    Start(SharedId),
    Step(SharedId, LocalId, usize),
    Failure(LocalId),
}

/// The counter system of a program.
pub struct Translation {
    /// The system; its target is a failure.
    pub system: System,
    meanings: IndexVec<TransitionId, Meaning>,
    pub(super) controls: FxHashMap<SharedId, ControlId>,
    pub(super) places: FxHashMap<LocalId, PlaceId>,
    /// The closure: which local states may be there in which shared state.
    present: BTreeMap<SharedId, Vec<LocalId>>,
    fixed: Vec<ProcedureId>,
}

/// Builds the counter system of a program with any number of threads.
pub fn translate(
    states: &mut ThreadStates<'_>,
    setup: &UnboundedSetup,
    settings: UnboundedSettings,
    monitor: Monitor<'_>,
) -> Result<Translation, Undecided> {
    let start = states.initial_shared();
    let mut counts: BTreeMap<LocalId, InitialCount> = BTreeMap::new();
    let mut fixed = Vec::new();
    let mut uncertain: Vec<(ProcedureId, Vec<LocalId>)> = Vec::new();
    for root in &setup.roots {
        let locals = states.initial_locals(*root)?;
        fixed.push(*root);
        uncertain.push((*root, locals));
    }
    let any = match setup.any_number_of {
        Some(root) => states.initial_locals(root)?,
        None => Vec::new(),
    };
    for local in &any {
        counts.insert(*local, InitialCount::AtLeast(0));
    }
    let first = any.iter().chain(uncertain.iter().flat_map(|(_, locals)| locals)).copied();
    let first: Vec<_> = first.map(|local| (start, local)).collect();
    let Closure { present, steps } = closure(states, &first, settings.most_thread_states, monitor)?;
    build(states, present, &steps, start, counts, uncertain, fixed)
}

fn build(
    states: &mut ThreadStates<'_>,
    present: BTreeMap<SharedId, Vec<LocalId>>,
    steps: &BTreeMap<(SharedId, LocalId), Arc<Possibilities>>,
    start: SharedId,
    counts: BTreeMap<LocalId, InitialCount>,
    uncertain: Vec<(ProcedureId, Vec<LocalId>)>,
    fixed: Vec<ProcedureId>,
) -> Result<Translation, Undecided> {
    let mut control_names = IndexVec::new();
    let mut controls: FxHashMap<SharedId, ControlId> = FxHashMap::default();
    // One control per root whose first local state is chosen, then one for the choice of the shared state.
    let choosing: Vec<ControlId> =
        (0..=uncertain.len()).map(|at| control_names.push(format!("start {at}"))).collect();
    let failed = control_names.push("failure".to_owned());
    for shared in present.keys() {
        controls.insert(*shared, control_names.push(shared.to_string()));
    }
    let mut place_names = IndexVec::new();
    let mut places: FxHashMap<LocalId, PlaceId> = FxHashMap::default();
    let locals: std::collections::BTreeSet<LocalId> = present.values().flatten().copied().collect();
    for local in locals {
        places.insert(local, place_names.push(local.to_string()));
    }
    let mut transitions = IndexVec::new();
    let mut meanings = IndexVec::new();
    let mut add = |(from, to): (ControlId, ControlId), effect: (Effect, Limits), meaning, name: String| {
        let (effect, at_most) = effect;
        transitions.push(Transition { from, to, at_most, effect, name });
        meanings.push(meaning);
    };
    let plain = |changes: &[(PlaceId, i64, u32)]| (Effect::Plain(arcs(changes)), Limits::new());
    for (at, (_, locals)) in uncertain.iter().enumerate() {
        for local in locals {
            let (way, effect) = ((choosing[at], choosing[at + 1]), plain(&[(places[local], 1, 0)]));
            add(way, effect, Meaning::First(*local), "choose a first state".to_owned());
        }
    }
    if let Some(control) = controls.get(&start) {
        let way = (choosing[uncertain.len()], *control);
        add(way, plain(&[]), Meaning::Start(start), "start".to_owned());
    }
    for ((shared, local), possibilities) in steps {
        let from = controls[shared];
        if possibilities.failure.is_some() {
            let effect = plain(&[(places[local], 0, 1)]);
            add((from, failed), effect, Meaning::Failure(*local), "fail".to_owned());
        }
        for (index, step) in possibilities.steps.iter().enumerate() {
            let (first, last) = (&step[0], &step[step.len() - 1]);
            let mut changes = vec![(places[local], -1, 1)];
            changes.extend(last.local.iter().chain(&first.started).map(|local| (places[local], 1, 0)));
            let Some(to) = controls.get(&last.shared) else { continue };
            let meaning = Meaning::Step(*shared, *local, index);
            let name = format!("{local} by {}", first.edge);
            let effect = match step.iter().find_map(|micro| micro.broadcast) {
                None => plain(&changes),
                Some(broadcast) => {
                    let mut becomes = BTreeMap::new();
                    for passive in &present[shared] {
                        becomes.insert(places[passive], states.told(broadcast, *passive)?);
                    }
                    telling(&becomes, &places, places[local], &changes)
                }
            };
            add((from, *to), effect, meaning, name);
        }
    }
    let mut targets = IndexVec::new();
    targets.push(Target { control: failed, at_least: Vec::new(), at_most: Vec::new() });
    let mut counts: Vec<(PlaceId, InitialCount)> =
        counts.into_iter().map(|(local, count)| (places[&local], count)).collect();
    counts.sort_by_key(|(place, _)| *place);
    let system = System {
        controls: control_names,
        places: place_names,
        transitions,
        initial: Initial { control: choosing[0], counts },
        targets,
        token: "thread",
    };
    Ok(Translation { system, meanings, controls, places, present, fixed })
}

/// Upper limits of a step, by place.
type Limits = Vec<(PlaceId, u32)>;

/// A step with a broadcast: the active thread is taken away, the others become what they may, the active one
/// is put back. A place whose threads can become nothing excludes the step; of the active thread's own place
/// one thread, itself, is no obstacle. (Limits are read as "surplus is lost first", which adds steps; what is
/// found is replayed.)
fn telling(
    becomes: &BTreeMap<PlaceId, Arc<[LocalId]>>,
    places: &FxHashMap<LocalId, PlaceId>,
    active: PlaceId,
    changes: &[(PlaceId, i64, u32)],
) -> (Effect, Limits) {
    let (mut moves, mut at_most) = (Vec::new(), Limits::new());
    for (place, choices) in becomes {
        let choices: Vec<Vec<(PlaceId, u32)>> =
            choices.iter().filter_map(|local| Some(vec![(*places.get(local)?, 1)])).collect();
        if choices.is_empty() {
            at_most.push((*place, u32::from(*place == active)));
        } else if choices != [vec![(*place, 1)]] {
            moves.push(Move { from: *place, choices });
        }
    }
    let mut add: BTreeMap<PlaceId, i64> = BTreeMap::new();
    for (place, change, _) in changes.iter().filter(|(_, change, _)| *change > 0) {
        *add.entry(*place).or_insert(0) += change;
    }
    let taken = vec![(active, 1)];
    let add = add.into_iter().collect();
    (Effect::Broadcast(Broadcast { needs: taken.clone(), take: taken, moves, add }), at_most)
}

/// Tokens taken and put, place by place.
fn arcs(changes: &[(PlaceId, i64, u32)]) -> Vec<TokenArc> {
    let mut arcs: BTreeMap<PlaceId, TokenArc> = BTreeMap::new();
    for (place, change, needs) in changes {
        let arc = arcs.entry(*place).or_insert(TokenArc { place: *place, needs: 0, change: 0 });
        arc.change += change;
        arc.needs = arc.needs.max(*needs);
    }
    arcs.into_values().collect()
}

/// Decides with a coverability engine.
pub fn check(
    states: &mut ThreadStates<'_>,
    setup: &UnboundedSetup,
    settings: UnboundedSettings,
    monitor: Monitor<'_>,
) -> Unbounded {
    let translation = match translate(states, setup, settings, monitor) {
        Ok(translation) => translation,
        Err(open) => return Unbounded::unanswered(open, settings.engine.name()),
    };
    // A part of the time is kept to say what holds for few threads, should the engine not get to its end.
    let budget = match monitor.budget.deadline() {
        Some(end) => {
            monitor.budget.clone().with_time(end.saturating_duration_since(Instant::now()).mul_f64(0.8))
        }
        None => monitor.budget.clone(),
    };
    let (mut answer, witness) = covered(states, &translation, settings, monitor.within(&budget));
    if let Some(witness) = witness {
        let (setup, outcome) = violated(states, setup, &translation, &witness);
        (answer.setup, answer.findings.outcome) = (Some(setup), outcome);
    } else if let Err(mut open) = answer.findings.outcome {
        let is_limited = translation.system.transitions.iter().any(|step| !step.at_most.is_empty());
        if is_limited && matches!(open.reason, Reason::NotConfirmed { .. }) {
            let why = "the run that was found forgets threads that a constraint on others (`x$`) excludes";
            open.reason = Reason::NotConfirmed { why: why.to_owned() };
        }
        answer.findings.outcome = with_few_threads(states, setup, open, &mut answer.setup, monitor);
    }
    answer
}

/// What a coverability engine says of the counter system; a run into a failure is one of that system still.
pub(super) fn covered(
    states: &ThreadStates<'_>,
    translation: &Translation,
    settings: UnboundedSettings,
    monitor: Monitor<'_>,
) -> (Unbounded, Option<Box<Witness>>) {
    let UnboundedSettings { engine, recheck, .. } = settings;
    let coverage = decide(&translation.system, Settings { engine, recheck }, monitor);
    let (outcome, witness) = match coverage.found {
        Ok(Decided::Violated(witness)) => (Ok(Decided::Proved(())), Some(witness)),
        found => (found.map(|_| Decided::Proved(())), None),
    };
    let thread_states = translation.present.values().map(Vec::len).sum();
    let transitions = translation.system.transitions.len();
    let mut answer = Unbounded::new(outcome, coverage.engine.name(), thread_states, transitions);
    coverage.statistics.figures.into_iter().for_each(|figure| answer.findings.statistics.record(figure));
    if coverage.certificate.is_some() {
        answer.findings.legend = legend(states, translation);
    }
    answer.findings.certificate = coverage.certificate;
    (answer, witness)
}

/// Few threads are explored so long at most, if there is no limit of time.
const LONGEST_WITHOUT_LIMIT: Duration = Duration::from_secs(5);

/// Explores with 1, 2, … threads for as long as there is time; a failure is an answer after all.
fn with_few_threads(
    states: &mut ThreadStates<'_>,
    setup: &UnboundedSetup,
    open: Undecided,
    violated_by: &mut Option<Setup>,
    monitor: Monitor<'_>,
) -> Searched<Trace> {
    let mut safe_up_to = 0;
    // Without a limit of time this would have no end.
    let (most, budget) = match monitor.budget.deadline() {
        Some(_) => (64, monitor.budget.clone()),
        None => (few::FEW, monitor.budget.clone().with_time(LONGEST_WITHOUT_LIMIT)),
    };
    for threads in setup.roots.len().max(1)..=most {
        let (bounded, found) = explore_with(states, setup, threads, monitor.within(&budget));
        match found.outcome {
            Ok(Decided::Proved(())) => safe_up_to = threads,
            Ok(violated) => {
                *violated_by = Some(bounded);
                return Ok(violated);
            }
            Err(_) => break,
        }
    }
    Err(shown(open, safe_up_to).try_next("bound the number of threads with --threads N"))
}

/// The same question about so many threads.
pub(super) fn with_threads(setup: &UnboundedSetup, threads: usize) -> Setup {
    let more = setup.any_number_of.into_iter().cycle().take(threads - setup.roots.len());
    let roots: Vec<ProcedureId> = setup.roots.iter().copied().chain(more).collect();
    Setup { roots, most_threads: Some(threads) }
}

/// All states with so many threads.
pub(super) fn explore_with(
    states: &mut ThreadStates<'_>,
    setup: &UnboundedSetup,
    threads: usize,
    monitor: Monitor<'_>,
) -> (Setup, counters::Counted) {
    let bounded = with_threads(setup, threads);
    let settings = CounterSettings { reductions: Reductions::default(), until: Until::FirstFailure };
    let found = counters::explore(states, &bounded, settings, monitor);
    (bounded, found)
}

/// The thread state that fails at the end of a run of the counter system.
pub(super) fn failing(
    states: &mut ThreadStates<'_>,
    translation: &Translation,
    witness: &Witness,
) -> Option<(SharedId, LocalId)> {
    let mut current = SharedId::from_index(0);
    for firing in &witness.run.firings {
        match translation.meanings[firing.transition] {
            Meaning::First(_) => {}
            Meaning::Start(first) => current = first,
            Meaning::Step(shared, local, index) => {
                let possibilities = states.possibilities(shared, local).expect("computed before");
                current = possibilities.steps[index].last().expect("a step has an edge").shared;
            }
            Meaning::Failure(local) => return Some((current, local)),
        }
    }
    None
}

/// The run of the program that a run of the counter system stands for.
pub(super) fn violated(
    states: &mut ThreadStates<'_>,
    asked: &UnboundedSetup,
    translation: &Translation,
    witness: &Witness,
) -> (Setup, Searched<Trace>) {
    let local_of: FxHashMap<PlaceId, LocalId> =
        translation.places.iter().map(|(local, place)| (*place, *local)).collect();
    let mut shared = SharedId::from_index(0);
    let mut steps = Vec::new();
    let mut failure = None;
    let mut locals: Vec<LocalId> = Vec::new();
    let mut roots: Vec<ProcedureId> = Vec::new();
    let chosen = &witness.run.firings[..translation.fixed.len().min(witness.run.firings.len())];
    for (root, firing) in translation.fixed.iter().zip(chosen) {
        if let Meaning::First(local) = translation.meanings[firing.transition] {
            roots.push(*root);
            locals.push(local);
        }
    }
    for (place, count) in &witness.run.start.tokens {
        for _ in 0..*count {
            roots.push(asked.any_number_of.expect("tokens at the start are threads of this root"));
            locals.push(local_of[place]);
        }
    }
    let mut current = shared;
    let firings = witness.run.firings.iter().zip(&witness.states).skip(translation.fixed.len());
    for (firing, state) in firings {
        match translation.meanings[firing.transition] {
            Meaning::Start(first) => {
                shared = first;
                current = first;
            }
            Meaning::Step(before, local, index) => {
                let possibilities = states.possibilities(before, local).expect("computed before");
                let step = possibilities.steps[index].clone();
                current = step.last().expect("a step has an edge").shared;
                let others = others_in(translation, &local_of, firing, state);
                steps.push(NumberedStep { mover: local, edges: step, others });
            }
            Meaning::Failure(local) => failure = Some(local),
            Meaning::First(_) => {}
        }
    }
    let setup = Setup { roots, most_threads: None };
    let Some(local) = failure else {
        let why = "the run of the counter system does not end in a failure".to_owned();
        return (setup, Err(Undecided::because(Reason::NotConfirmed { why })));
    };
    let possibilities = states.possibilities(current, local).expect("computed before");
    let Failure { way, settled, edge } = possibilities.failure.clone().expect("the thread fails here");
    let failing = way.last().and_then(|step| step.local).unwrap_or(local);
    if !way.is_empty() {
        steps.push(NumberedStep::alone(local, way));
    }
    let run = NumberedRun { shared, locals, steps, failure: (failing, edge), settled };
    let outcome = run::confirm(states, &setup, &run);
    (setup, outcome)
}

/// What becomes of every other thread by a step with a broadcast; nothing for other steps.
fn others_in(
    translation: &Translation,
    local_of: &FxHashMap<PlaceId, LocalId>,
    firing: &Firing,
    state: &State,
) -> Vec<(LocalId, LocalId)> {
    let Effect::Broadcast(broadcast) = &translation.system.transitions[firing.transition].effect else {
        return Vec::new();
    };
    let mut others = Vec::new();
    for (place, count) in &state.tokens {
        let taken: u64 =
            broadcast.take.iter().filter(|(from, _)| from == place).map(|(_, count)| u64::from(*count)).sum();
        let mut left = count - taken;
        let Some(moved) = broadcast.moves.iter().find(|moved| moved.from == *place) else {
            others.extend((0..left).map(|_| (local_of[place], local_of[place])));
            continue;
        };
        let becomes = |choice: usize| local_of[&moved.choices[choice][0].0];
        for (_, choice, number) in firing.choices.iter().filter(|(from, ..)| from == place) {
            others.extend((0..*number).map(|_| (local_of[place], becomes(*choice))));
            left -= number;
        }
        others.extend((0..left).map(|_| (local_of[place], becomes(0))));
    }
    others
}

pub(super) fn shown(open: Undecided, safe_up_to: usize) -> Undecided {
    if safe_up_to == 0 { open } else { open.proved(format!("no failure with up to {safe_up_to} threads")) }
}
