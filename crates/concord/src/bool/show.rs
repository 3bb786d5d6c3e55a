//! How answers about Boolean programs are shown: to people as text and as a table, to tools as JSON.

use crate::model::show::{figures_of, heading, line};
use crate::settle::Settled;
use evidence::json;
use question::{Counterexample, Verdict};
use serde_json::Value;
use std::fmt::Write as _;

/// All engines asked the same: a line each, then one run if there is one, and what stayed open.
pub(super) fn as_table(answers: &[Settled]) -> String {
    let mut text = String::new();
    let Some(first) = answers.first() else { return "no engine can answer this\n".to_owned() };
    line(&mut text, &first.property);
    let width = answers.iter().map(|answer| answer.engine.len()).max().unwrap_or(0);
    for answer in answers {
        let word = answer.word();
        let more = match &answer.verdict {
            Verdict::Undecided(open) => format!("because {open}"),
            _ => figures_of(answer),
        };
        line(&mut text, format!("  {:width$}  {word:9}  {more}", answer.engine).trim_end());
    }
    let decided = answers.iter().filter(|answer| !answer.verdict.is_undecided()).count();
    line(&mut text, format!("{decided} of {} engines decide it, and they agree", answers.len()));
    let runs = answers.iter().filter_map(|answer| match answer.verdict.counterexample()? {
        Counterexample::Path(path) => Some((answer, path)),
        _ => None,
    });
    if let Some((answer, path)) = runs.min_by_key(|(_, path)| path.steps.len()) {
        line(&mut text, format!("the shortest of their runs, by {}:", answer.engine));
        run_of(&mut text, path);
    }
    text
}

pub(super) fn as_text(answers: &[Settled]) -> String {
    let mut text = String::new();
    for answer in answers {
        heading(&mut text, answer, "");
        if let Some(Counterexample::Path(path)) = answer.verdict.counterexample() {
            run_of(&mut text, path);
        }
    }
    text
}

/// A run: one line per step, the thread in its lane, and the variables that changed.
fn run_of(text: &mut String, path: &verdict::Path) {
    if !path.start.propositions.is_empty() {
        line(text, format!("        at first {}", path.start.propositions.join(" ")));
    }
    let width = path.steps.iter().map(|step| step.action.chars().count()).max().unwrap_or(0);
    let has_lanes = path.lane_names.len() > 1;
    for (number, step) in path.steps.iter().enumerate() {
        let mut row = format!("  {:>4}  ", number + 1);
        if has_lanes {
            for lane in 0..path.lane_names.len() {
                let moved = step.lanes.iter().any(|mover| mover.0 as usize == lane);
                let mark = if moved { lane.to_string() } else { ".".into() };
                let _ = write!(row, "{mark:<3}");
            }
        }
        let _ = write!(row, "{:width$}  {}", step.action, step.to.propositions.join(" "));
        line(text, row.trim_end());
    }
    if has_lanes {
        line(text, format!("  threads: {}", path.lane_names.join(", ")));
    }
    line(text, format!("  {}", path.ends_because));
}

/// Version 1 of Concord's JSON.
pub(super) fn as_json(answers: &[Settled]) -> String {
    let results = answers.iter().map(|answer| Value::Object(answer.json()));
    json::document("bool", results.collect())
}
