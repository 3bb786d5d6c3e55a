//! Explicit-state reachability on the fly: looks at the reachable states one by one, without building the
//! product. Breadth first, so that counterexamples are shortest; with stubborn sets, so that of many orders
//! few are looked at; or best first (directed model checking), to find errors fast in systems too large to
//! exhaust.
//! Naive twin: the tests explore everything and look at each state.
//!
//! Worked example: two philosophers who each take the left fork, then the right. Breadth first, the states
//! after one step are "one has a fork" (twice), after two steps "both have their left fork", in which nothing
//! can be done and somebody has not ended: a deadlock, with the shortest run that leads there.

use super::SafetyQuestion;
use super::distance::Distances;
use super::question::counterexample;
use super::stubborn::Stubborn;
use crate::stopped::Stopped;
use indexmap::IndexSet;
use lks::{ActionId, Composition, Step, Successors, SystemState};
use question::{Answer, Monitor, Verdict};
use rustc_hash::FxBuildHasher;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use verdict::{Certificate, Reason};

/// In which order states are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Nearest first: counterexamples are as short as the reduction allows.
    #[default]
    BreadthFirst,
    /// Most promising first.
    Directed,
}

/// Whether orders of independent actions are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reduction {
    /// Every step is taken.
    #[default]
    None,
    /// Stubborn sets. Not used under a priority, which makes all actions depend on each other.
    PartialOrder,
}

/// How to search.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExplicitSettings {
    /// In which order.
    pub order: Order,
    /// With or without partial-order reduction.
    pub reduction: Reduction,
    /// Give up after this many states were found; if directed, after this many were looked at: a guess that
    /// leads well meets many states beside its way.
    pub most_states: Option<usize>,
}

/// Is no bad state reachable?
pub fn safe(
    system: &Composition,
    question: SafetyQuestion,
    settings: &ExplicitSettings,
    monitor: Monitor<'_>,
) -> Answer {
    Stopped::settle("explicit", || Search::new(system, question, settings).run(monitor))
}

/// After so many states people who wait hear how many there are.
const STATES_BETWEEN_NEWS: usize = 1 << 14;

enum Frontier {
    Queue(VecDeque<u32>),
    Heap(BinaryHeap<Reverse<((u32, u32), u32)>>, Box<Distances>),
}

struct Search<'a> {
    system: &'a Composition,
    question: SafetyQuestion,
    settings: ExplicitSettings,
    found: IndexSet<SystemState, FxBuildHasher>,
    /// How each state was first reached; its own number for initial states.
    reached: Vec<(u32, ActionId)>,
    expanded: Vec<bool>,
    frontier: Frontier,
    transitions: usize,
}

impl<'a> Search<'a> {
    fn new(system: &'a Composition, question: SafetyQuestion, settings: &ExplicitSettings) -> Search<'a> {
        let frontier = match settings.order {
            Order::BreadthFirst => Frontier::Queue(VecDeque::new()),
            Order::Directed => Frontier::Heap(BinaryHeap::new(), Box::new(Distances::new(system, question))),
        };
        Search {
            system,
            question,
            settings: *settings,
            found: IndexSet::default(),
            reached: Vec::new(),
            expanded: Vec::new(),
            frontier,
            transitions: 0,
        }
    }

    fn run(mut self, monitor: Monitor<'_>) -> Result<Answer, Stopped> {
        let reduce = self.settings.reduction == Reduction::PartialOrder && !self.system.has_priority();
        let stubborn = reduce.then(|| Stubborn::new(self.system));
        for state in self.system.initial_states() {
            let number = self.found.len() as u32;
            self.meet(state, (number, ActionId::TAU));
        }
        let mut steps: Vec<Step> = Vec::new();
        let mut reduced: Vec<Step> = Vec::new();
        let mut done = 0usize;
        while let Some(number) = self.next() {
            let state = self.found[number as usize].clone();
            steps.clear();
            self.system.steps(&state, &mut steps);
            if self.question.is_bad(Successors::mark(self.system, &state), !steps.is_empty()) {
                return Ok(self.answer(Some(number)));
            }
            if done.is_multiple_of(256) {
                monitor.check().map_err(|limit| self.stopped(Stopped::from(limit)))?;
            }
            if done.is_multiple_of(STATES_BETWEEN_NEWS) {
                monitor.count("states", self.found.len());
            }
            done += 1;
            self.expanded[number as usize] = true;
            if let Some(stubborn) = &stubborn {
                reduced.clone_from(&steps);
                stubborn.reduce(&self.system.component_states(&state), &mut reduced);
                if reduced.len() < steps.len() && self.may_take_only(stubborn, &reduced) {
                    std::mem::swap(&mut steps, &mut reduced);
                }
            }
            self.transitions += steps.len();
            for step in steps.drain(..) {
                self.meet(step.target, (number, step.action));
            }
            let spent = match self.settings.order {
                Order::BreadthFirst => self.found.len(),
                Order::Directed => done,
            };
            if let Some(most) = self.settings.most_states
                && spent > most
            {
                let reason = Reason::SizeLimit { what: "states", limit: most as u64 };
                return Err(self.stopped(Stopped::because(reason)));
            }
        }
        Ok(self.answer(None))
    }

    /// For deadlock a stubborn set suffices. For ERROR nothing in it may lead there, and it must lead to a
    /// state that is still to be expanded, so that no action is postponed for ever.
    fn may_take_only(&self, stubborn: &Stubborn<'_>, steps: &[Step]) -> bool {
        if !self.question.asks_for_error() {
            return true;
        }
        let postponed_for_ever = steps
            .iter()
            .all(|step| self.found.get_index_of(&step.target).is_some_and(|known| self.expanded[known]));
        !postponed_for_ever && !steps.iter().any(|step| stubborn.may_err(step))
    }

    fn meet(&mut self, state: SystemState, from: (u32, ActionId)) {
        let (index, is_new) = self.found.insert_full(state);
        if !is_new {
            return;
        }
        self.reached.push(from);
        self.expanded.push(false);
        match &mut self.frontier {
            Frontier::Queue(queue) => queue.push_back(index as u32),
            Frontier::Heap(heap, distances) => {
                let state = &self.found[index];
                let mut steps = Vec::new();
                self.system.steps(state, &mut steps);
                heap.push(Reverse((distances.of(self.system, state, steps.len()), index as u32)));
            }
        }
    }

    fn next(&mut self) -> Option<u32> {
        match &mut self.frontier {
            Frontier::Queue(queue) => queue.pop_front(),
            Frontier::Heap(heap, _) => heap.pop().map(|Reverse((_, number))| number),
        }
    }

    fn stopped(&self, stopped: Stopped) -> Stopped {
        stopped.having_shown(format!("no violation among {} states", self.found.len()))
    }

    fn answer(&self, bad: Option<u32>) -> Answer {
        let verdict = match bad {
            None => Verdict::Holds(Certificate::Exhaustive { states: self.found.len() as u64 }),
            Some(number) => {
                let (start, steps) = self.run_to(number);
                counterexample(self.system, &start, &steps).into()
            }
        };
        Answer::by("explicit", verdict)
            .count("states", self.found.len())
            .count("transitions", self.transitions)
    }

    fn run_to(&self, number: u32) -> (SystemState, Vec<(ActionId, SystemState)>) {
        let mut steps = Vec::new();
        let mut at = number;
        loop {
            let (before, action) = self.reached[at as usize];
            let state = self.found[at as usize].clone();
            if before == at {
                steps.reverse();
                return (state, steps);
            }
            steps.push((action, state));
            at = before;
        }
    }
}
