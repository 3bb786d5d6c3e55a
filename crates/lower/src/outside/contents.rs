//! What new blocks hold where pointers to outside are read from them: any pointer, as an input at the allocation.

use super::OUTSIDE;
use base::Span;
use program::points_to::ObjectKind;
use program::types::ArrayLength;
use program::{
    Action, Callee, EdgeId, Expr, Graph, HavocSource, Known, Place, PointsTo, ProcedureId, Program,
    Projection, RecordId, RecordKind, Type, TypeId,
};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Elements of an array in a record that are filled.
const MOST_ELEMENTS: u64 = 8;
/// Members of one block that are filled.
const MOST_MEMBERS: usize = 64;

/// Fills the members of what is allocated.
pub(super) fn fill(
    program: &mut Program,
    points_to: &PointsTo,
    procedures: &[ProcedureId],
    members: &FxHashSet<(RecordId, u32)>,
) {
    if members.is_empty() {
        return;
    }
    for &id in procedures {
        let Some(mut graph) = program.procedures[id].body.take() else { continue };
        let edges: Vec<EdgeId> = graph.edges.ids().collect();
        for edge in edges {
            fill_after(program, points_to, (id, edge), &mut graph, members);
        }
        program.procedures[id].body = Some(graph);
    }
}

fn fill_after(
    program: &mut Program,
    points_to: &PointsTo,
    (procedure, edge): (ProcedureId, EdgeId),
    graph: &mut Graph,
    members: &FxHashSet<(RecordId, u32)>,
) {
    let Action::Call { result: Some(result), callee: Callee::Direct(callee), .. } = &graph.edges[edge].action
    else {
        return;
    };
    if program.procedures[*callee].known != Some(Known::Malloc) {
        return;
    }
    let object = points_to.object_of(ObjectKind::Allocation(procedure, edge));
    let Some(ty) = object.and_then(|object| points_to.element_type(object)) else { return };
    let (result, span, to) = (result.clone(), graph.edges[edge].span, graph.edges[edge].to);
    let pointer = program.types.pointer(ty);
    let address = Expr::load(result).cast(pointer);
    let mut found = Vec::new();
    add(program, &Place::pointed_to_by(address, ty), ty, members, &mut found);
    if found.is_empty() {
        return;
    }
    // Between the call and what follows it.
    let mut at = graph.add_node(span);
    graph.nodes[to].into.retain(|&into| into != edge);
    graph.nodes[at].into.push(edge);
    graph.edges[edge].to = at;
    for place in found {
        let text = program.show().place(&place);
        let source = HavocSource::Input(Arc::from(format!("{OUTSIDE}{text}")));
        let next = graph.add_node(span);
        graph.add_edge(at, next, Action::Havoc { target: place, source }, span);
        at = next;
    }
    graph.add_edge(at, to, Action::Skip, Span::NOWHERE);
}

/// The members of a place that are followed.
fn add(
    program: &mut Program,
    place: &Place,
    ty: TypeId,
    members: &FxHashSet<(RecordId, u32)>,
    found: &mut Vec<Place>,
) {
    match program.types.get(ty).clone() {
        Type::Record(id) if program.types.records[id].kind == RecordKind::Struct => {
            let fields = program.types.records[id].fields.clone().unwrap_or_default();
            for (index, field) in fields.iter().enumerate() {
                let mut part = place.clone();
                part.path.push(Projection::Field(id, index as u32));
                part.ty = field.ty.id.into();
                let is_followed = members.contains(&(id, index as u32));
                if program.types.is_pointer(field.ty.id) {
                    if is_followed && found.len() < MOST_MEMBERS {
                        found.push(part);
                    }
                } else {
                    add(program, &part, field.ty.id, members, found);
                }
            }
        }
        Type::Array(element, ArrayLength::Known(length)) if program.types.record_id(element.id).is_some() => {
            let int = program.types.int();
            for index in 0..length.min(MOST_ELEMENTS) {
                let mut part = place.clone();
                let index = Expr::integer(u128::from(index), int, &program.types);
                part.path.push(Projection::Index(Box::new(index)));
                part.ty = element.id.into();
                add(program, &part, element.id, members, found);
            }
        }
        _ => {}
    }
}
