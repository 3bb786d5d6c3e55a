//! The reference: a program compiled by gcc and run, with a time limit.

use crate::generate::Model;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What a finished program showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// Its standard output.
    pub output: Vec<u8>,
    /// Its exit status, as a shell sees it (128 + signal if it was killed).
    pub status: i32,
}

/// How a compiled program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself.
    Ended(Observed),
    /// It had to be stopped.
    TimedOut,
}

/// More output than this is cut: such programs are of no use for comparing.
const MOST_OUTPUT: u64 = 16 << 20;

/// A directory that disappears with this value.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// A fresh directory among the system's temporary files.
    pub fn new() -> std::io::Result<Scratch> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("concord-bench-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Scratch { path })
    }

    /// The directory itself.
    pub fn folder(&self) -> &Path {
        &self.path
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing depends on the directory being gone.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Is there a compiler that makes programs for this data model? 32-bit libraries are often missing.
pub fn can_compile(model: Model) -> bool {
    let Ok(scratch) = Scratch::new() else { return false };
    let source = scratch.file("probe.c");
    std::fs::write(&source, "#include <stdio.h>\nint main(void) { return puts(\"\") < 0; }\n").is_ok()
        && compile(&source, &scratch.file("probe"), model, &[]).is_ok()
}

/// Compiles without optimisation. The error is gcc's first message.
pub fn compile(source: &Path, binary: &Path, model: Model, options: &[&str]) -> Result<(), String> {
    let mut command = Command::new("gcc");
    command.args(["-w", "-O0", "-pipe", "-std=gnu11", "-fno-strict-aliasing"]);
    match model {
        Model::Lp64 => command.arg("-m64"),
        // Without SSE, 32-bit code computes in x87 registers with excess precision, which is not modelled.
        Model::Ilp32 => command.args(["-m32", "-msse2", "-mfpmath=sse"]),
    };
    command.args(options).arg("-o").arg(binary).arg(source).arg("-lm").arg("-pthread");
    let result = command.output().map_err(|error| format!("gcc cannot be run: {error}"))?;
    if result.status.success() {
        return Ok(());
    }
    let messages = String::from_utf8_lossy(&result.stderr);
    Err(messages.lines().find(|line| line.contains("error")).unwrap_or("gcc failed").to_string())
}

/// Runs a compiled program.
pub fn run(binary: &Path, limit: Duration) -> std::io::Result<Ending> {
    run_command(Command::new(binary), limit)
}

/// Runs a command and keeps its standard output.
pub fn run_command(mut command: Command, limit: Duration) -> std::io::Result<Ending> {
    let started = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let pipe = child.stdout.take().expect("the output is piped");
    let reader = std::thread::spawn(move || {
        let mut output = Vec::new();
        // What cannot be read is missing from the output and shows as a difference.
        let _ = pipe.take(MOST_OUTPUT).read_to_end(&mut output);
        output
    });
    let Some(status) = wait(&mut child, started + limit)? else {
        child.kill()?;
        child.wait()?;
        drop(reader);
        return Ok(Ending::TimedOut);
    };
    let output = reader.join().expect("reading does not panic");
    Ok(Ending::Ended(Observed { output, status }))
}

fn wait(child: &mut Child, deadline: Instant) -> std::io::Result<Option<i32>> {
    use std::os::unix::process::ExitStatusExt;
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait()? {
            let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
            return Ok(Some(code.expect("a finished process has a status or a signal")));
        }
        if Instant::now() >= deadline {
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_told_apart() {
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            run_command(command, Duration::from_millis(600)).expect("there is a shell")
        };
        assert_eq!(shell("echo hi; exit 7"), Ending::Ended(Observed { output: b"hi\n".to_vec(), status: 7 }));
        assert_eq!(shell("kill -6 $$"), Ending::Ended(Observed { output: Vec::new(), status: 134 }));
        assert_eq!(shell("exec sleep 20"), Ending::TimedOut);
    }
}
