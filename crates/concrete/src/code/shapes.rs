//! What a type needs when values of it are kept, loaded and stored.

use super::WordForm;
use crate::inputs::InputShape;
use program::{FloatKind, Type, TypeId, TypeTable};

/// Width and sign of an integer kept in 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// 1 to 64.
    pub width: u8,
    /// Is it signed?
    pub signed: bool,
}

impl Shape {
    /// The low bits, extended by the sign.
    #[inline]
    pub fn extend(self, bits: u64) -> u64 {
        let unused = 64 - u32::from(self.width);
        if self.signed { ((bits << unused) as i64 >> unused) as u64 } else { (bits << unused) >> unused }
    }

    /// The low bits alone.
    #[inline]
    pub fn cut(self, bits: u64) -> u64 {
        let unused = 64 - u32::from(self.width);
        (bits << unused) >> unused
    }
}

/// What a wide value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WideKind {
    /// A 128-bit integer; signed or not.
    Integer {
        /// Is it signed?
        signed: bool,
    },
    /// `long double` or `__float128`.
    Float(FloatKind),
}

/// How values of a type are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// An integer of up to 64 bits.
    Integer {
        /// Width and sign of the value.
        shape: Shape,
        /// Bytes in memory.
        size: u8,
        /// Is it `_Bool`?
        is_bool: bool,
    },
    /// `float` or `double`.
    Float(FloatKind),
    /// A wide value with that many bytes that matter in memory.
    Wide(WideKind, u8),
    /// A pointer.
    Pointer,
    /// A record or an array of so many bytes.
    Aggregate(u64),
    /// No value, or none whose size is known.
    Nothing,
}

impl Class {
    /// How a word of this class lies in memory.
    pub fn word_form(self) -> Option<WordForm> {
        Some(match self {
            Class::Integer { shape, size, is_bool } => WordForm::Whole { size, shape, is_bool },
            Class::Float(FloatKind::Float) => {
                WordForm::Whole { size: 4, shape: Shape { width: 32, signed: false }, is_bool: false }
            }
            Class::Float(_) => {
                WordForm::Whole { size: 8, shape: Shape { width: 64, signed: false }, is_bool: false }
            }
            _ => return None,
        })
    }

    /// Is it kept in one or two registers when outside memory?
    pub fn registers(self) -> u32 {
        if matches!(self, Class::Wide(..)) { 2 } else { 1 }
    }

    /// The kind of input that can be a value of it.
    pub fn input_shape(self, word: usize) -> Option<InputShape> {
        Some(match self {
            Class::Integer { is_bool: true, .. } => InputShape::Bool,
            Class::Integer { shape, .. } => {
                InputShape::Integer { width: u32::from(shape.width), signed: shape.signed }
            }
            Class::Float(kind) | Class::Wide(WideKind::Float(kind), _) => InputShape::Float(kind),
            Class::Wide(WideKind::Integer { signed }, _) => InputShape::Integer { width: 128, signed },
            Class::Pointer => InputShape::Pointer { width: word as u32 * 8 },
            Class::Aggregate(_) | Class::Nothing => return None,
        })
    }
}

/// How values of a type are kept.
pub fn class_of(types: &TypeTable, ty: TypeId) -> Class {
    match types.get(ty) {
        Type::Bool => Class::Integer { shape: Shape { width: 1, signed: false }, size: 1, is_bool: true },
        Type::Integer(_) | Type::Enum(_) => {
            let Some(shape) = types.integer_shape(ty) else { return Class::Nothing };
            if shape.width > 64 {
                return Class::Wide(WideKind::Integer { signed: shape.signed }, 16);
            }
            let width = shape.width as u8;
            let size = types.size_of(ty).unwrap_or(0) as u8;
            Class::Integer { shape: Shape { width, signed: shape.signed }, size, is_bool: width == 1 }
        }
        Type::Float(kind @ (FloatKind::Float | FloatKind::Double)) => Class::Float(*kind),
        // Ten bytes are the value, the rest is padding that nothing writes.
        Type::Float(FloatKind::LongDouble) => Class::Wide(WideKind::Float(FloatKind::LongDouble), 10),
        Type::Float(FloatKind::Float128) => Class::Wide(WideKind::Float(FloatKind::Float128), 16),
        Type::Pointer(_) => Class::Pointer,
        Type::Record(_) | Type::Array(..) | Type::Complex(_) | Type::Vector(..) => {
            types.size_of(ty).map_or(Class::Nothing, Class::Aggregate)
        }
        Type::Void | Type::Function(_) | Type::Error => Class::Nothing,
    }
}

/// Width and sign of an integer type of up to 64 bits; pointers count as unsigned.
pub fn scalar_shape(types: &TypeTable, ty: TypeId) -> Option<Shape> {
    let shape = types.integer_shape(ty).filter(|shape| shape.width <= 64)?;
    Some(Shape { width: shape.width as u8, signed: shape.signed })
}
