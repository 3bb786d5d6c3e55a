//! How long parsing and lowering take beside `gcc -fsyntax-only`: the same preprocessed files, in one run, interleaved, so
//! that a loaded machine slows both down alike.

use crate::generate::Model;
use crate::manifest::Task;
use crate::native::Scratch;
use crate::ours::{self, Phases};
use nix::sys::resource::{UsageWho, getrusage};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Time and memory of a process and all it started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// From start to end.
    pub wall: Duration,
    /// Processor time, user and system: what a loaded machine does not change much.
    pub processor: Duration,
    /// Most resident memory, in bytes, of any one process.
    pub memory_bytes: u64,
}

/// One file measured.
#[derive(Clone, Debug)]
pub struct Row {
    /// The file.
    pub path: PathBuf,
    /// Size of the preprocessed text, in bytes.
    pub bytes: u64,
    /// Medians.
    pub gcc: Cost,
    /// The whole of our process, with its start.
    pub ours: Cost,
    /// Inside our process: parse, analyse, lower.
    pub phases: Phases,
}

impl Row {
    /// Our whole process as a multiple of gcc's, by processor time.
    pub fn process_ratio(&self) -> f64 {
        self.ours.processor.as_secs_f64() / self.gcc.processor.as_secs_f64()
    }

    /// The same by the clock on the wall.
    pub fn wall_ratio(&self) -> f64 {
        self.ours.wall.as_secs_f64() / self.gcc.wall.as_secs_f64()
    }
}

/// The largest C files of the manifest, one per name.
pub fn largest(mut tasks: Vec<Task>, count: usize) -> Vec<Task> {
    tasks.sort_by(|one, other| other.bytes.cmp(&one.bytes).then_with(|| one.path.cmp(&other.path)));
    tasks.dedup_by(|one, other| one.path == other.path);
    tasks.truncate(count);
    tasks
}

/// Measures each task `rounds` times. `program` is this program itself.
pub fn measure(tasks: &[Task], rounds: usize, program: &Path) -> Result<Vec<Row>, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let mut rows = Vec::new();
    for (index, task) in tasks.iter().enumerate() {
        let file = preprocessed(task, &scratch.file(&format!("{index}.i")))?;
        let mode = if task.is_ilp32 { "-m32" } else { "-m64" };
        let model = if task.is_ilp32 { "ilp32" } else { "lp64" };
        let (mut gcc, mut ours, mut phases) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            gcc.push(cost_of(program, &["gcc", "-fsyntax-only", "-w", mode, &file.to_string_lossy()])?);
            let own = program.to_string_lossy();
            ours.push(cost_of(program, &[&own, "read", "--model", model, &file.to_string_lossy()])?);
            let text = std::fs::read_to_string(&file).map_err(|error| error.to_string())?;
            let timed = ours::guarded(|| ours::timed(&text, task.model()))?;
            phases.push(timed);
        }
        rows.push(Row {
            path: task.path.clone(),
            bytes: std::fs::metadata(&file).map_or(0, |metadata| metadata.len()),
            gcc: median_cost(gcc),
            ours: median_cost(ours),
            phases: median_phases(phases),
        });
    }
    Ok(rows)
}

fn median<T: Ord + Copy>(mut items: Vec<T>) -> T {
    items.sort();
    items[items.len() / 2]
}

fn median_cost(costs: Vec<Cost>) -> Cost {
    Cost {
        wall: median(costs.iter().map(|cost| cost.wall).collect()),
        processor: median(costs.iter().map(|cost| cost.processor).collect()),
        memory_bytes: median(costs.iter().map(|cost| cost.memory_bytes).collect()),
    }
}

fn median_phases(phases: Vec<Phases>) -> Phases {
    Phases {
        parse: median(phases.iter().map(|phase| phase.parse).collect()),
        analyse: median(phases.iter().map(|phase| phase.analyse).collect()),
        lower: median(phases.iter().map(|phase| phase.lower).collect()),
    }
}

fn preprocessed(task: &Task, to: &Path) -> Result<PathBuf, String> {
    if task.path.extension().is_some_and(|ending| ending == "i") {
        return Ok(task.path.clone());
    }
    let mode = if task.model() == Model::Ilp32 { "-m32" } else { "-m64" };
    let result = Command::new("gcc")
        .args(["-E", "-w", mode])
        .args(&task.arguments)
        .arg(&task.path)
        .arg("-o")
        .arg(to)
        .status()
        .map_err(|error| format!("gcc cannot be run: {error}"))?;
    match result.success() {
        true => Ok(to.to_owned()),
        false => Err(format!("{}: gcc -E fails", task.path.display())),
    }
}

/// Runs `command` under a fresh process of our own, which has no other children, so that the memory is the command's.
fn cost_of(program: &Path, command: &[&str]) -> Result<Cost, String> {
    let result = Command::new(program)
        .arg("cost")
        .arg("--")
        .args(command)
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    let text = String::from_utf8_lossy(&result.stdout);
    let mut numbers = text.split_whitespace().map(str::parse::<u64>);
    match (result.status.success(), numbers.next(), numbers.next(), numbers.next()) {
        (true, Some(Ok(wall)), Some(Ok(processor)), Some(Ok(memory_bytes))) => Ok(Cost {
            wall: Duration::from_nanos(wall),
            processor: Duration::from_nanos(processor),
            memory_bytes,
        }),
        _ => Err(format!("{command:?} failed: {}", String::from_utf8_lossy(&result.stderr))),
    }
}

/// The other side of measuring: runs a command and tells its time on the clock and on the processor in nanoseconds, and its
/// memory in bytes.
pub fn cost_line(command: &[String]) -> Result<String, String> {
    let (name, arguments) = command.split_first().ok_or("no command is given")?;
    let started = Instant::now();
    let status = Command::new(name)
        .args(arguments)
        .stdout(Stdio::null())
        .status()
        .map_err(|error| format!("{name} cannot be run: {error}"))?;
    let wall = started.elapsed();
    if !status.success() {
        return Err(format!("{name} ended with {status}"));
    }
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|error| error.to_string())?;
    let processor = usage.user_time() + usage.system_time();
    let processor = i128::from(processor.tv_sec()) * 1_000_000_000 + i128::from(processor.tv_usec()) * 1000;
    Ok(format!("{} {processor} {}", wall.as_nanos(), usage.max_rss() as u64 * 1024))
}
