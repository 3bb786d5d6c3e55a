//! What proofs of the engines do not cover: they take values that were never written for any value, and know nothing of blocks that were allocated
//! before a loop. Where such a check is asked and a simple look at the program does not settle it, there is no proof.

use crate::checks::Check;
use crate::property::Property;
use base::{IndexVec, Span};
use program::expr::{Access, Part};
use program::{
    Action, Callee, Graph, HavocSource, Known, NodeId, Origin, PlaceBase, PointsTo, ProcedureId, Program,
    Type, VariableId, VariableKind,
};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use verdict::{Reason, Undecided};

/// Why a proof says nothing of a program that looks at `errno`: models and engines leave it as it is where the real function may set it.
pub fn error_numbers(program: &Program, points_to: &PointsTo) -> Option<Undecided> {
    let (mut looks, mut sets) = (None, None);
    for id in reached(program, points_to) {
        let procedure = &program.procedures[id];
        if procedure.origin != Origin::User {
            continue;
        }
        for edge in procedure.body.iter().flat_map(|body| &body.edges) {
            let Action::Call { callee: Callee::Direct(callee), .. } = &edge.action else { continue };
            let callee = &program.procedures[*callee];
            if callee.origin == Origin::User {
                continue;
            }
            let is_library = callee.known.is_some_and(|known| !known.never_returns() && !known.is_marker());
            if &*callee.name == "__errno_location" {
                looks = looks.or(Some(edge.span));
            } else if is_library || program::may_set_error_number(&callee.name) {
                sets = sets.or_else(|| Some(callee.name.clone()));
            }
        }
    }
    let (at, name) = (looks?, sets?);
    let construct = format!("`errno`, which `{name}` may have set");
    Some(Undecided::because(Reason::NotSupported { construct, at }))
}

/// Which reads a look at the program has to exclude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// All of them.
    All,
    /// Those of variables outside memory: the search follows what was written in memory.
    OutsideMemory,
}

/// Why a proof does not show that no value is read before it is written, if that is asked.
pub fn uninitialised_reads(
    program: &Program,
    points_to: &PointsTo,
    property: &Property,
    reads: Reads,
) -> Option<Undecided> {
    if !property.checks.has(Check::Uninitialised) {
        return None;
    }
    let open = |what: String, at: Span| {
        let construct = format!("excluding reads of what was never written where {what}");
        let undecided = Undecided::because(Reason::NotSupported { construct, at });
        Some(undecided.try_next(
            "give the variable a value where it is declared, or leave out the check `uninitialised`",
        ))
    };
    for id in reached(program, points_to) {
        let procedure = &program.procedures[id];
        if procedure.origin != Origin::User {
            continue;
        }
        let Some(body) = &procedure.body else { continue };
        if let Some((variable, span)) = read_unwritten(program, id, body, reads) {
            return open(format!("`{}` may be read so", program.variables[variable].name), span);
        }
        let gives_value = !matches!(program.types.get(program.result_type(id).id), Type::Void);
        for edge in &body.edges {
            match &edge.action {
                Action::Return { value: None } if gives_value && Some(id) != program.main => {
                    return open(format!("`{}` may return without a value", procedure.name), edge.span);
                }
                Action::Call { callee: Callee::Direct(callee), .. } if reads == Reads::All => {
                    let callee = &program.procedures[*callee];
                    if let Some(
                        Known::Malloc
                        | Known::Realloc
                        | Known::AlignedAlloc
                        | Known::Alloca
                        | Known::PosixMemalign,
                    ) = callee.known
                    {
                        return open(format!("memory comes from `{}`", callee.name), edge.span);
                    }
                }
                _ => {}
            }
        }
    }
    None
}

/// Does the program allocate blocks that it should free?
pub fn allocates(program: &Program, points_to: &PointsTo) -> bool {
    use Known::*;
    reached(program, points_to).into_iter().any(|id| {
        let known = program.procedures[id].known;
        matches!(known, Some(Malloc | Calloc | Realloc | AlignedAlloc | PosixMemalign))
    })
}

/// The procedures that runs may call, in order.
fn reached(program: &Program, points_to: &PointsTo) -> BTreeSet<ProcedureId> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<ProcedureId> = program.main.into_iter().collect();
    while let Some(next) = open.pop() {
        if seen.insert(next) {
            open.extend(points_to.callees(program, next));
        }
    }
    seen
}

/// A variable that may be read, or have its address taken, before all of it was written.
fn read_unwritten(
    program: &Program,
    owner: ProcedureId,
    body: &Graph,
    reads: Reads,
) -> Option<(VariableId, Span)> {
    let is_asked = |id: &VariableId| reads == Reads::All || !symbolic::meaning::is_in_memory(program, *id);
    let is_local = |id: VariableId| {
        let variable = &program.variables[id];
        variable.procedure == Some(owner) && variable.kind == VariableKind::Local && is_asked(&id)
    };
    let start: FxHashSet<VariableId> =
        program.procedures[owner].locals.iter().copied().filter(|&id| is_local(id)).collect();
    let mut unwritten: IndexVec<NodeId, Option<FxHashSet<VariableId>>> =
        IndexVec::filled(None, body.nodes.len());
    unwritten[body.entry] = Some(start);
    let mut open = vec![body.entry];
    while let Some(node) = open.pop() {
        for (_, edge) in body.out(node) {
            let mut state = unwritten[node].clone().expect("a node on the list was reached");
            let mut found = None;
            edge.action.visit(&mut |part| {
                if let Part::Place(place, access) = part
                    && let PlaceBase::Variable(id) = place.base
                    && access != Access::Write
                    && state.contains(&id)
                {
                    found = Some(id);
                }
            });
            if let Some(id) = found {
                return Some((id, edge.span));
            }
            let written = match &edge.action {
                Action::Assign { target, .. } | Action::Call { result: Some(target), .. } => {
                    target.as_variable()
                }
                Action::Havoc { target, source } => {
                    if *source == HavocSource::Indeterminate {
                        state.extend(target.as_variable().filter(is_asked));
                        None
                    } else {
                        target.as_variable()
                    }
                }
                Action::Lifetime { variable, .. } => {
                    state.extend(Some(*variable).filter(is_asked));
                    None
                }
                _ => None,
            };
            if let Some(id) = written {
                state.remove(&id);
            }
            let known = &mut unwritten[edge.to];
            let is_new = match known {
                None => {
                    *known = Some(state);
                    true
                }
                Some(known) => {
                    let before = known.len();
                    known.extend(state);
                    known.len() > before
                }
            };
            if is_new {
                open.push(edge.to);
            }
        }
    }
    None
}
