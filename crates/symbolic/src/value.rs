//! Scalars: integers and pointers as bit-vectors of their width, `_Bool` as one bit, floats as the bits of their
//! format.

use crate::arithmetic;
use crate::state::State;
use crate::step::{Encoder, FailureKind};
use logic::TermId;
use program::{BinaryOp, Expr, ExprKind, FloatKind, Type, TypeId, UnaryOp};

/// The first addresses, at which nothing ever lies.
const FIRST_PAGE: u128 = 4096;

/// Bits of a floating value.
pub(crate) fn float_width(kind: FloatKind) -> u32 {
    match kind {
        FloatKind::Float => 32,
        FloatKind::Double => 64,
        FloatKind::LongDouble => 80,
        FloatKind::Float128 => 128,
    }
}

impl Encoder<'_> {
    /// Bits of a scalar's term.
    pub fn width(&self, ty: TypeId) -> u32 {
        let types = &self.meaning.program.types;
        match types.integer_shape(ty) {
            Some(shape) => shape.width,
            None => float_width(types.float_kind(ty).expect("scalars are integers, pointers or floats")),
        }
    }

    /// Is a scalar unequal to zero?
    pub fn is_true(&mut self, value: TermId, ty: TypeId) -> TermId {
        match self.meaning.program.types.float_kind(ty) {
            None => self.terms.is_nonzero(value),
            Some(kind) => self.float_is_nonzero(value, kind),
        }
    }

    /// The value of a scalar expression. What can go wrong is recorded.
    pub fn scalar(&mut self, state: &mut State, expr: &Expr) -> TermId {
        let types = &self.meaning.program.types;
        match &expr.kind {
            ExprKind::Integer(bits) | ExprKind::Float(bits) => {
                let width = self.width(expr.ty);
                let address = *bits;
                if types.is_pointer(expr.ty) && self.meaning.layout.object_of(address) != 0 {
                    self.fail_always(FailureKind::LayoutDependent);
                }
                self.terms.number(width, *bits)
            }
            ExprKind::Zero => {
                let width = self.width(expr.ty);
                self.terms.number(width, 0)
            }
            ExprKind::Load(place) => self.load_scalar(state, place),
            ExprKind::AddressOf(place) => self.address_of(state, place),
            ExprKind::FunctionAddress(procedure) => {
                let object = self.meaning.procedure_object(*procedure);
                let address = self.meaning.layout.address(object);
                self.terms.number(self.meaning.layout.width, address)
            }
            ExprKind::Unary(op, operand) => self.unary(state, *op, operand, expr.ty),
            ExprKind::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), left, right)
                if self.compares_pointers(left, right) =>
            {
                let (left, right) = (self.as_pointer(left), self.as_pointer(right));
                let width = self.meaning.layout.width;
                let mut term = |side: Option<&Expr>| match side {
                    Some(pointer) => self.scalar(state, pointer),
                    None => self.terms.number(width, 0),
                };
                let (a, b) = (term(left), term(right));
                let ty = left.or(right).expect("a pointer is compared").ty;
                let holds = self.comparison(state, *op, a, b, ty);
                let width = self.width(expr.ty);
                let number = self.terms.pool.bool_to_bits(holds, width);
                self.terms.simple(number)
            }
            ExprKind::Binary(op, left, right) => {
                let a = self.scalar(state, left);
                self.used_as_number(left);
                let b = self.scalar(state, right);
                self.used_as_number(right);
                if op.is_comparison() {
                    let holds = self.comparison(state, *op, a, b, left.ty);
                    let width = self.width(expr.ty);
                    let number = self.terms.pool.bool_to_bits(holds, width);
                    self.terms.simple(number)
                } else {
                    self.binary(*op, a, b, expr.ty, right.ty)
                }
            }
            ExprKind::Cast(operand) => self.cast(state, operand, expr.ty),
            ExprKind::PointerOffset { pointer, index } => self.moved(state, pointer, index),
            ExprKind::PointerDifference(left, right) => {
                let (a, b) = (self.scalar(state, left), self.scalar(state, right));
                self.difference(a, b, left.ty, expr.ty)
            }
        }
    }

    /// Are two pointers, or a pointer and null, compared as numbers? That says no more than comparing them as pointers.
    fn compares_pointers(&self, left: &Expr, right: &Expr) -> bool {
        let is_null = |expr: &Expr| matches!(expr.kind, ExprKind::Integer(0));
        match (self.as_pointer(left), self.as_pointer(right)) {
            (Some(_), Some(_)) => true,
            (Some(_), None) => is_null(right),
            (None, Some(_)) => is_null(left),
            (None, None) => false,
        }
    }

    /// The pointer that a number is, if it is one made a number as wide.
    fn as_pointer<'e>(&self, expr: &'e Expr) -> Option<&'e Expr> {
        let types = &self.meaning.program.types;
        let ExprKind::Cast(inner) = &expr.kind else { return None };
        let is_wide = types.is_integer(expr.ty)
            && types.integer_shape(expr.ty).is_some_and(|shape| shape.width >= self.meaning.layout.width);
        (types.is_pointer(inner.ty) && is_wide).then_some(&**inner)
    }

    /// The truth of an expression used as a condition.
    pub fn condition(&mut self, state: &mut State, expr: &Expr) -> TermId {
        let value = self.scalar(state, expr);
        self.used_as_number(expr);
        self.is_true(value, expr.ty)
    }

    fn unary(&mut self, state: &mut State, op: UnaryOp, operand: &Expr, ty: TypeId) -> TermId {
        let a = self.scalar(state, operand);
        self.used_as_number(operand);
        let types = &self.meaning.program.types;
        match op {
            UnaryOp::Not => {
                let holds = self.is_true(a, operand.ty);
                let fails = self.terms.not(holds);
                let width = self.width(ty);
                let number = self.terms.pool.bool_to_bits(fails, width);
                self.terms.simple(number)
            }
            UnaryOp::BitNot => {
                let term = self.terms.pool.bvnot(a);
                self.terms.simple(term)
            }
            UnaryOp::Negate if types.float_kind(ty).is_some() => {
                let width = self.terms.pool.width(a);
                let sign = self.terms.number(width, 1 << (width - 1));
                let term = self.terms.pool.bvxor(a, sign);
                self.terms.simple(term)
            }
            UnaryOp::Negate => {
                if self.watch.arithmetic && types.integer_shape(ty).is_some_and(|shape| shape.signed) {
                    let overflow = self.terms.pool.sneg_overflow(a);
                    let overflow = self.terms.simple(overflow);
                    self.fail(overflow, FailureKind::SignedOverflow);
                }
                let term = self.terms.pool.bvneg(a);
                let term = self.terms.simple(term);
                if self.watch.unknown_overflow && types.integer_shape(ty).is_some_and(|shape| shape.signed) {
                    let overflow = self.terms.pool.sneg_overflow(a);
                    return self.unless_it_overflows(overflow, term);
                }
                term
            }
        }
    }

    /// The result of a signed operation; where it does not fit, any value.
    fn unless_it_overflows(&mut self, overflow: TermId, term: TermId) -> TermId {
        let overflow = self.terms.simple(overflow);
        if self.terms.truth(overflow) == Some(false) {
            return term;
        }
        let width = self.terms.pool.width(term);
        let any = self.terms.fresh_bits("overflowed", width);
        self.terms.ite(overflow, any, term)
    }

    fn binary(&mut self, op: BinaryOp, a: TermId, b: TermId, ty: TypeId, right: TypeId) -> TermId {
        let types = &self.meaning.program.types;
        if let Some(kind) = types.float_kind(ty) {
            return self.float_operation(op, a, b, kind);
        }
        let Some(shape) = types.integer_shape(ty) else {
            self.unknown("an operation on values that are not numbers");
            return a;
        };
        if matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight) {
            return self.shift(op, a, b, shape, right);
        }
        if matches!(op, BinaryOp::Divide | BinaryOp::Remainder) {
            let zero = self.terms.number(shape.width, 0);
            let is_zero = self.terms.equal(b, zero);
            self.fail(is_zero, FailureKind::DivisionByZero);
            if shape.signed {
                let overflow = self.terms.pool.sdiv_overflow(a, b);
                let overflow = self.terms.simple(overflow);
                self.fail(overflow, FailureKind::DivisionOverflow);
            }
        }
        let wraps = matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply);
        if self.watch.arithmetic
            && shape.signed
            && wraps
            && let Some(overflow) = arithmetic::signed_overflow(&mut self.terms.pool, op, a, b)
        {
            let overflow = self.terms.simple(overflow);
            self.fail(overflow, FailureKind::SignedOverflow);
        }
        let term = arithmetic::operation(&mut self.terms.pool, op, a, b, shape.signed);
        let term = self.terms.simple(term);
        if self.watch.unknown_overflow
            && shape.signed
            && wraps
            && let Some(overflow) = arithmetic::signed_overflow(&mut self.terms.pool, op, a, b)
        {
            return self.unless_it_overflows(overflow, term);
        }
        term
    }

    /// x86 keeps the low bits of a count that is too large.
    fn shift(
        &mut self,
        op: BinaryOp,
        a: TermId,
        count: TermId,
        shape: program::types::IntegerShape,
        count_type: TypeId,
    ) -> TermId {
        let width = shape.width;
        let is_signed =
            self.meaning.program.types.integer_shape(count_type).is_some_and(|shape| shape.signed);
        if self.watch.arithmetic {
            let own = self.terms.pool.width(count);
            let wide = own.max(32);
            let extended = self.terms.resize(count, wide, is_signed);
            let limit = self.terms.number(wide, u128::from(width));
            let fits = self.terms.below(extended, limit);
            let too_large = self.terms.not(fits);
            self.fail(too_large, FailureKind::BadShift);
        }
        let kept_bits = match width {
            0..=32 => 5,
            33..=64 => 6,
            _ => 7,
        };
        let kept = self.terms.resize(count, kept_bits.max(1), is_signed);
        let count = self.terms.resize(kept, width.max(kept_bits), false);
        let count = self.terms.resize(count, width, false);
        let term = arithmetic::operation(&mut self.terms.pool, op, a, count, shape.signed);
        self.terms.simple(term)
    }

    fn comparison(&mut self, state: &mut State, op: BinaryOp, a: TermId, b: TermId, ty: TypeId) -> TermId {
        let types = &self.meaning.program.types;
        if let Some(kind) = types.float_kind(ty) {
            return self.float_comparison(op, a, b, kind);
        }
        let is_open =
            if types.is_pointer(ty) { self.depends_on_layout(state, op, a, b) } else { self.terms.no() };
        let types = &self.meaning.program.types;
        let signed = types.integer_shape(ty).is_some_and(|shape| shape.signed);
        let term = arithmetic::comparison(&mut self.terms.pool, op, a, b, signed);
        let plain = self.terms.simple(term);
        if self.terms.truth(is_open) == Some(false) {
            return plain;
        }
        // Either answer is possible.
        let either = self.terms.fresh("order of objects", logic::Sort::Bool);
        self.terms.ite(is_open, either, plain)
    }

    /// When a comparison depends on where objects lie: order of unrelated pointers does; equality does when one of them
    /// dangles, since addresses are used again, when one is past or outside its object, where another may lie (C11
    /// 6.5.9p6), and when both point into string literals that may be one object.
    fn depends_on_layout(&mut self, state: &mut State, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        let is_null = |encoder: &Self, term: TermId| encoder.terms.constant(term) == Some(0);
        if a == b || is_null(self, a) || is_null(self, b) {
            return self.terms.no();
        }
        let layout = self.meaning.layout;
        let (one, two) = (layout.object_term(&mut self.terms, a), layout.object_term(&mut self.terms, b));
        let same = self.terms.equal(one, two);
        let differ = self.terms.not(same);
        if self.terms.truth(differ) == Some(false) || !matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
            return differ;
        }
        let (first, second) = (self.is_loose(state, a), self.is_loose(state, b));
        let is_loose = self.terms.or(first, second);
        let is_shared = self.may_be_one_literal(one, two);
        let is_open = self.terms.or(is_loose, is_shared);
        self.terms.and(differ, is_open)
    }

    /// Is a pointer neither null, nor a function's, nor strictly inside an object that is alive? A number that was made a pointer is loose (some
    /// object may have that address), unless it lies in the first page, where no system puts anything.
    fn is_loose(&mut self, state: &mut State, address: TermId) -> TermId {
        let layout = self.meaning.layout;
        let object = layout.object_term(&mut self.terms, address);
        let is_numbered = self.terms.is_nonzero(object);
        let is_someone = match self.terms.truth(is_numbered) {
            Some(true) => is_numbered,
            _ => {
                let page = self.terms.number(layout.width, FIRST_PAGE);
                let is_in_first_page = self.terms.below(address, page);
                self.terms.not(is_in_first_page)
            }
        };
        if self.terms.truth(is_someone) == Some(false) {
            return self.terms.no();
        }
        let (first, past) = self.meaning.procedure_objects();
        let bits = layout.object_bits();
        let (first, past) = (self.terms.number(bits, first), self.terms.number(bits, past));
        let (is_before, is_up_to) = (self.terms.below(object, first), self.terms.below(object, past));
        let is_from = self.terms.not(is_before);
        let is_function = self.terms.and(is_from, is_up_to);
        let extent = self.extent(state, address);
        let is_alive = self.terms.is_nonzero(extent);
        let size_plus_one = self.extent_size(extent);
        let one = self.terms.number(layout.width, 1);
        let size = self.terms.sub(size_plus_one, one);
        let offset = layout.offset_term(&mut self.terms, address);
        let is_before_end = self.terms.below(offset, size);
        let is_inside = self.terms.and(is_alive, is_before_end);
        let is_fixed = self.terms.or(is_inside, is_function);
        let is_open = self.terms.not(is_fixed);
        self.terms.and(is_someone, is_open)
    }

    /// Are both objects string literals of which one may be, or be the end of, the other?
    fn may_be_one_literal(&mut self, one: TermId, two: TermId) -> TermId {
        let meaning = self.meaning;
        let mut found = self.terms.no();
        for group in meaning.shared_literals() {
            let (first, second) = (self.is_one_of(one, group), self.is_one_of(two, group));
            let both = self.terms.and(first, second);
            found = self.terms.or(found, both);
        }
        found
    }

    fn is_one_of(&mut self, object: TermId, numbers: &[u128]) -> TermId {
        if let Some(number) = self.terms.constant(object) {
            return if numbers.contains(&number) { self.terms.yes() } else { self.terms.no() };
        }
        let bits = self.meaning.layout.object_bits();
        let mut found = self.terms.no();
        for &number in numbers {
            let number = self.terms.number(bits, number);
            let is_it = self.terms.equal(object, number);
            found = self.terms.or(found, is_it);
        }
        found
    }

    /// A number is computed with. If it is (part of) an address that went through memory, what it is depends on where
    /// objects lie.
    fn used_as_number(&mut self, expr: &Expr) {
        let types = &self.meaning.program.types;
        // A conversion that keeps the value was let pass.
        let mut source = expr;
        while let ExprKind::Cast(inner) = &source.kind
            && types.is_integer(inner.ty)
        {
            source = inner;
        }
        let ExprKind::Load(_) = &source.kind else { return };
        let is_number = types.is_integer(source.ty) || types.float_kind(source.ty).is_some();
        if is_number && self.may_be_of_address(source) {
            let is_part = self.read_address;
            self.fail(is_part, FailureKind::LayoutDependent);
        }
    }

    fn difference(&mut self, a: TermId, b: TermId, pointer: TypeId, ty: TypeId) -> TermId {
        let layout = self.meaning.layout;
        let (one, two) = (layout.object_term(&mut self.terms, a), layout.object_term(&mut self.terms, b));
        let same = self.terms.equal(one, two);
        let differ = self.terms.not(same);
        self.fail(differ, FailureKind::LayoutDependent);
        let bytes = self.terms.sub(a, b);
        let stride = self.stride(pointer).max(1);
        let size = self.terms.number(layout.width, u128::from(stride));
        let term = if stride == 1 { bytes } else { self.terms.pool.bvsdiv(bytes, size) };
        let term = self.terms.simple(term);
        let width = self.width(ty);
        self.terms.resize(term, width, true)
    }

    /// Bytes between neighbours of a pointer's pointee.
    pub(crate) fn stride(&self, pointer: TypeId) -> u64 {
        let types = &self.meaning.program.types;
        match types.pointee(pointer) {
            Some(to) if !matches!(types.get(to.id), Type::Void | Type::Function(_)) => {
                types.size_of(to.id).unwrap_or(1)
            }
            _ => 1,
        }
    }

    fn moved(&mut self, state: &mut State, pointer: &Expr, index: &Expr) -> TermId {
        let from = self.scalar(state, pointer);
        let by = self.scalar(state, index);
        let types = &self.meaning.program.types;
        if types.pointee(pointer.ty).is_some_and(|to| {
            types.size_of(to.id).is_none() && !matches!(types.get(to.id), Type::Void | Type::Function(_))
        }) {
            self.unknown("arithmetic on a pointer to something without a known size");
        }
        let signed = types.integer_shape(index.ty).is_some_and(|shape| shape.signed);
        let by = self.terms.resize(by, self.meaning.layout.width, signed);
        let stride = self.stride(pointer.ty);
        let bytes = self.terms.times(by, u128::from(stride));
        let to = self.terms.add(from, bytes);
        if to != from {
            let left = self.meaning.layout.has_left(&mut self.terms, from, to);
            self.fail(left, FailureKind::PointerLeft);
        }
        to
    }

    fn cast(&mut self, state: &mut State, operand: &Expr, to: TypeId) -> TermId {
        let types = &self.meaning.program.types;
        let from = operand.ty;
        // A pointer that was a number for a moment only.
        if types.is_pointer(to)
            && let ExprKind::Cast(inner) = &operand.kind
            && types.is_pointer(inner.ty)
            && types.integer_shape(from).is_some_and(|shape| shape.width >= self.meaning.layout.width)
        {
            return self.scalar(state, inner);
        }
        let value = self.scalar(state, operand);
        let keeps_all = types.integer_shape(to).is_some_and(|shape| shape.width >= self.width(from));
        if !(keeps_all && (types.is_integer(to) || types.is_pointer(to))) {
            self.used_as_number(operand);
        }
        let types = &self.meaning.program.types;
        if matches!(types.get(to), Type::Bool) {
            let holds = self.is_true(value, from);
            let number = self.terms.pool.bool_to_bits(holds, 1);
            return self.terms.simple(number);
        }
        match (types.float_kind(from), types.float_kind(to)) {
            (Some(from), Some(to)) => return self.float_to_float(value, from, to),
            (Some(kind), None) => {
                let shape = types.integer_shape(to).expect("floats become numbers");
                return self.float_to_integer(value, kind, shape);
            }
            (None, Some(kind)) => {
                let shape = types.integer_shape(from).expect("numbers become floats");
                return self.integer_to_float(value, shape, kind);
            }
            (None, None) => {}
        }
        let (Some(from_shape), Some(to_shape)) = (types.integer_shape(from), types.integer_shape(to)) else {
            self.unknown("a conversion of something that is not a number");
            let width = self.width(to);
            return self.terms.fresh_bits("converted", width);
        };
        let is_layout = types.is_pointer(from) != types.is_pointer(to);
        if is_layout {
            // Small numbers mean the same everywhere: null, and what compares unequal to every object.
            let wide = self.terms.resize(value, from_shape.width.max(self.meaning.layout.width), false);
            let high = from_shape.width.max(self.meaning.layout.width) - 1;
            let object = self.terms.cut(wide, high, self.meaning.layout.offset_bits);
            let is_someone = self.terms.is_nonzero(object);
            self.fail(is_someone, FailureKind::LayoutDependent);
        }
        self.terms.resize(value, to_shape.width, from_shape.signed)
    }
}
