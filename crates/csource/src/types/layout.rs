//! Sizes, alignments and member offsets, as GCC lays them out for System V on x86.
//!
//! Bit-fields follow GCC's `PCC_BITFIELD_TYPE_MATTERS` rule: a bit-field never spans more units of its declared type
//! than the type itself does, otherwise it moves to the next boundary; unnamed ones do not raise the record's
//! alignment.

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
    /// The alignment of the whole, in bytes.
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

    /// The walk of GCC's `place_field`: one position that only grows, rounded up before each member.
    fn lay_out(&self, id: RecordId, fields: &[Field]) -> RecordLayout {
        let record = &self.records[id];
        let is_union = record.kind == RecordKind::Union;
        let mut alignment = record.alignment.unwrap_or(1);
        let mut position: u64 = 0; // in bits, where the next member of a struct may start
        let mut end: u64 = 0; // in bits, past the furthest member
        let mut layouts = Vec::with_capacity(fields.len());
        for field in fields {
            let size_bits = self.size_of(field.ty.id).unwrap_or(0).saturating_mul(8);
            let start = if is_union { 0 } else { position };
            let placed = self.place(field, record.is_packed || field.is_packed, record.pack_limit, start);
            let mut offset = round_up(start, placed.alignment_bits);
            if let (Some(unit), Some(width)) = (placed.unit, field.bit_width) {
                // A bit-field may not touch more units of its type's alignment than the type itself fills.
                let touched = (offset % (unit * 8) + u64::from(width)).div_ceil(unit * 8);
                if touched > size_bits / (unit * 8) {
                    offset = round_up(offset, unit * 8);
                }
            }
            alignment = alignment.max(placed.raises_to);
            layouts.push(FieldLayout { bit_offset: offset, bit_width: field.bit_width });
            position = offset.saturating_add(field.bit_width.map_or(size_bits, u64::from));
            end = end.max(position);
        }
        let size = round_up(end.div_ceil(8), alignment);
        RecordLayout { size, alignment, fields: layouts }
    }

    /// What a member asks for (GCC's `layout_decl` and `update_alignment_for_field`).
    fn place(&self, field: &Field, packed: bool, limit: Option<u64>, start: u64) -> Placement {
        let of_type = field.type_alignment.or_else(|| self.member_align_of(field.ty.id)).unwrap_or(1);
        let asked = field.alignment.unwrap_or(1);
        let limited = |alignment: u64| limit.map_or(alignment, |limit| alignment.min(limit));
        match field.bit_width {
            // Neither `packed` nor `#pragma pack` touches the separator.
            Some(0) => Placement { alignment_bits: of_type.max(asked) * 8, unit: None, raises_to: 1 },
            Some(width) => {
                let from_type = if limit.is_some() {
                    limited(of_type)
                } else if packed {
                    1
                } else {
                    of_type
                };
                // `#pragma pack` and `packed` switch the rule about units off.
                let mut unit = (limit.is_none() && !packed).then_some(of_type);
                let mut own = limited(asked);
                // A width that a machine integer has, at a place where that integer could lie: GCC takes it for one.
                if let Some(integer) =
                    self.machine_integer(width, start).filter(|&bytes| bytes == 1 || !packed)
                {
                    unit = None;
                    let is_reduced = self.model() == DataModel::Ilp32 && field.alignment.is_none();
                    let as_member = if is_reduced { integer.min(4) } else { integer };
                    own = own.max(limited(as_member));
                }
                let raises_to = if field.name.is_some() { own.max(from_type) } else { 1 };
                let alignment_bits = field.alignment.map_or(1, |asked| limited(asked) * 8);
                Placement { alignment_bits, unit, raises_to }
            }
            None => {
                let natural = if packed { 1 } else { of_type };
                let alignment = limited(natural.max(asked));
                Placement { alignment_bits: alignment * 8, unit: None, raises_to: alignment }
            }
        }
    }
}

impl TypeTable {
    /// The bytes of a machine integer of that width, if it could start at that bit.
    fn machine_integer(&self, width: u32, start: u64) -> Option<u64> {
        let widest = if self.model() == DataModel::Ilp32 { 64 } else { 128 };
        let is_integer = matches!(width, 8 | 16 | 32 | 64 | 128) && width <= widest;
        (is_integer && start.is_multiple_of(u64::from(width))).then_some(u64::from(width / 8))
    }
}

/// Where a member may start and what it does to its record.
struct Placement {
    /// In bits: a bit-field can start anywhere.
    alignment_bits: u64,
    /// The alignment unit that a bit-field may not straddle, in bytes.
    unit: Option<u64>,
    /// The alignment that the record gets at least, in bytes.
    raises_to: u64,
}

fn round_up(value: u64, to: u64) -> u64 {
    value.checked_next_multiple_of(to.max(1)).unwrap_or(value)
}
