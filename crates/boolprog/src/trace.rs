//! One run of a program into an error: the choices resolved, so that anyone can check it step by step.

use crate::graph::{Action, EdgeId, NodeId, ProcedureId, Program, VariableId};
use crate::values::Values;
use base::define_id;
use verdict::{Lane, Path, StateView, Step};

define_id!(
    /// A thread of a run: those of the start first, then in the order of their starting.
    ThreadId,
    "t"
);

/// One step of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// The thread that moved.
    pub thread: ThreadId,
    /// What it did.
    pub edge: EdgeId,
    /// The globals after it.
    pub globals: Values,
    /// The variables of the thread's innermost activation after it (of the callee after a call, of the caller
    /// after a return); `None` if the thread has ended.
    pub locals: Option<Values>,
    /// The variables of a thread that this step started.
    pub spawned: Option<Values>,
    /// Activations of other threads that this step changed; others are as before.
    pub others: Vec<OtherChange>,
}

/// What a broadcast did to one activation of another thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherChange {
    /// The thread.
    pub thread: ThreadId,
    /// Which of its activations, counted from the outermost, 0.
    pub depth: usize,
    /// The variables of the activation after it.
    pub locals: Values,
}

/// A run. It ends with an edge whose assertion fails or whose error label is reached; that edge's `globals`
/// and `locals` are those before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The globals at the start.
    pub globals: Values,
    /// The threads at the start, each with its variables.
    pub threads: Vec<(ProcedureId, Values)>,
    /// The steps in order.
    pub steps: Vec<TraceStep>,
}

impl Trace {
    /// The run as data for people: one lane per thread, each step with its place (`main > f:3` inside a call)
    /// and the variables that changed; a step that does nothing is silent. `describe` gives the words of an
    /// edge, such as its source text.
    pub fn to_path(&self, program: &Program, describe: &dyn Fn(EdgeId) -> String) -> Path {
        View::new(program, self).path(self, describe)
    }
}

/// What a reader has seen so far.
struct View<'p> {
    program: &'p Program,
    globals: Values,
    stacks: Vec<Vec<(ProcedureId, Values, NodeId)>>,
    names: Vec<String>,
}

impl<'p> View<'p> {
    fn new(program: &'p Program, trace: &Trace) -> View<'p> {
        let entry = |procedure: ProcedureId| program.procedures()[procedure].entry;
        let stacks =
            trace.threads.iter().map(|(id, locals)| vec![(*id, locals.clone(), entry(*id))]).collect();
        let names = trace.threads.iter().map(|(id, _)| program.procedures()[*id].name.to_string()).collect();
        View { program, globals: trace.globals.clone(), stacks, names }
    }

    fn path(mut self, trace: &Trace, describe: &dyn Fn(EdgeId) -> String) -> Path {
        let all: Vec<String> = self.changed(self.program.globals(), None, &self.globals.clone());
        let start = self.state(all);
        let mut steps = Vec::new();
        let mut ends_because = String::new();
        for step in &trace.steps {
            let changes = self.follow(step);
            let edge = &self.program.edges()[step.edge];
            steps.push(Step {
                action: describe(step.edge),
                silent: edge.guard.is_true() && edge.action.is_skip(),
                lanes: vec![Lane(base::Id::index(step.thread) as u32)],
                to: self.state(changes),
            });
            ends_because = match &self.program.edges()[step.edge].action {
                Action::Error { label } => format!("the error label {label} is reached"),
                _ => "the assertion fails".into(),
            };
        }
        let lane_names =
            self.names.iter().enumerate().map(|(index, name)| format!("{index}:{name}")).collect();
        Path { lane_names, start, steps, ends_because }
    }

    fn state(&self, propositions: Vec<String>) -> StateView {
        let place = |stack: &Vec<(ProcedureId, Values, NodeId)>| match stack.split_last() {
            Some(((_, _, node), callers)) => {
                let caller = |(id, ..): &(ProcedureId, Values, NodeId)| {
                    format!("{} > ", self.program.procedures()[*id].name)
                };
                let callers: String = callers.iter().map(caller).collect();
                format!("{callers}{}", self.program.describe(*node))
            }
            None => "ended".into(),
        };
        StateView { components: self.stacks.iter().map(place).collect(), propositions }
    }

    /// `x=1` for every variable whose value differs from before; all of them if there is no before.
    fn changed(&self, variables: &[VariableId], before: Option<&Values>, after: &Values) -> Vec<String> {
        let differs = |slot: usize| before.is_none_or(|before| before.get(slot) != after.get(slot));
        let shown = |(slot, id): (usize, &VariableId)| {
            let name = &self.program.variables()[*id].name;
            differs(slot).then(|| format!("{name}={}", u8::from(after.get(slot))))
        };
        variables.iter().enumerate().filter_map(shown).collect()
    }

    fn follow(&mut self, step: &TraceStep) -> Vec<String> {
        let program = self.program;
        let edge = &program.edges()[step.edge];
        let mut changes = self.changed(program.globals(), Some(&self.globals), &step.globals);
        self.globals = step.globals.clone();
        for OtherChange { thread, depth, locals } in &step.others {
            let index = base::Id::index(*thread);
            let (procedure, before, _) = self.stacks[index][*depth].clone();
            let variables = &program.procedures()[procedure].variables;
            let told = self.changed(variables, Some(&before), locals).into_iter();
            changes.extend(told.map(|change| format!("{change} in thread {index}")));
            self.stacks[index][*depth].1 = locals.clone();
        }
        if let Some(spawned) = &step.spawned {
            let (procedure, node) = match edge.action {
                Action::Async { callee, .. } => (callee, program.procedures()[callee].entry),
                Action::StartThread { at } => (program.procedure_of(at), at),
                _ => (program.procedure_of(edge.from), edge.to),
            };
            self.stacks.push(vec![(procedure, spawned.clone(), node)]);
            changes.push(format!("starts thread {}", self.names.len()));
            self.names.push(program.procedures()[procedure].name.to_string());
        }
        let thread = base::Id::index(step.thread);
        let mut stack = std::mem::take(&mut self.stacks[thread]);
        match &edge.action {
            Action::Call { callee, .. } => {
                if let Some(top) = stack.last_mut() {
                    top.2 = edge.to;
                }
                let callee_entry = program.procedures()[*callee].entry;
                stack.push((*callee, Values::default(), callee_entry));
                let locals = step.locals.clone().unwrap_or_default();
                changes.extend(self.changed(&program.procedures()[*callee].variables, None, &locals));
            }
            Action::Return { .. } => {
                stack.pop();
            }
            Action::EndThread => stack.clear(),
            Action::Error { .. } => {}
            _ => {
                if let Some(top) = stack.last_mut() {
                    top.2 = edge.to;
                }
            }
        }
        if let (Some(top), Some(locals)) = (stack.last_mut(), &step.locals) {
            if !matches!(edge.action, Action::Call { .. }) {
                let variables = &program.procedures()[top.0].variables;
                changes.extend(self.changed(variables, Some(&top.1), locals));
            }
            top.1 = locals.clone();
        }
        self.stacks[thread] = stack;
        changes
    }
}
