//! Conditions of formulas in an abstract state: true, false or not known.
//!
//! They mean what they mean in C: operands are promoted and brought to a common type (C11 6.3.1.1, 6.3.1.8),
//! and unsigned arithmetic wraps.
//! DIVERGENCE: signed arithmetic is that of mathematical integers where C leaves overflow undefined, and a
//! number is an `int`, or a `long` (then an `unsigned long`) if it does not fit, whatever its base and
//! suffix.
//! Tested by `conditions_compare_as_c_does`.

use super::places::{FormulaPlace, Objection};
use crate::context::Context;
use crate::domain::integers::IntegerSet;
use crate::domain::number::Number;
use crate::domain::operators::{Arithmetic, Overflow, truth_of};
use crate::evaluate::WIDE;
use crate::state::State;
use program::types::IntegerShape;
use program::{BinaryOp, Program, UnaryOp, VariableId, VariableKind};
use rustc_hash::FxHashMap;
use spec::cexpr::{CBinary, CExpression, CUnary};
use std::sync::Arc;

/// Sets are computed with like this; a result that may overflow is not known.
const ARITHMETIC: Arithmetic = Arithmetic { overflow: Overflow::Stops, cap: 16 };
const INT: IntegerShape = IntegerShape { width: 32, signed: true };

/// A value with its C type.
struct Typed {
    number: Number,
    shape: IntegerShape,
}

impl Typed {
    fn truth(number: Number) -> Typed {
        Typed { number, shape: INT }
    }

    /// The value in a type that its own is converted to.
    fn converted(&self, shape: IntegerShape) -> Number {
        if shape.signed { self.number.clone() } else { ARITHMETIC.convert(&self.number, shape) }
    }
}

/// The shape that values of a type are computed in: signed ones in one that nothing overflows.
fn exact(shape: IntegerShape) -> IntegerShape {
    if shape.signed { WIDE } else { shape }
}

/// Can it be zero, and can it be something else?
fn can_be(number: &Number) -> (bool, bool) {
    let can_be_other = number.set().ranges().iter().any(|range| range.low != 0 || range.high != 0);
    (number.contains(0), can_be_other)
}

/// The type of a number.
fn literal(value: i128) -> IntegerShape {
    if i32::try_from(value).is_ok() {
        INT
    } else {
        IntegerShape { width: 64, signed: i64::try_from(value).is_ok() }
    }
}

/// The integer promotions.
fn promoted(shape: IntegerShape) -> IntegerShape {
    if shape.width < INT.width { INT } else { shape }
}

/// The usual arithmetic conversions of promoted types.
fn common(one: IntegerShape, two: IntegerShape) -> IntegerShape {
    match one.width.cmp(&two.width) {
        std::cmp::Ordering::Equal => IntegerShape { width: one.width, signed: one.signed && two.signed },
        std::cmp::Ordering::Less => two,
        std::cmp::Ordering::Greater => one,
    }
}

/// The operation of an operator that is not `&&` or `||`.
fn operation(operator: CBinary) -> BinaryOp {
    match operator {
        CBinary::Or => BinaryOp::BitOr,
        CBinary::Xor => BinaryOp::BitXor,
        CBinary::And => BinaryOp::BitAnd,
        CBinary::Equal => BinaryOp::Equal,
        CBinary::NotEqual => BinaryOp::NotEqual,
        CBinary::Less => BinaryOp::Less,
        CBinary::LessOrEqual => BinaryOp::LessEqual,
        CBinary::Greater => BinaryOp::Greater,
        CBinary::GreaterOrEqual => BinaryOp::GreaterEqual,
        CBinary::ShiftLeft => BinaryOp::ShiftLeft,
        CBinary::ShiftRight => BinaryOp::ShiftRight,
        CBinary::Add => BinaryOp::Add,
        CBinary::Subtract => BinaryOp::Subtract,
        CBinary::Multiply => BinaryOp::Multiply,
        CBinary::Divide => BinaryOp::Divide,
        CBinary::Remainder => BinaryOp::Remainder,
        CBinary::LogicalAnd | CBinary::LogicalOr => unreachable!("these are decided by truth, not computed"),
    }
}

/// What the names of formulas mean.
#[derive(Debug, Default)]
pub struct Names {
    variables: FxHashMap<Arc<str>, VariableId>,
    constants: FxHashMap<Arc<str>, i128>,
}

impl Names {
    /// Global variables, enumeration constants, and variables of `main` that no global hides.
    pub fn of(program: &Program) -> Names {
        let mut names = Names::default();
        for (id, variable) in program.variables.iter_enumerated() {
            let is_of_main = variable.procedure.is_some() && variable.procedure == program.main;
            let is_named =
                matches!(variable.kind, VariableKind::Local | VariableKind::Parameter | VariableKind::Global);
            if is_of_main && is_named {
                names.variables.entry(variable.name.clone()).or_insert(id);
            }
        }
        for (id, variable) in program.variables.iter_enumerated() {
            if variable.kind == VariableKind::Global && variable.procedure.is_none() {
                names.variables.insert(variable.name.clone(), id);
            }
        }
        for constants in program.types.enums.iter().filter_map(|one| one.constants.as_ref()) {
            for (name, value) in constants {
                names.constants.entry(name.clone()).or_insert(*value);
            }
        }
        names
    }

    /// The variable of a name.
    pub fn variable(&self, name: &str) -> Option<VariableId> {
        self.variables.get(name).copied()
    }

    /// The enumeration constant of a name.
    pub fn constant(&self, name: &str) -> Option<i128> {
        self.constants.get(name).copied()
    }

    /// The place of a variable, a member, an element, or of what a pointer points to.
    pub fn place(&self, expression: &CExpression, program: &Program) -> Result<FormulaPlace, Objection> {
        FormulaPlace::of(expression, program, &|name| self.variable(name))
    }

    /// What is wrong with a condition, if anything.
    pub fn objection(&self, condition: &CExpression, program: &Program) -> Option<Objection> {
        match condition {
            CExpression::Integer(_) => None,
            CExpression::Name(name) => match self.variables.get(name) {
                Some(&id) if program.types.integer_shape(program.variables[id].ty.id).is_some() => None,
                Some(_) => Some(Objection::NotAnInteger(name.to_string())),
                None if self.constants.contains_key(name) => None,
                None => Some(Objection::NoVariable(name.to_string())),
            },
            CExpression::Unary(CUnary::Dereference, _)
            | CExpression::Member(..)
            | CExpression::Arrow(..)
            | CExpression::Element(..) => match self.place(condition, program) {
                Ok(place) if place.is_integer(&program.types) => None,
                Ok(_) => Some(Objection::NotAnInteger(condition.to_string())),
                Err(why) => Some(why),
            },
            CExpression::Unary(CUnary::Address, _) | CExpression::Argument(_) | CExpression::Cast(..) => {
                Some(Objection::NotSupported(condition.to_string()))
            }
            CExpression::Unary(_, inner) => self.objection(inner, program),
            CExpression::Binary(_, left, right) => {
                self.objection(left, program).or_else(|| self.objection(right, program))
            }
            CExpression::Conditional(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().find_map(|part| self.objection(part, program))
            }
        }
    }

    /// The condition's truth in a state; `None` if both are possible or it is not known.
    pub fn truth(&self, condition: &CExpression, context: &Context<'_>, state: &State) -> Option<bool> {
        match can_be(&self.value(condition, context, state)?.number) {
            (true, false) => Some(false),
            (false, true) => Some(true),
            _ => None,
        }
    }

    fn value(&self, expression: &CExpression, context: &Context<'_>, state: &State) -> Option<Typed> {
        let truth = |typed: &Typed| can_be(&typed.number);
        match expression {
            CExpression::Integer(value) => {
                Some(Typed { number: Number::only(*value), shape: literal(*value) })
            }
            CExpression::Name(name) if !self.variables.contains_key(name) => {
                let value = *self.constants.get(name)?;
                Some(Typed { number: Number::only(value), shape: literal(value) })
            }
            CExpression::Name(_)
            | CExpression::Member(..)
            | CExpression::Arrow(..)
            | CExpression::Element(..)
            | CExpression::Unary(CUnary::Dereference, _) => {
                let place = self.place(expression, context.program).ok()?;
                let shape = promoted(place.shape(&context.program.types)?);
                Some(Typed { number: place.number(context, state)?, shape })
            }
            CExpression::Unary(operator, inner) => {
                let inner = self.value(inner, context, state)?;
                let op = match operator {
                    CUnary::Not => {
                        let (no, yes) = truth(&inner);
                        return Some(Typed::truth(truth_of(yes, no)));
                    }
                    CUnary::Plus => return Some(inner),
                    CUnary::Minus => UnaryOp::Negate,
                    CUnary::Complement => UnaryOp::BitNot,
                    CUnary::Dereference | CUnary::Address => return None,
                };
                let computed = ARITHMETIC.unary(op, &inner.number, exact(inner.shape));
                computed.trouble.is_none().then_some(Typed { number: computed.value, shape: inner.shape })
            }
            CExpression::Binary(operator, left, right) => {
                let (left, right) = (self.value(left, context, state)?, self.value(right, context, state)?);
                if matches!(operator, CBinary::LogicalAnd | CBinary::LogicalOr) {
                    let ((no, yes), (not, also)) = (truth(&left), truth(&right));
                    return Some(Typed::truth(if *operator == CBinary::LogicalAnd {
                        truth_of(no || not, yes && also)
                    } else {
                        truth_of(no && not, yes || also)
                    }));
                }
                let op = operation(*operator);
                // A shift has its left operand's type.
                let is_shift = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
                let shape = if is_shift { left.shape } else { common(left.shape, right.shape) };
                let one = left.converted(shape);
                let two = if is_shift { right.number } else { right.converted(shape) };
                if op.is_comparison() {
                    return Some(Typed::truth(ARITHMETIC.compare(op, &one, &two, exact(shape))));
                }
                let computed = ARITHMETIC.binary(op, &one, &two, exact(shape));
                computed.trouble.is_none().then_some(Typed { number: computed.value, shape })
            }
            CExpression::Conditional(condition, then, otherwise) => {
                let (no, yes) = truth(&self.value(condition, context, state)?);
                // Both have the common type, whichever is taken.
                let shape = self.shape(expression, context.program)?;
                let of = |part: &CExpression| Some(self.value(part, context, state)?.converted(shape));
                let number = match (no, yes) {
                    (false, true) => of(then)?,
                    (true, false) => of(otherwise)?,
                    _ => of(then)?.join(&of(otherwise)?, ARITHMETIC.cap),
                };
                Some(Typed { number, shape })
            }
            _ => None,
        }
    }

    /// The type of an expression.
    fn shape(&self, expression: &CExpression, program: &Program) -> Option<IntegerShape> {
        let of = |inner: &CExpression| self.shape(inner, program);
        match expression {
            CExpression::Integer(value) => Some(literal(*value)),
            CExpression::Name(name) if !self.variables.contains_key(name) => {
                self.constants.get(name).map(|&value| literal(value))
            }
            CExpression::Unary(CUnary::Not, _)
            | CExpression::Binary(CBinary::LogicalAnd | CBinary::LogicalOr, ..) => Some(INT),
            CExpression::Unary(CUnary::Plus | CUnary::Minus | CUnary::Complement, inner) => of(inner),
            CExpression::Binary(operator, left, right) => match operation(*operator) {
                op if op.is_comparison() => Some(INT),
                BinaryOp::ShiftLeft | BinaryOp::ShiftRight => of(left),
                _ => Some(common(of(left)?, of(right)?)),
            },
            CExpression::Conditional(_, then, otherwise) => Some(common(of(then)?, of(otherwise)?)),
            _ => Some(promoted(self.place(expression, program).ok()?.shape(&program.types)?)),
        }
    }

    /// Does the condition mean the same in mathematical integers? For who asks about it in those.
    pub fn is_mathematical(&self, condition: &CExpression, program: &Program) -> bool {
        self.mathematical(condition, program).is_some()
    }

    /// The type of an expression whose value is that of mathematical integers, and whether it is never
    /// negative.
    fn mathematical(&self, expression: &CExpression, program: &Program) -> Option<(IntegerShape, bool)> {
        let of = |inner: &CExpression| self.mathematical(inner, program);
        match expression {
            CExpression::Integer(value) => Some((literal(*value), *value >= 0)),
            CExpression::Name(name) if !self.variables.contains_key(name) => {
                let value = *self.constants.get(name)?;
                Some((literal(value), value >= 0))
            }
            CExpression::Unary(CUnary::Not, inner) => of(inner).map(|_| (INT, true)),
            CExpression::Unary(CUnary::Plus, inner) => of(inner),
            CExpression::Unary(CUnary::Minus | CUnary::Complement, inner) => {
                of(inner).filter(|(shape, _)| shape.signed).map(|(shape, _)| (shape, false))
            }
            CExpression::Binary(CBinary::LogicalAnd | CBinary::LogicalOr, left, right) => {
                of(left).and(of(right)).map(|_| (INT, true))
            }
            CExpression::Binary(operator, left, right) => {
                let (one, two) = (of(left)?, of(right)?);
                let shape = common(one.0, two.0);
                if operation(*operator).is_comparison() {
                    return (shape.signed || (one.1 && two.1)).then_some((INT, true));
                }
                shape.signed.then_some((shape, false))
            }
            CExpression::Conditional(condition, then, otherwise) => {
                of(condition)?;
                let (one, two) = (of(then)?, of(otherwise)?);
                let shape = common(one.0, two.0);
                (shape.signed || (one.1 && two.1)).then_some((shape, one.1 && two.1))
            }
            _ => {
                let shape = self.place(expression, program).ok()?.shape(&program.types)?;
                Some((promoted(shape), !shape.signed))
            }
        }
    }

    /// The variables and the values at which the condition may change, for splitting inputs.
    pub fn cuts(&self, condition: &CExpression, cuts: &mut Vec<(VariableId, i128)>) {
        match condition {
            CExpression::Binary(operator, left, right) => {
                self.cuts(left, cuts);
                self.cuts(right, cuts);
                for (side, other) in [(left, right), (right, left)] {
                    let Some(value) = other.constant() else { continue };
                    let mut names = Vec::new();
                    variables_in(side, self, &mut names);
                    for id in names {
                        cuts.extend(cuts_of(*operator, value).into_iter().map(|cut| (id, cut)));
                    }
                }
            }
            CExpression::Unary(_, inner) => self.cuts(inner, cuts),
            CExpression::Name(name) => {
                if let Some(&id) = self.variables.get(name) {
                    cuts.extend([(id, 0), (id, 1)]);
                }
            }
            CExpression::Conditional(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().for_each(|part| self.cuts(part, cuts));
            }
            _ => {}
        }
    }
}

fn cuts_of(operator: CBinary, value: i128) -> Vec<i128> {
    match operator {
        // A boundary lies before the cut. Either side may be the constant, so both boundaries of an order are
        // taken.
        CBinary::Less | CBinary::LessOrEqual | CBinary::Greater | CBinary::GreaterOrEqual => {
            vec![value, value.saturating_add(1)]
        }
        CBinary::Equal | CBinary::NotEqual => vec![value, value.saturating_add(1)],
        _ => Vec::new(),
    }
}

fn variables_in(expression: &CExpression, names: &Names, found: &mut Vec<VariableId>) {
    match expression {
        CExpression::Name(name) => found.extend(names.variables.get(name)),
        CExpression::Unary(_, inner)
        | CExpression::Member(inner, _)
        | CExpression::Arrow(inner, _)
        | CExpression::Element(inner, _) => variables_in(inner, names, found),
        CExpression::Binary(_, left, right) => {
            variables_in(left, names, found);
            variables_in(right, names, found);
        }
        _ => {}
    }
}

/// A set split before each of the cuts.
pub fn split(number: &Number, cuts: &[i128]) -> Vec<Number> {
    let mut parts = Vec::new();
    let mut low = i128::MIN;
    for &cut in cuts {
        if cut > low {
            parts.push(number.meet_set(&IntegerSet::range(low, cut - 1)));
            low = cut;
        }
    }
    parts.push(number.meet_set(&IntegerSet::range(low, i128::MAX)));
    parts.retain(|part| !part.is_empty());
    parts
}
