//! The command line: one file per verb.
//!
//! Reading order: `cli` (grammar) → `guard` (panics, Ctrl-C, stack) → `load` (files to a program) → the verbs.

mod cli;
mod completions;
mod doctor;
mod draw;
mod exit;
mod guard;
mod load;
mod progress;
mod run;
mod units;

use cli::Verb;
use exit::Exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = cli::parse();
    guard::run_guarded(move || act(cli)).into()
}

fn act(cli: cli::Cli) -> Exit {
    let common = cli.common;
    let budget = common.budget();
    guard::cancel_on_interrupt(&budget);
    match cli.verb {
        Verb::Run(arguments) => match load::load(&arguments.files, &common) {
            Ok(program) => run::run(&program, arguments, &common, budget),
            Err(exit) => exit,
        },
        Verb::Draw(arguments) => match load::load(&arguments.files, &common) {
            Ok(program) => draw::draw(&program, &arguments, &common),
            Err(exit) => exit,
        },
        Verb::Doctor => doctor::doctor(&common),
        Verb::Completions { shell } => completions::completions(shell),
        Verb::Man => completions::manual(),
    }
}
