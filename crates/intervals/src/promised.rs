//! What `scanf` has read if its result says so: `if (scanf("%d", &x) != 1) return 1;` leaves `x` written.
//!
//! Until anything but a condition follows the call, the state remembers which result stands for "all was
//! read" and what the targets hold then. A copy of the result to another variable takes the promise along. It
//! stands among the locals under keys of its own; states that promise different things promise nothing when
//! they are joined, since then a key has more than one value, or none. Must not outlive a write to a target
//! or to the result: every step that is no condition drops it. Tested by `what_was_read_is_written`.

use crate::context::Context;
use crate::domain::number::Number;
use crate::domain::pointers::Pointers;
use crate::domain::value::{Datum, Value};
use crate::state::State;
use base::Id;
use program::{Action, ExprKind, Place, VariableId};

/// The variable with the result; then the result itself; then each target's cell and what it holds.
const FIRST: u32 = u32::MAX - 32;
/// More targets are not followed.
const MOST_TARGETS: usize = 8;

/// A target of a call that reads, and what it holds if it was read.
pub struct Target {
    /// Where the value was stored.
    pub pointers: Pointers,
    /// How many bytes were stored.
    pub size: u64,
    /// What is there if the promise is kept.
    pub datum: Datum,
}

/// Remembers that all targets are written where the result is `count`.
pub fn make(
    context: &Context<'_>,
    state: &mut State,
    result: Option<&Place>,
    count: usize,
    targets: &[Target],
) {
    let Some(id) = result.and_then(Place::as_variable) else { return };
    let is_local = context.is_plain(id) && !context.is_global(id);
    if !is_local || context.has_threads || targets.len() != count || count > MOST_TARGETS {
        return;
    }
    let cells: Option<Vec<u32>> = targets.iter().map(|target| cell(context, target)).collect();
    let Some(cells) = cells else { return };
    let number = |value: i128| Datum::of(Value::Integer(Number::only(value)));
    state.locals.insert(FIRST, number(i128::from(id.index() as u32)));
    state.locals.insert(FIRST + 1, number(count as i128));
    for (key, (cell, target)) in (FIRST + 2..).step_by(2).zip(cells.into_iter().zip(targets)) {
        state.locals.insert(key, number(i128::from(cell)));
        state.locals.insert(key + 1, target.datum.clone());
    }
}

/// The one cell that a target is.
fn cell(context: &Context<'_>, target: &Target) -> Option<u32> {
    let [(object, offset)] = target.pointers.targets() else { return None };
    if target.pointers.can_be_anything || target.pointers.can_be_null {
        return None;
    }
    let offset = u64::try_from(offset.single()?).ok()?;
    let mut cells = context.cells.borrow_mut();
    if !cells.get(*object).is_tracked {
        return None;
    }
    let (at, is_summary) = cells.fold(*object, offset, target.size)?;
    (!is_summary).then(|| cells.at(*object, at, target.size, false).index() as u32)
}

fn single(state: &State, key: u32) -> Option<i128> {
    state.locals.get(key)?.value.number()?.single()
}

/// A condition holds: if the result is now the promised one, the targets are written.
pub fn keep(context: &Context<'_>, state: &mut State) {
    let Some(variable) = single(state, FIRST) else { return };
    let Some(count) = single(state, FIRST + 1) else { return };
    let known = state.locals.get(variable as u32);
    let is_kept = known.is_some_and(
        |datum| matches!(&datum.value, Value::Integer(number) if number.single() == Some(count)),
    );
    if !is_kept || context.has_threads {
        return;
    }
    let keys = (FIRST + 2..).step_by(2).take(usize::try_from(count).unwrap_or(0).min(MOST_TARGETS));
    for key in keys {
        if let (Some(cell), Some(datum)) = (single(state, key), state.locals.get(key + 1).cloned()) {
            state.memory.insert(cell as u32, datum);
        }
    }
    // What is found out about the targets from here on must not be undone.
    drop_all(state);
}

/// Is anything promised?
pub fn is_any(state: &State) -> bool {
    state.locals.get(FIRST).is_some()
}

/// Something else than a condition follows.
pub fn drop_all(state: &mut State) {
    if is_any(state) {
        (FIRST..FIRST + 2 + 2 * MOST_TARGETS as u32).for_each(|key| state.locals.remove(key));
    }
}

/// What becomes of the promise in a step that is no call: a condition may redeem it, a copy of the result
/// takes it along, all else ends it.
pub fn after_step(context: &Context<'_>, before: &State, after: &mut State, action: &Action) {
    if !is_any(before) {
        return;
    }
    match action {
        Action::Skip => {}
        Action::Assume { .. } => keep(context, after),
        Action::Assign { target, value } => {
            let copied = match &value.kind {
                ExprKind::Load(place) => place.as_variable(),
                _ => None,
            };
            let is_result = |id: VariableId| single(before, FIRST) == Some(i128::from(id.index() as u32));
            let to = target.as_variable().filter(|&id| context.is_plain(id) && !context.is_global(id));
            match (copied.filter(|&id| is_result(id)), to) {
                (Some(_), Some(to)) => {
                    let name = Value::Integer(Number::only(i128::from(to.index() as u32)));
                    after.locals.insert(FIRST, Datum::of(name));
                }
                _ => drop_all(after),
            }
        }
        _ => drop_all(after),
    }
}
