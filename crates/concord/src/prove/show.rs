//! What came of the questions of a project, as a table for people, as JSON, SARIF and JUnit's XML.

use super::asked::Outcome;
use crate::exit::Exit;
use crate::verify::results::Ended;
use base::source::Location;
use evidence::junit::{Case, Outcome as CaseOutcome};
use serde_json::{Value, json};
use std::fmt::Write;
use store::Question;

/// The questions that were asked, with what came of each.
pub struct Results<'r> {
    /// In the order of the project.
    pub all: Vec<(&'r Question, Outcome)>,
    /// Questions that were not come to.
    pub left: usize,
    /// Seconds since the start.
    pub seconds: f64,
}

impl Results<'_> {
    /// How it ends: violated where that was not expected, or holds where it was, before open before all the rest.
    pub fn exit(&self) -> Exit {
        let any =
            |is: &dyn Fn(&Question, &Outcome) -> bool| self.all.iter().any(|(one, outcome)| is(one, outcome));
        if any(&|_, outcome| outcome.ended == Ended::Crashed) {
            Exit::Internal
        } else if any(&|one, outcome| is_decided(outcome) && !outcome.is_as_expected(one)) {
            Exit::Violated
        } else if any(&|_, outcome| outcome.ended == Ended::BadInput) {
            Exit::BadInput
        } else if self.left > 0 || any(&|_, outcome| outcome.ended == Ended::Undecided) {
            Exit::Undecided
        } else {
            Exit::Holds
        }
    }

    /// For people.
    pub fn table(&self, explains: bool) -> String {
        let width = self.all.iter().map(|(one, _)| one.name.chars().count()).max().unwrap_or(0);
        let mut text = String::new();
        for (question, outcome) in &self.all {
            let time =
                if outcome.is_remembered { String::new() } else { format!("{:.2} s", outcome.seconds) };
            let word = outcome.ended.word();
            let line = format!("{word:<10} {:<width$} {time:>9}  {}", question.name, note(question, outcome));
            let _ = writeln!(text, "{}", line.trim_end());
            if explains && !outcome.why.is_empty() {
                let done = if outcome.is_remembered { "remembered" } else { "asked" };
                let _ = writeln!(text, "           {done}: {}", outcome.why);
            }
            if is_decided(outcome) && !outcome.is_as_expected(question) && outcome.ended == Ended::Violated {
                let _ = writeln!(text, "           the run: {}", command(question));
            }
        }
        text.push_str(&self.summary());
        text
    }

    fn summary(&self) -> String {
        let count = |ended: Ended| self.all.iter().filter(|(_, outcome)| outcome.ended == ended).count();
        let mut parts: Vec<String> = Vec::new();
        let mut add = |number: usize, words: String| {
            if number > 0 {
                parts.push(format!("{number} {words}"));
            }
        };
        let holds = count(Ended::Holds);
        add(holds, if holds == 1 { Ended::Holds.word().to_owned() } else { "hold".to_owned() });
        for ended in [Ended::Violated, Ended::Undecided, Ended::BadInput, Ended::Crashed] {
            let expected = self.all.iter().filter(|(one, outcome)| {
                outcome.ended == ended && ended == Ended::Violated && outcome.is_as_expected(one)
            });
            let expected = expected.count();
            let as_expected = match expected {
                0 => String::new(),
                all if all == count(ended) => " as expected".to_owned(),
                some => format!(" ({some} as expected)"),
            };
            add(count(ended), format!("{}{as_expected}", ended.word()));
        }
        add(self.left, "not asked".to_owned());
        let remembered = self.all.iter().filter(|(_, outcome)| outcome.is_remembered).count();
        let total = self.all.len() + self.left;
        let word = if total == 1 { "question" } else { "questions" };
        let from = if remembered > 0 { format!("; {remembered} remembered") } else { String::new() };
        format!("{total} {word}: {}{from}; {:.2} s\n", parts.join(", "), self.seconds)
    }

    /// For machines.
    pub fn json(&self) -> String {
        let one = |(question, outcome): &(&Question, Outcome)| {
            json!({
                "name": question.name,
                "verb": question.verb,
                "verdict": outcome.ended.word(),
                "expected": question.expect.map(Ended::expected).map(Ended::word),
                "reason": outcome.reason(),
                "remembered": outcome.is_remembered,
                "why": outcome.why,
                "seconds": outcome.seconds,
                "bytes": outcome.bytes,
                "results": outcome.results(),
            })
        };
        let questions: Vec<Value> = self.all.iter().map(one).collect();
        evidence::json::document_with("prove", json!({ "questions": questions, "left": self.left }))
    }

    /// For tools that show findings.
    pub fn sarif(&self) -> String {
        let verbs: std::collections::BTreeSet<&str> =
            self.all.iter().map(|(one, _)| one.verb.as_str()).collect();
        let rules: Vec<_> = verbs
            .into_iter()
            .map(|verb| (verb, format!("What `concord {verb}` was asked for holds.")))
            .collect();
        let mut findings = Vec::new();
        for (question, outcome) in &self.all {
            let mut all: Vec<&Value> = Vec::new();
            for result in outcome.results() {
                match result["parts"].as_array().filter(|parts| parts.len() > 1) {
                    Some(parts) => all.extend(parts),
                    None => all.push(result),
                }
            }
            let expected = outcome.is_as_expected(question);
            for result in all {
                let ended = result["verdict"].as_str().and_then(Ended::of_word).unwrap_or(Ended::Undecided);
                findings.push(finding(question, ended, expected, &told(result), place(result).as_ref()));
            }
            if outcome.results().is_empty() {
                findings.push(finding(question, outcome.ended, expected, &outcome.trouble, None));
            }
        }
        evidence::sarif::document(&rules, findings)
    }

    /// For services that show tests.
    pub fn junit(&self) -> String {
        let cases = self.all.iter().map(|(question, outcome)| Case {
            name: &question.name,
            class: &question.verb,
            seconds: if outcome.is_remembered { 0.0 } else { outcome.seconds },
            outcome: match outcome.ended {
                _ if outcome.is_as_expected(question) => CaseOutcome::Passed,
                Ended::BadInput | Ended::Crashed => {
                    CaseOutcome::Error(outcome.ended.word(), outcome.reason())
                }
                _ => CaseOutcome::Failed(outcome.ended.word(), outcome.reason()),
            },
        });
        evidence::junit::document(&cases.collect::<Vec<_>>())
    }
}

fn is_decided(outcome: &Outcome) -> bool {
    matches!(outcome.ended, Ended::Holds | Ended::Violated)
}

/// What stands behind the name.
fn note(question: &Question, outcome: &Outcome) -> String {
    let mut notes = Vec::new();
    if is_decided(outcome) && !outcome.is_as_expected(question) && question.expect.is_some() {
        notes.push(format!("expected: {}", question.expect.map(Ended::expected).map_or("", Ended::word)));
    }
    if outcome.ended == Ended::Violated && outcome.is_as_expected(question) {
        notes.push("as expected".to_owned());
    } else if outcome.ended != Ended::Holds {
        notes.push(outcome.reason());
    }
    notes.join("; ")
}

/// The command that shows a question's answer in full.
fn command(question: &Question) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./=+:,@%".contains(c);
    let quoted = |word: String| match !word.is_empty() && word.chars().all(is_plain) {
        true => word,
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    let words = question.arguments().into_iter();
    let needs_dashes = question.files.iter().any(|file| file.starts_with('-'));
    let words = words.filter(|word| word != "--" || needs_dashes).map(quoted);
    format!("concord {}", words.collect::<Vec<_>>().join(" "))
}

fn told(result: &Value) -> String {
    let text = |name: &str| result[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let property = || text("property").or_else(|| text("text")).unwrap_or_default();
    text("message").unwrap_or_else(|| match text("reason") {
        Some(reason) => format!("{}: {reason}", property()),
        None => property(),
    })
}

/// Where a result says it is: itself, or its counterexample.
fn place(result: &Value) -> Option<Location> {
    let at = [&result["counterexample"]["at"], &result["at"]].into_iter().find(|at| at.is_object())?;
    let number = |name: &str| u32::try_from(at[name].as_u64()?).ok();
    Some(Location {
        file: at["file"].as_str()?.into(),
        line: number("line")?,
        column: number("column").unwrap_or(1),
        in_system_header: false,
    })
}

fn finding(
    question: &Question,
    ended: Ended,
    as_expected: bool,
    text: &str,
    place: Option<&Location>,
) -> Value {
    let (kind, level) = match ended {
        Ended::Holds => ("pass", "none"),
        // Nobody wants to hear of what is there on purpose.
        Ended::Violated if as_expected => ("informational", "note"),
        Ended::Violated => ("fail", "error"),
        Ended::Undecided => ("open", "warning"),
        Ended::BadInput | Ended::Crashed => ("fail", "error"),
    };
    let text = format!("{}: {text}", question.name);
    let mut finding = evidence::sarif::finding(&question.verb, level, &text, place);
    finding["kind"] = kind.into();
    finding
}
