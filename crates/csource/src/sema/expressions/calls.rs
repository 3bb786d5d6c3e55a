//! Calls: prototypes, default promotions, implicit declarations.

use super::super::analyser::{Analyser, expr};
use super::Purpose;
use crate::syntax::{self, ExprKind as Written};
use crate::tree::{Expr, ExprKind};
use crate::types::{Type, TypeId};
use base::{Span, Symbol};

impl Analyser<'_> {
    /// `f(a, b)`
    pub fn call(&mut self, callee: &syntax::Expr, arguments: &[syntax::Expr], span: Span) -> Expr {
        let mut written = callee;
        while let Written::Paren(inner) = &written.kind {
            written = inner;
        }
        let callee = match &written.kind {
            Written::Name(name) if self.scopes.name(*name).is_none() => {
                if self.is_builtin_name(*name) {
                    return self.builtin_call(*name, arguments, written.span, span);
                }
                let id = self.implicit_function(*name, written.span);
                self.function_designator(id, written.span)
            }
            _ => self.expr(callee),
        };
        self.call_of(callee, arguments, span)
    }

    fn is_builtin_name(&self, name: Symbol) -> bool {
        let text = self.text(name);
        text.starts_with("__")
            && ["__builtin_", "__sync_", "__atomic_"].iter().any(|prefix| text.starts_with(prefix))
    }

    fn call_of(&mut self, callee: Expr, arguments: &[syntax::Expr], span: Span) -> Expr {
        let callee = if self.is_function(callee.ty.id) && !matches!(callee.kind, ExprKind::Deref(_)) {
            callee
        } else {
            self.decay(callee)
        };
        let function = self.types().pointee(callee.ty.id).map_or(callee.ty.id, |to| to.id);
        if !self.is_function(function) {
            let is_known_error = self.is_error(callee.ty.id) || self.is_error(function);
            for argument in arguments {
                self.value(argument);
            }
            if !is_known_error {
                let message = format!("this is a `{}`, not a function", self.show(callee.ty));
                self.error("not-a-function", callee.span, message);
            }
            return self.error_expr(span);
        }
        let arguments: Vec<Expr> = arguments.iter().map(|argument| self.value(argument)).collect();
        self.call_typed(callee, function, arguments, span)
    }

    /// A call whose arguments are typed and decayed, not yet converted.
    pub fn call_typed(&mut self, callee: Expr, function: TypeId, arguments: Vec<Expr>, span: Span) -> Expr {
        let Some(arguments) = self.convert_arguments(function, arguments, callee.span, span) else {
            return self.error_expr(span);
        };
        let Some(result) = self.function_type(function).map(|function| function.result) else {
            return self.error_expr(span);
        };
        if self.is_error(result.id) {
            return self.error_expr(span);
        }
        let is_void = self.types().get(result.id) == &Type::Void;
        if !is_void && !self.is_complete(result.id) {
            let message = format!("the call returns the incomplete type `{}`", self.show(result));
            self.error("incomplete-type", span, message);
            return self.error_expr(span);
        }
        let had_error = arguments.iter().any(|argument| self.is_error(argument.ty.id));
        if had_error {
            // The call's own type is known: what follows can still be checked.
            let why = "an argument could not be typed".to_owned();
            return expr(ExprKind::Unsupported(why), result.id, span);
        }
        expr(ExprKind::Call { callee: Box::new(callee), arguments }, result.id, span)
    }

    fn convert_arguments(
        &mut self,
        function: TypeId,
        arguments: Vec<Expr>,
        callee: Span,
        span: Span,
    ) -> Option<Vec<Expr>> {
        let known = self.function_type(function)?;
        let (wanted, is_variadic, has_prototype) =
            (known.parameters.len(), known.is_variadic, known.has_prototype);
        let given = arguments.len();
        if has_prototype && (given < wanted || (given > wanted && !is_variadic)) {
            let least = if is_variadic { "at least " } else { "" };
            let plural = if wanted == 1 { "" } else { "s" };
            let message = format!("the function takes {least}{wanted} argument{plural}, not {given}");
            let shown = self.types().declare(function, "f");
            self.error_with_hint("argument-count", span, message, format!("its type is `{shown}`"));
            let _ = callee;
            return None;
        }
        let mut converted = Vec::with_capacity(given);
        for (at, argument) in arguments.into_iter().enumerate() {
            let parameter = self.function_type(function)?.parameters.get(at).copied();
            converted.push(match parameter {
                Some(parameter) if has_prototype => self.pass(argument, parameter),
                _ => self.pass_promoted(argument),
            });
        }
        Some(converted)
    }

    fn pass(&mut self, argument: Expr, parameter: TypeId) -> Expr {
        // A transparent union takes a value of any of its members' types.
        if let Some(record) = self.types().record_id(parameter)
            && argument.ty.id != parameter
            && self.transparent_unions.contains(&record)
            && !self.is_error(argument.ty.id)
        {
            return self.wrap_in_union(argument, parameter);
        }
        self.assign_convert(argument, parameter, Purpose::Pass)
    }

    fn wrap_in_union(&mut self, argument: Expr, union: TypeId) -> Expr {
        let record = self.types().record_id(union);
        let fields = record.and_then(|record| self.types().records[record].fields.as_ref());
        let members: Vec<TypeId> = fields.into_iter().flatten().map(|field| field.ty.id).collect();
        let exact = members.iter().copied().find(|&member| self.are_compatible(member, argument.ty.id));
        let fitting = exact.or_else(|| {
            members.iter().copied().find(|&member| {
                self.types().is_pointer(member)
                    && (self.points_alike(member, argument.ty.id) || self.is_null_constant(&argument))
            })
        });
        match fitting {
            Some(member) => {
                let value = self.assign_convert(argument, member, Purpose::Pass);
                self.cast(value, union, true)
            }
            None => self.assign_convert(argument, union, Purpose::Pass),
        }
    }

    /// An argument without a parameter type (C11 6.5.2.2p6).
    pub fn pass_promoted(&mut self, argument: Expr) -> Expr {
        if self.types().get(argument.ty.id) == &Type::Void {
            self.error("void-value", argument.span, "a `void` value cannot be passed");
            return self.error_expr(argument.span);
        }
        if !self.is_complete(argument.ty.id) {
            let message = format!("the incomplete type `{}` cannot be passed", self.show(argument.ty));
            self.error("incomplete-type", argument.span, message);
            return self.error_expr(argument.span);
        }
        self.promote_argument(argument)
    }
}
