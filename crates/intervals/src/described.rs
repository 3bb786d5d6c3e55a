//! What is left of a library function after the word "nothing is known past this point" in its description.
//!
//! The description goes on behind the word, but what it says there is not what the function does. So the
//! states of a description carry a mark as long as nobody has said the word: a state without it (also after
//! joining with one that has it) knows nothing of the function's result, nor of what the function leaves in
//! globals and memory. A description that calls such a description is one itself.
//! Tested by `nothing_is_claimed_past_what_is_not_described`.

use crate::domain::number::Number;
use crate::domain::value::{Datum, Value};
use crate::state::State;
use program::{Origin, Procedure};

/// The mark stands among the locals under this key.
const DESCRIBED: u32 = u32::MAX - 1;

/// A description begins.
pub fn enter(entry: &mut State, callee: &Procedure) {
    if callee.origin == Origin::Model {
        entry.locals.insert(DESCRIBED, Datum::of(Value::Integer(Number::only(0))));
    }
}

/// Has the word perhaps been said on the way to this state of a procedure?
pub fn is_lost(state: &State, procedure: &Procedure) -> bool {
    procedure.origin == Origin::Model && state.locals.get(DESCRIBED).is_none()
}

/// What a caller gets to see of an exit state, given that it keeps globals and memory of it.
pub fn leave(exit: &State, left: &mut State, procedure: &Procedure) {
    if is_lost(exit, procedure) {
        left.globals = Default::default();
        left.memory = Default::default();
    } else if let Some(mark) = exit.locals.get(DESCRIBED) {
        left.locals.insert(DESCRIBED, mark.clone());
    }
}

/// The caller is no better described than what it called.
pub fn come_back(after: &mut State, exit: &State, called: &Procedure) {
    if is_lost(exit, called) {
        after.locals.remove(DESCRIBED);
    }
}
