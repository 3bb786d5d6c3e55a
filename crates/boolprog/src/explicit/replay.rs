//! Runs a trace step by step and objects to anything the program does not allow. No engine's word is taken:
//! every value, every choice and the failure itself are checked against the graph.

use super::state::{Frame, Thread, ViewOfState, value_of};
use crate::graph::{Action, Edge, EdgeId, Expr, Passive, Program, VariableId, rule_at};
use crate::setup::Setup;
use crate::trace::{Trace, TraceStep};
use crate::values::Values;
use base::Id;

/// Why a trace is no run of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayError {
    /// The step that is wrong, counted from 0.
    pub step: usize,
    /// What is wrong with it.
    pub why: String,
}

/// Is the trace a run of the program, from an initial state into a failure?
pub fn replay(program: &Program, setup: &Setup, trace: &Trace) -> Result<(), ReplayError> {
    let at = |step: usize| move |why: &str| ReplayError { step, why: why.into() };
    let mut replayer = Replayer::start(program, setup, trace).map_err(at(0))?;
    let Some((last, steps)) = trace.steps.split_last() else {
        return Err(at(0)("there are no steps"));
    };
    for (position, step) in steps.iter().enumerate() {
        replayer.follow(step).map_err(at(position))?;
    }
    replayer.fails(last).map_err(at(steps.len()))
}

struct Replayer<'p> {
    program: &'p Program,
    setup: &'p Setup,
    globals: Values,
    /// By thread id; a thread that has ended is `None`.
    threads: Vec<Option<Thread>>,
}

type Checked<T> = Result<T, &'static str>;

fn require(condition: bool, otherwise: &'static str) -> Checked<()> {
    if condition { Ok(()) } else { Err(otherwise) }
}

impl<'p> Replayer<'p> {
    fn start(program: &'p Program, setup: &'p Setup, trace: &Trace) -> Checked<Replayer<'p>> {
        let roots: Vec<_> = trace.threads.iter().map(|(procedure, _)| *procedure).collect();
        require(roots == setup.roots, "the threads at the start are not those of the setup")?;
        for (slot, initial) in program.initial().iter().enumerate() {
            let agrees = initial.is_none_or(|value| trace.globals.get(slot) == value);
            require(agrees, "a global does not begin with its initial value")?;
        }
        let threads = trace
            .threads
            .iter()
            .map(|(root, locals)| Some(Thread::at(program.procedures()[*root].entry, locals.clone())))
            .collect();
        Ok(Replayer { program, setup, globals: trace.globals.clone(), threads })
    }

    /// The thread that moves, its edge, and that it may move.
    fn mover(&self, step: &TraceStep) -> Checked<(Thread, &'p Edge)> {
        let thread = self.threads.get(step.thread.index()).and_then(Option::as_ref);
        let thread = thread.ok_or("a thread moves that does not run")?;
        let alone = self.threads.iter().flatten().any(|other| other.is_atomic);
        require(!alone || thread.is_atomic, "a thread moves while another is in an atomic section")?;
        let edge = &self.program.edges()[step.edge];
        require(edge.from == thread.top().node, "the thread is not where the edge begins")?;
        require(self.can(&edge.guard, thread.top(), true), "the guard cannot hold")?;
        Ok((thread.clone(), edge))
    }

    fn can(&self, expr: &Expr, frame: &Frame, value: bool) -> bool {
        let known = |variable, _| value_of(self.program, &self.globals, &frame.locals, variable);
        expr.possible(&known).allows(value)
    }

    fn fails(&self, step: &TraceStep) -> Checked<()> {
        let (thread, edge) = self.mover(step)?;
        match &edge.action {
            Action::Error { .. } => Ok(()),
            Action::Assert { condition } => {
                require(self.can(condition, thread.top(), false), "the assertion cannot fail")
            }
            _ => Err("the last step is no assertion and no error label"),
        }
    }

    fn follow(&mut self, step: &TraceStep) -> Checked<()> {
        let (mut thread, edge) = self.mover(step)?;
        let before = thread.top().locals.clone();
        let spawned = self.change(&mut thread, step.edge, edge, step)?;
        self.tell_others(step, edge.action.passive(), &before, thread.stack.last())?;
        self.globals = step.globals.clone();
        let has_ended = thread.stack.is_empty();
        require(has_ended == step.locals.is_none(), "the thread's end is not where the trace says")?;
        self.threads[step.thread.index()] = (!has_ended).then_some(thread);
        if let Some(spawned) = spawned {
            self.threads.push(Some(spawned));
        }
        Ok(())
    }

    /// Does what the edge does to the thread; the result is a thread it starts.
    fn change(
        &self,
        thread: &mut Thread,
        id: EdgeId,
        edge: &Edge,
        step: &TraceStep,
    ) -> Checked<Option<Thread>> {
        let before = thread.top().clone();
        let same_globals = || require(step.globals == self.globals, "the step must not change globals");
        let locals = step.locals.clone();
        let must_run = "the thread goes on after this step";
        let running = self.threads.iter().flatten().count();
        thread.top_mut().node = edge.to;
        let same_locals =
            || require(locals.as_ref() == Some(&before.locals), "the step must not change locals");
        match &edge.action {
            Action::Assign { assignments, constraint, .. } => {
                thread.top_mut().locals = locals.ok_or(must_run)?;
                self.assigned(&before, thread.top(), &step.globals, assignments)?;
                let value = |variable, is_next| match is_next {
                    true => value_of(self.program, &step.globals, &thread.top().locals, variable),
                    false => value_of(self.program, &self.globals, &before.locals, variable),
                };
                require(constraint.possible(&value).yes, "the constraint cannot hold")?;
            }
            Action::Assert { condition } => {
                require(self.can(condition, &before, true), "the assertion cannot be passed")?;
                same_globals()?;
                same_locals()?;
            }
            Action::Error { .. } => return Err("nothing goes on after an error label"),
            Action::Call { callee, arguments, .. } => {
                same_globals()?;
                thread.top_mut().node = edge.from;
                thread.top_mut().waits_for = Some(id);
                let locals = locals.ok_or(must_run)?;
                self.arguments_match(&before, arguments, &locals)?;
                let node = self.program.procedures()[*callee].entry;
                thread.stack.push(Frame { node, waits_for: None, locals });
            }
            Action::Return { values } => self.give_back(thread, &before, values, step)?,
            Action::Async { callee, arguments } => {
                same_globals()?;
                same_locals()?;
                return self.spawn(running, step, |locals| {
                    self.arguments_match(&before, arguments, locals)?;
                    Ok(self.program.procedures()[*callee].entry)
                });
            }
            Action::StartThread { at } => {
                same_globals()?;
                same_locals()?;
                return self.spawn(running, step, |locals| {
                    require(*locals == before.locals, "a new thread begins with a copy of the variables")?;
                    Ok(*at)
                });
            }
            Action::EndThread => {
                same_globals()?;
                thread.stack.clear();
            }
            Action::AtomicBegin | Action::AtomicEnd => {
                same_globals()?;
                same_locals()?;
                thread.is_atomic = matches!(edge.action, Action::AtomicBegin);
            }
        }
        require(step.spawned.is_none(), "this step starts no thread")?;
        Ok(None)
    }

    fn spawn(
        &self,
        running: usize,
        step: &TraceStep,
        begin: impl FnOnce(&Values) -> Checked<crate::graph::NodeId>,
    ) -> Checked<Option<Thread>> {
        match (&step.spawned, self.setup.may_start_thread(running)) {
            (None, false) => Ok(None),
            (Some(_), false) => Err("more threads than there may be"),
            (None, true) => Err("a thread must start here"),
            (Some(locals), true) => Ok(Some(Thread::at(begin(locals)?, locals.clone()))),
        }
    }

    fn arguments_match(&self, caller: &Frame, arguments: &[Expr], locals: &Values) -> Checked<()> {
        for (slot, argument) in arguments.iter().enumerate() {
            require(self.can(argument, caller, locals.get(slot)), "an argument cannot have this value")?;
        }
        Ok(())
    }

    /// The activations of the other threads become what the trace says, which must be what the rules allow.
    fn tell_others(
        &mut self,
        step: &TraceStep,
        rules: &[Passive],
        active: &Values,
        mover: Option<&Frame>,
    ) -> Checked<()> {
        let program = self.program;
        let mut told = 0;
        for index in (0..self.threads.len()).filter(|index| *index != step.thread.index()) {
            let Some(mut thread) = self.threads[index].clone() else { continue };
            for (depth, frame) in thread.stack.iter_mut().enumerate() {
                let said = |change: &&crate::trace::OtherChange| {
                    change.thread.index() == index && change.depth == depth
                };
                let change = step.others.iter().find(said);
                told += usize::from(change.is_some());
                let Some(rule) = rule_at(rules, program, frame.node) else {
                    require(change.is_none(), "another thread changes without a rule")?;
                    continue;
                };
                let mover = mover.ok_or("a broadcast does not end a thread")?;
                let locals = change.map_or(&frame.locals, |change| &change.locals);
                let old = ViewOfState { globals: &self.globals, active, passive: &frame.locals };
                let new = ViewOfState { globals: &step.globals, active: &mover.locals, passive: locals };
                for (slot, _) in program.procedures()[rule.procedure].variables.iter().enumerate() {
                    let mut assignments = rule.assignments.iter();
                    let assigned = assignments.find(|(copy, _)| program.variables()[*copy].slot == slot);
                    let is_allowed = match assigned {
                        Some((_, value)) => {
                            let possible = value.possible(&|variable, _| old.value(program, variable));
                            possible.allows(locals.get(slot))
                        }
                        None => locals.get(slot) == frame.locals.get(slot),
                    };
                    require(is_allowed, "a variable of another thread cannot get this value")?;
                }
                let value = |variable, is_next| {
                    let seen = if is_next { new } else { old };
                    seen.value(program, variable)
                };
                let holds = rule.constraint.possible(&value).yes;
                require(holds, "the constraint on another thread cannot hold")?;
                frame.locals = locals.clone();
            }
            self.threads[index] = Some(thread);
        }
        require(told == step.others.len(), "a change of no activation of another thread")
    }

    /// Assigned variables have a possible value, all others are as before.
    fn assigned(
        &self,
        before: &Frame,
        after: &Frame,
        globals: &Values,
        assignments: &[(VariableId, Expr)],
    ) -> Checked<()> {
        let procedure = &self.program.procedures()[self.program.procedure_of(before.node)];
        for &variable in self.program.globals().iter().chain(&procedure.variables) {
            let old = value_of(self.program, &self.globals, &before.locals, variable);
            let new = value_of(self.program, globals, &after.locals, variable);
            match assignments.iter().find(|(target, _)| *target == variable) {
                Some((_, value)) => {
                    require(self.can(value, before, new), "a variable cannot get this value")?;
                }
                None => require(old == new, "a variable changes that is not assigned")?,
            }
        }
        Ok(())
    }

    fn give_back(
        &self,
        thread: &mut Thread,
        before: &Frame,
        values: &[Expr],
        step: &TraceStep,
    ) -> Checked<()> {
        thread.stack.pop();
        let Some(caller) = thread.stack.last_mut() else {
            return require(step.globals == self.globals, "the step must not change globals");
        };
        let call = &self.program.edges()[caller.waits_for.take().ok_or("nobody waits for this return")?];
        let Action::Call { results, .. } = &call.action else { return Err("nobody waits for this return") };
        let old = caller.clone();
        caller.node = call.to;
        caller.locals = step.locals.clone().ok_or("the caller goes on after this step")?;
        let procedure = &self.program.procedures()[self.program.procedure_of(call.from)];
        for &variable in self.program.globals().iter().chain(&procedure.variables) {
            let new = value_of(self.program, &step.globals, &caller.locals, variable);
            match results.iter().position(|result| *result == Some(variable)) {
                Some(position) => {
                    require(self.can(&values[position], before, new), "a result cannot have this value")?;
                }
                None => {
                    let known = value_of(self.program, &self.globals, &old.locals, variable);
                    require(known == new, "a variable changes that gets no result")?;
                }
            }
        }
        Ok(())
    }
}
