//! What a run can leave out: writes to variables on which nothing depends that decides where the run goes, what it does to
//! memory, and what the formula reads. A counter that nobody looks at would keep the state from coming back.
//!
//! Only whole variables outside memory, and values whose computing can go wrong in no way but by a signed overflow: what
//! that gives is of no interest then.

use program::expr::ExprPart;
use program::{Action, BinaryOp, Expr, ExprKind, PlaceBase, Program, VariableId};
use std::collections::BTreeSet;

/// Makes the writes that can be left out steps that do nothing. `wanted` are variables that something else reads.
pub(crate) fn leave_out(program: &mut Program, wanted: &BTreeSet<VariableId>) {
    let mut needed = wanted.clone();
    loop {
        let before = needed.len();
        for edge in program.edges() {
            let left_out = target_of(program, &edge.action).filter(|target| !needed.contains(target));
            if left_out.is_none() {
                read_by(&edge.action, &mut needed);
            }
        }
        if needed.len() == before {
            break;
        }
    }
    let mut targets = Vec::new();
    for (id, procedure) in program.procedures.iter_enumerated() {
        let Some(body) = &procedure.body else { continue };
        for (edge_id, edge) in body.edges.iter_enumerated() {
            if target_of(program, &edge.action).is_some_and(|target| !needed.contains(&target)) {
                targets.push((id, edge_id));
            }
        }
    }
    for (id, edge) in targets {
        if let Some(body) = &mut program.procedures[id].body {
            body.edges[edge].action = Action::Skip;
        }
    }
}

/// The variable that is all that a step changes, if it may be left out.
fn target_of(program: &Program, action: &Action) -> Option<VariableId> {
    let Action::Assign { target, value } = action else { return None };
    let variable = target.as_variable()?;
    let is_plain = !program.variables[variable].in_memory && !target.ty.qualifiers.is_volatile;
    (is_plain && is_harmless(program, value)).then_some(variable)
}

/// Can computing it go wrong in no way but by an overflow?
fn is_harmless(program: &Program, value: &Expr) -> bool {
    let mut harmless = true;
    value.visit(&mut |part| match part {
        ExprPart::Expr(expr) => match &expr.kind {
            ExprKind::Binary(op, ..) => {
                let divides = matches!(
                    op,
                    BinaryOp::Divide | BinaryOp::Remainder | BinaryOp::ShiftLeft | BinaryOp::ShiftRight
                );
                harmless &= !divides;
            }
            ExprKind::Cast(inner) => {
                let types = &program.types;
                harmless &= types.is_integer(expr.ty) && types.is_integer(inner.ty);
            }
            ExprKind::PointerOffset { .. } | ExprKind::PointerDifference(..) | ExprKind::Float(_) => {
                harmless = false;
            }
            _ => {}
        },
        ExprPart::Place(place, _) => {
            harmless &= matches!(place.base, PlaceBase::Variable(_)) && place.path.is_empty();
        }
    });
    harmless
}

/// The variables that a step reads, wherever.
fn read_by(action: &Action, found: &mut BTreeSet<VariableId>) {
    let written = match action {
        Action::Assign { target, .. } => target.as_variable(),
        _ => None,
    };
    let mut is_first_write = true;
    action.visit(&mut |part| {
        let ExprPart::Place(place, access) = part else { return };
        let PlaceBase::Variable(variable) = place.base else { return };
        // What is only written is not read.
        let is_target = access == program::expr::Access::Write && written == Some(variable);
        if is_target && std::mem::take(&mut is_first_write) {
            return;
        }
        found.insert(variable);
    });
}
