//! How answers about Boolean programs are shown: to people as text and as a table, to tools as JSON.

use crate::settle::Settled;
use evidence::json;
use question::{Answer, Counterexample, Verdict};
use serde_json::Value;
use std::fmt::Write as _;
use verdict::Unit;

fn line(text: &mut String, content: impl AsRef<str>) {
    text.push_str(content.as_ref());
    text.push('\n');
}

/// Counts as `12 states, 3 splits`.
fn figures_of(answer: &Answer) -> String {
    let figures = answer.statistics.figures.iter().filter(|figure| figure.unit == Unit::Count);
    let words = figures.map(|figure| format!("{} {}", figure.value, figure.name.replace('_', " ")));
    words.collect::<Vec<_>>().join(", ")
}

/// All engines asked the same: a line each, then one run if there is one, and what stayed open.
pub(super) fn as_table(answers: &[Settled]) -> String {
    let mut text = String::new();
    let Some(first) = answers.first() else { return "no engine can answer this\n".to_owned() };
    line(&mut text, &first.property);
    let width = answers.iter().map(|answer| answer.engine.len()).max().unwrap_or(0);
    for answer in answers {
        let word = answer.verdict.word().to_uppercase();
        let more = match &answer.verdict {
            Verdict::Undecided(open) => format!("because {open}"),
            _ => figures_of(answer),
        };
        line(&mut text, format!("  {:width$}  {word:9}  {more}", answer.engine).trim_end());
    }
    let decided = answers.iter().filter(|answer| !answer.verdict.is_undecided()).count();
    line(&mut text, format!("{decided} of {} engines decide it, and they agree", answers.len()));
    let runs = answers.iter().filter_map(|answer| match &answer.verdict {
        Verdict::Violated(counterexample) => match &**counterexample {
            Counterexample::Path(path) => Some((answer, path)),
            _ => None,
        },
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
        let figures = figures_of(answer);
        let figures = if figures.is_empty() { figures } else { format!(", {figures}") };
        let word = answer.verdict.word().to_uppercase();
        line(&mut text, format!("{}: {word} ({}{figures})", answer.property, answer.engine));
        if !answer.engine_reason.is_empty() {
            line(&mut text, format!("  engine: {}", answer.engine_reason));
        }
        answer.assumptions.iter().for_each(|assumed| line(&mut text, format!("  assuming: {assumed}")));
        answer.remarks.iter().for_each(|remark| line(&mut text, format!("  note: {remark}")));
        match &answer.verdict {
            Verdict::Holds(_) => {}
            Verdict::Violated(counterexample) => {
                if let Counterexample::Path(path) = &**counterexample {
                    run_of(&mut text, path);
                }
            }
            Verdict::Undecided(open) => {
                line(&mut text, format!("  because {open}"));
                open.proved.iter().for_each(|sentence| line(&mut text, format!("  shown: {sentence}")));
                open.try_next.iter().for_each(|sentence| line(&mut text, format!("  try: {sentence}")));
            }
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
                write!(row, "{mark:<3}").expect("writing to a string");
            }
        }
        write!(row, "{:width$}  {}", step.action, step.to.propositions.join(" "))
            .expect("writing to a string");
        line(text, row.trim_end());
    }
    if has_lanes {
        line(text, format!("  threads: {}", path.lane_names.join(", ")));
    }
    line(text, format!("  {}", path.ends_because));
}

/// Version 1 of Concord's JSON.
pub(super) fn as_json(answers: &[Settled]) -> String {
    let results = answers.iter().map(|answer| Value::Object(json::answer(answer)));
    json::document("bool", results.collect())
}
