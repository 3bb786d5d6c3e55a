//! Measures and cross-checks the engines for Boolean programs. See the README for what each command does.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command line

mod agreement;
mod fuzz;
mod generate;
mod optimisations;
mod oracle;
mod read;
mod suite;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: usize| {
        arguments.get(index).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let result = match arguments.first().map(String::as_str) {
        Some("agreement") => agreement::run(&agreement::Wanted {
            programs: number(1, 10_000) as u64,
            first: number(2, 0) as u64,
            oracle: number(3, 1_500) as u64,
        }),
        Some("suite") => suite::run(number(1, 60) as u64),
        Some("optimisations") => optimisations::run(number(1, 500), number(2, 60), number(3, 120) as u64),
        Some("generate") => {
            print!("{}", generate::ladder(number(1, 500), number(2, 60), number(3, 1) as u64));
            Ok(())
        }
        Some("fuzz") => fuzz::run(number(1, 10) as u64),
        _ => Err("one of: agreement, suite, optimisations, generate, fuzz (see README.md)".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
