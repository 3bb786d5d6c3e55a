//! Why an operation is not excluded: the values that meet, the limit they are held against, and where the value that
//! goes past it comes from.
//!
//! The values are those of all ways to the place together, so a reason may name more than goes wrong; it never names
//! less. Only steps that a run can make are named as sources.

use crate::analysis::{Analysis, Finding};
use crate::blocks;
use crate::cells::ObjectKind;
use crate::checks::CheckKind;
use crate::domain::integers::IntegerSet;
use crate::domain::number::{Number, limits};
use crate::domain::pointers::Pointers;
use crate::domain::value::{Scalar, Value};
use crate::evaluate::{Evaluator, Location};
use crate::state::State;
use base::Span;
use program::expr::ExprPart;
use program::types::ArrayLength;
use program::{
    Action, BinaryOp, Callee, Expr, ExprKind, HavocSource, NodeId, Place, PlaceBase, ProcedureId, Projection,
    Type, VariableId, VariableKind,
};

/// Why something is not excluded.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Why {
    /// What meets what, in a sentence without a full stop.
    pub text: String,
    /// The expressions that matter, with their values.
    pub values: Vec<(String, String)>,
    /// Where the value comes from that goes wrong: how to call it, and the step.
    pub origin: Option<(String, Span)>,
    /// What the reason is about at bottom (the variable that is out of range, or may be null): warnings with one
    /// subject in one function have one cause.
    pub subject: String,
}

/// Steps that are looked at for where a value comes from.
const MOST_SOURCES: usize = 4_000;

impl Analysis<'_> {
    /// Why a finding is not excluded; `None` where there is no more to say than what it is.
    pub fn why(&self, finding: &Finding) -> Option<Why> {
        let body = self.program().procedures[finding.procedure].body.as_ref()?;
        let edge = &body.edges[finding.edge];
        let state = self.at(finding.procedure, edge.from)?.state;
        let asked = Asked { analysis: self, state, procedure: finding.procedure };
        let mut found = None;
        let show = self.program().show();
        edge.action.visit(&mut |part| {
            if found.is_some() {
                return;
            }
            found = match part {
                ExprPart::Expr(expr) if show.expr(expr) == finding.about => {
                    asked.operation(finding.kind, expr)
                }
                ExprPart::Place(place, _) if show.place(place) == finding.about => {
                    asked.place(finding.kind, place)
                }
                _ => None,
            };
        });
        found
    }
}

/// Where it is asked.
struct Asked<'a, 'p> {
    analysis: &'a Analysis<'p>,
    state: &'a State,
    procedure: ProcedureId,
}

impl Asked<'_, '_> {
    fn evaluator(&self) -> Evaluator<'_, '_> {
        Evaluator::new(&self.analysis.context, self.state)
    }

    fn shown(&self, expr: &Expr) -> String {
        self.analysis.program().show().expr(expr)
    }

    /// An expression with its values, where it is more than a number.
    fn told(&self, expr: &Expr, number: &Number) -> Option<(String, String)> {
        (!is_constant(expr)).then(|| (self.shown(expr), number.to_string()))
    }

    fn operation(&self, kind: CheckKind, expr: &Expr) -> Option<Why> {
        let types = &self.analysis.program().types;
        match (kind, &expr.kind) {
            (CheckKind::Overflow, ExprKind::Binary(op, left, right)) => {
                let (one, two) = (self.evaluator().number(left)?, self.evaluator().number(right)?);
                let Some(Scalar::Integer(shape)) = Scalar::of(expr.ty, types) else { return None };
                let around = limits(shape);
                let is_past_top = match op {
                    BinaryOp::Subtract => one.hull()?.high.saturating_sub(two.hull()?.low) > around.high,
                    _ => one.hull()?.high.saturating_add(two.hull()?.high) > around.high,
                };
                let values: Vec<_> =
                    [self.told(left, &one), self.told(right, &two)].into_iter().flatten().collect();
                let limit = format!(
                    "`{}` holds {}..{}",
                    self.analysis.program().types.show(expr.ty),
                    around.low,
                    around.high
                );
                let extreme = |number: &Number, is_high: bool| {
                    number.hull().map(|hull| if is_high { hull.high } else { hull.low })
                };
                let wanted = extreme(&one, is_past_top).filter(|_| !is_constant(left));
                Some(self.reason(values, limit, left, wanted))
            }
            (CheckKind::Overflow, ExprKind::Unary(_, operand)) => {
                let number = self.evaluator().number(operand)?;
                let values = self.told(operand, &number).into_iter().collect();
                Some(self.reason(
                    values,
                    "the least value has no negation".into(),
                    operand,
                    number.hull().map(|hull| hull.low),
                ))
            }
            (CheckKind::DivisionByZero, ExprKind::Binary(_, _, by)) => {
                let number = self.evaluator().number(by)?;
                let values = self.told(by, &number).into_iter().collect();
                Some(self.reason(values, String::new(), by, Some(0)))
            }
            (CheckKind::BadShift, ExprKind::Binary(_, left, by)) => {
                let number = self.evaluator().number(by)?;
                let Some(Scalar::Integer(shape)) = Scalar::of(left.ty, types) else { return None };
                let values = self.told(by, &number).into_iter().collect();
                let hull = number.hull()?;
                let bad = if hull.high >= i128::from(shape.width) { hull.high } else { hull.low };
                Some(self.reason(values, format!("the operand has {} bits", shape.width), by, Some(bad)))
            }
            (CheckKind::FloatToInteger, ExprKind::Cast(operand)) => {
                let Value::Float(range) = self.evaluator().value(operand)? else { return None };
                let values = vec![(self.shown(operand), range.to_string())];
                let limit = format!("converted to `{}`", self.analysis.program().types.show(expr.ty));
                Some(self.reason(values, limit, operand, None))
            }
            _ => None,
        }
    }

    fn place(&self, kind: CheckKind, place: &Place) -> Option<Why> {
        match kind {
            CheckKind::OutOfBounds => self.index(place).or_else(|| self.offset(place)),
            CheckKind::NullDereference
            | CheckKind::UnknownPointer
            | CheckKind::UseAfterFree
            | CheckKind::UseAfterScope => {
                let PlaceBase::Pointer(pointer) = &place.base else { return None };
                let pointers = self.evaluator().pointers(pointer)?;
                let shown = self.shown(pointer);
                let values = vec![(shown, self.pointers(&pointers))];
                let mut why = self.reason(values, String::new(), pointer, None);
                if kind == CheckKind::NullDereference {
                    why.origin = self.source_of_null(pointer).map(|span| ("null".to_owned(), span));
                }
                Some(why)
            }
            CheckKind::Uninitialised => {
                let indices: Vec<(String, String)> = { place.path.iter() }
                    .filter_map(|step| match step {
                        Projection::Index(index) => self.told(index, &self.evaluator().number(index)?),
                        Projection::Field(..) => None,
                    })
                    .collect();
                let subject = match &place.base {
                    PlaceBase::Variable(id) => self.analysis.program().show().variable(*id),
                    PlaceBase::Pointer(pointer) => self.root(pointer),
                };
                let text = match indices.is_empty() {
                    true => format!(
                        "`{subject}` is not written before on every way here, as far as this follows it"
                    ),
                    false => format!(
                        "{}, and not every element of `{subject}` there is written before, as far as this follows it",
                        are(&indices)
                    ),
                };
                Some(Why { text, values: indices, origin: None, subject })
            }
            _ => None,
        }
    }

    /// An index against the length of its array.
    fn index(&self, place: &Place) -> Option<Why> {
        let program = self.analysis.program();
        let mut ty = place.base_type(|id| program.variables[id].ty.id, &program.types);
        let mut before = place.clone();
        before.path.clear();
        for step in &place.path {
            match step {
                Projection::Field(record, index) => {
                    ty = program.types.records[*record].fields.as_ref()?[*index as usize].ty.id;
                }
                Projection::Index(index) => {
                    let number = self.evaluator().number(index)?;
                    let (element, length) = match program.types.get(ty) {
                        Type::Array(element, ArrayLength::Known(length)) => (element.id, Some(*length)),
                        Type::Array(element, _) => (element.id, None),
                        _ => (ty, None),
                    };
                    let length = length.map(i128::from);
                    if let Some(length) = length
                        && !number.is_within(&number.meet_set(&IntegerSet::range(0, length - 1)))
                    {
                        let hull = number.hull()?;
                        let bad = if hull.high >= length { hull.high } else { hull.low };
                        let array = program.show().place(&before);
                        let values = vec![(self.shown(index), number.to_string())];
                        let noun = if length == 1 { "element" } else { "elements" };
                        return Some(self.reason(
                            values,
                            format!("`{array}` has {length} {noun}"),
                            index,
                            Some(bad),
                        ));
                    }
                    ty = element;
                }
            }
            before.path.push(step.clone());
        }
        None
    }

    /// Bytes from the start of an object against its size.
    fn offset(&self, place: &Place) -> Option<Why> {
        let program = self.analysis.program();
        let size = i128::from(program.types.size_of(place.ty.id)?);
        let Location::Memory(pointers) = self.evaluator().locate(place)? else { return None };
        for (object, offset) in pointers.targets() {
            let hull = offset.hull()?;
            let room = blocks::size_of(&self.analysis.context, self.state, *object);
            let least = room.map_or(0, |(least, _)| i128::from(least));
            if hull.low >= 0 && hull.high.saturating_add(size) <= least {
                continue;
            }
            let name = self.object(*object);
            let text = match room {
                Some(_) => format!(
                    "{} of {name} are accessed from byte {offset} on, and it has {}",
                    bytes(size),
                    bytes(least)
                ),
                None => format!("{name} is of unknown size"),
            };
            let values = vec![("offset".to_owned(), offset.to_string())];
            let subject = match &place.base {
                PlaceBase::Pointer(pointer) => self.root(pointer),
                PlaceBase::Variable(id) => program.show().variable(*id),
            };
            return Some(Why { text, values, origin: None, subject });
        }
        None
    }

    fn object(&self, object: crate::domain::pointers::ObjectId) -> String {
        let context = &self.analysis.context;
        match context.kind_of(object) {
            ObjectKind::Variable(id) if context.program.variables[id].kind == VariableKind::StringLiteral => {
                "a string literal".to_owned()
            }
            ObjectKind::Variable(id) => format!("`{}`", context.program.variables[id].name),
            ObjectKind::Procedure(id) => format!("function `{}`", context.program.procedures[id].name),
            ObjectKind::Allocation(procedure, edge, _) => {
                let body = context.program.procedures[procedure].body.as_ref();
                let line = body.and_then(|body| context.line_of(body.edges[edge].span));
                line.map_or_else(
                    || "an allocated block".to_owned(),
                    |line| format!("a block allocated in line {line}"),
                )
            }
        }
    }

    /// Where pointers may lead, in words.
    fn pointers(&self, pointers: &Pointers) -> String {
        const MOST: usize = 4;
        let mut parts = Vec::new();
        if pointers.can_be_null {
            parts.push("null".to_owned());
        }
        if pointers.can_be_anything {
            parts.push("any address".to_owned());
        }
        let targets = pointers.targets();
        parts.extend(targets.iter().take(MOST).map(|(object, _)| format!("into {}", self.object(*object))));
        if targets.len() > MOST {
            parts.push(format!("into one of {} other objects", targets.len() - MOST));
        }
        parts.join(", or ")
    }

    fn reason(&self, values: Vec<(String, String)>, limit: String, about: &Expr, bad: Option<i128>) -> Why {
        let parts: Vec<String> = [are(&values), limit].into_iter().filter(|part| !part.is_empty()).collect();
        let origin = bad.and_then(|bad| Some((bad.to_string(), self.source(about, bad)?)));
        Why { text: parts.join(", and "), values, origin, subject: self.root(about) }
    }

    /// What an expression is about at bottom: its first variable or place.
    fn root(&self, expr: &Expr) -> String {
        let mut root = None;
        expr.visit(&mut |part| {
            if let (None, ExprPart::Place(place, _)) = (&root, part) {
                root = Some(self.analysis.program().show().place(place));
            }
        });
        root.unwrap_or_else(|| self.shown(expr))
    }

    /// The variable that an expression is a sum of it and a constant of, or a cast of.
    fn variable(&self, expr: &Expr) -> Option<VariableId> {
        match &expr.kind {
            ExprKind::Load(place) => place.as_variable(),
            ExprKind::Cast(inner) => self.variable(inner),
            _ => None,
        }
    }

    /// A step that gives the variable that value.
    fn source(&self, expr: &Expr, bad: i128) -> Option<Span> {
        let id = self.variable(expr)?;
        self.giving(id, &|value| matches!(value, Value::Integer(number) if number.contains(bad)))
    }

    fn source_of_null(&self, expr: &Expr) -> Option<Span> {
        let id = self.variable(expr)?;
        self.giving(id, &|value| matches!(value, Value::Pointer(pointers) if pointers.can_be_null))
    }

    /// The first step that a run can make which gives a variable such a value.
    fn giving(&self, id: VariableId, is_meant: &dyn Fn(&Value) -> bool) -> Option<Span> {
        let program = self.analysis.program();
        let parameter = { program.procedures[self.procedure].parameters.iter() }.position(|&own| own == id);
        let mut looked_at = 0;
        for (procedure, own) in program.procedures.iter_enumerated() {
            if !self.analysis.is_reached(procedure) || own.origin != program::Origin::User {
                continue;
            }
            let Some(body) = &own.body else { continue };
            for edge in &body.edges {
                looked_at += 1;
                if looked_at > MOST_SOURCES {
                    return None;
                }
                let gives = match &edge.action {
                    Action::Assign { target, value } if target.as_variable() == Some(id) => {
                        self.value_at(procedure, edge.from, value)
                    }
                    Action::Havoc { target, source: HavocSource::Input(_) }
                        if target.as_variable() == Some(id) =>
                    {
                        self.value_at(procedure, edge.to, &Expr::load(target.clone()))
                    }
                    Action::Call { result: Some(target), .. } if target.as_variable() == Some(id) => {
                        self.value_at(procedure, edge.to, &Expr::load(target.clone()))
                    }
                    Action::Call { callee: Callee::Direct(callee), arguments, .. }
                        if *callee == self.procedure =>
                    {
                        let argument = parameter.and_then(|at| arguments.get(at));
                        argument.and_then(|argument| self.value_at(procedure, edge.from, argument))
                    }
                    _ => None,
                };
                if gives.as_ref().is_some_and(is_meant) && !edge.span.is_nowhere() {
                    return Some(edge.span);
                }
            }
        }
        None
    }

    fn value_at(&self, procedure: ProcedureId, node: NodeId, expr: &Expr) -> Option<Value> {
        self.analysis.at(procedure, node)?.value(expr)
    }
}

fn is_constant(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Integer(_) => true,
        ExprKind::Cast(inner) => is_constant(inner),
        _ => false,
    }
}

fn are(values: &[(String, String)]) -> String {
    let each: Vec<String> = values.iter().map(|(shown, value)| format!("`{shown}` is {value}")).collect();
    each.join(", and ")
}

fn bytes(count: i128) -> String {
    if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") }
}
