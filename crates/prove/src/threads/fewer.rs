//! Smaller schedules to the same failure: what the failure does not depend on is left out, and the rest put into an order with few changes of threads.
//!
//! Kept is the causal past of the last step (Lamport 1978: what happened before it, by a thread's own order and by steps that depend on each other); a thread outside it makes no
//! step any more. Of the orders that keep dependent steps as they are, one with the fewest switches is looked for: breadth first over what has been done, staying on
//! a thread being free; where there are too many ways, a thread is left only when its next step must wait for another's.
//!
//! **Obligation.** None for verdicts: each attempt is run, and dropped if it does not fail.
//!
//! Worked example: `0: x = 1 | 1: y = 1 | 0: assert(x == 2)` has the causal past `0, 0`; thread 1 is left out and nobody is switched to.

use super::follow::Stage;
use super::judged::{RunShows, ThreadFailure, UntilBad, shown};
use crate::replay::Watcher;
use base::Id;
use concrete::{
    Captured, ChoiceKind, Driver, InputShape, ListedInputs, Moment, Plan, Planned, Run, RunOutcome,
    SharedResource, Step, ThreadId, VisibleStep,
};
use question::{Broken, Check};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::collections::VecDeque;

/// States of the search for an order.
const MOST_STATES: usize = 40_000;
/// Steps whose dependences are compared with each other.
const MOST_STEPS: usize = 2_000;
/// Inputs that are tried as 0, one by one.
const MOST_INPUTS: usize = 40;

/// A run of a plan, with what its steps depend on.
pub struct RecordedRun {
    /// The plan, as it was taken: no choice or input that nobody asked for.
    pub plan: Plan,
    /// What happened that must not.
    pub bad: ThreadFailure,
    /// The run.
    pub run: Run,
    /// Its steps, if they were wanted.
    pub steps: Vec<Step>,
    /// The visible steps; the first stands for what happens before anybody chooses.
    pub visible: Vec<VisibleStep>,
    /// Threads that wait at the end, if that is the failure.
    waiting: Vec<ThreadId>,
}

impl RecordedRun {
    /// Do they show the same failure?
    fn shows_what(&self, other: &RecordedRun) -> bool {
        (self.bad.broken, self.bad.span) == (other.bad.broken, other.bad.span)
    }
}

/// Are the steps of a run kept?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// All of them.
    Kept,
    /// None.
    LeftOut,
}

/// Makes the run of a plan, up to what must not happen; `None` if it goes another way, or nothing of the kind happens.
pub fn attempt(stage: Stage<'_, '_>, plan: &Plan, steps: Steps) -> Option<RecordedRun> {
    let is_over = Cell::new(false);
    let planned = Planned::new(plan);
    let mut recording = Recording { planned, is_over: &is_over, plan: Plan::default(), steps: Vec::new() };
    let watcher = match steps {
        Steps::Kept => Watcher::new(stage.program, stage.asked.property),
        Steps::LeftOut => Watcher::without_steps(stage.program, stage.asked.property),
    };
    let mut watcher = UntilBad::new(stage.asked, watcher, &is_over);
    let settings = stage.asked.settings(stage.budget);
    let (mut host, mut inputs) = (Captured::default(), ListedInputs::default());
    let world = (&mut recording as &mut dyn Driver, stage.visible);
    let run = stage.interpreter.drive(&settings, &mut host, &mut inputs, world, Some(&mut watcher));
    if recording.planned.departed.is_some() {
        return None;
    }
    let watcher = watcher.watcher;
    let RunShows::ThreadFailure(bad) = shown(&stage.asked, &run, watcher.seen()) else { return None };
    let waiting = match &run.outcome {
        RunOutcome::Deadlock(waiting) => waiting.iter().filter_map(|one| one.place.thread).collect(),
        _ => Vec::new(),
    };
    let Recording { plan: mut taken, steps: visible, .. } = recording;
    taken.threads.clone_from(&run.threads);
    (taken.races, taken.deadlocks) = (plan.races, plan.deadlocks);
    Some(RecordedRun { plan: taken, bad, run, steps: watcher.into_steps(), visible, waiting })
}

/// Fewer threads, then fewer switches, then fewer steps, as far as they are found.
pub fn fewer(stage: Stage<'_, '_>, found: RecordedRun) -> RecordedRun {
    let mut best = found;
    for _ in 0..2 {
        let Some(plan) = reordered(&best) else { break };
        if size(&plan) >= size(&best.plan) {
            break;
        }
        match attempt(stage, &plan, Steps::LeftOut) {
            Some(made) if made.shows_what(&best) && size(&made.plan) < size(&best.plan) => best = made,
            _ => break,
        }
    }
    for at in 0..best.plan.inputs.len().min(MOST_INPUTS) {
        if best.plan.inputs.get(at).is_none_or(|input| input.2 == 0) || stage.budget.check().is_err() {
            continue;
        }
        let mut plan = best.plan.clone();
        plan.inputs[at].2 = 0;
        if let Some(made) = attempt(stage, &plan, Steps::LeftOut)
            && made.shows_what(&best)
            && size(&made.plan) <= size(&best.plan)
        {
            best = made;
        }
    }
    best
}

/// A race with its two accesses next to each other at the end, if the first can be made as late as that.
pub fn side_by_side(made: &RecordedRun) -> Option<Plan> {
    if made.bad.broken != Broken::Check(Check::Race) {
        return None;
    }
    let (last, before) = made.visible.split_last()?;
    let conflicts = |step: &VisibleStep| {
        step.thread != last.thread
            && step.touched.iter().any(|one| {
                last.touched.iter().any(|two| {
                    matches!((one.what, two.what), (SharedResource::Bytes(..), SharedResource::Bytes(..)))
                        && one.depends_on(*two)
                })
            })
    };
    let first = before.iter().rposition(conflicts).filter(|&first| first > 0)?;
    let mut plan = Plan { steps: Vec::new(), ..made.plan.clone() };
    let rest = before.iter().enumerate().skip(1).filter(|(at, _)| *at != first).map(|(_, step)| step);
    for step in rest.chain([&before[first], last]) {
        plan.add_step(step.thread);
    }
    Some(plan)
}

/// Threads that act, switches, steps.
fn size(plan: &Plan) -> (usize, usize, u64) {
    (plan.acting(), plan.steps.len(), plan.length())
}

/// The causal past of the failure, in an order with few switches.
fn reordered(made: &RecordedRun) -> Option<Plan> {
    let steps = &made.visible;
    if steps.len() < 2 || steps.len() > MOST_STEPS {
        return None;
    }
    let needs: Vec<Vec<usize>> = (0..steps.len()).map(|at| needed_by(steps, at)).collect();
    let kept = causal_past(made, &needs);
    // Steps of each thread, and for each step how many of each thread's come before it.
    let mut of_thread: Vec<Vec<usize>> = Vec::new();
    let mut position: FxHashMap<usize, (usize, usize)> = FxHashMap::default();
    for at in (1..steps.len()).filter(|&at| kept[at]) {
        let thread = steps[at].thread.index();
        while of_thread.len() <= thread {
            of_thread.push(Vec::new());
        }
        position.insert(at, (thread, of_thread[thread].len()));
        of_thread[thread].push(at);
    }
    let bounds = |at: usize| -> Vec<(usize, usize)> {
        { needs[at].iter() }
            .filter_map(|before| position.get(before).map(|(thread, nth)| (*thread, nth + 1)))
            .collect()
    };
    let needed: Vec<Vec<Vec<(usize, usize)>>> =
        of_thread.iter().map(|own| own.iter().map(|&at| bounds(at)).collect()).collect();
    let order = fewest_switches(&needed).unwrap_or_else(|| staying(&needed));
    let mut plan = Plan { steps: Vec::new(), ..made.plan.clone() };
    for thread in order {
        plan.add_step(ThreadId::from_index(thread));
    }
    Some(plan)
}

/// Earlier steps that a step depends on: the nearest ones, the others follow.
fn needed_by(steps: &[VisibleStep], at: usize) -> Vec<usize> {
    let later = &steps[at];
    (0..at)
        .filter(|&before| {
            let earlier = &steps[before];
            earlier.thread == later.thread
                || earlier.touched.iter().any(|one| later.touched.iter().any(|two| one.depends_on(*two)))
        })
        .collect()
}

fn causal_past(made: &RecordedRun, needs: &[Vec<usize>]) -> Vec<bool> {
    let mut kept = vec![false; made.visible.len()];
    let mut open = vec![made.visible.len() - 1];
    for thread in &made.waiting {
        open.extend(made.visible.iter().rposition(|step| step.thread == *thread));
    }
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut kept[at], true) {
            open.extend(needs[at].iter().copied());
        }
    }
    kept
}

fn is_free(needs: &[(usize, usize)], done: &[usize]) -> bool {
    needs.iter().all(|&(thread, count)| done[thread] >= count)
}

type Needed = [Vec<Vec<(usize, usize)>>];

/// An order with the fewest switches; `None` where there are too many ways.
fn fewest_switches(needed: &Needed) -> Option<Vec<usize>> {
    type State = (Vec<usize>, usize);
    let goal: Vec<usize> = needed.iter().map(Vec::len).collect();
    let start: State = (vec![0; needed.len()], 0);
    let mut from: FxHashMap<State, Option<State>> = FxHashMap::default();
    from.insert(start.clone(), None);
    let mut open = VecDeque::from([start]);
    while let Some((done, last)) = open.pop_front() {
        if done == goal {
            let mut order = Vec::new();
            let mut state = (done, last);
            while let Some(Some(before)) = from.get(&state).cloned() {
                for _ in before.0[state.1]..state.0[state.1] {
                    order.push(state.1);
                }
                state = before;
            }
            order.reverse();
            return Some(order);
        }
        for thread in 0..needed.len() {
            // As far as it goes: what a step needs stays done, so a longer turn allows whatever a shorter one does.
            let mut next = done.clone();
            while needed[thread].get(next[thread]).is_some_and(|needs| is_free(needs, &next)) {
                next[thread] += 1;
            }
            if next[thread] == done[thread] {
                continue;
            }
            let state = (next, thread);
            if !from.contains_key(&state) {
                from.insert(state.clone(), Some((done.clone(), last)));
                if from.len() > MOST_STATES {
                    return None;
                }
                open.push_back(state);
            }
        }
    }
    None
}

/// A thread goes on until its next step needs another's.
fn staying(needed: &Needed) -> Vec<usize> {
    let mut done = vec![0; needed.len()];
    let mut order = Vec::new();
    loop {
        let before = order.len();
        for thread in 0..needed.len() {
            while needed[thread].get(done[thread]).is_some_and(|needs| is_free(needs, &done)) {
                done[thread] += 1;
                order.push(thread);
            }
        }
        if order.len() == before {
            return order;
        }
    }
}

/// Follows a plan and writes down what it does.
struct Recording<'p> {
    planned: Planned<'p>,
    is_over: &'p Cell<bool>,
    plan: Plan,
    steps: Vec<VisibleStep>,
}

impl Driver for Recording<'_> {
    fn choose(&mut self, moment: &Moment) -> Option<ThreadId> {
        if self.is_over.get() {
            return None;
        }
        let chosen = self.planned.choose(moment)?;
        self.plan.add_step(chosen);
        Some(chosen)
    }

    fn decide(&mut self, thread: ThreadId, kind: ChoiceKind, ways: u32) -> u32 {
        let chosen = self.planned.decide(thread, kind, ways);
        self.plan.choices.push((thread, kind, chosen));
        chosen
    }

    fn input(&mut self, thread: ThreadId, name: &str, shape: InputShape) -> Option<u128> {
        let bits = self.planned.input(thread, name, shape).unwrap_or(0);
        self.plan.inputs.push((thread, name.to_owned(), bits));
        Some(bits)
    }

    fn made(&mut self, step: VisibleStep) {
        self.steps.push(step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_with_the_fewest_switches_is_found() {
        // Thread 0 makes three steps, thread 1 two; the last of thread 0 needs both, the first of thread 1 the first of thread 0.
        let needed = vec![vec![vec![], vec![], vec![(1, 2)]], vec![vec![(0, 1)], vec![]]];
        assert_eq!(fewest_switches(&needed), Some(vec![0, 0, 1, 1, 0]));
        assert_eq!(staying(&needed), vec![0, 0, 1, 1, 0]);
    }

    #[test]
    fn nothing_is_made_before_what_it_needs() {
        // Both need each other's first step before their second.
        let needed = vec![vec![vec![], vec![(1, 1)]], vec![vec![], vec![(0, 1)]]];
        let order = fewest_switches(&needed).expect("there is one");
        let position = |thread: usize, nth: usize| {
            let mut own = order.iter().enumerate().filter(|(_, who)| **who == thread);
            own.nth(nth).expect("it is made").0
        };
        assert!(position(1, 0) < position(0, 1) && position(0, 0) < position(1, 1));
        assert_eq!(order.len(), 4);
    }
}
