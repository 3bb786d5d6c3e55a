//! Places that formulas name: variables, members, elements at fixed indices, and what pointers point to.

use crate::cells::ObjectKind;
use crate::context::Context;
use crate::domain::number::Number;
use crate::domain::pointers::Pointers;
use crate::domain::value::{Scalar, Value};
use crate::evaluate::Evaluator;
use crate::state::State;
use program::types::ArrayLength;
use program::{Program, Type, TypeId, TypeTable, VariableId};
use spec::cexpr::{CExpression, CUnary};

/// What is wrong with an expression of a formula, which is given as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Objection {
    /// The program has no global variable of this name.
    NoVariable(String),
    /// The value is none that conditions can be about.
    NotAnInteger(String),
    /// Elements are named by constants only.
    IndexNotConstant(String),
    /// What is indexed is no array.
    NotAnArray(String),
    /// The index lies outside the array.
    NotAnElement(String),
    /// The structure, of the whole expression, has no such member.
    NoMember(String, String),
    /// What is followed is no pointer.
    NotAPointer(String),
    /// It names nothing that is stored.
    NotAPlace(String),
    /// It has no meaning in conditions.
    NotSupported(String),
}

impl std::fmt::Display for Objection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use Objection::*;
        match self {
            NoVariable(name) => write!(f, "the program has no global variable `{name}`"),
            NotAnInteger(text) => write!(f, "`{text}` is not an integer"),
            IndexNotConstant(text) => write!(f, "`{text}`: the index must be a constant"),
            NotAnArray(text) => write!(f, "`{text}` is not an array"),
            NotAnElement(text) => write!(f, "`{text}` is not an element of the array"),
            NoMember(text, name) => write!(f, "`{text}`: there is no member `{name}`"),
            NotAPointer(text) => write!(f, "`{text}` is not a pointer"),
            NotAPlace(text) => write!(f, "`{text}` is not a variable, a member or an element"),
            NotSupported(text) => {
                write!(
                    f,
                    "`{text}` is not supported: conditions are over variables, their parts and integers"
                )
            }
        }
    }
}

/// A place of a fixed type.
#[derive(Clone, Debug)]
pub struct FormulaPlace {
    base: Base,
    /// Bytes from the base.
    offset: u64,
    ty: TypeId,
    is_bit_field: bool,
}

#[derive(Clone, Debug)]
enum Base {
    Variable(VariableId),
    /// What the pointer at that place points to.
    Pointed(Box<FormulaPlace>),
}

impl FormulaPlace {
    /// A whole variable.
    pub fn variable(id: VariableId, program: &Program) -> FormulaPlace {
        let ty = program.variables[id].ty.id;
        FormulaPlace { base: Base::Variable(id), offset: 0, ty, is_bit_field: false }
    }

    /// The place an expression names; what is wrong with it otherwise.
    pub fn of(
        expression: &CExpression,
        program: &Program,
        variable: &dyn Fn(&str) -> Option<VariableId>,
    ) -> Result<FormulaPlace, Objection> {
        let types = &program.types;
        match expression {
            CExpression::Name(name) => {
                let id = variable(name).ok_or_else(|| Objection::NoVariable(name.to_string()))?;
                Ok(Self::variable(id, program))
            }
            CExpression::Member(whole, field) => {
                Self::of(whole, program, variable)?.member(field, types, expression)
            }
            CExpression::Arrow(pointer, field) => Self::of(pointer, program, variable)?
                .pointed(types, pointer)?
                .member(field, types, expression),
            CExpression::Unary(CUnary::Dereference, pointer) => {
                Self::of(pointer, program, variable)?.pointed(types, pointer)
            }
            CExpression::Element(array, index) => {
                let place = Self::of(array, program, variable)?;
                let Some(index) = index.constant() else {
                    return Err(Objection::IndexNotConstant(expression.to_string()));
                };
                let Type::Array(element, length) = types.get(place.ty) else {
                    return Err(Objection::NotAnArray(array.to_string()));
                };
                let is_inside =
                    matches!(length, ArrayLength::Known(count) if (0..i128::from(*count)).contains(&index));
                let size = types.size_of(element.id).filter(|_| is_inside && !place.is_bit_field);
                let Some(size) = size else {
                    return Err(Objection::NotAnElement(expression.to_string()));
                };
                Ok(FormulaPlace { offset: place.offset + index as u64 * size, ty: element.id, ..place })
            }
            _ => Err(Objection::NotAPlace(expression.to_string())),
        }
    }

    fn member(self, name: &str, types: &TypeTable, whole: &CExpression) -> Result<FormulaPlace, Objection> {
        find_member(self.ty, name, types)
            .map(|(offset, ty, is_bit_field)| FormulaPlace {
                offset: self.offset + offset,
                ty,
                is_bit_field,
                ..self
            })
            .ok_or_else(|| Objection::NoMember(whole.to_string(), name.to_owned()))
    }

    fn pointed(self, types: &TypeTable, pointer: &CExpression) -> Result<FormulaPlace, Objection> {
        let to = types.pointee(self.ty).ok_or_else(|| Objection::NotAPointer(pointer.to_string()))?;
        Ok(FormulaPlace { base: Base::Pointed(Box::new(self)), offset: 0, ty: to.id, is_bit_field: false })
    }

    /// Is it an integer, so that conditions can be about it?
    pub fn is_integer(&self, types: &TypeTable) -> bool {
        types.integer_shape(self.ty).is_some()
    }

    /// How its integers are represented.
    pub fn shape(&self, types: &TypeTable) -> Option<program::types::IntegerShape> {
        types.integer_shape(self.ty)
    }

    /// What it can hold in a state; `None` where that is not known, or the place may not exist.
    pub fn number(&self, context: &Context<'_>, state: &State) -> Option<Number> {
        match self.value(context, state)? {
            Value::Integer(number) => Some(number),
            _ => None,
        }
    }

    fn value(&self, context: &Context<'_>, state: &State) -> Option<Value> {
        let types = &context.program.types;
        let mut evaluator = Evaluator::new(context, state);
        if let Base::Variable(id) = self.base
            && context.is_plain(id)
        {
            return evaluator.variable(id).map(|datum| datum.value);
        }
        if self.is_bit_field {
            return None;
        }
        let (scalar, size) = (Scalar::of(self.ty, types)?, types.size_of(self.ty)?);
        let targets = match &self.base {
            Base::Variable(id) => Pointers::to(context.object_of(*id), Number::only(i128::from(self.offset))),
            Base::Pointed(pointer) => match pointer.value(context, state)? {
                Value::Pointer(pointers) if !pointers.can_be_null && !pointers.can_be_anything => {
                    let arithmetic = &context.arithmetic;
                    let moved = |offset: &Number| {
                        let by = Number::only(i128::from(self.offset));
                        arithmetic.binary(program::BinaryOp::Add, offset, &by, crate::evaluate::WIDE).value
                    };
                    let moved = pointers.moved(moved, false);
                    // Outside the object, or when it is gone, there is nothing to speak about.
                    let cells = context.cells.borrow();
                    let is_inside = moved.targets().iter().all(|(object, offset)| {
                        if !lives_on(cells.get(*object).kind, context) {
                            return false;
                        }
                        let (Some(hull), Some(room)) = (offset.hull(), cells.get(*object).size) else {
                            return false;
                        };
                        hull.low >= 0 && hull.high.saturating_add(i128::from(size)) <= i128::from(room)
                    });
                    if !is_inside || moved.targets().is_empty() {
                        return None;
                    }
                    moved
                }
                _ => return None,
            },
        };
        evaluator.read(&targets, size, scalar).map(|datum| datum.value)
    }
}

/// Does an object, once there, stay until the program ends?
fn lives_on(kind: ObjectKind, context: &Context<'_>) -> bool {
    match kind {
        ObjectKind::Variable(id) => {
            let procedure = context.program.variables[id].procedure;
            context.is_global(id) || (procedure.is_some() && procedure == context.program.main)
        }
        ObjectKind::Allocation(..) => !context.can_free,
        ObjectKind::Procedure(_) => false,
    }
}

/// Where a member lies, also in members without a name; its type; whether it is a bit-field.
fn find_member(ty: TypeId, name: &str, types: &TypeTable) -> Option<(u64, TypeId, bool)> {
    let Type::Record(id) = types.get(ty) else { return None };
    let record = &types.records[*id];
    let (fields, layout) = (record.fields.as_ref()?, record.layout.as_ref()?);
    fields.iter().zip(&layout.fields).find_map(|(field, place)| match &field.name {
        Some(own) if **own == *name => Some((place.byte_offset(), field.ty.id, field.bit_width.is_some())),
        Some(_) => None,
        None => find_member(field.ty.id, name, types)
            .map(|(offset, ty, is_bit_field)| (place.byte_offset() + offset, ty, is_bit_field)),
    })
}
