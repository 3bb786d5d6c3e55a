//! Conditions make values smaller (backward evaluation, constraint propagation): what is known about the
//! result is pushed down to all variables in it, until nothing changes (what AMC used the Omega library for).
//! After Benhamou et al. 1999 (HC4): evaluate upwards, contract downwards.
//!
//! Must over-approximate: a concrete state in which the condition has the expected outcome, and evaluating it
//! is defined, is never lost.
//!
//! Worked example: `x + y < 5` holds, `x` in {3..10}, `y` in {0..10}. Upwards, the sum is in {3..20}; the
//! condition leaves {3..4}. Downwards, `x` is the sum less `y`: {3..4}; `y` is the sum less `x`: {0..1}. Once
//! more, nothing changes.

use crate::context::Context;
use crate::domain::congruence::Congruence;
use crate::domain::floats::FloatRange;
use crate::domain::integers::{IntegerSet, Range};
use crate::domain::number::{Number, is_opaque, limits};
use crate::domain::operators::Overflow;
use crate::domain::pointers::Pointers;
use crate::domain::value::{Datum, Scalar, Value, Written};
use crate::evaluate::{Evaluator, Location, WIDE};
use crate::memory;
use crate::relate;
use crate::state::State;
use program::expr::ExprPart;
use program::types::IntegerShape;
use program::{BinaryOp, Expr, ExprKind, UnaryOp};

/// Rounds of contraction; more rarely change anything.
const MOST_ROUNDS: u32 = 4;

/// The states in which `condition != 0` is `expected`; `None` if there are none.
pub fn assume(context: &Context<'_>, state: &State, condition: &Expr, expected: bool) -> Option<State> {
    let mut state = state.clone();
    // With one variable there is nothing that could flow back to another.
    let mut loads = 0;
    condition.visit(&mut |part| loads += u32::from(matches!(part, ExprPart::Place(..))));
    let rounds = if loads <= 1 { 1 } else { MOST_ROUNDS };
    for _ in 0..rounds {
        let before = state.clone();
        if is_decided(context, &state, condition)? == Some(!expected) {
            return None;
        }
        truth(context, &mut state, condition, expected)?;
        if !relate::assume(context, &mut state, condition, expected) {
            return None;
        }
        if state == before {
            break;
        }
    }
    Some(state)
}

/// The condition's outcome, where it is the same in all states; `None` if no run gets past evaluating it.
pub fn is_decided(context: &Context<'_>, state: &State, condition: &Expr) -> Option<Option<bool>> {
    let value = Evaluator::new(context, state).value(condition)?;
    let (can_be_zero, can_be_other) = match &value {
        Value::Integer(number) => {
            (number.contains(0), number.set().ranges().iter().any(|range| range.low != 0 || range.high != 0))
        }
        Value::Pointer(pointers) => (pointers.can_be_null, pointers.can_be_not_null()),
        Value::Float(range) => {
            let (can_be_other, can_be_zero) = range.compare(BinaryOp::Equal, &FloatRange::only(0.0));
            (can_be_zero, can_be_other)
        }
    };
    Some(match (can_be_zero, can_be_other) {
        (true, false) => Some(false),
        (false, true) => Some(true),
        _ => None,
    })
}

/// Contracts to states where the condition has that truth.
fn truth(context: &Context<'_>, state: &mut State, condition: &Expr, expected: bool) -> Option<()> {
    match &condition.kind {
        ExprKind::Unary(UnaryOp::Not, inner) => return truth(context, state, inner, !expected),
        ExprKind::Binary(op, left, right) if op.is_comparison() => {
            let is_float = context.program.types.float_kind(left.ty).is_some();
            let is_order = !matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
            if is_float && is_order && !expected {
                // It may be false because an operand is not a number.
                return Some(());
            }
            let op = if expected { *op } else { op.opposite() };
            return compare(context, state, op, left, right);
        }
        ExprKind::Cast(inner) if keeps_zero(context, inner, condition) => {
            return truth(context, state, inner, expected);
        }
        _ => {}
    }
    let value = Evaluator::new(context, state).value(condition)?;
    let wanted = match (&value, expected) {
        (Value::Integer(number), true) => Value::Integer(number.without(0)),
        (Value::Integer(number), false) => Value::Integer(number.meet(&Number::only(0))),
        (Value::Pointer(pointers), true) => Value::Pointer(pointers.without_null()),
        (Value::Pointer(pointers), false) => Value::Pointer(pointers.meet(&Pointers::null())),
        (Value::Float(range), true) => Value::Float(*range),
        (Value::Float(range), false) => Value::Float(range.meet(&FloatRange::only(0.0))),
    };
    push(context, state, condition, wanted)
}

/// Is the conversion zero exactly where the operand is?
fn keeps_zero(context: &Context<'_>, inner: &Expr, whole: &Expr) -> bool {
    let types = &context.program.types;
    let is_bool = matches!(types.get(whole.ty), program::Type::Bool);
    match (Scalar::of(inner.ty, types), Scalar::of(whole.ty, types)) {
        (Some(Scalar::Float(_)), _) => is_bool,
        (Some(Scalar::Integer(_) | Scalar::Pointer), _) if is_bool => true,
        (Some(Scalar::Integer(from)), Some(Scalar::Integer(to))) => to.width >= from.width,
        (Some(Scalar::Pointer), Some(Scalar::Pointer)) => true,
        _ => false,
    }
}

fn compare(context: &Context<'_>, state: &mut State, op: BinaryOp, left: &Expr, right: &Expr) -> Option<()> {
    use BinaryOp::*;
    let mut evaluator = Evaluator::new(context, state);
    let (one, two) = (evaluator.value(left)?, evaluator.value(right)?);
    match (&one, &two) {
        (Value::Integer(x), Value::Integer(y)) => {
            let shape = match Scalar::of(left.ty, &context.program.types) {
                Some(Scalar::Integer(shape)) => shape,
                _ => return Some(()),
            };
            let (new_x, new_y) = match op {
                Equal => {
                    let both = x.meet(y);
                    (both.clone(), both)
                }
                NotEqual => (
                    y.single().map_or_else(|| x.clone(), |value| x.without(value)),
                    x.single().map_or_else(|| y.clone(), |value| y.without(value)),
                ),
                _ if is_opaque(shape) => (x.clone(), y.clone()),
                Less => (below(x, y, 1)?, above(y, x, 1)?),
                LessEqual => (below(x, y, 0)?, above(y, x, 0)?),
                Greater => (above(x, y, 1)?, below(y, x, 1)?),
                GreaterEqual => (above(x, y, 0)?, below(y, x, 0)?),
                _ => return Some(()),
            };
            push(context, state, left, Value::Integer(new_x))?;
            push(context, state, right, Value::Integer(new_y))
        }
        (Value::Pointer(x), Value::Pointer(y)) => {
            let is_null = |p: &Pointers| !p.can_be_not_null();
            match op {
                Equal => {
                    // Different objects may have one address (one past the end), so only null is decided
                    // here.
                    if is_null(x) || is_null(y) || !x.can_be_null || !y.can_be_null {
                        let can_be_null = x.can_be_null && y.can_be_null;
                        let cut = |own: &Pointers, other: &Pointers| {
                            if is_null(other) {
                                own.meet(&Pointers::null())
                            } else {
                                own.clone().with_null(can_be_null)
                            }
                        };
                        push(context, state, left, Value::Pointer(cut(x, y)))?;
                        push(context, state, right, Value::Pointer(cut(y, x)))?;
                    }
                    Some(())
                }
                NotEqual => {
                    if is_null(y) {
                        push(context, state, left, Value::Pointer(x.without_null()))?;
                    }
                    if is_null(x) {
                        push(context, state, right, Value::Pointer(y.without_null()))?;
                    }
                    Some(())
                }
                _ => Some(()),
            }
        }
        (Value::Float(x), Value::Float(y)) => {
            // Bounds are closed, so a strict order contracts like the other.
            let at_most =
                |own: &FloatRange, other: &FloatRange| FloatRange { high: own.high.min(other.high), ..*own };
            let at_least =
                |own: &FloatRange, other: &FloatRange| FloatRange { low: own.low.max(other.low), ..*own };
            let (new_x, new_y) = match op {
                Equal => (x.meet(y), y.meet(x)),
                Less | LessEqual => (at_most(x, y), at_least(y, x)),
                Greater | GreaterEqual => (at_least(x, y), at_most(y, x)),
                _ => return Some(()),
            };
            let number = |range: FloatRange| Value::Float(FloatRange { can_be_nan: false, ..range });
            push(context, state, left, number(new_x))?;
            push(context, state, right, number(new_y))
        }
        _ => Some(()),
    }
}

fn below(own: &Number, other: &Number, by: i128) -> Option<Number> {
    let high = other.hull()?.high.checked_sub(by)?;
    Some(own.meet_set(&IntegerSet::range(i128::MIN, high)))
}

fn above(own: &Number, other: &Number, by: i128) -> Option<Number> {
    let low = other.hull()?.low.checked_add(by)?;
    Some(own.meet_set(&IntegerSet::range(low, i128::MAX)))
}

/// The expression has one of the wanted values: contracts what it is made of.
pub(crate) fn push(context: &Context<'_>, state: &mut State, expr: &Expr, wanted: Value) -> Option<()> {
    if wanted.is_empty() {
        return None;
    }
    match &expr.kind {
        ExprKind::Load(place) => {
            let mut evaluator = Evaluator::new(context, state);
            let known = evaluator.value(expr)?;
            let both = known.meet(&wanted);
            if both.is_empty() {
                return None;
            }
            if both == known {
                return Some(());
            }
            match evaluator.locate(place)? {
                Location::Plain(id) => {
                    let written = evaluator.variable(id).map_or(Written::Perhaps, |datum| datum.written);
                    memory::set_variable(context, state, id, Datum { value: both, written });
                }
                Location::Memory(pointers) => {
                    memory::contract(context, state, &pointers, place, both);
                }
            }
            Some(())
        }
        ExprKind::Unary(op, inner) => {
            let Value::Integer(number) = &wanted else { return Some(()) };
            let Some(Scalar::Integer(shape)) = Scalar::of(inner.ty, &context.program.types) else {
                if *op == UnaryOp::Not {
                    return match number.single() {
                        Some(value) => truth(context, state, inner, value == 0),
                        None => Some(()),
                    };
                }
                return Some(());
            };
            match op {
                UnaryOp::Not => match number.single() {
                    Some(value) => truth(context, state, inner, value == 0),
                    None => Some(()),
                },
                // Both are their own inverses on the type's bits.
                UnaryOp::Negate | UnaryOp::BitNot => {
                    let wraps = crate::domain::operators::Arithmetic {
                        overflow: Overflow::Wraps,
                        ..context.arithmetic
                    };
                    push(context, state, inner, Value::Integer(wraps.unary(*op, number, shape).value))
                }
            }
        }
        ExprKind::Binary(op, left, right) => {
            let Value::Integer(number) = &wanted else { return Some(()) };
            if op.is_comparison() {
                return match number.single() {
                    Some(0) => truth(context, state, expr, false),
                    Some(_) => truth(context, state, expr, true),
                    None => Some(()),
                };
            }
            push_operation(context, state, (*op, left, right), number)
        }
        ExprKind::Cast(inner) => push_cast(context, state, inner, expr, wanted),
        _ => Some(()),
    }
}

fn push_cast(
    context: &Context<'_>,
    state: &mut State,
    inner: &Expr,
    whole: &Expr,
    wanted: Value,
) -> Option<()> {
    let types = &context.program.types;
    match (Scalar::of(inner.ty, types), &wanted) {
        (Some(Scalar::Pointer), Value::Pointer(_)) => push(context, state, inner, wanted),
        (Some(Scalar::Integer(from)), Value::Integer(number)) => {
            let Some(Scalar::Integer(to)) = Scalar::of(whole.ty, types) else { return Some(()) };
            if matches!(types.get(whole.ty), program::Type::Bool) {
                return match number.single() {
                    Some(value) => truth(context, state, inner, value != 0),
                    None => Some(()),
                };
            }
            let known = Evaluator::new(context, state).number(inner)?;
            let around = limits(to);
            // Where no value of the operand is changed by the conversion, the result is the operand.
            if !is_opaque(to) && known.is_within(&Number::range(around.low, around.high)) {
                return push(context, state, inner, Value::Integer(known.meet(number)));
            }
            // To the unsigned type of the same width, or back: the conversion can be undone.
            if from.width == to.width && !is_opaque(to) && !is_opaque(from) {
                let back = context.arithmetic.convert(number, from);
                return push(context, state, inner, Value::Integer(known.meet(&back)));
            }
            Some(())
        }
        _ => Some(()),
    }
}

fn push_operation(
    context: &Context<'_>,
    state: &mut State,
    (op, left, right): (BinaryOp, &Expr, &Expr),
    wanted: &Number,
) -> Option<()> {
    use BinaryOp::*;
    let types = &context.program.types;
    let Some(Scalar::Integer(shape)) = Scalar::of(left.ty, types) else { return Some(()) };
    if is_opaque(shape) {
        return Some(());
    }
    let mut evaluator = Evaluator::new(context, state);
    let (x, y) = (evaluator.number(left)?, evaluator.number(right)?);
    let arithmetic = context.arithmetic;
    match op {
        Add | Subtract => {
            let exact = arithmetic.binary(op, &x, &y, WIDE).value;
            let around = limits(shape);
            let is_exact = exact.is_within(&Number::range(around.low, around.high));
            let stops = shape.signed && arithmetic.overflow == Overflow::Stops;
            let undo = |one: &Number, op: BinaryOp, two: &Number| {
                let result = arithmetic.binary(op, one, two, WIDE).value;
                if is_exact || stops { result } else { undo_wrapped(&result, shape, context) }
            };
            let (new_x, new_y) = if op == Add {
                (undo(wanted, Subtract, &y), undo(wanted, Subtract, &x))
            } else {
                (undo(wanted, Add, &y), undo(&x, Subtract, wanted))
            };
            push(context, state, left, Value::Integer(x.meet(&new_x)))?;
            push(context, state, right, Value::Integer(y.meet(&new_y)))
        }
        Multiply => {
            let exact = arithmetic.binary(op, &x, &y, WIDE).value;
            let around = limits(shape);
            let is_exact = exact.is_within(&Number::range(around.low, around.high));
            let is_product = is_exact || shape.signed && arithmetic.overflow == Overflow::Stops;
            if !is_product || shape.width > 64 {
                return Some(());
            }
            for (factor, number, expr) in [(&y, &x, left), (&x, &y, right)] {
                let Some(factor) = factor.single().filter(|&factor| factor != 0) else { continue };
                let Some(hull) = wanted.hull() else { continue };
                // x * c in [low, high]: x between the rounded quotients.
                let (one, two) = if factor > 0 { (hull.low, hull.high) } else { (hull.high, hull.low) };
                let ceil = |value: i128| {
                    value.div_euclid(factor) + i128::from(value.rem_euclid(factor) != 0 && factor > 0)
                };
                let floor = |value: i128| {
                    value.div_euclid(factor) - i128::from(value.rem_euclid(factor) != 0 && factor < 0)
                };
                let (low, high) = (ceil(one), floor(two));
                // For negative factors the roundings above stay outside by at most one: still an upper bound.
                let range = Range::between(low.min(high.saturating_add(1)), high.max(low.saturating_sub(1)));
                let range = IntegerSet::range(range.low - 1, range.high + 1);
                push(context, state, expr, Value::Integer(number.meet_set(&range)))?;
            }
            Some(())
        }
        Remainder => {
            let (Some(by), Some(rest)) = (y.single(), wanted.single()) else { return Some(()) };
            if by == 0 || by == i128::MIN {
                return Some(());
            }
            // The remainder has the dividend's sign: a positive one is a class of positive dividends only.
            let class = Congruence::modulo(by.abs(), rest);
            let mut new_x = x.meet(&Number::of(x.set().clone(), class));
            if rest > 0 {
                new_x = new_x.meet_set(&IntegerSet::range(1, i128::MAX));
            } else if rest < 0 {
                new_x = new_x.meet_set(&IntegerSet::range(i128::MIN, -1));
            }
            push(context, state, left, Value::Integer(new_x))
        }
        BitAnd => {
            // A result with bits set has those bits in both operands: not zero means neither is zero.
            if !wanted.contains(0) {
                push(context, state, left, Value::Integer(x.without(0)))?;
                push(context, state, right, Value::Integer(y.without(0)))?;
            }
            // A mask of low bits, wanted to be one value: a class.
            if let (Some(mask), Some(value)) = (y.single(), wanted.single())
                && mask > 0
                && mask < (1 << 60)
                && (mask & (mask + 1)) == 0
            {
                let class = Congruence::modulo(mask + 1, value);
                let both = x.class().meet(class).map(|class| Number::of(x.set().clone(), class));
                push(context, state, left, Value::Integer(both.unwrap_or_else(Number::empty)))?;
            }
            Some(())
        }
        BitOr if wanted.single() == Some(0) => {
            push(context, state, left, Value::Integer(x.meet(&Number::only(0))))?;
            push(context, state, right, Value::Integer(y.meet(&Number::only(0))))
        }
        BitXor if wanted.single() == Some(0) => {
            let both = x.meet(&y);
            push(context, state, left, Value::Integer(both.clone()))?;
            push(context, state, right, Value::Integer(both))
        }
        _ => Some(()),
    }
}

/// What an operand was when the operation may have wrapped: the same modulo two to the width.
fn undo_wrapped(result: &Number, shape: IntegerShape, context: &Context<'_>) -> Number {
    context.arithmetic.convert(result, shape)
}
