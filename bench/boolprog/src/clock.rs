//! Time the process really had, all its threads together (BDD operations run on a thread of their own): on a loaded
//! machine only this says something.

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

    /// Seconds of processor time of the process; those on the wall where the system does not tell.
    pub fn processor(&self) -> f64 {
        match (self.processor, processor_seconds()) {
            (Some(before), Some(now)) => now - before,
            _ => self.started.elapsed().as_secs_f64(),
        }
    }
}

/// User and system time from `/proc/self/stat`, whose unit is a hundredth of a second.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let after_name = &text[text.rfind(')')? + 1..];
    let mut fields = after_name.split_whitespace().skip(11);
    let (user, system): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) / 100.0)
}
