//! The programs of `../shared/bench/boolean` against the verdicts recorded in the manifest.

use crate::read::{read, shared};
use base::{Budget, Diagnostics, Silent, SourceMap};
use boolprog::cover;
use boolprog::graph::Program;
use boolprog::pushdown;
use boolprog::threads::UnboundedSetup;
use boolprog::{BooleanSystem, Setup, Threads, add_start};
use question::Verdict;
use std::path::Path;
use std::time::Duration;
use testkit::clock::Clock;

struct Row {
    path: String,
    property: String,
    expected: String,
}

fn rows() -> Option<Vec<Row>> {
    let manifest = std::fs::read_to_string(shared().join("bench/manifest.csv")).ok()?;
    let row = |line: &str| {
        let mut fields = line.split(',');
        let (path, suite) = (fields.next()?, fields.next()?);
        let (property, expected) = (fields.next()?, fields.next()?);
        (suite == "boolean").then(|| Row {
            path: path.into(),
            property: property.into(),
            expected: expected.into(),
        })
    };
    Some(manifest.lines().filter_map(row).collect())
}

pub fn run(seconds: u64) -> Result<(), String> {
    let Some(rows) = rows() else {
        println!("absent: ../shared/bench/manifest.csv; nothing was run");
        return Ok(());
    };
    let (mut wrong, mut agree, mut open, mut unrecorded, mut skipped) = (Vec::new(), 0, 0, 0, 0);
    for row in rows {
        let path = shared().join("bench").join(&row.path);
        if pushdown::is_pushdown_file(&path) && !path.with_extension("spec").exists() {
            skipped += 1; // no target is given
            continue;
        }
        let clock = Clock::of_process();
        let (word, engine) = if pushdown::is_pushdown_file(&path) {
            with_stacks(&path, seconds)
        } else {
            answer(&row, seconds)
        };
        let expected = match row.expected.as_str() {
            "true" => "holds",
            "false" => "violated",
            _ => "not recorded",
        };
        let remark = match (expected, word.as_str()) {
            ("not recorded", _) => {
                unrecorded += 1;
                ""
            }
            (expected, word) if expected == word => {
                agree += 1;
                ""
            }
            (_, "holds" | "violated") => {
                wrong.push(row.path.clone());
                "  WRONG"
            }
            _ => {
                open += 1;
                "  open"
            }
        };
        println!("{:55} {expected:12} {word:20} {engine:18} {:>7.2} s{remark}", row.path, clock.processor());
    }
    println!(
        "{agree} as recorded, {open} open, {unrecorded} without a recorded verdict, {skipped} pushdown systems without a target"
    );
    if wrong.is_empty() { Ok(()) } else { Err(format!("wrong: {}", wrong.join(", "))) }
}

fn with_stacks(path: &Path, seconds: u64) -> (String, String) {
    let budget = Budget::unlimited().with_time(Duration::from_secs(seconds)).with_memory(4 << 30);
    let settings = pushdown::PushdownFile { target: None, start: None, budget };
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::default());
    match pushdown::check_file(path, &settings, &mut sources, &mut diagnostics, &Silent) {
        Some(answer) => (answer.verdict.word().to_owned(), answer.engine.to_owned()),
        None => {
            let messages: Vec<&str> = diagnostics.iter().map(|problem| problem.message.as_str()).collect();
            (format!("error: {}", messages.join("; ")), String::new())
        }
    }
}

fn answer(row: &Row, seconds: u64) -> (String, String) {
    let bytes = std::fs::read(shared().join("bench").join(&row.path)).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let label = row.property.strip_prefix("label:").unwrap_or("SLIC_ERROR");
    let mut program = match read(&text, &[label]) {
        Ok(program) => program,
        Err(messages) => return (format!("parse error: {messages}"), String::new()),
    };
    let budget = Budget::unlimited().with_time(Duration::from_secs(seconds)).with_memory(4 << 30);
    // Duet's parameterised program: `init` alone, then copies of `thread0`; three are enough to see its error.
    if program.main().is_none()
        && let (Some(init), Some(thread)) =
            (program.procedure_named("init"), program.procedure_named("thread0"))
    {
        let start = add_start(&mut program, init, &[thread; 3]);
        return bounded(&program, Setup { roots: vec![start], most_threads: Some(3) }, &budget);
    }
    let Some(main) = program.main() else { return ("no main".into(), String::new()) };
    if !program.has_threads() {
        return bounded(&program, Setup { roots: vec![main], most_threads: Some(1) }, &budget);
    }
    let any_number = UnboundedSetup { roots: vec![main], any_number_of: None };
    asked(&program, Threads::Unbounded(any_number), &budget)
}

fn bounded(program: &Program, setup: Setup, budget: &Budget) -> (String, String) {
    asked(program, Threads::Bounded(setup), budget)
}

fn asked(program: &Program, threads: Threads, budget: &Budget) -> (String, String) {
    let sources = SourceMap::new();
    let system = BooleanSystem { program, sources: &sources, threads, recheck: cover::Recheck::Small };
    let answer = boolprog::ask(&system.question(), None, budget, &Silent);
    let word = match &answer.verdict {
        Verdict::Undecided(open) => open.to_string(),
        decided => decided.word().to_owned(),
    };
    (word, answer.engine.to_owned())
}
