//! `concord doctor`: is everything here that Concord needs, and does Concord itself work?

use crate::cli::{Common, Format};
use crate::exit::Exit;
use crate::output;
use clap::Args;
use csource::preprocess::{self, Options};
use csource::types::DataModel;
use csource::{Session, parser, sema};
use logic::SolverCommand;
use logic::doctor::{BackEndReport, DoctorSettings, Obtained, SelfTest};
use std::path::PathBuf;
use std::process::Command;

/// Shown below the help of the verb.
pub const EXAMPLES: &str = "\
Examples:
  concord doctor                 tell what was found, for people
  concord doctor --format json   the same for programs
  concord doctor --solver-command \"yices-smt2 --incremental\"
                                 try a solver of your own as well

Exit status: 0 if Concord works here (notes do not matter), 5 if its self-test fails.";

/// What `doctor` is told.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Look at this solver too: any program that reads SMT-LIB 2 from its standard input
    #[arg(long, value_name = "COMMAND", value_parser = solver_command)]
    pub solver_command: Vec<SolverCommand>,
}

fn solver_command(text: &str) -> Result<SolverCommand, String> {
    SolverCommand::parse(text).ok_or_else(|| "a command has at least a program".to_string())
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// As it should be.
    Fine,
    /// Something optional is missing; the detail says what that costs.
    Note,
    /// Concord does not work here.
    Broken,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            State::Fine => "ok",
            State::Note => "note",
            State::Broken => "broken",
        }
    }
}

/// One line of the report.
#[derive(Debug)]
struct Check {
    name: &'static str,
    state: State,
    detail: String,
}

/// Runs all checks and prints them.
pub fn doctor(arguments: DoctorArgs, common: &Common) -> Exit {
    let mut checks = vec![Check { name: "version", state: State::Fine, detail: version() }];
    checks.push(compiler());
    checks.push(preprocessing("preprocess lp64", DataModel::Lp64));
    checks.push(preprocessing("preprocess ilp32", DataModel::Ilp32));
    checks.push(machine());
    checks.push(limits(common));
    checks.extend(solvers(arguments.solver_command));
    checks.push(self_test());
    let text = match common.format {
        Format::Human => as_text(&checks),
        Format::Json => as_json(&checks),
        Format::Sarif => unreachable!("refused for this verb before"),
    };
    let is_broken = checks.iter().any(|check| check.state == State::Broken);
    output::finish(&text, if is_broken { Exit::Internal } else { Exit::Holds })
}

fn as_text(checks: &[Check]) -> String {
    let line = |check: &Check| {
        let detail = check.detail.replace('\n', "\n                           ");
        format!("{:<7}{:<19} {detail}\n", check.state.name(), check.name)
    };
    checks.iter().map(line).collect()
}

fn as_json(checks: &[Check]) -> String {
    let checks: Vec<_> = checks
        .iter()
        .map(|check| {
            serde_json::json!({ "check": check.name, "state": check.state.name(), "detail": check.detail })
        })
        .collect();
    evidence::json::unnamed_document(serde_json::json!({ "doctor": checks }))
}

fn version() -> String {
    format!("concord {} on {} {}", env!("CARGO_PKG_VERSION"), std::env::consts::OS, std::env::consts::ARCH)
}

fn compiler() -> Check {
    let name = "C compiler";
    let compiler =
        std::env::var("CC").ok().filter(|value| !value.trim().is_empty()).unwrap_or("cc".to_string());
    let mut words = compiler.split_whitespace();
    let program = words.next().unwrap_or("cc");
    match Command::new(program).args(words).arg("--version").output() {
        Ok(result) if result.status.success() => {
            let text = String::from_utf8_lossy(&result.stdout);
            let first = text.lines().next().unwrap_or("it does not say its version");
            Check { name, state: State::Fine, detail: format!("{compiler}: {first}") }
        }
        Ok(result) => Check {
            name,
            state: State::Note,
            detail: format!("{compiler} --version ends with {}", result.status),
        },
        Err(error) => {
            let detail = format!(
                "{compiler} cannot be run ({error}): only preprocessed `.i` files can be read; set CC"
            );
            Check { name, state: State::Note, detail }
        }
    }
}

/// A program with headers must come through the preprocessor and the front end.
fn preprocessing(name: &'static str, model: DataModel) -> Check {
    let text = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { return puts(\"x\") == EOF; }\n";
    let outcome = with_temporary_file("doctor.c", text, |path| {
        let mut session = Session::new(model);
        let source =
            preprocess::read(path, &Options::default(), &mut session).map_err(|error| error.to_string())?;
        let syntax = parser::parse(source, &mut session);
        sema::analyse(&syntax, &mut session);
        match session.diagnostics.iter().find(|diagnostic| diagnostic.severity == base::Severity::Error) {
            None => Ok(()),
            Some(error) => Err(error.message.clone()),
        }
    });
    match outcome {
        Ok(()) => Check { name, state: State::Fine, detail: "stdio.h and stdlib.h are read".to_string() },
        Err(message) => Check {
            name,
            state: State::Note,
            detail: format!("files with system headers cannot be read: {message}"),
        },
    }
}

fn with_temporary_file(
    name: &str,
    text: &str,
    work: impl FnOnce(&PathBuf) -> Result<(), String>,
) -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("concord-doctor-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let path = folder.join(name);
    let result = match std::fs::write(&path, text) {
        Ok(()) => work(&path),
        Err(error) => Err(format!("{}: {error}", path.display())),
    };
    // What stays behind is in the system's folder for such files.
    let _ = std::fs::remove_dir_all(&folder);
    result
}

fn machine() -> Check {
    let cores = std::thread::available_parallelism().map_or("unknown".to_string(), |cores| cores.to_string());
    let memory = total_memory()
        .map_or("unknown".to_string(), |bytes| format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64));
    Check { name: "machine", state: State::Fine, detail: format!("{cores} cores, {memory} of memory") }
}

fn total_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kibibytes * 1024)
}

fn limits(common: &Common) -> Check {
    let time = common.time_limit.map_or("no time limit".to_string(), |time| format!("time limit {time:?}"));
    let memory = common
        .memory_limit
        .map_or("no memory limit".to_string(), |bytes| format!("memory limit {bytes} bytes"));
    let (state, watched) = match base::budget::resident_bytes() {
        Some(bytes) => (State::Fine, format!("memory in use is visible ({} MiB now)", bytes >> 20)),
        None => (State::Note, "memory in use is not visible: --memory-limit has no effect here".to_string()),
    };
    Check { name: "limits", state, detail: format!("{time}, {memory}; {watched}") }
}

/// Solver back ends, one check each: what is compiled in must pass its self-test, what is installed beside it
/// may.
fn solvers(commands: Vec<SolverCommand>) -> Vec<Check> {
    let reports = logic::doctor::doctor(&DoctorSettings { commands });
    reports.iter().map(solver).collect()
}

fn solver(report: &BackEndReport) -> Check {
    let is_ours = report.obtained == Obtained::CompiledIn;
    let version = report.version.as_deref().unwrap_or("version unknown");
    let (state, result) = match &report.self_test {
        SelfTest::Passed { questions } => {
            (State::Fine, format!("{questions} questions of the self-test right"))
        }
        SelfTest::Failed(mistakes) if is_ours => {
            (State::Broken, format!("self-test failed: {}", mistakes.join("; ")))
        }
        SelfTest::Failed(mistakes) => {
            // The names of the questions are enough here; what it answered can be very long.
            let names: Vec<&str> =
                mistakes.iter().map(|text| text.split(':').next().unwrap_or(text)).collect();
            let first = names.first().copied().unwrap_or_default();
            let more = names.len().saturating_sub(1);
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            (State::Note, format!("not usable here, it fails the self-test: {first}{more}"))
        }
        SelfTest::NotRun(why) => {
            (State::Note, format!("not there ({why}); only a second opinion would need it"))
        }
    };
    let from = match &report.obtained {
        Obtained::CompiledIn => "compiled in".to_string(),
        Obtained::Command(command) => format!("command `{command}`"),
    };
    let detail = format!("{}, {version}, {from}: {}; {result}", report.name, report.used_for);
    Check { name: "solver", state, detail }
}

/// A program that touches every stage; its output is known.
const SELF_TEST: &str = include_str!("self_test.c");

/// What a compiled [`SELF_TEST`] prints.
const SELF_TEST_OUTPUT: &str = "4294967016 3.143\n";

fn self_test() -> Check {
    let name = "self-test";
    match run_self_test() {
        Ok(steps) => Check {
            name,
            state: State::Fine,
            detail: format!("a built-in program is read, lowered and run as expected ({steps} steps)"),
        },
        Err(message) => Check { name, state: State::Broken, detail: message },
    }
}

fn run_self_test() -> Result<u64, String> {
    let mut session = Session::new(DataModel::Lp64);
    let source = session.sources.add("self-test.i", SELF_TEST).ok_or("the self-test is too large")?;
    let syntax = parser::parse(source, &mut session);
    let unit = sema::analyse(&syntax, &mut session);
    let lowered = lower::lower(vec![unit], session, &lower::Settings::default());
    if let Some(error) = lowered.diagnostics.iter().find(|message| message.severity == base::Severity::Error)
    {
        return Err(format!("the built-in program is rejected: {}", error.message));
    }
    let mut host = concrete::Captured::default();
    let mut inputs = concrete::SeededInputs::new(0);
    let run = concrete::run(&lowered.program, &concrete::Settings::default(), &mut host, &mut inputs);
    let output = String::from_utf8_lossy(&host.out);
    match run.outcome {
        concrete::RunOutcome::Exited(42) if output == SELF_TEST_OUTPUT => Ok(run.statistics.steps),
        outcome => Err(format!("the built-in program ended with {outcome:?} and printed {output:?}")),
    }
}
