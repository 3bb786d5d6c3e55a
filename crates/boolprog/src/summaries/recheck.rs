//! Checks an [`Invariant`] by SAT, edge by edge, from the graph alone: nothing of the BDD engine is used.
//!
//! Conditions: (1) the root's start is allowed at its entry; (2) every edge leads from allowed values to
//! allowed values; (3) no allowed values fail; (4) a call enters its callee with allowed values, and returns
//! as the summary says; (5) every return is in the summary; (6) globals that are said to pass by a call are
//! assigned nowhere in it.

use super::invariant::{Function, Invariant, Observed};
use crate::gates::Gates;
use crate::graph::{Action, Edge, EdgeId, Expr, ProcedureId, Program, Scope, VariableId};
use base::{Budget, Exhausted};
use logic::answer::Answer;
use logic::sat::{Literal, SolveUnder};

/// Why an invariant is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// This condition does not hold.
    Wrong(String),
    /// The check did not get to its end.
    Stopped(Option<Exhausted>),
}

/// Values of all variables in scope.
#[derive(Clone)]
struct Scene {
    globals: Vec<Literal>,
    locals: Vec<Literal>,
}

struct Check<'a> {
    program: &'a Program,
    invariant: &'a Invariant,
    budget: &'a Budget,
    conditions: u64,
}

/// Accepts an invariant only if it shows that no run from `root` fails; the number of conditions.
pub fn recheck(
    program: &Program,
    root: ProcedureId,
    invariant: &Invariant,
    budget: &Budget,
) -> Result<u64, Refused> {
    let mut check = Check { program, invariant, budget, conditions: 0 };
    check.start(root)?;
    for (id, edge) in program.edges().iter_enumerated() {
        check.modified(id, edge)?;
        if invariant.at[edge.from].root != 0 {
            check.edge(id, edge)?;
        }
    }
    Ok(check.conditions)
}

impl Check<'_> {
    fn fresh(&self, gates: &mut Gates, procedure: ProcedureId) -> Scene {
        Scene {
            globals: gates.fresh_many(self.program.globals().len()),
            locals: gates.fresh_many(self.program.procedures()[procedure].variables.len()),
        }
    }

    /// The condition holds if the formula has no model.
    fn must_be_impossible(
        &mut self,
        gates: &mut Gates,
        wanted: Literal,
        what: impl Fn() -> String,
    ) -> Result<(), Refused> {
        self.conditions += 1;
        match gates.solver.solve_under(&[wanted], self.budget) {
            Answer::Unsat => Ok(()),
            Answer::Sat => Err(Refused::Wrong(what())),
            Answer::Unknown(_) => Err(Refused::Stopped(self.budget.check().err())),
        }
    }

    fn start(&mut self, root: ProcedureId) -> Result<(), Refused> {
        let mut gates = Gates::new();
        let mut scene = self.fresh(&mut gates, root);
        for (slot, initial) in self.program.initial().iter().enumerate() {
            if let Some(value) = initial {
                scene.globals[slot] = gates.constant(*value);
            }
        }
        let entry = self.program.procedures()[root].entry;
        let allowed = self.holds(&mut gates, &self.invariant.at[entry], &scene, &scene, &[]);
        self.must_be_impossible(&mut gates, !allowed, || "the start is not allowed".to_owned())
    }

    /// The function's value with these values at the entry, now, and as results.
    fn holds(
        &self,
        gates: &mut Gates,
        function: &Function,
        entry: &Scene,
        now: &Scene,
        results: &[Literal],
    ) -> Literal {
        let mut numbers = vec![gates.constant(false), gates.constant(true)];
        for (asked, yes, no) in &function.decisions {
            let asked = match asked {
                Observed::AtEntry(id) => value(self.program, entry, *id),
                Observed::Now(id) => value(self.program, now, *id),
                Observed::Result(at) => results[*at],
            };
            let first = gates.and(&[asked, numbers[*yes]]);
            let second = gates.and(&[!asked, numbers[*no]]);
            numbers.push(gates.or(&[first, second]));
        }
        numbers[function.root]
    }

    /// A literal with one of the possible values of an expression.
    fn takes(&self, gates: &mut Gates, expr: &Expr, scene: &Scene) -> Literal {
        let can = gates.can_be(expr, &|variable, _| value(self.program, scene, variable));
        let taken = gates.fresh();
        gates.require(&[!taken, can.yes]);
        gates.require(&[taken, can.no]);
        taken
    }

    /// Condition 6.
    fn modified(&mut self, id: EdgeId, edge: &Edge) -> Result<(), Refused> {
        let program = self.program;
        let own = &self.invariant.modified[program.procedure_of(edge.from)];
        let is_listed = |variable: VariableId| {
            let variable = &program.variables()[variable];
            variable.scope != Scope::Global || own.contains(&variable.slot)
        };
        let fine = match &edge.action {
            Action::Assign { assignments, .. } => assignments.iter().all(|(target, _)| is_listed(*target)),
            Action::Call { callee, results, .. } => {
                results.iter().flatten().all(|target| is_listed(*target))
                    && self.invariant.modified[*callee].iter().all(|slot| own.contains(slot))
            }
            _ => true,
        };
        self.conditions += 1;
        if fine { Ok(()) } else { Err(Refused::Wrong(format!("{id} changes a global that is not listed"))) }
    }

    fn edge(&mut self, id: EdgeId, edge: &Edge) -> Result<(), Refused> {
        let procedure = self.program.procedure_of(edge.from);
        let mut gates = Gates::new();
        let entry = self.fresh(&mut gates, procedure);
        let before = self.fresh(&mut gates, procedure);
        let allowed = self.holds(&mut gates, &self.invariant.at[edge.from], &entry, &before, &[]);
        let guard = gates.can_be(&edge.guard, &|variable, _| value(self.program, &before, variable));
        gates.require(&[allowed]);
        gates.require(&[guard.yes]);
        let mut after = before.clone();
        match &edge.action {
            Action::EndThread => return Ok(()),
            Action::Error { .. } => {
                let always = gates.constant(true);
                return self
                    .must_be_impossible(&mut gates, always, || format!("{id} reaches an error label"));
            }
            Action::Return { values } => {
                let results: Vec<Literal> =
                    values.iter().map(|value| self.takes(&mut gates, value, &before)).collect();
                let summary = &self.invariant.summaries[procedure];
                let told = self.holds(&mut gates, summary, &entry, &before, &results);
                return self.must_be_impossible(&mut gates, !told, || format!("{id} is not in the summary"));
            }
            Action::Assert { condition } => {
                let can = gates.can_be(condition, &|variable, _| value(self.program, &before, variable));
                self.must_be_impossible(&mut gates, can.no, || format!("{id} can fail"))?;
                gates.require(&[can.yes]);
            }
            Action::Assign { assignments, constraint, .. } => {
                let values: Vec<Literal> =
                    assignments.iter().map(|(_, value)| self.takes(&mut gates, value, &before)).collect();
                for ((target, _), value) in assignments.iter().zip(values) {
                    set(self.program, &mut after, *target, value);
                }
                let can = gates.can_be(constraint, &|variable, is_next| {
                    value(self.program, if is_next { &after } else { &before }, variable)
                });
                gates.require(&[can.yes]);
            }
            Action::Call { callee, arguments, results } => {
                after = self.call(&mut gates, id, *callee, arguments, results, &before)?;
            }
            // One thread only: starting another has no effect.
            Action::Async { .. } | Action::StartThread { .. } | Action::AtomicBegin | Action::AtomicEnd => {}
        }
        let stays = self.holds(&mut gates, &self.invariant.at[edge.to], &entry, &after, &[]);
        self.must_be_impossible(&mut gates, !stays, || format!("{id} leads out of the invariant"))
    }

    /// Condition 4; the caller's values after the call.
    fn call(
        &mut self,
        gates: &mut Gates,
        id: EdgeId,
        callee: ProcedureId,
        arguments: &[Expr],
        results: &[Option<VariableId>],
        before: &Scene,
    ) -> Result<Scene, Refused> {
        let known = &self.program.procedures()[callee];
        let mut inner = Scene { globals: before.globals.clone(), locals: Vec::new() };
        for argument in arguments {
            let taken = self.takes(gates, argument, before);
            inner.locals.push(taken);
        }
        inner.locals.extend(gates.fresh_many(known.variables.len() - arguments.len()));
        let entered = self.holds(gates, &self.invariant.at[known.entry], &inner, &inner, &[]);
        self.must_be_impossible(gates, !entered, || format!("{id} enters with values that are not allowed"))?;
        let mut end = inner.clone();
        for slot in &self.invariant.modified[callee] {
            end.globals[*slot] = gates.fresh();
        }
        let returned = gates.fresh_many(known.returns);
        let told = self.holds(gates, &self.invariant.summaries[callee], &inner, &end, &returned);
        gates.require(&[told]);
        let mut after = Scene { globals: end.globals, locals: before.locals.clone() };
        for (target, value) in results.iter().zip(returned) {
            if let Some(target) = target {
                set(self.program, &mut after, *target, value);
            }
        }
        Ok(after)
    }
}

fn value(program: &Program, scene: &Scene, variable: VariableId) -> Literal {
    let variable = &program.variables()[variable];
    match variable.scope {
        Scope::Global => scene.globals[variable.slot],
        Scope::Local(_) => scene.locals[variable.slot],
        Scope::Passive(_) => panic!("one thread sees no other thread's variables"),
    }
}

fn set(program: &Program, scene: &mut Scene, variable: VariableId, value: Literal) {
    let variable = &program.variables()[variable];
    match variable.scope {
        Scope::Global => scene.globals[variable.slot] = value,
        Scope::Local(_) => scene.locals[variable.slot] = value,
        Scope::Passive(_) => panic!("one thread sees no other thread's variables"),
    }
}
