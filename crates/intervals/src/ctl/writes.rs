//! Which steps write a global variable or allocated memory: these are the changes of state that formulas see by
//! default.

use super::calls::opens_stream;
use super::explore::{Configuration, Explorer};
use crate::cells::ObjectKind;
use crate::domain::number::Number;
use crate::domain::value::Value;
use crate::evaluate::{Evaluator, Location};
use crate::lives;
use crate::natives::written_by;
use program::{Action, Callee, Edge, VariableId};
use rustc_hash::FxHashSet;
/// Does a step write a global variable?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writes {
    /// In no concrete state.
    Never,
    /// In some concrete states only, or it is not known.
    Perhaps,
    /// In every concrete state.
    Always,
}

impl Writes {
    /// What two writes come to.
    pub(super) fn or(self, other: Writes) -> Writes {
        match (self, other) {
            (Writes::Always, _) | (_, Writes::Always) => Writes::Always,
            (Writes::Perhaps, _) | (_, Writes::Perhaps) => Writes::Perhaps,
            _ => Writes::Never,
        }
    }
}

/// The variables that the program itself mentions, which those of library functions are not.
pub fn named_by_the_program(program: &program::Program) -> FxHashSet<VariableId> {
    let mut named = FxHashSet::default();
    let mut see = |part: program::expr::ExprPart<'_>| {
        if let program::expr::ExprPart::Place(place, _) = part
            && let Some(id) = place_variable(place)
        {
            named.insert(id);
        }
    };
    let users = program.procedures.iter().filter(|procedure| procedure.origin == program::Origin::User);
    for edge in users.flat_map(|procedure| &procedure.body).flat_map(|body| &body.edges) {
        edge.action.visit(&mut see);
    }
    program.visit_initial(&mut see);
    named
}

impl Explorer<'_, '_> {
    /// Is what lies there a global variable, or allocated memory?
    pub(super) fn is_global_place(&self, location: &Location) -> Writes {
        let program = self.context.program;
        // Variables of library functions are none of the program's.
        let counts = |id: VariableId| {
            self.context.is_global(id)
                && program.variables[id].kind == program::VariableKind::Global
                && self.named.contains(&id)
        };
        match location {
            Location::Plain(id) => {
                if counts(*id) {
                    Writes::Always
                } else {
                    Writes::Never
                }
            }
            Location::Memory(pointers) if pointers.can_be_anything => Writes::Perhaps,
            Location::Memory(pointers) => {
                let (mut some, mut all) = (false, true);
                for (object, _) in pointers.targets() {
                    let is_one = match self.context.kind_of(*object) {
                        ObjectKind::Variable(id) => counts(id),
                        ObjectKind::Allocation(procedure, edge, _) => {
                            !lives::is_on_stack(self.context, procedure, edge)
                        }
                        ObjectKind::Procedure(_) => false,
                    };
                    some |= is_one;
                    all &= is_one;
                }
                match (some, all) {
                    (true, true) => Writes::Always,
                    (true, false) => Writes::Perhaps,
                    (false, _) => Writes::Never,
                }
            }
        }
    }

    /// Does the step write a global variable (whether or not the value changes)?
    pub(super) fn writes_global(&self, from: &Configuration, edge: &Edge, to: &Configuration) -> Writes {
        let mut evaluator = Evaluator::new(self.context, &from.state);
        let at = |evaluator: &mut Evaluator<'_, '_>, place: &program::Place| match evaluator.locate(place) {
            Some(location) => self.is_global_place(&location),
            None => Writes::Perhaps,
        };
        match &edge.action {
            Action::Assign { target, .. } | Action::Havoc { target, .. } => at(&mut evaluator, target),
            // Entering a procedure writes nothing.
            Action::Call { .. } if to.callers.len() > from.callers.len() => Writes::Never,
            Action::Call { arguments, result, callee } => {
                let mut writes = result.as_ref().map_or(Writes::Never, |result| at(&mut evaluator, result));
                let values: Option<Vec<Value>> =
                    arguments.iter().map(|argument| evaluator.value(argument)).collect();
                let Some(values) = values else { return Writes::Perhaps };
                let known = match callee {
                    Callee::Direct(id) => {
                        let procedure = &self.context.program.procedures[*id];
                        match procedure.known {
                            Some(known) => Some(known),
                            // Opening a stream gives one and writes nothing of the program's.
                            None if opens_stream(procedure) => return writes,
                            None if procedure.body.is_some() => return writes.or(Writes::Perhaps),
                            // Without a body it changes nothing, or the run is not followed.
                            None => return writes,
                        }
                    }
                    Callee::Indirect(_) => None,
                };
                let written = match known {
                    Some(known) => written_by(known, &values, arguments.len()),
                    None => (0..arguments.len()).map(|at| (at, Number::range(0, 1))).collect(),
                };
                for (at, bytes) in written {
                    let Some(Value::Pointer(pointers)) = values.get(at) else { continue };
                    let hit = self.is_global_place(&Location::Memory(pointers.clone()));
                    writes = writes.or(match (hit, bytes.single() == Some(0), bytes.contains(0)) {
                        (Writes::Never, ..) | (_, true, _) => Writes::Never,
                        (_, _, true) => Writes::Perhaps,
                        (hit, ..) => hit,
                    });
                }
                writes
            }
            _ => Writes::Never,
        }
    }
}

/// The variable that a place is a part of, if it is one.
pub(super) fn place_variable(place: &program::Place) -> Option<VariableId> {
    match place.base {
        program::PlaceBase::Variable(id) => Some(id),
        program::PlaceBase::Pointer(_) => None,
    }
}
