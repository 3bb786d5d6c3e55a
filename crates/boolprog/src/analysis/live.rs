//! Live variables, interprocedural: which values may still be read, backwards through procedures and calls
//! (BOOM 10.9 and app. C). Where a procedure is called from several places, what matters after any of the
//! calls matters at its exit. For sequential runs: another thread could read a global at any time.

use super::mod_ref::ModRef;
use crate::graph::{Action, Edge, Expr, NodeId, Program, Scope, VariableId};
use crate::values::Values;
use base::IndexVec;

/// By node, the variables whose values may still be read.
#[derive(Clone, Debug)]
pub struct Live {
    /// Globals by slot.
    pub globals: IndexVec<NodeId, Values>,
    /// Locals of the node's procedure by slot.
    pub locals: IndexVec<NodeId, Values>,
}

fn sized(program: &Program, value: bool) -> Live {
    let set = |count: usize| {
        let mut values = Values::falses(count);
        (0..count).for_each(|slot| values.set(slot, value));
        values
    };
    let locals = |node| set(program.procedures()[program.procedure_of(node)].variables.len());
    Live {
        globals: program.nodes().ids().map(|_| set(program.globals().len())).collect(),
        locals: program.nodes().ids().map(locals).collect(),
    }
}

/// Without the analysis: everything matters everywhere.
pub fn everything_live(program: &Program) -> Live {
    sized(program, true)
}

/// Which variables are live at each node, calls and returns included.
pub fn interprocedural_live(program: &Program, effects: &ModRef) -> Live {
    let mut live = sized(program, false);
    let mut changed = true;
    while changed {
        changed = false;
        for edge in program.edges().iter().rev() {
            changed |= Backwards { program, effects }.through(edge, &mut live);
        }
    }
    live
}

struct Backwards<'p> {
    program: &'p Program,
    effects: &'p ModRef,
}

/// The two sets before an edge.
struct Sets {
    globals: Values,
    locals: Values,
}

impl Backwards<'_> {
    fn set(&self, sets: &mut Sets, variable: VariableId, value: bool) {
        let variable = &self.program.variables()[variable];
        match variable.scope {
            Scope::Global => sets.globals.set(variable.slot, value),
            Scope::Local(_) => sets.locals.set(variable.slot, value),
            Scope::Passive(_) => panic!("one thread sees no other thread's variables"),
        }
    }

    fn reads(&self, sets: &mut Sets, expr: &Expr) {
        expr.for_each_variable(&mut |variable, _| self.set(sets, variable, true));
    }

    /// Joins what matters before the edge into its source. Did anything change?
    fn through(&self, edge: &Edge, live: &mut Live) -> bool {
        let program = self.program;
        let procedure = &program.procedures()[program.procedure_of(edge.from)];
        let mut changed = false;
        let after = match edge.action {
            Action::Return { .. } => procedure.exit,
            _ => edge.to,
        };
        let mut sets = Sets { globals: live.globals[after].clone(), locals: live.locals[after].clone() };
        match &edge.action {
            Action::Assign { assignments, constraint, .. } => {
                assignments.iter().for_each(|(target, _)| self.set(&mut sets, *target, false));
                assignments.iter().for_each(|(_, value)| self.reads(&mut sets, value));
                constraint.for_each_variable(&mut |variable, is_next| {
                    let is_new = is_next && assignments.iter().any(|(target, _)| *target == variable);
                    if !is_new {
                        self.set(&mut sets, variable, true);
                    }
                });
            }
            Action::Assert { condition } => self.reads(&mut sets, condition),
            Action::Call { callee, arguments, results } => {
                results.iter().flatten().for_each(|&result| self.set(&mut sets, result, false));
                let relevant = &self.effects.relevant[*callee];
                let mut at_exit = sets.globals.clone();
                at_exit.keep_only(relevant);
                let known = &program.procedures()[*callee];
                changed |= live.globals[known.exit].join(&at_exit);
                // What the callee touches matters as it matters at the callee's entry; the rest passes by.
                for slot in (0..program.globals().len()).filter(|&slot| relevant.get(slot)) {
                    sets.globals.set(slot, live.globals[known.entry].get(slot));
                }
                arguments.iter().for_each(|argument| self.reads(&mut sets, argument));
            }
            Action::Return { values } => {
                sets.locals = Values::falses(procedure.variables.len());
                values.iter().for_each(|value| self.reads(&mut sets, value));
            }
            Action::Error { .. } | Action::EndThread => {
                sets.globals = Values::falses(program.globals().len());
                sets.locals = Values::falses(procedure.variables.len());
            }
            Action::Async { .. } | Action::StartThread { .. } | Action::AtomicBegin | Action::AtomicEnd => {}
        }
        self.reads(&mut sets, &edge.guard);
        changed |= live.globals[edge.from].join(&sets.globals);
        changed | live.locals[edge.from].join(&sets.locals)
    }
}
