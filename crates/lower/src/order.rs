//! Orders of evaluation that C leaves open. Operands are lowered from left to right; where another order may give
//! another result, what a run does has no known meaning from there on.
//!
//! Two operands conflict if one writes what the other reads or writes: a variable, a member behind the same pointer
//! variable, or, by the functions that they call, a global variable or memory of one kind. Functions that only add
//! constants to a counter do not conflict about it. What other functions without a body do, and calls through pointers,
//! is not looked at.

use crate::expression::has_side_effects;
use crate::function::FunctionLowering;
use crate::link::Linker;
use base::Span;
use csource::tree::{self, ExprKind as Tree};
use program::expr::{Access, ExprPart};
use program::{
    Action, BinaryOp, Callee, EdgeId, Expr, ExprKind, Origin, Place, PlaceBase, ProcedureId, Projection,
    RecordId, TypeId, VariableId, VariableKind,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Something that is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Thing {
    /// A variable, or a part of it.
    Variable(VariableId),
    /// A member of a variable, or of what a pointer variable points to.
    Part(VariableId, RecordId, u32),
    /// Such a member of any record, as a function that is called accesses it.
    Member(RecordId, u32),
    /// Anything of a type, as a function that is called accesses it through a pointer.
    OfType(TypeId),
}

/// What the evaluation of an operand does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Doings {
    reads: BTreeSet<Thing>,
    writes: BTreeSet<Thing>,
    /// Written by no more than adding a constant.
    counts: BTreeSet<Thing>,
    /// Read and written, as functions that are called may see it.
    seen_reads: BTreeSet<Thing>,
    seen_writes: BTreeSet<Thing>,
    /// Procedures that are called, each with the variables whose addresses it is given.
    calls: Vec<(ProcedureId, Vec<VariableId>)>,
}

/// Two operands whose order may matter, by what the functions do that they call.
#[derive(Clone, Debug)]
pub(crate) struct OpenOrder {
    procedure: ProcedureId,
    edge: EdgeId,
    one: Doings,
    two: Doings,
    span: Span,
}

const UNDEFINED: &str =
    "a variable that is changed and used in one expression, in an order that C leaves open,";
const UNSPECIFIED: &str =
    "a result that depends on the order of evaluation of operands, which C leaves open,";

impl FunctionLowering<'_> {
    /// The operands are about to be evaluated, in an order that C leaves open.
    pub fn in_any_order(&mut self, operands: &[&tree::Expr], span: Span) {
        let is_users = self.linker.procedures[self.procedure].origin == Origin::User;
        if !is_users || operands.len() < 2 || !operands.iter().any(|operand| has_side_effects(operand)) {
            return;
        }
        let doings: Vec<Doings> = operands.iter().map(|operand| self.doings(operand)).collect();
        for (at, one) in doings.iter().enumerate() {
            for two in &doings[at + 1..] {
                self.compare(one, two, span);
            }
        }
    }

    /// `target = value`, or an operator that also reads the target: the place is found and the value computed in any
    /// order, and the value must not change the target itself.
    pub fn assigned_in_any_order(
        &mut self,
        target: &tree::Expr,
        value_expr: &tree::Expr,
        reads: bool,
        span: Span,
    ) {
        let is_users = self.linker.procedures[self.procedure].origin == Origin::User;
        if !is_users || !(has_side_effects(target) || has_side_effects(value_expr)) {
            return;
        }
        let (mut place, value) = (self.place_doings(target), self.doings(value_expr));
        let mut unfinished = BTreeSet::new();
        self.add_unfinished(value_expr, &mut unfinished);
        if let Some(thing) = self.thing(target) {
            if unfinished.contains(&thing) {
                self.unsupported(UNDEFINED, span);
                return;
            }
            if reads {
                place.reads.insert(thing);
            }
        }
        if reads {
            place.seen_reads.extend(self.seen(target));
        }
        self.compare(&place, &value, span);
    }

    fn compare(&mut self, one: &Doings, two: &Doings, span: Span) {
        if one.conflicts_with(two) {
            self.unsupported(UNDEFINED, span);
        } else if !one.calls.is_empty() || !two.calls.is_empty() {
            let edge = self.graph.edges.len();
            self.emit(Action::Skip, span);
            let edge = self.graph.edges.ids().nth(edge).expect("it was just added");
            let (procedure, one, two) = (self.procedure, one.clone(), two.clone());
            self.linker.open_orders.push(OpenOrder { procedure, edge, one, two, span });
        }
    }

    /// What an expression writes that may not be written yet when its value is there.
    fn add_unfinished(&self, expr: &tree::Expr, writes: &mut BTreeSet<Thing>) {
        match &expr.kind {
            Tree::Assign(target, value) | Tree::CompoundAssign { target, value, .. } => {
                writes.extend(self.thing(target));
                self.add_unfinished(value, writes);
            }
            Tree::Increment { target, .. } => writes.extend(self.thing(target)),
            Tree::Unary(_, operand) | Tree::Cast { operand, .. } | Tree::Deref(operand) => {
                self.add_unfinished(operand, writes);
            }
            Tree::Binary(_, one, two)
            | Tree::PointerAdd { pointer: one, index: two, .. }
            | Tree::PointerDifference(one, two)
            | Tree::Conditional(_, one, two) => {
                self.add_unfinished(one, writes);
                self.add_unfinished(two, writes);
            }
            Tree::Comma(_, last)
            | Tree::LogicalAnd(_, last)
            | Tree::LogicalOr(_, last)
            | Tree::ConditionalOrElse(_, last) => self.add_unfinished(last, writes),
            _ => {}
        }
    }

    fn doings(&self, expr: &tree::Expr) -> Doings {
        let mut doings = Doings::default();
        self.add_value(expr, &mut doings);
        doings
    }

    fn place_doings(&self, expr: &tree::Expr) -> Doings {
        let mut doings = Doings::default();
        self.add_place(expr, &mut doings);
        doings
    }

    /// What finding out where an lvalue is does.
    fn add_place(&self, expr: &tree::Expr, doings: &mut Doings) {
        match &expr.kind {
            Tree::Deref(pointer) => self.add_value(pointer, doings),
            Tree::Member { base, .. } => self.add_place(base, doings),
            Tree::Variable(_) | Tree::String(_) => {}
            _ => self.add_value(expr, doings),
        }
    }

    fn add_value(&self, expr: &tree::Expr, doings: &mut Doings) {
        match &expr.kind {
            Tree::Variable(_) | Tree::Deref(_) | Tree::Member { .. } => {
                doings.reads.extend(self.thing(expr));
                doings.seen_reads.extend(self.seen(expr));
                if !matches!(expr.kind, Tree::Variable(_)) {
                    self.add_place(expr, doings);
                }
            }
            Tree::AddressOf(operand) | Tree::Decay(operand) => self.add_place(operand, doings),
            Tree::Unary(_, operand) | Tree::Cast { operand, .. } | Tree::VaArg(operand) => {
                self.add_value(operand, doings);
            }
            Tree::Binary(_, one, two)
            | Tree::PointerAdd { pointer: one, index: two, .. }
            | Tree::PointerDifference(one, two)
            | Tree::LogicalAnd(one, two)
            | Tree::LogicalOr(one, two)
            | Tree::ConditionalOrElse(one, two)
            | Tree::Comma(one, two) => {
                self.add_value(one, doings);
                self.add_value(two, doings);
            }
            Tree::Conditional(test, one, two) => {
                [test, one, two].into_iter().for_each(|part| self.add_value(part, doings));
            }
            Tree::Assign(target, value) => {
                self.add_place(target, doings);
                self.add_value(value, doings);
                doings.writes.extend(self.thing(target));
                doings.seen_writes.extend(self.seen(target));
            }
            Tree::CompoundAssign { target, value, .. } => {
                self.add_place(target, doings);
                self.add_value(value, doings);
                self.add_update(target, doings);
            }
            Tree::Increment { target, .. } => {
                self.add_place(target, doings);
                self.add_update(target, doings);
            }
            Tree::Call { callee, arguments } => {
                arguments.iter().for_each(|argument| self.add_value(argument, doings));
                match crate::call::direct_callee(callee) {
                    Some(function) => {
                        let procedure = self.linker.units[self.unit].procedures[function];
                        let given = arguments.iter().filter_map(|argument| self.address_given(argument));
                        doings.calls.push((procedure, given.collect()));
                    }
                    None => self.add_value(callee, doings),
                }
            }
            Tree::Builtin { arguments, .. } => {
                arguments.iter().for_each(|argument| self.add_value(argument, doings));
            }
            Tree::Integer(_)
            | Tree::Float(_)
            | Tree::Function(_)
            | Tree::String(_)
            | Tree::CompoundLiteral(..)
            | Tree::Statement(_)
            | Tree::SizeofVariable(_)
            | Tree::LabelAddress(_)
            | Tree::Unsupported(_) => {}
        }
    }

    fn add_update(&self, target: &tree::Expr, doings: &mut Doings) {
        let (thing, seen) = (self.thing(target), self.seen(target));
        doings.reads.extend(thing);
        doings.writes.extend(thing);
        doings.seen_reads.extend(seen);
        doings.seen_writes.extend(seen);
    }

    /// What an lvalue is to a function that is called.
    fn seen(&self, expr: &tree::Expr) -> Option<Thing> {
        match &expr.kind {
            Tree::Variable(_) => self.thing(expr),
            Tree::Member { base, record, field } => match &base.kind {
                Tree::Deref(_) => Some(Thing::Member(*record, *field)),
                _ => self.seen(base),
            },
            Tree::Deref(pointer) => {
                let array = match &stripped(pointer).kind {
                    Tree::PointerAdd { pointer, .. } => &stripped(pointer).kind,
                    other => other,
                };
                match array {
                    Tree::Decay(array) => self.seen(array),
                    _ => Some(Thing::OfType(expr.ty.id)),
                }
            }
            _ => None,
        }
    }

    /// What an lvalue designates, as far as two of them can be told to be the same.
    fn thing(&self, expr: &tree::Expr) -> Option<Thing> {
        match &expr.kind {
            Tree::Variable(id) => self.linker.units[self.unit].variables[*id].map(Thing::Variable),
            Tree::Member { base, record, field } => {
                let of = match &base.kind {
                    Tree::Deref(pointer) => stripped(pointer),
                    _ => base,
                };
                let Tree::Variable(_) = of.kind else { return None };
                match self.thing(of)? {
                    Thing::Variable(variable) => Some(Thing::Part(variable, *record, *field)),
                    _ => None,
                }
            }
            // Elements of an array are not told apart, so they are none of two that are the same.
            _ => None,
        }
    }

    /// The variable whose address an argument is.
    fn address_given(&self, argument: &tree::Expr) -> Option<VariableId> {
        match &stripped(argument).kind {
            Tree::AddressOf(operand) | Tree::Decay(operand) => match self.seen(operand)? {
                Thing::Variable(variable) => Some(variable),
                _ => None,
            },
            _ => None,
        }
    }
}

fn stripped(mut expr: &tree::Expr) -> &tree::Expr {
    while let Tree::Cast { operand, .. } = &expr.kind {
        expr = operand;
    }
    expr
}

impl Doings {
    fn conflicts_with(&self, other: &Doings) -> bool {
        let meets = |writes: &BTreeSet<Thing>, other: &Doings| {
            writes.iter().any(|thing| {
                other.reads.contains(thing) || other.writes.contains(thing) || other.counts.contains(thing)
            })
        };
        let counted = |counts: &BTreeSet<Thing>, other: &Doings| {
            counts.iter().any(|thing| other.reads.contains(thing) || other.writes.contains(thing))
        };
        meets(&self.writes, other)
            || meets(&other.writes, self)
            || counted(&self.counts, other)
            || counted(&other.counts, self)
    }

    /// What it does itself, as functions that are called may see it.
    fn as_seen(&self) -> Doings {
        let (reads, writes) = (self.seen_reads.clone(), self.seen_writes.clone());
        Doings { reads, writes, ..Doings::default() }
    }
}

/// Looks at all open orders once every body is there.
pub fn settle(linker: &mut Linker) {
    let open = std::mem::take(&mut linker.open_orders);
    if open.is_empty() {
        return;
    }
    let mut known = FxHashMap::default();
    for order in open {
        let (one, two) = (called(linker, &order.one, &mut known), called(linker, &order.two, &mut known));
        let conflict = one.conflicts_with(&two)
            || one.conflicts_with(&order.two.as_seen())
            || two.conflicts_with(&order.one.as_seen());
        if conflict && let Some(body) = &mut linker.procedures[order.procedure].body {
            body.edges[order.edge].action = Action::Unsupported(Arc::from(UNSPECIFIED));
            let place = linker.session.sources.location(order.span);
            let place = place.map_or_else(String::new, |at| at.to_string());
            linker.assume(
                program::AssumptionKind::Unsupported,
                &place,
                order.span,
                format!("{UNSPECIFIED} has no known meaning"),
            );
        }
    }
}

/// What the functions do that an operand calls.
fn called(linker: &Linker, doings: &Doings, known: &mut FxHashMap<ProcedureId, Doings>) -> Doings {
    let mut all = Doings::default();
    for (callee, given) in &doings.calls {
        let own = known.entry(*callee).or_insert_with(|| doings_of(linker, *callee)).clone();
        let is_behind = |thing: &Thing| matches!(thing, Thing::OfType(_) | Thing::Member(..));
        let given = given.iter().map(|&id| Thing::Variable(id));
        if own.writes.iter().chain(&own.counts).any(is_behind) {
            all.writes.extend(given);
        } else if own.reads.iter().any(is_behind) {
            all.reads.extend(given);
        }
        all.reads.extend(own.reads);
        all.writes.extend(own.writes);
        all.counts.extend(own.counts);
    }
    all
}

/// What calls of a procedure may do to what lives on.
fn doings_of(linker: &Linker, procedure: ProcedureId) -> Doings {
    let mut doings = Doings::default();
    let mut seen = BTreeSet::new();
    let mut open = vec![procedure];
    while let Some(id) = open.pop() {
        let callee = &linker.procedures[id];
        if !seen.insert(id) || callee.origin != Origin::User {
            continue;
        }
        let own_blocks = own_blocks(linker, id);
        for edge in callee.body.iter().flat_map(|body| &body.edges) {
            if let Action::Call { callee: Callee::Direct(next), .. } = &edge.action {
                open.push(*next);
            }
            if let Some(thing) = counted(linker, &edge.action) {
                doings.counts.insert(thing);
                continue;
            }
            edge.action.visit(&mut |part| {
                let ExprPart::Place(place, access) = part else { return };
                let is_own = matches!(&place.base, PlaceBase::Pointer(pointer)
                    if root(pointer).is_some_and(|id| own_blocks.contains(&id)));
                let Some(thing) = lasting(linker, place).filter(|_| !is_own) else { return };
                match access {
                    Access::Read => doings.reads.insert(thing),
                    Access::Write => doings.writes.insert(thing),
                    Access::Address => false,
                };
            });
        }
    }
    doings
}

/// Pointer variables of a procedure that point only to what the call itself allocated: nobody else knows of it yet.
fn own_blocks(linker: &Linker, procedure: ProcedureId) -> BTreeSet<VariableId> {
    let declared = &linker.procedures[procedure];
    let is_candidate = |id: &VariableId| {
        let variable = &linker.variables[*id];
        !variable.in_memory && linker.session.types.is_pointer(variable.ty.id)
    };
    let temporaries = linker.variables.iter_enumerated().filter(|(_, variable)| {
        variable.kind == VariableKind::Temporary && variable.procedure == Some(procedure)
    });
    let locals = declared.locals.iter().copied().chain(temporaries.map(|(id, _)| id));
    let mut own: BTreeSet<VariableId> = locals.filter(is_candidate).collect();
    loop {
        let mut lost = Vec::new();
        for edge in declared.body.iter().flat_map(|body| &body.edges) {
            let (target, is_kept) = match &edge.action {
                Action::Assign { target, value } => {
                    let is_null = value.as_integer() == Some(0);
                    (target, is_null || root(value).is_some_and(|id| own.contains(&id)))
                }
                Action::Call { result: Some(target), callee, .. } => (target, allocates(linker, callee)),
                Action::Havoc { target, .. } => (target, true),
                _ => continue,
            };
            lost.extend(target.as_variable().filter(|id| !is_kept && own.contains(id)));
        }
        if lost.is_empty() {
            return own;
        }
        lost.iter().for_each(|id| {
            own.remove(id);
        });
    }
}

fn allocates(linker: &Linker, callee: &Callee) -> bool {
    use program::Known::{Alloca, Calloc, Malloc};
    matches!(callee, Callee::Direct(id) if matches!(linker.procedures[*id].known, Some(Malloc | Calloc | Alloca)))
}

/// The variable that an address is computed from.
fn root(mut pointer: &Expr) -> Option<VariableId> {
    loop {
        match &pointer.kind {
            ExprKind::Cast(inner) | ExprKind::PointerOffset { pointer: inner, .. } => pointer = inner,
            ExprKind::Load(place) => return place.as_variable(),
            _ => return None,
        }
    }
}

/// What a place is, if it outlives the call.
fn lasting(linker: &Linker, place: &Place) -> Option<Thing> {
    match &place.base {
        PlaceBase::Variable(id) => {
            (linker.variables[*id].kind == VariableKind::Global).then_some(Thing::Variable(*id))
        }
        PlaceBase::Pointer(_) => Some(match place.path.last() {
            Some(Projection::Field(record, field)) => Thing::Member(*record, *field),
            _ => Thing::OfType(place.ty.id),
        }),
    }
}

/// `g = g + 1` and the like, of a place that outlives the call.
fn counted(linker: &Linker, action: &Action) -> Option<Thing> {
    let Action::Assign { target, value } = action else { return None };
    let mut value = value;
    while let ExprKind::Cast(inner) = &value.kind {
        value = inner;
    }
    let ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, one, two) = &value.kind else { return None };
    let is_target = |side: &Expr| {
        let mut side = side;
        while let ExprKind::Cast(inner) = &side.kind {
            side = inner;
        }
        matches!(&side.kind, ExprKind::Load(place) if place.base == target.base && place.path == target.path)
    };
    (is_target(one) && two.as_integer().is_some()).then(|| lasting(linker, target)).flatten()
}
