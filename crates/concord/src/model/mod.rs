//! The verb `model`: finite models, written in FSP, MAGIC's notation, tables or `.aut`, and what is asked of
//! them.
//!
//! Reading order: this file (the command line), `input` (files to a specification), `plan` (what is asked),
//! `answers` (how it is answered), `show` (for people), `json` and `sarif` (for tools), `files` (what else is
//! written).

pub(crate) mod answers;
mod files;
pub(crate) mod input;
pub(crate) mod json;
mod places;
mod plan;
mod sarif;
pub(crate) mod show;

pub use files::{picture, structures_of};

use crate::channel::{Format, Output, Refused};
use crate::cli::engine_values;
use crate::exit::Exit;
use crate::report::finite;
use base::Budget;
use check::FiniteEngine;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Examples for `--help`.
pub const EXAMPLES: &str = "\
Examples:
  concord model diners.lts                                   check all that the file declares
  concord model diners.lts --process \"DINERS(30)\" --check deadlock
  concord model surge.lts --formula 'G(c1 => ([m == 1] | [m == 2]))'
  concord model impl.lts spec.lts --simulates IMPL SPEC      can SPEC follow whatever IMPL does?
  concord model a.aut b.aut --bisimilar a b
  concord model p.lts --process P --save p.svg               draw it
  concord model p.lts --check property --engine learn1 --save-assumption a.lts

Exit status: 0 holds, 1 violated, 2 usage, 3 undecided, 4 bad input, 5 internal error.";

/// When two systems count as the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EquivalenceArgument {
    /// Every step counts
    Strong,
    /// Silent steps that change nothing do not count
    #[default]
    Branching,
    /// As branching, and endless silence counts
    DivergenceBranching,
    /// Only what is visible counts
    Weak,
}

/// How the specification of a relation may answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SilenceArgument {
    /// Silent steps do not count, before and after actions neither
    #[default]
    Weak,
    /// A silent step may be ignored, an action is answered at once (thesis Def. 4)
    Direct,
    /// Silent steps count like actions
    Strong,
}

/// What becomes of actions the specification does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum UnknownActionsArgument {
    /// The specification does not speak about them
    #[default]
    Ignored,
    /// The specification does not allow them
    Forbidden,
}

/// What the user asks of finite models.
#[derive(Clone, Debug, Default, Args)]
pub struct ModelArgs {
    /// Models (.lts, .spec, tables, .aut) and formulas (.seltl); together they are one specification
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The system to check, such as P, "DINERS(5)" or "P||Q" [default: what no other definition uses]
    #[arg(long, value_name = "NAME")]
    pub process: Vec<String>,
    /// safety (no deadlock, no property violated), deadlock, progress, or the name of what the files declare
    #[arg(long = "check", value_name = "WHAT")]
    pub checks: Vec<String>,
    /// A state/event formula
    #[arg(long = "formula", value_name = "F")]
    pub formulas: Vec<String>,
    /// An automaton in HOA format; the runs it accepts are forbidden
    #[arg(long = "automaton", value_name = "FILE.hoa")]
    pub automata: Vec<PathBuf>,
    /// Does SPEC weakly simulate IMPL?
    #[arg(long, num_args = 2, value_names = ["IMPL", "SPEC"], action = clap::ArgAction::Append)]
    pub simulates: Vec<String>,
    /// Are the traces of IMPL traces of SPEC?
    #[arg(long, num_args = 2, value_names = ["IMPL", "SPEC"], action = clap::ArgAction::Append)]
    pub traces: Vec<String>,
    /// Are the traces of IMPL traces of SPEC, and is all that IMPL can refuse allowed?
    #[arg(long, num_args = 2, value_names = ["IMPL", "SPEC"], action = clap::ArgAction::Append)]
    pub failures: Vec<String>,
    /// Are A and B equivalent?
    #[arg(long, num_args = 2, value_names = ["A", "B"], action = clap::ArgAction::Append)]
    pub bisimilar: Vec<String>,
    /// The equivalence for --bisimilar
    #[arg(long, value_enum, default_value = "branching", value_name = "KIND")]
    pub equivalence: EquivalenceArgument,
    /// How SPEC may answer silent steps and actions
    #[arg(long, value_enum, default_value = "weak", value_name = "HOW")]
    pub silence: SilenceArgument,
    /// Actions of IMPL that SPEC does not know
    #[arg(long, value_enum, default_value = "ignored", value_name = "HOW")]
    pub unknown_actions: UnknownActionsArgument,
    /// For --simulates: as many distinct counterexamples, if there are
    #[arg(long, default_value_t = 1, value_name = "K")]
    pub counterexamples: usize,
    /// For formulas: one of these actions, if possible from some point on, happens again and again
    #[arg(long = "weak-fair", value_name = "A,B")]
    pub weak_fairness: Vec<String>,
    /// For formulas: one of these actions, if possible again and again, happens again and again
    #[arg(long = "strong-fair", value_name = "A,B")]
    pub strong_fairness: Vec<String>,
    /// For formulas and asserts: a choice that is met again and again is made in every way again and again,
    /// as LTSA has it
    #[arg(long)]
    pub fair_choice: bool,
    /// Which engine answers
    #[arg(long, value_parser = engine_values(check::engine::listed()), default_value = "auto")]
    pub engine: String,
    /// Write the system to a file, as its ending says: .aut, .dot or .svg
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Draw the first counterexample, as the ending says: .svg or .dot
    #[arg(long, value_name = "FILE")]
    pub save_counterexample: Option<PathBuf>,
    /// Write a page of HTML that shows the answers, and opens from disk
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// Draw the violating run as a sequence chart (SVG)
    #[arg(long, value_name = "FILE.svg", help_heading = "Output")]
    pub draw: Option<PathBuf>,
    /// Write what --engine learn1 or learn2 learned: .lts (FSP), .aut, .dot or .svg
    #[arg(long, value_name = "FILE")]
    pub save_assumption: Option<PathBuf>,
}

impl ModelArgs {
    /// The engine that was asked for; none if it is to be chosen.
    fn engine(&self) -> Option<&'static FiniteEngine> {
        check::engine::named(&self.engine)
    }

    /// Asks nothing about the files; `process` is the system to build.
    pub fn only_build(files: Vec<PathBuf>, process: Option<String>) -> ModelArgs {
        ModelArgs { files, process: process.into_iter().collect(), ..ModelArgs::default() }
    }
}

/// Runs the verb and gives the exit status.
pub fn model(arguments: &ModelArgs, output: &mut Output<'_>, budget: &Budget) -> Exit {
    run(arguments, output, budget).unwrap_or_else(|refused| refused.told(output))
}

/// Builds the structure of one system.
pub fn structure(
    arguments: &ModelArgs,
    output: &mut Output<'_>,
    budget: &Budget,
) -> Result<lks::Lks, Refused> {
    files::structure(arguments, output, budget)
}

/// The systems that are meant where none is named.
pub(crate) fn targets(
    arguments: &ModelArgs,
    loaded: &input::Loaded,
    model: &spec::Model<'_>,
    output: &mut Output<'_>,
) -> Result<Vec<String>, Refused> {
    plan::plan(arguments, loaded, model, output).map(|plan| plan.targets)
}

/// Gives what was read its meaning, and works with that.
pub(crate) fn with_model<T>(
    loaded: &input::Loaded,
    output: &mut Output<'_>,
    budget: &Budget,
    work: impl FnOnce(&mut spec::Model<'_>, &mut Output<'_>) -> Result<T, Refused>,
) -> Result<T, Refused> {
    let smaller = |lks: &lks::Lks| answers::reduced(lks, budget);
    let settings =
        spec::Settings { budget: budget.clone(), minimise: Some(&smaller), ..spec::Settings::default() };
    let mut model = spec::Model::new(&loaded.specification, settings);
    for (name, lks) in &loaded.imports {
        model.import(name, lks.clone());
    }
    loaded.refuse_errors(model.diagnostics(), output)?;
    work(&mut model, output)
}

fn run(arguments: &ModelArgs, output: &mut Output<'_>, budget: &Budget) -> Result<Exit, Refused> {
    let loaded = input::load(&arguments.files, output)?;
    let (plan, answers, structures) = with_model(&loaded, output, budget, |model, output| {
        let plan = plan::plan(arguments, &loaded, model, output)?;
        if let Some(file) = &arguments.save {
            files::save(file, &plan, model, &loaded, output, budget)?;
        }
        let answers = answers::answer_all(&plan, arguments, model, &loaded, output, budget)?;
        let structures = match arguments.report {
            Some(_) => files::structures(&plan, model, budget),
            None => Vec::new(),
        };
        Ok((plan, answers, structures))
    })?;
    output.listener.all_is_answered();
    let places = places::of(&plan, &loaded);
    let told = match output.format {
        Format::Human => show::write(&answers, &plan, output.is_verbose),
        Format::Json => json::write(&answers, &places),
        Format::Sarif => sarif::write(&answers, &plan, &places),
    };
    if arguments.report.is_some() || arguments.draw.is_some() {
        let names: Vec<&std::path::Path> = arguments.files.iter().map(PathBuf::as_path).collect();
        let (mut page, sources) =
            finite::begin("model", &names, &show::write(&answers, &plan, output.is_verbose));
        answers.iter().for_each(|told| finite::add(&mut page, &sources, told, &structures, Vec::new()));
        page.sources = sources.into_list();
        output.status.into_iter().for_each(|status| crate::report::add_times(&mut page, status));
        finite::write(&page, arguments.report.as_deref(), arguments.draw.as_deref(), output.is_quiet)?;
    }
    output.write_answers(&told)?;
    if let Some(file) = &arguments.save_counterexample {
        files::save_counterexample(file, &answers, output)?;
    }
    if let Some(file) = &arguments.save_assumption {
        files::save_assumptions(file, &answers, output)?;
    }
    Ok(answers::exit_status(&answers))
}
