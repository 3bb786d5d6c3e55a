//! Reading files in a process of its own: a crash or a hang there costs one file, not the run.
//!
//! Protocol, one line each way: the request is `stage TAB model TAB path TAB argument TAB …`, the answer is one of
//! `ok TAB flag TAB …`, `rejected TAB message`, `panic TAB message`, with `\n`, `\t` and `\\` escaped.

use crate::generate::Model;
use crate::ours::{self, Read, Reading};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// How far a file is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Lexed and parsed.
    Parse,
    /// Parsed, analysed and lowered.
    Lower,
    /// Lowered, and printed as C again.
    Print,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Stage::Parse => "parse",
            Stage::Lower => "lower",
            Stage::Print => "print",
        }
    }

    fn by_name(name: &str) -> Option<Stage> {
        [Stage::Parse, Stage::Lower, Stage::Print].into_iter().find(|stage| stage.name() == name)
    }
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It was taken; these constructs were flagged, each with its place.
    Taken(Vec<String>),
    /// It has errors; the first.
    Rejected(String),
    /// A panic, with its place in our source.
    Panicked(String),
    /// The process died, such as by a stack overflow.
    Died,
    /// No answer in time.
    Hung,
}

/// A process that reads files.
#[derive(Debug)]
pub struct Worker {
    program: PathBuf,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<String>,
}

impl Worker {
    /// A worker that is this program (with the argument `worker`).
    pub fn new(program: &Path) -> Worker {
        Worker { program: program.to_owned(), running: None }
    }

    /// Takes a file as far as `stage`, and waits for at most `limit`.
    pub fn ask(&mut self, stage: Stage, path: &Path, reading: &Reading, limit: Duration) -> Answer {
        let model = if reading.model == Model::Ilp32 { "ilp32" } else { "lp64" };
        let mut request = format!("{}\t{model}\t{}", stage.name(), escape(&path.to_string_lossy()));
        for argument in &reading.arguments {
            request.push('\t');
            request.push_str(&escape(argument));
        }
        request.push('\n');
        let running = match &mut self.running {
            Some(running) => running,
            none => none.insert(start(&self.program).expect("the worker can be started")),
        };
        let is_sent =
            running.requests.write_all(request.as_bytes()).and_then(|()| running.requests.flush()).is_ok();
        let answer =
            if is_sent { running.answers.recv_timeout(limit) } else { Err(RecvTimeoutError::Disconnected) };
        match answer {
            Ok(line) => parse_answer(&line),
            Err(error) => {
                self.stop();
                if error == RecvTimeoutError::Timeout { Answer::Hung } else { Answer::Died }
            }
        }
    }

    fn stop(&mut self) {
        if let Some(mut running) = self.running.take() {
            // It may be dead already; then there is nothing to stop.
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop();
    }
}

fn start(program: &Path) -> std::io::Result<Running> {
    let mut child = Command::new(program)
        .arg("worker")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let requests = child.stdin.take().expect("the input is piped");
    let output = BufReader::new(child.stdout.take().expect("the output is piped"));
    let (sender, answers) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    Ok(Running { child, requests, answers })
}

fn parse_answer(line: &str) -> Answer {
    let mut parts = line.split('\t').map(unescape);
    match parts.next().as_deref() {
        Some("ok") => Answer::Taken(parts.collect()),
        Some("rejected") => Answer::Rejected(parts.next().unwrap_or_default()),
        _ => Answer::Panicked(parts.next().unwrap_or_default()),
    }
}

/// The worker's side: answers requests until the input ends.
pub fn serve(input: impl BufRead, mut output: impl Write) -> std::io::Result<()> {
    static LAST_PANIC: Mutex<String> = Mutex::new(String::new());
    std::panic::set_hook(Box::new(|panic| {
        if let Ok(mut last) = LAST_PANIC.lock() {
            *last = panic.to_string();
        }
    }));
    for line in input.lines() {
        let line = line?;
        let mut parts = line.split('\t').map(unescape);
        let (stage, model, path) = (parts.next(), parts.next(), parts.next());
        let (Some(stage), Some(path)) = (stage.as_deref().and_then(Stage::by_name), path) else { continue };
        let model = if model.as_deref() == Some("ilp32") { Model::Ilp32 } else { Model::Lp64 };
        let reading = Reading { model, arguments: parts.collect() };
        let answer = match ours::guarded(|| answer(stage, Path::new(&path), &reading)) {
            Ok(answer) => answer,
            Err(_) => {
                format!("panic\t{}", escape(&LAST_PANIC.lock().map(|last| last.clone()).unwrap_or_default()))
            }
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

fn answer(stage: Stage, path: &Path, reading: &Reading) -> String {
    let read = match stage {
        Stage::Parse => return parse_only(path, reading),
        Stage::Lower | Stage::Print => ours::read(path, reading),
    };
    match read {
        Read::Rejected(message) => format!("rejected\t{}", escape(&message)),
        Read::Lowered(program) => {
            if stage == Stage::Print {
                // Only whether it panics matters here.
                let _ = program::print_c::print_c(&program);
            }
            let mut answer = "ok".to_string();
            for flag in ours::flags(&program) {
                answer.push('\t');
                answer.push_str(&escape(&flag));
            }
            answer
        }
    }
}

fn parse_only(path: &Path, reading: &Reading) -> String {
    match ours::parse(path, reading) {
        Ok(()) => "ok".to_string(),
        Err(message) => format!("rejected\t{}", escape(&message)),
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => plain.push(match characters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                other => other.unwrap_or('\\'),
            }),
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaping_is_undone() {
        for text in ["", "a\tb\nc", "\\n \\\\ \r", "plain"] {
            assert_eq!(unescape(&escape(text)), text);
            assert!(!escape(text).contains(['\n', '\t']));
        }
    }
}
