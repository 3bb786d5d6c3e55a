//! Conditions: `&&`, `||`, `!` and `?:` become control flow, without temporaries where a branch is wanted anyway.

use crate::function::FunctionLowering;
use csource::tree::{BinaryOp, Expr, ExprKind, UnaryOp};
use program::{NodeId, Type};

impl FunctionLowering<'_> {
    /// Goes to `then` if the condition is not zero, else to `otherwise`.
    pub fn branch(&mut self, condition: &Expr, then: NodeId, otherwise: NodeId) {
        match &condition.kind {
            ExprKind::LogicalAnd(left, right) => {
                let middle = self.graph.add_node(right.span);
                self.branch(left, middle, otherwise);
                self.current = middle;
                self.branch(right, then, otherwise);
            }
            ExprKind::LogicalOr(left, right) => {
                let middle = self.graph.add_node(right.span);
                self.branch(left, then, middle);
                self.current = middle;
                self.branch(right, then, otherwise);
            }
            ExprKind::Unary(UnaryOp::Not, operand) => self.branch(operand, otherwise, then),
            ExprKind::Conditional(test, left, right) => {
                let (first, second) = (self.graph.add_node(left.span), self.graph.add_node(right.span));
                self.branch(test, first, second);
                self.current = first;
                self.branch(left, then, otherwise);
                self.current = second;
                self.branch(right, then, otherwise);
            }
            ExprKind::Comma(first, second) => {
                self.effect(first);
                self.branch(second, then, otherwise);
            }
            ExprKind::Cast { operand, .. } if self.keeps_zero(operand, condition) => {
                self.branch(operand, then, otherwise)
            }
            ExprKind::Binary(BinaryOp::NotEqual, operand, zero) if self.is_truth_test(operand, zero) => {
                self.branch(operand, then, otherwise)
            }
            ExprKind::Binary(BinaryOp::Equal, operand, zero) if self.is_truth_test(operand, zero) => {
                self.branch(operand, otherwise, then)
            }
            _ => {
                let value = self.rvalue(condition);
                self.branch_on(value, then, otherwise, condition.span);
            }
        }
    }

    /// Is the cast zero exactly when the operand is?
    fn keeps_zero(&self, operand: &Expr, cast: &Expr) -> bool {
        let types = &self.linker.session.types;
        if types.get(cast.ty.id) == &Type::Bool {
            return types.is_scalar(operand.ty.id);
        }
        match (types.integer_shape(operand.ty.id), types.integer_shape(cast.ty.id)) {
            (Some(from), Some(to)) => to.width >= from.width,
            _ => false,
        }
    }

    /// `(a && b) != 0`: only worth it where the operand is itself control flow.
    fn is_truth_test(&self, operand: &Expr, zero: &Expr) -> bool {
        matches!(zero.kind, ExprKind::Integer(0)) && is_control_flow(operand)
    }
}

fn is_control_flow(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) | ExprKind::Unary(UnaryOp::Not, _) => true,
        ExprKind::Cast { operand, .. } => is_control_flow(operand),
        ExprKind::Binary(op, ..) => op.is_comparison(),
        _ => false,
    }
}
