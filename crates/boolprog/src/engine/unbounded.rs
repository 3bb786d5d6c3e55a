//! The engines for any number of threads: coverability of the counter system, or a cutoff.

use super::has_recursion;
use crate::cover::{self, Recheck};
use crate::graph::Program;
use crate::threads::engine::not_flat;
use crate::threads::flat::flatten;
use crate::threads::recursion::by_turns;
use crate::threads::stacks::Beyond;
use crate::threads::thread_state::{Compression, ThreadStates};
use crate::threads::{Unbounded, UnboundedSettings, UnboundedSetup, callers, check_by_cutoff, unbounded};
use question::Monitor;

/// An engine for questions without a bound on threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnboundedEngine {
    /// Coverability of the counter system.
    Coverability(cover::Engine),
    /// Cutoff detection.
    Cutoff,
}

impl UnboundedEngine {
    /// As users write it.
    pub const fn name(self) -> &'static str {
        match self {
            UnboundedEngine::Coverability(engine) => engine.name(),
            UnboundedEngine::Cutoff => "cutoff",
        }
    }

    /// One line about it.
    pub const fn description(self) -> &'static str {
        match self {
            UnboundedEngine::Coverability(engine) => engine.description(),
            UnboundedEngine::Cutoff => "More and more threads, until one more changes nothing",
        }
    }
}

/// Cutoffs above this are not looked for.
const MOST_CUTOFF: usize = 12;

/// Asks about any number of threads.
pub fn ask_unbounded(
    program: &Program,
    setup: &UnboundedSetup,
    engine: UnboundedEngine,
    recheck: Recheck,
    monitor: Monitor<'_>,
) -> Unbounded {
    let mut roots = setup.roots.clone();
    roots.extend(setup.any_number_of);
    let decide = |states: &mut ThreadStates<'_>, beyond: Beyond, monitor: Monitor<'_>| match engine {
        UnboundedEngine::Coverability(engine) => {
            let settings = UnboundedSettings { recheck, ..UnboundedSettings::new(engine) };
            match beyond {
                Beyond::ByEntry => callers::check(states, setup, settings, monitor),
                Beyond::Cut | Beyond::ByArguments => unbounded::check(states, setup, settings, monitor),
            }
        }
        UnboundedEngine::Cutoff => check_by_cutoff(states, setup, MOST_CUTOFF, monitor),
    };
    let answered = if has_recursion(program) {
        by_turns(program, &roots, monitor, &mut |states, stacks, slice| decide(states, stacks.beyond, slice))
    } else {
        flatten(program, &roots)
            .map(|flat| decide(&mut ThreadStates::new(flat, Compression::LocalSteps), Beyond::Cut, monitor))
    };
    answered.unwrap_or_else(|why| {
        let open = not_flat(why).try_next("give a bound with `--threads N`");
        Unbounded { findings: open.into(), setup: None, engine: "coverability", cutoff: None }
    })
}
