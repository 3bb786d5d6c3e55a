//! A compiler as a child process that keeps the limits of the run: it and what it started end when the time is up, when
//! what it wrote or the memory it holds passes the memory limit, or when the user interrupts.

use base::{Budget, Exhausted};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How long to wait before looking at the limits again.
const PATIENCE: Duration = Duration::from_millis(10);

/// The most that is read from a child: the texts of a run cannot be larger.
const MOST_BYTES: u64 = 1 << 32;

/// How a child ended.
pub(super) enum Ended {
    /// By itself, with what it wrote.
    Finished(Output),
    /// A limit was reached, and it was killed.
    Exhausted(Exhausted),
    /// It wrote more than can be read, and was killed.
    TooMuch,
}

/// Runs a command to its end, or to that of the budget.
pub(super) fn run(command: &mut Command, budget: &Budget) -> std::io::Result<Ended> {
    // `cc` starts other programs, which do not end with it: a group of their own is killed together.
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn().map(Guarded)?;
    let written = Arc::new(AtomicU64::new(0));
    let (done, ended) = channel();
    let mut output = Output { status: Default::default(), stdout: Vec::new(), stderr: Vec::new() };
    drain(Stream::Out, child.0.stdout.take(), &written, done.clone());
    drain(Stream::Err, child.0.stderr.take(), &written, done);
    let mut open = 2;
    while open > 0 {
        match ended.recv_timeout(PATIENCE) {
            Ok((stream, bytes)) => {
                open -= 1;
                match stream {
                    Stream::Out => output.stdout = bytes,
                    Stream::Err => output.stderr = bytes,
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if let Some(limit) = limit_reached(&child.0, &written, budget) {
            return Ok(limit);
        }
    }
    loop {
        if let Some(status) = child.0.try_wait()? {
            output.status = status;
            return Ok(Ended::Finished(output));
        }
        if let Some(limit) = limit_reached(&child.0, &written, budget) {
            return Ok(limit);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn limit_reached(child: &Child, written: &AtomicU64, budget: &Budget) -> Option<Ended> {
    if let Err(limit) = budget.check() {
        return Some(Ended::Exhausted(limit));
    }
    let written = written.load(Ordering::Relaxed);
    if written > MOST_BYTES {
        return Some(Ended::TooMuch);
    }
    let most = budget.memory_limit()?;
    let used = base::budget::resident_bytes().unwrap_or(0) + memory_of_family(child.id(), 0);
    (written > most || used > most).then_some(Ended::Exhausted(Exhausted::Memory))
}

/// Memory of a process and of those it started, where the system tells.
fn memory_of_family(process: u32, depth: u32) -> u64 {
    let own = base::budget::resident_bytes_of(process).unwrap_or(0);
    if depth > 8 {
        return own;
    }
    let started = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    let started = started.unwrap_or_default();
    let others = started.split_whitespace().filter_map(|number| number.parse().ok());
    own + others.map(|other| memory_of_family(other, depth + 1)).sum::<u64>()
}

#[derive(Clone, Copy)]
enum Stream {
    Out,
    Err,
}

/// Reads all that a child writes to a stream, so that it never waits for us.
fn drain(
    stream: Stream,
    pipe: Option<impl Read + Send + 'static>,
    written: &Arc<AtomicU64>,
    done: Sender<(Stream, Vec<u8>)>,
) {
    let written = written.clone();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut piece = [0; 1 << 16];
        let mut pipe = pipe;
        while let Some(pipe) = &mut pipe {
            match pipe.read(&mut piece) {
                Ok(0) => break,
                Ok(count) => {
                    bytes.extend_from_slice(&piece[..count]);
                    if written.fetch_add(count as u64, Ordering::Relaxed) > MOST_BYTES {
                        break;
                    }
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        // Nobody waits any more once a limit was reached.
        let _ = done.send((stream, bytes));
    });
}

/// Ends with its whole group, whatever happens here.
struct Guarded(Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        // While it was not waited for, its number and that of its group are its own.
        if let (Ok(None), Ok(number)) = (self.0.try_wait(), i32::try_from(self.0.id())) {
            let _ = killpg(Pid::from_raw(number), Signal::SIGKILL);
            let _ = self.0.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null());
        command
    }

    #[test]
    fn what_is_written_is_read() {
        let ended = run(&mut shell("echo out; echo err >&2; exit 3"), &Budget::unlimited());
        let Ok(Ended::Finished(output)) = ended else { panic!("it ends by itself") };
        assert_eq!((output.stdout, output.stderr), (b"out\n".to_vec(), b"err\n".to_vec()));
        assert_eq!(output.status.code(), Some(3));
    }

    /// The shell's own child holds the pipes too, so it must end with it.
    #[test]
    fn a_child_ends_with_the_time_and_so_do_its_children() {
        let started = Instant::now();
        let budget = Budget::unlimited().with_time(Duration::from_millis(300));
        let ended = run(&mut shell("sleep 600 & echo $!; wait"), &budget);
        assert!(matches!(ended, Ok(Ended::Exhausted(Exhausted::Time))));
        assert!(started.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn endless_output_ends_at_the_memory_limit() {
        let budget = Budget::unlimited().with_memory(256 << 20).with_time(Duration::from_secs(120));
        let ended =
            run(&mut shell("while :; do echo 0123456789012345678901234567890123456789; done"), &budget);
        assert!(matches!(ended, Ok(Ended::Exhausted(Exhausted::Memory | Exhausted::Time))));
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        let ended = run(&mut Command::new("no-such-compiler-anywhere"), &Budget::unlimited());
        assert!(ended.is_err());
    }
}
