//! What the atoms of a formula mean in a program: conditions become expressions over its global variables, with the
//! types and conversions of C (C11 6.3.1).
//!
//! All parts of a condition are evaluated: `&&` and `||` evaluate both sides. So what could be undefined in one side only
//! is refused: pointers that are followed, elements at places that are not fixed, division by what may be zero.

use crate::text::{Asked, Written, WrittenAtom};
use base::{Diagnostic, Span};
use program::expr::Projection;
use program::types::{ArrayLength, FloatKind, IntegerKind};
use program::{
    BinaryOp, Expr, ExprKind, Place, ProcedureId, Program, Type, TypeId, UnaryOp, VariableId, VariableKind,
};
use spec::cexpr::{CBinary, CExpression, CUnary};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What an atom means.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// 0 or 1, of type `int`.
    Condition(Expr),
    /// A call of the procedure.
    Call(ProcedureId),
    /// A return from it.
    Return(ProcedureId),
    /// Control at the label.
    Label(Arc<str>),
}

/// The atoms of a formula, by name.
#[derive(Clone, Debug, Default)]
pub struct Atoms {
    /// What each means.
    pub by_name: BTreeMap<Arc<str>, Meaning>,
    /// The variables that conditions read.
    pub observed: BTreeSet<VariableId>,
}

/// Finds what the atoms mean. Types that conditions need are added to the program's.
pub fn resolve(program: &mut Program, written: &Written) -> Result<Atoms, Diagnostic> {
    let mut atoms = Atoms::default();
    for (name, WrittenAtom { asked, span }) in &written.atoms {
        let meaning = match asked {
            Asked::Condition(condition) => {
                let mut typed = Typed { program, observed: BTreeSet::new() };
                let value = typed.value(condition).and_then(|value| typed.truth(value));
                let value = value.map_err(|what| Diagnostic::error("no-condition", *span, what))?;
                atoms.observed.extend(typed.observed);
                Meaning::Condition(value)
            }
            Asked::Call(function) => Meaning::Call(procedure(program, function, *span)?),
            Asked::Return(function) => Meaning::Return(procedure(program, function, *span)?),
            Asked::Label(label) if program.labels.contains(label) => Meaning::Label(label.clone()),
            Asked::Label(label) => {
                return Err(Diagnostic::error("no-label", *span, format!("there is no label `{label}`")));
            }
        };
        atoms.by_name.insert(name.clone(), meaning);
    }
    Ok(atoms)
}

fn procedure(program: &Program, name: &str, span: Span) -> Result<ProcedureId, Diagnostic> {
    let mut named = program.procedures.iter_enumerated().filter(|(_, one)| &*one.name == name);
    match (named.next(), named.next()) {
        (Some((id, _)), None) => Ok(id),
        (None, _) => Err(Diagnostic::error("no-function", span, format!("there is no function `{name}`"))),
        (Some(_), Some(_)) => {
            Err(Diagnostic::error("no-function", span, format!("there are several functions `{name}`")))
        }
    }
}

type Refused<T> = Result<T, String>;

struct Typed<'p> {
    program: &'p mut Program,
    observed: BTreeSet<VariableId>,
}

/// A type that is computed in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    Integer(IntegerKind),
    Float(FloatKind),
}

impl Typed<'_> {
    fn int(&mut self) -> TypeId {
        self.program.types.int()
    }

    fn id_of(&mut self, number: Number) -> TypeId {
        match number {
            Number::Integer(kind) => self.program.types.integer(kind),
            Number::Float(kind) => self.program.types.float(kind),
        }
    }

    /// The type after the integer promotions (6.3.1.1p2).
    fn promoted(&self, ty: TypeId) -> Option<Number> {
        let types = &self.program.types;
        match types.get(ty) {
            Type::Bool => Some(Number::Integer(IntegerKind::Int)),
            Type::Integer(kind) if kind.rank() < IntegerKind::Int.rank() => {
                Some(Number::Integer(IntegerKind::Int))
            }
            Type::Integer(kind) => Some(Number::Integer(*kind)),
            Type::Enum(id) => self.promoted(types.enums[*id].underlying),
            Type::Float(kind) => Some(Number::Float(*kind)),
            _ => None,
        }
    }

    /// The type that both operands are converted to (6.3.1.8).
    fn common(&self, one: Number, two: Number) -> Number {
        let (one, two) = match (one, two) {
            (Number::Float(one), Number::Float(two)) => return Number::Float(one.max(two)),
            (Number::Float(kind), _) | (_, Number::Float(kind)) => return Number::Float(kind),
            (Number::Integer(one), Number::Integer(two)) => (one, two),
        };
        let kind = if one.is_signed() == two.is_signed() {
            if one.rank() >= two.rank() { one } else { two }
        } else {
            let (signed, unsigned) = if one.is_signed() { (one, two) } else { (two, one) };
            let types = &self.program.types;
            if unsigned.rank() >= signed.rank() {
                unsigned
            } else if types.integer_width(signed) > types.integer_width(unsigned) {
                signed
            } else {
                signed.to_unsigned()
            }
        };
        Number::Integer(kind)
    }

    fn number(&self, value: &Expr, shown: &CExpression) -> Refused<Number> {
        self.promoted(value.ty).ok_or_else(|| format!("`{shown}` is not a number"))
    }

    /// 0 or 1.
    fn truth(&mut self, value: Expr) -> Refused<Expr> {
        let is_truth = matches!(&value.kind, ExprKind::Binary(op, ..) if op.is_comparison())
            || matches!(&value.kind, ExprKind::Unary(UnaryOp::Not, _));
        if is_truth {
            return Ok(value);
        }
        if !self.program.types.is_scalar(value.ty) {
            return Err("it has no truth value".to_owned());
        }
        let int = self.int();
        let not = |inner: Expr| Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(inner)), ty: int };
        Ok(not(not(value)))
    }

    fn constant(&mut self, value: i128) -> Refused<Expr> {
        let kinds = [IntegerKind::Int, IntegerKind::Long, IntegerKind::LongLong];
        for kind in kinds {
            let width = self.program.types.integer_width(kind);
            let most = (1i128 << (width - 1)) - 1;
            if (-most..=most).contains(&value) {
                let ty = self.program.types.integer(kind);
                return Ok(Expr::integer(value as u128, ty, &self.program.types));
            }
        }
        Err(format!("{value} needs more than 64 bits"))
    }

    fn value(&mut self, expression: &CExpression) -> Refused<Expr> {
        match expression {
            CExpression::Integer(value) => self.constant(*value),
            CExpression::Name(name) => match self.global(name)? {
                Some(place) => self.load(place, expression),
                None => match self.enumerator(name) {
                    Some(value) => self.constant(value),
                    None => Err(self.unknown(name)),
                },
            },
            CExpression::Member(..) | CExpression::Element(..) => {
                let place = self.place(expression)?;
                self.load(place, expression)
            }
            CExpression::Unary(operator, inner) => self.unary(*operator, inner, expression),
            CExpression::Binary(operator, left, right) => self.binary(*operator, left, right, expression),
            CExpression::Cast(to, inner) => {
                let value = self.value(inner)?;
                self.number(&value, inner)?;
                let to =
                    integer_named(to).ok_or_else(|| format!("a cast to `{to}` cannot be asked about"))?;
                if self.program.types.float_kind(value.ty).is_some() {
                    return Err(format!("`{expression}` may be undefined"));
                }
                let ty = self.program.types.integer(to);
                Ok(value.cast(ty))
            }
            CExpression::Arrow(..) | CExpression::Conditional(..) | CExpression::Argument(_) => {
                Err(format!("`{expression}` cannot be asked about: conditions are over global variables"))
            }
        }
    }

    fn unary(&mut self, operator: CUnary, inner: &CExpression, whole: &CExpression) -> Refused<Expr> {
        let op = match operator {
            CUnary::Dereference | CUnary::Address => {
                return Err(format!("`{whole}` cannot be asked about: conditions are over global variables"));
            }
            CUnary::Not => {
                let value = self.value(inner)?;
                let value = self.truth(value)?;
                let ty = self.int();
                return Ok(Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(value)), ty });
            }
            CUnary::Plus => None,
            CUnary::Minus => Some(UnaryOp::Negate),
            CUnary::Complement => Some(UnaryOp::BitNot),
        };
        let value = self.value(inner)?;
        let number = self.number(&value, inner)?;
        let ty = self.id_of(number);
        let value = value.cast(ty);
        match (op, number) {
            (None, _) => Ok(value),
            (Some(UnaryOp::BitNot), Number::Float(_)) => Err(format!("`{whole}` is no C")),
            (Some(op), _) => Ok(Expr { kind: ExprKind::Unary(op, Box::new(value)), ty }),
        }
    }

    fn binary(
        &mut self,
        operator: CBinary,
        left: &CExpression,
        right: &CExpression,
        whole: &CExpression,
    ) -> Refused<Expr> {
        use CBinary::*;
        let (one, two) = (self.value(left)?, self.value(right)?);
        let int = self.int();
        let op = match operator {
            LogicalAnd | LogicalOr => {
                let op = if operator == LogicalAnd { BinaryOp::BitAnd } else { BinaryOp::BitOr };
                let (one, two) = (self.truth(one)?, self.truth(two)?);
                let both = Expr { kind: ExprKind::Binary(op, Box::new(one), Box::new(two)), ty: int };
                return self.truth(both);
            }
            Equal => BinaryOp::Equal,
            NotEqual => BinaryOp::NotEqual,
            Less => BinaryOp::Less,
            LessOrEqual => BinaryOp::LessEqual,
            Greater => BinaryOp::Greater,
            GreaterOrEqual => BinaryOp::GreaterEqual,
            Add => BinaryOp::Add,
            Subtract => BinaryOp::Subtract,
            Multiply => BinaryOp::Multiply,
            And => BinaryOp::BitAnd,
            Or => BinaryOp::BitOr,
            Xor => BinaryOp::BitXor,
            Divide => BinaryOp::Divide,
            Remainder => BinaryOp::Remainder,
            ShiftLeft | ShiftRight => return Err(format!("`{whole}` cannot be asked about")),
        };
        // A pointer is compared with null, or with another of its type.
        if self.program.types.is_pointer(one.ty) && matches!(operator, Equal | NotEqual) {
            let two = match two.as_integer() {
                Some(0) => two.cast(one.ty),
                _ if two.ty == one.ty => two,
                _ => return Err(format!("`{whole}` compares a pointer with something else")),
            };
            return Ok(Expr { kind: ExprKind::Binary(op, Box::new(one), Box::new(two)), ty: int });
        }
        let (first, second) = (self.number(&one, left)?, self.number(&two, right)?);
        let common = self.common(first, second);
        let ty = self.id_of(common);
        let is_integral =
            matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::Remainder);
        if is_integral && matches!(common, Number::Float(_)) {
            return Err(format!("`{whole}` is no C"));
        }
        if matches!(op, BinaryOp::Divide | BinaryOp::Remainder)
            && matches!(common, Number::Integer(_))
            && right.constant().is_none_or(|by| by == 0 || by == -1)
        {
            return Err(format!(
                "`{whole}` may be undefined: only division by numbers but 0 and -1 can be asked about"
            ));
        }
        let result = if op.is_comparison() { int } else { ty };
        Ok(Expr { kind: ExprKind::Binary(op, Box::new(one.cast(ty)), Box::new(two.cast(ty))), ty: result })
    }

    /// What a place holds.
    fn load(&mut self, place: Place, shown: &CExpression) -> Refused<Expr> {
        let types = &self.program.types;
        if place.bit_field(types).is_some() {
            return Err(format!("`{shown}` is a bit-field, which cannot be asked about"));
        }
        if !types.is_scalar(place.ty.id)
            || matches!(types.get(place.ty.id), Type::Float(FloatKind::LongDouble | FloatKind::Float128))
        {
            return Err(format!("`{shown}` is no number and no pointer that can be asked about"));
        }
        Ok(Expr::load(place))
    }

    /// A global variable of that name.
    fn global(&mut self, name: &str) -> Refused<Option<Place>> {
        let is_named = |id: &VariableId| {
            let variable = &self.program.variables[*id];
            &*variable.name == name && variable.kind == VariableKind::Global && variable.procedure.is_none()
        };
        let named: Vec<VariableId> = self.program.variables.ids().filter(is_named).collect();
        match named[..] {
            [] => Ok(None),
            [id] => {
                let variable = &self.program.variables[id];
                if variable.is_thread_local {
                    return Err(format!(
                        "`{name}` is a variable of each thread, which cannot be asked about"
                    ));
                }
                let place = Place::variable(id, variable.ty);
                self.observed.insert(id);
                Ok(Some(place))
            }
            _ => Err(format!("there are several global variables `{name}`")),
        }
    }

    fn enumerator(&self, name: &str) -> Option<i128> {
        let all = self.program.types.enums.iter().filter_map(|one| one.constants.as_ref());
        let values: BTreeSet<i128> =
            all.flatten().filter(|(own, _)| **own == *name).map(|(_, value)| *value).collect();
        if values.len() == 1 { values.into_iter().next() } else { None }
    }

    fn unknown(&self, name: &str) -> String {
        let local = self.program.variables.iter().find(|one| &*one.name == name && one.procedure.is_some());
        let owner = local.and_then(|one| one.procedure);
        match owner {
            Some(owner) => format!(
                "`{name}` is a local variable of `{}`: conditions are over global variables",
                self.program.procedures[owner].name
            ),
            None => format!("there is no global variable `{name}`"),
        }
    }

    /// A global variable, or a part of one at a fixed place.
    fn place(&mut self, expression: &CExpression) -> Refused<Place> {
        match expression {
            CExpression::Name(name) => self.global(name)?.ok_or_else(|| self.unknown(name)),
            CExpression::Member(whole, field) => {
                let mut place = self.place(whole)?;
                let types = &self.program.types;
                let Type::Record(record) = types.get(place.ty.id) else {
                    return Err(format!("`{whole}` has no members"));
                };
                let fields = types.records[*record].fields.as_deref().unwrap_or_default();
                let at = fields.iter().position(|one| one.name.as_ref() == Some(field));
                let at = at.ok_or_else(|| format!("`{whole}` has no member `{field}`"))?;
                place.path.push(Projection::Field(*record, at as u32));
                place.ty = fields[at].ty;
                Ok(place)
            }
            CExpression::Element(array, index) => {
                let mut place = self.place(array)?;
                let int = self.int();
                let types = &self.program.types;
                let Type::Array(element, ArrayLength::Known(count)) = types.get(place.ty.id) else {
                    return Err(format!("`{array}` is not an array"));
                };
                let index = index.constant().filter(|index| (0..i128::from(*count)).contains(index));
                let index = index.ok_or_else(|| format!("`{expression}` is not at a fixed place"))?;
                let ty = *element;
                place.path.push(Projection::Index(Box::new(Expr::integer(index as u128, int, types))));
                place.ty = ty;
                Ok(place)
            }
            _ => Err(format!("`{expression}` is not a global variable")),
        }
    }
}

/// The integer type that these words name.
fn integer_named(words: &str) -> Option<IntegerKind> {
    let mut words: Vec<&str> = words.split_whitespace().filter(|word| *word != "const").collect();
    words.sort_unstable();
    Some(match words[..] {
        ["int"] | ["signed"] | ["int", "signed"] => IntegerKind::Int,
        ["unsigned"] | ["int", "unsigned"] => IntegerKind::UnsignedInt,
        ["char"] => IntegerKind::Char,
        ["char", "signed"] => IntegerKind::SignedChar,
        ["char", "unsigned"] => IntegerKind::UnsignedChar,
        ["short"] | ["int", "short"] => IntegerKind::Short,
        ["short", "unsigned"] | ["int", "short", "unsigned"] => IntegerKind::UnsignedShort,
        ["long"] | ["int", "long"] => IntegerKind::Long,
        ["long", "unsigned"] | ["int", "long", "unsigned"] => IntegerKind::UnsignedLong,
        ["long", "long"] | ["int", "long", "long"] => IntegerKind::LongLong,
        ["long", "long", "unsigned"] => IntegerKind::UnsignedLongLong,
        _ => return None,
    })
}
