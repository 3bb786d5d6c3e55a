//! Puts steps into a program at the sites of a formula. Nodes and edges of the program keep their numbers.

use crate::sites::{Own, Site};
use base::Span;
use program::{
    Action, AssumeReason, BinaryOp, EdgeId, Expr, ExprKind, Graph, InitialData, InitialValue, NodeId, Place,
    Program, TypeId, TypeTable, UnaryOp, Variable, VariableId, VariableKind,
};
use std::sync::Arc;

/// Who says which steps are put where.
pub(crate) trait Weave {
    /// Does it put anything there?
    fn wants(&self, site: &Site) -> bool;
    /// Puts steps from one node to another, at a site.
    fn site(&mut self, body: &mut Graph, site: &Site, way: Gap);
    /// The same where control comes to a label of the formula; none where it does nothing there.
    fn label(&mut self, body: &mut Graph, name: &Arc<str>, way: Gap);
    /// The same at a node that endless runs pass again and again.
    fn cut(&mut self, body: &mut Graph, way: Gap);
    /// Does it put anything there?
    fn wants_cuts(&self) -> bool;
}

/// Two nodes between which steps are put.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gap {
    pub from: NodeId,
    pub to: NodeId,
    pub span: Span,
}

/// Puts steps at all sites of a body.
pub(crate) fn weave(body: &mut Graph, own: &Own, weaver: &mut dyn Weave) {
    for (&edge, sites) in &own.before {
        for site in sites.iter().filter(|site| weaver.wants(site)).cloned().collect::<Vec<_>>() {
            let way = before(body, edge);
            weaver.site(body, &site, way);
        }
    }
    for (&edge, sites) in &own.after {
        for site in sites.iter().rev().filter(|site| weaver.wants(site)).cloned().collect::<Vec<_>>() {
            let way = after(body, edge);
            weaver.site(body, &site, way);
        }
    }
    for (&node, name) in &own.labels {
        let way = on_coming_to(body, node);
        weaver.label(body, name, way);
    }
    if weaver.wants_cuts() {
        for &node in &own.cuts {
            let way = behind(body, node);
            weaver.cut(body, way);
        }
    }
}

/// The edge begins at a new node, and what leads there is to be put between.
fn before(body: &mut Graph, edge: EdgeId) -> Gap {
    let (from, span) = (body.edges[edge].from, body.edges[edge].span);
    let to = body.add_node(span);
    body.nodes[from].out.retain(|&out| out != edge);
    body.edges[edge].from = to;
    body.nodes[to].out.push(edge);
    Gap { from, to, span }
}

fn after(body: &mut Graph, edge: EdgeId) -> Gap {
    let (to, span) = (body.edges[edge].to, body.edges[edge].span);
    let from = body.add_node(span);
    body.nodes[to].into.retain(|&into| into != edge);
    body.edges[edge].to = from;
    body.nodes[from].into.push(edge);
    Gap { from, to, span }
}

fn on_coming_to(body: &mut Graph, node: NodeId) -> Gap {
    let span = body.nodes[node].span;
    let from = body.add_node(span);
    for edge in std::mem::take(&mut body.nodes[node].into) {
        body.edges[edge].to = from;
        body.nodes[from].into.push(edge);
    }
    if body.entry == node {
        body.entry = from;
    }
    Gap { from, to: node, span }
}

fn behind(body: &mut Graph, node: NodeId) -> Gap {
    let span = body.nodes[node].span;
    let to = body.add_node(span);
    for edge in std::mem::take(&mut body.nodes[node].out) {
        body.edges[edge].from = to;
        body.nodes[to].out.push(edge);
    }
    Gap { from: node, to, span }
}

/// Steps and expressions of one type of truth values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Truths {
    pub int: TypeId,
}

impl Truths {
    pub fn constant(self, value: bool, types: &TypeTable) -> Expr {
        Expr::integer(u128::from(value), self.int, types)
    }

    pub fn not(self, inner: Expr) -> Expr {
        Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(inner)), ty: self.int }
    }

    pub fn binary(self, op: BinaryOp, one: Expr, two: Expr) -> Expr {
        Expr { kind: ExprKind::Binary(op, Box::new(one), Box::new(two)), ty: self.int }
    }

    /// All of them; true for none.
    pub fn all(self, parts: impl IntoIterator<Item = Expr>, types: &TypeTable) -> Expr {
        let both = |one, two| self.binary(BinaryOp::BitAnd, one, two);
        parts.into_iter().reduce(both).unwrap_or_else(|| self.constant(true, types))
    }

    /// One of them; false for none.
    pub fn any(self, parts: impl IntoIterator<Item = Expr>, types: &TypeTable) -> Expr {
        let either = |one, two| self.binary(BinaryOp::BitOr, one, two);
        parts.into_iter().reduce(either).unwrap_or_else(|| self.constant(false, types))
    }
}

/// Goes one way if the condition holds, and another if it does not.
pub(crate) fn branch(
    body: &mut Graph,
    at: NodeId,
    condition: &Expr,
    (yes, no): (NodeId, NodeId),
    span: Span,
) {
    for (expected, to) in [(true, yes), (false, no)] {
        let reason = AssumeReason::Branch;
        body.add_edge(at, to, Action::Assume { condition: condition.clone(), expected, reason }, span);
    }
}

/// A variable of the program's that no C text can name, with a first value.
pub(crate) fn global(program: &mut Program, name: &str, ty: TypeId, first: u128) -> VariableId {
    let value = Expr::integer(first, ty, &program.types);
    let id = program.variables.push(Variable {
        name: Arc::from(name),
        ty: ty.into(),
        kind: VariableKind::Global,
        procedure: None,
        in_memory: false,
        is_file_local: true,
        is_thread_local: false,
        alignment: None,
        extra_bytes: 0,
        is_external: false,
        initial: Vec::new(),
        span: Span::NOWHERE,
    });
    let place = Place::variable(id, ty);
    program.variables[id].initial = vec![InitialValue { place, value: InitialData::Value(value) }];
    id
}
