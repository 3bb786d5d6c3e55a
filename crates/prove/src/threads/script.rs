//! What a run of the sequential program says about the threads it stands for: who runs, how far, with which inputs.
//!
//! Every node of the threaded program that a thread comes to has a copy in the sequential one ([`program::Interleaving::copies`]). So a run of the sequential
//! program tells, turn by turn, how many nodes a thread has left when it is interrupted; nothing is said about steps of the interpreter, which may be
//! smaller or larger.

use super::judged::ThreadProperty;
use base::{Budget, Id};
use concrete::{
    Captured, InputShape, InputTrouble, Inputs, Interpreter, Observer, RunOutcome, Step, ThreadId,
};
use program::{
    Action, AssumeReason, Callee, DATA_RACE, Interleaving, Known, NEXT_THREAD, NodeId, ProcedureId, Program,
};
use question::Violation;
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::sync::Arc;

/// A node of the program with one shared access per step.
pub type At = (ProcedureId, NodeId);

/// What one thread does before another one runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Who runs.
    pub thread: ThreadId,
    /// So many of its nodes have been left when the turn is over.
    pub left: usize,
    /// Has it begun to wait, in a call that others end?
    pub waits: bool,
    /// Has it ended?
    pub has_ended: bool,
}

/// A run of the sequential program as threads would tell it.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// The nodes that each thread leaves, in the order of creation of threads.
    pub nodes: Vec<Vec<At>>,
    /// Who runs when.
    pub turns: Vec<Turn>,
    /// Values that each thread asks for.
    pub inputs: Vec<Vec<(Arc<str>, u128)>>,
    /// Does the run end because two threads stand before accesses that race?
    pub is_race: bool,
    /// Procedures that were copied.
    pub copied: FxHashSet<ProcedureId>,
}

/// Is leaving a node counted? Calls are told when they come back, so those of bodies are not.
pub fn is_counted(program: &Program, copied: &FxHashSet<ProcedureId>, (procedure, node): At) -> bool {
    let Some(body) = program.procedures[procedure].body.as_ref().filter(|_| copied.contains(&procedure))
    else {
        return false;
    };
    match body.nodes[node].out[..] {
        [only] => match &body.edges[only].action {
            Action::Call { callee: Callee::Direct(callee), .. } => {
                let callee = &program.procedures[*callee];
                let is_native = callee.body.is_none() || callee.has_direct_meaning();
                is_native && callee.known != Some(Known::OnceCall)
            }
            Action::Call { callee: Callee::Indirect(_), .. } => false,
            _ => true,
        },
        _ => true,
    }
}

/// Does the node begin what is one step ([`Known::STEP`]), or end it?
fn marks_step(program: &Program, (procedure, node): At) -> Option<Known> {
    let (_, edge) = program.procedures[procedure].body.as_ref()?.out(node).next()?;
    let Action::Call { callee: Callee::Direct(callee), arguments, .. } = &edge.action else { return None };
    let known = program.procedures[*callee].known?;
    (matches!(known, Known::AtomicBegin | Known::AtomicEnd) && Known::is_step(arguments)).then_some(known)
}

/// Can a call from the node wait for others after it has begun?
fn begins_to_wait(program: &Program, (procedure, node): At) -> bool {
    let Some(body) = &program.procedures[procedure].body else { return false };
    let mut out = body.out(node);
    let Some((_, edge)) = out.next() else { return false };
    let Action::Call { callee: Callee::Direct(callee), .. } = &edge.action else { return false };
    let known = program.procedures[*callee].known;
    matches!(known, Some(Known::CondWait | Known::CondTimedWait | Known::BarrierWait))
}

/// Reads what the violating run of the sequential program says, by making it once more. `divided` is the threaded program with one shared access per step.
pub fn script(
    sequential: &Program,
    divided: &Program,
    asked: &ThreadProperty<'_>,
    violation: &Violation,
    budget: &Budget,
) -> Option<Script> {
    let all = sequential.interleaving.as_deref()?;
    let copied = all.copies.values().map(|copy| copy.procedure).collect();
    let reader = RefCell::new(Reader {
        all,
        sequential,
        divided,
        script: Script { copied, ..Script::default() },
        slots: vec![None; all.threads.len()],
        threads: Vec::new(),
        current: 0,
    });
    reader.borrow_mut().create(0);
    let mut inputs = Recorded { reader: &reader, values: violation.inputs.iter().map(|input| input.bits) };
    let mut observer = Watching { reader: &reader };
    let mut settings = asked.settings(budget);
    (settings.races, settings.deadlocks) = (false, false);
    let mut host = Captured::default();
    let run = Interpreter::new(sequential).watch(&settings, &mut host, &mut inputs, &mut observer);
    let mut reader = reader.into_inner();
    reader.end_turn(false);
    let mut script = reader.script;
    script.is_race =
        matches!(&run.outcome, RunOutcome::ErrorReached { function, .. } if **function == *DATA_RACE);
    Some(script)
}

/// Where a thread is.
#[derive(Clone, Copy, Debug, Default)]
struct Thread {
    slot: usize,
    standing: Option<At>,
    /// Is the next copy the one that was told when the thread came near it?
    was_ahead: bool,
    /// Has it done something since it came to its node?
    has_acted: bool,
    /// How many nodes it had left before what is one step, while it is in one.
    before_step: Option<usize>,
}

struct Reader<'p> {
    all: &'p Interleaving,
    sequential: &'p Program,
    divided: &'p Program,
    script: Script,
    /// The thread that is in a place for threads.
    slots: Vec<Option<usize>>,
    threads: Vec<Thread>,
    current: usize,
}

impl Reader<'_> {
    fn create(&mut self, slot: usize) {
        self.slots[slot] = Some(self.threads.len());
        self.threads.push(Thread { slot, ..Thread::default() });
        self.script.nodes.push(Vec::new());
        self.script.inputs.push(Vec::new());
    }

    fn step(&mut self, step: Step) {
        if Some(step.procedure) != self.sequential.main {
            return;
        }
        let Some(body) = &self.sequential.procedures[step.procedure].body else { return };
        let edge = &body.edges[step.edge];
        self.runs(edge.from);
        if let Action::Assign { target, value } = &edge.action
            && let Some(variable) = target.as_variable()
            && let Some(slot) = self.all.threads.iter().position(|thread| thread.counter == variable)
        {
            let is_known = self.all.owner.contains_key(&edge.from) || self.slots[slot] == Some(self.current);
            if is_known && slot == self.threads[self.current].slot {
                self.end_turn(value.as_integer() == Some(0));
            } else if is_known {
                self.create(slot);
            }
        } else if !edge.span.is_nowhere()
            && !matches!(&edge.action, Action::Assume { reason: AssumeReason::Branch, .. })
        {
            self.threads[self.current].has_acted = true;
        }
        self.runs(edge.to);
        if let Some(&copy) = self.all.copies.get(&edge.to) {
            let thread = &mut self.threads[self.current];
            if std::mem::replace(&mut thread.was_ahead, copy.is_ahead) {
                return;
            }
            let before = thread.standing.replace((copy.procedure, copy.node));
            thread.has_acted = false;
            if let Some(at) = before
                && is_counted(self.divided, &self.script.copied, at)
            {
                let nodes = &mut self.script.nodes[self.current];
                match marks_step(self.divided, at) {
                    Some(Known::AtomicBegin) => thread.before_step = Some(nodes.len()),
                    Some(_) => thread.before_step = None,
                    None => {}
                }
                nodes.push(at);
            }
        }
    }

    fn runs(&mut self, node: NodeId) {
        if let Some(&slot) = self.all.owner.get(&node)
            && let Some(thread) = self.slots[slot]
        {
            self.current = thread;
        }
    }

    fn end_turn(&mut self, has_ended: bool) {
        let own = self.threads[self.current];
        let waits = own.has_acted && own.standing.is_some_and(|at| begins_to_wait(self.divided, at));
        // Nobody comes in between in a step. Who is interrupted in one has accessed nothing there yet: the interpreter's thread stands before all of it.
        let left = own.before_step.unwrap_or(self.script.nodes[self.current].len());
        let thread = ThreadId::from_index(self.current);
        self.script.turns.push(Turn { thread, left, waits, has_ended });
    }
}

struct Watching<'r, 'p> {
    reader: &'r RefCell<Reader<'p>>,
}

impl Observer for Watching<'_, '_> {
    fn step(&mut self, step: Step) {
        self.reader.borrow_mut().step(step);
    }
}

struct Recorded<'r, 'p, I> {
    reader: &'r RefCell<Reader<'p>>,
    values: I,
}

impl<I: Iterator<Item = u128>> Inputs for Recorded<'_, '_, I> {
    fn next(&mut self, name: &str, _: InputShape) -> Result<u128, InputTrouble> {
        let value = self.values.next().ok_or(InputTrouble::Exhausted)?;
        if name != NEXT_THREAD {
            let mut reader = self.reader.borrow_mut();
            let current = reader.current;
            reader.script.inputs[current].push((Arc::from(name), value));
        }
        Ok(value)
    }
}
