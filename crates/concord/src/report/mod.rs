//! `--report FILE.html`: what a verb found, put into a `report::page::Page` and written as one file. Each verb has a file
//! here that knows what it found; how it looks is the business of `report`.
//!
//! Reading order: this file (what all pages have) → `texts` (which files are in a page) → `program`, `values`, `finite`,
//! `many`.

pub mod finite;
pub mod many;
pub mod program;
pub mod texts;
pub mod values;

use crate::exit::Exit;
use crate::output;
use crate::progress::StatusLine;
use crate::settle::Settled;
use base::budget::peak_resident_bytes;
use question::Verdict;
use report::page::{self, Answer, Growth, Page, Phase, Section};
use std::path::Path;
use std::time::Duration;
use verdict::Unit;

/// A page about files, as the command line asked for it.
pub fn page(verb: &str, title: String, text: &str) -> Page {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    Page {
        title,
        verb: verb.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: format!("concord {}", arguments.join(" ")),
        text: text.to_owned(),
        ..Page::default()
    }
}

/// Who worked when, and how figures grew, for the page.
pub fn add_times(page: &mut Page, status: &StatusLine) {
    let seconds = |time: Duration| (time.as_secs_f64() * 1e4).round() / 1e4;
    let phases = status.times().into_iter().map(|time| Phase {
        name: time.phase.to_owned(),
        subject: time.subject,
        from: seconds(time.from),
        to: seconds(time.to.unwrap_or(time.from)),
    });
    page.phases = phases.collect();
    // A figure that was told once did not grow.
    let growth = status.growth().into_iter().filter(|one| one.points.len() > 1).map(|one| Growth {
        what: one.figure.to_owned(),
        points: one.points.iter().map(|&(at, value)| (seconds(at), value)).collect(),
    });
    page.growth = growth.collect();
}

/// Writes the page.
pub fn write(file: &Path, page: &Page) -> Result<(), Exit> {
    output::write_file(file, &page::to_html(page))
}

/// Rounds of refinement, as a page shows them.
pub fn rounds(rounds: &[question::Round]) -> Vec<page::Round> {
    let round = |round: &question::Round| {
        let question::Round { states, predicates, counterexample, why, found } = round.clone();
        page::Round { states, predicates, counterexample, why, found }
    };
    rounds.iter().map(round).collect()
}

/// What every answer has: its verdict, who found it, what it rests on, what was shown where it is open.
pub fn answer(settled: &Settled, headline: String) -> Answer {
    let mut facts = vec![("engine".to_owned(), settled.engine.to_owned())];
    if !settled.engine_reason.is_empty() {
        facts.push(("why this engine".to_owned(), settled.engine_reason.clone()));
    }
    if !settled.how.is_empty() {
        facts.push(("how".to_owned(), settled.how.clone()));
    }
    for figure in &settled.statistics.figures {
        let value = match figure.unit {
            Unit::Count => figure.value.to_string(),
            Unit::Bytes => format!("{} MB", figure.value >> 20),
            Unit::Microseconds => format!("{:.3} s", figure.value as f64 / 1e6),
        };
        facts.push((figure.name.replace('_', " "), value));
    }
    if !settled.statistics.figures.iter().any(|figure| figure.unit == Unit::Bytes)
        && let Some(bytes) = peak_resident_bytes()
    {
        facts.push(("memory at most".to_owned(), format!("{} MB", bytes >> 20)));
    }
    let mut sections = Vec::new();
    let mut section = |title: &str, sentences: &[String]| {
        if !sentences.is_empty() {
            sections.push(Section::of(title, sentences.iter().cloned()));
        }
    };
    if let Verdict::Undecided(open) = &settled.verdict {
        section("Why it is open", &[open.to_string()]);
        section("What to try", &open.try_next);
        section("What was shown", &open.proved);
        section("What was tried", &open.tried);
    }
    section("It rests on", &settled.assumptions);
    section("Worth knowing", &settled.remarks);
    let rounds = rounds(&settled.rounds);
    Answer {
        rounds,
        name: settled.property.clone(),
        word: settled.word(),
        headline,
        facts,
        sections,
        ..Answer::default()
    }
}
