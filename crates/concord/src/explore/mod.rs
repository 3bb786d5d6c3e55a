//! `concord explore`: the page of a report, served to the own browser, with what needs the program: a model is walked by
//! choosing actions, a C program is run with chosen inputs, a formula is asked.
//!
//! Reading order: this file (the command line) → `server` (who may ask, and how) → `model`, `boolean`, `program` (what
//! can be asked).

mod boolean;
mod model;
mod program;
mod server;

use crate::cli::Common;
use crate::entry::EntryArgs;
use crate::exit::Exit;
use crate::load::{complain, wrong_use};
use base::Budget;
use clap::Args;
use server::{Asked, Reply, Server};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Shown below the help.
pub const EXAMPLES: &str = "\
Examples:
  concord explore examples/models/dining_philosophers.lts    walk a model, action by action
  concord explore prog.c                                      run a program with inputs of your choice
  concord explore driver.bp --boolean-threads 2               walk a Boolean program, step by step

The address that is shown is of this machine only and has a key in it: who does not know it gets nothing.
Ctrl-C ends it.";

/// What the user wants to explore.
#[derive(Clone, Debug, Args)]
pub struct ExploreArgs {
    /// Models (.lts, .spec, .aut), a Boolean program (.bp), or the C files of a program
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Where runs of a C program start
    #[command(flatten)]
    pub entry: EntryArgs,
    /// At most so many threads of a Boolean program [default: as many as it starts; it is one of `main` if it
    /// starts none]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub boolean_threads: Option<u32>,
    /// Listen at this port [default: one that is free]
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub port: u16,
}

/// Serves until the user ends it.
pub fn explore(arguments: &ExploreArgs, common: &Common, budget: &Budget) -> Result<Exit, Exit> {
    let is_c = |file: &Path| file.extension().is_some_and(|ending| ending == "c" || ending == "i");
    let is_boolean = |file: &Path| file.extension().is_some_and(|ending| ending == "bp");
    match &arguments.files[..] {
        [file] if is_boolean(file) => return boolean::explore(arguments, common, budget),
        files if files.iter().any(|file| is_boolean(file)) => {
            return Err(wrong_use("a Boolean program is explored by itself: name that one file only"));
        }
        _ => {}
    }
    let count = arguments.files.iter().filter(|file| is_c(file)).count();
    match count {
        0 => model::explore(arguments, common, budget),
        _ if count == arguments.files.len() => program::explore(arguments, common, budget),
        _ => Err(wrong_use("either models or C files can be explored, not both at once")),
    }
}

/// Serves a page and what it asks.
fn serve(
    port: u16,
    page: String,
    budget: &Budget,
    mut answer: impl FnMut(&str, &serde_json::Value) -> Result<serde_json::Value, String>,
) -> Result<Exit, Exit> {
    let server = Server::listen(port)
        .map_err(|error| complain(&format!("no page can be served on this machine: {error}")))?;
    crate::output::write_results(&format!("explore it at {}\nCtrl-C ends it\n", server.address()))?;
    let is_over = || budget.cancellation().load(Ordering::Relaxed) || budget.check().is_err();
    server
        .serve(is_over, |asked| match asked {
            Asked::Page => Reply::Page(page.clone()),
            Asked::Question(name, body) => match answer(&name, &body) {
                Ok(value) => Reply::Answer(value),
                Err(why) => Reply::Wrong(why),
            },
        })
        .map_err(|error| complain(&format!("the page cannot be served any more: {error}")))?;
    Ok(Exit::Holds)
}

/// Longer walks are refused.
const MOST_STEPS: usize = 5000;
/// Steps of one random walk.
const MOST_RANDOM: u64 = 1000;

/// The numbers under a name of a question: choices that were made.
fn numbers(body: &serde_json::Value, name: &str) -> Result<Vec<u64>, String> {
    let all = body[name].as_array().ok_or_else(|| format!("`{name}` is missing"))?;
    if all.len() > MOST_STEPS {
        return Err(format!("a walk has at most {MOST_STEPS} steps"));
    }
    let all: Option<Vec<u64>> = all.iter().map(serde_json::Value::as_u64).collect();
    all.ok_or_else(|| format!("`{name}` must be a list of numbers"))
}

/// What is possible after a step; a choice names one by its number, or by its words.
fn chosen(token: &str, ways: &[String]) -> Result<usize, String> {
    let by_number = token.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let found = ways.iter().position(|way| way == token).or(by_number.filter(|&at| at < ways.len()));
    found.ok_or_else(|| format!("`{token}` is not possible here, only {}", ways.join(", ")))
}

/// The steps of a walk that was typed in: separated by commas or line breaks.
fn replayed(body: &serde_json::Value) -> Result<Vec<String>, String> {
    let Some(text) = body["replay"].as_str() else { return Ok(Vec::new()) };
    let steps: Vec<String> =
        text.split([',', '\n']).map(str::trim).filter(|one| !one.is_empty()).map(str::to_owned).collect();
    match steps.len() > MOST_STEPS {
        true => Err(format!("a walk has at most {MOST_STEPS} steps")),
        false => Ok(steps),
    }
}
