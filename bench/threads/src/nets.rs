//! All nets and thread transition systems of `../shared/bench/petri`, one engine, with their recorded verdicts.

use crate::programs;
use base::{Budget, Diagnostics, Silent, SourceMap};
use boolprog::cover::{Engine, FileSettings, Recheck, check_file};
use question::Verdict;
use testkit::clock::{Clock, Watch};

/// One row of the manifest; fields may be quoted.
pub fn fields(line: &str) -> Vec<String> {
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

/// What one engine did.
struct Done {
    engine: Engine,
    holds: u64,
    violated: u64,
    total: u64,
    spent: f64,
    against: Vec<String>,
}

/// Every file with one engine, or with all of them, `seconds` of processor time each; then one table.
pub fn run(engine: &str, seconds: u64) -> Result<(), String> {
    let engines = match engine {
        "all" => {
            vec![Engine::Auto, Engine::Widening, Engine::Backward, Engine::KarpMiller, Engine::Explicit]
        }
        name => vec![Engine::named(name).ok_or_else(|| format!("no engine `{name}`"))?],
    };
    let manifest = std::fs::read_to_string(programs::shared().join("bench/manifest.csv"))
        .map_err(|why| format!("absent: {why}"))?;
    let rows: Vec<Vec<String>> =
        manifest.lines().filter(|line| line.starts_with("petri/")).map(fields).collect();
    let mut table = Vec::new();
    for engine in engines {
        table.push(with_engine(engine, &rows, seconds));
    }
    println!("engine       solved      holds  violated  processor s of the solved  against the record");
    for done in table {
        let against = if done.against.is_empty() { "none".to_owned() } else { done.against.join(", ") };
        let solved = format!("{} of {}", done.holds + done.violated, done.total);
        let (name, holds, violated, spent) = (done.engine.name(), done.holds, done.violated, done.spent);
        println!("{name:12} {solved:11} {holds:>5} {violated:>9} {spent:>26.1}  {against}");
    }
    Ok(())
}

/// How a row of the manifest wants to be asked.
pub fn settings_of(row: &[String], engine: Engine) -> FileSettings {
    let start = row[8].split("--init").nth(1).map(|rest| rest.trim().trim_matches('"'));
    let start = start.and_then(|rest| rest.split(['"', ' ']).next()).map(str::to_owned);
    let budget = Budget::unlimited().with_memory(4 << 30);
    FileSettings { target: None, start, engine, budget, recheck: Recheck::Small }
}

fn with_engine(engine: Engine, rows: &[Vec<String>], seconds: u64) -> Done {
    let mut done = Done { engine, holds: 0, violated: 0, total: 0, spent: 0.0, against: Vec::new() };
    for row in rows {
        let (file, recorded) = (&row[0], &row[3]);
        let settings = settings_of(row, engine);
        let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::default());
        let watch = Watch::start(settings.budget.clone(), seconds as f64);
        let clock = Clock::start();
        let path = programs::shared().join("bench").join(file);
        let found = check_file(&path, &settings, &mut sources, &mut diagnostics, &Silent);
        let time = clock.processor();
        watch.stop();
        done.total += 1;
        let (word, more) = match &found {
            None => (
                "error",
                diagnostics.iter().map(|problem| problem.message.clone()).collect::<Vec<_>>().join("; "),
            ),
            Some(answer) => match &answer.verdict {
                Verdict::Undecided(open) => ("undecided", format!("{open}; {}", open.proved.join("; "))),
                verdict => (verdict.word(), String::new()),
            },
        };
        match word {
            "holds" => done.holds += 1,
            "violated" => done.violated += 1,
            _ => {}
        }
        if matches!(word, "holds" | "violated") {
            done.spent += time;
        }
        if matches!((recorded.as_str(), word), ("true", "violated") | ("false", "holds")) {
            done.against.push(file.clone());
        }
        let by = found.as_ref().map_or("-", |answer| answer.engine);
        println!("{time:9.3} s  {word:9} recorded {recorded:7} {by:12} {file} {more}");
    }
    done
}
