//! Many tasks, each in a process of its own with its own limits: what happens to one does not touch the
//! others. One table at the end, and a file of results from which an interrupted run goes on.

use super::VerifyArgs;
use super::results::{Ended, Row, read_rows, table, write_rows};
use super::task::{self, AskedByFile};
use crate::cli::{ColourArgument, Common, DataModelArgument, Format};
use crate::exit::Exit;
use crate::load::{complain, tell};
use crate::output::{self, Look};
use crate::process::{self, End, Limits, Ran};
use base::Budget;
use csource::preprocess::Flag;
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use verdict::Reason;

/// One task: what it is called, and the arguments of its process that name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// For people, and to know it again.
    pub name: String,
    /// Files and options of its own.
    pub arguments: Vec<String>,
    /// The verdict that the task says it has.
    pub expected: Option<bool>,
    /// Which of the tasks it is.
    pub number: usize,
}

/// The tasks that the arguments name, if they name many; `None` for a single program.
pub fn jobs(arguments: &VerifyArgs) -> Result<Option<Vec<Job>>, String> {
    if !names_many(&arguments.files) {
        return Ok(None);
    }
    let mut jobs = Vec::new();
    for file in &arguments.files {
        if file.is_dir() {
            jobs.extend(in_directory(file)?);
        } else if is_database(file) {
            let commands = csource::preprocess::compile_commands(file).map_err(|error| error.to_string())?;
            for command in commands {
                let source = command.options.directory.clone().unwrap_or_default().join(&command.file);
                let source = source.to_string_lossy().into_owned();
                let database = file.to_string_lossy().into_owned();
                let arguments = vec!["--compile-commands".to_owned(), database, source.clone()];
                jobs.push(Job { name: source, arguments, expected: None, number: 0 });
            }
        } else {
            jobs.push(job_of(file));
        }
    }
    jobs.iter_mut().enumerate().for_each(|(at, job)| job.number = at + 1);
    match jobs.is_empty() {
        true => Err("there is no task in what is given".to_owned()),
        false => Ok(Some(jobs)),
    }
}

/// Are these many tasks: several definitions, a directory, a compile_commands.json?
pub fn names_many(files: &[PathBuf]) -> bool {
    let are_tasks = files.len() > 1 && files.iter().all(|file| is_task(file));
    are_tasks || files.iter().any(|file| file.is_dir() || is_database(file))
}

fn is_database(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "json")
}

/// Is it a task definition?
pub fn is_task(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "yml" || extension == "yaml")
}

fn job_of(file: &Path) -> Job {
    let name = file.to_string_lossy().into_owned();
    let expected = if is_task(file) { expected(file) } else { None };
    Job { arguments: vec![name.clone()], name, expected, number: 0 }
}

/// What a task says of the property that will be asked.
fn expected(file: &Path) -> Option<bool> {
    let task = task::read_task(file).ok()?;
    let asked = task.properties.iter().zip(&task.expected);
    let mut supported =
        asked.filter(|(file, _)| matches!(task::read_property(file), Ok(AskedByFile::Property(..))));
    supported.next().and_then(|(_, expected)| *expected)
}

/// The task definitions below a directory; without any, every C file is a task.
fn in_directory(directory: &Path) -> Result<Vec<Job>, String> {
    let (mut tasks, mut sources) = (Vec::new(), Vec::new());
    let mut open = vec![directory.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(&folder)
            .map_err(|error| format!("{}: cannot be read: {error}", folder.display()))?;
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if is_task(&path) {
                tasks.push(path);
            } else if path.extension().is_some_and(|extension| extension == "c" || extension == "i") {
                sources.push(path);
            }
        }
    }
    let mut chosen = if tasks.is_empty() { sources } else { tasks };
    chosen.sort();
    Ok(chosen.iter().map(|file| job_of(file)).collect())
}

/// Works on all tasks.
pub fn many(jobs: Vec<Job>, arguments: &VerifyArgs, common: &Common, budget: &Budget) -> Result<Exit, Exit> {
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    if let Some(file) = &arguments.resume
        && file.exists()
    {
        let known = read_rows(file).map_err(|message| complain(&message))?;
        rows.extend(known.into_iter().map(|row| (row.task.clone(), row)));
    }
    let names: Vec<String> = jobs.iter().map(|job| job.name.clone()).collect();
    let numbers: BTreeMap<String, usize> = jobs.iter().map(|job| (job.name.clone(), job.number)).collect();
    if let Some(page) = &arguments.report {
        let folder = crate::report::many::folder_of(page);
        std::fs::create_dir_all(&folder)
            .map_err(|error| complain(&format!("{}: cannot be made: {error}", folder.display())))?;
    }
    rows.retain(|name, _| names.contains(name));
    let resumed = rows.len();
    let open: VecDeque<Job> = jobs.into_iter().filter(|job| !rows.contains_key(&job.name)).collect();
    let total = open.len();
    let queue = Arc::new(Mutex::new(open));
    let stop = Arc::new(AtomicBool::new(false));
    let shared = shared_arguments(arguments, common);
    let (sender, receiver) = channel();
    let workers: Vec<_> = (0..arguments.jobs.max(1))
        .map(|_| {
            let worker = Worker {
                report: arguments.report.clone(),
                queue: queue.clone(),
                stop: stop.clone(),
                shared: shared.clone(),
                time: common.time_limit,
                memory: common.memory_limit,
                results: sender.clone(),
            };
            std::thread::spawn(move || worker.work())
        })
        .collect();
    drop(sender);
    let files: Vec<&PathBuf> = arguments.results.iter().chain(&arguments.resume).collect();
    let mut done = 0;
    let mut failure = None;
    loop {
        if budget.cancellation().load(Ordering::Relaxed) {
            stop.store(true, Ordering::Relaxed);
        }
        match receiver.recv_timeout(Duration::from_millis(50)) {
            Ok((row, is_interrupted)) => {
                let row: Row = row;
                done += 1;
                if !common.quiet {
                    tell(&format!("[{done}/{total}] {}: {}\n", row.task, row.verdict.word()));
                }
                // What was interrupted is to be done again.
                if !is_interrupted {
                    rows.insert(row.task.clone(), row);
                }
                for file in &files {
                    if let Err(message) = write_rows(file, rows.values()) {
                        stop.store(true, Ordering::Relaxed);
                        if failure.is_none() {
                            complain(&message);
                        }
                        failure = Some(Exit::Internal);
                    }
                }
            }
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    for worker in workers {
        let _ = worker.join();
    }
    let left = names.iter().filter(|name| !rows.contains_key(*name)).count();
    if let Some(file) = &arguments.report {
        let told = rows.values().map(|row| row.for_page(file, numbers.get(&row.task).copied())).collect();
        let page = crate::report::many::of_tasks(told, &table(rows.values(), left, resumed));
        crate::report::write(file, &page)?;
    }
    let text = match common.format {
        Format::Json => super::results::json(rows.values()),
        _ => table(rows.values(), left, resumed),
    };
    let has = |verdict: Ended| rows.values().any(|row| row.verdict == verdict);
    let exit = if has(Ended::Crashed) {
        Exit::Internal
    } else if has(Ended::Violated) {
        Exit::Violated
    } else if has(Ended::Undecided) || has(Ended::BadInput) || left > 0 {
        Exit::Undecided
    } else {
        Exit::Holds
    };
    let text = Look::wanted(common).with_details().of(&text);
    Ok(output::finish(&text, failure.unwrap_or(exit)))
}

/// The options that go to every process.
fn shared_arguments(arguments: &VerifyArgs, common: &Common) -> Vec<String> {
    use clap::ValueEnum;
    let mut list: Vec<String> = vec!["--format".into(), "json".into(), "--quiet".into()];
    let mut add = |name: &str, value: String| list.extend([name.to_owned(), value]);
    let name_of = |value: clap::builder::PossibleValue| value.get_name().to_owned();
    add("--color", name_of(ColourArgument::Never.to_possible_value().expect("it has a name")));
    // A benchmark asks for one verdict about one property.
    add("--failures", "first".to_owned());
    add("--engine", arguments.engine.name().to_owned());
    if let Some(missing) = arguments.missing.to_possible_value() {
        add("--missing", name_of(missing));
    }
    let entry = &arguments.entry;
    if let Some(function) = &entry.function {
        add("--function", function.clone());
    }
    for (name, elements) in &entry.object_size {
        add("--object-size", name.as_ref().map_or(elements.to_string(), |name| format!("{name}={elements}")));
    }
    if let Some(globals) = entry.globals.and_then(|globals| globals.to_possible_value()) {
        add("--globals", name_of(globals));
    }
    match entry.threads {
        Some(lower::EntryThreads::Exactly(number)) => add("--threads", number.to_string()),
        Some(lower::EntryThreads::Unbounded) => add("--threads", "unbounded".into()),
        None => {}
    }
    if let Some(steps) = entry.steps.and_then(|steps| steps.to_possible_value()) {
        add("--steps", name_of(steps));
    }
    if let Some(pointers) = entry.unknown_pointers.and_then(|pointers| pointers.to_possible_value()) {
        add("--unknown-pointers", name_of(pointers));
    }
    if let Some(property) = &arguments.property {
        add("--property", property.to_string_lossy().into_owned());
    }
    for label in &arguments.label {
        add("--label", label.clone());
    }
    if let Some(checks) = arguments.checks.filter(|checks| !checks.is_empty()) {
        let names: Vec<&str> = checks.iter().map(|check| check.name()).collect();
        add("--checks", names.join(","));
    }
    if let Some(unwind) = arguments.unwind {
        add("--unwind", unwind.to_string());
    }
    if let Some(time) = common.time_limit {
        add("--time-limit", format!("{}ms", time.as_millis()));
    }
    if let Some(memory) = common.memory_limit {
        add("--memory-limit", memory.to_string());
    }
    match common.data_model {
        Some(DataModelArgument::Ilp32) => add("--data-model", "ilp32".into()),
        Some(DataModelArgument::Lp64) => add("--data-model", "lp64".into()),
        None => {}
    }
    for flag in &common.flags {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        match flag {
            Flag::IncludeDirectory(directory) => add("-I", path(directory)),
            Flag::SystemDirectory(directory) => add("--isystem", path(directory)),
            Flag::IncludeFile(file) => add("--include", path(file)),
            Flag::Define(define) => add("-D", define.clone()),
            Flag::Undefine(name) => add("-U", name.clone()),
            Flag::Standard(name) => add("--std", name.clone()),
        }
    }
    if entry.malloc_may_fail {
        list.push("--malloc-may-fail".into());
    }
    if arguments.no_audit {
        list.push("--no-audit".into());
    }
    list
}

struct Worker {
    /// The page about all, beside which each task has its own.
    report: Option<PathBuf>,
    queue: Arc<Mutex<VecDeque<Job>>>,
    stop: Arc<AtomicBool>,
    shared: Vec<String>,
    time: Option<Duration>,
    memory: Option<u64>,
    /// Takes each result, and whether the task was interrupted: then it is none.
    results: Sender<(Row, bool)>,
}

impl Worker {
    fn work(&self) {
        while !self.stop.load(Ordering::Relaxed) {
            let Some(job) = self.queue.lock().ok().and_then(|mut queue| queue.pop_front()) else { return };
            let row = self.run(&job);
            if self.results.send(row).is_err() {
                return;
            }
        }
    }

    /// The result of a task, and whether it was interrupted.
    fn run(&self, job: &Job) -> (Row, bool) {
        let mut row = Row { task: job.name.clone(), expected: job.expected, ..Row::default() };
        let page = self.report.iter().flat_map(|page| {
            let own = crate::report::many::of_task(page, job.number).0;
            ["--report".to_owned(), own.display().to_string()]
        });
        let shared = self.shared.iter().chain(&job.arguments).cloned();
        let words = ["verify".to_owned()].into_iter().chain(shared).chain(page);
        let limits = Limits { time: self.time, memory: self.memory };
        let ran = match process::run(words.collect(), limits, &self.stop) {
            Ok(ran) => ran,
            Err(why) => return (row.ended(Ended::Crashed, &why), false),
        };
        let Ran { end, output, errors, seconds, bytes } = ran;
        (row.seconds, row.bytes) = (seconds, bytes);
        let row = match end {
            End::Time => row.ended(Ended::Undecided, &Reason::TimeLimit.to_string()),
            End::Memory => row.ended(Ended::Undecided, &Reason::MemoryLimit.to_string()),
            End::Interrupted => return (row, true),
            End::Status(status) => match (serde_json::from_str::<Value>(&output), status) {
                (Ok(document), _) => {
                    let result = &document["results"][0];
                    let text = |name: &str| result[name].as_str().unwrap_or_default();
                    text("engine").clone_into(&mut row.engine);
                    row.ended(Ended::of_word(text("verdict")).unwrap_or(Ended::Crashed), text("reason"))
                }
                (Err(_), Some(4 | 2)) => row.ended(Ended::BadInput, first_line(&errors)),
                (Err(_), Some(status)) => {
                    row.ended(Ended::Crashed, &format!("exit status {status}: {}", first_line(&errors)))
                }
                (Err(_), None) => row.ended(Ended::Crashed, "the process was ended by a signal"),
            },
        };
        (row, false)
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
