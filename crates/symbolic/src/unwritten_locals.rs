//! Variables that may be read before they are written. Outside memory such a variable has any value and nothing tells
//! that it was never given one; in memory a bit beside it does (the module `unwritten`). So whoever asks about such
//! reads puts them there.

use base::{IndexVec, Span};
use program::expr::{Access, ExprPart};
use program::{
    Action, HavocSource, NodeId, Origin, PlaceBase, ProcedureId, Program, VariableId, VariableKind,
};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// The program with all variables in memory that may be read before they are written; nothing if they are there
/// already.
pub fn put_in_memory(program: &Program) -> Option<Program> {
    let outside = |id: VariableId| !crate::meaning::is_in_memory(program, id);
    let of_user = |id: &ProcedureId| program.procedures[*id].origin == Origin::User;
    let found: Vec<VariableId> = program
        .procedures
        .ids()
        .filter(of_user)
        .flat_map(|id| read_unwritten(program, id, &outside).into_keys())
        .collect();
    if found.is_empty() {
        return None;
    }
    let mut moved = program.clone();
    for id in found {
        moved.variables[id].in_memory = true;
    }
    Some(moved)
}

/// The variables, of those that are asked for, that may be read, or have their address taken, before all of them was
/// written; with the first place found.
pub fn read_unwritten(
    program: &Program,
    owner: ProcedureId,
    is_asked: &dyn Fn(VariableId) -> bool,
) -> BTreeMap<VariableId, Span> {
    let Some(body) = &program.procedures[owner].body else { return BTreeMap::new() };
    let is_local = |id: VariableId| {
        let variable = &program.variables[id];
        variable.procedure == Some(owner) && variable.kind == VariableKind::Local && is_asked(id)
    };
    let start: FxHashSet<VariableId> =
        program.procedures[owner].locals.iter().copied().filter(|&id| is_local(id)).collect();
    if start.is_empty() {
        return BTreeMap::new();
    }
    let mut found = BTreeMap::new();
    let mut unwritten: IndexVec<NodeId, Option<FxHashSet<VariableId>>> =
        IndexVec::filled(None, body.nodes.len());
    unwritten[body.entry] = Some(start);
    let mut open = vec![body.entry];
    while let Some(node) = open.pop() {
        let Some(before) = unwritten[node].clone() else { continue };
        for (_, edge) in body.out(node) {
            note_reads(&edge.action, edge.span, &before, &mut found);
            let after = passed(&edge.action, before.clone(), is_asked);
            if joined(&mut unwritten[edge.to], after) {
                open.push(edge.to);
            }
        }
    }
    found
}

fn note_reads(
    action: &Action,
    span: Span,
    unwritten: &FxHashSet<VariableId>,
    found: &mut BTreeMap<VariableId, Span>,
) {
    action.visit(&mut |part| {
        if let ExprPart::Place(place, access) = part
            && let PlaceBase::Variable(id) = place.base
            && access != Access::Write
            && unwritten.contains(&id)
        {
            found.entry(id).or_insert(span);
        }
    });
}

/// What is unwritten after the action.
fn passed(
    action: &Action,
    mut unwritten: FxHashSet<VariableId>,
    is_asked: &dyn Fn(VariableId) -> bool,
) -> FxHashSet<VariableId> {
    match action {
        Action::Havoc { target, source: HavocSource::Indeterminate } => {
            unwritten.extend(target.as_variable().filter(|&id| is_asked(id)));
        }
        Action::Lifetime { variable, .. } => unwritten.extend(Some(*variable).filter(|&id| is_asked(id))),
        Action::Assign { target, .. }
        | Action::Call { result: Some(target), .. }
        | Action::Havoc { target, .. } => {
            if let Some(id) = target.as_variable() {
                unwritten.remove(&id);
            }
        }
        _ => {}
    }
    unwritten
}

/// Joins what is unwritten on another way to a node. Is that news?
fn joined(known: &mut Option<FxHashSet<VariableId>>, state: FxHashSet<VariableId>) -> bool {
    match known {
        None => {
            *known = Some(state);
            true
        }
        Some(known) => {
            let before = known.len();
            known.extend(state);
            known.len() > before
        }
    }
}
