//! Variables that keep their first values for ever, and which these are.

use super::memory::Selector;
use program::{Expr, ExprKind, InitialData, Projection, Type, TypeTable, Variable, VariableKind};

/// Does it have its first value for ever?
pub(super) fn never_changes(types: &TypeTable, variable: &Variable) -> bool {
    let mut ty = variable.ty;
    loop {
        if ty.qualifiers.is_const || variable.kind == VariableKind::StringLiteral {
            return !variable.is_external && !ty.qualifiers.is_volatile;
        }
        match types.get(ty.id) {
            Type::Array(element, _) => ty = *element,
            _ => return false,
        }
    }
}

/// The first value of an integer in a variable with static storage, where its initialiser tells it plainly.
pub(super) fn first_value(
    memory: &super::memory::Memory,
    variable: &Variable,
    path: &[Selector],
) -> Option<u128> {
    let mut found = 0;
    for initial in &variable.initial {
        let given = &initial.place.path;
        let is_same = |(step, own): (&Projection, &Selector)| match (step, own) {
            (Projection::Field(record, index), Selector::Field(own, at)) => {
                memory.own_record(*record) == *own && index == at
            }
            (Projection::Index(index), Selector::Index(at)) => index.as_integer() == Some(u128::from(*at)),
            _ => false,
        };
        if given.len() > path.len() || !given.iter().zip(path).all(is_same) {
            continue;
        }
        found = match (&initial.value, &path[given.len()..]) {
            (InitialData::Value(value), []) => value.as_integer()?,
            (InitialData::Value(Expr { kind: ExprKind::Zero, .. }), _) => 0,
            (InitialData::Bytes(bytes), [Selector::Index(at)]) => {
                u128::from(bytes.get(*at as usize).copied().unwrap_or(0))
            }
            _ => return None,
        };
    }
    Some(found)
}
