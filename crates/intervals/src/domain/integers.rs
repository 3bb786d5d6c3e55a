//! Sets of mathematical integers as disjoint, sorted ranges, at most so many of them. After AMC 2.4 with
//! SEEDS correction 10: ordinary interval arithmetic on normalised sets; past the cap the two neighbours with
//! the smallest gap are joined. DIVERGENCE: no infinities; a value always lies in the range of its C type.

use smallvec::{SmallVec, smallvec};

/// All integers from `low` to `high`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Range {
    /// The least member.
    pub low: i128,
    /// The greatest; not below `low`.
    pub high: i128,
}

impl Range {
    /// The range of these bounds, whichever way round.
    pub fn between(one: i128, other: i128) -> Range {
        Range { low: one.min(other), high: one.max(other) }
    }

    /// How many integers, as far as `u128` counts.
    pub fn count(self) -> u128 {
        (self.high.wrapping_sub(self.low) as u128).saturating_add(1)
    }
}

/// A set of integers: disjoint ranges in order, with at least one integer between neighbours.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct IntegerSet {
    ranges: SmallVec<[Range; 1]>,
}

/// How many ranges a set keeps unless the user says otherwise.
pub const DEFAULT_CAP: usize = 5;

impl IntegerSet {
    /// No integer.
    pub fn empty() -> IntegerSet {
        IntegerSet::default()
    }

    /// One integer.
    pub fn only(value: i128) -> IntegerSet {
        IntegerSet { ranges: smallvec![Range { low: value, high: value }] }
    }

    /// A whole range; empty if the bounds are the wrong way round.
    pub fn range(low: i128, high: i128) -> IntegerSet {
        if low > high { IntegerSet::empty() } else { IntegerSet { ranges: smallvec![Range { low, high }] } }
    }

    /// The union of any ranges, with at most `cap` of them kept apart.
    pub fn of(ranges: impl IntoIterator<Item = Range>, cap: usize) -> IntegerSet {
        let mut all: SmallVec<[Range; 8]> = ranges.into_iter().collect();
        if all.len() == 1 {
            return IntegerSet { ranges: smallvec![all[0]] };
        }
        all.sort_unstable();
        let mut ranges: SmallVec<[Range; 1]> = SmallVec::new();
        for range in all {
            match ranges.last_mut() {
                Some(last) if last.high == i128::MAX || range.low <= last.high + 1 => {
                    last.high = last.high.max(range.high);
                }
                _ => ranges.push(range),
            }
        }
        while ranges.len() > cap.max(1) {
            let gap = |at: &usize| ranges[at + 1].low.wrapping_sub(ranges[*at].high) as u128;
            let at = (0..ranges.len() - 1).min_by_key(gap).expect("at least two ranges");
            ranges[at].high = ranges[at + 1].high;
            ranges.remove(at + 1);
        }
        IntegerSet { ranges }
    }

    /// The ranges, in order.
    pub fn ranges(&self) -> &[Range] {
        &self.ranges
    }

    /// Is there no integer in it?
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The one integer in it, if it is one.
    pub fn single(&self) -> Option<i128> {
        match &self.ranges[..] {
            [one] if one.low == one.high => Some(one.low),
            _ => None,
        }
    }

    /// Is the integer in it?
    pub fn contains(&self, value: i128) -> bool {
        let after = self.ranges.partition_point(|range| range.high < value);
        self.ranges.get(after).is_some_and(|range| range.low <= value)
    }

    /// The least and the greatest.
    pub fn hull(&self) -> Option<Range> {
        Some(Range { low: self.ranges.first()?.low, high: self.ranges.last()?.high })
    }

    /// How many integers, as far as `u128` counts.
    pub fn count(&self) -> u128 {
        self.ranges.iter().fold(0, |sum: u128, range| sum.saturating_add(range.count()))
    }

    /// All integers in it, in order.
    pub fn values(&self) -> impl Iterator<Item = i128> + '_ {
        self.ranges.iter().flat_map(|range| range.low..=range.high)
    }

    /// Integers of either.
    pub fn join(&self, other: &IntegerSet, cap: usize) -> IntegerSet {
        if self == other || other.is_empty() {
            return self.clone();
        }
        IntegerSet::of(self.ranges.iter().chain(&other.ranges).copied(), cap)
    }

    /// Integers of both. Never more ranges than the two have together.
    pub fn meet(&self, other: &IntegerSet) -> IntegerSet {
        let mut ranges = SmallVec::new();
        let (mut left, mut right) = (0, 0);
        while left < self.ranges.len() && right < other.ranges.len() {
            let (one, two) = (self.ranges[left], other.ranges[right]);
            let (low, high) = (one.low.max(two.low), one.high.min(two.high));
            if low <= high {
                ranges.push(Range { low, high });
            }
            if one.high < two.high { left += 1 } else { right += 1 }
        }
        IntegerSet { ranges }
    }

    /// The set without one integer, cap or not.
    pub fn without(&self, value: i128) -> IntegerSet {
        let below =
            if value == i128::MIN { IntegerSet::empty() } else { IntegerSet::range(i128::MIN, value - 1) };
        let above =
            if value == i128::MAX { IntegerSet::empty() } else { IntegerSet::range(value + 1, i128::MAX) };
        let mut kept = self.meet(&below);
        kept.ranges.extend(self.meet(&above).ranges);
        kept
    }

    /// Is every integer in it also in the other?
    pub fn is_within(&self, other: &IntegerSet) -> bool {
        self.ranges.iter().all(|range| {
            let after = other.ranges.partition_point(|around| around.high < range.low);
            other.ranges.get(after).is_some_and(|around| around.low <= range.low && range.high <= around.high)
        })
    }

    /// Does the set share an integer with the range?
    pub fn meets(&self, range: Range) -> bool {
        self.ranges.iter().any(|own| own.low <= range.high && range.low <= own.high)
    }

    /// An upper bound of a growing sequence of sets that grows only so often: what grew beyond the hull is
    /// moved out to the next threshold, what grew inside becomes the hull.
    pub fn widen(&self, grown: &IntegerSet, thresholds: &[i128], limits: Range) -> IntegerSet {
        if grown.is_within(self) {
            return self.clone();
        }
        let (Some(old), Some(new)) = (self.hull(), grown.hull()) else { return grown.clone() };
        let low = if new.low >= old.low {
            old.low
        } else {
            let at = thresholds.partition_point(|&threshold| threshold <= new.low);
            at.checked_sub(1).map_or(limits.low, |at| thresholds[at].max(limits.low))
        };
        let high = if new.high <= old.high {
            old.high
        } else {
            let at = thresholds.partition_point(|&threshold| threshold < new.high);
            thresholds.get(at).map_or(limits.high, |&threshold| threshold.min(limits.high))
        };
        IntegerSet::range(low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn set() -> impl Strategy<Value = (IntegerSet, Vec<i128>)> {
        prop::collection::vec((-20i128..20, 0i128..6), 0..6).prop_map(|pairs| {
            let ranges = pairs.iter().map(|&(low, length)| Range { low, high: low + length });
            let values = pairs.iter().flat_map(|&(low, length)| low..=low + length).collect();
            (IntegerSet::of(ranges, 100), values)
        })
    }

    proptest! {
        #[test]
        fn sets_behave_as_sets((one, ones) in set(), (two, twos) in set(), cap in 1usize..4) {
            for value in -30..30 {
                let (in_one, in_two) = (ones.contains(&value), twos.contains(&value));
                prop_assert_eq!(one.contains(value), in_one);
                prop_assert_eq!(one.meet(&two).contains(value), in_one && in_two);
                prop_assert_eq!(one.join(&two, 100).contains(value), in_one || in_two);
                prop_assert!(!(in_one || in_two) || one.join(&two, cap).contains(value));
                prop_assert_eq!(one.without(3).contains(value), in_one && value != 3);
            }
            prop_assert_eq!(one.is_within(&two), ones.iter().all(|value| twos.contains(value)));
            prop_assert!(one.join(&two, cap).ranges().len() <= cap.max(one.ranges().len()));
            let limits = Range { low: -100, high: 100 };
            let wide = one.widen(&one.join(&two, cap), &[-25, 0, 25], limits);
            prop_assert!(one.is_within(&wide) && two.is_within(&wide));
        }
    }

    #[test]
    fn past_the_cap_the_smallest_gap_goes() {
        let set = IntegerSet::of([0, 10, 12, 100].map(|value| Range { low: value, high: value }), 3);
        assert_eq!(set.ranges().len(), 3);
        assert!(set.contains(11) && !set.contains(5) && !set.contains(50));
    }
}
