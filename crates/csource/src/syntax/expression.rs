//! Expressions as written.

use super::{Block, Designator, InitializerList, TypeName};
use base::{Span, Symbol};

/// An expression.
#[derive(Debug)]
pub struct Expr {
    /// Which expression it is, with its operands.
    pub kind: ExprKind,
    /// All of it.
    pub span: Span,
}

/// Prefix and postfix operators without special syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `+e`
    Plus,
    /// `-e`
    Minus,
    /// `~e`
    BitNot,
    /// `!e`
    Not,
    /// `*e`
    Deref,
    /// `&e`
    AddressOf,
    /// `++e`
    PreIncrement,
    /// `--e`
    PreDecrement,
    /// `e++`
    PostIncrement,
    /// `e--`
    PostDecrement,
    /// `__real__ e`
    Real,
    /// `__imag__ e`
    Imaginary,
}

/// Arithmetic, comparison and logical operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `<=`
    LessEqual,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `&&`
    LogicalAnd,
    /// `||`
    LogicalOr,
}

/// Width of a character or string literal's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// `"…"` and `u8"…"`: bytes.
    Plain,
    /// `L"…"`: `wchar_t`, 32 bits here.
    Wide,
    /// `u"…"`
    Utf16,
    /// `U"…"`
    Utf32,
}

/// Suffix of an integer literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct IntegerSuffix {
    /// `u`
    pub unsigned: bool,
    /// `l`
    pub long: bool,
    /// `ll`
    pub long_long: bool,
}

/// Suffix of a floating literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatSuffix {
    /// None: `double`
    Double,
    /// `f`
    Float,
    /// `l`
    LongDouble,
    /// `q`, `f128`
    Float128,
}

/// The kinds of expression.
#[derive(Debug)]
pub enum ExprKind {
    /// A name that is not a typedef.
    Name(Symbol),
    /// `12u`, `0x1F`, `0b101`
    Integer {
        /// Its value; literals above 2^128 are an error of the lexer's.
        value: u128,
        /// Octal, hexadecimal or binary: these may become unsigned.
        is_decimal: bool,
        /// Its suffix.
        suffix: IntegerSuffix,
    },
    /// `1.5e3f`, `0x1p3`: the text without suffix; `sema` rounds it for its type.
    Float {
        /// Digits, point, exponent.
        text: String,
        /// Its suffix.
        suffix: FloatSuffix,
        /// `1.0i`: flagged by `sema`.
        is_imaginary: bool,
    },
    /// `'a'`: the value as C has it (`int` for plain ones, sign extended).
    Character {
        /// Its value.
        value: i64,
        /// Its prefix.
        encoding: Encoding,
    },
    /// Adjacent literals already joined; one element per character, no terminating zero.
    String {
        /// The elements.
        units: Vec<u32>,
        /// Its prefix.
        encoding: Encoding,
    },
    /// `__func__`, `__FUNCTION__`, `__PRETTY_FUNCTION__`
    FunctionName,
    /// `(e)`: kept, so that source text and `"(x)"` initialisers can be told apart.
    Paren(Box<Expr>),
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `f(a, b)`
    Call(Box<Expr>, Vec<Expr>),
    /// `e.x`
    Member(Box<Expr>, Symbol, Span),
    /// `e->x`
    Arrow(Box<Expr>, Symbol, Span),
    /// Operators with one operand.
    Unary(UnaryOperator, Box<Expr>),
    /// Operators with two operands.
    Binary(BinaryOperator, Box<Expr>, Box<Expr>),
    /// `a = b`, `a += b`
    Assign(Option<BinaryOperator>, Box<Expr>, Box<Expr>),
    /// `c ? a : b`; without the middle for `c ?: b`
    Conditional(Box<Expr>, Option<Box<Expr>>, Box<Expr>),
    /// `a, b`
    Comma(Box<Expr>, Box<Expr>),
    /// `(type)e`
    Cast(Box<TypeName>, Box<Expr>),
    /// `(type){ … }`
    CompoundLiteral(Box<TypeName>, InitializerList),
    /// `sizeof e`
    SizeofExpr(Box<Expr>),
    /// `sizeof(type)`
    SizeofType(Box<TypeName>),
    /// `_Alignof e`
    AlignofExpr(Box<Expr>),
    /// `_Alignof(type)`
    AlignofType(Box<TypeName>),
    /// `_Generic(e, type: e, default: e)`
    Generic(Box<Expr>, Vec<(Option<TypeName>, Expr)>),
    /// `({ … })`
    Statement(Block),
    /// `&&label`
    LabelAddress(Symbol, Span),
    /// `__builtin_va_arg(list, type)`
    VaArg(Box<Expr>, Box<TypeName>),
    /// `__builtin_offsetof(type, a.b[2])`
    Offsetof(Box<TypeName>, Vec<Designator>),
    /// `__builtin_types_compatible_p(a, b)`
    TypesCompatible(Box<TypeName>, Box<TypeName>),
    /// `__builtin_choose_expr(c, a, b)`
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    /// What stands where an expression could not be read; the error is already told.
    Error,
}
