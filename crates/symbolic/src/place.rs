//! Places: where they lie, whether they may be accessed, what is there.

use crate::state::{CONSTANT_MARK, State};
use crate::step::{Encoder, FailureKind};
use logic::TermId;
use program::points_to::RegionId;
use program::types::ArrayLength;
use program::{Place, PlaceBase, Projection, Type, VariableId};

/// Why a place's address is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// It is read or written.
    Access,
    /// Only its address is used: one past the end is allowed.
    Address,
}

/// Where a place lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlaceAddress {
    pub(crate) address: TermId,
    /// It is inside a variable that is alive, whatever the indices are (they were checked).
    pub(crate) is_surely_inside: bool,
}

impl Encoder<'_> {
    /// The address of a variable in memory.
    pub(crate) fn variable_address(&mut self, state: &State, variable: VariableId) -> TermId {
        if let Some(object) = self.meaning.static_object(variable) {
            let address = self.meaning.layout.address(object);
            return self.terms.number(self.meaning.layout.width, address);
        }
        match state.frame().addresses.get(&variable) {
            Some(&address) => address,
            None => {
                let name = &self.meaning.program.variables[variable].name;
                let what = format!("the variable `{name}` outside its procedure");
                self.unknown(&what);
                self.terms.number(self.meaning.layout.width, 0)
            }
        }
    }

    pub(crate) fn place_address(&mut self, state: &mut State, place: &Place, used_for: Use) -> PlaceAddress {
        let program = self.meaning.program;
        let types = &program.types;
        let layout = self.meaning.layout;
        let (mut address, mut is_surely_inside) = match &place.base {
            PlaceBase::Variable(id) => (self.variable_address(state, *id), true),
            PlaceBase::Pointer(pointer) => {
                let address = self.scalar(state, pointer);
                if used_for == Use::Access {
                    self.check_confines(state, pointer, address, None);
                }
                (address, false)
            }
        };
        let base = address;
        let mut ty = place.base_type(|id| program.variables[id].ty.id, types);
        let mut offset = 0u64;
        for (position, step) in place.path.iter().enumerate() {
            match step {
                Projection::Field(record, index) => {
                    let record = &types.records[*record];
                    let Some(fields) = &record.fields else {
                        self.unknown("a member of an incomplete type");
                        break;
                    };
                    let found = record.layout.as_ref().expect("a record with members has a layout");
                    offset += found.fields[*index as usize].byte_offset();
                    ty = fields[*index as usize].ty.id;
                }
                Projection::Index(index) => {
                    let Type::Array(element, length) = types.get(ty) else {
                        self.unknown("an element of something that is no array");
                        break;
                    };
                    let Some(stride) = types.size_of(element.id) else {
                        self.unknown("an element without a known size");
                        break;
                    };
                    let value = self.scalar(state, index);
                    let signed = types.integer_shape(index.ty).is_some_and(|shape| shape.signed);
                    let width = layout.width.max(self.terms.pool.width(value));
                    let wide = self.terms.resize(value, width, signed);
                    match length {
                        ArrayLength::Known(count) if !is_flexible(*count, place, position, types) => {
                            let is_last = position + 1 == place.path.len();
                            let past = u128::from(used_for == Use::Address && is_last);
                            let limit = self.terms.number(width, u128::from(*count) + past);
                            let fits = self.terms.below(wide, limit);
                            let outside = self.terms.not(fits);
                            self.fail(outside, FailureKind::IndexOutOfBounds);
                        }
                        _ => is_surely_inside = false,
                    }
                    let index = self.terms.resize(wide, layout.width, false);
                    let bytes = self.terms.times(index, u128::from(stride));
                    address = self.terms.add(address, bytes);
                    ty = element.id;
                }
            }
        }
        address = self.terms.add_number(address, u128::from(offset));
        if !is_surely_inside && address != base && !place.path.is_empty() {
            let left = layout.has_left(&mut self.terms, base, address);
            self.fail(left, FailureKind::PointerLeft);
        }
        PlaceAddress { address, is_surely_inside }
    }

    pub(crate) fn address_of(&mut self, state: &mut State, place: &Place) -> TermId {
        self.place_address(state, place, Use::Address).address
    }

    /// Records when `bytes` bytes (at least one) at an address must not be accessed.
    pub(crate) fn check_access(&mut self, state: &mut State, address: TermId, bytes: TermId, writes: bool) {
        let extent = self.extent(state, address);
        let size = self.extent_size(extent);
        let offset = self.meaning.layout.offset_term(&mut self.terms, address);
        // Both: the sum could wrap round if the offset alone were not inside.
        let starts_inside = self.terms.below(offset, size);
        let end = self.terms.add(offset, bytes);
        let ends_inside = self.terms.below(end, size);
        let inside = self.terms.and(starts_inside, ends_inside);
        let no_wrap = self.terms.below(bytes, size);
        let inside = self.terms.and(inside, no_wrap);
        let outside = self.terms.not(inside);
        self.fail(outside, FailureKind::InvalidAccess);
        if writes {
            let is_constant = self.extent_mark(extent, CONSTANT_MARK);
            let trouble = self.terms.and(inside, is_constant);
            self.fail(trouble, FailureKind::ReadOnlyWrite);
        }
    }

    pub(crate) fn check_place(&mut self, state: &mut State, lies_at: PlaceAddress, bytes: u64, writes: bool) {
        if !lies_at.is_surely_inside && bytes > 0 {
            let bytes = self.terms.number(self.meaning.layout.width, u128::from(bytes));
            self.check_access(state, lies_at.address, bytes, writes);
        }
    }

    pub(crate) fn check_aligned(&mut self, address: TermId, size: u64) {
        if size.is_power_of_two() && size > 1 {
            let low = self.terms.cut(address, size.trailing_zeros() - 1, 0);
            let misaligned = self.terms.is_nonzero(low);
            self.fail(misaligned, FailureKind::Misaligned);
        }
    }

    pub(crate) fn region_or_fail(&mut self, place: &Place) -> Option<RegionId> {
        let region = self.meaning.region_of(place);
        if region.is_none() {
            // The analysis: no run without undefined behaviour gets here.
            self.fail_always(FailureKind::InvalidAccess);
        }
        region
    }
}

/// An array of length 0 or 1 at the end of a record stands for one of any length; so bounds say nothing there.
fn is_flexible(count: u64, place: &Place, position: usize, types: &program::TypeTable) -> bool {
    let is_at_end = |step: &Projection| match step {
        Projection::Index(_) => false,
        Projection::Field(record, index) => {
            let record = &types.records[*record];
            let is_last = record.fields.as_ref().is_some_and(|fields| *index as usize + 1 == fields.len());
            is_last || record.kind == program::RecordKind::Union
        }
    };
    count <= 1 && position > 0 && place.path[..position].iter().all(is_at_end)
}
