//! A run that goes on for ever because its whole state comes back: the inputs between the two times can be given again and
//! again (a lasso). Runs on drawn inputs which after some time repeat a value; the state at heads of loops is kept in
//! sixteen bytes, and what is found is run once more, three times round.
//!
//! Nothing undefined may happen on the way, not even a signed overflow: whatever a compiler makes of the program, the run is
//! one of its runs.
//!
//! Worked example: `while (next()) ;`. On inputs that are all 1, the state at the head is the same after each round: the run
//! is endless on 1, 1, 1, …

use crate::candidates::constants;
use crate::code::{Code, CodeEngine, CodeRequest};
use crate::order::Order;
use base::{Budget, Event, Span};
use concrete::{
    ConsumedInput, Discarded, InputShape, InputTrouble, Inputs, Interpreter, Observer, StateSeen, Step,
};
use program::{NodeId, Origin, ProcedureId, Program};
use question::{Answer, Broken, Cycle, Violation, part_of};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;
use verdict::{Reason, Undecided};

const NAME: &str = "recurrence";

/// A few short runs.
pub const RECURRENCE: CodeEngine =
    CodeEngine::new(NAME, "Runs whose state comes back, so that they never end", |asked| {
        search(asked, SHORT)
    });
/// Longer runs, beside the other engines.
pub const LONG_RECURRENCE: CodeEngine =
    CodeEngine::new(NAME, "Runs whose state comes back, so that they never end", |asked| search(asked, LONG));

/// How much is tried.
#[derive(Clone, Copy)]
struct Effort {
    runs: u64,
    steps: u64,
    states: usize,
    time: Duration,
}

const SHORT: Effort = Effort { runs: 60, steps: 20_000, states: 2_000, time: Duration::from_millis(700) };
const LONG: Effort =
    Effort { runs: 20_000, steps: 3_000_000, states: 200_000, time: Duration::from_secs(60) };
/// Rounds that are run to see the state come back.
const ROUNDS: usize = 3;
/// Steps that are kept for the trace.
pub(crate) const MOST_STEPS: usize = 100_000;

fn search(asked: &CodeRequest<'_, '_>, effort: Effort) -> Answer {
    let CodeRequest { code, budget, events, .. } = *asked;
    let program = code.program;
    let interpreter = Interpreter::new(program);
    let heads = heads_of(program);
    let every: Vec<ProcedureId> = program.procedures.ids().collect();
    let numbers = constants(program, &every);
    let share = part_of(budget, 2, effort.time);
    for run in 0..effort.runs {
        if share.check().is_err() {
            break;
        }
        events.emit(Event::Count { what: "runs", value: run + 1 });
        let mut inputs = Repeating::new(run, &numbers);
        // The first runs are short: most cycles are.
        let steps = if run < effort.runs / 4 { effort.steps / 8 } else { effort.steps };
        let mut watch = Watch::new(&heads, effort.states, &share);
        let settings = settings(code, &watch.stop, steps);
        let made = interpreter.watch(&settings, &mut Discarded, &mut inputs, &mut watch);
        if let Some(found) = watch.found.take()
            && let Some(violation) = repeated(code, &interpreter, &heads, &made.inputs, found, budget)
        {
            return Answer::by(NAME, Box::new(violation));
        }
        if inputs.count == 0 {
            break;
        }
    }
    let why = "no run was met whose state comes back".to_owned();
    Answer::by(NAME, Undecided::because(Reason::NotConfirmed { why }))
}

pub(crate) fn settings(code: &Code<'_>, budget: &Budget, steps: u64) -> concrete::Settings {
    let mut settings = crate::replay::replay_settings(code.settings.missing, budget);
    settings.on_undefined = concrete::OnUndefined::Stop;
    settings.on_error = crate::testing::error_functions(code.property);
    settings.strictness.pointer_order = true;
    settings.strictness.pointer_arithmetic = true;
    settings.strictness.layout = true;
    settings.limits.steps = Some(steps);
    settings
}

/// Heads of all loops, and of what is inside models too.
pub(crate) fn heads_of(program: &Program) -> FxHashSet<(ProcedureId, NodeId)> {
    let mut heads = FxHashSet::default();
    for (id, procedure) in program.procedures.iter_enumerated() {
        let Some(body) = &procedure.body else { continue };
        let order = Order::of(body);
        heads.extend(body.nodes.ids().filter(|&node| order.is_head(node)).map(|node| (id, node)));
    }
    heads
}

/// A state that came back: how the run was at both times.
#[derive(Clone, Copy)]
struct Back {
    first: StateSeen,
    again: StateSeen,
}

struct Watch<'h> {
    heads: &'h FxHashSet<(ProcedureId, NodeId)>,
    seen: FxHashMap<u128, StateSeen>,
    most: usize,
    found: Option<Back>,
    /// Ends the run.
    stop: Budget,
}

impl<'h> Watch<'h> {
    fn new(heads: &'h FxHashSet<(ProcedureId, NodeId)>, most: usize, budget: &Budget) -> Watch<'h> {
        Watch { heads, seen: FxHashMap::default(), most, found: None, stop: budget.branch() }
    }
}

impl Observer for Watch<'_> {
    fn step(&mut self, _step: Step) {}

    fn wants_state(&self, procedure: ProcedureId, node: NodeId) -> bool {
        self.found.is_none() && self.heads.contains(&(procedure, node))
    }

    fn state(&mut self, seen: StateSeen) {
        match self.seen.get(&seen.digest) {
            Some(&first) if first.procedure == seen.procedure && first.node == seen.node => {
                self.found = Some(Back { first, again: seen });
                self.stop.cancel();
            }
            _ if self.seen.len() >= self.most => self.stop.cancel(),
            _ => drop(self.seen.insert(seen.digest, seen)),
        }
    }
}

/// Runs it again, some rounds further, and looks whether the state comes back each time.
fn repeated(
    code: &Code<'_>,
    interpreter: &Interpreter<'_>,
    heads: &FxHashSet<(ProcedureId, NodeId)>,
    inputs: &[ConsumedInput],
    Back { first, again }: Back,
    budget: &Budget,
) -> Option<Violation> {
    let stem = &inputs[..first.inputs];
    let round = &inputs[first.inputs..again.inputs];
    let length = again.steps - first.steps;
    let all: Vec<&ConsumedInput> = stem.iter().chain((0..ROUNDS).flat_map(|_| round)).collect();
    let mut listed = Listed { inputs: &all, next: 0 };
    let mut look = Confirm { heads, first, length, times: 0, has_failed: false };
    let steps = first.steps + length * ROUNDS as u64;
    let made = interpreter.watch(&settings(code, budget, steps), &mut Discarded, &mut listed, &mut look);
    if look.has_failed || look.times < ROUNDS || !made.tolerated.is_empty() {
        return None;
    }
    // Once round, for people.
    let shown: Vec<&ConsumedInput> = inputs[..again.inputs].iter().collect();
    let mut listed = Listed { inputs: &shown, next: 0 };
    let mut kept = Kept { steps: Vec::new(), begins: first, cycle_from: None, heads };
    let run = interpreter.watch(&settings(code, budget, again.steps), &mut Discarded, &mut listed, &mut kept);
    let span = span_of(code.program, first);
    Some(Violation {
        what: "the run goes on for ever: its state comes back".to_owned(),
        broken: Broken::Endless,
        span,
        inputs: run.inputs.clone(),
        run,
        cycle: Some(Cycle {
            at: span,
            inputs: first.inputs,
            steps: kept.cycle_from.unwrap_or(kept.steps.len()),
            length,
        }),
        steps: kept.steps,
        schedule: None,
        visible: Vec::new(),
        engine: NAME,
    })
}

/// Where the loop is; where that is inside a library function, there is no better place.
pub(crate) fn span_of(program: &Program, seen: StateSeen) -> Span {
    let procedure = &program.procedures[seen.procedure];
    match (&procedure.body, procedure.origin) {
        (Some(body), Origin::User) => body.nodes[seen.node].span,
        _ => procedure.span,
    }
}

/// Looks for the state at every end of a round.
struct Confirm<'h> {
    heads: &'h FxHashSet<(ProcedureId, NodeId)>,
    first: StateSeen,
    length: u64,
    times: usize,
    has_failed: bool,
}

impl Observer for Confirm<'_> {
    fn step(&mut self, _step: Step) {}

    fn wants_state(&self, procedure: ProcedureId, node: NodeId) -> bool {
        self.heads.contains(&(procedure, node))
    }

    fn state(&mut self, seen: StateSeen) {
        let expected = self.first.steps + self.length * (self.times as u64 + 1);
        if seen.steps != expected || self.times == ROUNDS {
            return;
        }
        self.times += 1;
        self.has_failed |= seen.digest != self.first.digest;
    }
}

/// Keeps the steps of a run, and after how many of them the cycle begins.
struct Kept<'h> {
    heads: &'h FxHashSet<(ProcedureId, NodeId)>,
    steps: Vec<Step>,
    begins: StateSeen,
    cycle_from: Option<usize>,
}

impl Observer for Kept<'_> {
    fn step(&mut self, step: Step) {
        if self.steps.len() < MOST_STEPS {
            self.steps.push(step);
        }
    }

    fn wants_state(&self, procedure: ProcedureId, node: NodeId) -> bool {
        self.cycle_from.is_none() && self.heads.contains(&(procedure, node))
    }

    fn state(&mut self, seen: StateSeen) {
        if seen.steps == self.begins.steps {
            self.cycle_from = Some(self.steps.len());
        }
    }
}

/// The same inputs again.
pub(crate) struct Listed<'i> {
    pub(crate) inputs: &'i [&'i ConsumedInput],
    pub(crate) next: usize,
}

impl Inputs for Listed<'_> {
    fn next(&mut self, name: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        let input = self.inputs.get(self.next).ok_or(InputTrouble::Exhausted)?;
        if *input.name != *name || input.shape != shape {
            return Err(InputTrouble::Unfit("another input is asked for".to_owned()));
        }
        self.next += 1;
        Ok(input.bits)
    }
}

/// Some drawn values, then one value, or two or three in turn, again and again.
pub(crate) struct Repeating<'n> {
    state: u64,
    drawn: u64,
    numbers: &'n [i128],
    period: Vec<i128>,
    /// How many were taken.
    pub(crate) count: u64,
}

impl<'n> Repeating<'n> {
    pub(crate) fn new(run: u64, numbers: &'n [i128]) -> Repeating<'n> {
        const DRAWN: [u64; 8] = [0, 1, 2, 3, 0, 5, 1, 9];
        let mut inputs = Repeating {
            state: (run + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15),
            drawn: DRAWN[(run / 3 % 8) as usize],
            numbers,
            period: Vec::new(),
            count: 0,
        };
        let first = match run % 3 {
            0 => 1,
            1 => 0,
            _ => inputs.number(),
        };
        inputs.period.push(first);
        for _ in 0..run / 5 % 3 {
            let next = inputs.number();
            inputs.period.push(next);
        }
        inputs
    }

    fn draw(&mut self) -> u64 {
        // Marsaglia 2003, xorshift.
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state >> 8
    }

    fn number(&mut self) -> i128 {
        let drawn = self.draw();
        let size = drawn >> 8;
        match drawn % 8 {
            0 => -((size % 20) as i128),
            1 | 2 if !self.numbers.is_empty() => {
                self.numbers[(size as usize) % self.numbers.len()] + i128::from(drawn >> 4 & 3) - 1
            }
            3 => (size % (1 << 31)) as i128,
            4 => -((size % (1 << 31)) as i128),
            5 => (size % 2) as i128,
            _ => (size % 30) as i128,
        }
    }
}

impl Inputs for Repeating<'_> {
    fn next(&mut self, _name: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        let number = if self.count < self.drawn {
            self.number()
        } else {
            self.period[((self.count - self.drawn) % self.period.len() as u64) as usize]
        };
        self.count += 1;
        let bits = match shape {
            InputShape::Pointer { .. } => 0,
            InputShape::Bool => (number & 1) as u128,
            InputShape::Float(_) | InputShape::Integer { .. } => number as u128,
        };
        let width = shape.width();
        Ok(if width >= 128 { bits } else { bits & ((1 << width) - 1) })
    }
}
