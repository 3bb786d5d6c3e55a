//! The integer types of C as the generator needs them: widths, ranges, promotions and the usual conversions.
//! Written independently of `csource` on purpose: a mistake there must not be repeated here.

use super::Model;

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Int {
    /// `_Bool`
    Bool,
    /// `char`, signed on x86.
    Char,
    /// `signed char`
    SignedChar,
    /// `unsigned char`
    UnsignedChar,
    /// `short`
    Short,
    /// `unsigned short`
    UnsignedShort,
    /// `int`
    Plain,
    /// `unsigned int`
    Unsigned,
    /// `long`
    Long,
    /// `unsigned long`
    UnsignedLong,
    /// `long long`
    LongLong,
    /// `unsigned long long`
    UnsignedLongLong,
}

use Int::*;

/// All of them.
pub const ALL: [Int; 12] = [
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Plain,
    Unsigned,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
];

/// A closed interval of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Least value.
    pub low: i128,
    /// Greatest value.
    pub high: i128,
}

impl Range {
    /// From `low` to `high`.
    pub fn new(low: i128, high: i128) -> Range {
        debug_assert!(low <= high, "an interval has its ends in order");
        Range { low, high }
    }

    /// Is every value of `self` in `other`?
    pub fn fits(self, other: Range) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    /// The smallest interval around both.
    pub fn join(self, other: Range) -> Range {
        Range::new(self.low.min(other.low), self.high.max(other.high))
    }

    /// Is zero among the values?
    pub fn has_zero(self) -> bool {
        self.low <= 0 && 0 <= self.high
    }
}

impl Int {
    /// Width in bits.
    pub fn width(self, model: Model) -> u32 {
        match self {
            Bool => 1,
            Char | SignedChar | UnsignedChar => 8,
            Short | UnsignedShort => 16,
            Plain | Unsigned => 32,
            Long | UnsignedLong => match model {
                Model::Lp64 => 64,
                Model::Ilp32 => 32,
            },
            LongLong | UnsignedLongLong => 64,
        }
    }

    /// Can it be negative?
    pub fn is_signed(self) -> bool {
        matches!(self, Char | SignedChar | Short | Plain | Long | LongLong)
    }

    /// Its values.
    pub fn range(self, model: Model) -> Range {
        let width = self.width(model);
        if self.is_signed() {
            Range::new(-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1)
        } else {
            Range::new(0, (1i128 << width) - 1)
        }
    }

    /// One of the ways to spell it, chosen by `choice`.
    pub fn spelling(self, choice: usize) -> &'static str {
        let ways: &[&'static str] = match self {
            Bool => &["_Bool"],
            Char => &["char"],
            SignedChar => &["signed char"],
            UnsignedChar => &["unsigned char"],
            Short => &["short", "short int", "signed short"],
            UnsignedShort => &["unsigned short", "short unsigned int"],
            Plain => &["int", "int", "signed", "signed int"],
            Unsigned => &["unsigned", "unsigned int"],
            Long => &["long", "long int", "signed long"],
            UnsignedLong => &["unsigned long", "long unsigned int"],
            LongLong => &["long long", "long long int"],
            UnsignedLongLong => &["unsigned long long", "long long unsigned"],
        };
        ways[choice % ways.len()]
    }

    /// The unsigned type of the same width.
    pub fn unsigned(self) -> Int {
        match self {
            Bool => Bool,
            Char | SignedChar | UnsignedChar => UnsignedChar,
            Short | UnsignedShort => UnsignedShort,
            Plain | Unsigned => Unsigned,
            Long | UnsignedLong => UnsignedLong,
            LongLong | UnsignedLongLong => UnsignedLongLong,
        }
    }

    /// C11 6.3.1.1p2: what is smaller than `int` becomes `int`, which holds all their values.
    pub fn promoted(self) -> Int {
        if self < Plain { Plain } else { self }
    }

    fn rank(self) -> u32 {
        match self {
            Bool => 0,
            Char | SignedChar | UnsignedChar => 1,
            Short | UnsignedShort => 2,
            Plain | Unsigned => 3,
            Long | UnsignedLong => 4,
            LongLong | UnsignedLongLong => 5,
        }
    }

    /// C11 6.3.1.8: the type two operands meet in.
    pub fn common(self, other: Int, model: Model) -> Int {
        let (left, right) = (self.promoted(), other.promoted());
        if left == right {
            return left;
        }
        if left.is_signed() == right.is_signed() {
            return if left.rank() >= right.rank() { left } else { right };
        }
        let (signed, unsigned) = if left.is_signed() { (left, right) } else { (right, left) };
        if unsigned.rank() >= signed.rank() {
            unsigned
        } else if unsigned.width(model) < signed.width(model) {
            signed
        } else {
            signed.unsigned()
        }
    }

    /// The values after a conversion to this type of something that lies in `from`.
    pub fn convert(self, from: Range, model: Model) -> Range {
        if self == Bool {
            return match from {
                Range { low: 0, high: 0 } => Range::new(0, 0),
                range if !range.has_zero() => Range::new(1, 1),
                _ => Range::new(0, 1),
            };
        }
        let all = self.range(model);
        if from.fits(all) { from } else { all }
    }

    /// The `printf` conversion for a value of this type after default promotion.
    pub fn conversion(self) -> &'static str {
        match self {
            Bool | Char | SignedChar | Short | Plain => "%d",
            UnsignedChar | UnsignedShort => "%d",
            Unsigned => "%u",
            Long => "%ld",
            UnsignedLong => "%lu",
            LongLong => "%lld",
            UnsignedLongLong => "%llu",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_meet_as_c_says() {
        assert_eq!(Char.common(UnsignedShort, Model::Lp64), Plain);
        assert_eq!(Long.common(Unsigned, Model::Lp64), Long);
        assert_eq!(Long.common(Unsigned, Model::Ilp32), UnsignedLong);
        assert_eq!(LongLong.common(UnsignedLong, Model::Lp64), UnsignedLongLong);
        assert_eq!(LongLong.common(UnsignedLong, Model::Ilp32), LongLong);
        assert_eq!(Plain.common(Unsigned, Model::Lp64), Unsigned);
    }

    #[test]
    fn conversions_keep_what_fits() {
        let small = Range::new(-3, 5);
        assert_eq!(SignedChar.convert(small, Model::Lp64), small);
        assert_eq!(UnsignedChar.convert(small, Model::Lp64), Range::new(0, 255));
        assert_eq!(Bool.convert(small, Model::Lp64), Range::new(0, 1));
        assert_eq!(Bool.convert(Range::new(2, 9), Model::Lp64), Range::new(1, 1));
    }
}
