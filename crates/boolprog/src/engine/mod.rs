//! The engines for Boolean programs, a row each, and the table by which `auto` takes them: by the shape of
//! the question. What the rows with a bound on threads do is in `search`, what those without do in
//! `unbounded`.

mod search;
mod unbounded;

pub use search::EngineSettings;
use unbounded::and_more;
pub use unbounded::{UnboundedEngine, ask_unbounded};

use crate::analysis::call_shape;
use crate::cover::{self, Recheck};
use crate::findings::Findings;
use crate::graph::Program;
use crate::setup::Setup;
use crate::switches::with_fewer_switches;
use crate::threads::counters::Until;
use crate::threads::{THREAD_ENGINES, ThreadEngine, UnboundedSetup, check};
use crate::words::{with_legend, words_of};
use base::{Budget, EventSink, SourceMap};
use question::{
    Answer, Asks, Counterexample, Decided, Engine, Knowledge, Monitor, Question, Row, Share, Verdict, When,
    ask_only, first_to_decide,
};
use std::time::Instant;
use verdict::{Certificate, Reason};

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

/// An engine for Boolean programs: a row of [`WITH_A_BOUND`] or [`WITHOUT_A_BOUND`].
#[derive(Clone, Copy, Debug)]
pub struct BooleanEngine {
    name: &'static str,
    description: &'static str,
    how: How,
}

/// Can it be asked this at all? If not, why not.
type Objection = fn(&Program, &Setup) -> Option<&'static str>;

/// What an engine does.
#[derive(Clone, Copy, Debug)]
enum How {
    /// A search with a bound on threads, or for one thread.
    Bounded(Objection, search::Search),
    /// Several threads, with a bound and without recursion.
    Threads(ThreadEngine),
    /// Any number of threads.
    Unbounded(UnboundedEngine),
}

const fn bounded(
    name: &'static str,
    description: &'static str,
    objection: Objection,
    search: search::Search,
) -> BooleanEngine {
    BooleanEngine { name, description, how: How::Bounded(objection, search) }
}

const fn threads(engine: ThreadEngine) -> BooleanEngine {
    BooleanEngine { name: engine.name, description: engine.description, how: How::Threads(engine) }
}

const fn unbounded(engine: UnboundedEngine) -> BooleanEngine {
    BooleanEngine { name: engine.name(), description: engine.description(), how: How::Unbounded(engine) }
}

/// State by state: any program, small ones.
pub const EXPLICIT: BooleanEngine =
    bounded("explicit", "State by state: any program, small ones", without_a_bound, search::by_states);
/// Summaries as decision diagrams.
pub const BDD: BooleanEngine = bounded(
    "bdd",
    "Summaries as decision diagrams: one thread, recursion",
    several_threads,
    search::by_diagrams,
);
/// Summaries by SAT.
pub const SAT: BooleanEngine =
    bounded("sat", "Summaries by SAT: one thread, recursion by nesting", several_threads, search::by_nesting);
/// Counters, with stacks kept to a height and summarised or cut off above.
pub const STACKS: BooleanEngine = bounded(
    "stacks",
    "Counters, with stacks summarised or cut off: several threads and recursion",
    |program, setup| {
        let is_flat = !has_recursion(program);
        let tells = program.has_broadcasts();
        without_a_bound(program, setup)
            .or(is_flat.then_some("it is for programs with recursion"))
            .or(tells.then_some("it takes no variables of other threads (`x$`)"))
    },
    search::by_stacks,
);
/// Counters with partial-order reduction.
const REDUCED: BooleanEngine = threads(ThreadEngine::REDUCED_COUNTERS);
/// One to four threads.
const FEW: BooleanEngine = unbounded(UnboundedEngine::FewThreads);
/// Whichever coverability engine answers first.
const COVERABILITY: BooleanEngine = unbounded(UnboundedEngine::Coverability(cover::Engine::Auto));

/// The engines for questions with a bound on threads, in the order in which all of them are asked.
pub static WITH_A_BOUND: [BooleanEngine; 4 + THREAD_ENGINES.len()] = {
    let mut all = [EXPLICIT; 4 + THREAD_ENGINES.len()];
    (all[1], all[2], all[3]) = (BDD, SAT, STACKS);
    let mut index = 0;
    while index < THREAD_ENGINES.len() {
        all[4 + index] = threads(THREAD_ENGINES[index]);
        index += 1;
    }
    all
};

/// The engines for questions without one, in the order in which all of them are asked.
pub static WITHOUT_A_BOUND: [BooleanEngine; 6] = [
    FEW,
    unbounded(UnboundedEngine::Coverability(cover::Engine::KarpMiller)),
    unbounded(UnboundedEngine::Coverability(cover::Engine::Backward)),
    unbounded(UnboundedEngine::Coverability(cover::Engine::Widening)),
    unbounded(UnboundedEngine::Coverability(cover::Engine::Explicit)),
    unbounded(UnboundedEngine::Cutoff),
];

/// Few threads are tried for a quarter of the time, ten seconds at most.
const FEW_SHARE: Share = Share::part(4, 10);

/// The engine for a question by its shape, and why. Exactly one row applies to each, but for any number of
/// threads, where few are tried first.
fn table<'t, 'p: 't>() -> [Row<'t, BooleanSystem<'p>>; 7] {
    fn any_number(question: &Question<'_, BooleanSystem<'_>>) -> bool {
        matches!(question.about.threads, Threads::Unbounded(_))
    }
    fn several(question: &Question<'_, BooleanSystem<'_>>) -> bool {
        !question.about.is_sequential() && !any_number(question)
    }
    fn recurs(question: &Question<'_, BooleanSystem<'_>>) -> bool {
        has_recursion(question.about.program)
    }
    fn tells(question: &Question<'_, BooleanSystem<'_>>) -> bool {
        question.about.program.has_broadcasts()
    }
    fn row<'t, 'p: 't>(
        engine: &'t BooleanEngine,
        because: &'static str,
        applies: fn(&Question<'_, BooleanSystem<'p>>, &Knowledge) -> bool,
    ) -> Row<'t, BooleanSystem<'p>> {
        Row { engine, when: When { applies, because }, share: Share::ALL }
    }
    [
        row(&BDD, "one thread: summaries, which take recursion of any depth", |question, _| {
            question.about.is_sequential()
        }),
        row(
            &STACKS,
            "several threads and recursion: proofs with summarised stacks and runs with cut ones, by turns",
            |question, _| several(question) && recurs(question) && !tells(question),
        ),
        row(
            &EXPLICIT,
            "several threads, recursion, and variables of other threads: state by state",
            |question, _| several(question) && recurs(question) && tells(question),
        ),
        row(
            &REDUCED,
            "several threads, a bound, no recursion: counters with partial-order reduction",
            |question, _| several(question) && !recurs(question),
        ),
        Row {
            share: FEW_SHARE,
            ..row(&FEW, "any number of threads: few of them first", |question, _| any_number(question))
        },
        row(
            &COVERABILITY,
            "any number of threads and recursion: coverability, with stacks summarised or cut off",
            |question, _| any_number(question) && recurs(question),
        ),
        row(&COVERABILITY, "any number of threads: coverability", |question, _| {
            any_number(question) && !recurs(question)
        }),
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

fn without_a_bound(program: &Program, setup: &Setup) -> Option<&'static str> {
    let is_missing = setup.most_threads.is_none() && program.has_threads();
    is_missing.then_some("it needs a bound on threads")
}

fn several_threads(program: &Program, setup: &Setup) -> Option<&'static str> {
    (!setup.is_sequential(program)).then_some("it takes one thread, and this question has several")
}

impl BooleanEngine {
    /// Searches with a bound on threads, whether or not it is for this.
    ///
    /// # Panics
    /// When the engine is for any number of threads.
    pub fn search(
        &self,
        program: &Program,
        setup: &Setup,
        settings: &EngineSettings,
        monitor: Monitor<'_>,
    ) -> Findings {
        match &self.how {
            How::Bounded(_, search) => search(program, setup, settings, monitor),
            How::Threads(engine) => check(program, setup, engine, Until::FirstFailure, monitor),
            How::Unbounded(_) => panic!("{} is for any number of threads", self.name),
        }
    }

    /// Can it be asked this with a bound on threads? If not, why not.
    pub fn objection(&self, program: &Program, setup: &Setup) -> Option<&'static str> {
        match &self.how {
            How::Bounded(objection, _) => objection(program, setup),
            How::Threads(engine) => without_a_bound(program, setup)
                .or(has_recursion(program).then_some("it takes no recursion"))
                .or_else(|| engine.objection(program)),
            How::Unbounded(_) => Some("it is for any number of threads"),
        }
    }
}

impl Engine<BooleanSystem<'_>> for BooleanEngine {
    fn name(&self) -> &'static str {
        self.name
    }

    fn description(&self) -> &'static str {
        self.description
    }

    fn can_answer(&self, question: &Question<'_, BooleanSystem<'_>>) -> Result<(), Reason> {
        let why = match (&question.asks, &question.about.threads, &self.how) {
            (Asks::NoError, Threads::Bounded(setup), _) => self.objection(question.about.program, setup),
            (Asks::NoError, Threads::Unbounded(_), How::Unbounded(_)) => None,
            (Asks::NoError, Threads::Unbounded(_), _) => Some("it needs a bound on threads"),
            _ => Some("it is asked whether an error can be reached, and nothing else"),
        };
        why.map_or(Ok(()), |why| Err(Reason::EngineCannot { engine: self.name, why: why.into() }))
    }

    /// The run in the words of the source, the proof as a certificate.
    fn run(
        &self,
        question: &Question<'_, BooleanSystem<'_>>,
        _: &Knowledge,
        budget: &Budget,
        events: &dyn EventSink,
    ) -> Answer {
        let BooleanSystem { program, sources, threads, recheck } = question.about;
        let monitor = Monitor { budget, events };
        let started = Instant::now();
        let (mut notes, mut bounded_by) = (Vec::new(), None);
        let failed_with;
        let (mut findings, engine) = match (&self.how, threads) {
            (How::Unbounded(engine), Threads::Unbounded(setup)) => {
                let found = ask_unbounded(program, setup, *engine, *recheck, monitor);
                let found = and_more(program, setup, found, monitor);
                notes = found.notes;
                failed_with = found.setup;
                (found.findings, found.engine)
            }
            (_, Threads::Bounded(setup)) => {
                let with_proof = *recheck == Recheck::All;
                let settings = EngineSettings { with_proof, ..EngineSettings::default() };
                failed_with = Some(setup.clone());
                if let Some(most) = setup.most_threads.filter(|_| program.has_threads()) {
                    let threads = if most == 1 { "one thread runs" } else { &format!("{most} threads run") };
                    bounded_by = Some(format!("where {threads}, starting another one does nothing"));
                }
                (self.search(program, setup, &settings, monitor), self.name)
            }
            _ => unreachable!("it was asked whether it can answer"),
        };
        let verdict: Verdict = match findings.outcome {
            Ok(Decided::Proved(())) => {
                let facts =
                    findings.certificate.map(|facts| with_legend(facts, &findings.legend, program, sources));
                Verdict::Holds(
                    facts.map_or(Certificate::Unrecorded, |facts| Certificate::Facts(facts.into())),
                )
            }
            Ok(Decided::Violated(mut trace)) => {
                if let Some(setup) = &failed_with {
                    trace = with_fewer_switches(program, setup, trace);
                }
                let path = trace.to_path(program, &|edge| words_of(program, sources, edge));
                Counterexample::Path(path).into()
            }
            Err(open) => open.into(),
        };
        findings.statistics.time("time", started.elapsed());
        let mut answer = Answer::new(&question.name, engine, verdict);
        answer.statistics = findings.statistics;
        answer.remarks.extend(findings.rests_on);
        answer.remarks.extend(notes);
        answer.remarks.extend(bounded_by.filter(|_| answer.verdict.holds()));
        answer
    }
}
