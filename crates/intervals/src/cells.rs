//! Objects of memory and the cells they are told apart into.
//!
//! A cell is a scalar's bytes at a place in an object. Cells come into being when they are first written; a
//! cell that a state says nothing about can have any value. Elements of large arrays share the cells of the
//! first one (a window folds them: array smashing), and are then only ever weakly updated.

use crate::domain::pointers::ObjectId;
use crate::domain::value::Scalar;
use base::IndexVec;
use program::types::ArrayLength;
use program::{EdgeId, ProcedureId, Program, Type, TypeId, VariableId, VariableKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

base::define_id!(
    /// A scalar's place in memory.
    CellId,
    "cell"
);

/// What an object stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// A variable in memory.
    Variable(VariableId),
    /// What one call allocates: the block with that number, or all the others.
    Allocation(ProcedureId, EdgeId, Option<u32>),
    /// A procedure, whose address may be taken.
    Procedure(ProcedureId),
}

/// Scalars of an object that are given initial values one by one.
const MOST_LEAVES: usize = 4096;

/// The elements of a large array.
#[derive(Clone, Copy, Debug)]
struct Window {
    start: u64,
    end: u64,
    stride: u64,
}

/// What is known of an object, whatever the state.
#[derive(Debug)]
pub struct Object {
    /// What it stands for.
    pub kind: ObjectKind,
    /// Bytes, if all it stands for have the same known size. For allocations: the least seen.
    pub size: Option<u64>,
    /// Is its content followed?
    pub is_tracked: bool,
    windows: Vec<Window>,
    cells: BTreeMap<u64, Vec<CellId>>,
    longest: u64,
}

/// A part of an object that holds one scalar.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// In which object.
    pub object: ObjectId,
    /// Bytes from the object's start, folded.
    pub offset: u64,
    /// How many bytes it has.
    pub size: u64,
    /// Does it stand for several places?
    pub is_summary: bool,
}

/// All objects and cells met so far.
#[derive(Debug)]
pub struct Cells {
    /// Elements from which on an array is summarised.
    fold_from: u64,
    objects: IndexVec<ObjectId, Object>,
    by_kind: FxHashMap<ObjectKind, ObjectId>,
    cells: IndexVec<CellId, Cell>,
    by_place: FxHashMap<(ObjectId, u64, u64), CellId>,
}

impl Cells {
    /// None were met. Arrays of so many elements are summarised.
    pub fn new(fold_from: u64) -> Cells {
        Cells {
            fold_from,
            objects: IndexVec::new(),
            by_kind: FxHashMap::default(),
            cells: IndexVec::new(),
            by_place: FxHashMap::default(),
        }
    }

    /// The object that stands for that. `is_single` says whether a variable has at most one instance at a
    /// time, or a call allocates at most once.
    pub fn object(&mut self, kind: ObjectKind, program: &Program, is_single: bool) -> ObjectId {
        if let Some(&known) = self.by_kind.get(&kind) {
            return known;
        }
        let mut windows = Vec::new();
        let (size, is_tracked) = match kind {
            ObjectKind::Variable(id) => {
                let variable = &program.variables[id];
                collect_windows(variable.ty.id, 0, program, self.fold_from, &mut windows);
                let size = program.types.size_of(variable.ty.id).map(|size| size + variable.extra_bytes);
                (size, is_single && size.is_some())
            }
            ObjectKind::Allocation(..) => (None, is_single),
            ObjectKind::Procedure(_) => (None, false),
        };
        let object = Object { kind, size, is_tracked, windows, cells: BTreeMap::new(), longest: 0 };
        let id = self.objects.push(object);
        self.by_kind.insert(kind, id);
        id
    }

    /// The object that stands for that, if it was met.
    pub fn known_object(&self, kind: ObjectKind) -> Option<ObjectId> {
        self.by_kind.get(&kind).copied()
    }

    /// What is known about an object.
    pub fn get(&self, id: ObjectId) -> &Object {
        &self.objects[id]
    }

    /// An allocation of at least that many bytes was met.
    pub fn allocated(&mut self, id: ObjectId, bytes: u64, is_first: bool) {
        let size = &mut self.objects[id].size;
        *size = Some(if is_first { bytes } else { size.map_or(bytes, |known| known.min(bytes)) });
    }

    /// A cell's place.
    pub fn cell(&self, id: CellId) -> Cell {
        self.cells[id]
    }

    /// The object's initialised static storage?
    pub fn is_static(&self, id: ObjectId, program: &Program) -> bool {
        match self.objects[id].kind {
            ObjectKind::Variable(id) => {
                matches!(program.variables[id].kind, VariableKind::Global | VariableKind::StringLiteral)
            }
            _ => false,
        }
    }

    /// The place an access folds to, and whether that stands for several; `None` if it crosses elements of a
    /// window.
    pub fn fold(&self, object: ObjectId, offset: u64, size: u64) -> Option<(u64, bool)> {
        for window in &self.objects[object].windows {
            if offset + size <= window.start || window.end <= offset {
                continue;
            }
            if offset < window.start || offset + size > window.end {
                return None;
            }
            let inside = (offset - window.start) % window.stride;
            return (inside + size <= window.stride).then_some((window.start + inside, true));
        }
        Some((offset, false))
    }

    /// How far the elements of the large array around a place are apart.
    pub fn stride_at(&self, object: ObjectId, offset: u64) -> Option<i128> {
        let windows = &self.objects[object].windows;
        let around = windows.iter().find(|window| window.start <= offset && offset < window.end);
        around.map(|window| i128::from(window.stride))
    }

    /// The cell at a folded place, new or known.
    pub fn at(&mut self, object: ObjectId, offset: u64, size: u64, is_summary: bool) -> CellId {
        if let Some(&known) = self.by_place.get(&(object, offset, size)) {
            return known;
        }
        let id = self.cells.push(Cell { object, offset, size, is_summary });
        self.by_place.insert((object, offset, size), id);
        let object = &mut self.objects[object];
        object.cells.entry(offset).or_default().push(id);
        object.longest = object.longest.max(size);
        id
    }

    /// The cell at a folded place, if it was ever written.
    pub fn known(&self, object: ObjectId, offset: u64, size: u64) -> Option<CellId> {
        self.by_place.get(&(object, offset, size)).copied()
    }

    /// The cells that share a byte with `start..end`, where windows count as a whole.
    pub fn overlapping(&self, object: ObjectId, start: u64, end: u64) -> Vec<CellId> {
        let info = &self.objects[object];
        let mut found = Vec::new();
        self.direct_overlaps(object, start, end, &mut found);
        for window in &info.windows {
            if start < window.end && window.start < end {
                self.direct_overlaps(object, window.start, window.start + window.stride, &mut found);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The cells that share a byte with folded bytes.
    pub fn direct_overlaps(&self, object: ObjectId, start: u64, end: u64, found: &mut Vec<CellId>) {
        let info = &self.objects[object];
        for (&offset, cells) in info.cells.range(start.saturating_sub(info.longest)..end) {
            found.extend(cells.iter().filter(|&&cell| offset + self.cells[cell].size > start));
        }
    }

    /// All cells of an object.
    pub fn all_of(&self, object: ObjectId) -> Vec<CellId> {
        self.objects[object].cells.values().flatten().copied().collect()
    }
}

fn collect_windows(ty: TypeId, base: u64, program: &Program, fold_from: u64, windows: &mut Vec<Window>) {
    let types = &program.types;
    match types.get(ty) {
        Type::Array(element, ArrayLength::Known(count)) => {
            let (mut element, mut count) = (element.id, *count);
            while let Type::Array(inner, ArrayLength::Known(more)) = types.get(element) {
                count = count.saturating_mul(*more);
                element = inner.id;
            }
            let Some(stride) = types.size_of(element).filter(|&size| size > 0) else { return };
            if count >= fold_from {
                windows.push(Window { start: base, end: base + count * stride, stride });
            } else if matches!(types.get(element), Type::Record(_)) {
                for index in 0..count {
                    collect_windows(element, base + index * stride, program, fold_from, windows);
                }
            }
        }
        Type::Record(id) => {
            let record = &types.records[*id];
            let (Some(fields), Some(layout)) = (&record.fields, &record.layout) else { return };
            for (field, place) in fields.iter().zip(&layout.fields) {
                if windows.len() < 1000 {
                    collect_windows(field.ty.id, base + place.byte_offset(), program, fold_from, windows);
                }
            }
        }
        _ => {}
    }
}

/// The scalars of a type with their places, elements of large arrays once. `None` if there are too many.
/// Bit-fields are left out.
pub fn leaves(ty: TypeId, program: &Program, fold_from: u64) -> Option<Vec<(u64, Scalar, u64)>> {
    let mut found = Vec::new();
    collect_leaves(ty, 0, program, fold_from, &mut found).then_some(found)
}

/// The bytes of a type that its bit-fields share, elements of large arrays once.
pub fn bytes_of_bit_fields(ty: TypeId, program: &Program, fold_from: u64) -> Vec<u64> {
    let types = &program.types;
    match types.get(ty) {
        Type::Array(element, ArrayLength::Known(count)) => {
            let Some(stride) = types.size_of(element.id) else { return Vec::new() };
            let shown = if *count >= fold_from { 1 } else { *count };
            let inner = bytes_of_bit_fields(element.id, program, fold_from);
            (0..shown).flat_map(|index| inner.iter().map(move |at| at + index * stride)).collect()
        }
        Type::Record(id) => {
            let record = &types.records[*id];
            let (Some(fields), Some(layout)) = (&record.fields, &record.layout) else { return Vec::new() };
            let mut found: Vec<u64> = fields
                .iter()
                .zip(&layout.fields)
                .flat_map(|(field, place)| match place.bit_width {
                    Some(width) => {
                        let first = place.bit_offset / 8;
                        let end = (place.bit_offset + u64::from(width)).div_ceil(8);
                        (first..end).collect::<Vec<u64>>()
                    }
                    None => {
                        let start = place.byte_offset();
                        bytes_of_bit_fields(field.ty.id, program, fold_from)
                            .iter()
                            .map(|at| at + start)
                            .collect()
                    }
                })
                .collect();
            found.sort_unstable();
            found.dedup();
            found
        }
        _ => Vec::new(),
    }
}

fn collect_leaves(
    ty: TypeId,
    base: u64,
    program: &Program,
    fold_from: u64,
    found: &mut Vec<(u64, Scalar, u64)>,
) -> bool {
    let types = &program.types;
    if found.len() > MOST_LEAVES {
        return false;
    }
    match types.get(ty) {
        Type::Array(element, ArrayLength::Known(count)) => {
            let (mut inner, mut total) = (element.id, *count);
            while let Type::Array(deeper, ArrayLength::Known(more)) = types.get(inner) {
                total = total.saturating_mul(*more);
                inner = deeper.id;
            }
            let Some(stride) = types.size_of(inner) else { return false };
            let shown = if total >= fold_from { 1 } else { total };
            (0..shown).all(|index| collect_leaves(inner, base + index * stride, program, fold_from, found))
        }
        Type::Record(id) => {
            let record = &types.records[*id];
            let (Some(fields), Some(layout)) = (&record.fields, &record.layout) else { return false };
            fields.iter().zip(&layout.fields).all(|(field, place)| {
                place.bit_width.is_some()
                    || collect_leaves(field.ty.id, base + place.byte_offset(), program, fold_from, found)
            })
        }
        Type::Array(..) => true,
        _ => match (Scalar::of(ty, types), types.size_of(ty)) {
            (Some(scalar), Some(size)) => {
                found.push((base, scalar, size));
                true
            }
            _ => true,
        },
    }
}
