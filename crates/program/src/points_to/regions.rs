//! Regions: the coarsest telling apart of memory that every access respects.
//!
//! Two cells that one access may touch are in one region. So an engine can give each region its own array or variable
//! and every access reads or writes exactly one. An access of a record counts as one access per scalar in it.

use super::constraints::is_object;
use super::objects::{ObjectId, ObjectKind};
use super::shape::ByteRange;
use super::{PointsTo, instances};
use crate::expr::{Access, ExprPart};
use crate::{Place, Program, TypeId, VariableKind};
use base::{Id, IndexVec};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

base::define_id!(
    /// Bytes of an abstract object that are told apart from its other bytes.
    CellId,
    "c"
);
base::define_id!(
    /// Cells that are accessed together.
    RegionId,
    "r"
);

/// Bytes of an abstract object that are told apart from its other bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The object that it is a part of.
    pub object: ObjectId,
    /// Which; elements of arrays are folded onto the first. [`ByteRange::ALL`] if the object is one cell.
    pub range: ByteRange,
    /// The region it belongs to.
    pub region: RegionId,
}

/// Cells that are accessed together.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// Its cells, in order.
    pub cells: Vec<CellId>,
    /// The scalar types it is accessed with (unions and large records stand for themselves), in order.
    pub types: Vec<TypeId>,
    /// May code that is not shown read and write it?
    pub is_escaped: bool,
    /// Is it one scalar that exists once at a time and is only accessed as a whole? Then an assignment replaces its
    /// value for certain, and it can be treated like a variable.
    pub is_singleton: bool,
}

/// The cell `index` behind the first one of an object.
pub(super) fn cell_after(first: CellId, index: usize) -> CellId {
    CellId::from_index(first.index() + index)
}

struct Partition {
    parents: Vec<usize>,
}

impl Partition {
    fn find(&mut self, mut at: usize) -> usize {
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    fn join(&mut self, one: CellId, other: CellId) {
        let (one, other) = (self.find(one.index()), self.find(other.index()));
        self.parents[one.max(other)] = one.min(other);
    }
}

impl PointsTo {
    pub(super) fn build_cells(&mut self) {
        let mut next = 0;
        for object in self.objects.ids() {
            self.first_cells.push(CellId::from_index(next));
            for slot in &self.objects[object].slots {
                let region = RegionId::from_index(0);
                self.cells.push(Cell { object, range: slot.range, region });
                next += 1;
            }
        }
    }

    pub(super) fn slot_of(&self, cell: CellId) -> (ObjectId, usize) {
        let object = self.cells[cell].object;
        (object, cell.index() - self.first_cells[object].index())
    }

    pub(super) fn build_regions(&mut self, program: &Program) {
        let mut partition = Partition { parents: (0..self.cells.len()).collect() };
        let mut accesses: FxHashMap<CellId, BTreeSet<(ByteRange, TypeId)>> = FxHashMap::default();
        let mut reaches_outside = false;
        let mut seen = rustc_hash::FxHashSet::default();
        for procedure in &program.procedures {
            for edge in procedure.body.iter().flat_map(|body| &body.edges) {
                edge.action.visit(&mut |part| {
                    if let ExprPart::Place(place, Access::Read | Access::Write) = part
                        && seen.insert(place.clone())
                    {
                        reaches_outside |= self.join_access(program, place, &mut partition, &mut accesses);
                    }
                });
            }
        }
        if reaches_outside {
            let outside = self.first_cells[self.unknown];
            for cell in self.cells.ids() {
                if self.objects[self.cells[cell].object].is_escaped {
                    partition.join(outside, cell);
                }
            }
        }
        let several = instances::several_at_once(program, self);
        let mut numbers: FxHashMap<usize, RegionId> = FxHashMap::default();
        for cell in self.cells.ids() {
            let root = partition.find(cell.index());
            let region = *numbers.entry(root).or_insert_with(|| self.regions.push(Region::default()));
            self.cells[cell].region = region;
            let is_escaped = self.objects[self.cells[cell].object].is_escaped;
            let region = &mut self.regions[region];
            region.cells.push(cell);
            region.is_escaped |= is_escaped;
            region.types.extend(accesses.get(&cell).into_iter().flatten().map(|(_, ty)| *ty));
        }
        for region in self.regions.ids() {
            self.regions[region].types.sort_unstable();
            self.regions[region].types.dedup();
            self.regions[region].is_singleton = match self.regions[region].cells[..] {
                [cell] => {
                    self.exists_once(program, cell, &several)
                        && self.is_whole(program, cell, accesses.get(&cell))
                }
                _ => false,
            };
        }
    }

    /// Joins all cells that one access may touch, scalar by scalar. Says whether it may touch what is not shown.
    fn join_access(
        &self,
        program: &Program,
        place: &Place,
        partition: &mut Partition,
        accesses: &mut FxHashMap<CellId, BTreeSet<(ByteRange, TypeId)>>,
    ) -> bool {
        if place.as_variable().is_some_and(|id| !is_object(program, id)) {
            return false;
        }
        let Some(leaves) = self.leaves.find(place, &program.types) else { return false };
        let targets = self.address(program, place);
        let mut reaches_outside = false;
        for index in 0..self.leaves.count(leaves) {
            let mut first: Option<CellId> = None;
            for target in &targets {
                reaches_outside |= target.object == self.unknown;
                let shape = &self.objects[target.object].shape;
                let (offset, size) = self.leaves.part(leaves, index, shape, target.offset);
                let Some(range) = shape.accessed(offset, size) else { continue };
                for cell in self.cells_in(target.object, range) {
                    accesses.entry(cell).or_default().insert((range, place.ty.id));
                    match first {
                        Some(first) => partition.join(first, cell),
                        None => first = Some(cell),
                    }
                }
            }
        }
        reaches_outside
    }

    fn exists_once(
        &self,
        program: &Program,
        cell: CellId,
        several: &IndexVec<crate::ProcedureId, bool>,
    ) -> bool {
        let object = &self.objects[self.cells[cell].object];
        let ObjectKind::Variable(id) = object.kind else { return false };
        let variable = &program.variables[id];
        let is_static = matches!(variable.kind, VariableKind::Global | VariableKind::StringLiteral);
        let is_one_instance = match variable.procedure {
            _ if is_static => !variable.is_thread_local,
            Some(procedure) => !several[procedure],
            None => false,
        };
        let is_folded = match object.shape.period {
            Some(period) => program.types.size_of(variable.ty.id) != Some(period),
            None => object.shape.windows_at(self.cells[cell].range.start).next().is_some(),
        };
        is_one_instance && !is_folded && !object.is_escaped && !variable.is_external
    }

    fn is_whole(
        &self,
        program: &Program,
        cell: CellId,
        accesses: Option<&BTreeSet<(ByteRange, TypeId)>>,
    ) -> bool {
        let range = self.cells[cell].range;
        let mut scalars: Vec<TypeId> = accesses
            .into_iter()
            .flatten()
            .map(|(_, ty)| *ty)
            .filter(|&ty| program.types.is_scalar(ty))
            .collect();
        scalars.dedup();
        accesses.is_none_or(|accesses| accesses.iter().all(|(accessed, _)| *accessed == range))
            && scalars.len() <= 1
            && range != ByteRange::ALL
    }
}
