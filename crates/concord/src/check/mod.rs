//! The verb `check`: C components against specifications.
//!
//! Reading order: this file (the command line), `input` (files, and which specification holds for which),
//! `questions` (what is asked of which components), `names` (what means nothing), `answers` (asking, and
//! showing).

mod answers;
mod input;
mod names;
mod questions;

pub use input::files_of;

use crate::cli::Common;
use crate::exit::Exit;
use crate::load;
use base::Budget;
use cegar::components::{Conventions, Globals, Settings, engine_named, engines};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use predicate::refine::Minimisation;
use predicate::{GlobalsRule, MissingRule};
use question::Conformance;
use std::path::PathBuf;
use std::sync::Arc;

/// Examples for `--help`.
pub const EXAMPLES: &str = "\
Examples:
  concord check proc.c+proc.spec                          all that the `cprog` blocks ask
  concord check server.c+server.spec client.c+client.spec system.spec --only handshake
  concord check surge.c+surge.spec --formula 'G(c2 => [m == 2])'
  concord check phils.c forks.c dining.spec --deadlock

A specification joined to a file with `+` speaks about that file's calls, others about all.

Exit status: 0 holds, 1 violated, 2 usage, 3 undecided, 4 bad input, 5 internal error.";

/// What conformance means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConformanceArgument {
    /// Weak simulation
    Simulation,
    /// Every trace of the system is one of the specification
    Trace,
}

/// What a function with neither body nor specification does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MissingArgument {
    /// Nothing can be said past its call
    Stop,
    /// Return any value and write whatever pointer arguments and global variables lead to
    Nondet,
    /// Return any value and change nothing
    Pure,
}

/// How many predicates are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PredicatesArgument {
    /// The fewest conditions that rule out every spurious counterexample seen
    Minimal,
    /// The first reason found for each
    Greedy,
    /// Every condition on every spurious counterexample
    All,
}

/// What the user asks of C components.
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// C files, each perhaps with its specifications (a.c+a.spec), and specifications for all (.spec, .lts)
    #[arg(required = true, value_name = "FILE[+SPEC]")]
    pub files: Vec<String>,
    /// Answer only this statement of the `cprog` blocks
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// The procedures that run in parallel [default: those of the `cprog` blocks, or what nobody calls]
    #[arg(long = "component", value_name = "PROCEDURE")]
    pub components: Vec<String>,
    /// Ask for a state/event formula: its text, or a file.seltl
    #[arg(long = "formula", value_name = "F")]
    pub formulas: Vec<String>,
    /// Ask whether the components can deadlock
    #[arg(long)]
    pub deadlock: bool,
    /// What conformance to a process means
    #[arg(long, value_enum, default_value = "simulation", value_name = "HOW")]
    pub conformance: ConformanceArgument,
    /// At a call of a function with neither body nor specification
    #[arg(long, value_enum, default_value = "stop", value_name = "WHAT")]
    pub missing: MissingArgument,
    /// For formulas: a component that can go on from some point on, or one of these events that is possible from some
    /// point on, does so again and again
    #[arg(long = "weak-fair", value_name = "NAME,...")]
    pub weak_fairness: Vec<String>,
    /// For formulas: a component that can go on again and again, or one of these events that is possible again and
    /// again, does so again and again
    #[arg(long = "strong-fair", value_name = "NAME,...")]
    pub strong_fairness: Vec<String>,
    /// What global variables hold when components start: `any` value [default], or `initialised`; for one component
    /// `NAME=WHICH`
    #[arg(long, value_name = "[NAME=]WHICH", value_delimiter = ',', value_parser = globals_of)]
    pub globals: Vec<(Option<String>, GlobalsRule)>,
    /// Which engine answers on the abstract system
    #[arg(long, default_value = "auto", value_parser = engine_names())]
    pub engine: String,
    /// How many predicates are kept
    #[arg(long, value_enum, default_value = "minimal", value_name = "WHICH")]
    pub predicates: PredicatesArgument,
    /// Counterexamples looked at in each round
    #[arg(long, default_value_t = 1, value_name = "K")]
    pub counterexamples: usize,
    /// Write a page of HTML that shows the answers, and opens from disk
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// Draw the first violating run as a sequence chart (SVG)
    #[arg(long, value_name = "FILE.svg", help_heading = "Output")]
    pub draw: Option<PathBuf>,
    /// Write the abstraction of each component to this directory, as DOT
    #[arg(long, value_name = "DIR")]
    pub save: Option<PathBuf>,
}

/// Reads `initialised` or `server=any`.
fn globals_of(text: &str) -> Result<(Option<String>, GlobalsRule), String> {
    let (name, which) = match text.split_once('=') {
        Some((name, which)) => (Some(name.to_owned()), which),
        None => (None, text),
    };
    match which {
        "any" => Ok((name, GlobalsRule::Any)),
        "initialised" => Ok((name, GlobalsRule::Initialised)),
        _ => {
            Err("it is `any` or `initialised`, for one component `NAME=any` or `NAME=initialised`".to_owned())
        }
    }
}

/// What can be said after `--engine`: what the table of engines has, and the table itself.
fn engine_names() -> PossibleValuesParser {
    let own = engines().map(|engine| PossibleValue::new(engine.name()).help(engine.description()));
    let auto = PossibleValue::new("auto").help("Chosen for the question");
    PossibleValuesParser::new(std::iter::once(auto).chain(own))
}

impl CheckArgs {
    fn settings(&self) -> Settings {
        Settings {
            engine: engine_named(&self.engine),
            predicates: match self.predicates {
                PredicatesArgument::Minimal => Minimisation::Minimal,
                PredicatesArgument::Greedy => Minimisation::Greedy,
                PredicatesArgument::All => Minimisation::All,
            },
            counterexamples: self.counterexamples,
            ..Settings::default()
        }
    }

    fn conventions(&self) -> Conventions {
        Conventions {
            conformance: match self.conformance {
                ConformanceArgument::Simulation => Conformance::Simulation,
                ConformanceArgument::Trace => Conformance::Trace,
            },
            missing: match self.missing {
                MissingArgument::Stop => MissingRule::Forbid,
                MissingArgument::Nondet => MissingRule::Nondeterministic,
                MissingArgument::Pure => MissingRule::Pure,
            },
            globals: self.globals.iter().fold(Globals::default(), |mut globals, (name, rule)| {
                match name {
                    Some(name) => globals.of.push((Arc::from(name.as_str()), *rule)),
                    None => globals.usual = *rule,
                }
                globals
            }),
        }
    }
}

/// Reads the files, asks all questions, and says what came of them.
pub fn check(arguments: &CheckArgs, common: &Common, budget: &Budget) -> Result<Exit, Exit> {
    if let Some(directory) = &arguments.save {
        std::fs::create_dir_all(directory)
            .map_err(|error| load::wrong_use(&format!("{}: cannot be made: {error}", directory.display())))?;
    }
    let loaded = input::load(arguments, common, budget)?;
    names::check_components(arguments, &loaded, common)?;
    names::check_procedures(&loaded, common)?;
    let questions = questions::questions(arguments, &loaded, common)?;
    answers::answer_all(arguments, &loaded, &questions, common, budget)
}
