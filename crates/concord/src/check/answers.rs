//! Asks the questions and shows the answers.

use super::CheckArgs;
use super::input::Loaded;
use super::names;
use super::questions::Question;
use crate::cli::{Common, Format};
use crate::exit::Exit;
use crate::model::answers::Told;
use crate::model::{json as model_json, show as model_show};
use crate::output;
use crate::progress::StatusLine;
use crate::settle::settle;
use crate::shares::in_shares;
use base::Budget;
use cegar::components::{self, SystemReport};
use question::Verdict;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Answers everything and says so.
pub fn answer_all(
    arguments: &CheckArgs,
    loaded: &Loaded,
    questions: &[Question<'_>],
    common: &Common,
    budget: &Budget,
) -> Result<Exit, Exit> {
    let last_word = &common.last_word;
    last_word.questions(questions.iter().map(|question| question.system.name.clone()));
    let (specified, how) = (loaded.specified(), arguments.conventions());
    let is_open = |report: &SystemReport| report.answer.verdict.is_undecided();
    let found = in_shares(questions, budget, is_open, |index, question, share| {
        let settings = arguments.settings();
        let status = StatusLine::new(common.quiet);
        let report = components::ask(&question.system, &specified, &how, &settings, share, &status)
            .map_err(|why| names::refuse(question, &why, common))?;
        let report = with_place(question, report);
        let result = result_of(question, &report);
        last_word.answered(index, text_of(question, &report, common), result, exit_of(&report));
        Ok(report)
    })?;
    last_word.withdraw();
    let reports: Vec<(&Question<'_>, SystemReport)> = questions.iter().zip(found).collect();
    let saved = match &arguments.save {
        Some(directory) => {
            reports.iter().try_for_each(|(question, report)| save(directory, &question.system.name, report))
        }
        None => Ok(()),
    };
    let text = if common.format == Format::Json { as_json(&reports) } else { as_text(&reports, common) };
    output::write_results(&text)?;
    saved?;
    let exits = || reports.iter().map(|(_, report)| exit_of(report));
    let worst = [Exit::Violated, Exit::Undecided].into_iter().find(|&exit| exits().any(|one| one == exit));
    Ok(worst.unwrap_or(Exit::Holds))
}

/// What holds of nothing is told with the place of the question.
fn with_place(question: &Question<'_>, mut report: SystemReport) -> SystemReport {
    let place = question.span.zip(question.book).and_then(|(span, book)| book.loaded.sources.location(span));
    if let (false, Some(place)) = (report.vacuous.is_empty(), place) {
        let guards: Vec<String> = question.system.guards.iter().map(|guard| format!("`{guard}`")).collect();
        for text in report.answer.remarks.iter_mut().filter(|text| text.starts_with("vacuous: ")) {
            *text = format!("{text} at {place}: {}", guards.join(", "));
        }
        report.vacuous.iter_mut().for_each(|text| *text = format!("{place}: {text}"));
    }
    report
}

fn exit_of(report: &SystemReport) -> Exit {
    match report.answer.verdict {
        Verdict::Violated(_) => Exit::Violated,
        Verdict::Undecided(_) => Exit::Undecided,
        Verdict::Holds(_) => Exit::Holds,
    }
}

fn as_text(reports: &[(&Question<'_>, SystemReport)], common: &Common) -> String {
    reports.iter().map(|(question, report)| text_of(question, report, common)).collect()
}

fn text_of(question: &Question<'_>, report: &SystemReport, common: &Common) -> String {
    let mut text = String::new();
    model_show::answer(&mut text, &told(question, report));
    if !report.vacuous.is_empty() {
        text = text.replacen(": HOLDS (", ": HOLDS vacuously (", 1);
    }
    if let Verdict::Holds(_) = report.answer.verdict {
        for part in &report.parts {
            let few = if common.verbose { usize::MAX } else { 12 };
            let shown: Vec<&str> = part.predicates.iter().take(few).map(|(text, _)| text.as_str()).collect();
            let mut shown = if shown.is_empty() { "no predicates".to_owned() } else { shown.join(", ") };
            if part.predicates.len() > few {
                let _ = write!(shown, " and {} more (-v)", part.predicates.len() - few);
            }
            let _ = writeln!(text, "  {}: {} states under {shown}", part.name, part.states);
        }
    }
    if common.verbose {
        for refinement in &report.refinements {
            let _ = writeln!(text, "  refined: {refinement}");
        }
    }
    text
}

fn told(question: &Question<'_>, report: &SystemReport) -> Told {
    Told {
        answer: settle(report.answer.clone(), [], &[]),
        system: question.system.components.join(" || "),
        more: Vec::new(),
        is_internal: false,
    }
}

fn as_json(reports: &[(&Question<'_>, SystemReport)]) -> String {
    let results: Vec<Value> = reports.iter().map(|(question, report)| result_of(question, report)).collect();
    let document = json!({ "concord": 1, "verb": "check", "results": results });
    format!("{document:#}\n")
}

fn result_of(question: &Question<'_>, report: &SystemReport) -> Value {
    let mut result = model_json::answer(&told(question, report), None);
    let parts: Vec<Value> = report
        .parts
        .iter()
        .map(|part| {
            let predicates: Vec<Value> = part
                .predicates
                .iter()
                .map(|(text, reason)| json!({ "predicate": text, "reason": reason }))
                .collect();
            json!({
                "component": part.name,
                "locations": part.locations,
                "states": part.states,
                "seen_states": part.seen_states,
                "seeds": part.seeds,
                "predicates": predicates,
            })
        })
        .collect();
    if let Some(object) = result.as_object_mut() {
        object.insert("components".to_owned(), parts.into());
        object.insert("vacuous".to_owned(), report.vacuous.clone().into());
        object.insert("refinements".to_owned(), report.refinements.clone().into());
    }
    result
}

fn save(directory: &std::path::Path, question: &str, report: &SystemReport) -> Result<(), Exit> {
    for part in &report.parts {
        let name = format!("{question}.{}.dot", part.name).replace(['/', '#'], "_");
        output::write_file(&directory.join(name), &lks::dot::write(&part.lks))?;
    }
    Ok(())
}
