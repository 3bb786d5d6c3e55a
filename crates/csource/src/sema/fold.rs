//! Constant expressions: the value of a typed expression, if it has one at compile time.
//!
//! The tree itself is left as it is, so that an overflow in it is still seen where it happens at run time; only where C
//! asks for a constant (array lengths, `case`, enumerators …) the value computed here is used. As in GCC, anything that
//! folds is taken for a constant, beyond what C11 6.6 grants.

use super::analyser::Analyser;
use super::floats;
use crate::tree::{BinaryOp, Expr, ExprKind, Initializer, Storage, UnaryOp, Unit};
use crate::types::{FloatKind, IntegerShape, Type, TypeId, TypeTable};
use std::cell::Cell;
use std::cmp::Ordering;

/// The value of a constant expression; its type is the expression's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Constant {
    /// Bits of an integer or a pointer.
    Integer(u128),
    /// Bits of a float.
    Float(u128),
}

/// May the values of `const` variables be used?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadConstants {
    /// No: C's rule for array lengths and cases.
    No,
    /// Yes: GCC's rule for static initialisers.
    Yes,
}

struct Folder<'a> {
    types: &'a TypeTable,
    unit: &'a Unit,
    read_constants: ReadConstants,
    overflowed: Cell<bool>,
}

impl Analyser<'_> {
    /// The value, if it is constant.
    pub fn fold(&self, e: &Expr) -> Option<Constant> {
        self.folder(ReadConstants::No).fold(e)
    }

    /// The value of a static initialiser, if it is a number.
    pub fn fold_initializer(&self, e: &Expr) -> Option<Constant> {
        self.folder(ReadConstants::Yes).fold(e)
    }

    /// The bits of a constant of integer or pointer type.
    pub fn fold_integer(&self, e: &Expr) -> Option<u128> {
        match self.fold(e) {
            Some(Constant::Integer(bits)) => Some(bits),
            _ => None,
        }
    }

    /// The mathematical value of an integer constant; warns when it overflowed on the way.
    pub fn constant_value(&mut self, e: &Expr) -> Option<i128> {
        let folder = self.folder(ReadConstants::No);
        let Some(Constant::Integer(bits)) = folder.fold(e) else { return None };
        let overflowed = folder.overflowed.get();
        let value = self.shape(e.ty.id)?.value(bits);
        if overflowed {
            let message = "this constant expression overflows; its value wraps around";
            self.warn("constant-overflow", e.span, message);
        }
        Some(value)
    }

    fn folder(&self, read_constants: ReadConstants) -> Folder<'_> {
        Folder { types: self.types(), unit: &self.unit, read_constants, overflowed: Cell::new(false) }
    }
}

/// The value of a static initialiser in a finished unit.
pub(super) fn fold_in(types: &TypeTable, unit: &Unit, e: &Expr) -> Option<Constant> {
    Folder { types, unit, read_constants: ReadConstants::Yes, overflowed: Cell::new(false) }.fold(e)
}

/// The number that a static object of integer type starts with, as GCC computes it: what does not fit when a floating
/// constant is converted becomes the nearest number of the type.
pub fn initial_integer(types: &TypeTable, unit: &Unit, e: &Expr) -> Option<u128> {
    match fold_in(types, unit, e) {
        Some(Constant::Integer(bits)) => Some(bits),
        _ => None,
    }
}

/// Is the value known to GCC when it compiles the expression where it is evaluated at run time?
pub fn is_constant(types: &TypeTable, unit: &Unit, e: &Expr) -> bool {
    let folder = Folder { types, unit, read_constants: ReadConstants::No, overflowed: Cell::new(false) };
    folder.fold(e).is_some()
}

impl Folder<'_> {
    fn fold(&self, e: &Expr) -> Option<Constant> {
        match &e.kind {
            ExprKind::Integer(bits) => Some(Constant::Integer(*bits)),
            ExprKind::Float(bits) => Some(Constant::Float(*bits)),
            ExprKind::Unary(op, operand) => self.fold_unary(*op, operand, e.ty.id),
            ExprKind::Binary(op, a, b) => self.fold_binary(*op, a, b, e.ty.id),
            ExprKind::LogicalAnd(a, b) => match self.is_true(a)? {
                false => Some(Constant::Integer(0)),
                true => Some(Constant::Integer(u128::from(self.is_true(b)?))),
            },
            ExprKind::LogicalOr(a, b) => match self.is_true(a)? {
                true => Some(Constant::Integer(1)),
                false => Some(Constant::Integer(u128::from(self.is_true(b)?))),
            },
            ExprKind::Conditional(c, a, b) => self.fold(if self.is_true(c)? { a } else { b }),
            ExprKind::ConditionalOrElse(c, b) => match self.is_true(c)? {
                true => self.convert(self.fold(c)?, c.ty.id, e.ty.id),
                false => self.fold(b),
            },
            ExprKind::Cast { operand, .. } => {
                let value = self.fold(operand)?;
                self.convert(value, operand.ty.id, e.ty.id)
            }
            ExprKind::AddressOf(lvalue) | ExprKind::Decay(lvalue) => {
                self.address(lvalue).map(Constant::Integer)
            }
            ExprKind::PointerAdd { .. } => self.pointer(e).map(Constant::Integer),
            ExprKind::PointerDifference(a, b) => {
                let size = self.pointee_size(a.ty.id).filter(|&size| size > 0)? as i128;
                let shape = self.types.integer_shape(e.ty.id)?;
                let difference = shape.value(self.pointer(a)?.wrapping_sub(self.pointer(b)?));
                Some(Constant::Integer(shape.truncate((difference / size) as u128)))
            }
            ExprKind::Call { callee, arguments } => self.fold_length_of_literal(callee, arguments),
            ExprKind::Builtin { name, arguments } => self.fold_builtin(name, arguments, e.ty.id),
            ExprKind::Variable(_) | ExprKind::Member { .. } => self.fold_constant_variable(e),
            _ => None,
        }
    }

    fn is_true(&self, e: &Expr) -> Option<bool> {
        // The address of an object or function is never null.
        if let ExprKind::Decay(inner) | ExprKind::AddressOf(inner) = &e.kind
            && matches!(inner.kind, ExprKind::Variable(_) | ExprKind::String(_))
        {
            return Some(true);
        }
        Some(match self.fold(e)? {
            Constant::Integer(bits) => bits != 0,
            Constant::Float(bits) => !floats::is_zero(bits, self.types.float_kind(e.ty.id)?),
        })
    }

    fn convert(&self, value: Constant, from: TypeId, to: TypeId) -> Option<Constant> {
        let target = self.types.get(to);
        match value {
            Constant::Integer(bits) => {
                let shape = self.types.integer_shape(from)?;
                if let Type::Bool = target {
                    return Some(Constant::Integer(u128::from(shape.truncate(bits) != 0)));
                }
                if let Some(kind) = self.types.float_kind(to) {
                    return Some(Constant::Float(floats::from_integer(bits, shape, kind)));
                }
                let result = self.types.integer_shape(to)?;
                Some(Constant::Integer(result.truncate(shape.value(bits) as u128)))
            }
            Constant::Float(bits) => {
                let kind = self.types.float_kind(from)?;
                if let Type::Bool = target {
                    return Some(Constant::Integer(u128::from(!floats::is_zero(bits, kind))));
                }
                if let Some(to) = self.types.float_kind(to) {
                    return Some(Constant::Float(floats::convert(bits, kind, to)));
                }
                let shape = self.types.integer_shape(to)?;
                let (value, fits) = floats::to_integer(bits, kind, shape);
                self.overflowed.set(self.overflowed.get() || !fits);
                Some(Constant::Integer(value))
            }
        }
    }

    fn fold_unary(&self, op: UnaryOp, operand: &Expr, ty: TypeId) -> Option<Constant> {
        if op == UnaryOp::Not {
            return Some(Constant::Integer(u128::from(!self.is_true(operand)?)));
        }
        match (self.fold(operand)?, op) {
            (Constant::Float(bits), UnaryOp::Negate) => {
                Some(Constant::Float(floats::negate(bits, self.types.float_kind(ty)?)))
            }
            (Constant::Integer(bits), UnaryOp::Negate) => {
                let shape = self.types.integer_shape(ty)?;
                let result = shape.truncate(bits.wrapping_neg());
                let overflows = shape.signed && bits != 0 && result == shape.truncate(bits);
                self.overflowed.set(self.overflowed.get() || overflows);
                Some(Constant::Integer(result))
            }
            (Constant::Integer(bits), UnaryOp::BitNot) => {
                Some(Constant::Integer(self.types.integer_shape(ty)?.truncate(!bits)))
            }
            _ => None,
        }
    }

    fn fold_binary(&self, op: BinaryOp, a: &Expr, b: &Expr, ty: TypeId) -> Option<Constant> {
        let (x, y) = (self.fold(a)?, self.fold(b)?);
        match (x, y) {
            (Constant::Float(x), Constant::Float(y)) => {
                let kind = self.types.float_kind(a.ty.id)?;
                if let Some(holds) = comparison(op, floats::compare(x, y, kind)) {
                    return Some(Constant::Integer(u128::from(holds)));
                }
                floats::arithmetic(op, x, y, kind).map(Constant::Float)
            }
            (Constant::Integer(x), Constant::Integer(y)) => {
                let (left, right) = (self.types.integer_shape(a.ty.id)?, self.types.integer_shape(b.ty.id)?);
                let order = if left.signed {
                    left.value(x).cmp(&left.value(y))
                } else {
                    left.truncate(x).cmp(&left.truncate(y))
                };
                if let Some(holds) = comparison(op, Some(order)) {
                    return Some(Constant::Integer(u128::from(holds)));
                }
                let shape = self.types.integer_shape(ty)?;
                let shift = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
                let y = if shift { right.value(y) as u128 } else { y };
                let (bits, overflows) = integer_arithmetic(op, x, y, shape)?;
                self.overflowed.set(self.overflowed.get() || overflows);
                Some(Constant::Integer(bits))
            }
            _ => None,
        }
    }

    /// The absolute address of an lvalue that hangs on a constant pointer, as in the classic `offsetof`.
    fn address(&self, lvalue: &Expr) -> Option<u128> {
        match &lvalue.kind {
            ExprKind::Deref(pointer) => self.pointer(pointer),
            ExprKind::Member { base, record, field } => {
                let layout = self.types.records[*record].layout.as_ref()?;
                let offset = layout.fields.get(*field as usize)?.byte_offset();
                Some(self.cut(self.address(base)?.wrapping_add(u128::from(offset))))
            }
            _ => None,
        }
    }

    fn pointer(&self, e: &Expr) -> Option<u128> {
        match &e.kind {
            ExprKind::PointerAdd { pointer, index, backwards } => {
                let size = u128::from(self.pointee_size(pointer.ty.id)?);
                let Constant::Integer(bits) = self.fold(index)? else { return None };
                let by = (self.types.integer_shape(index.ty.id)?.value(bits) as u128).wrapping_mul(size);
                let from = self.pointer(pointer)?;
                Some(self.cut(if *backwards { from.wrapping_sub(by) } else { from.wrapping_add(by) }))
            }
            _ => match self.fold(e)? {
                Constant::Integer(bits) => Some(bits),
                Constant::Float(_) => None,
            },
        }
    }

    fn cut(&self, address: u128) -> u128 {
        IntegerShape { width: self.types.pointer_width(), signed: false }.truncate(address)
    }

    fn pointee_size(&self, pointer: TypeId) -> Option<u64> {
        let to = self.types.pointee(pointer)?;
        match self.types.get(to.id) {
            Type::Void | Type::Function(_) => Some(1),
            _ => self.types.size_of(to.id),
        }
    }

    /// GCC takes the value of a `const` static variable for a constant in static initialisers.
    fn fold_constant_variable(&self, e: &Expr) -> Option<Constant> {
        let ExprKind::Variable(id) = e.kind else { return None };
        if self.read_constants == ReadConstants::No
            || !e.ty.qualifiers.is_const
            || e.ty.qualifiers.is_volatile
        {
            return None;
        }
        let variable = &self.unit.variables[id];
        if matches!(variable.storage, Storage::Local | Storage::Parameter | Storage::External) {
            return None;
        }
        match &variable.initializer {
            Some(Initializer::Value(value)) => self.fold(value),
            _ => None,
        }
    }

    /// GCC takes `strlen("text")` for a constant.
    fn fold_length_of_literal(&self, callee: &Expr, arguments: &[Expr]) -> Option<Constant> {
        let ExprKind::Function(id) = callee.kind else { return None };
        let function = &self.unit.functions[id];
        if &*function.name != "strlen" || function.body.is_some() {
            return None;
        }
        let mut argument = arguments.first()?;
        while let ExprKind::Cast { operand, .. } = &argument.kind {
            argument = operand;
        }
        let ExprKind::Decay(literal) = &argument.kind else { return None };
        let ExprKind::String(string) = literal.kind else { return None };
        let length = self.unit.strings[string].units.iter().position(|&unit| unit == 0)?;
        Some(Constant::Integer(length as u128))
    }

    fn fold_builtin(&self, name: &str, arguments: &[Expr], ty: TypeId) -> Option<Constant> {
        let result = self.types.integer_shape(ty)?;
        let plain = name.strip_prefix("__builtin_")?;
        if plain == "fpclassify" {
            let (value, classes) = arguments.split_last()?;
            let Constant::Float(bits) = self.fold(value)? else { return None };
            let class = floats::class(bits, self.types.float_kind(value.ty.id)?);
            return self.fold(classes.get(class as usize)?);
        }
        let argument = arguments.first()?;
        if let Constant::Float(bits) = self.fold(argument)? {
            let kind = self.types.float_kind(argument.ty.id)?;
            return Some(Constant::Integer(u128::from(match plain {
                "isnan" | "isnanf" | "isnanl" => floats::is_nan(bits, kind),
                "isinf" | "isinff" | "isinfl" => floats::is_infinite(bits, kind),
                "isfinite" | "finite" => !floats::is_infinite(bits, kind) && !floats::is_nan(bits, kind),
                "isnormal" => floats::class(bits, kind) == floats::Class::Normal,
                "isinf_sign" => {
                    let is_infinite = floats::is_infinite(bits, kind);
                    let sign = if floats::is_negative(bits, kind) { u128::MAX } else { 1 };
                    return Some(Constant::Integer(if is_infinite { result.truncate(sign) } else { 0 }));
                }
                "signbit" | "signbitf" | "signbitl" => floats::is_negative(bits, kind),
                _ => return None,
            })));
        }
        let Constant::Integer(bits) = self.fold(argument)? else { return None };
        let shape = self.types.integer_shape(argument.ty.id)?;
        let (bits, width) = (shape.truncate(bits), shape.width);
        let stem = plain.trim_end_matches(|c: char| c == 'l' || c.is_ascii_digit());
        let value = match stem {
            "bswap" => bits.swap_bytes() >> (128 - width),
            "popcount" => u128::from(bits.count_ones()),
            "parity" => u128::from(bits.count_ones() % 2),
            "clz" if bits != 0 => u128::from(bits.leading_zeros() - (128 - width)),
            "ctz" if bits != 0 => u128::from(bits.trailing_zeros()),
            "ffs" => u128::from(if bits == 0 { 0 } else { bits.trailing_zeros() + 1 }),
            "clrsb" => {
                let value = shape.value(bits);
                let magnitude = if value < 0 { !value } else { value } as u128;
                u128::from(magnitude.leading_zeros() - (128 - width) - 1)
            }
            _ => return None,
        };
        Some(Constant::Integer(result.truncate(value)))
    }
}

/// What a comparison operator says of an order; `None` for other operators. Unordered floats are only unequal.
fn comparison(op: BinaryOp, order: Option<Ordering>) -> Option<bool> {
    use Ordering::{Equal, Greater, Less};
    Some(match op {
        BinaryOp::Equal => order == Some(Equal),
        BinaryOp::NotEqual => order != Some(Equal),
        BinaryOp::Less => order == Some(Less),
        BinaryOp::LessEqual => matches!(order, Some(Less | Equal)),
        BinaryOp::Greater => order == Some(Greater),
        BinaryOp::GreaterEqual => matches!(order, Some(Greater | Equal)),
        _ => return None,
    })
}

/// The wrapped result and whether it overflowed; `None` where there is no value (division by zero, bad shift).
/// For shifts, `y` is the count as a wide number.
fn integer_arithmetic(op: BinaryOp, x: u128, y: u128, shape: IntegerShape) -> Option<(u128, bool)> {
    let (a, b) = (shape.value(x), shape.value(y));
    // Up to 64 bits, exact results fit in an i128; above, the checked operations of Rust say it.
    let exact = |wide: Option<i128>, wrapped: u128| {
        let bits = shape.truncate(wrapped);
        (bits, shape.signed && wide != Some(shape.value(bits)))
    };
    let plain = |bits: u128| (shape.truncate(bits), false);
    Some(match op {
        BinaryOp::Add => exact(a.checked_add(b), x.wrapping_add(y)),
        BinaryOp::Subtract => exact(a.checked_sub(b), x.wrapping_sub(y)),
        BinaryOp::Multiply => exact(a.checked_mul(b), x.wrapping_mul(y)),
        BinaryOp::Divide | BinaryOp::Remainder if shape.truncate(y) == 0 => return None,
        BinaryOp::Divide if shape.signed => exact(a.checked_div(b), a.wrapping_div(b) as u128),
        BinaryOp::Divide => plain(shape.truncate(x) / shape.truncate(y)),
        BinaryOp::Remainder if shape.signed => plain(a.wrapping_rem(b) as u128),
        BinaryOp::Remainder => plain(shape.truncate(x) % shape.truncate(y)),
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight if y >= u128::from(shape.width) => return None,
        BinaryOp::ShiftLeft => plain(x << y),
        BinaryOp::ShiftRight => plain(if shape.signed { (a >> y) as u128 } else { shape.truncate(x) >> y }),
        BinaryOp::BitAnd => plain(x & y),
        BinaryOp::BitOr => plain(x | y),
        BinaryOp::BitXor => plain(x ^ y),
        _ => return None,
    })
}

/// The kinds of float, for callers that only need the type of a constant.
pub(super) fn float_kind_of_suffix(suffix: crate::syntax::FloatSuffix) -> FloatKind {
    use crate::syntax::FloatSuffix;
    match suffix {
        FloatSuffix::Double => FloatKind::Double,
        FloatSuffix::Float => FloatKind::Float,
        FloatSuffix::LongDouble => FloatKind::LongDouble,
        FloatSuffix::Float128 => FloatKind::Float128,
    }
}
