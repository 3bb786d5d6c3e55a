//! `c ? a : b`, `c ?: b`, `_Generic`, `__builtin_choose_expr`.

use super::super::analyser::{Analyser, expr};
use super::super::convert::Arithmetic;
use crate::syntax::{self, TypeName};
use crate::tree::{Expr, ExprKind};
use crate::types::{Type, TypeId, TypeRef};
use base::Span;

impl Analyser<'_> {
    /// `c ? a : b`
    pub fn conditional(&mut self, c: &syntax::Expr, a: &syntax::Expr, b: &syntax::Expr, span: Span) -> Expr {
        let c = self.truth(c, "the condition of `?:`");
        let a = self.value(a);
        let b = self.value(b);
        let Some((a, b, result)) = self.unify(a, b, span) else { return self.error_expr(span) };
        if self.is_error(c.ty.id) {
            return self.error_expr(span);
        }
        let kind = ExprKind::Conditional(Box::new(c), Box::new(a), Box::new(b));
        self.finish_conditional(expr(kind, result.ty, span), result)
    }

    /// `c ?: b`: `c` is evaluated once.
    pub fn conditional_or_else(&mut self, c: &syntax::Expr, b: &syntax::Expr, span: Span) -> Expr {
        let c = self.truth(c, "the condition of `?:`");
        let b = self.value(b);
        if self.is_error(c.ty.id) || self.is_error(b.ty.id) {
            return self.error_expr(span);
        }
        if self.types().is_arithmetic(c.ty.id) && self.types().is_arithmetic(b.ty.id) {
            let common = self.common_arithmetic(&c, &b);
            let b = self.bring_to(b, common);
            let kind = ExprKind::ConditionalOrElse(Box::new(c), Box::new(b));
            return self.finish_conditional(expr(kind, common.ty, span), common);
        }
        // Only the type that both sides agree on is wanted; the value of `c` is converted by whoever evaluates it.
        let stand_in = match c.kind {
            ExprKind::Integer(bits) => expr(ExprKind::Integer(bits), c.ty, c.span),
            _ => expr(ExprKind::Unsupported("stands for the condition".into()), c.ty, c.span),
        };
        let Some((_, b, result)) = self.unify(stand_in, b, span) else { return self.error_expr(span) };
        let kind = ExprKind::ConditionalOrElse(Box::new(c), Box::new(b));
        self.finish_conditional(expr(kind, result.ty, span), result)
    }

    fn finish_conditional(&mut self, e: Expr, result: Arithmetic) -> Expr {
        match result.narrow {
            Some(bits) if self.shape(e.ty.id).is_some_and(|shape| !shape.signed) => self.narrow(e, bits),
            _ => e,
        }
    }

    /// Both branches converted to their common type (C11 6.5.15).
    fn unify(&mut self, a: Expr, b: Expr, span: Span) -> Option<(Expr, Expr, Arithmetic)> {
        let (x, y) = (a.ty.id, b.ty.id);
        if self.is_error(x) || self.is_error(y) {
            return None;
        }
        let plain = |ty| Arithmetic { ty, narrow: None };
        let is_void = |this: &Self, ty: TypeId| this.types().get(ty) == &Type::Void;
        if is_void(self, x) || is_void(self, y) {
            // GCC: one void branch makes the whole void.
            let a = if is_void(self, x) { a } else { self.drop_value(a) };
            let b = if is_void(self, y) { b } else { self.drop_value(b) };
            return Some((a, b, plain(self.common.void)));
        }
        if self.is_special(x) || self.is_special(y) {
            let ty = if self.is_special(x) { x } else { y };
            let a = if self.is_special(x) { self.refuse_special(a) } else { a };
            let b = if self.is_special(y) { self.refuse_special(b) } else { b };
            return Some((a, b, plain(ty)));
        }
        if self.types().is_arithmetic(x) && self.types().is_arithmetic(y) {
            let common = self.common_arithmetic(&a, &b);
            let a = self.bring_to(a, common);
            let b = self.bring_to(b, common);
            return Some((a, b, common));
        }
        if self.types().record_id(x).is_some() && x == y {
            return Some((a, b, plain(x)));
        }
        self.unify_pointers(a, b, span)
    }

    fn unify_pointers(&mut self, a: Expr, b: Expr, span: Span) -> Option<(Expr, Expr, Arithmetic)> {
        let (x, y) = (a.ty.id, b.ty.id);
        let ty = match (self.types().is_pointer(x), self.types().is_pointer(y)) {
            (true, true) => self.common_pointer(&a, &b, span),
            (true, false) if self.types().is_integer(y) => {
                if !self.is_null_constant(&b) {
                    self.warn(
                        "pointer-integer",
                        span,
                        "one branch of `?:` is a pointer, the other an integer",
                    );
                }
                x
            }
            (false, true) if self.types().is_integer(x) => {
                if !self.is_null_constant(&a) {
                    self.warn(
                        "pointer-integer",
                        span,
                        "one branch of `?:` is a pointer, the other an integer",
                    );
                }
                y
            }
            _ => {
                let message = format!("the branches of `?:` are `{}` and `{}`", self.show(x), self.show(y));
                self.error("incompatible-types", span, message);
                return None;
            }
        };
        let a = self.branch_to_pointer(a, ty);
        let b = self.branch_to_pointer(b, ty);
        Some((a, b, Arithmetic { ty, narrow: None }))
    }

    fn branch_to_pointer(&mut self, e: Expr, ty: TypeId) -> Expr {
        if self.types().is_integer(e.ty.id) && self.is_null_constant(&e) {
            return self.null_pointer(ty, e.span);
        }
        self.cast_implicitly(e, ty)
    }

    fn common_pointer(&mut self, a: &Expr, b: &Expr, span: Span) -> TypeId {
        let (Some(x), Some(y)) = (self.types().pointee(a.ty.id), self.types().pointee(b.ty.id)) else {
            return a.ty.id;
        };
        let qualifiers = x.qualifiers.and(y.qualifiers);
        let is_void = |ty: TypeRef| self.types().get(ty.id) == &Type::Void;
        let id = if self.is_null_constant(a) {
            return self.with_qualifiers(y, y.qualifiers);
        } else if self.is_null_constant(b) {
            return self.with_qualifiers(x, x.qualifiers);
        } else if self.are_compatible(x.id, y.id) {
            self.composite(x.id, y.id)
        } else if is_void(x) {
            x.id
        } else if is_void(y) {
            y.id
        } else {
            let message = format!("the branches of `?:` are `{}` and `{}`", self.show(a.ty), self.show(b.ty));
            self.warn("incompatible-pointers", span, message);
            self.common.void
        };
        self.types_mut().pointer(TypeRef { id, qualifiers })
    }

    fn with_qualifiers(&mut self, to: TypeRef, qualifiers: syntax::Qualifiers) -> TypeId {
        self.types_mut().pointer(TypeRef { id: to.id, qualifiers })
    }

    /// `_Generic(e, type: e, …)`: only the chosen branch is kept.
    pub fn generic(
        &mut self,
        control: &syntax::Expr,
        choices: &[(Option<TypeName>, syntax::Expr)],
        span: Span,
    ) -> Expr {
        let control = self.without_evaluation(|this| this.value(control), |_, _| false);
        if self.is_error(control.ty.id) {
            return self.error_expr(span);
        }
        // Lvalue conversion drops the qualifiers of the value itself.
        let wanted = TypeRef::from(control.ty.id);
        let mut chosen = None;
        let mut default = None;
        for (at, (name, _)) in choices.iter().enumerate() {
            match name {
                None => default = Some(at),
                Some(name) => {
                    let ty = self.type_name(name);
                    if chosen.is_none() && self.are_compatible_refs(ty, wanted) && !self.is_error(ty.id) {
                        chosen = Some(at);
                    }
                }
            }
        }
        let chosen = chosen.or(default);
        let mut result = None;
        for (at, (_, e)) in choices.iter().enumerate() {
            if Some(at) == chosen {
                result = Some(self.expr(e));
            } else {
                self.without_evaluation(|this| this.expr(e), |_, _| false);
            }
        }
        result.unwrap_or_else(|| {
            let message = format!("`_Generic` has no branch for `{}`", self.show(wanted));
            self.error_with_hint("no-branch", span, message, "add a `default:` branch");
            self.error_expr(span)
        })
    }

    /// `__builtin_choose_expr(c, a, b)`: like `?:` at compile time, with the type of the chosen branch.
    pub fn choose(&mut self, c: &syntax::Expr, a: &syntax::Expr, b: &syntax::Expr) -> Expr {
        let condition = self.value(c);
        let Some(bits) = self.fold_integer(&condition) else {
            if !self.is_error(condition.ty.id) {
                self.error("not-constant", c.span, "`__builtin_choose_expr` needs a constant to choose by");
            }
            return self.error_expr(c.span);
        };
        let (chosen, other) = if bits != 0 { (a, b) } else { (b, a) };
        self.without_evaluation(|this| this.expr(other), |_, _| false);
        self.expr(chosen)
    }
}
