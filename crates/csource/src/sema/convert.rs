//! Conversions (C11 6.3): decay, promotions, usual arithmetic conversions, casts. Every one becomes a node.
//!
//! DIVERGENCE from plain C11, with GCC: a bit-field wider than `int` but narrower than its declared type computes in
//! its own width. Unsigned ones are given that meaning by masking (see `narrow`); signed ones are flagged when computed
//! with.

use super::analyser::{Analyser, expr};
use crate::tree::{BinaryOp, Expr, ExprKind, FlagKind, Initializer, StatementKind};
use crate::types::{FloatKind, IntegerKind, Type, TypeId};
use base::Span;

/// An integer type as arithmetic sees it: a type, or a wide bit-field's own width inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arithmetic {
    pub ty: TypeId,
    /// Bits, when fewer than the type has: see the file header.
    pub narrow: Option<u32>,
}

impl Analyser<'_> {
    /// Arrays and functions become pointers; everything else stays.
    pub fn decay(&mut self, mut e: Expr) -> Expr {
        match self.types().get(e.ty.id) {
            Type::Array(element, _) => {
                let mut element = *element;
                element.qualifiers = element.qualifiers.and(e.ty.qualifiers);
                let ty = self.types_mut().pointer(element);
                if !e.is_lvalue() {
                    e = self.materialise(e);
                }
                self.mark_address_taken(&e);
                let span = e.span;
                expr(ExprKind::Decay(Box::new(e)), ty, span)
            }
            Type::Function(_) => {
                let span = e.span;
                if let ExprKind::Deref(pointer) = e.kind {
                    return *pointer; // `*f` of a function is `f` again
                }
                let ty = self.types_mut().pointer(e.ty.id);
                expr(ExprKind::Decay(Box::new(e)), ty, span)
            }
            _ => e,
        }
    }

    /// An array inside a record value gets an object to live in (C11 6.2.4p8).
    fn materialise(&mut self, e: Expr) -> Expr {
        let span = e.span;
        match e.kind {
            ExprKind::Member { base, record, field } if !base.is_lvalue() => {
                let base = self.materialise(*base);
                Expr { kind: ExprKind::Member { base: Box::new(base), record, field }, ty: e.ty, span }
            }
            kind => {
                let variable = self.invent_variable("temporary", e.ty.id.into(), span);
                let ty = e.ty;
                let initializer = Initializer::Value(Expr { kind, ty, span });
                expr(ExprKind::CompoundLiteral(variable, Box::new(initializer)), ty.id, span)
            }
        }
    }

    /// The type a value of an integer type is promoted to.
    pub fn promoted_type(&self, ty: TypeId) -> TypeId {
        match self.types().get(ty) {
            Type::Bool => self.common.int,
            Type::Integer(kind) if kind.rank() < IntegerKind::Int.rank() => self.common.int,
            Type::Enum(id) => self.promoted_type(self.types().enums[*id].underlying),
            _ => ty,
        }
    }

    /// The width of the bit-field that an expression reads or has just written.
    pub fn bit_field_width(&self, e: &Expr) -> Option<u32> {
        match &e.kind {
            ExprKind::Member { record, field, .. } => {
                let fields = self.types().records[*record].fields.as_ref()?;
                fields.get(*field as usize)?.bit_width
            }
            ExprKind::Assign(target, _) => self.bit_field_width(target),
            ExprKind::CompoundAssign { target, .. } | ExprKind::Increment { target, .. } => {
                self.bit_field_width(target)
            }
            ExprKind::Comma(_, right) => self.bit_field_width(right),
            ExprKind::Statement(block) => match &block.statements.last()?.kind {
                StatementKind::Expr(last) => self.bit_field_width(last),
                _ => None,
            },
            _ => None,
        }
    }

    /// What arithmetic makes of an integer operand.
    pub fn arithmetic_of(&mut self, e: &Expr) -> Arithmetic {
        if let Some(bits) = narrow_marker(e) {
            return Arithmetic { ty: e.ty.id, narrow: Some(bits) };
        }
        if let (Some(width), Some(shape)) = (self.bit_field_width(e), self.shape(e.ty.id))
            && width < shape.width
        {
            let ty = match (width, shape.signed) {
                (0..=31, _) | (32, true) => self.common.int,
                (32, false) => self.common.unsigned,
                _ => return Arithmetic { ty: self.promoted_type(e.ty.id), narrow: Some(width) },
            };
            return Arithmetic { ty, narrow: None };
        }
        Arithmetic { ty: self.promoted_type(e.ty.id), narrow: None }
    }

    /// Integer promotions; other values stay.
    pub fn promote(&mut self, e: Expr) -> Expr {
        if !self.types().is_integer(e.ty.id) {
            return e;
        }
        let to = self.arithmetic_of(&e).ty;
        self.cast_implicitly(e, to)
    }

    /// Default argument promotions (C11 6.5.2.2p6) on a decayed value.
    pub fn promote_argument(&mut self, e: Expr) -> Expr {
        match self.types().get(e.ty.id) {
            Type::Float(FloatKind::Float) => {
                let double = self.common.double;
                self.cast_implicitly(e, double)
            }
            Type::Complex(_) | Type::Vector(..) => self.refuse_special(e),
            _ => self.promote(e),
        }
    }

    /// A value of complex or vector type where a value is needed: flagged.
    pub fn refuse_special(&mut self, e: Expr) -> Expr {
        if matches!(e.kind, ExprKind::Unsupported(_)) {
            return e;
        }
        let span = e.span;
        let (kind, message) = match self.types().get(e.ty.id) {
            Type::Vector(..) => (FlagKind::Vector, "vector values are not modelled"),
            _ => (FlagKind::Complex, "complex values are not modelled"),
        };
        self.unsupported(kind, e.ty.id, span, message)
    }

    /// Is it complex or a vector?
    pub fn is_special(&self, ty: TypeId) -> bool {
        matches!(self.types().get(ty), Type::Complex(_) | Type::Vector(..))
    }

    /// The type both operands of an arithmetic operator are converted to (C11 6.3.1.8). Both must be arithmetic.
    pub fn common_arithmetic(&mut self, a: &Expr, b: &Expr) -> Arithmetic {
        let (fa, fb) = (self.types().float_kind(a.ty.id), self.types().float_kind(b.ty.id));
        match (fa, fb) {
            (Some(x), Some(y)) => {
                let ty = if x >= y { a.ty.id } else { b.ty.id };
                return Arithmetic { ty, narrow: None };
            }
            (Some(_), None) => return Arithmetic { ty: a.ty.id, narrow: None },
            (None, Some(_)) => return Arithmetic { ty: b.ty.id, narrow: None },
            (None, None) => {}
        }
        let (x, y) = (self.arithmetic_of(a), self.arithmetic_of(b));
        self.common_integer(x, y)
    }

    fn common_integer(&mut self, x: Arithmetic, y: Arithmetic) -> Arithmetic {
        if x == y {
            return x;
        }
        if x.narrow.is_some() || y.narrow.is_some() {
            // GCC goes by precision: the wider one, and of two equal ones the unsigned.
            let key = |one: Arithmetic| {
                let shape = self.shape(one.ty).map_or((0, false), |shape| (shape.width, !shape.signed));
                (one.narrow.unwrap_or(shape.0), shape.1)
            };
            return if key(x) >= key(y) { x } else { y };
        }
        let (Type::Integer(kx), Type::Integer(ky)) = (self.types().get(x.ty), self.types().get(y.ty)) else {
            return x; // only after an error
        };
        let (kx, ky) = (*kx, *ky);
        let (high, low) = if kx.rank() >= ky.rank() { (kx, ky) } else { (ky, kx) };
        let widths = (self.types().integer_width(high), self.types().integer_width(low));
        let both_signed = high.is_signed() && low.is_signed();
        let kind = if high.rank() == low.rank() {
            if both_signed { high } else { high.to_unsigned() }
        } else if !high.is_signed() || both_signed || widths.0 > widths.1 {
            high
        } else {
            high.to_unsigned()
        };
        Arithmetic { ty: self.types_mut().integer(kind), narrow: None }
    }

    /// Cuts an unsigned result to a wide bit-field's width and marks it as having that width.
    pub fn narrow(&mut self, e: Expr, bits: u32) -> Expr {
        let (ty, span) = (e.ty.id, e.span);
        let mask = expr(ExprKind::Integer((1 << bits) - 1), ty, span);
        let cut = expr(ExprKind::Binary(BinaryOp::BitAnd, Box::new(e), Box::new(mask)), ty, span);
        expr(ExprKind::Cast { operand: Box::new(cut), is_implicit: true }, ty, span)
    }

    /// A conversion the program did not write. Constants are converted at once.
    pub fn cast_implicitly(&mut self, e: Expr, to: TypeId) -> Expr {
        if e.ty.id == to {
            return e;
        }
        if let ExprKind::Integer(bits) = e.kind
            && let (Some(from), Some(shape)) = (self.shape(e.ty.id), self.shape(to))
            && (!self.types().is_pointer(to) || bits == 0)
        {
            let bits = match self.types().get(to) {
                Type::Bool => u128::from(bits != 0),
                _ => shape.truncate(from.value(bits) as u128),
            };
            return expr(ExprKind::Integer(bits), to, e.span);
        }
        self.cast(e, to, true)
    }

    /// A conversion node; the caller has checked that C allows it.
    pub fn cast(&mut self, e: Expr, to: TypeId, is_implicit: bool) -> Expr {
        if self.is_error(e.ty.id) || self.is_error(to) {
            let span = e.span;
            return self.error_expr(span);
        }
        let span = e.span;
        expr(ExprKind::Cast { operand: Box::new(e), is_implicit }, to, span)
    }

    /// The value made into something that is no lvalue, for `+x` and the like.
    pub fn as_rvalue(&mut self, e: Expr) -> Expr {
        if !e.is_lvalue() || !self.types().is_scalar(e.ty.id) {
            return e;
        }
        let (ty, span) = (e.ty.id, e.span);
        expr(ExprKind::Cast { operand: Box::new(e), is_implicit: true }, ty, span)
    }

    /// Drops the value.
    pub fn drop_value(&mut self, e: Expr) -> Expr {
        let span = e.span;
        let void = self.common.void;
        expr(ExprKind::Cast { operand: Box::new(e), is_implicit: true }, void, span)
    }

    /// A value used as a truth value.
    pub fn condition(&mut self, e: Expr, what: &str) -> Expr {
        let e = self.decay(e);
        if self.types().is_scalar(e.ty.id) || self.is_error(e.ty.id) {
            return e;
        }
        if self.is_special(e.ty.id) {
            return self.refuse_special(e);
        }
        let message = format!("{what} needs a number or a pointer, not `{}`", self.show(e.ty));
        self.error("not-scalar", e.span, message);
        self.error_expr(e.span)
    }

    /// Is it `0`, or `(void *)0` (C11 6.3.2.3p3)?
    pub fn is_null_constant(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Integer(bits) if *bits != 0 => false,
            ExprKind::Variable(_) | ExprKind::Call { .. } | ExprKind::Deref(_) => false,
            ExprKind::Integer(_) if !self.types().is_pointer(e.ty.id) => true,
            ExprKind::Cast { operand, .. } if e.ty.id == self.common.void_pointer => {
                self.types().is_integer(operand.ty.id) && self.is_null_constant(operand)
            }
            _ => self.types().is_integer(e.ty.id) && self.fold_integer(e) == Some(0),
        }
    }

    /// A null pointer of that type.
    pub fn null_pointer(&self, ty: TypeId, span: Span) -> Expr {
        expr(ExprKind::Integer(0), ty, span)
    }
}

/// The width of a value that [`Analyser::narrow`] made. Nothing else casts a masked value to its own type.
fn narrow_marker(e: &Expr) -> Option<u32> {
    let ExprKind::Cast { operand, is_implicit: true } = &e.kind else { return None };
    let ExprKind::Binary(BinaryOp::BitAnd, _, mask) = &operand.kind else { return None };
    let ExprKind::Integer(mask) = mask.kind else { return None };
    (operand.ty.id == e.ty.id && mask.wrapping_add(1).is_power_of_two()).then(|| mask.count_ones())
}
