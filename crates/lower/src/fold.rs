//! Small constants are computed while lowering, so that conditions of macros and `sizeof` arithmetic vanish. Only what
//! is defined is folded: an overflow, a division by zero or a bad shift stays for the engines to find.

use program::{
    BinaryOp, Expr, ExprKind, IntegerKind, Place, PlaceBase, Projection, Type, TypeId, TypeTable, UnaryOp,
};

/// The conversion of `value` to `ty`, computed if it is an integer constant.
pub fn cast(value: Expr, ty: TypeId, types: &TypeTable) -> Expr {
    if value.ty == ty {
        return value;
    }
    if let (ExprKind::Integer(bits), Some(from)) = (&value.kind, types.integer_shape(value.ty)) {
        if types.get(ty) == &Type::Bool {
            return Expr { kind: ExprKind::Integer(u128::from(*bits != 0)), ty };
        }
        if let Some(to) = types.integer_shape(ty) {
            return Expr { kind: ExprKind::Integer(to.truncate(from.value(*bits) as u128)), ty };
        }
    }
    if let ExprKind::AddressOf(place) = &value.kind
        && !types.is_pointer(ty)
        && types.get(ty) != &Type::Bool
        && let (Some(offset), Some(to)) = (offset_from_null(place, types), types.integer_shape(ty))
    {
        return Expr { kind: ExprKind::Integer(to.truncate(u128::from(offset))), ty };
    }
    value.cast(ty)
}

/// How far a member of what would lie at null is from null: `(size_t)&((struct list *)0)->next` is how `offsetof` was
/// written before there was a builtin, and how kernels still find what a link is in.
fn offset_from_null(place: &Place, types: &TypeTable) -> Option<u64> {
    let PlaceBase::Pointer(pointer) = &place.base else { return None };
    if pointer.as_integer() != Some(0) {
        return None;
    }
    place.path.iter().try_fold(0_u64, |offset, step| match step {
        Projection::Field(record, index) => {
            let layout = types.records[*record].layout.as_ref()?;
            offset.checked_add(layout.fields.get(*index as usize)?.byte_offset())
        }
        Projection::Index(_) => None,
    })
}

/// An operator applied, computed if the operands are integer constants and the result is defined.
pub fn binary(op: BinaryOp, left: Expr, right: Expr, ty: TypeId, types: &TypeTable) -> Expr {
    if let Some(bits) = fold_binary(op, &left, &right, ty, types) {
        return Expr { kind: ExprKind::Integer(bits), ty };
    }
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty }
}

/// An operator applied, computed if the operand is an integer constant and the result is defined.
pub fn unary(op: UnaryOp, operand: Expr, ty: TypeId, types: &TypeTable) -> Expr {
    if let (ExprKind::Integer(bits), Some(shape)) = (&operand.kind, types.integer_shape(operand.ty)) {
        let folded = match op {
            UnaryOp::Not => Some(u128::from(*bits == 0)),
            UnaryOp::BitNot => Some(shape.truncate(!bits)),
            UnaryOp::Negate => {
                let negated = shape.truncate(bits.wrapping_neg());
                let overflows = shape.signed && *bits != 0 && negated == *bits;
                (!overflows).then_some(negated)
            }
        };
        if let Some(bits) = folded {
            return Expr { kind: ExprKind::Integer(bits), ty };
        }
    }
    Expr { kind: ExprKind::Unary(op, Box::new(operand)), ty }
}

fn fold_binary(op: BinaryOp, left: &Expr, right: &Expr, ty: TypeId, types: &TypeTable) -> Option<u128> {
    if types.is_pointer(left.ty) || types.is_pointer(right.ty) {
        return None;
    }
    let shape = types.integer_shape(left.ty)?;
    let right_shape = types.integer_shape(right.ty)?;
    let (l, r) = (shape.value(left.as_integer()?), right_shape.value(right.as_integer()?));
    // 128-bit operands would need wider arithmetic to tell overflow; they are rare enough to leave alone.
    if shape.width > 64 || right_shape.width > 64 {
        return None;
    }
    let truth = |condition: bool| Some(i128::from(condition));
    use BinaryOp::*;
    let exact = match op {
        Add => Some(l + r),
        Subtract => Some(l - r),
        Multiply => l.checked_mul(r),
        Divide => (r != 0).then(|| l / r),
        Remainder => (r != 0 && (l / r <= max_value(shape.width, shape.signed))).then(|| l % r),
        ShiftLeft | ShiftRight if r < 0 || r >= i128::from(shape.width) => None,
        ShiftLeft if shape.signed && l < 0 => None,
        ShiftLeft => Some(l << r),
        ShiftRight => Some(l >> r),
        BitAnd => Some(l & r),
        BitOr => Some(l | r),
        BitXor => Some(l ^ r),
        Equal => truth(l == r),
        NotEqual => truth(l != r),
        Less => truth(l < r),
        LessEqual => truth(l <= r),
        Greater => truth(l > r),
        GreaterEqual => truth(l >= r),
    }?;
    let result = types.integer_shape(ty)?;
    let bits = result.truncate(exact as u128);
    (!result.signed || result.value(bits) == exact).then_some(bits)
}

fn max_value(width: u32, signed: bool) -> i128 {
    if signed { (1 << (width - 1)) - 1 } else { (1 << width) - 1 }
}

/// The type an integer of this type is promoted to before arithmetic.
pub fn promoted(ty: TypeId, types: &mut TypeTable) -> TypeId {
    match types.integer_shape(ty) {
        Some(shape) if !types.is_pointer(ty) && shape.width < 32 => types.int(),
        _ => match types.get(ty) {
            Type::Enum(id) => types.enums[*id].underlying,
            _ => ty,
        },
    }
}

/// A type in which `op` is exact on operands of these types, and which holds all values of the third: twice the width,
/// 64 bits at least. Signed, unless both operands are unsigned and the result cannot be negative: the product of two
/// unsigned numbers can need all bits.
pub fn exact_type(op: BinaryOp, operands: [TypeId; 2], result: TypeId, types: &mut TypeTable) -> TypeId {
    let shape = |ty: TypeId| types.integer_shape(ty);
    let is_unsigned = |ty: TypeId| shape(ty).is_some_and(|shape| !shape.signed);
    let is_narrow = |ty: TypeId| shape(ty).is_some_and(|shape| shape.width <= 32);
    let never_negative = op != BinaryOp::Subtract && operands.into_iter().all(is_unsigned);
    let all_narrow = operands.into_iter().all(is_narrow) && is_narrow(result);
    types.integer(match (all_narrow, never_negative) {
        (true, true) => IntegerKind::UnsignedLongLong,
        (true, false) => IntegerKind::LongLong,
        (false, true) => IntegerKind::UnsignedInt128,
        (false, false) => IntegerKind::Int128,
    })
}
