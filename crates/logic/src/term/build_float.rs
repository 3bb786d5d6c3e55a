//! Constructors of float terms.

use super::op::{Op, RoundingMode};
use super::pool::{TermId, TermPool};
use super::sort::{FloatFormat, Sort};

impl TermPool {
    /// The format of a float term.
    ///
    /// # Panics
    /// When the term is not a float: that is a bug of the caller.
    pub fn float_format(&self, term: TermId) -> FloatFormat {
        match self.sort(term) {
            Sort::Float(format) => format,
            other => panic!("{term} is a float, not {other:?}"),
        }
    }

    fn same_format(&mut self, op: Op, arguments: &[TermId]) -> TermId {
        let sort = Sort::Float(self.float_format(arguments[0]));
        for &argument in arguments {
            self.expect_sort(argument, sort);
        }
        self.intern(op, sort, arguments)
    }

    fn float_test(&mut self, op: Op, arguments: &[TermId]) -> TermId {
        let sort = Sort::Float(self.float_format(arguments[0]));
        for &argument in arguments {
            self.expect_sort(argument, sort);
        }
        self.intern(op, Sort::Bool, arguments)
    }

    /// The value of a C `float`.
    pub fn float_constant(&mut self, value: f32) -> TermId {
        let bits = self.number(32, i128::from(value.to_bits()));
        self.fp_from_bits(bits, FloatFormat::SINGLE)
    }

    /// The value of a C `double`.
    pub fn double_constant(&mut self, value: f64) -> TermId {
        let bits = self.number(64, i128::from(value.to_bits()));
        self.fp_from_bits(bits, FloatFormat::DOUBLE)
    }

    /// The float with these bits; all NaNs are one value.
    pub fn fp_from_bits(&mut self, bits: TermId, format: FloatFormat) -> TermId {
        self.expect_sort(bits, Sort::BitVec(format.width()));
        self.intern(Op::FpFromBits(format), Sort::Float(format), &[bits])
    }

    /// A float converted to another format.
    pub fn fp_from_float(&mut self, mode: RoundingMode, a: TermId, format: FloatFormat) -> TermId {
        self.float_format(a);
        self.intern(Op::FpFromFloat(mode, format), Sort::Float(format), &[a])
    }

    /// A signed number converted to a float.
    pub fn fp_from_signed(&mut self, mode: RoundingMode, a: TermId, format: FloatFormat) -> TermId {
        self.width(a);
        self.intern(Op::FpFromSigned(mode, format), Sort::Float(format), &[a])
    }

    /// An unsigned number converted to a float.
    pub fn fp_from_unsigned(&mut self, mode: RoundingMode, a: TermId, format: FloatFormat) -> TermId {
        self.width(a);
        self.intern(Op::FpFromUnsigned(mode, format), Sort::Float(format), &[a])
    }

    /// A float converted to a signed number; the least one when out of range.
    pub fn fp_to_signed(&mut self, mode: RoundingMode, a: TermId, width: u32) -> TermId {
        self.float_format(a);
        self.intern(Op::FpToSigned(mode, width), Sort::BitVec(width), &[a])
    }

    /// A float converted to an unsigned number; all ones when out of range.
    pub fn fp_to_unsigned(&mut self, mode: RoundingMode, a: TermId, width: u32) -> TermId {
        self.float_format(a);
        self.intern(Op::FpToUnsigned(mode, width), Sort::BitVec(width), &[a])
    }

    /// The bits of a float. Which NaN it is, IEEE 754 leaves open: a quiet one with sign and payload of the other
    /// argument.
    pub fn fp_to_bits(&mut self, a: TermId, nan: TermId) -> TermId {
        let sort = Sort::BitVec(self.float_format(a).width());
        self.expect_sort(nan, sort);
        self.intern(Op::FpToBits, sort, &[a, nan])
    }

    /// a·b + c, rounded once.
    pub fn fp_fma(&mut self, mode: RoundingMode, a: TermId, b: TermId, c: TermId) -> TermId {
        self.same_format(Op::FpFma(mode), &[a, b, c])
    }
}

macro_rules! float_operators {
    ($($(#[$doc:meta])* $name:ident => $make:ident $op:expr, $([$mode:ident])? ( $($argument:ident),* );)*) => {
        impl TermPool {
            $($(#[$doc])* pub fn $name(&mut self, $($mode: RoundingMode,)? $($argument: TermId),*) -> TermId {
                self.$make($op, &[$($argument),*])
            })*
        }
    };
}

float_operators! {
    /// a + b
    fp_add => same_format Op::FpAdd(mode), [mode] (a, b);
    /// a - b
    fp_sub => same_format Op::FpSub(mode), [mode] (a, b);
    /// a * b
    fp_mul => same_format Op::FpMul(mode), [mode] (a, b);
    /// a / b
    fp_div => same_format Op::FpDiv(mode), [mode] (a, b);
    /// √a
    fp_sqrt => same_format Op::FpSqrt(mode), [mode] (a);
    /// a rounded to an integral value
    fp_round_to_integral => same_format Op::FpRoundToIntegral(mode), [mode] (a);
    /// IEEE remainder (C's `remainder`, not `fmod`)
    fp_rem => same_format Op::FpRem, (a, b);
    /// C's `fmod`
    fp_fmod => same_format Op::FpFmod, (a, b);
    /// -a
    fp_neg => same_format Op::FpNeg, (a);
    /// |a|
    fp_abs => same_format Op::FpAbs, (a);
    /// the smaller; of two zeros the second
    fp_min => same_format Op::FpMin, (a, b);
    /// the larger; of two zeros the second
    fp_max => same_format Op::FpMax, (a, b);
    /// C's `==`: -0 equals +0, NaN equals nothing
    fp_equal => float_test Op::FpEqual, (a, b);
    /// a < b
    fp_less => float_test Op::FpLess, (a, b);
    /// a ≤ b
    fp_less_or_equal => float_test Op::FpLessOrEqual, (a, b);
    /// Is it not a number?
    fp_is_nan => float_test Op::FpIsNan, (a);
    /// Is it +∞ or -∞?
    fp_is_infinite => float_test Op::FpIsInfinite, (a);
    /// Is it +0 or -0?
    fp_is_zero => float_test Op::FpIsZero, (a);
    /// Is it normal?
    fp_is_normal => float_test Op::FpIsNormal, (a);
    /// Is it subnormal?
    fp_is_subnormal => float_test Op::FpIsSubnormal, (a);
    /// Is it negative (-0 included, NaN not)?
    fp_is_negative => float_test Op::FpIsNegative, (a);
    /// Is it positive (+0 included, NaN not)?
    fp_is_positive => float_test Op::FpIsPositive, (a);
}
