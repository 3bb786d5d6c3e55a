//! Time of the simulation game per clause, with a generated implementation and a small specification.

use crate::bisimulation_bench::generated;
use base::{Budget, Id};
use check::simulation::{SimulationSettings, simulates};
use lks::{LksBuilder, StateId};
use question::Monitor;
use testkit::clock::Clock;

pub fn run(most: usize) -> Result<(), String> {
    println!(
        "transitions   positions   clauses    CPU s   ns/clause   ns/(clause log2 positions)   bytes/clause   bytes/transition   verdict"
    );
    for transitions in [100_000, 300_000, 1_000_000, 3_000_000, 10_000_000] {
        if transitions <= most {
            crate::memory::in_process_of_its_own(&["one", "simulation", &transitions.to_string()])?;
        }
    }
    Ok(())
}

/// One measurement.
pub fn one(transitions: usize) -> Result<(), String> {
    let implementation = generated(transitions, 7);
    // A specification that allows everything, in three states that take turns.
    let mut builder = LksBuilder::new("SPEC");
    let states: Vec<StateId> = (0..3).map(|_| builder.state()).collect();
    builder.initial(states[0]);
    for label in implementation.alphabet().visible() {
        let action = builder.action(implementation.alphabet().name(label));
        for (index, state) in states.iter().enumerate() {
            builder.transition(*state, action, states[(index + 1 + label.index() % 2) % 3]);
        }
    }
    let specification = builder.build();
    crate::memory::forget_peak();
    let clock = Clock::start();
    let answer = simulates(
        &implementation,
        &specification,
        &SimulationSettings::default(),
        Monitor::silent(&Budget::unlimited()),
    );
    let seconds = clock.processor();
    let value = |name| answer.answer.statistics.value(name).unwrap_or(0);
    let extra = crate::memory::peak_bytes().saturating_sub(implementation.heap_bytes() as u64) as f64;
    let clauses = value("clauses").max(1) as f64;
    let positions = value("positions").max(2) as f64;
    println!(
        "{:>11}   {positions:>9}   {clauses:>8}   {seconds:>6.2}   {:>9.0}   {:>26.1}   {:>12.1}   {:>16.1}   {}",
        implementation.transition_count(),
        seconds * 1e9 / clauses,
        seconds * 1e9 / (clauses * positions.log2()),
        extra / clauses,
        extra / implementation.transition_count() as f64,
        answer.answer.verdict.word()
    );
    Ok(())
}
