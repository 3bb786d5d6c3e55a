//! How answers about Boolean programs are shown: to people as text and as a table, to tools as JSON.

use crate::model::show::{Figures, figures_of, heading, line};
use crate::settle::Settled;
use evidence::json;
use question::{Counterexample, Verdict};
use serde_json::Value;
use verdict::{Path, Step};

/// All engines asked the same: a line each, then one run if there is one, and what stayed open.
pub(super) fn as_table(answers: &[Settled], full: bool) -> String {
    let mut text = String::new();
    let Some(first) = answers.first() else { return "no engine can answer this\n".to_owned() };
    line(&mut text, &first.property);
    let width = answers.iter().map(|answer| answer.engine.len()).max().unwrap_or(0);
    for answer in answers {
        let word = answer.word();
        let more = match &answer.verdict {
            Verdict::Undecided(open) => format!("because {open}"),
            _ => figures_of(answer, Figures::All),
        };
        let time = answer.statistics.value("time");
        let time = time.map_or(String::new(), |time| format!("{:.2} s", time as f64 / 1e6));
        line(&mut text, format!("  {:width$}  {word:9} {time:>8}  {more}", answer.engine).trim_end());
    }
    let decided = answers.iter().filter(|answer| !answer.verdict.is_undecided()).count();
    line(&mut text, format!("{decided} of {} engines decide it, and they agree", answers.len()));
    let runs = answers.iter().filter_map(|answer| match answer.verdict.counterexample()? {
        Counterexample::Path(path) => Some((answer, path)),
        _ => None,
    });
    if let Some((answer, path)) = runs.min_by_key(|(_, path)| path.steps.len()) {
        line(&mut text, format!("the shortest of their runs, by {}:", answer.engine));
        run_of(&mut text, path, full);
    }
    text
}

pub(super) fn as_text(answers: &[Settled], full: bool) -> String {
    let mut text = String::new();
    for answer in answers {
        line(&mut text, answer.headline_of_system("", &answer.property));
        heading(&mut text, answer, Figures::All);
        if let Some(Counterexample::Path(path)) = answer.verdict.counterexample() {
            run_of(&mut text, path, full);
        }
    }
    text
}

/// Longer runs are cut in the middle, unless all of them is asked for.
const SHOWN: usize = 60;
/// No column of a thread is wider.
const MOST_COLUMN: usize = 26;
/// More threads than this have no columns; their numbers are told instead.
const MOST_COLUMNS: usize = 8;
/// Values are aligned up to here.
const MOST_WIDTH: usize = 96;

/// A run: one line per step, a column per thread, calls indented, and the variables that changed. Steps that
/// do nothing are left out, unless all is asked for.
fn run_of(text: &mut String, path: &Path, full: bool) {
    let threads = path.lane_names.len();
    if threads > 1 {
        let names = path.lane_names.iter().map(|name| name.replace(':', " in "));
        let what = if threads <= MOST_COLUMNS { "columns: thread " } else { "threads: " };
        line(text, format!("  {what}{}", names.collect::<Vec<_>>().join(", ")));
    }
    if !path.start.propositions.is_empty() {
        line(text, format!("        at first {}", path.start.propositions.join(" ")));
    }
    let is_shown = |(_, step): &(usize, &Step)| full || !step.silent;
    let shown: Vec<(usize, &Step)> = path.steps.iter().enumerate().filter(is_shown).collect();
    let widest = shown.iter().map(|(_, step)| step.action.chars().count()).max().unwrap_or(0);
    let column = if threads > 1 && threads <= MOST_COLUMNS { widest.min(MOST_COLUMN) + 2 } else { 0 };
    let left: Vec<String> = shown.iter().map(|(at, step)| placed(path, *at, step, column)).collect();
    let width = left.iter().map(|words| words.chars().count()).max().unwrap_or(0).min(MOST_WIDTH);
    let cut = if full || shown.len() <= SHOWN { 0..0 } else { SHOWN / 2..shown.len() - SHOWN / 2 };
    for (position, ((at, step), words)) in shown.iter().zip(&left).enumerate() {
        if position == cut.start && !cut.is_empty() {
            line(text, format!("        … {} steps (--full shows them)", cut.len()));
        }
        if cut.contains(&position) {
            continue;
        }
        let row = format!("  {:>4}  {words:width$}  {}", at + 1, step.to.propositions.join(" "));
        line(text, row.trim_end());
    }
    line(text, format!("  {}", path.ends_because));
    let silent = path.steps.len() - shown.len();
    if silent > 0 {
        let steps = if silent == 1 { "one step that does nothing is" } else { "steps that do nothing are" };
        let count = if silent == 1 { String::new() } else { format!("{silent} ") };
        line(text, format!("  ({count}{steps} left out; --full shows them)"));
    }
}

/// The words of a step in the column of its thread, indented by the calls it is in.
fn placed(path: &Path, at: usize, step: &Step, column: usize) -> String {
    let lane = step.lanes.first().map_or(0, |lane| lane.0 as usize);
    let before = if at == 0 { &path.start } else { &path.steps[at - 1].to };
    // Who starts in this run is not in the states before.
    let depth = before.components.get(lane).map_or(0, |place| place.matches(" > ").count());
    let indent = " ".repeat(lane * column + 2 * depth.min(20));
    let who =
        if column == 0 && path.lane_names.len() > 1 { format!("thread {lane}: ") } else { String::new() };
    format!("{indent}{who}{}", step.action)
}

/// Version 1 of Concord's JSON.
pub(super) fn as_json(answers: &[Settled]) -> String {
    let results = answers.iter().map(|answer| Value::Object(answer.json()));
    json::document("bool", results.collect())
}
