//! Runs that do not satisfy a temporal formula: runs on drawn inputs that repeat after some time. A run whose state comes
//! back can go on as it did in between, for ever (a lasso); one that ends is judged as it is; and one after which the formula
//! cannot hold any more, whatever follows, is judged by how it begins, if nothing can keep it from going on.
//!
//! Which positions a run has is written down by the program itself (`temporal::Observed`); whether the formula holds of
//! them is said by its meaning, not by an automaton. A run that is told was made again, some rounds further.

use crate::candidates::constants;
use crate::code::Code;
use crate::recurrence::{Listed, MOST_STEPS, Repeating, heads_of, settings, span_of};
use base::{Budget, Event, EventSink, Span};
use concrete::{
    ConsumedInput, Discarded, InputShape, InputTrouble, Inputs, Interpreter, Observer, Run, RunOutcome,
    StateSeen, Step,
};
use program::{Action, AssumeReason, NodeId, ProcedureId, Program};
use question::{Broken, Cycle, FiniteRuns, Violation};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use temporal::{Observed, PositionSeen};

const NAME: &str = "lassos";
/// Rounds that are run to see the state come back.
const ROUNDS: usize = 3;
/// Lassos of one run that are looked at.
const MOST_LASSOS: usize = 40;
/// Positions that are kept of a run.
const MOST_POSITIONS: usize = 200_000;

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Runs at most.
    pub runs: u64,
    /// Steps of a run at most.
    pub steps: u64,
    /// States at heads that are remembered.
    pub states: usize,
}

/// A few short runs.
pub const FEW_RUNS: Effort = Effort { runs: 80, steps: 30_000, states: 3_000 };
/// Long ones.
pub const MANY_RUNS: Effort = Effort { runs: 1_000_000, steps: 2_000_000, states: 200_000 };

/// A program that is observed, with what runs of it need.
pub struct Searched<'s> {
    /// The program.
    pub observed: &'s Observed,
    /// How it is run.
    pub code: Code<'s>,
    /// What runs that end mean.
    pub finite_runs: FiniteRuns,
}

/// What a run is judged by.
#[derive(Clone, Copy, Debug)]
enum Shown {
    /// The state comes back.
    Lasso(Back),
    /// It ends.
    Ended,
    /// The formula cannot hold any more after so many positions.
    BadPrefix(usize),
}

/// A state that came back, with how many positions there were at both times.
#[derive(Clone, Copy, Debug)]
struct Back {
    first: (StateSeen, usize),
    again: (StateSeen, usize),
}

/// Searches for a run that violates the formula. Inputs that are given come first.
pub fn violating_run(
    searched: &Searched<'_>,
    given: &[(Arc<str>, u128)],
    effort: Effort,
    budget: &Budget,
    events: &dyn EventSink,
) -> Option<Box<Violation>> {
    let program = &searched.observed.program;
    let interpreter = Interpreter::new(program);
    let heads = heads_of(program);
    let every: Vec<ProcedureId> = program.procedures.ids().collect();
    let numbers = constants(program, &every);
    let mut passed = Passed::default();
    passed.values.extend(given.iter().map(|(_, bits)| *bits).take(MOST_PASSED));
    let goes_on = !may_be_stopped(program) && searched.finite_runs != FiniteRuns::Ignore;
    for run in 0..effort.runs {
        if budget.check().is_err() {
            break;
        }
        events.emit(Event::Count { what: "runs", value: run + 1 });
        let then = Drawn::new(run, Repeating::new(run, &numbers), &passed);
        let mut inputs = After { given, next: 0, then };
        // Most cycles are short.
        let steps = effort.steps / [40, 8, 40, 1][(run % 4) as usize];
        let mut watch = Watch::new(searched.observed, &heads, effort.states, budget);
        let run_settings = settings(&searched.code, &watch.stop, steps);
        let made = interpreter.watch(&run_settings, &mut Discarded, &mut inputs, &mut watch);
        let is_last = inputs.then.count == 0 && given.is_empty();
        drop(inputs);
        passed.learn(&made);
        let mut shown = watch.found.take().map(Shown::Lasso);
        if shown.is_none() && made.tolerated.is_empty() {
            let is_end = made.outcome.is_end() && searched.finite_runs != FiniteRuns::Ignore;
            if is_end && !ended_holds(searched, &watch.positions) {
                shown = Some(Shown::Ended);
            } else if goes_on && !made.outcome.is_end() && is_cut_off(&made.outcome) {
                let positions = searched.observed.going_on(&watch.positions);
                shown = searched.observed.bad_prefix(positions).map(Shown::BadPrefix);
            }
        }
        if let Some(shown) = shown
            && let Some(violation) = confirmed(searched, &interpreter, &heads, &made.inputs, shown, budget)
        {
            return Some(Box::new(violation));
        }
        if is_last {
            break;
        }
    }
    None
}

/// Values behind which runs went on: where assumptions stop most runs, these are drawn again.
#[derive(Default)]
struct Passed {
    values: Vec<u128>,
    /// Did an assumption stop a run?
    stops: bool,
}

/// More values are not kept.
const MOST_PASSED: usize = 48;

impl Passed {
    fn learn(&mut self, run: &Run) {
        let stopped = usize::from(matches!(run.outcome, RunOutcome::AssumptionUnmet(_)));
        self.stops |= stopped == 1;
        let passed = run.inputs.len().saturating_sub(stopped);
        for input in run.inputs[..passed].iter().take(200) {
            if self.values.len() < MOST_PASSED && !self.values.contains(&input.bits) {
                self.values.push(input.bits);
            }
        }
    }
}

/// Inputs of a run: as `Repeating` has them, or values that others passed with, many, and then some of them in turn.
struct Drawn<'n, 'p> {
    plain: Repeating<'n>,
    passed: &'p Passed,
    state: u64,
    /// So many are drawn, then these come in turn.
    drawn: u64,
    period: Vec<u128>,
    count: u64,
}

impl<'n, 'p> Drawn<'n, 'p> {
    fn new(run: u64, plain: Repeating<'n>, passed: &'p Passed) -> Drawn<'n, 'p> {
        const LONG: [u64; 6] = [3, 10, 30, 100, 400, 3000];
        let state = (run + 11).wrapping_mul(0x2545_F491_4F6C_DD1D) | 1;
        let mut inputs =
            Drawn { plain, passed, state, drawn: LONG[(run / 2 % 6) as usize], period: Vec::new(), count: 0 };
        if run % 2 == 1 && passed.values.len() > 1 {
            for _ in 0..1 + inputs.draw() % 4 {
                let value = inputs.value();
                inputs.period.push(value);
            }
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

    fn value(&mut self) -> u128 {
        let drawn = self.draw();
        if !self.passed.stops && drawn & 1 == 0 {
            return u128::from(drawn >> 1 & 1);
        }
        self.passed.values[(drawn >> 2) as usize % self.passed.values.len()]
    }
}

impl Inputs for Drawn<'_, '_> {
    fn next(&mut self, name: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        self.count += 1;
        if self.period.is_empty() || matches!(shape, InputShape::Pointer { .. } | InputShape::Float(_)) {
            return self.plain.next(name, shape);
        }
        if self.count <= self.drawn {
            // Now and then one that nobody passed with yet.
            if self.draw().is_multiple_of(40) {
                return self.plain.next(name, shape);
            }
            let value = self.value();
            return Ok(cut(value, shape));
        }
        let at = (self.count - self.drawn - 1) % self.period.len() as u64;
        Ok(cut(self.period[at as usize], shape))
    }
}

fn cut(bits: u128, shape: InputShape) -> u128 {
    let width = shape.width();
    if width >= 128 { bits } else { bits & ((1 << width) - 1) }
}

/// May an assumption of the program's stop a run? Then nobody knows whether what it began can go on.
fn may_be_stopped(program: &Program) -> bool {
    program.edges().any(|edge| matches!(edge.action, Action::Assume { reason: AssumeReason::User, .. }))
}

/// Was the run ended by a limit, or by what C gives no meaning, behind what counts?
fn is_cut_off(outcome: &RunOutcome) -> bool {
    matches!(outcome, RunOutcome::LimitReached(..) | RunOutcome::Undefined(_))
}

/// Does the formula hold of a run that ended with these positions?
fn ended_holds(searched: &Searched<'_>, positions: &[PositionSeen]) -> bool {
    let Some((last, before)) = positions.split_last() else { return true };
    match searched.finite_runs {
        FiniteRuns::Count => searched.observed.holds_of(positions, &[]),
        FiniteRuns::Repeat => {
            let mut again = last.clone();
            again.event = None;
            searched.observed.holds_of(before, &[again])
        }
        FiniteRuns::Ignore => true,
    }
}

struct Watch<'h> {
    observed: &'h Observed,
    heads: &'h FxHashSet<(ProcedureId, NodeId)>,
    positions: Vec<PositionSeen>,
    seen: FxHashMap<u128, (StateSeen, usize)>,
    most: usize,
    looked_at: usize,
    found: Option<Back>,
    /// Ends the run.
    stop: Budget,
}

impl<'h> Watch<'h> {
    fn new(
        observed: &'h Observed,
        heads: &'h FxHashSet<(ProcedureId, NodeId)>,
        most: usize,
        budget: &Budget,
    ) -> Watch<'h> {
        Watch {
            observed,
            heads,
            positions: Vec::new(),
            seen: FxHashMap::default(),
            most,
            looked_at: 0,
            found: None,
            stop: budget.branch(),
        }
    }
}

impl Observer for Watch<'_> {
    fn step(&mut self, step: Step) {
        let written = step.written.map(|written| written.bits);
        self.observed.step(&mut self.positions, (step.procedure, step.edge), written);
        if self.positions.len() > MOST_POSITIONS {
            self.stop.cancel();
        }
    }

    fn wants_state(&self, procedure: ProcedureId, node: NodeId) -> bool {
        self.found.is_none() && self.looked_at < MOST_LASSOS && self.heads.contains(&(procedure, node))
    }

    fn state(&mut self, seen: StateSeen) {
        let now = (seen, self.observed.going_on(&self.positions).len());
        match self.seen.get(&seen.digest) {
            Some(&first) if first.0.procedure == seen.procedure && first.0.node == seen.node => {
                self.looked_at += 1;
                // As far as it was seen: how the last position is left is known of the first time only.
                if self.is_violation(first.1, now.1) {
                    self.found = Some(Back { first, again: now });
                    self.stop.cancel();
                } else if self.looked_at >= MOST_LASSOS {
                    self.stop.cancel();
                }
            }
            _ if self.seen.len() >= self.most => {}
            _ => drop(self.seen.insert(seen.digest, now)),
        }
    }
}

impl Watch<'_> {
    fn is_violation(&self, first: usize, again: usize) -> bool {
        let mut positions = self.observed.going_on(&self.positions).to_vec();
        if first == 0 || again == 0 {
            return false;
        }
        if first == again {
            return !self.observed.holds_of(&positions[..again - 1], &positions[again - 1..again]);
        }
        positions[again - 1].event = positions[first - 1].event.clone();
        !self.observed.holds_of(&positions[..first], &positions[first..again])
    }
}

/// Inputs that are given, then others.
struct After<'i, 'n, 'p> {
    given: &'i [(Arc<str>, u128)],
    next: usize,
    then: Drawn<'n, 'p>,
}

impl Inputs for After<'_, '_, '_> {
    fn next(&mut self, name: &str, shape: InputShape) -> Result<u128, InputTrouble> {
        match self.given.get(self.next) {
            Some((own, bits)) if **own == *name => {
                self.next += 1;
                Ok(*bits)
            }
            _ => {
                self.next = self.given.len();
                self.then.next(name, shape)
            }
        }
    }
}

/// Runs it again, some rounds further, and judges what it does.
fn confirmed(
    searched: &Searched<'_>,
    interpreter: &Interpreter<'_>,
    heads: &FxHashSet<(ProcedureId, NodeId)>,
    inputs: &[ConsumedInput],
    shown: Shown,
    budget: &Budget,
) -> Option<Violation> {
    let program = &searched.observed.program;
    let (listed, steps): (Vec<&ConsumedInput>, u64) = match shown {
        Shown::Lasso(Back { first: (first, _), again: (again, _) }) => {
            let (stem, round) = (&inputs[..first.inputs], &inputs[first.inputs..again.inputs]);
            let all = stem.iter().chain((0..=ROUNDS).flat_map(|_| round)).collect();
            (all, first.steps + (again.steps - first.steps) * (ROUNDS as u64 + 1))
        }
        Shown::Ended | Shown::BadPrefix(_) => (inputs.iter().collect(), MANY_RUNS.steps),
    };
    let mut confirm = Confirm {
        observed: searched.observed,
        heads,
        shown,
        positions: Vec::new(),
        times: Vec::new(),
        has_failed: false,
        stop: budget.branch(),
    };
    let run_settings = settings(&searched.code, &confirm.stop, steps);
    let mut given = Listed { inputs: &listed, next: 0 };
    let made = interpreter.watch(&run_settings, &mut Discarded, &mut given, &mut confirm);
    if !made.tolerated.is_empty() || !confirm.violates(searched, &made) {
        return None;
    }
    let (until, at) = match shown {
        Shown::Lasso(back) => (back.again.0.steps, span_of(program, back.first.0)),
        Shown::Ended => (MANY_RUNS.steps, end_of(program, &made)),
        Shown::BadPrefix(_) => (confirm.last_step(&made), Span::NOWHERE),
    };
    Some(told(searched, interpreter, heads, &listed, (shown, until, at), budget))
}

/// The run for people: once round.
fn told(
    searched: &Searched<'_>,
    interpreter: &Interpreter<'_>,
    heads: &FxHashSet<(ProcedureId, NodeId)>,
    listed: &[&ConsumedInput],
    (shown, until, at): (Shown, u64, Span),
    budget: &Budget,
) -> Violation {
    let inputs = match shown {
        Shown::Lasso(back) => &listed[..back.again.0.inputs],
        Shown::Ended | Shown::BadPrefix(_) => listed,
    };
    let mut kept = Kept {
        observed: searched.observed,
        heads,
        begins: if let Shown::Lasso(back) = shown { Some(back.first.0.steps) } else { None },
        ends_after: if let Shown::BadPrefix(positions) = shown { Some(positions) } else { None },
        positions: Vec::new(),
        steps: Vec::new(),
        last: Span::NOWHERE,
        cycle_from: None,
        stop: budget.branch(),
    };
    let run_settings = settings(&searched.code, &kept.stop, until);
    let mut given = Listed { inputs, next: 0 };
    let run = interpreter.watch(&run_settings, &mut Discarded, &mut given, &mut kept);
    let program = &searched.observed.program;
    let last = kept.positions.last().map(|last| searched.observed.shown(last));
    let last = last.unwrap_or_else(|| "nothing".to_owned());
    let (what, span) = match shown {
        Shown::Lasso(back) if back.first.1 == back.again.1 => {
            (format!("the run goes on for ever, and nothing changes any more: {last}"), at)
        }
        Shown::Lasso(_) => ("the run goes on for ever, and does not satisfy the formula".to_owned(), at),
        Shown::Ended => (format!("the run ends, and does not satisfy the formula: at last, {last}"), at),
        Shown::BadPrefix(_) => {
            (format!("whatever follows, the run does not satisfy the formula: {last}"), kept.last)
        }
    };
    let cycle = match shown {
        Shown::Lasso(Back { first: (first, _), again: (again, _) }) => Some(Cycle {
            at: span,
            inputs: first.inputs,
            steps: kept.cycle_from.unwrap_or(kept.steps.len()),
            length: again.steps - first.steps,
        }),
        Shown::Ended | Shown::BadPrefix(_) => None,
    };
    debug_assert!(!program.procedures.is_empty());
    Violation {
        what,
        broken: Broken::Formula,
        span,
        inputs: run.inputs.clone(),
        run,
        cycle,
        steps: kept.steps,
        schedule: None,
        visible: Vec::new(),
        engine: NAME,
    }
}

/// Where a run ended.
fn end_of(program: &Program, run: &Run) -> Span {
    match &run.outcome {
        RunOutcome::Aborted(place) => place.span,
        RunOutcome::AssertionFailed { place, .. } | RunOutcome::ErrorReached { place, .. } => place.span,
        _ => program.main.map_or(Span::NOWHERE, |main| program.procedures[main].span),
    }
}

/// Looks whether a run is what it was taken for.
struct Confirm<'h> {
    observed: &'h Observed,
    heads: &'h FxHashSet<(ProcedureId, NodeId)>,
    shown: Shown,
    positions: Vec<PositionSeen>,
    /// How many positions there were when the state came back.
    times: Vec<usize>,
    has_failed: bool,
    stop: Budget,
}

impl Observer for Confirm<'_> {
    fn step(&mut self, step: Step) {
        let written = step.written.map(|written| written.bits);
        self.observed.step(&mut self.positions, (step.procedure, step.edge), written);
        if let Shown::BadPrefix(count) = self.shown
            && self.positions.len() > count
        {
            self.stop.cancel();
        }
    }

    fn wants_state(&self, procedure: ProcedureId, node: NodeId) -> bool {
        matches!(self.shown, Shown::Lasso(_)) && self.heads.contains(&(procedure, node))
    }

    fn state(&mut self, seen: StateSeen) {
        let Shown::Lasso(Back { first: (first, _), again: (again, _) }) = self.shown else { return };
        let expected = first.steps + (again.steps - first.steps) * self.times.len() as u64;
        if seen.steps != expected || self.times.len() > ROUNDS {
            return;
        }
        self.times.push(self.observed.going_on(&self.positions).len());
        self.has_failed |= seen.digest != first.digest;
    }
}

impl Confirm<'_> {
    fn violates(&self, searched: &Searched<'_>, run: &Run) -> bool {
        match self.shown {
            Shown::Lasso(_) => {
                let [_, second, third, ..] = self.times[..] else { return false };
                if self.has_failed || self.times.len() <= ROUNDS || second == 0 {
                    return false;
                }
                let cycle = match second == third {
                    true => &self.positions[second - 1..second],
                    false => &self.positions[second - 1..third - 1],
                };
                !self.observed.holds_of(&self.positions[..second - 1], cycle)
            }
            Shown::Ended => run.outcome.is_end() && !ended_holds(searched, &self.positions),
            Shown::BadPrefix(count) => {
                self.positions.len() >= count
                    && self.observed.bad_prefix(&self.positions[..count]).is_some()
                    && self.observed.no_drawn_word_holds(&self.positions[..count])
            }
        }
    }

    fn last_step(&self, run: &Run) -> u64 {
        run.statistics.steps
    }
}

/// Keeps the steps of a run, and after how many of them the cycle begins.
struct Kept<'h> {
    observed: &'h Observed,
    heads: &'h FxHashSet<(ProcedureId, NodeId)>,
    /// After so many steps.
    begins: Option<u64>,
    /// The run that is shown ends with the position of this number.
    ends_after: Option<usize>,
    positions: Vec<PositionSeen>,
    steps: Vec<Step>,
    last: Span,
    cycle_from: Option<usize>,
    stop: Budget,
}

impl Observer for Kept<'_> {
    fn step(&mut self, step: Step) {
        let written = step.written.map(|written| written.bits);
        let count = self.positions.len();
        self.observed.step(&mut self.positions, (step.procedure, step.edge), written);
        if let Some(most) = self.ends_after
            && count < most
            && self.positions.len() >= most
        {
            let body = &self.observed.program.procedures[step.procedure].body;
            self.last = body.as_ref().map_or(Span::NOWHERE, |body| body.edges[step.edge].span);
            self.stop.cancel();
        }
        // What was put into the program is no step of it.
        if self.steps.len() < MOST_STEPS && !self.observed.is_put(step.procedure, step.edge) {
            self.steps.push(step);
        }
    }

    fn wants_state(&self, procedure: ProcedureId, node: NodeId) -> bool {
        self.cycle_from.is_none() && self.begins.is_some() && self.heads.contains(&(procedure, node))
    }

    fn state(&mut self, seen: StateSeen) {
        if Some(seen.steps) == self.begins {
            self.cycle_from = Some(self.steps.len());
        }
    }
}
