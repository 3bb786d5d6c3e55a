//! Values of the variables of one scope, by slot.

use smallvec::SmallVec;

/// Truth values by slot, packed. Equal lengths are compared only.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Values {
    /// Scopes with more than 128 variables are rare.
    words: SmallVec<[u64; 2]>,
}

impl Values {
    /// All false.
    pub fn falses(count: usize) -> Values {
        Values { words: SmallVec::from_elem(0, count.div_ceil(64)) }
    }

    /// The value in a slot.
    pub fn get(&self, slot: usize) -> bool {
        self.words[slot / 64] >> (slot % 64) & 1 == 1
    }

    /// Sets the value in a slot.
    pub fn set(&mut self, slot: usize, value: bool) {
        let bit = 1 << (slot % 64);
        if value {
            self.words[slot / 64] |= bit;
        } else {
            self.words[slot / 64] &= !bit;
        }
    }

    /// Makes every value false that is false in the other.
    pub fn keep_only(&mut self, other: &Values) {
        for (word, mask) in self.words.iter_mut().zip(&other.words) {
            *word &= mask;
        }
    }

    /// Is nothing true in both?
    pub fn is_disjoint_from(&self, other: &Values) -> bool {
        self.words.iter().zip(&other.words).all(|(mine, theirs)| mine & theirs == 0)
    }

    /// Joins the other's trues. Did anything change?
    pub fn join(&mut self, other: &Values) -> bool {
        let mut changed = false;
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            changed |= *more & !*word != 0;
            *word |= more;
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_do_not_disturb_each_other() {
        let mut values = Values::falses(130);
        values.set(3, true);
        values.set(64, true);
        values.set(129, true);
        values.set(64, false);
        let trues: Vec<usize> = (0..130).filter(|&slot| values.get(slot)).collect();
        assert_eq!(trues, [3, 129]);
    }
}
