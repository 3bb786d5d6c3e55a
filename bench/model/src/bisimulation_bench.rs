//! Time and memory of partition refinement per transition, on generated structures.

use crate::clock::Clock;
use crate::support::Random;
use base::budget::resident_bytes;
use base::{Budget, Id};
use check::bisimulation::{Divergence, branching_partition, strong_partition};
use lks::{ActionId, Lks, LksBuilder, StateId};

const LABELS: usize = 20;
const PER_STATE: usize = 5;

/// Half of it random, half of it long chains that differ only at their ends, so that there is much to split.
pub fn generated(transitions: usize, seed: u64) -> Lks {
    let mut random = Random::new(seed);
    let states = transitions / PER_STATE;
    let mut builder = LksBuilder::new("GENERATED");
    let actions: Vec<ActionId> = (0..LABELS).map(|label| builder.action(&format!("a{label}"))).collect();
    builder.ensure_states(states);
    builder.initial(StateId::from_index(0));
    for state in 0..states {
        for edge in 0..PER_STATE {
            let action = if random.below(5) == 0 { ActionId::TAU } else { actions[random.below(LABELS)] };
            // Every second state repeats the shape of the one before, so that classes have several members.
            let target = match (state % 2, edge) {
                (0, _) => random.below(states),
                (_, 0) => (state + 1) % states,
                _ => random.below(states) & !1,
            };
            builder.transition(StateId::from_index(state), action, StateId::from_index(target));
        }
    }
    builder.build()
}

pub fn run(most: usize) -> Result<(), String> {
    println!(
        "transitions   algorithm   classes   CPU s     us/transition   ns/(transition log2 states)   extra bytes/transition"
    );
    for transitions in [100_000, 300_000, 1_000_000, 3_000_000, 10_000_000] {
        if transitions > most {
            break;
        }
        let lks = generated(transitions, 42);
        let count = lks.transition_count();
        for (name, branching) in [("strong", false), ("branching", true)] {
            let before = resident_bytes().unwrap_or(0);
            let peak = PeakWatch::start();
            let clock = Clock::start();
            let unlimited = Budget::unlimited();
            let partition = match branching {
                false => strong_partition(&lks, &unlimited),
                true => branching_partition(&lks, Divergence::Ignored, &unlimited),
            }
            .map_err(|limit| limit.to_string())?;
            let seconds = clock.processor();
            let extra = peak.stop().saturating_sub(before);
            println!(
                "{count:>11}   {name:<9}   {:>7}   {seconds:>7.2}   {:>13.3}   {:>27.1}   {:>22.1}",
                partition.block_count(),
                seconds * 1e6 / count as f64,
                // Constant where the growth is n log n; caches that become too small show here as well.
                seconds * 1e9 / (count as f64 * (lks.state_count() as f64).log2()),
                extra as f64 / count as f64
            );
        }
    }
    Ok(())
}

/// Watches the memory of the process from another thread.
struct PeakWatch {
    done: std::sync::Arc<std::sync::atomic::AtomicBool>,
    thread: std::thread::JoinHandle<u64>,
}

impl PeakWatch {
    fn start() -> PeakWatch {
        use std::sync::atomic::Ordering;
        let done = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let flag = done.clone();
        let thread = std::thread::spawn(move || {
            let mut peak = 0;
            while !flag.load(Ordering::Relaxed) {
                peak = peak.max(resident_bytes().unwrap_or(0));
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
            peak.max(resident_bytes().unwrap_or(0))
        });
        PeakWatch { done, thread }
    }

    fn stop(self) -> u64 {
        self.done.store(true, std::sync::atomic::Ordering::Relaxed);
        self.thread.join().unwrap_or(0)
    }
}
