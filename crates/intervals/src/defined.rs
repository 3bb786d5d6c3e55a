//! What a run that goes on past a step tells of the state before it: everything the step evaluated was defined. A
//! pointer that was followed is not null and leads to something that lives, an index is inside its array, a divisor is
//! not zero, and a sum of signed numbers did not overflow (values refined after a check; "reduction after an alarm").
//!
//! Must over-approximate: a concrete state in which the step is carried out without undefined behaviour is never lost.
//! What is evaluated only in some runs (`&&`, `||`, `?:`) is a branch of the program, so everything in one step counts.

use crate::context::Context;
use crate::domain::integers::IntegerSet;
use crate::domain::number::{Number, limits};
use crate::domain::operators::{Certainty, Overflow};
use crate::domain::pointers::Pointers;
use crate::domain::value::{Scalar, Value};
use crate::evaluate::{Evaluator, Location, WIDE};
use crate::refine;
use crate::state::State;
use program::expr::{Access, ExprPart};
use program::types::ArrayLength;
use program::{Action, BinaryOp, Expr, ExprKind, Place, PlaceBase, Projection, Type};

/// The states in which the step is carried out without undefined behaviour; `None` if there are none.
pub fn during(context: &Context<'_>, state: &State, action: &Action) -> Option<State> {
    let mut places = Vec::new();
    let mut expressions = Vec::new();
    let mut take = |part: ExprPart<'_>| match part {
        ExprPart::Place(place, access) => {
            if access != Access::Address && is_checked(context, place) {
                places.push((place.clone(), access));
            }
        }
        ExprPart::Expr(expr) => {
            if can_be_undefined(context, expr) {
                expressions.push(expr.clone());
            }
        }
    };
    match action {
        Action::Assume { condition, .. } => condition.visit(&mut take),
        Action::Assign { target, value } => {
            value.visit(&mut take);
            target.visit(Access::Write, &mut take);
        }
        Action::Call { arguments, .. } => arguments.iter().for_each(|argument| argument.visit(&mut take)),
        Action::Return { value: Some(value) } => value.visit(&mut take),
        _ => return Some(state.clone()),
    }
    let mut state = state.clone();
    // Parts come after what they are parts of.
    for (place, access) in places.iter().rev() {
        use_place(context, &mut state, place, *access)?;
    }
    for expr in expressions.iter().rev() {
        use_operation(context, &mut state, expr)?;
    }
    Some(state)
}

fn is_checked(context: &Context<'_>, place: &Place) -> bool {
    let is_fixed = |step: &Projection| match step {
        Projection::Field(..) => true,
        Projection::Index(index) => index.as_integer().is_some(),
    };
    matches!(place.base, PlaceBase::Pointer(_)) && context.program.types.size_of(place.ty.id).is_some()
        || !place.path.iter().all(is_fixed)
}

fn can_be_undefined(context: &Context<'_>, expr: &Expr) -> bool {
    use BinaryOp::{Add, Divide, Multiply, Remainder, ShiftLeft, ShiftRight, Subtract};
    match &expr.kind {
        ExprKind::Binary(Divide | Remainder | ShiftLeft | ShiftRight, ..) => true,
        ExprKind::Binary(Add | Subtract | Multiply, ..) | ExprKind::Unary(program::UnaryOp::Negate, _) => {
            context.arithmetic.overflow == Overflow::Stops
                && matches!(Scalar::of(expr.ty, &context.program.types), Some(Scalar::Integer(shape)) if shape.signed)
        }
        _ => false,
    }
}

/// The place was read or written.
fn use_place(context: &Context<'_>, state: &mut State, place: &Place, access: Access) -> Option<()> {
    let types = &context.program.types;
    let mut ty = place.base_type(|id| context.program.variables[id].ty.id, types);
    let mut is_last_member = false;
    for step in &place.path {
        match step {
            Projection::Field(record, index) => {
                let fields = types.records[*record].fields.as_ref();
                is_last_member = fields.is_none_or(|fields| *index as usize + 1 == fields.len());
                ty = fields.map_or(ty, |fields| fields[*index as usize].ty.id);
            }
            Projection::Index(index) => {
                let (element, length) = match types.get(ty) {
                    Type::Array(element, length) => (element.id, *length),
                    _ => (ty, ArrayLength::Unknown),
                };
                // As in `Evaluator::locate`: a last member of length 0 or 1 may be longer.
                let fewest = if is_last_member { 2 } else { 1 };
                if let ArrayLength::Known(length) = length
                    && length >= fewest
                {
                    let known = Evaluator::new(context, state).number(index)?;
                    let inside = known.meet_set(&IntegerSet::range(0, i128::from(length) - 1));
                    if inside != known {
                        refine::push(context, state, index, Value::Integer(inside))?;
                    }
                }
                is_last_member = false;
                ty = element;
            }
        }
    }
    let PlaceBase::Pointer(pointer) = &place.base else { return Some(()) };
    let known = Evaluator::new(context, state).pointers(pointer)?;
    let size = if place.bit_field(types).is_some() { 1 } else { types.size_of(place.ty.id)? };
    let Location::Memory(reached) = Evaluator::new(context, state).locate(place)? else { return Some(()) };
    let kept = Evaluator::new(context, state).accessed(&reached, size, place, access)?;
    let moved_by = fixed_offset(context, place);
    let can_be_anything = known.can_be_anything || kept.can_be_anything && known.targets().is_empty();
    let mut wanted = if can_be_anything { Pointers::not_null() } else { Pointers::none() };
    for (object, offset) in known.targets() {
        if kept.can_be_anything {
            wanted = wanted.join(&Pointers::to(*object, offset.clone()), usize::MAX);
            continue;
        }
        let Some((_, at)) = kept.targets().iter().find(|(other, _)| other == object) else { continue };
        let offset = match &moved_by {
            Some(by) => offset.meet(&context.arithmetic.binary(BinaryOp::Subtract, at, by, WIDE).value),
            None => offset.clone(),
        };
        wanted = wanted.join(&Pointers::to(*object, offset), usize::MAX);
    }
    if wanted == known {
        return Some(());
    }
    refine::push(context, state, pointer, Value::Pointer(wanted))
}

/// How far a place is from what its pointer points to, if that is always the same.
fn fixed_offset(context: &Context<'_>, place: &Place) -> Option<Number> {
    let mut sum = 0;
    for step in &place.path {
        let Projection::Field(record, index) = step else { return None };
        let layout = context.program.types.records[*record].layout.as_ref()?;
        sum += i128::from(layout.fields[*index as usize].byte_offset());
    }
    Some(Number::only(sum))
}

/// The operation had a defined result.
fn use_operation(context: &Context<'_>, state: &mut State, expr: &Expr) -> Option<()> {
    use BinaryOp::{Divide, Remainder, ShiftLeft, ShiftRight};
    match &expr.kind {
        ExprKind::Binary(Divide | Remainder, _, by) => {
            let Value::Integer(known) = Evaluator::new(context, state).value(by)? else { return Some(()) };
            if known.contains(0) {
                refine::push(context, state, by, Value::Integer(known.without(0)))?;
            }
            Some(())
        }
        ExprKind::Binary(ShiftLeft | ShiftRight, left, by) => {
            let Some(Scalar::Integer(shape)) = Scalar::of(left.ty, &context.program.types) else {
                return Some(());
            };
            // Where overflow wraps, a shift that is too far is given a meaning too.
            if context.arithmetic.overflow != Overflow::Stops {
                return Some(());
            }
            let Value::Integer(known) = Evaluator::new(context, state).value(by)? else { return Some(()) };
            let inside = known.meet_set(&IntegerSet::range(0, i128::from(shape.width) - 1));
            if inside != known {
                refine::push(context, state, by, Value::Integer(inside))?;
            }
            Some(())
        }
        _ => {
            let Some(Scalar::Integer(shape)) = Scalar::of(expr.ty, &context.program.types) else {
                return Some(());
            };
            if overflows(context, state, expr)? == Certainty::Excluded || shape.width > 64 {
                return Some(());
            }
            let Value::Integer(known) = Evaluator::new(context, state).value(expr)? else { return Some(()) };
            let around = limits(shape);
            let inside = known.meet_set(&IntegerSet::range(around.low, around.high));
            refine::push(context, state, expr, Value::Integer(inside))
        }
    }
}

/// May the operation overflow?
fn overflows(context: &Context<'_>, state: &State, expr: &Expr) -> Option<Certainty> {
    let mut evaluator = Evaluator::new(context, state);
    let computed = match &expr.kind {
        ExprKind::Binary(op, left, right) => {
            let Some(Scalar::Integer(shape)) = Scalar::of(left.ty, &context.program.types) else {
                return Some(Certainty::Excluded);
            };
            let (one, two) = (evaluator.number(left)?, evaluator.number(right)?);
            context.arithmetic.binary(*op, &one, &two, shape)
        }
        ExprKind::Unary(op, operand) => {
            let Some(Scalar::Integer(shape)) = Scalar::of(operand.ty, &context.program.types) else {
                return Some(Certainty::Excluded);
            };
            context.arithmetic.unary(*op, &evaluator.number(operand)?, shape)
        }
        _ => return Some(Certainty::Excluded),
    };
    Some(computed.trouble.map_or(Certainty::Excluded, |(_, certainty)| certainty))
}
