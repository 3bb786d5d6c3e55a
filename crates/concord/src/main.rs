//! The command line: one file per verb.
//!
//! Reading order: `cli` (grammar) → `guard` (panics, Ctrl-C, stack) → `load` (files to a program) → the verbs.

mod analyze;
mod audit;
#[path = "bool.rs"] // a module called `bool` would hide the type
mod boolean;
mod check;
mod cli;
mod completions;
mod doctor;
mod draw;
mod draw_finite;
mod entry;
mod exit;
mod guard;
mod load;
mod model;
mod progress;
mod run;
mod units;
mod verify;

use cli::{Format, Verb};
use exit::Exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    guard::run_guarded(|| act(cli::parse())).into()
}

fn act(cli: cli::Cli) -> Exit {
    let common = cli.common;
    if let Some(objection) = objection_to_format(&cli.verb, common.format) {
        load::tell(&format!("error: {objection}\n"));
        return Exit::Usage;
    }
    let budget = common.budget();
    guard::cancel_on_interrupt(&budget);
    match cli.verb {
        Verb::Run(arguments) => match load::load_with_entry(&arguments.files, &common, &arguments.lowering())
        {
            Ok(program) => run::run(&program, arguments, &common, budget),
            Err(exit) => exit,
        },
        Verb::Draw(arguments) if arguments.what.is_finite() => {
            draw_finite::draw(&arguments, &common, &budget)
        }
        Verb::Draw(arguments) => match load::load(&arguments.files, &common) {
            Ok(program) => draw::draw(&program, &arguments, &common),
            Err(exit) => exit,
        },
        Verb::Analyze(arguments) => {
            match load::load_with_entry(&arguments.files, &common, &arguments.entry.settings()) {
                Ok(program) => analyze::analyze(&program, &arguments, &common, &budget),
                Err(exit) => exit,
            }
        }
        Verb::Check(arguments) => check::check(&arguments, &common, &budget),
        Verb::Verify(arguments) => verify::verify(&arguments, &common, &budget),
        Verb::Audit(arguments) => audit::audit(&arguments, &common, &budget),
        Verb::Model(arguments) => check_model(&arguments, &common, &budget),
        Verb::Bool(arguments) => check_boolean(&arguments, &common, &budget),
        Verb::Doctor(arguments) => doctor::doctor(arguments, &common),
        Verb::Completions { shell } => completions::completions(shell),
        Verb::Man => completions::manual(),
    }
}

fn check_model(arguments: &model::ModelArgs, common: &cli::Common, budget: &base::Budget) -> Exit {
    let mut output = model::Output {
        format: match common.format {
            Format::Human => model::ResultFormat::Human,
            Format::Json => model::ResultFormat::Json,
            Format::Sarif => model::ResultFormat::Sarif,
        },
        colour: common.colour(),
        is_quiet: common.quiet,
        results: &mut std::io::stdout(),
        messages: &mut std::io::stderr(),
    };
    Exit::of_model(model::model(arguments, &mut output, budget))
}

fn check_boolean(arguments: &boolean::BoolArgs, common: &cli::Common, budget: &base::Budget) -> Exit {
    let mut output = boolean::Output {
        is_json: common.format == Format::Json,
        colour: common.colour(),
        is_quiet: common.quiet,
        results: &mut std::io::stdout(),
        messages: &mut std::io::stderr(),
    };
    match boolean::boolean(arguments, &mut output, budget) {
        boolean::status::HOLDS => Exit::Holds,
        boolean::status::VIOLATED => Exit::Violated,
        boolean::status::USAGE => Exit::Usage,
        boolean::status::UNDECIDED => Exit::Undecided,
        boolean::status::BAD_INPUT => Exit::BadInput,
        _ => Exit::Internal,
    }
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
        | (Verb::Model(_) | Verb::Verify(_), _) => None,
        (Verb::Run(_) | Verb::Check(_) | Verb::Audit(_) | Verb::Bool(_) | Verb::Doctor(_), _) => {
            Some("this verb writes --format human or json")
        }
        (Verb::Draw(_), _) => Some("`draw` writes SVG, DOT or HOA; choose with --as"),
        (Verb::Completions { .. } | Verb::Man, _) => Some("this verb has one format only"),
    }
}
