//! Expressions: each becomes a word, a wide value, a pointer or bytes by its type; casts become what they do.

use super::build::Builder;
use super::{
    AggregateCode, Class, Condition, Home, PointerCode, Shape, ValueCode, ValueKind, Wide, WideKind, Word,
    WordBinary, class_of,
};
use program::{BinaryOp, Expr, ExprKind, FloatKind, Place, Type, TypeId, UnaryOp};
use std::sync::Arc;

const NO_MEANING: &str = "a value of a type that cannot be computed with";

impl Builder<'_> {
    pub fn class(&self, ty: TypeId) -> Class {
        class_of(&self.program.types, ty)
    }

    /// A value of any class.
    pub fn value(&self, expr: &Expr) -> ValueCode {
        let kind = match self.class(expr.ty) {
            Class::Integer { .. } | Class::Float(_) => ValueKind::Word(self.word(expr)),
            Class::Wide(..) => ValueKind::Wide(self.wide(expr)),
            Class::Pointer => ValueKind::Pointer(self.pointer(expr)),
            Class::Aggregate(size) => match self.aggregate(expr, size) {
                Some(aggregate) => ValueKind::Aggregate(aggregate),
                None => ValueKind::Word(Word::Unsupported(Arc::from(NO_MEANING))),
            },
            Class::Nothing => ValueKind::Word(Word::Unsupported(Arc::from(self.incomplete(expr.ty)))),
        };
        ValueCode { ty: expr.ty, kind }
    }

    fn incomplete(&self, ty: TypeId) -> String {
        format!("a value of type `{}` is used, whose size is not known", self.program.types.show(ty))
    }

    /// A record or array value.
    pub fn aggregate(&self, expr: &Expr, size: u64) -> Option<AggregateCode> {
        match &expr.kind {
            ExprKind::Zero => Some(AggregateCode::Zero(size)),
            ExprKind::Load(place) => Some(AggregateCode::Load(self.access_place(place), size)),
            // A cast of a record to its own type (qualifiers aside) changes nothing.
            ExprKind::Cast(operand) if self.class(operand.ty) == Class::Aggregate(size) => {
                self.aggregate(operand, size)
            }
            _ => None,
        }
    }

    /// A scalar as a condition.
    pub fn condition(&self, expr: &Expr) -> Condition {
        match self.class(expr.ty) {
            Class::Float(kind) => Condition::Float(self.word(expr), kind),
            Class::Pointer => Condition::Pointer(self.pointer(expr)),
            Class::Wide(kind, _) => Condition::Wide(self.wide(expr), kind),
            _ => Condition::Word(self.word(expr)),
        }
    }

    fn home(&self, place: &Place) -> Option<Home> {
        let home = self.homes[place.as_variable()?];
        matches!(home, Home::Register(_) | Home::Shared(..)).then_some(home)
    }

    /// An expression of integer (up to 64 bits), `float` or `double` type.
    pub fn word(&self, expr: &Expr) -> Word {
        let class = self.class(expr.ty);
        match (&expr.kind, class) {
            (ExprKind::Integer(bits), Class::Integer { shape, .. }) => {
                Word::Constant(shape.extend(*bits as u64))
            }
            (ExprKind::Float(bits), Class::Float(_)) => Word::Constant(*bits as u64),
            (ExprKind::Zero, Class::Integer { .. } | Class::Float(_)) => Word::Constant(0),
            (ExprKind::Load(place), Class::Integer { .. } | Class::Float(_)) => match self.home(place) {
                Some(Home::Register(register)) => Word::Register(register),
                Some(Home::Shared(bank, register)) => Word::Shared(bank, register),
                _ => {
                    if place.bit_field(&self.program.types).is_some_and(|f| f.bit_width > Some(64)) {
                        return Word::Unsupported(Arc::from("a bit-field of more than 64 bits"));
                    }
                    Word::Load(Box::new(self.access_place(place)), self.word_form(place))
                }
            },
            (ExprKind::Unary(UnaryOp::Not, operand), Class::Integer { .. }) => {
                Word::Truth(Box::new(self.condition(operand)), false)
            }
            (ExprKind::Unary(op, operand), Class::Integer { shape, .. }) => match op {
                UnaryOp::Negate => Word::Negate(Box::new(self.word(operand)), shape),
                _ => Word::BitNot(Box::new(self.word(operand)), shape),
            },
            (ExprKind::Unary(UnaryOp::Negate, operand), Class::Float(kind)) => {
                Word::FloatNegate(Box::new(self.word(operand)), kind)
            }
            (ExprKind::Binary(op, left, right), Class::Integer { .. }) if op.is_comparison() => {
                self.comparison(*op, left, right)
            }
            (ExprKind::Binary(op, left, right), Class::Integer { shape, .. }) => {
                let is_shift = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
                let (right, is_count_signed) =
                    if is_shift { self.shift_count(right) } else { (self.word(right), false) };
                Word::Binary(Box::new(WordBinary {
                    op: *op,
                    shape,
                    is_count_signed,
                    left: self.word(left),
                    right,
                }))
            }
            (ExprKind::Binary(op, left, right), Class::Float(kind)) if is_float_operator(*op) => {
                Word::FloatBinary(*op, kind, Box::new((self.word(left), self.word(right))))
            }
            (ExprKind::Cast(operand), Class::Integer { shape, is_bool, .. }) => {
                self.cast_to_integer(operand, shape, is_bool)
            }
            (ExprKind::Cast(operand), Class::Float(kind)) => self.cast_to_float(operand, kind),
            (ExprKind::PointerDifference(left, right), Class::Integer { .. }) => {
                match self.stride(left.ty).filter(|&size| size > 0) {
                    Some(size) => Word::Difference(Box::new((self.pointer(left), self.pointer(right))), size),
                    None => Word::Unsupported(Arc::from("a difference of pointers to a type without a size")),
                }
            }
            _ => Word::Unsupported(Arc::from(NO_MEANING)),
        }
    }

    /// The count of a shift. One too wide for a word stays out of range when cut.
    fn shift_count(&self, count: &Expr) -> (Word, bool) {
        match self.class(count.ty) {
            Class::Wide(WideKind::Integer { signed }, _) => {
                let within = Word::FromWide(Box::new(self.wide(count)), Shape { width: 64, signed });
                (within, signed)
            }
            Class::Integer { shape, .. } => (self.word(count), shape.signed),
            _ => (Word::Unsupported(Arc::from(NO_MEANING)), false),
        }
    }

    fn comparison(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Word {
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual)
            && let Some((left, right)) = self.compared_pointers(left, right)
        {
            return Word::ComparePointers(op, Box::new((left, right)));
        }
        match self.class(left.ty) {
            Class::Integer { shape, .. } => {
                Word::Compare(op, shape.signed, Box::new((self.word(left), self.word(right))))
            }
            Class::Float(kind) => {
                Word::CompareFloats(op, kind, Box::new((self.word(left), self.word(right))))
            }
            Class::Pointer => Word::ComparePointers(op, Box::new((self.pointer(left), self.pointer(right)))),
            Class::Wide(kind, _) => {
                Word::CompareWide(op, kind, Box::new((self.wide(left), self.wide(right))))
            }
            _ => Word::Unsupported(Arc::from(NO_MEANING)),
        }
    }

    /// Two pointers, or a pointer and null, that are compared as numbers of their width.
    fn compared_pointers(&self, left: &Expr, right: &Expr) -> Option<(PointerCode, PointerCode)> {
        let as_pointer = |expr: &Expr| {
            let ExprKind::Cast(inner) = &expr.kind else { return None };
            let types = &self.program.types;
            let width = types.integer_shape(expr.ty).filter(|_| types.is_integer(expr.ty))?.width;
            (types.is_pointer(inner.ty) && width >= types.pointer_width()).then(|| self.pointer(inner))
        };
        let as_null = |expr: &Expr| (expr.as_integer() == Some(0)).then_some(PointerCode::Constant(0));
        match (as_pointer(left), as_pointer(right)) {
            (None, None) => None,
            (one, two) => Some((one.or_else(|| as_null(left))?, two.or_else(|| as_null(right))?)),
        }
    }

    fn cast_to_integer(&self, operand: &Expr, shape: Shape, is_bool: bool) -> Word {
        if is_bool {
            return Word::Truth(Box::new(self.condition(operand)), true);
        }
        match self.class(operand.ty) {
            Class::Integer { shape: from, .. } => {
                let value = self.word(operand);
                if from == shape || (from.width < shape.width && (!from.signed || shape.signed)) {
                    return value; // extended already
                }
                if let Word::Constant(bits) = value {
                    return Word::Constant(shape.extend(bits));
                }
                Word::Convert(Box::new(value), shape)
            }
            Class::Float(kind) => Word::FloatToInteger(Box::new(self.word(operand)), kind, shape),
            Class::Pointer => Word::FromPointer(Box::new(self.pointer(operand)), shape),
            Class::Wide(WideKind::Integer { .. }, _) => Word::FromWide(Box::new(self.wide(operand)), shape),
            Class::Wide(WideKind::Float(kind), _) => {
                Word::WideFloatToInteger(Box::new(self.wide(operand)), kind, shape)
            }
            _ => Word::Unsupported(Arc::from(NO_MEANING)),
        }
    }

    fn cast_to_float(&self, operand: &Expr, kind: FloatKind) -> Word {
        match self.class(operand.ty) {
            Class::Integer { shape, .. } => Word::ToFloat(Box::new(self.word(operand)), shape.signed, kind),
            Class::Float(from) if from == kind => self.word(operand),
            Class::Float(from) => Word::FloatConvert(Box::new(self.word(operand)), from, kind),
            Class::Wide(WideKind::Integer { signed }, _) => {
                Word::WideToFloat(Box::new(self.wide(operand)), signed, kind)
            }
            Class::Wide(WideKind::Float(from), _) => {
                Word::WideFloatConvert(Box::new(self.wide(operand)), from, kind)
            }
            _ => Word::Unsupported(Arc::from(NO_MEANING)),
        }
    }

    /// An expression of 128-bit integer or wide floating type.
    pub fn wide(&self, expr: &Expr) -> Wide {
        let Class::Wide(kind, size) = self.class(expr.ty) else {
            return Wide::Unsupported(Arc::from(NO_MEANING));
        };
        match (&expr.kind, kind) {
            (ExprKind::Integer(bits), WideKind::Integer { .. }) => Wide::Constant(*bits),
            (ExprKind::Float(bits), WideKind::Float(_)) => Wide::Constant(*bits),
            (ExprKind::Zero, _) => Wide::Constant(0),
            (ExprKind::Load(place), _) => match self.home(place) {
                Some(Home::Register(register)) => Wide::Register(register),
                Some(Home::Shared(bank, register)) => Wide::Shared(bank, register),
                _ if place.bit_field(&self.program.types).is_some() => {
                    Wide::Unsupported(Arc::from("a bit-field of a 128-bit type"))
                }
                _ => Wide::Load(Box::new(self.access_place(place)), size),
            },
            (ExprKind::Unary(UnaryOp::Negate, operand), WideKind::Integer { signed }) => {
                Wide::Negate(Box::new(self.wide(operand)), signed)
            }
            (ExprKind::Unary(UnaryOp::BitNot, operand), WideKind::Integer { .. }) => {
                Wide::BitNot(Box::new(self.wide(operand)))
            }
            (ExprKind::Unary(UnaryOp::Negate, operand), WideKind::Float(kind)) => {
                Wide::FloatNegate(Box::new(self.wide(operand)), kind)
            }
            (
                ExprKind::Binary(op @ (BinaryOp::ShiftLeft | BinaryOp::ShiftRight), left, right),
                WideKind::Integer { signed },
            ) => {
                let (count, is_count_signed) = self.shift_count(right);
                Wide::Shift(*op, signed, Box::new((self.wide(left), count)), is_count_signed)
            }
            (ExprKind::Binary(op, left, right), WideKind::Integer { signed }) if !op.is_comparison() => {
                Wide::Binary(*op, signed, Box::new((self.wide(left), self.wide(right))))
            }
            (ExprKind::Binary(op, left, right), WideKind::Float(kind)) if is_float_operator(*op) => {
                Wide::FloatBinary(*op, kind, Box::new((self.wide(left), self.wide(right))))
            }
            (ExprKind::Cast(operand), WideKind::Integer { signed }) => match self.class(operand.ty) {
                Class::Integer { shape, .. } => Wide::Extend(Box::new(self.word(operand)), shape.signed),
                Class::Float(kind) => Wide::FloatToInteger(Box::new(self.word(operand)), kind, signed),
                Class::Pointer => Wide::FromPointer(Box::new(self.pointer(operand))),
                Class::Wide(WideKind::Integer { .. }, _) => self.wide(operand),
                Class::Wide(WideKind::Float(kind), _) => {
                    Wide::LongFloatToInteger(Box::new(self.wide(operand)), kind, signed)
                }
                _ => Wide::Unsupported(Arc::from(NO_MEANING)),
            },
            (ExprKind::Cast(operand), WideKind::Float(kind)) => match self.class(operand.ty) {
                Class::Integer { shape, .. } => {
                    Wide::ToFloat(Box::new(self.word(operand)), shape.signed, kind)
                }
                Class::Float(from) => Wide::FloatConvert(Box::new(self.word(operand)), from, kind),
                Class::Wide(WideKind::Integer { signed }, _) => {
                    Wide::LongIntegerToFloat(Box::new(self.wide(operand)), signed, kind)
                }
                Class::Wide(WideKind::Float(from), _) => {
                    Wide::LongFloatConvert(Box::new(self.wide(operand)), from, kind)
                }
                _ => Wide::Unsupported(Arc::from(NO_MEANING)),
            },
            _ => Wide::Unsupported(Arc::from(NO_MEANING)),
        }
    }

    /// An expression of pointer type.
    pub fn pointer(&self, expr: &Expr) -> PointerCode {
        match &expr.kind {
            ExprKind::Integer(bits) => PointerCode::Constant(*bits as u64),
            ExprKind::Zero => PointerCode::Constant(0),
            ExprKind::Load(place) => match self.home(place) {
                Some(Home::Register(register)) => PointerCode::Register(register),
                Some(Home::Shared(bank, register)) => PointerCode::Shared(bank, register),
                _ => PointerCode::Load(Box::new(self.access_place(place))),
            },
            ExprKind::AddressOf(place) => PointerCode::AddressOf(Box::new(self.address_place(place))),
            ExprKind::FunctionAddress(procedure) => PointerCode::Function(*procedure),
            ExprKind::PointerOffset { pointer, index } => match self.stride(pointer.ty) {
                Some(stride) => {
                    let (index, _) = self.index(index);
                    PointerCode::Offset(Box::new((self.pointer(pointer), index)), stride)
                }
                None => PointerCode::Unsupported(Arc::from("a pointer to a type without a size is moved")),
            },
            ExprKind::Cast(operand) => match self.class(operand.ty) {
                Class::Pointer => self.pointer(operand),
                Class::Integer { .. } => self.pointer_from_integer(operand),
                Class::Wide(WideKind::Integer { .. }, _) => {
                    PointerCode::FromWide(Box::new(self.wide(operand)))
                }
                _ => PointerCode::Unsupported(Arc::from(NO_MEANING)),
            },
            _ => PointerCode::Unsupported(Arc::from(NO_MEANING)),
        }
    }

    /// A pointer that only went through integers wide enough keeps its provenance; other addresses are looked up.
    fn pointer_from_integer(&self, integer: &Expr) -> PointerCode {
        let mut inner = integer;
        while let ExprKind::Cast(operand) = &inner.kind {
            let is_wide_enough = self
                .program
                .types
                .integer_shape(inner.ty)
                .is_some_and(|shape| shape.width >= self.program.types.pointer_width());
            if !is_wide_enough {
                break;
            }
            if matches!(self.program.types.get(operand.ty), Type::Pointer(_)) {
                return self.pointer(operand);
            }
            inner = operand;
        }
        match self.word(integer) {
            Word::Constant(bits) => PointerCode::Constant(self.cut_address(bits)),
            word => PointerCode::FromWord(Box::new(word)),
        }
    }

    fn cut_address(&self, bits: u64) -> u64 {
        if self.program.types.pointer_width() == 32 { bits & 0xffff_ffff } else { bits }
    }
}

fn is_float_operator(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide)
}
