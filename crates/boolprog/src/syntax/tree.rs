//! The tree of a Boolean program as it was written. Names are not resolved here; `graph::build` does that.

use base::Span;
use std::sync::Arc;

/// A name with its place.
#[derive(Clone, Debug)]
pub struct Name {
    /// The text; names in braces, such as `{x==0}`, keep their braces.
    pub text: Arc<str>,
    /// Where it stands.
    pub span: Span,
}

impl Name {
    /// A name from nowhere.
    pub fn new(text: &str) -> Name {
        Name { text: Arc::from(text), span: Span::NOWHERE }
    }
}

impl PartialEq for Name {
    /// Names are equal when their texts are; places do not count.
    fn eq(&self, other: &Name) -> bool {
        self.text == other.text
    }
}

impl Eq for Name {}

/// Operators of two operands that are not chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `^`, also `!=`
    Xor,
    /// `=`, also `==`
    Equal,
    /// `=>`
    Implies,
}

/// An expression. Every occurrence of [`Any`](Expression::Any) is a choice of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// `T`, `1`, `true`, or `F`, `0`, `false`
    Constant(bool),
    /// `*` or `?`: either value
    Any,
    /// The value before the step.
    Variable(Name),
    /// `x'` or `'x`: the value after the step.
    Next(Name),
    /// `!e`
    Not(Box<Expression>),
    /// `a & b & c`: two or more
    And(Vec<Expression>),
    /// `a | b | c`: two or more
    Or(Vec<Expression>),
    /// Two operands.
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// `c ? a : b`
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `schoose[a, b]`: true if a, else false if b, else either (BOOM footnote 3.1)
    Choose(Box<Expression>, Box<Expression>),
}

/// A declared variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Its name.
    pub name: Name,
    /// Its value at the start, if the declaration gives one.
    pub initial: Option<Expression>,
    /// `thread_local`: each thread has a copy that all its procedures see. Of globals only.
    pub is_thread_local: bool,
}

/// A whole program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramTree {
    /// Variables all procedures and threads share.
    pub globals: Vec<Declared>,
    /// The procedures in order.
    pub procedures: Vec<ProcedureTree>,
}

/// A procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcedureTree {
    /// Its name.
    pub name: Name,
    /// How many values it returns.
    pub returns: usize,
    /// Its parameters.
    pub parameters: Vec<Name>,
    /// Its other variables.
    pub locals: Vec<Declared>,
    /// `enforce` clauses at its beginning: they hold throughout the procedure.
    pub enforced: Vec<Expression>,
    /// What it does.
    pub body: Vec<Statement>,
}

/// A statement with its labels.
#[derive(Clone, Debug)]
pub struct Statement {
    /// All labels before it.
    pub labels: Vec<Name>,
    /// What it does.
    pub kind: StatementKind,
    /// Where it stands, without what it contains in the case of `if` and `while`.
    pub span: Span,
}

impl PartialEq for Statement {
    /// Places do not count.
    fn eq(&self, other: &Statement) -> bool {
        self.labels == other.labels && self.kind == other.kind
    }
}

impl Eq for Statement {}

/// Where a new thread begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThreadStart {
    /// At a label of this procedure, with a copy of its variables.
    Label(Name),
    /// In a procedure, with these arguments.
    Procedure(Name, Vec<Expression>),
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// `skip;`
    Skip,
    /// `goto a, b;`: to any of them
    Goto(Vec<Name>),
    /// `x, y := a, b constrain c;`; `None` on the left is `_`
    Assign(Vec<Option<Name>>, Vec<Expression>, Option<Expression>),
    /// `x, y := f(a);` or `f(a);`; `None` on the left is `_`
    Call(Vec<Option<Name>>, Name, Vec<Expression>),
    /// `return a, b;`
    Return(Vec<Expression>),
    /// `assert(e);`
    Assert(Expression),
    /// `assume(e);`
    Assume(Expression),
    /// `dead x, y;`
    Dead(Vec<Name>),
    /// `print e, f;`: a step that does nothing
    Print(Vec<Expression>),
    /// `if … then … elsif … else … fi`: the arms in order, then what else
    If(Vec<(Expression, Vec<Statement>)>, Vec<Statement>),
    /// `while … do … od`
    While(Expression, Vec<Statement>),
    /// `start_thread …;`
    StartThread(ThreadStart),
    /// `end_thread;`
    EndThread,
    /// `atomic_begin;`
    AtomicBegin,
    /// `atomic_end;`
    AtomicEnd,
}
