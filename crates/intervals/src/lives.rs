//! Which objects still live: blocks until they are freed, variables until their block or function ends.
//!
//! For each object the state keeps one of three facts among the globals. `LIVES`: no pointer refers to an
//! instance that has ended. `ENDED`: all instances have ended, and pointers in variables and memory may still
//! refer to one. `HELD`: callers may hold pointers to an instance that has ended in variables of their own,
//! which are not in sight. A state that says nothing of an object allows all.
//!
//! A pointer that is read from what is not followed may be anything, and its use is told for that reason.
//! Obligation: an object that may have ended is never said to live where a pointer to the ended instance may
//! be used. Tested by `what_has_ended_is_not_excluded`.

use crate::blocks;
use crate::cells::ObjectKind;
use crate::context::Context;
use crate::domain::number::Number;
use crate::domain::pointers::{ObjectId, Pointers};
use crate::domain::value::{Datum, Value};
use crate::map::Map;
use crate::state::State;
use crate::transfer::RESULT;
use base::Id;
use program::{Action, Callee, EdgeId, Known, ProcedureId};
use rustc_hash::FxHashSet;

/// Facts about objects stand among the globals from this key on.
const FACTS: u32 = 1 << 30;
/// Whether a mutex is held stands from this key on.
const LOCKS: u32 = 1 << 29;

const ENDED: i128 = 0;
const LIVES: i128 = 1;
const HELD: i128 = 2;

fn key(object: ObjectId) -> u32 {
    FACTS + object.index() as u32
}

fn fact(state: &State, object: ObjectId) -> Option<Number> {
    match state.globals.get(key(object)) {
        Some(Datum { value: Value::Integer(number), .. }) => Some(number.clone()),
        _ => None,
    }
}

fn set(state: &mut State, object: ObjectId, values: &[i128]) {
    let all = values.iter().fold(Number::empty(), |all, &value| all.join(&Number::only(value), usize::MAX));
    state.globals.insert(key(object), Datum::of(Value::Integer(all)));
}

fn weaken(state: &mut State, object: ObjectId, value: i128) {
    if let Some(known) = fact(state, object) {
        let all = known.join(&Number::only(value), usize::MAX);
        state.globals.insert(key(object), Datum::of(Value::Integer(all)));
    }
}

/// Can the object a pointer refers to have ended, and can it live?
pub fn can_be(state: &State, object: ObjectId) -> (bool, bool) {
    match fact(state, object) {
        Some(known) => (known.contains(ENDED) || known.contains(HELD), known.contains(LIVES)),
        None => (true, true),
    }
}

fn targets(value: &Value, object: ObjectId) -> bool {
    matches!(value, Value::Pointer(pointers) if pointers.targets().iter().any(|(target, _)| *target == object))
}

fn is_targeted(map: &Map<Datum>, object: ObjectId) -> bool {
    let mut found = false;
    map.for_each(&mut |_, datum| found |= targets(&datum.value, object));
    found
}

/// The objects that pointers in globals and memory lead to.
fn all_targets(state: &State) -> FxHashSet<ObjectId> {
    let mut found = FxHashSet::default();
    let mut take = |datum: &Datum| {
        if let Value::Pointer(pointers) = &datum.value {
            found.extend(pointers.targets().iter().map(|(object, _)| *object));
        }
    };
    state.globals.for_each(&mut |_, datum| take(datum));
    state.memory.for_each(&mut |_, datum| take(datum));
    found
}

/// Nothing is known any more of pointers to an instance that has ended.
fn disown(map: &mut Map<Datum>, object: ObjectId) {
    let mut found = Vec::new();
    map.for_each(&mut |key, datum| {
        if targets(&datum.value, object) {
            found.push((key, datum.written));
        }
    });
    for (key, written) in found {
        map.insert(key, Datum { value: Value::Pointer(Pointers::anything()), written });
    }
}

/// The variables in memory of a procedure that end with it.
fn own_objects(context: &Context<'_>, procedure: ProcedureId) -> Vec<ObjectId> {
    let own = &context.program.procedures[procedure];
    let all = own.parameters.iter().chain(&own.locals);
    all.filter(|&&id| context.program.variables[id].in_memory && !context.is_global(id))
        .map(|&id| context.object_of(id))
        .collect()
}

/// Before the program starts nothing has ended.
pub fn start(context: &Context<'_>, state: &mut State) {
    for (id, procedure) in context.program.procedures.iter_enumerated() {
        let Some(body) = &procedure.body else { continue };
        for object in own_objects(context, id) {
            set(state, object, &[LIVES]);
        }
        for (edge, step) in body.edges.iter_enumerated() {
            let allocates = match &step.action {
                Action::Call { callee: Callee::Direct(callee), .. } => {
                    allocates(context.program.procedures[*callee].known)
                }
                Action::Call { callee: Callee::Indirect(_), .. } => true,
                _ => false,
            };
            if allocates {
                for object in blocks::start(context, state, id, edge) {
                    set(state, object, &[LIVES]);
                }
            }
        }
    }
}

/// Does a function give a new block?
pub fn allocates(known: Option<Known>) -> bool {
    use Known::*;
    matches!(known, Some(Malloc | Calloc | Realloc | Alloca | AlignedAlloc | NewStream))
}

/// Does what is allocated there end with its procedure?
pub fn is_on_stack(context: &Context<'_>, procedure: ProcedureId, edge: EdgeId) -> bool {
    let body = context.program.procedures[procedure].body.as_ref();
    let action = body.map(|body| &body.edges[edge].action);
    matches!(action, Some(Action::Call { callee: Callee::Direct(callee), .. })
        if context.program.procedures[*callee].known == Some(Known::Alloca))
}

/// A block was allocated.
pub fn allocated(context: &Context<'_>, state: &mut State, object: ObjectId) {
    if context.has_threads {
        return;
    }
    if context.cells.borrow().get(object).is_tracked {
        set(state, object, &[LIVES]);
    } else {
        weaken(state, object, LIVES);
    }
}

/// A block was freed; `is_certain` if it surely is the only one that the object stands for.
pub fn freed(context: &Context<'_>, state: &mut State, object: ObjectId, is_certain: bool) {
    if is_certain && context.cells.borrow().get(object).is_tracked {
        set(state, object, &[ENDED]);
    } else {
        weaken(state, object, ENDED);
    }
}

/// Anything that was allocated may have been freed.
pub fn freed_anything(context: &Context<'_>, state: &mut State) {
    for at in state.globals.keys().into_iter().filter(|at| (FACTS..FACTS << 1).contains(at)) {
        let object = ObjectId::from_index((at - FACTS) as usize);
        if matches!(context.kind_of(object), ObjectKind::Allocation(..)) {
            state.globals.remove(at);
        }
    }
}

/// A call begins: its variables live.
pub fn enter(context: &Context<'_>, state: &mut State, procedure: ProcedureId) {
    for object in own_objects(context, procedure) {
        if !context.cells.borrow().get(object).is_tracked {
            continue;
        }
        let Some(known) = fact(state, object) else { continue };
        if known.contains(ENDED) || known.contains(HELD) {
            disown(&mut state.globals, object);
            disown(&mut state.memory, object);
            set(state, object, &[LIVES, HELD]);
        }
    }
}

/// A call ends, and its variables with it. `left` is what the caller gets to see.
pub fn leave(context: &Context<'_>, left: &mut State, procedure: ProcedureId) {
    let mut ending = own_objects(context, procedure);
    let body = context.program.procedures[procedure].body.as_ref();
    for edge in body.iter().flat_map(|body| body.edges.ids()) {
        if is_on_stack(context, procedure, edge) {
            ending.push(context.object_of_allocation(procedure, edge, None));
        }
    }
    if ending.is_empty() {
        return;
    }
    let referred_to = all_targets(left);
    for object in ending {
        let Some(known) = fact(left, object) else { continue };
        let is_returned = left.locals.get(RESULT).is_some_and(|result| targets(&result.value, object));
        let is_referred_to = is_returned || referred_to.contains(&object);
        let is_one = context.cells.borrow().get(object).is_tracked;
        match (is_one, is_referred_to) {
            (true, true) if known.contains(HELD) => set(left, object, &[ENDED, HELD]),
            (true, true) => set(left, object, &[ENDED]),
            (true, false) if known.contains(HELD) => set(left, object, &[HELD]),
            (true, false) => set(left, object, &[LIVES]),
            (false, true) => weaken(left, object, ENDED),
            (false, false) => {}
        }
    }
}

/// A variable of a block begins its life.
pub fn begin(context: &Context<'_>, state: &mut State, object: ObjectId) {
    if !context.cells.borrow().get(object).is_tracked {
        return;
    }
    let Some(known) = fact(state, object) else { return };
    if known.contains(ENDED) {
        disown(&mut state.locals, object);
        disown(&mut state.globals, object);
        disown(&mut state.memory, object);
    }
    if known.contains(HELD) {
        set(state, object, &[LIVES, HELD]);
    } else {
        set(state, object, &[LIVES]);
    }
}

/// A variable of a block ends its life.
pub fn end(context: &Context<'_>, state: &mut State, object: ObjectId) {
    let Some(known) = fact(state, object) else { return };
    let is_referred_to = is_targeted(&state.locals, object)
        || is_targeted(&state.globals, object)
        || is_targeted(&state.memory, object);
    if !is_referred_to {
        return;
    }
    match context.cells.borrow().get(object).is_tracked {
        true if known.contains(HELD) => set(state, object, &[ENDED, HELD]),
        true => set(state, object, &[ENDED]),
        false => weaken(state, object, ENDED),
    }
}

/// Is the mutex surely held by this thread?
pub fn is_held(state: &State, mutex: ObjectId) -> bool {
    state.globals.get(LOCKS + mutex.index() as u32).is_some()
}

/// The mutex was taken or given back. A state that says nothing allows both.
pub fn hold(state: &mut State, mutex: ObjectId, is_held: bool) {
    let key = LOCKS + mutex.index() as u32;
    if is_held {
        state.globals.insert(key, Datum::of(Value::Integer(Number::only(1))));
    } else {
        state.globals.remove(key);
    }
}

/// Any mutex may have been given back.
pub fn hold_nothing(state: &mut State) {
    for at in state.globals.keys().into_iter().filter(|at| (LOCKS..FACTS).contains(at)) {
        state.globals.remove(at);
    }
}
