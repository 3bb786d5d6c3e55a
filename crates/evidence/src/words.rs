//! Parts of an answer in sentences: why there is none, what its audit said, whether it says anything.

use concrete::RunOutcome;
use program::Program;
use question::{Answer, Audit, Counterexample, Judgement, Part, Reached, Vacuity, Verdict, Violation};
use verdict::{Path, Reason};

/// What happened and where, or what was shown, to stand behind a verdict: for people, and as the message of every format.
pub fn headline(program: &Program, answer: &Answer) -> String {
    match (&answer.verdict, answer.verdict.run()) {
        (_, Some(run)) => failure(program, run),
        (Verdict::Holds(_) | Verdict::Violated(_), None) => answer.property.clone(),
        (Verdict::Undecided(undecided), None) => reason(program, &undecided.reason),
    }
}

/// The same about one part of a property that has its verdict from the answer.
pub fn part(program: &Program, part: &Part, answer: &Answer) -> String {
    match &answer.verdict {
        Verdict::Holds(_) => part.promise(),
        _ => headline(program, answer),
    }
}

/// The same about a system of processes or a Boolean program, of which `promise` was asked.
pub fn about_system(answer: &Answer, promise: &str) -> String {
    match &answer.verdict {
        Verdict::Holds(_) => promise.to_owned(),
        Verdict::Violated(counterexample) => happens(counterexample),
        Verdict::Undecided(undecided) => undecided.to_string(),
    }
}

/// What a counterexample of a system does, in a sentence.
fn happens(counterexample: &Counterexample) -> String {
    match counterexample {
        Counterexample::Path(path) => format!("{} {}", why(path), after(path)),
        Counterexample::MaximalPath(path) => format!("{}, which ends {}", why(path), after(path)),
        Counterexample::Lasso(lasso) => {
            let cycle = lasso.cycle.iter().filter(|step| !step.silent).map(|step| step.action.as_str());
            let cycle = match few(cycle) {
                Named::All(names) if names.is_empty() => "nothing more happens, for ever".to_owned(),
                Named::All(names) => format!("for ever {names}"),
                Named::TooMany(count) => format!("{count} actions repeat for ever"),
            };
            format!("{}: {}, {cycle}", why(&lasso.stem), after(&lasso.stem))
        }
        Counterexample::Tree(_) => "the specification cannot follow".to_owned(),
        Counterexample::Run(violation) => without_article(&violation.what).to_owned(),
        Counterexample::Deadlock(deadlock) => format!("deadlock {}", after(&deadlock.path)),
    }
}

fn why(path: &Path) -> &str {
    if path.ends_because.is_empty() { "a run violates it" } else { &path.ends_because }
}

fn after(path: &Path) -> String {
    match few(path.visible_actions()) {
        Named::All(names) if !names.is_empty() => format!("after {names}"),
        Named::All(_) if path.steps.is_empty() => "at the start".to_owned(),
        Named::All(_) => "before anything else can be seen".to_owned(),
        Named::TooMany(_) => format!("after {} steps", path.steps.len()),
    }
}

/// Actions in a headline.
enum Named {
    /// So few that they fit there.
    All(String),
    /// More, with their number.
    TooMany(usize),
}

fn few<'p>(actions: impl Iterator<Item = &'p str>) -> Named {
    const MOST: usize = 6;
    const WIDEST: usize = 80;
    // The event without where it stands in the code.
    let actions: Vec<&str> = actions.map(|action| action.split("  [").next().unwrap_or(action)).collect();
    let names = actions.join(", ");
    if actions.len() <= MOST && names.len() <= WIDEST {
        Named::All(names)
    } else {
        Named::TooMany(actions.len())
    }
}

/// What happened in a run, and where; of an error function that is called by another, also by which call.
fn failure(program: &Program, run: &Violation) -> String {
    let at = crate::place::at(program, run.span);
    let what = without_article(&run.what);
    let calls = match &run.run.outcome {
        RunOutcome::ErrorReached { place, .. } => &place.calls[..],
        _ => &[],
    };
    // The first entry is where it happens, the second the call of the function that this is in.
    let mut calls = calls.iter().skip_while(|call| call.span == run.span);
    match calls.next().filter(|call| !call.span.is_nowhere()) {
        Some(call) => {
            format!("{what}{at} (called from `{}`{})", call.name, crate::place::at(program, call.span))
        }
        None => format!("{what}{at}"),
    }
}

/// A sentence as a headline begins.
pub fn without_article(sentence: &str) -> &str {
    ["the ", "a ", "an "].iter().find_map(|article| sentence.strip_prefix(article)).unwrap_or(sentence)
}

/// Why there is no answer, with the place.
pub fn reason(program: &Program, reason: &Reason) -> String {
    match reason {
        Reason::MissingBody { called_at, .. } => {
            format!("{reason}: it is called{}", crate::place::at(program, *called_at))
        }
        Reason::NotSupported { at: place, .. } => format!("{reason}{}", crate::place::at(program, *place)),
        _ => reason.to_string(),
    }
}

/// What an audit said, in a line.
pub fn audit(report: &Audit) -> String {
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

/// Why a proof says little or nothing, in sentences.
pub fn vacuity(vacuity: &Vacuity, program: &Program) -> Vec<String> {
    let mut sentences = Vec::new();
    if vacuity.nothing_to_violate {
        let (subject, calls, has) = match program.entry {
            None => ("the program", "calls", "has"),
            Some(_) => ("the function and what it calls", "call", "have"),
        };
        sentences.push(format!(
            "there is nothing to violate: {subject} {calls} no error function, and {has} no assertion that could fail"
        ));
    }
    for place in vacuity.places.iter().filter(|place| place.reached == Reached::No) {
        let at = program.sources.location(place.at).map_or_else(|| "a place".to_owned(), |at| at.to_string());
        sentences.push(match place.is_assumption {
            true => format!("no run gets past what is assumed at {at}"),
            false => format!("no run reaches {at}"),
        });
    }
    sentences
}
