//! Memory outside of the program (`--unknown-pointers outside`): what a pointer leads to that the program never gave a
//! value, or that comes from outside, is supposed to be memory that the program uses in no other way.
//!
//! Which pointers these are, the points-to analysis says: those that no run without undefined behaviour can make lead to an
//! object of the program. Steps that follow them become others. Reading gives any value, an input with a name of its own;
//! writing changes nothing that the program sees; a pointer that is moved, the distance of two, or which of two comes first,
//! may be anything; a function called through one returns any value. That the pointer is not null is assumed where it
//! is followed. All parts of the old step are still evaluated, so that what is undefined in them stays so.
//!
//! A pointer that may lead to an object of the program as well is left as it is; so is a step that gives the address of such an
//! object to the outside, from where it could come back.
//!
//! Members of allocated records that are followed so are inputs from the allocation on ([`contents`]): runs can then be
//! given them.
//!
//! Worked example: `s = malloc(sizeof *s); if (s->next->size > 3) s->next->size = 0;`, where nobody writes `next`, becomes
//! `s = malloc(sizeof *s); assume(s->next != 0); size = input(); if (size > 3) { assume(s->next != 0); unused = 0; }`.

mod contents;

use base::Span;
use program::points_to::ObjectKind;
use program::rewrite::{self, Rewrite};
use program::{
    Action, AssumeReason, Assumption, AssumptionKind, BinaryOp, Callee, EdgeId, Expr, ExprKind, Graph,
    HavocSource, NodeId, Place, PlaceBase, PointsTo, ProcedureId, Program, Projection, RecordId, Type,
    TypeId, Variable, VariableId, VariableKind,
};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Places that the assumption names.
const MOST_NAMED: usize = 12;

/// What inputs that are read from outside are called, before what they are.
const OUTSIDE: &str = "outside: ";

/// Replaces the steps that follow such pointers.
pub fn settle(program: &mut Program) {
    let points_to = PointsTo::of(program);
    let mut begun: Vec<ProcedureId> = program.main.into_iter().collect();
    begun.extend(program.constructors.iter().chain(&program.destructors));
    begun.extend(program.addressed());
    let mut reached: Vec<ProcedureId> =
        base::graph::reachable(begun, |id| points_to.callees(program, id)).into_iter().collect();
    reached.sort_unstable();
    let mut followed = Followed::default();
    for &id in &reached {
        let Some(mut graph) = program.procedures[id].body.take() else { continue };
        let nodes: Vec<NodeId> = graph.nodes.ids().collect();
        for node in nodes {
            settle_node(program, &points_to, id, &mut graph, node, &mut followed);
        }
        program.procedures[id].body = Some(graph);
    }
    contents::fill(program, &points_to, &reached, &followed.members);
    let followed = followed.places;
    let Some((_, first)) = followed.first() else { return };
    let span = *first;
    let is_settled = |assumption: &Assumption| {
        assumption.kind == AssumptionKind::NoCallTarget
            && followed.iter().any(|(_, span)| *span == assumption.span)
    };
    program.assumptions.retain(|assumption| !is_settled(assumption));
    let mut names: Vec<String> = Vec::new();
    for (text, span) in &followed {
        let at = program.sources.location(*span).map_or_else(String::new, |at| format!(" at {at}"));
        let name = format!("`{text}`{at}");
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(MOST_NAMED);
    names.truncate(MOST_NAMED);
    let mut list = names.join(", ");
    if more > 0 {
        list.push_str(&format!(" and {more} more"));
    }
    let message = format!(
        "pointers that the program never gives a value, or that come from outside, are not null where they are followed and lead \
         to memory and functions that the program uses in no other way: reading, calling, moving or ordering gives any value, \
         writing changes nothing here (--unknown-pointers outside): {list}"
    );
    let kind = AssumptionKind::OutsideMemory;
    program.assumptions.push(Assumption { kind, subject: Arc::from("outside"), message, span });
}

/// The pointers to outside that are followed.
#[derive(Default)]
struct Followed {
    /// As they are written, and where.
    places: Vec<(String, Span)>,
    /// Those that are members of records.
    members: FxHashSet<(RecordId, u32)>,
}

/// Replaces what the steps from a node do.
fn settle_node(
    program: &mut Program,
    points_to: &PointsTo,
    procedure: ProcedureId,
    graph: &mut Graph,
    node: NodeId,
    followed: &mut Followed,
) {
    let out = graph.nodes[node].out.clone();
    let Some(&first) = out.first() else { return };
    let span = graph.edges[first].span;
    let mut action = graph.edges[first].action.clone();
    if gives_away(program, points_to, (procedure, first), &action) {
        return;
    }
    let is_call_outside = is_call_outside(program, points_to, (procedure, first), &action);
    let mut pass =
        Pass { program, points_to, procedure, span, before: Vec::new(), followed: Followed::default() };
    match (&mut action, &out[..]) {
        (Action::Call { result, callee: Callee::Indirect(pointer), arguments }, [_]) if is_call_outside => {
            let (result, mut pointer) = (result.take(), pointer.clone());
            let arguments = std::mem::take(arguments);
            action = pass.call(result, &mut pointer, arguments);
        }
        (_, [_]) => pass.action(&mut action),
        // Two sides of one branch.
        (Action::Assume { condition, .. }, [_, second]) => {
            let same = matches!(&graph.edges[*second].action, Action::Assume { condition: other, .. } if other == condition);
            if !same {
                return;
            }
            pass.expr(condition);
        }
        _ => return,
    }
    let (before, named) = (pass.before, pass.followed);
    if before.is_empty() {
        return;
    }
    followed.places.extend(named.places);
    followed.members.extend(named.members);
    let condition = match &action {
        Action::Assume { condition, .. } => Some(condition.clone()),
        _ => None,
    };
    match (condition, &out[..]) {
        (Some(new), [_, _]) => {
            for edge in &out {
                if let Action::Assume { condition, .. } = &mut graph.edges[*edge].action {
                    *condition = new.clone();
                }
            }
        }
        _ => graph.edges[first].action = action,
    }
    put_before(graph, node, &out, before, span);
}

/// Does it call through a pointer that leads to no function of the program?
fn is_call_outside(
    program: &Program,
    points_to: &PointsTo,
    (procedure, edge): (ProcedureId, EdgeId),
    action: &Action,
) -> bool {
    let Action::Call { callee: Callee::Indirect(pointer), .. } = action else { return false };
    points_to.targets(procedure, edge).is_empty() && is_outside(program, points_to, pointer)
}

/// Does a step write the address of an object of the program to the outside, or pass it on there?
fn gives_away(program: &Program, points_to: &PointsTo, at: (ProcedureId, EdgeId), action: &Action) -> bool {
    let is_own = |value: &Expr| match program.types.is_scalar(value.ty) {
        true => points_to
            .points_to(program, value)
            .iter()
            .any(|target| points_to.object(target.object) != ObjectKind::Unknown),
        false => has_pointers(program, value.ty),
    };
    match action {
        Action::Assign { target: Place { base: PlaceBase::Pointer(pointer), .. }, value } => {
            is_own(value) && is_outside(program, points_to, pointer)
        }
        Action::Call { arguments, .. } => {
            is_call_outside(program, points_to, at, action) && arguments.iter().any(is_own)
        }
        _ => false,
    }
}

fn has_pointers(program: &Program, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Pointer(_) => true,
        Type::Array(element, _) => has_pointers(program, element.id),
        Type::Record(id) => {
            program.types.records[*id].fields.iter().flatten().any(|field| has_pointers(program, field.ty.id))
        }
        _ => false,
    }
}

/// Makes some steps come before those that leave a node, however control gets there.
fn put_before(graph: &mut Graph, node: NodeId, out: &[EdgeId], before: Vec<Action>, span: Span) {
    graph.nodes[node].out.clear();
    let mut at = node;
    for action in before {
        let next = graph.add_node(span);
        graph.add_edge(at, next, action, span);
        at = next;
    }
    for &edge in out {
        graph.edges[edge].from = at;
    }
    graph.nodes[at].out = out.to_vec();
}

/// Can a pointer lead to no object of the program, whatever it is? One that is written as a number is what it says.
fn is_outside(program: &Program, points_to: &PointsTo, pointer: &Expr) -> bool {
    let mut inner = pointer;
    while let ExprKind::Cast(operand) = &inner.kind {
        inner = operand;
    }
    let is_named = matches!(
        inner.kind,
        ExprKind::Integer(_) | ExprKind::AddressOf(_) | ExprKind::FunctionAddress(_) | ExprKind::Zero
    ) && !is_address_outside(program, points_to, inner);
    let is_unknown =
        |target: &program::points_to::Target| points_to.object(target.object) == ObjectKind::Unknown;
    !is_named && points_to.points_to(program, pointer).iter().all(is_unknown)
}

/// The address of something that such a pointer leads to.
fn is_address_outside(program: &Program, points_to: &PointsTo, address: &Expr) -> bool {
    match &address.kind {
        ExprKind::AddressOf(place) => match &place.base {
            PlaceBase::Pointer(pointer) => is_outside(program, points_to, pointer),
            PlaceBase::Variable(_) => false,
        },
        _ => false,
    }
}

/// What becomes of one step, and the steps before it.
struct Pass<'p> {
    program: &'p mut Program,
    points_to: &'p PointsTo,
    procedure: ProcedureId,
    span: Span,
    before: Vec<Action>,
    followed: Followed,
}

impl Pass<'_> {
    fn is_outside(&self, pointer: &Expr) -> bool {
        self.program.types.is_pointer(pointer.ty) && is_outside(self.program, self.points_to, pointer)
    }

    /// The pointer by which a place lies outside.
    fn leads_outside(&self, place: &Place) -> bool {
        match &place.base {
            PlaceBase::Pointer(pointer) => self.is_outside(pointer),
            PlaceBase::Variable(_) => false,
        }
    }

    fn temporary(&mut self, ty: TypeId) -> Place {
        let is_scalar = self.program.types.is_scalar(ty);
        let id: VariableId = self.program.variables.push(Variable {
            name: Arc::from("tmp"),
            ty: ty.into(),
            kind: VariableKind::Temporary,
            procedure: Some(self.procedure),
            in_memory: !is_scalar,
            is_file_local: false,
            is_thread_local: false,
            alignment: None,
            extra_bytes: 0,
            is_external: false,
            initial: Vec::new(),
            span: self.span,
        });
        self.program.procedures[self.procedure].locals.push(id);
        Place::variable(id, ty)
    }

    /// Evaluates a value that nobody needs.
    fn evaluate(&mut self, value: Expr) {
        let target = self.temporary(value.ty);
        self.before.push(Action::Assign { target, value });
    }

    /// Any value of a type.
    fn any(&mut self, ty: TypeId, name: String) -> Expr {
        let target = self.temporary(ty);
        let source = HavocSource::Input(Arc::from(name));
        self.before.push(Action::Havoc { target: target.clone(), source });
        Expr::load(target)
    }

    /// What is evaluated and assumed where a place outside is accessed; its parts are rewritten already.
    fn reach(&mut self, place: &Place, text: &str) {
        for step in &place.path {
            if let Projection::Index(index) = step
                && index.as_integer().is_none()
            {
                self.evaluate((**index).clone());
            }
        }
        if let PlaceBase::Pointer(pointer) = &place.base {
            self.is_not_null((**pointer).clone(), text);
        }
    }

    fn is_not_null(&mut self, pointer: Expr, text: &str) {
        self.followed.places.push((text.to_owned(), self.span));
        if let ExprKind::Load(place) = &pointer.kind
            && let Some(&Projection::Field(record, member)) = place.path.last()
        {
            self.followed.members.insert((record, member));
        }
        let null = Expr::integer(0, pointer.ty, &self.program.types);
        let ty = self.program.types.int();
        let kind = ExprKind::Binary(BinaryOp::NotEqual, Box::new(pointer), Box::new(null));
        let condition = Expr { kind, ty };
        self.before.push(Action::Assume { condition, expected: true, reason: AssumeReason::User });
    }

    /// What a write goes to in place of a place outside.
    fn target(&mut self, place: &mut Place) {
        let (is_outside, text) = (self.leads_outside(place), self.program.show().place(place));
        rewrite::inside_place(self, place);
        if is_outside {
            self.reach(&place.clone(), &text);
            *place = self.temporary(place.ty.id);
        }
    }

    /// A call of a function that is not known: it returns any value, and changes nothing.
    fn call(&mut self, result: Option<Place>, pointer: &mut Expr, arguments: Vec<Expr>) -> Action {
        let text = self.program.show().expr(pointer);
        self.expr(pointer);
        self.is_not_null(pointer.clone(), &text);
        for mut argument in arguments {
            self.expr(&mut argument);
            self.evaluate(argument);
        }
        match result {
            None => Action::Skip,
            Some(mut target) => {
                self.target(&mut target);
                Action::Havoc { target, source: HavocSource::Input(Arc::from(format!("{OUTSIDE}{text}()"))) }
            }
        }
    }

    /// A value of a bit-field, or nothing where its range is not said so simply.
    fn cut(&self, place: &Place, value: Expr) -> Option<Expr> {
        let Some(field) = place.bit_field(&self.program.types) else { return Some(value) };
        let shape = self.program.types.integer_shape(place.ty.id)?;
        let width = field.bit_width?;
        if shape.signed || width >= 64 {
            return None;
        }
        let mask = Expr::integer((1 << width) - 1, place.ty.id, &self.program.types);
        let ty = value.ty;
        Some(Expr { kind: ExprKind::Binary(BinaryOp::BitAnd, Box::new(value), Box::new(mask)), ty })
    }
}

impl Rewrite for Pass<'_> {
    fn action(&mut self, action: &mut Action) {
        match action {
            Action::Assign { target, value } => {
                self.expr(value);
                self.target(target);
            }
            Action::Havoc { target, .. } => self.target(target),
            Action::Call { result, callee, arguments } => {
                self.callee(callee);
                arguments.iter_mut().for_each(|argument| self.expr(argument));
                if let Some(result) = result {
                    self.target(result);
                }
            }
            _ => rewrite::inside_action(self, action),
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        let text = |pass: &Self, expr: &Expr| pass.program.show().expr(expr);
        match &expr.kind {
            ExprKind::Load(place) if self.leads_outside(place) => {
                let named = text(self, expr);
                let ExprKind::Load(place) = &mut expr.kind else { return };
                let mut place = (**place).clone();
                rewrite::inside_place(self, &mut place);
                let before = self.before.len();
                self.reach(&place, &named);
                let value = self.any(place.ty.id, format!("{OUTSIDE}{named}"));
                match self.cut(&place, value) {
                    Some(value) => *expr = value,
                    None => {
                        self.before.truncate(before);
                        self.followed.places.pop();
                        *expr = Expr::load(place);
                    }
                }
            }
            ExprKind::AddressOf(place) if self.leads_outside(place) => {
                let named = text(self, expr);
                let ty = expr.ty;
                let mut place = (**place).clone();
                rewrite::inside_place(self, &mut place);
                match (&place.base, place.path.is_empty()) {
                    // `&*p` is `p`.
                    (PlaceBase::Pointer(pointer), true) => *expr = (**pointer).clone().cast(ty),
                    _ => {
                        self.reach(&place, &named);
                        *expr = self.moved(ty, named);
                    }
                }
            }
            ExprKind::PointerOffset { pointer, index } if self.is_outside(pointer) => {
                let named = text(self, expr);
                let (ty, mut pointer, mut index) = (expr.ty, (**pointer).clone(), (**index).clone());
                self.expr(&mut pointer);
                self.expr(&mut index);
                if index.as_integer() == Some(0) {
                    *expr = pointer;
                    return;
                }
                self.is_not_null(pointer, &named);
                self.evaluate(index);
                *expr = self.moved(ty, named);
            }
            ExprKind::PointerDifference(left, right) if self.is_outside(left) || self.is_outside(right) => {
                self.compared(expr);
            }
            ExprKind::Binary(op, left, right)
                if is_order(*op) && (self.is_outside(left) || self.is_outside(right)) =>
            {
                self.compared(expr);
            }
            _ => rewrite::inside_expr(self, expr),
        }
    }
}

fn is_order(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual)
}

impl Pass<'_> {
    /// A pointer that was moved: any, but not null.
    fn moved(&mut self, ty: TypeId, named: String) -> Expr {
        let moved = self.any(ty, format!("{OUTSIDE}{named}"));
        let null = Expr::integer(0, ty, &self.program.types);
        let int = self.program.types.int();
        let kind = ExprKind::Binary(BinaryOp::NotEqual, Box::new(moved.clone()), Box::new(null));
        let condition = Expr { kind, ty: int };
        self.before.push(Action::Assume { condition, expected: true, reason: AssumeReason::User });
        moved
    }

    /// How two pointers lie to each other.
    fn compared(&mut self, expr: &mut Expr) {
        let named = self.program.show().expr(expr);
        let (ty, is_truth) = (expr.ty, matches!(expr.kind, ExprKind::Binary(..)));
        let (ExprKind::PointerDifference(left, right) | ExprKind::Binary(_, left, right)) = &expr.kind else {
            return;
        };
        for mut side in [(**left).clone(), (**right).clone()] {
            self.expr(&mut side);
            self.evaluate(side);
        }
        self.followed.places.push((named.clone(), self.span));
        let name = format!("{OUTSIDE}{named}");
        *expr = if is_truth {
            let bool_type = self.program.types.bool();
            self.any(bool_type, name).cast(ty)
        } else {
            self.any(ty, name)
        };
    }
}
