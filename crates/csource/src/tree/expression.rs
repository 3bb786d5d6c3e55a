//! Expressions and initialisers of the typed tree.

use super::{Block, FunctionId, LabelId, StringId, VariableId};
use crate::types::{RecordId, TypeId, TypeRef};
use base::Span;
use std::sync::Arc;

/// An initialiser, with designators and brace elision resolved. What no entry covers is zero.
#[derive(Debug)]
pub enum Initializer {
    /// A scalar, or a record copied from another.
    Value(Expr),
    /// `char a[] = "…"`: the array gets the elements (cut to its length), the rest is zero.
    String(StringId),
    /// An aggregate: each entry initialises the part its path names, in order; a later entry wins over an earlier one.
    Parts(Vec<InitializerPart>),
}

/// One part of an aggregate.
#[derive(Debug)]
pub struct InitializerPart {
    /// From the whole object to the part.
    pub path: Vec<PathStep>,
    /// The part's type.
    pub ty: TypeId,
    /// A scalar or record value, or a string for a character array.
    pub value: PartValue,
}

/// The value of a part.
#[derive(Debug)]
pub enum PartValue {
    /// Converted to the part's type.
    Expr(Expr),
    /// For a character array.
    String(StringId),
    /// `[a ... b] = e` with side effects in `e` is evaluated once; `sema` expands small ranges and keeps the value
    /// of the first part for the rest: this part repeats the value of that earlier entry (an index into `Parts`).
    SameAs(usize),
}

/// One step into an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathStep {
    /// A member, by its position in the record (anonymous members are steps of their own).
    Field(RecordId, u32),
    /// An array element.
    Index(u64),
}

/// A typed expression.
#[derive(Debug)]
pub struct Expr {
    /// Which expression it is, with its operands.
    pub kind: ExprKind,
    /// Its type. Qualifiers matter on lvalues only.
    pub ty: TypeRef,
    /// Where it is written.
    pub span: Span,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnaryOp {
    /// `-e` on a promoted arithmetic operand.
    Negate,
    /// `~e` on a promoted integer.
    BitNot,
    /// `!e` on a scalar; the result is an `int`.
    Not,
}

/// Operators with two operands that both are always evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    BitAnd,
    BitOr,
    BitXor,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl BinaryOp {
    /// Does it give 0 or 1?
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
    }

    /// The comparison that holds when this one does not, of operands that are in some order; other operators stay.
    pub fn opposite(self) -> BinaryOp {
        use BinaryOp::*;
        match self {
            Equal => NotEqual,
            NotEqual => Equal,
            Less => GreaterEqual,
            LessEqual => Greater,
            Greater => LessEqual,
            GreaterEqual => Less,
            other => other,
        }
    }

    /// As C writes it.
    pub fn symbol(self) -> &'static str {
        use BinaryOp::*;
        match self {
            Add => "+",
            Subtract => "-",
            Multiply => "*",
            Divide => "/",
            Remainder => "%",
            ShiftLeft => "<<",
            ShiftRight => ">>",
            BitAnd => "&",
            BitOr => "|",
            BitXor => "^",
            Equal => "==",
            NotEqual => "!=",
            Less => "<",
            LessEqual => "<=",
            Greater => ">",
            GreaterEqual => ">=",
        }
    }
}

/// The kinds of expression.
#[derive(Debug)]
pub enum ExprKind {
    /// An integer constant (also of `_Bool`, enum or pointer type): the bits, cut to the type's width.
    Integer(u128),
    /// A floating constant: its bits in the type's own format (x87 extended in the low 80 bits).
    Float(u128),
    /// lvalue: a variable.
    Variable(VariableId),
    /// A function designator; only under [`ExprKind::Decay`], `&`, or as a callee.
    Function(FunctionId),
    /// lvalue: a string literal.
    String(StringId),
    /// lvalue: `(type){…}`. Evaluating it initialises the variable first.
    CompoundLiteral(VariableId, Box<Initializer>),
    /// lvalue: `*e`. `a[i]` is `*(a + i)`.
    Deref(Box<Expr>),
    /// `e.x`: an lvalue if the base is; otherwise a member of a record value. `e->x` is `(*e).x`.
    Member {
        /// Of record type.
        base: Box<Expr>,
        /// The record.
        record: RecordId,
        /// Position of the member in the record.
        field: u32,
    },
    /// `&e` on an lvalue or a function.
    AddressOf(Box<Expr>),
    /// Array lvalue to pointer to its first element, function to pointer.
    Decay(Box<Expr>),
    /// Operators with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// Arithmetic, bit and comparison operators. Comparisons give `int`; pointers may be compared with each other.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `pointer + index` (negated for `pointer - index`); the index is an integer of any type.
    PointerAdd {
        /// A pointer.
        pointer: Box<Expr>,
        /// Elements to move by.
        index: Box<Expr>,
        /// Move backwards?
        backwards: bool,
    },
    /// `pointer - pointer`, in elements, of type `ptrdiff_t`.
    PointerDifference(Box<Expr>, Box<Expr>),
    /// `a && b` of type `int`.
    LogicalAnd(Box<Expr>, Box<Expr>),
    /// `a || b` of type `int`.
    LogicalOr(Box<Expr>, Box<Expr>),
    /// `c ? a : b`, both converted to the result type (or both void).
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `c ?: b`: the value of `c`, converted, if it is not zero.
    ConditionalOrElse(Box<Expr>, Box<Expr>),
    /// `a = b`: `b` converted to the type of `a`; the value is that of `a` afterwards.
    Assign(Box<Expr>, Box<Expr>),
    /// `a op= b`: computed in `compute` (both operands converted), then converted back. For pointers the operator is
    /// `Add` or `Subtract`, `compute` is the pointer type, and `b` is an integer.
    CompoundAssign {
        /// The operator.
        op: BinaryOp,
        /// What is read and then written; an lvalue.
        target: Box<Expr>,
        /// The right operand, already converted to `compute` (for shifts: promoted only).
        value: Box<Expr>,
        /// The type the operation works in.
        compute: TypeId,
    },
    /// `++e`, `e--` and so on.
    Increment {
        /// What is counted up or down; an lvalue.
        target: Box<Expr>,
        /// `--`?
        is_decrement: bool,
        /// Postfix: the value is the old one.
        is_postfix: bool,
    },
    /// `a, b`
    Comma(Box<Expr>, Box<Expr>),
    /// A call. Arguments are converted to the parameter types, or promoted.
    Call {
        /// A function designator, or a pointer to a function.
        callee: Box<Expr>,
        /// The arguments, converted, in order.
        arguments: Vec<Expr>,
    },
    /// A compiler builtin by name (`__builtin_…`, `__sync_…`, `__atomic_…`) that is not an ordinary function.
    /// Arguments are promoted, except that those of type-generic builtins keep their types.
    Builtin {
        /// With its prefix.
        name: Arc<str>,
        /// The arguments, in order.
        arguments: Vec<Expr>,
    },
    /// A conversion to the expression's type, written or implied. To `void`: the value is dropped.
    /// A cast to a union type wraps the value in the member of its type.
    Cast {
        /// What is converted.
        operand: Box<Expr>,
        /// Did the program not write it?
        is_implicit: bool,
    },
    /// `({ … })`: the value of the last expression statement.
    Statement(Box<Block>),
    /// `va_arg(list, type)`.
    VaArg(Box<Expr>),
    /// `sizeof` of a type whose size is computed at run time.
    SizeofVariable(TypeId),
    /// `&&label`: flagged.
    LabelAddress(LabelId),
    /// Flagged: evaluating it makes the run's meaning unknown.
    Unsupported(String),
}

impl Expr {
    /// Does it designate an object?
    pub fn is_lvalue(&self) -> bool {
        match &self.kind {
            ExprKind::Variable(_)
            | ExprKind::String(_)
            | ExprKind::CompoundLiteral(..)
            | ExprKind::Deref(_) => true,
            ExprKind::Member { base, .. } => base.is_lvalue(),
            _ => false,
        }
    }
}
