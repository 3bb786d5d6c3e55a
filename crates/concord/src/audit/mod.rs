//! `concord audit`: does the certificate of a proof stand up to a second look? And the witness of another tool (`witness`)?

mod execute;
mod witness;

use crate::cli::{Common, DataModelArgument, Format};
use crate::exit::Exit;
use crate::load::{complain, load_with_entry};
use crate::output;
use crate::progress::StatusLine;
use ::audit::{Claim, Settings};
use base::Budget;
use cegar::Property;
use clap::Args;
use evidence::{CertificateFile, ThreadsAsOne};
use logic::SolverCommand;
use program::Program;
use question::{Judgement, Temporal};
use serde_json::json;
use std::path::{Path, PathBuf};
use temporal::{Asked, Product, Trouble};

/// Shown below the help.
pub const EXAMPLES: &str = "\
Examples:
  concord verify prog.c --certificate prog.json       prove, and write down what the proof rests on
  concord audit prog.json prog.c                      check it again, with nothing of what found it
  concord audit prog.json prog.c --solver-command z3  and ask another solver as well
  concord audit prog.json prog.c --execute 100        and compile the program and run it on 100 inputs
  concord audit witness.yml prog.c                    check a witness of any tool (SV-COMP format 2.0)

Exit status: 0 accepted, 1 refuted, 3 open, 4 bad input. Without --solver-command, z3 is asked too if it is there.";

/// Arguments of `audit`.
#[derive(Clone, Debug, Args)]
pub struct AuditArgs {
    /// The certificate, or a witness (.yml)
    #[arg(value_name = "CERTIFICATE")]
    pub certificate: PathBuf,
    /// The C files it is for
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// A second solver that reads SMT-LIB 2, with its arguments; `none` for none
    #[arg(long, value_name = "COMMAND")]
    pub solver_command: Option<String>,
    /// Also compile the program with sanitizers and the certificate's conditions as assertions, and run it on
    /// so many inputs. This runs the program
    #[arg(long, value_name = "NUMBER")]
    pub execute: Option<u32>,
}

/// Reads the certificate and the program it is for, looks at it again, and says what came of it.
pub fn audit(arguments: &AuditArgs, common: &Common, budget: &Budget) -> Result<Exit, Exit> {
    if witness::is_witness(&arguments.certificate) {
        return witness::audit(arguments, common, budget);
    }
    let path = arguments.certificate.display();
    let unreadable = |file: &Path, error| complain(&format!("{}: cannot be read: {error}", file.display()));
    let refuse = |message: String| Err(complain(&message));
    let text = std::fs::read_to_string(&arguments.certificate)
        .map_err(|error| unreadable(&arguments.certificate, error))?;
    let certificate = CertificateFile::read(&text).map_err(|why| complain(&format!("{path}: {why}")))?;
    let task = &certificate.task;
    if task.files.len() != arguments.files.len() {
        return refuse(format!("{path} is for {} files, not {}", task.files.len(), arguments.files.len()));
    }
    for (known, given) in task.files.iter().zip(&arguments.files) {
        let bytes = std::fs::read(given).map_err(|error| unreadable(given, error))?;
        if evidence::sha256(&bytes) != known.sha256 {
            return refuse(format!("{path} is for another text than that of {}", given.display()));
        }
    }
    let asked = common.data_model.map(program::DataModel::from);
    if asked.is_some_and(|asked| asked != task.data_model) {
        let own = task.data_model_name();
        return refuse(format!(
            "{path} is about the data model {own}: leave out --data-model, or give that one"
        ));
    }
    let mut common = common.clone();
    common.data_model = Some(match task.data_model {
        program::DataModel::Ilp32 => DataModelArgument::Ilp32,
        program::DataModel::Lp64 => DataModelArgument::Lp64,
    });
    let property = task.property.words();
    common.last_word.questions([property.clone()]);
    let program = load_with_entry(&arguments.files, &common, &task.lowering, budget)?;
    let program = match &task.threads {
        Some(made) => match as_one(&program, &task.property, made) {
            Ok(program) => program,
            Err(why) => return refuse(format!("{path}: {why}")),
        },
        None => program,
    };
    let asked = &task.property;
    if let Some(objection) = crate::verify::names::objection(&program, asked) {
        return refuse(format!("{path}: {objection}"));
    }
    // The program times the automaton is made again.
    let product = asked.temporal.as_ref().map(|temporal| product_of(&program, temporal, budget)).transpose();
    let product = product.map_err(|why| complain(&format!("{path}: {why}")))?;
    let (program, asked) = match product {
        Some(product) => (product.program, product.property),
        None => (program, asked.clone()),
    };
    let second_solver = second_solver(arguments.solver_command.as_deref());
    let settings = Settings { second_solver, ..Settings::default() };
    let claim = Claim { property: &asked, missing: task.missing };
    let status = StatusLine::new(&common);
    status.begin("audit", property.clone());
    let mut report = ::audit::audit(&program, claim, &certificate.proof, &settings, budget);
    if asked.temporal.is_some() && arguments.execute.is_some() {
        return refuse("--execute says nothing about formulas".to_owned());
    }
    if task.threads.is_some() && arguments.execute.is_some() {
        return refuse("--execute runs programs with one thread only".to_owned());
    }
    if task.lowering.unknown_pointers == lower::UnknownPointers::Outside && arguments.execute.is_some() {
        return refuse(
            "--execute follows no pointers to memory that is only supposed to be there".to_owned(),
        );
    }
    let execute = |count| execute::execute(&program, &certificate, &arguments.files, &common, count, budget);
    let executed = arguments.execute.map(execute).transpose().map_err(|message| complain(&message))?;
    status.clear();
    if let Some(what) = executed.as_ref().and_then(|executed| executed.contradiction.clone()) {
        let why = format!("a compiled run contradicts it: {what}");
        report.judgement = Judgement::Refuted { why, at: base::Span::default() };
    }
    let (word, exit) = match &report.judgement {
        Judgement::Accepted => ("ACCEPTED", Exit::Holds),
        Judgement::Refuted { .. } => ("REFUTED", Exit::Violated),
        Judgement::Open { .. } => ("OPEN", Exit::Undecided),
    };
    let text = if common.format == Format::Json {
        let mut result = evidence::json::audit(&report);
        result["property"] = json!(property);
        if let Some(executed) = &executed {
            result["executed"] = executed.json();
        }
        if let Judgement::Refuted { at, .. } = &report.judgement {
            result["at"] = evidence::place::json(&program, *at);
        }
        evidence::json::document_with("audit", json!({ "audit": result }))
    } else {
        let at = match &report.judgement {
            Judgement::Refuted { at, .. } => evidence::place::at(&program, *at),
            _ => String::new(),
        };
        let runs = executed.as_ref().map_or_else(String::new, |executed| format!("  {}\n", executed.words()));
        format!("{word}: {property}\n  {}{at}\n{runs}", evidence::words::audit(&report))
    };
    common.last_word.withdraw();
    Ok(output::finish(&output::Look::wanted(&common).of(&text), exit))
}

/// The program times the automaton of what a formula forbids.
fn product_of(program: &Program, temporal: &Temporal, budget: &Budget) -> Result<Product, String> {
    let asked = Asked::of(program, temporal).map_err(|trouble| match trouble {
        Trouble::Wrong(diagnostic) => diagnostic.message,
        Trouble::Beyond(reason) => reason.to_string(),
    })?;
    asked.product(budget).map_err(|reason| reason.to_string())
}

/// All interleavings of the program's threads as one program, made again.
fn as_one(program: &Program, property: &Property, made: &ThreadsAsOne) -> Result<Program, String> {
    if !threads::is_threaded(program) && !threads::may_wait(program) {
        return Err("it is about threads, and the program creates none".to_owned());
    }
    if let Some((what, at)) = cegar::beyond_one_program(program, property) {
        return Err(format!("{what}{} cannot be followed", evidence::place::at(program, at)));
    }
    if let Some(any) = &made.any {
        let conditions = any.conditions.clone();
        let supposed = cegar::Supposed { followed: any.followed, conditions, tallies: any.tallies.clone() };
        return cegar::program_for_any(program, property, &supposed).map_err(|reason| reason.to_string());
    }
    let asks_for = |name: &str| property.functions.iter().any(|asked| asked == name);
    let options = threads::Options {
        most_at_once: made.most_at_once,
        races: asks_for(program::DATA_RACE),
        deadlocks: asks_for(program::DEADLOCK),
        misuse: asks_for(program::THREAD_MISUSE),
        leaks: cegar::asks_for_leaks(property),
    };
    let sequential = threads::sequentialise(program, &options).map_err(|refusal| {
        format!("{}{} is not supported", refusal.construct, evidence::place::at(program, refusal.at))
    })?;
    Ok(sequential.program)
}

/// The solver the user names; without a name, z3 if it is there.
fn second_solver(command: Option<&str>) -> Option<SolverCommand> {
    match command {
        Some("none") => None,
        Some(command) => SolverCommand::parse(command),
        None => {
            let found = std::process::Command::new("z3").arg("--version").output();
            found.is_ok_and(|output| output.status.success()).then(|| SolverCommand::parse("z3")).flatten()
        }
    }
}
