//! Measures the `logic` crate, and z3 as a process beside it, in one run.
//!
//!     cargo run --release -p bench-logic                        everything
//!     cargo run --release -p bench-logic -- transitions DIR     all solutions on transitions from *.smt2 files
//!     cargo run --release -p bench-logic -- lowered [FILES]     all solutions on transitions from lowered C
//!     cargo run --release -p bench-logic -- deep-terms COUNT    random terms, three readings each
// A command line of its own: printing is its purpose.
#![allow(clippy::print_stdout)]

mod dag;
mod diagrams;
mod lowered;
mod minima;
mod queries;
mod solutions;
mod table;
mod terms;
mod transitions;

use logic::{ProcessSolver, SolverCommand};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [] => {
            let z3 = find_z3();
            queries::measure(z3.as_ref());
            solutions::measure(&transitions::built_in(), "built-in transitions", z3.as_ref());
            match lowered::from_c_files(&lowered::usual_files()) {
                Ok(set) => solutions::measure(&set, "transitions of lowered C", z3.as_ref()),
                Err(what) => println!("no transitions of lowered C: {what}"),
            }
            diagrams::measure();
            minima::measure(z3.as_ref());
            dag::measure();
            ExitCode::SUCCESS
        }
        ["queries"] => {
            queries::measure(find_z3().as_ref());
            ExitCode::SUCCESS
        }
        ["solutions"] => {
            solutions::measure(&transitions::built_in(), "built-in transitions", find_z3().as_ref());
            ExitCode::SUCCESS
        }
        ["diagrams"] => {
            diagrams::measure();
            ExitCode::SUCCESS
        }
        ["minima"] => {
            minima::measure(find_z3().as_ref());
            ExitCode::SUCCESS
        }
        ["dag"] => {
            dag::measure();
            ExitCode::SUCCESS
        }
        ["transitions", directory] => measured(transitions::from_directory(directory), directory),
        ["lowered"] => measured(lowered::from_c_files(&lowered::usual_files()), "transitions of lowered C"),
        ["lowered", ..] => measured(lowered::from_c_files(&arguments[1..]), "transitions of lowered C"),
        ["deep-terms", count] => match count.parse() {
            Ok(count) => terms::measure(count),
            Err(_) => usage(),
        },
        _ => usage(),
    }
}

fn measured(set: Result<transitions::TransitionSet, String>, name: &str) -> ExitCode {
    match set {
        Ok(set) => {
            solutions::measure(&set, name, find_z3().as_ref());
            ExitCode::SUCCESS
        }
        Err(what) => {
            println!("{what}");
            ExitCode::from(4)
        }
    }
}

fn usage() -> ExitCode {
    println!(
        "usage: bench-logic [queries|solutions|diagrams|minima|dag|transitions DIRECTORY|lowered [FILES]|deep-terms COUNT]"
    );
    ExitCode::from(2)
}

/// z3, if it is installed.
fn find_z3() -> Option<SolverCommand> {
    let command = SolverCommand::parse("z3")?;
    match ProcessSolver::new(command.clone()).version(&base::Budget::unlimited()) {
        Ok(version) => {
            println!("beside it: {version}, as a process");
            Some(command)
        }
        Err(reason) => {
            println!("z3 is absent, so nothing stands beside our own figures: {reason}");
            None
        }
    }
}
