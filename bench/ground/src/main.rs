//! `bench-ground verify|check|show`: see the README.
#![allow(clippy::print_stdout, reason = "a tool for the terminal")]

use bench_ground::campaign::{self, Settings};
use bench_ground::concord::Concord;
use bench_ground::program::{Program, Reader};
use bench_ground::systems;
use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;

/// Random programs: answers against gcc and its sanitizers.
#[derive(Parser)]
enum Cli {
    /// Programs: `verify` and `analyze` against all runs
    Verify {
        /// How many.
        #[arg(long, default_value_t = 1000)]
        programs: u64,
        /// The first seed.
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// The program under test.
        #[arg(long, default_value = "target/release/concord")]
        concord: PathBuf,
        /// So many at once.
        #[arg(long, default_value_t = 1)]
        jobs: usize,
        /// A line per program; those in it are not run again.
        #[arg(long)]
        results: Option<PathBuf>,
        /// Where wrong answers are kept.
        #[arg(long, default_value = "target/ground")]
        keep: PathBuf,
        /// Seconds for each question.
        #[arg(long, default_value_t = 5)]
        time_limit: u64,
        /// Only features whose name contains this.
        #[arg(long, default_value = "")]
        only: String,
    },
    /// Systems of components: `check` against all runs
    Check {
        /// How many.
        #[arg(long, default_value_t = 200)]
        systems: u64,
        /// The first seed.
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// The program under test.
        #[arg(long, default_value = "target/release/concord")]
        concord: PathBuf,
        /// Where wrong answers are kept.
        #[arg(long, default_value = "target/ground")]
        keep: PathBuf,
        /// Seconds for each question.
        #[arg(long, default_value_t = 10)]
        time_limit: u64,
    },
    /// Prints the program of a seed, with its marks
    Show {
        /// The seed.
        seed: u64,
        /// Only features whose name contains this.
        #[arg(long, default_value = "")]
        only: String,
    },
}

fn main() -> ExitCode {
    match Cli::parse() {
        Cli::Verify { programs, seed, concord, jobs, results, keep, time_limit, only } => {
            let Ok(path) = concord.canonicalize() else {
                println!("{} is not there", concord.display());
                return ExitCode::from(2);
            };
            let concord = Concord { path, seconds: time_limit };
            let settings =
                Settings { programs, seed, concord, jobs, results, keep, only, seen: Mutex::default() };
            match campaign::run(&settings, &|line| println!("{line}")) {
                Ok(tally) => {
                    print!("{}", tally.show());
                    ExitCode::from(u8::from(!tally.wrong.is_empty()))
                }
                Err(error) => {
                    println!("{error}");
                    ExitCode::from(2)
                }
            }
        }
        Cli::Check { systems, seed, concord, keep, time_limit } => {
            let Ok(path) = concord.canonicalize() else {
                println!("{} is not there", concord.display());
                return ExitCode::from(2);
            };
            let concord = Concord { path, seconds: time_limit };
            let settings = systems::campaign::Settings { systems, seed, concord, keep };
            match systems::campaign::run(&settings, &|line| println!("{line}")) {
                Ok(tally) => {
                    print!("{}", tally.show());
                    ExitCode::from(u8::from(!tally.wrong.is_empty()))
                }
                Err(error) => {
                    println!("{error}");
                    ExitCode::from(2)
                }
            }
        }
        Cli::Show { seed, only } => {
            for (name, text) in Program::draw(seed, &only).files(Reader::Compiler) {
                println!("/* {name} */\n{text}");
            }
            ExitCode::SUCCESS
        }
    }
}
