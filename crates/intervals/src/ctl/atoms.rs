//! Conditions of formulas in an abstract state: true, false or not known. Arithmetic is that of mathematical integers.

use super::places::FormulaPlace;
use crate::context::Context;
use crate::domain::integers::IntegerSet;
use crate::domain::number::Number;
use crate::domain::operators::{Arithmetic, Overflow, truth_of};
use crate::evaluate::WIDE;
use crate::state::State;
use program::{BinaryOp, Program, UnaryOp, VariableId, VariableKind};
use rustc_hash::FxHashMap;
use spec::cexpr::{CBinary, CExpression, CUnary};
use std::sync::Arc;

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
    pub fn place(&self, expression: &CExpression, program: &Program) -> Result<FormulaPlace, String> {
        FormulaPlace::of(expression, program, &|name| self.variable(name))
    }

    /// What is wrong with a condition, if anything.
    pub fn objection(&self, condition: &CExpression, program: &Program) -> Option<String> {
        match condition {
            CExpression::Integer(_) => None,
            CExpression::Name(name) => match self.variables.get(name) {
                Some(&id) if program.types.integer_shape(program.variables[id].ty.id).is_some() => None,
                Some(_) => Some(format!("`{name}` is not an integer")),
                None if self.constants.contains_key(name) => None,
                None => Some(format!("the program has no global variable `{name}`")),
            },
            CExpression::Unary(CUnary::Dereference, _)
            | CExpression::Member(..)
            | CExpression::Arrow(..)
            | CExpression::Element(..) => match self.place(condition, program) {
                Ok(place) if place.is_integer(&program.types) => None,
                Ok(_) => Some(format!("`{condition}` is not an integer")),
                Err(why) => Some(why),
            },
            CExpression::Unary(CUnary::Address, _) | CExpression::Argument(_) | CExpression::Cast(..) => {
                Some(format!(
                    "`{condition}` is not supported: conditions are over variables, their parts and integers"
                ))
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
        let value = self.value(condition, context, state)?;
        let can_be_other = value.set().ranges().iter().any(|range| range.low != 0 || range.high != 0);
        match (value.contains(0), can_be_other) {
            (true, false) => Some(false),
            (false, true) => Some(true),
            _ => None,
        }
    }

    fn value(&self, expression: &CExpression, context: &Context<'_>, state: &State) -> Option<Number> {
        let arithmetic = Arithmetic { overflow: Overflow::Stops, cap: 16 };
        let truth = |number: &Number| {
            let can_be_other = number.set().ranges().iter().any(|range| range.low != 0 || range.high != 0);
            (number.contains(0), can_be_other)
        };
        match expression {
            CExpression::Integer(value) => Some(Number::only(*value)),
            CExpression::Name(name) if !self.variables.contains_key(name) => {
                self.constants.get(name).map(|&value| Number::only(value))
            }
            CExpression::Name(_)
            | CExpression::Member(..)
            | CExpression::Arrow(..)
            | CExpression::Element(..)
            | CExpression::Unary(CUnary::Dereference, _) => {
                self.place(expression, context.program).ok()?.number(context, state)
            }
            CExpression::Unary(operator, inner) => {
                let inner = self.value(inner, context, state)?;
                match operator {
                    CUnary::Not => Some(arithmetic.unary(UnaryOp::Not, &inner, WIDE).value),
                    CUnary::Minus => {
                        let computed = arithmetic.unary(UnaryOp::Negate, &inner, WIDE);
                        computed.trouble.is_none().then_some(computed.value)
                    }
                    CUnary::Plus => Some(inner),
                    CUnary::Complement => Some(arithmetic.unary(UnaryOp::BitNot, &inner, WIDE).value),
                    CUnary::Dereference | CUnary::Address => None,
                }
            }
            CExpression::Binary(operator, left, right) => {
                let (left, right) = (self.value(left, context, state)?, self.value(right, context, state)?);
                let op = match operator {
                    CBinary::LogicalAnd | CBinary::LogicalOr => {
                        let ((no, yes), (not, also)) = (truth(&left), truth(&right));
                        return Some(if *operator == CBinary::LogicalAnd {
                            truth_of(no || not, yes && also)
                        } else {
                            truth_of(no && not, yes || also)
                        });
                    }
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
                };
                if op.is_comparison() {
                    return Some(arithmetic.compare(op, &left, &right, WIDE));
                }
                let computed = arithmetic.binary(op, &left, &right, WIDE);
                computed.trouble.is_none().then_some(computed.value)
            }
            CExpression::Conditional(condition, then, otherwise) => {
                let (no, yes) = truth(&self.value(condition, context, state)?);
                match (no, yes) {
                    (false, true) => self.value(then, context, state),
                    (true, false) => self.value(otherwise, context, state),
                    _ => {
                        let (one, two) =
                            (self.value(then, context, state)?, self.value(otherwise, context, state)?);
                        Some(one.join(&two, 16))
                    }
                }
            }
            _ => None,
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
        // A boundary lies before the cut. Either side may be the constant, so both boundaries of an order are taken.
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
