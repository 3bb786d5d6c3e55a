//! The runs that were made and those that are still to be made, as the points at which something was decided in the
//! last run. A run is repeated by the same decisions; so nothing is kept of a run but what was decided and what its
//! steps touched.

use super::order::{Event, Order, depend, own_life};
use crate::inputs::InputShape;
use crate::schedule::{ChoiceKind, Driver, Moment, Plan, Touched, VisibleStep};
use crate::settings::ThreadId;
use std::collections::BTreeSet;

/// Something else than who runs was open.
#[derive(Clone, Debug)]
pub struct Decided {
    ways: u32,
    chosen: u32,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Choice(ThreadId, ChoiceKind),
    Input(ThreadId, String),
}

/// A thread that need not run here: what it would do was seen before, and nothing since could change it.
#[derive(Clone, Debug)]
struct Asleep {
    thread: ThreadId,
    /// What its next step touches, whichever way it goes.
    touches: Vec<Touched>,
}

/// A point of a run, before a visible step.
#[derive(Clone, Debug, Default)]
pub struct Point {
    /// Threads that could make the step.
    able: Vec<ThreadId>,
    /// Threads before a step that is blocked.
    blocked: Vec<(ThreadId, Touched)>,
    asleep: Vec<Asleep>,
    /// Threads that are to make it in some run.
    wanted: BTreeSet<ThreadId>,
    done: Vec<Asleep>,
    /// Who makes it in this run.
    chosen: Option<ThreadId>,
    decided: Vec<Decided>,
    /// What the step touches, in all ways that were seen.
    touches: Vec<Touched>,
}

/// How much is left out of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Runs that differ in the order of steps that commute are made once (source sets and sleep sets).
    Commuting,
    /// Every run is made. The naive twin, for tests.
    None,
}

/// The decisions of the run that is made now, and what is known of those before.
#[derive(Debug)]
pub struct Trail {
    points: Vec<Point>,
    /// Points of the run so far.
    at: usize,
    /// Decisions taken at the last of them.
    next_decision: usize,
    /// The last point that differs from the run before.
    fresh_from: usize,
    order: Order,
    reduction: Reduction,
    most_steps: usize,
    /// Threads before a step that is blocked, at the last point of the run.
    blocked: Vec<(ThreadId, Touched)>,
    /// The run was ended because all of its continuations are known.
    pub is_known: bool,
    /// Why not everything is explored, once something was left out.
    pub left_out: Option<&'static str>,
}

/// Inputs with up to so many values are tried one by one.
const MOST_VALUES: u32 = 16;

impl Trail {
    /// Before the first run.
    pub fn new(reduction: Reduction, most_steps: usize) -> Trail {
        // The first point stands for what happens before anybody chooses.
        let start = Point { chosen: Some(base::Id::from_index(0)), ..Point::default() };
        Trail {
            points: vec![start],
            at: 1,
            next_decision: 0,
            fresh_from: 0,
            order: Order::default(),
            reduction,
            most_steps,
            blocked: Vec::new(),
            is_known: false,
            left_out: None,
        }
    }

    /// Visible steps of the last run.
    pub fn steps(&self) -> usize {
        self.at - 1
    }

    fn begin_again(&mut self) {
        self.at = 1;
        self.next_decision = 0;
        self.order = Order::default();
        self.is_known = false;
    }

    /// The run has ended. `is_cut`: not because nobody could go on, but because the process ended.
    pub fn ended(&mut self, is_cut: bool) {
        if self.reduction == Reduction::Commuting {
            self.look_for_races(is_cut);
        }
    }

    /// May the middle of a step of the last run be seen by others?
    pub fn is_too_coarse(&self) -> bool {
        self.order.is_too_coarse()
    }

    /// Goes back to the last decision that has another way; `false` when everything was seen.
    pub fn next_run(&mut self) -> bool {
        while let Some(point) = self.points.last_mut() {
            while let Some(decided) = point.decided.last_mut() {
                if decided.chosen + 1 < decided.ways {
                    decided.chosen += 1;
                    self.fresh_from = self.points.len() - 1;
                    self.begin_again();
                    return true;
                }
                point.decided.pop();
            }
            if let Some(thread) = point.chosen.take() {
                let touches = std::mem::take(&mut point.touches);
                point.done.push(Asleep { thread, touches });
            }
            if let Some(next) = point.next_wanted() {
                point.chosen = Some(next);
                self.fresh_from = self.points.len() - 1;
                self.begin_again();
                return true;
            }
            self.points.pop();
        }
        false
    }

    /// The schedule of the last run.
    pub fn plan(&self) -> Plan {
        let mut plan = Plan::default();
        for (number, point) in self.points[..self.at].iter().enumerate() {
            if let Some(thread) = point.chosen.filter(|_| number > 0) {
                plan.add_step(thread);
            }
            for decided in &point.decided {
                match &decided.what {
                    What::Choice(thread, kind) => plan.choices.push((*thread, *kind, decided.chosen)),
                    What::Input(thread, name) => {
                        plan.inputs.push((*thread, name.clone(), u128::from(decided.chosen)));
                    }
                }
            }
        }
        plan
    }

    fn decision(&mut self, ways: u32, what: What) -> u32 {
        let point = &mut self.points[self.at - 1];
        let position = self.next_decision;
        self.next_decision += 1;
        if let Some(decided) = point.decided.get(position) {
            return decided.chosen;
        }
        point.decided.push(Decided { ways, chosen: 0, what });
        0
    }

    /// For every pair of steps that depend on each other and could be made in the other order: somebody who begins what
    /// leads to that order is wanted at the point before the first. Pairs with something ordered between are looked at
    /// too: that wants more than is needed, but a lock that was given back in between, and what else blocks, is covered
    /// so.
    fn look_for_races(&mut self, is_cut: bool) {
        let events = std::mem::take(&mut self.order.events);
        for later in self.fresh_from.saturating_sub(1)..events.len() {
            let after = &events[later];
            for earlier in (0..later).rev() {
                let before = &events[earlier];
                if before.thread != after.thread
                    && !before.is_in(&after.before)
                    && depend(&before.own, &after.own)
                    && !self.is_let_go(&events, earlier, later)
                {
                    let first = initials(&events, earlier, later, None);
                    self.points[earlier + 1].want(&first);
                }
            }
        }
        self.order.events = events;
        // Threads that stand before a step that is blocked would have made it earlier.
        let blocked = std::mem::take(&mut self.blocked);
        for (thread, touched) in blocked {
            let clock = self.order.clock_of(thread);
            let attempt = [touched, own_life(thread)];
            for earlier in (0..self.order.events.len()).rev() {
                let event = &self.order.events[earlier];
                if event.thread != thread && !event.is_in(&clock) && depend(&event.own, &attempt) {
                    let first = initials(&self.order.events, earlier, self.order.events.len(), Some(thread));
                    self.points[earlier + 1].want(&first);
                }
            }
        }
        // Whoever could still have run when the process ended may run before that.
        if is_cut && let Some(point) = self.points.last_mut() {
            point.wanted.extend(point.able.clone());
        }
    }

    /// Was the later step blocked before the earlier one, which let it go? Then they have only one order.
    fn is_let_go(&self, events: &[Event], earlier: usize, later: usize) -> bool {
        let thread = events[later].thread;
        let is_next = events[earlier + 1..later].iter().all(|event| event.thread != thread);
        is_next && self.points[earlier + 1].blocked.iter().any(|(blocked, _)| *blocked == thread)
    }
}

/// Threads that can begin "what does not come after the earlier step, then the later one". The later one is that of the
/// list, or the attempt of a thread that is blocked at the end.
fn initials(events: &[Event], earlier: usize, later: usize, attempt: Option<ThreadId>) -> Vec<ThreadId> {
    let first = &events[earlier];
    let mut between: Vec<&Event> =
        events[earlier + 1..later].iter().filter(|event| !first.is_in(&event.clock)).collect();
    if attempt.is_none() {
        between.push(&events[later]);
    }
    let mut threads = Vec::new();
    for (number, event) in between.iter().enumerate() {
        let is_first = between[..number].iter().all(|other| !other.is_in(&event.clock));
        if is_first && !threads.contains(&event.thread) {
            threads.push(event.thread);
        }
    }
    if let Some(thread) = attempt
        && between.iter().all(|event| event.thread != thread)
    {
        threads.push(thread);
    }
    threads
}

impl Point {
    /// One of these should begin here, unless one does.
    fn want(&mut self, first: &[ThreadId]) {
        let is_asleep = |thread: &ThreadId| self.asleep.iter().any(|asleep| asleep.thread == *thread);
        if first.iter().any(|thread| self.wanted.contains(thread) || is_asleep(thread)) {
            return;
        }
        // Whoever is blocked here was let go by the earlier step itself: that order is the only one.
        if let Some(thread) = first.iter().find(|thread| self.able.contains(thread)) {
            self.wanted.insert(*thread);
        }
    }

    fn next_wanted(&self) -> Option<ThreadId> {
        self.wanted.iter().copied().find(|thread| {
            let is_it = |asleep: &Asleep| asleep.thread == *thread;
            !self.done.iter().any(is_it) && !self.asleep.iter().any(is_it)
        })
    }
}

impl Driver for Trail {
    fn choose(&mut self, moment: &Moment) -> Option<ThreadId> {
        self.next_decision = 0;
        self.blocked.clone_from(&moment.blocked);
        if moment.able.is_empty() && moment.idle.is_empty() {
            return None;
        }
        if self.at < self.points.len() {
            let chosen = self.points[self.at].chosen;
            self.at += 1;
            return chosen;
        }
        if self.steps() >= self.most_steps {
            self.left_out = Some("a run has too many steps");
            return None;
        }
        let mut able = moment.able.clone();
        able.extend(&moment.idle);
        let blocked = moment.blocked.clone();
        let mut point = Point { able, blocked, ..Point::default() };
        if self.reduction == Reduction::None {
            point.wanted.extend(&point.able);
        } else if let Some(last) = self.points.last() {
            let made = self.order.events.last().map(|event| &event.own[..]).unwrap_or_default();
            let stays =
                |asleep: &&Asleep| Some(asleep.thread) != last.chosen && !depend(&asleep.touches, made);
            point.asleep = last.asleep.iter().chain(&last.done).filter(stays).cloned().collect();
        }
        let is_asleep = |thread: &&ThreadId| point.asleep.iter().any(|asleep| asleep.thread == **thread);
        // Whoever ran goes on if it can: fewer switches, and runs that are easier to read. Waking up for no reason
        // comes last, so that a run passes the state in which nobody else can go on any more.
        let last = self.points.last().and_then(|point| point.chosen);
        let last = last.iter().filter(|thread| moment.able.contains(thread));
        let chosen = last.chain(&point.able).find(|thread| !is_asleep(thread)).copied();
        let Some(chosen) = chosen else {
            self.is_known = true;
            return None;
        };
        point.wanted.insert(chosen);
        point.chosen = Some(chosen);
        self.points.push(point);
        self.at += 1;
        Some(chosen)
    }

    fn decide(&mut self, thread: ThreadId, kind: ChoiceKind, ways: u32) -> u32 {
        self.decision(ways, What::Choice(thread, kind))
    }

    fn input(&mut self, thread: ThreadId, name: &str, shape: InputShape) -> Option<u128> {
        let ways = match shape {
            InputShape::Bool => 2,
            InputShape::Integer { width, .. } if width < 32 && 1 << width <= MOST_VALUES => 1 << width,
            _ => {
                self.left_out = Some("an input has many values");
                2
            }
        };
        Some(u128::from(self.decision(ways, What::Input(thread, name.to_owned()))))
    }

    fn made(&mut self, step: VisibleStep) {
        if self.at < 2 {
            return; // what was before anybody chose
        }
        let point = &mut self.points[self.at - 1];
        let own = step.touched.iter().copied().filter(|touched| touched.is_own);
        for touched in own.chain([own_life(step.thread)]) {
            if !point.touches.contains(&touched) {
                point.touches.push(touched);
            }
        }
        self.order.add(step);
    }
}
