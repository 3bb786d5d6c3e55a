//! The values of an integer: an interval set and a congruence class in reduced product.

use super::congruence::Congruence;
use super::integers::{IntegerSet, Range};
use program::types::IntegerShape;

/// Possible values of an integer of some C type. An unsigned 128-bit value above `i128::MAX` stands as the
/// negative number with the same bits; see [`is_opaque`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number {
    set: IntegerSet,
    class: Congruence,
}

/// Are values of the shape kept as bits only, so that their order is not known?
pub fn is_opaque(shape: IntegerShape) -> bool {
    shape.width >= 128 && !shape.signed
}

/// The least and the greatest value of a shape.
pub fn limits(shape: IntegerShape) -> Range {
    match shape.width {
        128.. => Range { low: i128::MIN, high: i128::MAX },
        width if shape.signed => Range { low: -(1 << (width - 1)), high: (1 << (width - 1)) - 1 },
        width => Range { low: 0, high: (1 << width) - 1 },
    }
}

impl Number {
    /// No value: no run gets here.
    pub fn empty() -> Number {
        Number { set: IntegerSet::empty(), class: Congruence::ANY }
    }

    /// One value.
    pub fn only(value: i128) -> Number {
        Number { set: IntegerSet::only(value), class: Congruence::only(value) }
    }

    /// Every value of a shape.
    pub fn any(shape: IntegerShape) -> Number {
        let Range { low, high } = limits(shape);
        Number { set: IntegerSet::range(low, high), class: Congruence::ANY }
    }

    /// 0 or 1.
    pub fn truth() -> Number {
        Number::range(0, 1)
    }

    /// All from `low` to `high`.
    pub fn range(low: i128, high: i128) -> Number {
        Number::of(IntegerSet::range(low, high), Congruence::ANY)
    }

    /// What is in both; bounds are moved to members of the class.
    pub fn of(set: IntegerSet, class: Congruence) -> Number {
        if let Some(value) = set.single() {
            return if class.contains(value) { Number::only(value) } else { Number::empty() };
        }
        match class.modulus() {
            1 => Number { set, class },
            0 => {
                let value = class.remainder();
                if set.contains(value) { Number::only(value) } else { Number::empty() }
            }
            _ => {
                let mut is_changed = false;
                let moved: Vec<Range> = set
                    .ranges()
                    .iter()
                    .filter_map(|&range| {
                        let (low, high) = (class.at_least(range.low)?, class.at_most(range.high)?);
                        is_changed |= low != range.low || high != range.high;
                        (low <= high).then_some(Range { low, high })
                    })
                    .collect();
                let is_shorter = moved.len() != set.ranges().len();
                let set = if is_changed || is_shorter { IntegerSet::of(moved, usize::MAX) } else { set };
                match set.single() {
                    Some(value) => Number::only(value),
                    None if set.is_empty() => Number::empty(),
                    None => Number { set, class },
                }
            }
        }
    }

    /// The values as ranges.
    pub fn set(&self) -> &IntegerSet {
        &self.set
    }

    /// The class they are all in.
    pub fn class(&self) -> Congruence {
        self.class
    }

    /// Is there no value?
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// The one value, if it is one.
    pub fn single(&self) -> Option<i128> {
        self.set.single()
    }

    /// Is it possible?
    pub fn contains(&self, value: i128) -> bool {
        self.set.contains(value) && self.class.contains(value)
    }

    /// The least and the greatest.
    pub fn hull(&self) -> Option<Range> {
        self.set.hull()
    }

    /// The values one by one, if there are at most `most` of them.
    pub fn few_values(&self, most: u128) -> Option<Vec<i128>> {
        let step = self.class.modulus().max(1);
        let count = self.set.count();
        if count / (step as u128) > most {
            return None;
        }
        let mut values = Vec::new();
        for range in self.set.ranges() {
            let mut next = if step == 1 { Some(range.low) } else { self.class.at_least(range.low) };
            while let Some(value) = next.filter(|&value| value <= range.high) {
                values.push(value);
                if values.len() as u128 > most {
                    return None;
                }
                next = value.checked_add(step);
            }
        }
        Some(values)
    }

    /// Is every value of the shape possible?
    pub fn is_any(&self, shape: IntegerShape) -> bool {
        self.class.modulus() == 1 && self.set.ranges() == [limits(shape)]
    }

    /// Values of either.
    pub fn join(&self, other: &Number, cap: usize) -> Number {
        if self == other || other.is_empty() {
            return self.clone();
        }
        if self.is_empty() {
            return other.clone();
        }
        // The class of few single values is their common one; `of` would only repeat the work.
        Number { set: self.set.join(&other.set, cap), class: self.class.join(other.class) }
    }

    /// Values of both.
    pub fn meet(&self, other: &Number) -> Number {
        match self.class.meet(other.class) {
            Some(class) => Number::of(self.set.meet(&other.set), class),
            None => Number::empty(),
        }
    }

    /// The values that lie in the set.
    pub fn meet_set(&self, other: &IntegerSet) -> Number {
        Number::of(self.set.meet(other), self.class)
    }

    /// The values but one.
    pub fn without(&self, value: i128) -> Number {
        if self.contains(value) { Number::of(self.set.without(value), self.class) } else { self.clone() }
    }

    /// Is every value possible in the other too?
    pub fn is_within(&self, other: &Number) -> bool {
        self.is_empty() || (self.set.is_within(&other.set) && self.class.is_within(other.class))
    }

    /// See [`IntegerSet::widen`]. Classes only grow along divisors, which is finite.
    pub fn widen(&self, grown: &Number, thresholds: &[i128]) -> Number {
        if self.is_empty() {
            return grown.clone();
        }
        let limits = limits_around(self, grown);
        let joined = self.set.join(&grown.set, usize::MAX);
        Number::of(self.set.widen(&joined, thresholds, limits), self.class.join(grown.class))
    }
}

/// The smallest usual integer range around the values; a later meet with the type's range makes it exact.
fn limits_around(one: &Number, other: &Number) -> Range {
    let (Some(one), Some(other)) = (one.hull(), other.hull()) else {
        return Range { low: i128::MIN, high: i128::MAX };
    };
    let (low, high) = (one.low.min(other.low), one.high.max(other.high));
    for width in [8, 16, 32, 64] {
        for signed in [true, false] {
            let limits = limits(IntegerShape { width, signed });
            if limits.low <= low && high <= limits.high {
                return limits;
            }
        }
    }
    Range { low: i128::MIN, high: i128::MAX }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_empty() {
            return f.write_str("no value");
        }
        f.write_str("{")?;
        for (index, range) in self.set.ranges().iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            if range.low == range.high {
                write!(f, "{}", range.low)?
            } else {
                write!(f, "{}..{}", range.low, range.high)?
            }
        }
        f.write_str("}")?;
        if self.class.modulus() > 1 && self.single().is_none() {
            write!(f, " ≡ {} mod {}", self.class.remainder(), self.class.modulus())?;
        }
        Ok(())
    }
}
