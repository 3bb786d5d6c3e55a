//! The possible values of one scalar, whatever its type, and whether it was ever written.

use super::floats::FloatRange;
use super::number::Number;
use super::pointers::Pointers;
use program::types::IntegerShape;
use program::{FloatKind, TypeId, TypeTable};

/// What kind of scalar a type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `_Bool`, an integer or an enum.
    Integer(IntegerShape),
    /// A floating-point number of this format.
    Float(FloatKind),
    /// A pointer.
    Pointer,
}

impl Scalar {
    /// The scalar a type is; `None` for records, arrays and what is not computed with.
    pub fn of(ty: TypeId, types: &TypeTable) -> Option<Scalar> {
        if types.is_pointer(ty) {
            return Some(Scalar::Pointer);
        }
        if let Some(kind) = types.float_kind(ty) {
            return Some(Scalar::Float(kind));
        }
        types.integer_shape(ty).map(Scalar::Integer)
    }
}

/// Possible values of a scalar.
#[derive(Clone, Debug, PartialEq, Hash)]
pub enum Value {
    /// An integer.
    Integer(Number),
    /// A floating value.
    Float(FloatRange),
    /// A pointer.
    Pointer(Pointers),
}

impl Value {
    /// Every value of a scalar type.
    pub fn any(scalar: Scalar) -> Value {
        match scalar {
            Scalar::Integer(shape) => Value::Integer(Number::any(shape)),
            Scalar::Float(_) => Value::Float(FloatRange::ANY),
            Scalar::Pointer => Value::Pointer(Pointers::anything()),
        }
    }

    /// The value with all bits zero.
    pub fn zero(scalar: Scalar) -> Value {
        match scalar {
            Scalar::Integer(_) => Value::Integer(Number::only(0)),
            Scalar::Float(_) => Value::Float(FloatRange::only(0.0)),
            Scalar::Pointer => Value::Pointer(Pointers::null()),
        }
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<&Number> {
        match self {
            Value::Integer(number) => Some(number),
            _ => None,
        }
    }

    /// Is there no value?
    pub fn is_empty(&self) -> bool {
        match self {
            Value::Integer(number) => number.is_empty(),
            Value::Float(range) => range.is_empty(),
            Value::Pointer(pointers) => pointers.is_empty(),
        }
    }

    /// Does it say no more than the type?
    pub fn is_any(&self, scalar: Scalar) -> bool {
        match (self, scalar) {
            (Value::Integer(number), Scalar::Integer(shape)) => number.is_any(shape),
            (Value::Float(range), _) => *range == FloatRange::ANY,
            (Value::Pointer(pointers), _) => pointers.can_be_anything && pointers.can_be_null,
            _ => false,
        }
    }

    /// Values of either; `None` if they are of different kinds and nothing is known.
    pub fn join(&self, other: &Value, cap: usize) -> Option<Value> {
        Some(match (self, other) {
            (Value::Integer(one), Value::Integer(two)) => Value::Integer(one.join(two, cap)),
            (Value::Float(one), Value::Float(two)) => Value::Float(one.join(two)),
            (Value::Pointer(one), Value::Pointer(two)) => Value::Pointer(one.join(two, cap)),
            _ => return None,
        })
    }

    /// An upper bound that grows only so often.
    pub fn widen(&self, grown: &Value, thresholds: &[i128]) -> Option<Value> {
        Some(match (self, grown) {
            (Value::Integer(one), Value::Integer(two)) => Value::Integer(one.widen(two, thresholds)),
            (Value::Float(one), Value::Float(two)) => Value::Float(one.widen(two)),
            (Value::Pointer(one), Value::Pointer(two)) => Value::Pointer(one.widen(two, thresholds)),
            _ => return None,
        })
    }

    /// Values of both; the first where they cannot be compared.
    pub fn meet(&self, other: &Value) -> Value {
        match (self, other) {
            (Value::Integer(one), Value::Integer(two)) => Value::Integer(one.meet(two)),
            (Value::Float(one), Value::Float(two)) => Value::Float(one.meet(two)),
            (Value::Pointer(one), Value::Pointer(two)) => Value::Pointer(one.meet(two)),
            _ => self.clone(),
        }
    }

    /// Is every value possible in the other too?
    pub fn is_within(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Integer(one), Value::Integer(two)) => one.is_within(two),
            (Value::Float(one), Value::Float(two)) => one.is_within(two),
            (Value::Pointer(one), Value::Pointer(two)) => one.is_within(two),
            _ => false,
        }
    }
}

/// Was it written before it is read?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Written {
    /// In every run.
    Always,
    /// In some runs, or it is not known.
    Perhaps,
    /// In no run.
    Never,
}

/// What is known about one scalar.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Datum {
    /// Its value; if it was never written, any value of its type.
    pub value: Value,
    /// Whether it was written.
    pub written: Written,
}

impl Datum {
    /// A written value.
    pub fn of(value: Value) -> Datum {
        Datum { value, written: Written::Always }
    }

    /// Never written.
    pub fn unwritten(scalar: Scalar) -> Datum {
        Datum { value: Value::any(scalar), written: Written::Never }
    }

    fn written_in_either(&self, other: &Datum) -> Written {
        if self.written == other.written { self.written } else { Written::Perhaps }
    }

    /// See [`Value::join`].
    pub fn join(&self, other: &Datum, cap: usize) -> Option<Datum> {
        Some(Datum { value: self.value.join(&other.value, cap)?, written: self.written_in_either(other) })
    }

    /// See [`Value::widen`].
    pub fn widen(&self, grown: &Datum, thresholds: &[i128]) -> Option<Datum> {
        Some(Datum {
            value: self.value.widen(&grown.value, thresholds)?,
            written: self.written_in_either(grown),
        })
    }

    /// Is all that is possible here possible in the other?
    pub fn is_within(&self, other: &Datum) -> bool {
        (self.written == other.written || other.written == Written::Perhaps)
            && self.value.is_within(&other.value)
    }
}
