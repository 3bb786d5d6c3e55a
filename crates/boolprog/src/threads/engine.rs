//! The engines for a bounded number of threads, by name.

use super::counters::{self, CounterSettings, Reductions, Until};
use super::flat::{self, NotFlat};
use super::thread_state::{Compression, ThreadStates};
use super::{symbolic_counters, symbolic_plain};
use crate::graph::Program;
use crate::question::{Outcome, Question};
use base::{Budget, Span};
use verdict::{Reason, Statistics, Undecided};

/// A way to explore threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThreadEngine {
    /// Explicit counter abstraction, one edge at a time.
    Counters,
    /// The same with local steps joined.
    CompressedCounters,
    /// Counters with ample sets.
    AmpleCounters,
    /// Counters with persistent sets.
    PersistentCounters,
    /// Counters with Cartesian reduction.
    CartesianCounters,
    /// Counters with Cartesian reduction and ample sets (BOOM Fig. 6.3).
    CartesianAmpleCounters,
    /// Local steps joined, ample and persistent sets.
    ReducedCounters,
    /// Counters with ample sets, persistent sets and Cartesian reduction.
    AllReductionsCounters,
    /// Symbolic counter abstraction.
    SymbolicCounters,
    /// Symbolic, threads told apart.
    SymbolicPlain,
    /// The same with ample sets.
    SymbolicAmple,
    /// The same with persistent sets.
    SymbolicPersistent,
    /// The same with Cartesian reduction.
    SymbolicCartesian,
    /// The same with Cartesian reduction and ample sets.
    SymbolicCartesianAmple,
    /// The same with ample sets, persistent sets and Cartesian reduction.
    SymbolicAllReductions,
}

impl ThreadEngine {
    /// All of them.
    pub const ALL: [ThreadEngine; 15] = [
        ThreadEngine::Counters,
        ThreadEngine::CompressedCounters,
        ThreadEngine::AmpleCounters,
        ThreadEngine::PersistentCounters,
        ThreadEngine::CartesianCounters,
        ThreadEngine::CartesianAmpleCounters,
        ThreadEngine::ReducedCounters,
        ThreadEngine::AllReductionsCounters,
        ThreadEngine::SymbolicCounters,
        ThreadEngine::SymbolicPlain,
        ThreadEngine::SymbolicAmple,
        ThreadEngine::SymbolicPersistent,
        ThreadEngine::SymbolicCartesian,
        ThreadEngine::SymbolicCartesianAmple,
        ThreadEngine::SymbolicAllReductions,
    ];

    /// The name users give it.
    pub fn name(self) -> &'static str {
        match self {
            ThreadEngine::Counters => "counters",
            ThreadEngine::CompressedCounters => "counters-compressed",
            ThreadEngine::AmpleCounters => "counters-ample",
            ThreadEngine::PersistentCounters => "counters-persistent",
            ThreadEngine::CartesianCounters => "counters-cartesian",
            ThreadEngine::CartesianAmpleCounters => "counters-cartesian-ample",
            ThreadEngine::ReducedCounters => "counters-reduced",
            ThreadEngine::AllReductionsCounters => "counters-all-reductions",
            ThreadEngine::SymbolicCounters => "symbolic-counters",
            ThreadEngine::SymbolicPlain => "symbolic-plain",
            ThreadEngine::SymbolicAmple => "symbolic-ample",
            ThreadEngine::SymbolicPersistent => "symbolic-persistent",
            ThreadEngine::SymbolicCartesian => "symbolic-cartesian",
            ThreadEngine::SymbolicCartesianAmple => "symbolic-cartesian-ample",
            ThreadEngine::SymbolicAllReductions => "symbolic-all-reductions",
        }
    }

    /// The engine of that name.
    pub fn named(name: &str) -> Option<ThreadEngine> {
        ThreadEngine::ALL.into_iter().find(|engine| engine.name() == name)
    }

    fn reductions(self) -> Reductions {
        let none = Reductions::default();
        let all = Reductions { ample: true, persistent: true, cartesian: true };
        match self {
            ThreadEngine::Counters
            | ThreadEngine::CompressedCounters
            | ThreadEngine::SymbolicCounters
            | ThreadEngine::SymbolicPlain => none,
            ThreadEngine::AmpleCounters | ThreadEngine::SymbolicAmple => Reductions { ample: true, ..none },
            ThreadEngine::PersistentCounters | ThreadEngine::SymbolicPersistent => {
                Reductions { persistent: true, ..none }
            }
            ThreadEngine::CartesianCounters | ThreadEngine::SymbolicCartesian => {
                Reductions { cartesian: true, ..none }
            }
            ThreadEngine::CartesianAmpleCounters | ThreadEngine::SymbolicCartesianAmple => {
                Reductions { persistent: false, ..all }
            }
            ThreadEngine::ReducedCounters => Reductions { cartesian: false, ..all },
            ThreadEngine::AllReductionsCounters | ThreadEngine::SymbolicAllReductions => all,
        }
    }
}

/// The answer with its figures.
#[derive(Debug)]
pub struct ThreadAnswer {
    /// The answer.
    pub outcome: Outcome,
    /// What it took.
    pub statistics: Statistics,
}

/// Why a program has no flat form, as an answer.
pub fn not_flat(why: NotFlat) -> Undecided {
    match why {
        NotFlat::Recursion { procedure } => {
            let construct = format!("recursion (through `{procedure}`) together with threads");
            Undecided::because(Reason::NotSupported { construct, at: Span::NOWHERE })
                .try_next("take `--engine auto`")
        }
        NotFlat::TooLarge { limit } => {
            Undecided::because(Reason::SizeLimit { what: "places after inlining", limit: limit as u64 })
        }
    }
}

/// Answers a question about a bounded number of threads.
pub fn check(
    program: &Program,
    question: &Question,
    engine: ThreadEngine,
    until: Until,
    budget: &Budget,
) -> ThreadAnswer {
    let mut statistics = Statistics::default();
    let flat = match flat::flatten(program, &question.roots) {
        Ok(flat) => flat,
        Err(why) => return ThreadAnswer { outcome: Outcome::Undecided(not_flat(why)), statistics },
    };
    statistics.count("places", flat.spots.len() as u64);
    let reductions = engine.reductions();
    let compression = match engine {
        ThreadEngine::CompressedCounters | ThreadEngine::ReducedCounters => Compression::LocalSteps,
        _ => Compression::None,
    };
    match engine {
        ThreadEngine::SymbolicPlain
        | ThreadEngine::SymbolicAmple
        | ThreadEngine::SymbolicPersistent
        | ThreadEngine::SymbolicCartesian
        | ThreadEngine::SymbolicCartesianAmple
        | ThreadEngine::SymbolicAllReductions => {
            let mut states = ThreadStates::new(flat, compression);
            let found = symbolic_plain::explore(&mut states, question, reductions, budget);
            statistics.count("symbolic states", found.states);
            return ThreadAnswer { outcome: found.outcome, statistics };
        }
        ThreadEngine::SymbolicCounters => {
            let mut states = ThreadStates::new(flat, compression);
            let found = symbolic_counters::explore(&mut states, question, budget);
            statistics.count("symbolic states", found.states);
            statistics.count("splits", found.splits);
            return ThreadAnswer { outcome: found.outcome, statistics };
        }
        _ => {}
    }
    let mut states = ThreadStates::new(flat, compression);
    let settings = CounterSettings { reductions, until, budget: budget.clone() };
    let found = counters::explore(&mut states, question, &settings);
    statistics.count("states", found.states);
    statistics.count("thread states", found.thread_states.len() as u64);
    statistics.count("local states", states.local_count() as u64);
    ThreadAnswer { outcome: found.outcome, statistics }
}
