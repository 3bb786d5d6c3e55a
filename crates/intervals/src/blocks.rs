//! Blocks that one call allocates, told apart by number: the first of a run, the second, and so on.
//!
//! For each call that allocates, the state counts how many blocks it has given at most (among the globals). The next
//! block gets that number, which no block of any run in the state has; so it is a new object with content of its own.
//! Past the last number, and where the count is lost, all further blocks are one object that is only ever weakly
//! updated. How many bytes a block has is in the state too.
//!
//! Obligation: a number below the least that a count allows next is never given again. Tested by
//! `blocks_of_one_call_are_told_apart`.

use crate::context::Context;
use crate::domain::number::Number;
use crate::domain::pointers::ObjectId;
use crate::domain::value::{Datum, Value};
use crate::state::State;
use crate::strings::LONGEST;
use base::Id;
use program::{EdgeId, ProcedureId};

/// How many blocks a call has given stands among the globals from this key on.
const COUNTS: u32 = 1 << 28;
/// How many bytes a block has stands from this key on.
const SIZES: u32 = 1 << 27;

fn number(state: &State, key: u32) -> Option<&Number> {
    state.globals.get(key)?.value.number()
}

fn keep(state: &mut State, key: u32, number: Number) {
    state.globals.insert(key, Datum::of(Value::Integer(number)));
}

/// Before the program starts a call has given none. The objects that it may give, all of them together first.
pub fn start(
    context: &Context<'_>,
    state: &mut State,
    procedure: ProcedureId,
    edge: EdgeId,
) -> Vec<ObjectId> {
    let all = context.object_of_allocation(procedure, edge, None);
    let mut objects = vec![all];
    if context.tells_blocks_apart(procedure, edge) {
        keep(state, COUNTS + all.index() as u32, Number::only(0));
        objects.extend((0..context.blocks).map(|at| context.object_of_allocation(procedure, edge, Some(at))));
    }
    objects
}

/// The object that the next block of a call is.
pub fn next(context: &Context<'_>, state: &State, procedure: ProcedureId, edge: EdgeId) -> ObjectId {
    let given = most_given(context, state, procedure, edge).filter(|&given| given < context.blocks);
    context.object_of_allocation(procedure, edge, given)
}

fn most_given(context: &Context<'_>, state: &State, procedure: ProcedureId, edge: EdgeId) -> Option<u32> {
    if !context.tells_blocks_apart(procedure, edge) {
        return None;
    }
    let all = context.object_of_allocation(procedure, edge, None);
    u32::try_from(number(state, COUNTS + all.index() as u32)?.hull()?.high).ok()
}

/// The next block of a call was given.
pub fn given(context: &Context<'_>, state: &mut State, procedure: ProcedureId, edge: EdgeId) {
    let Some(given) = most_given(context, state, procedure, edge) else { return };
    let all = context.object_of_allocation(procedure, edge, None);
    keep(state, COUNTS + all.index() as u32, Number::only(i128::from(given) + 1));
}

/// A block has so many bytes.
pub fn set_size(context: &Context<'_>, state: &mut State, block: ObjectId, bytes: &Number) {
    let key = SIZES + block.index() as u32;
    if context.cells.borrow().get(block).is_tracked {
        keep(state, key, bytes.clone());
    } else {
        state.globals.remove(key);
    }
}

/// The least and the greatest number of bytes that an object has; `None` if nothing is known.
pub fn size_of(context: &Context<'_>, state: &State, object: ObjectId) -> Option<(u64, u64)> {
    let known = context.cells.borrow().get(object).size;
    if context.is_exact(object) {
        return known.map(|size| (size, size));
    }
    let bound = |value: i128| u64::try_from(value.clamp(0, LONGEST)).unwrap_or(0);
    match number(state, SIZES + object.index() as u32).and_then(Number::hull) {
        Some(hull) => Some((bound(hull.low), bound(hull.high))),
        // Of all that have the name the least size is known.
        None => known.map(|least| (least, LONGEST as u64)),
    }
}
