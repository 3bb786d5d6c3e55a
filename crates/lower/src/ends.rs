//! Before and after `main`: constructors are called where the run starts, and functions registered by `atexit` and
//! destructors where it ends (C11 7.22.4.2 and 7.22.4.4; GNU attributes `constructor` and `destructor`), as calls that
//! every engine sees. The interpreter, which can do it by itself, is left nothing to do.
//!
//! The end is a description made for the program: registered functions go into a table and are called, the last first,
//! then come the destructors; a function that registers others or calls `exit` itself changes nothing about the order.
//! `main` calls it before it returns, and so does whoever calls `exit`. `_exit`, `abort` and a failing assertion do
//! not.
//!
//! Programs with threads that have something to do at the end stay as they are, and so do those in which `exit` or
//! `atexit` is called through a pointer, or that call `main` themselves.

use crate::function::FunctionLowering;
use crate::library;
use crate::link::Linker;
use base::Span;
use program::expr::ExprPart;
use program::{
    Action, Callee, EdgeId, Expr, ExprKind, Graph, Known, LifetimeStep, Origin, PlaceBase, ProcedureId,
    VariableId, VariableKind,
};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Functions that can be registered; of more, nothing is known.
const MOST_HANDLERS: usize = 32;
const REGISTER: &str = "__concord_register_handler";
const END: &str = "__concord_end_program";

/// The procedure where the run starts calls the constructors first.
pub fn begin(linker: &mut Linker, start: ProcedureId) {
    let mut constructors = linker.constructors.clone();
    if constructors.is_empty()
        || !constructors.iter().all(|&(_, id)| is_plain(linker, id))
        || crate::arguments::is_called(linker, start)
    {
        return;
    }
    linker.constructors.clear();
    constructors.sort_by_key(|&(priority, _)| priority);
    let mut lowering = FunctionLowering::again(linker, start);
    let (first, before) = (lowering.graph.entry, lowering.graph.add_node(Span::NOWHERE));
    lowering.current = before;
    for (_, constructor) in constructors {
        call(&mut lowering, constructor);
    }
    lowering.emit_to(first, Action::Skip, Span::NOWHERE);
    lowering.graph.entry = before;
    lowering.finish_body();
}

/// A call without arguments, of which the result does not matter.
fn call(lowering: &mut FunctionLowering<'_>, callee: ProcedureId) {
    let (span, result) = (lowering.linker.procedures[callee].span, lowering.linker.result_type(callee));
    let is_void = lowering.linker.session.types.get(result) == &program::Type::Void;
    let result = (!is_void).then(|| {
        let temporary = lowering.temporary(result, span);
        lowering.place_of(temporary)
    });
    let callee = Callee::Direct(callee);
    lowering.emit(Action::Call { result, callee, arguments: Vec::new() }, span);
}

/// Is it called without arguments, and known?
fn is_plain(linker: &Linker, id: ProcedureId) -> bool {
    linker.procedures[id].body.is_some() && linker.procedures[id].parameters.is_empty()
}

/// What is to be done at the end is done where the run ends.
pub fn end(linker: &mut Linker, start: ProcedureId) {
    let calls: BTreeSet<ProcedureId> = linker.procedures.ids().flat_map(|id| linker.callees(id)).collect();
    let known = |linker: &Linker, id: ProcedureId| {
        let procedure = &linker.procedures[id];
        procedure.known.filter(|_| procedure.origin != Origin::User)
    };
    let all_known = |linker: &Linker, wanted: Known| -> Vec<ProcedureId> {
        linker.procedures.ids().filter(|&id| known(linker, id) == Some(wanted)).collect()
    };
    let registering = all_known(linker, Known::AtExit);
    let is_registering = registering.iter().any(|id| calls.contains(id));
    if !is_registering && linker.destructors.is_empty() {
        return;
    }
    let exits = all_known(linker, Known::Exit);
    let by_address = library::procedures_with_address(linker);
    let is_by_address = registering.iter().chain(&exits).any(|id| by_address.contains(id));
    let has_threads = library::mentioned_procedures(linker)
        .into_iter()
        .any(|id| matches!(known(linker, id), Some(Known::ThreadCreate | Known::ThreadExit)));
    let fits = linker.destructors.iter().all(|&(_, id)| is_plain(linker, id))
        && !is_by_address
        && !has_threads
        && !crate::arguments::is_called(linker, start)
        && ends_alone(linker, start);
    if !fits {
        return;
    }
    let mut destructors = std::mem::take(&mut linker.destructors);
    destructors.sort_by_key(|&(priority, _)| priority);
    // What was there last goes first.
    let destructors: Vec<ProcedureId> = destructors.into_iter().rev().map(|(_, id)| id).collect();
    let is_ending = exits.iter().any(|id| calls.contains(id));
    let (register, end) = described(linker, &destructors, is_registering, is_ending);
    let ids: Vec<ProcedureId> = linker.procedures.ids().collect();
    for id in ids {
        if linker.procedures[id].body.is_none() {
            continue;
        }
        let mut lowering = FunctionLowering::again(linker, id);
        let left = if id == start { outlived(&lowering) } else { Vec::new() };
        for edge in lowering.graph.edges.ids().collect::<Vec<_>>() {
            match &mut lowering.graph.edges[edge].action {
                Action::Call { callee: Callee::Direct(callee), .. } if registering.contains(callee) => {
                    if let Some(register) = register {
                        *callee = register;
                    }
                }
                Action::Call { callee: Callee::Direct(callee), .. } if exits.contains(callee) => {
                    end_before(&mut lowering, edge, end, &[]);
                }
                Action::Return { .. } if id == start => end_before(&mut lowering, edge, end, &left),
                _ => {}
            }
        }
        lowering.finish_body();
    }
}

/// Is nothing of it that handlers could still get at left to its end by other means than the lives of its variables?
fn ends_alone(linker: &Linker, start: ProcedureId) -> bool {
    let allocates =
        linker.callees(start).iter().any(|&callee| linker.procedures[callee].known == Some(Known::Alloca));
    let parameters = &linker.procedures[start].parameters;
    !allocates && !parameters.iter().any(|&parameter| linker.variables[parameter].in_memory)
}

/// The variables that pointers may point to when the procedure returns: they live no longer.
fn outlived(lowering: &FunctionLowering<'_>) -> Vec<VariableId> {
    let mut found = BTreeSet::new();
    for edge in &lowering.graph.edges {
        edge.action.visit(&mut |part| {
            if let ExprPart::Expr(Expr { kind: ExprKind::AddressOf(place), .. }) = part
                && let PlaceBase::Variable(id) = place.base
                && lowering.linker.variables[id].kind == VariableKind::Local
            {
                found.insert(id);
            }
        });
    }
    found.into_iter().collect()
}

/// The end comes before the step, whose value is computed first.
fn end_before(lowering: &mut FunctionLowering<'_>, edge: EdgeId, end: ProcedureId, left: &[VariableId]) {
    let step = &lowering.graph.edges[edge];
    let (to, span, mut action) = (step.to, step.span, step.action.clone());
    lowering.current = detached(&mut lowering.graph, edge, span);
    let value = match &mut action {
        Action::Return { value } => value.as_mut(),
        Action::Call { arguments, .. } => arguments.first_mut(),
        _ => None,
    };
    if let Some(value) = value {
        *value = lowering.frozen(value.clone(), span);
    }
    for &variable in left {
        lowering.emit(Action::Lifetime { variable, step: LifetimeStep::End }, span);
    }
    let callee = Callee::Direct(end);
    lowering.emit(Action::Call { result: None, callee, arguments: Vec::new() }, span);
    lowering.emit_to(to, action, span);
}

/// The edge only leads to a new node, which is returned.
pub(crate) fn detached(graph: &mut Graph, edge: EdgeId, span: Span) -> program::NodeId {
    let (node, to) = (graph.add_node(span), graph.edges[edge].to);
    graph.nodes[to].into.retain(|&known| known != edge);
    graph.nodes[node].into.push(edge);
    (graph.edges[edge].to, graph.edges[edge].action) = (node, Action::Skip);
    node
}

/// The description of `atexit` and of the end of the program.
fn described(
    linker: &mut Linker,
    destructors: &[ProcedureId],
    is_registering: bool,
    is_ending: bool,
) -> (Option<ProcedureId>, ProcedureId) {
    let source = format!("{}stdlib.c", program::LIBRARY_FOLDER);
    let text = text(destructors.len(), is_registering, is_ending);
    let source = linker.session.sources.add(&source, text).expect("descriptions are small");
    let syntax = csource::parser::parse(source, &mut linker.session);
    let unit = csource::sema::analyse(&syntax, &mut linker.session);
    linker.add(unit, Origin::Model);
    let named = |linker: &Linker, name: &str| linker.external_procedures.get(name).copied();
    let end = named(linker, END).expect("the description defines it");
    let register = named(linker, REGISTER);
    register.into_iter().chain([end]).for_each(|id| linker.lower_body(id));
    for (at, &destructor) in destructors.iter().enumerate() {
        let placeholder = named(linker, &destructor_name(at));
        let body = linker.procedures[end].body.as_mut();
        for edge in body.into_iter().flat_map(|body| body.edges.iter_mut()) {
            if let Action::Call { callee: Callee::Direct(callee), .. } = &mut edge.action
                && Some(*callee) == placeholder
            {
                *callee = destructor;
            }
        }
    }
    (register, end)
}

fn destructor_name(at: usize) -> String {
    format!("__concord_destructor_{at}")
}

fn text(destructors: usize, is_registering: bool, is_ending: bool) -> String {
    let mut text = String::from(::library::WORDS);
    let out = &mut text;
    for at in 0..destructors {
        let _ = writeln!(out, "void {}(void);", destructor_name(at));
    }
    let call_registered = match is_registering {
        true => {
            "    while (__concord_handlers > 0) {\n        __concord_handlers = __concord_handlers - 1;\n        __concord_handler[__concord_handlers]();\n    }\n"
        }
        false => "",
    };
    if is_registering {
        let _ = writeln!(
            out,
            "static unsigned __concord_handlers;\nstatic void (*__concord_handler[{MOST_HANDLERS}])(void);\n\
             int {REGISTER}(void (*handler)(void))\n{{\n    if (__concord_handlers == {MOST_HANDLERS})\n\
             \x20       __concord_unknown(\"more than {MOST_HANDLERS} functions registered by `atexit`\");\n\
             \x20   __concord_handler[__concord_handlers] = handler;\n    __concord_handlers = __concord_handlers + 1;\n    return 0;\n}}"
        );
    }
    if is_ending && destructors > 0 {
        out.push_str("static unsigned __concord_destroyed;\n");
    }
    let _ = writeln!(out, "void {END}(void)\n{{\n{call_registered}");
    for at in 0..destructors {
        let name = destructor_name(at);
        // One that calls `exit` does not come twice.
        let _ = match is_ending {
            true => writeln!(
                out,
                "    if (__concord_destroyed == {at}) {{\n        __concord_destroyed = {next};\n        {name}();\n    }}\n{call_registered}",
                next = at + 1
            ),
            false => writeln!(out, "    {name}();\n{call_registered}"),
        };
    }
    out.push_str("}\n");
    text
}
