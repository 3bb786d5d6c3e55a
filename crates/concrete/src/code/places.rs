//! Places: constant parts of the path are folded into one offset; array bounds go along with computed indices.

use super::build::Builder;
use super::{
    Base, BitField, Class, Home, IndexStep, PlaceCode, Shape, Target, Word, WordForm, class_of, scalar_shape,
};
use program::types::ArrayLength;
use program::{Expr, ExprKind, Place, PlaceBase, Projection, RecordKind, Type, TypeId};
use std::sync::Arc;

/// Is the place used, or only its address?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Access,
    Address,
}

impl Builder<'_> {
    /// A place that is read or written.
    pub fn access_place(&self, place: &Place) -> PlaceCode {
        self.place(place, Use::Access)
    }

    /// A place whose address is taken: indices may lead out of inner arrays.
    pub fn address_place(&self, place: &Place) -> PlaceCode {
        self.place(place, Use::Address)
    }

    /// A place that is written.
    pub fn target(&self, place: &Place) -> Target {
        if let Some(variable) = place.as_variable() {
            match self.homes[variable] {
                Home::Register(register) => return Target::Register(register),
                Home::Shared(bank, register) => return Target::Shared(bank, register),
                _ => {}
            }
        }
        Target::Memory(self.access_place(place))
    }

    /// How a word lies at a place, bit-fields included.
    pub fn word_form(&self, place: &Place) -> WordForm {
        let types = &self.program.types;
        let class = class_of(types, place.ty.id);
        if let Some(field) = place.bit_field(types)
            && let Class::Integer { shape, is_bool, .. } = class
        {
            let width = field.bit_width.unwrap_or(0);
            let shift = (field.bit_offset % 8) as u8;
            let (unit_before, unit_bytes) = self.memory_location(place);
            return WordForm::Bits(BitField {
                unit_before,
                unit_bytes,
                shift,
                bytes: (u32::from(shift) + width).div_ceil(8) as u8,
                shape: Shape { width: width.clamp(1, 64) as u8, signed: shape.signed },
                is_bool,
            });
        }
        class.word_form().unwrap_or(WordForm::Whole {
            size: 1,
            shape: Shape { width: 8, signed: false },
            is_bool: false,
        })
    }

    /// The run of bit-fields that a bit-field belongs to: bytes before its own first byte, and bytes in all. A
    /// bit-field of width zero, or a member that is none, ends a run.
    fn memory_location(&self, place: &Place) -> (u16, u16) {
        let Some(Projection::Field(record, index)) = place.path.last() else { return (0, 1) };
        let record = &self.program.types.records[*record];
        let (Some(fields), Some(layout)) = (&record.fields, &record.layout) else { return (0, 1) };
        let joins = |at: usize| fields[at].bit_width.is_some_and(|width| width > 0);
        let (mut first, mut last) = (*index as usize, *index as usize);
        if record.kind != RecordKind::Union {
            while first > 0 && joins(first - 1) {
                first -= 1;
            }
            while last + 1 < fields.len() && joins(last + 1) {
                last += 1;
            }
        }
        let end = |at: usize| {
            (layout.fields[at].bit_offset + u64::from(layout.fields[at].bit_width.unwrap_or(0))).div_ceil(8)
        };
        let start = layout.fields[first].byte_offset();
        let own = layout.fields[*index as usize].byte_offset();
        ((own - start) as u16, (end(last) - start) as u16)
    }

    fn place(&self, place: &Place, used_for: Use) -> PlaceCode {
        let types = &self.program.types;
        let base = match &place.base {
            PlaceBase::Variable(variable) => match self.homes[*variable] {
                Home::FrameObject(number) => Base::Frame(number),
                Home::StaticObject(number) => Base::Static(number),
                Home::ThreadObject(number) => Base::Thread(number),
                Home::Register(_) | Home::Shared(..) => {
                    let name = &self.program.variables[*variable].name;
                    Base::Unsupported(Arc::from(format!(
                        "`{name}` is used as an object in memory but is none"
                    )))
                }
            },
            PlaceBase::Pointer(pointer) => Base::Pointer(self.pointer(pointer)),
        };
        let alignment = types.align_of(place.ty.id).unwrap_or(1) as u32;
        let mut code = PlaceCode {
            base,
            offset: 0,
            steps: Box::new([]),
            alignment,
            is_atomic: place.ty.qualifiers.is_atomic,
        };
        let mut steps = Vec::new();
        let mut ty = place.base_type(|variable| self.program.variables[variable].ty.id, types);
        // While only last members were entered, an array may run on to the end of its object, as GCC allows.
        let mut is_trailing = matches!(place.base, PlaceBase::Pointer(_));
        for step in &place.path {
            let next = match step {
                Projection::Field(record, index) => {
                    let record = &types.records[*record];
                    let position = *index as usize;
                    let (Some(fields), Some(layout)) = (&record.fields, &record.layout) else {
                        return unsupported(code, "a member of an incomplete struct is used");
                    };
                    let is_last = record.kind == RecordKind::Union || position + 1 == fields.len();
                    is_trailing &= is_last;
                    code.offset = code.offset.wrapping_add(layout.fields[position].byte_offset());
                    fields[position].ty.id
                }
                Projection::Index(index) => {
                    let Type::Array(element, length) = types.get(ty) else {
                        return unsupported(code, "something that is no array is indexed");
                    };
                    let Some(stride) = types.size_of(element.id) else {
                        return unsupported(code, "elements of an array have no known size");
                    };
                    let bound = match length {
                        ArrayLength::Known(count) if *count > 0 && !is_trailing => Some(*count),
                        _ => None,
                    };
                    let bound = bound.filter(|_| used_for == Use::Access);
                    is_trailing = false;
                    match self.constant_index(index, bound) {
                        Some(constant) => {
                            code.offset = code.offset.wrapping_add(constant.wrapping_mul(stride));
                        }
                        None => steps.push(self.index_step(index, stride, bound)),
                    }
                    element.id
                }
            };
            ty = next;
        }
        code.steps = steps.into_boxed_slice();
        code
    }

    /// An index known beforehand that needs no check when run.
    fn constant_index(&self, index: &Expr, bound: Option<u64>) -> Option<u64> {
        let ExprKind::Integer(bits) = index.kind else { return None };
        let value = scalar_shape(&self.program.types, index.ty)?.extend(bits as u64);
        bound.is_none_or(|bound| value < bound).then_some(value)
    }

    fn index_step(&self, index: &Expr, stride: u64, bound: Option<u64>) -> IndexStep {
        let (index, is_signed) = self.index(index);
        IndexStep { index, is_signed, stride, bound }
    }

    /// An index in 64 bits, and whether its type is signed.
    pub fn index(&self, index: &Expr) -> (Word, bool) {
        let types = &self.program.types;
        match class_of(types, index.ty) {
            Class::Integer { shape, .. } => (self.word(index), shape.signed),
            Class::Wide(..) => {
                let shape = Shape { width: 64, signed: true };
                (Word::FromWide(Box::new(self.wide(index)), shape), true)
            }
            _ => (Word::Unsupported(Arc::from("an index that is no integer")), true),
        }
    }

    /// Bytes of what a pointer of this type points to; `void` and functions count one.
    pub fn stride(&self, pointer: TypeId) -> Option<u64> {
        let types = &self.program.types;
        let to = types.pointee(pointer)?;
        match types.get(to.id) {
            Type::Void | Type::Function(_) => Some(1),
            _ => types.size_of(to.id),
        }
    }
}

fn unsupported(code: PlaceCode, why: &str) -> PlaceCode {
    PlaceCode { base: Base::Unsupported(Arc::from(why)), ..code }
}
