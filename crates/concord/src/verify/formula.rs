//! Temporal formulas about the runs of one program, as the command line and files write them.

use crate::cli::Common;
use crate::exit::Exit;
use crate::load;
use base::{Diagnostic, SourceMap};
use clap::{Args, ValueEnum};
use program::Program;
use question::{FiniteRuns, Temporal};
use std::path::Path;
use temporal::{Asked, Trouble, text};

/// What runs that end mean to a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FiniteRunsArgument {
    /// They count: after the last position there is no next one
    Count,
    /// They count, and their last position lasts for ever
    Repeat,
    /// They do not count
    Ignore,
}

impl From<FiniteRunsArgument> for FiniteRuns {
    fn from(argument: FiniteRunsArgument) -> FiniteRuns {
        match argument {
            FiniteRunsArgument::Count => FiniteRuns::Count,
            FiniteRunsArgument::Repeat => FiniteRuns::Repeat,
            FiniteRunsArgument::Ignore => FiniteRuns::Ignore,
        }
    }
}

/// Which formula is asked.
#[derive(Clone, Debug, Default, Args)]
pub struct FormulaArgs {
    /// Does every run satisfy this formula? Atoms: conditions over global variables in double quotes, `call(f)`,
    /// `return(f)`, `at(LABEL)`; operators: ! && || -> <-> X F G U W R
    #[arg(long, value_name = "FORMULA", group = "temporal", conflicts_with_all = ["property", "label", "checks", "ends"])]
    pub ltl: Option<String>,
    /// Whenever the first condition holds, does the second come? `p -> q` is `G(p -> F q)`
    #[arg(long, value_name = "P -> Q", group = "temporal", conflicts_with_all = ["property", "label", "checks", "ends"])]
    pub responds: Option<String>,
    /// Does the second condition never hold before the first? `a, b` is `!b W a`
    #[arg(long, value_name = "A, B", group = "temporal", conflicts_with_all = ["property", "label", "checks", "ends"])]
    pub precedes: Option<String>,
    /// Does the condition hold again and again? `G F p`
    #[arg(long, value_name = "P", group = "temporal", conflicts_with_all = ["property", "label", "checks", "ends"])]
    pub recurs: Option<String>,
    /// The formula of the annotation `//@ ltl invariant NAME: FORMULA;` in the file
    #[arg(long, group = "temporal", conflicts_with_all = ["property", "label", "checks", "ends"])]
    pub annotation: bool,
    /// What runs that end mean to a formula [default: count; of property files and annotations: repeat]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub finite_runs: Option<FiniteRunsArgument>,
}

impl FormulaArgs {
    /// What is asked of the program in these files, if a formula is.
    pub fn asked(&self, files: &[impl AsRef<Path>]) -> Result<Option<Temporal>, String> {
        let shape = |formula: Option<String>, option: &str, form: &str| {
            formula.ok_or_else(|| format!("--{option} is written `{form}`"))
        };
        let mut usual = FiniteRuns::Count;
        let formula = if let Some(formula) = &self.ltl {
            formula.clone()
        } else if let Some(text) = &self.responds {
            shape(text::responds(text), "responds", "condition -> condition")?
        } else if let Some(text) = &self.precedes {
            shape(text::precedes(text), "precedes", "condition, condition")?
        } else if let Some(text) = &self.recurs {
            text::recurs(text)
        } else if self.annotation {
            usual = FiniteRuns::Repeat;
            annotation(files)?
        } else {
            return Ok(None);
        };
        Ok(Some(Temporal { formula, finite_runs: self.finite_runs.map_or(usual, FiniteRuns::from) }))
    }
}

/// The one annotation of the files.
fn annotation(files: &[impl AsRef<Path>]) -> Result<String, String> {
    let mut found = Vec::new();
    for file in files {
        let file = file.as_ref();
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("{}: cannot be read: {error}", file.display()))?;
        found.extend(text::annotations(&text));
    }
    match found.len() {
        0 => Err("there is no annotation `//@ ltl invariant NAME: FORMULA;`".to_owned()),
        1 => Ok(found.remove(0).1),
        _ => {
            let names: Vec<String> = found.into_iter().map(|(name, _)| format!("`{name}`")).collect();
            Err(format!("there are several annotations ({}): ask for one with --ltl", names.join(", ")))
        }
    }
}

/// Refuses a formula that cannot be read.
pub fn check_text(temporal: &Temporal, common: &Common) -> Result<(), Exit> {
    text::read(&temporal.formula).map(drop).map_err(|trouble| refused(temporal, &trouble, common))
}

/// Refuses a formula that speaks of what the program does not have.
pub fn check(program: &Program, temporal: &Temporal, common: &Common) -> Result<(), Exit> {
    match Asked::of(program, temporal) {
        Err(Trouble::Wrong(trouble)) => Err(refused(temporal, &trouble, common)),
        Ok(_) | Err(Trouble::Beyond(_)) => Ok(()),
    }
}

fn refused(temporal: &Temporal, trouble: &Diagnostic, common: &Common) -> Exit {
    let mut sources = SourceMap::new();
    match sources.add("formula", temporal.formula.as_str()) {
        Some(id) => {
            // Places in the formula count from its beginning.
            let before = sources.source(id).base();
            let span = base::Span::new(trouble.span.start + before, trouble.span.end + before);
            let trouble = Diagnostic { span, ..trouble.clone() };
            load::tell(&base::render::render(&trouble, &sources, common.colour()));
        }
        None => load::tell(&format!("the formula: {}", trouble.message)),
    }
    Exit::BadInput
}
