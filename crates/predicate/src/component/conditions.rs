//! C expressions of specifications, read in the scope of a procedure: names get places, operators get C's
//! types.

use super::NotUnderstood;
use super::memory::Memory;
use program::{BinaryOp, Expr, ExprKind, IntegerKind, Place, Projection, Type, TypeId, UnaryOp, VariableId};
use rustc_hash::FxHashMap;
use spec::cexpr::{CBinary, CExpression, CUnary};
use std::sync::Arc;

/// A condition; `&&`, `||` and `!` are kept apart from values.
#[derive(Clone, Debug)]
pub enum Condition {
    /// Always or never.
    Constant(bool),
    /// The scalar is not zero.
    Test(Expr),
    /// It does not hold.
    Not(Box<Condition>),
    /// All hold.
    All(Vec<Condition>),
    /// One holds.
    Any(Vec<Condition>),
    /// So many bytes lie where the pointer leads, and may be written if that is asked.
    Room {
        /// The pointer.
        at: Expr,
        /// How many bytes.
        bytes: Expr,
        /// Are they to be written?
        is_written: bool,
    },
    /// Two ranges of bytes, each a pointer and a number, have none in common.
    Apart {
        /// The one.
        one: (Expr, Expr),
        /// The other.
        other: (Expr, Expr),
    },
}

impl Condition {
    /// The condition, or its opposite.
    pub(super) fn expected(self, expected: bool) -> Condition {
        if expected { self } else { Condition::Not(Box::new(self)) }
    }
}

/// What names mean at a place.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub names: FxHashMap<Arc<str>, VariableId>,
    /// `$1`, `$2`, …
    pub arguments: Vec<Expr>,
    /// `$0`
    pub result: Option<Expr>,
}

impl Memory {
    /// Reads a condition.
    pub(super) fn condition(
        &mut self,
        scope: &Scope,
        text: &CExpression,
    ) -> Result<Condition, NotUnderstood> {
        Ok(match text {
            CExpression::Binary(CBinary::LogicalAnd, left, right) => {
                Condition::All(vec![self.condition(scope, left)?, self.condition(scope, right)?])
            }
            CExpression::Binary(CBinary::LogicalOr, left, right) => {
                Condition::Any(vec![self.condition(scope, left)?, self.condition(scope, right)?])
            }
            CExpression::Unary(CUnary::Not, inner) => Condition::Not(Box::new(self.condition(scope, inner)?)),
            CExpression::Conditional(condition, then, otherwise) => {
                let condition = self.condition(scope, condition)?;
                let not = Condition::Not(Box::new(condition.clone()));
                Condition::Any(vec![
                    Condition::All(vec![condition, self.condition(scope, then)?]),
                    Condition::All(vec![not, self.condition(scope, otherwise)?]),
                ])
            }
            CExpression::Integer(value) => Condition::Constant(*value != 0),
            other => Condition::Test(self.value(scope, other)?),
        })
    }

    /// Reads a value.
    pub(super) fn value(&mut self, scope: &Scope, text: &CExpression) -> Result<Expr, NotUnderstood> {
        match text {
            CExpression::Integer(value) => Ok(self.number(*value)),
            CExpression::Argument(0) => {
                scope.result.clone().ok_or_else(|| "`$0` stands for no value here".into())
            }
            CExpression::Argument(index) => scope
                .arguments
                .get(*index as usize - 1)
                .cloned()
                .ok_or_else(|| format!("there is no argument `${index}`").into()),
            CExpression::Name(name) if !scope.names.contains_key(name) => {
                let constants = self.types.enums.iter().filter_map(|known| known.constants.as_ref());
                let value = constants.flatten().find(|(known, _)| known == name).map(|(_, value)| *value);
                value
                    .map(|value| self.number(value))
                    .ok_or_else(|| format!("there is no variable `{name}` here").into())
            }
            CExpression::Unary(CUnary::Address, inner) => {
                let place = self.place(scope, inner)?;
                let ty = self.types.pointer(place.ty);
                Ok(Expr { kind: ExprKind::AddressOf(Box::new(place)), ty })
            }
            CExpression::Name(_)
            | CExpression::Member(..)
            | CExpression::Arrow(..)
            | CExpression::Element(..)
            | CExpression::Unary(CUnary::Dereference, _) => {
                let place = self.place(scope, text)?;
                if let Type::Array(element, _) = *self.types.get(place.ty.id) {
                    let mut first = place;
                    let zero = self.number(0);
                    first.path.push(Projection::Index(Box::new(zero)));
                    first.ty = element;
                    let ty = self.types.pointer(element);
                    return Ok(Expr { kind: ExprKind::AddressOf(Box::new(first)), ty });
                }
                if !self.types.is_scalar(place.ty.id) {
                    return Err(format!("`{text}` is not a scalar").into());
                }
                Ok(Expr::load(place))
            }
            CExpression::Unary(operator, operand) => {
                let operand = self.value(scope, operand)?;
                if *operator == CUnary::Not {
                    let ty = self.types.int();
                    return Ok(Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(operand)), ty });
                }
                let ty = self.promoted(operand.ty).ok_or_else(|| format!("`{text}` is not an integer"))?;
                let operand = operand.cast(ty);
                let operator = match operator {
                    CUnary::Plus => return Ok(operand),
                    CUnary::Minus => UnaryOp::Negate,
                    _ => UnaryOp::BitNot,
                };
                Ok(Expr { kind: ExprKind::Unary(operator, Box::new(operand)), ty })
            }
            CExpression::Binary(operator, left, right) => self.binary(scope, *operator, left, right),
            CExpression::Cast(words, inner) => {
                let inner = self.value(scope, inner)?;
                let ty =
                    self.named_type(words).ok_or_else(|| format!("the type `{words}` is not known here"))?;
                Ok(inner.cast(ty))
            }
            CExpression::Conditional(..) => Err(format!("`{text}` is used as a value").into()),
        }
    }

    fn number(&mut self, value: i128) -> Expr {
        let fits = i32::try_from(value).is_ok();
        let ty = if fits { self.types.int() } else { self.types.integer(IntegerKind::LongLong) };
        Expr::integer(value as u128, ty, &self.types)
    }

    fn named_type(&mut self, words: &str) -> Option<TypeId> {
        let words: Vec<&str> = words.split_whitespace().filter(|word| *word != "const").collect();
        let is_unsigned = words.contains(&"unsigned");
        let mut rest: Vec<&str> =
            words.into_iter().filter(|word| !matches!(*word, "unsigned" | "signed")).collect();
        if rest.len() > 1 {
            rest.retain(|word| *word != "int");
        }
        let kind = match rest.as_slice() {
            [] | ["int"] => IntegerKind::Int,
            ["char"] if is_unsigned => IntegerKind::UnsignedChar,
            ["char"] => IntegerKind::Char,
            ["short"] => IntegerKind::Short,
            ["long"] => IntegerKind::Long,
            ["long", "long"] => IntegerKind::LongLong,
            _ => return None,
        };
        Some(self.types.integer(if is_unsigned { kind.to_unsigned() } else { kind }))
    }

    fn promoted(&mut self, ty: TypeId) -> Option<TypeId> {
        if !self.types.is_integer(ty) {
            return None;
        }
        let shape = self.types.integer_shape(ty)?;
        if shape.width < 32 { Some(self.types.int()) } else { Some(ty) }
    }

    /// C's usual conversions, on integers.
    fn common(&mut self, left: TypeId, right: TypeId) -> Option<TypeId> {
        let (left, right) = (self.promoted(left)?, self.promoted(right)?);
        let (of_left, of_right) = (self.types.integer_shape(left)?, self.types.integer_shape(right)?);
        Some(match of_left.width.cmp(&of_right.width) {
            std::cmp::Ordering::Greater => left,
            std::cmp::Ordering::Less => right,
            std::cmp::Ordering::Equal if !of_left.signed => left,
            std::cmp::Ordering::Equal => right,
        })
    }

    fn binary(
        &mut self,
        scope: &Scope,
        operator: CBinary,
        left: &CExpression,
        right: &CExpression,
    ) -> Result<Expr, NotUnderstood> {
        let (left, right) = (self.value(scope, left)?, self.value(scope, right)?);
        let operator = match operator {
            CBinary::LogicalAnd | CBinary::LogicalOr => {
                return Err("`&&` and `||` may only join conditions here".into());
            }
            CBinary::Or => BinaryOp::BitOr,
            CBinary::Xor => BinaryOp::BitXor,
            CBinary::And => BinaryOp::BitAnd,
            CBinary::Equal => BinaryOp::Equal,
            CBinary::NotEqual => BinaryOp::NotEqual,
            CBinary::Less => BinaryOp::Less,
            CBinary::LessOrEqual => BinaryOp::LessEqual,
            CBinary::Greater => BinaryOp::Greater,
            CBinary::GreaterOrEqual => BinaryOp::GreaterEqual,
            CBinary::ShiftLeft => BinaryOp::ShiftLeft,
            CBinary::ShiftRight => BinaryOp::ShiftRight,
            CBinary::Add => BinaryOp::Add,
            CBinary::Subtract => BinaryOp::Subtract,
            CBinary::Multiply => BinaryOp::Multiply,
            CBinary::Divide => BinaryOp::Divide,
            CBinary::Remainder => BinaryOp::Remainder,
        };
        let int = self.types.int();
        let made = |ty: TypeId, left: Expr, right: Expr| Expr {
            kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)),
            ty,
        };
        let (is_left, is_right) = (self.types.is_pointer(left.ty), self.types.is_pointer(right.ty));
        if is_left || is_right {
            let ty = if is_left { left.ty } else { right.ty };
            let is_fair = |other: &Expr, is_pointer: bool| is_pointer || other.as_integer() == Some(0);
            if !operator.is_comparison() || !is_fair(&left, is_left) || !is_fair(&right, is_right) {
                return Err("pointers may only be compared with pointers and 0 here".into());
            }
            return Ok(made(int, left.cast(ty), right.cast(ty)));
        }
        if matches!(operator, BinaryOp::ShiftLeft | BinaryOp::ShiftRight) {
            let ty = self.promoted(left.ty).ok_or("only integers can be shifted")?;
            return Ok(made(ty, left.cast(ty), right));
        }
        let ty = self.common(left.ty, right.ty).ok_or("only integers are understood here")?;
        let result = if operator.is_comparison() { int } else { ty };
        Ok(made(result, left.cast(ty), right.cast(ty)))
    }

    /// Reads a place.
    pub(super) fn place(&mut self, scope: &Scope, text: &CExpression) -> Result<Place, NotUnderstood> {
        match text {
            CExpression::Name(name) => {
                let root =
                    *scope.names.get(name).ok_or_else(|| format!("there is no variable `{name}` here"))?;
                Ok(Place::variable(root, self.roots[root].ty))
            }
            CExpression::Member(object, field) => {
                let place = self.place(scope, object)?;
                self.member(place, field)
            }
            CExpression::Arrow(pointer, field) => {
                let place = self.behind(scope, pointer)?;
                self.member(place, field)
            }
            CExpression::Unary(CUnary::Dereference, pointer) => self.behind(scope, pointer),
            CExpression::Element(array, index) => {
                let index = self.value(scope, index)?;
                if let Ok(mut place) = self.place(scope, array)
                    && let Type::Array(element, _) = *self.types.get(place.ty.id)
                {
                    place.path.push(Projection::Index(Box::new(index)));
                    place.ty = element;
                    return Ok(place);
                }
                let pointer = self.value(scope, array)?;
                let to = self.types.pointee(pointer.ty).ok_or_else(|| format!("`{array}` is no array"))?;
                let ty = pointer.ty;
                let moved = ExprKind::PointerOffset { pointer: Box::new(pointer), index: Box::new(index) };
                Ok(Place::pointed_to_by(Expr { kind: moved, ty }, to))
            }
            CExpression::Argument(_) => {
                let value = self.value(scope, text)?;
                match value.kind {
                    ExprKind::Load(place) => Ok(*place),
                    _ => Err(format!("`{text}` is no place").into()),
                }
            }
            other => Err(format!("`{other}` is no place").into()),
        }
    }

    fn behind(&mut self, scope: &Scope, pointer: &CExpression) -> Result<Place, NotUnderstood> {
        let value = self.value(scope, pointer)?;
        let to = self.types.pointee(value.ty).ok_or_else(|| format!("`{pointer}` is no pointer"))?;
        Ok(Place::pointed_to_by(value, to))
    }

    fn member(&self, mut place: Place, field: &str) -> Result<Place, NotUnderstood> {
        let (path, ty) =
            self.field_path(place.ty.id, field).ok_or_else(|| format!("there is no member `{field}`"))?;
        place.path.extend(path);
        place.ty = ty;
        Ok(place)
    }

    /// Members of anonymous members count as the record's own.
    fn field_path(&self, ty: TypeId, wanted: &str) -> Option<(Vec<Projection>, program::TypeRef)> {
        let record = self.types.record_id(ty)?;
        for (index, field) in self.types.records[record].fields.as_ref()?.iter().enumerate() {
            let step = Projection::Field(record, index as u32);
            match &field.name {
                Some(name) if &**name == wanted => return Some((vec![step], field.ty)),
                None => {
                    if let Some((mut path, ty)) = self.field_path(field.ty.id, wanted) {
                        path.insert(0, step);
                        return Some((path, ty));
                    }
                }
                Some(_) => {}
            }
        }
        None
    }
}
