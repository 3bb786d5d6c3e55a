//! Where locks and their like keep their state. An object that is only ever named (`&m`) has variables of its own outside memory, which is best for
//! proofs. One that is known by a pointer keeps its state in its first integers: a program never looks at them.

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

/// Variables that stand for the state of named objects.
#[derive(Debug, Default)]
pub struct Cells {
    named: FxHashMap<(VariableId, Vec<Projection>), [VariableId; NEEDED]>,
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

/// The pointers to synchronisation objects among arguments.
pub fn objects_of(known: Known, arguments: &[Expr]) -> Vec<&Expr> {
    use Known::*;
    let count = match known {
        CondWait => 2,
        MutexInit | MutexDestroy | MutexLock | MutexTryLock | MutexUnlock | RwlockInit | RwlockDestroy
        | RwlockReadLock | RwlockWriteLock | RwlockUnlock | OnceCall | BarrierInit | BarrierDestroy
        | BarrierWait | SemaphoreInit | SemaphoreDestroy | SemaphoreWait | SemaphorePost => 1,
        _ => 0,
    };
    arguments.iter().take(count).collect()
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

/// Types of locks of which one is initialised with something other than zeros.
pub fn oddly_initialised(program: &Program, types: &FxHashSet<RecordId>) -> FxHashSet<RecordId> {
    let mut odd = FxHashSet::default();
    for initial in program.variables.iter().flat_map(|variable| &variable.initial) {
        let is_zero = match &initial.value {
            InitialData::Value(value) => {
                uncast(value).as_integer() == Some(0) || value.kind == ExprKind::Zero
            }
            InitialData::Bytes(bytes) => bytes.iter().all(|&byte| byte == 0),
        };
        for step in initial.place.path.iter().filter(|_| !is_zero) {
            if let Projection::Field(record, _) = step
                && types.contains(record)
            {
                odd.insert(*record);
            }
        }
    }
    odd
}

impl Weaver<'_> {
    /// The first integers of the state of the object that a value points to; nothing where it has no room for so many.
    pub fn state<const N: usize>(&mut self, frame: FrameId, pointer: &Expr) -> Option<[Place; N]> {
        let pointer = uncast(pointer);
        let to = self.old.types.pointee(pointer.ty)?;
        if self.old.types.record_id(to.id).is_some_and(|record| self.facts.odd_kinds.contains(&record)) {
            return None;
        }
        if let Some((id, path)) = static_place(self.old, pointer)
            && !self
                .points_to
                .object_of(ObjectKind::Variable(id))
                .is_some_and(|object| self.facts.pointed.contains(&object))
        {
            let variables = self.named_state(id, path);
            let places: Vec<Place> =
                variables[..N].iter().map(|&variable| self.terms.place(variable)).collect();
            return places.try_into().ok();
        }
        let pointer = self.renamed(frame, pointer);
        let mut found = Vec::new();
        integers(self.old, to.id, &mut Vec::new(), &mut found);
        let places: Vec<Place> = found
            .into_iter()
            .take(N)
            .map(|(path, ty)| Place {
                base: PlaceBase::Pointer(Box::new(pointer.clone())),
                path,
                ty: ty.into(),
            })
            .collect();
        places.try_into().ok()
    }

    fn named_state(&mut self, id: VariableId, path: &[Projection]) -> [VariableId; NEEDED] {
        let key = (id, path.to_vec());
        if let Some(&made) = self.cells.named.get(&key) {
            return made;
        }
        let name = self.old.variables[id].name.clone();
        let lock = self.cells.named.len();
        let made = [0, 1, 2].map(|part| self.variable(&format!("__lock_{lock}_{part}_{name}"), self.terms.int));
        self.cells.named.insert(key, made);
        made
    }
}

/// The first integers in a value of the type that do not lie over each other, with their places.
fn integers(
    program: &Program,
    ty: TypeId,
    path: &mut Vec<Projection>,
    found: &mut Vec<(Vec<Projection>, TypeId)>,
) {
    if found.len() >= NEEDED {
        return;
    }
    let types = &program.types;
    if let Some(record) = types.record_id(ty) {
        let definition = &types.records[record];
        let fields = definition.fields.as_deref().unwrap_or_default();
        let before = found.len();
        for (index, field) in fields.iter().enumerate() {
            // Members of a union lie over each other.
            if definition.kind == RecordKind::Union && found.len() > before {
                break;
            }
            path.push(Projection::Field(record, index as u32));
            integers(program, field.ty.id, path, found);
            path.pop();
        }
        return;
    }
    match types.get(ty) {
        Type::Array(of, ArrayLength::Known(length)) => {
            let Some(index_type) = types.find(&Type::Integer(program::IntegerKind::Int)) else { return };
            for index in 0..(*length).min(NEEDED as u64) {
                let index = Expr::integer(u128::from(index), index_type, types);
                path.push(Projection::Index(Box::new(index)));
                integers(program, of.id, path, found);
                path.pop();
            }
        }
        Type::Integer(kind) if types.integer_width(*kind) >= 32 => found.push((path.clone(), ty)),
        _ => {}
    }
}
