//! `concord explore`: the page of a report, served to the own browser, with what needs the program: a model is walked by
//! choosing actions, a C program is run with chosen inputs, a formula is asked.
//!
//! Reading order: this file (the command line) → `server` (who may ask, and how) → `model`, `program` (what can be
//! asked).

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

The address that is shown is of this machine only and has a key in it: who does not know it gets nothing.
Ctrl-C ends it.";

/// What the user wants to explore.
#[derive(Clone, Debug, Args)]
pub struct ExploreArgs {
    /// Models (.lts, .spec, .aut), or the C files of a program
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Where runs of a C program start
    #[command(flatten)]
    pub entry: EntryArgs,
    /// Listen at this port [default: one that is free]
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub port: u16,
}

/// Serves until the user ends it.
pub fn explore(arguments: &ExploreArgs, common: &Common, budget: &Budget) -> Result<Exit, Exit> {
    let is_c = |file: &Path| file.extension().is_some_and(|ending| ending == "c" || ending == "i");
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
