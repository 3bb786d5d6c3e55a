//! Allocation that may fail (`--malloc-may-fail`): before every allocation an input decides whether it does.
//!
//! A failing `malloc`, `calloc`, `realloc` or `aligned_alloc` returns a null pointer and changes nothing but `errno`.
//! Where the address of such a function is taken, it stands for one with a body that chooses.

use crate::function::FunctionLowering;
use crate::link::Linker;
use csource::types::Type;
use program::rewrite::{FunctionAddresses, Rewrite};
use program::{
    Action, AssumeReason, Callee, Expr, Graph, HavocSource, Known, Origin, Place, Procedure, ProcedureId,
    TypeId, Variable, VariableId, VariableKind,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// `ENOMEM` of Linux.
const NO_MEMORY: u128 = 12;

/// Makes every allocation a choice.
pub fn may_fail(linker: &mut Linker) {
    let wrappers = wrappers(linker);
    let ids: Vec<ProcedureId> = linker.procedures.ids().collect();
    for id in ids {
        let Some(mut graph) = linker.procedures[id].body.take() else { continue };
        let is_wrapper = wrappers.values().any(|wrapper| *wrapper == id);
        let edges: Vec<program::EdgeId> = graph.edges.ids().collect();
        for edge in edges {
            if !is_wrapper {
                FunctionAddresses(&wrappers).action(&mut graph.edges[edge].action);
            }
            choose(linker, id, &mut graph, edge);
        }
        linker.procedures[id].body = Some(graph);
    }
    for variable in linker.variables.iter_mut() {
        for initial in &mut variable.initial {
            if let program::InitialData::Value(value) = &mut initial.value {
                FunctionAddresses(&wrappers).expr(value);
            }
        }
    }
}

fn can_fail(procedure: &Procedure) -> bool {
    use Known::{AlignedAlloc, Calloc, Malloc, Realloc};
    procedure.origin != Origin::User
        && matches!(procedure.known, Some(Malloc | Calloc | Realloc | AlignedAlloc))
}

/// For each such function whose address is taken, one with a body that calls it.
fn wrappers(linker: &mut Linker) -> FxHashMap<ProcedureId, ProcedureId> {
    let mut taken: Vec<ProcedureId> = crate::library::procedures_with_address(linker).into_iter().collect();
    taken.retain(|&id| can_fail(&linker.procedures[id]));
    taken.sort_unstable();
    let mut wrappers = FxHashMap::default();
    for id in taken {
        let called = &linker.procedures[id];
        let (name, ty, span) = (called.name.clone(), called.ty, called.span);
        let Type::Function(function) = linker.session.types.get(ty).clone() else { continue };
        let wrapper = linker.outside_function(&format!("{name}_or_null"), ty, span);
        let mut parameters = Vec::new();
        for (at, &parameter) in function.parameters.iter().enumerate() {
            parameters.push(linker.variables.push(Variable {
                name: Arc::from(format!("argument_{}", at + 1)),
                ty: parameter.into(),
                kind: VariableKind::Parameter,
                procedure: Some(wrapper),
                in_memory: false,
                is_file_local: false,
                is_thread_local: false,
                alignment: None,
                extra_bytes: 0,
                is_external: false,
                initial: Vec::new(),
                span,
            }));
        }
        let arguments = parameters.iter().map(|&id| Expr::load(Place::variable(id, linker.variables[id].ty)));
        let arguments: Vec<Expr> = arguments.collect();
        let mut lowering = FunctionLowering::new(linker, 0, wrapper);
        let result: VariableId = lowering.temporary(function.result.id, span);
        let target = lowering.place_of(result);
        lowering.emit(Action::Call { result: Some(target), callee: Callee::Direct(id), arguments }, span);
        let value = Some(lowering.value_of(result));
        let exit = lowering.graph.exit;
        lowering.emit_to(exit, Action::Return { value }, span);
        lowering.finish_body();
        linker.procedures[wrapper].parameters = parameters;
        linker.procedures[wrapper].origin = Origin::Model;
        wrappers.insert(id, wrapper);
    }
    wrappers
}

/// Puts the choice before the call.
fn choose(linker: &mut Linker, procedure: ProcedureId, graph: &mut Graph, edge: program::EdgeId) {
    let Action::Call { result, callee: Callee::Direct(callee), .. } = &graph.edges[edge].action else {
        return;
    };
    let (result, callee) = (result.clone(), *callee);
    let called = &linker.procedures[callee];
    if !can_fail(called) {
        return;
    }
    let name = called.name.clone();
    let (from, to, span) = (graph.edges[edge].from, graph.edges[edge].to, graph.edges[edge].span);
    let bool_type = linker.session.types.bool();
    let choice = crate::finish::new_temporary(linker, procedure, bool_type, span);
    let place = Place::variable(choice, bool_type);
    let (chosen, works, fails) = (graph.add_node(span), graph.add_node(span), graph.add_node(span));
    // The call now starts where it works.
    graph.nodes[from].out.retain(|&out| out != edge);
    graph.nodes[works].out.push(edge);
    graph.edges[edge].from = works;
    let source = HavocSource::Input(Arc::from(format!("{name} fails")));
    graph.add_edge(from, chosen, Action::Havoc { target: place.clone(), source }, span);
    let condition = Expr::load(place);
    let reason = AssumeReason::Branch;
    graph.add_edge(
        chosen,
        works,
        Action::Assume { condition: condition.clone(), expected: false, reason },
        span,
    );
    graph.add_edge(chosen, fails, Action::Assume { condition, expected: true, reason }, span);
    let after = set_errno(linker, procedure, graph, fails, span);
    let action = match result {
        Some(target) => {
            let ty = target.ty.id;
            Action::Assign { target, value: Expr::integer(0, ty, &linker.session.types) }
        }
        None => Action::Skip,
    };
    graph.add_edge(after, to, action, span);
}

/// `errno = ENOMEM`, if the program can see `errno`.
fn set_errno(
    linker: &mut Linker,
    procedure: ProcedureId,
    graph: &mut Graph,
    at: program::NodeId,
    span: base::Span,
) -> program::NodeId {
    let located = linker.procedures.iter_enumerated();
    let Some((location, _)) =
        { located }.find(|(_, known)| &*known.name == "__errno_location" && known.body.is_some())
    else {
        return at;
    };
    let pointer: TypeId = linker.result_type(location);
    let Some(number) = linker.session.types.pointee(pointer) else { return at };
    let temporary = crate::finish::new_temporary(linker, procedure, pointer, span);
    let place = Place::variable(temporary, pointer);
    let (between, after) = (graph.add_node(span), graph.add_node(span));
    let call =
        Action::Call { result: Some(place.clone()), callee: Callee::Direct(location), arguments: Vec::new() };
    graph.add_edge(at, between, call, span);
    let target = Place::pointed_to_by(Expr::load(place), number);
    let value = Expr::integer(NO_MEMORY, number.id, &linker.session.types);
    graph.add_edge(between, after, Action::Assign { target, value }, span);
    after
}
