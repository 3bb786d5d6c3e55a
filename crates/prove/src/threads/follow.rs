//! From a failing run of the sequential program to a schedule of the interpreter's own threads: each turn of the one is made by the other, which shares
//! neither the meaning of locks nor the choice of threads with it.
//!
//! A thread is chosen until it has left as many nodes as its turn says, and must leave the same ones. What the sequential program leaves open (who is
//! woken, whether a timed wait gives up) is tried way by way. After the last turn its thread makes the step that fails; for a race, another thread makes its
//! access next.
//!
//! **Obligation.** None for verdicts: what comes out is a plan, which is run again before anything is said.

use super::judged::{RunShows, ThreadFailure, ThreadProperty, shown};
use super::script::{Script, is_counted};
use crate::replay::Watcher;
use base::{Budget, Id};
use concrete::{
    Captured, ChoiceKind, Driver, InputShape, Interpreter, ListedInputs, Moment, Observer, Plan, Step,
    ThreadId, UndefinedReport, VisibleEdges,
};
use program::{ProcedureId, Program};
use std::cell::RefCell;

/// Ways to decide what the sequential program leaves open, at most.
const MOST_RUNS: usize = 96;
/// Visible steps after the last turn.
const MOST_AFTER: u32 = 20_000;

/// The interpreter with the program that its threads run.
#[derive(Clone, Copy)]
pub struct Stage<'s, 'p> {
    /// Runs it.
    pub interpreter: &'s Interpreter<'p>,
    /// The program with one shared access per step.
    pub program: &'p Program,
    /// What others see.
    pub visible: &'s VisibleEdges,
    /// What must not happen.
    pub asked: ThreadProperty<'p>,
    /// Runs stop when it is used up.
    pub budget: &'s Budget,
}

/// A schedule that leads to what must not happen; otherwise why none was found.
pub fn follow(stage: Stage<'_, '_>, script: &Script) -> Result<Plan, String> {
    let last = script.turns.last().map_or(ThreadId::from_index(0), |turn| turn.thread);
    let others = (0..script.nodes.len()).map(ThreadId::from_index).filter(|&other| other != last);
    let partners: Vec<Option<ThreadId>> =
        if script.is_race { others.map(Some).collect() } else { vec![None] };
    let mut trouble = None;
    let mut runs = 0;
    for partner in partners {
        let mut forced: Vec<u32> = Vec::new();
        loop {
            runs += 1;
            let (found, decided) = once(stage, script, partner, &forced);
            match found {
                Ok(plan) => return Ok(plan),
                Err(why) => trouble = trouble.or(Some(why)),
            }
            let next = decided.iter().rposition(|(chosen, ways)| chosen + 1 < *ways);
            let Some(next) = next.filter(|_| runs < MOST_RUNS && stage.budget.check().is_ok()) else { break };
            forced = decided[..next].iter().map(|(chosen, _)| *chosen).collect();
            forced.push(decided[next].0 + 1);
        }
    }
    Err(trouble.unwrap_or_else(|| "no other thread is there".to_owned()))
}

/// What was chosen, of how many ways.
type Decided = Vec<(u32, u32)>;

fn once(
    stage: Stage<'_, '_>,
    script: &Script,
    partner: Option<ThreadId>,
    forced: &[u32],
) -> (Result<Plan, String>, Decided) {
    let state = RefCell::new(State {
        script,
        left: vec![0; script.nodes.len()],
        next_inputs: vec![0; script.nodes.len()],
        departed: None,
    });
    let mut follower = Follower {
        state: &state,
        turn: 0,
        partner,
        partner_left: None,
        after: 0,
        forced,
        decided: Vec::new(),
        plan: Plan::default(),
    };
    let watcher = Watcher::without_steps(stage.program, stage.asked.property);
    let mut observer = Both { state: &state, program: stage.program, watcher };
    let settings = stage.asked.settings(stage.budget);
    let (mut host, mut inputs) = (Captured::default(), ListedInputs::default());
    let world = (&mut follower as &mut dyn Driver, stage.visible);
    let run = stage.interpreter.drive(&settings, &mut host, &mut inputs, world, Some(&mut observer));
    let seen = observer.watcher.seen();
    let Follower { mut plan, decided, .. } = follower;
    plan.threads.clone_from(&run.threads);
    (plan.races, plan.deadlocks) = (settings.races, settings.deadlocks);
    let found = match shown(&stage.asked, &run, seen) {
        RunShows::ThreadFailure(ThreadFailure { .. }) => Ok(plan),
        RunShows::Fine | RunShows::Open(_) if state.borrow().departed.is_some() => {
            Err(state.into_inner().departed.unwrap_or_default())
        }
        RunShows::Open(why) => Err(why),
        RunShows::Fine => Err(crate::replay::refusal(stage.program, &run.outcome)),
    };
    (found, decided)
}

struct State<'s> {
    script: &'s Script,
    /// Nodes that each thread has left.
    left: Vec<usize>,
    next_inputs: Vec<usize>,
    departed: Option<String>,
}

impl State<'_> {
    fn left(&self, thread: ThreadId) -> usize {
        self.left.get(thread.index()).copied().unwrap_or(0)
    }
}

struct Follower<'s, 'r> {
    state: &'r RefCell<State<'s>>,
    turn: usize,
    /// Who makes the other access of a race.
    partner: Option<ThreadId>,
    /// Nodes that it had left before.
    partner_left: Option<usize>,
    /// Steps after the last turn.
    after: u32,
    forced: &'r [u32],
    decided: Decided,
    plan: Plan,
}

impl Follower<'_, '_> {
    fn next(&mut self, moment: &Moment) -> Option<ThreadId> {
        let state = self.state.borrow();
        let can_run = |thread: ThreadId| moment.able.contains(&thread) || moment.idle.contains(&thread);
        if state.departed.is_some() {
            return None;
        }
        while let Some(turn) = state.script.turns.get(self.turn) {
            let left = state.left(turn.thread);
            let is_over = left > turn.left
                || (left == turn.left
                    && (!turn.waits || moment.waiting.contains(&turn.thread))
                    && (!turn.has_ended || moment.ended.contains(&turn.thread)));
            if !is_over {
                let thread = turn.thread;
                if !can_run(thread) {
                    drop(state);
                    let why = format!("thread {} cannot go on there", thread.index());
                    self.state.borrow_mut().departed.get_or_insert(why);
                    return None;
                }
                return Some(thread);
            }
            self.turn += 1;
        }
        self.after += 1;
        let last = state.script.turns.last()?;
        if self.after > MOST_AFTER {
            return None;
        }
        if state.left(last.thread) <= last.left && can_run(last.thread) {
            return Some(last.thread);
        }
        if let Some(partner) = self.partner {
            let left = state.left(partner);
            let before = *self.partner_left.get_or_insert(left);
            return (left == before && can_run(partner)).then_some(partner);
        }
        // Threads that wait for ever may have to be waited for.
        self.plan
            .steps
            .last()
            .map(|(thread, _)| *thread)
            .filter(|&thread| moment.able.contains(&thread))
            .or_else(|| moment.able.first().copied())
    }
}

impl Driver for Follower<'_, '_> {
    fn choose(&mut self, moment: &Moment) -> Option<ThreadId> {
        let chosen = self.next(moment)?;
        self.plan.add_step(chosen);
        Some(chosen)
    }

    fn decide(&mut self, thread: ThreadId, kind: ChoiceKind, ways: u32) -> u32 {
        // The first way that is tried is the usual one.
        let number = self.forced.get(self.decided.len()).copied().unwrap_or(0);
        self.decided.push((number, ways));
        let chosen = (kind.usual(ways) + number) % ways;
        self.plan.choices.push((thread, kind, chosen));
        chosen
    }

    fn input(&mut self, thread: ThreadId, name: &str, shape: InputShape) -> Option<u128> {
        let mut state = self.state.borrow_mut();
        let script = state.script;
        let at = thread.index();
        let planned = state.next_inputs.get(at).and_then(|&next| script.inputs[at].get(next));
        let bits = match planned {
            Some((own, bits)) if **own == *name => {
                state.next_inputs[at] += 1;
                *bits
            }
            _ => 0,
        };
        let is_pointer = matches!(shape, InputShape::Pointer { .. });
        let width = shape.width();
        let bits = if width >= 128 { bits } else { bits & ((1 << width) - 1) };
        let bits = if is_pointer { 0 } else { bits };
        self.plan.inputs.push((thread, name.to_owned(), bits));
        Some(bits)
    }
}

struct Both<'s, 'r, 'p> {
    state: &'r RefCell<State<'s>>,
    program: &'p Program,
    watcher: Watcher<'p>,
}

impl Observer for Both<'_, '_, '_> {
    fn step(&mut self, step: Step) {
        self.watcher.step(step);
        let Some(body) = &self.program.procedures[step.procedure].body else { return };
        let at = (step.procedure, body.edges[step.edge].from);
        let mut state = self.state.borrow_mut();
        let state = &mut *state;
        if !is_counted(self.program, &state.script.copied, at) {
            return;
        }
        let thread = step.thread.index();
        let Some(left) = state.left.get_mut(thread) else { return };
        if let Some(planned) = state.script.nodes[thread].get(*left)
            && *planned != at
            && state.departed.is_none()
        {
            let name = &self.program.procedures[at.0].name;
            state.departed = Some(format!("thread {thread} takes another way, in `{name}`"));
        }
        *left += 1;
    }

    fn tolerated(&mut self, report: &UndefinedReport) {
        self.watcher.tolerated(report);
    }

    fn called(&mut self, thread: ThreadId, procedure: ProcedureId) {
        self.watcher.called(thread, procedure);
    }
}
