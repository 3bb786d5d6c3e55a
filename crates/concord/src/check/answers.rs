//! Asks the questions and shows the answers.

use super::CheckArgs;
use super::input::Loaded;
use super::names;
use super::questions::Question;
use crate::cli::{Common, Format};
use crate::exit::Exit;
use crate::model::answers::SystemAnswer;
use crate::model::{json as model_json, show as model_show};
use crate::output;
use crate::progress::StatusLine;
use crate::report::finite;
use crate::settle::settle;
use crate::shares::in_shares;
use base::Budget;
use cegar::components::{self, Settings, SystemReport};
use question::Conformance;
use report::page::{Page, Section};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// What is told of a question, and all that is known of how it was answered.
struct Answered {
    told: SystemAnswer,
    report: SystemReport,
}

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
    let status = StatusLine::new(common);
    let is_open = |answered: &Answered| answered.told.answer.verdict.is_undecided();
    let found = in_shares(questions, budget, is_open, |index, question, share| {
        let settings = Settings { fairness: question.fairness.clone(), ..arguments.settings() };
        let report = components::ask(&question.system, &specified, &how, &settings, share, &status)
            .map_err(|why| names::refuse(question, &why, common))?;
        let answered = answered(question, report, how.conformance);
        let (text, exit) = (text_of(&answered, common), answered.told.answer.exit());
        last_word.answered(index, text, result_of(&answered), exit);
        Ok(answered)
    })?;
    status.clear();
    last_word.withdraw();
    if arguments.report.is_some() || arguments.draw.is_some() {
        let mut page = page_of(arguments, &found, common);
        crate::report::add_times(&mut page, &status);
        if let Some(file) = &arguments.report {
            crate::report::write(file, &page)?;
        }
        let run = page.answers.iter().find_map(|answer| Some((answer, answer.runs.first()?)));
        match (&arguments.draw, run) {
            (Some(file), Some((answer, run))) => {
                output::write_file(file, &::report::draw::sequence(run, &answer.name))?;
            }
            (Some(file), None) if !common.quiet => {
                crate::load::tell(&format!(
                    "note: no run violates anything: {} was not written\n",
                    file.display()
                ));
            }
            _ => {}
        }
    }
    let saved = match &arguments.save {
        Some(directory) => { questions.iter().zip(&found) }
            .try_for_each(|(question, answered)| save(directory, &question.system.name, &answered.report)),
        None => Ok(()),
    };
    let text = match common.format {
        Format::Json => evidence::json::document("check", found.iter().map(result_of).collect()),
        _ => found.iter().map(|answered| text_of(answered, common)).collect(),
    };
    output::write_results(&output::Look::wanted(common).of(&text))?;
    saved?;
    Ok(Exit::of_answers(found.iter().map(|answered| &*answered.told.answer)))
}

/// Settles what was found out; what holds of nothing is told with the place of the question.
fn answered(question: &Question<'_>, mut report: SystemReport, conformance: Conformance) -> Answered {
    let place = question.span.zip(question.book).and_then(|(span, book)| book.loaded.sources.location(span));
    let guards: Vec<String> = question.system.guards.iter().map(|guard| format!("`{guard}`")).collect();
    let at = place.as_ref().map(|place| format!(" at {place}: {}", guards.join(", "))).unwrap_or_default();
    let vacuous = report.vacuous.iter().map(|why| format!("vacuous: {why}{at}"));
    report.answer.remarks.splice(0..0, vacuous);
    if let Some(place) = place {
        report.vacuous.iter_mut().for_each(|why| *why = format!("{place}: {why}"));
    }
    let told = SystemAnswer {
        answer: settle(report.answer.clone(), [], &[]),
        system: question.system.components.join(" || "),
        promise: question.system.asked.promise(conformance),
        more: Vec::new(),
        is_vacuous: !report.vacuous.is_empty() && report.answer.verdict.holds(),
        is_internal: false,
    };
    Answered { told, report }
}

fn text_of(answered: &Answered, common: &Common) -> String {
    let mut text = String::new();
    let Answered { told, report } = answered;
    model_show::answer(&mut text, told, common.verbose);
    if told.answer.verdict.holds() {
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

/// The page about all answers.
fn page_of(arguments: &CheckArgs, found: &[Answered], common: &Common) -> Page {
    let names: Vec<&str> = arguments.files.iter().flat_map(|name| parts_of(name)).collect();
    let files: Vec<&Path> = names.iter().map(Path::new).collect();
    let text: String = found.iter().map(|answered| text_of(answered, common)).collect();
    let (mut page, sources) = finite::begin("check", &files, &text);
    for Answered { told, report } in found {
        let structure = |part: &components::PartFigures| finite::Structure {
            system: told.answer.property.clone(),
            name: part.name.clone(),
            lks: part.lks.clone(),
        };
        let structures: Vec<finite::Structure> = report.parts.iter().map(structure).collect();
        let sections: Vec<Section> = { report.parts.iter() }
            .filter(|part| !part.predicates.is_empty())
            .map(|part| {
                let title = format!("Predicates of {} ({} states under them)", part.name, part.states);
                Section::of(&title, part.predicates.iter().map(|(text, why)| format!("{text}   ({why})")))
            })
            .collect();
        finite::add(&mut page, &sources, told, &structures, sections);
        if let Some(answer) = page.answers.last_mut() {
            answer.rounds = crate::report::rounds(&report.history);
        }
    }
    page.sources = sources.into_list();
    page
}

/// The files of an argument such as `a.c+a.spec`.
fn parts_of(name: &str) -> Vec<&str> {
    if Path::new(name).exists() { vec![name] } else { name.split('+').collect() }
}

fn result_of(answered: &Answered) -> Value {
    let Answered { told, report } = answered;
    let mut result = model_json::result(told, None);
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
    result["components"] = parts.into();
    result["vacuous"] = json!(report.vacuous);
    result["refinements"] = json!(report.refinements);
    result
}

fn save(directory: &std::path::Path, question: &str, report: &SystemReport) -> Result<(), Exit> {
    for part in &report.parts {
        let name = format!("{question}.{}.dot", part.name).replace(['/', '#'], "_");
        output::write_file(&directory.join(name), &lks::dot::write(&part.lks))?;
    }
    Ok(())
}
