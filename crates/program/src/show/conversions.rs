//! Which conversions C does by itself, so that they need not be shown. C11 6.3.1.

use super::Show;
use crate::types::{DataModel, FloatKind, IntegerKind, Type, TypeId};
use crate::{Expr, ExprKind};

/// An arithmetic type after promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Integer(IntegerKind),
    Float(FloatKind),
}

impl Show<'_> {
    /// The arithmetic type a value of this type is promoted to (6.3.1.1).
    pub(super) fn promoted(&self, ty: TypeId) -> Option<Arithmetic> {
        let types = &self.program.types;
        Some(match types.get(ty) {
            Type::Bool => Arithmetic::Integer(IntegerKind::Int),
            Type::Integer(kind) if kind.rank() < IntegerKind::Int.rank() => {
                Arithmetic::Integer(IntegerKind::Int)
            }
            Type::Integer(kind) => Arithmetic::Integer(*kind),
            Type::Enum(id) => return self.promoted(types.enums[*id].underlying),
            Type::Float(kind) => Arithmetic::Float(*kind),
            _ => return None,
        })
    }

    /// Like [`promoted`](Self::promoted), for the expression written as it is: bit-fields promote by their width.
    pub(super) fn promoted_expr(&self, expr: &Expr) -> Option<Arithmetic> {
        let types = &self.program.types;
        if let ExprKind::Load(place) = &expr.kind
            && let Some(width) = place.bit_field(types).and_then(|field| field.bit_width)
        {
            let shape = types.integer_shape(expr.ty)?;
            if width < 32 || (width == 32 && shape.signed) {
                return Some(Arithmetic::Integer(IntegerKind::Int));
            }
        }
        self.promoted(expr.ty)
    }

    /// The type of a number written without suffix, if it can be.
    pub(super) fn literal_type(&self, expr: &Expr) -> Option<Arithmetic> {
        let ExprKind::Integer(bits) = expr.kind else { return None };
        let types = &self.program.types;
        let value = match types.get(expr.ty) {
            Type::Bool | Type::Integer(_) | Type::Enum(_) => types.integer_shape(expr.ty)?.value(bits),
            _ => return None,
        };
        let magnitude = value.unsigned_abs();
        let kind = if magnitude < 1 << 31 {
            IntegerKind::Int
        } else if magnitude < 1 << 63 {
            match types.model() {
                DataModel::Lp64 => IntegerKind::Long,
                DataModel::Ilp32 => IntegerKind::LongLong,
            }
        } else {
            return None;
        };
        Some(Arithmetic::Integer(kind))
    }

    /// The common type of two promoted operands (6.3.1.8).
    pub(super) fn common(&self, left: Arithmetic, right: Arithmetic) -> Arithmetic {
        use Arithmetic::*;
        match (left, right) {
            (Float(left), Float(right)) => Float(left.max(right)),
            (Float(kind), Integer(_)) | (Integer(_), Float(kind)) => Float(kind),
            (Integer(left), Integer(right)) => Integer(self.common_integer(left, right)),
        }
    }

    fn common_integer(&self, left: IntegerKind, right: IntegerKind) -> IntegerKind {
        if left.is_signed() == right.is_signed() {
            return if left.rank() >= right.rank() { left } else { right };
        }
        let (signed, unsigned) = if left.is_signed() { (left, right) } else { (right, left) };
        let types = &self.program.types;
        if unsigned.rank() >= signed.rank() {
            unsigned
        } else if types.integer_width(signed) > types.integer_width(unsigned) {
            signed
        } else {
            signed.to_unsigned()
        }
    }

    /// Has every value of one type the same value in the other?
    pub(super) fn keeps_value(&self, from: TypeId, to: TypeId) -> bool {
        let types = &self.program.types;
        match (types.get(from), types.get(to)) {
            (Type::Float(from), Type::Float(to)) => from <= to,
            (_, Type::Bool) => matches!(types.get(from), Type::Bool),
            (Type::Pointer(_), Type::Pointer(_)) => true,
            (Type::Pointer(_), _) | (_, Type::Pointer(_)) => false,
            _ => match (types.integer_shape(from), types.integer_shape(to)) {
                (Some(from), Some(to)) => match (from.signed, to.signed) {
                    (false, true) => from.width < to.width,
                    (true, false) => false,
                    _ => from.width <= to.width,
                },
                _ => false,
            },
        }
    }

    /// Would `to x = from;` need no cast and no warning?
    pub(super) fn assigns_silently(&self, from: &Expr, to: TypeId) -> bool {
        let types = &self.program.types;
        let is_void = |ty: TypeId| types.pointee(ty).is_some_and(|to| matches!(types.get(to.id), Type::Void));
        if types.is_arithmetic(from.ty) && types.is_arithmetic(to) {
            return true;
        }
        match (types.pointee(from.ty), types.pointee(to)) {
            (Some(left), Some(right)) => is_void(from.ty) || is_void(to) || left.id == right.id,
            (None, Some(_)) => from.as_integer() == Some(0),
            _ => false,
        }
    }
}
