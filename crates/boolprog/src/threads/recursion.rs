//! Recursion together with threads. Whether a failure can be reached is undecidable then, so proofs and runs
//! are looked for by turns, with more and more callers on the stacks kept as they are ([`super::stacks`]):
//!
//! - a **proof** with higher stacks summarised: every run of the program is among those looked at;
//! - a **run** with higher stacks cut off: every run looked at is one of the program. If none had to be cut
//!   off, that is a proof too. A run found with summarised stacks counts if it can be replayed with the real
//!   ones.
//!
//! What both leave open stays undecided: programs that are safe only because the stacks of several threads
//! grow and shrink in step, or whose shortest failing run has higher stacks than time allows.

use super::closure::closure;
use super::counters::{self, CounterSettings, Reductions, Until};
use super::engine::not_flat;
use super::flat::{NotFlat, flatten_with_stacks};
use super::stacks::{Beyond, StackSettings};
use super::thread_state::{Compression, ThreadStates};
use super::unbounded::UnboundedSettings;
use crate::cover::Engine;
use crate::findings::Findings;
use crate::graph::{EdgeId, ProcedureId, Program};
use crate::setup::Setup;
use crate::trace::Trace;
use base::Budget;
use question::{Decided, Monitor, Searched};
use std::time::{Duration, Instant};
use verdict::{Reason, Statistics, Undecided};

/// Stacks kept as they are: 1, 2, 4, … callers, so many times.
const ROUNDS: u32 = 10;
/// Each attempt of the first round gets so much time; each round has twice as much as the one before.
const FIRST_SLICE: Duration = Duration::from_secs(1);

/// What is known after some attempts.
#[derive(Default)]
struct AttemptsSoFar {
    /// Summaries of stacks of any height do not prove it: not tried again.
    settled: Vec<StackSettings>,
    /// No failure with so many waiting callers.
    safe_with: Option<usize>,
    /// A call that was cut off.
    cut_at: Option<EdgeId>,
    /// Why the last proof attempt stayed open.
    open: Option<Undecided>,
}

/// Asks an engine about a program with recursion, by turns for a proof and for a run, until one of them
/// decides or the time is over. `ask` must answer HOLDS only if no thread state that the states can lead to
/// fails.
pub fn by_turns<A: AsMut<Findings>>(
    program: &Program,
    roots: &[ProcedureId],
    monitor: Monitor<'_>,
    ask: &mut dyn FnMut(&mut ThreadStates<'_>, StackSettings, Monitor<'_>) -> A,
) -> Result<A, NotFlat> {
    let mut known = AttemptsSoFar::default();
    let mut last = None;
    let budget = &with_reserve(monitor.budget);
    for round in 0..ROUNDS {
        for stacks in attempts(1 << round) {
            if known.settled.contains(&stacks) || last.is_some() && budget.check().is_err() {
                continue;
            }
            monitor.count("callers on a stack", stacks.exact);
            let flat = flatten_with_stacks(program, roots)?;
            let mut states = ThreadStates::with_stacks(flat, Compression::LocalSteps, stacks);
            let slice = budget.clone().with_time(FIRST_SLICE * 2_u32.pow(round));
            let mut answer = ask(&mut states, stacks, monitor.within(&slice));
            let is_cut = states.stacks().cut_at().is_some();
            let findings = answer.as_mut();
            match &findings.outcome {
                Ok(Decided::Violated(_)) => return Ok(answer),
                Ok(Decided::Proved(())) if !is_cut => {
                    findings.rests_on = Some(rests_on(&states, stacks));
                    return Ok(answer);
                }
                Ok(Decided::Proved(())) => {
                    known.safe_with = Some(stacks.exact);
                    known.cut_at = states.stacks().cut_at();
                }
                Err(open) => known.stayed_open(open, stacks),
            }
            last = Some(answer);
        }
    }
    let mut answer = last.expect("there is a first attempt");
    answer.as_mut().outcome = Err(known.into_open(program, budget));
    Ok(answer)
}

/// A part of the time is kept, for engines that look at the clock less often than they should.
fn with_reserve(budget: &Budget) -> Budget {
    let Some(end) = budget.deadline() else { return budget.clone() };
    let left = end.saturating_duration_since(Instant::now());
    budget.clone().with_time(left - (left / 10).min(Duration::from_secs(2)))
}

/// Proofs first: where they fail they often show a run.
fn attempts(exact: usize) -> [StackSettings; 4] {
    [
        StackSettings { exact: 0, beyond: Beyond::ByArguments },
        StackSettings { exact: 0, beyond: Beyond::ByEntry },
        StackSettings { exact, beyond: Beyond::Cut },
        StackSettings { exact, beyond: Beyond::ByEntry },
    ]
}

fn rests_on(states: &ThreadStates<'_>, stacks: StackSettings) -> String {
    let exact = stacks.exact;
    if !states.stacks().is_summarised() {
        return match exact {
            0 => "no recursive call can be reached".to_owned(),
            _ => {
                format!("at most {exact} callers wait for recursive procedures, and all runs were looked at")
            }
        };
    }
    let which = match stacks.beyond {
        Beyond::ByArguments => "the same arguments",
        _ => "the same arguments and globals",
    };
    let summary = format!("a recursive procedure may return to any caller that entered it with {which}");
    match exact {
        0 => format!("stacks are summarised: {summary}"),
        _ => {
            format!("the first {exact} callers on a stack are kept, higher stacks are summarised: {summary}")
        }
    }
}

impl AttemptsSoFar {
    fn stayed_open(&mut self, open: &Undecided, stacks: StackSettings) {
        if matches!(open.reason, Reason::NotConfirmed { .. }) {
            self.settled.push(stacks);
        }
        if stacks.beyond != Beyond::Cut {
            self.open = Some(open.clone());
        }
    }

    fn into_open(self, program: &Program, budget: &Budget) -> Undecided {
        let reason = match (budget.check(), self.open) {
            (Err(exhausted), _) => exhausted.into(),
            (Ok(()), Some(open)) => open.reason,
            (Ok(()), None) => Reason::TimeLimit,
        };
        let mut open = Undecided::because(reason);
        if let Some(safe) = self.safe_with {
            let callers = if safe == 1 { "caller waits" } else { "callers wait" };
            open = open.proved(format!("no failure while at most {safe} {callers} for recursive procedures"));
        }
        if let Some(call) = self.cut_at {
            let place = program.describe(program.edges()[call].from);
            open =
                open.try_next(format!("bound the depth of recursion in the program (it is cut at {place})"));
        }
        open.try_next("give more time with --time-limit, or a smaller number of threads with --threads N")
    }
}

/// Answers a question about a bounded number of threads of a program with recursion.
pub fn check_bounded(program: &Program, setup: &Setup, monitor: Monitor<'_>) -> Findings {
    let answered = by_turns(program, &setup.roots, monitor, &mut |states, stacks, slice| {
        let mut statistics = Statistics::default();
        let outcome = bounded(states, setup, stacks, slice, &mut statistics);
        Findings::new(outcome, statistics)
    });
    answered.unwrap_or_else(|why| not_flat(why).into())
}

fn bounded(
    states: &mut ThreadStates<'_>,
    setup: &Setup,
    stacks: StackSettings,
    monitor: Monitor<'_>,
    statistics: &mut Statistics,
) -> Searched<Trace> {
    if stacks.beyond == Beyond::ByArguments && nothing_can_fail(states, setup, monitor)? {
        statistics.count("local states", states.local_count() as u64);
        return Ok(Decided::Proved(()));
    }
    // Who is summarised by globals notices their changes: then no two steps are independent.
    let independent = stacks.beyond != Beyond::ByEntry;
    let reductions = Reductions { ample: independent, persistent: independent, cartesian: false };
    let settings = CounterSettings { reductions, until: Until::FirstFailure };
    loop {
        let found = counters::explore(states, setup, settings, monitor);
        // Callers that were found on the way: only what is explored with all of them known is a proof.
        let is_complete = states.take_outdated().is_empty();
        if is_complete || !matches!(found.outcome, Ok(Decided::Proved(()))) {
            statistics.count("states", found.states);
            statistics.count("local states", states.local_count() as u64);
            return found.outcome;
        }
        assert!(stacks.beyond == Beyond::ByEntry, "all callers were found before");
    }
}

/// Finds all callers, and whether any thread state fails that any number of threads may reach.
fn nothing_can_fail(
    states: &mut ThreadStates<'_>,
    setup: &Setup,
    monitor: Monitor<'_>,
) -> Result<bool, Undecided> {
    let shared = states.initial_shared();
    let mut first = Vec::new();
    for root in &setup.roots {
        let locals = states.initial_locals(*root)?;
        first.extend(locals.into_iter().map(|local| (shared, local)));
    }
    let most = UnboundedSettings::new(Engine::Auto).most_thread_states;
    let all = closure(states, &first, most, monitor)?;
    Ok(all.steps.values().all(|possibilities| possibilities.failure.is_none()))
}
