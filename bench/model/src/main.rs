//! Measures and cross-checks the engines for finite models. See the README for what each command does.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command line

mod agreement;
mod ask;
mod automata_bench;
mod bisimulation_bench;
mod dining;
mod families;
mod fuzz;
mod memory;
mod simulation_bench;
mod translation_bench;

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
        // What these two run in processes of their own.
        Some("one") => match arguments.get(1).map(String::as_str) {
            Some("simulation") => simulation_bench::one(number(2, 1_000_000)),
            other => bisimulation_bench::one(other.unwrap_or_default(), number(2, 1_000_000)),
        },
        Some("simulation") => simulation_bench::run(number(1, 1_000_000)),
        Some("dining") => dining::run(number(1, 2), number(2, 100), arguments.get(3).map(String::as_str)),
        Some("spin") => dining::beside_spin(number(1, 12)),
        Some("families") => {
            let engine = arguments.get(1).map_or("auto", String::as_str);
            let size = arguments.get(3).and_then(|text| text.parse().ok());
            families::run(engine, arguments.get(2).map(String::as_str), size)
        }
        Some("fuzz") => {
            fuzz::run(arguments.get(1).map_or("", String::as_str), number(2, 10), number(3, 1))
        }
        Some("translation") => {
            translation_bench::run(arguments.get(1).and_then(|text| text.parse().ok()).unwrap_or(10.0))
        }
        Some("sizes") => automata_bench::sizes(),
        _ => Err(
            "one of: agreement, ltl, sizes, translation, bisimulation, simulation, dining, spin, families, fuzz (see README.md)"
                .to_owned(),
        ),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
