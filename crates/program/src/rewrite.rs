//! Rewriting actions, expressions and places in place (a mutable visitor): who implements [`Rewrite`] says what becomes
//! of the things it is about, and everything around them is walked here.

use crate::{Action, Callee, Expr, ExprKind, Place, PlaceBase, ProcedureId, Projection, VariableId};
use rustc_hash::FxHashMap;

/// What becomes of the parts of actions. A method that is not overridden goes on to the parts inside; one that is
/// overridden calls the function of this file of the same name where it wants that too. Outermost first, in the order
/// in which [`Action::Assign`] and the others name their parts.
pub trait Rewrite {
    /// A variable that a place starts with, or whose life begins or ends.
    fn variable(&mut self, _variable: &mut VariableId) {}

    /// A function whose address is taken.
    fn function_address(&mut self, _function: &mut ProcedureId) {}

    /// Who is called.
    fn callee(&mut self, callee: &mut Callee) {
        inside_callee(self, callee);
    }

    /// An expression, inner ones included.
    fn expr(&mut self, expr: &mut Expr) {
        inside_expr(self, expr);
    }

    /// A place, read, written, or of which only the address is used.
    fn place(&mut self, place: &mut Place) {
        inside_place(self, place);
    }

    /// A step.
    fn action(&mut self, action: &mut Action) {
        inside_action(self, action);
    }
}

/// Rewrites the pointer that is called, if one is.
pub fn inside_callee<R: Rewrite + ?Sized>(rewrite: &mut R, callee: &mut Callee) {
    match callee {
        Callee::Direct(_) => {}
        Callee::Indirect(pointer) => rewrite.expr(pointer),
    }
}

/// Rewrites what an expression consists of.
pub fn inside_expr<R: Rewrite + ?Sized>(rewrite: &mut R, expr: &mut Expr) {
    match &mut expr.kind {
        ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Zero => {}
        ExprKind::FunctionAddress(function) => rewrite.function_address(function),
        ExprKind::Load(place) | ExprKind::AddressOf(place) => rewrite.place(place),
        ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => rewrite.expr(operand),
        ExprKind::Binary(_, left, right) | ExprKind::PointerDifference(left, right) => {
            rewrite.expr(left);
            rewrite.expr(right);
        }
        ExprKind::PointerOffset { pointer, index } => {
            rewrite.expr(pointer);
            rewrite.expr(index);
        }
    }
}

/// Rewrites what a place starts with and the indices on its way.
pub fn inside_place<R: Rewrite + ?Sized>(rewrite: &mut R, place: &mut Place) {
    match &mut place.base {
        PlaceBase::Variable(variable) => rewrite.variable(variable),
        PlaceBase::Pointer(pointer) => rewrite.expr(pointer),
    }
    for step in &mut place.path {
        if let Projection::Index(index) = step {
            rewrite.expr(index);
        }
    }
}

/// Rewrites what a step consists of.
pub fn inside_action<R: Rewrite + ?Sized>(rewrite: &mut R, action: &mut Action) {
    match action {
        Action::Skip | Action::Unsupported(_) => {}
        Action::Lifetime { variable, .. } => rewrite.variable(variable),
        Action::Assume { condition, .. } => rewrite.expr(condition),
        Action::Assign { target, value } => {
            rewrite.place(target);
            rewrite.expr(value);
        }
        Action::Havoc { target, .. } => rewrite.place(target),
        Action::Call { result, callee, arguments } => {
            result.iter_mut().for_each(|result| rewrite.place(result));
            rewrite.callee(callee);
            arguments.iter_mut().for_each(|argument| rewrite.expr(argument));
        }
        Action::Return { value } => value.iter_mut().for_each(|value| rewrite.expr(value)),
        Action::Event { arguments, .. } => arguments.iter_mut().for_each(|argument| rewrite.expr(argument)),
    }
}

/// The addresses of some functions become those of others. Direct calls stay.
#[derive(Clone, Copy, Debug)]
pub struct FunctionAddresses<'f>(pub &'f FxHashMap<ProcedureId, ProcedureId>);

impl Rewrite for FunctionAddresses<'_> {
    fn function_address(&mut self, function: &mut ProcedureId) {
        if let Some(&other) = self.0.get(function) {
            *function = other;
        }
    }
}
