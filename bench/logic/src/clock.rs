//! Time spent: on the wall, and on the processor by this process and the solver processes it has waited for.
//! Processor time is what compares on a machine that does other things as well.

use base::Budget;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Started once, read once.
pub struct Stopwatch {
    wall: Instant,
    processor: Option<Duration>,
}

/// What a stopwatch read.
#[derive(Clone, Copy)]
pub struct Elapsed {
    /// Time on the wall.
    pub wall: Duration,
    /// Processor time, where the system tells.
    pub processor: Option<Duration>,
}

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Stopwatch {
        Stopwatch { wall: Instant::now(), processor: processor_time() }
    }

    /// Time since the start. Solver processes count once they have ended.
    pub fn read(&self) -> Elapsed {
        let processor = processor_time().zip(self.processor).map(|(now, then)| now.saturating_sub(then));
        Elapsed { wall: self.wall.elapsed(), processor }
    }
}

impl Elapsed {
    /// Processor time where known, else time on the wall.
    pub fn best(self) -> Duration {
        self.processor.unwrap_or(self.wall)
    }
}

/// Gives work a budget that ends with so much processor time of this process (on the wall where the system does not
/// tell), so that a machine that does other things as well does not decide what is solved.
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

/// Of all threads of this process (in nanoseconds) and of children that were waited for (in hundredths of seconds).
fn processor_time() -> Option<Duration> {
    let mut nanoseconds = 0;
    for task in std::fs::read_dir("/proc/self/task").ok()? {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        nanoseconds += text.split_whitespace().next()?.parse::<u64>().ok()?;
    }
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The fields after the parenthesised name: number 14 and 15 there are the children's user and system time.
    let after_name = stat.rsplit(')').next()?;
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks: u64 = fields.get(13)?.parse::<u64>().ok()? + fields.get(14)?.parse::<u64>().ok()?;
    Some(Duration::from_nanos(nanoseconds) + Duration::from_millis(ticks * 10))
}
