//! What the analysis does not exclude goes on to the engines of `verify`: each kind of mistake that is open
//! somewhere is asked about once, in an equal share of the time that is left. A proof excludes all open places of
//! that kind, and is audited; a run shows the place that it comes to. What neither decides stays open.
//!
//! `verify` follows more runs than the analysis (signed overflow wraps, runs go on past mistakes of other kinds),
//! so what it proves holds of the runs here. Its runs are ones of the interpreter, which reports the undefined
//! behaviour itself.

use super::claims::{Claim, Kind};
use crate::settle::settle;
use base::{Budget, EventSink};
use cegar::{Choice, Missing};
use intervals::{Analysis, CheckKind};
use program::Program;
use question::{Broken, Check, Checks, Judgement, Property, Question, Verdict};
use std::time::{Duration, Instant};
use verdict::{Certificate, Reason, Undecided};

/// No question is asked for less time than this.
const LEAST_SHARE: Duration = Duration::from_millis(300);

/// What one question came to.
#[derive(Debug)]
pub struct Asked {
    /// What was asked, in words.
    pub what: String,
    /// What came of it, in words.
    pub came: String,
}

/// The checks of `verify` that together say that such a mistake never happens; none if they do not say it.
fn checks_for(kind: CheckKind) -> &'static [Check] {
    use CheckKind::*;
    match kind {
        Overflow => &[Check::SignedOverflow],
        DivisionByZero | DivisionOverflow => &[Check::Division],
        BadShift => &[Check::Shift],
        // An access past an object may be one to another object, or to one that has ended.
        OutOfBounds | UnknownPointer | UseAfterFree | UseAfterScope => {
            &[Check::Bounds, Check::Pointer, Check::UseAfterFree]
        }
        NullDereference | ReadOnlyWrite | Overlap | BadCall => &[Check::Pointer],
        Uninitialised | MissingReturnValue => &[Check::Uninitialised],
        DoubleFree | InvalidFree => &[Check::DoubleFree],
        Unreachable | ReturnedFromNoreturn => &[Check::Unreachable],
        FormatArguments | VariableArguments | BadArgument | MutexMisuse => &[Check::Library],
        FloatToInteger | InvalidBool | NotFollowed => &[],
    }
}

/// Why nothing can go on, if so.
fn obstacle(analysis: &Analysis<'_>) -> Option<&'static str> {
    let program = analysis.program();
    if analysis.has_threads {
        Some("the program has threads or signal handlers: ask `verify`")
    } else if lower::arguments::are_read(program) {
        Some("`main` looks at its arguments: ask `verify`")
    } else {
        None
    }
}

/// Asks about all that is open; the claims get the answers. What was asked, in order.
pub fn go_on(
    analysis: &Analysis<'_>,
    claims: &mut [Claim],
    budget: &Budget,
    events: &dyn EventSink,
) -> Vec<Asked> {
    if let Some(why) = obstacle(analysis) {
        return vec![Asked { what: "nothing was asked".to_owned(), came: why.to_owned() }];
    }
    let open = |claims: &[Claim], check: Check| {
        let is_meant = |claim: &&Claim| claim.mistake.is_some_and(|kind| checks_for(kind).contains(&check));
        claims.iter().filter(|claim| claim.answer.verdict.is_undecided()).any(|claim| is_meant(&claim))
    };
    let has_open_calls = claims.iter().any(is_open_call);
    let checks: Vec<Check> = Check::ALL.into_iter().filter(|&check| open(claims, check)).collect();
    let mut left = checks.len() + usize::from(has_open_calls);
    let mut asked = Vec::new();
    let mut proved = Checks::none();
    let properties =
        has_open_calls.then(Property::standard).into_iter().map(|property| (None, property)).chain(
            checks.into_iter().map(|check| {
                (Some(check), Property { checks: Checks::none().with(check), ..Property::default() })
            }),
        );
    for (check, property) in properties {
        let share = share_of(budget, left);
        left = left.saturating_sub(1).max(1);
        if budget.check().is_err() {
            break;
        }
        let (verdict, engine, how) = ask(analysis.program(), &property, &share, events);
        asked.push(Asked { what: property.words(), came: how.clone() });
        match (&verdict, check) {
            (Verdict::Holds(_), Some(check)) => {
                proved = proved.with(check);
                for claim in claims.iter_mut().filter(|claim| claim.answer.verdict.is_undecided()) {
                    let needed = claim.mistake.map_or(&[][..], checks_for);
                    if !needed.is_empty() && proved.have_all(needed) {
                        claim.answered_by(engine, verdict.clone(), &how);
                    }
                }
            }
            (Verdict::Holds(_), None) => {
                for claim in claims.iter_mut().filter(|claim| is_open_call(claim)) {
                    claim.answered_by(engine, verdict.clone(), &how);
                }
            }
            (Verdict::Violated(_), check) => {
                show(analysis.program(), claims, &verdict, (engine, check), &how)
            }
            (Verdict::Undecided(_), _) => {}
        }
    }
    asked
}

fn is_open_call(claim: &Claim) -> bool {
    matches!(claim.kind, Kind::ErrorCall(_)) && claim.answer.verdict.is_undecided()
}

fn share_of(budget: &Budget, parts: usize) -> Budget {
    let Some(end) = budget.deadline() else { return budget.clone() };
    let left = end.saturating_duration_since(Instant::now());
    let parts = u32::try_from(parts.max(1)).unwrap_or(u32::MAX);
    budget.clone().with_time((left / parts).max(LEAST_SHARE))
}

/// One question: the verdict, the engine, and how it was found or why not.
fn ask(
    program: &Program,
    property: &Property,
    budget: &Budget,
    events: &dyn EventSink,
) -> (Verdict, &'static str, String) {
    let began = Instant::now();
    let settings = cegar::Settings { missing: Missing::Stop, ..cegar::Settings::default() };
    let question = Question::never(program, property.clone());
    let found = cegar::verify(&question, Choice::AUTO, &settings, budget, events);
    // A pointer from outside that leads nowhere known shows nothing.
    let heed = |answer: &mut question::Answer| crate::verify::heed_unknown_pointers(program, answer);
    let settled = settle(found, [], &[&heed]);
    let claim = ::audit::Claim { property, missing: Missing::Stop };
    let settled = settled.audited(program, claim, began.elapsed(), budget);
    let engine = settled.engine;
    match &settled.verdict {
        Verdict::Holds(_) => {
            let is_audited =
                { settled.audit.as_ref() }.is_some_and(|audit| audit.judgement == Judgement::Accepted);
            match is_audited {
                true => (Verdict::Holds(Certificate::Unrecorded), engine, format!("proved: {}", settled.how)),
                false => {
                    let why = "the proof could not be checked again in the time".to_owned();
                    let reason = Reason::NotAudited { why: why.clone() };
                    (Undecided::because(reason).into(), engine, why)
                }
            }
        }
        verdict @ Verdict::Violated(_) => {
            let run = verdict.run();
            let inputs = run.map_or_else(String::new, inputs);
            let what = run.map_or_else(String::new, |run| run.what.clone());
            (verdict.clone(), engine, format!("a run shows it{inputs}: {what}"))
        }
        Verdict::Undecided(undecided) => (settled.verdict.clone(), engine, undecided.reason.to_string()),
    }
}

fn inputs(run: &question::Violation) -> String {
    const MOST: usize = 8;
    if run.inputs.is_empty() {
        return String::new();
    }
    let values: Vec<String> = run.inputs.iter().take(MOST).map(evidence::inputs::value).collect();
    let more = if run.inputs.len() > MOST { ", …" } else { "" };
    format!(", with the inputs {}{more}", values.join(", "))
}

/// A run came to a mistake: the claim about that place is wrong.
fn show(
    program: &Program,
    claims: &mut [Claim],
    verdict: &Verdict,
    (engine, check): (&'static str, Option<Check>),
    how: &str,
) {
    let Some(run) = verdict.run() else { return };
    let line =
        |span: base::Span| program.sources.location(span).map(|place| (place.file.to_string(), place.line));
    let is_of_kind = |claim: &Claim| match (run.broken, check) {
        (Broken::Check(broken), _) => claim.mistake.is_some_and(|kind| checks_for(kind).contains(&broken)),
        (_, None) => matches!(claim.kind, Kind::ErrorCall(_)),
        _ => false,
    };
    let candidates: Vec<usize> = (0..claims.len())
        .filter(|&at| claims[at].answer.verdict.is_undecided() && is_of_kind(&claims[at]))
        .filter(|&at| line(claims[at].span) == line(run.span))
        .collect();
    let exact = candidates.iter().copied().find(|&at| claims[at].span == run.span);
    // Of several on one line it may be any: the run says which one it is.
    if let Some(at) = exact.or(candidates.first().copied()) {
        claims[at].answered_by(engine, verdict.clone(), how);
    }
}
