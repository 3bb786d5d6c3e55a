//! The pipes to a solver process. A thread reads its answers, so that waiting can end when the budget does; the
//! process is killed when the pipe is dropped.

use super::process::SolverCommand;
use crate::smtlib::complete_expression;
use crate::traits::Interrupter;
use base::{Budget, Exhausted};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How long to wait before looking at the budget again.
const PATIENCE: Duration = Duration::from_millis(20);

pub(super) enum PipeError {
    Exhausted(Exhausted),
    Interrupted,
    Failed(String),
}

pub(super) struct Pipe {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
}

impl Pipe {
    pub(super) fn start(command: &SolverCommand) -> Result<Pipe, PipeError> {
        let failed = |what: &str| PipeError::Failed(what.to_owned());
        let mut child = Command::new(&command.program)
            .args(&command.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| PipeError::Failed(format!("cannot be started: {error}")))?;
        let input = child.stdin.take().ok_or_else(|| failed("has no input"))?;
        let output = child.stdout.take().ok_or_else(|| failed("has no output"))?;
        let (send, answers) = channel();
        std::thread::spawn(move || {
            let mut reader = BufReader::new(output);
            let mut text = String::new();
            let mut follower = complete_expression();
            loop {
                let from = text.len();
                match reader.read_line(&mut text) {
                    Ok(0) | Err(_) => return,
                    Ok(_) => {}
                }
                if follower.take(&text[from..]) {
                    follower = complete_expression();
                    if send.send(std::mem::take(&mut text)).is_err() {
                        return;
                    }
                }
            }
        });
        Ok(Pipe { child, input, answers })
    }

    pub(super) fn tell(&mut self, text: &str) -> Result<(), PipeError> {
        let result = self.input.write_all(text.as_bytes()).and_then(|()| self.input.flush());
        result.map_err(|error| PipeError::Failed(format!("does not listen: {error}")))
    }

    /// The next complete expression.
    pub(super) fn answer(&mut self, budget: &Budget, interrupter: &Interrupter) -> Result<String, PipeError> {
        loop {
            match self.answers.recv_timeout(PATIENCE) {
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PipeError::Failed("ended without an answer".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) => {
                    if interrupter.is_set() {
                        interrupter.clear();
                        return Err(PipeError::Interrupted);
                    }
                    budget.check().map_err(PipeError::Exhausted)?;
                }
            }
        }
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // It may have ended by itself; either way it must not be left behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
