//! Parts of an answer in words and for machines: why there is none, and what its audit said.

use program::Program;
use question::{Answer, Audit, Judgement, Verdict};
use serde_json::{Value, json};
use verdict::Reason;

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
pub fn explain(answer: &mut Answer) {
    let rounds = answer.statistics.value("rounds").unwrap_or(0);
    let Verdict::Undecided(undecided) = &mut answer.verdict else { return };
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
        Reason::UnknownPast { .. } => {
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
pub fn audit_words(report: &Audit) -> String {
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
pub fn audit_json(report: &Audit) -> Value {
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
