//! C expressions as specifications use them: side-effect free, over a procedure's variables, its arguments `$1, $2, …`
//! and its result `$0`. Types are not known here; who has the C program resolves the names.

pub mod display;
pub mod guards;
pub mod parse;

use std::sync::Arc;

/// An operator between two operands, as in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each is the operator of that name")]
pub enum CBinary {
    LogicalOr,
    LogicalAnd,
    Or,
    Xor,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// An operator before its operand, as in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each is the operator of that name")]
pub enum CUnary {
    Not,
    Minus,
    Plus,
    Complement,
    Dereference,
    Address,
}

/// A C expression. Equality is that of the trees: spaces, parentheses and the base of numbers do not matter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CExpression {
    /// An integer, suffixes dropped.
    Integer(i128),
    /// A variable or an enumeration constant.
    Name(Arc<str>),
    /// `$0` is the result, `$i` the i-th argument.
    Argument(u32),
    /// An operator before an operand.
    Unary(CUnary, Box<CExpression>),
    /// An operator between operands.
    Binary(CBinary, Box<CExpression>, Box<CExpression>),
    /// `c ? a : b`
    Conditional(Box<CExpression>, Box<CExpression>, Box<CExpression>),
    /// `s.f`
    Member(Box<CExpression>, Arc<str>),
    /// `p->f`
    Arrow(Box<CExpression>, Arc<str>),
    /// `a[i]`
    Element(Box<CExpression>, Box<CExpression>),
    /// `(type) e`, the type as words.
    Cast(Arc<str>, Box<CExpression>),
}

impl CExpression {
    /// The value, if the expression is made of integers only and the value fits.
    pub fn constant(&self) -> Option<i128> {
        self.value(&|_| None)
    }

    /// The expression with numbers for names that stand for them.
    pub fn with_names(&self, number: &dyn Fn(&str) -> Option<i128>) -> CExpression {
        let own = |part: &CExpression| Box::new(part.with_names(number));
        match self {
            CExpression::Name(name) => number(name).map_or_else(|| self.clone(), CExpression::Integer),
            CExpression::Integer(_) | CExpression::Argument(_) => self.clone(),
            CExpression::Unary(operator, a) => CExpression::Unary(*operator, own(a)),
            CExpression::Binary(operator, a, b) => CExpression::Binary(*operator, own(a), own(b)),
            CExpression::Conditional(a, b, c) => CExpression::Conditional(own(a), own(b), own(c)),
            CExpression::Member(a, field) => CExpression::Member(own(a), field.clone()),
            CExpression::Arrow(a, field) => CExpression::Arrow(own(a), field.clone()),
            CExpression::Element(a, b) => CExpression::Element(own(a), own(b)),
            CExpression::Cast(words, a) => CExpression::Cast(words.clone(), own(a)),
        }
    }

    /// Calls `visit` with the places (variables, arguments, members, elements) whose values the value depends on.
    pub fn for_each_place<'e>(&'e self, visit: &mut dyn FnMut(&'e CExpression)) {
        match self {
            CExpression::Integer(_) => {}
            CExpression::Name(_)
            | CExpression::Argument(_)
            | CExpression::Member(..)
            | CExpression::Arrow(..)
            | CExpression::Element(..)
            | CExpression::Unary(CUnary::Dereference | CUnary::Address, _) => visit(self),
            CExpression::Cast(_, inner) | CExpression::Unary(_, inner) => inner.for_each_place(visit),
            CExpression::Binary(_, left, right) => {
                [left, right].into_iter().for_each(|part| part.for_each_place(visit))
            }
            CExpression::Conditional(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().for_each(|part| part.for_each_place(visit));
            }
        }
    }

    /// The value when the places (variables, arguments, members, elements) have the given values. Unbounded
    /// integers; division by zero has no value.
    pub fn value(&self, of_place: &impl Fn(&CExpression) -> Option<i128>) -> Option<i128> {
        let truth = |holds: bool| Some(i128::from(holds));
        match self {
            CExpression::Integer(value) => Some(*value),
            CExpression::Name(_)
            | CExpression::Argument(_)
            | CExpression::Member(..)
            | CExpression::Arrow(..)
            | CExpression::Element(..)
            | CExpression::Unary(CUnary::Dereference | CUnary::Address, _) => of_place(self),
            CExpression::Cast(..) => None,
            CExpression::Unary(operator, operand) => {
                let operand = operand.value(of_place)?;
                match operator {
                    CUnary::Not => truth(operand == 0),
                    CUnary::Minus => operand.checked_neg(),
                    CUnary::Plus => Some(operand),
                    CUnary::Complement => Some(!operand),
                    CUnary::Dereference | CUnary::Address => None,
                }
            }
            CExpression::Conditional(condition, then, otherwise) => {
                if condition.value(of_place)? != 0 {
                    then.value(of_place)
                } else {
                    otherwise.value(of_place)
                }
            }
            CExpression::Binary(operator, left, right) => {
                let left = left.value(of_place)?;
                // As in C, the right operand of a decided `&&` or `||` does not matter.
                match operator {
                    CBinary::LogicalAnd if left == 0 => return truth(false),
                    CBinary::LogicalOr if left != 0 => return truth(true),
                    _ => {}
                }
                operator.apply(left, right.value(of_place)?)
            }
        }
    }
}

impl CBinary {
    /// The result on unbounded integers, where there is one.
    pub fn apply(self, left: i128, right: i128) -> Option<i128> {
        let truth = |holds: bool| Some(i128::from(holds));
        match self {
            CBinary::LogicalOr => truth(left != 0 || right != 0),
            CBinary::LogicalAnd => truth(left != 0 && right != 0),
            CBinary::Or => Some(left | right),
            CBinary::Xor => Some(left ^ right),
            CBinary::And => Some(left & right),
            CBinary::Equal => truth(left == right),
            CBinary::NotEqual => truth(left != right),
            CBinary::Less => truth(left < right),
            CBinary::LessOrEqual => truth(left <= right),
            CBinary::Greater => truth(left > right),
            CBinary::GreaterOrEqual => truth(left >= right),
            CBinary::ShiftLeft => {
                let shift = u32::try_from(right).ok().filter(|&shift| shift < 64)?;
                left.checked_mul(1i128 << shift)
            }
            CBinary::ShiftRight => {
                u32::try_from(right).ok().filter(|&shift| shift < 128).map(|shift| left >> shift)
            }
            CBinary::Add => left.checked_add(right),
            CBinary::Subtract => left.checked_sub(right),
            CBinary::Multiply => left.checked_mul(right),
            CBinary::Divide => left.checked_div(right),
            CBinary::Remainder => left.checked_rem(right),
        }
    }

    /// How tightly it binds; larger is tighter.
    pub(crate) fn strength(self) -> u8 {
        match self {
            CBinary::LogicalOr => 1,
            CBinary::LogicalAnd => 2,
            CBinary::Or => 3,
            CBinary::Xor => 4,
            CBinary::And => 5,
            CBinary::Equal | CBinary::NotEqual => 6,
            CBinary::Less | CBinary::LessOrEqual | CBinary::Greater | CBinary::GreaterOrEqual => 7,
            CBinary::ShiftLeft | CBinary::ShiftRight => 8,
            CBinary::Add | CBinary::Subtract => 9,
            CBinary::Multiply | CBinary::Divide | CBinary::Remainder => 10,
        }
    }

    /// How it is written.
    pub(crate) fn text(self) -> &'static str {
        match self {
            CBinary::LogicalOr => "||",
            CBinary::LogicalAnd => "&&",
            CBinary::Or => "|",
            CBinary::Xor => "^",
            CBinary::And => "&",
            CBinary::Equal => "==",
            CBinary::NotEqual => "!=",
            CBinary::Less => "<",
            CBinary::LessOrEqual => "<=",
            CBinary::Greater => ">",
            CBinary::GreaterOrEqual => ">=",
            CBinary::ShiftLeft => "<<",
            CBinary::ShiftRight => ">>",
            CBinary::Add => "+",
            CBinary::Subtract => "-",
            CBinary::Multiply => "*",
            CBinary::Divide => "/",
            CBinary::Remainder => "%",
        }
    }

    /// All of them.
    pub(crate) const ALL: [CBinary; 18] = [
        CBinary::LogicalOr,
        CBinary::LogicalAnd,
        CBinary::Or,
        CBinary::Xor,
        CBinary::And,
        CBinary::Equal,
        CBinary::NotEqual,
        CBinary::Less,
        CBinary::LessOrEqual,
        CBinary::Greater,
        CBinary::GreaterOrEqual,
        CBinary::ShiftLeft,
        CBinary::ShiftRight,
        CBinary::Add,
        CBinary::Subtract,
        CBinary::Multiply,
        CBinary::Divide,
        CBinary::Remainder,
    ];
}
