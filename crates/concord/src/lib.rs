//! The command line as a library: one file or folder per verb. `main.rs` only calls [`command`]; tests call
//! the verbs.
//!
//! Reading order: `cli` (grammar) → `guard` (panics, Ctrl-C, stack) → `last_word` (limits), `shares` (of the
//! time, for several questions), `output`, `channel` (what is written where), `settle` (the gate of all
//! verdicts) → `load` (files to a program) → the verbs.

mod analyze;
mod audit;
// In this file the name hides the type.
pub mod bool;
pub mod channel;
mod check;
mod cli;
mod completions;
mod doctor;
mod draw;
mod entry;
pub mod exit;
mod explore;
mod guard;
mod last_word;
mod load;
pub mod model;
mod output;
mod process;
mod progress;
mod prove;
// In this file the name hides the crate.
mod report;
mod run;
mod settle;
mod shares;
mod units;
mod verify;

use channel::at_terminal;
use cli::{Format, Verb};
use exit::Exit;
use last_word::LastWord;
use progress::StatusLine;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Parses the command line of the process, does what it says, and gives the exit status.
pub fn command() -> ExitCode {
    // Limits of time count from here: reading files is part of the work.
    let started = Instant::now();
    guard::run_guarded(move || act(cli::parse(), started).unwrap_or_else(|exit| exit)).into()
}

/// Does what the command line says; an early end is an exit status too.
fn act(cli: cli::Cli, started: Instant) -> Result<Exit, Exit> {
    let mut common = cli.common;
    if let Some(objection) = objection_to_format(&cli.verb, common.format) {
        return Err(load::wrong_use(objection));
    }
    output::expect_writable(files_to_write(&cli.verb))?;
    let budget = common.budget(started);
    guard::cancel_on_interrupt(&budget);
    common.last_word = LastWord::watch(&cli.verb, &common, &budget);
    let (common, budget) = (&common, &budget);
    let status = || StatusLine::new(common);
    match cli.verb {
        Verb::Run(arguments) => {
            let program = load::load_with_entry(&arguments.files, common, &arguments.lowering(), budget)?;
            run::run(&program, arguments, common, budget.clone())
        }
        Verb::Draw(arguments) if arguments.what.is_finite() => draw::finite::draw(&arguments, common, budget),
        Verb::Draw(arguments) => {
            let program = load::load(&arguments.files, common, budget)?;
            draw::draw(&program, &arguments, common, budget)
        }
        Verb::Analyze(arguments) => {
            // What is claimed of a line holds of all runs through it, not of one copy.
            let variadic = lower::Variadic::AsWritten;
            let lowering = lower::Settings { variadic, ..arguments.entry.settings() };
            let program = load::load_with_entry(&arguments.files, common, &lowering, budget)?;
            analyze::analyze(&program, &arguments, common, budget)
        }
        Verb::Check(arguments) => check::check(&arguments, common, budget),
        Verb::Verify(arguments) => verify::verify(&arguments, common, budget),
        Verb::Audit(arguments) => audit::audit(&arguments, common, budget),
        Verb::Model(arguments) => Ok(at_terminal(common, &common.last_word, Some(&status()), |output| {
            model::model(&arguments, output, budget)
        })),
        Verb::Bool(arguments) => Ok(at_terminal(common, &common.last_word, Some(&status()), |output| {
            bool::boolean(&arguments, output, budget)
        })),
        Verb::Explore(arguments) => explore::explore(&arguments, common, budget),
        Verb::Prove(arguments) => prove::prove(&arguments, common, budget),
        Verb::Init(arguments) => prove::init(&arguments),
        Verb::Doctor(arguments) => Ok(doctor::doctor(arguments, common)),
        Verb::Completions { shell } => Ok(completions::completions(shell)),
        Verb::Man => Ok(completions::manual()),
    }
}

/// The files that the verb may write.
fn files_to_write(verb: &Verb) -> Vec<&Path> {
    let given: Vec<&Option<PathBuf>> = match verb {
        Verb::Verify(arguments) => return arguments.outputs().collect(),
        Verb::Run(arguments) => vec![&arguments.report],
        Verb::Check(arguments) => vec![&arguments.report, &arguments.draw],
        Verb::Analyze(arguments) => vec![&arguments.report, &arguments.write_baseline],
        Verb::Draw(arguments) => vec![&arguments.output],
        Verb::Model(arguments) => {
            vec![
                &arguments.save,
                &arguments.save_counterexample,
                &arguments.save_assumption,
                &arguments.report,
                &arguments.draw,
            ]
        }
        Verb::Bool(arguments) => vec![&arguments.certificate, &arguments.report, &arguments.draw],
        Verb::Prove(arguments) => vec![&arguments.junit],
        _ => Vec::new(),
    };
    given.into_iter().flatten().map(PathBuf::as_path).collect()
}

/// Not every verb has results in every format.
fn objection_to_format(verb: &Verb, format: Format) -> Option<&'static str> {
    match (verb, format) {
        (Verb::Analyze(arguments), Format::Sarif) if arguments.ctl.is_some() => {
            Some("formulas are answered in --format human or json")
        }
        (Verb::Analyze(_), _) => None,
        (_, Format::Human)
        | (Verb::Run(_) | Verb::Check(_) | Verb::Audit(_) | Verb::Bool(_) | Verb::Doctor(_), Format::Json)
        | (Verb::Model(_) | Verb::Verify(_) | Verb::Prove(_), _) => None,
        (Verb::Run(_) | Verb::Check(_) | Verb::Audit(_) | Verb::Bool(_) | Verb::Doctor(_), _) => {
            Some("this verb writes --format human or json")
        }
        (Verb::Draw(_), _) => Some("`draw` writes SVG, DOT or HOA; choose with --as"),
        (Verb::Explore(_) | Verb::Completions { .. } | Verb::Man | Verb::Init(_), _) => {
            Some("this verb has one format only")
        }
    }
}
