//! The expressions and statements in a statement, for who looks through one that is an operand (`({ … })`).

use csource::tree::{self, Initializer, Statement, StatementKind};

/// What stands in a statement.
#[derive(Default)]
pub(crate) struct Parts<'t> {
    /// Expressions that may be evaluated.
    pub exprs: Vec<&'t tree::Expr>,
    /// Lvalues that inline assembly writes.
    pub written: Vec<&'t tree::Expr>,
    /// What a variable is initialised with.
    pub initializer: Option<&'t Initializer>,
    /// Statements in it.
    pub inner: Vec<&'t Statement>,
}

/// What stands in a statement, but for lengths of arrays.
pub(crate) fn parts(statement: &Statement) -> Parts<'_> {
    let mut parts = Parts::default();
    match &statement.kind {
        StatementKind::Expr(expr) | StatementKind::Return(Some(expr)) => parts.exprs.push(expr),
        StatementKind::Block(block) => parts.inner.extend(&block.statements),
        StatementKind::If { condition, then, otherwise } => {
            parts.exprs.push(condition);
            parts.inner.push(then);
            parts.inner.extend(otherwise.as_deref());
        }
        StatementKind::While { condition, body } | StatementKind::DoWhile { condition, body } => {
            parts.exprs.push(condition);
            parts.inner.push(body);
        }
        StatementKind::For { condition, step, body } => {
            parts.exprs.extend(condition.iter().chain(step));
            parts.inner.push(body);
        }
        StatementKind::Switch { value, body } => {
            parts.exprs.push(value);
            parts.inner.push(body);
        }
        StatementKind::Case { body, .. } | StatementKind::Default(body) | StatementKind::Label(_, body) => {
            parts.inner.push(body);
        }
        StatementKind::Declare { initializer, .. } => parts.initializer = initializer.as_ref(),
        StatementKind::Asm { outputs, inputs, .. } => {
            parts.exprs.extend(inputs);
            parts.written.extend(outputs.iter().map(|(output, _)| output));
        }
        _ => {}
    }
    parts
}
