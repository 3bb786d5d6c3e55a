//! Statements of the typed tree.

use super::{Expr, Initializer, LabelId, VariableId};
use crate::types::LengthId;
use base::Span;

/// `{ … }`: variables declared in it live until its end.
#[derive(Debug, Default)]
pub struct Block {
    /// The automatic variables whose scope is this block (also those of compound literals), in order.
    pub variables: Vec<VariableId>,
    /// The statements.
    pub statements: Vec<Statement>,
    /// With the braces.
    pub span: Span,
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
    /// The empty statement.
    Empty,
    /// The value, if any, is dropped.
    Expr(Expr),
    /// `{ … }`
    Block(Block),
    /// An assertion in a comment: specification, evaluated in one step.
    Asserted(Expr),
    /// An assertion in a comment that is not understood, and why.
    NotUnderstood(String),
    /// `if`
    If {
        /// A scalar.
        condition: Expr,
        /// When it is not zero.
        then: Box<Statement>,
        /// When it is zero.
        otherwise: Option<Box<Statement>>,
    },
    /// `while`
    While {
        /// A scalar.
        condition: Expr,
        /// The body.
        body: Box<Statement>,
    },
    /// `do … while`
    DoWhile {
        /// The body.
        body: Box<Statement>,
        /// A scalar.
        condition: Expr,
    },
    /// `for`: its own variables are those of an enclosing [`StatementKind::Block`] made for it.
    For {
        /// `None` means true.
        condition: Option<Expr>,
        /// After each round, also after `continue`.
        step: Option<Expr>,
        /// The body.
        body: Box<Statement>,
    },
    /// `switch`; its cases are the [`StatementKind::Case`] and [`StatementKind::Default`] anywhere inside `body` that
    /// no inner `switch` claims.
    Switch {
        /// Promoted integer.
        value: Expr,
        /// The body.
        body: Box<Statement>,
    },
    /// `case low ... high:` (equal for a single value), converted to the switch's type.
    Case {
        /// Least value.
        low: i128,
        /// Greatest value.
        high: i128,
        /// The labelled statement.
        body: Box<Statement>,
    },
    /// `default:`
    Default(Box<Statement>),
    /// `name:`
    Label(LabelId, Box<Statement>),
    /// `goto name;`
    Goto(LabelId),
    /// `goto *e;`: flagged; the possible targets are the labels whose address is taken.
    ComputedGoto(Expr),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return e;`, converted to the function's result type.
    Return(Option<Expr>),
    /// The declaration of an automatic variable is reached: its value becomes indeterminate, or the initialiser's.
    /// For arrays of run-time length, the lengths its type mentions are evaluated first, in order.
    Declare {
        /// The variable.
        variable: VariableId,
        /// Lengths to evaluate here.
        lengths: Vec<LengthId>,
        /// Its initialiser.
        initializer: Option<Initializer>,
    },
    /// Lengths of a variably modified type that is declared without an object, such as a typedef.
    EvaluateLengths(Vec<LengthId>),
    /// Inline assembly: flagged. Only a template that does nothing ([`AsmEffect::Nothing`]) has a meaning.
    Asm {
        /// Lvalues that are written, with what an empty template leaves in them.
        outputs: Vec<(Expr, AsmOutput)>,
        /// Values that are read.
        inputs: Vec<Expr>,
        /// What the template does.
        effect: AsmEffect,
        /// The template.
        template: String,
    },
    /// Flagged: reaching it makes the run's meaning unknown.
    Unsupported(String),
}

/// What the instructions of inline assembly do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AsmEffect {
    /// Nothing that a program with one thread can see: an empty template (a barrier for the compiler), `nop`, `mfence`
    /// …
    Nothing,
    /// What it does is not known.
    Unknown,
}

/// What an output of inline assembly holds after a template that does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AsmOutput {
    /// What was in the register: any value (`"=r"`).
    Any,
    /// What it held before (`"+r"`).
    Kept,
    /// The input of this position, which shares its register (`"0"`).
    Input(usize),
}
