//! The verb `model`: finite models, written in FSP, MAGIC's notation, tables or `.aut`, and what is asked of them.
//!
//! Reading order: this file (the command line), `input` (files to a specification), `plan` (what is asked), `answers` (how
//! it is answered), `show` (for people), `json` and `sarif` (for tools), `files` (what else is written).

pub(crate) mod answers;
mod files;
pub(crate) mod input;
pub(crate) mod json;
mod places;
mod plan;
mod sarif;
pub(crate) mod show;

pub use files::picture;

use crate::cli::engine_values;
use crate::exit::Exit;
use base::{Budget, EventSink};
use check::FiniteEngine;
use clap::{Args, ValueEnum};
use std::io::Write;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EquivalenceArgument {
    /// Every step counts
    Strong,
    /// Silent steps that change nothing do not count
    Branching,
    /// As branching, and endless silence counts
    DivergenceBranching,
    /// Only what is visible counts
    Weak,
}

/// How the specification of a relation may answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SilenceArgument {
    /// Silent steps do not count, before and after actions neither
    Weak,
    /// A silent step may be ignored, an action is answered at once (thesis Def. 4)
    Direct,
    /// Silent steps count like actions
    Strong,
}

/// What becomes of actions the specification does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UnknownActionsArgument {
    /// The specification does not speak about them
    Ignored,
    /// The specification does not allow them
    Forbidden,
}

/// What the user asks of finite models.
#[derive(Clone, Debug, Args)]
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
    /// For formulas and asserts: a choice that is met again and again is made in every way again and again, as LTSA has it
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
        ModelArgs {
            files,
            process: process.into_iter().collect(),
            checks: Vec::new(),
            formulas: Vec::new(),
            automata: Vec::new(),
            simulates: Vec::new(),
            traces: Vec::new(),
            failures: Vec::new(),
            bisimilar: Vec::new(),
            equivalence: EquivalenceArgument::Branching,
            silence: SilenceArgument::Weak,
            unknown_actions: UnknownActionsArgument::Ignored,
            counterexamples: 1,
            weak_fairness: Vec::new(),
            strong_fairness: Vec::new(),
            fair_choice: false,
            engine: "auto".to_owned(),
            save: None,
            save_counterexample: None,
            save_assumption: None,
        }
    }
}

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultFormat {
    /// For people.
    Human,
    /// Versioned JSON.
    Json,
    /// SARIF 2.1.0.
    Sarif,
}

/// Hears of questions and of their answers as they are found: who ends the run at a limit can tell what is known by then.
pub trait Listener {
    /// What the questions are, in order.
    fn questions(&self, names: Vec<String>);
    /// A question is answered: for people, for machines, and the exit status it would give.
    fn answered(&self, index: usize, text: String, result: serde_json::Value, status: Exit);
    /// The answers are going to be written.
    fn all_is_answered(&self);
}

/// Nobody listens.
impl Listener for () {
    fn questions(&self, _: Vec<String>) {}
    fn answered(&self, _: usize, _: String, _: serde_json::Value, _: Exit) {}
    fn all_is_answered(&self) {}
}

/// How and where results are written.
pub struct Output<'w> {
    /// How results are written.
    pub format: ResultFormat,
    /// Colours in messages.
    pub colour: base::render::Colour,
    /// No warnings.
    pub is_quiet: bool,
    /// Hears of answers as they are found.
    pub listener: &'w dyn Listener,
    /// Hears what engines say while they work.
    pub events: &'w dyn EventSink,
    /// Results.
    pub results: &'w mut dyn Write,
    /// Messages.
    pub messages: &'w mut dyn Write,
}

/// Why the verb ends early: the status, and the words if they were not said yet.
pub struct Refused {
    /// The exit status.
    pub status: Exit,
    words: Words,
}

enum Words {
    Said,
    Sentence(String),
    /// With a place and a caret.
    Rendered(String),
}

/// Where the only text of a source map begins.
pub const ONLY_TEXT: u32 = 1;

impl Refused {
    /// What is wrong in a text that is not one of the files and was read from [`ONLY_TEXT`].
    pub fn inside(status: Exit, name: &str, text: &str, problem: &base::Diagnostic) -> Refused {
        let mut sources = base::SourceMap::new();
        let Some(id) = sources.add(name, text) else {
            return Refused { status, words: Words::Sentence(format!("{name}: {}", problem.message)) };
        };
        debug_assert_eq!(sources.source(id).base(), ONLY_TEXT, "the only text of a source map");
        let rendered = base::render::render(problem, &sources, base::render::Colour::Never);
        Refused { status, words: Words::Rendered(rendered) }
    }

    /// The words were said already.
    fn silent(status: Exit) -> Refused {
        Refused { status, words: Words::Said }
    }

    fn undecided(message: impl Into<String>) -> Refused {
        Refused { status: Exit::Undecided, words: Words::Sentence(message.into()) }
    }

    fn usage(message: impl Into<String>) -> Refused {
        Refused { status: Exit::Usage, words: Words::Sentence(message.into()) }
    }

    fn unwritten(message: impl Into<String>) -> Refused {
        Refused { status: Exit::Internal, words: Words::Sentence(message.into()) }
    }

    fn bad_input(message: impl Into<String>) -> Refused {
        Refused { status: Exit::BadInput, words: Words::Sentence(message.into()) }
    }
}

impl Refused {
    /// Says why, if that was not said yet, and gives the exit status.
    pub fn told(self, output: &mut Output<'_>) -> Exit {
        // Without a standard error there is nobody to tell.
        let _ = match self.words {
            Words::Said => Ok(()),
            Words::Sentence(text) => writeln!(output.messages, "error: {text}"),
            Words::Rendered(text) => writeln!(output.messages, "{text}"),
        };
        self.status
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

/// Gives what was read its meaning, and works with that.
fn with_model<T>(
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

fn write_results(text: &str, output: &mut Output<'_>) -> Result<(), Refused> {
    output
        .results
        .write_all(text.as_bytes())
        .and_then(|()| output.results.flush())
        .map_err(|error| Refused::unwritten(format!("the results cannot be written: {error}")))
}

fn run(arguments: &ModelArgs, output: &mut Output<'_>, budget: &Budget) -> Result<Exit, Refused> {
    let loaded = input::load(&arguments.files, output)?;
    let (plan, answers) = with_model(&loaded, output, budget, |model, output| {
        let plan = plan::plan(arguments, &loaded, model, output)?;
        if let Some(file) = &arguments.save {
            files::save(file, &plan, model, &loaded, output, budget)?;
        }
        let answers = answers::answer_all(&plan, arguments, model, &loaded, output, budget)?;
        Ok((plan, answers))
    })?;
    output.listener.all_is_answered();
    let places = places::of(&plan, &loaded);
    let told = match output.format {
        ResultFormat::Human => show::write(&answers, &plan),
        ResultFormat::Json => json::write(&answers, &places),
        ResultFormat::Sarif => sarif::write(&answers, &plan, &places),
    };
    write_results(&told, output)?;
    if let Some(file) = &arguments.save_counterexample {
        files::save_counterexample(file, &answers, output)?;
    }
    if let Some(file) = &arguments.save_assumption {
        files::save_assumptions(file, &answers, output)?;
    }
    Ok(answers::exit_status(&answers))
}
