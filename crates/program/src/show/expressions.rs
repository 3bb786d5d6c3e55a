//! Values, places and conditions.

use super::conversions::Arithmetic;
use super::{Level, Show, Text};
use crate::types::{Type, TypeId};
use crate::{BinaryOp, Expr, ExprKind, Place, PlaceBase, Projection, UnaryOp};

/// One operand of an operator, with or without the conversion that stands on it.
struct Operand<'e> {
    expr: &'e Expr,
    /// The value below the conversion, and the type C gives it.
    bare: Option<(&'e Expr, Arithmetic)>,
    full: Option<Arithmetic>,
}

impl<'e> Show<'_> {
    pub(super) fn expression(&self, expr: &Expr) -> Text {
        let types = &self.program.types;
        match &expr.kind {
            ExprKind::Integer(bits) => {
                let mut text = self.constant_text(*bits, expr.ty);
                if text.text.ends_with(|last: char| last.is_ascii_hexdigit())
                    && types.is_integer(expr.ty)
                    && self.literal_type(expr) != self.promoted(expr.ty)
                    && self.named_constant(*bits, expr.ty).is_none()
                {
                    text.text.push_str(self.literal_suffix(expr.ty));
                }
                text
            }
            ExprKind::Float(bits) => self.constant_text(*bits, expr.ty),
            ExprKind::Zero if types.is_scalar(expr.ty) => self.constant_text(0, expr.ty),
            ExprKind::Zero => Text::new("{0}", Level::Postfix),
            ExprKind::Load(place) => self.place_text(place),
            ExprKind::AddressOf(place) => self.address_text(place, expr.ty),
            ExprKind::FunctionAddress(id) => Text::new(&*self.program.procedures[*id].name, Level::Postfix),
            ExprKind::Unary(UnaryOp::Not, operand) => self.condition_text(operand, false),
            ExprKind::Unary(op, operand) => {
                let operand = self.operand(operand);
                let bare = operand.bare.filter(|(_, promoted)| Some(*promoted) == self.promoted(expr.ty));
                let text = match bare {
                    Some((bare, _)) => self.bare_text(bare, None),
                    None => self.expression(operand.expr),
                };
                let symbol = if *op == UnaryOp::Negate { "-" } else { "~" };
                let inner = text.at_least(Level::Unary);
                let inner = if inner.starts_with(symbol) { format!("({inner})") } else { inner };
                Text::new(format!("{symbol}{inner}"), Level::Unary)
            }
            ExprKind::Binary(op, left, right) => self.binary_text(*op, left, right),
            ExprKind::Cast(operand) if matches!(&operand.kind, ExprKind::AddressOf(place) if self.standard_stream(place).is_some()) => {
                self.expression(operand)
            }
            ExprKind::Cast(operand) => {
                let operand = self.expression(operand).at_least(Level::Unary);
                Text::new(format!("({}){operand}", types.show(expr.ty)), Level::Unary)
            }
            ExprKind::PointerOffset { pointer, index } => self.offset_text(pointer, index),
            ExprKind::PointerDifference(left, right) => {
                let left = self.expression(left).at_least(Level::Sum);
                let right = self.expression(right).at_least(Level::Product);
                Text::new(format!("{left} - {right}"), Level::Sum)
            }
        }
    }

    /// The value as the right side of an assignment, an argument or a result: conversions to its type are C's.
    pub(super) fn assigned(&self, expr: &Expr) -> Text {
        match &expr.kind {
            ExprKind::Cast(operand) if self.assigns_silently(operand, expr.ty) => {
                self.bare_text(operand, Some(expr.ty))
            }
            ExprKind::Integer(bits) if self.literal_type(expr).is_some() => {
                self.constant_text(*bits, expr.ty)
            }
            _ => self.expression(expr),
        }
    }

    /// The value where any integer will do, as an index does.
    fn index_text(&self, expr: &Expr) -> Text {
        match &expr.kind {
            ExprKind::Cast(operand) if self.keeps_value(operand.ty, expr.ty) => self.index_text(operand),
            ExprKind::Integer(bits) => self.number(*bits, expr.ty),
            _ => self.expression(expr),
        }
    }

    /// The value without its conversion; `beside` is the type of what it stands beside.
    fn bare_text(&self, expr: &Expr, beside: Option<TypeId>) -> Text {
        match expr.kind {
            ExprKind::Integer(bits) => {
                let value = self.program.types.integer_shape(expr.ty).map(|shape| shape.value(bits));
                let named = beside.and_then(|beside| {
                    let bits = self.program.types.integer_shape(beside)?.truncate(value? as u128);
                    let returns = self.program.types.integer_shape(beside)?.value(bits);
                    (Some(returns) == value).then(|| self.named_constant(bits, beside))?
                });
                named.or_else(|| self.named_constant(bits, expr.ty)).unwrap_or_else(|| {
                    match self.program.types.is_pointer(expr.ty) {
                        true => self.constant_text(bits, expr.ty),
                        false => self.number(bits, expr.ty),
                    }
                })
            }
            _ => self.expression(expr),
        }
    }

    fn operand(&self, expr: &'e Expr) -> Operand<'e> {
        let bare = match &expr.kind {
            ExprKind::Cast(inner) => {
                let kind = self.literal_type(inner).filter(|kind| Some(*kind) == self.promoted(inner.ty));
                kind.or_else(|| self.promoted_expr(inner)).map(|kind| (&**inner, kind))
            }
            ExprKind::Integer(_) => self.literal_type(expr).map(|kind| (expr, kind)),
            _ => None,
        };
        Operand { expr, bare, full: self.promoted_expr(expr) }
    }

    fn binary_text(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Text {
        let level = level_of(op);
        let (left_text, right_text) = self.operand_texts(op, left, right);
        let left = left_text.at_least(level);
        let right = right_text.at_least(level.next());
        Text::new(format!("{left} {} {right}", op.symbol()), level)
    }

    fn operand_texts(&self, op: BinaryOp, left: &Expr, right: &Expr) -> (Text, Text) {
        let types = &self.program.types;
        if types.is_pointer(left.ty) || types.is_pointer(right.ty) {
            return (self.compared_pointer(left, right), self.compared_pointer(right, left));
        }
        let Some(wanted) = self.promoted(left.ty) else {
            return (self.expression(left), self.expression(right));
        };
        let (l, r) = (self.operand(left), self.operand(right));
        let is_shift = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
        if is_shift {
            let left_text = match l.bare {
                Some((bare, kind)) if kind == wanted => self.bare_text(bare, None),
                _ => self.expression(left),
            };
            return (left_text, self.index_text(right));
        }
        // The type that names a constant: the other side's, below its conversion.
        let beside = |other: &Operand<'_>| Some(other.bare.map_or(other.expr.ty, |(bare, _)| bare.ty));
        let bare_left = |show: &Self| l.bare.map(|(bare, _)| show.bare_text(bare, beside(&r)));
        let bare_right = |show: &Self| r.bare.map(|(bare, _)| show.bare_text(bare, beside(&l)));
        let gives = |a: Option<Arithmetic>, b: Option<Arithmetic>| match (a, b) {
            (Some(a), Some(b)) => self.common(a, b) == wanted,
            _ => false,
        };
        let (bare_l, bare_r) = (l.bare.map(|(_, kind)| kind), r.bare.map(|(_, kind)| kind));
        if gives(bare_l, bare_r)
            && let (Some(a), Some(b)) = (bare_left(self), bare_right(self))
        {
            return (a, b);
        }
        if gives(l.full, bare_r)
            && let Some(b) = bare_right(self)
        {
            return (self.expression(left), b);
        }
        if gives(bare_l, r.full)
            && let Some(a) = bare_left(self)
        {
            return (a, self.expression(right));
        }
        (self.expression(left), self.expression(right))
    }

    fn compared_pointer(&self, expr: &Expr, other: &Expr) -> Text {
        match &expr.kind {
            ExprKind::Cast(inner) if self.assigns_silently(inner, expr.ty) => {
                self.bare_text(inner, Some(other.ty))
            }
            _ => self.expression(expr),
        }
    }

    fn offset_text(&self, pointer: &Expr, index: &Expr) -> Text {
        let pointer = self.expression(pointer).at_least(Level::Sum);
        let types = &self.program.types;
        let (symbol, index) = match &index.kind {
            ExprKind::Unary(UnaryOp::Negate, inner) => ("-", self.index_text(inner)),
            ExprKind::Integer(bits) => {
                let value = types.integer_shape(index.ty).map_or(0, |shape| shape.value(*bits));
                let symbol = if value < 0 { "-" } else { "+" };
                (symbol, Text::new(value.unsigned_abs().to_string(), Level::Postfix))
            }
            _ => ("+", self.index_text(index)),
        };
        Text::new(format!("{pointer} {symbol} {}", index.at_least(Level::Product)), Level::Sum)
    }

    pub(super) fn address_text(&self, place: &Place, ty: TypeId) -> Text {
        let types = &self.program.types;
        let pointee = types.pointee(ty).map(|to| to.id);
        if let PlaceBase::Pointer(pointer) = &place.base
            && place.path.is_empty()
        {
            return self.expression(pointer);
        }
        // The program writes `stdin`; that it points to an object of ours is our affair.
        if let Some(stream) = self.standard_stream(place) {
            return Text::new(stream, Level::Postfix);
        }
        // An array is its first element's address.
        if let Some(Projection::Index(index)) = place.path.last()
            && index.as_integer() == Some(0)
            && pointee == Some(place.ty.id)
        {
            let array = Place { path: place.path[..place.path.len() - 1].to_vec(), ..place.clone() };
            return self.place_text(&array);
        }
        if let Type::Array(element, _) = types.get(place.ty.id)
            && pointee == Some(element.id)
        {
            return self.place_text(place);
        }
        Text::new(format!("&{}", self.place_text(place).at_least(Level::Unary)), Level::Unary)
    }

    fn standard_stream(&self, place: &Place) -> Option<&'static str> {
        let name = &*self.program.variables[place.as_variable()?].name;
        crate::STANDARD_STREAMS.iter().find(|(_, object)| *object == name).map(|(stream, _)| *stream)
    }

    pub(super) fn place_text(&self, place: &Place) -> Text {
        let mut path = &place.path[..];
        let mut text = match &place.base {
            PlaceBase::Variable(id) => self.variable_text(*id),
            PlaceBase::Pointer(pointer) => match &pointer.kind {
                ExprKind::AddressOf(inner)
                    if Some(inner.ty.id) == self.program.types.pointee(pointer.ty).map(|to| to.id) =>
                {
                    self.place_text(inner)
                }
                ExprKind::PointerOffset { pointer, index } => {
                    let pointer = self.expression(pointer).at_least(Level::Postfix);
                    Text::new(format!("{pointer}[{}]", self.index_text(index).text), Level::Postfix)
                }
                _ => {
                    let pointer = self.expression(pointer);
                    match self.next_name(&mut path) {
                        Some(name) => {
                            Text::new(format!("{}->{name}", pointer.at_least(Level::Postfix)), Level::Postfix)
                        }
                        None => Text::new(format!("*{}", pointer.at_least(Level::Unary)), Level::Unary),
                    }
                }
            },
        };
        while let Some((first, rest)) = path.split_first() {
            if let Projection::Index(index) = first {
                let index = self.index_text(index).text;
                text = Text::new(format!("{}[{index}]", text.at_least(Level::Postfix)), Level::Postfix);
                path = rest;
            } else if let Some(name) = self.next_name(&mut path) {
                text = Text::new(format!("{}.{name}", text.at_least(Level::Postfix)), Level::Postfix);
            }
        }
        text
    }

    /// The name of the member that the path starts with; anonymous members on the way are not written.
    fn next_name(&self, path: &mut &[Projection]) -> Option<std::sync::Arc<str>> {
        while let Some((Projection::Field(record, index), rest)) = path.split_first() {
            *path = rest;
            let fields = self.program.types.records[*record].fields.as_ref()?;
            if let Some(name) = &fields[*index as usize].name {
                return Some(name.clone());
            }
        }
        None
    }

    pub(super) fn condition_text(&self, expr: &Expr, expected: bool) -> Text {
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => return self.condition_text(inner, !expected),
            ExprKind::Cast(inner) if self.is_zero_alike(inner, expr.ty) => {
                return self.condition_text(inner, expected);
            }
            // `(a < b) != 0` is `a < b`.
            ExprKind::Binary(op @ (BinaryOp::Equal | BinaryOp::NotEqual), inner, zero)
                if zero.as_integer() == Some(0) && is_truth_value(inner) =>
            {
                return self.condition_text(inner, expected == (*op == BinaryOp::NotEqual));
            }
            ExprKind::Binary(op, left, right) if op.is_comparison() => {
                if expected {
                    return self.binary_text(*op, left, right);
                }
                // With NaN neither `a < b` nor `a >= b` need hold; equality has no such gap.
                let is_float = self.program.types.float_kind(left.ty).is_some();
                let is_equality = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
                if !is_float || is_equality {
                    return self.binary_text(op.opposite(), left, right);
                }
            }
            _ => {}
        }
        let text = self.expression(expr);
        if expected { text } else { Text::new(format!("!{}", text.at_least(Level::Unary)), Level::Unary) }
    }

    /// Is the value zero exactly when the converted one is?
    fn is_zero_alike(&self, from: &Expr, to: TypeId) -> bool {
        let types = &self.program.types;
        if matches!(types.get(to), Type::Bool) || types.is_pointer(from.ty) && types.is_pointer(to) {
            return true;
        }
        match (types.integer_shape(from.ty), types.integer_shape(to)) {
            (Some(from), Some(to)) => from.width <= to.width,
            _ => false,
        }
    }
}

fn is_truth_value(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Binary(op, ..) => op.is_comparison(),
        ExprKind::Unary(op, _) => *op == UnaryOp::Not,
        ExprKind::Cast(inner) => is_truth_value(inner),
        _ => false,
    }
}

fn level_of(op: BinaryOp) -> Level {
    use BinaryOp::*;
    match op {
        Multiply | Divide | Remainder => Level::Product,
        Add | Subtract => Level::Sum,
        ShiftLeft | ShiftRight => Level::Shift,
        Less | LessEqual | Greater | GreaterEqual => Level::Relation,
        Equal | NotEqual => Level::Equality,
        BitAnd => Level::BitAnd,
        BitXor => Level::BitXor,
        BitOr => Level::BitOr,
    }
}
