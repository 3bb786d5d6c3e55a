//! What pointers may point to, for the whole program at once: inclusion-based (Andersen), without regard to the order
//! of statements or to calling contexts, with fields told apart and arrays folded onto one element.
//!
//! **Obligation.** Every result must over-approximate every run without undefined behaviour: a pointer that a run
//! dereferences points into an object and at a byte that [`PointsTo::points_to`] names; a procedure that a run calls
//! through a pointer is among [`PointsTo::targets`]. [`ObjectKind::Unknown`] in a result stands for memory that the
//! program does not show *and for every object that has escaped* ([`PointsTo::is_escaped`]).
//!
//! What it rests on:
//! - Arithmetic on a pointer to an element of an inner array, in steps of its element, stays in that array (C11 6.5.6). gcc gives
//!   programs that break this a meaning, so an engine that takes them as they are looks at [`PointsTo::confines`].
//! - A procedure is called with the number and kinds (scalar, record) of arguments it takes.
//! - A missing function reads and writes what was passed to it and all that can be reached from there, and nothing else
//!   of the program.
//! - An integer made a pointer points to an object only if a pointer to it took part in computing the integer, or was
//!   made an integer before.
//!
//! Tested by hand-written programs here, and against concrete runs.
//!
//! Reading order: `shape` (bytes) → `offsets` (pointers into objects) → `objects`, `bits`, `sets`, `leaves` →
//! `constraints`, `calls` → `solve` → `query`, `instances`, `regions`.

mod bits;
mod calls;
mod constraints;
mod instances;
mod leaves;
mod objects;
mod offsets;
mod query;
mod regions;
mod sets;
mod shape;
mod solve;
#[cfg(test)]
mod tests;

pub use objects::{ObjectId, ObjectKind};
pub use offsets::{Area, Confines, OffsetInObject, Row};
pub use regions::{Cell, CellId, Region, RegionId};
pub use shape::ByteRange;

use crate::expr::ExprPart;
use crate::types::{IntegerKind, Type, TypeId};
use crate::{
    Action, Assumption, AssumptionKind, Callee, EdgeId, Expr, ExprKind, Place, PlaceBase, ProcedureId,
    Program, VariableId,
};
use base::IndexVec;
use leaves::Leaves;
use objects::Object;
use rustc_hash::{FxHashMap, FxHashSet};
use sets::{SetId, Sets};
use solve::Solver;

/// An object and where in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// The object.
    pub object: ObjectId,
    /// Where in it.
    pub offset: OffsetInObject,
}

/// The finished analysis of one program.
#[derive(Debug)]
pub struct PointsTo {
    sets: Sets,
    objects: IndexVec<ObjectId, Object>,
    known_objects: FxHashMap<ObjectKind, ObjectId>,
    unknown: ObjectId,
    registers: FxHashMap<VariableId, SetId>,
    values: FxHashMap<Expr, Option<SetId>>,
    addresses: FxHashMap<Place, SetId>,
    leaves: Leaves,
    targets: FxHashMap<(ProcedureId, EdgeId), Vec<ProcedureId>>,
    allocation_types: FxHashMap<(ProcedureId, EdgeId), TypeId>,
    open_calls: FxHashSet<(ProcedureId, EdgeId)>,
    escaped_procedures: FxHashSet<ProcedureId>,
    first_cells: IndexVec<ObjectId, CellId>,
    cells: IndexVec<CellId, Cell>,
    regions: IndexVec<RegionId, Region>,
}

impl PointsTo {
    /// Analyses the program.
    pub fn of(program: &Program) -> PointsTo {
        // What is allocated has no type: the first pass shows which one it is used at, the second tells its fields
        // apart.
        let first = PointsTo::solve(program, FxHashMap::default());
        let types = first.allocation_types(program);
        let mut finished = if types.is_empty() { first } else { PointsTo::solve(program, types) };
        finished.build_cells();
        finished.build_regions(program);
        finished
    }

    fn solve(program: &Program, allocation_types: FxHashMap<(ProcedureId, EdgeId), TypeId>) -> PointsTo {
        let mut solver = Solver::new(program, allocation_types);
        solver.generate();
        solver.run();
        let mut targets = solver.call_targets;
        targets.values_mut().for_each(|procedures| procedures.sort_unstable());
        let open_calls = solver.open_calls.iter().map(|&call| {
            let call = &solver.calls[call];
            (call.procedure, call.edge)
        });
        PointsTo {
            open_calls: open_calls.collect(),
            allocation_types: solver.allocation_types,
            unknown: solver.known_objects[&ObjectKind::Unknown],
            sets: solver.sets,
            objects: solver.objects,
            known_objects: solver.known_objects,
            registers: solver.registers,
            values: solver.value_cache,
            addresses: solver.address_cache,
            leaves: solver.leaves,
            targets,
            escaped_procedures: solver.escaped_procedures.into_iter().collect(),
            first_cells: IndexVec::new(),
            cells: IndexVec::new(),
            regions: IndexVec::new(),
        }
    }

    /// The one record (or else scalar) type that each allocation is used at.
    fn allocation_types(&self, program: &Program) -> FxHashMap<(ProcedureId, EdgeId), TypeId> {
        let mut used: FxHashMap<(ProcedureId, EdgeId), FxHashSet<TypeId>> = FxHashMap::default();
        let mut see = |pointer: &Expr| {
            let Some(to) = program.types.pointee(pointer.ty) else { return };
            let is_raw = matches!(
                program.types.get(to.id),
                Type::Void
                    | Type::Function(_)
                    | Type::Integer(IntegerKind::Char | IntegerKind::SignedChar | IntegerKind::UnsignedChar)
            );
            if is_raw || program.types.size_of(to.id).is_none() {
                return;
            }
            for target in self.evaluate(program, pointer) {
                if let ObjectKind::Allocation(procedure, edge) = self.objects[target.object].kind
                    && matches!(target.offset, OffsetInObject::At(0) | OffsetInObject::Anywhere)
                {
                    used.entry((procedure, edge)).or_default().insert(to.id);
                }
            }
        };
        for procedure in &program.procedures {
            for edge in procedure.body.iter().flat_map(|body| &body.edges) {
                edge.action.visit(&mut |part| match part {
                    ExprPart::Place(Place { base: PlaceBase::Pointer(pointer), .. }, _) => see(pointer),
                    ExprPart::Expr(Expr { kind: ExprKind::PointerOffset { pointer, .. }, .. }) => {
                        see(pointer)
                    }
                    _ => {}
                });
            }
        }
        let choose = |types: FxHashSet<TypeId>| {
            let is_record = |&ty: &TypeId| program.types.record_id(ty).is_some();
            let records: Vec<TypeId> = types.iter().copied().filter(is_record).collect();
            match (&records[..], types.len()) {
                ([record], _) => Some(*record),
                ([], 1) => types.into_iter().next(),
                _ => None,
            }
        };
        used.into_iter().filter_map(|(site, types)| Some((site, choose(types)?))).collect()
    }

    /// What the pointers in a value may point to, in order. A null pointer is never among it.
    pub fn points_to(&self, program: &Program, value: &Expr) -> Vec<Target> {
        sorted(self.evaluate(program, value))
    }

    /// Where in each object that the pointers in a value may point to they must be, by the rule of C about inner
    /// arrays. Whoever follows pointers that break it must look. Objects without such arrays are left out.
    pub fn confines(&self, program: &Program, value: &Expr) -> Vec<(ObjectId, Confines)> {
        let targets = self.points_to(program, value);
        let of_object = |targets: &[Target]| {
            let object = targets[0].object;
            let offsets: Vec<OffsetInObject> = targets.iter().map(|target| target.offset).collect();
            Some((object, self.objects[object].shape.confines(&offsets)?))
        };
        targets.chunk_by(|one, two| one.object == two.object).filter_map(of_object).collect()
    }

    /// Do the pointers in a value point to elements of `size` bytes, or larger ones in steps of which they move, so
    /// that behind one comes another of the same kind or the end of the array or object?
    pub fn points_to_elements(&self, program: &Program, value: &Expr, size: u64) -> bool {
        self.points_to(program, value).iter().all(|target| {
            let shape = &self.objects[target.object].shape;
            shape.is_element(target.offset, size)
        })
    }

    /// Where a place may lie, in order. Empty for a variable that is not in memory.
    pub fn locations(&self, program: &Program, place: &Place) -> Vec<Target> {
        match place.as_variable() {
            Some(id) if !constraints::is_object(program, id) => Vec::new(),
            _ => sorted(self.address(program, place)),
        }
    }

    /// The cells that an access of the place may touch, in order.
    pub fn cells(&self, program: &Program, place: &Place) -> Vec<CellId> {
        self.touched(program, place)
    }

    /// The cells that an access of some bytes of a place may touch, in order.
    pub fn cells_within(&self, program: &Program, place: &Place, range: ByteRange) -> Vec<CellId> {
        let mut cells: Vec<CellId> = Vec::new();
        for target in self.locations(program, place) {
            let shape = &self.objects[target.object].shape;
            let offset = shape.offset(target.offset, 1, i64::try_from(range.start).ok());
            if let Some(touched) = shape.accessed(offset, range.end - range.start) {
                cells.extend(self.cells_in(target.object, touched));
            }
        }
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// A cell.
    pub fn cell(&self, id: CellId) -> &Cell {
        &self.cells[id]
    }

    /// What pointers stored in the cell may point to, in order.
    pub fn content(&self, id: CellId) -> Vec<Target> {
        let (object, index) = self.slot_of(id);
        sorted(self.content_of(self.objects[object].slots[index].content).collect())
    }

    /// The cells of an object, in order of their bytes.
    pub fn cells_of(&self, object: ObjectId) -> impl Iterator<Item = CellId> + '_ {
        self.cells_in(object, ByteRange::ALL)
    }

    /// The procedures an indirect call may reach, in order. Empty for a direct call.
    pub fn targets(&self, procedure: ProcedureId, edge: EdgeId) -> &[ProcedureId] {
        self.targets.get(&(procedure, edge)).map_or(&[], Vec::as_slice)
    }

    /// May an indirect call reach code that is not shown?
    pub fn may_call_outside(&self, procedure: ProcedureId, edge: EdgeId) -> bool {
        self.open_calls.contains(&(procedure, edge))
    }

    /// May two accesses touch the same byte?
    pub fn may_alias(&self, program: &Program, one: &Place, other: &Place) -> bool {
        let register = |place: &Place| place.as_variable().filter(|&id| !constraints::is_object(program, id));
        if let (Some(one), Some(other)) = (register(one), register(other)) {
            return one == other;
        }
        let (one, other) = (self.ranges(program, one), self.ranges(program, other));
        let is_open =
            |ranges: &[(ObjectId, ByteRange)]| ranges.iter().any(|&(object, _)| object == self.unknown);
        let has_escaped =
            |ranges: &[(ObjectId, ByteRange)]| ranges.iter().any(|&(object, _)| self.is_escaped(object));
        let meet = |&(object, range): &(ObjectId, ByteRange)| {
            other.iter().any(|&(also, with)| also == object && range.overlaps(with))
        };
        one.iter().any(meet) || is_open(&one) && has_escaped(&other) || is_open(&other) && has_escaped(&one)
    }

    /// May two places of one type share some bytes without being the same place? Not where they are the same place of elements that are no
    /// smaller, or of objects.
    pub fn may_overlap_in_part(&self, program: &Program, one: &Place, other: &Place) -> bool {
        let Some(size) = program.types.size_of(one.ty.id) else { return true };
        let (ones, others) = (self.locations(program, one), self.locations(program, other));
        let is_open = |targets: &[Target]| targets.iter().any(|target| target.object == self.unknown);
        let has_escaped = |targets: &[Target]| targets.iter().any(|target| self.is_escaped(target.object));
        let may = |target: &Target| {
            let same_object = others.iter().filter(|other| other.object == target.object);
            let shape = &self.objects[target.object].shape;
            let mut places = same_object.map(|other| (target.offset, other.offset));
            places.any(|(offset, other)| shape.may_overlap_in_part(offset, other, size))
        };
        is_open(&ones) && has_escaped(&others)
            || is_open(&others) && has_escaped(&ones)
            || ones.iter().any(may)
    }

    /// The region of a scalar place in memory. `None` for a variable that is not in memory, and for a place that no run
    /// without undefined behaviour accesses. A record has a region per scalar in it: see [`cells`](Self::cells).
    pub fn region_of(&self, program: &Program, place: &Place) -> Option<RegionId> {
        match place.as_variable() {
            Some(id) if !constraints::is_object(program, id) => None,
            _ => self.cells(program, place).first().map(|&cell| self.cells[cell].region),
        }
    }

    /// All regions.
    pub fn regions(&self) -> &IndexVec<RegionId, Region> {
        &self.regions
    }

    /// All objects.
    pub fn objects(&self) -> impl Iterator<Item = ObjectId> + use<> {
        self.objects.ids()
    }

    /// What an object stands for.
    pub fn object(&self, id: ObjectId) -> ObjectKind {
        self.objects[id].kind
    }

    /// The object that stands for that, if a pointer or an access reaches it.
    pub fn object_of(&self, kind: ObjectKind) -> Option<ObjectId> {
        self.known_objects.get(&kind).copied()
    }

    /// The type that what is allocated is used at, if it is one.
    pub fn element_type(&self, id: ObjectId) -> Option<TypeId> {
        match self.objects[id].kind {
            ObjectKind::Allocation(procedure, edge) => self.allocation_types.get(&(procedure, edge)).copied(),
            _ => None,
        }
    }

    /// May code that is not shown hold a pointer to it?
    pub fn is_escaped(&self, id: ObjectId) -> bool {
        self.objects[id].is_escaped
    }

    /// May code that is not shown call the procedure?
    pub fn is_escaped_procedure(&self, id: ProcedureId) -> bool {
        self.escaped_procedures.contains(&id)
    }

    /// The procedures a value may point to, in order.
    pub fn procedures_in(&self, program: &Program, value: &Expr) -> Vec<ProcedureId> {
        let mut procedures: Vec<ProcedureId> = self
            .evaluate(program, value)
            .into_iter()
            .filter_map(|target| match self.objects[target.object].kind {
                ObjectKind::Procedure(id) => Some(id),
                _ => None,
            })
            .collect();
        procedures.sort_unstable();
        procedures
    }

    /// The procedures that a procedure may call, in order.
    pub fn callees(&self, program: &Program, id: ProcedureId) -> Vec<ProcedureId> {
        let mut callees = Vec::new();
        let Some(body) = &program.procedures[id].body else { return callees };
        for (edge_id, edge) in body.edges.iter_enumerated() {
            if let Action::Call { callee, .. } = &edge.action {
                match callee {
                    Callee::Direct(callee) => callees.push(*callee),
                    Callee::Indirect(_) => callees.extend(self.targets(id, edge_id)),
                }
            }
        }
        callees.sort_unstable();
        callees.dedup();
        callees
    }
}

fn sorted(targets: FxHashSet<Target>) -> Vec<Target> {
    let mut targets: Vec<Target> = targets.into_iter().collect();
    targets.sort_unstable();
    targets
}

/// Records an assumption for every indirect call without a possible target: no run can get past it.
pub fn record_missing_targets(program: &mut Program, points_to: &PointsTo) {
    let mut found = Vec::new();
    for (id, procedure) in program.procedures.iter_enumerated() {
        let Some(body) = &procedure.body else { continue };
        for (edge_id, edge) in body.edges.iter_enumerated() {
            let Action::Call { callee: Callee::Indirect(pointer), .. } = &edge.action else { continue };
            let subject = program.show().expr(pointer);
            let message = match (
                points_to.targets(id, edge_id).is_empty(),
                points_to.may_call_outside(id, edge_id),
            ) {
                (true, false) => {
                    format!(
                        "no function is known that the call through `{subject}` in `{}` could reach",
                        procedure.name
                    )
                }
                (_, true) => format!(
                    "the call through `{subject}` in `{}` may reach a function that is not part of the program",
                    procedure.name
                ),
                (false, false) => continue,
            };
            let kind = AssumptionKind::NoCallTarget;
            found.push(Assumption { kind, subject: subject.into(), message, span: edge.span });
        }
    }
    for assumption in found {
        if !program.assumptions.contains(&assumption) {
            program.assumptions.push(assumption);
        }
    }
}
