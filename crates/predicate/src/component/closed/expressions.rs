//! Expressions over the objects of a component become expressions over the variables of the new program.

use super::Closer;
use crate::component::conditions::Condition;
use program::rewrite::Rewrite;
use program::{BinaryOp, Expr, ExprKind, Place, UnaryOp, VariableId};

/// The component's objects become variables of the new program.
struct Objects<'c, 'a>(&'c mut Closer<'a>);

impl Rewrite for Objects<'_, '_> {
    fn variable(&mut self, variable: &mut VariableId) {
        *variable = self.0.object(*variable);
    }
}

impl Closer<'_> {
    pub(in crate::component) fn expr(&mut self, expr: &Expr) -> Expr {
        let mut own = expr.clone();
        Objects(self).expr(&mut own);
        own
    }

    pub(super) fn place(&mut self, place: &Place) -> Place {
        let mut own = place.clone();
        Objects(self).place(&mut own);
        own
    }

    /// A condition as an `int`, all of whose parts are evaluated.
    pub(super) fn condition(&mut self, condition: &Condition) -> Expr {
        match condition {
            Condition::Constant(value) => self.number(u128::from(*value)),
            Condition::Test(expr) => {
                let expr = self.expr(expr);
                let not = |operand: Expr| Expr {
                    kind: ExprKind::Unary(UnaryOp::Not, Box::new(operand)),
                    ty: self.int,
                };
                not(not(expr))
            }
            Condition::Not(inner) => {
                let inner = self.condition(inner);
                Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(inner)), ty: self.int }
            }
            Condition::All(parts) => self.joined(BinaryOp::BitAnd, 1, parts),
            Condition::Any(parts) => self.joined(BinaryOp::BitOr, 0, parts),
            // The run itself looks at every byte that is read or written.
            Condition::Room { .. } | Condition::Apart { .. } => self.number(1),
        }
    }

    fn joined(&mut self, operator: BinaryOp, empty: u128, parts: &[Condition]) -> Expr {
        let mut all = self.number(empty);
        for part in parts {
            let part = self.condition(part);
            all = self.compared(operator, all, part);
        }
        all
    }
}
