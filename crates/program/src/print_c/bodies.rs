//! Bodies: one statement per edge, labels and gotos between them.

use super::{Printer, is_compiler_builtin};
use crate::types::{ArrayLength, Type};
use crate::{
    Action, AssumeReason, Callee, Edge, Expr, ExprKind, Graph, HavocSource, Known, NodeId, Origin, Place,
    ProcedureId, Type as CType, UnaryOp, VariableId, VariableKind, Word,
};
use base::IndexVec;
use std::fmt::Write;

/// The label behind the last statement: there control falls off the end, as in the original.
const END: &str = "end";

impl Printer<'_> {
    pub(super) fn print_body(&self, id: ProcedureId, out: &mut String) {
        let body = self.program.procedures[id].body.as_ref().expect("only bodies are printed");
        let order = statement_order(body);
        let needs_label = labelled(body, &order);
        let body_printer = BodyPrinter { printer: self, procedure: id, body, needs_label: &needs_label };
        let mut falls_off = false;
        for (position, &node) in order.iter().enumerate() {
            let next = order.get(position + 1).copied();
            body_printer.print_node(node, next, &mut falls_off, out);
        }
        if falls_off {
            writeln!(out, "{END}:;").expect("writing to a string");
        }
    }
}

struct BodyPrinter<'a> {
    printer: &'a Printer<'a>,
    procedure: ProcedureId,
    body: &'a Graph,
    needs_label: &'a IndexVec<NodeId, bool>,
}

/// Reachable nodes but the exit, each before its last successor where that is still free.
fn statement_order(body: &Graph) -> Vec<NodeId> {
    let mut seen = IndexVec::<NodeId, bool>::filled(false, body.nodes.len());
    seen[body.exit] = true;
    let mut order = Vec::new();
    let mut stack = vec![body.entry];
    while let Some(node) = stack.pop() {
        if std::mem::replace(&mut seen[node], true) {
            continue;
        }
        order.push(node);
        stack.extend(body.out(node).map(|(_, edge)| edge.to));
    }
    order
}

fn labelled(body: &Graph, order: &[NodeId]) -> IndexVec<NodeId, bool> {
    let mut needs = IndexVec::filled(false, body.nodes.len());
    for (position, &node) in order.iter().enumerate() {
        let next = order.get(position + 1);
        let out = &body.nodes[node].out;
        for (index, &edge) in out.iter().enumerate() {
            let to = body.edges[edge].to;
            let falls_through = index + 1 == out.len() && next == Some(&to);
            if !falls_through {
                needs[to] = true;
            }
        }
    }
    needs
}

impl BodyPrinter<'_> {
    fn print_node(&self, node: NodeId, next: Option<NodeId>, falls_off: &mut bool, out: &mut String) {
        if self.needs_label[node] {
            writeln!(out, "{node}:;").expect("writing to a string");
        }
        let names = |id: VariableId| {
            let variable = &self.printer.program.variables[id];
            let is_static = matches!(variable.kind, VariableKind::Global | VariableKind::StringLiteral);
            let is_in_scope = is_static || variable.procedure == Some(self.procedure);
            self.printer.names.printed(id).filter(|_| is_in_scope).map(str::to_owned)
        };
        let probe = self.printer.probes.at_node(self.procedure, node, &names);
        match self.printer.probes.place_at(self.procedure, node) {
            Some(place) => {
                let address = format!("&{}", self.printer.place(&place));
                out.push_str(&probe.replace(super::ADDRESS, &address));
            }
            None => out.push_str(&probe),
        }
        let edges: Vec<&Edge> = self.body.out(node).map(|(_, edge)| edge).collect();
        match &edges[..] {
            [] => out.push_str("    __builtin_trap();\n"), // nothing gets here, or past the call before
            [only] => {
                let is_call = matches!(only.action, Action::Call { .. });
                let edge = self.body.nodes[node].out[0];
                if is_call {
                    out.push_str(&self.printer.probes.before_call(self.procedure, edge));
                }
                let leaves = self.print_action(&only.action, falls_off, out);
                if is_call {
                    out.push_str(&self.printer.probes.after_call(self.procedure, edge));
                }
                if !leaves && next != Some(only.to) {
                    writeln!(out, "    goto {};", only.to).expect("writing to a string");
                }
            }
            [first, second] if are_both_sides(first, second) => {
                writeln!(out, "    if ({}) goto {};", self.condition(first), first.to)
                    .expect("writing to a string");
                if next != Some(second.to) {
                    writeln!(out, "    goto {};", second.to).expect("writing to a string");
                }
            }
            several => {
                for edge in several {
                    writeln!(out, "    if ({}) goto {};", self.condition(edge), edge.to)
                        .expect("writing to a string");
                }
                out.push_str("    __builtin_trap();\n");
            }
        }
    }

    /// When control may follow the edge, as a C condition.
    fn condition(&self, edge: &Edge) -> String {
        match &edge.action {
            Action::Assume { condition, expected: true, .. } => self.printer.expr(condition),
            Action::Assume { condition, expected: false, .. } => {
                format!("!{}", self.parenthesised(condition))
            }
            _ => "1".into(),
        }
    }

    fn parenthesised(&self, expr: &Expr) -> String {
        let text = self.printer.expr(expr);
        match expr.kind {
            ExprKind::Unary(UnaryOp::Not, _) | ExprKind::Binary(..) | ExprKind::Cast(_) => text,
            _ => format!("({text})"),
        }
    }

    /// Prints the statement; true if control does not go on behind it.
    fn print_action(&self, action: &Action, falls_off: &mut bool, out: &mut String) -> bool {
        let printer = self.printer;
        match action {
            Action::Skip | Action::Lifetime { .. } => {}
            Action::Assume { condition, expected, reason } => {
                let text = self.parenthesised(condition);
                let (unmet, consequence) = match reason {
                    AssumeReason::User => (*expected, "__concord_assume_failed()"),
                    AssumeReason::Branch => (*expected, "__builtin_trap()"),
                };
                let not = if unmet { "!" } else { "" };
                writeln!(out, "    if ({not}{text}) {consequence};").expect("writing to a string");
            }
            Action::Assign { target, value } => self.print_assignment(target, value, out),
            Action::Havoc { target, source: HavocSource::Input(name) } => self.print_input(target, name, out),
            Action::Havoc { source: HavocSource::Indeterminate, .. } => {}
            Action::Havoc { target, source: HavocSource::Asm } => {
                let place = printer.place(target);
                writeln!(out, "    __builtin_trap(); /* assembly wrote {place} */")
                    .expect("writing to a string");
            }
            Action::Call { result, callee, arguments } => {
                self.print_call(result.as_ref(), callee, arguments, out)
            }
            Action::Return { value: Some(value) } => {
                writeln!(out, "    return {};", printer.expr(value)).expect("writing to a string");
                return true;
            }
            Action::Return { value: None } => {
                let result = printer.program.result_type(self.procedure);
                if matches!(printer.program.types.get(result.id), CType::Void) {
                    out.push_str("    return;\n");
                } else {
                    *falls_off = true;
                    writeln!(out, "    goto {END};").expect("writing to a string");
                }
                return true;
            }
            Action::Event { name, .. } => {
                let name = name.replace("*/", "* /");
                writeln!(out, "    /* event {name} */").expect("writing to a string");
            }
            Action::Unsupported(what) => {
                let what = what.replace("*/", "* /");
                writeln!(out, "    __builtin_trap(); /* {what} */").expect("writing to a string");
            }
        }
        false
    }

    fn print_assignment(&self, target: &Place, value: &Expr, out: &mut String) {
        let printer = self.printer;
        let types = &printer.program.types;
        let place = printer.place(target);
        let is_array = matches!(types.get(target.ty.id), Type::Array(..));
        match &value.kind {
            ExprKind::Zero if !types.is_scalar(value.ty) => {
                let size = match types.get(target.ty.id) {
                    Type::Array(_, ArrayLength::Unknown | ArrayLength::Variable(_)) => "0".to_owned(),
                    _ => format!("sizeof({place})"),
                };
                writeln!(out, "    __builtin_memset((void *)&{place}, 0, {size});")
            }
            ExprKind::Load(source) if is_array => {
                let source = printer.place(source);
                writeln!(out, "    __builtin_memcpy((void *)&{place}, (void *)&{source}, sizeof({place}));")
            }
            _ => writeln!(out, "    {place} = {};", printer.expr(value)),
        }
        .expect("writing to a string");
    }

    fn print_input(&self, target: &Place, name: &str, out: &mut String) {
        let printer = self.printer;
        let place = printer.place(target);
        let is_scalar = printer.program.types.is_scalar(target.ty.id);
        if is_scalar {
            let ty = printer.types.show(target.ty.id);
            writeln!(out, "    {place} = ({ty}){name}();")
        } else {
            writeln!(out, "    __VERIFIER_nondet_memory((void *)&{place}, sizeof({place}));")
        }
        .expect("writing to a string");
    }

    fn print_call(&self, result: Option<&Place>, callee: &Callee, arguments: &[Expr], out: &mut String) {
        let printer = self.printer;
        let program = printer.program;
        let known = match callee {
            Callee::Direct(id) if program.procedures[*id].origin != Origin::User => {
                program.procedures[*id].known
            }
            _ => None,
        };
        let arguments_text: Vec<String> = arguments.iter().map(|argument| printer.expr(argument)).collect();
        // The convention of `Known::VaStart` and its relatives: the first argument points to the list's storage.
        let list = |index: usize| format!("*(__builtin_va_list *){}", arguments_text[index]);
        let call = match known {
            Some(Known::VaStart) => {
                let parameters = &program.procedures[self.procedure].parameters;
                let last = parameters.last().map_or("0", |&last| printer.names.variable(last));
                format!("__builtin_va_start({}, {last})", list(0))
            }
            Some(Known::VaEnd) => format!("__builtin_va_end({})", list(0)),
            Some(Known::VaCopy) => format!("__builtin_va_copy({}, {})", list(0), list(1)),
            Some(Known::VaArg) => match result {
                Some(result) => {
                    format!("__builtin_va_arg({}, {})", list(0), printer.types.show(result.ty.id))
                }
                None => "__builtin_trap() /* va_arg without a type */".into(),
            },
            Some(Known::Alloca) => format!("__builtin_alloca({})", arguments_text.join(", ")),
            Some(Known::Unreachable) => "__builtin_unreachable()".into(),
            Some(Known::Trap) => "__builtin_trap()".into(),
            Some(Known::Word(Word::Need | Word::NeedNoOverflow | Word::NeedArgument)) => {
                format!("if (!({})) __builtin_trap()", arguments_text[0])
            }
            Some(Known::Word(Word::Unknown)) => "__builtin_trap()".into(),
            _ => self.ordinary_call(callee, arguments, &arguments_text),
        };
        match result {
            Some(result) => {
                let place = printer.place(result);
                let is_pointer = program.types.is_pointer(result.ty.id);
                let conversion = if is_pointer {
                    format!("({})", printer.types.show(result.ty.id))
                } else {
                    String::new()
                };
                writeln!(out, "    {place} = {conversion}{call};")
            }
            None => writeln!(out, "    {call};"),
        }
        .expect("writing to a string");
    }

    fn ordinary_call(&self, callee: &Callee, arguments: &[Expr], texts: &[String]) -> String {
        let printer = self.printer;
        match callee {
            Callee::Indirect(pointer) => format!("({})({})", printer.expr(pointer), texts.join(", ")),
            Callee::Direct(id) if is_compiler_builtin(&printer.program.procedures[*id].name) => {
                format!("{}({})", printer.program.procedures[*id].name, texts.join(", "))
            }
            Callee::Direct(id) => {
                let name = printer.names.procedure(*id);
                if self.takes(*id, arguments) {
                    format!("{name}({})", texts.join(", "))
                } else {
                    // Units disagree about the function's type: call it as the calling unit saw it.
                    let result = printer.program.result_type(*id);
                    let through = printer.types.declare(result, "(*)()", super::Constness::Dropped);
                    format!("(({through}){name})({})", texts.join(", "))
                }
            }
        }
    }

    /// Would C accept these arguments for the procedure's declared type?
    fn takes(&self, id: ProcedureId, arguments: &[Expr]) -> bool {
        let types = &self.printer.program.types;
        let Type::Function(function) = types.get(self.printer.program.procedures[id].ty) else {
            return false;
        };
        let converts = |(&parameter, argument): (&crate::TypeId, &Expr)| {
            parameter == argument.ty
                || (types.is_scalar(parameter)
                    && types.is_scalar(argument.ty)
                    && (types.float_kind(parameter).is_none() || !types.is_pointer(argument.ty))
                    && (types.float_kind(argument.ty).is_none() || !types.is_pointer(parameter)))
        };
        let count_fits = match (function.has_prototype, function.is_variadic) {
            (false, _) => return true,
            (true, true) => arguments.len() >= function.parameters.len(),
            (true, false) => arguments.len() == function.parameters.len(),
        };
        count_fits && function.parameters.iter().zip(arguments).all(converts)
    }
}

/// The two sides of one branch: exactly one of them is taken.
fn are_both_sides(first: &Edge, second: &Edge) -> bool {
    match (&first.action, &second.action) {
        (
            Action::Assume { condition: left, expected: one, .. },
            Action::Assume { condition: right, expected: other, .. },
        ) => one != other && left == right,
        _ => false,
    }
}
