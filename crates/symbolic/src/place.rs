//! Places: where they lie, whether they may be accessed, what is there.

use crate::Value;
use crate::addresses::Part;
use crate::layout::ObjectNumber;
use crate::meaning::{CellShape, Leaf, at_leaf};
use crate::memory::Cells;
use crate::state::{CONSTANT_MARK, HEAP_MARK, State};
use crate::step::{Encoder, FailureKind};
use crate::terms::Terms;
use base::Id;
use logic::TermId;
use program::points_to::RegionId;
use program::types::ArrayLength;
use program::{Place, PlaceBase, Projection, Type, TypeId, VariableId};
use std::rc::Rc;

/// Why a place's address is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// It is read or written.
    Access,
    /// Only its address is used: one past the end is allowed.
    Address,
}

/// Where a place lies.
#[derive(Clone, Copy, Debug)]
struct Spot {
    address: TermId,
    /// It is inside a variable that is alive, whatever the indices are (they were checked).
    is_surely_inside: bool,
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

    fn spot(&mut self, state: &mut State, place: &Place, used_for: Use) -> Spot {
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
        Spot { address, is_surely_inside }
    }

    pub(crate) fn address_of(&mut self, state: &mut State, place: &Place) -> TermId {
        self.spot(state, place, Use::Address).address
    }

    /// The size of an address's object plus one with its marks; 0 if it is dead or none.
    pub(crate) fn extent(&mut self, state: &mut State, address: TermId) -> TermId {
        let object = self.meaning.layout.object_term(&mut self.terms, address);
        Rc::make_mut(&mut state.extents).load(&mut self.terms, object)
    }

    /// The size plus one of an extent, without its marks.
    pub(crate) fn extent_size(&mut self, extent: TermId) -> TermId {
        let layout = self.meaning.layout;
        let size = self.terms.cut(extent, layout.size_bits() - 1, 0);
        self.terms.resize(size, layout.width, false)
    }

    /// The extents of all objects at an unknown place, with the object's number as a name that no object of the state had
    /// before: numbers are names, so one that is not in use can be taken.
    fn is_new_name(&mut self, state: &mut State, number: u128) {
        let layout = self.meaning.layout;
        let before = Rc::make_mut(&mut state.extents).load_constant(&mut self.terms, number);
        let is_used = self.terms.is_nonzero(before);
        let mut is_free = vec![self.terms.not(is_used)];
        let program = self.meaning.program;
        let frames = state.frames.iter().flat_map(|frame| frame.registers.iter());
        for (&id, &value) in state.globals.iter().chain(frames) {
            if program.types.is_pointer(program.variables[id].ty.id) {
                let object = layout.object_term(&mut self.terms, value);
                let number = self.terms.number(layout.object_bits(), number);
                let is_it = self.terms.equal(object, number);
                is_free.push(self.terms.not(is_it));
            }
        }
        is_free.retain(|&condition| self.terms.truth(condition) != Some(true));
        self.facts.extend(is_free);
    }

    pub(crate) fn extent_mark(&mut self, extent: TermId, mark: u32) -> TermId {
        let at = self.meaning.layout.width - mark;
        let bit = self.terms.cut(extent, at, at);
        self.terms.is_nonzero(bit)
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

    fn check_spot(&mut self, state: &mut State, spot: Spot, bytes: u64, writes: bool) {
        if !spot.is_surely_inside && bytes > 0 {
            let bytes = self.terms.number(self.meaning.layout.width, u128::from(bytes));
            self.check_access(state, spot.address, bytes, writes);
        }
    }

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
        part: Part,
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

    fn check_aligned(&mut self, address: TermId, size: u64) {
        if size.is_power_of_two() && size > 1 {
            let low = self.terms.cut(address, size.trailing_zeros() - 1, 0);
            let misaligned = self.terms.is_nonzero(low);
            self.fail(misaligned, FailureKind::Misaligned);
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
        let spot = self.spot(state, place, Use::Access);
        if let Some(field) = place.bit_field(&self.meaning.program.types) {
            return self.load_bits(state, place, spot, field);
        }
        let Some(bytes) = self.meaning.program.types.size_of(place.ty.id) else {
            self.unknown("a value without a size");
            let width = self.width(place.ty.id);
            return self.terms.fresh_bits("unknown", width);
        };
        self.check_spot(state, spot, bytes, false);
        let Some(region) = self.region_or_fail(place) else {
            let width = self.width(place.ty.id);
            return self.terms.fresh_bits("unknown", width);
        };
        let raw = self.load_raw(state, region, spot.address, bytes);
        self.check_written(state, region, spot.address, bytes);
        self.read_address = self.address_part_at(state, region, spot.address, raw);
        self.scalar_of_raw(raw, place.ty.id)
    }

    fn region_or_fail(&mut self, place: &Place) -> Option<RegionId> {
        let region = self.meaning.region_of(place);
        if region.is_none() {
            // The analysis: no run without undefined behaviour gets here.
            self.fail_always(FailureKind::InvalidAccess);
        }
        region
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
        spot: Spot,
        field: program::types::FieldLayout,
    ) -> TermId {
        let width = field.bit_width.unwrap_or(1);
        let shift = (field.bit_offset % 8) as u32;
        let bytes = u64::from(shift + width).div_ceil(8);
        self.check_spot(state, spot, bytes, false);
        let Some(region) = self.region_or_fail(place) else {
            let width = self.width(place.ty.id);
            return self.terms.fresh_bits("unknown", width);
        };
        let raw = self.load_raw(state, region, spot.address, bytes);
        self.check_bits_written(state, region, spot.address, bytes);
        self.read_address = self.address_part_at(state, region, spot.address, raw);
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
        let spot = self.spot(state, place, Use::Access);
        let size = self.meaning.program.types.size_of(place.ty.id).unwrap_or(0);
        self.check_spot(state, spot, size, false);
        let mut read = Vec::new();
        let parts = leaves.iter().map(|leaf| {
            let address = self.terms.add_number(spot.address, u128::from(leaf.offset));
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
    pub(crate) fn store_from(&mut self, state: &mut State, place: &Place, value: Value, parts: &[Part]) {
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
                let spot = self.spot(state, place, Use::Access);
                let size = self.meaning.program.types.size_of(place.ty.id).unwrap_or(0);
                self.check_spot(state, spot, size, true);
                for (at, (leaf, &value)) in leaves.iter().zip(values.iter()).enumerate() {
                    let address = self.terms.add_number(spot.address, u128::from(leaf.offset));
                    let part = match parts.len() == values.len() {
                        true => parts[at],
                        false => self.part_of_leaf(place, leaf),
                    };
                    if let Some(region) = self.region_of_leaf(place, leaf) {
                        self.store_raw(state, region, address, value, part);
                    }
                }
            }
        }
    }

    /// What is known of a part of a value that comes from somewhere: the analysis says whether it can be an address.
    fn part_of_leaf(&mut self, place: &Place, leaf: &Leaf) -> Part {
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

    pub(crate) fn store_scalar(&mut self, state: &mut State, place: &Place, value: TermId, part: Part) {
        if let Some(variable) = place.as_variable()
            && self.meaning.is_register(place)
        {
            self.write_register(state, variable, value);
            self.set_address_part_in(state, variable, value, part);
            return;
        }
        let spot = self.spot(state, place, Use::Access);
        if let Some(field) = place.bit_field(&self.meaning.program.types) {
            self.store_bits(state, place, spot, field, value);
            return;
        }
        let Some(bytes) = self.meaning.program.types.size_of(place.ty.id) else {
            self.unknown("a value without a size");
            return;
        };
        self.check_spot(state, spot, bytes, true);
        if let Some(region) = self.region_or_fail(place) {
            let raw = self.terms.resize(value, bytes as u32 * 8, false);
            self.store_raw(state, region, spot.address, raw, part);
        }
    }

    fn store_bits(
        &mut self,
        state: &mut State,
        place: &Place,
        spot: Spot,
        field: program::types::FieldLayout,
        value: TermId,
    ) {
        let width = field.bit_width.unwrap_or(1);
        let shift = (field.bit_offset % 8) as u32;
        let bytes = u64::from(shift + width).div_ceil(8);
        self.check_spot(state, spot, bytes, true);
        let Some(region) = self.region_or_fail(place) else { return };
        let old = self.load_raw(state, region, spot.address, bytes);
        let before = self.unwritten_cells(state, region, spot.address, bytes);
        let part_before = self.address_part_at(state, region, spot.address, old);
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
        self.store_plain(state, region, spot.address, raw);
        if width < all {
            self.set_address_part(state, region, spot.address, raw, Some(part_before));
            // The other bits are as written as they were.
            self.set_unwritten_cells(state, region, spot.address, &before);
        }
    }

    /// A new object: its number and address, alive from now on.
    pub(crate) fn new_object(&mut self, state: &mut State, size: TermId, marks: u128) -> TermId {
        let number = self.next_object;
        self.next_object += 1;
        if self.fixed_objects.is_some() {
            let name = number as u128 % (u128::from(self.meaning.layout.most_objects()) - 1);
            self.is_new_name(state, name);
            self.unwrite_new(state, name);
        }
        self.object_numbered(state, number, size, marks)
    }

    fn object_numbered(&mut self, state: &mut State, number: usize, size: TermId, marks: u128) -> TermId {
        let layout = self.meaning.layout;
        if number as u64 >= layout.most_objects() - 1 {
            self.unknown("more objects than can be told apart");
        }
        let number = ObjectNumber::from_index(number % (layout.most_objects() as usize - 1));
        let size_plus_one = self.terms.add_number(size, 1);
        let marks = self.terms.number(layout.width, marks);
        let extent = self.terms.pool.bvor(size_plus_one, marks);
        let extent = self.terms.simple(extent);
        let index = self.terms.number(layout.object_bits(), number.index() as u128);
        Rc::make_mut(&mut state.extents).store(&mut self.terms, index, extent);
        self.terms.number(layout.width, layout.address(number))
    }

    /// The bits that mark an extent.
    pub(crate) fn mark_bits(&self, is_heap: bool, is_constant: bool) -> u128 {
        let width = self.meaning.layout.width;
        u128::from(is_heap) << (width - HEAP_MARK) | u128::from(is_constant) << (width - CONSTANT_MARK)
    }

    pub(crate) fn end_object(&mut self, state: &mut State, address: TermId) {
        let object = self.meaning.layout.object_term(&mut self.terms, address);
        let dead = self.terms.number(self.meaning.layout.width, 0);
        Rc::make_mut(&mut state.extents).store(&mut self.terms, object, dead);
    }

    /// A variable of the innermost call gets an object of its own, with unknown contents.
    pub(crate) fn begin_variable(&mut self, state: &mut State, variable: VariableId) {
        let size = match self.meaning.size_of_variable(variable) {
            Some(size) => u128::from(size),
            None => {
                let name = &self.meaning.program.variables[variable].name;
                let what = format!("`{name}`, whose size is not known");
                self.unknown(&what);
                0
            }
        };
        let size = self.terms.number(self.meaning.layout.width, size);
        // Its own initialisation writes to the variable by name, and only what is written through pointers is looked at.
        let declared = &self.meaning.program.variables[variable];
        let is_constant = declared.kind != program::VariableKind::Temporary
            && self.meaning.program.types.is_constant(declared.ty);
        let marks = self.mark_bits(false, is_constant);
        state.frame_mut().unwritten.insert(variable);
        let mut is_new = true;
        let fixed = self.fixed_objects.as_mut().map(|fixed| {
            fixed.begun.insert(variable);
            is_new = fixed.instances.insert((fixed.context.clone(), variable));
            *fixed.numbers.entry((fixed.context.clone(), variable)).or_insert_with(|| {
                self.next_object += 1;
                self.next_object - 1
            })
        });
        let Some(number) = fixed else {
            let address = self.new_object(state, size, marks);
            state.frame_mut().addresses.insert(variable, address);
            return;
        };
        let address = self.object_numbered(state, number, size, marks);
        state.frame_mut().addresses.insert(variable, address);
        if is_new {
            self.unwrite_again(state, variable);
        } else {
            self.forget_contents(state, variable);
        }
    }

    /// Whatever an earlier instance of the variable left behind is not its contents.
    fn forget_contents(&mut self, state: &mut State, variable: VariableId) {
        let ty = self.meaning.program.variables[variable].ty;
        let place = Place::variable(variable, ty);
        let Some(leaves) = self.meaning.leaves(ty.id) else {
            self.unknown("an object too large to be given unknown contents");
            return;
        };
        let start = self.variable_address(state, variable);
        for leaf in leaves.iter() {
            // What no run accesses needs no contents.
            let Some(region) = self.meaning.region_of(&at_leaf(&place, leaf)) else { continue };
            let address = self.terms.add_number(start, u128::from(leaf.offset));
            let value = self.terms.fresh_bits("unwritten", leaf.bytes as u32 * 8);
            self.store_plain(state, region, address, value);
        }
        self.unwrite(state, &place);
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
