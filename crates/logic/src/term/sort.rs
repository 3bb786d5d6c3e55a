//! Sorts: what kind of value a term has.

base::define_id!(
    /// An array sort of one pool; see [`TermPool::array_parts`](super::TermPool::array_parts).
    ArraySortId,
    "arraysort"
);

base::define_id!(
    /// The name of an uninterpreted sort of one pool.
    SortNameId,
    "sort"
);

/// The kind of value a term has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    /// True or false.
    Bool,
    /// This many bits, at least one.
    BitVec(u32),
    /// A total map between two sorts.
    Array(ArraySortId),
    /// IEEE 754 numbers.
    Float(FloatFormat),
    /// A non-empty set nothing is known about.
    Uninterpreted(SortNameId),
}

/// An IEEE 754 binary format, as SMT-LIB counts its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FloatFormat {
    /// Bits of the exponent.
    pub exponent: u32,
    /// Bits of the significand, the hidden one included.
    pub significand: u32,
}

impl FloatFormat {
    /// C's `float` on every machine Concord knows: binary32.
    pub const SINGLE: FloatFormat = FloatFormat { exponent: 8, significand: 24 };
    /// C's `double`: binary64.
    pub const DOUBLE: FloatFormat = FloatFormat { exponent: 11, significand: 53 };

    /// x86's `long double`, without the bit that it stores in front of the fraction.
    pub const EXTENDED: FloatFormat = FloatFormat { exponent: 15, significand: 64 };
    /// `__float128`: binary128.
    pub const QUAD: FloatFormat = FloatFormat { exponent: 15, significand: 113 };

    /// Bits of the whole number.
    pub fn width(self) -> u32 {
        self.exponent + self.significand
    }
}

impl Sort {
    /// The width, of a bit-vector.
    pub fn width(self) -> Option<u32> {
        match self {
            Sort::BitVec(width) => Some(width),
            _ => None,
        }
    }
}
