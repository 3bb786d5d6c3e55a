//! Statements as written.

use super::{Declaration, Expr, FunctionDefinition, StaticAssert};
use base::{Span, Symbol};

/// `{ … }`
#[derive(Debug)]
pub struct Block {
    /// Declarations and statements in order.
    pub items: Vec<BlockItem>,
    /// With the braces.
    pub span: Span,
}

/// What stands in a block.
#[derive(Debug)]
pub enum BlockItem {
    /// A declaration.
    Declaration(Declaration),
    /// A statement.
    Statement(Statement),
    /// A GNU nested function: parsed, flagged by `sema`.
    NestedFunction(Box<FunctionDefinition>),
    /// `_Static_assert`.
    StaticAssert(StaticAssert),
    /// `__label__ a, b;`
    LocalLabels(Vec<(Symbol, Span)>),
}

/// A statement.
#[derive(Debug)]
pub struct Statement {
    /// Which statement it is, with its parts.
    pub kind: StatementKind,
    /// All of it.
    pub span: Span,
}

/// The kinds of statement.
#[derive(Debug)]
pub enum StatementKind {
    /// `;` (also a lone attribute such as `fallthrough`)
    Empty,
    /// `e;`
    Expr(Expr),
    /// `{ … }`
    Block(Block),
    /// `if (c) s else t`
    If(Expr, Box<Statement>, Option<Box<Statement>>),
    /// `while (c) s`
    While(Expr, Box<Statement>),
    /// `do s while (c);`
    DoWhile(Box<Statement>, Expr),
    /// `for (init; c; step) s`
    For(Option<Box<ForInit>>, Option<Expr>, Option<Expr>, Box<Statement>),
    /// `switch (e) s`
    Switch(Expr, Box<Statement>),
    /// `case a:` or `case a ... b:` with the statement it labels.
    Case(Expr, Option<Expr>, Box<Statement>),
    /// `default:` with the statement it labels.
    Default(Box<Statement>),
    /// `name:` with the statement it labels (an empty one before a declaration or the closing brace).
    Label(Symbol, Span, Box<Statement>),
    /// `goto name;`
    Goto(Symbol, Span),
    /// `goto *e;`
    ComputedGoto(Expr),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return e;`
    Return(Option<Expr>),
    /// `asm(…);`
    Asm(Asm),
    /// `//@ assert e;`
    Asserted(Expr),
    /// An assertion in a comment that is not understood, and why.
    NotUnderstood(String),
}

/// The first clause of a `for`.
#[derive(Debug)]
pub enum ForInit {
    /// `int i = 0;`
    Declaration(Declaration),
    /// `i = 0;`
    Expr(Expr),
}

/// Inline assembly.
#[derive(Debug)]
pub struct Asm {
    /// `volatile`
    pub is_volatile: bool,
    /// The template, decoded.
    pub template: String,
    /// Constraint and expression of each output.
    pub outputs: Vec<(String, Expr)>,
    /// Constraint and expression of each input.
    pub inputs: Vec<(String, Expr)>,
    /// Clobbered registers, `memory` among them.
    pub clobbers: Vec<String>,
    /// Labels of `asm goto`.
    pub labels: Vec<(Symbol, Span)>,
    /// All of it.
    pub span: Span,
}
