//! Limits of a run: time, memory, and the user's Ctrl-C. Asked often, so asking is cheap.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Why a run had to stop before its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exhausted {
    /// The time limit was reached.
    Time,
    /// The memory limit was reached.
    Memory,
    /// The user asked to stop.
    Cancelled,
}

impl std::fmt::Display for Exhausted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Exhausted::Time => "the time limit was reached",
            Exhausted::Memory => "the memory limit was reached",
            Exhausted::Cancelled => "it was interrupted",
        })
    }
}

/// Time, memory and cancellation for one run. Clones share the cancellation.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    memory_bytes: Option<u64>,
    cancelled: Arc<AtomicBool>,
    /// Of the budgets that this one was branched off from.
    cancelled_above: Vec<Arc<AtomicBool>>,
    asked: Arc<AtomicU32>,
}

impl Budget {
    /// No limit but cancellation.
    pub fn unlimited() -> Budget {
        Budget::default()
    }

    /// The same budget, ending at most `time` from now.
    #[must_use]
    pub fn with_time(mut self, time: Duration) -> Budget {
        let ends = Instant::now().checked_add(time);
        self.deadline = match (self.deadline, ends) {
            (Some(known), Some(new)) => Some(known.min(new)),
            (known, new) => known.or(new),
        };
        self
    }

    /// The same budget with at most this much resident memory for the process.
    #[must_use]
    pub fn with_memory(mut self, bytes: u64) -> Budget {
        self.memory_bytes = Some(self.memory_bytes.map_or(bytes, |known| known.min(bytes)));
        self
    }

    /// The same limits, to be cancelled without cancelling this one: for work of which only the first result counts.
    #[must_use]
    pub fn branch(&self) -> Budget {
        let mut branch = self.clone();
        branch.cancelled_above.push(std::mem::take(&mut branch.cancelled));
        branch
    }

    /// Asks every holder of this budget, and of branches of it, to stop. Safe to call from a signal handler's thread.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// The flag that [`cancel`](Budget::cancel) sets, for code that can only poll a flag.
    pub fn cancellation(&self) -> &Arc<AtomicBool> {
        &self.cancelled
    }

    /// When the time ends, if it does.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Fails once a limit is reached. The clock is read at every call, the memory at every 256th.
    pub fn check(&self) -> Result<(), Exhausted> {
        let is_set = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        if is_set(&self.cancelled) || self.cancelled_above.iter().any(is_set) {
            return Err(Exhausted::Cancelled);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Exhausted::Time);
        }
        if let Some(limit) = self.memory_bytes
            && self.asked.fetch_add(1, Ordering::Relaxed).is_multiple_of(256)
            && resident_bytes().is_some_and(|used| used > limit)
        {
            return Err(Exhausted::Memory);
        }
        Ok(())
    }
}

/// Memory the process holds now, where the system tells.
pub fn resident_bytes() -> Option<u64> {
    status_field("VmRSS:")
}

/// The most memory the process ever held, where the system tells.
pub fn peak_resident_bytes() -> Option<u64> {
    status_field("VmHWM:")
}

fn status_field(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_told_apart() {
        assert_eq!(Budget::unlimited().check(), Ok(()));
        assert_eq!(Budget::unlimited().with_time(Duration::ZERO).check(), Err(Exhausted::Time));
        let budget = Budget::unlimited();
        budget.clone().cancel();
        assert_eq!(budget.check(), Err(Exhausted::Cancelled));
        let budget = Budget::unlimited();
        let branch = budget.branch();
        branch.cancel();
        assert_eq!((budget.check(), branch.check()), (Ok(()), Err(Exhausted::Cancelled)));
        let branch = budget.branch().branch();
        budget.cancel();
        assert_eq!(branch.check(), Err(Exhausted::Cancelled));
        if resident_bytes().is_some() {
            assert_eq!(Budget::unlimited().with_memory(1).check(), Err(Exhausted::Memory));
        }
    }
}
