//! Can evaluating an expression do anything besides giving a value?

use crate::tree::{Expr, ExprKind};

/// Conservative: says yes when unsure.
pub(super) fn has_effects(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Integer(_)
        | ExprKind::Float(_)
        | ExprKind::Function(_)
        | ExprKind::String(_)
        | ExprKind::SizeofVariable(_)
        | ExprKind::LabelAddress(_) => false,
        ExprKind::Variable(_) => e.ty.qualifiers.is_volatile,
        ExprKind::Deref(operand) => e.ty.qualifiers.is_volatile || has_effects(operand),
        ExprKind::Member { base, .. } => e.ty.qualifiers.is_volatile || has_effects(base),
        ExprKind::AddressOf(operand)
        | ExprKind::Decay(operand)
        | ExprKind::Unary(_, operand)
        | ExprKind::Cast { operand, .. } => has_effects(operand),
        ExprKind::Binary(_, a, b)
        | ExprKind::PointerDifference(a, b)
        | ExprKind::LogicalAnd(a, b)
        | ExprKind::LogicalOr(a, b)
        | ExprKind::ConditionalOrElse(a, b)
        | ExprKind::Comma(a, b) => has_effects(a) || has_effects(b),
        ExprKind::PointerAdd { pointer, index, .. } => has_effects(pointer) || has_effects(index),
        ExprKind::Conditional(c, a, b) => has_effects(c) || has_effects(a) || has_effects(b),
        _ => true,
    }
}

/// Is the value the same whenever it is computed in a call of the function? As far as gcc's `save_expr` sees it:
/// constants and addresses of variables.
pub(super) fn is_invariant(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Integer(_) | ExprKind::Float(_) => true,
        ExprKind::AddressOf(operand) | ExprKind::Decay(operand) => {
            matches!(operand.kind, ExprKind::Variable(_) | ExprKind::String(_) | ExprKind::Function(_))
        }
        ExprKind::Unary(_, operand) | ExprKind::Cast { operand, .. } => is_invariant(operand),
        ExprKind::Binary(_, a, b) => is_invariant(a) && is_invariant(b),
        _ => false,
    }
}
