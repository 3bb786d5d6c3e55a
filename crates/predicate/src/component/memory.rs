//! The objects a component can reach, and what its pointers point to. Flow-insensitive, fields and array
//! elements told apart (SEEDS correction 3). Pointers that come from outside point to nothing or to an object
//! of their own, one per place that holds the pointer; the assumption is listed with the answer.

use super::unions::{Pieces, PointerHolder};
use base::IndexVec;
use program::types::ArrayLength;
use program::{
    Expr, ExprKind, Place, PlaceBase, ProcedureId, Projection, RecordId, RecordKind, Type, TypeId, TypeTable,
    VariableId,
};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A step from an object to a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Selector {
    Field(RecordId, u32),
    Index(u64),
}

/// A part of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ObjectPart {
    pub root: VariableId,
    pub path: Vec<Selector>,
}

/// What a pointer may be.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Target {
    Null,
    At(ObjectPart),
    Function(ProcedureId),
    /// A function that the program does not show.
    OutsideFunction,
    Unknown,
}

/// Where an object comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RootKind {
    /// Its first value comes from outside.
    Outside,
    /// Its first value is what its initialiser says.
    Initialised,
    /// Its first value is arbitrary, and it holds no pointers then.
    Local,
}

#[derive(Clone, Debug)]
pub(super) struct Root {
    pub name: Arc<str>,
    pub ty: TypeId,
    pub kind: RootKind,
    /// How many pointers from outside lead here.
    pub depth: u32,
}

/// When a spot is the one that is meant.
#[derive(Clone, Debug)]
pub(super) enum Choice {
    /// The pointer points to this spot.
    PointsTo(Expr, ObjectPart),
    /// The index has this value.
    Index(Expr, u64),
}

/// Where a place may lie.
#[derive(Clone, Debug, Default)]
pub(super) struct Resolved {
    pub spots: Vec<(ObjectPart, Vec<Choice>)>,
    /// It may also lie where nothing is known.
    pub is_unknown: bool,
    /// The pointer it is reached through may be null: then the access is undefined.
    pub null_pointer: Option<Expr>,
}

/// Objects nested deeper than this behind pointers from outside are not looked at.
const MOST_POINTERS: u32 = 5;
/// Arrays up to this length are tracked element by element where the index is not a constant.
pub(super) const MOST_ELEMENTS: u64 = 64;
/// Records with more scalars than this are not copied one by one.
pub(super) const MOST_LEAVES: usize = 2048;

#[derive(Debug)]
pub(super) struct Memory {
    pub types: TypeTable,
    pub roots: IndexVec<VariableId, Root>,
    contents: FxHashMap<ObjectPart, BTreeSet<Target>>,
    pub(super) outside: FxHashMap<ObjectPart, VariableId>,
    /// Objects that never change, and what their pointers are: those not mentioned are null.
    fixed: FxHashMap<VariableId, FxHashMap<Vec<Selector>, Expr>>,
    /// What the program's initialisers say about pointers to data that may have changed since.
    first: FxHashMap<ObjectPart, Expr>,
    /// Records that stand for another one of the same meaning, declared in another file.
    own_records: FxHashMap<RecordId, RecordId>,
    /// Were pointers from outside followed?
    pub has_outside_pointers: bool,
    /// How unions are cut, as far as it was asked.
    pub(super) unions: RefCell<FxHashMap<TypeId, Option<Arc<Pieces>>>>,
}

impl Memory {
    pub fn new(types: TypeTable) -> Memory {
        let own_records = super::records::same_records(&types);
        Memory {
            types,
            fixed: FxHashMap::default(),
            first: FxHashMap::default(),
            own_records,
            roots: IndexVec::new(),
            contents: FxHashMap::default(),
            outside: FxHashMap::default(),
            has_outside_pointers: false,
            unions: RefCell::default(),
        }
    }

    pub fn add(&mut self, name: Arc<str>, ty: TypeId, kind: RootKind) -> VariableId {
        self.roots.push(Root { name, ty, kind, depth: 0 })
    }

    /// The object never changes, and its pointers have these values.
    pub fn fix(&mut self, root: VariableId, values: FxHashMap<Vec<Selector>, Expr>) {
        self.fixed.insert(root, values);
    }

    /// The value of a pointer in an object that never changes; none if it is null.
    pub fn fixed_value(&self, spot: &ObjectPart) -> Option<Option<&Expr>> {
        Some(self.fixed.get(&spot.root)?.get(&spot.path))
    }

    /// Does the object never change?
    pub fn is_fixed(&self, root: VariableId) -> bool {
        self.fixed.contains_key(&root)
    }

    /// How many bytes lie at a part of an object and behind it, inside its innermost array.
    pub fn room_behind(&self, part: &ObjectPart) -> u64 {
        if let Some((Selector::Index(at), array)) = part.path.split_last() {
            let array = ObjectPart { root: part.root, path: array.to_vec() };
            return match self.type_at(&array).map(|ty| self.types.get(ty)) {
                Some(Type::Array(element, ArrayLength::Known(length))) => {
                    length.saturating_sub(*at) * self.types.size_of(element.id).unwrap_or(0)
                }
                _ => 0,
            };
        }
        self.type_at(part).and_then(|ty| self.types.size_of(ty)).unwrap_or(0)
    }

    /// The pointer to data has this value when the program starts, and may still have it when the component
    /// does.
    pub fn may_begin_with(&mut self, spot: ObjectPart, value: Expr) {
        let to = self.types.pointee(value.ty);
        if to.is_some_and(|to| matches!(self.types.get(to.id), Type::Function(_))) {
            return; // Those may lead to every function whose address is taken.
        }
        let targets = self.targets(&value);
        self.may_hold(&spot, &targets);
        self.first.insert(spot, value);
    }

    /// The object begins with what its initialiser says; pointers that are not mentioned are null.
    pub fn begins_with(&mut self, root: VariableId, pointers: FxHashMap<Vec<Selector>, Expr>) {
        self.roots[root].kind = RootKind::Initialised;
        for (path, value) in pointers {
            let spot = ObjectPart { root, path };
            let targets = self.targets(&value);
            self.may_hold(&spot, &targets);
            self.first.insert(spot, value);
        }
    }

    /// What a pointer may have begun with, beside null and what comes from outside.
    pub fn first_value(&self, spot: &ObjectPart) -> Option<&Expr> {
        self.first.get(spot)
    }

    /// The record under which its fields are known.
    pub fn own_record(&self, record: RecordId) -> RecordId {
        self.own_records.get(&record).copied().unwrap_or(record)
    }

    /// Are these the same type, perhaps declared in different files?
    pub fn is_alike(&self, one: TypeId, other: TypeId) -> bool {
        super::records::is_alike(&self.types, &self.own_records, one, other)
    }

    /// The object a pointer of that spot points to, if it points to anything, when it comes from outside.
    pub fn outside_object(&mut self, spot: &ObjectPart) -> Option<VariableId> {
        if let Some(&known) = self.outside.get(spot) {
            return Some(known);
        }
        let depth = self.roots[spot.root].depth + 1;
        let to = self.types.pointee(self.type_at(spot)?)?;
        if depth > MOST_POINTERS || matches!(self.types.get(to.id), Type::Function(_)) {
            return None;
        }
        self.has_outside_pointers = true;
        let name = Arc::from(format!("*{}", self.name_of(spot)));
        let root = self.roots.push(Root { name, ty: to.id, kind: RootKind::Outside, depth });
        self.outside.insert(spot.clone(), root);
        Some(root)
    }

    /// The known object behind a pointer from outside.
    pub fn known_outside_object(&self, spot: &ObjectPart) -> Option<VariableId> {
        self.outside.get(spot).copied()
    }

    pub fn type_at(&self, spot: &ObjectPart) -> Option<TypeId> {
        type_at(&self.types, &self.roots, spot)
    }

    /// Bits of the bit-field at the end of the path, if it is one.
    pub fn bit_width(&self, spot: &ObjectPart) -> Option<u32> {
        match spot.path.last()? {
            Selector::Field(record, index) => {
                self.types.records[*record].fields.as_ref()?.get(*index as usize)?.bit_width
            }
            Selector::Index(_) => None,
        }
    }

    pub fn byte_offset(&self, spot: &ObjectPart) -> u64 {
        let mut ty = self.roots[spot.root].ty;
        let mut offset = 0;
        for step in &spot.path {
            match (step, self.types.get(ty)) {
                (Selector::Field(record, index), _) => {
                    let record = &self.types.records[*record];
                    if let (Some(layout), Some(fields)) = (&record.layout, &record.fields) {
                        offset += layout.fields[*index as usize].byte_offset();
                        ty = fields[*index as usize].ty.id;
                    }
                }
                (Selector::Index(index), Type::Array(element, _)) => {
                    offset += index * self.types.size_of(element.id).unwrap_or(1);
                    ty = element.id;
                }
                _ => {}
            }
        }
        offset
    }

    /// As C writes it.
    pub fn name_of(&self, spot: &ObjectPart) -> String {
        let root = &self.roots[spot.root];
        let (mut text, mut steps) = (root.name.to_string(), spot.path.as_slice());
        if let Some(pointer) = root.name.strip_prefix('*')
            && let Some((Selector::Field(record, index), rest)) = steps.split_first()
        {
            text = format!("{pointer}->{}", self.field_name(*record, *index));
            steps = rest;
        }
        for step in steps {
            match step {
                Selector::Field(record, index) => {
                    text = format!("{text}.{}", self.field_name(*record, *index));
                }
                Selector::Index(index) if text.starts_with('*') => text = format!("({text})[{index}]"),
                Selector::Index(index) => text = format!("{text}[{index}]"),
            }
        }
        text
    }

    fn field_name(&self, record: RecordId, index: u32) -> String {
        let fields = self.types.records[record].fields.as_ref();
        let name = fields.and_then(|fields| fields.get(index as usize)).and_then(|field| field.name.clone());
        name.map_or_else(|| format!("<{index}>"), |name| name.to_string())
    }

    /// What the pointer at a spot may be.
    pub fn content(&mut self, spot: &ObjectPart) -> BTreeSet<Target> {
        let PointerHolder::ObjectPart(spot) = &self.pointer_holder(spot) else {
            return BTreeSet::from([Target::Unknown]);
        };
        let mut targets = self.contents.get(spot).cloned().unwrap_or_default();
        if let Some(value) = self.fixed_value(spot).map(|value| value.cloned()) {
            targets
                .extend(value.map_or_else(|| BTreeSet::from([Target::Null]), |value| self.targets(&value)));
        } else if self.roots[spot.root].kind == RootKind::Initialised {
            targets.insert(Target::Null);
        } else if self.roots[spot.root].kind == RootKind::Outside {
            targets.insert(Target::Null);
            match self.outside_object(spot) {
                Some(root) => {
                    targets.insert(Target::At(ObjectPart { root, path: Vec::new() }));
                }
                None => {
                    let pointee = self.type_at(spot).and_then(|ty| self.types.pointee(ty));
                    let is_function =
                        pointee.is_some_and(|to| matches!(self.types.get(to.id), Type::Function(_)));
                    targets.insert(if is_function { Target::OutsideFunction } else { Target::Unknown });
                }
            }
        }
        targets
    }

    /// Takes in what a spot may hold; true if that is news.
    pub fn may_hold(&mut self, spot: &ObjectPart, targets: &BTreeSet<Target>) -> bool {
        let PointerHolder::ObjectPart(spot) = self.pointer_holder(spot) else { return false };
        let known = self.contents.entry(spot).or_default();
        let before = known.len();
        known.extend(targets.iter().cloned());
        known.len() > before
    }

    /// What a pointer expression may be.
    pub fn targets(&mut self, expr: &Expr) -> BTreeSet<Target> {
        let one = |target: Target| BTreeSet::from([target]);
        match &expr.kind {
            ExprKind::Integer(0) => one(Target::Null),
            ExprKind::Load(place) => {
                let resolved = self.resolve(place);
                let mut all = BTreeSet::new();
                for (spot, _) in &resolved.spots {
                    all.extend(self.content(spot));
                }
                if resolved.is_unknown {
                    all.insert(Target::Unknown);
                }
                all
            }
            ExprKind::AddressOf(place) => {
                if let (PlaceBase::Pointer(pointer), []) = (&place.base, place.path.as_slice()) {
                    return self.targets(pointer);
                }
                let resolved = self.resolve(place);
                let mut all: BTreeSet<Target> =
                    resolved.spots.into_iter().map(|(spot, _)| Target::At(spot)).collect();
                // The end of an array has an address, too.
                if let Some(Projection::Index(index)) = place.path.last()
                    && self.constant(index).is_none()
                {
                    let ends: Vec<Target> =
                        all.iter().flat_map(|one| self.moved(one.clone(), None)).collect();
                    all.extend(ends);
                }
                if resolved.is_unknown {
                    all.insert(Target::Unknown);
                }
                all
            }
            ExprKind::FunctionAddress(procedure) => one(Target::Function(*procedure)),
            ExprKind::Cast(operand) if self.types.is_pointer(operand.ty) => self.targets(operand),
            ExprKind::Cast(operand) if operand.as_integer() == Some(0) => one(Target::Null),
            ExprKind::PointerOffset { pointer, index } => {
                let by = self.constant(index);
                let targets = self.targets(pointer);
                targets.into_iter().flat_map(|target| self.moved(target, by)).collect()
            }
            _ => one(Target::Unknown),
        }
    }

    /// Where a pointer may be that was moved by so many elements, or by any number. It stays in its array or
    /// comes to its end; elsewhere nothing is known.
    fn moved(&self, target: Target, by: Option<i128>) -> Vec<Target> {
        let Target::At(spot) = &target else {
            return vec![if by == Some(0) { target } else { Target::Unknown }];
        };
        let Some((Selector::Index(at), array)) = spot.path.split_last() else {
            return vec![if by == Some(0) { target } else { Target::Unknown }];
        };
        let array = ObjectPart { root: spot.root, path: array.to_vec() };
        let length = match self.type_at(&array).map(|ty| self.types.get(ty)) {
            Some(Type::Array(_, ArrayLength::Known(length))) => *length,
            _ => return vec![Target::Unknown],
        };
        let element = |at: u64| {
            let mut path = array.path.clone();
            path.push(Selector::Index(at));
            Target::At(ObjectPart { root: array.root, path })
        };
        match by {
            Some(by) => match u64::try_from(i128::from(*at) + by) {
                Ok(to) if to <= length => vec![element(to)],
                // Outside its object a pointer has no meaning at all; inside a larger one that may be
                // disputed.
                _ if array.path.is_empty() => Vec::new(),
                _ => vec![Target::Unknown],
            },
            None if length <= MOST_ELEMENTS => (0..=length).map(element).collect(),
            None => vec![Target::Unknown],
        }
    }

    /// Is it part of its object, not the end of an array?
    fn is_inside(&self, spot: &ObjectPart) -> bool {
        spot.path.iter().enumerate().all(|(at, step)| {
            let Selector::Index(index) = step else { return true };
            let array = ObjectPart { root: spot.root, path: spot.path[..at].to_vec() };
            match self.type_at(&array).map(|ty| self.types.get(ty)) {
                Some(Type::Array(_, ArrayLength::Known(length))) => index < length,
                _ => true,
            }
        })
    }

    pub fn constant(&self, expr: &Expr) -> Option<i128> {
        match &expr.kind {
            ExprKind::Integer(bits) => Some(self.types.integer_shape(expr.ty)?.value(*bits)),
            ExprKind::Cast(operand) => {
                let value = self.constant(operand)?;
                let shape = self.types.integer_shape(expr.ty)?;
                Some(shape.value(shape.truncate(value as u128)))
            }
            _ => None,
        }
    }

    /// Where a place may lie.
    pub fn resolve(&mut self, place: &Place) -> Resolved {
        let mut resolved = Resolved::default();
        let mut spots: Vec<(ObjectPart, Vec<Choice>)> = match &place.base {
            PlaceBase::Variable(root) => vec![(ObjectPart { root: *root, path: Vec::new() }, Vec::new())],
            PlaceBase::Pointer(pointer) => {
                let targets = self.targets(pointer);
                // Whatever the analysis says, a pointer that was read may be null.
                if !matches!(pointer.kind, ExprKind::AddressOf(_)) {
                    resolved.null_pointer = Some((**pointer).clone());
                }
                let mut found = Vec::new();
                for target in targets {
                    match target {
                        Target::Null => {}
                        Target::At(spot) => found.push((spot, Vec::new())),
                        Target::Function(_) | Target::OutsideFunction => {}
                        Target::Unknown => resolved.is_unknown = true,
                    }
                }
                if found.len() > 1 || resolved.is_unknown {
                    for (spot, choices) in &mut found {
                        choices.push(Choice::PointsTo((**pointer).clone(), spot.clone()));
                    }
                }
                found
            }
        };
        for step in &place.path {
            let mut next = Vec::new();
            for (spot, choices) in spots {
                if !self.step(spot, choices, step, &mut next) {
                    resolved.is_unknown = true;
                }
            }
            spots = next;
        }
        for (mut spot, choices) in spots {
            // To reach past the end of an array is undefined: that is no place.
            if !self.is_inside(&spot) {
                continue;
            }
            let is_scalar = self.types.is_scalar(place.ty.id);
            if self.fit(&mut spot, place.ty.id) && (!is_scalar || self.pieces(&spot).is_some()) {
                resolved.spots.push((spot, choices));
            } else {
                resolved.is_unknown = true;
            }
        }
        resolved
    }

    /// One step into a record or array; false if it cannot be told where it leads.
    fn step(
        &self,
        mut spot: ObjectPart,
        choices: Vec<Choice>,
        step: &Projection,
        next: &mut Vec<(ObjectPart, Vec<Choice>)>,
    ) -> bool {
        let Some(mut ty) = self.type_at(&spot) else { return false };
        match step {
            Projection::Field(record, index) => {
                while let Type::Array(element, _) = self.types.get(ty) {
                    ty = element.id;
                    spot.path.push(Selector::Index(0));
                }
                let record = self.own_record(*record);
                let is_own = self.types.record_id(ty).map(|own| self.own_record(own)) == Some(record);
                if !is_own {
                    return false;
                }
                spot.path.push(Selector::Field(record, *index));
                next.push((spot, choices));
                true
            }
            Projection::Index(index) => {
                let Type::Array(_, length) = self.types.get(ty) else { return false };
                let length = match length {
                    ArrayLength::Known(length) => *length,
                    _ => return false,
                };
                match self.constant(index) {
                    Some(value) if (0..i128::from(length)).contains(&value) => {
                        spot.path.push(Selector::Index(value as u64));
                        next.push((spot, choices));
                        true
                    }
                    None if length <= MOST_ELEMENTS => {
                        for at in 0..length {
                            let mut element = spot.clone();
                            element.path.push(Selector::Index(at));
                            let mut choices = choices.clone();
                            choices.push(Choice::Index((**index).clone(), at));
                            next.push((element, choices));
                        }
                        true
                    }
                    _ => false,
                }
            }
        }
    }

    /// Descends to the first part that has the wanted type; false if there is none.
    pub fn fit(&self, spot: &mut ObjectPart, wanted: TypeId) -> bool {
        loop {
            let Some(ty) = self.type_at(spot) else { return false };
            if ty == wanted || self.is_alike(ty, wanted) {
                return true;
            }
            match self.types.get(ty) {
                Type::Array(..) => spot.path.push(Selector::Index(0)),
                Type::Record(record) if self.types.records[*record].kind == RecordKind::Struct => {
                    let has_fields =
                        self.types.records[*record].fields.as_ref().is_some_and(|all| !all.is_empty());
                    if !has_fields {
                        return false;
                    }
                    spot.path.push(Selector::Field(self.own_record(*record), 0));
                }
                Type::Record(_) => {
                    let Some(member) = self.fitting_member(spot, wanted) else { return false };
                    *spot = member;
                    return true;
                }
                _ => {
                    let is_plain = |ty| self.types.is_scalar(ty) && self.types.float_kind(ty).is_none();
                    return is_plain(ty)
                        && is_plain(wanted)
                        && !matches!(self.types.get(ty), Type::Bool)
                        && self.types.size_of(ty) == self.types.size_of(wanted);
                }
            }
        }
    }

    /// The paths to the scalars of a type, pieces for unions; `None` for what is too large or not understood.
    pub fn leaves(&self, ty: TypeId) -> Option<Vec<Vec<Selector>>> {
        let mut found = Vec::new();
        let mut open = vec![(ty, Vec::new())];
        while let Some((ty, path)) = open.pop() {
            let with = |step: Selector| {
                let mut longer = path.clone();
                longer.push(step);
                longer
            };
            match self.types.get(ty) {
                Type::Record(record) => {
                    let definition = &self.types.records[*record];
                    if definition.kind == RecordKind::Union {
                        let pieces = self.paths_to_pieces(ty)?.into_iter();
                        found.extend(pieces.map(|piece| [path.clone(), piece].concat()));
                        continue;
                    }
                    for (index, field) in definition.fields.as_ref()?.iter().enumerate() {
                        let own = self.own_record(*record);
                        open.push((field.ty.id, with(Selector::Field(own, index as u32))));
                    }
                }
                Type::Array(element, ArrayLength::Known(length)) => {
                    if *length > MOST_ELEMENTS {
                        return None;
                    }
                    open.extend((0..*length).map(|at| (element.id, with(Selector::Index(at)))));
                }
                _ if self.types.is_scalar(ty) => found.push(path),
                _ => return None,
            }
            if found.len() + open.len() > MOST_LEAVES {
                return None;
            }
        }
        Some(found)
    }
}

/// The type of what is at a spot.
pub(super) fn type_at(
    types: &TypeTable,
    roots: &IndexVec<VariableId, Root>,
    spot: &ObjectPart,
) -> Option<TypeId> {
    let mut ty = roots[spot.root].ty;
    for step in &spot.path {
        ty = match (step, types.get(ty)) {
            (Selector::Field(record, index), Type::Record(_)) => {
                types.records[*record].fields.as_ref()?.get(*index as usize)?.ty.id
            }
            (Selector::Index(_), Type::Array(element, _)) => element.id,
            _ => return None,
        };
    }
    Some(ty)
}
