//! Asks both ways about a file, and has every run replayed.

use super::explore::{Configuration, StepOfThread, explore};
use super::read::{self, PushdownSystem, VisibleState, symbol};
use super::tops;
use crate::refusal::{NotARun, NotAState};
use base::{Budget, Diagnostic, Diagnostics, EventSink, SourceMap, Span};
use question::{Answer, Counterexample, Decided, Monitor, Verdict};
use std::path::Path as FilePath;
use verdict::{Certificate, Lane, Path, Reason, StateView, Statistics, Step, Undecided};

/// What to ask of a file.
#[derive(Clone, Debug)]
pub struct PushdownFile {
    /// The target as `s|a,b`; by default what the file beside it that ends in `.spec` says.
    pub target: Option<String>,
    /// The start; by default what the file beside it that ends in `.init` says, or the first symbols.
    pub start: Option<String>,
    /// Time, memory, cancellation.
    pub budget: Budget,
}

/// The heights that stacks are tried with.
const HEIGHTS: [usize; 5] = [2, 4, 8, 16, 32];

/// Is this a file that [`check_file`] reads?
pub fn is_pushdown_file(path: &FilePath) -> bool {
    path.extension().is_some_and(|extension| extension == "pds")
}

/// Reads and answers. Problems with the file are in the diagnostics; then there is no answer.
pub fn check_file(
    path: &FilePath,
    settings: &PushdownFile,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
    events: &dyn EventSink,
) -> Option<Answer> {
    let mut problem = |message: String, hint: &str| {
        diagnostics.push(Diagnostic::error("bad-question", Span::NOWHERE, message).hint(hint));
    };
    let text = match std::fs::read(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(why) => {
            problem(format!("{} cannot be read: {why}", path.display()), "give a file that exists");
            return None;
        }
    };
    let Some(file) = sources.add(&path.display().to_string(), text) else {
        problem("the file is too large".to_owned(), "files have less than 4 GB");
        return None;
    };
    let system = read::read(sources, file, diagnostics)?;
    let mut problem = |message: String| {
        let hint = "a start or target is `shared|top,top`, with `-` for an empty stack";
        diagnostics.push(Diagnostic::error("bad-question", Span::NOWHERE, message).hint(hint));
    };
    let beside = |ending: &str| std::fs::read_to_string(path.with_extension(ending)).ok();
    let Some(target) = settings.target.clone().or_else(|| beside("spec")) else {
        problem(
            "there is no target: give one with --target, or in a file beside it that ends in .spec"
                .to_owned(),
        );
        return None;
    };
    let mut parsed = |text: &str| {
        let state = VisibleState::parse(text.trim());
        let fitting = state.and_then(|state| match system.objection(&state) {
            None => Ok(state),
            Some(why) => Err(NotAState::from(format!("`{}`: {why}", text.trim()))),
        });
        fitting.map_err(|refused| problem(refused.why)).ok()
    };
    let target = parsed(&target)?;
    let start = match settings.start.clone().or_else(|| beside("init")) {
        Some(start) => parsed(&start)?,
        None => system.usual_start(),
    };
    let mut answer = decide(&system, &start, &target, Monitor { budget: &settings.budget, events });
    answer.remarks.extend([&start, &target].into_iter().filter_map(|state| system.oddity(state)));
    Some(answer)
}

/// Looks for a proof, then for a run with higher and higher stacks.
pub fn decide(
    system: &PushdownSystem,
    start: &VisibleState,
    target: &VisibleState,
    monitor: Monitor<'_>,
) -> Answer {
    let property = format!("not reachable: {} from {}", target.describe(), start.describe());
    let mut statistics = Statistics::default();
    let answer = |verdict: Verdict, engine: &'static str, why: &str, statistics: Statistics| {
        let mut answer = Answer::new(&property, engine, verdict);
        (answer.engine_reason, answer.statistics) = (why.to_owned(), statistics);
        answer
    };
    match tops::may_reach(system, start, target, monitor) {
        Ok((false, states)) => {
            statistics.count("states", states as u64);
            let why = "the tops of the stacks alone exclude it, whatever lies below them";
            return answer(
                Verdict::Holds(Certificate::Exhaustive { states: states as u64 }),
                "tops",
                why,
                statistics,
            );
        }
        Ok((true, states)) => statistics.count("states of tops", states as u64),
        Err(exhausted) => return answer(Undecided::from(exhausted).into(), "tops", "", statistics),
    }
    let why = "the tops of the stacks alone do not exclude it: state by state, with higher and higher stacks";
    let mut shown = None;
    for height in HEIGHTS {
        let (found, states) = match explore(system, start, target, height, monitor) {
            Ok(found) => found,
            Err(exhausted) => {
                let mut undecided = Undecided::from(exhausted);
                if let Some(height) = shown {
                    undecided = undecided.proved(up_to(height));
                }
                return answer(undecided.into(), "explicit", why, statistics);
            }
        };
        let verdict = match found {
            Decided::Proved(true) => {
                shown = Some(height);
                continue;
            }
            Decided::Proved(false) => Verdict::Holds(Certificate::Exhaustive { states: states as u64 }),
            Decided::Violated(way) => match replay(system, start, target, &way) {
                Ok(path) => Counterexample::Path(path).into(),
                Err(refused) => Undecided::because(refused.into()).into(),
            },
        };
        statistics.count("states", states as u64);
        return answer(verdict, "explicit", why, statistics);
    }
    let limit = HEIGHTS[HEIGHTS.len() - 1];
    let reason = Reason::SizeLimit { what: "symbols on a stack", limit: limit as u64 };
    answer(Undecided::because(reason).proved(up_to(limit)).into(), "explicit", why, statistics)
}

fn up_to(height: usize) -> String {
    format!("the target is not reachable with stacks of up to {height} symbols")
}

/// Takes the steps again, one by one, as a path with a lane per thread.
fn replay(
    system: &PushdownSystem,
    start: &VisibleState,
    target: &VisibleState,
    way: &[StepOfThread],
) -> Result<Path, NotARun> {
    let view = |configuration: &Configuration| {
        let stack = |stack: &Vec<u32>| {
            let symbols: Vec<String> = stack.iter().rev().map(|known| symbol(Some(*known))).collect();
            if symbols.is_empty() { "-".to_owned() } else { symbols.join(" ") }
        };
        let stacks = configuration.stacks.iter().map(stack);
        let components: Vec<String> = [configuration.shared.to_string()].into_iter().chain(stacks).collect();
        let propositions = vec![format!("{}|{}", components[0], components[1..].join(","))];
        StateView { components, propositions }
    };
    let mut here = Configuration::of(start);
    let first = view(&here);
    let mut steps = Vec::new();
    for (number, (thread, index)) in way.iter().enumerate() {
        let rule = &system.threads[*thread].rules[*index];
        here = here.after(*thread, rule).ok_or_else(|| format!("step {} cannot be taken", number + 1))?;
        let lanes = vec![Lane(*thread as u32)];
        steps.push(Step { action: rule.text.clone(), silent: false, lanes, to: view(&here) });
    }
    if here.visible() != *target {
        return Err("the run does not end at the target".into());
    }
    Ok(Path {
        steps,
        start: first,
        ends_because: format!("the target {} is reached", target.describe()),
        lane_names: (0..system.threads.len()).map(|thread| format!("thread {thread}")).collect(),
    })
}
