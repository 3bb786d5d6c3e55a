//! Pieces of expression text with what is known about them: type, range of values, precedence.
//! Parentheses are written only where C needs them, so that the parser's precedences are exercised.

use super::integer::{Int, Range};

/// Binding strength of an operator, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Binding {
    /// `a, b`
    Comma,
    /// `a = b`
    Assignment,
    /// `a ? b : c`
    Conditional,
    /// `||`
    LogicalOr,
    /// `&&`
    LogicalAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `&`
    BitAnd,
    /// `==` `!=`
    Equality,
    /// `<` `>` `<=` `>=`
    Relational,
    /// `<<` `>>`
    Shift,
    /// `+` `-`
    Additive,
    /// `*` `/` `%`
    Multiplicative,
    /// Prefix operators and casts.
    Prefix,
    /// Postfix operators and primary expressions.
    Postfix,
}

impl Binding {
    /// The next stronger one, which the right operand of a left-associative operator needs.
    pub fn tighter(self) -> Binding {
        use Binding::*;
        const ORDER: [Binding; 15] = [
            Comma,
            Assignment,
            Conditional,
            LogicalOr,
            LogicalAnd,
            BitOr,
            BitXor,
            BitAnd,
            Equality,
            Relational,
            Shift,
            Additive,
            Multiplicative,
            Prefix,
            Postfix,
        ];
        ORDER[(self as usize + 1).min(ORDER.len() - 1)]
    }
}

/// A piece of text that can stand in an expression.
#[derive(Clone, Debug)]
pub struct Text {
    /// The text.
    pub text: String,
    /// How strongly its outermost operator binds.
    pub binding: Binding,
}

impl Text {
    /// The text, in parentheses if it binds weaker than the place it goes to.
    pub fn at(&self, binding: Binding) -> String {
        if self.binding < binding { format!("({})", self.text) } else { self.text.clone() }
    }
}

/// An integer expression.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its text.
    pub text: Text,
    /// Its type, before promotion.
    pub ty: Int,
    /// All values it can have lie here.
    pub range: Range,
}

impl Value {
    /// A value with the given text.
    pub fn new(text: impl Into<String>, binding: Binding, ty: Int, range: Range) -> Value {
        Value { text: Text { text: text.into(), binding }, ty, range }
    }

    /// Its text at a place that needs the given binding.
    pub fn at(&self, binding: Binding) -> String {
        self.text.at(binding)
    }
}

/// A floating type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Real {
    /// `float`
    Float,
    /// `double`
    Double,
    /// `long double`
    LongDouble,
}

impl Real {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Real::Float => "float",
            Real::Double => "double",
            Real::LongDouble => "long double",
        }
    }

    /// The suffix of its constants.
    pub fn suffix(self) -> &'static str {
        match self {
            Real::Float => "f",
            Real::Double => "",
            Real::LongDouble => "L",
        }
    }

    /// The length modifier of its `printf` conversions.
    pub fn modifier(self) -> &'static str {
        if self == Real::LongDouble { "L" } else { "" }
    }
}

/// A floating expression. Its magnitude stays far below overflow: see `Generator::real`.
#[derive(Clone, Debug)]
pub struct RealValue {
    /// Its text.
    pub text: Text,
    /// Its type.
    pub ty: Real,
}

impl RealValue {
    /// A value with the given text.
    pub fn new(text: impl Into<String>, binding: Binding, ty: Real) -> RealValue {
        RealValue { text: Text { text: text.into(), binding }, ty }
    }

    /// Its text at a place that needs the given binding.
    pub fn at(&self, binding: Binding) -> String {
        self.text.at(binding)
    }
}
