//! Operators with two operands.

use super::super::analyser::{Analyser, expr};
use super::super::convert::Arithmetic;
use crate::syntax::{self, BinaryOperator};
use crate::tree::{BinaryOp, Expr, ExprKind, FlagKind};
use crate::types::{Type, TypeId};
use base::Span;

impl Analyser<'_> {
    /// `left op right`, where `left` is typed already.
    pub fn binary(&mut self, op: BinaryOperator, left: Expr, right: &syntax::Expr, span: Span) -> Expr {
        if matches!(op, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr) {
            return self.logical(op, left, right, span);
        }
        let left = self.decay(left);
        let right = self.value(right);
        self.binary_of(plain(op), left, right, span)
    }

    fn logical(&mut self, op: BinaryOperator, left: Expr, right: &syntax::Expr, span: Span) -> Expr {
        let what = if op == BinaryOperator::LogicalAnd { "`&&`" } else { "`||`" };
        let left = self.condition(left, what);
        let right = self.truth(right, what);
        if self.is_error(left.ty.id) || self.is_error(right.ty.id) {
            return self.error_expr(span);
        }
        let (left, right) = (Box::new(left), Box::new(right));
        let kind = if op == BinaryOperator::LogicalAnd {
            ExprKind::LogicalAnd(left, right)
        } else {
            ExprKind::LogicalOr(left, right)
        };
        expr(kind, self.common.int, span)
    }

    fn binary_of(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
        let (l, r) = (left.ty.id, right.ty.id);
        if self.is_error(l) || self.is_error(r) {
            return self.error_expr(span);
        }
        if self.is_special(l) || self.is_special(r) {
            return self.special_binary(op, left, right, span);
        }
        let (l_is_pointer, r_is_pointer) = (self.types().is_pointer(l), self.types().is_pointer(r));
        if l_is_pointer || r_is_pointer {
            return match op {
                BinaryOp::Add | BinaryOp::Subtract => self.pointer_arithmetic(op, left, right, span),
                _ if is_comparison(op) => self.pointer_comparison(op, left, right, span),
                _ => self.bad_operands(left, right, span),
            };
        }
        let both_integers = self.types().is_integer(l) && self.types().is_integer(r);
        let both_arithmetic = self.types().is_arithmetic(l) && self.types().is_arithmetic(r);
        let is_allowed = match op {
            BinaryOp::Remainder
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight
            | BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor => both_integers,
            _ => both_arithmetic,
        };
        if !is_allowed {
            return self.bad_operands(left, right, span);
        }
        if matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight) {
            return self.shift(op, left, right, span);
        }
        let common = self.common_arithmetic(&left, &right);
        let left = self.bring_to(left, common);
        let right = self.bring_to(right, common);
        self.arithmetic_node(op, left, right, common, span)
    }

    fn arithmetic_node(
        &mut self,
        op: BinaryOp,
        left: Expr,
        right: Expr,
        common: Arithmetic,
        span: Span,
    ) -> Expr {
        let ty = if is_comparison(op) { self.common.int } else { common.ty };
        if common.narrow.is_some() && !is_comparison(op) && self.shape(ty).is_some_and(|shape| shape.signed) {
            return self.wide_bit_field(ty, span);
        }
        let result = expr(ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span);
        match common.narrow {
            Some(bits) if !is_comparison(op) => self.narrow(result, bits),
            _ => result,
        }
    }

    /// An operand converted to what the operator works in.
    pub fn bring_to(&mut self, e: Expr, common: Arithmetic) -> Expr {
        let Some(bits) = common.narrow else { return self.cast_implicitly(e, common.ty) };
        let own = self.arithmetic_of(&e);
        let is_unsigned = |this: &Self, ty: TypeId| this.shape(ty).is_some_and(|shape| !shape.signed);
        let fits = own.narrow == Some(bits)
            || (is_unsigned(self, own.ty)
                && own
                    .narrow
                    .or(self.shape(own.ty).map(|shape| shape.width))
                    .is_some_and(|width| width <= bits));
        let cast = self.cast_implicitly(e, common.ty);
        if fits || !is_unsigned(self, common.ty) { cast } else { self.narrow(cast, bits) }
    }

    fn shift(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
        let kind = self.arithmetic_of(&left);
        let left = self.promote(left);
        let right = self.promote(right);
        self.arithmetic_node(op, left, right, kind, span)
    }

    fn bad_operands(&mut self, left: Expr, right: Expr, span: Span) -> Expr {
        let message = format!(
            "this operator cannot be applied to `{}` and `{}`",
            self.show(left.ty),
            self.show(right.ty)
        );
        self.error("bad-operands", span, message);
        self.error_expr(span)
    }

    /// Complex numbers and vectors: the type is right, the value is flagged.
    fn special_binary(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
        let (l, r) = (left.ty.id, right.ty.id);
        let types = self.types();
        let special = if self.is_special(l) { l } else { r };
        if let Type::Vector(..) = types.get(special) {
            return self.unsupported(FlagKind::Vector, special, span, "vector arithmetic is not modelled");
        }
        if !types.is_arithmetic(l) && !self.is_special(l) || !types.is_arithmetic(r) && !self.is_special(r) {
            return self.bad_operands(left, right, span);
        }
        let kind_of = |ty: TypeId| match types.get(ty) {
            Type::Complex(kind) | Type::Float(kind) => Some(*kind),
            _ => None,
        };
        let kind = kind_of(l).max(kind_of(r));
        let ty = match kind {
            _ if is_comparison(op) => self.common.int,
            Some(kind) => self.types_mut().intern(Type::Complex(kind)),
            None => special,
        };
        self.unsupported(FlagKind::Complex, ty, span, "complex arithmetic is not modelled")
    }

    fn pointer_arithmetic(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
        let (l, r) = (left.ty.id, right.ty.id);
        let types = self.types();
        match (types.is_pointer(l), types.is_pointer(r)) {
            (true, true) if op == BinaryOp::Subtract => self.pointer_difference(left, right, span),
            (true, false) if types.is_integer(r) => {
                self.pointer_add(left, right, op == BinaryOp::Subtract, span)
            }
            (false, true) if types.is_integer(l) && op == BinaryOp::Add => {
                self.pointer_add(right, left, false, span)
            }
            _ => self.bad_operands(left, right, span),
        }
    }

    /// `pointer + index` in elements.
    pub fn pointer_add(&mut self, pointer: Expr, index: Expr, backwards: bool, span: Span) -> Expr {
        let ty = pointer.ty.id;
        if !self.check_step(ty, span) {
            return self.error_expr(span);
        }
        let index = self.promote(index);
        let (pointer, index) = (Box::new(pointer), Box::new(index));
        expr(ExprKind::PointerAdd { pointer, index, backwards }, ty, span)
    }

    /// Moving a pointer needs the size of what it points to. `void` and functions count as bytes (GNU C).
    pub fn check_step(&mut self, pointer: TypeId, span: Span) -> bool {
        let Some(to) = self.types().pointee(pointer) else { return false };
        let counts_bytes = matches!(self.types().get(to.id), Type::Void | Type::Function(_));
        if counts_bytes || self.is_complete(to.id) {
            return true;
        }
        if !self.is_error(to.id) {
            let message = format!("the size of `{}` is not known here", self.show(to));
            self.error_with_hint("incomplete-type", span, message, "define the type before this line");
        }
        false
    }

    fn pointer_difference(&mut self, left: Expr, right: Expr, span: Span) -> Expr {
        let (Some(a), Some(b)) = (self.types().pointee(left.ty.id), self.types().pointee(right.ty.id)) else {
            return self.error_expr(span);
        };
        if !self.are_compatible(a.id, b.id) {
            return self.bad_operands(left, right, span);
        }
        if !self.check_step(left.ty.id, span) {
            return self.error_expr(span);
        }
        let kind = ExprKind::PointerDifference(Box::new(left), Box::new(right));
        expr(kind, self.common.difference, span)
    }

    fn pointer_comparison(&mut self, op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
        let (l, r) = (left.ty.id, right.ty.id);
        let (left, right) = match (self.types().is_pointer(l), self.types().is_pointer(r)) {
            (true, true) => {
                if !self.points_alike(l, r) && !self.is_null_constant(&left) && !self.is_null_constant(&right)
                {
                    let message = format!("comparison of `{}` with `{}`", self.show(l), self.show(r));
                    self.warn("incompatible-pointers", span, message);
                }
                let right = self.cast_implicitly(right, l);
                (left, right)
            }
            (true, false) if self.types().is_integer(r) => {
                let right = self.integer_to_pointer(right, l, span);
                (left, right)
            }
            (false, true) if self.types().is_integer(l) => {
                let left = self.integer_to_pointer(left, r, span);
                (left, right)
            }
            _ => return self.bad_operands(left, right, span),
        };
        expr(ExprKind::Binary(op, Box::new(left), Box::new(right)), self.common.int, span)
    }

    fn integer_to_pointer(&mut self, integer: Expr, to: TypeId, span: Span) -> Expr {
        if self.is_null_constant(&integer) {
            return self.null_pointer(to, integer.span);
        }
        self.warn("pointer-integer", span, "comparison of a pointer with an integer");
        self.cast_implicitly(integer, to)
    }

    /// May two pointers be mixed without a word: same target apart from qualifiers and signedness, or `void`?
    pub fn points_alike(&self, a: TypeId, b: TypeId) -> bool {
        let (Some(a), Some(b)) = (self.types().pointee(a), self.types().pointee(b)) else { return false };
        let is_void = |ty: TypeId| self.types().get(ty) == &Type::Void;
        is_void(a.id) || is_void(b.id) || self.are_compatible(a.id, b.id) || self.differ_in_sign(a.id, b.id)
    }

    fn differ_in_sign(&self, a: TypeId, b: TypeId) -> bool {
        match (self.types().get(a), self.types().get(b)) {
            (Type::Integer(x), Type::Integer(y)) => x.to_unsigned() == y.to_unsigned(),
            (Type::Enum(x), Type::Integer(_)) => self.differ_in_sign(self.types().enums[*x].underlying, b),
            (Type::Integer(_), Type::Enum(y)) => self.differ_in_sign(a, self.types().enums[*y].underlying),
            (Type::Pointer(x), Type::Pointer(y)) => {
                self.differ_in_sign(x.id, y.id) || self.are_compatible(x.id, y.id)
            }
            _ => false,
        }
    }
}

/// Is the result a truth value?
pub(super) fn is_comparison(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual
    )
}

/// The tree's operator for a written one. The logical ones never come here.
pub(super) fn plain(op: BinaryOperator) -> BinaryOp {
    match op {
        BinaryOperator::Multiply => BinaryOp::Multiply,
        BinaryOperator::Divide => BinaryOp::Divide,
        BinaryOperator::Remainder => BinaryOp::Remainder,
        BinaryOperator::Add => BinaryOp::Add,
        BinaryOperator::Subtract => BinaryOp::Subtract,
        BinaryOperator::ShiftLeft => BinaryOp::ShiftLeft,
        BinaryOperator::ShiftRight => BinaryOp::ShiftRight,
        BinaryOperator::Less => BinaryOp::Less,
        BinaryOperator::Greater => BinaryOp::Greater,
        BinaryOperator::LessEqual => BinaryOp::LessEqual,
        BinaryOperator::GreaterEqual => BinaryOp::GreaterEqual,
        BinaryOperator::Equal => BinaryOp::Equal,
        BinaryOperator::NotEqual => BinaryOp::NotEqual,
        BinaryOperator::BitAnd | BinaryOperator::LogicalAnd => BinaryOp::BitAnd,
        BinaryOperator::BitXor => BinaryOp::BitXor,
        BinaryOperator::BitOr | BinaryOperator::LogicalOr => BinaryOp::BitOr,
    }
}
