//! C's operators on sets of integers: sound for wrap-around and exact about which operations C leaves
//! undefined. After AMC 2.4 with SEEDS correction 10. Every result contains what `concrete` computes from
//! members of the operands; tested by `results_contain_what_machines_compute`.

use super::congruence::Congruence;
use super::integers::{IntegerSet, Range};
use super::number::{Number, is_opaque, limits};
use program::types::IntegerShape;
use program::{BinaryOp, UnaryOp};

/// Does something happen?
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// It never happens.
    Excluded,
    /// In some runs, or it could not be told.
    Possible,
    /// Always when the place is reached.
    Definite,
}

impl Certainty {
    /// From whether it can happen and whether it can fail to happen.
    pub fn of(can: bool, can_not: bool) -> Certainty {
        match (can, can_not) {
            (false, _) => Certainty::Excluded,
            (true, true) => Certainty::Possible,
            (true, false) => Certainty::Definite,
        }
    }
}

/// What signed arithmetic out of range does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Overflow {
    /// As C has it: undefined behaviour, at which the run stops.
    #[default]
    Stops,
    /// As unoptimised code does: the low bits are kept.
    Wraps,
}

/// Kinds of arithmetic that C leaves undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum UndefinedArithmetic {
    Overflow,
    DivisionByZero,
    /// The least number divided by -1, which traps as a division by zero does.
    DivisionOverflow,
    BadShift,
}

/// The result of an operation, with what can go wrong in it. The values are those of operations that do not
/// go wrong.
#[derive(Clone, Debug)]
pub struct Computed {
    /// The possible results.
    pub value: Number,
    /// What can go wrong, if anything.
    pub trouble: Option<(UndefinedArithmetic, Certainty)>,
}

/// How sets are computed with.
#[derive(Clone, Copy, Debug)]
pub struct Arithmetic {
    /// At signed overflow.
    pub overflow: Overflow,
    /// Ranges kept apart in a set.
    pub cap: usize,
}

/// Operand pairs up to which every pair is computed.
const FEW: u128 = 64;

impl Arithmetic {
    /// The values kept to a shape's range: cut or wrapped, and whether some were out of it.
    fn fit(
        &self,
        ranges: &[Range],
        class: Congruence,
        shape: IntegerShape,
        wraps: bool,
    ) -> (Number, Certainty) {
        let around = limits(shape);
        let whole = IntegerSet::range(around.low, around.high);
        let is_in = |range: &Range| around.low <= range.low && range.high <= around.high;
        if ranges.iter().all(is_in) {
            return (
                Number::of(IntegerSet::of(ranges.iter().copied(), self.cap), class),
                Certainty::Excluded,
            );
        }
        let exact = IntegerSet::of(ranges.iter().copied(), usize::MAX);
        let kept = exact.meet(&whole);
        let certainty = Certainty::of(true, !kept.is_empty());
        if !wraps {
            let kept = IntegerSet::of(kept.ranges().iter().copied(), self.cap);
            return (Number::of(kept, class), certainty);
        }
        let width = shape.width;
        if width >= 128 {
            return (Number::any(shape), certainty);
        }
        let period = 1i128 << width;
        let mut wrapped = Vec::new();
        for range in exact.ranges() {
            if range.count() >= period as u128 {
                wrapped = vec![around];
                break;
            }
            let low = around.low + range.low.wrapping_sub(around.low).rem_euclid(period);
            // Bounds far outside `i128` do not occur here: such operations come saturated, and then cover the
            // period.
            let high = around.low + range.high.wrapping_sub(around.low).rem_euclid(period);
            if low <= high {
                wrapped.push(Range { low, high });
            } else {
                wrapped.push(Range { low, high: around.high });
                wrapped.push(Range { low: around.low, high });
            }
        }
        (Number::of(IntegerSet::of(wrapped, self.cap), class.wrapped(width)), certainty)
    }

    /// Conversion to another integer type: the low bits are kept.
    pub fn convert(&self, value: &Number, to: IntegerShape) -> Number {
        if is_opaque(to) {
            return value.clone();
        }
        self.fit(value.set().ranges(), value.class(), to, true).0
    }

    fn finish(&self, ranges: Vec<Range>, class: Congruence, beyond: bool, shape: IntegerShape) -> Computed {
        let wraps = !shape.signed || self.overflow == Overflow::Wraps;
        if beyond {
            // A bound left `i128`: nothing is known but the type.
            let overflow = shape.signed.then_some((UndefinedArithmetic::Overflow, Certainty::Possible));
            return Computed { value: Number::any(shape), trouble: overflow };
        }
        let (value, certainty) = self.fit(&ranges, class, shape, wraps);
        let is_trouble = shape.signed && certainty != Certainty::Excluded;
        Computed { value, trouble: is_trouble.then_some((UndefinedArithmetic::Overflow, certainty)) }
    }

    /// `-x` or `~x` or `!x`.
    pub fn unary(&self, op: UnaryOp, value: &Number, shape: IntegerShape) -> Computed {
        let calm = |value: Number| Computed { value, trouble: None };
        if op == UnaryOp::Not {
            let can_be_other = value.set().ranges().iter().any(|range| range.low != 0 || range.high != 0);
            return calm(truth_of(can_be_other, value.contains(0)));
        }
        if is_opaque(shape) {
            return calm(value.single().map_or(Number::any(shape), |value| {
                Number::only(if op == UnaryOp::BitNot { !value } else { value.wrapping_neg() })
            }));
        }
        let mut beyond = false;
        let ranges: Vec<Range> = value
            .set()
            .ranges()
            .iter()
            .map(|range| match op {
                UnaryOp::BitNot => Range { low: !range.high, high: !range.low },
                _ => {
                    beyond |= range.low == i128::MIN;
                    Range { low: range.high.saturating_neg(), high: range.low.saturating_neg() }
                }
            })
            .collect();
        let class = match op {
            UnaryOp::BitNot => value.class().negate().plus(Congruence::only(-1)),
            _ => value.class().negate(),
        };
        if op == UnaryOp::BitNot {
            return calm(self.fit(&ranges, class, shape, true).0);
        }
        self.finish(ranges, class, beyond, shape)
    }

    /// An operation that is no comparison. `shape` is the result's; a shift's count has its own.
    pub fn binary(&self, op: BinaryOp, left: &Number, right: &Number, shape: IntegerShape) -> Computed {
        use BinaryOp::*;
        match op {
            ShiftLeft | ShiftRight => return self.shift(op, left, right, shape),
            Divide | Remainder => return self.divide(op, left, right, shape),
            // Sums and products of values that are no more than numbers with a sign can be are such numbers
            // too, or are noticed below.
            Add | Multiply if is_opaque(shape) && is_small(left) && is_small(right) => {}
            _ if is_opaque(shape) => return Computed { value: Number::any(shape), trouble: None },
            BitAnd | BitOr | BitXor => {
                return Computed { value: self.bits(op, left, right, shape), trouble: None };
            }
            _ => {}
        }
        let mut beyond = false;
        let mut ranges = Vec::with_capacity(left.set().ranges().len() * right.set().ranges().len());
        for one in left.set().ranges() {
            for two in right.set().ranges() {
                let bounds = match op {
                    Add => (one.low.checked_add(two.low), one.high.checked_add(two.high)),
                    Subtract => (one.low.checked_sub(two.high), one.high.checked_sub(two.low)),
                    Multiply => product(*one, *two),
                    other => unreachable!("`{}` is no arithmetic on two integers", other.symbol()),
                };
                match bounds {
                    (Some(low), Some(high)) => ranges.push(Range { low, high }),
                    _ => beyond = true,
                }
            }
        }
        let class = match op {
            Add => left.class().plus(right.class()),
            Subtract => left.class().plus(right.class().negate()),
            _ => left.class().multiply(right.class()),
        };
        self.finish(ranges, class, beyond, shape)
    }

    fn shift(&self, op: BinaryOp, left: &Number, count: &Number, shape: IntegerShape) -> Computed {
        let width = i128::from(shape.width);
        let fitting = count.meet_set(&IntegerSet::range(0, width - 1));
        let certainty = Certainty::of(!count.is_within(&fitting), !fitting.is_empty());
        let trouble =
            (certainty != Certainty::Excluded).then_some((UndefinedArithmetic::BadShift, certainty));
        let Some(counts) = fitting.hull() else { return Computed { value: Number::empty(), trouble } };
        if is_opaque(shape) {
            return Computed { value: Number::any(shape), trouble };
        }
        let (least, most) = (counts.low as u32, counts.high as u32);
        let value = if op == BinaryOp::ShiftRight {
            let ranges = left.set().ranges().iter().map(|range| {
                let low = if range.low < 0 { range.low >> least } else { range.low >> most };
                let high = if range.high < 0 { range.high >> most } else { range.high >> least };
                Range { low, high }
            });
            Number::of(IntegerSet::of(ranges, self.cap), Congruence::ANY)
        } else {
            let shifted = |value: i128, by: u32| value.checked_mul(1i128.checked_shl(by).filter(|&p| p > 0)?);
            let mut ranges = Vec::new();
            let mut beyond = false;
            for range in left.set().ranges() {
                let low = shifted(range.low, if range.low < 0 { most } else { least });
                let high = shifted(range.high, if range.high < 0 { least } else { most });
                match (low, high) {
                    (Some(low), Some(high)) => ranges.push(Range { low, high }),
                    _ => beyond = true,
                }
            }
            if beyond {
                Number::any(shape)
            } else {
                let class = if least > 60 {
                    Congruence::ANY
                } else {
                    left.class().multiply(Congruence::only(1 << least))
                };
                let class = if least == most { class } else { Congruence::modulo(1 << least.min(60), 0) };
                // gcc keeps the low bits of a left shift, whatever the sign.
                self.fit(&ranges, class, shape, true).0
            }
        };
        Computed { value, trouble }
    }

    fn divide(&self, op: BinaryOp, left: &Number, right: &Number, shape: IntegerShape) -> Computed {
        let divisor = right.without(0);
        let certainty = Certainty::of(right.contains(0), !divisor.is_empty());
        let mut trouble =
            (certainty != Certainty::Excluded).then_some((UndefinedArithmetic::DivisionByZero, certainty));
        if divisor.is_empty() {
            return Computed { value: Number::empty(), trouble };
        }
        if is_opaque(shape) {
            return Computed { value: Number::any(shape), trouble };
        }
        let least = limits(shape).low;
        let overflows = shape.signed && left.contains(least) && divisor.contains(-1);
        let mut ranges = Vec::new();
        let zero = |range: Range| [(range.low, range.high.min(-1)), (range.low.max(0), range.high)];
        for dividend in left.set().ranges().iter().flat_map(|&range| zero(range)).filter(|(l, h)| l <= h) {
            for by in divisor.set().ranges().iter().flat_map(|&range| zero(range)).filter(|(l, h)| l <= h) {
                let by = (by.0 + i128::from(by.0 == 0), by.1);
                if by.0 > by.1 {
                    continue;
                }
                if op == BinaryOp::Divide {
                    let quotients =
                        [(dividend.0, by.0), (dividend.0, by.1), (dividend.1, by.0), (dividend.1, by.1)]
                            .map(|(x, y)| x.saturating_div(y));
                    let low = quotients.into_iter().min().expect("four corners");
                    let high = quotients.into_iter().max().expect("four corners");
                    ranges.push(Range { low, high });
                } else {
                    ranges.push(remainders(dividend, by));
                }
            }
        }
        let class = match (op, divisor.single()) {
            (BinaryOp::Remainder, Some(by)) => left.class().join(left.class().plus(Congruence::only(by))),
            _ => Congruence::ANY,
        };
        // `MIN / -1` traps on the machine as well, so it never gives a value.
        let limits = limits(shape);
        let all = IntegerSet::of(ranges, self.cap).meet(&IntegerSet::range(limits.low, limits.high));
        let value = Number::of(all, class);
        if overflows && trouble.is_none() {
            let certainty = Certainty::of(true, !(left.single().is_some() && divisor.single().is_some()));
            trouble = Some((UndefinedArithmetic::DivisionOverflow, certainty));
            if certainty == Certainty::Definite {
                return Computed { value: Number::empty(), trouble };
            }
        }
        Computed { value, trouble }
    }

    fn bits(&self, op: BinaryOp, left: &Number, right: &Number, shape: IntegerShape) -> Number {
        let apply = |x: i128, y: i128| match op {
            BinaryOp::BitAnd => x & y,
            BinaryOp::BitOr => x | y,
            _ => x ^ y,
        };
        let few = (left.few_values(FEW), right.few_values(FEW));
        if let (Some(xs), Some(ys)) = &few
            && (xs.len() * ys.len()) as u128 <= FEW
        {
            let points = xs.iter().flat_map(|&x| ys.iter().map(move |&y| apply(x, y)));
            let set = IntegerSet::of(points.map(|value| Range { low: value, high: value }), self.cap);
            return Number::of(set, Congruence::ANY);
        }
        let (Some(x), Some(y)) = (left.hull(), right.hull()) else { return Number::empty() };
        // All values lie in -2^k .. 2^k - 1.
        let bits = |range: Range| {
            128 - (range.low ^ (range.low >> 127))
                .leading_zeros()
                .min((range.high ^ (range.high >> 127)).leading_zeros())
        };
        let k = bits(x).max(bits(y)).min(126);
        let top = (1i128 << k) - 1;
        let around = match op {
            BinaryOp::BitAnd => match (x.low >= 0, y.low >= 0) {
                (true, true) => Range { low: 0, high: x.high.min(y.high) },
                (true, false) => Range { low: 0, high: x.high },
                (false, true) => Range { low: 0, high: y.high },
                // Both may be negative: at most the greater high, if that is not negative.
                (false, false) => Range { low: !top, high: x.high.max(y.high) },
            },
            BinaryOp::BitOr if x.low >= 0 && y.low >= 0 => Range { low: x.low.max(y.low), high: top },
            BinaryOp::BitOr => {
                Range { low: x.low.min(y.low), high: if x.high < 0 || y.high < 0 { -1 } else { top } }
            }
            _ if x.low >= 0 && y.low >= 0 => Range { low: 0, high: top },
            _ => Range { low: !top, high: top },
        };
        // Low bits that are known on both sides are known in the result.
        let known = |class: Congruence| {
            if class.modulus() == 0 { 61 } else { class.modulus().trailing_zeros().min(61) }
        };
        let low_bits = known(left.class()).min(known(right.class()));
        let mut class =
            Congruence::modulo(1 << low_bits, apply(left.class().remainder(), right.class().remainder()));
        if op == BinaryOp::BitAnd {
            let zeros = |number: &Number| number.single().map_or(0, |value| value.trailing_zeros().min(61));
            let zeros = zeros(left).max(zeros(right));
            if zeros > low_bits {
                class = Congruence::modulo(1 << zeros, 0);
            }
        }
        let around = IntegerSet::range(around.low, around.high);
        let limits = limits(shape);
        Number::of(around.meet(&IntegerSet::range(limits.low, limits.high)), class)
    }

    /// A comparison: 0, 1 or both.
    pub fn compare(&self, op: BinaryOp, left: &Number, right: &Number, shape: IntegerShape) -> Number {
        use BinaryOp::*;
        let (Some(x), Some(y)) = (left.hull(), right.hull()) else { return Number::empty() };
        let can_equal = || !left.meet(right).is_empty();
        let must_equal = || left.single().is_some() && left.single() == right.single();
        let (can, can_not) = match op {
            Equal => (can_equal(), !must_equal()),
            NotEqual => (!must_equal(), can_equal()),
            _ if is_opaque(shape) => (true, true),
            Less => (x.low < y.high, x.high >= y.low),
            LessEqual => (x.low <= y.high, x.high > y.low),
            Greater => (x.high > y.low, x.low <= y.high),
            GreaterEqual => (x.high >= y.low, x.low < y.high),
            other => unreachable!("`{}` does not compare", other.symbol()),
        };
        truth_of(can_not, can)
    }
}

/// Is no value negative?
fn is_small(number: &Number) -> bool {
    number.hull().is_some_and(|hull| hull.low >= 0)
}

/// 0 and 1, as far as possible.
pub fn truth_of(can_be_false: bool, can_be_true: bool) -> Number {
    match (can_be_false, can_be_true) {
        (true, true) => Number::truth(),
        (true, false) => Number::only(0),
        (false, true) => Number::only(1),
        (false, false) => Number::empty(),
    }
}

fn product(one: Range, two: Range) -> (Option<i128>, Option<i128>) {
    let corners = [
        one.low.checked_mul(two.low),
        one.low.checked_mul(two.high),
        one.high.checked_mul(two.low),
        one.high.checked_mul(two.high),
    ];
    if corners.iter().any(Option::is_none) {
        return (None, None);
    }
    let corners = corners.into_iter().flatten();
    (corners.clone().min(), corners.max())
}

/// Remainders of a dividend of one sign by a divisor of one sign, zero excluded; they have the dividend's
/// sign.
fn remainders(dividend: (i128, i128), by: (i128, i128)) -> Range {
    let sizes = |(low, high): (i128, i128)| {
        let (low, high) = (low.unsigned_abs(), high.unsigned_abs());
        (low.min(high), low.max(high))
    };
    let ((least, most), (by_least, by_most)) = (sizes(dividend), sizes(by));
    let (low, high) = if most < by_least {
        (least, most)
    } else if by_least == by_most && least / by_least == most / by_least {
        (least % by_least, most % by_least)
    } else {
        (0, most.min(by_most - 1))
    };
    let signed = |size: u128| if dividend.0 < 0 { (size as i128).wrapping_neg() } else { size as i128 };
    Range::between(signed(low), signed(high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What a machine computes, written down apart from the code above: `None` where C leaves it undefined.
    fn machine(op: BinaryOp, x: i128, y: i128, shape: IntegerShape, overflow: Overflow) -> Option<i128> {
        use BinaryOp::*;
        let around = limits(shape);
        let exact = match op {
            Add => x + y,
            Subtract => x - y,
            Multiply if x.checked_mul(y).is_none() => {
                return Some(shape.value((x as u128).wrapping_mul(y as u128)));
            }
            Multiply => x * y,
            Divide | Remainder if y == 0 || (shape.signed && x == around.low && y == -1) => return None,
            Divide => x / y,
            Remainder => x % y,
            ShiftLeft | ShiftRight if y < 0 || y >= i128::from(shape.width) => return None,
            ShiftLeft => return Some(shape.value(((x << y) as u128) & ((1 << shape.width) - 1))),
            ShiftRight => x >> y,
            BitAnd => x & y,
            BitOr => x | y,
            BitXor => x ^ y,
            Equal => i128::from(x == y),
            NotEqual => i128::from(x != y),
            Less => i128::from(x < y),
            LessEqual => i128::from(x <= y),
            Greater => i128::from(x > y),
            GreaterEqual => i128::from(x >= y),
        };
        if exact < around.low || exact > around.high {
            if shape.signed && overflow == Overflow::Stops {
                return None;
            }
            return Some(shape.value((exact as u128) & ((1 << shape.width) - 1)));
        }
        Some(exact)
    }

    const ALL: [BinaryOp; 16] = {
        use BinaryOp::*;
        [
            Add,
            Subtract,
            Multiply,
            Divide,
            Remainder,
            ShiftLeft,
            ShiftRight,
            BitAnd,
            BitOr,
            BitXor,
            Equal,
            NotEqual,
            Less,
            LessEqual,
            Greater,
            GreaterEqual,
        ]
    };

    /// A set of values of the shape, one of them, and how it was made.
    fn operand(shape: IntegerShape) -> impl Strategy<Value = (Number, i128)> {
        let around = limits(shape);
        let value =
            prop_oneof![around.low..=around.high, Just(around.low), Just(around.high), Just(0), -3i128..=9,];
        let value = value.prop_map(move |value| value.clamp(around.low, around.high));
        (value, prop::collection::vec((any::<i64>(), 0i128..300), 0..3), 1i128..9, any::<bool>()).prop_map(
            move |(value, others, modulus, is_tight)| {
                let clamp = |value: i128| value.clamp(around.low, around.high);
                let mut ranges =
                    vec![Range { low: value, high: if is_tight { value } else { clamp(value + 5) } }];
                for (at, length) in others {
                    let low = clamp(i128::from(at) % (1 << shape.width.min(40)));
                    ranges.push(Range { low, high: clamp(low + length) });
                }
                let class = Congruence::modulo(modulus, value);
                (Number::of(IntegerSet::of(ranges, 5), class), value)
            },
        )
    }

    fn case() -> impl Strategy<Value = (IntegerShape, Number, i128, Number, i128)> {
        (prop_oneof![Just(8u32), Just(16), Just(32), Just(64)], any::<bool>()).prop_flat_map(
            |(width, signed)| {
                let shape = IntegerShape { width, signed };
                (Just(shape), operand(shape), operand(shape))
                    .prop_map(|(shape, (a, x), (b, y))| (shape, a, x, b, y))
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        #[test]
        fn results_contain_what_machines_compute((shape, a, x, b, y) in case(), which in 0usize..16, wraps in any::<bool>()) {
            prop_assert!(a.contains(x) && b.contains(y));
            let overflow = if wraps { Overflow::Wraps } else { Overflow::Stops };
            let arithmetic = Arithmetic { overflow, cap: 5 };
            let op = ALL[which];
            let expected = machine(op, x, y, shape, overflow);
            if op.is_comparison() {
                let truth = arithmetic.compare(op, &a, &b, shape);
                prop_assert!(truth.contains(expected.expect("comparisons are defined")), "{x} {} {y}", op.symbol());
                return Ok(());
            }
            let computed = arithmetic.binary(op, &a, &b, shape);
            match expected {
                Some(value) => {
                    prop_assert!(computed.value.contains(value), "{x} {} {y} = {value} is not in {}", op.symbol(), computed.value);
                    let calm = overflow == Overflow::Wraps || computed.trouble.is_none_or(|(_, how)| how != Certainty::Definite);
                    prop_assert!(calm, "{x} {} {y} has a value", op.symbol());
                }
                None => prop_assert!(computed.trouble.is_some(), "{x} {} {y} is undefined", op.symbol()),
            }
        }

        #[test]
        fn conversions_keep_the_low_bits((_, a, x, _, _) in case(), width in prop_oneof![Just(8u32), Just(16), Just(32), Just(64)], signed in any::<bool>()) {
            let to = IntegerShape { width, signed };
            let arithmetic = Arithmetic { overflow: Overflow::Stops, cap: 5 };
            let expected = to.value(x as u128);
            prop_assert!(arithmetic.convert(&a, to).contains(expected));
        }

        #[test]
        fn one_operand((shape, a, x, _, _) in case()) {
            let arithmetic = Arithmetic { overflow: Overflow::Wraps, cap: 5 };
            for (op, exact) in [(UnaryOp::Negate, -x), (UnaryOp::BitNot, !x), (UnaryOp::Not, i128::from(x == 0))] {
                let expected = if op == UnaryOp::Not { exact } else { shape.value(exact as u128) };
                prop_assert!(arithmetic.unary(op, &a, shape).value.contains(expected), "{op:?} {x}");
            }
        }
    }
}
