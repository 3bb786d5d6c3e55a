//! Measures the engines for threads and nets. See `bench/README.md` for what each command does.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command line

mod bluetooth;
mod growth;
mod nets;
mod prefilter;
mod programs;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: u64| {
        arguments.get(index).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let result = match arguments.first().map(String::as_str) {
        Some("bluetooth") => bluetooth::run(number(1, 10) as usize),
        Some("nets") => nets::run(arguments.get(1).map_or("auto", String::as_str), number(2, 20)),
        Some("growth") => growth::run(number(1, 10)),
        Some("prefilter") => prefilter::run(),
        _ => Err("one of: bluetooth [THREADS], growth [SECONDS], nets [ENGINE|all] [SECONDS], prefilter"
            .to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
