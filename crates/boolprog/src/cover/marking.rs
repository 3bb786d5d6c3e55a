//! Markings: a control and the places that hold tokens, with a signature for quick comparison.
//! Counters are volatile (BOOM 8.4.1): a place without tokens is not stored.

use super::system::{ControlId, InitialCount, PlaceId, System, Target};
use base::Id;

/// Arbitrarily many tokens, ω.
pub const UNBOUNDED: u32 = u32::MAX;

/// A control with tokens. With [`UNBOUNDED`] it stands for all markings below it, otherwise for all above it
/// or for itself; its user says which.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Marking {
    /// The control.
    pub control: ControlId,
    /// One bit per class of places, set if a place of the class holds tokens: the bitset prefilter of BOOM
    /// 10.
    signature: u64,
    tokens: Box<[(PlaceId, u32)]>,
}

fn signature_of(tokens: &[(PlaceId, u32)]) -> u64 {
    tokens.iter().fold(0, |bits, (place, _)| {
        bits | 1 << ((place.index() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58)
    })
}

impl Marking {
    /// A marking; the tokens are sorted by place and none is zero.
    pub fn new(control: ControlId, tokens: Vec<(PlaceId, u32)>) -> Marking {
        debug_assert!(tokens.windows(2).all(|pair| pair[0].0 < pair[1].0));
        debug_assert!(tokens.iter().all(|(_, count)| *count > 0));
        Marking { control, signature: signature_of(&tokens), tokens: tokens.into_boxed_slice() }
    }

    /// Everything the system can start with, as one marking with ω.
    pub fn initial(system: &System) -> Marking {
        let tokens = system.initial.counts.iter().filter_map(|(place, count)| match count {
            InitialCount::Exactly(0) => None,
            InitialCount::Exactly(count) => Some((*place, *count)),
            InitialCount::AtLeast(_) => Some((*place, UNBOUNDED)),
        });
        Marking::new(system.initial.control, tokens.collect())
    }

    /// The least marking a target asks for.
    pub fn of_target(target: &Target) -> Marking {
        Marking::new(target.control, target.at_least.clone())
    }

    /// Places with their tokens, sorted by place.
    pub fn tokens(&self) -> &[(PlaceId, u32)] {
        &self.tokens
    }

    /// Tokens on a place.
    pub fn count(&self, place: PlaceId) -> u32 {
        match self.tokens.binary_search_by_key(&place, |(place, _)| *place) {
            Ok(at) => self.tokens[at].1,
            Err(_) => 0,
        }
    }

    /// All tokens together; ω counts as very many.
    pub fn size(&self) -> u64 {
        self.tokens.iter().map(|(_, count)| u64::from(*count)).sum()
    }

    /// Does `other` have the same control and at least as many tokens everywhere?
    pub fn is_covered_by(&self, other: &Marking) -> bool {
        self.signature & !other.signature == 0 && self.is_covered_token_by_token(other)
    }

    /// The same without the bitset prefilter.
    pub fn is_covered_token_by_token(&self, other: &Marking) -> bool {
        if self.control != other.control || self.tokens.len() > other.tokens.len() {
            return false;
        }
        let mut theirs = other.tokens.iter();
        self.tokens.iter().all(|(place, count)| {
            theirs
                .find(|(candidate, _)| candidate >= place)
                .is_some_and(|(candidate, available)| candidate == place && available >= count)
        })
    }

    /// The same marking with another number of tokens on one place.
    #[must_use]
    pub fn with_count(&self, place: PlaceId, count: u32) -> Marking {
        let mut tokens = self.tokens.to_vec();
        match tokens.binary_search_by_key(&place, |(place, _)| *place) {
            Ok(at) if count == 0 => {
                tokens.remove(at);
            }
            Ok(at) => tokens[at].1 = count,
            Err(_) if count == 0 => {}
            Err(at) => tokens.insert(at, (place, count)),
        }
        Marking::new(self.control, tokens)
    }

    /// As people read it: `control | place, place×3`.
    pub fn describe(&self, system: &System) -> String {
        let tokens = self.describe_tokens(system);
        if system.controls.len() == 1 {
            tokens
        } else {
            format!("{} | {tokens}", system.controls[self.control])
        }
    }

    /// The tokens as people read them: `place, place×3`.
    pub fn describe_tokens(&self, system: &System) -> String {
        let tokens: Vec<String> = self
            .tokens
            .iter()
            .map(|(place, count)| match *count {
                1 => system.places[*place].clone(),
                UNBOUNDED => format!("{}×any", system.places[*place]),
                count => format!("{}×{count}", system.places[*place]),
            })
            .collect();
        if tokens.is_empty() { "nothing".to_owned() } else { tokens.join(", ") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marking(tokens: &[(usize, u32)]) -> Marking {
        let tokens = tokens.iter().map(|(place, count)| (PlaceId::from_index(*place), *count)).collect();
        Marking::new(ControlId::from_index(0), tokens)
    }

    #[test]
    fn covering_is_componentwise() {
        let small = marking(&[(1, 1), (70, 2)]);
        assert!(small.is_covered_by(&small));
        assert!(small.is_covered_by(&marking(&[(0, 1), (1, 1), (70, UNBOUNDED)])));
        assert!(!small.is_covered_by(&marking(&[(1, 9), (70, 1)])));
        assert!(!small.is_covered_by(&marking(&[(1, 1), (71, 2)])));
        assert!(marking(&[]).is_covered_by(&small));
        assert_eq!(small.with_count(PlaceId::from_index(1), 0), marking(&[(70, 2)]));
        assert_eq!(small.with_count(PlaceId::from_index(5), 3).count(PlaceId::from_index(5)), 3);
    }
}
