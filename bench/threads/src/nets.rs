//! All nets and thread transition systems of `../shared/bench/petri`, one engine, with their recorded verdicts.

use crate::clock::Clock;
use crate::programs;
use base::{Budget, Diagnostics, SourceMap};
use boolprog::cover::{Engine, FileSettings, Recheck, check_file};
use std::time::Duration;
use verdict::Verdict;

/// One row of the manifest; fields may be quoted.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let last = fields.last_mut().expect("one at least");
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                last.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            character => last.push(character),
        }
    }
    fields
}

/// Decides every file within `seconds` each.
pub fn run(engine: &str, seconds: u64) -> Result<(), String> {
    let engine = Engine::named(engine).ok_or_else(|| format!("no engine `{engine}`"))?;
    let bench = programs::shared().join("bench");
    let manifest =
        std::fs::read_to_string(bench.join("manifest.csv")).map_err(|why| format!("absent: {why}"))?;
    let (mut solved, mut against, mut total, mut spent) = (0, Vec::new(), 0, 0.0);
    for line in manifest.lines().filter(|line| line.starts_with("petri/")) {
        let fields = fields(line);
        let (file, recorded, options) = (&fields[0], &fields[3], &fields[8]);
        let start = options.split("--init").nth(1).map(|rest| rest.trim().trim_matches('"'));
        let start = start.and_then(|rest| rest.split(['"', ' ']).next()).map(str::to_owned);
        let budget = Budget::unlimited().with_time(Duration::from_secs(seconds)).with_memory(4 << 30);
        let recheck = Recheck::Small;
        let settings = FileSettings { target: None, start, engine, budget, recheck };
        let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::default());
        let clock = Clock::start();
        let answer = check_file(&bench.join(file), &settings, &mut sources, &mut diagnostics)
            .map(|found| found.answer);
        let time = clock.processor();
        total += 1;
        let (word, more) = match &answer {
            None => (
                "error",
                diagnostics.iter().map(|problem| problem.message.clone()).collect::<Vec<_>>().join("; "),
            ),
            Some(answer) => match &answer.verdict {
                Verdict::Undecided(open) => ("undecided", format!("{open}; {}", open.proved.join("; "))),
                verdict => (verdict.word(), String::new()),
            },
        };
        if matches!(word, "holds" | "violated") {
            solved += 1;
            spent += time;
        }
        if matches!((recorded.as_str(), word), ("true", "violated") | ("false", "holds")) {
            against.push(file.clone());
        }
        let by = answer.as_ref().map_or("-", |answer| answer.engine);
        println!("{time:9.3} s  {word:9} recorded {recorded:7} {by:12} {file} {more}");
    }
    println!("{}: {solved} of {total} solved in {spent:.1} s of processor time", engine.name());
    println!(
        "against the record: {}",
        if against.is_empty() { "none".to_owned() } else { against.join(", ") }
    );
    Ok(())
}
