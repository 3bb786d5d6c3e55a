//! Orders of evaluation that C leaves open. Operands are lowered from left to right; where another order may give
//! another result, what a run does has no known meaning from there on.
//!
//! Two operands conflict if one writes what the other reads or writes. What they touch themselves is compared in `overlap`,
//! at run time where the text does not tell; what the functions do that they call (a global variable, memory of one kind)
//! is known when all bodies are. Functions that only add constants to a counter do not conflict about it. What other
//! functions without a body do, and calls through pointers, is not looked at.

use crate::expression::has_side_effects;
use crate::function::FunctionLowering;
use crate::link::Linker;
use crate::overlap::Touches;
use base::Span;
use csource::tree::{self, ExprKind as Tree};
use program::expr::{Access, ExprPart};
use program::{
    Action, BinaryOp, Callee, EdgeId, Expr, ExprKind, Origin, Place, PlaceBase, ProcedureId, Projection,
    RecordId, Type, TypeId, VariableId, VariableKind,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Something that is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Thing {
    /// A variable, or a part of it.
    Variable(VariableId),
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
    calls: Vec<Called>,
    /// Is memory accessed through nothing but pointers that are parameters?
    only_behind_parameters: bool,
}

/// A procedure that is called.
#[derive(Clone, Debug)]
struct Called {
    callee: ProcedureId,
    /// Variables whose addresses it is given.
    given: Vec<VariableId>,
    /// Are these all pointers that it is given?
    given_is_all: bool,
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

pub(crate) const UNDEFINED: &str =
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
        let touches: Vec<Touches<'_>> = operands.iter().map(|operand| self.touches_of(operand)).collect();
        let doings: Vec<Doings> = operands.iter().map(|operand| self.doings(operand)).collect();
        for at in 0..operands.len() {
            for after in at + 1..operands.len() {
                self.keep_apart(&touches[at], &touches[after], span);
                self.compare_calls(&doings[at], &doings[after], span);
            }
        }
    }

    /// `target = value`, or an operator that also reads the target: the place is found and the value computed in any
    /// order, and the value must not change the target itself.
    pub fn assigned_in_any_order(
        &mut self,
        target: &tree::Expr,
        value: &tree::Expr,
        reads: bool,
        span: Span,
    ) {
        let is_users = self.linker.procedures[self.procedure].origin == Origin::User;
        if !is_users || !(has_side_effects(target) || has_side_effects(value)) {
            return;
        }
        let found = if reads { self.touches_of(target) } else { self.touches_of_place(target) };
        self.keep_apart(&found, &self.touches_of(value), span);
        self.keep_target_apart(target, &found, value);
        let mut place = self.place_doings(target);
        if reads {
            place.reads.extend(self.seen(target));
        }
        let value = self.doings(value);
        self.compare_calls(&place, &value, span);
    }

    fn compare_calls(&mut self, one: &Doings, two: &Doings, span: Span) {
        if !one.calls.is_empty() || !two.calls.is_empty() {
            let edge = self.graph.edges.len();
            self.emit(Action::Skip, span);
            let edge = self.graph.edges.ids().nth(edge).expect("it was just added");
            let (procedure, one, two) = (self.procedure, one.clone(), two.clone());
            self.linker.open_orders.push(OpenOrder { procedure, edge, one, two, span });
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
                doings.reads.extend(self.seen(expr));
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
                doings.writes.extend(self.seen(target));
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
                        let types = &self.linker.session.types;
                        let pointers: Vec<_> = arguments
                            .iter()
                            .filter(|argument| !types.is_arithmetic(argument.ty.id))
                            .map(|argument| self.address_given(argument))
                            .collect();
                        doings.calls.push(Called {
                            callee: procedure,
                            given_is_all: pointers.iter().all(Option::is_some),
                            given: pointers.into_iter().flatten().collect(),
                        });
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
        let seen = self.seen(target);
        doings.reads.extend(seen);
        doings.writes.extend(seen);
    }

    /// What an lvalue is to a function that is called.
    fn seen(&self, expr: &tree::Expr) -> Option<Thing> {
        match &expr.kind {
            Tree::Variable(id) => self.linker.units[self.unit].variables[*id].map(Thing::Variable),
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
    fn conflicts_with(&self, other: &Doings, linker: &Linker) -> bool {
        let meets = |writes: &BTreeSet<Thing>, other: &Doings| {
            [&other.reads, &other.writes, &other.counts].into_iter().any(|others| {
                writes.iter().any(|thing| others.contains(thing)) || alias(linker, writes, others)
            })
        };
        let counted = |counts: &BTreeSet<Thing>, other: &Doings| {
            [&other.reads, &other.writes].into_iter().any(|others| {
                counts.iter().any(|thing| others.contains(thing)) || alias(linker, counts, others)
            })
        };
        meets(&self.writes, other)
            || meets(&other.writes, self)
            || counted(&self.counts, other)
            || counted(&other.counts, self)
    }
}

/// Is a variable among the one that what is accessed through a pointer among the other may be (or the other way round)?
fn alias(linker: &Linker, one: &BTreeSet<Thing>, two: &BTreeSet<Thing>) -> bool {
    let is_inside = |variables: &BTreeSet<Thing>, behind: &BTreeSet<Thing>| {
        let behind: Vec<&Thing> =
            behind.iter().filter(|thing| !matches!(thing, Thing::Variable(_))).collect();
        !behind.is_empty()
            && variables.iter().any(|thing| {
                let Thing::Variable(id) = thing else { return false };
                let variable = &linker.variables[*id];
                variable.in_memory && behind.iter().any(|part| has_part(linker, variable.ty.id, part))
            })
    };
    is_inside(one, two) || is_inside(two, one)
}

/// Does an object of the type have such a part?
fn has_part(linker: &Linker, ty: TypeId, part: &Thing) -> bool {
    let types = &linker.session.types;
    if *part == Thing::OfType(ty) {
        return true;
    }
    match types.get(ty) {
        Type::Array(element, _) => has_part(linker, element.id, part),
        Type::Record(record) => {
            let fields = types.records[*record].fields.iter().flatten();
            matches!(part, Thing::Member(owner, _) if owner == record)
                || fields.into_iter().any(|field| has_part(linker, field.ty.id, part))
        }
        _ => false,
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
        let conflict = one.conflicts_with(&two, linker)
            || one.conflicts_with(&order.two, linker)
            || two.conflicts_with(&order.one, linker);
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
    let is_behind = |thing: &Thing| matches!(thing, Thing::OfType(_) | Thing::Member(..));
    for Called { callee, given, given_is_all } in &doings.calls {
        let mut own = known.entry(*callee).or_insert_with(|| doings_of(linker, *callee)).clone();
        let given = given.iter().map(|&id| Thing::Variable(id));
        if own.writes.iter().chain(&own.counts).any(is_behind) {
            all.writes.extend(given);
        } else if own.reads.iter().any(is_behind) {
            all.reads.extend(given);
        }
        if *given_is_all && own.only_behind_parameters {
            [&mut own.reads, &mut own.writes, &mut own.counts]
                .into_iter()
                .for_each(|things| things.retain(|thing| !is_behind(thing)));
        }
        all.reads.extend(own.reads);
        all.writes.extend(own.writes);
        all.counts.extend(own.counts);
    }
    all
}

/// What calls of a procedure may do to what lives on.
fn doings_of(linker: &Linker, procedure: ProcedureId) -> Doings {
    let mut doings = Doings { only_behind_parameters: true, ..Doings::default() };
    let parameters = lasting_parameters(linker, procedure);
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
            let goes_elsewhere = |place: &Place| {
                let is_given = |pointer: &Expr| root(pointer).is_some_and(|id| parameters.contains(&id));
                matches!(&place.base, PlaceBase::Pointer(pointer) if id != procedure || !is_given(pointer))
            };
            if let Some(thing) = counted(linker, &edge.action) {
                if let Action::Assign { target, .. } = &edge.action {
                    doings.only_behind_parameters &= !goes_elsewhere(target);
                }
                doings.counts.insert(thing);
                continue;
            }
            edge.action.visit(&mut |part| {
                let ExprPart::Place(place, access) = part else { return };
                let is_own = matches!(&place.base, PlaceBase::Pointer(pointer)
                    if root(pointer).is_some_and(|id| own_blocks.contains(&id)));
                let Some(thing) = lasting(linker, place).filter(|_| !is_own) else { return };
                doings.only_behind_parameters &= access == Access::Address || !goes_elsewhere(place);
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

/// Pointers that are parameters and are moved at most.
fn lasting_parameters(linker: &Linker, procedure: ProcedureId) -> BTreeSet<VariableId> {
    let declared = &linker.procedures[procedure];
    let is_candidate = |id: &VariableId| {
        let variable = &linker.variables[*id];
        !variable.in_memory && linker.session.types.is_pointer(variable.ty.id)
    };
    let mut lasting: BTreeSet<VariableId> =
        declared.parameters.iter().copied().filter(is_candidate).collect();
    for edge in declared.body.iter().flat_map(|body| &body.edges) {
        let written = match &edge.action {
            Action::Assign { target, value } => target.as_variable().filter(|id| root(value) != Some(*id)),
            Action::Call { result: Some(target), .. } | Action::Havoc { target, .. } => target.as_variable(),
            _ => None,
        };
        if let Some(id) = written {
            lasting.remove(&id);
        }
    }
    lasting
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
