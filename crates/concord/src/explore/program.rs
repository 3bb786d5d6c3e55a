//! Exploring C programs: a run is made by the interpreter from the inputs that were chosen, up to where it needs the next
//! one. So going on is one input more, and going back one less; within a run the page steps by itself.

use super::ExploreArgs;
use crate::cli::Common;
use crate::exit::Exit;
use crate::load::load_with_entry;
use crate::report::{page, program as pages, texts};
use base::Budget;
use concrete::inputs::Literal;
use concrete::{
    Captured, InputShape, InputTrouble, Inputs, Interpreter, Observer, Run, RunOutcome, Schedule,
    SeededInputs, Settings, Step, UnknownReason,
};
use program::Program;
use report::page::{Live, Sources, of_run, to_html};
use serde_json::{Value, json};
use std::time::Duration;

/// Steps of the program that a run may make.
const MOST_STEPS: u64 = 2_000_000;
/// Steps that are kept for the page.
const MOST_KEPT: usize = 200_000;
/// A run has this long.
const TIME_FOR_RUN: Duration = Duration::from_secs(10);
/// Inputs that may be given.
const MOST_INPUTS: usize = 10_000;

/// Reads the program and serves it.
pub fn explore(arguments: &ExploreArgs, common: &Common, budget: &Budget) -> Result<Exit, Exit> {
    let lowering = lower::Settings { variadic: lower::Variadic::AsWritten, ..arguments.entry.settings() };
    let program = load_with_entry(&arguments.files, common, &lowering, budget)?;
    let names: Vec<String> = arguments.files.iter().map(|file| file.display().to_string()).collect();
    let mut page = page("explore", names.join(", "), "");
    let sources = texts::of_program(&program, &arguments.files, common, &mut page.left_out);
    page.graphs = pages::graphs(&program, &sources, std::iter::empty());
    page.live = Some(Live { kind: "c", systems: names });
    page.sources = sources.clone().into_list();
    let html = to_html(&page);
    super::serve(arguments.port, html, budget, |name, body| match name {
        "run" => run(&program, &sources, body, budget),
        _ => Err("nothing is known by this name".to_owned()),
    })
}

/// Runs the program on the inputs that are given.
fn run(program: &Program, sources: &Sources, body: &Value, budget: &Budget) -> Result<Value, String> {
    let given = body["inputs"].as_array().ok_or("no inputs are given")?;
    if given.len() > MOST_INPUTS {
        return Err(format!("at most {MOST_INPUTS} inputs can be given"));
    }
    let mut values = Vec::new();
    for value in given {
        let text = value.as_str().unwrap_or_default().trim();
        values.push(Literal::parse(text).ok_or_else(|| format!("`{text}` is no value"))?);
    }
    let random = body["seed"].as_u64().map(SeededInputs::new);
    let mut inputs = Given { values, next: 0, random, asked: None };
    let mut settings = Settings::default();
    settings.limits.budget = budget.clone().with_time(TIME_FOR_RUN);
    settings.limits.steps = Some(MOST_STEPS);
    if let Some(seed) = body["schedule"].as_u64() {
        settings.schedule = Schedule::Seeded(seed);
    }
    let mut watcher = Watcher::default();
    let mut host = Captured::default();
    let run = Interpreter::new(program).watch(&settings, &mut host, &mut inputs, &mut watcher);
    let needs = matches!(&run.outcome, RunOutcome::Unknown(unknown) if unknown.reason == UnknownReason::InputsExhausted);
    let says = if needs { String::new() } else { words(&run) };
    let mut shown = of_run(program, &run, &watcher.steps, sources);
    shown.end.clone_from(&says);
    if watcher.is_cut {
        shown.end.push_str(&format!("\nof the steps the first {MOST_KEPT} are shown"));
    }
    let asks =
        inputs.asked.filter(|_| needs).map(|(name, shape)| json!({ "name": name, "kind": kind_of(shape) }));
    let used: Vec<String> = run.inputs.iter().map(evidence::inputs::value).collect();
    let printed = String::from_utf8_lossy(&host.out).into_owned();
    Ok(json!({ "run": shown, "asks": asks, "says": says, "inputs": used, "printed": printed }))
}

/// What a person may type for an input.
fn kind_of(shape: InputShape) -> String {
    match shape {
        InputShape::Bool => "0 or 1".to_owned(),
        InputShape::Integer { width, signed } => {
            format!("{} integer of {width} bits", if signed { "a signed" } else { "an unsigned" })
        }
        InputShape::Float(_) => "a floating value".to_owned(),
        InputShape::Pointer { .. } => "an address".to_owned(),
    }
}

/// How a run ended, in a sentence.
fn words(run: &Run) -> String {
    match &run.outcome {
        RunOutcome::Exited(status) => format!("the program ends with status {status}"),
        RunOutcome::Aborted(_) => "the program aborts".to_owned(),
        RunOutcome::AssertionFailed { expression, .. } => format!("the assertion `{expression}` fails"),
        RunOutcome::ErrorReached { function, .. } => format!("`{function}` is called"),
        RunOutcome::Undefined(report) => format!("undefined behaviour: {}", report.message),
        RunOutcome::AssumptionUnmet(_) => "an assumption does not hold: the run does not count".to_owned(),
        RunOutcome::Deadlock(waiting) => {
            let each = waiting.iter().map(|one| format!("\nwaits for {}", one.waits_for));
            std::iter::once("threads wait for each other for ever".to_owned()).chain(each).collect()
        }
        RunOutcome::Unknown(unknown) => format!("nothing can be said from here on: {}", unknown.message),
        RunOutcome::LimitReached(limit, _) => limit.to_string(),
    }
}

/// The inputs that were given, then drawn ones if there is a seed, then none.
struct Given {
    values: Vec<Literal>,
    next: usize,
    random: Option<SeededInputs>,
    /// What was asked for when there was nothing left.
    asked: Option<(String, InputShape)>,
}

impl Inputs for Given {
    fn next(&mut self, name: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        if let Some(value) = self.values.get(self.next) {
            self.next += 1;
            return value.bits(shape);
        }
        match &mut self.random {
            Some(random) => random.next(name, shape),
            None => {
                self.asked = Some((name.to_owned(), shape));
                Err(InputTrouble::Exhausted)
            }
        }
    }
}

/// Keeps the steps of a run.
#[derive(Default)]
struct Watcher {
    steps: Vec<Step>,
    is_cut: bool,
}

impl Observer for Watcher {
    fn step(&mut self, step: Step) {
        if self.steps.len() < MOST_KEPT {
            self.steps.push(step);
        } else {
            self.is_cut = true;
        }
    }
}
