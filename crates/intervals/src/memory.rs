//! Writing to variables and memory in an abstract state.

use crate::cells::{CellId, bytes_of_bit_fields, leaves};
use crate::context::Context;
use crate::domain::number::Number;
use crate::domain::pointers::{ObjectId, Pointers};
use crate::domain::value::{Datum, Scalar, Value, Written};
use crate::evaluate::{Evaluator, Location};
use crate::relate;
use crate::state::State;
use base::Id;
use program::types::IntegerShape;
use program::{Place, TypeId, VariableId};

/// More places than this that one write may mean are not looked at one by one.
const MOST_PLACES: u128 = 128;

/// What a plain variable is now known to be. Relations are not touched.
pub fn set_variable(context: &Context<'_>, state: &mut State, id: VariableId, datum: Datum) {
    let key = id.index() as u32;
    if context.is_global(id) {
        if context.has_threads {
            return;
        }
        state.globals.insert(key, datum);
    } else {
        state.locals.insert(key, datum);
    }
}

/// Writes a scalar to a place. `None` if no run gets past it.
pub fn assign(context: &Context<'_>, state: &mut State, place: &Place, location: &Location, datum: Datum) {
    match location {
        Location::Plain(id) => {
            set_variable(context, state, *id, datum);
            relate::forget(context, state, *id);
        }
        Location::Memory(pointers) => {
            let types = &context.program.types;
            let size = types.size_of(place.ty.id).unwrap_or(0);
            if place.bit_field(types).is_some() {
                // The bytes of the field's unit: never more than its type has, from the byte it starts in.
                change_bits(context, state, pointers, i128::from(size) + 1);
                return;
            }
            match Scalar::of(place.ty.id, types) {
                Some(scalar) => write(context, state, pointers, size, scalar, &datum),
                None => kill(context, state, pointers, Number::only(i128::from(size))),
            }
        }
    }
}

/// The cells a write may mean, with whether it surely means just that one.
fn candidates(
    context: &Context<'_>,
    object: ObjectId,
    offset: &Number,
    size: u64,
) -> Option<Vec<(u64, bool)>> {
    let cells = context.cells.borrow();
    let offsets = offset.few_values(MOST_PLACES)?;
    let is_one = offsets.len() == 1;
    let mut places = Vec::new();
    for offset in offsets {
        let (folded, is_summary) = cells.fold(object, u64::try_from(offset).ok()?, size)?;
        let place = (folded, is_one && !is_summary);
        if places.last() != Some(&place) {
            places.push(place);
        }
    }
    places.sort_unstable();
    places.dedup();
    Some(places)
}

/// Writes a scalar of so many bytes.
pub fn write(
    context: &Context<'_>,
    state: &mut State,
    pointers: &Pointers,
    size: u64,
    scalar: Scalar,
    datum: &Datum,
) {
    if pointers.can_be_anything {
        forget_all(context, state);
        return;
    }
    let is_only = pointers.targets().len() == 1;
    for (object, offset) in pointers.targets() {
        if !context.cells.borrow().get(*object).is_tracked {
            continue;
        }
        match candidates(context, *object, offset, size) {
            Some(places) => {
                for (place, is_exact) in places {
                    let is_strong = is_exact && is_only;
                    write_at(context, state, *object, (place, size), scalar, datum, is_strong);
                }
            }
            None => weaken_range(context, state, *object, offset, size, datum),
        }
    }
}

fn write_at(
    context: &Context<'_>,
    state: &mut State,
    object: ObjectId,
    (offset, size): (u64, u64),
    scalar: Scalar,
    datum: &Datum,
    is_strong: bool,
) {
    let mut cells = context.cells.borrow_mut();
    let is_summary = cells.fold(object, offset, size).is_some_and(|(_, is_summary)| is_summary);
    let own = cells.at(object, offset, size, is_summary);
    let mut overlapping = Vec::new();
    cells.direct_overlaps(object, offset, offset + size, &mut overlapping);
    for other in overlapping.into_iter().filter(|&other| other != own) {
        state.memory.remove(key(other));
    }
    let new = if is_strong {
        Some(datum.clone())
    } else {
        state.memory.get(key(own)).and_then(|old| old.join(datum, context.arithmetic.cap))
    };
    match new.filter(|new| !(new.value.is_any(scalar) && new.written != Written::Always)) {
        Some(new) => state.memory.insert(key(own), new),
        None => state.memory.remove(key(own)),
    }
}

/// A write somewhere in a range: cells of the size take the value as well, others are forgotten.
fn weaken_range(
    context: &Context<'_>,
    state: &mut State,
    object: ObjectId,
    offset: &Number,
    size: u64,
    datum: &Datum,
) {
    let cells = context.cells.borrow();
    let Some(hull) = offset.hull() else { return };
    let start = u64::try_from(hull.low.max(0)).unwrap_or(u64::MAX);
    let end = u64::try_from(hull.high.max(0)).unwrap_or(u64::MAX).saturating_add(size);
    for cell in cells.overlapping(object, start, end) {
        let place = cells.cell(cell);
        // Written places are a whole number of cells away from this one, so none is hit in part.
        let class = offset.class();
        let stride = cells.stride_at(object, place.offset).unwrap_or(class.modulus());
        let is_alone = place.size == size
            && class.modulus() >= i128::from(size)
            && class.contains(i128::from(place.offset))
            && stride % class.modulus() == 0;
        let joined = state
            .memory
            .get(key(cell))
            .filter(|_| is_alone)
            .and_then(|old| old.join(datum, context.arithmetic.cap));
        match joined {
            Some(joined) => state.memory.insert(key(cell), joined),
            None => state.memory.remove(key(cell)),
        }
    }
}

fn key(cell: CellId) -> u32 {
    cell.index() as u32
}

/// A write may have gone anywhere: memory is forgotten, and so are the variables whose address code outside
/// may have taken, though the program never does. Tested by
/// `pointers_from_outside_reach_what_others_can_see`.
pub fn forget_all(context: &Context<'_>, state: &mut State) {
    state.memory = Default::default();
    if !context.has_outside {
        return;
    }
    for &id in &context.program.visible {
        if context.is_plain(id) {
            state.globals.remove(id.index() as u32);
            relate::forget(context, state, id);
        }
    }
}

/// Forgets `bytes` bytes from the pointers on.
pub fn kill(context: &Context<'_>, state: &mut State, pointers: &Pointers, bytes: Number) {
    if pointers.can_be_anything {
        forget_all(context, state);
        return;
    }
    let cells = context.cells.borrow();
    for (object, offset) in pointers.targets() {
        if !cells.get(*object).is_tracked {
            continue;
        }
        let (Some(from), Some(count)) = (offset.hull(), bytes.hull()) else { continue };
        let start = u64::try_from(from.low.max(0)).unwrap_or(u64::MAX);
        let end = u64::try_from(from.high.saturating_add(count.high).max(0)).unwrap_or(u64::MAX);
        for cell in cells.overlapping(*object, start, end) {
            state.memory.remove(key(cell));
        }
    }
}

/// Some bits of these bytes get other values: what was written of them before stays written, and the rest is as
/// unwritten.
fn change_bits(context: &Context<'_>, state: &mut State, pointers: &Pointers, bytes: i128) {
    let before = state.memory.clone();
    kill(context, state, pointers, Number::only(bytes));
    let cells = context.cells.borrow();
    for (object, offset) in pointers.targets() {
        let (false, Some(hull)) = (pointers.can_be_anything, offset.hull()) else { continue };
        let start = u64::try_from(hull.low.max(0)).unwrap_or(u64::MAX);
        let end = u64::try_from(hull.high.saturating_add(bytes).max(0)).unwrap_or(u64::MAX);
        for cell in cells.overlapping(*object, start, end) {
            let width = u32::try_from(cells.cell(cell).size * 8).unwrap_or(u32::MAX);
            let was_written = before.get(key(cell)).is_some_and(|datum| datum.written == Written::Always);
            if was_written && width <= 64 {
                let any = Value::any(Scalar::Integer(IntegerShape { width, signed: false }));
                state.memory.insert(key(cell), Datum::of(any));
            }
        }
    }
}

/// Were so many bytes surely written, in whatever parts?
pub fn is_written(context: &Context<'_>, state: &State, pointers: &Pointers, bytes: u64) -> bool {
    let cells = context.cells.borrow();
    !pointers.can_be_anything
        && pointers.targets().iter().all(|(object, offset)| {
            if cells.is_static(*object, context.program) {
                return true;
            }
            let Some(start) = offset.single().and_then(|at| u64::try_from(at).ok()) else { return false };
            let end = start.saturating_add(bytes);
            let mut written = start;
            let mut parts: Vec<(u64, u64)> = cells
                .overlapping(*object, start, end)
                .into_iter()
                .filter(|&cell| {
                    state.memory.get(key(cell)).is_some_and(|datum| datum.written == Written::Always)
                })
                .map(|cell| (cells.cell(cell).offset, cells.cell(cell).offset + cells.cell(cell).size))
                .collect();
            parts.sort_unstable();
            for (from, to) in parts {
                if from <= written {
                    written = written.max(to);
                }
            }
            written >= end
        })
}

/// Forgets the whole of what the pointers point into.
pub fn kill_objects(context: &Context<'_>, state: &mut State, pointers: &Pointers) {
    if pointers.can_be_anything {
        forget_all(context, state);
        return;
    }
    for (object, _) in pointers.targets() {
        forget_object(context, state, *object);
    }
}

/// Forgets the content of an object.
pub fn forget_object(context: &Context<'_>, state: &mut State, object: ObjectId) {
    for cell in context.cells.borrow().all_of(object) {
        state.memory.remove(key(cell));
    }
}

/// Makes a cell's value smaller, where the place surely is that one cell.
pub fn contract(context: &Context<'_>, state: &mut State, pointers: &Pointers, place: &Place, value: Value) {
    let types = &context.program.types;
    let (Some(size), Some(scalar)) = (types.size_of(place.ty.id), Scalar::of(place.ty.id, types)) else {
        return;
    };
    if pointers.can_be_anything || pointers.can_be_null || place.bit_field(types).is_some() {
        return;
    }
    let [(object, offset)] = pointers.targets() else { return };
    if !context.cells.borrow().get(*object).is_tracked {
        return;
    }
    let Some(places) = candidates(context, *object, offset, size) else { return };
    let [(at, true)] = places[..] else { return };
    let written = Evaluator::new(context, state)
        .read(&Pointers::to(*object, offset.clone()), size, scalar)
        .map_or(Written::Perhaps, |datum| datum.written);
    let cell = context.cells.borrow_mut().at(*object, at, size, false);
    state.memory.insert(key(cell), Datum { value, written });
}

/// Fills an object of a type with zero bytes, from its start.
pub fn zero(context: &Context<'_>, state: &mut State, object: ObjectId, ty: TypeId) {
    forget_object(context, state, object);
    zero_part(context, state, object, 0, ty, true);
}

fn zero_part(
    context: &Context<'_>,
    state: &mut State,
    object: ObjectId,
    base: u64,
    ty: TypeId,
    is_whole: bool,
) {
    if !context.cells.borrow().get(object).is_tracked {
        return;
    }
    let fold_from = context.settings.precision.fold_from;
    let Some(mut parts) = leaves(ty, context.program, fold_from) else { return };
    let byte = Scalar::Integer(IntegerShape { width: 8, signed: false });
    parts.extend(bytes_of_bit_fields(ty, context.program, fold_from).into_iter().map(|at| (at, byte, 1)));
    let mut cells = context.cells.borrow_mut();
    for (offset, scalar, size) in parts {
        let Some((at, is_summary)) = cells.fold(object, base + offset, size) else { continue };
        if is_summary && !is_whole {
            continue;
        }
        let cell = cells.at(object, at, size, is_summary);
        state.memory.insert(key(cell), Datum::of(Value::zero(scalar)));
    }
}

/// Zero bytes for a record or array somewhere.
pub fn zero_at(context: &Context<'_>, state: &mut State, pointers: &Pointers, ty: TypeId) {
    let size = context.program.types.size_of(ty).unwrap_or(0);
    kill(context, state, pointers, Number::only(i128::from(size)));
    if let (false, [(object, offset)]) = (pointers.can_be_anything, pointers.targets())
        && let Some(base) = offset.single().and_then(|offset| u64::try_from(offset).ok())
    {
        let is_whole = context.cells.borrow().get(*object).size == Some(size) && base == 0;
        zero_part(context, state, *object, base, ty, is_whole);
    }
}

/// Bytes that are filled one by one; of more, nothing is known.
const MOST_FILLED: u64 = 4096;

/// Sets so many bytes, where it is known which.
pub fn fill(context: &Context<'_>, state: &mut State, to: &Pointers, byte: &Number, bytes: &Number) {
    let shape = IntegerShape { width: 8, signed: false };
    let ([(object, offset)], false, false) = (to.targets(), to.can_be_anything, to.can_be_null) else {
        return;
    };
    let whole = |number: &Number| number.single().and_then(|value| u64::try_from(value).ok());
    let (Some(start), Some(count)) = (whole(offset), whole(bytes).filter(|&count| count <= MOST_FILLED))
    else {
        return;
    };
    let datum = Datum::of(Value::Integer(context.arithmetic.convert(byte, shape)));
    for at in start..start.saturating_add(count) {
        let place = Pointers::to(*object, Number::only(i128::from(at)));
        write(context, state, &place, 1, Scalar::Integer(shape), &datum);
    }
}

/// Were all of these bytes surely set to zero, one by one?
pub fn is_zero(context: &Context<'_>, state: &State, object: ObjectId, offset: u64, size: u64) -> bool {
    let cells = context.cells.borrow();
    let is_zero = |at: u64| {
        let place = cells.fold(object, at, 1).filter(|(_, is_summary)| !is_summary);
        let cell = place.and_then(|(at, _)| cells.known(object, at, 1));
        let datum = cell.and_then(|cell| state.memory.get(key(cell)));
        datum.is_some_and(|datum| {
            datum.written == Written::Always
                && datum.value.number().is_some_and(|number| number.single() == Some(0))
        })
    };
    size > 1 && (offset..offset.saturating_add(size)).all(is_zero)
}

/// Copies so many bytes from one place to another.
pub fn copy(context: &Context<'_>, state: &mut State, from: &Pointers, to: &Pointers, bytes: &Number) {
    let source = state.memory.clone();
    kill(context, state, to, bytes.clone());
    let is_known = |pointers: &Pointers| !pointers.can_be_anything && !pointers.can_be_null;
    if !is_known(from) || !is_known(to) {
        return;
    }
    let ([(origin, start)], [(object, target)]) = (from.targets(), to.targets()) else { return };
    let whole = |number: &Number| number.single().and_then(|value| u64::try_from(value).ok());
    let (Some(start), Some(target), Some(count)) = (whole(start), whole(target), whole(bytes)) else {
        return;
    };
    let mut cells = context.cells.borrow_mut();
    if !cells.get(*origin).is_tracked || !cells.get(*object).is_tracked {
        return;
    }
    for cell in cells.overlapping(*origin, start, start.saturating_add(count)) {
        let place = cells.cell(cell);
        let Some(datum) = source.get(key(cell)) else { continue };
        // Elements of large arrays have no place of their own to copy to.
        if place.is_summary || place.offset < start || place.offset + place.size > start + count {
            continue;
        }
        let Some((at, false)) = cells.fold(*object, target + (place.offset - start), place.size) else {
            continue;
        };
        let new = cells.at(*object, at, place.size, false);
        state.memory.insert(key(new), datum.clone());
    }
}
