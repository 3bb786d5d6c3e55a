//! The circuits on drawn values, without a solver: small formats exhaustively against exact arithmetic, the formats of
//! C against the machine and `rustc_apfloat` (by way of `evaluate_float`). With CONCORD_DEEP set, 10^6 rows for each
//! operation.

use super::simulate::{Counter, Machine};
use super::{ALL_STEPS, FIRST_STEPS};
use crate::bits::Bits;
use crate::blast::words::{Circuit, Word};
use crate::evaluate_float::apply_float;
use crate::model::Value;
use crate::term::{FloatFormat, Op, RoundingMode, Sort};
use base::random::Random;
use std::cmp::Ordering;

const MODES: [RoundingMode; 5] = [
    RoundingMode::NearestEven,
    RoundingMode::NearestAway,
    RoundingMode::TowardPositive,
    RoundingMode::TowardNegative,
    RoundingMode::TowardZero,
];

/// The circuit of an operator, with a NaN of the one kind wherever bits are a NaN.
fn circuit(circuit: &mut Circuit<'_, Counter>, op: Op, format: FloatFormat, inputs: &[Word]) -> Word {
    let floats: Vec<Word> = match op {
        Op::FpFromSigned(..) | Op::FpFromUnsigned(..) => inputs.to_vec(),
        _ => inputs.iter().map(|word| circuit.float_from_bits(word, format)).collect(),
    };
    let a = &floats[0];
    let b = floats.get(1).map_or(&[][..], |word| word);
    match op {
        Op::FpAdd(mode) => circuit.float_add(mode, a, b, format),
        Op::FpSub(mode) => circuit.float_sub(mode, a, b, format),
        Op::FpMul(mode) => circuit.float_mul(mode, a, b, format),
        Op::FpDiv(mode) => circuit.float_div(mode, a, b, format),
        Op::FpSqrt(mode) => circuit.float_sqrt(mode, a, format),
        Op::FpFma(mode) => circuit.float_fma(mode, a, b, &floats[2], format),
        Op::FpRoundToIntegral(mode) => circuit.float_to_integral(mode, a, format),
        Op::FpRem => circuit.float_remainder(a, b, true, ALL_STEPS, format).word,
        Op::FpFmod => circuit.float_remainder(a, b, false, ALL_STEPS, format).word,
        Op::FpMin => circuit.float_extremum(a, b, false, format),
        Op::FpMax => circuit.float_extremum(a, b, true, format),
        Op::FpLess => vec![circuit.float_less(a, b, false, format)],
        Op::FpLessOrEqual => vec![circuit.float_less(a, b, true, format)],
        Op::FpEqual => vec![circuit.float_equal(a, b, format)],
        Op::FpNeg => circuit.float_neg(a, format),
        Op::FpFromFloat(mode, to) => circuit.float_to_float(mode, a, format, to),
        Op::FpFromSigned(mode, to) => circuit.integer_to_float(mode, a, true, to),
        Op::FpFromUnsigned(mode, to) => circuit.integer_to_float(mode, a, false, to),
        Op::FpToSigned(mode, width) => circuit.float_to_integer(mode, a, width as usize, true, format),
        Op::FpToUnsigned(mode, width) => circuit.float_to_integer(mode, a, width as usize, false, format),
        other => unreachable!("{other:?} is not tested here"),
    }
}

/// A format with few enough values to list them: exact arithmetic on whole numbers of its least unit.
struct Tiny {
    format: FloatFormat,
    /// The value of each magnitude in units of the least subnormal; the last is what infinity stands for when rounding.
    magnitudes: Vec<i128>,
    /// The unit is 2^-scale.
    scale: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Nan,
    Infinite(bool),
    /// Sign, and the number in units.
    Number(bool, i128),
}

impl Tiny {
    fn new(exponent: u32, significand: u32) -> Tiny {
        let format = FloatFormat { exponent, significand };
        let fraction = significand - 1;
        let magnitudes = (0..=((1i128 << exponent) - 1) << fraction)
            .map(|packed| {
                let (field, rest) = (packed >> fraction, packed & ((1 << fraction) - 1));
                if field == 0 { rest } else { (rest | 1 << fraction) << (field - 1) }
            })
            .collect();
        let scale = ((1 << (exponent - 1)) - 2 + fraction as i32) as u32;
        Tiny { format, magnitudes, scale }
    }

    fn kind(&self, packed: u128) -> Kind {
        let top = self.format.width() - 1;
        let (negative, magnitude) = (packed >> top & 1 == 1, (packed & ((1 << top) - 1)) as usize);
        let infinity = self.magnitudes.len() - 1;
        match magnitude.cmp(&infinity) {
            Ordering::Greater => Kind::Nan,
            Ordering::Equal => Kind::Infinite(negative),
            Ordering::Less if negative => Kind::Number(true, -self.magnitudes[magnitude]),
            Ordering::Less => Kind::Number(false, self.magnitudes[magnitude]),
        }
    }

    fn signed(&self, negative: bool, magnitude: usize) -> u128 {
        magnitude as u128 | u128::from(negative) << (self.format.width() - 1)
    }

    fn infinity(&self, negative: bool) -> u128 {
        self.signed(negative, self.magnitudes.len() - 1)
    }

    fn nan(&self) -> u128 {
        let fraction = self.format.significand - 1;
        ((1 << self.format.exponent) - 1) << fraction | 1 << (fraction - 1)
    }

    /// Rounds a magnitude, given how it compares with a number of half units.
    fn rounded(&self, mode: RoundingMode, negative: bool, compare: impl Fn(i128) -> Ordering) -> u128 {
        let below = self.magnitudes.partition_point(|&value| compare(2 * value) != Ordering::Less) - 1;
        let infinity = self.magnitudes.len() - 1;
        let away = match mode {
            RoundingMode::TowardPositive => !negative,
            RoundingMode::TowardNegative => negative,
            RoundingMode::TowardZero => false,
            _ => true,
        };
        if below == infinity {
            return self.signed(negative, if away { infinity } else { infinity - 1 });
        }
        if compare(2 * self.magnitudes[below]) == Ordering::Equal {
            return self.signed(negative, below);
        }
        let up = match mode {
            RoundingMode::NearestEven | RoundingMode::NearestAway => {
                match compare(self.magnitudes[below] + self.magnitudes[below + 1]) {
                    Ordering::Less => false,
                    Ordering::Greater => true,
                    Ordering::Equal => mode == RoundingMode::NearestAway || below % 2 == 1,
                }
            }
            _ => away,
        };
        self.signed(negative, below + usize::from(up))
    }

    /// A whole number of units of 2^-(scale · 2), or zero with the sign of exact sums.
    fn rounded_exact(&self, mode: RoundingMode, exact: i128, sign_of_zero: bool) -> u128 {
        if exact == 0 {
            return self.signed(sign_of_zero, 0);
        }
        self.rounded(mode, exact < 0, |half| (2 * exact.abs()).cmp(&(half << self.scale)))
    }

    /// What IEEE 754 says.
    fn expected(&self, op: Op, words: &[u128]) -> u128 {
        use Kind::*;
        let kinds: Vec<Kind> = words.iter().map(|&word| self.kind(word)).collect();
        let opposite = |kind: Kind| match kind {
            Infinite(sign) => Infinite(!sign),
            Number(sign, value) => Number(!sign, -value),
            Nan => Nan,
        };
        let sum = |mode, a: Kind, b: Kind| match (a, b) {
            (Nan, _) | (_, Nan) => self.nan(),
            (Infinite(x), Infinite(y)) if x != y => self.nan(),
            (Infinite(sign), _) | (_, Infinite(sign)) => self.infinity(sign),
            (Number(s, x), Number(t, y)) => {
                let zero = if s == t { s } else { mode == RoundingMode::TowardNegative };
                self.rounded_exact(mode, (x + y) << self.scale, zero)
            }
        };
        let is_zero = |kind: Kind| matches!(kind, Number(_, 0));
        let sign = |kind: Kind| match kind {
            Infinite(sign) | Number(sign, _) => sign,
            Nan => false,
        };
        match (op, &kinds[..]) {
            (Op::FpAdd(mode), &[a, b]) => sum(mode, a, b),
            (Op::FpSub(mode), &[a, b]) => sum(mode, a, opposite(b)),
            (Op::FpMul(mode), &[a, b]) => {
                let negative = sign(a) != sign(b);
                match (a, b) {
                    (Nan, _) | (_, Nan) => self.nan(),
                    (Number(_, x), Number(_, y)) => self.rounded_exact(mode, x * y, negative),
                    _ if is_zero(a) || is_zero(b) => self.nan(),
                    _ => self.infinity(negative),
                }
            }
            (Op::FpDiv(mode), &[a, b]) => {
                let negative = sign(a) != sign(b);
                match (a, b) {
                    (Nan, _) | (_, Nan) | (Infinite(_), Infinite(_)) | (Number(_, 0), Number(_, 0)) => {
                        self.nan()
                    }
                    (Infinite(_), _) | (_, Number(_, 0)) => self.infinity(negative),
                    (_, Infinite(_)) | (Number(_, 0), _) => self.signed(negative, 0),
                    (Number(_, x), Number(_, y)) => self
                        .rounded(mode, negative, |half| (x.abs() << (self.scale + 1)).cmp(&(half * y.abs()))),
                }
            }
            (Op::FpSqrt(mode), &[a]) => match a {
                Number(_, 0) => words[0],
                Nan | Infinite(true) | Number(true, _) => self.nan(),
                Infinite(false) => words[0],
                Number(_, x) => self.rounded(mode, false, |half| (x << (self.scale + 2)).cmp(&(half * half))),
            },
            (Op::FpFma(mode), &[a, b, c]) => {
                let negative = sign(a) != sign(b);
                match (a, b, c) {
                    (Nan, _, _) | (_, Nan, _) | (_, _, Nan) => self.nan(),
                    (Number(_, x), Number(_, y), Number(s, z)) => {
                        let zero = if s == negative { s } else { mode == RoundingMode::TowardNegative };
                        self.rounded_exact(mode, x * y + (z << self.scale), zero)
                    }
                    (Number(..), Number(..), Infinite(s)) => self.infinity(s),
                    _ if is_zero(a) || is_zero(b) => self.nan(),
                    (_, _, Infinite(s)) if s != negative => self.nan(),
                    _ => self.infinity(negative),
                }
            }
            (Op::FpRoundToIntegral(mode), &[a]) => match a {
                Nan => self.nan(),
                Infinite(_) | Number(_, 0) => words[0],
                Number(negative, x) => {
                    let one = 1i128 << self.scale;
                    let whole = rounded_whole(mode, negative, x.abs(), one);
                    self.rounded(RoundingMode::NearestEven, negative, |half| (2 * whole * one).cmp(&half))
                }
            },
            (Op::FpRem | Op::FpFmod, &[a, b]) => match (a, b) {
                (Nan, _) | (_, Nan) | (Infinite(_), _) | (_, Number(_, 0)) => self.nan(),
                (_, Infinite(_)) | (Number(_, 0), _) => words[0],
                (Number(negative, x), Number(_, y)) => {
                    let (x, y) = (x.abs(), y.abs());
                    let mode =
                        if op == Op::FpRem { RoundingMode::NearestEven } else { RoundingMode::TowardZero };
                    let rest = x - rounded_whole(mode, false, x, y) * y;
                    let rest = if negative { -rest } else { rest };
                    self.rounded_exact(RoundingMode::NearestEven, rest << self.scale, negative)
                }
            },
            (Op::FpMin | Op::FpMax, &[a, b]) => match (order(a, b), op) {
                (None, _) => match (a, b) {
                    (Nan, Nan) => self.nan(),
                    (Nan, _) => words[1],
                    _ => words[0],
                },
                (Some(Ordering::Less), Op::FpMin) | (Some(Ordering::Greater), Op::FpMax) => words[0],
                _ => words[1],
            },
            (Op::FpLess, &[a, b]) => u128::from(order(a, b) == Some(Ordering::Less)),
            (Op::FpLessOrEqual, &[a, b]) => u128::from(order(a, b).is_some_and(Ordering::is_le)),
            (Op::FpEqual, &[a, b]) => u128::from(order(a, b) == Some(Ordering::Equal)),
            (Op::FpToSigned(mode, width) | Op::FpToUnsigned(mode, width), &[a]) => {
                let is_signed = matches!(op, Op::FpToSigned(..));
                let outside = if is_signed { 1 << (width - 1) } else { (1 << width) - 1 };
                let Number(negative, x) = a else { return outside };
                let whole = rounded_whole(mode, negative, x.abs(), 1 << self.scale);
                let whole = if negative { -whole } else { whole };
                let (least, most) = if is_signed {
                    (-(1 << (width - 1)), (1 << (width - 1)) - 1)
                } else {
                    (0, (1 << width) - 1)
                };
                if (least..=most).contains(&whole) { whole as u128 & ((1 << width) - 1) } else { outside }
            }
            other => unreachable!("{other:?} is not tested here"),
        }
    }
}

fn order(a: Kind, b: Kind) -> Option<Ordering> {
    let key = |kind: Kind| match kind {
        Kind::Nan => None,
        Kind::Infinite(true) => Some(i128::MIN),
        Kind::Infinite(false) => Some(i128::MAX),
        Kind::Number(_, value) => Some(value),
    };
    Some(key(a)?.cmp(&key(b)?))
}

/// x/y, not negative, as a whole number.
fn rounded_whole(mode: RoundingMode, negative: bool, x: i128, y: i128) -> i128 {
    let (whole, rest) = (x / y, x % y);
    let up = match mode {
        RoundingMode::NearestEven => 2 * rest > y || (2 * rest == y && whole % 2 == 1),
        RoundingMode::NearestAway => 2 * rest >= y,
        RoundingMode::TowardPositive => !negative && rest > 0,
        RoundingMode::TowardNegative => negative && rest > 0,
        RoundingMode::TowardZero => false,
    };
    whole + i128::from(up)
}

fn check(
    machine: &mut Machine,
    op: Op,
    format: FloatFormat,
    rows: &[Vec<u128>],
    expected: impl Fn(&[u128]) -> u128,
) {
    for part in rows.chunks(64) {
        for (row, found) in part.iter().zip(machine.run(part)) {
            let wanted = expected(row);
            assert_eq!(found, wanted, "{op:?} of {row:x?} in {format:?} is {found:#x}, not {wanted:#x}");
        }
    }
}

/// NaN results of the reference that have another form than the one NaN.
fn with_one_nan(tiny: &Tiny, op: Op, row: &[u128]) -> u128 {
    let result = tiny.expected(op, row);
    let is_float = !matches!(
        op,
        Op::FpLess | Op::FpLessOrEqual | Op::FpEqual | Op::FpToSigned(..) | Op::FpToUnsigned(..)
    );
    if is_float && tiny.kind(result) == Kind::Nan { tiny.nan() } else { result }
}

#[test]
fn small_formats_are_right_for_all_operands() {
    for (exponent, significand) in [(3, 4), (2, 3), (3, 2), (4, 3), (2, 5)] {
        let tiny = Tiny::new(exponent, significand);
        let (format, width) = (tiny.format, tiny.format.width());
        let all = 1u128 << width;
        let single: Vec<Vec<u128>> = (0..all).map(|a| vec![a]).collect();
        let pairs: Vec<Vec<u128>> = (0..all * all).map(|both| vec![both / all, both % all]).collect();
        let mut ops =
            vec![Op::FpRem, Op::FpFmod, Op::FpMin, Op::FpMax, Op::FpLess, Op::FpLessOrEqual, Op::FpEqual];
        for mode in MODES {
            ops.extend([Op::FpAdd(mode), Op::FpSub(mode), Op::FpMul(mode), Op::FpDiv(mode)]);
            ops.extend([Op::FpSqrt(mode), Op::FpRoundToIntegral(mode)]);
            for bits in [1, 2, 3, 5, 12] {
                ops.extend([Op::FpToSigned(mode, bits), Op::FpToUnsigned(mode, bits)]);
            }
        }
        for op in ops {
            let is_unary = matches!(
                op,
                Op::FpSqrt(_) | Op::FpRoundToIntegral(_) | Op::FpToSigned(..) | Op::FpToUnsigned(..)
            );
            let rows = if is_unary { &single } else { &pairs };
            let widths = vec![width as usize; rows[0].len()];
            let mut machine = Machine::new(&widths, |gates, inputs| circuit(gates, op, format, inputs));
            check(&mut machine, op, format, rows, |row| with_one_nan(&tiny, op, row));
        }
    }
}

#[test]
fn small_formats_multiply_and_add_with_one_rounding() {
    for (exponent, significand, every) in [(3, 4, 7), (2, 3, 1), (3, 2, 1)] {
        let tiny = Tiny::new(exponent, significand);
        let width = tiny.format.width();
        let all = 1u128 << width;
        let rows: Vec<Vec<u128>> = (0..all * all * all)
            .step_by(every)
            .map(|three| vec![three / all / all, three / all % all, three % all])
            .collect();
        for mode in MODES {
            let op = Op::FpFma(mode);
            let widths = [width as usize; 3];
            let mut machine = Machine::new(&widths, |gates, inputs| circuit(gates, op, tiny.format, inputs));
            check(&mut machine, op, tiny.format, &rows, |row| with_one_nan(&tiny, op, row));
        }
    }
}

#[test]
fn small_formats_are_converted_exactly() {
    let formats = [(3, 4), (2, 3), (4, 3), (3, 6), (5, 2)];
    for (from_exponent, from_significand) in formats {
        let from = Tiny::new(from_exponent, from_significand);
        let width = from.format.width();
        let rows: Vec<Vec<u128>> = (0..1u128 << width).map(|a| vec![a]).collect();
        for (exponent, significand) in formats {
            let to = Tiny::new(exponent, significand);
            for mode in MODES {
                let op = Op::FpFromFloat(mode, to.format);
                let mut machine =
                    Machine::new(&[width as usize], |gates, inputs| circuit(gates, op, from.format, inputs));
                check(&mut machine, op, from.format, &rows, |row| match from.kind(row[0]) {
                    Kind::Nan => to.nan(),
                    Kind::Infinite(sign) => to.infinity(sign),
                    Kind::Number(sign, 0) => to.signed(sign, 0),
                    // x · 2^-s against half · 2^-(t+1)
                    Kind::Number(sign, x) => {
                        to.rounded(mode, sign, |half| (x.abs() << (to.scale + 1)).cmp(&(half << from.scale)))
                    }
                });
            }
        }
        for width in [1u32, 2, 3, 6, 9] {
            let rows: Vec<Vec<u128>> = (0..1u128 << width).map(|a| vec![a]).collect();
            for mode in MODES {
                for is_signed in [true, false] {
                    let op = if is_signed {
                        Op::FpFromSigned(mode, from.format)
                    } else {
                        Op::FpFromUnsigned(mode, from.format)
                    };
                    let mut machine = Machine::new(&[width as usize], |gates, inputs| {
                        circuit(gates, op, from.format, inputs)
                    });
                    check(&mut machine, op, from.format, &rows, |row| {
                        let bits = row[0] as i128;
                        let negative = is_signed && bits >> (width - 1) & 1 == 1;
                        let exact = if negative { bits - (1 << width) } else { bits };
                        from.rounded_exact(mode, exact << (2 * from.scale), false)
                    });
                }
            }
        }
    }
}

/// Values on which arithmetic goes wrong: special ones, subnormals, neighbours, near exponents, and any.
fn drawn(random: &mut Random, format: FloatFormat, like: Option<u128>) -> u128 {
    let width = format.width();
    let mask = u128::MAX >> (128 - width);
    let any = (u128::from(random.bits()) << 64 | u128::from(random.bits())) & mask;
    let fraction = format.significand - 1;
    let fields = (1u128 << format.exponent) - 1;
    let sign = any & 1 << (width - 1);
    let in_fraction = any & ((1 << fraction) - 1);
    match (random.below(12), like) {
        (0, _) => sign,
        (1, _) => sign | fields << fraction,
        (2, _) => fields << fraction | in_fraction,
        (3, _) => sign | in_fraction >> random.below(fraction as usize + 1),
        (4, _) => sign | (fields - 1) << fraction | in_fraction,
        (5, _) => sign | 1 << fraction | in_fraction,
        (6, Some(like)) => (like ^ sign).wrapping_add(random.below(5) as u128).wrapping_sub(2) & mask,
        (7 | 8, Some(like)) => {
            // Exponents that meet when aligned.
            let field = like >> fraction & fields;
            let near = field + random.below(2 * fraction as usize + 6) as u128;
            let near = near.saturating_sub(u128::from(fraction) + 3).min(fields);
            sign | near << fraction | in_fraction
        }
        // Few bits: exact results and ties.
        (9, _) => any & !((1 << (fraction - (random.below(6) as u32).min(fraction - 1))) - 1),
        (10, _) => sign | ((fields >> 1) + random.below(70) as u128).min(fields) << fraction | in_fraction,
        _ => any,
    }
}

fn rows_of(random: &mut Random, format: FloatFormat, operands: usize, count: usize) -> Vec<Vec<u128>> {
    (0..count)
        .map(|_| {
            let mut row = Vec::new();
            for _ in 0..operands {
                let like = row.last().copied();
                row.push(drawn(random, format, like));
            }
            row
        })
        .collect()
}

fn rows_for_each_operation() -> usize {
    if std::env::var_os("CONCORD_DEEP").is_some() { 1_000_000 } else { 1_500 }
}

/// The oracle: the machine where it computes this, else `rustc_apfloat`.
fn evaluated(op: Op, format: FloatFormat, row: &[u128], integer: Option<u32>) -> u128 {
    let floats: Vec<Value> = row
        .iter()
        .map(|&bits| {
            let sort = |bits: u128, width: u32| Value::Bits(Bits::from_i128(width, bits as i128));
            match integer {
                Some(width) => sort(bits, width),
                None => {
                    let from = sort(bits, format.width());
                    apply_float(Op::FpFromBits(format), &[Sort::BitVec(format.width())], &[&from])
                        .expect("a known format")
                }
            }
        })
        .collect();
    let sorts = vec![integer.map_or(Sort::Float(format), Sort::BitVec); row.len()];
    match apply_float(op, &sorts, &floats.iter().collect::<Vec<_>>()) {
        Ok(Value::Float(bits) | Value::Bits(bits)) => bits.to_u128().expect("at most 128 bits"),
        Ok(Value::Bool(value)) => u128::from(value),
        other => panic!("{op:?} of {row:x?}: {other:?}"),
    }
}

fn agree(format: FloatFormat, seed: u64, ops: &[Op]) {
    for (number, &op) in ops.iter().enumerate() {
        let mut random = Random::new(seed * 1000 + number as u64);
        let operands = match op {
            Op::FpFma(_) => 3,
            Op::FpSqrt(_)
            | Op::FpRoundToIntegral(_)
            | Op::FpFromFloat(..)
            | Op::FpToSigned(..)
            | Op::FpToUnsigned(..)
            | Op::FpNeg => 1,
            _ => 2,
        };
        let widths = vec![format.width() as usize; operands];
        let mut machine = Machine::new(&widths, |gates, inputs| circuit(gates, op, format, inputs));
        let mut left = rows_for_each_operation();
        while left > 0 {
            let count = left.min(6_400);
            left -= count;
            let rows = rows_of(&mut random, format, operands, count);
            check(&mut machine, op, format, &rows, |row| evaluated(op, format, row, None));
        }
    }
}

fn most_operations(other: [FloatFormat; 2]) -> Vec<Op> {
    let mode = RoundingMode::NearestEven;
    let mut ops = vec![Op::FpAdd(mode), Op::FpSub(mode), Op::FpMul(mode), Op::FpDiv(mode), Op::FpSqrt(mode)];
    ops.extend([
        Op::FpFma(mode),
        Op::FpMin,
        Op::FpMax,
        Op::FpLess,
        Op::FpLessOrEqual,
        Op::FpEqual,
        Op::FpNeg,
    ]);
    for mode in MODES {
        ops.push(Op::FpRoundToIntegral(mode));
    }
    for to in other {
        ops.push(Op::FpFromFloat(mode, to));
    }
    for width in [8, 32, 64] {
        let mode = RoundingMode::TowardZero;
        ops.extend([Op::FpToSigned(mode, width), Op::FpToUnsigned(mode, width)]);
    }
    ops
}

#[test]
fn binary32_agrees_with_the_machine() {
    agree(FloatFormat::SINGLE, 1, &most_operations([FloatFormat::DOUBLE, FloatFormat::EXTENDED]));
}

#[test]
fn binary64_agrees_with_the_machine() {
    agree(FloatFormat::DOUBLE, 2, &most_operations([FloatFormat::SINGLE, FloatFormat::EXTENDED]));
}

#[test]
fn extended_agrees_with_soft_floats() {
    agree(FloatFormat::EXTENDED, 3, &most_operations([FloatFormat::SINGLE, FloatFormat::DOUBLE]));
}

#[test]
fn other_modes_agree_with_soft_floats() {
    for (number, mode) in MODES[1..].iter().copied().enumerate() {
        let ops = [
            Op::FpAdd(mode),
            Op::FpSub(mode),
            Op::FpMul(mode),
            Op::FpDiv(mode),
            Op::FpFma(mode),
            Op::FpFromFloat(mode, FloatFormat::SINGLE),
            Op::FpToSigned(mode, 32),
            Op::FpToUnsigned(mode, 64),
        ];
        agree(FloatFormat::DOUBLE, 10 + number as u64, &ops);
        agree(FloatFormat::SINGLE, 20 + number as u64, &ops[..5]);
    }
}

#[test]
fn remainders_agree_with_the_machine() {
    agree(FloatFormat::SINGLE, 30, &[Op::FpFmod, Op::FpRem]);
    // binary64: what is encoded at first, right wherever it says so …
    let format = FloatFormat::DOUBLE;
    let width = format.width() as usize;
    for op in [Op::FpFmod, Op::FpRem] {
        let mut machine = Machine::new(&[width; 2], |gates, inputs| {
            let floats: Vec<Word> = inputs.iter().map(|word| gates.float_from_bits(word, format)).collect();
            let remainder =
                gates.float_remainder(&floats[0], &floats[1], op == Op::FpRem, FIRST_STEPS, format);
            let possible =
                gates.remainder_is_possible(&floats[0], &floats[1], &remainder.word, op == Op::FpRem, format);
            let mut all = remainder.word;
            all.extend([remainder.is_exact, possible]);
            all
        });
        let mut random = Random::new(31);
        let mut exact = 0;
        let count = rows_for_each_operation();
        for part in rows_of(&mut random, format, 2, count).chunks(64) {
            for (row, found) in part.iter().zip(machine.run(part)) {
                let wanted = evaluated(op, format, row, None);
                if found >> width & 1 == 1 {
                    exact += 1;
                    let word = found & (u128::MAX >> (128 - width));
                    assert_eq!(word, wanted, "{op:?} of {row:x?}");
                    // What is supposed where it is not exact must be true of remainders.
                    let magnitude = |bits: u128| bits & (u128::MAX >> (129 - width));
                    let is_number = magnitude(word) < 0x7ff << 52;
                    let is_reduced = is_number && magnitude(word) < magnitude(row[1]);
                    assert!(
                        !is_reduced || op == Op::FpRem || found >> (width + 1) & 1 == 1,
                        "{op:?} of {row:x?}"
                    );
                }
            }
        }
        assert!(exact > count / 2, "most drawn exponents are near: {exact}");
    }
    // … and the whole circuit, on fewer.
    let mut machine = Machine::new(&[width; 2], |gates, inputs| circuit(gates, Op::FpFmod, format, inputs));
    let mut random = Random::new(32);
    let rows = rows_of(&mut random, format, 2, (rows_for_each_operation() / 50).max(640));
    check(&mut machine, Op::FpFmod, format, &rows, |row| evaluated(Op::FpFmod, format, row, None));
}

#[test]
fn integers_become_floats_as_on_the_machine() {
    for (width, format) in [(32, FloatFormat::SINGLE), (64, FloatFormat::DOUBLE), (64, FloatFormat::SINGLE)] {
        for is_signed in [true, false] {
            for mode in [RoundingMode::NearestEven, RoundingMode::TowardPositive] {
                let op =
                    if is_signed { Op::FpFromSigned(mode, format) } else { Op::FpFromUnsigned(mode, format) };
                let mut machine = Machine::new(&[width], |gates, inputs| circuit(gates, op, format, inputs));
                let mut random = Random::new(40);
                let mask = u128::MAX >> (128 - width);
                let rows: Vec<Vec<u128>> = (0..rows_for_each_operation())
                    .map(|_| {
                        let any = u128::from(random.bits()) >> random.below(64);
                        vec![if random.below(2) == 0 { any & mask } else { any.wrapping_neg() & mask }]
                    })
                    .collect();
                check(&mut machine, op, format, &rows, |row| evaluated(op, format, row, Some(width as u32)));
            }
        }
    }
}

/// The sizes that make the encoding what it is; a change that doubles one should be noticed.
#[test]
fn circuits_stay_small() {
    let mode = RoundingMode::NearestEven;
    for (op, single, double) in [
        (Op::FpAdd(mode), 1_200, 2_500),
        (Op::FpMul(mode), 3_000, 12_000),
        (Op::FpDiv(mode), 3_300, 12_500),
        (Op::FpSqrt(mode), 2_000, 7_000),
        (Op::FpFma(mode), 5_000, 16_000),
    ] {
        for (format, most) in [(FloatFormat::SINGLE, single), (FloatFormat::DOUBLE, double)] {
            let operands = match op {
                Op::FpFma(_) => 3,
                Op::FpSqrt(_) => 1,
                _ => 2,
            };
            let widths = vec![format.width() as usize; operands];
            let machine = Machine::new(&widths, |gates, inputs| circuit(gates, op, format, inputs));
            let gates = machine.size.variables() - operands * format.width() as usize;
            assert!(
                gates <= most,
                "{op:?} in {format:?} takes {gates} gates and {} clauses",
                machine.size.clauses
            );
        }
    }
}
