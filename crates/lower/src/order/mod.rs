//! Orders of evaluation that C leaves open. Operands are lowered from left to right; where another order may give
//! another result, what a run does has no known meaning from there on.
//!
//! Two operands conflict if one writes what the other reads or writes. What they touch themselves is compared in
//! `overlap`, at run time where the text does not tell; what the functions do that they call (a global variable, memory
//! of one kind, what functions of the library share) is known when all bodies are; see `effects`. Functions that only
//! add constants to a counter do not conflict about it. What other functions without a body do is not looked at.

mod effects;
mod promises;

use crate::link::Linker;

/// Looks at all open orders, and at what functions are declared to change, once every body is there.
pub fn settle(linker: &mut Linker) {
    promises::settle(linker);
    effects::settle(linker);
}

use crate::expression::has_side_effects;
use crate::function::FunctionLowering;
use crate::overlap::Touches;
use base::Span;
use csource::tree::{self, ExprKind as Tree, Initializer, PartValue, Statement};
use program::{Action, EdgeId, Origin, ProcedureId, RecordId, Type, TypeId, VariableId};
use std::collections::BTreeSet;

/// Something that is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Thing {
    /// A variable, or a part of it.
    Variable(VariableId),
    /// Such a member of any record, as a function that is called accesses it.
    Member(RecordId, u32),
    /// Anything of a type, as a function that is called accesses it through a pointer.
    OfType(TypeId),
    /// What functions of the library keep for themselves.
    Librarys(::library::Shared),
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

/// What a call leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    Procedure(ProcedureId),
    /// Any procedure whose address is taken and that can be called as one of this type.
    Through(TypeId),
}

/// A call.
#[derive(Clone, Debug)]
struct Called {
    goal: Goal,
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

/// Tells where `errno` is.
const ERRNO: &str = "__errno_location";

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
                let goal = match crate::call::direct_callee(callee) {
                    Some(function) => {
                        Some(Goal::Procedure(self.linker.units[self.unit].procedures[function]))
                    }
                    None => {
                        self.add_value(callee, doings);
                        self.called_through(callee.ty.id).map(Goal::Through)
                    }
                };
                let types = &self.linker.session.types;
                let pointers: Vec<_> = arguments
                    .iter()
                    .filter(|argument| !types.is_arithmetic(argument.ty.id))
                    .map(|argument| self.address_given(argument))
                    .collect();
                let given_is_all = pointers.iter().all(Option::is_some);
                let given: Vec<_> = pointers.into_iter().flatten().collect();
                doings.calls.extend(goal.map(|goal| Called { goal, given: given.clone(), given_is_all }));
                // What is given functions calls them.
                let functions =
                    arguments.iter().filter_map(|argument| self.called_through(stripped(argument).ty.id));
                doings.calls.extend(functions.map(|ty| Called {
                    goal: Goal::Through(ty),
                    given: given.clone(),
                    given_is_all: false,
                }));
            }
            Tree::Builtin { arguments, .. } => {
                arguments.iter().for_each(|argument| self.add_value(argument, doings));
            }
            Tree::Integer(_)
            | Tree::Float(_)
            | Tree::Function(_)
            | Tree::String(_)
            | Tree::SizeofVariable(_)
            | Tree::LabelAddress(_)
            | Tree::Unsupported(_) => {}
            Tree::CompoundLiteral(_, initializer) => self.add_initializer(initializer, doings),
            Tree::Statement(block) => self.add_statements(&block.statements, doings),
        }
    }

    fn add_statements(&self, statements: &[Statement], doings: &mut Doings) {
        for statement in statements {
            let parts = crate::parts::parts(statement);
            parts.exprs.into_iter().for_each(|part| self.add_value(part, doings));
            for written in parts.written {
                self.add_place(written, doings);
                doings.writes.extend(self.seen(written));
            }
            parts.initializer.into_iter().for_each(|part| self.add_initializer(part, doings));
            parts.inner.into_iter().for_each(|part| self.add_statements(std::slice::from_ref(part), doings));
        }
    }

    fn add_initializer(&self, initializer: &Initializer, doings: &mut Doings) {
        match initializer {
            Initializer::Value(value) => self.add_value(value, doings),
            Initializer::String(_) => {}
            Initializer::Parts(parts) => {
                for part in parts {
                    if let PartValue::Expr(value) = &part.value {
                        self.add_value(value, doings);
                    }
                }
            }
        }
    }

    /// The type of function that is called through a value of a type.
    fn called_through(&self, ty: TypeId) -> Option<TypeId> {
        let types = &self.linker.session.types;
        let ty = types.pointee(ty).map_or(ty, |pointee| pointee.id);
        matches!(types.get(ty), Type::Function(_)).then_some(ty)
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
            Tree::Deref(pointer) if self.is_errno(pointer) => Some(Thing::Librarys(::library::Shared::Errno)),
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

    fn is_errno(&self, pointer: &tree::Expr) -> bool {
        let Tree::Call { callee, .. } = &stripped(pointer).kind else { return false };
        crate::call::direct_callee(callee).is_some_and(|function| {
            let procedure = self.linker.units[self.unit].procedures[function];
            &*self.linker.procedures[procedure].name == ERRNO
        })
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
