//! The verb `bool`: Boolean programs, thread transition systems and nets, and whether an error can be
//! reached.
//!
//! Reading order: the arguments, `run` (file to answers), `asked` (which question), `answer` (which engine);
//! `show` writes answers for people and for tools.

mod show;

use crate::channel::{Format, Output, Refused, write_file};
use crate::exit::Exit;
use crate::report::finite;
use crate::settle::{Settled, settle};
use base::{Budget, Diagnostics, EventSink, SourceMap};
use boolprog::engine::{WITH_A_BOUND, WITHOUT_A_BOUND};
use boolprog::graph::{ProcedureId, Program};
use boolprog::threads::UnboundedSetup;
use boolprog::{BooleanEngine, BooleanSystem, Setup, Threads, add_start};
use boolprog::{cover, graph, pushdown, simplify, syntax};
use clap::Args;
use question::{Answer, Engine, Knowledge, Question, Verdict, ask_only};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use verdict::Certificate;

/// Examples for `--help`.
pub const EXAMPLES: &str = "\
Examples:
  concord bool driver.bp                                can an assertion fail, or SLIC_ERROR be reached?
  concord bool driver.bp --error-label MY_ERROR
  concord bool driver.bp --initial-threads 3 --threads 3
  concord bool driver.bp --threads unbounded            any number of threads
  concord bool driver.bp --root adder --root stopper --init setup
  concord bool driver.bp --all-engines                  every engine that can; they must agree
  concord bool driver.bp --certificate proof.json       what a HOLDS rests on, checked
  concord bool driver.bp --simplify                     print the program as the engines see it
  concord bool threads.tts                              with threads.prop beside it; also mist nets (.spec)
  concord bool stacks.pds --target '1|2,-'              concurrent pushdown systems

Engines: auto; for one thread: bdd, sat; with a bound: explicit, stacks, counters, counters-compressed, counters-ample,
counters-persistent, counters-cartesian, counters-cartesian-ample, counters-reduced, counters-all-reductions,
symbolic-counters, symbolic-plain, symbolic-ample, symbolic-persistent, symbolic-cartesian,
symbolic-cartesian-ample, symbolic-all-reductions; without a bound: few-threads, karp-miller, backward,
widening, cutoff.

Exit status: 0 holds, 1 violated, 2 usage, 3 undecided, 4 bad input, 5 internal error.";

/// The label that tools of the kind give to errors; a program without it has none.
const USUAL_LABEL: &str = "SLIC_ERROR";

/// Arguments of the verb.
#[derive(Clone, Debug, Args)]
pub struct BoolArgs {
    /// A Boolean program (.bp), a thread transition system (.tts), a net (.spec) or a pushdown system (.pds)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// So many threads run `main` from the start: a number, or `unbounded` [default: 1; if the program starts
    /// no threads itself, as many as --threads says]
    #[arg(long, value_name = "N")]
    pub initial_threads: Option<String>,
    /// At most so many threads at the same time: a number, or `unbounded` [default: unbounded]
    #[arg(long, value_name = "N")]
    pub threads: Option<String>,
    /// A procedure that runs from the start instead of `main`, one thread each
    #[arg(long = "root", value_name = "PROCEDURE")]
    pub roots: Vec<String>,
    /// A procedure that runs alone before the threads start
    #[arg(long, value_name = "PROCEDURE", requires = "roots")]
    pub init: Option<String>,
    /// A label that must not be reached
    #[arg(long = "error-label", default_values = [USUAL_LABEL], value_name = "LABEL")]
    pub error_labels: Vec<String>,
    /// Which engine answers
    #[arg(long, default_value = "auto", value_name = "NAME")]
    pub engine: String,
    /// Ask every engine that can answer, and compare
    #[arg(long, conflicts_with = "engine")]
    pub all_engines: bool,
    /// Write what a HOLDS rests on to this file (JSON), after it was checked apart from the engine
    #[arg(long, value_name = "OUT", conflicts_with = "all_engines")]
    pub certificate: Option<PathBuf>,
    /// Write a page of HTML that shows the answers, and opens from disk
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// Draw the violating run as a sequence chart (SVG)
    #[arg(long, value_name = "FILE.svg", help_heading = "Output")]
    pub draw: Option<PathBuf>,
    /// Show every step of a run, also those that do nothing
    #[arg(long)]
    pub full: bool,
    /// Print the program without steps that do nothing and with choices normalised, and stop
    #[arg(long)]
    pub simplify: bool,
    /// For .tts: the target as `s|l,l`, or the file that holds it; for .pds: `s|top,top`
    #[arg(long, value_name = "TARGET")]
    pub target: Option<String>,
    /// For .tts: the start as `s|l` (one thread) or `s/l` (any number); for .pds: `s|top,top`
    #[arg(long, value_name = "STATES")]
    pub start: Option<String>,
}

/// Runs the verb and gives the exit status.
pub fn boolean(arguments: &BoolArgs, output: &mut Output<'_>, budget: &Budget) -> Exit {
    run(arguments, output, budget).unwrap_or_else(|refused| refused.told(output))
}

fn run(arguments: &BoolArgs, output: &mut Output<'_>, budget: &Budget) -> Result<Exit, Refused> {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::default();
    let answers = if pushdown::is_pushdown_file(&arguments.file) {
        about_stacks(arguments, &mut sources, &mut diagnostics, output, budget)?
    } else if cover::is_counter_system(&arguments.file) {
        about_counters(arguments, &mut sources, &mut diagnostics, output, budget)?
    } else {
        let (file, labels) = (&arguments.file, &arguments.error_labels);
        let mut program = read(file, labels, &mut sources, &mut diagnostics, output)?;
        if arguments.simplify {
            simplify::normalise_choices(&mut program);
            let small = simplify::compress(&program);
            let text = syntax::print(&graph::to_tree(&small.program));
            return output.write(&text).map(|()| Exit::Holds);
        }
        answer(arguments, &mut program, &sources, output.events, budget)?
    };
    let answers: Vec<Settled> = answers.into_iter().map(|answer| settle(answer, [], &[])).collect();
    let text = match (output.format, arguments.all_engines) {
        (Format::Json, _) => show::as_json(&answers),
        (_, true) => show::as_table(&answers, arguments.full),
        (_, false) => show::as_text(&answers, arguments.full),
    };
    output.listener.all_is_answered();
    write_pictures(arguments, &answers, output)?;
    output.write_answers(&text)?;
    // Engines that were all asked the same: one that decides is enough, and they do not contradict each
    // other.
    let is_decided = arguments.all_engines && answers.iter().any(|answer| answer.verdict.holds());
    let open = |answer: &&Settled| answer.verdict.is_undecided();
    if is_decided && answers.iter().filter(|answer| !open(answer)).all(|answer| answer.verdict.holds()) {
        return Ok(Exit::Holds);
    }
    Ok(Exit::of_answers(answers.iter().map(|answer| &**answer)))
}

/// The page and the drawing that were asked for.
fn write_pictures(arguments: &BoolArgs, answers: &[Settled], output: &Output<'_>) -> Result<(), Refused> {
    if arguments.report.is_none() && arguments.draw.is_none() {
        return Ok(());
    }
    let (mut page, sources) = finite::begin("bool", &[&arguments.file], &show::as_text(answers, false));
    answers.iter().for_each(|settled| finite::add_boolean(&mut page, &sources, settled));
    page.sources = sources.into_list();
    output.status.into_iter().for_each(|status| crate::report::add_times(&mut page, status));
    finite::write(&page, arguments.report.as_deref(), arguments.draw.as_deref(), output.is_quiet)
}

/// A concurrent pushdown system.
fn about_stacks(
    arguments: &BoolArgs,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
    output: &mut Output<'_>,
    budget: &Budget,
) -> Result<Vec<Answer>, Refused> {
    if arguments.engine != "auto" {
        return Err(Refused::usage("for pushdown systems there is only `--engine auto`"));
    }
    let settings = pushdown::PushdownFile {
        target: arguments.target.clone(),
        start: arguments.start.clone(),
        budget: budget.clone(),
    };
    let answer = pushdown::check_file(&arguments.file, &settings, sources, diagnostics, output.events);
    output.show(diagnostics, sources);
    let mut answer = answer.ok_or_else(|| Refused::silent(Exit::BadInput))?;
    certify(arguments, &mut answer)?;
    Ok(vec![answer])
}

/// A thread transition system or a net.
fn about_counters(
    arguments: &BoolArgs,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
    output: &mut Output<'_>,
    budget: &Budget,
) -> Result<Vec<Answer>, Refused> {
    // State by state is for any number of threads without an end, so it is asked only if there is a limit of
    // time.
    let ends = |engine: &cover::Engine| *engine != cover::Engine::Explicit || budget.deadline().is_some();
    let engines: Vec<cover::Engine> = if arguments.all_engines {
        cover::Engine::FORCED.into_iter().filter(ends).collect()
    } else {
        let engine = cover::Engine::named(&arguments.engine).ok_or_else(|| {
            Refused::usage(format!("there is no engine `{}` for this file", arguments.engine))
        })?;
        vec![engine]
    };
    let settings = cover::FileSettings {
        target: arguments.target.clone(),
        start: arguments.start.clone(),
        engine: cover::Engine::Auto,
        budget: budget.clone(),
        recheck: recheck(arguments),
    };
    let system = cover::read_file(&arguments.file, &settings, sources, diagnostics);
    output.show(diagnostics, sources);
    let system = cover::CounterSystem {
        system: system.ok_or_else(|| Refused::silent(Exit::BadInput))?,
        recheck: settings.recheck,
    };
    let question = system.question();
    let mut answers = Vec::new();
    let count = engines.len();
    for (place, engine) in engines.iter().enumerate() {
        let share = budget.share(count - place);
        let knowledge = Knowledge::new();
        let mut answer =
            ask_only(engine, "take `--engine auto`", &question, &knowledge, &share, output.events);
        certify(arguments, &mut answer)?;
        answers.push(answer);
    }
    agreed(answers)
}

/// Answers to the same question that do not contradict each other.
fn agreed(answers: Vec<Answer>) -> Result<Vec<Answer>, Refused> {
    let who = |wanted: fn(&Verdict) -> bool| answers.iter().find(|answer| wanted(&answer.verdict));
    if let (Some(holds), Some(violated)) = (who(Verdict::holds), who(Verdict::is_violated)) {
        let (holds, violated) = (holds.engine, violated.engine);
        let message =
            format!("{holds} says that it holds, {violated} that it is violated: a mistake in Concord");
        return Err(Refused::unwritten(message));
    }
    Ok(answers)
}

/// A program to walk through, with at most so many threads; those of `main` where it starts none itself.
pub fn to_walk(
    file: &Path,
    threads: Option<usize>,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
    output: &mut Output<'_>,
) -> Result<(Program, Setup), Refused> {
    let program = read(file, &[USUAL_LABEL.to_owned()], sources, diagnostics, output)?;
    let main = main_of(&program)?;
    if program.procedures()[main].parameters > 0 {
        return Err(Refused::bad_input("`main` has parameters, and threads begin without arguments"));
    }
    let setup = match program.has_threads() {
        true => Setup { roots: vec![main], most_threads: threads },
        false => Setup { roots: vec![main; threads.unwrap_or(1)], most_threads: threads.or(Some(1)) },
    };
    Ok((program, setup))
}

fn read(
    path: &Path,
    error_labels: &[String],
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
    output: &mut Output<'_>,
) -> Result<Program, Refused> {
    let bytes = std::fs::read(path)
        .map_err(|error| Refused::bad_input(format!("{} cannot be read: {error}", path.display())))?;
    // Comments are in any encoding; the language itself is ASCII.
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let id = sources
        .add(&path.display().to_string(), text)
        .ok_or_else(|| Refused::bad_input("the file is too large"))?;
    let source = sources.source(id);
    let tree = syntax::parse(source.text(), source.base(), diagnostics);
    let labels: Vec<&str> = error_labels.iter().map(String::as_str).collect();
    let program = if diagnostics.has_errors() { None } else { graph::build(&tree, &labels, diagnostics) };
    output.show(diagnostics, sources);
    let program = program.ok_or_else(|| Refused::silent(Exit::BadInput))?;
    let has = |label: &str| program.nodes().iter().any(|node| node.labels.iter().any(|own| **own == *label));
    match labels.iter().find(|label| **label != USUAL_LABEL && !has(label)) {
        Some(label) => Err(Refused::bad_input(format!("no procedure has a label `{label}`"))),
        None => Ok(program),
    }
}

/// `None` is unbounded.
fn count(text: &str, option: &str) -> Result<Option<usize>, Refused> {
    if text == "unbounded" {
        return Ok(None);
    }
    let number = text.parse().ok().filter(|number| *number > 0);
    number
        .map(Some)
        .ok_or_else(|| Refused::usage(format!("{option} takes a number from 1 on, or `unbounded`")))
}

/// Which threads run: with a bound, or without.
fn asked(arguments: &BoolArgs, program: &mut Program) -> Result<Threads, Refused> {
    let most = match &arguments.threads {
        Some(threads) => count(threads, "--threads")?,
        None => None,
    };
    let initial = match &arguments.initial_threads {
        Some(threads) => count(threads, "--initial-threads")?,
        // Who asks about several threads of a program that starts none can only mean several of `main`.
        None if arguments.threads.is_some() && !program.has_threads() => most,
        None => Some(1),
    };
    let mut roots: Vec<ProcedureId> = Vec::new();
    for name in &arguments.roots {
        roots.push(named(program, name)?);
    }
    let main = if roots.is_empty() { Some(main_of(program)?) } else { None };
    for &root in roots.iter().chain(&main) {
        if program.procedures()[root].parameters > 0 {
            let name = &program.procedures()[root].name;
            return Err(Refused::bad_input(format!(
                "`{name}` has parameters, and threads begin without arguments"
            )));
        }
    }
    if let Some(init) = &arguments.init {
        let init = named(program, init)?;
        roots = vec![add_start(program, init, &roots)];
    }
    if let Some(main) = main {
        let Some(copies) = initial else {
            return Ok(Threads::Unbounded(UnboundedSetup { roots: Vec::new(), any_number_of: Some(main) }));
        };
        roots = vec![main; copies];
    }
    match most {
        Some(most) => Ok(Threads::Bounded(Setup { roots, most_threads: Some(most) })),
        None if program.has_threads() => {
            Ok(Threads::Unbounded(UnboundedSetup { roots, any_number_of: None }))
        }
        // Nobody starts threads: those at the start are all there are.
        None => Ok(Threads::Bounded(Setup { most_threads: Some(roots.len()), roots })),
    }
}

fn named(program: &Program, name: &str) -> Result<ProcedureId, Refused> {
    program.procedure_named(name).ok_or_else(|| Refused::bad_input(format!("there is no procedure `{name}`")))
}

fn main_of(program: &Program) -> Result<ProcedureId, Refused> {
    let message = "there is no procedure `main`; name those that run from the start with --root";
    program.main().ok_or_else(|| Refused::bad_input(message))
}

fn answer(
    arguments: &BoolArgs,
    program: &mut Program,
    sources: &SourceMap,
    events: &dyn EventSink,
    budget: &Budget,
) -> Result<Vec<Answer>, Refused> {
    let threads = asked(arguments, program)?;
    let system = BooleanSystem { program, sources, threads, recheck: recheck(arguments) };
    let question = system.question();
    let is_bounded = matches!(system.threads, Threads::Bounded(_));
    let engines = engines_for(arguments, &question, is_bounded, budget)?;
    let count = engines.len();
    let mut answers = Vec::new();
    for (place, engine) in engines.into_iter().enumerate() {
        answers.push(boolprog::ask(&question, engine, &budget.share(count - place), events));
    }
    if let [answer] = &mut answers[..] {
        certify(arguments, answer)?;
    }
    agreed(answers)
}

/// The engine that was asked for, or all; none stands for the one that is chosen.
fn engines_for(
    arguments: &BoolArgs,
    question: &Question<'_, BooleanSystem<'_>>,
    is_bounded: bool,
    budget: &Budget,
) -> Result<Vec<Option<&'static BooleanEngine>>, Refused> {
    let table: &'static [BooleanEngine] = if is_bounded { &WITH_A_BOUND } else { &WITHOUT_A_BOUND };
    let name = arguments.engine.as_str();
    if arguments.all_engines {
        // State by state is for any number of threads without an end, so it is asked only if there is a limit
        // of time.
        let ends = |name: &str| is_bounded || name != "explicit" || budget.deadline().is_some();
        let able = table.iter().filter(|engine| engine.can_answer(question).is_ok() && ends(engine.name()));
        return Ok(able.map(Some).collect());
    }
    let found = table.iter().find(|engine| engine.name() == name);
    match (found, is_bounded) {
        (Some(engine), _) => Ok(vec![Some(engine)]),
        (None, _) if name == "auto" => Ok(vec![None]),
        (None, true) => Err(no_engine(name, "with a bound on threads")),
        (None, false) => Err(no_engine(name, "without a bound on threads (give one with --threads N)")),
    }
}

fn recheck(arguments: &BoolArgs) -> cover::Recheck {
    if arguments.certificate.is_some() { cover::Recheck::All } else { cover::Recheck::Small }
}

/// Writes the certificate that was asked for; says so if there is none.
fn certify(arguments: &BoolArgs, answer: &mut Answer) -> Result<(), Refused> {
    let (Some(path), Verdict::Holds(certificate)) = (&arguments.certificate, &answer.verdict) else {
        return Ok(());
    };
    let Certificate::Facts(certificate) = certificate else {
        let remark =
            format!("{} looks at every state and keeps no smaller proof: no certificate", answer.engine);
        answer.remarks.push(remark);
        return Ok(());
    };
    let facts: Vec<Value> =
        certificate.facts.iter().map(|fact| json!({ "place": fact.place, "states": fact.states })).collect();
    let legend: Vec<Value> =
        certificate.legend.iter().map(|fact| json!({ "name": fact.place, "means": fact.states })).collect();
    let document = json!({
        "concord_certificate": 1,
        "verb": "bool",
        "file": arguments.file.display().to_string(),
        "property": answer.property,
        "engine": answer.engine,
        "shape": certificate.shape,
        "meaning": certificate.meaning,
        "conditions_checked": certificate.conditions,
        "facts": facts,
        "legend": legend,
    });
    write_file(path, &evidence::json::text(&document))?;
    let conditions = certificate.conditions;
    let remark = format!("the proof was checked ({conditions} conditions) and written to {}", path.display());
    answer.remarks.push(remark);
    Ok(())
}

fn no_engine(name: &str, questions: &str) -> Refused {
    Refused::usage(format!("there is no engine `{name}` for questions {questions}; `--help` lists them"))
}
