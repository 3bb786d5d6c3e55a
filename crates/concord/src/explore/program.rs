//! Exploring C programs: a run is made by the interpreter from what was chosen, up to where it needs the next input, or
//! where several threads could make the next step that others can see. So going on is one choice more, and going back
//! one less; within a run the page steps by itself.

use super::ExploreArgs;
use crate::cli::Common;
use crate::exit::Exit;
use crate::load::load_with_entry;
use crate::report::{page, program as pages, texts};
use base::random::Random;
use base::{Budget, Id};
use concrete::inputs::Literal;
use concrete::{
    Captured, ChoiceKind, ConsumedInput, Driver, InputShape, InputTrouble, Inputs, Interpreter, Limit,
    Moment, Observer, Run, RunOutcome, SeededInputs, Settings, Step, ThreadId, UnknownReason, VisibleEdges,
};
use program::Program;
use report::page::{Live, Sources, of_run, to_html};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::time::Duration;

/// Steps of the program that a run may make.
const MOST_STEPS: u64 = 2_000_000;
/// Steps that are kept for the page.
const MOST_KEPT: usize = 200_000;
/// A run has this long.
const TIME_FOR_RUN: Duration = Duration::from_secs(10);
/// Choices that may be given.
const MOST_CHOICES: usize = 10_000;

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
    // Of threads, every step that others can see is a choice.
    let threaded = threads::is_threaded(&program).then(|| {
        let divided = threads::divided(&program);
        let visible = concrete::interleavings::accesses(&divided);
        (divided, visible)
    });
    let explored = Explored { program: &program, threaded: threaded.as_ref(), sources: &sources };
    super::serve(arguments.port, html, budget, |name, body| match name {
        "run" => explored.run(body, budget),
        _ => Err(format!("a program cannot be asked for `{name}`")),
    })
}

/// What a person chose: an input, or who makes the next step.
#[derive(Clone, Debug, PartialEq)]
enum Choice {
    Input(Literal, String),
    Thread(usize),
}

/// Reads `5`, `-1`, `'a'` as inputs, and `t1` as the thread with this number.
fn choice(text: &str) -> Result<Choice, String> {
    if let Some(number) = text.strip_prefix('t').and_then(|number| number.parse().ok()) {
        return Ok(Choice::Thread(number));
    }
    let value = Literal::parse(text).ok_or_else(|| format!("`{text}` is no value"))?;
    Ok(Choice::Input(value, text.to_owned()))
}

struct Explored<'p> {
    program: &'p Program,
    threaded: Option<&'p (Program, VisibleEdges)>,
    sources: &'p Sources,
}

impl Explored<'_> {
    /// Runs the program on what was chosen.
    fn run(&self, body: &Value, budget: &Budget) -> Result<Value, String> {
        let given = body["choices"].as_array().ok_or("`choices` is missing")?;
        if given.len() > MOST_CHOICES {
            return Err(format!("at most {MOST_CHOICES} choices can be made"));
        }
        let mut choices = Vec::new();
        for value in given {
            choices.push(choice(value.as_str().unwrap_or_default().trim())?);
        }
        let seed = body["seed"].as_u64();
        let desk = RefCell::new(Desk::new(&choices, seed));
        let mut inputs = Given(&desk);
        let mut settings = Settings::default();
        settings.limits.budget = budget.clone().with_time(TIME_FOR_RUN);
        settings.limits.steps = Some(MOST_STEPS);
        let (mut watcher, mut host) = (Watcher::default(), Captured::default());
        let (ran, run) = match self.threaded {
            Some((divided, visible)) => {
                settings.deadlocks = true;
                let mut driver = Chosen(&desk);
                let (driver, interpreter) =
                    ((&mut driver as &mut dyn Driver, visible), Interpreter::for_threads(divided));
                (divided, interpreter.drive(&settings, &mut host, &mut inputs, driver, Some(&mut watcher)))
            }
            None => {
                let run =
                    Interpreter::new(self.program).watch(&settings, &mut host, &mut inputs, &mut watcher);
                (self.program, run)
            }
        };
        let desk = desk.into_inner();
        let needs_input = matches!(&run.outcome, RunOutcome::Unknown(unknown) if unknown.reason == UnknownReason::InputsExhausted);
        let needs_thread = matches!(&run.outcome, RunOutcome::LimitReached(Limit::Driver, _));
        if let Some(wrong) = desk.wrong {
            return Err(wrong);
        }
        let says = if needs_input || needs_thread { String::new() } else { words(&run) };
        let mut shown = of_run(ran, &run, &watcher.steps, self.sources);
        if self.threaded.is_some() {
            pages::without_strange_keys(&mut shown, self.program, ran);
        }
        // What is no failure is said beside the choices.
        if !matches!(run.outcome, RunOutcome::Exited(_)) {
            shown.end.clone_from(&says);
        }
        if watcher.is_cut {
            shown.end.push_str(&format!("\nof the steps the first {MOST_KEPT} are shown"));
        }
        let asks = desk
            .asked
            .filter(|_| needs_input)
            .map(|(name, shape)| json!({ "name": name, "kind": kind_of(shape) }));
        let able: Vec<Value> = { desk.able.iter().filter(|_| needs_thread) }
            .map(|&thread| json!({ "choice": format!("t{thread}"), "text": thread_in_words(ran, &watcher.steps, thread) }))
            .collect();
        let used: Vec<String> = desk.log;
        let printed = String::from_utf8_lossy(&host.out).into_owned();
        Ok(
            json!({ "run": shown, "asks": asks, "able": able, "says": says, "choices": used, "printed": printed }),
        )
    }
}

/// A thread, with the place of its last step.
fn thread_in_words(program: &Program, steps: &[Step], thread: usize) -> String {
    let own: Vec<&Step> = steps.iter().filter(|step| step.thread.index() == thread).collect();
    let starts = own.iter().find(|step| step.depth == 1).map(|step| &program.procedures[step.procedure].name);
    let line = own.last().and_then(|step| {
        let body = program.procedures[step.procedure].body.as_ref()?;
        program.sources.location(body.edges[step.edge].span)
    });
    let name = match (thread, starts) {
        (0, _) => "main".to_owned(),
        (_, Some(name)) => format!("thread {thread} ({name})"),
        _ => format!("thread {thread}"),
    };
    match line {
        Some(line) => format!("{name}, behind line {}", line.line),
        None => format!("{name}, at its start"),
    }
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
            let each = waiting.iter().map(|one| {
                let who = one
                    .place
                    .thread
                    .map_or_else(|| "a thread".to_owned(), |id| format!("thread {}", id.index()));
                format!("\n{who} waits for {}", one.waits_for)
            });
            std::iter::once("threads wait for each other for ever".to_owned()).chain(each).collect()
        }
        RunOutcome::Unknown(unknown) => {
            format!("Concord cannot follow the run any further: {}", unknown.message)
        }
        RunOutcome::LimitReached(limit, _) => limit.to_string(),
    }
}

/// What was chosen, in order; then drawn choices if there is a seed, then nothing.
struct Desk<'c> {
    choices: std::slice::Iter<'c, Choice>,
    random: Option<(SeededInputs, Random)>,
    /// All choices of the run, as a person would type them.
    log: Vec<String>,
    /// The input that was asked for when there was nothing left.
    asked: Option<(String, InputShape)>,
    /// The threads that could go on when there was nothing left.
    able: Vec<usize>,
    /// A choice that does not fit.
    wrong: Option<String>,
}

impl Desk<'_> {
    fn new(choices: &[Choice], seed: Option<u64>) -> Desk<'_> {
        Desk {
            choices: choices.iter(),
            random: seed.map(|seed| (SeededInputs::new(seed), Random::new(seed))),
            log: Vec::new(),
            asked: None,
            able: Vec::new(),
            wrong: None,
        }
    }

    fn input(&mut self, name: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        match self.choices.next() {
            Some(Choice::Input(value, text)) => {
                self.log.push(text.clone());
                return value.bits(shape);
            }
            Some(Choice::Thread(number)) => {
                self.wrong = Some(format!("here {name} needs an input, not a thread (t{number})"));
                return Err(InputTrouble::Exhausted);
            }
            None => {}
        }
        match &mut self.random {
            Some((random, _)) => {
                let bits = random.next(name, shape)?;
                self.log.push(typed(bits, shape));
                Ok(bits)
            }
            None => {
                self.asked = Some((name.to_owned(), shape));
                Err(InputTrouble::Exhausted)
            }
        }
    }

    fn thread(&mut self, moment: &Moment) -> Option<ThreadId> {
        // Where one thread can go on, or none, there is nothing to choose.
        match moment.able[..] {
            [] => return None,
            [only] => return Some(only),
            _ => {}
        }
        let chosen = match self.choices.next() {
            Some(Choice::Thread(number)) => {
                let found = moment.able.iter().copied().find(|id| id.index() == *number);
                if found.is_none() {
                    self.wrong = Some(format!("thread {number} cannot go on here"));
                }
                found
            }
            Some(Choice::Input(_, text)) => {
                self.wrong =
                    Some(format!("here a thread has to be chosen (such as t0), not an input ({text})"));
                None
            }
            None => match &mut self.random {
                Some((_, random)) => Some(moment.able[random.below(moment.able.len())]),
                None => {
                    self.able = moment.able.iter().map(|id| id.index()).collect();
                    None
                }
            },
        }?;
        self.log.push(format!("t{}", chosen.index()));
        Some(chosen)
    }
}

/// An input as a person would type it.
fn typed(bits: u128, shape: InputShape) -> String {
    let input = ConsumedInput { name: "".into(), shape, bits, span: base::Span::NOWHERE };
    evidence::inputs::value(&input)
}

struct Given<'d, 'c>(&'d RefCell<Desk<'c>>);

impl Inputs for Given<'_, '_> {
    fn next(&mut self, name: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        self.0.borrow_mut().input(name, shape)
    }
}

struct Chosen<'d, 'c>(&'d RefCell<Desk<'c>>);

impl Driver for Chosen<'_, '_> {
    fn choose(&mut self, moment: &Moment) -> Option<ThreadId> {
        self.0.borrow_mut().thread(moment)
    }

    fn decide(&mut self, _: ThreadId, kind: ChoiceKind, ways: u32) -> u32 {
        kind.usual(ways)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read_as_they_are_written() {
        assert_eq!(choice("t12"), Ok(Choice::Thread(12)));
        assert!(matches!(choice("-3"), Ok(Choice::Input(..))));
        assert_eq!(choice("two"), Err("`two` is no value".to_owned()));
        let int = InputShape::Integer { width: 32, signed: true };
        for value in [0_i32, 5, -1, i32::MIN, i32::MAX] {
            let bits = u128::from(value as u32);
            let text = typed(bits, int);
            assert_eq!(text, value.to_string());
            assert_eq!(Literal::parse(&text).map(|literal| literal.bits(int)), Some(Ok(bits)));
        }
    }
}
