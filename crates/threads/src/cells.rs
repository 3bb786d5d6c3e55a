//! Where locks and their like keep their state. An object that is only ever named (`&m`) has variables of its own
//! outside memory, which is best for proofs. One that is known by a pointer keeps its state in its first integers: a
//! program never looks at them. Where a pointer does not say what it points to (`void *`, as in the descriptions of
//! `<threads.h>`), these are the first `int`s of its bytes, for all objects of the program.

use crate::mode::FrameId;
use crate::weave::Weaver;
use program::points_to::ObjectKind;
use program::types::ArrayLength;
use program::{
    Expr, ExprKind, InitialData, Known, Place, PlaceBase, Program, Projection, RecordId, RecordKind, Type,
    TypeId, VariableId, VariableKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Integers that an object needs.
pub const NEEDED: usize = 3;

/// Integers of an object that are looked at.
const MOST_INTEGERS: usize = 12;

/// Variables that stand for the state of named objects.
#[derive(Debug, Default)]
pub struct Cells {
    named: FxHashMap<(VariableId, Vec<Projection>), [VariableId; NEEDED]>,
    /// What some of them begin with, if not 0.
    pub initial: FxHashMap<VariableId, i64>,
    /// What those say that conditions about any number of threads may speak of.
    meanings: FxHashMap<VariableId, Meaning>,
    /// Who reads under a lock, by its writer.
    readers: FxHashMap<VariableId, Place>,
}

/// What a shared integer says, as far as it is the same whichever threads are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A number.
    Number,
    /// Who has a lock: 0, or the number of a thread.
    Owner,
}

impl Cells {
    /// Those that say who has a lock, with its name.
    pub fn locks<'p>(
        &self,
        program: &'p Program,
    ) -> impl Iterator<Item = (VariableId, std::sync::Arc<str>)> + use<'_, 'p> {
        self.named.iter().map(|((object, path), state)| {
            let ty = program.variables[*object].ty;
            let place = Place { base: PlaceBase::Variable(*object), path: path.clone(), ty };
            (state[0], std::sync::Arc::from(program.show().place(&place)))
        })
    }

    /// All, each with its name, in the order of the program.
    pub fn in_order(&self, program: &Program) -> Vec<(String, [VariableId; NEEDED])> {
        let mut all: Vec<(VariableId, String, [VariableId; NEEDED])> = self
            .named
            .iter()
            .map(|((object, path), state)| {
                let ty = program.variables[*object].ty;
                let place = Place { base: PlaceBase::Variable(*object), path: path.clone(), ty };
                (*object, program.show().place(&place).to_string(), *state)
            })
            .collect();
        all.sort();
        all.into_iter().map(|(_, name, state)| (name, state)).collect()
    }

    /// Notes what a part of a state says.
    pub fn says(&mut self, place: &Place, meaning: Meaning) {
        if let Some(variable) = place.as_variable() {
            self.meanings.insert(variable, meaning);
        }
    }

    /// Notes where a lock keeps who reads under it.
    pub fn is_read_by(&mut self, writer: &Place, readers: &Place) {
        if let Some(variable) = writer.as_variable() {
            self.readers.insert(variable, readers.clone());
        }
    }

    /// Where a lock keeps who reads under it.
    pub fn readers(&self, writer: VariableId) -> Option<Place> {
        self.readers.get(&writer).cloned()
    }

    /// What a variable says; nothing where it says something else for each choice of threads that are followed.
    pub fn meaning(&self, variable: VariableId) -> Option<Meaning> {
        self.meanings.get(&variable).copied()
    }

    /// The others.
    pub fn minor(&self) -> impl Iterator<Item = VariableId> + '_ {
        self.named.values().flat_map(|state| state[1..].iter().copied())
    }

    /// All variables.
    pub fn variables(&self) -> impl Iterator<Item = VariableId> + '_ {
        self.named.values().flatten().copied()
    }
}

/// The value without conversions.
pub fn uncast(value: &Expr) -> &Expr {
    let mut value = value;
    while let ExprKind::Cast(inner) = &value.kind {
        value = inner;
    }
    value
}

/// The value without those conversions that hide what it points to.
pub fn typed<'e>(program: &Program, value: &'e Expr) -> &'e Expr {
    let mut at = value;
    loop {
        let says = program.types.pointee(at.ty).and_then(|to| program.types.size_of(to.id));
        match &at.kind {
            _ if says.is_some_and(|size| size >= 4) => return at,
            ExprKind::Cast(inner) => at = inner,
            _ => return uncast(value),
        }
    }
}

/// The pointers to synchronisation objects among arguments.
pub fn objects_of(known: Known, arguments: &[Expr]) -> Vec<&Expr> {
    use Known::*;
    match known {
        // Condition variables have no state.
        CondWait | CondTimedWait => arguments.iter().skip(1).take(1).collect(),
        MutexInit => {
            arguments.iter().take(2).filter(|pointer| uncast(pointer).as_integer() != Some(0)).collect()
        }
        MutexDestroy
        | MutexLock
        | MutexTryLock
        | MutexTimedLock
        | MutexUnlock
        | MutexAttributesInit
        | MutexAttributesSetType
        | SpinInit
        | RwlockInit
        | RwlockDestroy
        | RwlockReadLock
        | RwlockWriteLock
        | RwlockTryReadLock
        | RwlockTryWriteLock
        | RwlockTimedReadLock
        | RwlockTimedWriteLock
        | RwlockUnlock
        | OnceCall
        | BarrierInit
        | BarrierDestroy
        | BarrierWait
        | SemaphoreInit
        | SemaphoreDestroy
        | SemaphoreWait
        | SemaphoreTryWait
        | SemaphoreTimedWait
        | SemaphoreGetValue
        | SemaphorePost => arguments.iter().take(1).collect(),
        _ => Vec::new(),
    }
}

/// Does a pointer say nothing about what it points to, so that all objects must keep their state in bytes?
pub fn says_nothing(program: &Program, pointer: &Expr) -> bool {
    let to = program.types.pointee(typed(program, pointer).ty);
    to.is_none_or(|to| integers(program, to.id).is_empty())
}

/// The static object, or part of one, that a value is the address of.
pub fn static_place<'e>(program: &Program, value: &'e Expr) -> Option<(VariableId, &'e [Projection])> {
    let ExprKind::AddressOf(place) = &uncast(value).kind else { return None };
    let PlaceBase::Variable(id) = place.base else { return None };
    let variable = &program.variables[id];
    let is_fixed = |step: &Projection| match step {
        Projection::Field(..) => true,
        Projection::Index(index) => index.as_integer().is_some(),
    };
    let is_static = variable.kind == VariableKind::Global && !variable.is_thread_local;
    (is_static && place.path.iter().all(is_fixed)).then_some((id, &place.path[..]))
}

/// Types of locks of which one is initialised with something other than zeros and, for a mutex, a kind that is known.
pub fn oddly_initialised(program: &Program, types: &FxHashSet<RecordId>) -> FxHashSet<RecordId> {
    let mut odd = FxHashSet::default();
    for initial in program.variables.iter().flat_map(|variable| &variable.initial) {
        let number = match &initial.value {
            InitialData::Value(value) if value.kind == ExprKind::Zero => Some(0),
            InitialData::Value(value) => uncast(value).as_integer(),
            InitialData::Bytes(bytes) => bytes.iter().all(|&byte| byte == 0).then_some(0),
        };
        if number == Some(0) {
            continue;
        }
        let path = &initial.place.path;
        for (position, step) in path.iter().enumerate() {
            let Projection::Field(record, _) = step else { continue };
            if !types.contains(record) {
                continue;
            }
            let is_kind = number.is_some_and(|number| number <= 3)
                && offset_in(program, &path[position..]) == Some(kind_offset(program));
            if is_kind {
                break;
            }
            odd.insert(*record);
        }
    }
    odd
}

/// Is a lock initialised with a kind?
pub fn has_kinds(program: &Program, types: &FxHashSet<RecordId>) -> bool {
    program.variables.iter().flat_map(|variable| &variable.initial).any(|initial| {
        let InitialData::Value(value) = &initial.value else { return false };
        uncast(value).as_integer().is_some_and(|number| number != 0)
            && initial
                .place
                .path
                .iter()
                .any(|step| matches!(step, Projection::Field(record, _) if types.contains(record)))
    })
}

/// Where glibc keeps the kind of a mutex.
pub fn kind_offset(program: &Program) -> u64 {
    if program.types.pointer_width() == 64 { 16 } else { 12 }
}

/// Bytes from the start of a record, or of an array's element's array, to where a path leads.
fn offset_in(program: &Program, path: &[Projection]) -> Option<u64> {
    let types = &program.types;
    let mut offset = 0;
    let mut within: Option<TypeId> = None;
    for step in path {
        match step {
            Projection::Field(record, index) => {
                let definition = &types.records[*record];
                offset += definition.layout.as_ref()?.fields.get(*index as usize)?.byte_offset();
                within = Some(definition.fields.as_ref()?.get(*index as usize)?.ty.id);
            }
            Projection::Index(index) => {
                let Type::Array(of, _) = types.get(within?) else { return None };
                offset += types.size_of(of.id)? * u64::try_from(index.as_integer()?).ok()?;
                within = Some(of.id);
            }
        }
    }
    Some(offset)
}

/// The kind that a mutex is initialised with, which is a part of a static variable.
pub fn initial_kind(program: &Program, id: VariableId, path: &[Projection]) -> i64 {
    let found = program.variables[id].initial.iter().find_map(|initial| {
        let rest = initial.place.path.strip_prefix(path)?;
        let InitialData::Value(value) = &initial.value else { return None };
        let number = uncast(value).as_integer().filter(|&number| number != 0)?;
        (offset_in(program, rest) == Some(kind_offset(program))).then_some(number as i64)
    });
    found.unwrap_or(0)
}

impl Weaver<'_> {
    /// The first integers of the state of the object that a value points to; nothing where it has no room for so many.
    pub fn state<const N: usize>(&mut self, frame: FrameId, pointer: &Expr) -> Option<[Place; N]> {
        let pointer = typed(self.old, pointer);
        let to = self.old.types.pointee(pointer.ty)?;
        if self.old.types.record_id(to.id).is_some_and(|record| self.facts.odd_kinds.contains(&record)) {
            return None;
        }
        if let Some((id, path)) = self.named(pointer) {
            let variables = self.named_state(id, &path);
            let places: Vec<Place> =
                variables[..N].iter().map(|&variable| self.terms.place(variable)).collect();
            return places.try_into().ok();
        }
        if self.facts.is_raw {
            let size = self.old.types.size_of(to.id).filter(|_| !says_nothing(self.old, pointer));
            if size.is_some_and(|size| size < 4 * N as u64) {
                return None;
            }
            return Some(std::array::from_fn(|part| self.raw(frame, pointer, 4 * part as u64)));
        }
        let base = self.renamed(frame, pointer);
        let kind = kind_offset(self.old);
        let found = integers(self.old, to.id);
        // Large objects may be mutexes, whose kind has its place.
        let is_large = self.old.types.size_of(to.id).is_some_and(|size| size > kind + 4);
        let places: Vec<Place> = found
            .into_iter()
            .filter(|(.., offset)| !(is_large && *offset == kind))
            .take(N)
            .map(|(path, ty, _)| Place {
                base: PlaceBase::Pointer(Box::new(base.clone())),
                path,
                ty: ty.into(),
            })
            .collect();
        places.try_into().ok()
    }

    /// The object, or part of one, that is never known by a pointer.
    fn named(&self, pointer: &Expr) -> Option<(VariableId, Vec<Projection>)> {
        let (id, path) = static_place(self.old, pointer)?;
        let object = self.points_to.object_of(ObjectKind::Variable(id));
        let is_pointed = object.is_some_and(|object| self.facts.pointed.contains(&object));
        (!is_pointed).then(|| (id, path.to_vec()))
    }

    /// An `int` among the bytes that a value points to.
    fn raw(&mut self, frame: FrameId, pointer: &Expr, offset: u64) -> Place {
        let int = self.terms.int;
        let to_int = self.new.types.pointer(int);
        let pointer = self.renamed(frame, pointer).cast(to_int);
        let index = Expr::integer(u128::from(offset / 4), int, &self.new.types);
        let kind = ExprKind::PointerOffset { pointer: Box::new(pointer), index: Box::new(index) };
        Place::pointed_to_by(Expr { kind, ty: to_int }, int)
    }

    /// The kind of a mutex: a number, or where it is kept.
    pub fn kind_of_mutex(&mut self, frame: FrameId, pointer: &Expr) -> Result<i64, Place> {
        let pointer = typed(self.old, pointer);
        let size = self.old.types.pointee(pointer.ty).and_then(|to| self.old.types.size_of(to.id));
        let is_spin_lock = size.is_some_and(|size| size <= 4) && !says_nothing(self.old, pointer);
        if !self.facts.has_kinds || (is_spin_lock && size == Some(4)) {
            return Ok(0);
        }
        if let Some((id, path)) = self.named(pointer) {
            let initial = initial_kind(self.old, id, &path);
            // What is known by name only is initialised by name.
            if !self.facts.given_kinds.contains(&id) {
                return Ok(initial);
            }
            let kept = self.named_state(id, &path)[NEEDED - 1];
            self.cells.initial.insert(kept, initial);
            return Err(self.terms.place(kept));
        }
        let offset = kind_offset(self.old);
        if !self.facts.is_raw
            && let Some(to) = self.old.types.pointee(pointer.ty)
            && let Some((path, ty, _)) = integers(self.old, to.id).into_iter().find(|(.., at)| *at == offset)
        {
            let base = PlaceBase::Pointer(Box::new(self.renamed(frame, pointer)));
            return Err(Place { base, path, ty: ty.into() });
        }
        Err(self.raw(frame, pointer, offset))
    }

    fn named_state(&mut self, id: VariableId, path: &[Projection]) -> [VariableId; NEEDED] {
        let key = (id, path.to_vec());
        if let Some(&made) = self.cells.named.get(&key) {
            return made;
        }
        let name = self.old.variables[id].name.clone();
        let lock = self.cells.named.len();
        let made =
            [0, 1, 2].map(|part| self.variable(&format!("__lock_{lock}_{part}_{name}"), self.terms.int));
        self.cells.named.insert(key, made);
        made
    }
}

/// The first integers in a value of the type that do not lie over each other, with their places and offsets.
fn integers(program: &Program, ty: TypeId) -> Vec<(Vec<Projection>, TypeId, u64)> {
    let mut found = Vec::new();
    find_integers(program, ty, 0, &mut Vec::new(), &mut found);
    found
}

fn find_integers(
    program: &Program,
    ty: TypeId,
    offset: u64,
    path: &mut Vec<Projection>,
    found: &mut Vec<(Vec<Projection>, TypeId, u64)>,
) {
    if found.len() >= MOST_INTEGERS {
        return;
    }
    let types = &program.types;
    if let Some(record) = types.record_id(ty) {
        let definition = &types.records[record];
        let Some(layout) = &definition.layout else { return };
        let fields = definition.fields.as_deref().unwrap_or_default();
        let before = found.len();
        for (index, (field, at)) in fields.iter().zip(&layout.fields).enumerate() {
            // Members of a union lie over each other.
            if definition.kind == RecordKind::Union && found.len() > before {
                break;
            }
            if at.bit_width.is_some() {
                continue;
            }
            path.push(Projection::Field(record, index as u32));
            find_integers(program, field.ty.id, offset + at.byte_offset(), path, found);
            path.pop();
        }
        return;
    }
    match types.get(ty) {
        Type::Array(of, ArrayLength::Known(length)) => {
            let Some(index_type) = types.find(&Type::Integer(program::IntegerKind::Int)) else { return };
            let Some(size) = types.size_of(of.id) else { return };
            for index in 0..(*length).min(MOST_INTEGERS as u64) {
                let at = Expr::integer(u128::from(index), index_type, types);
                path.push(Projection::Index(Box::new(at)));
                find_integers(program, of.id, offset + index * size, path, found);
                path.pop();
            }
        }
        Type::Integer(kind) if types.integer_width(*kind) >= 32 => found.push((path.clone(), ty, offset)),
        _ => {}
    }
}
