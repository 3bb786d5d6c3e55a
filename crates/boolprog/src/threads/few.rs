//! Few threads first: a failure with three threads says more than one with a hundred. One number of threads
//! after the other is explored with counters, so the first failure has the fewest threads; then it is looked
//! for once more, edge by edge without reductions, which finds a shortest run.

use super::counters::{self, CounterSettings, Reductions, Until};
use super::engine::not_flat;
use super::flat::flatten;
use super::recursion::check_bounded;
use super::thread_state::{Compression, ThreadStates};
use super::unbounded::{Unbounded, UnboundedSetup, shown, with_threads};
use crate::analysis::call_shape;
use crate::findings::Findings;
use crate::graph::Program;
use crate::setup::Setup;
use crate::trace::Trace;
use question::{Decided, Monitor, Searched, part_of};
use std::time::Duration;
use verdict::{Reason, Statistics, Undecided};

/// So many threads are few.
pub const FEW: usize = 4;
/// A run found by coverability is looked for with fewer threads up to this number.
const MOST_FEWER: usize = 12;
/// A shortest run is looked for so long at most.
const LONGEST_SHORTENING: Duration = Duration::from_secs(2);
/// And a run with fewer threads so long.
const LONGEST_FEWER: Duration = Duration::from_secs(10);

/// The name of the engine.
pub const NAME: &str = "few-threads";

/// Explores with 1, 2, … up to `most` threads. A failure is one with the fewest threads; that there is none
/// proves nothing about more threads.
pub fn check(program: &Program, asked: &UnboundedSetup, most: usize, monitor: Monitor<'_>) -> Unbounded {
    let least = asked.roots.len().max(1);
    let mut safe_up_to = 0;
    let mut statistics = Statistics::default();
    for threads in least..=most.max(least) {
        monitor.count("threads", threads);
        let bounded = with_threads(asked, threads);
        let found = explore(program, &bounded, monitor);
        statistics = found.statistics;
        match found.outcome {
            Ok(Decided::Proved(())) => safe_up_to = threads,
            Ok(Decided::Violated(trace)) => {
                let trace = shortest(program, &bounded, trace, monitor);
                let mut answer = Unbounded::unanswered(Undecided::because(Reason::Interrupted), NAME);
                answer.notes.push(fails_with(threads, safe_up_to));
                answer.findings = Findings::new(Ok(Decided::Violated(trace)), statistics);
                answer.setup = Some(bounded);
                return answer;
            }
            Err(open) => return unanswered(shown(open, safe_up_to), statistics),
        }
    }
    let reason = Reason::SizeLimit { what: "threads would have to be looked at", limit: most as u64 };
    unanswered(shown(Undecided::because(reason), safe_up_to), statistics)
}

fn unanswered(open: Undecided, statistics: Statistics) -> Unbounded {
    let mut answer = Unbounded::unanswered(open, NAME);
    answer.findings.statistics = statistics;
    answer
}

fn fails_with(threads: usize, safe_up_to: usize) -> String {
    match (threads, safe_up_to) {
        (1, _) => "it fails with one thread".to_owned(),
        (threads, 0) => format!("it fails with {threads} threads"),
        (threads, 1) => format!("it fails with {threads} threads, and not with one"),
        (threads, safe) => format!("it fails with {threads} threads, and not with {safe} or fewer"),
    }
}

/// All states with so many threads, with reductions; stacks summarised or cut off where there is recursion.
fn explore(program: &Program, bounded: &Setup, monitor: Monitor<'_>) -> Findings {
    if call_shape(program).is_recursive.iter().any(|&recursive| recursive) {
        return check_bounded(program, bounded, monitor);
    }
    let reductions = Reductions { ample: true, persistent: true, cartesian: false };
    counted(program, bounded, Compression::LocalSteps, reductions, monitor)
}

fn counted(
    program: &Program,
    bounded: &Setup,
    compression: Compression,
    reductions: Reductions,
    monitor: Monitor<'_>,
) -> Findings {
    let mut states = match flatten(program, &bounded.roots) {
        Ok(flat) => ThreadStates::new(flat, compression),
        Err(why) => return not_flat(why).into(),
    };
    let settings = CounterSettings { reductions, until: Until::FirstFailure };
    let found = counters::explore(&mut states, bounded, settings, monitor);
    let mut statistics = Statistics::default();
    statistics.count("states", found.states);
    Findings::new(found.outcome, statistics)
}

/// A run with the fewest steps, if it is found soon; otherwise the run itself.
fn shortest(program: &Program, bounded: &Setup, known: Trace, monitor: Monitor<'_>) -> Trace {
    let budget = part_of(monitor.budget, 2, LONGEST_SHORTENING);
    let no_reductions = Reductions::default();
    let found = counted(program, bounded, Compression::None, no_reductions, monitor.within(&budget));
    match found.outcome {
        Ok(Decided::Violated(trace)) if trace.steps.len() < known.steps.len() => trace,
        _ => known,
    }
}

/// A violation as found, or with fewer threads if that is found soon.
pub fn with_fewer(
    program: &Program,
    asked: &UnboundedSetup,
    mut found: Unbounded,
    monitor: Monitor<'_>,
) -> Unbounded {
    let Ok(Decided::Violated(trace)) = &found.findings.outcome else { return found };
    if found.engine == NAME {
        return found;
    }
    let threads = most_at_once(trace);
    let budget = part_of(monitor.budget, 2, LONGEST_FEWER);
    let fewer = check(program, asked, threads.min(MOST_FEWER), monitor.within(&budget));
    if let Ok(Decided::Violated(shorter)) = &fewer.findings.outcome
        && (most_at_once(shorter), shorter.steps.len()) <= (threads, trace.steps.len())
    {
        let searched: Searched<Trace> = Ok(Decided::Violated(shorter.clone()));
        found.findings.outcome = searched;
        found.setup = fewer.setup;
        found.notes.extend(fewer.notes);
        return found;
    }
    found.notes.push(format!("the run has up to {threads} threads at the same time; fewer may do"));
    found
}

/// The most threads of a run that run at the same time.
fn most_at_once(trace: &Trace) -> usize {
    let mut running = trace.threads.len();
    let mut most = running;
    for step in &trace.steps {
        running += usize::from(step.spawned.is_some());
        most = most.max(running);
        running -= usize::from(step.locals.is_none());
    }
    most
}
