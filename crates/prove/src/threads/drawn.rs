//! Runs with drawn schedules: as many threads as the program creates, with no bound on switches. What needs many threads and little else shows in
//! the first hundreds of runs, where engines that follow a given number of threads never come to it.
//!
//! After Burckhardt, Kothari, Musuvathi, Nagarakatte, "A randomized scheduler with probabilistic guarantees of finding bugs" (2010): each thread has a drawn priority, the first that
//! can go on does, and at a few drawn steps whoever goes on falls behind all others. DIVERGENCE: a thread that stays alone for long falls behind too, since it may wait
//! in a loop for another; the length of runs, of which the steps are drawn, is that of the longest so far; some runs draw each step by itself; where `main` ends the process while others
//! could go on, the same run is made once more with its last step held back.
//!
//! **Obligation.** None: a run that fails is made again by its schedule, as every other, before anybody is told. That none fails says nothing.
//!
//! Worked example: `x < 20` fails once twenty threads have added one and the thread that looks comes last: one of twenty orders of priorities.

use super::confirm::{Repeated, smallest};
use super::follow::Stage;
use super::judged::{RunShows, ThreadProperty, UntilBad, shown};
use crate::candidates::constants;
use crate::replay::Watcher;
use crate::samples::{Draw, Style};
use base::{Budget, Event, EventSink, Id};
use concrete::interleavings::accesses;
use concrete::{Captured, ChoiceKind, Driver, InputShape, Interpreter, ListedInputs, Moment, Plan, ThreadId};
use program::Program;
use question::{Missing, Property};
use std::cell::Cell;

/// The name of all that is shown by drawn runs.
const NAME: &str = "testing";
/// Runs at most, visible steps of each, and bytes.
const MOST_RUNS: u64 = 200_000;
const MOST_VISIBLE: u64 = 4_000;
const MOST_BYTES: u64 = 64 << 20;
/// Steps that a thread makes while others could, before it falls behind.
const MOST_ALONE: u32 = 300;
/// Steps, of those that are drawn, at which threads fall behind.
const MOST_CHANGES: u64 = 4;
/// Numbers of the program that inputs are drawn from.
const MOST_NUMBERS: usize = 12;
/// What `main` is given, and an address at which nothing lies.
const ARGUMENTS: &str = "argv";
const SOME_ADDRESS: u128 = 64;

/// Looks, for a share of the time, for a violation among runs of the program's own threads whose schedule and inputs are drawn. To make it smaller there is all of the time.
pub fn drawn_schedules(
    threaded: &Program,
    property: &Property,
    missing: Missing,
    (share, budget): (&Budget, &Budget),
    events: &dyn EventSink,
) -> Option<Repeated> {
    let divided = threads::divided(threaded);
    let visible = accesses(&divided);
    let asked = ThreadProperty::of(property, missing);
    let interpreter = Interpreter::for_threads(&divided);
    let stage =
        Stage { interpreter: &interpreter, program: &divided, visible: &visible, asked, budget: share };
    let users: Vec<_> = { threaded.procedures.iter_enumerated() }
        .filter(|(_, procedure)| procedure.origin == program::Origin::User)
        .map(|(id, _)| id)
        .collect();
    let mut numbers = constants(threaded, &users);
    numbers.truncate(MOST_NUMBERS);
    let (mut longest, mut runs) = (20, 0);
    let plan = loop {
        if runs == MOST_RUNS || share.check().is_err() {
            break None;
        }
        let from = Start { run: runs, longest, main_waits_after: None };
        let mut made = once(stage, &numbers, from);
        longest = longest.max(made.length);
        // Where `main` ended while others could go on, it waits for them before its last step.
        if made.failing.is_none() && made.leaves_others {
            let main_waits_after = made.steps_of_main.checked_sub(1);
            made = once(stage, &numbers, Start { main_waits_after, ..from });
        }
        runs += 1;
        if made.failing.is_some() {
            break made.failing;
        }
    };
    events.emit(Event::Count { what: "runs with drawn schedules", value: runs });
    let made = smallest(Stage { budget, ..stage }, &plan?, NAME).ok();
    drop(interpreter);
    made.map(|violation| Repeated { program: divided, violation })
}

/// What a run is drawn from.
#[derive(Clone, Copy)]
struct Start {
    run: u64,
    /// Visible steps of the longest run so far.
    longest: u64,
    /// Visible steps of `main` after which it goes on only where nobody else can.
    main_waits_after: Option<u64>,
}

/// What came of a run.
struct Outcome {
    /// Its schedule, if it fails.
    failing: Option<Plan>,
    /// Its visible steps.
    length: u64,
    steps_of_main: u64,
    /// Did it end while others than `main` could go on?
    leaves_others: bool,
}

/// Makes a run.
fn once(stage: Stage<'_, '_>, numbers: &[i128], start: Start) -> Outcome {
    let Start { run, longest, main_waits_after } = start;
    let is_over = Cell::new(false);
    let mut draw = Draw::seeded(run + 1);
    let changes = draw.below(MOST_CHANGES + 1);
    let change_at = (0..changes).map(|_| draw.below(longest)).collect();
    let style = Style::of_run(run as usize);
    let mut drawing = Drawing {
        draw,
        style,
        numbers,
        is_over: &is_over,
        priority: Vec::new(),
        lowest: 0,
        change_at,
        is_uniform: run % 4 == 3,
        made: 0,
        steps_of_main: 0,
        main_waits_after,
        leaves_others: false,
        last: None,
        alone: 0,
        asks_for_pointers: false,
        plan: Plan::default(),
    };
    let watcher = Watcher::without_steps(stage.program, stage.asked.property);
    let mut watcher = UntilBad::new(stage.asked, watcher, &is_over);
    let mut settings = stage.asked.settings(stage.budget);
    settings.limits.memory_bytes = MOST_BYTES;
    let (mut host, mut inputs) = (Captured::default(), ListedInputs::default());
    let world = (&mut drawing as &mut dyn Driver, stage.visible);
    let run = stage.interpreter.drive(&settings, &mut host, &mut inputs, world, Some(&mut watcher));
    let Drawing { mut plan, made, steps_of_main, leaves_others, asks_for_pointers, .. } = drawing;
    plan.threads.clone_from(&run.threads);
    (plan.races, plan.deadlocks) = (settings.races, settings.deadlocks);
    let is_bad = matches!(shown(&stage.asked, &run, watcher.watcher.seen()), RunShows::ThreadFailure(_));
    // Which pointers somebody outside may give is not drawn.
    let fails = is_bad && !asks_for_pointers;
    Outcome { failing: fails.then_some(plan), length: made, steps_of_main, leaves_others }
}

fn is_main(thread: ThreadId) -> bool {
    thread.index() == 0
}

/// Draws who runs, what else is open, and inputs; and writes it down.
struct Drawing<'d> {
    draw: Draw,
    style: Style,
    numbers: &'d [i128],
    is_over: &'d Cell<bool>,
    /// By thread; the largest goes first.
    priority: Vec<i64>,
    /// The last that was given to a thread that fell behind.
    lowest: i64,
    change_at: Vec<u64>,
    /// Is each step drawn by itself?
    is_uniform: bool,
    made: u64,
    steps_of_main: u64,
    main_waits_after: Option<u64>,
    leaves_others: bool,
    last: Option<ThreadId>,
    /// Steps that the last one made while others could.
    alone: u32,
    asks_for_pointers: bool,
    plan: Plan,
}

impl Drawing<'_> {
    fn priority_of(&mut self, thread: ThreadId) -> i64 {
        while self.priority.len() <= thread.index() {
            let drawn = self.draw.below(1 << 30) as i64 + 1;
            self.priority.push(drawn);
        }
        self.priority[thread.index()]
    }

    fn fall_behind(&mut self, thread: ThreadId) {
        self.lowest -= 1;
        self.priority_of(thread);
        self.priority[thread.index()] = self.lowest;
    }

    fn next(&mut self, moment: &Moment) -> Option<ThreadId> {
        if self.is_over.get() || self.made >= MOST_VISIBLE {
            return None;
        }
        // Waking up for no reason is rare, but where nobody else can go on.
        let among = match moment.able.is_empty() || (!moment.idle.is_empty() && self.draw.below(12) == 0) {
            true if !moment.idle.is_empty() => &moment.idle,
            _ => &moment.able,
        };
        if among.is_empty() {
            return None;
        }
        self.leaves_others = among.iter().any(|&thread| !is_main(thread));
        let without_main: Vec<ThreadId> = match self.main_waits_after {
            Some(most) if self.steps_of_main >= most => {
                among.iter().copied().filter(|&thread| !is_main(thread)).collect()
            }
            _ => Vec::new(),
        };
        let among = if without_main.is_empty() { &among[..] } else { &without_main[..] };
        if self.is_uniform {
            return among.get(self.draw.below(among.len() as u64) as usize).copied();
        }
        let first = |drawing: &mut Self| {
            let best = among.iter().map(|&thread| (drawing.priority_of(thread), thread)).max();
            best.map(|(_, thread)| thread)
        };
        let mut chosen = first(self)?;
        self.alone = if self.last == Some(chosen) && among.len() > 1 { self.alone + 1 } else { 0 };
        if self.alone > MOST_ALONE || self.change_at.contains(&self.made) {
            self.alone = 0;
            self.fall_behind(chosen);
            chosen = first(self)?;
        }
        Some(chosen)
    }
}

impl Driver for Drawing<'_> {
    fn choose(&mut self, moment: &Moment) -> Option<ThreadId> {
        let chosen = self.next(moment)?;
        self.made += 1;
        self.steps_of_main += u64::from(is_main(chosen));
        self.last = Some(chosen);
        self.plan.add_step(chosen);
        Some(chosen)
    }

    fn decide(&mut self, thread: ThreadId, kind: ChoiceKind, ways: u32) -> u32 {
        let chosen = match self.draw.below(4) {
            0 => self.draw.below(u64::from(ways)) as u32,
            _ => kind.usual(ways),
        };
        self.plan.choices.push((thread, kind, chosen));
        chosen
    }

    fn input(&mut self, thread: ThreadId, name: &str, shape: InputShape) -> Option<u128> {
        let width = shape.width();
        let bits = match shape {
            // Some address, of which the run must not depend: what lies there is not known.
            InputShape::Pointer { .. } if name == ARGUMENTS => SOME_ADDRESS,
            InputShape::Pointer { .. } => {
                self.asks_for_pointers = true;
                0
            }
            _ if width == 0 || width > 64 => 0,
            _ => self.style.value(&mut self.draw, width, self.numbers).to_u128().unwrap_or(0),
        };
        self.plan.inputs.push((thread, name.to_owned(), bits));
        Some(bits)
    }
}
