//! Concord's side, in process: C text to a lowered program, a concrete run of it, and the program printed as C.
//! Everything runs on a thread with a large stack, and a panic there becomes a result.

use crate::generate::Model;
use crate::native::Observed;
use base::render::{Colour, render};
use base::{Budget, Severity};
use csource::preprocess::{Flag, Options};
use csource::types::DataModel;
use csource::{Session, parser, preprocess, sema};
use lower::Lowered;
use program::Program;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Deep trees recurse deeply; this is address space, not memory.
const STACK_BYTES: usize = 512 << 20;

/// How a file is read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The data model.
    pub model: Model,
    /// `-D…`, `-U…`, `-I…` arguments.
    pub arguments: Vec<String>,
}

impl Reading {
    /// Without arguments.
    pub fn new(model: Model) -> Reading {
        Reading { model, arguments: Vec::new() }
    }

    fn options(&self) -> Options {
        let flag = |argument: &String| {
            let (kind, value) = argument.split_at_checked(2)?;
            Some(match kind {
                "-I" => Flag::IncludeDirectory(PathBuf::from(value)),
                "-D" => Flag::Define(value.to_string()),
                "-U" => Flag::Undefine(value.to_string()),
                _ => return None,
            })
        };
        Options { flags: self.arguments.iter().filter_map(flag).collect(), ..Options::default() }
    }
}

/// A file that was read, or why it could not be.
#[derive(Debug)]
pub enum Read {
    /// Lowered without an error.
    Lowered(Box<Program>),
    /// Errors; the first as text.
    Rejected(String),
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ran {
    /// By itself.
    Ended(Observed),
    /// With a report of undefined behaviour, an unknown, a deadlock …: the kind and the words.
    Stopped(&'static str, String),
    /// The time was over.
    TimedOut,
}

/// Parses, analyses and lowers one file.
pub fn read(path: &Path, reading: &Reading) -> Read {
    let mut session = session(reading.model);
    let source = match preprocess::read(path, &reading.options(), &mut session) {
        Ok(source) => source,
        Err(error) => {
            let first = first_error(&session.diagnostics, &session.sources);
            return Read::Rejected(first.unwrap_or_else(|| error.to_string()));
        }
    };
    lower_source(source, session)
}

/// Parses, analyses and lowers a preprocessed text.
pub fn read_text(name: &str, text: &str, model: Model) -> Read {
    let mut session = session(model);
    match session.sources.add(name, text) {
        Some(source) => lower_source(source, session),
        None => Read::Rejected("the text is too large".to_string()),
    }
}

fn session(model: Model) -> Session {
    Session::new(match model {
        Model::Lp64 => DataModel::Lp64,
        Model::Ilp32 => DataModel::Ilp32,
    })
}

fn lower_source(source: base::SourceId, mut session: Session) -> Read {
    let syntax = parser::parse(source, &mut session);
    let unit = sema::analyse(&syntax, &mut session);
    let Lowered { program, diagnostics } = lower::lower(vec![unit], session, &lower::Settings::default());
    match first_error(&diagnostics, &program.sources) {
        Some(message) => Read::Rejected(message),
        None => Read::Lowered(Box::new(program)),
    }
}

fn first_error(diagnostics: &base::Diagnostics, sources: &base::SourceMap) -> Option<String> {
    let error = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error)?;
    Some(render(error, sources, Colour::Never))
}

/// Runs a program on concrete values.
pub fn run(program: &Program, limit: Duration) -> Ran {
    use concrete::RunOutcome;
    let mut settings = concrete::Settings::default();
    settings.limits.budget = Budget::unlimited().with_time(limit);
    let mut host = concrete::Captured::default();
    let mut inputs = concrete::SeededInputs::new(1);
    let run = concrete::run(program, &settings, &mut host, &mut inputs);
    let ended = |status: i32, host: concrete::Captured| Ran::Ended(Observed { output: host.out, status });
    match run.outcome {
        // A shell sees the low 8 bits.
        RunOutcome::Exited(status) => ended(status & 0xff, host),
        RunOutcome::Aborted(_) | RunOutcome::AssertionFailed { .. } => ended(134, host),
        RunOutcome::Undefined(report) => {
            let text = render(&report.to_diagnostic(), &program.sources, Colour::Never);
            Ran::Stopped(report.kind.name(), text)
        }
        RunOutcome::LimitReached(concrete::Limit::Budget(_), _) => Ran::TimedOut,
        RunOutcome::LimitReached(limit, _) => Ran::Stopped("limit", limit.to_string()),
        RunOutcome::Unknown(unknown) => Ran::Stopped("unknown", unknown.message),
        RunOutcome::ErrorReached { function, .. } => Ran::Stopped("error-reached", function.to_string()),
        RunOutcome::AssumptionUnmet(_) => Ran::Stopped("assumption-unmet", String::new()),
        RunOutcome::Deadlock(_) => Ran::Stopped("deadlock", String::new()),
    }
}

/// Does `work` on a thread with a large stack. `Err` is the message of a panic.
pub fn guarded<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, work)
            .expect("a thread can be started")
            .join()
            .map_err(|panic| {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                text.or_else(|| panic.downcast_ref::<&str>().copied())
                    .unwrap_or("a panic without words")
                    .to_string()
            })
    })
}

/// Times of the front end's stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// Text to syntax.
    pub parse: Duration,
    /// Syntax to typed tree.
    pub analyse: Duration,
    /// Typed tree to program.
    pub lower: Duration,
}

impl Phases {
    /// All together.
    pub fn total(self) -> Duration {
        self.parse + self.analyse + self.lower
    }
}

/// Takes a preprocessed text through all stages and times them, by the processor time of this thread.
pub fn timed(text: &str, model: Model) -> Phases {
    let mut session = session(model);
    let mut last = processor_time();
    let mut lap = || {
        let now = processor_time();
        std::mem::replace(&mut last, now).abs_diff(now)
    };
    let Some(source) = session.sources.add("measured.i", text) else { return Phases::default() };
    let syntax = parser::parse(source, &mut session);
    let parse = lap();
    let unit = sema::analyse(&syntax, &mut session);
    let analyse = lap();
    let lowered = lower::lower(vec![unit], session, &lower::Settings::default());
    let lower = lap();
    drop(lowered);
    Phases { parse, analyse, lower }
}

/// Processor time of this thread so far; zero where the system does not tell.
fn processor_time() -> Duration {
    let clock = nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID;
    nix::time::clock_gettime(clock).map_or(Duration::ZERO, Duration::from)
}

/// Lexes and parses one file. The error is the first message.
pub fn parse(path: &Path, reading: &Reading) -> Result<(), String> {
    let mut session = session(reading.model);
    let source =
        preprocess::read(path, &reading.options(), &mut session).map_err(|error| error.to_string())?;
    parser::parse(source, &mut session);
    match first_error(&session.diagnostics, &session.sources) {
        Some(message) => Err(message),
        None => Ok(()),
    }
}

/// Constructs of a program without a full meaning, each as `kind file:line subject`.
pub fn flags(program: &Program) -> Vec<String> {
    use program::AssumptionKind::*;
    program
        .assumptions
        .iter()
        .filter(|assumption| {
            matches!(
                assumption.kind,
                InlineAsm
                    | UnmodelledBuiltin
                    | ComputedGoto
                    | VariableLengthArray
                    | NonLocalJump
                    | Unsupported
            )
        })
        .map(|assumption| {
            let place = program.sources.location(assumption.span).map(|place| place.to_string());
            format!("{} {} {}", assumption.kind.name(), place.unwrap_or_default(), assumption.subject)
        })
        .collect()
}
