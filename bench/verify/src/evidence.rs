//! Is the evidence of a verdict good? A harness is compiled by gcc and must end in a failure; a certificate is audited on its own, and
//! compiled runs on many inputs must not contradict it.

use crate::Options;
use crate::manifest::Task;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The files a run is asked to write.
pub struct Files {
    /// The harness of a violation.
    pub harness: PathBuf,
    /// The certificate of a proof.
    pub certificate: PathBuf,
}

/// What was made of the evidence of good verdicts: the words that stand in the results.
pub const HARNESS_FAILS: &str = "harness fails";
/// Said of a proof whose certificate stands, and which compiled runs do not contradict.
pub const AUDITED: &str = "audited";

/// Inputs on which the program of a proof is run.
const EXECUTIONS: &str = "100";

/// Seconds for a compiled run, and for an audit.
const PATIENCE: u64 = 300;

/// Seconds for the executions of a program: those that never end would take much longer.
const PATIENCE_FOR_EXECUTIONS: u64 = 40;

impl Files {
    /// Files for a task that no other task uses.
    pub fn of(task: &Task) -> Files {
        let name: String = task
            .name
            .chars()
            .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' })
            .collect();
        let file = |ending: &str| {
            std::env::temp_dir().join(format!("concord-bench-{}-{name}{ending}", std::process::id()))
        };
        Files { harness: file(".c"), certificate: file(".json") }
    }

    /// Checks what belongs to the verdict, and removes the files.
    pub fn check(&self, task: &Task, options: &Options, verdict: &str) -> String {
        let words = match verdict {
            "false" => self.compiled_run(task),
            "true" => self.audit(task, options),
            _ => String::new(),
        };
        let _ = std::fs::remove_file(&self.harness);
        let _ = std::fs::remove_file(&self.certificate);
        words
    }

    fn compiled_run(&self, task: &Task) -> String {
        let Ok(text) = std::fs::read_to_string(&self.harness) else { return "no harness".into() };
        let line = text.lines().nth(1).unwrap_or_default();
        let options = line.split_whitespace().filter(|word| word.starts_with('-'));
        let binary = self.harness.with_extension("out");
        let mut compiler = Command::new("gcc");
        compiler.args(options).arg("-o").arg(&binary).arg(&task.file).arg(&self.harness).arg("-lm");
        let words = match compiler.stdout(Stdio::null()).stderr(Stdio::null()).status() {
            Ok(status) if status.success() => match ends_well(Command::new(&binary)) {
                Some(true) => "harness does not fail".into(),
                Some(false) => HARNESS_FAILS.into(),
                None => "harness runs on".into(),
            },
            _ => "harness not compiled".into(),
        };
        let _ = std::fs::remove_file(&binary);
        words
    }

    fn audit(&self, task: &Task, options: &Options) -> String {
        if !self.certificate.exists() {
            return "no certificate".into();
        }
        let audit = |more: &[&str], seconds: u64| {
            let mut command = Command::new(&options.concord);
            command.arg("audit").arg(&self.certificate).arg(&task.file).args(more);
            command.args(["--data-model", &task.data_model, "--time-limit", &format!("{seconds}s")]);
            status(command)
        };
        match audit(&[], PATIENCE) {
            Some(0) => {}
            Some(1) => return "refuted".into(),
            Some(_) => return "not audited".into(),
            None => return "audit runs on".into(),
        }
        match audit(&["--execute", EXECUTIONS], PATIENCE_FOR_EXECUTIONS) {
            Some(0) => AUDITED.into(),
            Some(1) => "contradicted by a compiled run".into(),
            Some(_) => "audited, not executed".into(),
            None => "execution runs on".into(),
        }
    }
}

/// Does the command end with status 0? `None` where it does not end in time.
fn ends_well(command: Command) -> Option<bool> {
    status(command).map(|status| status == 0)
}

/// How the command ends; below zero if a signal ends it, `None` where it does not end in time.
fn status(mut command: Command) -> Option<i32> {
    let started = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.code().unwrap_or(-1)),
            Ok(None) if started.elapsed() > Duration::from_secs(PATIENCE + 10) => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
            Ok(None) => std::thread::sleep(Duration::from_millis(20)),
            Err(_) => return None,
        }
    }
}
