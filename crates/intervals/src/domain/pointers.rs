//! Pointers: null, objects with an offset in bytes, or anything.

use super::number::Number;
use smallvec::SmallVec;

base::define_id!(
    /// An object of memory as the analysis tells them apart; see [`crate::cells`].
    ObjectId,
    "object"
);

/// Where a pointer may point to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pointers {
    /// Can it be null?
    pub can_be_null: bool,
    /// Can it be any address at all, into an object or not?
    pub can_be_anything: bool,
    /// Objects, in order, with the offsets in bytes.
    targets: SmallVec<[(ObjectId, Number); 1]>,
}

/// More objects than this are told apart no longer.
const MOST_TARGETS: usize = 200;

impl Pointers {
    /// Any address, null included.
    pub fn anything() -> Pointers {
        Pointers { can_be_null: true, can_be_anything: true, targets: SmallVec::new() }
    }

    /// Null only.
    pub fn null() -> Pointers {
        Pointers { can_be_null: true, can_be_anything: false, targets: SmallVec::new() }
    }

    /// Some address that is not null.
    pub fn not_null() -> Pointers {
        Pointers { can_be_null: false, can_be_anything: true, targets: SmallVec::new() }
    }

    /// Into one object.
    pub fn to(object: ObjectId, offset: Number) -> Pointers {
        let mut targets = SmallVec::new();
        targets.push((object, offset));
        Pointers { can_be_null: false, can_be_anything: false, targets }
    }

    /// No address: no run gets here.
    pub fn none() -> Pointers {
        Pointers { can_be_null: false, can_be_anything: false, targets: SmallVec::new() }
    }

    /// The objects with their offsets, in order.
    pub fn targets(&self) -> &[(ObjectId, Number)] {
        &self.targets
    }

    /// Is there no address?
    pub fn is_empty(&self) -> bool {
        !self.can_be_null && !self.can_be_anything && self.targets.is_empty()
    }

    /// Is there an address that is not null?
    pub fn can_be_not_null(&self) -> bool {
        self.can_be_anything || !self.targets.is_empty()
    }

    /// The same addresses, with null or without.
    #[must_use]
    pub fn with_null(mut self, can_be_null: bool) -> Pointers {
        self.can_be_null = can_be_null;
        self
    }

    /// Without null.
    pub fn without_null(&self) -> Pointers {
        Pointers { can_be_null: false, ..self.clone() }
    }

    fn merge(&self, other: &Pointers, combine: impl Fn(&Number, &Number) -> Number) -> Pointers {
        let can_be_null = self.can_be_null || other.can_be_null;
        if self.can_be_anything || other.can_be_anything {
            return Pointers { can_be_null, can_be_anything: true, targets: SmallVec::new() };
        }
        let mut targets = self.targets.clone();
        for (object, offset) in &other.targets {
            match targets.binary_search_by_key(object, |(object, _)| *object) {
                Ok(at) => targets[at].1 = combine(&targets[at].1, offset),
                Err(at) => targets.insert(at, (*object, offset.clone())),
            }
        }
        if targets.len() > MOST_TARGETS {
            return Pointers { can_be_null, can_be_anything: true, targets: SmallVec::new() };
        }
        Pointers { can_be_null, can_be_anything: false, targets }
    }

    /// Addresses of either.
    pub fn join(&self, other: &Pointers, cap: usize) -> Pointers {
        if self == other { self.clone() } else { self.merge(other, |one, two| one.join(two, cap)) }
    }

    /// See [`IntegerSet::widen`](super::integers::IntegerSet::widen).
    pub fn widen(&self, grown: &Pointers, thresholds: &[i128]) -> Pointers {
        self.merge(grown, |one, two| one.widen(two, thresholds))
    }

    /// Addresses of both, as far as they can be compared; never fewer.
    pub fn meet(&self, other: &Pointers) -> Pointers {
        let can_be_null = self.can_be_null && other.can_be_null;
        match (self.can_be_anything, other.can_be_anything) {
            (true, true) => Pointers { can_be_null, can_be_anything: true, targets: SmallVec::new() },
            (true, false) => Pointers { can_be_null, ..other.clone() },
            (false, true) => Pointers { can_be_null, ..self.clone() },
            (false, false) => {
                let targets = self.targets.iter().filter_map(|(object, offset)| {
                    let at = other.targets.binary_search_by_key(object, |(object, _)| *object).ok()?;
                    let both = offset.meet(&other.targets[at].1);
                    (!both.is_empty()).then_some((*object, both))
                });
                Pointers { can_be_null, can_be_anything: false, targets: targets.collect() }
            }
        }
    }

    /// Is every address possible in the other too?
    pub fn is_within(&self, other: &Pointers) -> bool {
        (other.can_be_null || !self.can_be_null)
            && (other.can_be_anything
                || (!self.can_be_anything
                    && self.targets.iter().all(|(object, offset)| {
                        let at = other.targets.binary_search_by_key(object, |(object, _)| *object);
                        at.is_ok_and(|at| offset.is_within(&other.targets[at].1))
                    })))
    }

    /// All moved by so many bytes. Null moved by something is no address we know.
    pub fn moved(&self, by: impl Fn(&Number) -> Number, stays: bool) -> Pointers {
        if self.can_be_anything || (self.can_be_null && !stays) {
            return if stays { self.clone() } else { Pointers::anything() };
        }
        let targets = self.targets.iter().map(|(object, offset)| (*object, by(offset)));
        Pointers { targets: targets.collect(), ..self.clone() }
    }
}
