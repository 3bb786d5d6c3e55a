//! What is fixed for a program: where its static objects lie, which memory regions there are and how their cells look.

use crate::layout::{ObjectNumber, PointerLayout};
use base::{Id, IndexVec};
use program::expr::{Access, ExprPart};
use program::points_to::{Confines, ObjectId, ObjectKind, RegionId};
use program::{
    Expr, ExprKind, Place, PlaceBase, PointsTo, ProcedureId, Program, Projection, RecordKind, Type, TypeId,
    VariableId, VariableKind,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// Where in each of some objects a pointer must be.
pub type ObjectConfines = std::rc::Rc<[(ObjectKind, Confines)]>;

/// How the memory of a region is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellShape {
    /// One element per scalar of so many bytes, at the scalar's address. Every access of the region has this size, and
    /// one that is not aligned to it is a failure: so two accesses are to the same cell or share no byte.
    Whole(u64),
    /// One element per byte.
    Bytes,
}

impl CellShape {
    /// Bits of an element.
    pub fn bits(self) -> u32 {
        match self {
            CellShape::Whole(bytes) => bytes as u32 * 8,
            CellShape::Bytes => 8,
        }
    }
}

/// A scalar part of a type: what a copy of a record copies.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// The way from the whole to it.
    pub path: Vec<Projection>,
    /// Its type; a union is a leaf.
    pub ty: TypeId,
    /// Bytes from the start of the whole.
    pub offset: u64,
    /// Bytes that are copied.
    pub bytes: u64,
    /// Is it kept byte by byte: a union, or the bytes of a bit-field?
    pub is_raw: bool,
}

/// The procedures that a pointer may lead to: those with a body, and those whose address the program names. Headers declare hundreds of others.
pub(crate) fn named_procedures(program: &Program) -> FxHashSet<ProcedureId> {
    let has_body = |id: &ProcedureId| program.procedures[*id].body.is_some();
    let mut named: FxHashSet<ProcedureId> = program.procedures.ids().filter(has_body).collect();
    let mut see = |part: ExprPart<'_>| {
        if let ExprPart::Expr(Expr { kind: ExprKind::FunctionAddress(id), .. }) = part {
            named.insert(*id);
        }
    };
    for edge in program.edges() {
        edge.action.visit(&mut see);
    }
    program.visit_initial(&mut see);
    named
}

/// More scalars than this in one record are not copied one by one.
const MOST_LEAVES: usize = 4096;

/// A program with what is fixed about its memory.
pub struct Meaning<'p> {
    /// The program.
    pub program: &'p Program,
    /// What its pointers point to.
    pub points_to: &'p PointsTo,
    /// How pointers are made.
    pub layout: PointerLayout,
    shapes: IndexVec<RegionId, CellShape>,
    statics: FxHashMap<VariableId, ObjectNumber>,
    procedures: IndexVec<ProcedureId, ObjectNumber>,
    first_procedure: usize,
    first_free: usize,
    allocates: bool,
    shared_literals: Vec<Vec<u128>>,
    addresses: RefCell<FxHashMap<program::Expr, bool>>,
    /// Integers that never hold an address, or may, as far as that was asked.
    plain_numbers: RefCell<FxHashMap<VariableId, bool>>,
    addressed: FxHashSet<VariableId>,
    regions: RefCell<FxHashMap<Place, Option<RegionId>>>,
    confines: RefCell<FxHashMap<program::Expr, ObjectConfines>>,
    leaves: RefCell<FxHashMap<TypeId, Option<std::rc::Rc<[Leaf]>>>>,
    pub(crate) known_gaps: RefCell<FxHashMap<Place, Option<std::rc::Rc<[crate::padding::Gap]>>>>,
    pub(crate) cycles: crate::once::Cycles,
}

impl std::fmt::Debug for Meaning<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Meaning").field("layout", &self.layout).finish_non_exhaustive()
    }
}

impl<'p> Meaning<'p> {
    /// Lays out the static objects and looks at every access.
    pub fn new(program: &'p Program, points_to: &'p PointsTo) -> Meaning<'p> {
        let mut next = 1;
        let mut take = || {
            next += 1;
            ObjectNumber::from_index(next - 1)
        };
        let mut statics = FxHashMap::default();
        for (id, variable) in program.variables.iter_enumerated() {
            let is_static = matches!(variable.kind, VariableKind::Global | VariableKind::StringLiteral);
            if is_static && is_in_memory(program, id) {
                statics.insert(id, take());
            }
        }
        let named = named_procedures(program);
        let procedure_objects: FxHashMap<ProcedureId, ObjectNumber> =
            program.procedures.ids().filter(|id| named.contains(id)).map(|id| (id, take())).collect();
        // Nothing points to the others.
        let of_others = take();
        let of = |id: ProcedureId| procedure_objects.get(&id).copied().unwrap_or(of_others);
        let procedures = program.procedures.ids().map(of).collect();
        let mut meaning = Meaning {
            program,
            points_to,
            layout: PointerLayout::of(program),
            shapes: IndexVec::new(),
            statics,
            procedures,
            first_procedure: next - 1 - procedure_objects.len(),
            first_free: next,
            allocates: crate::births::allocates(program, points_to),
            shared_literals: Vec::new(),
            addresses: RefCell::default(),
            plain_numbers: RefCell::default(),
            addressed: FxHashSet::default(),
            regions: RefCell::default(),
            confines: RefCell::default(),
            leaves: RefCell::default(),
            known_gaps: RefCell::default(),
            cycles: crate::once::Cycles::default(),
        };
        meaning.see_accesses();
        meaning.shared_literals = meaning.group_literals();
        meaning
    }

    /// Is the value read from bytes of a variable that no pointer is ever stored in? The analysis takes the members of
    /// a union for one; where nobody has the variable's address, the offsets tell them apart.
    fn is_apart_from_pointers(&self, value: &program::Expr) -> bool {
        let ExprKind::Load(place) = &value.kind else { return false };
        let (PlaceBase::Variable(id), Some(read)) = (&place.base, self.bytes_of(place)) else { return false };
        let variable = &self.program.variables[*id];
        if self.is_address_taken(*id)
            || variable.kind == VariableKind::Parameter
            || !variable.initial.is_empty()
        {
            return false;
        }
        let bodies = self.program.procedures.iter().filter_map(|procedure| procedure.body.as_ref());
        bodies.flat_map(|body| &body.edges).all(|edge| {
            let (target, stored) = match &edge.action {
                program::Action::Assign { target, value } if value.kind != ExprKind::Zero => {
                    (target, Some(value))
                }
                program::Action::Call { result: Some(target), .. } => (target, None),
                _ => return true,
            };
            if target.base != place.base {
                return true;
            }
            let types = &self.program.types;
            let is_plain_number = types.is_scalar(target.ty.id)
                && !types.is_pointer(target.ty.id)
                && stored.is_some_and(|value| self.points_to.points_to(self.program, value).is_empty());
            let is_elsewhere = types.is_pointer(target.ty.id)
                && self.bytes_of(target).is_some_and(|written| written.1 <= read.0 || read.1 <= written.0);
            is_plain_number || is_elsewhere
        })
    }

    /// The bytes of its variable that a member occupies: the first, and one past the last.
    fn bytes_of(&self, place: &Place) -> Option<(u64, u64)> {
        let types = &self.program.types;
        let mut start = 0;
        for step in &place.path {
            let Projection::Field(record, index) = step else { return None };
            start += types.records[*record].layout.as_ref()?.fields[*index as usize].byte_offset();
        }
        let size = match place.bit_field(types) {
            Some(layout) => (layout.bit_offset % 8 + u64::from(layout.bit_width?)).div_ceil(8),
            None => types.size_of(place.ty.id)?,
        };
        Some((start, start + size))
    }

    /// Groups of string literals, each of which may share its place with another of its group.
    fn group_literals(&self) -> Vec<Vec<u128>> {
        let mut groups: Vec<Vec<VariableId>> = Vec::new();
        let is_literal = |id: &VariableId| self.program.variables[*id].kind == VariableKind::StringLiteral;
        for (id, _) in self.static_objects().into_iter().filter(|(id, _)| is_literal(id)) {
            let (with, others): (Vec<_>, Vec<_>) = groups
                .into_iter()
                .partition(|group| group.iter().any(|&other| self.program.literals_may_share(id, other)));
            groups = others;
            groups.push(with.into_iter().flatten().chain([id]).collect());
        }
        let number = |id: &VariableId| self.statics[id].index() as u128;
        groups.retain(|group| group.len() > 1);
        groups.iter().map(|group| group.iter().map(number).collect()).collect()
    }

    /// Can a run allocate blocks that it should free?
    pub fn allocates(&self) -> bool {
        self.allocates
    }

    /// May there be blocks whose numbers are names only: allocated ones, or those of `alloca` and of arrays of run-time
    /// length?
    pub fn names_blocks(&self) -> bool {
        let is_own = |edge: &program::Edge| match &edge.action {
            program::Action::Call { callee: program::Callee::Direct(callee), .. } => {
                matches!(
                    self.program.procedures[*callee].known,
                    Some(program::Known::Alloca | program::Known::NewStream)
                )
            }
            program::Action::Call { .. } => true,
            _ => false,
        };
        self.allocates || self.program.edges().any(is_own)
    }

    /// The groups of string literals that may share their places, by the numbers of their objects.
    pub fn shared_literals(&self) -> &[Vec<u128>] {
        &self.shared_literals
    }

    /// The object numbers of procedures: the first, and one past the last.
    pub fn procedure_objects(&self) -> (u128, u128) {
        (self.first_procedure as u128, self.first_free as u128)
    }

    /// May the value of an integer be (part of) an address, as far as the points-to analysis tells?
    pub fn may_hold_address(&self, value: &program::Expr) -> bool {
        if let Some(&known) = self.addresses.borrow().get(value) {
            return known;
        }
        let holds =
            !self.points_to.points_to(self.program, value).is_empty() && !self.is_apart_from_pointers(value);
        self.addresses.borrow_mut().insert(value.clone(), holds);
        holds
    }

    /// May a variable outside memory, which is no pointer, hold (part of) an address?
    pub fn may_hold_part_of_address(&self, variable: VariableId) -> bool {
        let ty = self.program.variables[variable].ty;
        if self.program.types.is_pointer(ty.id) {
            return false;
        }
        let kind = ExprKind::Load(Box::new(Place::variable(variable, ty)));
        self.may_hold_address(&Expr { kind, ty: ty.id })
    }

    /// Is it an integer that never holds (part of) an address, in any run? Then whatever is said of it names no object.
    pub fn is_plain_number(&self, variable: VariableId) -> bool {
        *self.plain_numbers.borrow_mut().entry(variable).or_insert_with(|| {
            let ty = self.program.variables[variable].ty;
            let place = Box::new(Place::variable(variable, ty));
            let value = program::Expr { kind: ExprKind::Load(place), ty: ty.id };
            self.program.types.is_integer(ty.id) && self.points_to.points_to(self.program, &value).is_empty()
        })
    }

    /// Decides the shape of every region from all accesses of the program.
    fn see_accesses(&mut self) {
        let mut sizes: IndexVec<RegionId, Option<CellShape>> =
            self.points_to.regions().ids().map(|_| None).collect();
        let mut see = |region: RegionId, shape: CellShape| {
            sizes[region] = match sizes[region] {
                None => Some(shape),
                Some(known) if known == shape => Some(known),
                Some(_) => Some(CellShape::Bytes),
            };
        };
        let mut seen = FxHashSet::default();
        let mut addressed = FxHashSet::default();
        let mut look = |place: &Place| {
            if self.is_register(place) || !seen.insert(place.clone()) {
                return;
            }
            for leaf in self.leaves_of_place(place).iter().flat_map(|leaves| leaves.iter()) {
                let whole = at_leaf(place, leaf);
                if let Some(region) = self.region_of(&whole) {
                    see(region, self.shape_for(leaf));
                }
            }
        };
        for procedure in &self.program.procedures {
            for variable in procedure.parameters.iter().chain(&procedure.locals) {
                look(&Place::variable(*variable, self.program.variables[*variable].ty));
            }
            for edge in procedure.body.iter().flat_map(|body| &body.edges) {
                edge.action.visit(&mut |part| match part {
                    ExprPart::Place(place, Access::Read | Access::Write) => look(place),
                    ExprPart::Place(Place { base: PlaceBase::Variable(id), .. }, Access::Address) => {
                        addressed.insert(*id);
                    }
                    _ => {}
                });
            }
        }
        for variable in &self.program.variables {
            for initial in &variable.initial {
                look(&initial.place);
                if let program::InitialData::Value(value) = &initial.value {
                    value.visit(&mut |part| {
                        if let ExprPart::Place(Place { base: PlaceBase::Variable(id), .. }, Access::Address) =
                            part
                        {
                            addressed.insert(*id);
                        }
                    });
                }
            }
        }
        self.addressed = addressed;
        self.shapes = sizes.iter().map(|shape| shape.unwrap_or(CellShape::Bytes)).collect();
    }

    fn shape_for(&self, leaf: &Leaf) -> CellShape {
        let types = &self.program.types;
        // On i386 eight-byte members are aligned to four: two of them could overlap by half.
        let is_aligned = types.member_align_of(leaf.ty) == Some(leaf.bytes);
        if leaf.is_raw || !is_aligned { CellShape::Bytes } else { CellShape::Whole(leaf.bytes) }
    }

    /// Is the place a variable that no pointer reaches?
    pub fn is_register(&self, place: &Place) -> bool {
        place.as_variable().is_some_and(|id| !is_in_memory(self.program, id))
    }

    /// Does the program take the variable's address?
    pub fn is_address_taken(&self, variable: VariableId) -> bool {
        self.addressed.contains(&variable)
    }

    /// The region of a scalar place (or union) in memory, if a run without undefined behaviour can access it.
    pub fn region_of(&self, place: &Place) -> Option<RegionId> {
        if let Some(known) = self.regions.borrow().get(place) {
            return *known;
        }
        let cells = self.points_to.cells(self.program, place);
        let mut regions = cells.iter().map(|&cell| self.points_to.cell(cell).region);
        let first = regions.next();
        // A place that the program does not access itself (an initial value) may span regions: nobody knows it here.
        let region = first.filter(|first| regions.all(|other| other == *first));
        self.regions.borrow_mut().insert(place.clone(), region);
        region
    }

    /// Where in its object a pointer must be for its regions to be the right ones; objects that are in one region do not matter.
    pub fn confines(&self, pointer: &program::Expr) -> ObjectConfines {
        if let Some(known) = self.confines.borrow().get(pointer) {
            return known.clone();
        }
        let analysis = self.points_to;
        let is_divided = |object: ObjectId| {
            let mut regions = analysis.cells_of(object).map(|cell| analysis.cell(cell).region);
            let first = regions.next();
            regions.any(|region| Some(region) != first)
        };
        let all = analysis.confines(self.program, pointer).into_iter();
        let divided = all.filter(|(object, _)| is_divided(*object));
        let found: ObjectConfines =
            divided.map(|(object, confines)| (analysis.object(object), confines)).collect();
        self.confines.borrow_mut().insert(pointer.clone(), found.clone());
        found
    }

    /// How a region is kept.
    pub fn shape(&self, region: RegionId) -> CellShape {
        self.shapes[region]
    }

    /// All regions.
    pub fn regions(&self) -> impl Iterator<Item = RegionId> + '_ {
        self.shapes.ids()
    }

    /// The object of a variable with static storage that is in memory.
    pub fn static_object(&self, variable: VariableId) -> Option<ObjectNumber> {
        self.statics.get(&variable).copied()
    }

    /// The variables with static storage in memory, in order.
    pub fn static_objects(&self) -> Vec<(VariableId, ObjectNumber)> {
        let mut all: Vec<_> = self.statics.iter().map(|(&id, &object)| (id, object)).collect();
        all.sort_unstable();
        all
    }

    /// The object that stands for a procedure.
    pub fn procedure_object(&self, procedure: ProcedureId) -> ObjectNumber {
        self.procedures[procedure]
    }

    /// The procedure an object number stands for.
    pub fn procedure_of(&self, number: u128) -> Option<ProcedureId> {
        self.procedures
            .iter_enumerated()
            .find(|(_, object)| object.index() as u128 == number)
            .map(|(id, _)| id)
    }

    /// The first object number that no static object has.
    pub fn first_free(&self) -> usize {
        self.first_free
    }

    /// Bytes of a variable's object.
    pub fn size_of_variable(&self, variable: VariableId) -> Option<u64> {
        let variable = &self.program.variables[variable];
        self.program.types.size_of(variable.ty.id).map(|size| size + variable.extra_bytes)
    }

    /// The parts of a type that are copied one by one; `None` if it has no size or too many.
    pub fn leaves(&self, ty: TypeId) -> Option<std::rc::Rc<[Leaf]>> {
        if let Some(known) = self.leaves.borrow().get(&ty) {
            return known.clone();
        }
        let mut found = Vec::new();
        let complete = self.collect_leaves(ty, 0, &mut Vec::new(), &mut found);
        let leaves: Option<std::rc::Rc<[Leaf]>> = complete.then(|| found.into());
        self.leaves.borrow_mut().insert(ty, leaves.clone());
        leaves
    }

    /// The parts of what is at a place: a bit-field is its bytes.
    pub fn leaves_of_place(&self, place: &Place) -> Option<std::rc::Rc<[Leaf]>> {
        match place.bit_field(&self.program.types) {
            None => self.leaves(place.ty.id),
            Some(layout) => {
                let bytes = (layout.bit_offset % 8 + u64::from(layout.bit_width.unwrap_or(1))).div_ceil(8);
                let leaf = Leaf { path: Vec::new(), ty: place.ty.id, offset: 0, bytes, is_raw: true };
                Some([leaf].into())
            }
        }
    }

    fn collect_leaves(
        &self,
        ty: TypeId,
        offset: u64,
        path: &mut Vec<Projection>,
        found: &mut Vec<Leaf>,
    ) -> bool {
        let types = &self.program.types;
        let Some(size) = types.size_of(ty) else { return false };
        match types.get(ty) {
            Type::Array(element, program::types::ArrayLength::Known(count)) => {
                let Some(stride) = types.size_of(element.id) else { return false };
                if found.len() as u64 + count > MOST_LEAVES as u64 {
                    return false;
                }
                for at in 0..*count {
                    path.push(Projection::Index(Box::new(self.index_constant(at))));
                    let complete = self.collect_leaves(element.id, offset + at * stride, path, found);
                    path.pop();
                    if !complete {
                        return false;
                    }
                }
            }
            Type::Record(id) if types.records[*id].kind == RecordKind::Struct => {
                let record = &types.records[*id];
                let (Some(fields), Some(layout)) = (&record.fields, &record.layout) else { return false };
                for (index, field) in fields.iter().enumerate() {
                    let at = layout.fields[index];
                    path.push(Projection::Field(*id, index as u32));
                    let complete = match at.bit_width {
                        Some(0) => true,
                        Some(width) => {
                            let bytes = (at.bit_offset % 8 + u64::from(width)).div_ceil(8);
                            let offset = offset + at.byte_offset();
                            found.push(Leaf {
                                path: path.clone(),
                                ty: field.ty.id,
                                offset,
                                bytes,
                                is_raw: true,
                            });
                            true
                        }
                        // A flexible array at the end is no part of the record's value.
                        None if types.size_of(field.ty.id).is_none() => index + 1 == fields.len(),
                        None => self.collect_leaves(field.ty.id, offset + at.byte_offset(), path, found),
                    };
                    path.pop();
                    if !complete {
                        return false;
                    }
                }
            }
            Type::Record(_) => {
                found.push(Leaf { path: path.clone(), ty, offset, bytes: size, is_raw: true });
            }
            _ if types.is_scalar(ty) => {
                found.push(Leaf { path: path.clone(), ty, offset, bytes: size, is_raw: false });
            }
            // Complex and vector values are kept, not computed with.
            _ => found.push(Leaf { path: path.clone(), ty, offset, bytes: size, is_raw: true }),
        }
        found.len() <= MOST_LEAVES
    }

    fn index_constant(&self, at: u64) -> program::Expr {
        let types = &self.program.types;
        let kind = Type::Integer(program::IntegerKind::UnsignedLong);
        let fallback =
            || types.ids().find(|&id| types.is_integer(id)).expect("every program has an integer type");
        let ty = types.find(&kind).unwrap_or_else(fallback);
        program::Expr { kind: ExprKind::Integer(u128::from(at)), ty }
    }
}

/// A leaf of a place, as a place.
pub fn at_leaf(place: &Place, leaf: &Leaf) -> Place {
    let mut path = place.path.clone();
    path.extend(leaf.path.iter().cloned());
    let ty = if leaf.path.is_empty() { place.ty } else { leaf.ty.into() };
    Place { base: place.base.clone(), path, ty }
}

/// Does the variable live in memory?
pub fn is_in_memory(program: &Program, id: VariableId) -> bool {
    let variable = &program.variables[id];
    variable.in_memory || !program.types.is_scalar(variable.ty.id)
}
