//! Changed texts through lexer, parser, builder and printer: no panic, no hang, messages inside the text, and what is
//! printed parses to the same tree. (`fuzz/` has a target for cargo-fuzz as well.)

use crate::read::shared;
use base::render::{Colour, render};
use base::{Diagnostics, SourceMap};
use boolprog::{graph, simplify, syntax};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};
use testkit::Random;

const WORDS: [&str; 44] = [
    "decl ",
    "begin ",
    "end ",
    "if ",
    "then ",
    "elsif ",
    "else ",
    "fi ",
    "while ",
    "do ",
    "od ",
    "goto ",
    "return ",
    "assert",
    "assume",
    "skip;",
    "constrain ",
    "dead ",
    "enforce ",
    "schoose[",
    "choose[",
    "start_thread ",
    "end_thread;",
    "atomic_begin;",
    "void ",
    "bool ",
    "bool<2> ",
    ":=",
    "'",
    "*",
    "?",
    "(",
    ")",
    "]",
    ",",
    ";",
    ":",
    "{x==0}",
    "T",
    "F",
    "_",
    "main",
    "/*",
    "ASYNC_1: ",
];

fn seeds() -> Vec<String> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/boolprog/tests/programs");
    let mut texts = Vec::new();
    for folder in [own, shared().join("data/boolean"), shared().join("bench/boolean/satabs-boppo/p-conc")] {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|extension| extension == "bp")
                && let Ok(text) = std::fs::read_to_string(path)
            {
                texts.push(text);
            }
        }
    }
    texts.sort();
    texts
}

fn change(text: &str, seeds: &[String], numbers: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + numbers.below(6) {
        let at = numbers.below(bytes.len() + 1);
        match numbers.below(6) {
            0 => {
                let end = (at + numbers.below(20)).min(bytes.len());
                bytes.drain(at..end);
            }
            1 => {
                let word = WORDS[numbers.below(WORDS.len())];
                bytes.splice(at..at, word.bytes());
            }
            2 if at < bytes.len() => bytes[at] = numbers.below(256) as u8,
            3 => {
                let end = (at + numbers.below(60)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            4 => {
                let other = seeds[numbers.below(seeds.len())].as_bytes();
                let start = numbers.below(other.len() + 1);
                let end = (start + numbers.below(80)).min(other.len());
                bytes.splice(at..at, other[start..end].iter().copied());
            }
            _ => bytes.truncate(bytes.len().max(20) - numbers.below(20).min(bytes.len())),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What must hold of any text.
fn try_text(text: &str) -> Result<bool, String> {
    let mut sources = SourceMap::new();
    let Some(id) = sources.add("input.bp", text) else { return Ok(false) };
    let base = sources.source(id).base();
    let mut diagnostics = Diagnostics::default();
    let tree = syntax::parse(text, base, &mut diagnostics);
    let built =
        if diagnostics.has_errors() { None } else { graph::build(&tree, &["SLIC_ERROR"], &mut diagnostics) };
    for diagnostic in diagnostics.iter() {
        let span = diagnostic.span;
        if span.start < base || span.end > base + text.len() as u32 || span.start > span.end {
            return Err(format!("a message outside the text: {diagnostic:?}"));
        }
        render(diagnostic, &sources, Colour::Never);
    }
    let Some(mut program) = built else { return Ok(false) };
    let printed = syntax::print(&tree);
    let mut again = Diagnostics::default();
    if syntax::parse(&printed, 1, &mut again) != tree || again.has_errors() {
        return Err(format!("printing changes it:\n{printed}"));
    }
    simplify::normalise_choices(&mut program);
    syntax::print(&graph::to_tree(&simplify::compress(&program).program));
    Ok(true)
}

pub fn run(minutes: u64) -> Result<(), String> {
    let seeds = seeds();
    if seeds.is_empty() {
        return Err("no programs to change".into());
    }
    let mut numbers = Random::new(2026);
    let mut pool = seeds.clone();
    let ends = Instant::now() + Duration::from_secs(60 * minutes);
    let (mut tried, mut programs) = (0u64, 0u64);
    while Instant::now() < ends {
        let text = change(&pool[numbers.below(pool.len())], &seeds, &mut numbers);
        tried += 1;
        let started = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| try_text(&text)));
        if started.elapsed() > Duration::from_secs(5) {
            return Err(format!("it took {:?}:\n{text}", started.elapsed()));
        }
        match outcome {
            Ok(Ok(true)) => {
                programs += 1;
                // Texts that are still programs are changed further.
                if pool.len() < 2000 && text.len() < 20_000 {
                    pool.push(text);
                }
            }
            Ok(Ok(false)) => {}
            Ok(Err(message)) => return Err(format!("{message}\n--- of\n{text}")),
            Err(_) => return Err(format!("a panic on\n{text}")),
        }
    }
    println!("{minutes} minutes, {tried} texts, {programs} of them programs: no finding");
    Ok(())
}
