//! From a sequence of edges to a run: one formula for the whole sequence, one call of the SAT solver for the
//! values. Engines find *where* a run goes; this finds *with which values*, exactly, so that they need not
//! keep them.

use crate::explicit::replay;
use crate::gates::Gates;
use crate::graph::{Action, EdgeId, Expr, Program, Scope, VariableId};
use crate::setup::Setup;
use crate::trace::{ThreadId, Trace, TraceStep};
use crate::values::Values;
use base::{Budget, Id};
use logic::answer::Answer;
use logic::sat::{Assignment, Literal, SolveUnder};
use verdict::{Reason, Undecided};

/// The run that takes these edges in this order, the last of which fails, replayed by the interpreter.
///
/// # Panics
/// When there is none, or it is refused: whoever asks has found that there is one.
pub fn replayed_run(
    program: &Program,
    setup: &Setup,
    path: &[(ThreadId, EdgeId)],
    budget: &Budget,
) -> Result<Trace, Undecided> {
    let Some(trace) = concretise(program, setup, path, budget)? else {
        panic!("the edges that were found are those of a run")
    };
    if let Err(error) = replay(program, setup, &trace) {
        panic!("the interpreter refuses step {} of the run: {}", error.step, error.why);
    }
    Ok(trace)
}

/// The same for a program with one thread.
pub fn replayed_alone(
    program: &Program,
    setup: &Setup,
    path: Vec<EdgeId>,
    budget: &Budget,
) -> Result<Trace, Undecided> {
    let thread: ThreadId = Id::from_index(0);
    let path: Vec<_> = path.into_iter().map(|edge| (thread, edge)).collect();
    replayed_run(program, setup, &path, budget)
}

/// A run that takes these edges in this order, the last of which fails. `Ok(None)` if there is none.
pub fn concretise(
    program: &Program,
    setup: &Setup,
    path: &[(ThreadId, EdgeId)],
    budget: &Budget,
) -> Result<Option<Trace>, Undecided> {
    let mut run = SymbolicRun::new(program, setup);
    for (position, &(thread, edge)) in path.iter().enumerate() {
        let is_last = position + 1 == path.len();
        if !run.follow(thread, edge, is_last) {
            return Ok(None);
        }
    }
    match run.gates.solver.solve_under(&[], budget) {
        Answer::Sat => Ok(Some(run.read(path))),
        Answer::Unsat => Ok(None),
        Answer::Unknown(_) => {
            budget.check()?;
            let question = "the path to the error has values".to_string();
            Err(Undecided::because(Reason::SolverUnknown { question }))
        }
    }
}

struct SymbolicFrame {
    locals: Vec<Literal>,
    waits_for: Option<EdgeId>,
}

/// Values after a step: globals, the mover's innermost activation, a new thread.
struct After {
    globals: Vec<Literal>,
    locals: Option<Vec<Literal>>,
    spawned: Option<Vec<Literal>>,
}

struct SymbolicRun<'p> {
    program: &'p Program,
    setup: &'p Setup,
    gates: Gates,
    first_globals: Vec<Literal>,
    first_locals: Vec<Vec<Literal>>,
    globals: Vec<Literal>,
    /// By thread; empty when it has ended.
    threads: Vec<Vec<SymbolicFrame>>,
    after: Vec<After>,
}

impl<'p> SymbolicRun<'p> {
    fn new(program: &'p Program, setup: &'p Setup) -> SymbolicRun<'p> {
        let mut gates = Gates::new();
        let mut globals = Vec::new();
        for initial in program.initial() {
            globals.push(match *initial {
                Some(value) => gates.constant(value),
                None => gates.fresh(),
            });
        }
        let mut first_locals = Vec::new();
        for &root in &setup.roots {
            first_locals.push(gates.fresh_many(program.procedures()[root].variables.len()));
        }
        let frame = |locals: &Vec<Literal>| vec![SymbolicFrame { locals: locals.clone(), waits_for: None }];
        let threads = first_locals.iter().map(frame).collect();
        SymbolicRun {
            program,
            setup,
            gates,
            first_globals: globals.clone(),
            first_locals,
            globals,
            threads,
            after: Vec::new(),
        }
    }

    fn require_can(&mut self, expr: &Expr, locals: &[Literal], value: bool) {
        let (program, globals) = (self.program, &self.globals);
        let can = self.gates.can_be(expr, &|variable, _| literal(program, globals, locals, variable));
        let wanted = if value { can.yes } else { can.no };
        self.gates.require(&[wanted]);
    }

    /// A new literal that has one of the possible values of the expression.
    fn takes(&mut self, expr: &Expr, locals: &[Literal]) -> Literal {
        let (program, globals) = (self.program, &self.globals);
        let can = self.gates.can_be(expr, &|variable, _| literal(program, globals, locals, variable));
        if can.yes == !can.no {
            return can.yes;
        }
        let taken = self.gates.fresh();
        self.gates.require(&[!taken, can.yes]);
        self.gates.require(&[taken, can.no]);
        taken
    }

    fn set(&mut self, locals: &mut [Literal], variable: VariableId, value: Literal) {
        let variable = &self.program.variables()[variable];
        match variable.scope {
            Scope::Global => self.globals[variable.slot] = value,
            Scope::Local(_) => locals[variable.slot] = value,
            Scope::Passive(_) => panic!("one thread sees no other thread's variables"),
        }
    }

    /// Adds one step. False if the stack does not allow it.
    fn follow(&mut self, thread: ThreadId, id: EdgeId, is_last: bool) -> bool {
        let edge = &self.program.edges()[id];
        let Some(mut stack) = self.threads.get_mut(thread.index()).map(std::mem::take) else { return false };
        let Some(top) = stack.last() else { return false };
        let mut locals = top.locals.clone();
        self.require_can(&edge.guard, &locals, true);
        let mut spawned = None;
        let running = self.threads.iter().filter(|stack| !stack.is_empty()).count() + 1;
        match &edge.action {
            Action::Assert { condition } => self.require_can(condition, &locals, !is_last),
            Action::Error { .. } => {}
            Action::Assign { assignments, constraint, passive } => {
                assert!(passive.is_empty() || running == 1, "only a run of one thread is made concrete");
                let before = (self.globals.clone(), locals.clone());
                let values: Vec<_> =
                    assignments.iter().map(|(_, value)| self.takes(value, &before.1)).collect();
                for ((target, _), value) in assignments.iter().zip(values) {
                    self.set(&mut locals, *target, value);
                }
                let (program, globals, after) = (self.program, &self.globals, &locals);
                let can = self.gates.can_be(constraint, &|variable, is_next| match is_next {
                    true => literal(program, globals, after, variable),
                    false => literal(program, &before.0, &before.1, variable),
                });
                self.gates.require(&[can.yes]);
            }
            Action::Call { callee, arguments, .. } => {
                let count = self.program.procedures()[*callee].variables.len();
                let mut inner: Vec<_> = arguments.iter().map(|value| self.takes(value, &locals)).collect();
                inner.extend(self.gates.fresh_many(count - arguments.len()));
                stack.last_mut().expect("seen above").waits_for = Some(id);
                stack.push(SymbolicFrame { locals: inner.clone(), waits_for: None });
                locals = inner;
            }
            Action::Return { values } => {
                stack.pop();
                if let Some(caller) = stack.last_mut() {
                    let Some(call) = caller.waits_for.take() else { return false };
                    let Action::Call { results, .. } = &self.program.edges()[call].action else {
                        return false;
                    };
                    let mut outer = caller.locals.clone();
                    let given: Vec<_> = results
                        .iter()
                        .zip(values)
                        .filter_map(|(result, value)| result.map(|result| (result, value)))
                        .map(|(result, value)| (result, self.takes(value, &locals)))
                        .collect();
                    for (result, value) in given {
                        self.set(&mut outer, result, value);
                    }
                    locals = outer;
                }
            }
            Action::Async { callee, arguments } if self.setup.may_start_thread(running) => {
                let count = self.program.procedures()[*callee].variables.len();
                let mut inner: Vec<_> = arguments.iter().map(|value| self.takes(value, &locals)).collect();
                inner.extend(self.gates.fresh_many(count - arguments.len()));
                spawned = Some(inner);
            }
            Action::StartThread { .. } if self.setup.may_start_thread(running) => {
                spawned = Some(locals.clone());
            }
            Action::EndThread => stack.clear(),
            Action::Async { .. } | Action::StartThread { .. } | Action::AtomicBegin | Action::AtomicEnd => {}
        }
        if let Some(top) = stack.last_mut() {
            top.locals = locals.clone();
        }
        let has_ended = stack.is_empty();
        self.threads[thread.index()] = stack;
        if let Some(locals) = &spawned {
            self.threads.push(vec![SymbolicFrame { locals: locals.clone(), waits_for: None }]);
        }
        let locals = (!has_ended).then_some(locals);
        self.after.push(After { globals: self.globals.clone(), locals, spawned });
        true
    }

    fn read(&self, path: &[(ThreadId, EdgeId)]) -> Trace {
        let values = |literals: &Vec<Literal>| {
            let mut values = Values::falses(literals.len());
            for (slot, &literal) in literals.iter().enumerate() {
                values.set(slot, self.gates.solver.value(literal) == Some(true));
            }
            values
        };
        let threads =
            self.setup.roots.iter().zip(&self.first_locals).map(|(&root, locals)| (root, values(locals)));
        let steps = path.iter().zip(&self.after).map(|(&(thread, edge), after)| TraceStep {
            thread,
            edge,
            globals: values(&after.globals),
            locals: after.locals.as_ref().map(values),
            spawned: after.spawned.as_ref().map(values),
            others: Vec::new(),
        });
        Trace { globals: values(&self.first_globals), threads: threads.collect(), steps: steps.collect() }
    }
}

fn literal(program: &Program, globals: &[Literal], locals: &[Literal], variable: VariableId) -> Literal {
    let variable = &program.variables()[variable];
    match variable.scope {
        Scope::Global => globals[variable.slot],
        Scope::Local(_) => locals[variable.slot],
        Scope::Passive(_) => panic!("one thread sees no other thread's variables"),
    }
}
