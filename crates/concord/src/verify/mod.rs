//! `concord verify`: can this C program do what it must not? Assertions, error functions, labels; with the run that shows it,
//! or the reason why there is none.

mod harness;
mod show;
mod task;

use crate::cli::{Common, Format};
use crate::exit::Exit;
use crate::load::{complain, load};
use base::Budget;
use cegar::{Engine, Finding, Missing, Property, Settings};
use clap::{Args, ValueEnum};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use task::Asked;

/// Shown below the help.
pub const EXAMPLES: &str = "\
Examples:
  concord verify prog.c                               can an assertion fail, is reach_error called?
  concord verify prog.c --property unreach-call.prp   the property of a competition's file
  concord verify task.yml                             files, property and data model of a task
  concord verify prog.c --harness run.c               write the violating run as C

Exit status: 0 holds, 1 violated, 3 undecided, 4 bad input.";

/// Which engine answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineArgument {
    /// All of them: search and proof beside each other
    Auto,
    /// Intervals of values alone
    Intervals,
    /// Bounded search by unrolling
    Bmc,
    /// Induction on loops
    #[value(alias = "kinduction")]
    KInduction,
    /// Property-directed search for invariants
    Pdr,
    /// Runs on drawn inputs
    Testing,
}

/// What a function without a body does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MissingArgument {
    /// Nothing is known past a call of it
    Stop,
    /// It returns any value and changes nothing
    Nondet,
}

/// Arguments of `verify`.
#[derive(Clone, Debug, Args)]
pub struct VerifyArgs {
    /// C files, or one task definition (.yml)
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The property, as a competition's .prp file
    #[arg(long, value_name = "FILE")]
    pub property: Option<PathBuf>,
    /// A label that must not be reached
    #[arg(long, value_name = "NAME")]
    pub label: Vec<String>,
    /// Which engine answers
    #[arg(long, value_enum, default_value = "auto", value_name = "NAME")]
    pub engine: EngineArgument,
    /// What functions without a body do
    #[arg(long, value_enum, default_value = "stop", value_name = "HOW")]
    pub missing: MissingArgument,
    /// Unroll loops and recursion no further
    #[arg(long, value_name = "NUMBER", help_heading = "Limits")]
    pub unwind: Option<u32>,
    /// Write the violating run as a C file to compile with the program
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub harness: Option<PathBuf>,
    /// Write the inputs of the violating run, for `concord run --inputs`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub write_inputs: Option<PathBuf>,
    /// Show every step of the violating run
    #[arg(long, help_heading = "Output")]
    pub full: bool,
}

/// Verifies.
pub fn verify(arguments: &VerifyArgs, common: &Common, budget: &Budget) -> Exit {
    let started = std::time::Instant::now();
    let mut common = common.clone();
    let (files, asked) = match question(arguments, &mut common) {
        Ok(question) => question,
        Err(message) => return complain(&message),
    };
    let program = match load(&files, &common) {
        Ok(program) => program,
        Err(exit) => return exit,
    };
    let settings = Settings {
        engine: match arguments.engine {
            EngineArgument::Auto => Engine::Auto,
            EngineArgument::Bmc => Engine::Bounded,
            EngineArgument::KInduction => Engine::Induction,
            EngineArgument::Intervals => Engine::Intervals,
            EngineArgument::Pdr => Engine::Pdr,
            EngineArgument::Testing => Engine::Testing,
        },
        missing: match arguments.missing {
            MissingArgument::Stop => Missing::Stop,
            MissingArgument::Nondet => Missing::AnyResult,
        },
        most_rounds: arguments.unwind,
    };
    let (property, outcome) = match asked {
        Asked::Property(property) => {
            end_in_time(&property.words(), common.format, budget);
            let mut outcome = cegar::verify(&program, &property, &settings, budget);
            let assumed = program.assumptions.iter().map(|assumption| assumption.message.clone());
            outcome.assumptions.extend(assumed);
            outcome.assumptions.dedup();
            (property.words(), outcome)
        }
        Asked::Unsupported(text) => {
            let construct = format!("the property `{text}`");
            let reason = ::verdict::Reason::NotSupported { construct, at: base::Span::default() };
            let finding = Finding::Undecided(::verdict::Undecided::because(reason));
            let outcome =
                cegar::Outcome { finding, assumptions: Vec::new(), steps: 0, queries: 0, rounds: 0 };
            (text, outcome)
        }
    };
    if let Finding::Violated(violation) = &outcome.finding {
        if let Some(file) = &arguments.harness {
            let (text, not_given) = harness::harness(&program, violation);
            if let Err(message) = write(file, &text) {
                return complain(&message);
            }
            for name in not_given {
                crate::load::tell(&format!("warning: the harness cannot set `{name}`\n"));
            }
        }
        if let Some(file) = &arguments.write_inputs
            && let Err(message) = write(file, &show::input_list(violation))
        {
            return complain(&message);
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    let text = match common.format {
        Format::Json => {
            format!(
                "{:#}\n",
                json!({ "concord": 1, "results": [show::json(&program, &property, &outcome, seconds)] })
            )
        }
        _ => show::words(&program, &property, &outcome, arguments.full),
    };
    let _ = std::io::stdout().write_all(text.as_bytes());
    match outcome.finding {
        Finding::Holds(_) => Exit::Holds,
        Finding::Violated(_) => Exit::Violated,
        Finding::Undecided(_) => Exit::Undecided,
    }
}

/// Engines look at the clock often, but not inside every step of every part. What must be kept is the user's limit: past it,
/// the answer is given here.
fn end_in_time(property: &str, format: Format, budget: &Budget) {
    let Some(deadline) = budget.deadline() else { return };
    let left = deadline.saturating_duration_since(std::time::Instant::now());
    let (property, grace) = (property.to_owned(), left / 20 + std::time::Duration::from_millis(500));
    std::thread::spawn(move || {
        std::thread::sleep(left + grace);
        let reason = ::verdict::Reason::TimeLimit.to_string();
        let text = match format {
            Format::Json => {
                let result = json!({ "property": property, "verdict": "undecided", "reason": reason, "engine": "auto",
                    "assumptions": [], "counterexample": null, "proof": null, "statistics": {} });
                format!("{:#}\n", json!({ "concord": 1, "results": [result] }))
            }
            _ => format!("UNDECIDED: {property}\n  {reason}\n  try: give more time with --time-limit\n"),
        };
        let _ = std::io::stdout().write_all(text.as_bytes());
        std::process::exit(3);
    });
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|error| format!("{}: cannot be written: {error}", file.display()))
}

/// The files and the property; the data model of a task goes into `common`.
fn question(arguments: &VerifyArgs, common: &mut Common) -> Result<(Vec<PathBuf>, Asked), String> {
    let mut files = arguments.files.clone();
    let mut property_file = arguments.property.clone();
    if let [file] = &files[..]
        && file.extension().is_some_and(|extension| extension == "yml" || extension == "yaml")
    {
        let task = task::read_task(file)?;
        files = task.files;
        common.data_model = common.data_model.or(task.data_model);
        property_file = property_file.or_else(|| supported(&task.properties));
    }
    let mut asked = match property_file {
        Some(file) => task::read_property(&file)?,
        None if arguments.label.is_empty() => Asked::Property(Property::standard()),
        None => Asked::Property(Property { assertions: false, functions: Vec::new(), labels: Vec::new() }),
    };
    if let Asked::Property(property) = &mut asked {
        property.labels.extend(arguments.label.iter().cloned());
    }
    Ok((files, asked))
}

/// The first property that is supported, or else the first.
fn supported(properties: &[PathBuf]) -> Option<PathBuf> {
    let is_supported = |file: &&PathBuf| matches!(task::read_property(file), Ok(Asked::Property(_)));
    properties.iter().find(is_supported).or_else(|| properties.first()).cloned()
}
