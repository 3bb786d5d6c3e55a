//! Deep runs of the interval analysis: `bench-intervals fuzz|formulas|table|eva`.
#![allow(clippy::print_stdout, reason = "a tool for the terminal")]

use bench_frontend::generate;
use bench_intervals::table::Outcome;
use bench_intervals::{eva, formulas, read, soundness, table, warnings};
use clap::Parser;
use intervals::{Overflow, Precision, Settings};
use program::DataModel;
use std::path::PathBuf;
use std::time::Duration;

/// Deep runs of the interval analysis.
#[derive(Parser)]
enum Cli {
    /// Random programs: values seen by runs lie in the ranges
    Fuzz {
        /// How many.
        #[arg(default_value_t = 5000)]
        count: u64,
        /// The first seed.
        #[arg(long, default_value_t = 0)]
        from: u64,
        /// How closely to look, from 0 to 5.
        #[arg(long, default_value_t = intervals::FIRST_LEVEL)]
        precision: u8,
    },
    /// Random finite programs: formulas against exhaustive search
    Formulas {
        /// How many programs.
        #[arg(default_value_t = 500)]
        count: u64,
    },
    /// Files: time against lines, error calls excluded
    Table {
        /// C files.
        files: Vec<PathBuf>,
        /// Seconds per file.
        #[arg(long, default_value_t = 20)]
        limit: u64,
        /// 32-bit `long` and pointers.
        #[arg(long)]
        ilp32: bool,
    },
    /// Files: what is left open at each level, by kind, and the time
    Warnings {
        /// C files.
        files: Vec<PathBuf>,
        /// How closely to look: levels from 0 to 5, each for itself; without one as users have it.
        #[arg(long, value_delimiter = ',')]
        precision: Vec<u8>,
        /// Beside Frama-C's Eva at these levels of its own.
        #[arg(long, value_delimiter = ',')]
        eva: Vec<u8>,
        /// Seconds for Eva.
        #[arg(long, default_value_t = 60)]
        limit: u64,
        /// Also each place that is left open.
        #[arg(long)]
        all: bool,
        /// 32-bit `long` and pointers.
        #[arg(long)]
        ilp32: bool,
    },
    /// Files: ranges at the assertions and time, beside Frama-C's Eva
    Eva {
        /// C files.
        files: Vec<PathBuf>,
        /// 32-bit `long` and pointers.
        #[arg(long)]
        ilp32: bool,
    },
}

fn main() {
    let scratch = std::env::temp_dir().join("bench-intervals");
    match Cli::parse() {
        Cli::Fuzz { count, from, precision } => {
            let (mut checks, mut wrong, mut unread) = (0, 0, 0);
            for seed in from..from + count {
                let text = generate::program(seed, generate::Settings::default());
                let program = match read::text(&scratch, &format!("fuzz{seed}"), &text) {
                    Ok(program) => program,
                    Err(message) => {
                        // The generator takes `typeof` of a bit-field now and then, which is no C.
                        println!("seed {seed}: not read: {message}");
                        unread += 1;
                        continue;
                    }
                };
                let overflow = if seed % 2 == 0 { Overflow::Stops } else { Overflow::Wraps };
                let precision = Precision::level(precision);
                let settings = Settings { overflow, precision, ..Settings::default() };
                match soundness::check(&program, &settings, seed) {
                    Ok(more) => checks += more,
                    Err(trouble) => {
                        println!("seed {seed}: {trouble}");
                        wrong += 1;
                    }
                }
            }
            println!(
                "{count} programs, {unread} not read, {checks} values compared, {wrong} programs with a value outside"
            );
        }
        Cli::Formulas { count } => {
            let (mut decided, mut all, mut wrong) = (0, 0, 0);
            for seed in 0..count {
                match formulas::check_seed(&scratch, seed, 10) {
                    Ok((more, of)) => {
                        decided += more;
                        all += of;
                    }
                    Err(trouble) => {
                        println!("{trouble}");
                        wrong += 1;
                    }
                }
            }
            println!("{count} programs, {all} formulas, {decided} decided, {wrong} wrong");
        }
        Cli::Warnings { files, precision, eva, limit, all, ilp32 } => {
            let model = if ilp32 { DataModel::Ilp32 } else { DataModel::Lp64 };
            for file in files {
                if precision.is_empty() {
                    let levels = intervals::usual_levels(&Settings::default());
                    println!("{}", warnings::of(&file, model, &levels, all, "auto"));
                }
                for &level in &precision {
                    let settings = Settings { precision: Precision::level(level), ..Settings::default() };
                    println!("{}", warnings::of(&file, model, &[settings], all, &level.to_string()));
                }
                for &level in &eva {
                    println!("{}", warnings::of_eva(&file, model, level, limit));
                }
            }
        }
        Cli::Eva { files, ilp32 } => {
            let model = if ilp32 { DataModel::Ilp32 } else { DataModel::Lp64 };
            println!(
                "| program | Eva ms | ours ms | line | variable | Eva | ours |\n|---|---|---|---|---|---|---|"
            );
            for file in files {
                let compared = match eva::compare(&file, model, &scratch) {
                    Ok(compared) => compared,
                    Err(message) => {
                        println!("| {} | {message} | | | | | |", file.display());
                        continue;
                    }
                };
                let name = compared.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                for range in &compared.ranges {
                    println!(
                        "| {name} | {} | {} | {} | {} | {} | {} |",
                        compared.eva.as_millis(),
                        compared.ours.as_millis(),
                        range.line,
                        range.variable,
                        range.eva.as_deref().unwrap_or("not reached"),
                        range.ours
                    );
                }
            }
        }
        Cli::Table { files, limit, ilp32 } => {
            let model = if ilp32 { DataModel::Ilp32 } else { DataModel::Lp64 };
            for file in files {
                let row = table::measure(&file, model, Duration::from_secs(limit), &Settings::default());
                let outcome = match row.outcome {
                    Outcome::Done { proved, errors, possible } => {
                        format!("done {proved}/{errors} {possible}")
                    }
                    Outcome::Unread(message) => format!("unread {message}"),
                    Outcome::TooLong => "too-long".into(),
                    Outcome::Panicked => "PANIC".into(),
                };
                let (reading, analysing) = (row.reading.as_millis(), row.analysing.as_millis());
                println!("{}\t{}\t{reading}\t{analysing}\t{outcome}", row.file.display(), row.lines);
            }
        }
    }
}
