//! Names in expressions.

use super::super::analyser::{Analyser, Linked, expr};
use super::super::scope::Binding;
use crate::tree::{Expr, ExprKind, FlagKind, FunctionId};
use crate::types::{FunctionType, Type};
use base::{Diagnostic, Span, Symbol};

impl Analyser<'_> {
    /// What a name in an expression stands for.
    pub fn name(&mut self, name: Symbol, span: Span) -> Expr {
        match self.scopes.name(name).map(|entry| entry.what) {
            Some(Binding::Variable(id)) => {
                let ty = self.unit.variables[id].ty;
                if self.is_error(ty.id) {
                    return self.error_expr(span);
                }
                expr(ExprKind::Variable(id), ty, span)
            }
            Some(Binding::Function(id)) => self.function_designator(id, span),
            Some(Binding::Constant { ty, bits }) => expr(ExprKind::Integer(bits), ty, span),
            Some(Binding::PrototypeParameter(ty)) => {
                let why = "a parameter of a prototype has no value".to_owned();
                expr(ExprKind::Unsupported(why), ty, span)
            }
            Some(Binding::Broken) => self.error_expr(span),
            Some(Binding::Typedef { .. }) => {
                let message = format!("`{}` is a type, not a value", self.text(name));
                self.error("type-as-value", span, message);
                self.error_expr(span)
            }
            None => match self.library_function_behind(name) {
                Some(id) => self.function_designator(id, span),
                None => self.undeclared(name, span),
            },
        }
    }

    /// A function as an expression.
    pub fn function_designator(&self, id: FunctionId, span: Span) -> Expr {
        expr(ExprKind::Function(id), self.unit.functions[id].ty, span)
    }

    fn undeclared(&mut self, name: Symbol, span: Span) -> Expr {
        let is_new = match &mut self.function {
            Some(function) => function.reported.insert(name),
            None => true,
        };
        if is_new {
            let text = self.shared_text(name);
            let mut diagnostic =
                Diagnostic::error("undeclared-name", span, format!("`{text}` is not declared"));
            diagnostic = match self.similar_name(&text) {
                Some(other) => diagnostic.hint(format!("did you mean `{other}`?")),
                None => diagnostic.hint("declare it, or include the header that does"),
            };
            self.session.diagnostics.push(diagnostic);
        }
        self.error_expr(span)
    }

    /// A visible name that differs by a slip of the hand.
    fn similar_name(&self, text: &str) -> Option<String> {
        let most = if text.len() <= 3 { 1 } else { 2 };
        let candidates = self.scopes.visible_names().map(|symbol| self.text(symbol));
        candidates
            .filter(|candidate| candidate.len().abs_diff(text.len()) <= most && !candidate.starts_with("__"))
            .map(|candidate| (edit_distance(text, candidate), candidate))
            .filter(|(distance, _)| *distance <= most && *distance < text.len())
            .min()
            .map(|(_, candidate)| candidate.to_owned())
    }

    /// The function behind a call of an undeclared name: `int name()`, or the library's own prototype.
    pub fn implicit_function(&mut self, name: Symbol, span: Span) -> FunctionId {
        let text = self.shared_text(name);
        if let Some(Linked::Function(id)) = self.linked.get(&name).copied() {
            // Declared in another block: GCC remembers it.
            self.scopes.bind(name, Binding::Function(id), span);
            return id;
        }
        let message = format!("`{text}` is called without a declaration");
        self.flag(FlagKind::ImplicitDeclaration, span, message.clone());
        self.warn_with_hint(
            "implicit-declaration",
            span,
            message,
            Some("declare the function, or include the header that does"),
        );
        let ty = match self.library_prototype(&text) {
            Some(ty) => ty,
            None => {
                let result = self.common.int.into();
                let function =
                    FunctionType { result, parameters: Vec::new(), is_variadic: false, has_prototype: false };
                self.types_mut().intern(Type::Function(function))
            }
        };
        let id = self.new_function(name, ty, span);
        self.unit.functions[id].is_implicit = true;
        self.assumed_functions.insert(id);
        self.linked.insert(name, Linked::Function(id));
        self.scopes.bind(name, Binding::Function(id), span);
        id
    }
}

/// Levenshtein's distance.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::edit_distance;

    #[test]
    fn distance_counts_slips() {
        assert_eq!(edit_distance("count", "count"), 0);
        assert_eq!(edit_distance("count", "cuont"), 2);
        assert_eq!(edit_distance("count", "counter"), 2);
        assert_eq!(edit_distance("", "ab"), 2);
    }
}
