//! A report as one page of HTML that opens from disk and asks for nothing: the data of a [`Page`] as JSON inside it, and
//! the styles and scripts that show them.
//!
//! Reading order: this file (what a page holds) → `colour`, `sources` (texts) → `run` (counterexamples) → `html`.
//!
//! **Obligation.** Nothing of the user's becomes markup: texts are put into the page as JSON in which no `<` is left, and
//! the scripts put them into the document as text only, never as HTML. What is outside of the JSON is constant but for
//! the title and the text for those without scripts, which are escaped. The page's own policy (Content-Security-Policy)
//! allows no script and no style but these, by their hashes, and no request. Tested by `texts_do_not_become_markup`
//! here and by the browser.
//!
//! Verdicts are words that the caller has from its gate; nothing here makes one.

mod colour;
mod html;
mod run;
mod sources;

pub use html::{LIVE_HEADER, to_html};
pub use run::{Propositions, Reading, of_counterexample, of_run, of_violation, waits_of_violation};
pub use sources::{Language, Sources};

use crate::draw::LaidOut;
use serde::Serialize;
use std::collections::BTreeMap;

/// All that a report shows.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Page {
    /// What it is about: the names of the files.
    pub title: String,
    /// The verb that made it.
    pub verb: String,
    /// The version of the program that made it.
    pub version: String,
    /// The command line.
    pub command: String,
    /// The texts that were read.
    pub sources: Vec<Source>,
    /// The answers.
    pub answers: Vec<Answer>,
    /// Drawings; answers name them by position.
    pub graphs: Vec<LaidOut>,
    /// When which engine worked.
    pub phases: Vec<Phase>,
    /// How figures grew that engines told.
    pub growth: Vec<Growth>,
    /// How long everything took, in seconds.
    pub seconds: f64,
    /// The results of many tasks, if it is about many.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskRow>,
    /// What the command line said, for those without scripts and for printers.
    #[serde(skip)]
    pub text: String,
    /// Why something is left out of the page.
    pub left_out: Vec<String>,
    /// What can be explored, if somebody serves the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live: Option<Live>,
}

/// What a served page can do besides showing.
#[derive(Clone, Debug, Serialize)]
pub struct Live {
    /// `model`, `bool` or `c`.
    pub kind: &'static str,
    /// What can be stepped through, by name.
    pub systems: Vec<String>,
}

/// A text that was read, ready to be shown.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Source {
    /// Its name.
    pub name: String,
    /// Its lines: texts and their kinds, alternating (`["int", 1, " x;", 0]`); one plain text where it is that.
    pub lines: Vec<Vec<Piece>>,
    /// What is said about lines, which count from 1.
    pub notes: BTreeMap<u32, Vec<Note>>,
    /// Of each line with code, what is known of the runs through it: `reached`, `unreachable`, `not-known`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub reached: BTreeMap<u32, &'static str>,
}

/// A piece of a line: its text, and what it is for its colour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Piece(pub String, pub u8);

/// Something said about a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// `error`, `warning`, `note`, `value`, `invariant`, `input`, `ok`, `idle`.
    pub kind: &'static str,
    /// What is said.
    pub text: String,
}

/// A place in a source of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct At {
    /// The source, by position.
    pub file: usize,
    /// The line, from 1.
    pub line: u32,
}

/// The answer to one question.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Answer {
    /// What was asked.
    pub name: String,
    /// The verdict in capitals, as the gate says it.
    pub word: String,
    /// What happened or was shown, in a line.
    pub headline: String,
    /// Short facts: the engine, the states.
    pub facts: Vec<(String, String)>,
    /// Longer ones, under headings.
    pub sections: Vec<Section>,
    /// Parts of what was asked, each with its verdict.
    pub parts: Vec<Part>,
    /// Runs that show it.
    pub runs: Vec<Run>,
    /// Drawings that belong to it, by position.
    pub graphs: Vec<usize>,
    /// Rounds of refinement, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<Round>,
    /// A winning strategy, if that is what shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<Strategy>,
}

/// Sentences under a heading.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// The sentences, each perhaps with a place.
    pub lines: Vec<(String, Option<At>)>,
    /// Are they code?
    pub is_code: bool,
}

impl Section {
    /// Sentences without places.
    pub fn of(title: &str, sentences: impl IntoIterator<Item = String>) -> Section {
        let lines = sentences.into_iter().map(|text| (text, None)).collect();
        Section { title: title.to_owned(), lines, is_code: false }
    }
}

/// A part of what was asked.
#[derive(Clone, Debug, Serialize)]
pub struct Part {
    /// Its verdict in capitals.
    pub word: String,
    /// What it is, and why it fails or is open.
    pub text: String,
    /// Where it stands.
    pub at: Option<At>,
    /// The run that breaks it, by position among the answer's.
    pub run: Option<usize>,
}

/// A run, step by step.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Run {
    /// What it shows.
    pub title: String,
    /// The threads or components, each with a column.
    pub lanes: Vec<String>,
    /// What holds before the first step: names and values.
    pub start: Vec<Change>,
    /// The steps.
    pub steps: Vec<Step>,
    /// The step from which on it repeats for ever, if it does.
    #[serde(rename = "loop")]
    pub loop_from: Option<usize>,
    /// Why it ends, or what is wrong with it.
    pub end: String,
    /// The inputs, in order.
    pub inputs: Vec<(String, String, Option<At>)>,
    /// Who waits for whom at its end, as a drawing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits: Option<usize>,
    /// Is it a run of a program, with calls? Then names belong to frames.
    pub has_calls: bool,
    /// For each lane the drawing in which it moves, if there is one.
    pub graphs: Vec<Option<usize>>,
}

/// A step of a run. Names are short because there are many of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Step {
    /// What happens.
    #[serde(rename = "x")]
    pub text: String,
    /// Where.
    #[serde(rename = "p", skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// How many calls are active around it.
    #[serde(rename = "d", skip_serializing_if = "is_zero")]
    pub depth: u32,
    /// Who makes it.
    #[serde(rename = "t", skip_serializing_if = "Vec::is_empty")]
    pub lanes: Vec<usize>,
    /// In which function.
    #[serde(rename = "f", skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// Is it not seen by anyone outside?
    #[serde(rename = "s", skip_serializing_if = "is_false")]
    pub silent: bool,
    /// What has another value after it.
    #[serde(rename = "v", skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// Locks that it takes (`true`) or gives back.
    #[serde(rename = "l", skip_serializing_if = "Vec::is_empty")]
    pub locks: Vec<(String, bool)>,
    /// What it is called in the drawing of its function.
    #[serde(rename = "k", skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// A name and its value; without a value, it has none any more.
pub type Change = (String, Option<String>);

fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn is_false(value: &bool) -> bool {
    !*value
}

impl Run {
    /// The lane's drawing, where it has one: `graph` is a position among the page's.
    pub fn set_graph(&mut self, lane: &str, graph: usize) {
        if let Some(at) = self.lanes.iter().position(|name| name == lane) {
            self.graphs.resize(self.lanes.len(), None);
            self.graphs[at] = Some(graph);
        }
    }
}

/// A time during which a lane holds a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The lock.
    pub lock: String,
    /// Who holds it.
    pub lane: usize,
    /// From this step on.
    pub from: usize,
    /// Until this step gives it back; `None` if the run ends before.
    pub until: Option<usize>,
}

impl Run {
    /// Who holds which lock, from when to when.
    pub fn held(&self) -> Vec<Held> {
        let mut all: Vec<Held> = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            let lane = step.lanes.first().copied().unwrap_or(0);
            for (lock, is_taken) in &step.locks {
                let open = all
                    .iter_mut()
                    .rev()
                    .find(|one| one.until.is_none() && one.lane == lane && one.lock == *lock);
                match (is_taken, open) {
                    (true, _) => all.push(Held { lock: lock.clone(), lane, from: at, until: None }),
                    (false, Some(open)) => open.until = Some(at),
                    (false, None) => {}
                }
            }
        }
        all
    }
}

impl Step {
    /// The step in a line: what happens, and what changes unless that is said already.
    pub fn words(&self) -> String {
        let mut words = self.text.clone();
        for (name, value) in &self.changes {
            let name = without_frame(name);
            if !self.text.contains(name) {
                let told =
                    value.as_ref().map_or_else(|| format!("-{name}"), |value| format!("{name}: {value}"));
                words.push_str(if words.len() == self.text.len() { "   " } else { "  " });
                words.push_str(&told);
            }
        }
        words
    }
}

/// The name of a variable without the frame that it belongs to: `0:2|sum` is `sum`.
fn without_frame(name: &str) -> &str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match name.split_once('|') {
        Some((frame, rest))
            if frame.split_once(':').is_some_and(|(one, other)| is_number(one) && is_number(other)) =>
        {
            rest
        }
        _ => name,
    }
}

/// A winning strategy in the simulation game, to unfold.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Strategy {
    /// Where it begins.
    pub roots: Vec<usize>,
    /// Its positions.
    pub nodes: Vec<StrategyNode>,
}

/// A position of the game.
#[derive(Clone, Debug, Serialize)]
pub struct StrategyNode {
    /// The implementation's state.
    pub implementation: String,
    /// The specification's state.
    pub specification: String,
    /// What the implementation does, or why the game is over.
    pub text: String,
    /// One per answer of the specification.
    pub children: Vec<usize>,
}

/// When an engine worked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// What it worked on.
    pub subject: String,
    /// Seconds after the start.
    pub from: f64,
    /// Seconds after the start.
    pub to: f64,
}

/// How a figure grew.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Growth {
    /// What is counted.
    pub what: String,
    /// Seconds after the start, and the value.
    pub points: Vec<(f64, u64)>,
}

/// A round of refinement.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Round {
    /// States of the abstraction that was checked.
    pub states: usize,
    /// Predicates that it had.
    pub predicates: usize,
    /// The counterexample that it had, step by step.
    pub counterexample: Vec<String>,
    /// Why that is none of the program.
    pub why: Vec<String>,
    /// Predicates that were added for it.
    pub found: Vec<String>,
}

/// The result of one of many tasks.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TaskRow {
    /// What it is called.
    pub name: String,
    /// Its verdict in capitals.
    pub word: String,
    /// Why there is none, or what is wrong with it.
    pub why: String,
    /// Who answered.
    pub engine: String,
    /// How long it took.
    pub seconds: f64,
    /// The most memory it used, in bytes.
    pub bytes: u64,
    /// What the task says the verdict is; may be empty.
    pub expected: String,
    /// Is the verdict the opposite?
    pub is_wrong: bool,
    /// Its own report, relative to this one.
    pub link: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_says_what_its_words_do_not() {
        let change = |name: &str, value: &str| (name.to_owned(), Some(value.to_owned()));
        let step = |text: &str, changes: Vec<Change>| Step { text: text.into(), changes, ..Step::default() };
        assert_eq!(step("sum = 3", vec![change("0:2|sum", "3")]).words(), "sum = 3");
        assert_eq!(step("go", vec![change("P", "B"), ("low".into(), None)]).words(), "go   P: B  -low");
        assert_eq!(without_frame("a|b"), "a|b");
    }
}
