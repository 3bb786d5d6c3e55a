//! An abstract state, what is known at one place of the program. What a state does not mention can have any
//! value.

use crate::domain::value::{Datum, Value};
use crate::map::{Lone, Map};
use crate::octagon::Relations;

/// An abstract state: a set of concrete ones. That there are none is told by the absence of a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Plain variables of the procedure, by their index; also its result on the way to the caller.
    pub locals: Map<Datum>,
    /// Plain variables of the whole program, by their index; and how far test cases are consumed.
    pub globals: Map<Datum>,
    /// Cells of memory.
    pub memory: Map<Datum>,
    /// How plain variables relate.
    pub relations: Relations,
}

/// How states are put together.
#[derive(Clone, Copy, Debug)]
pub struct Joining<'a> {
    /// Ranges kept apart per variable.
    pub cap: usize,
    /// Where widening stops first.
    pub thresholds: &'a [i128],
}

impl State {
    fn merge(
        &self,
        other: &State,
        relations: Relations,
        combine: &mut dyn FnMut(u32, &Datum, &Datum) -> Option<Datum>,
    ) -> State {
        let drop = (Lone::Drop, Lone::Drop);
        State {
            locals: self.locals.merge(&other.locals, drop, combine),
            globals: self.globals.merge(&other.globals, drop, combine),
            memory: self.memory.merge(&other.memory, drop, combine),
            relations,
        }
    }

    /// Concrete states of either.
    pub fn join(&self, other: &State, joining: Joining<'_>) -> State {
        let relations = self.relations.join(&other.relations);
        self.merge(other, relations, &mut |_, one, two| one.join(two, joining.cap))
    }

    /// An upper bound of a growing sequence that grows only so often.
    pub fn widen(&self, grown: &State, joining: Joining<'_>) -> State {
        let relations = self.relations.widen(&grown.relations);
        self.merge(grown, relations, &mut |_, one, two| one.widen(two, joining.thresholds))
    }

    /// What changed is forgotten: the coarsest bound.
    pub fn forget_changes(&self, grown: &State) -> State {
        let relations = self.relations.widen(&grown.relations);
        self.merge(grown, relations, &mut |_, _, _| None)
    }

    /// Is every concrete state also one of the other's?
    pub fn is_within(&self, other: &State) -> bool {
        let mut fits = |one: &Datum, two: &Datum| one.is_within(two);
        self.locals.covers_keys_of(&other.locals, &mut fits)
            && self.globals.covers_keys_of(&other.globals, &mut fits)
            && self.memory.covers_keys_of(&other.memory, &mut fits)
            && self.relations.is_within(&other.relations)
    }

    /// How much joining with the other would lose, as a rough count: what is known in one only, or written in one only,
    /// counts more than another value.
    pub fn difference(&self, other: &State) -> u32 {
        let mut sum = 0u32;
        let mut weigh = |one: Option<&Datum>, two: Option<&Datum>| {
            sum = sum.saturating_add(match (one, two) {
                (Some(one), Some(two)) if one.written != two.written => 6,
                (Some(one), Some(two)) => match (&one.value, &two.value) {
                    (Value::Pointer(_), Value::Pointer(_)) => 3,
                    _ => 1,
                },
                _ => 6,
            });
        };
        self.locals.differences(&other.locals, &mut weigh);
        self.globals.differences(&other.globals, &mut weigh);
        self.memory.differences(&other.memory, &mut weigh);
        sum
    }

    /// A smaller state of the same sound set: `self` is an upper bound, `once_more` one computed from it.
    pub fn narrow(&self, once_more: &State) -> State {
        let keep = (Lone::Keep, Lone::Keep);
        let mut choose =
            |_: u32, old: &Datum, new: &Datum| Some(if new.is_within(old) { new } else { old }.clone());
        State {
            locals: self.locals.merge(&once_more.locals, keep, &mut choose),
            globals: self.globals.merge(&once_more.globals, keep, &mut choose),
            memory: self.memory.merge(&once_more.memory, keep, &mut choose),
            relations: self.relations.narrow(&once_more.relations),
        }
    }
}

/// Joins into a place that may be unreached so far; says whether it changed.
pub fn join_into(slot: &mut Option<State>, state: State, joining: Joining<'_>) -> bool {
    match slot {
        None => {
            *slot = Some(state);
            true
        }
        Some(known) => {
            if state.is_within(known) {
                return false;
            }
            *known = known.join(&state, joining);
            true
        }
    }
}
