//! The answer and its audit: a proof counts only if what it rests on stands up to a second look.

use audit::{Judgement, Report};
use base::Budget;
use cegar::{Finding, Missing, Outcome, Property};
use logic::SolverCommand;
use program::Program;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use verdict::{ProgramProof, Reason, Undecided};

/// An answer with what the audit of it said.
#[derive(Debug)]
pub struct Answered {
    /// The answer.
    pub outcome: Outcome,
    /// What the audit of a proof said, if there was one.
    pub audit: Option<Report>,
    /// Whether a proof says anything, if it was looked at.
    pub vacuity: Option<super::vacuity::Vacuity>,
}

impl Answered {
    /// Is it a proof that did not stand up?
    pub fn is_internal_error(&self) -> bool {
        let audit = self.audit.as_ref().map(|report| &report.judgement);
        matches!(audit, Some(Judgement::Refuted { .. }))
    }
}

/// What the auditor is asked, of what the engines were asked.
pub fn question(property: &Property, missing: Missing) -> audit::Question {
    audit::Question {
        assertions: property.assertions,
        functions: property.functions.clone(),
        labels: property.labels.clone(),
        signed_overflow: property.checks.has(cegar::Check::SignedOverflow),
        shifts: property.checks.has(cegar::Check::Shift),
        uninitialised: property.checks.has(cegar::Check::Uninitialised),
        leaks: property.checks.has(cegar::Check::Leak),
        missing: match missing {
            Missing::Stop => audit::Missing::Stop,
            Missing::AnyResult => audit::Missing::AnyResult,
            Missing::AnyEffect => audit::Missing::AnyEffect,
        },
    }
}

/// Audits a proof.
pub fn audit_proof(
    program: &Program,
    property: &Property,
    missing: Missing,
    proof: &ProgramProof,
    second_solver: Option<SolverCommand>,
    budget: &Budget,
) -> Report {
    let settings = audit::Settings { second_solver };
    audit::audit(program, &question(property, missing), proof, &settings, budget)
}

/// Audits what holds. A proof whose certificate is refuted is none.
pub fn audited(
    program: &Program,
    property: &Property,
    missing: Missing,
    mut outcome: Outcome,
    started: Instant,
    budget: &Budget,
) -> Answered {
    let Finding::Holds(proof) = &outcome.finding else {
        return Answered { outcome, audit: None, vacuity: None };
    };
    // Without a limit of the user's, an audit may take twice as long as the proof did, and some seconds.
    let own = started.elapsed() * 2 + Duration::from_secs(10);
    let limit = match budget.deadline() {
        Some(deadline) => deadline.saturating_duration_since(Instant::now()),
        None => own,
    };
    let budget = budget.clone().with_time(limit);
    let report = audit_proof(program, property, missing, &proof.certificate, None, &budget);
    if let Judgement::Refuted { why, at } = &report.judgement {
        let at = program.sources.location(*at).map_or_else(String::new, |at| format!(" at {at}"));
        let reason = Reason::NotAudited { why: format!("{why}{at}") };
        let undecided = Undecided::because(reason).try_next("please report this with the input");
        outcome.finding = Finding::Undecided(undecided);
    }
    Answered { outcome, audit: Some(report), vacuity: None }
}

/// Why there is no answer, with the place.
pub fn reason_words(program: &Program, reason: &Reason) -> String {
    let at = |span| program.sources.location(span).map_or_else(String::new, |at| format!(" at {at}"));
    match reason {
        Reason::MissingBody { called_at, .. } => format!("{reason}: it is called{}", at(*called_at)),
        Reason::NotSupported { at: place, .. } => format!("{reason}{}", at(*place)),
        _ => reason.to_string(),
    }
}

/// Adds to an open answer what was seen all the same, and what to try.
pub fn explain(outcome: &mut Outcome) {
    let rounds = outcome.rounds;
    let Finding::Undecided(undecided) = &mut outcome.finding else { return };
    // That one engine was stopped because another had ended says nothing.
    undecided.proved.retain(|sentence| !sentence.ends_with("it was interrupted"));
    if rounds > 0 {
        let count = if rounds == 1 { "one round".to_owned() } else { format!("{rounds} rounds") };
        let sentence = format!("no failing run was found within {count} of every loop and recursion");
        undecided.proved.insert(0, sentence);
    }
    let advice: &[&str] = match &undecided.reason {
        Reason::TimeLimit => {
            &["give more time with --time-limit", "force one engine with --engine bmc or k-induction"]
        }
        Reason::MemoryLimit => &["give more memory with --memory-limit"],
        Reason::MissingBody { .. } => &[
            "name the file that defines it as well",
            "--missing nondet: it returns any value and may write to all it can get at: what it is given, what can be reached from \
                 there, variables with external linkage",
            "--missing pure: it returns any value and changes nothing, which is for you to know",
        ],
        Reason::SizeLimit { .. } => &["raise the limit with --unwind"],
        Reason::SolverUnknown { .. } => &["give more time with --time-limit"],
        Reason::NotConfirmed { why } if why.contains("past which nothing is known") => {
            &["ask about it with --checks all: a run that shows it is then reported"]
        }
        Reason::NotSupported { .. } => &["leave it out, or write it in another way"],
        _ => &[],
    };
    for sentence in advice {
        if !undecided.try_next.iter().any(|known| known == sentence) {
            undecided.try_next.push((*sentence).to_owned());
        }
    }
}

/// What an audit said, in a line.
pub fn audit_words(report: &Report) -> String {
    let count = |number: u64, word: &str| match number {
        1 => format!("1 {word}"),
        _ => format!("{number} {word}s"),
    };
    let mut text = match &report.judgement {
        Judgement::Accepted => format!("audited: {} shown again", count(report.obligations, "obligation")),
        Judgement::Refuted { why, .. } => format!("the audit refutes it: {why}"),
        Judgement::Open { why } => format!("not audited: {why}"),
    };
    if let Some(second) = &report.second {
        text.push_str(&format!(
            "; `{}` agrees on {}, cannot say on {}",
            second.command,
            count(second.agreed, "question"),
            second.unknown
        ));
    }
    text
}

/// What an audit said, for machines.
pub fn audit_json(report: &Report) -> Value {
    let (word, why) = match &report.judgement {
        Judgement::Accepted => ("accepted", None),
        Judgement::Refuted { why, .. } => ("refuted", Some(why)),
        Judgement::Open { why } => ("open", Some(why)),
    };
    let second = report.second.as_ref().map(
        |second| json!({ "command": second.command, "agreed": second.agreed, "unknown": second.unknown }),
    );
    json!({ "judgement": word, "why": why, "obligations": report.obligations, "heads": report.heads, "second_solver": second })
}
