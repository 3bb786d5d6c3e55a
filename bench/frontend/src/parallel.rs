//! Independent jobs on all cores.

use std::sync::atomic::{AtomicU64, Ordering};

/// Calls `job` for 0, 1, … `count - 1`, each once, on as many threads as there are cores; `report` gets the results as
/// they come, on the calling thread.
pub fn for_each<T: Send>(count: u64, job: impl Fn(u64) -> T + Sync, mut report: impl FnMut(u64, T)) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicU64::new(0);
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next, job) = (sender.clone(), &next, &job);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count || sender.send((index, job(index))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (index, result) in receiver {
            report(index, result);
        }
    });
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_job_runs_once() {
        let mut seen = vec![0; 100];
        super::for_each(
            100,
            |index| index * 2,
            |index, result| {
                assert_eq!(result, index * 2);
                seen[index as usize] += 1;
            },
        );
        assert!(seen.iter().all(|&times| times == 1));
    }
}
