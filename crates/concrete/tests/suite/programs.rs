//! Programs that carry their own expectation, in comments:
//!
//! - `// UNDEFINED kind` at the end of the line where it happens; the kinds are those of `UndefinedKind::name`
//! - `// EXIT status`, `// ABORTED`, `// ASSERTION text`, `// ERROR function`, `// UNMET`, `// DEADLOCK count`,
//!   `// UNKNOWN words`, `// LIMIT words`: how the run ends
//! - `// OUTPUT line`: the lines the program prints, in order (`// OUTPUT` alone for an empty line)
//! - `// MESSAGE words`: part of the report
//! - `// INPUTS list`, `// STDIN text`, `// ARGUMENTS words`, `// MODEL ilp32`, `// CONTINUE`, `// NONDET`,
//!   `// STRICT name`, `// STEPS limit`, `// SEED number`, `// RUNBODY`, `// UNINITIALISED` (inputs), `// SCHEDULE seed`, `// DEPTH calls`,
//!   `// MEMORY bytes`, `// FAILING` (allocation): how to run it
//! - `// GCC`: the compiled program prints the same and exits with the same status

use crate::common;

use concrete::{
    Captured, Inputs, ListedInputs, OnError, OnMissingBody, OnUndefined, RunOutcome, Schedule, SeededInputs,
    Settings, Uninitialised,
};
use program::DataModel;
use std::path::Path;

struct Expectation {
    name: String,
    text: String,
}

impl Expectation {
    /// The rest of each comment that starts with `word`, with its line number.
    fn all(&self, word: &str) -> Vec<(u32, String)> {
        let marker = format!("// {word}");
        self.text
            .lines()
            .enumerate()
            .filter_map(|(number, line)| {
                let rest = &line[line.find(&marker)? + marker.len()..];
                let is_word = rest.is_empty() || rest.starts_with(' ');
                is_word.then(|| (number as u32 + 1, rest.strip_prefix(' ').unwrap_or(rest).to_owned()))
            })
            .collect()
    }

    fn one(&self, word: &str) -> Option<String> {
        self.all(word).into_iter().next().map(|(_, rest)| rest)
    }

    fn has(&self, word: &str) -> bool {
        !self.all(word).is_empty()
    }
}

fn settings(expected: &Expectation) -> Settings {
    let mut settings = Settings::default();
    if expected.has("CONTINUE") {
        settings.on_undefined = OnUndefined::Continue;
    }
    if expected.has("NONDET") {
        settings.missing = OnMissingBody::Nondet;
    }
    if expected.has("UNINITIALISED") {
        settings.uninitialised = Uninitialised::Input;
    }
    if expected.has("RUNBODY") {
        settings.on_error = OnError::RunBody;
    }
    for (_, name) in expected.all("STRICT") {
        match name.trim() {
            "left-shifts" => settings.strictness.left_shifts = true,
            "alignment" => settings.strictness.alignment = true,
            "pointer-arithmetic" => settings.strictness.pointer_arithmetic = true,
            "pointer-order" => settings.strictness.pointer_order = true,
            other => panic!("{}: no such strictness `{other}`", expected.name),
        }
    }
    if let Some(steps) = expected.one("STEPS") {
        settings.limits.steps = Some(steps.trim().parse().expect("a number of steps"));
    }
    if let Some(seed) = expected.one("SCHEDULE") {
        settings.schedule = Schedule::Seeded(seed.trim().parse().expect("a seed"));
    }
    if let Some(depth) = expected.one("DEPTH") {
        settings.limits.call_depth = depth.trim().parse().expect("a depth");
    }
    if let Some(bytes) = expected.one("MEMORY") {
        settings.limits.memory_bytes = bytes.trim().parse().expect("bytes");
    }
    settings.allocation_may_fail = expected.has("FAILING");
    if let Some(words) = expected.one("ARGUMENTS") {
        settings.arguments = std::iter::once("a.out")
            .chain(words.split_whitespace())
            .map(|word| word.as_bytes().to_vec())
            .collect();
    }
    settings
}

fn check(path: &Path) -> Result<(), String> {
    let name = path.file_name().expect("a file").to_string_lossy().into_owned();
    let text = std::fs::read_to_string(path).expect("readable");
    let expected = Expectation { name: name.clone(), text };
    let model = match expected.one("MODEL").as_deref() {
        Some("ilp32") => DataModel::Ilp32,
        _ => DataModel::Lp64,
    };
    let program = testkit::c::load(path, model);
    let settings = settings(&expected);
    let stdin = expected.all("STDIN").iter().map(|(_, line)| format!("{line}\n")).collect::<String>();
    let mut host = Captured::with_input(stdin.clone());
    let mut inputs: Box<dyn Inputs> = match expected.one("SEED") {
        Some(seed) => Box::new(SeededInputs::new(seed.trim().parse().expect("a seed"))),
        None => {
            let list = expected.one("INPUTS").unwrap_or_default();
            Box::new(ListedInputs::parse(&list).unwrap_or_else(|bad| panic!("{name}: {bad}")))
        }
    };
    let run = concrete::run(&program, &settings, &mut host, inputs.as_mut());
    let line_of = |span| program.sources.location(span).map(|place| place.line);
    let fail = |what: String| Err(format!("{name}: {what}\n  the run ended: {:?}", run.outcome));

    let mut is_told = false;
    if let Some((line, kind)) = expected.all("UNDEFINED").into_iter().next() {
        is_told = true;
        let report = match &run.outcome {
            RunOutcome::Undefined(report) => report,
            _ if expected.has("CONTINUE") => match run.tolerated.first() {
                Some(report) => report,
                None => return fail(format!("`{kind}` in line {line} is expected")),
            },
            _ => return fail(format!("`{kind}` in line {line} is expected")),
        };
        if report.kind.name() != kind.trim() || line_of(report.place.span) != Some(line) {
            return fail(format!("`{kind}` in line {line} is expected"));
        }
        if report.place.calls.is_empty() {
            return fail("the report has no call stack".into());
        }
    }
    let ending = match &run.outcome {
        RunOutcome::Exited(status) => format!("EXIT {status}"),
        RunOutcome::Aborted(_) => "ABORTED".to_owned(),
        RunOutcome::AssertionFailed { told, .. } => format!("ASSERTION {told}"),
        RunOutcome::ErrorReached { function, .. } => format!("ERROR {function}"),
        RunOutcome::Undefined(report) => format!("UNDEFINED {}", report.message),
        RunOutcome::AssumptionUnmet(_) => "UNMET".to_owned(),
        RunOutcome::Deadlock(waiting) => {
            let words: Vec<&str> = waiting.iter().map(|waiting| waiting.waits_for.as_str()).collect();
            format!("DEADLOCK {} {}", waiting.len(), words.join("; "))
        }
        RunOutcome::Unknown(unknown) => format!("UNKNOWN {}", unknown.message),
        RunOutcome::LimitReached(limit, _) => format!("LIMIT {limit}"),
    };
    for word in ["EXIT", "ABORTED", "ASSERTION", "ERROR", "UNMET", "DEADLOCK", "UNKNOWN", "LIMIT"] {
        if let Some(rest) = expected.one(word) {
            is_told = true;
            if !ending.starts_with(word) || !ending.contains(rest.trim()) {
                return fail(format!("expected {word} {rest}, not {ending}"));
            }
        }
    }
    for (_, words) in expected.all("MESSAGE") {
        if !ending.contains(words.trim()) {
            return fail(format!("`{words}` is not in `{ending}`"));
        }
    }
    let wanted = expected.all("OUTPUT");
    if !wanted.is_empty() {
        let wanted: String = wanted.iter().map(|(_, line)| format!("{line}\n")).collect();
        let found = String::from_utf8_lossy(&host.out).into_owned();
        if found != wanted {
            return fail(format!("it printed\n{found}instead of\n{wanted}"));
        }
    }
    if expected.has("GCC") {
        is_told = true;
        let is_undefined = matches!(run.outcome, RunOutcome::Undefined(_) | RunOutcome::Unknown(_));
        if is_undefined {
            return fail("it should behave as compiled".into());
        }
        if common::has_compiler() {
            let compiled = common::compile_and_run(path, stdin.as_bytes());
            let status = match &run.outcome {
                RunOutcome::Exited(status) => *status & 255,
                RunOutcome::Aborted(_) | RunOutcome::AssertionFailed { .. } => 134,
                _ => -1,
            };
            if compiled.out != host.out || compiled.status != status {
                let (ours, theirs) =
                    (String::from_utf8_lossy(&host.out), String::from_utf8_lossy(&compiled.out));
                let different = ours.lines().zip(theirs.lines()).enumerate().find(|(_, (a, b))| a != b);
                return fail(format!(
                    "compiled, it exits with {} (here {status}); first different line: {different:?}",
                    compiled.status
                ));
            }
        }
    }
    if !is_told {
        return fail("the file says nothing about what is expected".into());
    }
    Ok(())
}

#[test]
fn programs_do_what_they_say() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut files: Vec<_> = std::fs::read_dir(directory)
        .expect("the programs are there")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "c"))
        .collect();
    files.sort();
    assert!(files.len() >= 60, "only {} programs were found", files.len());
    let wanted = std::env::var("CONCORD_PROGRAM").ok();
    files
        .retain(|file| wanted.as_ref().is_none_or(|wanted| file.to_string_lossy().contains(wanted.as_str())));
    let failures: Vec<String> = files
        .iter()
        .filter_map(|file| {
            std::panic::catch_unwind(|| check(file))
                .unwrap_or_else(|_| Err(format!("{}: panicked", file.display())))
                .err()
        })
        .collect();
    assert!(failures.is_empty(), "{} of {} programs:\n{}", failures.len(), files.len(), failures.join("\n"));
}
