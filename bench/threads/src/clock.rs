//! Time as the clock has it and time this process really had: on a loaded machine only the second says something.

use base::Budget;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

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

/// Ends a budget when the thread that made the watch has had so many seconds of the processor.
pub struct Watch {
    is_over: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Watch {
    /// Watches from now on.
    pub fn start(budget: Budget, seconds: f64) -> Watch {
        let is_over = Arc::new(AtomicBool::new(false));
        let (flag, clock) = (is_over.clone(), Clock::start());
        let watched = std::fs::read_link("/proc/thread-self").ok();
        let watched = watched.map(|task| std::path::Path::new("/proc").join(task).join("schedstat"));
        let thread = std::thread::spawn(move || {
            while !flag.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(20));
                let now = watched.as_ref().and_then(|file| seconds_in(&file.to_string_lossy()));
                let had = match (clock.processor, now) {
                    (Some(before), Some(now)) => now - before,
                    _ => clock.wall(),
                };
                if had >= seconds {
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

fn processor_seconds() -> Option<f64> {
    seconds_in("/proc/thread-self/schedstat")
}

fn seconds_in(file: &str) -> Option<f64> {
    let text = std::fs::read_to_string(file).ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}
