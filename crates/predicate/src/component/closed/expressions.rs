//! Expressions over the objects of a component become expressions over the variables of the new program.

use super::Closer;
use crate::component::conditions::Condition;
use program::{BinaryOp, Expr, ExprKind, Place, PlaceBase, Projection, UnaryOp};

impl Closer<'_> {
    pub(super) fn expr(&mut self, expr: &Expr) -> Expr {
        let kind = match &expr.kind {
            ExprKind::Load(place) => ExprKind::Load(Box::new(self.place(place))),
            ExprKind::AddressOf(place) => ExprKind::AddressOf(Box::new(self.place(place))),
            ExprKind::Unary(operator, operand) => ExprKind::Unary(*operator, Box::new(self.expr(operand))),
            ExprKind::Binary(operator, left, right) => {
                ExprKind::Binary(*operator, Box::new(self.expr(left)), Box::new(self.expr(right)))
            }
            ExprKind::Cast(operand) => ExprKind::Cast(Box::new(self.expr(operand))),
            ExprKind::PointerOffset { pointer, index } => ExprKind::PointerOffset {
                pointer: Box::new(self.expr(pointer)),
                index: Box::new(self.expr(index)),
            },
            ExprKind::PointerDifference(left, right) => {
                ExprKind::PointerDifference(Box::new(self.expr(left)), Box::new(self.expr(right)))
            }
            other => other.clone(),
        };
        Expr { kind, ty: expr.ty }
    }

    pub(super) fn place(&mut self, place: &Place) -> Place {
        let base = match &place.base {
            PlaceBase::Variable(root) => PlaceBase::Variable(self.object(*root)),
            PlaceBase::Pointer(pointer) => PlaceBase::Pointer(Box::new(self.expr(pointer))),
        };
        let mut path = Vec::new();
        for step in &place.path {
            path.push(match step {
                Projection::Index(index) => Projection::Index(Box::new(self.expr(index))),
                field => field.clone(),
            });
        }
        Place { base, path, ty: place.ty }
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
