//! The operators of terms. Names and meaning are SMT-LIB's; the overflow predicates are those of SMT-LIB 2.7.

use super::pool::{ConstantId, FunctionId, SymbolId};
use super::sort::FloatFormat;

/// How a float operation rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RoundingMode {
    /// To the nearest, ties to even: what C does unless told otherwise.
    NearestEven,
    /// To the nearest, ties away from zero.
    NearestAway,
    /// Toward +∞.
    TowardPositive,
    /// Toward -∞.
    TowardNegative,
    /// Toward zero: C's conversion to integers.
    TowardZero,
}

/// What stands at a node of the DAG.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // the names are SMT-LIB's; a line each would repeat them
pub enum Op {
    True,
    False,
    /// A bit-vector value.
    Constant(ConstantId),
    /// A declared symbol without arguments.
    Symbol(SymbolId),
    /// A declared function applied to arguments.
    Apply(FunctionId),

    Not,
    /// Two arguments or more.
    And,
    /// Two arguments or more.
    Or,
    Xor,
    Ite,
    /// Of any sort; on Bool it is "if and only if".
    Equal,

    BvNot,
    BvNeg,
    BvAnd,
    BvOr,
    BvXor,
    BvAdd,
    BvSub,
    BvMul,
    BvUdiv,
    BvSdiv,
    BvUrem,
    BvSrem,
    BvShl,
    BvLshr,
    BvAshr,
    Concat,
    Extract {
        high: u32,
        low: u32,
    },
    ZeroExtend {
        by: u32,
    },
    SignExtend {
        by: u32,
    },
    Ult,
    Ule,
    Slt,
    Sle,
    UaddOverflow,
    SaddOverflow,
    UsubOverflow,
    SsubOverflow,
    UmulOverflow,
    SmulOverflow,
    SnegOverflow,
    SdivOverflow,

    Select,
    Store,
    /// The array with the same element everywhere.
    ConstArray,

    FpAdd(RoundingMode),
    FpSub(RoundingMode),
    FpMul(RoundingMode),
    FpDiv(RoundingMode),
    FpSqrt(RoundingMode),
    FpFma(RoundingMode),
    FpRoundToIntegral(RoundingMode),
    /// IEEE 754's remainder: the quotient is rounded to nearest, ties to even.
    FpRem,
    /// C's `fmod`: the quotient is cut towards zero.
    FpFmod,
    FpNeg,
    FpAbs,
    /// The lesser; a number rather than NaN, and of two zeros the second, as x86 has it (SMT-LIB leaves that open).
    FpMin,
    /// The greater; otherwise as [`Op::FpMin`].
    FpMax,
    FpEqual,
    FpLess,
    FpLessOrEqual,
    FpIsNan,
    FpIsInfinite,
    FpIsZero,
    FpIsNormal,
    FpIsSubnormal,
    FpIsNegative,
    FpIsPositive,
    /// The float with these bits.
    FpFromBits(FloatFormat),
    FpFromFloat(RoundingMode, FloatFormat),
    FpFromSigned(RoundingMode, FloatFormat),
    FpFromUnsigned(RoundingMode, FloatFormat),
    /// Outside the range, which SMT-LIB leaves open: the least number.
    FpToSigned(RoundingMode, u32),
    /// Outside the range, which SMT-LIB leaves open: all ones.
    FpToUnsigned(RoundingMode, u32),
    /// The bits of the first argument; where it is not a number, a quiet NaN with sign and payload of the second.
    FpToBits,
}

impl Op {
    /// May the arguments of this binary operator be exchanged?
    pub fn is_commutative(self) -> bool {
        matches!(
            self,
            Op::And
                | Op::Or
                | Op::Xor
                | Op::Equal
                | Op::BvAnd
                | Op::BvOr
                | Op::BvXor
                | Op::BvAdd
                | Op::BvMul
                | Op::UaddOverflow
                | Op::SaddOverflow
                | Op::UmulOverflow
                | Op::SmulOverflow
                | Op::FpAdd(_)
                | Op::FpMul(_)
                | Op::FpEqual
        )
    }

    /// Does it stand without arguments?
    pub fn is_leaf(self) -> bool {
        matches!(self, Op::True | Op::False | Op::Constant(_) | Op::Symbol(_))
    }

    /// Is it about floats?
    pub fn is_float(self) -> bool {
        matches!(
            self,
            Op::FpAdd(_)
                | Op::FpSub(_)
                | Op::FpMul(_)
                | Op::FpDiv(_)
                | Op::FpSqrt(_)
                | Op::FpFma(_)
                | Op::FpRoundToIntegral(_)
                | Op::FpRem
                | Op::FpFmod
                | Op::FpNeg
                | Op::FpAbs
                | Op::FpMin
                | Op::FpMax
                | Op::FpEqual
                | Op::FpLess
                | Op::FpLessOrEqual
                | Op::FpIsNan
                | Op::FpIsInfinite
                | Op::FpIsZero
                | Op::FpIsNormal
                | Op::FpIsSubnormal
                | Op::FpIsNegative
                | Op::FpIsPositive
                | Op::FpFromBits(_)
                | Op::FpFromFloat(..)
                | Op::FpFromSigned(..)
                | Op::FpFromUnsigned(..)
                | Op::FpToSigned(..)
                | Op::FpToUnsigned(..)
                | Op::FpToBits
        )
    }
}
