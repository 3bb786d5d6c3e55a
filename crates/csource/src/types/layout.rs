//! Sizes, alignments and member offsets, as GCC lays them out for System V on x86.
//!
//! Bit-fields follow GCC's `PCC_BITFIELD_TYPE_MATTERS` rule: a bit-field never spans more units of its declared type
//! than the type itself does, otherwise it moves to the next boundary; unnamed ones do not raise the record's alignment.

use super::{ArrayLength, DataModel, Field, FloatKind, RecordId, Type, TypeId, TypeTable};
use crate::syntax::RecordKind;

/// Where one member lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldLayout {
    /// Bits from the start of the record; a multiple of 8 unless the member is a bit-field.
    pub bit_offset: u64,
    /// Bits, for a bit-field.
    pub bit_width: Option<u32>,
}

impl FieldLayout {
    /// The byte the member starts in.
    pub fn byte_offset(self) -> u64 {
        self.bit_offset / 8
    }
}

/// Size, alignment and member offsets of a complete record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordLayout {
    /// Bytes, padding included.
    pub size: u64,
    /// Bytes.
    pub alignment: u64,
    /// One per member, in order.
    pub fields: Vec<FieldLayout>,
}

impl TypeTable {
    /// Bytes of an object of this type. `None` for incomplete types, functions, and arrays of run-time length.
    pub fn size_of(&self, id: TypeId) -> Option<u64> {
        Some(match self.get(id) {
            Type::Bool => 1,
            Type::Integer(kind) => u64::from(self.integer_width(*kind) / 8),
            Type::Float(kind) => self.float_size(*kind),
            Type::Complex(kind) => 2 * self.float_size(*kind),
            Type::Enum(id) => return self.size_of(self.enums[*id].underlying),
            Type::Pointer(_) => u64::from(self.pointer_width() / 8),
            Type::Array(element, ArrayLength::Known(count)) => {
                return self.size_of(element.id)?.checked_mul(*count);
            }
            Type::Record(id) => return self.records[*id].layout.as_ref().map(|layout| layout.size),
            Type::Vector(element, count) => self.size_of(*element)?.checked_mul(u64::from(*count))?,
            Type::Void | Type::Array(..) | Type::Function(_) | Type::Error => return None,
        })
    }

    /// The alignment in bytes that a variable of this type gets. `None` for incomplete types and functions.
    pub fn align_of(&self, id: TypeId) -> Option<u64> {
        let on_i386 = self.model() == DataModel::Ilp32;
        Some(match self.get(id) {
            Type::Bool => 1,
            Type::Integer(kind) => u64::from(self.integer_width(*kind) / 8),
            Type::Float(kind) | Type::Complex(kind) => match kind {
                FloatKind::Float => 4,
                FloatKind::Double => 8,
                FloatKind::LongDouble if on_i386 => 4,
                FloatKind::LongDouble | FloatKind::Float128 => 16,
            },
            Type::Enum(id) => return self.align_of(self.enums[*id].underlying),
            Type::Pointer(_) => u64::from(self.pointer_width() / 8),
            Type::Array(element, _) => return self.align_of(element.id),
            Type::Record(id) => return self.records[*id].layout.as_ref().map(|layout| layout.alignment),
            Type::Vector(..) => return self.size_of(id),
            Type::Void | Type::Function(_) | Type::Error => return None,
        })
    }

    /// The alignment a member of this type gets: on i386 eight-byte scalars are aligned to four inside records.
    pub fn member_align_of(&self, id: TypeId) -> Option<u64> {
        let natural = self.align_of(id)?;
        let mut innermost = id;
        while let Type::Array(element, _) = self.get(innermost) {
            innermost = element.id;
        }
        let is_wide_scalar = match self.get(innermost) {
            Type::Integer(_) | Type::Enum(_) => natural == 8,
            Type::Float(kind) | Type::Complex(kind) => *kind == FloatKind::Double,
            _ => false,
        };
        Some(if self.model() == DataModel::Ilp32 && is_wide_scalar { 4 } else { natural })
    }

    /// Gives a record its members and computes its layout. Members of incomplete type count as empty; `sema` has
    /// reported them.
    pub fn complete_record(&mut self, id: RecordId, fields: Vec<Field>) {
        let layout = self.lay_out(id, &fields);
        let record = &mut self.records[id];
        record.fields = Some(fields);
        record.layout = Some(layout);
    }

    fn float_size(&self, kind: FloatKind) -> u64 {
        match (kind, self.model()) {
            (FloatKind::Float, _) => 4,
            (FloatKind::Double, _) => 8,
            (FloatKind::LongDouble, DataModel::Ilp32) => 12,
            (FloatKind::LongDouble, DataModel::Lp64) | (FloatKind::Float128, _) => 16,
        }
    }

    fn lay_out(&self, id: RecordId, fields: &[Field]) -> RecordLayout {
        let record = &self.records[id];
        let is_union = record.kind == RecordKind::Union;
        let mut alignment = record.alignment.unwrap_or(1);
        let mut position: u64 = 0; // in bits, where the next member of a struct may start
        let mut end: u64 = 0; // in bits, past the furthest member
        let mut layouts = Vec::with_capacity(fields.len());
        for field in fields {
            let size_bits = self.size_of(field.ty.id).unwrap_or(0).saturating_mul(8);
            let mut align = self.member_align_of(field.ty.id).unwrap_or(1);
            if record.is_packed || field.is_packed {
                align = 1;
            }
            align = align.max(field.alignment.unwrap_or(1));
            if let Some(limit) = record.pack_limit {
                align = align.min(limit);
            }
            let start = if is_union { 0 } else { position };
            let (offset, length) = match field.bit_width {
                None => (start.next_multiple_of(align * 8), size_bits),
                Some(0) => (start.next_multiple_of(align.max(1) * 8), 0),
                Some(width) => {
                    let packed = record.is_packed || field.is_packed;
                    let moved = field.alignment.map_or(start, |asked| start.next_multiple_of(asked * 8));
                    let unit = align * 8;
                    let spans = |at: u64| (at % unit + u64::from(width)).div_ceil(unit) > size_bits / unit;
                    let offset = if !packed && spans(moved) { moved.next_multiple_of(unit) } else { moved };
                    (offset, u64::from(width))
                }
            };
            let raises_alignment = field.bit_width.is_none() || field.name.is_some();
            if raises_alignment {
                alignment = alignment.max(align);
            }
            layouts.push(FieldLayout { bit_offset: offset, bit_width: field.bit_width });
            position = offset.saturating_add(length);
            end = end.max(position);
        }
        let size = end.div_ceil(8).next_multiple_of(alignment);
        RecordLayout { size, alignment, fields: layouts }
    }
}
