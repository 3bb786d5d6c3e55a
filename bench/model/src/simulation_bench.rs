//! Time of the simulation game per clause, with a generated implementation and a small specification.

use crate::bisimulation_bench::generated;
use crate::clock::Clock;
use base::{Budget, Id};
use check::simulation::{SimulationSettings, simulates};
use lks::{LksBuilder, StateId};

pub fn run(most: usize) -> Result<(), String> {
    println!("transitions   positions   clauses   CPU s     us/clause   verdict");
    let mut transitions = 100_000;
    while transitions <= most {
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
        let clock = Clock::start();
        let answer =
            simulates(&implementation, &specification, &SimulationSettings::default(), &Budget::unlimited());
        let seconds = clock.processor();
        let value = |name| answer.outcome.statistics.value(name).unwrap_or(0);
        println!(
            "{:>11}   {:>9}   {:>7}   {seconds:>7.2}   {:>9.3}   {}",
            implementation.transition_count(),
            value("positions"),
            value("clauses"),
            seconds * 1e6 / value("clauses").max(1) as f64,
            answer.outcome.verdict.word()
        );
        transitions *= 10;
    }
    Ok(())
}
