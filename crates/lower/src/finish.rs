//! What is done once all bodies are there: calls meet their definitions, graphs lose what nothing reaches, gaps are
//! told.

use crate::link::Linker;
use crate::{Entry, Lowered, Settings, fold, library};
use base::{IndexVec, Span};
use csource::types::Type;
use program::expr::ExprPart;
use program::points_to::PointsTo;
use program::{
    Action, AssumptionKind, Callee, Edge, EdgeId, Expr, Graph, HavocSource, Node, NodeId, Place, PlaceBase,
    ProcedureId, Program, TypeId, Variable, VariableId, VariableKind,
};
use std::sync::Arc;

/// The program, complete.
pub fn finish(
    mut linker: Linker,
    settings: &Settings,
    entry: Option<(ProcedureId, program::Entry)>,
) -> Lowered {
    crate::step::unmark(&mut linker);
    let ids: Vec<ProcedureId> = linker.procedures.ids().collect();
    for &id in &ids {
        if let Some(mut graph) = linker.procedures[id].body.take() {
            reconcile_calls(&mut linker, id, &mut graph);
            forbid_returns(&mut linker, id, &mut graph);
            linker.procedures[id].body = Some(compress(graph));
        }
    }
    tell_unread_annotations(&mut linker);
    tell_missing_bodies(&mut linker);
    linker.note_inline_only();
    tell_external_variables(&mut linker, entry.as_ref().map(|(_, entry)| entry));
    let unmodelled = std::mem::take(&mut linker.unmodelled);
    let (mut program, diagnostics) = linker.into_program();
    tell_calls_without_target(&mut program);
    program.main = match (&settings.entry, &entry) {
        (Entry::Main | Entry::Arguments(_), _) => {
            program.procedure_named("main").filter(|&id| program.procedures[id].body.is_some())
        }
        (Entry::Function(_), entry) => entry.as_ref().map(|(procedure, _)| *procedure),
    };
    program.entry = entry.map(|(_, entry)| entry);
    if let Some((why, span)) = unmodelled.first()
        && let Some(graph) = program.main.and_then(|main| program.procedures[main].body.as_mut())
    {
        let (start, first) = (graph.add_node(*span), graph.entry);
        graph.add_edge(start, first, Action::Unsupported(why.clone()), *span);
        graph.entry = start;
    }
    Lowered { program, diagnostics }
}

/// A call is lowered with the declaration its unit sees; the definition may differ (no prototype, another unit's
/// types).
/// Scalar arguments and results are converted, as they would be with the prototype in sight, where gcc's code does the
/// same without: a call of a function of the program that passes something else than it takes has no known meaning.
fn reconcile_calls(linker: &mut Linker, caller: ProcedureId, graph: &mut Graph) {
    let edges: Vec<EdgeId> = graph.edges.ids().collect();
    for id in edges {
        let Action::Call { callee: Callee::Direct(callee), .. } = graph.edges[id].action else { continue };
        let Type::Function(ty) = linker.session.types.get(linker.procedures[callee].ty).clone() else {
            continue;
        };
        // An old-style definition has no prototype; its parameters' own types count.
        let parameters: Vec<TypeId> = match linker.procedures[callee].parameters.as_slice() {
            [] => ty.parameters.clone(),
            declared => declared.iter().map(|&id| linker.variables[id].ty.id).collect(),
        };
        let is_users = linker.procedures[callee].origin == program::Origin::User;
        let Action::Call { result, arguments, .. } = &mut graph.edges[id].action else { continue };
        let is_taken = |(argument, wanted): (&Expr, &TypeId)| {
            is_passed_alike(&linker.session.types, argument, *wanted, ty.has_prototype)
        };
        if is_users && !arguments.iter().zip(&parameters).all(is_taken) {
            let name = &linker.procedures[callee].name;
            let why = format!(
                "a call of `{name}` without a prototype in sight, which passes other types than it takes,"
            );
            graph.edges[id].action = Action::Unsupported(Arc::from(why));
            continue;
        }
        for (argument, &wanted) in arguments.iter_mut().zip(&parameters) {
            let types = &linker.session.types;
            if argument.ty != wanted && types.is_scalar(argument.ty) && types.is_scalar(wanted) {
                *argument = fold::cast(argument.clone(), wanted, types);
            }
        }
        let Some(place) = result.clone() else { continue };
        if ty.result.id == place.ty.id || linker.procedures[callee].known == Some(program::Known::VaArg) {
            continue;
        }
        let span = graph.edges[id].span;
        convert_result(linker, caller, graph, id, place, ty.result.id, span);
    }
}

/// Does a function get the value of an argument whose type is another than its parameter's? Integers of other signs do,
/// and narrower ones than were passed; wider ones if the value is known not to be negative. `double` is passed for a
/// `float` of an old-style definition alone.
fn is_passed_alike(types: &program::TypeTable, argument: &Expr, wanted: TypeId, has_prototype: bool) -> bool {
    let given = argument.ty;
    if given == wanted {
        return true;
    }
    let is_float = |ty| types.is_scalar(ty) && types.is_arithmetic(ty) && !types.is_integer(ty);
    match (types.is_scalar(given) && types.is_scalar(wanted), is_float(given), is_float(wanted)) {
        (false, ..) => types.is_scalar(given) == types.is_scalar(wanted),
        (true, true, true) => !has_prototype || types.size_of(given) == types.size_of(wanted),
        (true, false, false) => {
            types.size_of(given) >= types.size_of(wanted)
                || argument
                    .as_integer()
                    .is_some_and(|value| value >> (8 * types.size_of(given).unwrap_or(0) - 1) == 0)
        }
        _ => false,
    }
}

/// Coming back from a function that is said never to return is undefined, whoever says so: the definition, or the
/// declaration that the caller saw, behind whose calls there is no code.
fn forbid_returns(linker: &mut Linker, procedure: ProcedureId, graph: &mut Graph) {
    let is_own = |id: ProcedureId| linker.procedures[id].origin == program::Origin::User;
    let mut forbidden = Vec::new();
    for (id, edge) in graph.edges.iter_enumerated() {
        match &edge.action {
            Action::Return { .. } if linker.procedures[procedure].is_noreturn && is_own(procedure) => {
                forbidden.push(id);
            }
            Action::Call { callee: Callee::Direct(callee), .. }
                if graph.nodes[edge.to].out.is_empty()
                    && is_own(*callee)
                    && !linker.procedures[*callee].is_noreturn =>
            {
                forbidden.push(id);
            }
            _ => {}
        }
    }
    if forbidden.is_empty() {
        return;
    }
    let void = linker.session.types.void();
    let ty = linker.session.types.intern(Type::Function(csource::types::FunctionType {
        result: void.into(),
        parameters: Vec::new(),
        is_variadic: false,
        has_prototype: true,
    }));
    let unreachable = linker.intrinsic("__builtin_unreachable", ty);
    // The argument tells it from the program's own calls; see `NULL_IS_GIVEN`.
    let int = linker.session.types.int();
    let mark = Expr::integer(1, int, &linker.session.types);
    let stop =
        || Action::Call { result: None, callee: Callee::Direct(unreachable), arguments: vec![mark.clone()] };
    for id in forbidden {
        let (span, to) = (graph.edges[id].span, graph.edges[id].to);
        if matches!(graph.edges[id].action, Action::Call { .. }) {
            let end = graph.add_node(span);
            graph.add_edge(to, end, stop(), span);
        } else {
            let end = graph.add_node(span);
            graph.nodes[to].into.retain(|&edge| edge != id);
            graph.nodes[end].into.push(id);
            graph.edges[id].to = end;
            graph.edges[id].action = stop();
        }
    }
}

/// The call's result goes to a temporary of the result's own type and is converted in a second step.
fn convert_result(
    linker: &mut Linker,
    caller: ProcedureId,
    graph: &mut Graph,
    id: EdgeId,
    place: Place,
    returned: TypeId,
    span: Span,
) {
    let types = &linker.session.types;
    let to = graph.edges[id].to;
    let between = graph.add_node(span);
    let (new_result, second) = if types.get(returned) == &Type::Void {
        // Nothing is returned, yet the program uses a value.
        (None, Action::Havoc { target: place, source: HavocSource::Indeterminate })
    } else if types.is_scalar(returned) && types.is_scalar(place.ty.id) {
        let temporary = new_temporary(linker, caller, returned, span);
        let source = Place::variable(temporary, returned);
        let value = fold::cast(Expr::load(source.clone()), place.ty.id, &linker.session.types);
        (Some(source), Action::Assign { target: place, value })
    } else if types.size_of(returned) == types.size_of(place.ty.id) {
        return; // records of the same layout under two names
    } else {
        (None, Action::Unsupported(Arc::from("a call through a declaration with another result type")))
    };
    if let Action::Call { result, .. } = &mut graph.edges[id].action {
        *result = new_result;
    }
    graph.edges[id].to = between;
    graph.nodes[to].into.retain(|&edge| edge != id);
    graph.nodes[between].into.push(id);
    graph.add_edge(between, to, second, span);
}

pub(crate) fn new_temporary(
    linker: &mut Linker,
    procedure: ProcedureId,
    ty: TypeId,
    span: Span,
) -> VariableId {
    let id = linker.variables.push(Variable {
        name: Arc::from("tmp"),
        ty: ty.into(),
        kind: VariableKind::Temporary,
        procedure: Some(procedure),
        in_memory: !linker.session.types.is_scalar(ty),
        is_file_local: false,
        is_thread_local: false,
        alignment: None,
        extra_bytes: 0,
        is_external: false,
        initial: Vec::new(),
        span,
    });
    linker.procedures[procedure].locals.push(id);
    id
}

/// Drops nodes that nothing reaches and steps that do nothing.
fn compress(graph: Graph) -> Graph {
    let leads_to = skip_targets(&graph);
    let mut reached: IndexVec<NodeId, Option<NodeId>> = IndexVec::filled(None, graph.nodes.len());
    let mut compressed =
        Graph { nodes: IndexVec::new(), edges: IndexVec::new(), entry: graph.entry, exit: graph.exit };
    let mut order = Vec::new();
    let mut stack = vec![leads_to[graph.entry]];
    // Depth first with the first edge on top, so that numbers follow the text.
    while let Some(node) = stack.pop() {
        if reached[node].is_some() {
            continue;
        }
        reached[node] = Some(compressed.nodes.push(Node {
            out: Vec::new(),
            into: Vec::new(),
            labels: graph.nodes[node].labels.clone(),
            span: graph.nodes[node].span,
            is_loop_head: graph.nodes[node].is_loop_head,
        }));
        order.push(node);
        stack.extend(graph.nodes[node].out.iter().rev().map(|&edge| leads_to[graph.edges[edge].to]));
    }
    for (node, &target) in leads_to.iter_enumerated() {
        // What was said of a node that only led on is said of the node it led to.
        if node != target
            && let Some(new) = reached[target]
        {
            compressed.nodes[new].is_loop_head |= graph.nodes[node].is_loop_head;
        }
    }
    for node in order {
        let from = reached[node].expect("visited above");
        for &edge in &graph.nodes[node].out {
            let Edge { to, action, span, .. } = &graph.edges[edge];
            let to = reached[leads_to[*to]].expect("successors are visited");
            compressed.add_edge(from, to, action.clone(), *span);
        }
    }
    compressed.entry = reached[leads_to[graph.entry]].expect("the entry is visited");
    compressed.exit = match reached[graph.exit] {
        Some(exit) => exit,
        None => compressed.add_node(graph.nodes[graph.exit].span), // the procedure never returns
    };
    compressed
}

/// For each node, where control really is: past all steps that do nothing.
fn skip_targets(graph: &Graph) -> IndexVec<NodeId, NodeId> {
    let mut targets: IndexVec<NodeId, Option<NodeId>> = IndexVec::filled(None, graph.nodes.len());
    let mut is_on_path: IndexVec<NodeId, bool> = IndexVec::filled(false, graph.nodes.len());
    for start in graph.nodes.ids() {
        let mut path = Vec::new();
        let mut node = start;
        let target = loop {
            if let Some(known) = targets[node] {
                break known;
            }
            if is_on_path[node] {
                break node; // a loop that does nothing stays a loop
            }
            is_on_path[node] = true;
            path.push(node);
            match graph.nodes[node].out.as_slice() {
                // A label stays where it is: what it leads to is also reached by ways that do not pass it.
                [only]
                    if graph.edges[*only].action == Action::Skip && graph.nodes[node].labels.is_empty() =>
                {
                    node = graph.edges[*only].to
                }
                _ => break node,
            }
        };
        for visited in path {
            targets[visited] = Some(target);
        }
    }
    targets.iter().map(|target| target.expect("every node was visited")).collect()
}

/// What is asked in comments is not answered.
fn tell_unread_annotations(linker: &mut Linker) {
    for (file, places) in std::mem::take(&mut linker.session.unread_annotations) {
        let message = format!("annotations in comments are not read: {file}, {places}");
        let subject = format!("{file}, {places}");
        linker.assume(AssumptionKind::UnreadAnnotations, &subject, Span::NOWHERE, message);
    }
}

/// A function that is called or pointed to, with neither a body nor a known meaning, leaves answers open.
fn tell_missing_bodies(linker: &mut Linker) {
    let mut mentioned: Vec<ProcedureId> = library::mentioned_procedures(linker).into_iter().collect();
    mentioned.sort_unstable();
    for id in mentioned {
        let procedure = &linker.procedures[id];
        if procedure.body.is_some() || procedure.known.is_some() {
            continue;
        }
        let name = procedure.name.clone();
        let span = first_call(linker, id).unwrap_or(procedure.span);
        let message = format!("`{name}` has neither a body nor a specification");
        linker.assume(AssumptionKind::MissingBody, &name, span, message);
    }
}

fn first_call(linker: &Linker, id: ProcedureId) -> Option<Span> {
    let edges =
        linker.procedures.iter().filter_map(|procedure| procedure.body.as_ref()).flat_map(|g| &g.edges);
    edges
        .filter(|edge| matches!(&edge.action, Action::Call { callee: Callee::Direct(callee), .. } if *callee == id))
        .map(|edge| edge.span)
        .next()
}

/// A call through a pointer that no function is known to reach leaves answers open.
fn tell_calls_without_target(program: &mut Program) {
    let bodies = program.procedures.iter().filter_map(|procedure| procedure.body.as_ref());
    let calls_through_pointers = bodies
        .flat_map(|graph| &graph.edges)
        .any(|edge| matches!(edge.action, Action::Call { callee: Callee::Indirect(_), .. }));
    if calls_through_pointers {
        let points_to = PointsTo::of(program);
        program::points_to::record_missing_targets(program, &points_to);
    }
}

/// The streams of stdio are external everywhere; engines know them.
pub(crate) const STREAMS: [&str; 3] = ["stdin", "stdout", "stderr"];

fn tell_external_variables(linker: &mut Linker, entry: Option<&program::Entry>) {
    let used = used_variables(linker);
    let ids: Vec<VariableId> =
        linker.variables.ids().filter(|&id| linker.variables[id].is_external).collect();
    for id in ids {
        let variable = &linker.variables[id];
        let (name, span) = (variable.name.clone(), variable.span);
        let is_told = entry.is_some_and(|entry| entry.given.contains(&id));
        if STREAMS.contains(&&*name) || !used[id] || is_told {
            continue;
        }
        linker.assume(
            AssumptionKind::ExternalVariable,
            &name,
            span,
            format!("`{name}` is defined in none of the units: it may start with any value"),
        );
    }
}

fn used_variables(linker: &Linker) -> IndexVec<VariableId, bool> {
    let mut used = IndexVec::filled(false, linker.variables.len());
    let bodies = linker.procedures.iter().filter_map(|procedure| procedure.body.as_ref());
    for edge in bodies.flat_map(|graph| &graph.edges) {
        edge.action.visit(&mut |part| {
            if let ExprPart::Place(Place { base: PlaceBase::Variable(id), .. }, _) = part {
                used[*id] = true;
            }
        });
    }
    used
}
