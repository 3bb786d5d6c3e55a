//! Reading and writing places: registers, memory by region, bit-fields, and objects leaf by leaf.

use crate::Value;
use crate::addresses::AddressCondition;
use crate::meaning::{CellShape, Leaf, at_leaf};
use crate::memory::Cells;
use crate::place::{PlaceAddress, Use};
use crate::state::State;
use crate::step::{Encoder, FailureKind};
use crate::terms::Terms;
use logic::TermId;
use program::points_to::RegionId;
use program::{Place, Type, TypeId, VariableId};
use std::rc::Rc;

impl Encoder<'_> {
    /// The raw bits of `bytes` bytes at an address of a region.
    pub(crate) fn load_raw(
        &mut self,
        state: &mut State,
        region: RegionId,
        address: TermId,
        bytes: u64,
    ) -> TermId {
        let cells = Rc::make_mut(&mut state.regions[region]);
        match self.meaning.shape(region) {
            CellShape::Whole(size) if size == bytes => {
                zero_fact(&mut self.terms, &mut self.facts, cells, address);
                let value = cells.load(&mut self.terms, address);
                self.check_aligned(address, size);
                value
            }
            CellShape::Whole(_) => {
                self.unknown("an access of another size than its memory region has");
                self.terms.fresh_bits("unknown", bytes as u32 * 8)
            }
            CellShape::Bytes => {
                let mut value = None;
                for at in 0..bytes {
                    let address = self.terms.add_number(address, u128::from(at));
                    zero_fact(&mut self.terms, &mut self.facts, cells, address);
                    let byte = cells.load(&mut self.terms, address);
                    value = Some(match value {
                        None => byte,
                        Some(low) => self.terms.join(byte, low),
                    });
                }
                value.expect("an access has at least one byte")
            }
        }
    }

    /// Writes raw bits at an address of a region, which are those of an address if `part` says so.
    pub(crate) fn store_raw(
        &mut self,
        state: &mut State,
        region: RegionId,
        address: TermId,
        value: TermId,
        part: AddressCondition,
    ) {
        self.store_bits_at(state, region, address, value);
        self.set_address_part(state, region, address, value, part);
    }

    /// Writes raw bits that are no part of an address at an address of a region.
    pub(crate) fn store_plain(
        &mut self,
        state: &mut State,
        region: RegionId,
        address: TermId,
        value: TermId,
    ) {
        let no = self.terms.no();
        self.store_raw(state, region, address, value, Some(no));
    }

    fn store_bits_at(&mut self, state: &mut State, region: RegionId, address: TermId, value: TermId) {
        let bytes = u64::from(self.terms.pool.width(value) / 8);
        let shape = self.meaning.shape(region);
        if matches!(shape, CellShape::Whole(size) if size == bytes) {
            self.check_aligned(address, bytes);
        }
        self.mark_written(state, region, address, bytes);
        let cells = Rc::make_mut(&mut state.regions[region]);
        match shape {
            CellShape::Whole(size) if size == bytes => cells.store(&mut self.terms, address, value),
            CellShape::Whole(_) => self.unknown("an access of another size than its memory region has"),
            CellShape::Bytes => {
                for at in 0..bytes as u32 {
                    let byte = self.terms.cut(value, at * 8 + 7, at * 8);
                    let address = self.terms.add_number(address, u128::from(at));
                    cells.store(&mut self.terms, address, byte);
                }
            }
        }
    }

    /// The scalar at a place.
    pub(crate) fn load_scalar(&mut self, state: &mut State, place: &Place) -> TermId {
        if let Some(variable) = place.as_variable()
            && self.meaning.is_register(place)
        {
            return match state.register(variable) {
                Some(value) => {
                    self.read_address = self.address_part_in(state, variable, value);
                    value
                }
                None => {
                    let name = self.meaning.program.variables[variable].name.clone();
                    let value = self.unknown_scalar(&name, place.ty.id, true);
                    self.write_register(state, variable, value);
                    self.read_address = self.address_part_in(state, variable, value);
                    value
                }
            };
        }
        let lies_at = self.place_address(state, place, Use::Access);
        if let Some(field) = place.bit_field(&self.meaning.program.types) {
            return self.load_bits(state, place, lies_at, field);
        }
        let Some(bytes) = self.meaning.program.types.size_of(place.ty.id) else {
            self.unknown("a value without a size");
            let width = self.width(place.ty.id);
            return self.terms.fresh_bits("unknown", width);
        };
        self.check_place(state, lies_at, bytes, false);
        let Some(region) = self.region_or_fail(place) else {
            let width = self.width(place.ty.id);
            return self.terms.fresh_bits("unknown", width);
        };
        let raw = self.load_raw(state, region, lies_at.address, bytes);
        self.check_written(state, region, lies_at.address, bytes);
        self.read_address = self.address_part_at(state, region, lies_at.address, raw);
        self.scalar_of_raw(raw, place.ty.id)
    }

    /// A scalar from the bits in memory.
    pub(crate) fn scalar_of_raw(&mut self, raw: TermId, ty: TypeId) -> TermId {
        let width = self.width(ty);
        if matches!(self.meaning.program.types.get(ty), Type::Bool) {
            let one = self.terms.number(8, 1);
            let invalid = self.terms.below(one, raw);
            self.fail(invalid, FailureKind::InvalidBool);
        }
        self.terms.resize(raw, width, false)
    }

    fn load_bits(
        &mut self,
        state: &mut State,
        place: &Place,
        lies_at: PlaceAddress,
        field: program::types::FieldLayout,
    ) -> TermId {
        let width = field.bit_width.unwrap_or(1);
        let shift = (field.bit_offset % 8) as u32;
        let bytes = u64::from(shift + width).div_ceil(8);
        self.check_place(state, lies_at, bytes, false);
        let Some(region) = self.region_or_fail(place) else {
            let width = self.width(place.ty.id);
            return self.terms.fresh_bits("unknown", width);
        };
        let raw = self.load_raw(state, region, lies_at.address, bytes);
        self.check_bits_written(state, region, lies_at.address, bytes);
        self.read_address = self.address_part_at(state, region, lies_at.address, raw);
        let bits = self.terms.cut(raw, shift + width - 1, shift);
        let shape = self.meaning.program.types.integer_shape(place.ty.id).expect("bit-fields are integers");
        self.terms.resize(bits, shape.width, shape.signed)
    }

    /// What is at a place of any type.
    pub fn load(&mut self, state: &mut State, place: &Place) -> Value {
        if self.meaning.program.types.is_scalar(place.ty.id) {
            return Value::Scalar(self.load_scalar(state, place));
        }
        let Some(leaves) = self.meaning.leaves(place.ty.id) else {
            self.unknown("a copy of an object with too many parts");
            return Value::Nothing;
        };
        let lies_at = self.place_address(state, place, Use::Access);
        let size = self.meaning.program.types.size_of(place.ty.id).unwrap_or(0);
        self.check_place(state, lies_at, size, false);
        let mut read = Vec::new();
        let parts = leaves.iter().map(|leaf| {
            let address = self.terms.add_number(lies_at.address, u128::from(leaf.offset));
            match self.region_of_leaf(place, leaf) {
                Some(region) => {
                    match leaf.is_raw {
                        true => self.check_bits_written(state, region, address, leaf.bytes),
                        false => self.check_written(state, region, address, leaf.bytes),
                    }
                    let value = self.load_raw(state, region, address, leaf.bytes);
                    read.push(Some(self.address_part_at(state, region, address, value)));
                    value
                }
                None => {
                    read.push(None);
                    self.terms.fresh_bits("unknown", leaf.bytes as u32 * 8)
                }
            }
        });
        let parts = parts.collect();
        self.read_addresses = read;
        Value::Parts(parts)
    }

    fn region_of_leaf(&mut self, place: &Place, leaf: &Leaf) -> Option<RegionId> {
        self.region_or_fail(&at_leaf(place, leaf))
    }

    /// Writes a value to a place.
    pub fn store(&mut self, state: &mut State, place: &Place, value: Value) {
        self.store_from(state, place, value, &[]);
    }

    /// Writes a value to a place; `parts` says of each of its parts when it is (part of) an address, or nothing.
    pub(crate) fn store_from(
        &mut self,
        state: &mut State,
        place: &Place,
        value: Value,
        parts: &[AddressCondition],
    ) {
        match value {
            Value::Nothing => {
                if let Some(variable) = place.as_variable()
                    && self.meaning.is_register(place)
                {
                    let width = self.width(place.ty.id);
                    let unknown = self.terms.fresh_bits("unknown", width);
                    self.write_register(state, variable, unknown);
                } else {
                    self.unknown("a value that is not known is stored");
                }
            }
            Value::Scalar(value) => {
                let part = match parts {
                    [part] => *part,
                    _ => None,
                };
                self.store_scalar(state, place, value, part);
            }
            Value::Parts(values) => {
                let Some(leaves) = self.meaning.leaves(place.ty.id) else {
                    self.unknown("a copy of an object with too many parts");
                    return;
                };
                if leaves.len() != values.len() {
                    self.unknown("a copy between objects of different types");
                    return;
                }
                let lies_at = self.place_address(state, place, Use::Access);
                let size = self.meaning.program.types.size_of(place.ty.id).unwrap_or(0);
                self.check_place(state, lies_at, size, true);
                for (at, (leaf, &value)) in leaves.iter().zip(values.iter()).enumerate() {
                    let address = self.terms.add_number(lies_at.address, u128::from(leaf.offset));
                    let part = match parts.len() == values.len() {
                        true => parts[at],
                        false => self.part_of_leaf(place, leaf),
                    };
                    if let Some(region) = self.region_of_leaf(place, leaf) {
                        self.store_raw(state, region, address, value, part);
                    }
                }
                self.lose_gaps(state, place, lies_at.address);
            }
        }
    }

    /// What is known of a part of a value that comes from somewhere: the analysis says whether it can be an address.
    fn part_of_leaf(&mut self, place: &Place, leaf: &Leaf) -> AddressCondition {
        if leaf.is_raw || self.meaning.program.types.is_pointer(leaf.ty) {
            return None;
        }
        let load =
            program::Expr { kind: program::ExprKind::Load(Box::new(at_leaf(place, leaf))), ty: leaf.ty };
        (!self.meaning.may_hold_address(&load)).then(|| self.terms.no())
    }

    /// Writes a variable outside memory, which holds no part of an address then.
    pub(crate) fn write_register(&mut self, state: &mut State, variable: VariableId, value: TermId) {
        if self.meaning.program.variables[variable].kind == program::VariableKind::Global {
            Rc::make_mut(&mut state.globals).insert(variable, value);
        } else {
            state.frame_mut().registers.insert(variable, value);
        }
        let no = self.terms.no();
        self.set_address_part_in(state, variable, value, Some(no));
    }

    pub(crate) fn store_scalar(
        &mut self,
        state: &mut State,
        place: &Place,
        value: TermId,
        part: AddressCondition,
    ) {
        if let Some(variable) = place.as_variable()
            && self.meaning.is_register(place)
        {
            self.write_register(state, variable, value);
            self.set_address_part_in(state, variable, value, part);
            return;
        }
        let lies_at = self.place_address(state, place, Use::Access);
        if let Some(field) = place.bit_field(&self.meaning.program.types) {
            self.store_bits(state, place, lies_at, field, value);
            return;
        }
        let Some(bytes) = self.meaning.program.types.size_of(place.ty.id) else {
            self.unknown("a value without a size");
            return;
        };
        self.check_place(state, lies_at, bytes, true);
        if let Some(region) = self.region_or_fail(place) {
            let raw = self.raw_of_scalar(region, value, bytes);
            self.store_raw(state, region, lies_at.address, raw, part);
        }
    }

    /// The bits of a scalar in memory. A `long double` leaves open what is behind its ten bytes, where single bytes are looked at.
    fn raw_of_scalar(&mut self, region: RegionId, value: TermId, bytes: u64) -> TermId {
        let (own, all) = (self.terms.pool.width(value), bytes as u32 * 8);
        if own == 80 && all > own && self.meaning.shape(region) == CellShape::Bytes {
            let behind = self.terms.fresh_bits("padding", all - own);
            return self.terms.join(behind, value);
        }
        self.terms.resize(value, all, false)
    }

    fn store_bits(
        &mut self,
        state: &mut State,
        place: &Place,
        lies_at: PlaceAddress,
        field: program::types::FieldLayout,
        value: TermId,
    ) {
        let width = field.bit_width.unwrap_or(1);
        let shift = (field.bit_offset % 8) as u32;
        let bytes = u64::from(shift + width).div_ceil(8);
        self.check_place(state, lies_at, bytes, true);
        let Some(region) = self.region_or_fail(place) else { return };
        let old = self.load_raw(state, region, lies_at.address, bytes);
        let before = self.unwritten_cells(state, region, lies_at.address, bytes);
        let part_before = self.address_part_at(state, region, lies_at.address, old);
        let all = bytes as u32 * 8;
        let mut raw = self.terms.resize(value, width, false);
        if shift > 0 {
            let low = self.terms.cut(old, shift - 1, 0);
            raw = self.terms.join(raw, low);
        }
        if shift + width < all {
            let high = self.terms.cut(old, all - 1, shift + width);
            raw = self.terms.join(high, raw);
        }
        self.store_plain(state, region, lies_at.address, raw);
        if width < all {
            self.set_address_part(state, region, lies_at.address, raw, Some(part_before));
            // The other bits are as written as they were.
            self.set_unwritten_cells(state, region, lies_at.address, &before);
        }
    }
}

/// What is read at an unknown address of a region with objects that begin as zeros: if it is in one of them, the array
/// has a zero there. Said of every address that is read, this is all that matters of "zero everywhere".
pub(crate) fn zero_fact(terms: &mut Terms, facts: &mut Vec<TermId>, cells: &Cells, address: TermId) {
    let Some(zero) = cells.zero_objects().cloned() else { return };
    let is_elsewhere = |at: u128| !zero.objects.contains(&(at >> zero.offset_bits));
    if zero.objects.is_empty() || terms.constant(address).is_some_and(is_elsewhere) {
        return;
    }
    let width = terms.pool.width(address);
    let object = terms.cut(address, width - 1, zero.offset_bits);
    let mut is_zeroed = terms.no();
    for &number in &zero.objects {
        let number = terms.number(width - zero.offset_bits, number);
        let here = terms.equal(object, number);
        is_zeroed = terms.or(is_zeroed, here);
    }
    if terms.truth(is_zeroed) == Some(false) {
        return;
    }
    let value = terms.select(zero.array, address);
    let bits = terms.pool.width(value);
    let nothing = terms.number(bits, 0);
    let is_zero = terms.equal(value, nothing);
    let not_zeroed = terms.not(is_zeroed);
    let fact = terms.or(not_zeroed, is_zero);
    if terms.truth(fact) != Some(true) && facts.last() != Some(&fact) {
        facts.push(fact);
    }
}
