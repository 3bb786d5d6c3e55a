//! The command line's grammar: verbs, the options all of them share, and their help.

use crate::bool as boolean;
use crate::last_word::LastWord;
use crate::{analyze, audit, check, doctor, draw, explore, model, prove, run, units, verify};
use base::Budget;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use csource::preprocess::Flag;
use csource::types::DataModel;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
Examples:
  concord verify prog.c                                can an assertion fail?
  concord check server.c+server.spec system.spec       do components agree with a specification?
  concord analyze prog.c --ctl 'AG(level >= 0)'        what values can it have? does a formula hold?
  concord model examples/models/bounded_buffer.lts     check a finite model
  concord bool prog.bp --threads unbounded             can a Boolean program fail?
  concord run examples/ring_buffer/ring_buffer.c       run a program, stop at undefined behaviour
  concord draw cfg --function main prog.c -o main.svg  draw a control-flow graph
  concord explore examples/models/bounded_buffer.lts   walk through it in the browser
  concord prove                                        all questions of a project; unchanged ones in no time
  concord doctor                                       is everything here that Concord needs?

Exit status: 0 holds, 1 violated, 2 usage, 3 undecided, 4 bad input, 5 internal error,
or results that cannot be written.
`run` exits with the status of the program it ran, if that ended by itself.";

/// Concord checks that programs agree with what was promised about them.
#[derive(Debug, Parser)]
#[command(name = "concord", version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Cli {
    /// What every verb understands.
    #[command(flatten)]
    pub common: Common,
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// What Concord can do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Run a C program on real values and stop with a report where its behaviour is undefined
    #[command(after_help = run::EXAMPLES)]
    Run(run::RunArgs),
    /// Draw control-flow graphs, the call graph or what pointers point to
    #[command(after_help = draw::EXAMPLES)]
    Draw(draw::DrawArgs),
    /// What values can a C program have? What can go wrong, abstract tests, CTL formulas
    #[command(after_help = analyze::EXAMPLES)]
    Analyze(analyze::AnalyzeArgs),
    /// Check C components against specifications: conformance, state/event formulas, deadlock
    #[command(after_help = check::EXAMPLES)]
    Check(check::CheckArgs),
    /// Can a C program fail? Assertions, error functions and labels, with the run that shows it
    #[command(after_help = verify::after_help())]
    Verify(verify::VerifyArgs),
    /// Check the certificate of a proof again, with nothing of what found it
    #[command(after_help = audit::EXAMPLES)]
    Audit(audit::AuditArgs),
    /// Check finite models: deadlock, safety, progress, state/event formulas, conformance, equivalence
    #[command(after_help = model::EXAMPLES)]
    Model(model::ModelArgs),
    /// Check Boolean programs, thread transition systems and nets: can an assertion fail, an error be
    /// reached?
    #[command(after_help = boolean::EXAMPLES)]
    Bool(boolean::BoolArgs),
    /// Walk through a model or run a C program step by step, in the browser
    #[command(after_help = explore::EXAMPLES)]
    Explore(explore::ExploreArgs),
    /// Answer all questions of a project (concord.toml) that are not known to hold
    #[command(after_help = prove::EXAMPLES)]
    Prove(prove::ProveArgs),
    /// Write a first concord.toml from what is found in a directory
    Init(prove::InitArgs),
    /// Check that everything Concord needs is here and works
    #[command(after_help = doctor::EXAMPLES)]
    Doctor(doctor::DoctorArgs),
    /// Write a completion script for a shell
    #[command(hide = true)]
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual page
    #[command(hide = true)]
    Man,
}

/// The values of `--engine`: `auto`, and the engines of a table, each with what it says of itself.
pub fn engine_values(
    engines: impl IntoIterator<Item = (&'static str, &'static str)>,
) -> clap::builder::PossibleValuesParser {
    let auto = ("auto", "Chosen for the question, and said why");
    let values = std::iter::once(auto).chain(engines);
    clap::builder::PossibleValuesParser::new(
        values.map(|(name, help)| clap::builder::PossibleValue::new(name).help(help)),
    )
}

/// Sizes of `long` and pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DataModelArgument {
    /// 32-bit int, long and pointers
    Ilp32,
    /// 64-bit long and pointers
    Lp64,
}

impl From<DataModelArgument> for DataModel {
    fn from(argument: DataModelArgument) -> DataModel {
        match argument {
            DataModelArgument::Ilp32 => DataModel::Ilp32,
            DataModelArgument::Lp64 => DataModel::Lp64,
        }
    }
}

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Human,
    /// Versioned JSON
    Json,
    /// SARIF, for tools that show findings
    Sarif,
}

/// When messages are coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColourArgument {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Options every verb understands.
#[derive(Clone, Debug, Args)]
pub struct Common {
    /// Sizes of long and pointers [default: lp64]
    #[arg(long, global = true, value_enum, value_name = "MODEL", help_heading = "Reading C")]
    pub data_model: Option<DataModelArgument>,
    /// Look for headers in this directory
    #[arg(short = 'I', global = true, value_name = "DIR", help_heading = "Reading C")]
    pub include_directories: Vec<PathBuf>,
    /// Define a macro
    #[arg(short = 'D', global = true, value_name = "NAME[=VALUE]", help_heading = "Reading C")]
    pub defines: Vec<String>,
    /// Undefine a macro
    #[arg(short = 'U', global = true, value_name = "NAME", help_heading = "Reading C")]
    pub undefines: Vec<String>,
    /// Include a file before everything else (also -include)
    #[arg(long = "include", global = true, value_name = "FILE", help_heading = "Reading C")]
    pub include_files: Vec<PathBuf>,
    /// Look for system headers in this directory (also -isystem)
    #[arg(long = "isystem", global = true, value_name = "DIR", help_heading = "Reading C")]
    pub system_directories: Vec<PathBuf>,
    /// The C standard for the preprocessor, such as gnu11 (also -std)
    #[arg(long = "std", global = true, value_name = "NAME", help_heading = "Reading C")]
    pub standard: Option<String>,
    /// Take files and their options from a compile_commands.json
    #[arg(long, global = true, value_name = "FILE", help_heading = "Reading C")]
    pub compile_commands: Option<PathBuf>,
    /// Stop after this time, such as 90s or 5m
    #[arg(long, global = true, value_name = "TIME", value_parser = units::duration, help_heading = "Limits")]
    pub time_limit: Option<Duration>,
    /// Stop when this much memory is used, such as 2G
    #[arg(long, global = true, value_name = "SIZE", value_parser = units::bytes, help_heading = "Limits")]
    pub memory_limit: Option<u64>,
    /// How results are written
    #[arg(long, global = true, value_enum, default_value = "human", help_heading = "Output")]
    pub format: Format,
    /// When messages are coloured
    #[arg(
        long,
        global = true,
        value_enum,
        default_value = "auto",
        value_name = "WHEN",
        help_heading = "Output"
    )]
    pub color: ColourArgument,
    /// Only the verdicts: no details, no warnings, no progress
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = "Output")]
    pub quiet: bool,
    /// Say more: warnings of headers, assumptions, times
    #[arg(short, long, global = true, help_heading = "Output")]
    pub verbose: bool,
    /// The preprocessor's flags in the order they were given.
    #[arg(skip)]
    pub flags: Vec<Flag>,
    /// What is said if a limit is passed.
    #[arg(skip)]
    pub last_word: LastWord,
}

impl Common {
    /// The limits of the run, which began at `started`.
    pub fn budget(&self, started: Instant) -> Budget {
        let mut budget = Budget::unlimited();
        if let Some(end) = self.time_limit.and_then(|time| started.checked_add(time)) {
            budget = budget.until(end);
        }
        if let Some(bytes) = self.memory_limit {
            budget = budget.with_memory(bytes);
        }
        budget
    }

    /// Should text for standard error be coloured?
    pub fn colour(&self) -> base::render::Colour {
        use std::io::IsTerminal;
        let is_wanted = match self.color {
            ColourArgument::Always => true,
            ColourArgument::Never => false,
            ColourArgument::Auto => std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        };
        if is_wanted { base::render::Colour::Always } else { base::render::Colour::Never }
    }
}

/// Parses the process's command line; on a wrong one, or for `--help`, ends the process as clap does (status
/// 2 or 0).
pub fn parse() -> Cli {
    let matches = Cli::command().get_matches_from(with_long_names(std::env::args_os()));
    let mut cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let verb_matches = matches.subcommand().map_or(&matches, |(_, matches)| matches);
    cli.common.flags = flags_in_order(&cli.common, verb_matches);
    cli
}

/// The same for words that stand in a file.
pub fn of_words(words: &[String]) -> Result<Cli, clap::Error> {
    let words = ["concord".into()].into_iter().chain(words.iter().map(OsString::from));
    let matches = Cli::command().try_get_matches_from(with_long_names(words))?;
    let mut cli = Cli::from_arg_matches(&matches)?;
    let verb_matches = matches.subcommand().map_or(&matches, |(_, matches)| matches);
    cli.common.flags = flags_in_order(&cli.common, verb_matches);
    Ok(cli)
}

/// Compilers spell some long options with one dash, which would be read as `-I nclude` here.
fn with_long_names(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut is_option = true;
    arguments
        .map(|argument| {
            is_option &= argument != "--";
            match argument.to_str() {
                Some("-include") if is_option => "--include".into(),
                Some("-isystem") if is_option => "--isystem".into(),
                Some(text) if is_option && text.starts_with("-std=") => format!("-{text}").into(),
                _ => argument,
            }
        })
        .collect()
}

/// `-D` and `-U` of one name undo each other, so their order matters.
fn flags_in_order(common: &Common, matches: &ArgMatches) -> Vec<Flag> {
    let mut flags: Vec<(usize, Flag)> = Vec::new();
    let mut add = |id: &str, values: Vec<Flag>| {
        flags.extend(matches.indices_of(id).into_iter().flatten().zip(values));
    };
    let paths = |paths: &[PathBuf], flag: fn(PathBuf) -> Flag| paths.iter().cloned().map(flag).collect();
    add("include_directories", paths(&common.include_directories, Flag::IncludeDirectory));
    add("include_files", paths(&common.include_files, Flag::IncludeFile));
    add("system_directories", paths(&common.system_directories, Flag::SystemDirectory));
    add("defines", common.defines.iter().cloned().map(Flag::Define).collect());
    add("undefines", common.undefines.iter().cloned().map(Flag::Undefine).collect());
    add("standard", common.standard.iter().cloned().map(Flag::Standard).collect());
    flags.sort_by_key(|(index, _)| *index);
    flags.into_iter().map(|(_, flag)| flag).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Cli {
        let words: Vec<String> = arguments.iter().skip(1).map(|&text| text.to_owned()).collect();
        of_words(&words).expect("valid")
    }

    #[test]
    fn the_grammar_has_no_contradiction() {
        Cli::command().debug_assert();
    }

    #[test]
    fn preprocessor_flags_keep_their_order() {
        let cli =
            parsed(&["concord", "run", "-DA=1", "a.c", "-UA", "-include", "x.h", "-D", "A", "-std=gnu99"]);
        assert_eq!(
            cli.common.flags,
            [
                Flag::Define("A=1".into()),
                Flag::Undefine("A".into()),
                Flag::IncludeFile("x.h".into()),
                Flag::Define("A".into()),
                Flag::Standard("gnu99".into()),
            ]
        );
    }

    #[test]
    fn options_may_stand_before_the_verb() {
        let cli = parsed(&["concord", "--data-model", "ilp32", "-Iinc", "run", "a.c"]);
        assert_eq!(cli.common.data_model, Some(DataModelArgument::Ilp32));
        assert_eq!(cli.common.flags, [Flag::IncludeDirectory("inc".into())]);
    }
}
