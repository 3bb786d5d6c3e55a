//! `a[i]`, `e.x`, `e->x`: members of anonymous members become a chain.

use super::super::analyser::{Analyser, expr};
use crate::syntax;
use crate::tree::{Expr, ExprKind, FlagKind};
use crate::types::{RecordId, Type};
use base::{Span, Symbol};
use std::sync::Arc;

impl Analyser<'_> {
    /// `a[i]` is `*(a + i)`, and so is `i[a]`.
    pub fn index(&mut self, base: &syntax::Expr, index: &syntax::Expr, span: Span) -> Expr {
        let first = self.expr(base);
        if let Type::Vector(element, _) = *self.types().get(first.ty.id) {
            self.value(index);
            return self.unsupported(FlagKind::Vector, element, span, "vector elements are not modelled");
        }
        let first = self.decay(first);
        let second = self.value(index);
        if self.is_error(first.ty.id) || self.is_error(second.ty.id) {
            return self.error_expr(span);
        }
        let (pointer, offset) =
            if self.types().is_pointer(first.ty.id) { (first, second) } else { (second, first) };
        if !self.types().is_pointer(pointer.ty.id) || !self.types().is_integer(offset.ty.id) {
            let message =
                format!("`{}` cannot be indexed with `{}`", self.show(pointer.ty), self.show(offset.ty));
            self.error("bad-index", span, message);
            return self.error_expr(span);
        }
        let sum = self.pointer_add(pointer, offset, false, span);
        self.dereference(sum, span)
    }

    /// `e.x`
    pub fn member(&mut self, base: &syntax::Expr, name: Symbol, name_span: Span, span: Span) -> Expr {
        let typed = self.expr(base);
        if self.is_error(typed.ty.id) {
            return self.error_expr(span);
        }
        if let Some(to) = self.types().pointee(typed.ty.id)
            && self.types().record_id(to.id).is_some()
        {
            let message = format!("`{}` is a pointer", self.session.sources.text(typed.span));
            self.error_with_hint("not-a-record", name_span, message, "use `->` instead of `.`");
            return self.error_expr(span);
        }
        self.member_of(typed, name, name_span, span)
    }

    /// `e->x`
    pub fn arrow(&mut self, base: &syntax::Expr, name: Symbol, name_span: Span, span: Span) -> Expr {
        let typed = self.value(base);
        if self.is_error(typed.ty.id) {
            return self.error_expr(span);
        }
        if !self.types().is_pointer(typed.ty.id) {
            let is_record = self.types().record_id(typed.ty.id).is_some();
            let message = format!("`->` needs a pointer, not `{}`", self.show(typed.ty));
            let hint =
                if is_record { "use `.` instead of `->`" } else { "is this the expression you meant?" };
            self.error_with_hint("not-a-pointer", name_span, message, hint);
            return self.error_expr(span);
        }
        let base_span = typed.span;
        let object = self.dereference(typed, base_span);
        self.member_of(object, name, name_span, span)
    }

    fn member_of(&mut self, base: Expr, name: Symbol, name_span: Span, span: Span) -> Expr {
        if self.is_error(base.ty.id) {
            return self.error_expr(span);
        }
        let Some(record) = self.types().record_id(base.ty.id) else {
            let message = format!("`{}` has no members", self.show(base.ty));
            self.error("not-a-record", name_span, message);
            return self.error_expr(span);
        };
        if self.types().records[record].fields.is_none() {
            let message = format!("`{}` is not defined here", self.types().record_name(record));
            self.error_with_hint("incomplete-type", name_span, message, "define the type before this line");
            return self.error_expr(span);
        }
        let Some(path) = self.find_member(record, name) else {
            let record_name = self.types().record_name(record);
            let message = format!("`{record_name}` has no member named `{}`", self.text(name));
            self.error("no-member", name_span, message);
            return self.error_expr(span);
        };
        self.member_chain(base, &path, span)
    }

    /// One `Member` node per step.
    fn member_chain(&mut self, base: Expr, path: &[u32], span: Span) -> Expr {
        let mut at = base;
        for &field in path {
            let Some(record) = self.types().record_id(at.ty.id) else { return self.error_expr(span) };
            let Some(member) =
                self.types().records[record].fields.as_ref().and_then(|f| f.get(field as usize))
            else {
                return self.error_expr(span);
            };
            let mut ty = member.ty;
            ty.qualifiers = ty.qualifiers.and(at.ty.qualifiers);
            if !at.is_lvalue() {
                ty.qualifiers = Default::default();
            }
            at = expr(ExprKind::Member { base: Box::new(at), record, field }, ty, span);
        }
        at
    }

    /// The positions that lead from a record to a member, through anonymous members.
    pub fn find_member(&mut self, record: RecordId, name: Symbol) -> Option<Arc<[u32]>> {
        if let Some(known) = self.members.get(&(record, name)) {
            return Some(known.clone());
        }
        let text = self.shared_text(name);
        let mut path = Vec::new();
        if !self.search_member(record, &text, &mut path) {
            return None;
        }
        let path: Arc<[u32]> = path.into();
        self.members.insert((record, name), path.clone());
        Some(path)
    }

    fn search_member(&self, record: RecordId, name: &str, path: &mut Vec<u32>) -> bool {
        let Some(fields) = &self.types().records[record].fields else { return false };
        for (at, field) in fields.iter().enumerate() {
            path.push(at as u32);
            let found = match (&field.name, self.types().record_id(field.ty.id)) {
                (Some(known), _) => &**known == name,
                (None, Some(inner)) => self.search_member(inner, name, path),
                (None, None) => false,
            };
            if found {
                return true;
            }
            path.pop();
        }
        false
    }
}
