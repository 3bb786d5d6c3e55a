//! Time as the clock has it and time this process really had: on a loaded machine only the second says something.

use std::time::Instant;

/// Measures from when it is made.
pub struct Clock {
    started: Instant,
    processor: Option<f64>,
}

impl Clock {
    /// Starts now.
    pub fn start() -> Clock {
        Clock { started: Instant::now(), processor: processor_seconds() }
    }

    /// Seconds on the wall.
    pub fn wall(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Seconds of processor time of the thread that asks; those on the wall where the system does not tell.
    pub fn processor(&self) -> f64 {
        match (self.processor, processor_seconds()) {
            (Some(before), Some(now)) => now - before,
            _ => self.wall(),
        }
    }
}

fn processor_seconds() -> Option<f64> {
    from_schedstat("/proc/thread-self/schedstat")
}

fn from_schedstat(file: &str) -> Option<f64> {
    let text = std::fs::read_to_string(file).ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

/// Processor seconds of a running process with one thread; 0 where the system does not tell.
pub fn seconds_of(process: u32) -> f64 {
    from_schedstat(&format!("/proc/{process}/schedstat")).unwrap_or(0.0)
}

/// Processor seconds of all processes that were started from here and have ended.
pub fn seconds_of_children() -> f64 {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;
    let microseconds = getrusage(UsageWho::RUSAGE_CHILDREN)
        .map_or(0, |usage| usage.user_time().num_microseconds() + usage.system_time().num_microseconds());
    microseconds as f64 / 1e6
}
