//! Assignments, `++`, and the conversion "as if by assignment" (C11 6.5.16.1) with GCC's leniency as warnings.

use super::super::analyser::{Analyser, expr};
use super::super::effects::has_effects;
use super::binary::plain;
use crate::syntax::{self, BinaryOperator};
use crate::tree::{BinaryOp, Expr, ExprKind};
use crate::types::{Type, TypeId, TypeRef};
use base::Span;

/// What a value is converted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sema) enum Purpose {
    Assign,
    Pass,
    Return,
    Initialize,
    Jump,
}

impl Purpose {
    /// `a T … a U`
    fn verb(self) -> &'static str {
        match self {
            Purpose::Assign => "is assigned to",
            Purpose::Pass => "is passed as",
            Purpose::Return => "is returned as",
            Purpose::Initialize => "initialises",
            Purpose::Jump => "is jumped to as",
        }
    }

    /// The same, denied.
    fn denied(self) -> &'static str {
        match self {
            Purpose::Assign => "cannot be assigned to",
            Purpose::Pass => "cannot be passed as",
            Purpose::Return => "cannot be returned as",
            Purpose::Initialize => "cannot initialise",
            Purpose::Jump => "cannot be jumped to as",
        }
    }
}

impl Analyser<'_> {
    /// Converts a decayed value to the type it is assigned, passed or returned as.
    pub fn assign_convert(&mut self, e: Expr, to: TypeId, purpose: Purpose) -> Expr {
        let from = e.ty.id;
        if self.is_error(from) || self.is_error(to) {
            return self.error_expr(e.span);
        }
        if self.is_special(from) || self.is_special(to) {
            return self.assign_special(e, to, purpose);
        }
        if from == to {
            return e;
        }
        let types = self.types();
        if types.is_arithmetic(from) && types.is_arithmetic(to) {
            self.warn_of_constant_overflow(&e, to);
            return self.cast_implicitly(e, to);
        }
        match (types.is_pointer(from), types.is_pointer(to)) {
            (true, true) => {
                if !self.points_alike(from, to) && !self.is_null_constant(&e) {
                    let message = format!("a `{}` {} a `{}`", self.show(from), purpose.verb(), self.show(to));
                    self.warn("incompatible-pointers", e.span, message);
                }
                return self.cast_implicitly(e, to);
            }
            (false, true) if types.is_integer(from) => {
                if self.is_null_constant(&e) {
                    return self.null_pointer(to, e.span);
                }
                let message = format!("an integer {} a `{}`", purpose.verb(), self.show(to));
                self.warn_with_hint(
                    "pointer-integer",
                    e.span,
                    message,
                    Some("write a cast if this is meant"),
                );
                return self.cast_implicitly(e, to);
            }
            (true, false) if types.get(to) == &Type::Bool => return self.cast_implicitly(e, to),
            (true, false) if types.is_integer(to) => {
                let message = format!("a pointer {} a `{}`", purpose.verb(), self.show(to));
                self.warn_with_hint(
                    "pointer-integer",
                    e.span,
                    message,
                    Some("write a cast if this is meant"),
                );
                return self.cast_implicitly(e, to);
            }
            _ => {}
        }
        let message = format!("a `{}` {} a `{}`", self.show(from), purpose.denied(), self.show(to));
        self.error("incompatible-types", e.span, message);
        self.error_expr(e.span)
    }

    fn assign_special(&mut self, e: Expr, to: TypeId, purpose: Purpose) -> Expr {
        let from = e.ty.id;
        let types = self.types();
        let is_vector = |ty: TypeId| matches!(types.get(ty), Type::Vector(..));
        let is_number = |ty: TypeId| types.is_arithmetic(ty) || matches!(types.get(ty), Type::Complex(_));
        let is_allowed = if is_vector(from) || is_vector(to) {
            is_vector(from) && is_vector(to) && types.size_of(from) == types.size_of(to)
        } else {
            is_number(from) && is_number(to)
        };
        if !is_allowed {
            let message = format!("a `{}` {} a `{}`", self.show(from), purpose.denied(), self.show(to));
            self.error("incompatible-types", e.span, message);
            return self.error_expr(e.span);
        }
        if self.is_special(from) {
            let mut refused = self.refuse_special(e);
            refused.ty = to.into();
            return refused;
        }
        let message = "complex values are not modelled";
        self.unsupported(crate::tree::FlagKind::Complex, to, e.span, message)
    }

    /// A constant that the target cannot hold loses bits: told, unless it only changes its sign.
    fn warn_of_constant_overflow(&mut self, e: &Expr, to: TypeId) {
        let (Some(from), Some(target)) = (self.shape(e.ty.id), self.shape(to)) else { return };
        if target.width >= from.width || target.width == 1 {
            return;
        }
        let is_written_constant = matches!(e.kind, ExprKind::Integer(_) | ExprKind::Unary(..));
        let Some(bits) = is_written_constant.then(|| self.fold_integer(e)).flatten() else { return };
        let value = from.value(bits);
        let kept = target.truncate(value as u128);
        let as_signed = crate::types::IntegerShape { signed: true, ..target }.value(kept);
        if as_signed != value && kept as i128 != value {
            let shown = target.value(kept);
            let message =
                format!("the constant {value} does not fit in `{}`; it becomes {shown}", self.show(to));
            self.warn("constant-overflow", e.span, message);
        }
    }

    /// Is it something that can be assigned to? Tells if not.
    fn check_modifiable(&mut self, target: &Expr, span: Span) -> bool {
        // What is unsupported was flagged or told already.
        if self.is_error(target.ty.id) || matches!(target.kind, ExprKind::Unsupported(_)) {
            return false;
        }
        if !target.is_lvalue() {
            let hint = "the left side must name an object";
            self.error_with_hint("not-lvalue", target.span, "this cannot be assigned to", hint);
            return false;
        }
        if self.is_array(target.ty.id) {
            let hint = "copy the elements, or use memcpy";
            self.error_with_hint("not-lvalue", target.span, "an array cannot be assigned to", hint);
            return false;
        }
        if target.ty.qualifiers.is_const || self.has_const_member(target.ty.id) {
            let text = self.session.sources.text(target.span).to_owned();
            self.error("read-only", span, format!("`{text}` is `const`"));
            return false;
        }
        if !self.is_complete(target.ty.id) {
            let message = format!("the type `{}` is incomplete", self.show(target.ty));
            self.error("incomplete-type", target.span, message);
            return false;
        }
        true
    }

    fn has_const_member(&mut self, ty: TypeId) -> bool {
        let record = match self.types().get(ty) {
            Type::Record(record) => *record,
            Type::Array(element, _) => {
                let element = *element;
                return element.qualifiers.is_const || self.has_const_member(element.id);
            }
            _ => return false,
        };
        if let Some(&known) = self.records_with_const.get(&record) {
            return known;
        }
        let fields = self.types().records[record].fields.iter().flatten();
        let types: Vec<TypeRef> = fields.map(|field| field.ty).collect();
        let found = types.iter().any(|ty| ty.qualifiers.is_const || self.has_const_member(ty.id));
        self.records_with_const.insert(record, found);
        found
    }

    /// `a = b`
    pub fn assignment(&mut self, target: &syntax::Expr, value: &syntax::Expr, span: Span) -> Expr {
        let target = self.expr(target);
        let value = self.value(value);
        if !self.check_modifiable(&target, span) {
            return self.error_expr(span);
        }
        let ty = target.ty.id;
        let value = self.assign_convert(value, ty, Purpose::Assign);
        if self.is_error(value.ty.id) {
            return self.error_expr(span);
        }
        if self.is_special(ty) {
            return value;
        }
        expr(ExprKind::Assign(Box::new(target), Box::new(value)), ty, span)
    }

    /// `a op= b`
    pub fn compound_assignment(
        &mut self,
        op: BinaryOperator,
        target: &syntax::Expr,
        value: &syntax::Expr,
        span: Span,
    ) -> Expr {
        let written = target;
        let target = self.expr(written);
        let value = self.value(value);
        if !self.check_modifiable(&target, span) || self.is_error(value.ty.id) {
            return self.error_expr(span);
        }
        let op = plain(op);
        let (ty, from) = (target.ty.id, value.ty.id);
        if self.is_special(ty) || self.is_special(from) {
            let special = if self.is_special(ty) { target } else { value };
            let mut refused = self.refuse_special(special);
            refused.ty = ty.into();
            return refused;
        }
        let is_step = matches!(op, BinaryOp::Add | BinaryOp::Subtract);
        if self.types().is_pointer(ty) && self.types().is_integer(from) && is_step {
            if !self.check_step(ty, span) {
                return self.error_expr(span);
            }
            let value = Box::new(self.promote(value));
            let kind = ExprKind::CompoundAssign { op, target: Box::new(target), value, compute: ty };
            return expr(kind, ty, span);
        }
        // GCC: `i += p` is `i = i + p`. The target is evaluated twice, so this is only for targets without effects.
        if self.types().is_integer(ty)
            && self.types().is_pointer(from)
            && op == BinaryOp::Add
            && !has_effects(&target)
        {
            let index = self.expr(written);
            let sum = self.pointer_add(value, index, false, span);
            let value = self.assign_convert(sum, ty, Purpose::Assign);
            return expr(ExprKind::Assign(Box::new(target), Box::new(value)), ty, span);
        }
        let is_allowed = match op {
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide => {
                self.types().is_arithmetic(ty) && self.types().is_arithmetic(from)
            }
            _ => self.types().is_integer(ty) && self.types().is_integer(from),
        };
        if !is_allowed {
            let message =
                format!("this operator cannot be applied to `{}` and `{}`", self.show(ty), self.show(from));
            self.error("bad-operands", span, message);
            return self.error_expr(span);
        }
        let (compute, value) = if matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight) {
            (self.arithmetic_of(&target), self.promote(value))
        } else {
            let common = self.common_arithmetic(&target, &value);
            (common, self.bring_to(value, common))
        };
        if compute.narrow.is_some() && self.shape(compute.ty).is_some_and(|shape| shape.signed) {
            return self.wide_bit_field(ty, span);
        }
        let compute = compute.ty;
        let kind = ExprKind::CompoundAssign { op, target: Box::new(target), value: Box::new(value), compute };
        expr(kind, ty, span)
    }

    /// `++e`, `e--` …
    pub fn increment(
        &mut self,
        operand: &syntax::Expr,
        is_decrement: bool,
        is_postfix: bool,
        span: Span,
    ) -> Expr {
        let target = self.expr(operand);
        if !self.check_modifiable(&target, span) {
            return self.error_expr(span);
        }
        let ty = target.ty.id;
        if self.is_special(ty) {
            return self.refuse_special(target);
        }
        if self.types().is_pointer(ty) {
            if !self.check_step(ty, span) {
                return self.error_expr(span);
            }
        } else if !self.types().is_arithmetic(ty) {
            let message = format!("a `{}` cannot be counted up or down", self.show(ty));
            self.error("not-arithmetic", span, message);
            return self.error_expr(span);
        }
        expr(ExprKind::Increment { target: Box::new(target), is_decrement, is_postfix }, ty, span)
    }
}
