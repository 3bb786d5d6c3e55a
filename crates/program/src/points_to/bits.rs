//! Sets of targets: sorted blocks of 64 bits, so that unions work on whole words and large sparse sets stay small.

use super::sets::TargetId;
use base::Id;

/// A set of targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TargetSet {
    /// Block number and its bits, never zero; ascending.
    blocks: Vec<(u32, u64)>,
}

impl TargetSet {
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = TargetId> + '_ {
        self.blocks.iter().flat_map(|&(block, bits)| {
            let mut bits = bits;
            std::iter::from_fn(move || {
                let lowest = (bits != 0).then(|| bits.trailing_zeros())?;
                bits &= bits - 1;
                Some(TargetId::from_index(block as usize * 64 + lowest as usize))
            })
        })
    }

    /// Adds one; true if it is new.
    pub fn insert(&mut self, target: TargetId) -> bool {
        let (block, bit) = ((target.index() / 64) as u32, 1u64 << (target.index() % 64));
        match self.blocks.binary_search_by_key(&block, |&(number, _)| number) {
            Ok(at) => {
                let is_new = self.blocks[at].1 & bit == 0;
                self.blocks[at].1 |= bit;
                is_new
            }
            Err(at) => {
                self.blocks.insert(at, (block, bit));
                true
            }
        }
    }

    /// Adds all of `other`; what is new is also added to `fresh`. True if something is.
    pub fn unite(&mut self, other: &TargetSet, fresh: &mut TargetSet) -> bool {
        let mut added: Vec<(u32, u64)> = Vec::new();
        let mut own = self.blocks.iter().peekable();
        let mut has_new_blocks = false;
        for &(block, bits) in &other.blocks {
            while own.next_if(|&&(number, _)| number < block).is_some() {}
            match own.peek() {
                Some(&&(number, present)) if number == block => {
                    if bits & !present != 0 {
                        added.push((block, bits & !present));
                    }
                }
                _ => {
                    has_new_blocks = true;
                    added.push((block, bits));
                }
            }
        }
        if added.is_empty() {
            return false;
        }
        if has_new_blocks {
            self.blocks = merged(&self.blocks, &added);
        } else {
            let mut at = 0;
            for &(block, bits) in &added {
                while self.blocks[at].0 < block {
                    at += 1;
                }
                self.blocks[at].1 |= bits;
            }
        }
        fresh.blocks = merged(&fresh.blocks, &added);
        true
    }
}

fn merged(one: &[(u32, u64)], other: &[(u32, u64)]) -> Vec<(u32, u64)> {
    if one.is_empty() {
        return other.to_vec();
    }
    let mut result = Vec::with_capacity(one.len() + other.len());
    let (mut left, mut right) = (one.iter().copied().peekable(), other.iter().copied().peekable());
    loop {
        match (left.peek().copied(), right.peek().copied()) {
            (Some((a, x)), Some((b, y))) if a == b => {
                result.push((a, x | y));
                left.next();
                right.next();
            }
            (Some((a, x)), Some((b, _))) if a < b => {
                result.push((a, x));
                left.next();
            }
            (_, Some(block)) => {
                result.push(block);
                right.next();
            }
            (Some(block), None) => {
                result.push(block);
                left.next();
            }
            (None, None) => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(numbers: &[usize]) -> TargetSet {
        let mut set = TargetSet::default();
        for &number in numbers {
            set.insert(TargetId::from_index(number));
        }
        set
    }

    fn numbers(set: &TargetSet) -> Vec<usize> {
        set.iter().map(|target| target.index()).collect()
    }

    #[test]
    fn unions_tell_what_is_new() {
        let mut one = set(&[1, 63, 64, 1000]);
        let mut fresh = set(&[7]);
        assert!(one.unite(&set(&[0, 63, 500, 1000, 1001]), &mut fresh));
        assert_eq!(numbers(&one), [0, 1, 63, 64, 500, 1000, 1001]);
        assert_eq!(numbers(&fresh), [0, 7, 500, 1001]);
        assert!(!one.unite(&set(&[500, 1]), &mut fresh));
        assert!(!one.insert(TargetId::from_index(64)) && one.insert(TargetId::from_index(65)));
    }
}
