//! What calls of a function may call and touch: by the calls, the addresses of functions and the variables that its
//! code mentions, and what these are initialised with.

use super::Globals;
use crate::link::Linker;
use program::expr::ExprPart;
use program::{
    Action, Callee, Expr, ExprKind, InitialData, Place, PlaceBase, ProcedureId, VariableId, VariableKind,
};
use rustc_hash::FxHashSet;

/// What calls of a function can get at.
pub(super) struct WithinReach {
    pub(super) procedures: FxHashSet<ProcedureId>,
    /// With static storage, in order.
    pub(super) variables: Vec<VariableId>,
}

/// What calls of the function may call and touch.
pub(super) fn within_reach(linker: &Linker, function: ProcedureId, globals: Globals) -> WithinReach {
    let mut seen: FxHashSet<ProcedureId> = FxHashSet::default();
    let mut used: FxHashSet<VariableId> = FxHashSet::default();
    let mut open = vec![function];
    if globals == Globals::Initialised {
        open.extend(linker.constructors.iter().map(|(_, constructor)| *constructor));
    }
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let (mut variables, mut procedures) = (Vec::new(), Vec::new());
        for edge in linker.procedures[id].body.iter().flat_map(|body| &body.edges) {
            if let Action::Call { callee: Callee::Direct(callee), .. } = &edge.action {
                procedures.push(*callee);
            }
            edge.action.visit(&mut |part| note(part, &mut variables, &mut procedures));
        }
        // What a variable is initialised with can be got at through it.
        while let Some(variable) = variables.pop() {
            if used.insert(variable) {
                for initial in &linker.variables[variable].initial {
                    if let InitialData::Value(value) = &initial.value {
                        value.visit(&mut |part| note(part, &mut variables, &mut procedures));
                    }
                }
            }
        }
        open.extend(procedures);
    }
    let mut all: Vec<VariableId> =
        used.into_iter().filter(|&id| linker.variables[id].kind == VariableKind::Global).collect();
    all.sort_unstable();
    WithinReach { procedures: seen, variables: all }
}

fn note(part: ExprPart<'_>, variables: &mut Vec<VariableId>, procedures: &mut Vec<ProcedureId>) {
    match part {
        ExprPart::Place(Place { base: PlaceBase::Variable(id), .. }, _) => variables.push(*id),
        ExprPart::Expr(Expr { kind: ExprKind::FunctionAddress(id), .. }) => procedures.push(*id),
        _ => {}
    }
}
