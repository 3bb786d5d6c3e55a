//! Every C file of the benchmark set that gcc accepts must parse and lower; what is flagged is listed with its place.

use crate::manifest::Task;
use crate::ours::Reading;
use crate::parallel;
use crate::worker::{Answer, Stage, Worker};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

/// Time for one file; the slowest takes well under a second in release builds.
const LIMIT: Duration = Duration::from_secs(60);

/// What gcc said about files, remembered between runs.
#[derive(Debug, Default)]
pub struct GccVerdicts {
    file: Option<PathBuf>,
    known: BTreeMap<String, bool>,
}

impl GccVerdicts {
    /// The verdicts remembered in a file, none if it cannot be read.
    pub fn load(file: PathBuf) -> GccVerdicts {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let known = text
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .map(|(verdict, key)| (key.to_string(), verdict == "accepted"))
            .collect();
        GccVerdicts { file: Some(file), known }
    }

    /// Writes the verdicts for the next run.
    pub fn save(&self) -> std::io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let mut text = String::new();
        for (key, accepted) in &self.known {
            text.push_str(if *accepted { "accepted\t" } else { "rejected\t" });
            text.push_str(key);
            text.push('\n');
        }
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(file, text)
    }
}

fn key_of(task: &Task) -> String {
    format!("{} {:?} {} {:?}", task.path.display(), task.model(), task.bytes, task.arguments)
}

/// Does `gcc -fsyntax-only` take the file?
fn gcc_accepts(task: &Task) -> bool {
    let mut command = Command::new("gcc");
    command.args(["-fsyntax-only", "-w", if task.is_ilp32 { "-m32" } else { "-m64" }]);
    command.args(&task.arguments).arg(&task.path);
    command.output().is_ok_and(|result| result.status.success())
}

/// Figures of a run over the corpus.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Files gcc rejects: nothing is asked of us.
    pub rejected_by_gcc: usize,
    /// Files taken.
    pub taken: usize,
    /// Files gcc takes and we do not, with what happened.
    pub failed: Vec<(PathBuf, Answer)>,
    /// Flagged constructs, with their files.
    pub flagged: Vec<(PathBuf, Vec<String>)>,
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let asked = self.taken + self.failed.len();
        let share = if asked == 0 { 100.0 } else { 100.0 * self.taken as f64 / asked as f64 };
        writeln!(f, "{} of {asked} files that gcc accepts are lowered ({share:.2} %)", self.taken)?;
        writeln!(f, "{} files are rejected by gcc", self.rejected_by_gcc)?;
        writeln!(f, "{} files have flagged constructs", self.flagged.len())?;
        for (path, answer) in &self.failed {
            let (kind, message) = match answer {
                Answer::Rejected(message) => ("rejected", message.as_str()),
                Answer::Panicked(message) => ("panic", message.as_str()),
                Answer::Died => ("died", ""),
                Answer::Hung => ("hung", ""),
                Answer::Taken(_) => ("taken", ""),
            };
            let message: Vec<&str> = message.lines().take(5).collect();
            writeln!(f, "[{kind}] {}\n  {}", path.display(), message.join("\n  "))?;
        }
        Ok(())
    }
}

/// Reads every task with workers that are `program worker`.
pub fn check(tasks: &[Task], program: &Path, verdicts: &mut GccVerdicts) -> Summary {
    let known = &verdicts.known;
    let idle: Mutex<Vec<Worker>> = Mutex::new(Vec::new());
    let job = |index: u64| {
        let task = &tasks[index as usize];
        let accepted = known.get(&key_of(task)).copied().unwrap_or_else(|| gcc_accepts(task));
        if !accepted {
            return (false, None);
        }
        let mut worker = idle.lock().expect("no holder panics").pop().unwrap_or_else(|| Worker::new(program));
        let reading = Reading { model: task.model(), arguments: task.arguments.clone() };
        let answer = worker.ask(Stage::Lower, &task.path, &reading, LIMIT);
        idle.lock().expect("no holder panics").push(worker);
        (true, Some(answer))
    };
    let mut summary = Summary::default();
    let mut learned = BTreeMap::new();
    parallel::for_each(tasks.len() as u64, job, |index, (accepted, answer)| {
        let task = &tasks[index as usize];
        learned.insert(key_of(task), accepted);
        match answer {
            None => summary.rejected_by_gcc += 1,
            Some(Answer::Taken(flags)) => {
                summary.taken += 1;
                if !flags.is_empty() {
                    summary.flagged.push((task.path.clone(), flags));
                }
            }
            Some(trouble) => summary.failed.push((task.path.clone(), trouble)),
        }
    });
    summary.failed.sort_by(|one, other| one.0.cmp(&other.0));
    summary.flagged.sort();
    verdicts.known.append(&mut learned);
    summary
}
