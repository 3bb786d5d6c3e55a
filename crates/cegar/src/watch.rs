//! "This condition on global variables always holds" as a question that the engines answer: a copy of the
//! program in which control gets to a label of its own as soon as the condition does not hold.
//!
//! The condition is over mathematical integers, the program computes in machine integers: a condition is
//! refused where a part of it could leave 64 bits.

use base::IndexVec;
use program::expr::Projection;
use program::types::{ArrayLength, IntegerKind};
use program::{
    Action, AssumeReason, BinaryOp, Callee, Expr, ExprKind, Graph, NodeId, Place, PlaceBase, ProcedureId,
    Program, Type, TypeId, UnaryOp, VariableId,
};
use question::Property;
use rustc_hash::FxHashSet;
use spec::cexpr::{CBinary, CExpression, CUnary};
use spec::ctl::CtlFormula;
use std::sync::Arc;
use verdict::{Reason, Shape};

/// The label; no C program can have it.
const LABEL: &str = "the condition does not hold";

/// What names mean in a condition.
pub trait Meanings {
    /// The variable of that name.
    fn variable(&self, name: &str) -> Option<VariableId>;
    /// The constant of that name.
    fn constant(&self, name: &str) -> Option<i128>;
}

/// A program that is watched, and the property that the watch does not strike.
#[derive(Debug)]
pub struct Watched {
    /// The copy.
    pub program: Program,
    /// What to ask about it.
    pub property: Property,
}

/// Does the condition (a formula without temporal operators) hold from the start of `main` on, at every step
/// of every run? The reason if that cannot be asked.
pub fn always(program: &Program, condition: &CtlFormula, names: &dyn Meanings) -> Result<Watched, Reason> {
    let mut copy = program.clone();
    let main = copy.main.ok_or(Shape::NoMain)?;
    let wide = copy.types.integer(IntegerKind::LongLong);
    let int = copy.types.int();
    let mut translator = Translator { program: &copy, names, wide, int, watched: FxHashSet::default() };
    let condition = translator.formula(condition)?;
    let watched = translator.watched;
    let is_in_memory = watched.iter().any(|&id| copy.variables[id].in_memory);
    let touches = |place: &Place| match &place.base {
        PlaceBase::Variable(id) => watched.contains(id),
        PlaceBase::Pointer(_) => is_in_memory,
    };
    let has_body: IndexVec<ProcedureId, bool> =
        copy.procedures.iter().map(|procedure| procedure.body.is_some() && !procedure.is_native()).collect();
    for id in copy.procedures.ids() {
        let Some(body) = &mut copy.procedures[id].body else { continue };
        for edge in body.edges.ids().collect::<Vec<_>>() {
            let can_change = match &body.edges[edge].action {
                Action::Assign { target, .. } | Action::Havoc { target, .. } => touches(target),
                Action::Call { result, callee, .. } => {
                    let is_watched_inside = matches!(callee, Callee::Direct(callee) if has_body[*callee]);
                    result.as_ref().is_some_and(touches) || (!is_watched_inside && is_in_memory)
                }
                _ => false,
            };
            if can_change {
                let to = body.edges[edge].to;
                let watch = watch_before(body, to, &condition, body.edges[edge].span);
                body.nodes[to].into.retain(|&into| into != edge);
                body.edges[edge].to = watch;
                body.nodes[watch].into.push(edge);
            }
        }
        if id == main {
            let entry = body.entry;
            body.entry = watch_before(body, entry, &condition, body.nodes[entry].span);
        }
    }
    let property = Property { labels: vec![LABEL.to_owned()], ..Property::default() };
    Ok(Watched { program: copy, property })
}

/// A node from which control goes on to `to`, past the label if the condition does not hold.
fn watch_before(body: &mut Graph, to: NodeId, condition: &Expr, span: base::Span) -> NodeId {
    let (watch, struck) = (body.add_node(span), body.add_node(span));
    body.nodes[struck].labels.push(Arc::from(LABEL));
    for (expected, next) in [(true, to), (false, struck)] {
        let reason = AssumeReason::Branch;
        body.add_edge(watch, next, Action::Assume { condition: condition.clone(), expected, reason }, span);
    }
    body.add_edge(struck, to, Action::Skip, span);
    watch
}

fn not_understood(what: impl Into<String>) -> Reason {
    Reason::NotUnderstood { what: what.into() }
}

struct Translator<'a> {
    program: &'a Program,
    names: &'a dyn Meanings,
    wide: TypeId,
    int: TypeId,
    watched: FxHashSet<VariableId>,
}

/// An expression of 64 bits with the least and greatest value it can have.
struct Bounded {
    expr: Expr,
    low: i128,
    high: i128,
}

impl Translator<'_> {
    /// 0 or 1, as an `int`.
    fn formula(&mut self, formula: &CtlFormula) -> Result<Expr, Reason> {
        use CtlFormula::*;
        Ok(match formula {
            Condition(condition, _) => {
                let value = self.value(condition)?;
                self.truth(value)
            }
            Not(inner) => {
                let inner = self.formula(inner)?;
                self.not(inner)
            }
            And(one, two) => self.both(BinaryOp::BitAnd, one, two)?,
            Or(one, two) => self.both(BinaryOp::BitOr, one, two)?,
            Implies(one, two) => {
                let one = self.formula(one)?;
                let (one, two) = (self.not(one), self.formula(two)?);
                self.operation(BinaryOp::BitOr, one, two)
            }
            Iff(one, two) => self.both(BinaryOp::Equal, one, two)?,
            Next(..) | Eventually(..) | Always(..) | Until(..) => {
                return Err(not_understood("there is a temporal operator inside"));
            }
        })
    }

    fn both(&mut self, op: BinaryOp, one: &CtlFormula, two: &CtlFormula) -> Result<Expr, Reason> {
        let (one, two) = (self.formula(one)?, self.formula(two)?);
        Ok(self.operation(op, one, two))
    }

    /// Two `int`s to an `int`.
    fn operation(&self, op: BinaryOp, one: Expr, two: Expr) -> Expr {
        Expr { kind: ExprKind::Binary(op, Box::new(one), Box::new(two)), ty: self.int }
    }

    fn not(&self, inner: Expr) -> Expr {
        Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(inner)), ty: self.int }
    }

    fn truth(&self, value: Bounded) -> Expr {
        let zero = Expr::integer(0, self.wide, &self.program.types);
        self.operation(BinaryOp::NotEqual, value.expr, zero)
    }

    fn widened(&self, truth: Expr) -> Bounded {
        Bounded { expr: truth.cast(self.wide), low: 0, high: 1 }
    }

    fn number(&self, value: i128) -> Result<Bounded, Reason> {
        if i64::try_from(value).is_err() {
            return Err(not_understood(format!("{value} needs more than 64 bits")));
        }
        Ok(Bounded {
            expr: Expr::integer(value as u128, self.wide, &self.program.types),
            low: value,
            high: value,
        })
    }

    fn value(&mut self, expression: &CExpression) -> Result<Bounded, Reason> {
        match expression {
            CExpression::Integer(value) => self.number(*value),
            CExpression::Name(name) if self.names.variable(name).is_none() => {
                let value = self
                    .names
                    .constant(name)
                    .ok_or_else(|| not_understood(format!("`{name}` has no meaning here")))?;
                self.number(value)
            }
            CExpression::Name(_) | CExpression::Member(..) | CExpression::Element(..) => {
                let place = self.place(expression)?;
                let types = &self.program.types;
                let shape = types.integer_shape(place.ty.id).filter(|_| place.bit_field(types).is_none());
                let fits = |width: u32, signed: bool| width < 64 || (width == 64 && signed);
                let Some(shape) = shape.filter(|shape| fits(shape.width, shape.signed)) else {
                    return Err(not_understood(format!("`{expression}` is not an integer of up to 63 bits")));
                };
                let (low, high) = if shape.signed {
                    (-(1i128 << (shape.width - 1)), (1i128 << (shape.width - 1)) - 1)
                } else {
                    (0, (1i128 << shape.width) - 1)
                };
                Ok(Bounded { expr: Expr::load(place).cast(self.wide), low, high })
            }
            CExpression::Unary(operator, inner) => {
                let zero = CExpression::Integer(0);
                match operator {
                    CUnary::Plus => self.value(inner),
                    CUnary::Minus => self.binary(CBinary::Subtract, &zero, inner),
                    CUnary::Not => self.binary(CBinary::Equal, inner, &zero),
                    CUnary::Complement => self.binary(CBinary::Subtract, &CExpression::Integer(-1), inner),
                    CUnary::Dereference | CUnary::Address => {
                        Err(not_understood(format!("`{expression}` is not a global variable")))
                    }
                }
            }
            CExpression::Binary(operator, left, right) => self.binary(*operator, left, right),
            _ => Err(not_understood(format!("`{expression}` cannot be asked about"))),
        }
    }

    fn binary(
        &mut self,
        operator: CBinary,
        left: &CExpression,
        right: &CExpression,
    ) -> Result<Bounded, Reason> {
        use CBinary::*;
        let (one, two) = (self.value(left)?, self.value(right)?);
        let comparison = match operator {
            Equal => Some(BinaryOp::Equal),
            NotEqual => Some(BinaryOp::NotEqual),
            Less => Some(BinaryOp::Less),
            LessOrEqual => Some(BinaryOp::LessEqual),
            Greater => Some(BinaryOp::Greater),
            GreaterOrEqual => Some(BinaryOp::GreaterEqual),
            _ => None,
        };
        if let Some(op) = comparison {
            let truth = self.operation(op, one.expr, two.expr);
            return Ok(self.widened(truth));
        }
        if matches!(operator, LogicalAnd | LogicalOr) {
            let op = if operator == LogicalAnd { BinaryOp::BitAnd } else { BinaryOp::BitOr };
            let truth = self.operation(op, self.truth(one), self.truth(two));
            return Ok(self.widened(truth));
        }
        let corners = |of: fn(i128, i128) -> i128| {
            let all =
                [of(one.low, two.low), of(one.low, two.high), of(one.high, two.low), of(one.high, two.high)];
            (all.into_iter().min().unwrap_or(0), all.into_iter().max().unwrap_or(0))
        };
        let shown = || CExpression::Binary(operator, Box::new(left.clone()), Box::new(right.clone()));
        let whole = (i128::from(i64::MIN), i128::from(i64::MAX));
        let (op, (low, high)) = match operator {
            Add => (BinaryOp::Add, corners(|a, b| a + b)),
            Subtract => (BinaryOp::Subtract, corners(|a, b| a - b)),
            Multiply => (BinaryOp::Multiply, corners(|a, b| a.saturating_mul(b))),
            And => (BinaryOp::BitAnd, whole),
            Or => (BinaryOp::BitOr, whole),
            Xor => (BinaryOp::BitXor, whole),
            Divide | Remainder if two.low > 0 => {
                let op = if operator == Divide { BinaryOp::Divide } else { BinaryOp::Remainder };
                (op, (one.low.min(0), one.high.max(0)))
            }
            _ => return Err(not_understood(format!("`{}` cannot be asked about", shown()))),
        };
        if low < whole.0 || high > whole.1 {
            return Err(not_understood(format!("`{}` may need more than 64 bits", shown())));
        }
        let expr = Expr { kind: ExprKind::Binary(op, Box::new(one.expr), Box::new(two.expr)), ty: self.wide };
        Ok(Bounded { expr, low, high })
    }

    /// A global variable or a part of one at a fixed place.
    fn place(&mut self, expression: &CExpression) -> Result<Place, Reason> {
        let types = &self.program.types;
        match expression {
            CExpression::Name(name) => {
                let id = self
                    .names
                    .variable(name)
                    .ok_or_else(|| not_understood(format!("`{name}` has no meaning here")))?;
                let variable = &self.program.variables[id];
                if variable.kind != program::VariableKind::Global || variable.is_external {
                    return Err(not_understood(format!("`{name}` is not a global variable of the program")));
                }
                self.watched.insert(id);
                Ok(Place::variable(id, variable.ty))
            }
            CExpression::Member(whole, field) => {
                let mut place = self.place(whole)?;
                let Type::Record(record) = types.get(place.ty.id) else {
                    return Err(not_understood(format!("`{whole}` has no members")));
                };
                let fields = types.records[*record].fields.as_deref().unwrap_or_default();
                let at = fields.iter().position(|one| one.name.as_ref() == Some(field));
                let at = at.ok_or_else(|| {
                    not_understood(format!("`{expression}` lies in a member without a name"))
                })?;
                place.path.push(Projection::Field(*record, at as u32));
                place.ty = fields[at].ty;
                Ok(place)
            }
            CExpression::Element(array, index) => {
                let mut place = self.place(array)?;
                let Type::Array(element, ArrayLength::Known(count)) = types.get(place.ty.id) else {
                    return Err(not_understood(format!("`{array}` is not an array")));
                };
                let index = index
                    .constant()
                    .filter(|index| (0..i128::from(*count)).contains(index))
                    .ok_or_else(|| not_understood(format!("`{expression}` is not at a fixed place")))?;
                place.path.push(Projection::Index(Box::new(Expr::integer(index as u128, self.wide, types))));
                place.ty = *element;
                Ok(place)
            }
            _ => Err(not_understood(format!("`{expression}` is not a global variable"))),
        }
    }
}
