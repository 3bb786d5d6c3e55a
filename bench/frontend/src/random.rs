//! A small seeded source of random numbers: the same seed gives the same numbers on every machine.
//! SplitMix64 (Steele, Lea, Flood 2014): one word of state, good enough to choose programs with.

use std::ops::RangeInclusive;

/// The generator.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The numbers of a seed. Neighbouring seeds give unrelated numbers.
    pub fn new(seed: u64) -> Random {
        let mut random = Random { state: seed ^ 0x9e37_79b9_7f4a_7c15 };
        random.bits();
        random
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `bound`, which must not be zero.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "a choice among nothing");
        // The modulo's bias is below 2^-40 for every bound used here.
        (self.bits() % bound as u64) as usize
    }

    /// A number of the range.
    pub fn within(&mut self, range: RangeInclusive<i64>) -> i64 {
        let (low, high) = (*range.start(), *range.end());
        assert!(low <= high, "an empty range");
        let size = (high as i128 - low as i128 + 1) as u128;
        (low as i128 + (u128::from(self.bits()) % size) as i128) as i64
    }

    /// True `percent` times in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
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
