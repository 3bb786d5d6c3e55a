//! Integer and label values, and expressions over them.

use crate::cexpr::CBinary;
use crate::syntax::{Expression, ExpressionKind, UnaryOperator};
use base::{Diagnostic, Span};
use rustc_hash::FxHashMap;
use std::fmt::{Display, Formatter};
use std::sync::Arc;

/// What an expression evaluates to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A number.
    Integer(i64),
    /// A label, as it stands in the name of an action.
    Label(Arc<str>),
}

impl Value {
    /// A part of a name as a value: digits are a number.
    pub fn of_text(text: &str) -> Value {
        text.parse().map_or_else(|_| Value::Label(Arc::from(text)), Value::Integer)
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Integer(number) => write!(f, "{number}"),
            Value::Label(text) => f.write_str(text),
        }
    }
}

/// What the names of a specification stand for everywhere.
#[derive(Clone, Debug, Default)]
pub(crate) struct Globals {
    pub constants: FxHashMap<Arc<str>, Value>,
    pub ranges: FxHashMap<Arc<str>, (i64, i64)>,
    pub sets: FxHashMap<Arc<str>, Arc<[Arc<str>]>>,
}

/// What names stand for here: variables and parameters over the globals.
pub(crate) struct Environment<'g> {
    pub globals: &'g Globals,
    variables: Vec<(Arc<str>, Value)>,
    /// Labels enumerated so far.
    pub enumerated: usize,
}

impl<'g> Environment<'g> {
    pub fn new(globals: &'g Globals, variables: Vec<(Arc<str>, Value)>) -> Environment<'g> {
        Environment { globals, variables, enumerated: 0 }
    }

    pub fn bind(&mut self, name: Arc<str>, value: Value) {
        self.variables.push((name, value));
    }

    pub fn unbind(&mut self) {
        self.variables.pop();
    }

    /// The variables in force, to keep.
    pub fn variables(&self) -> Vec<(Arc<str>, Value)> {
        self.variables.clone()
    }

    pub fn find(&self, name: &str) -> Option<&Value> {
        self.bound(name).or_else(|| self.globals.constants.get(name))
    }

    /// The value of a variable in force, constants of the file left aside.
    pub fn bound(&self, name: &str) -> Option<&Value> {
        self.variables.iter().rev().find(|(known, _)| &**known == name).map(|(_, value)| value)
    }

    pub fn value(&mut self, expression: &Expression) -> Result<Value, Diagnostic> {
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Number(number) => Ok(Value::Integer(*number)),
            ExpressionKind::Name(name) => self.find(name).cloned().ok_or_else(|| self.undefined(name, span)),
            ExpressionKind::Label(label) => {
                let mut labels = self.labels(label)?;
                match labels.len() {
                    1 => Ok(Value::of_text(&labels.remove(0))),
                    count => {
                        let message = format!("a label as a value must be one action, this is {count}");
                        Err(Diagnostic::error("not-one-label", span, message))
                    }
                }
            }
            ExpressionKind::Count(label) => Ok(Value::Integer(self.labels(label)?.len() as i64)),
            ExpressionKind::Select(label, index) => {
                let index = self.integer(index)?;
                let labels = self.labels(label)?;
                let chosen = usize::try_from(index).ok().and_then(|index| labels.get(index));
                chosen.map(|text| Value::of_text(text)).ok_or_else(|| {
                    let message = format!("there is no element {index}: the set has {}", labels.len());
                    Diagnostic::error("index-out-of-range", span, message).hint("elements are counted from 0")
                })
            }
            ExpressionKind::Unary(operator, operand) => {
                let value = self.integer(operand)?;
                let result = match operator {
                    UnaryOperator::Plus => Some(value),
                    UnaryOperator::Minus => value.checked_neg(),
                    UnaryOperator::Not => Some(i64::from(value == 0)),
                };
                result.map(Value::Integer).ok_or_else(|| overflow(span))
            }
            ExpressionKind::Binary(operator, left, right) => self.binary(*operator, left, right, span),
        }
    }

    fn binary(
        &mut self,
        operator: CBinary,
        left: &Expression,
        right: &Expression,
        span: Span,
    ) -> Result<Value, Diagnostic> {
        let (first, second) = (self.value(left)?, self.value(right)?);
        match operator {
            CBinary::Equal => return Ok(Value::Integer(i64::from(first == second))),
            CBinary::NotEqual => return Ok(Value::Integer(i64::from(first != second))),
            _ => {}
        }
        let first = as_integer(&first, left.span)?;
        let second = as_integer(&second, right.span)?;
        if second == 0 && matches!(operator, CBinary::Divide | CBinary::Remainder) {
            return Err(Diagnostic::error("division-by-zero", span, "this divides by zero"));
        }
        apply(operator, first, second).map(Value::Integer).ok_or_else(|| overflow(span))
    }

    pub fn integer(&mut self, expression: &Expression) -> Result<i64, Diagnostic> {
        let value = self.value(expression)?;
        as_integer(&value, expression.span)
    }

    pub fn truth(&mut self, expression: &Expression) -> Result<bool, Diagnostic> {
        Ok(self.integer(expression)? != 0)
    }

    fn undefined(&self, name: &str, span: Span) -> Diagnostic {
        let diagnostic = Diagnostic::error("undefined-name", span, format!("`{name}` has no value here"));
        if self.globals.ranges.contains_key(name) || self.globals.sets.contains_key(name) {
            diagnostic
                .hint(format!("`{name}` stands for several values; bind a variable to one: `[i:{name}]`"))
        } else if name.starts_with(|c: char| c.is_ascii_uppercase()) {
            diagnostic.hint(format!("define it by `const {name} = …` or make it a parameter"))
        } else {
            diagnostic.hint(format!("bind it in an index before it is used: `[{name}:0..3]`"))
        }
    }
}

fn as_integer(value: &Value, span: Span) -> Result<i64, Diagnostic> {
    match value {
        Value::Integer(number) => Ok(*number),
        Value::Label(text) => Err(Diagnostic::error(
            "not-a-number",
            span,
            format!("`{text}` is a label, a number is wanted here"),
        )
        .hint("labels can only be compared by `==` and `!=`")),
    }
}

fn overflow(span: Span) -> Diagnostic {
    Diagnostic::error("overflow", span, "the value does not fit 64 bits")
}

/// The result in 64 bits, where there is one.
fn apply(operator: CBinary, left: i64, right: i64) -> Option<i64> {
    let is_shift = matches!(operator, CBinary::ShiftLeft | CBinary::ShiftRight);
    if is_shift && !(0..64).contains(&right) {
        return None;
    }
    i64::try_from(operator.apply(left.into(), right.into())?).ok()
}
