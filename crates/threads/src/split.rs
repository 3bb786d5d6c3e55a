//! Steps of one shared access: every edge loads or stores at most one shared scalar (THREADS: a step is one visible
//! access). Loads go to temporaries in the order in which expressions are evaluated, left to right; stores take values
//! that are local by then.
//!
//! Records, bit-fields and copies of few bytes are divided further (`pieces`). What cannot be divided (unions, scalars
//! wider than a word) stays as it is and is told by [`is_whole`].

use crate::shared::Shared;
use base::{Id, Span};
use program::expr::{Access, ExprPart};
use program::points_to::{ObjectKind, Target};
use program::{
    Action, Callee, Edge, Expr, ExprKind, Graph, NodeId, Place, PlaceBase, PointsTo, ProcedureId, Program,
    Projection, Variable, VariableId, VariableKind,
};
use std::sync::Arc;

/// The program with at most one shared scalar access per edge.
pub fn split(program: &Program, points_to: &PointsTo, shared: &Shared) -> Program {
    let mut divided = program.clone();
    for id in program.procedures.ids() {
        let Some(body) = &program.procedures[id].body else { continue };
        // The analysis does not know what is added here: temporaries are nobody else's, what they point to may be anybody's.
        let is_shared = |place: &Place| match added(program, place) {
            None => shared.has(program, points_to, place),
            Some(is_behind) => is_behind,
        };
        // Bytes further on count too, so whole objects are compared.
        let may_alias = |one: &Place, other: &Place| {
            let (one, other) = (points_to.locations(program, one), points_to.locations(program, other));
            let is_known = |targets: &[Target]| {
                let is_open = |target: &Target| points_to.object(target.object) == ObjectKind::Unknown;
                !targets.is_empty() && !targets.iter().any(is_open)
            };
            let meets = |target: &Target| other.iter().any(|also| also.object == target.object);
            !is_known(&one) || !is_known(&other) || one.iter().any(meets)
        };
        let mut splitter = Splitter {
            divided: &mut divided,
            within: id,
            graph: copy_of_nodes(body),
            is_shared: &is_shared,
            may_alias: &may_alias,
        };
        for node in body.nodes.ids() {
            splitter.divide(body, node);
        }
        let graph = splitter.graph;
        divided.procedures[id].body = Some(graph);
    }
    divided
}

/// Is the place one that the program does not have: a temporary, or behind one?
fn added(program: &Program, place: &Place) -> Option<bool> {
    let count = program.variables.len();
    if let PlaceBase::Variable(id) = place.base
        && id.index() >= count
    {
        return Some(false);
    }
    let mut is_new = false;
    place.visit(Access::Read, &mut |part| {
        if let ExprPart::Place(Place { base: PlaceBase::Variable(id), .. }, _) = part {
            is_new |= id.index() >= count;
        }
    });
    is_new.then_some(true)
}

/// The same, with what is shared found out first: the program whose runs schedules are about.
pub fn divided(program: &Program) -> Program {
    let points_to = PointsTo::of(program);
    let shared = Shared::of(program, &points_to, &crate::Creations::of(program, &points_to));
    split(program, &points_to, &shared)
}

/// Can the place be loaded or stored in one step?
pub fn is_whole(program: &Program, place: &Place) -> bool {
    let types = &program.types;
    let word = u64::from(types.pointer_width() / 8);
    types.is_scalar(place.ty.id)
        && types.size_of(place.ty.id).is_some_and(|size| size <= word)
        && place.bit_field(types).is_none()
}

fn copy_of_nodes(body: &Graph) -> Graph {
    let mut graph = body.clone();
    graph.edges = base::IndexVec::new();
    for node in graph.nodes.iter_mut() {
        node.out.clear();
        node.into.clear();
    }
    graph
}

/// Divides the steps of one procedure.
pub(crate) struct Splitter<'s> {
    pub(crate) divided: &'s mut Program,
    within: ProcedureId,
    pub(crate) graph: Graph,
    pub(crate) is_shared: &'s dyn Fn(&Place) -> bool,
    pub(crate) may_alias: &'s dyn Fn(&Place, &Place) -> bool,
}

impl Splitter<'_> {
    /// The edges that leave a node, with what has to be loaded before.
    fn divide(&mut self, body: &Graph, node: NodeId) {
        let edges: Vec<&Edge> = body.out(node).map(|(_, edge)| edge).collect();
        // Both sides of a branch ask one condition, which is loaded once.
        if let [Edge { action: Action::Assume { condition, .. }, span, .. }, _, ..] = edges[..] {
            let mut at = node;
            let local = self.local(condition, &mut at, *span);
            for edge in edges {
                let Action::Assume { condition: own, expected, reason } = &edge.action else { continue };
                debug_assert_eq!(own, condition, "a branch asks one condition");
                let action =
                    Action::Assume { condition: local.clone(), expected: *expected, reason: *reason };
                self.graph.add_edge(at, edge.to, action, edge.span);
            }
            return;
        }
        for edge in edges {
            let mut at = node;
            let action = self.action(edge, &mut at);
            let (action, after) = self.with_local_result(action);
            match after {
                None => {
                    self.graph.add_edge(at, edge.to, action, edge.span);
                }
                Some(store) => {
                    let mut middle = self.graph.add_node(edge.span);
                    self.graph.add_edge(at, middle, action, edge.span);
                    let store = Edge { from: middle, to: edge.to, action: store, span: edge.span };
                    let last = self.action(&store, &mut middle);
                    self.graph.add_edge(middle, edge.to, last, edge.span);
                }
            }
        }
    }

    fn action(&mut self, edge: &Edge, at: &mut NodeId) -> Action {
        let span = edge.span;
        match &edge.action {
            Action::Skip | Action::Lifetime { .. } | Action::Unsupported(_) => edge.action.clone(),
            Action::Assume { condition, expected, reason } => Action::Assume {
                condition: self.local(condition, at, span),
                expected: *expected,
                reason: *reason,
            },
            Action::Assign { target, value } => {
                if let Some(last) = self.copy_in_pieces(target, value, at, span) {
                    return last;
                }
                if (self.is_shared)(target)
                    && let Some(last) = self.store_bits(target, value, at, span)
                {
                    return last;
                }
                // A load into a variable of the thread's own is a step of its own already.
                if let ExprKind::Load(place) = &value.kind
                    && (self.is_shared)(place)
                    && target.as_variable().is_some()
                    && place.bit_field(&self.divided.types).is_none()
                    && !(self.is_shared)(target)
                {
                    let place = self.local_place(place, at, span);
                    let value = Expr { kind: ExprKind::Load(Box::new(place)), ty: value.ty };
                    return Action::Assign { target: target.clone(), value };
                }
                let value = self.local(value, at, span);
                Action::Assign { target: self.local_place(target, at, span), value }
            }
            Action::Havoc { target, source } => {
                Action::Havoc { target: self.local_place(target, at, span), source: source.clone() }
            }
            Action::Call { result, callee, arguments } => {
                if let Some(last) = self.move_bytes(edge, at).or_else(|| self.copy_literal(edge, at)) {
                    return last;
                }
                Action::Call {
                    callee: match callee {
                        Callee::Direct(id) => Callee::Direct(*id),
                        Callee::Indirect(pointer) => Callee::Indirect(self.local(pointer, at, span)),
                    },
                    arguments: arguments.iter().map(|argument| self.local(argument, at, span)).collect(),
                    result: result.as_ref().map(|place| self.local_place(place, at, span)),
                }
            }
            Action::Return { value } => {
                Action::Return { value: value.as_ref().map(|value| self.local(value, at, span)) }
            }
            Action::Event { name, arguments } => Action::Event {
                name: name.clone(),
                arguments: arguments.iter().map(|argument| self.local(argument, at, span)).collect(),
            },
        }
    }

    /// A call whose result goes to something shared stores it in a step of its own.
    fn with_local_result(&mut self, action: Action) -> (Action, Option<Action>) {
        match action {
            Action::Call { result: Some(place), callee, arguments } if (self.is_shared)(&place) => {
                let temporary = self.temporary(place.ty.id, Span::NOWHERE);
                let value = Expr::load(Place::variable(temporary, place.ty.id));
                let result = Some(Place::variable(temporary, place.ty.id));
                (Action::Call { result, callee, arguments }, Some(Action::Assign { target: place, value }))
            }
            other => (other, None),
        }
    }

    /// The value with its shared loads made before.
    pub fn local(&mut self, value: &Expr, at: &mut NodeId, span: Span) -> Expr {
        if is_local(value, self.is_shared) {
            return value.clone();
        }
        let kind = match &value.kind {
            ExprKind::Load(place) => {
                let is_load = (self.is_shared)(place);
                let place = self.local_place(place, at, span);
                if is_load && let Some(value) = self.load_bits(&place, at, span) {
                    return value;
                }
                let load = Expr { kind: ExprKind::Load(Box::new(place)), ty: value.ty };
                return if is_load { self.keep(load, at, span) } else { load };
            }
            ExprKind::AddressOf(place) => ExprKind::AddressOf(Box::new(self.local_place(place, at, span))),
            ExprKind::Unary(op, operand) => ExprKind::Unary(*op, Box::new(self.local(operand, at, span))),
            ExprKind::Cast(operand) => ExprKind::Cast(Box::new(self.local(operand, at, span))),
            ExprKind::Binary(op, left, right) => {
                let left = Box::new(self.local(left, at, span));
                ExprKind::Binary(*op, left, Box::new(self.local(right, at, span)))
            }
            ExprKind::PointerDifference(left, right) => {
                let left = Box::new(self.local(left, at, span));
                ExprKind::PointerDifference(left, Box::new(self.local(right, at, span)))
            }
            ExprKind::PointerOffset { pointer, index } => {
                let pointer = Box::new(self.local(pointer, at, span));
                ExprKind::PointerOffset { pointer, index: Box::new(self.local(index, at, span)) }
            }
            leaf => leaf.clone(),
        };
        Expr { kind, ty: value.ty }
    }

    /// The place with the pointers and indices on its way loaded before.
    pub fn local_place(&mut self, place: &Place, at: &mut NodeId, span: Span) -> Place {
        let base = match &place.base {
            PlaceBase::Variable(id) => PlaceBase::Variable(*id),
            PlaceBase::Pointer(pointer) => PlaceBase::Pointer(Box::new(self.local(pointer, at, span))),
        };
        let step = |step: &Projection| match step {
            Projection::Field(record, index) => Projection::Field(*record, *index),
            Projection::Index(index) => Projection::Index(Box::new(self.local(index, at, span))),
        };
        Place { base, path: place.path.iter().map(step).collect(), ty: place.ty }
    }

    /// Computes the value in a step of its own, a record's in as many as it has members.
    pub fn keep(&mut self, value: Expr, at: &mut NodeId, span: Span) -> Expr {
        let ty = value.ty;
        let temporary = self.temporary(ty, span);
        let target = Place::variable(temporary, ty);
        if self.copy_in_pieces(&target, &value, at, span).is_some() {
            return Expr::load(target);
        }
        let next = self.graph.add_node(span);
        self.graph.add_edge(*at, next, Action::Assign { target: target.clone(), value }, span);
        *at = next;
        Expr::load(target)
    }

    fn temporary(&mut self, ty: program::TypeId, span: Span) -> VariableId {
        let id = self.divided.variables.push(Variable {
            name: Arc::from("tmp"),
            ty: ty.into(),
            kind: VariableKind::Temporary,
            procedure: Some(self.within),
            in_memory: !self.divided.types.is_scalar(ty),
            is_file_local: false,
            is_thread_local: false,
            alignment: None,
            extra_bytes: 0,
            is_external: false,
            initial: Vec::new(),
            span,
        });
        self.divided.procedures[self.within].locals.push(id);
        id
    }
}

/// Does evaluating the value load nothing shared?
fn is_local(value: &Expr, is_shared: &dyn Fn(&Place) -> bool) -> bool {
    let mut is_local = true;
    value.visit(&mut |part| {
        if let ExprPart::Place(place, Access::Read) = part {
            is_local &= !is_shared(place);
        }
    });
    is_local
}
