//! Pointers that leave an array inside a larger object, as in `p = s.name; p[sizeof s.name] = 0`. The analysis of pointers supposes that there
//! are none (C11 6.5.6), and regions rest on it; gcc gives such programs a meaning. So nothing is known past an access that does it.

use crate::state::State;
use crate::step::Encoder;
use logic::TermId;
use program::Expr;
use program::points_to::{Area, Confines, ObjectKind};

const WHAT: &str = "a pointer that leaves the array it points into, within a larger object,";

impl Encoder<'_> {
    /// `bytes` bytes are about to be accessed through a pointer; the first alone if it is `None`.
    pub(crate) fn check_confines(
        &mut self,
        state: &mut State,
        pointer: &Expr,
        address: TermId,
        bytes: Option<TermId>,
    ) {
        let confines = self.meaning.confines(pointer);
        for (kind, confines) in confines.iter() {
            let is_there = self.is_in_object(state, *kind, address);
            if self.terms.truth(is_there) == Some(false) {
                continue;
            }
            let offset = self.meaning.layout.offset_term(&mut self.terms, address);
            let is_right = self.is_confined(confines, offset, bytes);
            let is_wrong = self.terms.not(is_right);
            let leaves = self.terms.and(is_there, is_wrong);
            self.unknown_if(leaves, WHAT);
        }
    }

    /// May an address be in such an object? Must say yes where it is.
    fn is_in_object(&mut self, state: &mut State, kind: ObjectKind, address: TermId) -> TermId {
        let layout = self.meaning.layout;
        let ObjectKind::Variable(id) = kind else { return self.terms.yes() };
        if let Some(number) = self.meaning.static_object(id) {
            use base::Id;
            let object = layout.object_term(&mut self.terms, address);
            let number = self.terms.number(layout.object_bits(), number.index() as u128);
            return self.terms.equal(object, number);
        }
        let Some(size) = self.meaning.size_of_variable(id) else { return self.terms.yes() };
        let extent = self.extent(state, address);
        let extent = self.extent_size(extent);
        let own = self.terms.number(layout.width, u128::from(size) + 1);
        self.terms.equal(extent, own)
    }

    fn is_confined(&mut self, confines: &Confines, offset: TermId, bytes: Option<TermId>) -> TermId {
        let (offset, is_known) = match confines.period {
            Some(period) => self.remainder(offset, period),
            None => (offset, self.terms.yes()),
        };
        let mut is_right = self.terms.no();
        for area in &confines.areas {
            let is_in_area = self.is_in_area(area, offset, bytes);
            is_right = self.terms.or(is_right, is_in_area);
        }
        self.terms.and(is_known, is_right)
    }

    fn is_in_area(&mut self, area: &Area, mut offset: TermId, bytes: Option<TermId>) -> TermId {
        let width = self.meaning.layout.width;
        let mut is_inside = self.terms.yes();
        for row in &area.around {
            let within = self.is_between(offset, row.start, row.end);
            is_inside = self.terms.and(is_inside, within);
            let start = self.terms.number(width, u128::from(row.start));
            let along = self.terms.sub(offset, start);
            let (along, is_known) = self.remainder(along, row.stride);
            is_inside = self.terms.and(is_inside, is_known);
            offset = self.terms.add(start, along);
        }
        let within = self.is_between(offset, area.start, area.end);
        is_inside = self.terms.and(is_inside, within);
        if let Some(bytes) = bytes
            && area.end != u64::MAX
        {
            // `offset` is below the end, so the difference does not wrap round.
            let end = self.terms.number(width, u128::from(area.end));
            let room = self.terms.sub(end, offset);
            let too_long = self.terms.below(room, bytes);
            let fits = self.terms.not(too_long);
            is_inside = self.terms.and(is_inside, fits);
        }
        is_inside
    }

    /// The remainder of an offset by a constant, and whether it was found: dividing is much work, so large offsets are left out.
    fn remainder(&mut self, offset: TermId, by: u64) -> (TermId, TermId) {
        const BITS: u32 = 24;
        let width = self.meaning.layout.width;
        if let Some(offset) = self.terms.constant(offset) {
            let rest = self.terms.number(width, offset % u128::from(by));
            return (rest, self.terms.yes());
        }
        if by.is_power_of_two() {
            let rest = match by.trailing_zeros() {
                0 => self.terms.number(width, 0),
                bits => self.terms.cut(offset, bits - 1, 0),
            };
            return (self.terms.resize(rest, width, false), self.terms.yes());
        }
        let high = self.terms.cut(offset, width - 1, BITS);
        let is_large = self.terms.is_nonzero(high);
        let is_known = self.terms.not(is_large);
        if by >> BITS != 0 {
            return (offset, is_known);
        }
        let low = self.terms.cut(offset, BITS - 1, 0);
        let by = self.terms.number(BITS, u128::from(by));
        let rest = self.terms.pool.bvurem(low, by);
        let rest = self.terms.simple(rest);
        (self.terms.resize(rest, width, false), is_known)
    }

    fn is_between(&mut self, offset: TermId, start: u64, end: u64) -> TermId {
        let width = self.meaning.layout.width;
        let first = self.terms.number(width, u128::from(start));
        let is_before = self.terms.below(offset, first);
        let is_after_start = self.terms.not(is_before);
        if end == u64::MAX {
            return is_after_start;
        }
        let end = self.terms.number(width, u128::from(end));
        let is_before_end = self.terms.below(offset, end);
        self.terms.and(is_after_start, is_before_end)
    }
}
