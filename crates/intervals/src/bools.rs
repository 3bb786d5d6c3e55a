//! Can a `_Bool` hold a byte that is neither 0 nor 1? Only where the program looks at its byte as something
//! else: reading such a byte as a `_Bool` is undefined (C11 6.2.6.1p5; gcc goes on with whatever the byte
//! is).
//!
//! The answer is for the whole program and may be "yes" too often: then a `_Bool` in memory about which
//! nothing is known is one that may be such. It must not be "no" where a byte can get there. Tested by
//! `bytes_that_are_no_bool_are_found`.

use crate::library::uncast;
use program::expr::ExprPart;
use program::types::ArrayLength;
use program::{
    Action, Callee, Expr, ExprKind, Known, Program, RecordKind, Type, TypeId, TypeTable, VariableId,
};
use rustc_hash::FxHashSet;

/// Is a `_Bool` somewhere accessed as something else?
pub fn may_be_odd(program: &Program) -> bool {
    let types = &program.types;
    let is_shared = |record: &program::types::Record| {
        record.kind == RecordKind::Union
            && record.fields.as_ref().is_some_and(|fields| {
                fields.len() > 1 && fields.iter().any(|field| has_bool(field.ty.id, types))
            })
    };
    if types.records.iter().any(is_shared) {
        return true;
    }
    let fresh = allocated(program);
    let mut is_odd = false;
    let mut look = |part: ExprPart<'_>| {
        if let ExprPart::Expr(Expr { kind: ExprKind::Cast(operand), ty }) = part {
            is_odd |= changes_view(operand, *ty, types, &fresh);
        }
    };
    let bodies = program.procedures.iter().filter(|procedure| procedure.origin == program::Origin::User);
    for edge in bodies.flat_map(|procedure| &procedure.body).flat_map(|body| &body.edges) {
        match &edge.action {
            Action::Call { callee: Callee::Direct(callee), arguments, .. }
                if program.procedures[*callee].is_native() =>
            {
                let known = program.procedures[*callee].known;
                if !keeps_bools(known, arguments, types) {
                    return true;
                }
                arguments.iter().for_each(|argument| uncast(argument).visit(&mut look));
            }
            action => action.visit(&mut look),
        }
    }
    program.visit_initial(&mut look);
    is_odd
}

/// Does a call with a built-in meaning leave only zeros and ones in what is a `_Bool`?
fn keeps_bools(known: Option<Known>, arguments: &[Expr], types: &TypeTable) -> bool {
    let points_to_bool =
        |argument: &Expr| types.pointee(uncast(argument).ty).is_some_and(|to| has_bool(to.id, types));
    match known {
        Some(Known::MemoryCopy | Known::MemoryMove) => {
            let [to, from, ..] = arguments else { return false };
            points_to_bool(to) == points_to_bool(from)
        }
        Some(Known::MemorySet) => {
            let [to, value, ..] = arguments else { return false };
            !points_to_bool(to) || matches!(uncast(value).as_integer(), Some(0 | 1))
        }
        Some(Known::Free | Known::Realloc) => true,
        _ => !arguments.iter().any(points_to_bool),
    }
}

/// Variables that get what is allocated, and so hold no bytes of another type.
fn allocated(program: &Program) -> FxHashSet<VariableId> {
    use Known::{AlignedAlloc, Alloca, Calloc, Malloc, Realloc};
    let found = program.edges().filter_map(|edge| match &edge.action {
        Action::Call { callee: Callee::Direct(callee), result: Some(result), .. } => {
            let known = program.procedures[*callee].known;
            let is_fresh = matches!(known, Some(Malloc | Calloc | Realloc | Alloca | AlignedAlloc));
            result
                .as_variable()
                .filter(|&id| is_fresh && program.variables[id].kind == program::VariableKind::Temporary)
        }
        _ => None,
    });
    found.collect()
}

/// Is what was a `_Bool` seen as something else after the conversion, or the other way round?
fn changes_view(operand: &Expr, to: TypeId, types: &TypeTable, fresh: &FxHashSet<VariableId>) -> bool {
    let view = |ty: TypeId| types.pointee(ty).map(|to| has_bool(to.id, types));
    let is_fresh = || matches!(&operand.kind, ExprKind::Load(place) if place.as_variable().is_some_and(|id| fresh.contains(&id)));
    let is_null = uncast(operand).as_integer() == Some(0);
    if matches!(types.get(to), Type::Bool) {
        return false;
    }
    match (view(operand.ty), view(to)) {
        (Some(true), Some(true)) => {
            types.pointee(operand.ty).map(|to| to.id) != types.pointee(to).map(|to| to.id)
        }
        (Some(true), _) => true,
        (_, Some(true)) => !is_fresh() && !is_null,
        _ => false,
    }
}

/// Is there a `_Bool` in an object of the type?
fn has_bool(ty: TypeId, types: &TypeTable) -> bool {
    match types.get(ty) {
        Type::Bool => true,
        Type::Array(_, ArrayLength::Known(0)) => false,
        Type::Array(element, _) => has_bool(element.id, types),
        Type::Record(id) => {
            let fields = types.records[*id].fields.as_ref();
            fields.is_some_and(|fields| fields.iter().any(|field| has_bool(field.ty.id, types)))
        }
        _ => false,
    }
}
