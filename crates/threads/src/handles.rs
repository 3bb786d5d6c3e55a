//! Variables that hold handles of threads (`pthread_t`) and whose address is taken for nothing but to create threads. In the sequential program they lie outside memory, so that
//! proofs see at once which thread is joined.

use crate::shared::known_calls;
use program::expr::{Access, ExprPart};
use program::{ExprKind, Known, PlaceBase, Program, VariableId};
use rustc_hash::FxHashSet;

/// Those variables.
pub fn plain_handles(program: &Program) -> FxHashSet<VariableId> {
    let mut handles = FxHashSet::default();
    let mut taken_otherwise = FxHashSet::default();
    for (id, procedure) in program.procedures.iter_enumerated() {
        let Some(body) = &procedure.body else { continue };
        let creations: FxHashSet<_> = known_calls(program, id)
            .filter(|(_, known, _)| *known == Known::ThreadCreate)
            .map(|(edge, ..)| edge)
            .collect();
        for (edge_id, edge) in body.edges.iter_enumerated() {
            let mut taken: Vec<VariableId> = Vec::new();
            edge.action.visit(&mut |part| {
                if let ExprPart::Place(place, Access::Address) = part
                    && let PlaceBase::Variable(variable) = place.base
                {
                    taken.push(variable);
                }
            });
            let created = creations.contains(&edge_id).then(|| handle_variable(&edge.action)).flatten();
            if let Some(created) = created {
                handles.insert(created);
                let position = taken.iter().position(|&variable| variable == created);
                position.map(|position| taken.swap_remove(position));
            }
            taken_otherwise.extend(taken);
        }
    }
    for initial in program.variables.iter().flat_map(|variable| &variable.initial) {
        if let program::InitialData::Value(value) = &initial.value {
            value.visit(&mut |part| {
                if let ExprPart::Place(place, _) = part
                    && let PlaceBase::Variable(variable) = place.base
                {
                    taken_otherwise.insert(variable);
                }
            });
        }
    }
    let is_plain = |id: &VariableId| {
        let variable = &program.variables[*id];
        !taken_otherwise.contains(id)
            && program.types.integer_shape(variable.ty.id).is_some()
            && !variable.is_thread_local
            && !variable.is_external
            && variable.initial.is_empty()
    };
    handles.retain(is_plain);
    handles
}

/// The variable that a call which creates a thread stores the handle in.
fn handle_variable(action: &program::Action) -> Option<VariableId> {
    let program::Action::Call { arguments, .. } = action else { return None };
    match &crate::cells::uncast(arguments.first()?).kind {
        ExprKind::AddressOf(place) => place.as_variable(),
        _ => None,
    }
}
