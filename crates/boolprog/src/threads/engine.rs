//! The engines for a bounded number of threads, by name.

use super::counters::{self, CounterSettings, Reductions, Until};
use super::flat::{self, NotFlat};
use super::thread_state::{Compression, ThreadStates};
use super::{symbolic_counters, symbolic_plain};
use crate::findings::Findings;
use crate::graph::Program;
use crate::setup::Setup;
use base::Span;
use question::Monitor;
use verdict::{Reason, Statistics, Undecided};

/// How threads are explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum States {
    /// Explicit counter abstraction.
    Counters,
    /// Symbolic counter abstraction.
    SymbolicCounters,
    /// Symbolic, threads told apart.
    SymbolicPlain,
}

/// A way to explore a bounded number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadEngine {
    /// The name users give it.
    pub name: &'static str,
    /// One line about it.
    pub description: &'static str,
    states: States,
    compression: Compression,
    reductions: Reductions,
}

const NONE: Reductions = Reductions { ample: false, persistent: false, cartesian: false };
const AMPLE: Reductions = Reductions { ample: true, ..NONE };
const PERSISTENT: Reductions = Reductions { persistent: true, ..NONE };
const CARTESIAN: Reductions = Reductions { cartesian: true, ..NONE };
/// BOOM Fig. 6.3.
const CARTESIAN_AMPLE: Reductions = Reductions { ample: true, ..CARTESIAN };
const AMPLE_PERSISTENT: Reductions = Reductions { ample: true, ..PERSISTENT };
const ALL: Reductions = Reductions { ample: true, persistent: true, cartesian: true };

const fn engine(
    name: &'static str,
    description: &'static str,
    states: States,
    compression: Compression,
    reductions: Reductions,
) -> ThreadEngine {
    ThreadEngine { name, description, states, compression, reductions }
}

/// All of them, as users see them listed.
pub static THREAD_ENGINES: [ThreadEngine; 15] = {
    use Compression::LocalSteps;
    use States::{Counters, SymbolicCounters, SymbolicPlain};
    const ALONE: Compression = Compression::None;
    [
        engine("counters", "Counters, one edge at a time", Counters, ALONE, NONE),
        engine("counters-compressed", "Counters, local steps joined", Counters, LocalSteps, NONE),
        engine("counters-ample", "Counters with ample sets", Counters, ALONE, AMPLE),
        engine("counters-persistent", "Counters with persistent sets", Counters, ALONE, PERSISTENT),
        engine("counters-cartesian", "Counters with Cartesian reduction", Counters, ALONE, CARTESIAN),
        engine(
            "counters-cartesian-ample",
            "Counters with Cartesian reduction and ample sets",
            Counters,
            ALONE,
            CARTESIAN_AMPLE,
        ),
        ThreadEngine::REDUCED_COUNTERS,
        engine(
            "counters-all-reductions",
            "Counters with ample sets, persistent sets and Cartesian reduction",
            Counters,
            ALONE,
            ALL,
        ),
        engine("symbolic-counters", "Sets of states with counters", SymbolicCounters, ALONE, NONE),
        engine("symbolic-plain", "Sets of states, threads told apart", SymbolicPlain, ALONE, NONE),
        engine("symbolic-ample", "Sets of states with ample sets", SymbolicPlain, ALONE, AMPLE),
        engine(
            "symbolic-persistent",
            "Sets of states with persistent sets",
            SymbolicPlain,
            ALONE,
            PERSISTENT,
        ),
        engine(
            "symbolic-cartesian",
            "Sets of states with Cartesian reduction",
            SymbolicPlain,
            ALONE,
            CARTESIAN,
        ),
        engine(
            "symbolic-cartesian-ample",
            "Sets of states with Cartesian reduction and ample sets",
            SymbolicPlain,
            ALONE,
            CARTESIAN_AMPLE,
        ),
        engine(
            "symbolic-all-reductions",
            "Sets of states with ample sets, persistent sets and Cartesian reduction",
            SymbolicPlain,
            ALONE,
            ALL,
        ),
    ]
};

impl ThreadEngine {
    /// Counters, local steps joined, ample and persistent sets: what `auto` takes.
    pub const REDUCED_COUNTERS: ThreadEngine = engine(
        "counters-reduced",
        "Counters, local steps joined, ample and persistent sets",
        States::Counters,
        Compression::LocalSteps,
        AMPLE_PERSISTENT,
    );

    /// Why it does not take the program, if it does not.
    pub fn objection(&self, program: &Program) -> Option<&'static str> {
        let is_plain = self.states == States::Counters || !program.has_broadcasts();
        (!is_plain).then_some("it takes no variables of other threads (`x$`)")
    }

    /// The engine of that name.
    pub fn named(name: &str) -> Option<&'static ThreadEngine> {
        THREAD_ENGINES.iter().find(|engine| engine.name == name)
    }
}

/// Why a program has no flat form, as an answer.
pub fn not_flat(why: NotFlat) -> Undecided {
    match why {
        NotFlat::Recursion { procedure } => {
            let construct = format!("recursion (through `{procedure}`) together with threads");
            Undecided::because(Reason::NotSupported { construct, at: Span::NOWHERE })
                .try_next("take `--engine auto`")
        }
        NotFlat::Broadcasts => {
            let construct = "recursion together with variables of other threads (`x$`)".to_owned();
            Undecided::because(Reason::NotSupported { construct, at: Span::NOWHERE })
                .try_next("bound the number of threads and take `--engine explicit`")
        }
        NotFlat::TooLarge { limit } => {
            Undecided::because(Reason::SizeLimit { what: "places after inlining", limit: limit as u64 })
        }
    }
}

/// Answers a question about a bounded number of threads.
pub fn check(
    program: &Program,
    setup: &Setup,
    engine: &ThreadEngine,
    until: Until,
    monitor: Monitor<'_>,
) -> Findings {
    if let Some(why) = engine.objection(program) {
        let reason = Reason::EngineCannot { engine: engine.name, why: why.into() };
        return Undecided::because(reason).try_next("take `--engine auto`").into();
    }
    let flat = match flat::flatten(program, &setup.roots) {
        Ok(flat) => flat,
        Err(why) => return not_flat(why).into(),
    };
    let mut statistics = Statistics::default();
    statistics.count("places", flat.locations.len() as u64);
    let mut states = ThreadStates::new(flat, engine.compression);
    let outcome = match engine.states {
        States::SymbolicPlain => {
            symbolic_plain::explore(&mut states, setup, engine.reductions, monitor, &mut statistics)
        }
        States::SymbolicCounters => symbolic_counters::explore(&mut states, setup, monitor, &mut statistics),
        States::Counters => {
            let settings = CounterSettings { reductions: engine.reductions, until };
            let found = counters::explore(&mut states, setup, settings, monitor);
            statistics.count("states", found.states);
            statistics.count("thread states", found.thread_states.len() as u64);
            statistics.count("local states", states.local_count() as u64);
            found.outcome
        }
    };
    Findings::new(outcome, statistics)
}
