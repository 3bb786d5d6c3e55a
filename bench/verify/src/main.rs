//! Runs `concord verify` on many tasks and compares with the expected verdicts.

mod evidence;
mod manifest;

use evidence::Files;
use manifest::Task;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

struct Options {
    manifest: PathBuf,
    concord: PathBuf,
    time_limit: u64,
    memory_limit: String,
    jobs: usize,
    category: Option<String>,
    every: usize,
    results: Option<PathBuf>,
    evidence: bool,
}

#[derive(Clone, Debug)]
struct Done {
    task: Task,
    /// `true`, `false`, or why there is no verdict.
    verdict: String,
    seconds: f64,
    /// What was made of the evidence; empty where nothing was asked.
    evidence: String,
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(message) => {
            say(&format!("error: {message}\n"));
            return ExitCode::from(2);
        }
    };
    let tasks = match manifest::tasks(&options.manifest) {
        Ok(tasks) => tasks,
        Err(message) => {
            say(&format!("error: {message}\n"));
            return ExitCode::from(4);
        }
    };
    let known = known_results(&options);
    let mut wanted: Vec<Task> = tasks
        .into_iter()
        .filter(|task| options.category.as_ref().is_none_or(|text| task.category.contains(text.as_str())))
        .step_by(options.every.max(1))
        .collect();
    let mut done: Vec<Done> = Vec::new();
    wanted.retain(|task| match known.get(&task.name) {
        Some((verdict, seconds, evidence)) => {
            let (task, verdict, evidence) = (task.clone(), verdict.clone(), evidence.clone());
            done.push(Done { task, verdict, seconds: *seconds, evidence });
            false
        }
        None => true,
    });
    let open = Mutex::new(wanted.into_iter().collect::<VecDeque<Task>>());
    let finished = Mutex::new(done);
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let Some(task) = open.lock().expect("no worker panics").pop_front() else { return };
                    let result = run(&task, &options);
                    record(&options, &result);
                    finished.lock().expect("no worker panics").push(result);
                }
            });
        }
    });
    let finished = finished.into_inner().expect("no worker panics");
    say(&table(&finished));
    if finished.iter().any(is_wrong) { ExitCode::from(1) } else { ExitCode::SUCCESS }
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        manifest: "../shared/bench/manifest.csv".into(),
        concord: "target/release/concord".into(),
        time_limit: 60,
        memory_limit: "4G".into(),
        jobs: 2,
        category: None,
        every: 1,
        results: None,
        evidence: false,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        if name == "--evidence" {
            options.evidence = true;
            continue;
        }
        let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{name} needs a number, not `{value}`"));
        match name.as_str() {
            "--manifest" => options.manifest = value.into(),
            "--concord" => options.concord = value.into(),
            "--time-limit" => options.time_limit = number()?,
            "--memory-limit" => options.memory_limit = value,
            "--jobs" => options.jobs = number()? as usize,
            "--category" => options.category = Some(value),
            "--every" => options.every = number()? as usize,
            "--results" => options.results = Some(value.into()),
            _ => return Err(format!("unknown option {name}")),
        }
    }
    Ok(options)
}

fn run(task: &Task, options: &Options) -> Done {
    let started = Instant::now();
    let property = property_file(&task.error_function);
    let mut command = Command::new(&options.concord);
    command
        .arg("verify")
        .arg(&task.file)
        .arg("--property")
        .arg(&property)
        .args(["--data-model", &task.data_model, "-q"])
        .args(["--time-limit", &format!("{}s", options.time_limit), "--memory-limit", &options.memory_limit])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let files = options.evidence.then(|| Files::of(task));
    if let Some(files) = &files {
        // The audit is made afterwards, by itself.
        command
            .arg("--harness")
            .arg(&files.harness)
            .arg("--certificate")
            .arg(&files.certificate)
            .arg("--no-audit");
    }
    let verdict = match command.spawn() {
        Err(error) => format!("not started: {error}"),
        Ok(mut child) => {
            // A process that does not keep its own limit is ended; that counts as no verdict.
            let patience = Duration::from_secs(options.time_limit + options.time_limit / 5 + 5);
            loop {
                match child.try_wait() {
                    Ok(Some(status)) => {
                        break match status.code() {
                            Some(0) => "true".to_owned(),
                            Some(1) => "false".to_owned(),
                            Some(3) => "undecided".to_owned(),
                            other => format!("exit {other:?}"),
                        };
                    }
                    Ok(None) if started.elapsed() > patience => {
                        let _ = child.kill();
                        let _ = child.wait();
                        break "killed".to_owned();
                    }
                    Ok(None) => std::thread::sleep(Duration::from_millis(20)),
                    Err(error) => break format!("lost: {error}"),
                }
            }
        }
    };
    let seconds = started.elapsed().as_secs_f64();
    let evidence = files.map_or_else(String::new, |files| files.check(task, options, &verdict));
    Done { task: task.clone(), verdict, seconds, evidence }
}

fn property_file(function: &str) -> PathBuf {
    let file = std::env::temp_dir().join(format!("concord-bench-{}-{function}.prp", std::process::id()));
    if !file.exists() {
        let text = format!("CHECK( init(main()), LTL(G ! call({function}())) )\n");
        let _ = std::fs::write(&file, text);
    }
    file
}

fn record(options: &Options, done: &Done) {
    let line = format!(
        "{},{},{:.2},{},{}\n",
        done.task.name, done.verdict, done.seconds, done.task.category, done.evidence
    );
    if let Some(file) = &options.results {
        let opened = std::fs::OpenOptions::new().create(true).append(true).open(file);
        if let Ok(mut opened) = opened {
            let _ = opened.write_all(line.as_bytes());
        }
    }
}

fn known_results(options: &Options) -> BTreeMap<String, (String, f64, String)> {
    let read = |file: &PathBuf| std::fs::read_to_string(file).ok();
    let text = options.results.as_ref().and_then(read).unwrap_or_default();
    text.lines()
        .filter_map(|line| {
            let mut cells = line.split(',');
            let (name, verdict) = (cells.next()?.to_owned(), cells.next()?.to_owned());
            let seconds = cells.next()?.parse().ok()?;
            Some((name, (verdict, seconds, cells.nth(1).unwrap_or_default().to_owned())))
        })
        .collect()
}

fn is_wrong(done: &Done) -> bool {
    match done.verdict.as_str() {
        "true" => !done.task.expected,
        "false" => done.task.expected,
        _ => false,
    }
}

fn table(finished: &[Done]) -> String {
    let mut text = String::new();
    for done in finished.iter().filter(|done| is_wrong(done)) {
        text.push_str(&format!("WRONG {}: {}\n", done.task.name, done.verdict));
    }
    text.push_str(&format!(
        "{:45} {:>5} {:>6} {:>6} {:>6} {:>9} {:>8}\n",
        "category", "tasks", "true", "false", "wrong", "decided %", "s"
    ));
    let categories: BTreeSet<&str> = finished.iter().map(|done| done.task.category.as_str()).collect();
    let line = |name: &str, chosen: &[&Done]| {
        let right = |word: &str| chosen.iter().filter(|done| done.verdict == word && !is_wrong(done)).count();
        let wrong = chosen.iter().filter(|done| is_wrong(done)).count();
        let (holds, violated) = (right("true"), right("false"));
        let share = 100.0 * (holds + violated) as f64 / chosen.len().max(1) as f64;
        let seconds: f64 = chosen.iter().map(|done| done.seconds).sum();
        format!(
            "{name:45} {:>5} {holds:>6} {violated:>6} {wrong:>6} {share:>9.0} {seconds:>8.0}\n",
            chosen.len()
        )
    };
    for category in categories {
        let chosen: Vec<&Done> = finished.iter().filter(|done| done.task.category == category).collect();
        text.push_str(&line(category, &chosen));
    }
    text.push_str(&line("all", &finished.iter().collect::<Vec<_>>()));
    text.push_str(&evidence_lines(finished));
    text
}

/// How much of the evidence was good, and each task where it was not.
fn evidence_lines(finished: &[Done]) -> String {
    let mut text = String::new();
    for (verdict, good) in [("false", evidence::HARNESS_FAILS), ("true", evidence::AUDITED)] {
        let asked = || finished.iter().filter(|done| done.verdict == verdict && !done.evidence.is_empty());
        if asked().next().is_none() {
            continue;
        }
        let count = asked().filter(|done| done.evidence == good).count();
        text.push_str(&format!("{good}: {count} of {}\n", asked().count()));
        for done in asked().filter(|done| done.evidence != good) {
            text.push_str(&format!("  {}: {}\n", done.task.name, done.evidence));
        }
    }
    text
}

#[allow(clippy::print_stdout)] // this is a command line
fn say(text: &str) {
    print!("{text}");
}
