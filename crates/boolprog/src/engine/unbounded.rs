//! The engines for any number of threads: coverability of the counter system, or a cutoff.

use super::has_recursion;
use crate::cover::{self, Recheck};
use crate::graph::Program;
use crate::threads::engine::not_flat;
use crate::threads::flat::flatten;
use crate::threads::recursion::by_turns;
use crate::threads::stacks::Beyond;
use crate::threads::thread_state::{Compression, ThreadStates};
use crate::threads::{
    Unbounded, UnboundedSettings, UnboundedSetup, callers, check_by_cutoff, few, unbounded,
};
use question::{Decided, Monitor, part_of};
use std::time::Duration;
use verdict::{Reason, Undecided};

/// An engine for questions without a bound on threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnboundedEngine {
    /// Coverability of the counter system.
    Coverability(cover::Engine),
    /// Cutoff detection.
    Cutoff,
    /// One number of threads after the other, few of them.
    FewThreads,
}

impl UnboundedEngine {
    /// As users write it.
    pub const fn name(self) -> &'static str {
        match self {
            UnboundedEngine::Coverability(engine) => engine.name(),
            UnboundedEngine::Cutoff => "cutoff",
            UnboundedEngine::FewThreads => few::NAME,
        }
    }

    /// One line about it.
    pub const fn description(self) -> &'static str {
        match self {
            UnboundedEngine::Coverability(engine) => engine.description(),
            UnboundedEngine::Cutoff => "More and more threads, until one more changes nothing",
            UnboundedEngine::FewThreads => "One to four threads: finds the fewest that fail",
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
    if engine == UnboundedEngine::FewThreads {
        return few::check(program, setup, few::FEW, monitor);
    }
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
        UnboundedEngine::FewThreads => unreachable!("asked above"),
    };
    let answered = if has_recursion(program) {
        by_turns(program, &roots, monitor, &mut |states, stacks, slice| decide(states, stacks.beyond, slice))
    } else {
        flatten(program, &roots)
            .map(|flat| decide(&mut ThreadStates::new(flat, Compression::LocalSteps), Beyond::Cut, monitor))
    };
    answered.unwrap_or_else(|why| {
        let open = not_flat(why).try_next("give a bound with `--threads N`");
        Unbounded::unanswered(open, "coverability")
    })
}

/// A cutoff is looked for so long at most, once the proof is there.
const LONGEST_CUTOFF: Duration = Duration::from_secs(2);

/// What people want to know besides: with how few threads a failure comes about, from how many threads on
/// nothing new is reached.
pub(super) fn and_more(
    program: &Program,
    setup: &UnboundedSetup,
    mut found: Unbounded,
    monitor: Monitor<'_>,
) -> Unbounded {
    if !matches!(found.findings.outcome, Ok(Decided::Proved(()))) {
        return few::with_fewer(program, setup, found, monitor);
    }
    if found.cutoff.is_none() && !has_recursion(program) {
        let budget = part_of(monitor.budget, 4, LONGEST_CUTOFF);
        let asked = monitor.within(&budget);
        let other = ask_unbounded(program, setup, UnboundedEngine::Cutoff, Recheck::Small, asked);
        if let Ok(Decided::Violated(_)) = &other.findings.outcome {
            let why = format!("{} proves it, and a run of the interpreter fails", found.engine);
            let open = Undecided::because(Reason::NotConfirmed { why });
            return Unbounded::unanswered(open, found.engine);
        }
        found.cutoff = other.cutoff;
    }
    found.notes.extend(found.cutoff.map(|cutoff| {
        let threads =
            if cutoff == 1 { "one thread reaches".into() } else { format!("{cutoff} threads reach") };
        format!("cutoff: {threads} every state of a thread that any number of threads reaches")
    }));
    found
}
