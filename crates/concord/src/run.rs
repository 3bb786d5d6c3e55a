//! `concord run`: runs a program on real values, prints what it prints, and exits with its status. Where the
//! behaviour is undefined, unknown or stuck, it says so on standard error: place, call stack, object, and
//! what to try.

use crate::cli::{Common, Format};
use crate::exit::Exit;
use crate::load::tell;
use base::render::render;
use base::{Budget, Diagnostic, Severity, SourceMap};
use clap::{Args, ValueEnum};
use concrete::{
    Host, Inputs, Interpreter, ListedInputs, OnError, OnMissingBody, OnUndefined, OutputStream, Place, Plan,
    Planned, Run, RunOutcome, Schedule, SeededInputs, Settings, StreamedInputs, Uninitialised, UnknownReason,
};
use program::Program;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// Shown below the help.
pub const EXAMPLES: &str = "\
Examples:
  concord run prog.c -- one two            run with arguments
  concord run prog.c --seed 7              draw __VERIFIER_nondet_… values from a seed
  concord run prog.c --inputs values.txt   take them from a file: one per line, or `name = value`
  concord run prog.c --on-undefined continue

Exit status: that of the program if it ends by itself (134 for abort and failed assertions);
1 undefined behaviour, error function called, deadlock; 3 nothing can be said; 4 bad input.";

/// What undefined behaviour does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UndefinedArgument {
    /// Stop with a report
    Stop,
    /// Go on as unoptimised code on x86 would, where that can be said
    Continue,
}

/// What reading the never written does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UninitialisedArgument {
    /// Report it
    Report,
    /// Take an input as its value
    Input,
}

/// What a function without a body does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MissingArgument {
    /// Stop
    Stop,
    /// Return an input, and write inputs to what it can get at and a name can be given to
    Nondet,
    /// Return an input and change nothing
    Pure,
}

/// What calling `reach_error` and its like does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ErrorArgument {
    /// Stop and say so
    Stop,
    /// Run its body, as a compiled program would
    Run,
}

/// Things x86 gives a meaning that C calls undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StrictArgument {
    /// Left shifts of negative values or out of the type
    LeftShifts,
    /// Accesses at addresses not aligned for their type
    Alignment,
    /// Pointers moved out of their object
    PointerArithmetic,
    /// Pointers into different objects compared for order
    PointerOrder,
}

/// Arguments of `concord run`.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// C files of the program
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Where the run starts
    #[command(flatten)]
    pub entry: crate::entry::EntryArgs,
    /// Take inputs (__VERIFIER_nondet_… and the like) from this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seed", "stdin_inputs"], help_heading = "Running")]
    pub inputs: Option<PathBuf>,
    /// Draw inputs from this seed [default: 0]
    #[arg(long, value_name = "NUMBER", conflicts_with = "stdin_inputs", help_heading = "Running")]
    pub seed: Option<u64>,
    /// Read inputs from standard input, separated by white space
    #[arg(long, help_heading = "Running")]
    pub stdin_inputs: bool,
    /// At undefined behaviour
    #[arg(long, value_enum, default_value = "stop", value_name = "WHAT", help_heading = "Running")]
    pub on_undefined: UndefinedArgument,
    /// At a read of what was never written
    #[arg(long, value_enum, default_value = "report", value_name = "WHAT", help_heading = "Running")]
    pub uninitialised: UninitialisedArgument,
    /// At a call of a function without a body
    #[arg(long, value_enum, default_value = "stop", value_name = "WHAT", help_heading = "Running")]
    pub missing: MissingArgument,
    /// At a call of reach_error or __VERIFIER_error
    #[arg(long, value_enum, default_value = "stop", value_name = "WHAT", help_heading = "Running")]
    pub on_error: ErrorArgument,
    /// Also report these
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT", help_heading = "Running")]
    pub strict: Vec<StrictArgument>,
    /// Let malloc fail: each call takes an input, 0 is failure
    #[arg(long, help_heading = "Running")]
    pub failing_malloc: bool,
    /// Interleave threads by this seed instead of in turn
    #[arg(long, value_name = "NUMBER", help_heading = "Running")]
    pub schedule_seed: Option<u64>,
    /// Interleave threads as this file says, which a counterexample comes with
    #[arg(long, value_name = "FILE", conflicts_with = "schedule_seed", help_heading = "Running")]
    pub schedule: Option<PathBuf>,
    /// Report data races, and threads that wait for ever while others run
    #[arg(long, help_heading = "Running")]
    pub watch_threads: bool,
    /// Stop after this many steps
    #[arg(long, value_name = "NUMBER", help_heading = "Limits")]
    pub step_limit: Option<u64>,
    /// Stop when this many calls are active at once
    #[arg(long, value_name = "NUMBER", help_heading = "Limits")]
    pub depth_limit: Option<u32>,
    /// Write how the run ended to this file, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// Arguments of the program
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<OsString>,
}

/// Runs the program.
pub fn run(program: &Program, arguments: RunArgs, common: &Common, budget: Budget) -> Result<Exit, Exit> {
    let settings = settings(&arguments, budget);
    let mut inputs: Box<dyn Inputs> = match &arguments.inputs {
        Some(file) => Box::new(listed(file).map_err(|message| crate::load::complain(&message))?),
        None if arguments.stdin_inputs => Box::new(StreamedInputs::new(std::io::stdin().lock())),
        None => Box::new(SeededInputs::new(arguments.seed.unwrap_or(0))),
    };
    let mut settings = settings;
    let plan = match arguments.schedule.as_ref().map(planned).transpose() {
        Ok(plan) => plan,
        Err(message) => return Err(crate::load::complain(&message)),
    };
    let mut host = ProcessHost { out: std::io::BufWriter::new(std::io::stdout()), failure: None };
    let mut departed = None;
    if plan.is_some() && !threads::is_threaded(program) {
        return Err(crate::load::complain("the program creates no threads, so there is nothing to schedule"));
    }
    let run = match &plan {
        Some(plan) => {
            settings.races |= plan.races;
            settings.deadlocks |= plan.deadlocks;
            // The schedule has what library functions read from outside, if it has anything of theirs.
            let is_outside = |name: &str| {
                program.procedure_named(name).is_some_and(|id| program.procedures[id].known.is_some())
            };
            if plan.inputs.iter().any(|(_, name, _)| is_outside(name)) {
                settings.outside = concrete::Outside::Inputs;
            }
            let divided = threads::divided(program);
            let visible = concrete::interleavings::accesses(&divided);
            let mut driver = Planned::new(plan);
            let interpreter = Interpreter::for_threads(&divided);
            let run = interpreter.drive(&settings, &mut host, inputs.as_mut(), (&mut driver, &visible), None);
            departed = driver.departed.take().or_else(|| driver.left_over());
            run
        }
        None if settings.races => {
            Interpreter::for_threads(program).run(&settings, &mut host, inputs.as_mut())
        }
        None => Interpreter::new(program).run(&settings, &mut host, inputs.as_mut()),
    };
    host.flush();
    if let Some(why) = departed {
        tell(&format!("warning: the run is not the one of the schedule: {why}\n"));
    }

    common.last_word.withdraw();
    let teller = Teller { program, common, name: program_name(&arguments) };
    let document = evidence::json::run(program, &run);
    if let Some(file) = &arguments.report {
        crate::output::write_file(file, &document)?;
    }
    match common.format {
        Format::Json => tell(&document),
        _ => tell(&teller.words(&run)),
    }
    match host.failure {
        // What the program wrote is a result of this verb.
        Some(error) => {
            tell(&format!("error: what the program writes cannot be written: {error}\n"));
            Err(Exit::Internal)
        }
        None => Ok(exit_of(&run.outcome)),
    }
}

impl RunArgs {
    /// How the program is lowered.
    pub fn lowering(&self) -> lower::Settings {
        let missing_may_write = self.missing == MissingArgument::Nondet;
        let variadic = lower::Variadic::AsWritten;
        lower::Settings { missing_may_write, variadic, ..self.entry.settings() }
    }
}

fn settings(arguments: &RunArgs, budget: Budget) -> Settings {
    let mut settings = Settings {
        on_undefined: match arguments.on_undefined {
            UndefinedArgument::Stop => OnUndefined::Stop,
            UndefinedArgument::Continue => OnUndefined::Continue,
        },
        uninitialised: match arguments.uninitialised {
            UninitialisedArgument::Report => Uninitialised::Report,
            UninitialisedArgument::Input => Uninitialised::Input,
        },
        missing: match arguments.missing {
            MissingArgument::Stop => OnMissingBody::Stop,
            MissingArgument::Nondet | MissingArgument::Pure => OnMissingBody::Nondet,
        },
        on_error: match arguments.on_error {
            ErrorArgument::Stop => OnError::Stop,
            ErrorArgument::Run => OnError::RunBody,
        },
        allocation_may_fail: arguments.failing_malloc,
        ..Settings::default()
    };
    for strict in &arguments.strict {
        match strict {
            StrictArgument::LeftShifts => settings.strictness.left_shifts = true,
            StrictArgument::Alignment => settings.strictness.alignment = true,
            StrictArgument::PointerArithmetic => settings.strictness.pointer_arithmetic = true,
            StrictArgument::PointerOrder => settings.strictness.pointer_order = true,
        }
    }
    settings.races = arguments.watch_threads;
    settings.deadlocks = arguments.watch_threads;
    if let Some(seed) = arguments.schedule_seed {
        settings.schedule = Schedule::Seeded(seed);
    }
    settings.limits.budget = budget;
    settings.limits.steps = arguments.step_limit;
    if let Some(depth) = arguments.depth_limit {
        settings.limits.call_depth = depth;
    }
    let rest = arguments.arguments.iter().cloned().map(OsStringExt::into_vec);
    settings.arguments = std::iter::once(program_name(arguments).into_bytes()).chain(rest).collect();
    settings
}

/// The name a compiled program would have.
fn program_name(arguments: &RunArgs) -> String {
    let stem = arguments.files.first().and_then(|file| file.file_stem());
    stem.map_or_else(|| "a.out".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

fn listed(file: &PathBuf) -> Result<ListedInputs, String> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("{}: cannot be read: {error}", file.display()))?;
    ListedInputs::parse(&text).map_err(|bad| format!("{}: {bad}", file.display()))
}

fn planned(file: &PathBuf) -> Result<Plan, String> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("{}: cannot be read: {error}", file.display()))?;
    Plan::parse(&text).map_err(|bad| format!("{}: {bad}", file.display()))
}

/// The process's own standard streams.
struct ProcessHost {
    out: std::io::BufWriter<std::io::Stdout>,
    /// Why nothing is written any more.
    failure: Option<std::io::Error>,
}

impl Host for ProcessHost {
    fn write(&mut self, stream: OutputStream, bytes: &[u8]) {
        match stream {
            OutputStream::Out if self.failure.is_some() => {}
            OutputStream::Out => self.failure = self.out.write_all(bytes).err(),
            OutputStream::Err => {
                self.flush();
                let _ = std::io::stderr().write_all(bytes);
            }
        }
    }

    fn read(&mut self, buffer: &mut [u8]) -> usize {
        std::io::stdin().lock().read(buffer).unwrap_or(0)
    }

    fn flush(&mut self) {
        if self.failure.is_none() {
            self.failure = self.out.flush().err();
        }
    }
}

fn exit_of(outcome: &RunOutcome) -> Exit {
    match outcome {
        RunOutcome::Exited(status) => Exit::OfProgram(*status as u8),
        RunOutcome::Aborted(_) | RunOutcome::AssertionFailed { .. } => Exit::OfProgram(134),
        RunOutcome::ErrorReached { .. } | RunOutcome::Undefined(_) | RunOutcome::Deadlock(_) => {
            Exit::Violated
        }
        RunOutcome::AssumptionUnmet(_) | RunOutcome::Unknown(_) | RunOutcome::LimitReached(..) => {
            Exit::Undecided
        }
    }
}

/// Says how a run ended.
struct Teller<'a> {
    program: &'a Program,
    common: &'a Common,
    name: String,
}

impl Teller<'_> {
    fn sources(&self) -> &SourceMap {
        &self.program.sources
    }

    /// For people; empty when the program ended by itself and there is nothing to add.
    fn words(&self, run: &Run) -> String {
        let mut text = String::new();
        for report in &run.tolerated {
            let mut diagnostic = report.to_diagnostic();
            diagnostic.severity = Severity::Warning;
            text.push_str(&self.rendered(&diagnostic));
        }
        for assumption in &run.assumptions {
            text.push_str(&format!("assumed ({}): {}\n", assumption.kind.name(), assumption.message));
        }
        match &run.outcome {
            RunOutcome::Exited(_) => {}
            RunOutcome::Aborted(place) => {
                text.push_str("Aborted\n");
                text.push_str(&self.stack(place));
            }
            RunOutcome::AssertionFailed { told, place, .. } => {
                text.push_str(&format!("{}: {told}\nAborted\n", self.name));
                text.push_str(&self.stack(place));
            }
            RunOutcome::ErrorReached { function, place } => {
                let message = format!("`{function}` is called");
                text.push_str(&self.report("error-reached", Severity::Error, message, place, None));
            }
            RunOutcome::Undefined(report) => {
                text.push_str(&self.rendered(&report.to_diagnostic()));
                if let Some(object) = report.object.as_ref().filter(|object| object.made_at.is_nowhere()) {
                    text.push_str(&format!("  {} has {} bytes\n", object.name, object.size));
                }
                text.push_str(&self.stack(&report.place));
            }
            RunOutcome::AssumptionUnmet(place) => {
                let message = "the program assumes what does not hold: this run does not count".to_owned();
                let hint = Some("give other inputs (--inputs, --seed)");
                text.push_str(&self.report("assumption-unmet", Severity::Warning, message, place, hint));
            }
            RunOutcome::Deadlock(waiting) => {
                text.push_str("error[deadlock]: threads wait for ever\n");
                for waiting in waiting {
                    let thread =
                        waiting.place.thread.map_or_else(|| "a thread".to_owned(), |id| id.to_string());
                    text.push_str(&format!("{thread} waits for {}\n", waiting.waits_for));
                    text.push_str(&self.stack(&waiting.place));
                }
            }
            RunOutcome::Unknown(unknown) => {
                let hint = hint(&unknown.reason);
                let message = unknown.message.clone();
                text.push_str(&self.report("unknown", Severity::Warning, message, &unknown.place, hint));
            }
            RunOutcome::LimitReached(limit, place) => {
                let hint =
                    Some("raise the limit (--time-limit, --memory-limit, --step-limit, --depth-limit)");
                text.push_str(&self.report("limit", Severity::Warning, limit.to_string(), place, hint));
            }
        }
        if self.common.verbose {
            let figures = run.statistics;
            text.push_str(&format!(
                "{} steps, {} threads, {} inputs, at most {} bytes and {} calls at once\n",
                figures.steps,
                figures.threads,
                run.inputs.len(),
                figures.peak_bytes,
                figures.peak_call_depth
            ));
        }
        text
    }

    fn report(
        &self,
        code: &'static str,
        severity: Severity,
        message: String,
        place: &Place,
        hint: Option<&str>,
    ) -> String {
        let mut diagnostic = Diagnostic::new(severity, code, place.span, message);
        if let Some(hint) = hint {
            diagnostic = diagnostic.hint(hint);
        }
        self.rendered(&diagnostic) + &self.stack(place)
    }

    fn rendered(&self, diagnostic: &Diagnostic) -> String {
        let mut text = render(diagnostic, self.sources(), self.common.colour());
        text.push('\n');
        text
    }

    /// Active calls, innermost first.
    fn stack(&self, place: &Place) -> String {
        let mut text = String::new();
        for (depth, call) in place.calls.iter().enumerate() {
            let word = if depth == 0 { "in" } else { "called from" };
            text.push_str(&format!(
                "  {word} `{}`{}\n",
                call.name,
                evidence::place::at(self.program, call.span)
            ));
        }
        text
    }
}

/// What to try when nothing can be said.
fn hint(reason: &UnknownReason) -> Option<&'static str> {
    Some(match reason {
        UnknownReason::MissingBody(_) => "give the file that defines it, or `--missing nondet`",
        UnknownReason::InputsExhausted => "add values to the inputs, or draw them with `--seed`",
        UnknownReason::BadInput => "correct the inputs",
        UnknownReason::ExternalVariable(_) => "give the file that defines it, or `--missing nondet`",
        UnknownReason::NoMain => "give the file that defines `main`",
        UnknownReason::Unsupported => return None,
    })
}
