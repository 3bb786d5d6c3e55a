//! `concord analyze`: what values can this program have? Interval analysis, abstract tests, three-valued CTL.
//!
//! Reading order: this file (arguments, the way through) → `claims` (what is claimed, settled) → `going_on` (what is open,
//! to the engines of `verify`) → `baseline` (what was accepted) → `groups`, `scope`, `show` (for people) → `formulas` (CTL), `passed_on` (to the engines of `verify`) → `machine` (JSON and SARIF).

mod baseline;
pub(crate) mod claims;
mod formulas;
mod going_on;
mod groups;
mod machine;
mod passed_on;
mod scope;
pub(crate) mod show;

use crate::cli::{Common, Format};
use crate::exit::Exit;
use crate::load::complain;
use crate::output;
use crate::progress::StatusLine;
use base::Budget;
use clap::{Args, ValueEnum};
use intervals::ctl::Granularity;
use intervals::{
    Analysis, CLOSEST_LEVEL, Domain, MissingEffect, Overflow, Precision, Reads, Settings, TestCases, analyse,
    analyse_closely, usual_levels,
};
use program::{AssumptionKind, Origin, Program, VariableKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Shown below the help.
pub const EXAMPLES: &str = "\
Examples:
  concord analyze prog.c                              what can go wrong, what is never reached
  concord analyze prog.c --at 12 --variable x         the values of x at line 12
  concord analyze prog.c --invariants                 what holds in each round of every loop, as C
  concord analyze prog.c --testcases inputs.tc        with inputs as in a test-case file
  concord analyze prog.c --ctl 'AG(level >= 0)'       does the formula hold? (a file of formulas also does)
  concord analyze prog.c --ctl spec.ctl --levels      who decided what, at which cost

  concord analyze prog.c --go-on 30s                  what stays open goes on to the engines of `verify`
  concord analyze prog.c --baseline accepted.json     only warnings that are not in that file
  concord analyze prog.c --annotate                   the source with the values per line

Exit status: 0 everything is excluded, accepted or holds, 1 a formula is violated or a run shows a mistake, 3 something
stays open, 4 bad input.";

/// Which domains take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DomainArgument {
    /// Sets of intervals and congruences
    Intervals,
    /// Octagons, with one interval per variable
    Octagons,
    /// All of them
    Both,
}

/// What a step between states of formulas is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StatesArgument {
    /// Every statement
    Statements,
    /// Statements that write a global variable or allocated memory
    Globals,
    /// Arriving at a label
    Labels,
}

/// What a function without a body does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MissingArgument {
    /// Nothing is decided by runs that call it
    Stop,
    /// Return any value, write through every pointer it can get hold of, change every global variable that
    /// others can see; free nothing, and call only functions whose address it can get hold of
    Nondet,
    /// Return any value and change nothing
    Pure,
}

/// What signed overflow does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OverflowArgument {
    /// It is undefined behaviour: the run does not count any further
    Stop,
    /// The low bits are kept
    Wrap,
}

/// How closely to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Closer where something stays open.
    Auto,
    /// At one level.
    Only(u8),
}

fn level(text: &str) -> Result<Level, String> {
    match text.parse::<u8>() {
        _ if text == "auto" => Ok(Level::Auto),
        Ok(level) if level <= CLOSEST_LEVEL => Ok(Level::Only(level)),
        _ => Err(format!("it is `auto` or a level from 0 to {CLOSEST_LEVEL}")),
    }
}

/// Arguments of `concord analyze`.
#[derive(Clone, Debug, Args)]
pub struct AnalyzeArgs {
    /// C files of the program
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Where runs start
    #[command(flatten)]
    pub entry: crate::entry::EntryArgs,
    /// Check these formulas: a file, or the text itself. Conditions compare as C does (see docs/LANGUAGE.md)
    #[arg(long, value_name = "FILE|TEXT", help_heading = "Formulas")]
    pub ctl: Option<String>,
    /// Only the formula with this number, from 1
    #[arg(long, value_name = "NUMBER", requires = "ctl", help_heading = "Formulas")]
    pub only: Option<usize>,
    /// What a step between states is
    #[arg(long, value_enum, default_value = "globals", value_name = "WHAT", help_heading = "Formulas")]
    pub states: StatesArgument,
    /// Show which level decided, at which cost
    #[arg(long, help_heading = "Formulas")]
    pub levels: bool,
    /// Do not pass what stays open on to the engines of `verify`
    #[arg(long, help_heading = "Formulas")]
    pub alone: bool,
    /// Most states to explore per formula
    #[arg(long, default_value_t = 40_000, value_name = "NUMBER", help_heading = "Formulas")]
    pub most_states: usize,
    /// At a call of a function without a body
    #[arg(long, value_enum, default_value = "nondet", value_name = "WHAT", help_heading = "Analysis")]
    pub missing: MissingArgument,
    /// Take inputs from this test-case file
    #[arg(long, value_name = "FILE", help_heading = "Analysis")]
    pub testcases: Option<PathBuf>,
    /// How closely to look: 0 (quick) to 5, or `auto`: again and closer as long as something stays open
    #[arg(long, default_value = "auto", value_name = "LEVEL", value_parser = level, help_heading = "Analysis")]
    pub precision: Level,
    /// Pass what stays open on to the engines of `verify`, for so long in all
    #[arg(long, num_args = 0..=1, default_missing_value = "20s", value_name = "TIME", value_parser = crate::units::duration,
        conflicts_with = "ctl", help_heading = "Analysis")]
    pub go_on: Option<Duration>,
    /// Show the values of the variables in scope after this line
    #[arg(long, value_name = "LINE", help_heading = "Analysis")]
    pub at: Option<u32>,
    /// Show the values of this variable
    #[arg(long, value_name = "NAME", help_heading = "Analysis")]
    pub variable: Option<String>,
    /// Show the invariants at the heads of loops, as C expressions
    #[arg(long, help_heading = "Analysis")]
    pub invariants: bool,
    /// Ranges kept apart per variable
    #[arg(long, default_value_t = 5, value_name = "NUMBER", help_heading = "Analysis")]
    pub intervals: usize,
    /// Which domains take part
    #[arg(long, value_enum, default_value = "both", value_name = "WHICH", help_heading = "Analysis")]
    pub domain: DomainArgument,
    /// At signed overflow
    #[arg(long, value_enum, default_value = "stop", value_name = "WHAT", help_heading = "Analysis")]
    pub on_overflow: OverflowArgument,
    /// Show the source with the values per line
    #[arg(long, conflicts_with_all = ["ctl", "at", "variable", "invariants"], help_heading = "Output")]
    pub annotate: bool,
    /// Do not show the warnings that this file accepts
    #[arg(long, value_name = "FILE", conflicts_with = "ctl", help_heading = "Output")]
    pub baseline: Option<PathBuf>,
    /// Write a file that accepts all warnings there are now
    #[arg(long, value_name = "FILE", conflicts_with = "ctl", help_heading = "Output")]
    pub write_baseline: Option<PathBuf>,
    /// Write a page of HTML that shows the answers, and opens from disk
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// Also list what is excluded
    #[arg(long, help_heading = "Output")]
    pub all: bool,
}

/// Of the lines of a function: what its variables can hold there; nothing where no run comes.
pub fn lines_of(
    program: &Program,
    procedure: program::ProcedureId,
    budget: &Budget,
) -> Result<std::collections::BTreeMap<u32, Option<String>>, base::Exhausted> {
    let settings = Settings::default();
    let analysis = analyse(program, &settings, budget)?;
    let mut lines = std::collections::BTreeMap::new();
    for (_, node, line) in show::places(&analysis, None).into_iter().filter(|(own, ..)| *own == procedure) {
        if analysis.at(procedure, node).is_none() {
            lines.insert(line, None);
            continue;
        }
        let values = show::values_at(&analysis, procedure, node, None).into_iter();
        let own = values.filter(|(id, ..)| program.variables[*id].procedure == Some(procedure));
        let text: Vec<String> = own
            .map(|(id, value, _)| format!("{} = {}", program.variables[id].name, show::value_text(&value)))
            .collect();
        if !text.is_empty() {
            lines.insert(line, Some(text.join(", ")));
        }
    }
    Ok(lines)
}

/// Analyses the program.
pub fn analyze(
    program: &Program,
    arguments: &AnalyzeArgs,
    common: &Common,
    budget: &Budget,
) -> Result<Exit, Exit> {
    let refused = |message: String| complain(&message);
    objections(program, arguments).map_err(refused)?;
    let tests = arguments.testcases.as_deref().map(read_tests).transpose().map_err(refused)?;
    let tests = tests.unwrap_or_default();
    fits(&tests, program).map_err(refused)?;
    let settings = Settings {
        overflow: match arguments.on_overflow {
            OverflowArgument::Stop => Overflow::Stops,
            OverflowArgument::Wrap => Overflow::Wraps,
        },
        interval_cap: arguments.intervals,
        domain: match arguments.domain {
            DomainArgument::Intervals => Domain::Intervals,
            DomainArgument::Octagons => Domain::Octagons,
            DomainArgument::Both => Domain::Both,
        },
        // Formulas and test cases speak of programs that get what they read.
        reads: if arguments.ctl.is_some() || !tests.is_empty() { Reads::Deliver } else { Reads::MayFail },
        tests,
        missing: missing(arguments),
        ..Settings::default()
    };
    let status = StatusLine::new(common);
    let count = program.procedures.iter().filter(|one| one.body.is_some()).count();
    status.begin("intervals", format!("values in {count} functions"));
    let levels = match arguments.precision {
        // Formulas explore states on their own.
        Level::Auto if arguments.ctl.is_some() => vec![settings.clone()],
        Level::Auto => usual_levels(&settings),
        // Blocks that are counted would never come back to a state that was met.
        Level::Only(level) if arguments.ctl.is_some() => {
            vec![Settings {
                precision: Precision { blocks: 0, ..Precision::level(level) },
                ..settings.clone()
            }]
        }
        Level::Only(level) => vec![Settings { precision: Precision::level(level), ..settings.clone() }],
    };
    let analysis =
        analyse_closely(program, &levels, budget).map_err(|limit| common.last_word.undecided(limit))?;
    status.clear();
    if let Some(text) = &arguments.ctl {
        return formulas::check(text, &analysis, &settings, arguments, common, budget);
    }
    let mut claims = claims::of(&analysis);
    let asked = match arguments.go_on {
        Some(time) => {
            status.begin("going on", "what stays open goes to the engines of `verify`".to_owned());
            let asked = going_on::go_on(&analysis, &mut claims, &budget.clone().with_time(time), &status);
            status.clear();
            asked
        }
        None => Vec::new(),
    };
    if let Some(file) = &arguments.write_baseline {
        let text = baseline::written(program, &claims);
        std::fs::write(file, text).map_err(|error| complain(&format!("{}: {error}", file.display())))?;
    }
    if let Some(file) = &arguments.baseline {
        baseline::accept(file, program, &mut claims).map_err(refused)?;
    }
    if let Some(file) = &arguments.report {
        let text = show::report(
            &analysis,
            &claims,
            &asked,
            arguments,
            &Common { color: crate::cli::ColourArgument::Never, ..common.clone() },
        );
        let mut page = crate::report::values::of_analyze(&analysis, &claims, &arguments.files, common, &text);
        crate::report::add_times(&mut page, &status);
        crate::report::write(file, &page)?;
    }
    let text = match common.format {
        Format::Human if arguments.annotate => show::annotated(&analysis, &arguments.files),
        Format::Human => show::report(&analysis, &claims, &asked, arguments, common),
        Format::Json => machine::json(&analysis, &claims, &asked, arguments),
        Format::Sarif => machine::sarif(&analysis, &claims),
    };
    common.last_word.withdraw();
    let is_only_shown =
        arguments.at.is_some() || arguments.variable.is_some() || arguments.invariants || arguments.annotate;
    let exit = if is_only_shown { Exit::Holds } else { claims::together(&analysis, &claims).exit() };
    Ok(output::finish(&text, exit))
}

/// What the options ask for that the program does not have.
fn objections(program: &Program, arguments: &AnalyzeArgs) -> Result<(), String> {
    if program.main.is_none() {
        return Err(
            "there is no `main`, so no run to analyse: name the function to start with by --function".into(),
        );
    }
    if let Some(name) = &arguments.variable {
        let is_named = |variable: &program::Variable| {
            &*variable.name == name.as_str()
                && !matches!(variable.kind, VariableKind::Temporary | VariableKind::StringLiteral)
        };
        if !program.variables.iter().any(is_named) {
            return Err(format!("the program has no variable `{name}`"));
        }
    }
    if let Some(line) = arguments.at {
        let users = program.procedures.iter().filter(|procedure| procedure.origin == Origin::User);
        let mut edges = users.filter_map(|procedure| procedure.body.as_ref()).flat_map(|body| &body.edges);
        let is_there =
            edges.any(|edge| program.sources.location(edge.span).is_some_and(|place| place.line == line));
        if !is_there {
            return Err(format!("there is no statement at line {line}"));
        }
    }
    Ok(())
}

/// What the test cases name must be there: variables, and an input for a variable at a line.
fn fits(tests: &TestCases, program: &Program) -> Result<(), String> {
    for name in tests.variables() {
        if !program.variables.iter().any(|variable| &*variable.name == name) {
            return Err(format!("the test cases name `{name}`, which the program does not have"));
        }
    }
    let line = |edge: &program::Edge| program.sources.location(edge.span).map(|place| place.line);
    let mut reads: Vec<u32> =
        program.edges().filter(|edge| may_read(program, edge)).filter_map(line).collect();
    reads.sort_unstable();
    reads.dedup();
    for sequence in tests.sequences() {
        if reads.binary_search(&sequence.line).is_err() {
            let lines: Vec<String> = reads.iter().map(u32::to_string).collect();
            let there = match lines.is_empty() {
                true => "the program reads nothing".to_owned(),
                false => format!("the program reads in {}", lines.join(", ")),
            };
            let name = &sequence.variable;
            return Err(format!(
                "the test cases give `{name}` values in line {}, where nothing is read: {there}",
                sequence.line
            ));
        }
    }
    Ok(())
}

/// Does the step take an input?
fn may_read(program: &Program, edge: &program::Edge) -> bool {
    use program::{Action, Callee, HavocSource, Known};
    match &edge.action {
        Action::Havoc { source: HavocSource::Input(_), .. } => true,
        Action::Call { callee: Callee::Direct(callee), .. } => {
            let known = program.procedures[*callee].known;
            matches!(known, Some(Known::Scanf | Known::Fscanf | Known::Sscanf))
        }
        _ => false,
    }
}

/// What functions without a body do.
fn missing(arguments: &AnalyzeArgs) -> MissingEffect {
    match arguments.missing {
        MissingArgument::Stop => MissingEffect::Stop,
        MissingArgument::Nondet => MissingEffect::Nondet,
        MissingArgument::Pure => MissingEffect::Pure,
    }
}

/// Is there inline assembly, which is supposed to change its outputs only?
fn has_asm(analysis: &Analysis<'_>) -> bool {
    analysis.program().assumptions.iter().any(|assumption| assumption.kind == AssumptionKind::InlineAsm)
}

/// How formulas see steps.
fn granularity(arguments: &AnalyzeArgs) -> Granularity {
    match arguments.states {
        StatesArgument::Statements => Granularity::Statements,
        StatesArgument::Globals => Granularity::Globals,
        StatesArgument::Labels => Granularity::Labels,
    }
}

fn read_tests(file: &Path) -> Result<TestCases, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut sources = base::SourceMap::new();
    let source = sources.add(&file.display().to_string(), text.as_str());
    let base = source.map_or(0, |id| sources.source(id).base());
    let (cases, diagnostics) = spec::testcase::parse(&text, base);
    if diagnostics.has_errors() {
        let all =
            diagnostics.iter().map(|one| base::render::render(one, &sources, base::render::Colour::Never));
        return Err(all.collect::<Vec<_>>().join("\n"));
    }
    Ok(TestCases::from(&cases))
}
