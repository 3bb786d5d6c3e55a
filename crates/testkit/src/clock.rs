//! Time on the wall, and time the processor really spent: on a machine that does other things as well only the second
//! says something.

use base::Budget;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Whose processor time counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    Thread,
    Process,
}

/// Measures from when it is made.
#[derive(Clone, Debug)]
pub struct Clock {
    whose: Whose,
    started: Instant,
    processor: Option<f64>,
}

impl Clock {
    /// Starts now; processor time is that of the thread that asks.
    pub fn start() -> Clock {
        Clock::of(Whose::Thread)
    }

    /// Starts now; processor time is that of all threads of the process (BDD operations run on a thread of their own).
    pub fn of_process() -> Clock {
        Clock::of(Whose::Process)
    }

    fn of(whose: Whose) -> Clock {
        Clock { whose, started: Instant::now(), processor: spent_by(whose) }
    }

    /// Seconds on the wall.
    pub fn wall(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Seconds of processor time; those on the wall where the system does not tell.
    pub fn processor(&self) -> f64 {
        self.until(spent_by(self.whose))
    }

    fn until(&self, now: Option<f64>) -> f64 {
        self.processor.zip(now).map_or_else(|| self.wall(), |(before, now)| now - before)
    }
}

fn spent_by(whose: Whose) -> Option<f64> {
    match whose {
        Whose::Thread => from_schedstat("/proc/thread-self/schedstat"),
        Whose::Process => seconds_used(UsageWho::RUSAGE_SELF),
    }
}

fn seconds_used(whose: UsageWho) -> Option<f64> {
    let usage = getrusage(whose).ok()?;
    let microseconds = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Some(microseconds as f64 / 1e6)
}

fn from_schedstat(file: impl AsRef<Path>) -> Option<f64> {
    let text = std::fs::read_to_string(file).ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

/// Processor seconds of a running process with one thread; 0 where the system does not tell.
pub fn seconds_of(process: u32) -> f64 {
    from_schedstat(format!("/proc/{process}/schedstat")).unwrap_or(0.0)
}

/// Processor seconds of all processes that were started from here and have ended.
pub fn seconds_of_children() -> f64 {
    seconds_used(UsageWho::RUSAGE_CHILDREN).unwrap_or(0.0)
}

/// Ends a budget when the thread that made the watch has had so many seconds of the processor.
#[derive(Debug)]
pub struct Watch {
    is_over: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Watch {
    /// Watches from now on.
    pub fn start(budget: Budget, seconds: f64) -> Watch {
        let is_over = Arc::new(AtomicBool::new(false));
        let (flag, clock) = (is_over.clone(), Clock::start());
        let watched: Option<PathBuf> = std::fs::read_link("/proc/thread-self").ok();
        let watched = watched.map(|task| Path::new("/proc").join(task).join("schedstat"));
        let thread = std::thread::spawn(move || {
            while !flag.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(20));
                if clock.until(watched.as_ref().and_then(from_schedstat)) >= seconds {
                    budget.cancel();
                    return;
                }
            }
        });
        Watch { is_over, thread: Some(thread) }
    }

    /// Watches no longer.
    pub fn stop(mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the watch does not panic");
        }
    }
}

/// Measures this process and the processes it has waited for, such as solvers. Started once, read once.
#[derive(Clone, Debug)]
pub struct Stopwatch {
    wall: Instant,
    processor: Option<f64>,
}

/// What a stopwatch read.
#[derive(Clone, Copy, Debug)]
pub struct Elapsed {
    /// Time on the wall.
    pub wall: Duration,
    /// Processor time, where the system tells.
    pub processor: Option<Duration>,
}

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Stopwatch {
        Stopwatch { wall: Instant::now(), processor: with_children() }
    }

    /// Time since the start. Processes that were started count once they have ended.
    pub fn read(&self) -> Elapsed {
        let spent = with_children().zip(self.processor).map(|(now, then)| (now - then).max(0.0));
        Elapsed { wall: self.wall.elapsed(), processor: spent.map(Duration::from_secs_f64) }
    }
}

fn with_children() -> Option<f64> {
    Some(seconds_used(UsageWho::RUSAGE_SELF)? + seconds_used(UsageWho::RUSAGE_CHILDREN)?)
}

impl Elapsed {
    /// Processor time where known, else time on the wall.
    pub fn best(self) -> Duration {
        self.processor.unwrap_or(self.wall)
    }
}

/// Gives work a budget that ends with so much processor time of this process, so that a machine that does other
/// things as well does not decide what is solved.
pub fn within_processor_time<T>(limit: Duration, work: impl FnOnce(&Budget) -> T) -> T {
    let budget = Budget::unlimited();
    let started = Stopwatch::start();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                if started.read().best() > limit {
                    budget.cancel();
                    return;
                }
                std::thread::park_timeout(Duration::from_millis(10));
            }
        });
        let result = work(&budget);
        done.store(true, Ordering::Relaxed);
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_costs_processor_time_and_the_budget_ends_with_it() {
        let (clock, whole) = (Clock::start(), Clock::of_process());
        let limit = Duration::from_millis(60);
        within_processor_time(limit, |budget| while budget.check().is_ok() {});
        assert!(clock.processor() > 0.03 && whole.processor() > 0.03 && clock.wall() > 0.03);
    }
}
