//! Choices by the numbers of a seed ([`base::random`]): the same on every machine.

use std::ops::RangeInclusive;

/// A stream of numbers, fixed by its seed.
#[derive(Clone, Debug)]
pub struct Random(base::random::Random);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Random {
        Random(base::random::Random::new(seed))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// A number below `bound`, which must not be zero.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "a choice among nothing");
        self.0.below(bound)
    }

    /// A number of the range.
    pub fn within(&mut self, range: RangeInclusive<i64>) -> i64 {
        let (low, high) = (i128::from(*range.start()), i128::from(*range.end()));
        assert!(low <= high, "an empty range");
        let offset = u128::from(self.bits()) % (high - low + 1) as u128;
        (low + offset as i128) as i64
    }

    /// True `percent` times in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// True or false.
    pub fn coin(&mut self) -> bool {
        self.0.coin()
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        self.0.pick(items)
    }

    /// One of the choices.
    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        *self.pick(choices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_kept_and_filled() {
        let mut random = Random::new(1);
        let mut seen = [false; 5];
        for _ in 0..200 {
            seen[(random.within(-2..=2) + 2) as usize] = true;
            let _ = random.within(i64::MIN..=i64::MAX);
        }
        assert_eq!(seen, [true; 5]);
    }
}
