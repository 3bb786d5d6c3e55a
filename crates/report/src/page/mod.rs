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
pub use run::{Propositions, Reading, of_counterexample, of_run, of_violation};
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
    /// `error`, `warning`, `note`, `value`, `invariant`, `input`, `ok`.
    pub kind: &'static str,
    /// What is said.
    pub text: String,
}

/// A place in a source of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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

impl Step {
    /// The step in a line: what happens, and what changes unless that is said already.
    pub fn words(&self) -> String {
        let told = |(name, value): &Change| match value {
            Some(value) => format!("{name}: {value}"),
            None => format!("-{name}"),
        };
        let changes: Vec<String> =
            { self.changes.iter() }.filter(|(name, _)| !self.text.contains(&**name)).map(told).collect();
        match changes.is_empty() {
            true => self.text.clone(),
            false => format!("{}   {}", self.text, changes.join("  ")),
        }
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
