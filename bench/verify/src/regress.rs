//! Runs `concord verify` on the regression tests of other tools and compares with the verdicts that their authors expect.
//!
//! A test says what it asks in its tool's words (property and options of the manifest); [`asked`] says them in ours, or why they
//! cannot be said. Where the verdicts differ, `regress-reasons.csv` tells which side is right and why; a difference that is not told there,
//! or told as a mistake of ours, fails the run.

mod manifest;

use manifest::Row;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

struct Options {
    manifest: PathBuf,
    concord: PathBuf,
    reasons: PathBuf,
    results: Option<PathBuf>,
    time_limit: u64,
    memory_limit: String,
    /// Only paths with this text.
    only: Option<String>,
    every: usize,
}

/// A test and what came of it.
struct Done {
    path: String,
    property: String,
    expected: String,
    /// `true`, `false`, `undecided`, `skipped`, or how the process ended.
    verdict: String,
    seconds: f64,
    /// The first lines of what it said, or why it was skipped.
    remark: String,
}

fn main() -> ExitCode {
    match options().and_then(|options| work(&options)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            say(&format!("error: {message}\n"));
            ExitCode::from(2)
        }
    }
}

fn work(options: &Options) -> Result<bool, String> {
    let rows = manifest::rows(&options.manifest)?;
    let known = known_results(options);
    let chosen = rows.into_iter().filter(|row| {
        row["suite"] == "regress"
            && options.only.as_ref().is_none_or(|text| row["path"].contains(text.as_str()))
    });
    let mut finished = Vec::new();
    for row in chosen.step_by(options.every.max(1)) {
        let done = match known.get(&(row["path"].clone(), row["property"].clone())) {
            Some(cells) => from_cells(cells),
            None => {
                let done = run(&row, options);
                record(options, &done)?;
                done
            }
        };
        finished.push(done);
    }
    let reasons = reasons(&options.reasons)?;
    say(&table(&finished));
    let (text, is_fine) = disagreements(&finished, &reasons);
    say(&text);
    Ok(is_fine)
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        manifest: "../shared/bench/manifest.csv".into(),
        concord: "target/release/concord".into(),
        reasons: "bench/verify/regress-reasons.csv".into(),
        results: None,
        time_limit: 10,
        memory_limit: "4G".into(),
        only: None,
        every: 1,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{name} needs a number, not `{value}`"));
        match name.as_str() {
            "--manifest" => options.manifest = value.into(),
            "--concord" => options.concord = value.into(),
            "--reasons" => options.reasons = value.into(),
            "--results" => options.results = Some(value.into()),
            "--time-limit" => options.time_limit = number()?,
            "--memory-limit" => options.memory_limit = value,
            "--only" => options.only = Some(value),
            "--every" => options.every = number()? as usize,
            _ => return Err(format!("unknown option {name}")),
        }
    }
    Ok(options)
}

/// What a test asks, as options of `concord verify`.
///
/// Unwinding bounds, solvers, abstract domains and numbers of refinements are the other tool's ways to an answer and are left out.
fn asked(row: &Row) -> Result<Vec<String>, String> {
    let tool = row["path"].split('/').nth(1).unwrap_or_default();
    let words: Vec<&str> = row["options"].split_whitespace().collect();
    let has = |word: &str| words.contains(&word);
    let mut arguments: Vec<String> = Vec::new();
    let mut checks: Vec<&str> = Vec::new();
    for part in row["property"].split('+') {
        if let Some(formulas) = competition_property(&row["property"]) {
            let lines = formulas.iter().map(|formula| format!("CHECK( init(main()), LTL({formula}) )\n"));
            arguments.extend(["--property".into(), lines.collect()]);
            break;
        }
        match part {
            "assertion" | "assert" | "unreach-call" | "safety" => {}
            "unreach-label" => arguments.extend(["--label".into(), "ERROR".into()]),
            "cbmc-default-checks" if !has("--no-standard-checks") => {
                checks.extend(["signed-overflow", "division", "shift"]);
                checks.extend(["bounds", "pointer", "use-after-free", "double-free"]);
            }
            "cbmc-default-checks" => {}
            "no-standard-check,bounds-check" => checks.push("bounds"),
            "esbmc-default-checks" => {
                let switched = [
                    ("--no-bounds-check", &["bounds"][..]),
                    ("--no-pointer-check", &["pointer", "use-after-free", "double-free"][..]),
                    ("--no-div-by-zero-check", &["division"][..]),
                ];
                let kept = switched.iter().filter(|(off, _)| !has(off));
                checks.extend(kept.flat_map(|(_, names)| names.iter().copied()));
            }
            "no-overflow" => checks.push("signed-overflow"),
            // Its other checks stay on: tests fail by them too.
            "deadlock" => {
                checks.extend(["deadlock", "bounds", "pointer", "use-after-free", "double-free", "division"])
            }
            "memory" => checks.extend(["bounds", "pointer", "use-after-free", "double-free"]),
            other => return Err(format!("{other} is not a question of `concord verify`")),
        }
    }
    for (word, names) in [
        ("--bounds-check", &["bounds"][..]),
        ("--pointer-check", &["pointer", "use-after-free", "double-free"][..]),
        ("--div-by-zero-check", &["division"][..]),
        ("--signed-overflow-check", &["signed-overflow"][..]),
        ("--overflow-check", &["signed-overflow"][..]),
        ("--memory-leak-check", &["leak"][..]),
        ("--deadlock-check", &["deadlock"][..]),
        ("--check=memory-safety", &["bounds", "pointer", "use-after-free", "double-free"][..]),
        ("--check=integer-overflow", &["signed-overflow"][..]),
    ] {
        if has(word) {
            checks.extend(names);
        }
    }
    for unsaid in ["--lock-order-check", "--nan-check", "--no-assertions", "--claim", "--checked-functions"] {
        if has(unsaid) {
            return Err(format!("{unsaid} has no counterpart"));
        }
    }
    if tool == "ultimate" && row["path"].contains("/concurrent/") && row["path"].contains("/races/") {
        checks.push("race");
    }
    // Its functions of threads assert that they are not misused.
    if tool == "smack" && row["path"].contains("/pthread/") {
        checks.push("library");
    }
    // To SATABS a statement is a step.
    if tool == "satabs"
        && ["/concurrency/", "/symmetry_aware"].iter().any(|group| row["path"].contains(group))
    {
        arguments.extend(["--steps".into(), "statement".into()]);
    }
    if let Some(at) = words.iter().position(|word| *word == "--error-label") {
        let label = words.get(at + 1).ok_or("--error-label without a label")?;
        arguments.extend(["--label".into(), (*label).to_owned()]);
    }
    checks.sort_unstable();
    checks.dedup();
    if !checks.is_empty() {
        arguments.extend(["--checks".into(), checks.join(",")]);
    }
    arguments.extend(words.iter().filter(|word| word.starts_with("-D")).map(|word| (*word).to_owned()));
    let is_narrow = row["data_model"].ends_with("LP32") || has("--32");
    arguments.extend(["--data-model".into(), if is_narrow { "ilp32" } else { "lp64" }.into()]);
    // To all of these tools a function without a body returns any value and does nothing else.
    arguments.extend(["--missing".into(), "pure".into()]);
    if matches!(tool, "smack" | "seahorn") {
        arguments.push("-I".into());
    }
    Ok(arguments)
}

/// Is every annotation of the text an assertion, and is there one? Of annotations only those are read.
fn asserts_only(text: &str) -> bool {
    let mut words = text
        .split("/*@")
        .flat_map(|part| part.split("//@"))
        .skip(1)
        .map(|part| part.trim_start_matches(['@', ' ', '\t', '\n', '\r']))
        .peekable();
    words.peek().is_some() && words.all(|rest| rest.starts_with("assert"))
}

/// Properties of the verification competition are asked as such: they mean a little more or less than our checks.
fn competition_property(property: &str) -> Option<&'static [&'static str]> {
    Some(match property {
        "no-overflow" => &["G ! overflow"],
        "valid-free" => &["G valid-free"],
        "valid-deref" => &["G valid-deref"],
        "valid-memtrack" => &["G valid-memtrack"],
        "valid-memcleanup" => &["G valid-memcleanup"],
        "valid-memsafety" => &["G valid-free", "G valid-deref", "G valid-memtrack"],
        _ => return None,
    })
}

/// A file with the property's text.
fn property_file(text: &str) -> PathBuf {
    let file = std::env::temp_dir().join(format!("concord-regress-{}.prp", std::process::id()));
    let _ = std::fs::write(&file, text);
    file
}

fn run(row: &Row, options: &Options) -> Done {
    let mut done = Done {
        path: row["path"].clone(),
        property: row["property"].clone(),
        expected: row["expected"].clone(),
        verdict: "skipped".into(),
        seconds: 0.0,
        remark: String::new(),
    };
    let folder = options.manifest.parent().unwrap_or(Path::new("."));
    let text = std::fs::read_to_string(folder.join(&done.path)).unwrap_or_default();
    if row["note"].contains("acsl") && !asserts_only(&text) {
        done.remark = "it asks in annotations other than `assert`, which are not read".into();
        return done;
    }
    let arguments = match asked(row) {
        Ok(arguments) => arguments,
        Err(reason) => {
            done.remark = reason;
            return done;
        }
    };
    let started = Instant::now();
    let mut command = Command::new(&options.concord);
    command.arg("verify").arg(folder.join(&done.path));
    for argument in &arguments {
        if argument.starts_with("CHECK(") {
            command.arg(property_file(argument));
            continue;
        }
        command.arg(argument);
        if argument == "-I" {
            command.arg(folder.join("regress/include"));
        }
    }
    command
        .args(["--time-limit", &format!("{}s", options.time_limit), "--memory-limit", &options.memory_limit])
        .stdin(Stdio::null());
    // Twice its limit is more than any process that keeps it needs.
    let patience = format!("{}", options.time_limit * 2 + 10);
    let limited =
        Command::new("timeout").arg(&patience).arg(command.get_program()).args(command.get_args()).output();
    done.seconds = started.elapsed().as_secs_f64();
    match limited {
        Err(error) => done.verdict = format!("not started: {error}"),
        Ok(output) => {
            done.verdict = match output.status.code() {
                Some(0) => "true".into(),
                Some(1) => "false".into(),
                Some(3) => "undecided".into(),
                Some(4) => "bad input".into(),
                other => format!("exit {other:?}"),
            };
            let said = if done.verdict == "bad input" { &output.stderr } else { &output.stdout };
            let text = String::from_utf8_lossy(said).into_owned();
            let first = if done.verdict == "bad input" { 0 } else { 1 };
            done.remark = text.lines().nth(first).unwrap_or_default().trim().to_owned();
        }
    }
    done
}

fn record(options: &Options, done: &Done) -> Result<(), String> {
    let Some(file) = &options.results else { return Ok(()) };
    let clean = |text: &str| text.replace([',', '"', '\n'], ";");
    let line = format!(
        "{},{},{},{},{:.2},{}\n",
        done.path,
        clean(&done.property),
        done.expected,
        clean(&done.verdict),
        done.seconds,
        clean(&done.remark)
    );
    let opened = std::fs::OpenOptions::new().create(true).append(true).open(file);
    let mut opened = opened.map_err(|error| format!("{}: {error}", file.display()))?;
    opened.write_all(line.as_bytes()).map_err(|error| format!("{}: {error}", file.display()))
}

fn known_results(options: &Options) -> BTreeMap<(String, String), Vec<String>> {
    let read = |file: &PathBuf| std::fs::read_to_string(file).ok();
    let text = options.results.as_ref().and_then(read).unwrap_or_default();
    let lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    lines
        .filter(|cells| cells.len() == 6)
        .map(|cells| ((cells[0].clone(), cells[1].clone()), cells))
        .collect()
}

fn from_cells(cells: &[String]) -> Done {
    Done {
        path: cells[0].clone(),
        property: cells[1].clone(),
        expected: cells[2].clone(),
        verdict: cells[3].clone(),
        seconds: cells[4].parse().unwrap_or(0.0),
        remark: cells[5].clone(),
    }
}

/// Who is right about a test, and why.
fn reasons(file: &Path) -> Result<BTreeMap<String, (String, String)>, String> {
    let rows = manifest::rows(file)?;
    Ok(rows
        .into_iter()
        .map(|row| (row["path"].clone(), (row["right"].clone(), row["why"].clone())))
        .collect())
}

fn is_other(done: &Done) -> bool {
    matches!((done.expected.as_str(), done.verdict.as_str()), ("true", "false") | ("false", "true"))
}

fn disagreements(finished: &[Done], reasons: &BTreeMap<String, (String, String)>) -> (String, bool) {
    let mut text = String::new();
    let mut is_fine = true;
    for done in finished.iter().filter(|done| is_other(done)) {
        let (right, why) = match reasons.get(&done.path) {
            Some((right, why)) => (right.as_str(), why.as_str()),
            None => ("NOT LOOKED INTO", done.remark.as_str()),
        };
        is_fine &= matches!(right, "ours" | "another meaning");
        text.push_str(&format!(
            "{}: expected {}, {} | {right}: {why}\n",
            done.path, done.expected, done.verdict
        ));
    }
    (text, is_fine)
}

fn table(finished: &[Done]) -> String {
    let mut counts: BTreeMap<&str, [usize; 6]> = BTreeMap::new();
    for done in finished {
        let tool = done.path.split('/').nth(1).unwrap_or_default();
        let column = match done.verdict.as_str() {
            _ if is_other(done) => 2,
            "true" => 0,
            "false" => 1,
            "undecided" => 3,
            "skipped" => 5,
            _ => 4,
        };
        counts.entry(tool).or_default()[column] += 1;
        counts.entry("~ all").or_default()[column] += 1;
    }
    let mut text = format!(
        "{:12} {:>6} {:>6} {:>9} {:>9} {:>9} {:>8}\n",
        "tool", "true", "false", "otherwise", "undecided", "not read", "skipped"
    );
    for (tool, [holds, violated, other, open, unread, skipped]) in counts {
        text.push_str(&format!(
            "{tool:12} {holds:>6} {violated:>6} {other:>9} {open:>9} {unread:>9} {skipped:>8}\n"
        ));
    }
    text
}

#[allow(clippy::print_stdout)] // this is a command line
fn say(text: &str) {
    print!("{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(path: &str, property: &str, options: &str) -> Row {
        let cells =
            [("path", path), ("property", property), ("options", options), ("data_model", ""), ("note", "")];
        cells.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    #[test]
    fn options_of_other_tools_become_ours() {
        let arguments =
            asked(&row("regress/cbmc/a/main.c", "assertion+cbmc-default-checks", "--unwind 3 -DX=1"));
        let arguments = arguments.expect("it can be asked").join(" ");
        assert!(arguments.contains("signed-overflow") && arguments.contains("-DX=1"), "{arguments}");
        assert!(!arguments.contains("--unwind"), "{arguments}");
        let label = asked(&row("regress/cpachecker/a.c", "unreach-label", "")).expect("it can be asked");
        assert_eq!(label[..2], ["--label", "ERROR"]);
    }

    #[test]
    fn deadlocks_are_asked_about() {
        let asked = asked(&row("regress/esbmc/a/main.c", "deadlock", "--deadlock-check")).expect("it can be");
        assert!(asked.iter().any(|word| word.split(',').any(|check| check == "deadlock")), "{asked:?}");
    }

    #[test]
    fn what_cannot_be_asked_is_told() {
        assert!(asked(&row("regress/2ls/a/main.c", "termination", "")).is_err());
        assert!(asked(&row("regress/esbmc/a/main.c", "assertion", "--lock-order-check")).is_err());
    }
}
