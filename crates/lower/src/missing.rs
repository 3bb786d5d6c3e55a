//! What functions without a body may write (`--missing nondet`), where a name can be given to it: after each call,
//! static variables that other files can see, and what the call is given the address of, get any value, as inputs that
//! a run shows and that can be replayed.
//!
//! Engines forget, at the call itself, all else that such a function can get at ([`program::Program::missing_writes`]).

use crate::link::Linker;
use crate::{finish, library};
use base::Span;
use csource::types::{ArrayLength, Type, TypeRef};
use program::{
    Action, AssumeReason, Callee, EdgeId, Expr, ExprKind, Graph, HavocSource, Place, PlaceBase, ProcedureId,
    Projection, RecordKind, VariableId, VariableKind,
};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Scalars of one object that get names.
const MOST_SCALARS: usize = 64;

/// Adds the writes. Says whether there is such a function.
pub fn may_write(linker: &mut Linker, entry: Option<&program::Entry>) -> bool {
    let mut missing: Vec<ProcedureId> = library::mentioned_procedures(linker).into_iter().collect();
    missing.retain(|&id| {
        let procedure = &linker.procedures[id];
        procedure.body.is_none() && procedure.known.is_none()
    });
    if missing.is_empty() {
        return false;
    }
    let visible = visible(linker, entry);
    for &id in &visible {
        // What it points to can be got at through it: only objects in memory are followed so.
        if linker.session.types.is_pointer(linker.variables[id].ty.id) {
            linker.variables[id].in_memory = true;
        }
    }
    let missing: FxHashSet<ProcedureId> = missing.into_iter().collect();
    let ids: Vec<ProcedureId> = linker.procedures.ids().collect();
    for id in ids {
        let Some(mut graph) = linker.procedures[id].body.take() else { continue };
        let edges: Vec<EdgeId> = graph.edges.ids().collect();
        for edge in edges {
            write_after(linker, id, &mut graph, edge, &missing, &visible);
        }
        linker.procedures[id].body = Some(graph);
    }
    true
}

/// Static variables that other files can see, and objects that come from there; not constants.
pub fn visible(linker: &Linker, entry: Option<&program::Entry>) -> Vec<VariableId> {
    let mut all = linker.visible_variables();
    all.extend(entry.into_iter().flat_map(|entry| &entry.objects).copied());
    all.extend(behind_constants(linker, &all));
    // Any function may set it.
    all.extend(
        linker.variables.iter_enumerated().filter(|(_, variable)| is_errno(variable)).map(|(id, _)| id),
    );
    all.retain(|&id| {
        !linker.session.types.is_constant(linker.variables[id].ty)
            && !finish::STREAMS.contains(&&*linker.variables[id].name)
    });
    all.sort_unstable();
    all.dedup();
    all
}

fn is_errno(variable: &program::Variable) -> bool {
    &*variable.name == "errno" && variable.is_thread_local && variable.kind == VariableKind::Global
}

/// What constants among the variables point to, and what constants there point to.
fn behind_constants(linker: &Linker, visible: &[VariableId]) -> Vec<VariableId> {
    let mut found: Vec<VariableId> = Vec::new();
    let mut open: Vec<VariableId> = visible.to_vec();
    while let Some(id) = open.pop() {
        let variable = &linker.variables[id];
        if !linker.session.types.is_constant(variable.ty) {
            continue;
        }
        for initial in &variable.initial {
            let program::InitialData::Value(value) = &initial.value else { continue };
            value.visit(&mut |part| {
                if let program::expr::ExprPart::Place(Place { base: PlaceBase::Variable(to), .. }, _) = part
                    && linker.variables[*to].kind == VariableKind::Global
                    && !found.contains(to)
                    && !visible.contains(to)
                {
                    found.push(*to);
                    open.push(*to);
                }
            });
        }
    }
    found
}

fn write_after(
    linker: &mut Linker,
    procedure: ProcedureId,
    graph: &mut Graph,
    edge: EdgeId,
    missing: &FxHashSet<ProcedureId>,
    visible: &[VariableId],
) {
    let Action::Call { callee: Callee::Direct(callee), arguments, .. } = &graph.edges[edge].action else {
        return;
    };
    if !missing.contains(callee) {
        return;
    }
    let name = linker.procedures[*callee].name.clone();
    let mut places: Vec<(Place, String)> = Vec::new();
    for &id in visible {
        let variable = &linker.variables[id];
        let place = Place::variable(id, TypeRef { id: variable.ty.id, qualifiers: Default::default() });
        add_scalars(linker, place, variable.name.to_string(), &mut places);
    }
    for argument in arguments {
        if let Some((place, text)) = addressed(linker, argument)
            && place_variable(&place).is_none_or(|id| !visible.contains(&id))
        {
            add_scalars(linker, place, text, &mut places);
        }
    }
    if places.is_empty() {
        return;
    }
    let (to, span) = (graph.edges[edge].to, graph.edges[edge].span);
    let mut at = graph.add_node(span);
    graph.nodes[to].into.retain(|&into| into != edge);
    graph.nodes[at].into.push(edge);
    graph.edges[edge].to = at;
    for (place, text) in places {
        let source = |text: String| HavocSource::Input(Arc::from(text));
        let is_pointer = linker.session.types.is_pointer(place.ty.id);
        if is_pointer {
            at = choose(linker, procedure, graph, at, place, &format!("{name}() changes {text}"), span);
        } else {
            let next = graph.add_node(span);
            let action = Action::Havoc { target: place, source: source(format!("{name}(): {text}")) };
            graph.add_edge(at, next, action, span);
            at = next;
        }
    }
    graph.add_edge(at, to, Action::Skip, span);
}

/// A pointer stays or gets an unknown value: an input cannot name what it then points to.
fn choose(
    linker: &mut Linker,
    procedure: ProcedureId,
    graph: &mut Graph,
    at: program::NodeId,
    place: Place,
    name: &str,
    span: Span,
) -> program::NodeId {
    let bool_type = linker.session.types.bool();
    let choice = finish::new_temporary(linker, procedure, bool_type, span);
    let chosen = Place::variable(choice, bool_type);
    let (asked, changes, after) = (graph.add_node(span), graph.add_node(span), graph.add_node(span));
    let source = HavocSource::Input(Arc::from(name));
    graph.add_edge(at, asked, Action::Havoc { target: chosen.clone(), source: source.clone() }, span);
    let condition = Expr::load(chosen);
    let reason = AssumeReason::Branch;
    graph.add_edge(
        asked,
        changes,
        Action::Assume { condition: condition.clone(), expected: true, reason },
        span,
    );
    graph.add_edge(asked, after, Action::Assume { condition, expected: false, reason }, span);
    graph.add_edge(changes, after, Action::Havoc { target: place, source }, span);
    after
}

fn place_variable(place: &Place) -> Option<VariableId> {
    match place.base {
        PlaceBase::Variable(id) => Some(id),
        PlaceBase::Pointer(_) => None,
    }
}

/// The object whose address the argument is, if that is written there.
fn addressed(linker: &Linker, argument: &Expr) -> Option<(Place, String)> {
    match &argument.kind {
        ExprKind::Cast(inner) if linker.session.types.is_pointer(inner.ty) => addressed(linker, inner),
        ExprKind::AddressOf(place) => {
            let id = place_variable(place)?;
            let variable = &linker.variables[id];
            let is_data =
                matches!(variable.kind, VariableKind::Global | VariableKind::Local | VariableKind::Parameter);
            if !is_data || linker.session.types.is_constant(variable.ty) {
                return None;
            }
            let ty = TypeRef { id: variable.ty.id, qualifiers: Default::default() };
            Some((Place::variable(id, ty), variable.name.to_string()))
        }
        _ => None,
    }
}

fn add_scalars(linker: &Linker, place: Place, text: String, places: &mut Vec<(Place, String)>) {
    let mut found = Vec::new();
    if scalars(linker, place, text, &mut found).is_some() {
        places.extend(found);
    }
}

fn scalars(linker: &Linker, place: Place, text: String, found: &mut Vec<(Place, String)>) -> Option<()> {
    let types = &linker.session.types;
    match types.get(place.ty.id) {
        Type::Array(element, ArrayLength::Known(length)) => {
            let size = types.find(&Type::Integer(match types.model() {
                program::DataModel::Lp64 => program::IntegerKind::UnsignedLong,
                program::DataModel::Ilp32 => program::IntegerKind::UnsignedInt,
            }))?;
            for index in 0..*length {
                let mut part = place.clone();
                part.path.push(Projection::Index(Box::new(Expr::integer(u128::from(index), size, types))));
                part.ty = element.id.into();
                scalars(linker, part, format!("{text}[{index}]"), found)?;
            }
        }
        Type::Record(id) if types.records[*id].kind == RecordKind::Struct => {
            for (index, field) in types.records[*id].fields.iter().flatten().enumerate() {
                if field.bit_width.is_some() {
                    return None;
                }
                let mut part = place.clone();
                part.path.push(Projection::Field(*id, index as u32));
                part.ty = field.ty.id.into();
                let text = field.name.as_ref().map_or(text.clone(), |name| format!("{text}.{name}"));
                scalars(linker, part, text, found)?;
            }
        }
        _ if types.is_scalar(place.ty.id) => found.push((place, text)),
        _ => return None,
    }
    (found.len() <= MOST_SCALARS).then_some(())
}
