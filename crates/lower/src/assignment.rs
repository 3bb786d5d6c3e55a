//! Assignments: plain, compound, `++` and `--`; as statements and as values.
//!
//! The target's address is evaluated first. Its pointers and indices are saved where the right side has side effects; a
//! value that is used afterwards never reads memory again that the write itself may have moved.

use crate::expression::has_side_effects;
use crate::fold;
use crate::function::FunctionLowering;
use base::Span;
use csource::tree::{self, ExprKind as Tree};
use program::{BinaryOp, Expr, Place, TypeId};

impl FunctionLowering<'_> {
    /// `a = b` whose value is used.
    pub fn assignment(&mut self, target: &tree::Expr, value: &tree::Expr, span: Span) -> Expr {
        self.assigned_in_any_order(target, value, false, span);
        let place = self.target(target, has_side_effects(value));
        let value = self.rvalue(value);
        self.write_and_keep(place, value, span)
    }

    /// `a = b` whose value is dropped.
    pub fn assign_expr(&mut self, target: &tree::Expr, value: &tree::Expr, span: Span) {
        self.assigned_in_any_order(target, value, false, span);
        let place = self.target(target, has_side_effects(value));
        if let Tree::Call { callee, arguments } = &value.kind
            && value.ty.id == place.ty.id
            && place.as_variable().is_some()
        {
            return self.call(callee, arguments, Some(place), value);
        }
        let value = self.rvalue(value);
        self.assign(place, value, span);
    }

    /// The place to write to; safe from side effects of what is evaluated before the write, where there are any.
    fn target(&mut self, target: &tree::Expr, effects_follow: bool) -> Place {
        if effects_follow { self.frozen_place(target) } else { self.place(target) }
    }

    /// Writes, and gives the value the target then has, without reading memory that the write may have moved.
    pub fn write_and_keep(&mut self, place: Place, value: Expr, span: Span) -> Expr {
        let is_record = !self.linker.session.types.is_scalar(place.ty.id);
        let cuts_bits = place.bit_field(&self.linker.session.types).is_some();
        // An `_Atomic` object is not read again: others may have written it since.
        let is_read_again = is_stable(&place) && !place.ty.qualifiers.is_atomic;
        if is_read_again || is_record || cuts_bits {
            self.assign(place.clone(), value, span);
            return self.assigned_value(place);
        }
        let value = self.convert(value, place.ty.id);
        let kept = self.save(value, span);
        let value = self.value_of(kept);
        self.assign(place, value.clone(), span);
        value
    }

    /// The value of an assignment expression: what the target holds now, without reading a volatile again.
    fn assigned_value(&mut self, mut place: Place) -> Expr {
        place.ty.qualifiers.is_volatile = false;
        Expr::load(place)
    }

    /// `a op= b` whose value is used.
    pub fn compound_assignment(
        &mut self,
        op: BinaryOp,
        target: &tree::Expr,
        value: &tree::Expr,
        compute: TypeId,
        span: Span,
    ) -> Expr {
        self.compound(op, target, value, compute, span, |this, place, new| {
            this.write_and_keep(place, new, span)
        })
    }

    /// `a op= b` whose value is dropped.
    pub fn compound_assign(
        &mut self,
        op: BinaryOp,
        target: &tree::Expr,
        value: &tree::Expr,
        compute: TypeId,
        span: Span,
    ) {
        self.compound(op, target, value, compute, span, |this, place, new| this.assign(place, new, span))
    }

    fn compound<T>(
        &mut self,
        op: BinaryOp,
        target: &tree::Expr,
        value: &tree::Expr,
        compute: TypeId,
        span: Span,
        write: impl FnOnce(&mut Self, Place, Expr) -> T,
    ) -> T {
        self.assigned_in_any_order(target, value, true, span);
        if target.ty.qualifiers.is_atomic {
            return self.atomic_compound(op, target, value, compute, span, write);
        }
        let has_effects = has_side_effects(value);
        let place = self.target(target, has_effects);
        let old = self.read(place.clone(), target.span);
        let mut old = self.convert(old, compute);
        if has_effects {
            old = self.frozen(old, target.span);
        }
        let operand = self.rvalue(value);
        let new = self.combined(op, old, operand, compute);
        write(self, place, new)
    }

    /// `a op= b` on an `_Atomic` object: where it is and the right side first, then one step that reads and writes.
    fn atomic_compound<T>(
        &mut self,
        op: BinaryOp,
        target: &tree::Expr,
        value: &tree::Expr,
        compute: TypeId,
        span: Span,
        write: impl FnOnce(&mut Self, Place, Expr) -> T,
    ) -> T {
        let place = self.frozen_place(target);
        let operand = self.rvalue(value);
        let operand = self.frozen(operand, value.span);
        self.begin_update(span);
        let old = self.read(place.clone(), target.span);
        let old = self.convert(old, compute);
        let new = self.combined(op, old, operand, compute);
        let result = write(self, place, new);
        self.end_atomic(span);
        result
    }

    fn combined(&mut self, op: BinaryOp, old: Expr, operand: Expr, compute: TypeId) -> Expr {
        if self.linker.session.types.is_pointer(compute) {
            let index = if op == BinaryOp::Subtract { self.negated_index(operand) } else { operand };
            return self.pointer_offset(old, index);
        }
        fold::binary(op, old, operand, compute, &self.linker.session.types)
    }

    /// `++e` and `--e`, also `e++` where the value is dropped.
    pub fn increment<T>(
        &mut self,
        target: &tree::Expr,
        is_decrement: bool,
        span: Span,
        write: impl FnOnce(&mut Self, Place, Expr) -> T,
    ) -> T {
        let is_atomic = target.ty.qualifiers.is_atomic;
        let place = self.target(target, is_atomic);
        if is_atomic {
            self.begin_update(span);
        }
        let old = self.read(place.clone(), target.span);
        let new = self.one_more(old, is_decrement);
        let result = write(self, place, new);
        if is_atomic {
            self.end_atomic(span);
        }
        result
    }

    /// `e++` and `e--` whose old value is used: the temporary that keeps it stands for the expression.
    pub fn postfix_increment(&mut self, target: &tree::Expr, is_decrement: bool, span: Span) -> Expr {
        let is_atomic = target.ty.qualifiers.is_atomic;
        let place = self.target(target, is_atomic);
        if is_atomic {
            self.begin_update(span);
        }
        let old = self.read(place.clone(), target.span);
        let kept = self.save(old, span);
        let old = self.value_of(kept);
        let new = self.one_more(old.clone(), is_decrement);
        self.assign(place, new, span);
        if is_atomic {
            self.end_atomic(span);
        }
        old
    }

    fn one_more(&mut self, old: Expr, is_decrement: bool) -> Expr {
        let types = &mut self.linker.session.types;
        let ty = old.ty;
        if types.is_pointer(ty) {
            let step = self.int_constant(if is_decrement { -1 } else { 1 });
            return self.pointer_offset(old, step);
        }
        let op = if is_decrement { BinaryOp::Subtract } else { BinaryOp::Add };
        let compute = if types.is_integer(ty) { fold::promoted(ty, types) } else { ty };
        let one = self.int_constant(1);
        let one = self.convert(one, compute);
        let old = self.convert(old, compute);
        fold::binary(op, old, one, compute, &self.linker.session.types)
    }
}

/// Is reading the place twice the same as reading it once, whatever is written to it?
fn is_stable(place: &Place) -> bool {
    match &place.base {
        program::PlaceBase::Variable(_) => place.path.iter().all(|step| match step {
            program::Projection::Field(..) => true,
            program::Projection::Index(index) => index.as_integer().is_some(),
        }),
        program::PlaceBase::Pointer(_) => false,
    }
}
