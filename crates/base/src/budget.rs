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
    /// Somebody who watches the process saw more memory than the limit. Branches share it.
    is_over_memory: Arc<AtomicBool>,
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

    /// The same budget, ending at this moment if not before.
    #[must_use]
    pub fn until(mut self, end: Instant) -> Budget {
        self.deadline = Some(self.deadline.map_or(end, |known| known.min(end)));
        self
    }

    /// For the first of `parts` pieces of work that are done one after the other: an equal part of the time that is
    /// left. What one piece does not use is there for those after it.
    #[must_use]
    pub fn share(&self, parts: usize) -> Budget {
        let Some(deadline) = self.deadline else { return self.clone() };
        let parts = u32::try_from(parts.max(1)).unwrap_or(u32::MAX);
        self.clone().with_time(deadline.saturating_duration_since(Instant::now()) / parts)
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

    /// The most memory, if there is a limit.
    pub fn memory_limit(&self) -> Option<u64> {
        self.memory_bytes
    }

    /// Tells every holder of this budget and of branches of it that the memory limit is reached: for a watcher that
    /// looks at the memory more often than [`check`](Budget::check) does.
    pub fn memory_is_exceeded(&self) {
        self.is_over_memory.store(true, Ordering::Relaxed);
    }

    /// Fails once a limit is reached. The clock is read at every call, the memory at every 256th, unless a watcher
    /// told.
    pub fn check(&self) -> Result<(), Exhausted> {
        let is_set = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        if is_set(&self.cancelled) || self.cancelled_above.iter().any(is_set) {
            return Err(Exhausted::Cancelled);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Exhausted::Time);
        }
        if is_set(&self.is_over_memory) {
            return Err(Exhausted::Memory);
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
    status_field("self", "VmRSS:")
}

/// Memory another process holds now, where the system tells.
pub fn resident_bytes_of(process: u32) -> Option<u64> {
    status_field(&process.to_string(), "VmRSS:")
}

/// The most memory the process ever held, where the system tells.
pub fn peak_resident_bytes() -> Option<u64> {
    status_field("self", "VmHWM:")
}

fn status_field(process: &str, name: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
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
        let budget = Budget::unlimited();
        let branch = budget.branch();
        budget.memory_is_exceeded();
        assert_eq!(branch.check(), Err(Exhausted::Memory));
        if resident_bytes().is_some() {
            assert_eq!(Budget::unlimited().with_memory(1).check(), Err(Exhausted::Memory));
        }
    }
    #[test]
    fn shares_leave_time_for_the_others() {
        assert_eq!(Budget::unlimited().share(4).deadline(), None);
        let budget = Budget::unlimited().with_time(Duration::from_secs(400));
        let left = |budget: &Budget| {
            budget.deadline().expect("limited").saturating_duration_since(Instant::now()).as_secs()
        };
        assert!((90..=100).contains(&left(&budget.share(4))));
        assert!((390..=400).contains(&left(&budget.share(1))));
        assert!((390..=400).contains(&left(&budget.share(0))));
        let end = Instant::now() + Duration::from_secs(7);
        assert_eq!(budget.clone().until(end).deadline(), Some(end));
        assert_eq!(budget.until(end).until(end + Duration::from_secs(1)).deadline(), Some(end));
    }
}
