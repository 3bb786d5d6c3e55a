//! The searches behind the engines with a bound on threads: each an algorithm of this crate with its settings
//! and figures.

use crate::concretise::replayed_run;
use crate::explicit::{ExplicitSettings, explore};
use crate::findings::{Findings, Meaning};
use crate::graph::Program;
use crate::setup::Setup;
use crate::simplify::compress;
use crate::summaries::{Refused, SummarySettings, check_by_summaries, prove_by_summaries, recheck};
use crate::threads::recursion::check_bounded;
use crate::trace::Trace;
use crate::unrolling::{UnrollingSettings, check_by_unrolling};
use question::{Decided, Monitor, Searched};
use verdict::{Reason, Statistics, Undecided};

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

/// A search with a bound on threads.
pub type Search = fn(&Program, &Setup, &EngineSettings, Monitor<'_>) -> Findings;

/// State by state.
pub fn by_states(
    program: &Program,
    setup: &Setup,
    settings: &EngineSettings,
    monitor: Monitor<'_>,
) -> Findings {
    let found = explore(program, setup, settings.explicit, monitor);
    let mut statistics = Statistics::default();
    statistics.count("states", found.states as u64);
    Findings::new(found.outcome, statistics)
}

/// With stacks summarised or cut off.
pub fn by_stacks(program: &Program, setup: &Setup, _: &EngineSettings, monitor: Monitor<'_>) -> Findings {
    check_bounded(program, setup, monitor)
}

/// By summaries as decision diagrams.
pub fn by_diagrams(
    program: &Program,
    setup: &Setup,
    settings: &EngineSettings,
    monitor: Monitor<'_>,
) -> Findings {
    if settings.with_proof {
        return with_proof(program, setup, settings, monitor);
    }
    on_simplified(program, setup, settings, monitor, |program, statistics| {
        check_by_summaries(program, setup, settings.bdd, monitor, statistics)
    })
}

/// By SAT, with calls nested as deep as it takes.
pub fn by_nesting(
    program: &Program,
    setup: &Setup,
    settings: &EngineSettings,
    monitor: Monitor<'_>,
) -> Findings {
    on_simplified(program, setup, settings, monitor, |program, statistics| {
        check_by_unrolling(program, setup, settings.sat, monitor, statistics)
    })
}

/// Searches the program without steps that do nothing, unless they are to be kept; a run is one of the
/// program itself.
fn on_simplified(
    program: &Program,
    setup: &Setup,
    settings: &EngineSettings,
    monitor: Monitor<'_>,
    search: impl Fn(&Program, &mut Statistics) -> Searched<Trace>,
) -> Findings {
    let mut statistics = Statistics::default();
    if settings.keep_empty_steps {
        let outcome = search(program, &mut statistics);
        return Findings::new(outcome, statistics);
    }
    let small = compress(program);
    let mut outcome = search(&small.program, &mut statistics);
    if let Ok(Decided::Violated(trace)) = &outcome {
        let path: Vec<_> = trace.steps.iter().map(|step| (step.thread, step.edge)).collect();
        let starts = |position: usize| trace.steps[position].spawned.is_some();
        let path = small.expand(program, &setup.roots, &path, starts);
        outcome = replayed_run(program, setup, &path, monitor.budget).map(Decided::Violated);
    }
    Findings::new(outcome, statistics)
}

/// Asks the summaries about the program as it stands and has their fixpoint checked by SAT: the only engine
/// with a bound whose proof is smaller than the state space.
fn with_proof(program: &Program, setup: &Setup, settings: &EngineSettings, monitor: Monitor<'_>) -> Findings {
    let mut statistics = Statistics::default();
    let found = prove_by_summaries(program, setup, settings.bdd, monitor, &mut statistics);
    let invariant = match found {
        Ok(Decided::Proved(invariant)) => invariant,
        Ok(Decided::Violated(trace)) => return Findings::new(Ok(Decided::Violated(trace)), statistics),
        Err(open) => return Findings::new(Err(open), statistics),
    };
    let mut findings = Findings::new(Ok(Decided::Proved(())), statistics);
    match recheck(program, setup.roots[0], &invariant, monitor.budget) {
        Ok(conditions) => {
            findings.statistics.count("conditions of the proof checked", conditions);
            findings.certificate = Some(invariant.certificate(program, conditions));
            let node = |id| Meaning { name: format!("{id}"), at: Some(id), values: String::new() };
            findings.legend = program.nodes().ids().map(node).collect();
        }
        Err(Refused::Wrong(why)) => {
            let why = format!("the proof is refused: {why}");
            findings.outcome = Err(Undecided::because(Reason::NotConfirmed { why }));
        }
        Err(Refused::Stopped(exhausted)) => {
            let question = "the proof can be confirmed".to_owned();
            findings.outcome = Err(match exhausted {
                Some(exhausted) => exhausted.into(),
                None => Undecided::because(Reason::SolverUnknown { question }),
            });
        }
    }
    findings
}
