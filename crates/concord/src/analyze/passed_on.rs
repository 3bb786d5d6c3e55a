//! Formulas that the analysis leaves open: "always p" and "somewhere p" over global variables go to the
//! engines of `verify`.
//!
//! Their HOLDS covers more runs than the formula is about (reads that fail, signed overflow that wraps,
//! inputs outside the test cases), so it can be taken over. A violation is taken over only where its run is
//! one that the formula is about.

use super::{AnalyzeArgs, MissingArgument, OverflowArgument, StatesArgument};
use crate::progress::StatusLine;
use crate::settle::settle;
use base::Budget;
use cegar::watch::{Meanings, always};
use cegar::{Choice, Missing, Violation};
use concrete::UndefinedKind;
use intervals::ctl::Names;
use intervals::ctl::{ThreeValued, conditions};
use program::{Action, AssumeReason, Known, Program, VariableId};
use question::{Question, Verdict};
use spec::ctl::{CtlFormula, PathQuantifier};
use std::time::{Duration, Instant};
use verdict::{Reason, Undecided};

/// Time for one formula where the user gives no limit.
const USUAL_TIME: Duration = Duration::from_secs(20);

/// What the engines of `verify` say of a formula.
pub struct PassedOn {
    /// What they say of the formula itself.
    pub answer: ThreeValued,
    /// The engine that decided.
    pub engine: &'static str,
    /// Why it holds, or why nothing was decided.
    pub how: String,
    /// The run that shows a violation (or that something is possible).
    pub violation: Option<Box<Violation>>,
    /// The program the run is of.
    pub program: Program,
    /// How long they took, the watched program included.
    pub time: Duration,
}

struct Named<'a>(&'a Names);

impl Meanings for Named<'_> {
    fn variable(&self, name: &str) -> Option<VariableId> {
        self.0.variable(name)
    }
    fn constant(&self, name: &str) -> Option<i128> {
        self.0.constant(name)
    }
}

fn cannot(what: &str) -> Reason {
    Reason::NotUnderstood { what: what.to_owned() }
}

/// Asks, if the formula has such a form; `None` (or the reason) if it has not.
pub fn ask(
    formula: &CtlFormula,
    program: &Program,
    names: &Names,
    arguments: &AnalyzeArgs,
    budget: &Budget,
    progress: &StatusLine,
) -> Result<PassedOn, Reason> {
    if arguments.states == StatesArgument::Labels {
        return Err(cannot("states are labels only"));
    }
    let (condition, holds) = invariant(formula, ThreeValued::Yes)
        .ok_or_else(|| cannot("only AG and EF of a condition can be passed on"))?;
    let mut is_mathematical = true;
    conditions(&condition, &mut |part, _| is_mathematical &= names.is_mathematical(part, program));
    if !is_mathematical {
        return Err(cannot("the condition computes with unsigned numbers, which wrap"));
    }
    let began = Instant::now();
    let watched = always(program, &condition, &Named(names))?;
    // There a missing function that returns anything changes nothing.
    let missing = match arguments.missing {
        MissingArgument::Stop | MissingArgument::Nondet => Missing::Stop,
        MissingArgument::Pure => Missing::AnyResult,
    };
    let settings = cegar::Settings { missing, ..cegar::Settings::default() };
    let limited = match budget.deadline() {
        Some(_) => budget.clone(),
        None => budget.clone().with_time(USUAL_TIME),
    };
    let question = Question::never(&watched.program, watched.property);
    let found = cegar::verify(&question, Choice::AUTO, &settings, &limited, progress);
    // A run that the formula is not about shows nothing.
    let heed = |answer: &mut question::Answer| {
        if let Some(why) = answer.verdict.run().and_then(|run| foreign(run, program, arguments)) {
            answer.downgrade(Undecided::because(Reason::NotConfirmed { why }));
        }
    };
    let settled = settle(found, [], &[&heed]);
    let (answer, engine, how, violation) = match &settled.verdict {
        Verdict::Holds(_) => (holds, settled.engine, settled.how.clone(), None),
        Verdict::Violated(_) => {
            let run = settled.verdict.run();
            let what = run.map_or_else(String::new, |run| run.what.clone());
            (opposite(holds), settled.engine, what, run.cloned().map(Box::new))
        }
        Verdict::Undecided(undecided) => {
            let engine = if settled.engine == "auto" { "verify" } else { settled.engine };
            (ThreeValued::Maybe, engine, undecided.reason.to_string(), None)
        }
    };
    Ok(PassedOn { answer, engine, how, violation, program: watched.program, time: began.elapsed() })
}

/// The condition that would always hold if the formula has the answer; and that answer.
fn invariant(formula: &CtlFormula, answer: ThreeValued) -> Option<(CtlFormula, ThreeValued)> {
    match formula {
        CtlFormula::Not(inner) => invariant(inner, opposite(answer)),
        CtlFormula::Always(PathQuantifier::All, inner) => Some(((**inner).clone(), answer)),
        CtlFormula::Eventually(PathQuantifier::Some, inner) => {
            Some((CtlFormula::Not(inner.clone()), opposite(answer)))
        }
        _ => None,
    }
}

fn opposite(answer: ThreeValued) -> ThreeValued {
    match answer {
        ThreeValued::Yes => ThreeValued::No,
        ThreeValued::No => ThreeValued::Yes,
        ThreeValued::Maybe => ThreeValued::Maybe,
    }
}

/// Why the run is not one that formulas are about, if so.
fn foreign(violation: &Violation, program: &Program, arguments: &AnalyzeArgs) -> Option<String> {
    if arguments.testcases.is_some() {
        return Some("the run that was found need not follow the test cases".into());
    }
    let is_allowed = |kind: UndefinedKind| {
        kind == UndefinedKind::SignedOverflow && arguments.on_overflow == OverflowArgument::Wrap
    };
    if violation.run.tolerated.iter().any(|report| !is_allowed(report.kind)) {
        return Some("the run that was found has undefined behaviour on its way".into());
    }
    let reads = |known: Known| matches!(known, Known::Scanf | Known::Fscanf | Known::Sscanf);
    if program.procedures.iter().any(|procedure| procedure.known.is_some_and(reads)) {
        return Some("in the run that was found a read may fail".into());
    }
    let is_assumed = |action: &Action| matches!(action, Action::Assume { reason: AssumeReason::User, .. });
    if program.edges().any(|edge| is_assumed(&edge.action)) {
        return Some("an assumption may stop the run that was found".into());
    }
    None
}
