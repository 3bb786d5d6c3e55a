//! A copy of a body whose variables are others.

use program::{Action, Callee, Expr, ExprKind, Place, PlaceBase, Projection, VariableId};
use rustc_hash::FxHashMap;

/// Which variable stands for which in the copy; those that are not here stay.
#[derive(Debug, Default)]
pub(crate) struct Renaming(pub FxHashMap<VariableId, VariableId>);

impl Renaming {
    pub fn action(&self, action: &mut Action) {
        match action {
            Action::Skip | Action::Unsupported(_) => {}
            Action::Lifetime { variable, .. } => self.variable(variable),
            Action::Assume { condition, .. } => self.expr(condition),
            Action::Assign { target, value } => {
                self.place(target);
                self.expr(value);
            }
            Action::Havoc { target, .. } => self.place(target),
            Action::Call { result, callee, arguments } => {
                result.iter_mut().for_each(|result| self.place(result));
                if let Callee::Indirect(pointer) = callee {
                    self.expr(pointer);
                }
                arguments.iter_mut().for_each(|argument| self.expr(argument));
            }
            Action::Return { value } => value.iter_mut().for_each(|value| self.expr(value)),
            Action::Event { arguments, .. } => {
                arguments.iter_mut().for_each(|argument| self.expr(argument));
            }
        }
    }

    pub fn expr(&self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Zero | ExprKind::FunctionAddress(_) => {}
            ExprKind::Load(place) | ExprKind::AddressOf(place) => self.place(place),
            ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => self.expr(operand),
            ExprKind::Binary(_, left, right) | ExprKind::PointerDifference(left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::PointerOffset { pointer, index } => {
                self.expr(pointer);
                self.expr(index);
            }
        }
    }

    fn place(&self, place: &mut Place) {
        match &mut place.base {
            PlaceBase::Variable(id) => self.variable(id),
            PlaceBase::Pointer(pointer) => self.expr(pointer),
        }
        for step in &mut place.path {
            if let Projection::Index(index) = step {
                self.expr(index);
            }
        }
    }

    fn variable(&self, id: &mut VariableId) {
        if let Some(other) = self.0.get(id) {
            *id = *other;
        }
    }
}
