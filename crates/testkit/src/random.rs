//! Numbers from a seed: the same on every machine.
//! SplitMix64 (Steele, Lea, Flood 2014): one word of state, good enough to choose programs with.

use std::ops::RangeInclusive;

/// A stream of numbers, fixed by its seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which must not be zero.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "a choice among nothing");
        // The modulo's bias is below 2^-40 for every bound used here.
        (self.bits() % bound as u64) as usize
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
        self.bits() >> 63 == 1
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
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
    fn the_same_seed_gives_the_same_numbers() {
        let numbers = |seed| {
            let mut random = Random::new(seed);
            (0..8).map(|_| random.bits()).collect::<Vec<_>>()
        };
        assert_eq!(numbers(7), numbers(7));
        assert_ne!(numbers(7), numbers(8));
        // As published: the first numbers of seed 0.
        assert_eq!(numbers(0)[..2], [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
    }

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
