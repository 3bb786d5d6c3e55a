//! `concord verify`: can this C program do what it must not? Assertions, error functions, labels; with the
//! run that shows it, or the reason why there is none.
//!
//! Reading order: this file (arguments, the way through) → `task`, `names` (what is asked) → `asking` (one question) →
//! `parts` (a verdict for each assertion and check) → `show` (for people), `many` (tasks).

mod advice;
mod arguments;
mod asking;
mod caveat;
mod coverage;
mod formula;
mod many;
pub mod names;
mod parts;
mod resting;
pub mod results;
mod show;
mod spent;
mod task;
mod threads;
mod vacuity;

use crate::cli::{Common, Format};
use crate::entry::EntryArgs;
use crate::exit::Exit;
use crate::last_word::OutputFile;
use crate::load::{complain, load_with_entry};
use crate::output::{self, Look};
use crate::progress::StatusLine;
use crate::settle::settle;
use asking::{Asking, Found};
use base::Budget;
pub(crate) use caveat::heed_unknown_pointers;
use cegar::{Check, Checks, Choice, Missing, Property, Settings};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use evidence::{CertificateFile, Task, TaskFile};
pub use formula::FormulaArgs;
use parts::Failures;
pub use parts::{PartResult, PropertyResult};
use program::Program;
use question::{Answer, WrongList};
use std::path::{Path, PathBuf};
use std::time::Instant;
pub use task::{AskedByFile, parse_property as property_of};

/// Shown below the help: examples, the checks there are, and the exit status.
pub fn after_help() -> String {
    let checks: Vec<&str> = Check::ALL.iter().map(|check| check.name()).collect();
    format!(
        "{EXAMPLES}\n\nChecks: {}; `default` is {}.\nExit status: 0 holds, 1 violated, 3 undecided, 4 bad input.",
        checks.join(", "),
        Checks::usual().iter().map(Check::name).collect::<Vec<_>>().join(", ")
    )
}

const EXAMPLES: &str = "\
Examples:
  concord verify prog.c                               can an assertion fail, is reach_error called?
  concord verify prog.c --property unreach-call.prp   the property of a competition's file
  concord verify task.yml                             files, property and data model of a task
  concord verify prog.c --checks default              undefined behaviour that compilers give no meaning too
  concord verify prog.c --checks all,-leak            every check but one
  concord verify prog.c --ends                        does every run end?
  concord verify prog.c --ltl 'G(\"x > 0\" -> F \"y == 0\")'
                                                      does every run satisfy the formula?
  concord verify prog.c --responds 'request -> grant' is every request answered?
  concord verify lib.c --function f --object-size 8   start with f: any arguments, pointers to 8 elements
  concord verify prog.c --missing nondet              functions without a body may write to all they can get at
  concord verify prog.c --harness run.c               write the violating run as C
  concord verify prog.c --certificate proof.json      write what a proof rests on, for `concord audit`
  concord verify prog.c --witness witness.yml         evidence for other tools: witness format 2.0
  concord verify tasks/ --jobs 2 --time-limit 60s --resume results.csv
                                                      many tasks, one table at the end";

/// The engines of the table, as `--engine` takes them.
fn engines() -> impl TypedValueParser<Value = Choice> {
    let values = Choice::all().into_iter().map(|(choice, help)| {
        let value = PossibleValue::new(choice.name()).help(help);
        if choice.name() == "k-induction" { value.alias("kinduction") } else { value }
    });
    PossibleValuesParser::new(values).try_map(|name| {
        let name = if name == "kinduction" { "k-induction" } else { &name };
        Choice::named(name).ok_or("it is not in the table of engines")
    })
}

/// What a function without a body does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MissingArgument {
    /// Nothing is known past a call of it
    Stop,
    /// It returns any value, and may write through every pointer it is given and to every variable it can see
    Nondet,
    /// It returns any value and changes nothing
    Pure,
}

/// Arguments of `verify`.
#[derive(Clone, Debug, Args)]
pub struct VerifyArgs {
    /// C files of one program, or a task definition (.yml); or many tasks: task definitions, directories,
    /// compile_commands.json
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Where runs start
    #[command(flatten)]
    pub entry: EntryArgs,
    /// The property, as a competition's .prp file
    #[arg(long, value_name = "FILE")]
    pub property: Option<PathBuf>,
    /// A label that must not be reached
    #[arg(long, value_name = "NAME")]
    pub label: Vec<String>,
    /// Does every run end?
    #[arg(long, conflicts_with_all = ["property", "label", "checks"])]
    pub ends: bool,
    /// A temporal formula
    #[command(flatten)]
    pub formula: FormulaArgs,
    /// Undefined behaviour that must not happen: `all`, `default`, or names separated by commas (see
    /// below); `all,-leak` is all but one
    #[arg(long, value_name = "LIST", value_parser = checks)]
    pub checks: Option<Checks>,
    /// Of several things that can fail, how many to look for
    #[arg(long, value_enum, default_value = "some", value_name = "WHICH")]
    pub failures: Failures,
    /// Which engine answers
    #[arg(long, value_parser = engines(), default_value = "auto", value_name = "NAME")]
    pub engine: Choice,
    /// What functions without a body do
    #[arg(long, value_enum, default_value = "stop", value_name = "HOW")]
    pub missing: MissingArgument,
    /// Unroll loops and recursion no further
    #[arg(long, value_name = "NUMBER", help_heading = "Limits")]
    pub unwind: Option<u32>,
    /// Write the violating run as a C file to compile with the program
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub harness: Option<PathBuf>,
    /// Write the inputs of the violating run, for `concord run --inputs`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub write_inputs: Option<PathBuf>,
    /// Write who ran when in the violating run of threads, for `concord run --schedule`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub write_schedule: Option<PathBuf>,
    /// Write what the proof rests on, for `concord audit`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub certificate: Option<PathBuf>,
    /// Write a witness of the violation or of the proof (SV-COMP format 2.0)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub witness: Option<PathBuf>,
    /// Try first what an earlier answer rested on, if this file has it: its proof is audited against the program as it
    /// is now, its run is made again. What this answer rests on is kept there
    #[arg(long, value_name = "FILE")]
    pub earlier: Option<PathBuf>,
    /// Write a page of HTML that shows the answers, and opens from disk
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// Draw the violating run as a sequence chart (SVG)
    #[arg(long, value_name = "FILE.svg", help_heading = "Output")]
    pub draw: Option<PathBuf>,
    /// Write the last Boolean program of the engine `predicates`, for `concord bool`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub boolean: Option<PathBuf>,
    /// Of many tasks, work on so many at once
    #[arg(long, value_name = "NUMBER", default_value_t = 1, help_heading = "Many tasks")]
    pub jobs: usize,
    /// Write the results of many tasks: CSV, or JSON if the name ends so
    #[arg(long, value_name = "FILE", help_heading = "Many tasks")]
    pub results: Option<PathBuf>,
    /// Go on from the results in this file, and write to it
    #[arg(long, value_name = "FILE", help_heading = "Many tasks")]
    pub resume: Option<PathBuf>,
    /// Say which lines runs reach, which no run reaches, and of which that is not known
    #[arg(long, help_heading = "Output")]
    pub coverage: bool,
    /// Do not check the certificate of a proof again
    #[arg(long)]
    pub no_audit: bool,
    /// Show every step of the violating run
    #[arg(long, help_heading = "Output")]
    pub full: bool,
}

impl VerifyArgs {
    /// The files to write.
    pub fn outputs(&self) -> impl Iterator<Item = &Path> {
        let files = [
            &self.harness,
            &self.write_inputs,
            &self.write_schedule,
            &self.certificate,
            &self.witness,
            &self.boolean,
            &self.earlier,
            &self.report,
            &self.draw,
            &self.results,
            &self.resume,
        ];
        files.into_iter().flatten().map(PathBuf::as_path)
    }
}

/// Do the arguments name many tasks, each with limits of its own?
pub fn names_many(arguments: &VerifyArgs) -> bool {
    many::names_many(&arguments.files)
}

/// Answers one question about one program, or starts a process for each of many; says what came of it.
pub fn verify(arguments: &VerifyArgs, common: &Common, budget: &Budget) -> Result<Exit, Exit> {
    let started = Instant::now();
    let refused = |message: String| complain(&message);
    if let Some(jobs) = many::jobs(arguments).map_err(refused)? {
        return many::many(jobs, arguments, common, budget);
    }
    let mut common = common.clone();
    let (files, asked) = question(arguments, &mut common).map_err(refused)?;
    let is_of_a_file = arguments.property.is_some() || arguments.files.iter().any(|file| many::is_task(file));
    if let AskedByFile::Property(property, _) = &asked {
        common.last_word.questions([property.words()]);
        property.temporal.iter().try_for_each(|temporal| formula::check_text(temporal, &common))?;
    }
    let mut lowering = arguments.entry.settings();
    lowering.asserts_comments = matches!(&asked, AskedByFile::Property(property, _) if property.assertions);
    lowering.missing_may_write = arguments.missing == MissingArgument::Nondet;
    if lowering.entry == lower::Entry::Main {
        lowering.entry = lower::Entry::Arguments(lower::Arguments::Any);
    }
    let asks_races = matches!(&asked, AskedByFile::Property(property, _) if property.checks.has(Check::Race));
    if asks_races && lowering.steps == lower::Steps::Statement {
        let why = "data races are about single accesses: ask for them without --steps statement";
        return Err(crate::load::wrong_use(why));
    }
    let watched = [Check::Bounds, Check::Pointer, Check::UseAfterFree];
    let asks_memory = matches!(&asked, AskedByFile::Property(property, _) if watched.iter().any(|check| property.checks.has(*check)));
    if asks_memory && lowering.unknown_pointers == lower::UnknownPointers::Outside {
        let why = "--unknown-pointers outside supposes what the checks bounds, pointer and use-after-free ask: leave one of them out";
        return Err(crate::load::wrong_use(why));
    }
    let program = load_with_entry(&files, &common, &lowering, budget)?;
    let settings = Settings {
        missing: match arguments.missing {
            MissingArgument::Stop => Missing::Stop,
            MissingArgument::Nondet => Missing::AnyEffect,
            MissingArgument::Pure => Missing::AnyResult,
        },
        most_rounds: arguments.unwind,
    };
    let (property, caveats) = match asked {
        AskedByFile::Property(property, caveats) => (property, caveats),
        AskedByFile::Unsupported(text) => {
            let construct = format!("the property `{text}`");
            let reason = ::verdict::Reason::NotSupported { construct, at: base::Span::default() };
            let open = Answer::new(text, "auto", ::verdict::Undecided::because(reason).into());
            let settled = settle(open, [], &[]);
            let text = text_of(&PropertyResult::one(&program, &settled), arguments, &common, started);
            common.last_word.withdraw();
            return Ok(output::finish(&Look::wanted(&common).of(&text), Exit::Undecided));
        }
    };
    if let Some(objection) = names::objection(&program, &property) {
        return Err(refused(objection));
    }
    property.temporal.iter().try_for_each(|temporal| formula::check(&program, temporal, &common))?;
    let mut property = property;
    let leaves_out_leaks = program.entry.is_some() && property.checks.follow_blocks();
    if leaves_out_leaks {
        if property.checks.iter().count() == 1 && arguments.checks.is_some() {
            let why = "`leak` and `lost` are about the end of the program, and a call of one function is not the program";
            return Err(complain(why));
        }
        property.checks = property
            .checks
            .iter()
            .filter(|check| !matches!(check, Check::Leak | Check::Cleanup | Check::Lost))
            .fold(Checks::none(), Checks::with);
    }
    let earlier = arguments.earlier.as_ref().and_then(|file| std::fs::read_to_string(file).ok());
    let earlier = earlier.and_then(|text| evidence::Earlier::read(&text));
    let progress = StatusLine::new(&common);
    let asking = Asking {
        files: &files,
        hashed: hashed(&files).map_err(refused)?,
        lowering: &lowering,
        settings: &settings,
        caveats: &caveats,
        choice: arguments.engine,
        leaves_out_leaks,
        audits: !arguments.no_audit,
        earlier: earlier.as_ref(),
        common: &common,
        events: &progress,
    };
    // Benchmarks ask for one verdict about one property; with threads, to ask again takes as long as it did at first.
    let is_threaded = ::threads::is_threaded(&program) || ::threads::may_wait(&program);
    let failures = match arguments.failures {
        _ if is_of_a_file || property.endless_runs => Failures::First,
        Failures::Some if is_threaded => Failures::First,
        asked => asked,
    };
    let parts = match failures {
        Failures::First => Vec::new(),
        _ => {
            let reached = resting::reached(&program);
            question::parts(&program, &property, |id| reached.contains(&id))
        }
    };
    // Whatever comes after an answer, the answer is there when the time is up.
    let pictures =
        |shown: &PropertyResult<'_>| pictures_of(shown, &files, arguments, &common, &progress, started);
    let keep = |found: &Found<'_>, exit: Exit| {
        let shown = PropertyResult::one(&found.program, &found.settled);
        let text = text_of(&shown, arguments, &common, started);
        let mut files = evidence_of(found, arguments);
        files.extend(pictures(&shown));
        common.last_word.found(text, files, exit);
    };
    let first_budget = parts::for_all_at_once(budget, &parts, failures);
    let first = asking.ask(&program, &property, &[], &first_budget, &|found| keep(found, Exit::Holds));
    if parts.len() > 1 && first.settled.verdict.is_violated() {
        keep(&first, Exit::Violated);
    }
    let took = started.elapsed();
    let answers = parts::ask_on(&asking, &program, &property, (first, parts), (failures, took), budget);
    let mut shown = answers.shown();
    if arguments.coverage {
        let all = answers.found.iter().map(|found| (&*found.program, &*found.settled));
        shown.coverage = Some(coverage::look((&program, &property), all, &settings, budget, &progress));
    }
    let pictures = pictures(&shown);
    drop(progress);
    if let Some(file) = arguments.draw.as_ref().filter(|file| !pictures.iter().any(|(own, _)| own == *file))
        && !common.quiet
    {
        crate::load::tell(&format!("note: nothing is violated: {} was not written\n", file.display()));
    }
    common.last_word.withdraw();
    let about_all = answers.about_all();
    if arguments.boolean.is_some() && about_all.settled.boolean.is_none() {
        crate::load::tell("warning: no Boolean program was made (see --engine predicates)\n");
    }
    let mut files = evidence_of(about_all, arguments);
    files.extend(pictures);
    let written = files.iter().try_for_each(|(file, text)| output::write_file(file, text));
    let text = text_of(&shown, arguments, &common, started);
    let text = Look::wanted(&common).of(&text);
    Ok(output::finish(&text, written.err().unwrap_or(answers.exit())))
}

/// The files with their hashes.
fn hashed(files: &[PathBuf]) -> Result<Vec<TaskFile>, String> {
    files
        .iter()
        .map(|file| {
            let name = file.to_string_lossy().into_owned();
            let bytes = std::fs::read(file).map_err(|error| format!("{name}: cannot be read: {error}"))?;
            Ok(TaskFile { name, sha256: evidence::sha256(&bytes) })
        })
        .collect()
}

/// The files that were asked for.
fn evidence_of(found: &Found<'_>, arguments: &VerifyArgs) -> Vec<OutputFile> {
    let (program, task, answer) = (&*found.program, &found.task, &found.settled);
    let now = std::time::SystemTime::now();
    let mut files = Vec::new();
    let mut write = |file: &PathBuf, text: String| files.push((file.clone(), text));
    if let Some(file) = &arguments.earlier
        && let Some(text) = evidence::earlier::text(program, task, answer)
    {
        write(file, text);
    }
    if let (Some(file), Some(text)) = (&arguments.boolean, &answer.boolean) {
        write(file, text.clone());
    }
    if program.interleaving.is_some() {
        let proof = answer.verdict.program_proof();
        if let (Some(file), Some(proof)) = (&arguments.certificate, proof) {
            let certificate = CertificateFile { task: task.clone(), proof: proof.clone() };
            write(file, evidence::json::text(&certificate.to_json(program)));
        }
        let proved = answer.verdict.holds();
        if let Some(file) =
            arguments.witness.as_ref().filter(|file| proved && can_have_witness(program, task, file))
        {
            let why = "those of all interleavings as one program are none at places of the source, where others may be in the middle of a step";
            crate::load::tell(&format!("warning: {} has no invariants: {why}\n", file.display()));
            write(file, evidence::witness::without_invariants(task, now));
        }
        return files;
    }
    if let Some(violation) = answer.verdict.run().filter(|violation| violation.schedule.is_some()) {
        files.extend(threads::evidence_of(program, task, violation, arguments));
        return files;
    }
    match (answer.verdict.run(), answer.verdict.program_proof()) {
        (Some(violation), _) => {
            if let Some(file) = &arguments.write_schedule {
                let why = "the run has one thread";
                crate::load::tell(&format!("warning: {} is not written: {why}\n", file.display()));
            }
            if let Some(file) = &arguments.harness {
                let why = no_harness(program, violation, task)
                    .or_else(|| evidence::harness::obstacle(program, &task.property, violation));
                match why {
                    Some(why) => {
                        let file = file.display();
                        crate::load::tell(&format!("warning: {file}: no harness is written: {why}\n"));
                    }
                    None => {
                        let (text, _) = evidence::harness::harness(program, &task.property, violation);
                        write(file, text);
                    }
                }
            }
            if let Some(file) = &arguments.write_inputs {
                write(file, evidence::inputs::list(program, violation));
            }
            if let Some(file) =
                arguments.witness.as_ref().filter(|file| can_have_witness(program, task, file))
            {
                write(file, evidence::witness::violation(program, task, violation, now));
            }
        }
        (_, Some(proof)) => {
            if let Some(file) =
                arguments.witness.as_ref().filter(|file| can_have_witness(program, task, file))
            {
                write(file, evidence::witness::correctness(program, task, proof, now));
            }
            if let Some(file) = &arguments.certificate {
                let certificate = CertificateFile { task: task.clone(), proof: proof.clone() };
                write(file, evidence::json::text(&certificate.to_json(program)));
            }
        }
        (None, None) => {}
    }
    files
}

/// The page and the drawing that were asked for.
fn pictures_of(
    shown: &PropertyResult<'_>,
    files: &[PathBuf],
    arguments: &VerifyArgs,
    common: &Common,
    progress: &StatusLine,
    started: Instant,
) -> Vec<OutputFile> {
    let mut written = Vec::new();
    if arguments.report.is_none() && arguments.draw.is_none() {
        return written;
    }
    let text = show::words(shown, false);
    let mut page = crate::report::program::of_verify(shown, files, common, &text);
    if let Some(file) = &arguments.draw {
        let run = page.answers.iter().flat_map(|answer| &answer.runs).next();
        written.extend(run.map(|run| (file.clone(), ::report::draw::sequence(run, &shown.settled.property))));
    }
    if let Some(file) = &arguments.report {
        page.seconds = started.elapsed().as_secs_f64();
        crate::report::add_times(&mut page, progress);
        written.push((file.clone(), ::report::page::to_html(&page)));
    }
    written
}

/// Why a run cannot be shown by a compiled program, if so.
fn no_harness(program: &Program, violation: &cegar::Violation, task: &Task) -> Option<String> {
    if let Some(entry) = &program.entry {
        let name = &program.procedures[entry.function].name;
        return Some(format!(
            "the run starts with a call of `{name}`; write a `main` that calls it with the inputs shown"
        ));
    }
    if supposes_outside(program) {
        return Some(
            "what unknown pointers lead to is supposed, and a compiled program would follow them".into(),
        );
    }
    let is_choice = |input: &&concrete::ConsumedInput| {
        let is_of_allocation = task.lowering.malloc_may_fail
            && input.shape == concrete::InputShape::Bool
            && !input.name.starts_with("__VERIFIER_");
        input.name.contains([' ', ':']) || is_of_allocation
    };
    let input = violation.inputs.iter().find(is_choice)?;
    Some(format!("a compiled program cannot be made to have `{}`", input.name))
}

/// Are there pointers that are supposed to lead to memory outside of the program?
fn supposes_outside(program: &Program) -> bool {
    program.assumptions.iter().any(|assumption| assumption.kind == program::AssumptionKind::OutsideMemory)
}

/// Witnesses are about runs from `main`.
fn can_have_witness(program: &Program, task: &Task, file: &Path) -> bool {
    if task.property.endless_runs {
        let file = file.display();
        let why = "witnesses of this format do not say whether runs end";
        crate::load::tell(&format!("warning: no witness is written to {file}: {why}\n"));
        return false;
    }
    if supposes_outside(program) {
        let file = file.display();
        let why = "witnesses cannot say what is supposed of unknown pointers";
        crate::load::tell(&format!("warning: no witness is written to {file}: {why}\n"));
        return false;
    }
    if program.entry.is_some() {
        let file = file.display();
        crate::load::tell(&format!("warning: no witness is written to {file}: witnesses are about `main`\n"));
    }
    program.entry.is_none()
}

/// The answer in the format that was asked for.
fn text_of(shown: &PropertyResult<'_>, arguments: &VerifyArgs, common: &Common, started: Instant) -> String {
    match common.format {
        Format::Json => {
            let mut result = shown.settled.json_about(shown.program, started.elapsed().as_secs_f64());
            let parts = shown.parts.iter().map(|one| one.settled.part_json(one.program, one.part));
            result["parts"] = parts.collect();
            result["statistics"]["peak_bytes"] = base::budget::peak_resident_bytes().into();
            if let Some(coverage) = &shown.coverage {
                result["coverage"] = coverage.json();
            }
            evidence::json::document("verify", vec![result])
        }
        Format::Sarif => {
            let rules = evidence::sarif::rules_of_verify();
            evidence::sarif::document(&rules, shown.sarif())
        }
        Format::Human => {
            let mut text = show::words(shown, arguments.full);
            text.extend(shown.coverage.as_ref().map(coverage::Coverage::words));
            if common.verbose {
                text.push_str(&show::used(shown.settled, started.elapsed()));
            }
            text
        }
    }
}

/// `all`, `default`, or names of checks; what is behind `-` is left out.
fn checks(list: &str) -> Result<Checks, String> {
    Checks::listed(list).map_err(|wrong| match wrong {
        WrongList::TakesFromNothing => {
            format!("what is left out needs something before it, such as `all,{}`", list.trim())
        }
        WrongList::Unknown(name) => {
            let mut names = vec!["all", "default", "none"];
            names.extend(Check::ALL.iter().map(|check| check.name()));
            match lower::entry::closest(&name, &names) {
                Some(close) => format!("there is no check `{name}`; did you mean `{close}`?"),
                None => format!("there is no check `{name}`; there are {}", names.join(", ")),
            }
        }
    })
}

/// The files and the property; the data model of a task goes into `common`.
fn question(arguments: &VerifyArgs, common: &mut Common) -> Result<(Vec<PathBuf>, AskedByFile), String> {
    let mut files = arguments.files.clone();
    let mut property_file = arguments.property.clone();
    if let [file] = &files[..]
        && file.extension().is_some_and(|extension| extension == "yml" || extension == "yaml")
    {
        let task = task::read_task(file)?;
        files = task.files;
        common.data_model = common.data_model.or(task.data_model);
        property_file = property_file.or_else(|| supported(&task.properties));
    }
    let mut asked = match property_file {
        Some(file) => task::read_property(&file)?,
        None if arguments.ends => AskedByFile::Property(Property::every_run_ends(), Vec::new()),
        None if let Some(temporal) = arguments.formula.asked(&files)? => {
            AskedByFile::Property(Property::satisfies(temporal), Vec::new())
        }
        None if arguments.label.is_empty() => AskedByFile::Property(Property::standard(), Vec::new()),
        None => AskedByFile::Property(Property::default(), Vec::new()),
    };
    if let AskedByFile::Property(property, _) = &mut asked {
        let asks_more = !arguments.label.is_empty() || arguments.checks.is_some();
        if property.endless_runs && asks_more {
            let what = if property.temporal.is_some() { "a formula" } else { "whether every run ends" };
            return Err(format!("{what} is asked alone: leave out --label and --checks"));
        }
        if let (Some(temporal), Some(finite_runs)) = (&mut property.temporal, arguments.formula.finite_runs) {
            temporal.finite_runs = finite_runs.into();
        }
        property.labels.extend(arguments.label.iter().cloned());
        for check in arguments.checks.into_iter().flat_map(Checks::iter) {
            property.checks = property.checks.with(check);
        }
    }
    Ok((files, asked))
}

/// The C files that the arguments name, or those of the task that they name; `read` is told of the files that say what is asked, and the data
/// model of a task goes into `common`.
pub fn files_of(
    arguments: &VerifyArgs,
    common: &mut Common,
    read: &mut dyn FnMut(&Path),
) -> Result<Vec<PathBuf>, String> {
    let [file] = &arguments.files[..] else { return Ok(arguments.files.clone()) };
    if !many::is_task(file) {
        return Ok(arguments.files.clone());
    }
    let task = task::read_task(file)?;
    [file].into_iter().chain(&task.properties).for_each(|file| read(file));
    common.data_model = common.data_model.or(task.data_model);
    Ok(task.files)
}

/// The first property that is supported, or else the first.
fn supported(properties: &[PathBuf]) -> Option<PathBuf> {
    let is_supported = |file: &&PathBuf| matches!(task::read_property(file), Ok(AskedByFile::Property(..)));
    properties.iter().find(is_supported).or_else(|| properties.first()).cloned()
}

/// Which lines runs of a program reach, and which no run does.
pub fn reached_lines(
    program: &Program,
    budget: &Budget,
    events: &dyn base::EventSink,
) -> std::collections::BTreeMap<(std::sync::Arc<str>, u32), bool> {
    coverage::of_program(program, &Settings::default(), budget, events)
}
