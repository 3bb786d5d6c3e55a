//! `__builtin_object_size` and `__builtin_dynamic_object_size` as gcc computes them without optimisation.
//!
//! Without optimisation gcc looks only at the argument's own text: the address of a declared object, perhaps of a part
//! of it, perhaps with a constant added. What is behind a variable, a call or a computed index it does not know, and
//! gives the greatest number (kinds 0 and 1, "at most") or zero (kinds 2 and 3, "at least"). Where its answer depends
//! on how it simplified the expression, the builtin is left without a meaning ([`Extent::Unclear`]). Compared with gcc
//! in `bench` and by the tests of `concrete`.

use super::BuiltinCall;
use crate::sema::analyser::Analyser;
use crate::syntax::{self, ExprKind as Written};
use crate::tree::{Expr, ExprKind};
use crate::types::{ArrayLength, Type, TypeId};

/// How many bytes are left from a place on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    Bytes(u64),
    /// gcc does not know.
    Unknown,
    /// We do not know what gcc says.
    Unclear,
}

/// The bytes left in the whole object, and in the innermost part that the expression names.
#[derive(Clone, Copy, Debug)]
struct Extents {
    whole: Extent,
    part: Extent,
}

impl Extents {
    fn both(extent: Extent) -> Extents {
        Extents { whole: extent, part: extent }
    }

    /// The rest of the object after some bytes of it. What lies outside is left to others.
    fn after(self, bytes: Option<u64>) -> Extents {
        let whole = match (self.whole, bytes) {
            (Extent::Bytes(size), Some(bytes)) if bytes <= size => Extent::Bytes(size - bytes),
            (Extent::Unknown, _) => Extent::Unknown,
            _ => Extent::Unclear,
        };
        Extents { whole, part: self.part }
    }
}

impl Analyser<'_> {
    /// The call, as the number that gcc gives for it.
    pub(super) fn object_size(&mut self, call: &BuiltinCall<'_>) -> Expr {
        if !self.has_arguments(call, 2, 2) {
            return self.error_expr(call.span);
        }
        // The argument is only looked at.
        let argument = self.without_evaluation(|this| this.value(&call.arguments[0]), |_, _| false);
        let mode = self.value(&call.arguments[1]);
        let Some(kind @ 0..=3) = self.fold_integer(&mode) else {
            self.error("not-constant", mode.span, "the kind of object size must be 0, 1, 2 or 3");
            return self.error_expr(call.span);
        };
        let is_dynamic = call.name.contains("dynamic");
        let extents = match calls_or_writes(&argument) {
            true => Extents::both(Extent::Unknown),
            false => self.written_extents(&argument, &call.arguments[0], is_dynamic),
        };
        let extent = match kind {
            0 | 2 => extents.whole,
            // `*(a + 1)` and `a[1]` are one expression here, and two to gcc.
            _ if extents.part != Extent::Unknown && writes_a_star(&call.arguments[0]) => Extent::Unclear,
            _ => extents.part,
        };
        match extent {
            Extent::Bytes(size) => self.size_constant(size, call.span),
            Extent::Unknown if kind < 2 => self.size_constant(u64::MAX, call.span),
            Extent::Unknown => self.size_constant(0, call.span),
            Extent::Unclear => {
                let message = format!("`{}` of this expression is not modelled", call.name);
                self.flag(crate::tree::FlagKind::UnknownBuiltin, call.span, message);
                let size = self.common.size;
                self.builtin_node(call, Vec::new(), size)
            }
        }
    }

    /// `&a[1]` and `a + 1` are one expression here; to gcc the first is a part of `a`, and the second is not.
    fn written_extents(&self, pointer: &Expr, written: &syntax::Expr, is_dynamic: bool) -> Extents {
        match (&pointer.kind, &written.kind) {
            (_, Written::Paren(inner)) => self.written_extents(pointer, inner, is_dynamic),
            (ExprKind::Cast { operand, .. }, Written::Cast(_, inner))
                if self.types().is_pointer(operand.ty.id) =>
            {
                self.written_extents(operand, inner, is_dynamic)
            }
            (ExprKind::PointerAdd { .. }, Written::Unary(syntax::UnaryOperator::AddressOf, _)) => {
                self.target_extents(pointer, is_dynamic)
            }
            (ExprKind::PointerAdd { .. }, Written::Binary(..)) => self.pointer_extents(pointer, is_dynamic),
            (ExprKind::PointerAdd { .. }, _) => {
                Extents { part: Extent::Unclear, ..self.pointer_extents(pointer, is_dynamic) }
            }
            _ => self.pointer_extents(pointer, is_dynamic),
        }
    }

    fn pointer_extents(&self, pointer: &Expr, is_dynamic: bool) -> Extents {
        let unknown = Extents::both(Extent::Unknown);
        let unclear = Extents::both(Extent::Unclear);
        match &pointer.kind {
            ExprKind::Decay(place) | ExprKind::AddressOf(place) => match place.kind {
                ExprKind::Function(_) => unknown,
                _ => self.place_extents(place, is_dynamic),
            },
            ExprKind::Cast { operand, .. } if self.types().is_pointer(operand.ty.id) => {
                self.pointer_extents(operand, is_dynamic)
            }
            ExprKind::Cast { operand, .. } if self.fold_integer(operand).is_some() => unknown,
            ExprKind::PointerAdd { pointer, index, backwards } => {
                let base = self.pointer_extents(pointer, is_dynamic);
                if base.whole == Extent::Unknown {
                    return unknown;
                }
                let Some(index) = self.constant_index(index) else {
                    return if is_dynamic { unclear } else { unknown };
                };
                let element = self.types().pointee(pointer.ty.id).and_then(|to| self.types().size_of(to.id));
                match (element, u64::try_from(index)) {
                    (Some(size), Ok(index)) if index > 0 && !backwards => {
                        Extents { part: Extent::Unknown, ..base.after(size.checked_mul(index)) }
                    }
                    _ => unclear,
                }
            }
            ExprKind::Conditional(test, one, other) => match self.fold_integer(test) {
                Some(0) => self.whole_only(other, is_dynamic),
                Some(_) => self.whole_only(one, is_dynamic),
                None if is_dynamic => unclear,
                None => unknown,
            },
            ExprKind::Comma(_, value) => self.whole_only(value, is_dynamic),
            ExprKind::Integer(_) | ExprKind::Variable(_) | ExprKind::Member { .. } | ExprKind::Deref(_) => {
                unknown
            }
            _ => unclear,
        }
    }

    fn whole_only(&self, pointer: &Expr, is_dynamic: bool) -> Extents {
        let extents = self.pointer_extents(pointer, is_dynamic);
        match pointer.kind {
            ExprKind::Decay(_) | ExprKind::AddressOf(_) => extents,
            _ if extents.whole == Extent::Unknown => extents,
            _ => Extents { part: Extent::Unclear, ..extents },
        }
    }

    fn place_extents(&self, place: &Expr, is_dynamic: bool) -> Extents {
        let unknown = Extents::both(Extent::Unknown);
        let unclear = Extents::both(Extent::Unclear);
        match &place.kind {
            ExprKind::Variable(_) => {
                if matches!(self.types().get(place.ty.id), Type::Array(_, ArrayLength::Variable(_))) {
                    return unknown;
                }
                match self.types().size_of(place.ty.id) {
                    // Initialisers may add elements to the last member.
                    Some(size) if !self.ends_in_flexible_array(place.ty.id) => {
                        Extents::both(Extent::Bytes(size))
                    }
                    _ => unclear,
                }
            }
            ExprKind::String(_) => match self.types().size_of(place.ty.id) {
                Some(size) => Extents::both(Extent::Bytes(size)),
                None => unclear,
            },
            ExprKind::Member { base, record, field } => {
                let outer = self.place_extents(base, is_dynamic);
                let record = &self.types().records[*record];
                let offset = record.layout.as_ref().and_then(|layout| layout.fields.get(*field as usize));
                let rest = outer.after(offset.map(|at| at.byte_offset()));
                let part = match (outer.part, self.types().size_of(place.ty.id)) {
                    (Extent::Bytes(_), Some(size)) if !self.ends_in_flexible_array(place.ty.id) => {
                        Extent::Bytes(size)
                    }
                    (Extent::Unknown, _) if outer.whole == Extent::Unknown => Extent::Unknown,
                    _ => Extent::Unclear,
                };
                Extents { part, ..rest }
            }
            ExprKind::Deref(pointer) => self.target_extents(pointer, is_dynamic),
            _ => unclear,
        }
    }

    /// What a pointer points to; an element of a declared array is a part of it.
    fn target_extents(&self, pointer: &Expr, is_dynamic: bool) -> Extents {
        match &pointer.kind {
            ExprKind::PointerAdd { pointer: array, index, backwards: false } => {
                let ExprKind::Decay(array) = &array.kind else {
                    return self.behind_pointer(pointer, is_dynamic);
                };
                let outer = self.place_extents(array, is_dynamic);
                if outer.whole == Extent::Unknown {
                    return outer;
                }
                let Some(index) = self.constant_index(index) else { return Extents::both(Extent::Unknown) };
                let Type::Array(element, _) = *self.types().get(array.ty.id) else {
                    return Extents::both(Extent::Unclear);
                };
                let bytes = u64::try_from(index).ok().zip(self.types().size_of(element.id));
                let bytes = bytes.and_then(|(index, size)| index.checked_mul(size));
                let part = match (outer.part, self.types().size_of(array.ty.id), bytes) {
                    (Extent::Bytes(_), Some(size), Some(bytes)) if bytes <= size => {
                        Extent::Bytes(size - bytes)
                    }
                    _ => Extent::Unclear,
                };
                Extents { part, ..outer.after(bytes) }
            }
            ExprKind::Decay(place) | ExprKind::AddressOf(place)
                if !matches!(place.kind, ExprKind::Function(_)) =>
            {
                self.place_extents(place, is_dynamic)
            }
            _ => self.behind_pointer(pointer, is_dynamic),
        }
    }

    /// Through a converted or moved pointer, gcc sees no parts; how it says so depends on the form.
    fn behind_pointer(&self, pointer: &Expr, is_dynamic: bool) -> Extents {
        let extents = self.pointer_extents(pointer, is_dynamic);
        match extents.whole {
            Extent::Unknown => extents,
            whole => Extents { whole, part: Extent::Unclear },
        }
    }

    fn constant_index(&self, index: &Expr) -> Option<i128> {
        let shape = self.types().integer_shape(index.ty.id)?;
        self.fold_integer(index).map(|bits| shape.value(bits))
    }

    fn ends_in_flexible_array(&self, ty: TypeId) -> bool {
        match self.types().get(ty) {
            Type::Array(_, ArrayLength::Unknown) => true,
            Type::Record(record) => {
                let fields = self.types().records[*record].fields.as_deref().unwrap_or(&[]);
                fields.iter().any(|field| self.ends_in_flexible_array(field.ty.id))
            }
            _ => false,
        }
    }
}

/// Does the program write `*e` or `e->x` in it?
fn writes_a_star(written: &syntax::Expr) -> bool {
    match &written.kind {
        Written::Unary(syntax::UnaryOperator::Deref, _) | Written::Arrow(..) => true,
        Written::Paren(inner)
        | Written::Unary(_, inner)
        | Written::Member(inner, ..)
        | Written::Cast(_, inner) => writes_a_star(inner),
        Written::Index(one, other) | Written::Binary(_, one, other) | Written::Comma(one, other) => {
            writes_a_star(one) || writes_a_star(other)
        }
        Written::Conditional(test, one, other) => {
            writes_a_star(test) || one.as_deref().is_some_and(writes_a_star) || writes_a_star(other)
        }
        _ => false,
    }
}

/// Does evaluating it call or write something? Then gcc does not look at it.
fn calls_or_writes(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Call { .. }
        | ExprKind::Builtin { .. }
        | ExprKind::Assign(..)
        | ExprKind::CompoundAssign { .. }
        | ExprKind::Increment { .. } => true,
        ExprKind::Deref(operand)
        | ExprKind::Member { base: operand, .. }
        | ExprKind::AddressOf(operand)
        | ExprKind::Decay(operand)
        | ExprKind::Unary(_, operand)
        | ExprKind::Cast { operand, .. } => calls_or_writes(operand),
        ExprKind::Binary(_, a, b)
        | ExprKind::PointerDifference(a, b)
        | ExprKind::LogicalAnd(a, b)
        | ExprKind::LogicalOr(a, b)
        | ExprKind::ConditionalOrElse(a, b)
        | ExprKind::Comma(a, b) => calls_or_writes(a) || calls_or_writes(b),
        ExprKind::PointerAdd { pointer, index, .. } => calls_or_writes(pointer) || calls_or_writes(index),
        ExprKind::Conditional(c, a, b) => calls_or_writes(c) || calls_or_writes(a) || calls_or_writes(b),
        _ => false,
    }
}
