//! Bytes of records that belong to no member: padding, what bit-fields leave, and what of a flexible array the record's size covers.
//!
//! Where no access of the program looks at them there are none here. Where one does, memory functions write them as all other bytes, and
//! assigning a record leaves them open (C11 6.2.6.1p6): gcc copies most of them, but not those behind a record that is passed in registers.

use crate::meaning::{CellShape, Meaning};
use crate::state::State;
use crate::step::Encoder;
use logic::TermId;
use program::points_to::{ByteRange, RegionId};
use program::{Place, TypeId};
use std::rc::Rc;

/// A cell of a region in which bytes between members may be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    /// Bytes from the start of the record.
    pub offset: u64,
    /// Bytes of the cell.
    pub bytes: u64,
    /// Where it is kept.
    pub region: RegionId,
}

impl Meaning<'_> {
    /// The bytes of a type that are no member's, in order.
    fn unclaimed(&self, ty: TypeId) -> Vec<ByteRange> {
        let (Some(leaves), Some(size)) = (self.leaves(ty), self.program.types.size_of(ty)) else {
            return Vec::new();
        };
        let mut claimed: Vec<(u64, u64)> =
            leaves.iter().map(|leaf| (leaf.offset, leaf.offset + leaf.bytes)).collect();
        claimed.sort_unstable();
        claimed.push((size, size));
        let mut found = Vec::new();
        let mut end = 0;
        for (start, next) in claimed {
            if start > end {
                found.push(ByteRange { start: end, end: start });
            }
            end = end.max(next);
        }
        found
    }

    /// The bytes of the record at a place that are no member's, as far as some access may look at them. `None` if they are looked at
    /// together with others.
    pub(crate) fn gaps(&self, place: &Place) -> Option<Rc<[Gap]>> {
        if let Some(known) = self.known_gaps.borrow().get(place) {
            return known.clone();
        }
        let found = self.find_gaps(place).map(Rc::from);
        self.known_gaps.borrow_mut().insert(place.clone(), found.clone());
        found
    }

    fn find_gaps(&self, place: &Place) -> Option<Vec<Gap>> {
        let mut found = Vec::new();
        for range in self.unclaimed(place.ty.id) {
            let cells = self.points_to.cells_within(self.program, place, range);
            let mut regions: Vec<RegionId> =
                cells.into_iter().map(|cell| self.points_to.cell(cell).region).collect();
            regions.sort_unstable();
            regions.dedup();
            for region in regions {
                let bytes = match self.shape(region) {
                    CellShape::Bytes => 1,
                    CellShape::Whole(bytes) => bytes,
                };
                if !range.start.is_multiple_of(bytes) || !range.end.is_multiple_of(bytes) {
                    return None;
                }
                let offsets = (range.start..range.end).step_by(bytes as usize);
                found.extend(offsets.map(|offset| Gap { offset, bytes, region }));
            }
        }
        Some(found)
    }
}

impl Encoder<'_> {
    /// The record at a place has got a value: what is between its members may be anything.
    pub(crate) fn lose_gaps(&mut self, state: &mut State, place: &Place, start: TermId) {
        let Some(gaps) = self.meaning.gaps(place) else {
            self.unknown("what is between the members of a record, which is looked at in larger pieces");
            return;
        };
        for gap in gaps.iter() {
            let address = self.terms.add_number(start, u128::from(gap.offset));
            let value = self.terms.fresh_bits("padding", gap.bytes as u32 * 8);
            self.store_plain(state, gap.region, address, value);
            let cells = vec![self.terms.yes(); self.cell_offsets(gap.region, gap.bytes).count()];
            self.set_unwritten_cells(state, gap.region, address, &cells);
        }
    }
}
