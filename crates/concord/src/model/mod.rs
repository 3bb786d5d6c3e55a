//! The verb `model`: finite models, written in FSP, MAGIC's notation, tables or `.aut`, and what is asked of them.
//!
//! Reading order: this file (the command line), `input` (files to a specification), `plan` (what is asked), `answers` (how
//! it is answered), `show` (for people), `json` (for tools).

pub(crate) mod answers;
pub(crate) mod input;
pub(crate) mod json;
mod plan;
pub(crate) mod show;

use base::Budget;
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
  concord model p.lts --process P --save p.dot               draw it

Exit status: 0 holds, 1 violated, 2 usage, 3 undecided, 4 bad input, 5 internal error.";

/// Which engine answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineArgument {
    /// Chosen for the question, and said why
    Auto,
    /// State by state, with partial-order reduction
    Explicit,
    /// Sets of states as decision diagrams
    Symbolic,
    /// Components reduced before they are composed
    Compositional,
    /// Assume-guarantee by learning, rule 1
    Learn1,
    /// Assume-guarantee by learning, rule 2
    Learn2,
    /// Components abstracted and refined as needed
    TwoLevel,
}

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
    /// Which engine answers
    #[arg(long, value_enum, default_value = "auto")]
    pub engine: EngineArgument,
    /// Write the system to a file, as its ending says: .aut or .dot
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
}

/// How and where results are written.
pub struct Output<'w> {
    /// Versioned JSON instead of text.
    pub is_json: bool,
    /// Colours in messages.
    pub colour: base::render::Colour,
    /// No warnings.
    pub is_quiet: bool,
    /// Results.
    pub results: &'w mut dyn Write,
    /// Messages.
    pub messages: &'w mut dyn Write,
}

/// Exit statuses, as every verb has them.
pub mod status {
    /// All holds, or the work was done.
    pub const HOLDS: u8 = 0;
    /// Something is violated.
    pub const VIOLATED: u8 = 1;
    /// The command line is wrong.
    pub const USAGE: u8 = 2;
    /// Something is undecided, nothing violated.
    pub const UNDECIDED: u8 = 3;
    /// The input cannot be read.
    pub const BAD_INPUT: u8 = 4;
    /// A mistake in Concord itself.
    pub const INTERNAL: u8 = 5;
}

/// Why the verb ends early: the status, and the words if they were not said yet.
pub(crate) struct Refused {
    status: u8,
    /// The words that were not said yet; may be empty.
    pub(crate) message: String,
}

impl Refused {
    fn usage(message: impl Into<String>) -> Refused {
        Refused { status: status::USAGE, message: message.into() }
    }

    fn bad_input(message: impl Into<String>) -> Refused {
        Refused { status: status::BAD_INPUT, message: message.into() }
    }
}

/// Runs the verb and gives the exit status.
pub fn model(arguments: &ModelArgs, output: &mut Output<'_>, budget: &Budget) -> u8 {
    match run(arguments, output, budget) {
        Ok(status) => status,
        Err(refused) => {
            if !refused.message.is_empty() {
                // Without a standard error there is nobody to tell.
                let _ = writeln!(output.messages, "error: {}", refused.message);
            }
            refused.status
        }
    }
}

fn run(arguments: &ModelArgs, output: &mut Output<'_>, budget: &Budget) -> Result<u8, Refused> {
    let loaded = input::load(&arguments.files, output)?;
    let smaller = |lks: &lks::Lks| answers::reduced(lks, budget);
    let settings =
        spec::Settings { budget: budget.clone(), minimise: Some(&smaller), ..spec::Settings::default() };
    let mut model = spec::Model::new(&loaded.specification, settings);
    for (name, lks) in &loaded.imports {
        model.import(name, lks.clone());
    }
    loaded.refuse_errors(model.diagnostics(), output)?;
    let plan = plan::plan(arguments, &loaded, &model)?;
    if let Some(file) = &arguments.save {
        answers::save(file, &plan, &mut model, &loaded, output, budget)?;
    }
    let answers = answers::answer_all(&plan, arguments, &mut model, &loaded, output, budget)?;
    let told = if output.is_json { json::write(&answers) } else { show::write(&answers, &plan) };
    output.results.write_all(told.as_bytes()).map_err(|error| Refused {
        status: status::INTERNAL,
        message: format!("the results cannot be written: {error}"),
    })?;
    Ok(answers::exit_status(&answers))
}
