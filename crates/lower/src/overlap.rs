//! Do two operands, of which C leaves the order open, touch the same memory themselves? What the functions do that they
//! call is looked at in `order`.
//!
//! Lvalues are compared by where they begin (a variable, or what a pointer points to) and the members and elements from
//! there on. Two that cannot be told apart in the text (`a[i]` and `a[j]`, `*p` and `*q`) are compared when a run gets
//! there: their addresses are computed before the operands and only if they differ does the run go on with a known
//! meaning. Where an address cannot be computed before (its own parts change on the way, or it is looked at on a
//! condition only), they count as the same.
//!
//! Worked example: in `f(a[i], a[j] = 7)` one operand reads `a[i]` and another writes `a[j]`. Before both, the run
//! computes `i == j`: where it is true, what the call gets is open; where it is not, the order does not matter.
//! Twin: `concord`'s test `order`, whose programs have the answers that all orders give together.

use crate::expression::has_side_effects;
use crate::function::FunctionLowering;
use crate::order::UNDEFINED;
use crate::parts::parts;
use base::Span;
use csource::syntax::RecordKind;
use csource::tree::{self, ExprKind as Tree, Initializer, PartValue, Statement};
use csource::types::{RecordId, Type, TypeId};
use program::{BinaryOp, Expr, ExprKind};

/// An lvalue that an operand reads or writes.
#[derive(Clone, Copy)]
struct Touched<'t> {
    lvalue: &'t tree::Expr,
    /// Is it touched whenever the operand is evaluated?
    is_certain: bool,
    /// Is it written by a function of the library that is given its address? Other pointers are taken not to lead
    /// there.
    is_given: bool,
}

impl<'t> Touched<'t> {
    fn new(lvalue: &'t tree::Expr, is_certain: bool) -> Touched<'t> {
        Touched { lvalue, is_certain, is_given: false }
    }
}

/// What an operand does itself.
#[derive(Default)]
pub(crate) struct Touches<'t> {
    reads: Vec<Touched<'t>>,
    writes: Vec<Touched<'t>>,
    /// Does it call anything? Then other memory may change too.
    calls: bool,
}

/// May two lvalues be the same?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Overlap {
    /// They never share a byte.
    Never,
    /// They do if they begin at the same address.
    AtSameAddress,
    /// They do, or it cannot be told.
    NotExcluded,
}

/// Where an lvalue begins.
enum Root<'t> {
    Variable(tree::VariableId),
    /// What a pointer points to.
    Behind(&'t tree::Expr),
    /// A value that nothing else can name.
    Fresh,
}

/// A step from there. The index of an element is known if it is constant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Member(RecordId, u32),
    Element(Option<u128>),
}

struct Location<'t> {
    root: Root<'t>,
    steps: Vec<Step>,
    ty: TypeId,
    /// Is it looked at through another type than it has there?
    is_cast: bool,
}

impl FunctionLowering<'_> {
    /// The operands are about to be evaluated in an order that C leaves open: a run in which one writes what another
    /// reads or writes has no known meaning.
    pub(crate) fn keep_apart(&mut self, one: &Touches<'_>, two: &Touches<'_>, span: Span) {
        let pairs = one.writes.iter().flat_map(|written| {
            let others = two.reads.iter().chain(&two.writes);
            others.map(move |other| (*written, *other))
        });
        let others =
            two.writes.iter().flat_map(|written| one.reads.iter().map(move |other| (*other, *written)));
        let mut compared: Vec<(Touched<'_>, Touched<'_>)> = Vec::new();
        for (first, second) in pairs.chain(others) {
            let is_given = first.is_given || second.is_given;
            match self.overlap(first.lvalue, second.lvalue) {
                Overlap::Never => {}
                _ if is_given && !self.have_one_variable(first.lvalue, second.lvalue) => {}
                Overlap::AtSameAddress
                    if self.can_be_found_before(first, one, two)
                        && self.can_be_found_before(second, two, one) =>
                {
                    compared.push((first, second));
                }
                _ => return self.unsupported(UNDEFINED, span),
            }
        }
        for (first, second) in compared {
            self.go_on_if_apart(first.lvalue, second.lvalue, span);
        }
    }

    /// An assignment is about to write its target. What its value writes (`*p = (*q)++`) must be something else, as C
    /// does not say which is written last. A value that is itself an assignment writes what is written again.
    pub(crate) fn keep_target_apart(&mut self, target: &tree::Expr, place: &Touches<'_>, value: &tree::Expr) {
        let mut unfinished = Vec::new();
        add_unfinished(value, &mut unfinished);
        if unfinished.is_empty() {
            return;
        }
        let target = Touched::new(target, true);
        let unfinished = Touches { writes: unfinished, ..self.touches_of(value) };
        let target = Touches {
            reads: Vec::new(),
            writes: vec![target],
            calls: place.calls || unfinished.calls || !place.writes.is_empty(),
        };
        let writes_only = Touches { reads: Vec::new(), writes: unfinished.writes, calls: unfinished.calls };
        self.keep_apart(&target, &writes_only, value.span);
    }

    fn go_on_if_apart(&mut self, one: &tree::Expr, two: &tree::Expr, span: Span) {
        let void = self.linker.session.types.void();
        let void = self.linker.session.types.pointer(void);
        let [one, two] = [one, two].map(|lvalue| {
            let place = self.place(lvalue);
            let address = self.address_of(place);
            if address.ty == void { address } else { address.cast(void) }
        });
        let condition =
            Expr { kind: ExprKind::Binary(BinaryOp::Equal, Box::new(one), Box::new(two)), ty: self.int() };
        let (same, apart) = (self.graph.add_node(span), self.graph.add_node(span));
        self.branch_on(condition, same, apart, span);
        self.current = same;
        self.unsupported(UNDEFINED, span);
        self.emit_to(apart, program::Action::Skip, span);
        self.current = apart;
    }

    /// Can the address be computed before the operands, and stays what it is until it is used?
    fn can_be_found_before(&self, touched: Touched<'_>, own: &Touches<'_>, other: &Touches<'_>) -> bool {
        let lvalue = touched.lvalue;
        if !touched.is_certain || address_has_effects(lvalue) || self.is_bit_field(lvalue) {
            return false;
        }
        let mut needed = Touches::default();
        self.touch_place(lvalue, true, &mut needed);
        let calls = own.calls || other.calls;
        needed.reads.iter().all(|read| {
            let is_changed = || {
                let mut writes = own.writes.iter().chain(&other.writes);
                writes.any(|written| self.overlap(read.lvalue, written.lvalue) != Overlap::Never)
            };
            let qualifiers = read.lvalue.ty.qualifiers;
            let may_change_elsewhere = calls && self.is_seen_by_calls(read.lvalue);
            !(qualifiers.is_volatile || qualifiers.is_atomic || may_change_elsewhere || is_changed())
        })
    }

    /// May a function that is called change it?
    fn is_seen_by_calls(&self, lvalue: &tree::Expr) -> bool {
        let Tree::Variable(id) = lvalue.kind else { return true };
        let variable = &self.linker.units[self.unit].unit.variables[id];
        variable.address_taken || !matches!(variable.storage, tree::Storage::Local | tree::Storage::Parameter)
    }

    fn is_bit_field(&self, lvalue: &tree::Expr) -> bool {
        let Tree::Member { record, field, .. } = lvalue.kind else { return false };
        let fields = self.linker.session.types.records[record].fields.as_ref();
        fields.is_some_and(|fields| fields[field as usize].bit_width.is_some())
    }

    fn overlap(&self, one: &tree::Expr, two: &tree::Expr) -> Overlap {
        let (one, two) = (self.location(one), self.location(two));
        match (&one.root, &two.root) {
            (Root::Fresh, _) | (_, Root::Fresh) => Overlap::Never,
            (Root::Variable(a), Root::Variable(b)) if !self.are_one_variable(*a, *b) => Overlap::Never,
            (Root::Variable(_), Root::Variable(_)) => self.overlap_by_steps(&one, &two),
            (Root::Variable(id), Root::Behind(_)) | (Root::Behind(_), Root::Variable(id)) => {
                if self.can_be_pointed_to(*id) { self.overlap_by_type(&one, &two) } else { Overlap::Never }
            }
            (Root::Behind(a), Root::Behind(b)) if are_one_pointer(a, b) => self.overlap_by_steps(&one, &two),
            // Two members of one kind of structure, or of two kinds, wherever the pointers lead.
            (Root::Behind(_), Root::Behind(_)) => match (&one.steps[..], &two.steps[..]) {
                ([_, Step::Member(a, x), ..], [_, Step::Member(b, y), ..])
                    if !one.is_cast && !two.is_cast && self.are_apart((*a, *x), (*b, *y)) =>
                {
                    Overlap::Never
                }
                _ => self.overlap_by_type(&one, &two),
            },
        }
    }

    /// Both begin at the same place.
    fn overlap_by_steps(&self, one: &Location<'_>, two: &Location<'_>) -> Overlap {
        if one.is_cast || two.is_cast {
            return Overlap::NotExcluded;
        }
        let mut is_open = false;
        for (a, b) in one.steps.iter().zip(&two.steps) {
            match (a, b) {
                (Step::Member(r, x), Step::Member(s, y)) if r == s => {
                    if x != y {
                        let is_apart = self.is_structure(*r);
                        return if is_apart { Overlap::Never } else { Overlap::NotExcluded };
                    }
                }
                (Step::Element(Some(x)), Step::Element(Some(y))) => {
                    if x != y {
                        return Overlap::Never;
                    }
                }
                (Step::Element(_), Step::Element(_)) => is_open = true,
                _ => return Overlap::NotExcluded,
            }
        }
        if !is_open || one.steps.len() != two.steps.len() {
            return Overlap::NotExcluded;
        }
        self.overlap_by_type(one, two)
    }

    /// Scalars of one size share all their bytes or none. Others are taken to be what they are declared as, so that
    /// they begin at the same address or are apart.
    fn overlap_by_type(&self, one: &Location<'_>, two: &Location<'_>) -> Overlap {
        let types = &self.linker.session.types;
        let size = |ty| types.size_of(ty);
        let both_scalar = types.is_scalar(one.ty) && types.is_scalar(two.ty);
        let has_byte = size(one.ty) == Some(1) || size(two.ty) == Some(1);
        if both_scalar && (size(one.ty) == size(two.ty) || !has_byte) {
            Overlap::AtSameAddress
        } else {
            Overlap::NotExcluded
        }
    }

    /// Do two members of what two pointers point to never share a byte, if both are what they are declared to be?
    fn are_apart(&self, (a, x): (RecordId, u32), (b, y): (RecordId, u32)) -> bool {
        let both = self.is_structure(a) && self.is_structure(b);
        both && if a == b { x != y } else { !self.is_part(a, b) && !self.is_part(b, a) }
    }

    /// Does the outer record contain the inner one?
    fn is_part(&self, inner: RecordId, outer: RecordId) -> bool {
        let types = &self.linker.session.types;
        types.records[outer].fields.iter().flatten().any(|field| {
            let mut ty = field.ty.id;
            while let Type::Array(element, _) = types.get(ty) {
                ty = element.id;
            }
            types.record_id(ty).is_some_and(|record| record == inner || self.is_part(inner, record))
        })
    }

    fn is_structure(&self, record: RecordId) -> bool {
        self.linker.session.types.records[record].kind == RecordKind::Struct
    }

    fn are_one_variable(&self, one: tree::VariableId, two: tree::VariableId) -> bool {
        let known = &self.linker.units[self.unit].variables;
        one == two || known[one].is_some() && known[one] == known[two]
    }

    /// Are both parts of one variable by name?
    fn have_one_variable(&self, one: &tree::Expr, two: &tree::Expr) -> bool {
        matches!(
            (self.location(one).root, self.location(two).root),
            (Root::Variable(a), Root::Variable(b)) if self.are_one_variable(a, b)
        )
    }

    fn can_be_pointed_to(&self, id: tree::VariableId) -> bool {
        let unit = &self.linker.units[self.unit];
        unit.unit.variables[id].address_taken
            || unit.variables[id].is_some_and(|known| self.linker.variables[known].in_memory)
    }

    fn location<'t>(&self, lvalue: &'t tree::Expr) -> Location<'t> {
        let ty = lvalue.ty.id;
        match &lvalue.kind {
            Tree::Variable(id) => {
                Location { root: Root::Variable(*id), steps: Vec::new(), ty, is_cast: false }
            }
            Tree::Member { base, record, field } => {
                let mut location = self.location(base);
                location.steps.push(Step::Member(*record, *field));
                Location { ty, ..location }
            }
            Tree::Deref(pointer) => self.behind(pointer, ty),
            _ => Location { root: Root::Fresh, steps: Vec::new(), ty, is_cast: false },
        }
    }

    /// What a pointer points to, as far as the text tells.
    fn behind<'t>(&self, pointer: &'t tree::Expr, ty: TypeId) -> Location<'t> {
        let moved = stripped(pointer);
        let (start, index) = match &moved.kind {
            Tree::PointerAdd { pointer, index, backwards: false } => (stripped(pointer), Some(&**index)),
            _ => (moved, None),
        };
        let constant = match index.map(|index| &stripped(index).kind) {
            None => Some(0),
            Some(Tree::Integer(bits)) => Some(*bits),
            Some(_) => None,
        };
        let leads_elsewhere = |pointer: &tree::Expr| {
            self.linker.session.types.pointee(pointer.ty.id).is_none_or(|pointee| pointee.id != ty)
        };
        let is_cast = leads_elsewhere(moved) || leads_elsewhere(start);
        match (&start.kind, index) {
            (Tree::Decay(array), _) if array.is_lvalue() => {
                let mut location = self.location(array);
                location.steps.push(Step::Element(constant));
                Location { ty, is_cast: is_cast || location.is_cast, ..location }
            }
            (Tree::AddressOf(object), None) if object.is_lvalue() => {
                let location = self.location(object);
                Location { ty, is_cast: is_cast || location.is_cast, ..location }
            }
            _ => Location { root: Root::Behind(start), steps: vec![Step::Element(constant)], ty, is_cast },
        }
    }

    /// What evaluating an expression for its value touches.
    pub(crate) fn touches_of<'t>(&self, expr: &'t tree::Expr) -> Touches<'t> {
        let mut touches = Touches::default();
        self.touch_value(expr, true, &mut touches);
        touches
    }

    /// What finding out where an lvalue is touches.
    pub(crate) fn touches_of_place<'t>(&self, expr: &'t tree::Expr) -> Touches<'t> {
        let mut touches = Touches::default();
        self.touch_place(expr, true, &mut touches);
        touches
    }

    fn touch_place<'t>(&self, expr: &'t tree::Expr, is_certain: bool, touches: &mut Touches<'t>) {
        match &expr.kind {
            Tree::Deref(pointer) => self.touch_value(pointer, is_certain, touches),
            Tree::Member { base, .. } => self.touch_place(base, is_certain, touches),
            Tree::Variable(_) | Tree::String(_) => {}
            _ => self.touch_value(expr, is_certain, touches),
        }
    }

    fn touch_value<'t>(&self, expr: &'t tree::Expr, is_certain: bool, touches: &mut Touches<'t>) {
        match &expr.kind {
            Tree::Variable(_) | Tree::Deref(_) | Tree::Member { .. } => {
                touches.reads.push(Touched::new(expr, is_certain));
                self.touch_place(expr, is_certain, touches);
            }
            Tree::AddressOf(operand) | Tree::Decay(operand) => self.touch_place(operand, is_certain, touches),
            Tree::Unary(_, operand) | Tree::Cast { operand, .. } => {
                self.touch_value(operand, is_certain, touches)
            }
            Tree::VaArg(operand) => {
                self.touch_value(operand, is_certain, touches);
                touches.calls = true;
            }
            Tree::Binary(_, one, two)
            | Tree::PointerAdd { pointer: one, index: two, .. }
            | Tree::PointerDifference(one, two)
            | Tree::Comma(one, two) => {
                self.touch_value(one, is_certain, touches);
                self.touch_value(two, is_certain, touches);
            }
            Tree::LogicalAnd(one, two) | Tree::LogicalOr(one, two) | Tree::ConditionalOrElse(one, two) => {
                self.touch_value(one, is_certain, touches);
                self.touch_value(two, false, touches);
            }
            Tree::Conditional(test, one, two) => {
                self.touch_value(test, is_certain, touches);
                self.touch_value(one, false, touches);
                self.touch_value(two, false, touches);
            }
            Tree::Assign(target, value) | Tree::CompoundAssign { target, value, .. } => {
                self.touch_place(target, is_certain, touches);
                self.touch_value(value, is_certain, touches);
                touches.writes.push(Touched::new(target, is_certain));
            }
            Tree::Increment { target, .. } => {
                self.touch_place(target, is_certain, touches);
                touches.writes.push(Touched::new(target, is_certain));
            }
            Tree::Call { callee, arguments } => {
                arguments.iter().for_each(|argument| self.touch_value(argument, is_certain, touches));
                if crate::call::direct_callee(callee).is_none() {
                    self.touch_value(callee, is_certain, touches);
                }
                self.touch_given(callee, arguments, touches);
                touches.calls = true;
            }
            Tree::Builtin { arguments, .. } => {
                arguments.iter().for_each(|argument| self.touch_value(argument, is_certain, touches));
                touches.calls = true;
            }
            Tree::Statement(block) => self.touch_statements(&block.statements, touches),
            Tree::CompoundLiteral(_, initializer) => self.touch_initializer(initializer, is_certain, touches),
            Tree::Integer(_)
            | Tree::Float(_)
            | Tree::Function(_)
            | Tree::String(_)
            | Tree::SizeofVariable(_)
            | Tree::LabelAddress(_)
            | Tree::Unsupported(_) => {}
        }
    }

    /// A function of the library may write to the variables whose addresses it is given, but through pointers to
    /// `const`. What functions of the program do is known when all bodies are.
    fn touch_given<'t>(&self, callee: &tree::Expr, arguments: &'t [tree::Expr], touches: &mut Touches<'t>) {
        let is_librarys = crate::call::direct_callee(callee).is_some_and(|function| {
            let procedure = self.linker.units[self.unit].procedures[function];
            let procedure = &self.linker.procedures[procedure];
            let is_known = || {
                program::Known::by_name(&procedure.name).is_some()
                    || crate::library::has_model(&procedure.name)
            };
            procedure.body.is_none() && is_known()
        });
        if !is_librarys {
            return;
        }
        let types = &self.linker.session.types;
        for argument in arguments {
            let writes = types.pointee(argument.ty.id).is_some_and(|to| !types.is_constant(to));
            if let Tree::AddressOf(lvalue) | Tree::Decay(lvalue) = &stripped(argument).kind
                && writes
                && lvalue.is_lvalue()
                && !self.is_function_type(lvalue.ty.id)
            {
                touches.writes.push(Touched { lvalue, is_certain: false, is_given: true });
            }
        }
    }

    fn touch_statements<'t>(&self, statements: &'t [Statement], touches: &mut Touches<'t>) {
        for statement in statements {
            let parts = parts(statement);
            touches.writes.extend(parts.written.into_iter().map(|written| Touched::new(written, false)));
            parts.initializer.into_iter().for_each(|part| self.touch_initializer(part, false, touches));
            parts.exprs.into_iter().for_each(|part| self.touch_value(part, false, touches));
            parts
                .inner
                .into_iter()
                .for_each(|part| self.touch_statements(std::slice::from_ref(part), touches));
        }
    }

    fn touch_initializer<'t>(
        &self,
        initializer: &'t Initializer,
        is_certain: bool,
        touches: &mut Touches<'t>,
    ) {
        match initializer {
            Initializer::Value(value) => self.touch_value(value, is_certain, touches),
            Initializer::String(_) => {}
            Initializer::Parts(parts) => {
                for part in parts {
                    if let PartValue::Expr(value) = &part.value {
                        self.touch_value(value, is_certain, touches);
                    }
                }
            }
        }
    }
}

/// What an expression writes that may not be written yet when its value is there, if it is not the value itself.
fn add_unfinished<'t>(expr: &'t tree::Expr, writes: &mut Vec<Touched<'t>>) {
    match &expr.kind {
        Tree::CompoundAssign { target, .. } | Tree::Increment { target, .. } => {
            writes.push(Touched::new(target, true));
        }
        Tree::Assign(_, value) => add_unfinished(value, writes),
        Tree::Unary(_, operand) | Tree::Cast { operand, .. } | Tree::Deref(operand) => {
            add_unfinished(operand, writes);
        }
        Tree::Binary(_, one, two)
        | Tree::PointerAdd { pointer: one, index: two, .. }
        | Tree::PointerDifference(one, two) => {
            add_unfinished(one, writes);
            add_unfinished(two, writes);
        }
        Tree::Conditional(_, one, two) => {
            let known = writes.len();
            add_unfinished(one, writes);
            add_unfinished(two, writes);
            writes[known..].iter_mut().for_each(|touched| touched.is_certain = false);
        }
        Tree::Comma(_, last) => add_unfinished(last, writes),
        Tree::LogicalAnd(_, last) | Tree::LogicalOr(_, last) | Tree::ConditionalOrElse(_, last) => {
            let known = writes.len();
            add_unfinished(last, writes);
            writes[known..].iter_mut().for_each(|touched| touched.is_certain = false);
        }
        _ => {}
    }
}

fn address_has_effects(lvalue: &tree::Expr) -> bool {
    match &lvalue.kind {
        Tree::Variable(_) => false,
        Tree::Deref(pointer) => has_side_effects(pointer),
        Tree::Member { base, .. } => address_has_effects(base),
        _ => true,
    }
}

fn are_one_pointer(one: &tree::Expr, two: &tree::Expr) -> bool {
    match (&one.kind, &two.kind) {
        (Tree::Variable(a), Tree::Variable(b)) => a == b && one.ty.id == two.ty.id,
        _ => false,
    }
}

fn stripped(mut expr: &tree::Expr) -> &tree::Expr {
    while let Tree::Cast { operand, .. } = &expr.kind {
        expr = operand;
    }
    expr
}
