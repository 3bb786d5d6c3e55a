//! Variables that only ever get constants: the states of state machines, flags, locks. Guesses only; nothing
//! rests on them.

use program::expr::ExprPart;
use program::{Action, BinaryOp, Callee, Expr, ExprKind, HavocSource, Program, UnaryOp, VariableId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The values a variable may get, as bits of its type; `None` for any.
type Values = Option<BTreeSet<u128>>;

/// The variables outside memory that get constants alone, and no more than so many, with these.
pub fn finite_values(program: &Program, most: usize) -> FxHashMap<VariableId, BTreeSet<u128>> {
    values(program, most, false)
}

/// The variables outside memory that get constants, or are asked about them, with these: no more than so
/// many. What else they get does not count.
pub fn told_apart(program: &Program, most: usize) -> FxHashMap<VariableId, BTreeSet<u128>> {
    values(program, most, true)
}

fn values(program: &Program, most: usize, is_loose: bool) -> FxHashMap<VariableId, BTreeSet<u128>> {
    let mut known: FxHashMap<VariableId, Values> = FxHashMap::default();
    for (id, variable) in program.variables.iter_enumerated() {
        if variable.kind == program::VariableKind::Global {
            let initial = variable.initial.last().and_then(|initial| match &initial.value {
                program::InitialData::Value(value) => value.as_integer(),
                program::InitialData::Bytes(_) => None,
            });
            known.insert(id, Some(BTreeSet::from([initial.unwrap_or(0)])));
        }
    }
    if is_loose {
        add_asked(program, &mut known);
    }
    let note = |known: &mut FxHashMap<VariableId, Values>, id: VariableId, values: Values| match values {
        None if is_loose => false,
        values => add(known, most, id, values),
    };
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for procedure in &program.procedures {
            for edge in procedure.body.iter().flat_map(|body| &body.edges) {
                match &edge.action {
                    Action::Assign { target, value } => {
                        if let Some(id) = target.as_variable() {
                            let values = values_of(program, &known, value);
                            has_changed |= note(&mut known, id, values);
                        }
                    }
                    Action::Havoc { target, source } if *source != HavocSource::Indeterminate => {
                        if let Some(id) = target.as_variable() {
                            has_changed |= note(&mut known, id, None);
                        }
                    }
                    Action::Call { result, callee, arguments } => {
                        if let Some(id) = result.as_ref().and_then(|result| result.as_variable()) {
                            has_changed |= note(&mut known, id, None);
                        }
                        if let Callee::Direct(callee) = callee {
                            let parameters = &program.procedures[*callee].parameters;
                            for (&parameter, argument) in parameters.iter().zip(arguments) {
                                let values = values_of(program, &known, argument);
                                has_changed |= note(&mut known, parameter, values);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    known
        .into_iter()
        .filter_map(|(id, values)| Some((id, values.filter(|values| !values.is_empty())?)))
        .filter(|(id, _)| !symbolic::meaning::is_in_memory(program, *id))
        .collect()
}

/// Adds the constants that variables are compared with.
fn add_asked(program: &Program, known: &mut FxHashMap<VariableId, Values>) {
    for edge in program.procedures.iter().flat_map(|procedure| &procedure.body).flat_map(|body| &body.edges) {
        let Action::Assume { condition, .. } = &edge.action else { continue };
        condition.visit(&mut |part| {
            if let ExprPart::Expr(expr) = part
                && let ExprKind::Binary(BinaryOp::Equal | BinaryOp::NotEqual, left, right) = &expr.kind
                && let (ExprKind::Load(place), ExprKind::Integer(bits)) = (&left.kind, &right.kind)
                && let Some(id) = place.as_variable()
            {
                let own = known.entry(id).or_insert_with(|| Some(BTreeSet::new()));
                own.get_or_insert_default().insert(*bits);
            }
        });
    }
}

fn add(known: &mut FxHashMap<VariableId, Values>, most: usize, id: VariableId, values: Values) -> bool {
    let own = known.entry(id).or_insert_with(|| Some(BTreeSet::new()));
    let before = own.as_ref().map(BTreeSet::len);
    match (own.as_mut(), values) {
        (Some(own), Some(values)) => own.extend(values),
        _ => *own = None,
    }
    if own.as_ref().is_some_and(|own| own.len() > most) {
        *own = None;
    }
    own.as_ref().map(BTreeSet::len) != before
}

fn values_of(program: &Program, known: &FxHashMap<VariableId, Values>, expr: &Expr) -> Values {
    match &expr.kind {
        ExprKind::Integer(bits) => Some(BTreeSet::from([*bits])),
        ExprKind::Unary(UnaryOp::Not, _) => Some(BTreeSet::from([0, 1])),
        ExprKind::Binary(op, ..) if op.is_comparison() => Some(BTreeSet::from([0, 1])),
        ExprKind::Load(place) => match place.as_variable() {
            // What has no value yet adds none.
            Some(id) => known.get(&id).cloned().unwrap_or_else(|| Some(BTreeSet::new())),
            None => None,
        },
        ExprKind::Cast(operand) => {
            let (from, to) =
                (program.types.integer_shape(operand.ty)?, program.types.integer_shape(expr.ty)?);
            let values = values_of(program, known, operand)?;
            Some(values.into_iter().map(|bits| to.truncate(from.value(bits) as u128)).collect())
        }
        _ => None,
    }
}
