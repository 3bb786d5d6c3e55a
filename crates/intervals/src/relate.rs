//! Between octagons and the rest of a state: which relations conditions and assignments give, and the bounds
//! they give back.
//!
//! A relation is taken from a C expression only where the expression is the mathematical sum: no part of it
//! wraps.

use crate::context::Context;
use crate::domain::integers::IntegerSet;
use crate::domain::number::{Number, is_opaque, limits};
use crate::domain::operators::Overflow;
use crate::domain::value::{Datum, Scalar, Value};
use crate::evaluate::{Evaluator, WIDE};
use crate::memory;
use crate::octagon::{Octagon, Term};
use crate::state::State;
use program::{BinaryOp, Expr, ExprKind, UnaryOp, VariableId};

/// A sum of variables, each once and with coefficient 1 or -1, and a constant.
#[derive(Clone, Debug, Default)]
struct Sum {
    terms: Vec<(VariableId, i128)>,
    constant: i128,
}

impl Sum {
    fn plus(mut self, other: Sum, factor: i128) -> Option<Sum> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (id, coefficient) in other.terms {
            let coefficient = coefficient * factor;
            match self.terms.iter_mut().find(|(known, _)| *known == id) {
                Some((_, known)) => *known += coefficient,
                None => self.terms.push((id, coefficient)),
            }
        }
        self.terms.retain(|(_, coefficient)| *coefficient != 0);
        (self.terms.len() <= 2 && self.terms.iter().all(|(_, c)| c.abs() == 1)).then_some(self)
    }
}

/// The expression as a sum, if it surely equals that mathematical sum in this state.
fn sum(context: &Context<'_>, state: &State, expr: &Expr) -> Option<Sum> {
    let Some(Scalar::Integer(shape)) = Scalar::of(expr.ty, &context.program.types) else { return None };
    if is_opaque(shape) {
        return None;
    }
    match &expr.kind {
        ExprKind::Integer(bits) => Some(Sum { terms: Vec::new(), constant: shape.value(*bits) }),
        ExprKind::Load(place) => {
            let id = place.as_variable().filter(|&id| context.is_plain(id))?;
            if context.has_threads && context.is_global(id) {
                return None;
            }
            Some(Sum { terms: vec![(id, 1)], constant: 0 })
        }
        ExprKind::Cast(inner) => {
            let known = Evaluator::new(context, state).number(inner)?;
            let around = limits(shape);
            let fits = shape.width > 1 && known.is_within(&Number::range(around.low, around.high));
            if fits { sum(context, state, inner) } else { None }
        }
        ExprKind::Unary(UnaryOp::Negate, inner) => {
            exact(context, state, expr, BinaryOp::Subtract, None, inner)?;
            Sum::default().plus(sum(context, state, inner)?, -1)
        }
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => {
            exact(context, state, expr, *op, Some(left), right)?;
            let factor = if *op == BinaryOp::Add { 1 } else { -1 };
            sum(context, state, left)?.plus(sum(context, state, right)?, factor)
        }
        _ => None,
    }
}

/// Does the operation surely not wrap?
fn exact(
    context: &Context<'_>,
    state: &State,
    whole: &Expr,
    op: BinaryOp,
    left: Option<&Expr>,
    right: &Expr,
) -> Option<()> {
    let Some(Scalar::Integer(shape)) = Scalar::of(whole.ty, &context.program.types) else { return None };
    if shape.signed && context.arithmetic.overflow == Overflow::Stops {
        return Some(());
    }
    let mut evaluator = Evaluator::new(context, state);
    let left = match left {
        Some(left) => evaluator.number(left)?,
        None => Number::only(0),
    };
    let right = evaluator.number(right)?;
    let result = context.arithmetic.binary(op, &left, &right, WIDE).value;
    let around = limits(shape);
    result.is_within(&Number::range(around.low, around.high)).then_some(())
}

/// Adds what a condition says. False if no state is left.
pub fn assume(context: &Context<'_>, state: &mut State, condition: &Expr, expected: bool) -> bool {
    if context.packs.is_empty() {
        return true;
    }
    match &condition.kind {
        ExprKind::Unary(UnaryOp::Not, inner) => return assume(context, state, inner, !expected),
        ExprKind::Binary(op, left, right) if op.is_comparison() => {
            let difference = || sum(context, state, left)?.plus(sum(context, state, right)?, -1);
            let Some(difference) = difference() else { return true };
            use BinaryOp::*;
            // left - right <= bound, and right - left <= bound.
            let (at_most, at_least) = match (op, expected) {
                (Less, true) | (GreaterEqual, false) => (Some(-1), None),
                (LessEqual, true) | (Greater, false) => (Some(0), None),
                (Greater, true) | (LessEqual, false) => (None, Some(-1)),
                (GreaterEqual, true) | (Less, false) => (None, Some(0)),
                (Equal, true) | (NotEqual, false) => (Some(0), Some(0)),
                _ => (None, None),
            };
            let is_unequal = matches!((op, expected), (NotEqual, true) | (Equal, false));
            let negated = Sum {
                terms: difference.terms.iter().map(|(id, coefficient)| (*id, -coefficient)).collect(),
                constant: -difference.constant,
            };
            for (sum, bound) in [(&difference, at_most), (&negated, at_least)] {
                // Unequal and at most: less.
                let bound =
                    bound.or_else(|| (is_unequal && is_at_most_zero(context, state, sum)).then_some(-1));
                if let Some(bound) = bound
                    && !constrain(context, state, sum, bound)
                {
                    return false;
                }
            }
        }
        _ => {}
    }
    true
}

/// Do relations say that the sum is at most zero?
fn is_at_most_zero(context: &Context<'_>, state: &State, sum: &Sum) -> bool {
    let [(one, first), (two, second)] = sum.terms[..] else { return false };
    context.packs.with_both(one, two).into_iter().any(|(pack, place, other)| {
        let term = |place: usize, coefficient: i128| Term { place, is_negative: coefficient < 0 };
        let bound = |closed: Octagon| closed.most_of_sum(term(place, first), term(other, second));
        let bound = with_ranges(context, state, pack).closed().and_then(bound);
        bound.is_some_and(|bound| bound <= -sum.constant)
    })
}

/// The sum is at most the bound.
fn constrain(context: &Context<'_>, state: &mut State, sum: &Sum, bound: i128) -> bool {
    let Some(bound) = bound.checked_sub(sum.constant) else { return true };
    if let [(only, _)] = sum.terms[..] {
        // Intervals have it already; relations through this variable follow from its bounds.
        return context.packs.of_variable(only).iter().all(|&(pack, _)| {
            let Some(closed) = with_ranges(context, state, pack).closed() else { return false };
            let lives = give_back(context, state, pack, &closed);
            state.relations.set(pack, closed);
            lives
        });
    }
    let [(one, first), (two, second)] = sum.terms[..] else { return true };
    for (pack, place, other) in context.packs.with_both(one, two) {
        let mut octagon = with_ranges(context, state, pack);
        let term = |place: usize, coefficient: i128| Term { place, is_negative: coefficient < 0 };
        octagon.add_sum_at_most(term(place, first), term(other, second), bound);
        let Some(closed) = octagon.closed() else { return false };
        if !give_back(context, state, pack, &closed) {
            return false;
        }
        state.relations.set(pack, closed);
    }
    true
}

/// The pack's octagon with the bounds that intervals know.
fn with_ranges(context: &Context<'_>, state: &State, pack: u32) -> Octagon {
    let members = context.packs.members(pack);
    let mut octagon = state.relations.get(pack).cloned().unwrap_or_else(|| Octagon::any(members.len()));
    add_ranges(context, state, pack, &mut octagon);
    octagon
}

fn add_ranges(context: &Context<'_>, state: &State, pack: u32, octagon: &mut Octagon) {
    let evaluator = Evaluator::new(context, state);
    for (place, &id) in context.packs.members(pack).iter().enumerate() {
        let known = evaluator.variable(id);
        if let Some(hull) = known.as_ref().and_then(|datum| datum.value.number()).and_then(Number::hull) {
            octagon.add_range(place, hull.low, hull.high);
        }
    }
}

/// Bounds of a closed octagon go to the intervals. False if no state is left.
fn give_back(context: &Context<'_>, state: &mut State, pack: u32, closed: &Octagon) -> bool {
    for (place, &id) in context.packs.members(pack).iter().enumerate() {
        let (low, high) = closed.range(place);
        let range = IntegerSet::range(low.unwrap_or(i128::MIN), high.unwrap_or(i128::MAX));
        let Some(datum) = Evaluator::new(context, state).variable(id) else { continue };
        let Value::Integer(number) = &datum.value else { continue };
        let both = number.meet_set(&range);
        if both.is_empty() {
            return false;
        }
        if both != *number {
            memory::set_variable(
                context,
                state,
                id,
                Datum { value: Value::Integer(both), written: datum.written },
            );
        }
    }
    true
}

/// Nothing is known any more about how the variable relates, but its bounds: two variables that start with
/// known values are related from the start, and joins keep what is common.
pub fn forget(context: &Context<'_>, state: &mut State, id: VariableId) {
    for &(pack, place) in context.packs.of_variable(id) {
        let any = || Octagon::any(context.packs.members(pack).len());
        let mut octagon = match state.relations.get(pack) {
            Some(octagon) => octagon.closed().unwrap_or_else(any),
            None => any(),
        };
        octagon.forget(place);
        add_ranges(context, state, pack, &mut octagon);
        state.relations.set(pack, octagon.closed().unwrap_or_else(any));
    }
}

/// How the variable relates after `id := value`. Asked before the assignment is made; applied after it.
pub enum Assigned {
    /// `id := id + by`
    Moved(i128),
    /// `id := ±other + by`
    Copied(VariableId, bool, i128),
    /// Something between two variables that are in order: not below the first, and below the second by so much.
    Between(VariableId, VariableId, i128),
    /// Something that no relation can say.
    Unrelated,
}

/// What an assignment relates.
pub fn assigned(context: &Context<'_>, state: &State, id: VariableId, value: &Expr) -> Assigned {
    if context.packs.of_variable(id).is_empty() || (context.has_threads && context.is_global(id)) {
        return Assigned::Unrelated;
    }
    match sum(context, state, value) {
        Some(Sum { terms, constant }) => match terms[..] {
            [(other, 1)] if other == id => Assigned::Moved(constant),
            [(other, coefficient)] if other != id => Assigned::Copied(other, coefficient < 0, constant),
            _ => Assigned::Unrelated,
        },
        None => match between(context, state, value) {
            Some((low, high, by)) => Assigned::Between(low, high, by),
            None => Assigned::Unrelated,
        },
    }
}

/// The middle of two variables that are in order, as searches take it: `low + (high - low) / 2` or `(low + high) / 2`.
/// With the two, and by how much it is at least below the second.
fn between(context: &Context<'_>, state: &State, value: &Expr) -> Option<(VariableId, VariableId, i128)> {
    let divisor = |expr: &Expr| match (&expr.kind, Scalar::of(expr.ty, &context.program.types)) {
        (ExprKind::Integer(bits), Some(Scalar::Integer(shape))) => Some(shape.value(*bits)),
        _ => None,
    };
    let whole = |expr: &Expr| sum(context, state, expr).filter(|sum| sum.constant == 0);
    let (low, high) = match &value.kind {
        ExprKind::Cast(inner) => {
            // The middle lies between two values of the variables, which both types have.
            let (low, high, by) = between(context, state, inner)?;
            let fits = |id: VariableId| {
                let Some(Scalar::Integer(shape)) = Scalar::of(value.ty, &context.program.types) else {
                    return false;
                };
                let around = limits(shape);
                let known = Evaluator::new(context, state).variable(id);
                known.as_ref().and_then(|datum| datum.value.number()).is_some_and(|number| {
                    !is_opaque(shape)
                        && shape.width > 1
                        && number.is_within(&Number::range(around.low, around.high))
                })
            };
            return (fits(low) && fits(high)).then_some((low, high, by));
        }
        ExprKind::Binary(BinaryOp::Add, left, right) => {
            let ExprKind::Binary(BinaryOp::Divide, distance, by) = &right.kind else { return None };
            divisor(by).filter(|&by| by >= 2)?;
            let [(low, 1)] = whole(left)?.terms[..] else { return None };
            match whole(distance)?.terms[..] {
                [(high, 1), (other, -1)] | [(other, -1), (high, 1)] if other == low => (low, high),
                _ => return None,
            }
        }
        ExprKind::Binary(BinaryOp::Divide, both, by) => {
            divisor(by).filter(|&by| by == 2)?;
            let [(one, 1), (two, 1)] = whole(both)?.terms[..] else { return None };
            // Division rounds towards zero, so only what is not negative is between.
            let is_positive = |id: VariableId| {
                let known = Evaluator::new(context, state).variable(id);
                let hull = known.as_ref().and_then(|datum| datum.value.number()).and_then(Number::hull);
                hull.is_some_and(|hull| hull.low >= 0)
            };
            if !is_positive(one) || !is_positive(two) {
                return None;
            }
            let is_in_order = |low: VariableId, high: VariableId| {
                is_at_most_zero(context, state, &Sum { terms: vec![(low, 1), (high, -1)], constant: 0 })
            };
            match () {
                () if is_in_order(one, two) => (one, two),
                () if is_in_order(two, one) => (two, one),
                () => return None,
            }
        }
        _ => return None,
    };
    let below_by = |by: i128| Sum { terms: vec![(low, 1), (high, -1)], constant: by };
    if is_at_most_zero(context, state, &below_by(1)) {
        Some((low, high, 1))
    } else {
        is_at_most_zero(context, state, &below_by(0)).then_some((low, high, 0))
    }
}

/// Applies it, to the state with the relations from before the assignment.
pub fn apply(context: &Context<'_>, state: &mut State, id: VariableId, assigned: &Assigned) {
    match assigned {
        Assigned::Unrelated => forget(context, state, id),
        Assigned::Moved(by) => {
            for &(pack, place) in context.packs.of_variable(id) {
                let Some(octagon) = state.relations.get(pack) else { continue };
                let mut octagon = octagon.clone();
                octagon.shift(place, *by);
                state.relations.set(pack, octagon);
            }
        }
        Assigned::Between(low, high, by) => {
            forget(context, state, id);
            // id >= low, and id <= high - by; a bound that was overwritten says nothing.
            for (other, is_low) in [(*low, true), (*high, false)] {
                let terms = if is_low { vec![(other, 1), (id, -1)] } else { vec![(id, 1), (other, -1)] };
                let sum = Sum { terms, constant: if is_low { 0 } else { *by } };
                // That no state is left cannot be: the middle exists.
                if other != id {
                    constrain(context, state, &sum, 0);
                }
            }
        }
        Assigned::Copied(other, is_negative, by) => {
            forget(context, state, id);
            for (pack, place, from) in context.packs.with_both(id, *other) {
                let members = context.packs.members(pack).len();
                let mut octagon = state.relations.get(pack).cloned().unwrap_or_else(|| Octagon::any(members));
                let own = |is_negative| Term { place, is_negative };
                let source = |is_negative| Term { place: from, is_negative };
                // id - (±other) <= by and the other way round.
                octagon.add_sum_at_most(own(false), source(!is_negative), *by);
                octagon.add_sum_at_most(own(true), source(*is_negative), -by);
                if let Some(closed) = octagon.closed() {
                    state.relations.set(pack, closed);
                }
            }
        }
    }
}

/// After a call: globals may have changed.
pub fn forget_globals(context: &Context<'_>, state: &mut State) {
    for pack in state.relations.packs() {
        for &id in context.packs.members(pack) {
            if context.is_global(id) {
                forget(context, state, id);
            }
        }
    }
}
