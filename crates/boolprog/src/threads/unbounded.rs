//! Any number of threads: the program as a counter system for the coverability engines (BOOM 8.2-8.4), and
//! cutoffs (BOOM 9) with a proof.
//!
//! The thread states that matter are found first ([`super::closure`]).
//!
//! Worked example of a cutoff: two threads reach the thread states R and none fails. If one more thread, in
//! any local state that R has for the same shared state, would see nothing but R after every step of another,
//! R is closed and two threads are the cutoff. Where it would see something new, two local states had to be
//! there together; that this never happens is asked of the backward engine.

use super::closure::{Closure, closure};
use super::counters::{self, CounterSettings, Reductions, Until};
use super::run::{self, NumberedRun};
use super::thread_state::{Failure, LocalId, Possibilities, SharedId, ThreadStates};
use crate::cover::system::{
    Arc as TokenArc, ControlId, Effect, Initial, InitialCount, PlaceId, System, Target, Transition,
    TransitionId,
};
use crate::cover::witness::Witness;
use crate::cover::{Engine, Recheck, Settings, decide};
use crate::findings::Findings;
use crate::graph::ProcedureId;
use crate::setup::Setup;
use crate::trace::Trace;
use base::{Id, IndexVec};
use question::{Decided, Monitor, Searched};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
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
}

impl Unbounded {
    /// What an engine found of a counter system with so many thread states and transitions.
    fn new(
        outcome: Searched<Trace>,
        engine: &'static str,
        thread_states: usize,
        transitions: usize,
    ) -> Unbounded {
        let mut statistics = Statistics::default();
        statistics.count("thread states", thread_states as u64);
        statistics.count("transitions", transitions as u64);
        Unbounded { findings: Findings::new(outcome, statistics), setup: None, engine, cutoff: None }
    }

    /// There is no counter system, or nothing came of it.
    pub(super) fn unanswered(open: Undecided, engine: &'static str) -> Unbounded {
        Unbounded::new(Err(open), engine, 0, 0)
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
    controls: FxHashMap<SharedId, ControlId>,
    places: FxHashMap<LocalId, PlaceId>,
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
    Ok(build(states, present, &steps, start, counts, uncertain, fixed))
}

fn build(
    states: &ThreadStates<'_>,
    present: BTreeMap<SharedId, Vec<LocalId>>,
    steps: &BTreeMap<(SharedId, LocalId), Arc<Possibilities>>,
    start: SharedId,
    counts: BTreeMap<LocalId, InitialCount>,
    uncertain: Vec<(ProcedureId, Vec<LocalId>)>,
    fixed: Vec<ProcedureId>,
) -> Translation {
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
        let spot = &states.flat.spots[states.local(local).spot];
        places.insert(
            local,
            place_names.push(format!("{local} at {}", states.flat.program.describe(spot.node))),
        );
    }
    let mut transitions = IndexVec::new();
    let mut meanings = IndexVec::new();
    let mut add =
        |from: ControlId, to: ControlId, changes: &[(PlaceId, i64, u32)], meaning: Meaning, name: String| {
            let mut arcs: BTreeMap<PlaceId, TokenArc> = BTreeMap::new();
            for (place, change, needs) in changes {
                let arc = arcs.entry(*place).or_insert(TokenArc { place: *place, needs: 0, change: 0 });
                arc.change += change;
                arc.needs = arc.needs.max(*needs);
            }
            let effect = Effect::Plain(arcs.into_values().collect());
            transitions.push(Transition { from, to, at_most: Vec::new(), effect, name });
            meanings.push(meaning);
        };
    for (at, (_, locals)) in uncertain.iter().enumerate() {
        for local in locals {
            let meaning = Meaning::First(*local);
            add(
                choosing[at],
                choosing[at + 1],
                &[(places[local], 1, 0)],
                meaning,
                "choose a first state".to_owned(),
            );
        }
    }
    if let Some(control) = controls.get(&start) {
        add(choosing[uncertain.len()], *control, &[], Meaning::Start(start), "start".to_owned());
    }
    for ((shared, local), possibilities) in steps {
        let from = controls[shared];
        if possibilities.failure.is_some() {
            add(from, failed, &[(places[local], 0, 1)], Meaning::Failure(*local), "fail".to_owned());
        }
        for (index, step) in possibilities.steps.iter().enumerate() {
            let (first, last) = (&step[0], &step[step.len() - 1]);
            let mut changes = vec![(places[local], -1, 1)];
            changes.extend(last.local.iter().chain(&first.started).map(|local| (places[local], 1, 0)));
            let Some(to) = controls.get(&last.shared) else { continue };
            let meaning = Meaning::Step(*shared, *local, index);
            add(from, *to, &changes, meaning, format!("{local} by {}", first.edge));
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
    Translation { system, meanings, controls, places, present, fixed }
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
    let (mut answer, witness) = covered(&translation, settings, monitor.within(&budget));
    if let Some(witness) = witness {
        let (setup, outcome) = violated(states, setup, &translation, &witness);
        (answer.setup, answer.findings.outcome) = (Some(setup), outcome);
    } else if let Err(open) = answer.findings.outcome {
        answer.findings.outcome = with_few_threads(states, setup, open, &mut answer.setup, monitor);
    }
    answer
}

/// What a coverability engine says of the counter system; a run into a failure is one of that system still.
pub(super) fn covered(
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
    answer.findings.certificate = coverage.certificate;
    (answer, witness)
}

/// Explores with 1, 2, … threads for as long as there is time; a failure is an answer after all.
fn with_few_threads(
    states: &mut ThreadStates<'_>,
    setup: &UnboundedSetup,
    open: Undecided,
    violated_by: &mut Option<Setup>,
    monitor: Monitor<'_>,
) -> Searched<Trace> {
    let mut safe_up_to = 0;
    if monitor.budget.deadline().is_some() {
        for threads in setup.roots.len().max(1)..=64 {
            let (bounded, found) = explore_with(states, setup, threads, monitor);
            match found.outcome {
                Ok(Decided::Proved(())) => safe_up_to = threads,
                Ok(violated) => {
                    *violated_by = Some(bounded);
                    return Ok(violated);
                }
                Err(_) => break,
            }
        }
    }
    Err(shown(open, safe_up_to).try_next("bound the number of threads with --threads N"))
}

/// All states with so many threads.
pub(super) fn explore_with(
    states: &mut ThreadStates<'_>,
    setup: &UnboundedSetup,
    threads: usize,
    monitor: Monitor<'_>,
) -> (Setup, counters::Counted) {
    let more = setup.any_number_of.into_iter().cycle().take(threads - setup.roots.len());
    let roots: Vec<ProcedureId> = setup.roots.iter().copied().chain(more).collect();
    let bounded = Setup { roots, most_threads: Some(threads) };
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
    for firing in witness.run.firings.iter().skip(translation.fixed.len()) {
        match translation.meanings[firing.transition] {
            Meaning::Start(first) => {
                shared = first;
                current = first;
            }
            Meaning::Step(before, local, index) => {
                let possibilities = states.possibilities(before, local).expect("computed before");
                let step = possibilities.steps[index].clone();
                current = step.last().expect("a step has an edge").shared;
                steps.push((local, step));
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
        steps.push((local, way));
    }
    let run = NumberedRun { shared, locals, steps, failure: (failing, edge), settled };
    let outcome = run::confirm(states, &setup, &run);
    (setup, outcome)
}

/// Decides by cutoff (BOOM 9; the dynamic criterion is Kaiser, Kroening, Wahl 2010): explores with 1, 2, …
/// threads until the reached thread states are closed under one more passive thread. Where the closure would
/// add a thread state, the backward engine is asked whether the two local states it needs can ever be there
/// together; if never, it is no obstacle.
pub fn check_by_cutoff(
    states: &mut ThreadStates<'_>,
    setup: &UnboundedSetup,
    most_threads: usize,
    monitor: Monitor<'_>,
) -> Unbounded {
    const NAME: &str = "cutoff";
    let translation = match translate(states, setup, UnboundedSettings::new(Engine::Widening), monitor) {
        Ok(translation) => translation,
        Err(open) => return Unbounded::unanswered(open, NAME),
    };
    let mut refuted: FxHashSet<(SharedId, LocalId, LocalId)> = FxHashSet::default();
    let least = setup.roots.len().max(1);
    let mut safe_up_to = 0;
    for threads in least..=most_threads {
        monitor.count("threads", threads);
        let (bounded, found) = explore_with(states, setup, threads, monitor);
        let reached = &found.thread_states;
        let answer = |outcome: Searched<Trace>| {
            Unbounded::new(outcome, NAME, reached.len(), translation.system.transitions.len())
        };
        match found.outcome {
            Ok(Decided::Proved(())) => safe_up_to = threads,
            Ok(violated) => return Unbounded { setup: Some(bounded), ..answer(Ok(violated)) },
            Err(open) => return answer(Err(shown(open, safe_up_to))),
        }
        match closed(states, reached, &translation, &mut refuted, monitor) {
            Ok(true) => return Unbounded { cutoff: Some(threads), ..answer(Ok(Decided::Proved(()))) },
            Ok(false) => {}
            Err(open) => return answer(Err(shown(open, safe_up_to))),
        }
    }
    let reason = Reason::SizeLimit { what: "threads tried for a cutoff", limit: most_threads as u64 };
    Unbounded::unanswered(shown(Undecided::because(reason), safe_up_to), NAME)
}

fn shown(open: Undecided, safe_up_to: usize) -> Undecided {
    if safe_up_to == 0 { open } else { open.proved(format!("no failure with up to {safe_up_to} threads")) }
}

/// Is the set closed under all steps, with any number of threads?
fn closed(
    states: &mut ThreadStates<'_>,
    reached: &FxHashSet<(SharedId, LocalId)>,
    translation: &Translation,
    refuted: &mut FxHashSet<(SharedId, LocalId, LocalId)>,
    monitor: Monitor<'_>,
) -> Result<bool, Undecided> {
    let mut by_shared: BTreeMap<SharedId, Vec<LocalId>> = BTreeMap::new();
    for (shared, local) in reached {
        by_shared.entry(*shared).or_default().push(*local);
    }
    for (shared, locals) in &mut by_shared {
        locals.sort();
        for local in locals.iter() {
            let possibilities = states.possibilities(*shared, *local)?;
            for step in &possibilities.steps {
                let (first, last) = (&step[0], &step[step.len() - 1]);
                let own = last.local.into_iter().chain(first.started);
                // A start that found no room is not closed yet.
                if own.into_iter().any(|next| !reached.contains(&(last.shared, next))) {
                    return Ok(false);
                }
                for passive in locals.iter() {
                    if reached.contains(&(last.shared, *passive))
                        || refuted.contains(&(*shared, *local, *passive))
                    {
                        continue;
                    }
                    if can_be_together(translation, *shared, *local, *passive, monitor)? {
                        return Ok(false);
                    }
                    refuted.insert((*shared, *local, *passive));
                }
            }
        }
    }
    Ok(true)
}

fn can_be_together(
    translation: &Translation,
    shared: SharedId,
    first: LocalId,
    second: LocalId,
    monitor: Monitor<'_>,
) -> Result<bool, Undecided> {
    let places = (translation.places.get(&first), translation.places.get(&second));
    let (Some(control), (Some(a), Some(b))) = (translation.controls.get(&shared), places) else {
        return Ok(false);
    };
    let mut wanted: BTreeMap<PlaceId, u32> = BTreeMap::new();
    [a, b].into_iter().for_each(|place| *wanted.entry(*place).or_insert(0) += 1);
    let mut targets = IndexVec::new();
    targets.push(Target { control: *control, at_least: wanted.into_iter().collect(), at_most: Vec::new() });
    let system = System { targets, ..translation.system.clone() };
    let asked = Settings { engine: Engine::Widening, recheck: Recheck::Small };
    match decide(&system, asked, monitor).found {
        Ok(decided) => Ok(matches!(decided, Decided::Violated(_))),
        Err(open) => Err(Undecided::because(open.reason)),
    }
}
