//! Functions that a pointer may lead to and that the component does not run as they are, because they have no
//! body or because a specification speaks for them: each gets a body that calls it, and pointers lead to
//! that. So a call through a pointer is an ordinary call of a procedure with a body, in the component and in
//! runs of it.

use program::expr::ExprPart;
use program::rewrite::{FunctionAddresses, Rewrite};
use program::{
    Action, Callee, Expr, ExprKind, Graph, InitialData, Origin, Place, Procedure, ProcedureId, Program, Type,
    TypeRef, Variable, VariableId, VariableKind,
};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The mark of their names; no C identifier has it.
const MARK: char = '*';

/// Is this the name of such a body?
pub(super) fn is_stub(name: &str) -> bool {
    name.starts_with(MARK)
}

/// Where the address of a function is taken.
#[derive(Clone, Debug, Default)]
pub(super) struct AddressTaken {
    /// Does other code than its own take it?
    pub by_others: bool,
    /// The files of that code.
    pub files: BTreeSet<Arc<str>>,
}

/// The functions whose addresses the program takes.
pub(super) fn address_taken(program: &Program) -> BTreeMap<ProcedureId, AddressTaken> {
    let mut found: BTreeMap<ProcedureId, AddressTaken> = BTreeMap::new();
    let mut look = |part: ExprPart<'_>, by: Option<ProcedureId>, at: base::Span| {
        if let ExprPart::Expr(Expr { kind: ExprKind::FunctionAddress(procedure), .. }) = part {
            let taken = found.entry(*procedure).or_default();
            if by != Some(*procedure) {
                taken.by_others = true;
                taken.files.extend(program.sources.location(at).map(|at| at.file));
            }
        }
    };
    for (id, procedure) in program.procedures.iter_enumerated() {
        for edge in procedure.body.iter().flat_map(|graph| graph.edges.iter()) {
            edge.action.visit(&mut |part| look(part, Some(id), procedure.span));
        }
    }
    for variable in &program.variables {
        for initial in &variable.initial {
            if let InitialData::Value(value) = &initial.value {
                value.visit(&mut |part| look(part, None, variable.span));
            }
        }
    }
    found
}

/// Adds them. `is_specified` tells of which functions a specification speaks.
pub fn add_stubs(program: &mut Program, is_specified: &dyn Fn(&str) -> bool) {
    let mut stubs: FxHashMap<ProcedureId, ProcedureId> = FxHashMap::default();
    for target in address_taken(program).into_keys() {
        let own = &program.procedures[target];
        let runs_as_it_is = own.body.is_some() && !own.is_native() && !is_specified(&own.name);
        let Type::Function(ty) = program.types.get(own.ty).clone() else { continue };
        if !runs_as_it_is && !ty.is_variadic && !is_stub(&own.name) {
            stubs.insert(target, {
                let parameters: Vec<TypeRef> = ty.parameters.iter().map(|&one| one.into()).collect();
                stub(program, target, &parameters, ty.result)
            });
        }
    }
    if stubs.is_empty() {
        return;
    }
    for procedure in program.procedures.iter_mut() {
        for edge in procedure.body.iter_mut().flat_map(|graph| graph.edges.iter_mut()) {
            FunctionAddresses(&stubs).action(&mut edge.action);
        }
    }
    for initial in program.variables.iter_mut().flat_map(|variable| &mut variable.initial) {
        if let InitialData::Value(value) = &mut initial.value {
            FunctionAddresses(&stubs).expr(value);
        }
    }
}

/// `result *f(a, b) { return f(a, b); }`
fn stub(program: &mut Program, target: ProcedureId, parameters: &[TypeRef], result: TypeRef) -> ProcedureId {
    let own = program.procedures[target].clone();
    let id = program.procedures.next_id();
    let mut variable = |name: String, ty: TypeRef, kind: VariableKind| -> VariableId {
        program.variables.push(Variable {
            name: Arc::from(name),
            ty,
            kind,
            procedure: Some(id),
            in_memory: !program.types.is_scalar(ty.id),
            is_file_local: false,
            is_thread_local: false,
            alignment: None,
            extra_bytes: 0,
            is_external: false,
            initial: Vec::new(),
            span: own.span,
        })
    };
    let mut taken = Vec::new();
    for (index, &ty) in parameters.iter().enumerate() {
        taken.push(variable(format!("{}", index + 1), ty, VariableKind::Parameter));
    }
    let has_result = !matches!(program.types.get(result.id), Type::Void);
    let gets = has_result.then(|| variable("tmp".to_owned(), result, VariableKind::Temporary));
    let mut graph = Graph::new();
    let arguments = taken.iter().zip(parameters).map(|(&one, &ty)| Expr::load(Place::variable(one, ty)));
    let (called, exit) = (graph.add_node(own.span), graph.exit);
    let call = Action::Call {
        result: gets.map(|one| Place::variable(one, result)),
        callee: Callee::Direct(target),
        arguments: arguments.collect(),
    };
    graph.add_edge(graph.entry, called, call, own.span);
    let value = gets.map(|one| Expr::load(Place::variable(one, result)));
    graph.add_edge(called, exit, Action::Return { value }, own.span);
    program.procedures.push(Procedure {
        name: Arc::from(format!("{MARK}{}", own.name)),
        ty: own.ty,
        parameters: taken,
        locals: gets.into_iter().collect(),
        body: Some(graph),
        origin: Origin::User,
        known: None,
        is_static: true,
        is_noreturn: false,
        is_atomic: false,
        span: own.span,
    })
}
