//! Side effects (mod/ref analysis): which globals a procedure can change or read, itself or by those it calls
//! (BOOM app. C, the mod/ref part). Globals that a procedure does neither with are left out of its path edges
//! and pass by its calls.

use super::shape::call_shape;
use crate::graph::{Action, Edge, Expr, ProcedureId, Program, Scope, VariableId};
use crate::values::Values;
use base::IndexVec;

/// By procedure, sets of globals (by slot).
#[derive(Clone, Debug)]
pub struct ModRef {
    /// May be changed.
    pub modified: IndexVec<ProcedureId, Values>,
    /// May be changed or read.
    pub relevant: IndexVec<ProcedureId, Values>,
}

/// Without the analysis: every procedure may do everything.
pub fn all_globals(program: &Program) -> ModRef {
    let mut all = Values::falses(program.globals().len());
    (0..program.globals().len()).for_each(|slot| all.set(slot, true));
    let sets = IndexVec::filled(all, program.procedures().len());
    ModRef { modified: sets.clone(), relevant: sets }
}

/// The analysis. Calls count, starting threads does not: it is for sequential runs.
pub fn mod_ref(program: &Program) -> ModRef {
    let none = Values::falses(program.globals().len());
    let sets = IndexVec::filled(none, program.procedures().len());
    let mut found = ModRef { modified: sets.clone(), relevant: sets };
    for edge in program.edges() {
        own(program, edge, &mut found);
    }
    let order = call_shape(program).callees_first;
    let mut calls: IndexVec<ProcedureId, Vec<ProcedureId>> =
        IndexVec::filled(Vec::new(), program.procedures().len());
    for edge in program.edges() {
        if let Action::Call { callee, .. } = edge.action {
            calls[program.procedure_of(edge.from)].push(callee);
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for &procedure in &order {
            for &callee in &calls[procedure] {
                let (modified, relevant) = (found.modified[callee].clone(), found.relevant[callee].clone());
                changed |= found.modified[procedure].join(&modified);
                changed |= found.relevant[procedure].join(&relevant);
            }
        }
    }
    found
}

/// What an edge does itself.
fn own(program: &Program, edge: &Edge, found: &mut ModRef) {
    let procedure = program.procedure_of(edge.from);
    let slot = |variable: VariableId| {
        let variable = &program.variables()[variable];
        (variable.scope == Scope::Global).then_some(variable.slot)
    };
    let mut reads = |expr: &Expr| {
        expr.for_each_variable(&mut |variable, _| {
            if let Some(slot) = slot(variable) {
                found.relevant[procedure].set(slot, true);
            }
        });
    };
    reads(&edge.guard);
    let mut written: Vec<VariableId> = Vec::new();
    match &edge.action {
        Action::Assign { assignments, constraint, .. } => {
            assignments.iter().for_each(|(_, value)| reads(value));
            reads(constraint);
            written.extend(assignments.iter().map(|(target, _)| *target));
        }
        Action::Assert { condition } => reads(condition),
        Action::Call { arguments, results, .. } => {
            arguments.iter().for_each(reads);
            written.extend(results.iter().flatten());
        }
        Action::Return { values } => values.iter().for_each(reads),
        Action::Async { .. }
        | Action::Error { .. }
        | Action::StartThread { .. }
        | Action::EndThread
        | Action::AtomicBegin
        | Action::AtomicEnd => {}
    }
    for slot in written.into_iter().filter_map(slot) {
        found.modified[procedure].set(slot, true);
        found.relevant[procedure].set(slot, true);
    }
}
