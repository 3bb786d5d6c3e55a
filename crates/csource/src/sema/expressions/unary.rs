//! Operators with one operand, and casts the program writes.

use super::super::analyser::{Analyser, expr};
use crate::syntax::{self, TypeName, UnaryOperator};
use crate::tree::{Expr, ExprKind, FlagKind, UnaryOp};
use crate::types::{Type, TypeId};
use base::Span;

impl Analyser<'_> {
    pub fn unary(&mut self, op: UnaryOperator, operand: &syntax::Expr, span: Span) -> Expr {
        match op {
            UnaryOperator::AddressOf => {
                let typed = self.expr(operand);
                self.address_of(typed, span)
            }
            UnaryOperator::Deref => {
                let typed = self.value(operand);
                self.checked_dereference(typed, span)
            }
            UnaryOperator::Not => {
                let operand = self.truth(operand, "`!`");
                if self.is_error(operand.ty.id) {
                    return self.error_expr(span);
                }
                expr(ExprKind::Unary(UnaryOp::Not, Box::new(operand)), self.common.int, span)
            }
            UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::BitNot => {
                let typed = self.value(operand);
                self.arithmetic_unary(op, typed, span)
            }
            UnaryOperator::PreIncrement => self.increment(operand, false, false, span),
            UnaryOperator::PreDecrement => self.increment(operand, true, false, span),
            UnaryOperator::PostIncrement => self.increment(operand, false, true, span),
            UnaryOperator::PostDecrement => self.increment(operand, true, true, span),
            UnaryOperator::Real | UnaryOperator::Imaginary => self.complex_part(op, operand, span),
        }
    }

    /// `__real__` and `__imag__`; of a real number they are the number and zero.
    fn complex_part(&mut self, op: UnaryOperator, operand: &syntax::Expr, span: Span) -> Expr {
        let typed = self.expr(operand);
        match *self.types().get(typed.ty.id) {
            Type::Complex(kind) => {
                let ty = self.types_mut().float(kind);
                self.unsupported(FlagKind::Complex, ty, span, "complex values are not modelled")
            }
            Type::Error => self.error_expr(span),
            _ if self.types().is_arithmetic(typed.ty.id) => {
                if op == UnaryOperator::Real {
                    return self.as_rvalue(typed);
                }
                let ty = typed.ty.id;
                let zero = self.zero(ty, span);
                let dropped = self.drop_value(typed);
                expr(ExprKind::Comma(Box::new(dropped), Box::new(zero)), ty, span)
            }
            _ => {
                let message = format!("`{}` has no real or imaginary part", self.show(typed.ty));
                self.error("not-arithmetic", span, message);
                self.error_expr(span)
            }
        }
    }

    /// Zero of a scalar type.
    pub fn zero(&self, ty: TypeId, span: Span) -> Expr {
        let kind =
            if self.types().float_kind(ty).is_some() { ExprKind::Float(0) } else { ExprKind::Integer(0) };
        expr(kind, ty, span)
    }

    fn arithmetic_unary(&mut self, op: UnaryOperator, typed: Expr, span: Span) -> Expr {
        if self.is_error(typed.ty.id) {
            return self.error_expr(span);
        }
        if self.is_special(typed.ty.id) {
            let mut refused = self.refuse_special(typed);
            refused.span = span;
            return refused;
        }
        let is_integer = self.types().is_integer(typed.ty.id);
        let is_allowed =
            is_integer || (op != UnaryOperator::BitNot && self.types().is_arithmetic(typed.ty.id));
        if !is_allowed {
            let message = format!("this operator cannot be applied to `{}`", self.show(typed.ty));
            self.error("not-arithmetic", span, message);
            return self.error_expr(span);
        }
        let arithmetic = if is_integer { Some(self.arithmetic_of(&typed)) } else { None };
        let promoted = self.promote(typed);
        let ty = promoted.ty.id;
        let narrow = arithmetic.and_then(|arithmetic| arithmetic.narrow);
        if narrow.is_some() && self.shape(ty).is_some_and(|shape| shape.signed) && op != UnaryOperator::Plus {
            return self.wide_bit_field(ty, span);
        }
        let op = match op {
            UnaryOperator::Minus => UnaryOp::Negate,
            UnaryOperator::BitNot => UnaryOp::BitNot,
            _ => return self.as_rvalue(promoted),
        };
        let result = expr(ExprKind::Unary(op, Box::new(promoted)), ty, span);
        match narrow {
            Some(bits) => self.narrow(result, bits),
            None => result,
        }
    }

    /// Signed arithmetic in the odd width of a bit-field: flagged.
    pub fn wide_bit_field(&mut self, ty: TypeId, span: Span) -> Expr {
        let message = "arithmetic on a signed bit-field wider than `int` is not modelled";
        self.unsupported(FlagKind::WideBitField, ty, span, message)
    }

    /// `&e`
    pub fn address_of(&mut self, operand: Expr, span: Span) -> Expr {
        if self.is_error(operand.ty.id) {
            return self.error_expr(span);
        }
        if self.is_function(operand.ty.id) {
            if let ExprKind::Deref(pointer) = operand.kind {
                return *pointer;
            }
            let ty = self.types_mut().pointer(operand.ty.id);
            return expr(ExprKind::AddressOf(Box::new(operand)), ty, span);
        }
        if let Some(width) = self.bit_field_width(&operand) {
            let message = format!("a bit-field of {width} bits has no address");
            self.error("bit-field", span, message);
            return self.error_expr(span);
        }
        if let ExprKind::Unsupported(why) = operand.kind {
            let ty = self.types_mut().pointer(operand.ty);
            return expr(ExprKind::Unsupported(why), ty, span);
        }
        if !operand.is_lvalue() {
            self.error_with_hint("not-lvalue", span, "only objects have an address", "store the value first");
            return self.error_expr(span);
        }
        let ty = self.types_mut().pointer(operand.ty);
        // `&*p` is `p`: nothing is accessed (C11 6.5.3.2p3).
        if let ExprKind::Deref(pointer) = operand.kind {
            return if pointer.ty.id == ty {
                self.as_rvalue(*pointer)
            } else {
                self.cast_implicitly(*pointer, ty)
            };
        }
        self.mark_address_taken(&operand);
        expr(ExprKind::AddressOf(Box::new(operand)), ty, span)
    }

    fn checked_dereference(&mut self, pointer: Expr, span: Span) -> Expr {
        if self.is_error(pointer.ty.id) {
            return self.error_expr(span);
        }
        if !self.types().is_pointer(pointer.ty.id) {
            let message = format!("`*` needs a pointer, not `{}`", self.show(pointer.ty));
            self.error("not-a-pointer", span, message);
            return self.error_expr(span);
        }
        self.dereference(pointer, span)
    }

    /// `*e` on a pointer.
    pub fn dereference(&mut self, pointer: Expr, span: Span) -> Expr {
        match self.types().pointee(pointer.ty.id) {
            Some(to) => expr(ExprKind::Deref(Box::new(pointer)), to, span),
            None => self.error_expr(span),
        }
    }

    /// `(type)e`
    pub fn written_cast(&mut self, name: &TypeName, operand: &syntax::Expr, span: Span) -> Expr {
        let lengths = self.pending_lengths.len();
        let to = self.type_name(name).id;
        let typed = self.value(operand);
        let cast = self.checked_cast(typed, to, span);
        self.with_lengths(lengths, cast)
    }

    fn checked_cast(&mut self, operand: Expr, to: TypeId, span: Span) -> Expr {
        let from = operand.ty.id;
        if self.is_error(from) || self.is_error(to) {
            return self.error_expr(span);
        }
        let types = self.types();
        if types.get(to) == &Type::Void {
            let operand = if self.is_special(from) { self.refuse_special(operand) } else { operand };
            return expr(ExprKind::Cast { operand: Box::new(operand), is_implicit: false }, to, span);
        }
        if self.is_special(from) || self.is_special(to) {
            let is_vector = [from, to].iter().any(|&ty| matches!(types.get(ty), Type::Vector(..)));
            let kind = if is_vector { FlagKind::Vector } else { FlagKind::Complex };
            let operand_is_fine = types.get(from) != &Type::Void && types.record_id(from).is_none();
            if operand_is_fine {
                return self.unsupported(kind, to, span, "this conversion is not modelled");
            }
        }
        let types = self.types();
        let is_allowed = if let Some(record) = types.record_id(to) {
            let fields = types.records[record].fields.as_ref();
            let is_union = types.records[record].kind == syntax::RecordKind::Union;
            from == to
                || (is_union
                    && fields.is_some_and(|fields| {
                        fields.iter().any(|field| self.are_compatible(field.ty.id, from))
                    }))
        } else {
            let mixes_float_and_pointer = (types.float_kind(from).is_some() && types.is_pointer(to))
                || (types.is_pointer(from) && types.float_kind(to).is_some());
            types.is_scalar(from) && types.is_scalar(to) && !mixes_float_and_pointer
        };
        if !is_allowed {
            let message = format!("`{}` cannot be converted to `{}`", self.show(from), self.show(to));
            self.error("bad-cast", span, message);
            return self.error_expr(span);
        }
        expr(ExprKind::Cast { operand: Box::new(operand), is_implicit: false }, to, span)
    }
}
