//! Time and memory of partition refinement per transition, on generated structures.

use base::{Budget, Id};
use check::bisimulation::{Divergence, branching_partition_counted, strong_partition_counted};
use lks::{ActionId, Lks, LksBuilder, StateId};
use testkit::Random;
use testkit::clock::Clock;

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

/// Each measurement is a process of its own, so that none finds memory another one has left.
pub fn run(most: usize) -> Result<(), String> {
    println!(
        "transitions   algorithm   classes   CPU s     ns/(transition log2 states)   looks/(same)   bytes/transition"
    );
    for transitions in [100_000, 300_000, 1_000_000, 3_000_000, 10_000_000] {
        for name in ["strong", "branching"].iter().filter(|_| transitions <= most) {
            crate::memory::in_process_of_its_own(&["one", name, &transitions.to_string()])?;
        }
    }
    Ok(())
}

/// One measurement.
pub fn one(name: &str, transitions: usize) -> Result<(), String> {
    let lks = generated(transitions, 42);
    let count = lks.transition_count() as f64;
    crate::memory::forget_peak();
    let clock = Clock::start();
    let unlimited = Budget::unlimited();
    let (partition, looks) = match name {
        "strong" => strong_partition_counted(&lks, &unlimited),
        "branching" => branching_partition_counted(&lks, Divergence::Ignored, &unlimited),
        other => return Err(format!("{other} is not measured")),
    }
    .map_err(|limit| limit.to_string())?;
    let seconds = clock.processor();
    let extra = crate::memory::peak_bytes().saturating_sub(lks.heap_bytes() as u64);
    println!(
        "{count:>11}   {name:<9}   {:>7}   {seconds:>7.2}   {:>27.1}   {:>12.3}   {:>16.1}",
        partition.block_count(),
        // Constant where the growth is n log n; caches that become too small show here as well.
        seconds * 1e9 / (count * (lks.state_count() as f64).log2()),
        // The same in looks at a transition, which no cache changes.
        looks as f64 / (count * (lks.state_count() as f64).log2()),
        extra as f64 / count
    );
    Ok(())
}
