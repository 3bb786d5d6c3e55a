//! The engines for Boolean programs, and the table by which `auto` takes them: by the shape of the question.

use crate::analysis::call_shape;
use crate::concretise::concretise;
use crate::cover::{self, Recheck};
use crate::explicit::{ExplicitSettings, explore, replay};
use crate::graph::Program;
use crate::setup::{SearchResult, Setup};
use crate::simplify::compress;
use crate::summaries::{
    Refused, SummarySettings, SummaryStatistics, check_by_summaries, prove_by_summaries, recheck,
};
use crate::threads::counters::Until;
use crate::threads::flat::flatten;
use crate::threads::recursion::{Rested, by_turns, check_bounded};
use crate::threads::stacks::Beyond;
use crate::threads::thread_state::{Compression, ThreadStates};
use crate::threads::{
    THREAD_ENGINES, ThreadEngine, Unbounded, UnboundedSettings, UnboundedSetup, callers, check,
    check_by_cutoff, engine::not_flat, unbounded,
};
use crate::trace::Trace;
use crate::unrolling::{UnrollingSettings, check_by_unrolling};
use crate::words::words_of;
use base::{Budget, EventSink, SourceMap};
use question::{
    Answer, Asks, Counterexample, Engine, Knowledge, Question, Row, Share, Verdict, When, ask_only,
    first_to_decide,
};
use verdict::{Certificate, InductiveFacts, Reason, Statistics, Undecided};

/// A Boolean program, and which threads of it run.
#[derive(Debug)]
pub struct BooleanSystem<'p> {
    /// The program.
    pub program: &'p Program,
    /// The text it was read from: the words of the steps of a run.
    pub sources: &'p SourceMap,
    /// Which threads run.
    pub threads: Threads,
    /// Which proofs are checked again.
    pub recheck: Recheck,
}

/// Which threads run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Threads {
    /// At most so many at the same time.
    Bounded(Setup),
    /// Any number.
    Unbounded(UnboundedSetup),
}

impl<'p> BooleanSystem<'p> {
    /// Does no assertion fail, and is no error label reached?
    pub fn question(&self) -> Question<'_, BooleanSystem<'p>> {
        let threads = match &self.threads {
            Threads::Bounded(setup) if setup.is_sequential(self.program) => String::new(),
            Threads::Bounded(setup) => format!(" with at most {} threads", setup.most_threads.unwrap_or(0)),
            Threads::Unbounded(UnboundedSetup { any_number_of: Some(_), .. }) => {
                " with any number of threads in `main`".into()
            }
            Threads::Unbounded(_) => " with any number of threads".into(),
        };
        let name = format!("no assertion fails and no error label is reached{threads}");
        Question { name, about: self, asks: Asks::NoError }
    }

    fn is_sequential(&self) -> bool {
        matches!(&self.threads, Threads::Bounded(setup) if setup.is_sequential(self.program))
    }
}

/// An engine for Boolean programs.
pub type BooleanEngine = dyn for<'p> Engine<BooleanSystem<'p>> + Sync;

/// The engines for questions with a bound on threads, in the order in which all of them are asked.
pub fn with_a_bound() -> Vec<&'static BooleanEngine> {
    static THREADS: [Bounded<ThreadEngine>; THREAD_ENGINES.len()] = {
        let mut all = [Bounded(THREAD_ENGINES[0]); THREAD_ENGINES.len()];
        let mut index = 1;
        while index < THREAD_ENGINES.len() {
            all[index] = Bounded(THREAD_ENGINES[index]);
            index += 1;
        }
        all
    };
    let mut all: Vec<&'static BooleanEngine> =
        vec![&Bounded(Explicit), &Bounded(Bdd), &Bounded(Sat), &Bounded(Stacks)];
    all.extend(THREADS.iter().map(|engine| -> &'static BooleanEngine { engine }));
    all
}

/// The engines for questions without one, in the order in which all of them are asked.
pub static WITHOUT_A_BOUND: [&BooleanEngine; 5] = [
    &UnboundedEngine::Coverability(cover::Engine::KarpMiller),
    &UnboundedEngine::Coverability(cover::Engine::Backward),
    &UnboundedEngine::Coverability(cover::Engine::Widening),
    &UnboundedEngine::Coverability(cover::Engine::Explicit),
    &UnboundedEngine::Cutoff,
];

/// The engine for a question by its shape, and why. Exactly one row applies to each.
fn table<'t, 'p: 't>() -> [Row<'t, BooleanSystem<'p>>; 5] {
    fn any_number(question: &Question<'_, BooleanSystem<'_>>) -> bool {
        matches!(question.about.threads, Threads::Unbounded(_))
    }
    fn several(question: &Question<'_, BooleanSystem<'_>>) -> bool {
        !question.about.is_sequential() && !any_number(question)
    }
    fn recurs(question: &Question<'_, BooleanSystem<'_>>) -> bool {
        has_recursion(question.about.program)
    }
    const REDUCED: Bounded<ThreadEngine> = Bounded(ThreadEngine::REDUCED_COUNTERS);
    const COVERABILITY: UnboundedEngine = UnboundedEngine::Coverability(cover::Engine::Auto);
    let share = Share::ALL;
    [
        Row {
            engine: &Bounded(Bdd),
            when: When {
                applies: |question, _| question.about.is_sequential(),
                because: "one thread: summaries, which take recursion of any depth",
            },
            share,
        },
        Row {
            engine: &Bounded(Stacks),
            when: When {
                applies: |question, _| several(question) && recurs(question),
                because: "several threads and recursion: proofs with summarised stacks and runs with cut ones, by turns",
            },
            share,
        },
        Row {
            engine: &REDUCED,
            when: When {
                applies: |question, _| several(question) && !recurs(question),
                because: "several threads, a bound, no recursion: counters with partial-order reduction",
            },
            share,
        },
        Row {
            engine: &COVERABILITY,
            when: When {
                applies: |question, _| any_number(question) && recurs(question),
                because: "any number of threads and recursion: coverability, with stacks summarised or cut off",
            },
            share,
        },
        Row {
            engine: &COVERABILITY,
            when: When {
                applies: |question, _| any_number(question) && !recurs(question),
                because: "any number of threads: coverability",
            },
            share,
        },
    ]
}

/// Answers by this engine, or by the table if none is given.
pub fn ask(
    question: &Question<'_, BooleanSystem<'_>>,
    engine: Option<&BooleanEngine>,
    budget: &Budget,
    events: &dyn EventSink,
) -> Answer {
    let knowledge = Knowledge::new();
    match engine {
        Some(engine) => ask_only(engine, "take `--engine auto`", question, &knowledge, budget, events),
        None => first_to_decide(&table(), question, &knowledge, budget, events),
    }
}

/// Can a procedure call itself, directly or not?
pub fn has_recursion(program: &Program) -> bool {
    call_shape(program).is_recursive.iter().any(|&recursive| recursive)
}

/// Settings of all engines.
#[derive(Clone, Copy, Debug, Default)]
pub struct EngineSettings {
    /// Of the explicit engine.
    pub explicit: ExplicitSettings,
    /// Of the summaries by BDD.
    pub bdd: SummarySettings,
    /// Of the summaries by SAT.
    pub sat: UnrollingSettings,
    /// Should symbolic engines work on the program as it is, with all steps that do nothing?
    pub keep_empty_steps: bool,
    /// Is the proof wanted too? Only summaries have one.
    pub with_proof: bool,
}

/// What an engine found, with its run as a trace of the program's edges.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The answer.
    pub outcome: SearchResult,
    /// What it took.
    pub statistics: Statistics,
    /// The proof in words, if it was asked for and checked.
    pub certificate: Option<InductiveFacts>,
    /// What a HOLDS rests on beyond the engine's own rules, in a sentence.
    pub rests_on: Option<String>,
}

impl Checked {
    fn new(outcome: SearchResult, statistics: Statistics) -> Checked {
        Checked { outcome, statistics, certificate: None, rests_on: None }
    }

    /// The run in the words of the source, the proof as a certificate.
    fn into_answer(self, question: &Question<'_, BooleanSystem<'_>>, engine: &'static str) -> Answer {
        let BooleanSystem { program, sources, .. } = *question.about;
        let verdict: Verdict = match self.outcome {
            SearchResult::Holds => Verdict::Holds(
                self.certificate.map_or(Certificate::Unrecorded, |facts| Certificate::Facts(facts.into())),
            ),
            SearchResult::Violated(trace) => {
                let path = trace.to_path(program, &|edge| words_of(program, sources, edge));
                Counterexample::Path(path).into()
            }
            SearchResult::Undecided(open) => open.into(),
        };
        let mut answer = Answer::new(&question.name, engine, verdict);
        answer.statistics = self.statistics;
        answer.remarks.extend(self.rests_on);
        answer
    }
}

/// A search with a bound on threads.
pub trait BoundedSearch {
    /// As users write it.
    fn name(&self) -> &'static str;

    /// One line for `--help` and for the documents.
    fn description(&self) -> &'static str;

    /// Can it be asked this at all? If not, why not.
    fn objection(&self, program: &Program, setup: &Setup) -> Option<&'static str>;

    /// Asks it.
    fn search(&self, program: &Program, setup: &Setup, settings: &EngineSettings, budget: &Budget)
    -> Checked;
}

/// An engine for questions with a bound on threads.
#[derive(Clone, Copy, Debug)]
pub struct Bounded<S>(pub S);

impl<S: BoundedSearch> Engine<BooleanSystem<'_>> for Bounded<S> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn description(&self) -> &'static str {
        self.0.description()
    }

    fn can_answer(&self, question: &Question<'_, BooleanSystem<'_>>) -> Result<(), Reason> {
        let why = match (&question.asks, &question.about.threads) {
            (Asks::NoError, Threads::Bounded(setup)) => self.0.objection(question.about.program, setup),
            (Asks::NoError, Threads::Unbounded(_)) => Some("it needs a bound on threads"),
            _ => Some(ONLY_ERRORS),
        };
        why.map_or(Ok(()), |why| Err(Reason::EngineCannot { engine: self.0.name(), why: why.into() }))
    }

    fn run(
        &self,
        question: &Question<'_, BooleanSystem<'_>>,
        _: &Knowledge,
        budget: &Budget,
        _: &dyn EventSink,
    ) -> Answer {
        let Threads::Bounded(setup) = &question.about.threads else {
            unreachable!("it was asked whether it can answer")
        };
        let with_proof = question.about.recheck == Recheck::All;
        let settings = EngineSettings { with_proof, ..EngineSettings::default() };
        let found = self.0.search(question.about.program, setup, &settings, budget);
        found.into_answer(question, self.0.name())
    }
}

const ONLY_ERRORS: &str = "it is asked whether an error can be reached, and nothing else";

fn without_a_bound(program: &Program, setup: &Setup) -> Option<&'static str> {
    let is_missing = setup.most_threads.is_none() && program.has_threads();
    is_missing.then_some("it needs a bound on threads")
}

fn several_threads(program: &Program, setup: &Setup) -> Option<&'static str> {
    (!setup.is_sequential(program)).then_some("it takes one thread, and this question has several")
}

/// State by state: any program, small ones.
#[derive(Clone, Copy, Debug)]
pub struct Explicit;

impl BoundedSearch for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn description(&self) -> &'static str {
        "State by state: any program, small ones"
    }

    fn objection(&self, program: &Program, setup: &Setup) -> Option<&'static str> {
        without_a_bound(program, setup)
    }

    fn search(
        &self,
        program: &Program,
        setup: &Setup,
        settings: &EngineSettings,
        budget: &Budget,
    ) -> Checked {
        let found = explore(program, setup, settings.explicit, budget);
        let mut statistics = Statistics::default();
        statistics.count("states", found.states as u64);
        Checked::new(found.outcome, statistics)
    }
}

impl BoundedSearch for ThreadEngine {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> &'static str {
        self.description
    }

    fn objection(&self, program: &Program, setup: &Setup) -> Option<&'static str> {
        without_a_bound(program, setup).or(has_recursion(program).then_some("it takes no recursion"))
    }

    fn search(&self, program: &Program, setup: &Setup, _: &EngineSettings, budget: &Budget) -> Checked {
        let found = check(program, setup, self, Until::FirstFailure, budget);
        Checked::new(found.outcome, found.statistics)
    }
}

/// Counters, with stacks kept to a height and summarised or cut off above: several threads and recursion.
#[derive(Clone, Copy, Debug)]
pub struct Stacks;

impl BoundedSearch for Stacks {
    fn name(&self) -> &'static str {
        "stacks"
    }

    fn description(&self) -> &'static str {
        "Counters, with stacks summarised or cut off: several threads and recursion"
    }

    fn objection(&self, program: &Program, setup: &Setup) -> Option<&'static str> {
        without_a_bound(program, setup)
            .or((!has_recursion(program)).then_some("it is for programs with recursion"))
    }

    fn search(&self, program: &Program, setup: &Setup, _: &EngineSettings, budget: &Budget) -> Checked {
        let found = check_bounded(program, setup, budget);
        Checked { rests_on: found.rests_on, ..Checked::new(found.answer.outcome, found.answer.statistics) }
    }
}

/// Summaries as BDDs: one thread, recursion.
#[derive(Clone, Copy, Debug)]
pub struct Bdd;

impl BoundedSearch for Bdd {
    fn name(&self) -> &'static str {
        "bdd"
    }

    fn description(&self) -> &'static str {
        "Summaries as decision diagrams: one thread, recursion"
    }

    fn objection(&self, program: &Program, setup: &Setup) -> Option<&'static str> {
        several_threads(program, setup)
    }

    fn search(
        &self,
        program: &Program,
        setup: &Setup,
        settings: &EngineSettings,
        budget: &Budget,
    ) -> Checked {
        if settings.with_proof {
            return with_proof(program, setup, settings, budget);
        }
        on_simplified(program, setup, settings, budget, |program, statistics| {
            let found = check_by_summaries(program, setup, settings.bdd, budget);
            summary_figures(&found.statistics, statistics);
            found.outcome
        })
    }
}

/// Summaries by SAT: one thread; recursion by nesting.
#[derive(Clone, Copy, Debug)]
pub struct Sat;

impl BoundedSearch for Sat {
    fn name(&self) -> &'static str {
        "sat"
    }

    fn description(&self) -> &'static str {
        "Summaries by SAT: one thread, recursion by nesting"
    }

    fn objection(&self, program: &Program, setup: &Setup) -> Option<&'static str> {
        several_threads(program, setup)
    }

    fn search(
        &self,
        program: &Program,
        setup: &Setup,
        settings: &EngineSettings,
        budget: &Budget,
    ) -> Checked {
        on_simplified(program, setup, settings, budget, |program, statistics| {
            let found = check_by_unrolling(program, setup, settings.sat, budget);
            statistics.count("solver_checks", found.statistics.checks as u64);
            statistics.count("activations", found.statistics.activations as u64);
            statistics.count("activations_left_abstract", found.statistics.abstract_activations as u64);
            found.outcome
        })
    }
}

/// Searches the program without steps that do nothing, unless they are to be kept; a run is one of the program itself.
fn on_simplified(
    program: &Program,
    setup: &Setup,
    settings: &EngineSettings,
    budget: &Budget,
    search: impl Fn(&Program, &mut Statistics) -> SearchResult,
) -> Checked {
    let mut statistics = Statistics::default();
    if settings.keep_empty_steps {
        let outcome = search(program, &mut statistics);
        return Checked::new(outcome, statistics);
    }
    let small = compress(program);
    let outcome = match search(&small.program, &mut statistics) {
        SearchResult::Violated(trace) => {
            let path: Vec<_> = trace.steps.iter().map(|step| (step.thread, step.edge)).collect();
            let starts = |position: usize| trace.steps[position].spawned.is_some();
            let path = small.expand(program, &setup.roots, &path, starts);
            on_original(program, setup, &path, budget)
        }
        decided => decided,
    };
    Checked::new(outcome, statistics)
}

/// Asks the summaries about the program as it stands and has their fixpoint checked by SAT: the only engine with a
/// bound whose proof is smaller than the state space.
fn with_proof(program: &Program, setup: &Setup, settings: &EngineSettings, budget: &Budget) -> Checked {
    let (found, invariant) = prove_by_summaries(program, setup, settings.bdd, budget);
    let mut checked = Checked::new(found.outcome, Statistics::default());
    summary_figures(&found.statistics, &mut checked.statistics);
    let Some(invariant) = invariant else { return checked };
    match recheck(program, setup.roots[0], &invariant, budget) {
        Ok(conditions) => {
            checked.statistics.count("conditions of the proof checked", conditions);
            checked.certificate = Some(invariant.certificate(program, conditions));
        }
        Err(Refused::Wrong(why)) => {
            let why = format!("the proof is refused: {why}");
            checked.outcome = SearchResult::Undecided(Undecided::because(Reason::NotConfirmed { why }));
        }
        Err(Refused::Stopped(exhausted)) => {
            let question = "the proof can be confirmed".to_owned();
            checked.outcome = SearchResult::Undecided(match exhausted {
                Some(exhausted) => exhausted.into(),
                None => Undecided::because(Reason::SolverUnknown { question }),
            });
        }
    }
    checked
}

fn summary_figures(found: &SummaryStatistics, statistics: &mut Statistics) {
    statistics.count("path_edge_sets", found.path_edge_sets as u64);
    statistics.count("summary_sets", found.summary_sets as u64);
    statistics.count("bdd_variables", found.bdd_variables as u64);
}

/// A run of a simplified program as a run of the program itself, replayed there.
fn on_original(
    program: &Program,
    setup: &Setup,
    path: &[(crate::trace::ThreadId, crate::graph::EdgeId)],
    budget: &Budget,
) -> SearchResult {
    let trace: Trace = match concretise(program, setup, path, budget) {
        Ok(Some(trace)) => trace,
        Ok(None) => panic!("a run of the simplified program is a run of the program"),
        Err(open) => return SearchResult::Undecided(*open),
    };
    if let Err(error) = replay(program, setup, &trace) {
        panic!("the interpreter refuses step {} of the run: {}", error.step, error.why);
    }
    SearchResult::Violated(trace)
}

/// An engine for questions without a bound on threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnboundedEngine {
    /// Coverability of the counter system.
    Coverability(cover::Engine),
    /// Cutoff detection.
    Cutoff,
}

impl Engine<BooleanSystem<'_>> for UnboundedEngine {
    fn name(&self) -> &'static str {
        match self {
            UnboundedEngine::Coverability(engine) => engine.name(),
            UnboundedEngine::Cutoff => "cutoff",
        }
    }

    fn description(&self) -> &'static str {
        match self {
            UnboundedEngine::Coverability(engine) => engine.description(),
            UnboundedEngine::Cutoff => "More and more threads, until one more changes nothing",
        }
    }

    fn can_answer(&self, question: &Question<'_, BooleanSystem<'_>>) -> Result<(), Reason> {
        let why = match (&question.asks, &question.about.threads) {
            (Asks::NoError, Threads::Unbounded(_)) => return Ok(()),
            (Asks::NoError, Threads::Bounded(_)) => "it is for any number of threads",
            _ => ONLY_ERRORS,
        };
        Err(Reason::EngineCannot { engine: self.name(), why: why.into() })
    }

    fn run(
        &self,
        question: &Question<'_, BooleanSystem<'_>>,
        _: &Knowledge,
        budget: &Budget,
        _: &dyn EventSink,
    ) -> Answer {
        let BooleanSystem { program, threads: Threads::Unbounded(setup), recheck, .. } = question.about
        else {
            unreachable!("it was asked whether it can answer")
        };
        let CheckedUnbounded { checked, engine, .. } = ask_unbounded(program, setup, *self, *recheck, budget);
        checked.into_answer(question, engine)
    }
}

/// An answer about any number of threads.
#[derive(Debug)]
pub struct CheckedUnbounded {
    /// What was found.
    pub checked: Checked,
    /// For a violation: as many threads at the start as the trace has.
    pub setup: Option<Setup>,
    /// Who answered.
    pub engine: &'static str,
    /// So many threads reach all there is to reach, if that was found.
    pub cutoff: Option<usize>,
}

/// Asks about any number of threads.
pub fn ask_unbounded(
    program: &Program,
    setup: &UnboundedSetup,
    engine: UnboundedEngine,
    recheck: Recheck,
    budget: &Budget,
) -> CheckedUnbounded {
    let mut roots = setup.roots.clone();
    roots.extend(setup.any_number_of);
    let mut statistics = Statistics::default();
    let decide = |states: &mut ThreadStates<'_>, beyond: Beyond, budget: &Budget| {
        decide_unbounded(states, setup, engine, beyond, recheck, budget)
    };
    let answered = if has_recursion(program) {
        by_turns(program, &roots, budget, &mut |states, stacks, slice| decide(states, stacks.beyond, slice))
    } else {
        flatten(program, &roots).map(|flat| {
            let answer = decide(&mut ThreadStates::new(flat, Compression::LocalSteps), Beyond::Cut, budget);
            Rested { answer, rests_on: None }
        })
    };
    let Rested { answer: found, rests_on } = match answered {
        Ok(answered) => answered,
        Err(why) => {
            let open = not_flat(why).try_next("give a bound with `--threads N`");
            let checked = Checked::new(SearchResult::Undecided(open), statistics);
            return CheckedUnbounded { checked, setup: None, engine: "coverability", cutoff: None };
        }
    };
    statistics.count("thread states", found.thread_states);
    statistics.count("transitions", found.transitions);
    CheckedUnbounded {
        checked: Checked { outcome: found.outcome, statistics, certificate: found.certificate, rests_on },
        setup: found.setup,
        engine: found.engine,
        cutoff: found.cutoff,
    }
}

fn decide_unbounded(
    states: &mut ThreadStates<'_>,
    setup: &UnboundedSetup,
    engine: UnboundedEngine,
    beyond: Beyond,
    recheck: Recheck,
    budget: &Budget,
) -> Unbounded {
    match engine {
        UnboundedEngine::Coverability(engine) => {
            let settings = UnboundedSettings { recheck, ..UnboundedSettings::new(engine, budget.clone()) };
            match beyond {
                Beyond::ByEntry => callers::check(states, setup, &settings),
                Beyond::Cut | Beyond::ByArguments => unbounded::check(states, setup, &settings),
            }
        }
        UnboundedEngine::Cutoff => {
            let settings = UnboundedSettings::new(cover::Engine::Widening, budget.clone());
            check_by_cutoff(states, setup, &settings, MOST_CUTOFF)
        }
    }
}

/// Cutoffs above this are not looked for.
const MOST_CUTOFF: usize = 12;
