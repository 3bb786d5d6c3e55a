//! What is known before the program starts: static storage has its initial values, the rest is unknown.

use crate::context::Context;
use crate::domain::number::Number;
use crate::domain::pointers::Pointers;
use crate::domain::value::{Datum, Scalar, Value};
use crate::evaluate::{Evaluator, Location};
use crate::lives;
use crate::memory;
use crate::state::State;
use crate::transfer::Transfer;
use program::types::IntegerShape;
use program::{InitialData, Place, ProcedureId, VariableId, VariableKind};

/// The state in which the first procedure begins.
pub fn initial_state(context: &Context<'_>) -> State {
    let mut state = State::default();
    if context.has_threads {
        return state;
    }
    for (id, variable) in context.program.variables.iter_enumerated() {
        if context.is_global(id) && !variable.is_external {
            initialise(context, &mut state, id);
        }
    }
    lives::start(context, &mut state);
    Transfer::nothing_consumed(context, &mut state);
    state
}

fn initialise(context: &Context<'_>, state: &mut State, id: VariableId) {
    let variable = &context.program.variables[id];
    if context.is_plain(id) {
        let scalar = context.scalars[id].expect("plain variables are scalars");
        let mut value = Value::zero(scalar);
        for initial in &variable.initial {
            if let InitialData::Value(expr) = &initial.value {
                value = Evaluator::new(context, state).value(expr).unwrap_or_else(|| Value::any(scalar));
            }
        }
        memory::set_variable(context, state, id, Datum::of(value));
        return;
    }
    let object = context.object_of(id);
    if variable.kind == VariableKind::StringLiteral && variable.initial.is_empty() {
        return;
    }
    memory::zero(context, state, object, variable.ty.id);
    for initial in &variable.initial {
        let Some(Location::Memory(target)) = Evaluator::new(context, state).locate(&initial.place) else {
            continue;
        };
        match &initial.value {
            InitialData::Value(expr) => {
                let value = Evaluator::new(context, state).value(expr);
                write_initial(context, state, &initial.place, &target, value);
            }
            InitialData::Bytes(bytes) => {
                // A wide string's bytes are not characters; the first elements are forgotten instead.
                let types = &context.program.types;
                let element = match types.get(initial.place.ty.id) {
                    program::Type::Array(element, _) => Scalar::of(element.id, types),
                    _ => None,
                };
                let Some(scalar @ Scalar::Integer(shape @ IntegerShape { width: 8, .. })) = element else {
                    memory::kill(context, state, &target, Number::only(bytes.len() as i128));
                    continue;
                };
                let [(object, offset)] = target.targets() else { continue };
                let Some(base) = offset.single() else { continue };
                for (at, &byte) in bytes.iter().enumerate() {
                    let value = Value::Integer(Number::only(shape.value(u128::from(byte))));
                    let place = Pointers::to(*object, Number::only(base + at as i128));
                    memory::write(context, state, &place, 1, scalar, &Datum::of(value));
                }
            }
        }
    }
}

fn write_initial(
    context: &Context<'_>,
    state: &mut State,
    place: &Place,
    target: &Pointers,
    value: Option<Value>,
) {
    let types = &context.program.types;
    match (Scalar::of(place.ty.id, types), value) {
        (Some(_), Some(value)) => {
            memory::assign(context, state, place, &Location::Memory(target.clone()), Datum::of(value));
        }
        _ => {
            let size = types.size_of(place.ty.id).unwrap_or(0);
            memory::kill(context, state, target, Number::only(i128::from(size)));
        }
    }
}

/// `main`'s parameters: at least zero arguments, and vectors that are not followed.
pub fn enter_main(context: &Context<'_>, state: &State, main: ProcedureId) -> State {
    let mut entry = State { locals: Default::default(), relations: Default::default(), ..state.clone() };
    for (at, &parameter) in context.program.procedures[main].parameters.iter().enumerate() {
        let Some(scalar) = context.scalars[parameter] else { continue };
        let value = match scalar {
            Scalar::Integer(IntegerShape { width, signed: true }) if at == 0 => {
                Value::Integer(Number::range(0, (1 << (width - 1)) - 1))
            }
            other => Value::any(other),
        };
        if context.is_plain(parameter) {
            memory::set_variable(context, &mut entry, parameter, Datum::of(value));
        }
    }
    entry
}
