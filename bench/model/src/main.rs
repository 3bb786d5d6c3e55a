//! Measures and cross-checks the engines for finite models. See the README for what each command does.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command line

mod agreement;
mod automata_bench;
mod bisimulation_bench;
mod clock;
mod dining;
mod simulation_bench;
#[path = "../../../crates/check/tests/support/mod.rs"]
mod support;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: usize| {
        arguments.get(index).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let result = match arguments.first().map(String::as_str) {
        Some("agreement") => agreement::run(number(1, 5000) as u64, number(2, 0) as u64),
        Some("ltl") => automata_bench::run(number(1, 2000) as u64),
        Some("bisimulation") => bisimulation_bench::run(number(1, 1_000_000)),
        Some("simulation") => simulation_bench::run(number(1, 1_000_000)),
        Some("dining") => dining::run(number(1, 2), number(2, 100)),
        _ => Err("one of: agreement, ltl, bisimulation, simulation, dining (see README.md)".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
