//! One question in a process of its own, with its own limits: what happens to it does not touch the others.

use crate::last_word::patience;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The limits that the process was given. It keeps them by itself, unless it cannot even do that.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Of time.
    pub time: Option<Duration>,
    /// Of memory, in bytes.
    pub memory: Option<u64>,
}

/// How a process ended.
pub enum End {
    /// By itself, with a status, or by a signal.
    Status(Option<i32>),
    /// It passed its limit of time.
    Time,
    /// It passed its limit of memory.
    Memory,
    /// The user stopped the work.
    Interrupted,
}

/// What came of a process.
pub struct Ran {
    /// How it ended.
    pub end: End,
    /// What it wrote.
    pub output: String,
    /// Its messages.
    pub errors: String,
    /// Seconds of wall-clock time.
    pub seconds: f64,
    /// Most memory that was seen, in bytes.
    pub bytes: u64,
}

/// Runs Concord with these words behind its name, until it ends or `stop` is set.
pub fn run(words: Vec<String>, limits: Limits, stop: &AtomicBool) -> Result<Ran, String> {
    let started = Instant::now();
    let child = std::env::current_exe().and_then(|program| {
        Command::new(program)
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
    });
    let mut child = child.map_err(|error| format!("the process cannot be started: {error}"))?;
    let (output, errors) = (drain(child.stdout.take()), drain(child.stderr.take()));
    let mut bytes = 0;
    let end = wait(&mut child, started, limits, stop, &mut bytes);
    let seconds = started.elapsed().as_secs_f64();
    let text = |thread: std::thread::JoinHandle<String>| thread.join().unwrap_or_default();
    Ok(Ran { end, output: text(output), errors: text(errors), seconds, bytes })
}

/// Waits for the process; ends it where it passes its limits by more than it may.
fn wait(child: &mut Child, started: Instant, limits: Limits, stop: &AtomicBool, peak: &mut u64) -> End {
    // It ends by itself then, unless it cannot even do that.
    let most = limits.time.map(|time| time + patience(time) + Duration::from_millis(200));
    let mut interrupted_at: Option<Instant> = None;
    let mut pause = Duration::from_millis(1);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return End::Status(status.code()),
            Ok(None) => {}
            Err(_) => return End::Status(None),
        }
        *peak = (*peak).max(base::budget::resident_bytes_of(child.id()).unwrap_or(0));
        let is_late = most.is_some_and(|most| started.elapsed() > most);
        let is_large = limits.memory.is_some_and(|memory| *peak > memory + memory / 20);
        if stop.load(Ordering::Relaxed) {
            interrupted_at.get_or_insert_with(Instant::now);
        }
        // A process that was interrupted with us may still tell what it knows.
        let is_over = interrupted_at.is_some_and(|at| at.elapsed() > Duration::from_secs(1));
        if is_late || is_large || is_over {
            let _ = child.kill();
            let _ = child.wait();
            return match (is_late, is_large) {
                (true, _) => End::Time,
                (_, true) => End::Memory,
                _ => End::Interrupted,
            };
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Reads all that a process writes, so that it never waits for us.
fn drain(stream: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            let _ = stream.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
