//! From a graph back to a tree, for `--simplify` and for tests. The text has one label per node and one
//! `goto` per branch; guards become constraints, so that a guarded assignment stays one step.
//! DIVERGENCE: branching costs a step of its own (`goto`), which changes no variable and so no answer.

use super::expression::Expr;
use super::program::{Action, Edge, NodeId, ProcedureId, Program, VariableId};
use crate::syntax::{
    Binary, Declared, Expression, Name, ProcedureTree, ProgramTree, Statement, StatementKind, ThreadStart,
};
use base::{Id, Span};

/// A tree whose graph has the same reachable errors.
///
/// # Panics
/// When a step changes only other threads at one node, or of another procedure: the language has no words for
/// that, and `build` makes no such step.
pub fn to_tree(program: &Program) -> ProgramTree {
    let value = |value: bool| Expression::Constant(value);
    let globals = program.globals().iter().zip(program.initial());
    let globals = globals
        .map(|(&id, initial)| Declared {
            name: variable_name(program, id),
            initial: initial.map(value),
            is_thread_local: false,
        })
        .collect();
    let procedures = program.procedures().ids().map(|id| procedure_tree(program, id)).collect();
    ProgramTree { globals, procedures }
}

fn variable_name(program: &Program, id: VariableId) -> Name {
    Name::new(&program.variables()[id].name)
}

/// One label per node.
fn node_label(node: NodeId) -> Name {
    Name::new(&format!("N{}", node.index()))
}

fn procedure_tree(program: &Program, id: ProcedureId) -> ProcedureTree {
    let procedure = &program.procedures()[id];
    let names = |ids: &[VariableId]| ids.iter().map(|&id| variable_name(program, id)).collect::<Vec<_>>();
    let parameters = names(&procedure.variables[..procedure.parameters]);
    let locals = names(&procedure.variables[procedure.parameters..]);
    let locals =
        locals.into_iter().map(|name| Declared { name, initial: None, is_thread_local: false }).collect();
    let mut body = Vec::new();
    for node in reachable_nodes(program, procedure.entry) {
        if node != procedure.exit {
            node_statements(program, node, &mut body);
        }
    }
    ProcedureTree {
        name: Name::new(&procedure.name),
        returns: procedure.returns,
        parameters,
        locals,
        enforced: Vec::new(),
        body,
    }
}

/// The nodes of a procedure that the graph leads to, the entry first, in the order of a search.
fn reachable_nodes(program: &Program, entry: NodeId) -> Vec<NodeId> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut order = Vec::new();
    let mut open = vec![entry];
    while let Some(node) = open.pop() {
        if !seen.insert(node) {
            continue;
        }
        order.push(node);
        for &edge in program.outgoing(node).iter().rev() {
            let edge = &program.edges()[edge];
            open.push(edge.to);
            if let Action::StartThread { at } = edge.action {
                open.push(at);
            }
        }
    }
    order
}

fn plain(labels: Vec<Name>, kind: StatementKind) -> Statement {
    Statement { labels, kind, span: Span::NOWHERE }
}

fn node_statements(program: &Program, node: NodeId, body: &mut Vec<Statement>) {
    let edges: Vec<&Edge> = program.outgoing(node).iter().map(|&edge| &program.edges()[edge]).collect();
    let mut labels = vec![node_label(node)];
    match edges[..] {
        // Nothing goes on from here.
        [] => body.push(plain(labels, StatementKind::Assume(Expression::Constant(false)))),
        [edge] => edge_statements(program, edge, labels, body),
        _ => {
            let way = |position: usize| Name::new(&format!("N{}.{position}", node.index()));
            let ways = (0..edges.len()).map(way).collect();
            body.push(plain(std::mem::take(&mut labels), StatementKind::Goto(ways)));
            for (position, edge) in edges.iter().enumerate() {
                edge_statements(program, edge, vec![way(position)], body);
            }
        }
    }
}

fn edge_statements(program: &Program, edge: &Edge, mut labels: Vec<Name>, body: &mut Vec<Statement>) {
    let to_expressions = |parts: &[Expr]| parts.iter().map(|part| expression(program, part)).collect();
    let is_plain = matches!(edge.action, Action::Assign { .. });
    if !is_plain && !edge.guard.is_true() {
        let guard = expression(program, &edge.guard);
        body.push(plain(std::mem::take(&mut labels), StatementKind::Assume(guard)));
    }
    let kind = match &edge.action {
        Action::Assign { assignments, constraint, passive } => {
            let mut assignments = assignments.clone();
            let mut joint = edge.guard.clone().and(constraint.clone());
            for rule in passive {
                assert!(rule.at.is_none(), "a rule about one place has no text");
                assignments.extend(rule.assignments.iter().cloned());
                joint = joint.and(rule.constraint.clone());
            }
            if assignments.is_empty() && joint.is_true() {
                StatementKind::Skip
            } else if assignments.is_empty() && constraint.is_true() && passive.is_empty() {
                StatementKind::Assume(expression(program, &joint))
            } else if assignments.is_empty() {
                StatementKind::Assign(vec![None], vec![Expression::Any], Some(expression(program, &joint)))
            } else {
                let targets = assignments.iter().map(|(id, _)| Some(variable_name(program, *id))).collect();
                let values = assignments.iter().map(|(_, value)| expression(program, value)).collect();
                let constraint = (!joint.is_true()).then(|| expression(program, &joint));
                StatementKind::Assign(targets, values, constraint)
            }
        }
        Action::Assert { condition } => StatementKind::Assert(expression(program, condition)),
        Action::Error { .. } => StatementKind::Assert(Expression::Constant(false)),
        Action::Call { callee, arguments, results } => {
            let results = results.iter().map(|result| result.map(|id| variable_name(program, id))).collect();
            let callee = Name::new(&program.procedures()[*callee].name);
            StatementKind::Call(results, callee, to_expressions(arguments))
        }
        Action::Return { values } => StatementKind::Return(to_expressions(values)),
        Action::Async { callee, arguments } => {
            let callee = Name::new(&program.procedures()[*callee].name);
            StatementKind::StartThread(ThreadStart::Procedure(callee, to_expressions(arguments)))
        }
        Action::StartThread { at } => StatementKind::StartThread(ThreadStart::Label(node_label(*at))),
        Action::EndThread => StatementKind::EndThread,
        Action::AtomicBegin => StatementKind::AtomicBegin,
        Action::AtomicEnd => StatementKind::AtomicEnd,
    };
    let ends = matches!(edge.action, Action::Return { .. } | Action::EndThread | Action::Error { .. });
    body.push(plain(labels, kind));
    if !ends {
        body.push(plain(Vec::new(), StatementKind::Goto(vec![node_label(edge.to)])));
    }
}

/// The expression with the names of its variables.
pub fn to_expression(program: &Program, expr: &Expr) -> Expression {
    expression(program, expr)
}

fn expression(program: &Program, expr: &Expr) -> Expression {
    let inner = |part: &Expr| Box::new(expression(program, part));
    match expr {
        Expr::Constant(value) => Expression::Constant(*value),
        Expr::Any => Expression::Any,
        Expr::Current(id) => Expression::Variable(variable_name(program, *id)),
        Expr::Next(id) => Expression::Next(variable_name(program, *id)),
        Expr::Not(part) => Expression::Not(inner(part)),
        Expr::And(parts) => chain(program, parts, true),
        Expr::Or(parts) => chain(program, parts, false),
        Expr::Xor(left, right) => Expression::Binary(Binary::Xor, inner(left), inner(right)),
        Expr::Ite(condition, then, otherwise) => {
            Expression::Conditional(inner(condition), inner(then), inner(otherwise))
        }
    }
}

fn chain(program: &Program, parts: &[Expr], is_and: bool) -> Expression {
    match parts {
        [] => Expression::Constant(is_and),
        [one] => expression(program, one),
        _ => {
            let parts = parts.iter().map(|part| expression(program, part)).collect();
            if is_and { Expression::And(parts) } else { Expression::Or(parts) }
        }
    }
}
