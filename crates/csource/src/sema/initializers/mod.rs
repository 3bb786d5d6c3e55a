//! Initialisers (C11 6.7.9), resolved to a flat list of parts.
//!
//! Here: whole objects, strings, scalars. `aggregates`: lists with designators and brace elision. `parts`: the list as
//! it grows, with what later entries strike out. `constants`: what a static object may be initialised with.
//!
//! Parts that no entry covers are left out, so a large array costs what was written.

mod aggregates;
mod constants;
mod parts;

use super::analyser::{Analyser, expr};
use super::expressions::Purpose;
use crate::syntax::{self, Encoding, ExprKind as Written, InitializerEntry, InitializerList};
use crate::tree::{Expr, ExprKind, Initializer, VariableId};
use crate::types::{ArrayLength, Type, TypeId, TypeRef};
use base::Span;
use parts::Parts;

impl Analyser<'_> {
    /// The initialiser of an automatic variable; an array without a length gets it from there.
    pub fn initializer_of_variable(
        &mut self,
        id: VariableId,
        written: &syntax::Initializer,
    ) -> Option<Initializer> {
        let ty = self.unit.variables[id].ty;
        if self.is_error(ty.id) {
            self.check_only(written);
            return None;
        }
        let mut parts = Parts::default();
        let (completed, initializer) = self.initializer(ty, written, &mut parts);
        self.unit.variables[id].ty.id = completed;
        if parts.flexible_elements > 0 {
            let span = self.unit.variables[id].span;
            let message = "only a `static` object can have its flexible array member initialised";
            self.error("bad-initializer", span, message);
        }
        Some(initializer)
    }

    /// The initialiser of a variable with static storage: its values must be constants.
    pub fn initialize_static(&mut self, id: VariableId, written: &syntax::Initializer) {
        let ty = self.unit.variables[id].ty;
        if self.is_error(ty.id) {
            self.check_only(written);
            return;
        }
        let mut parts = Parts::of_static_object();
        let (completed, initializer) = self.initializer(ty, written, &mut parts);
        self.check_static_initializer(&initializer);
        let variable = &mut self.unit.variables[id];
        variable.ty.id = completed;
        variable.flexible_elements = parts.flexible_elements;
        variable.initializer = Some(initializer);
    }

    /// The braces of a compound literal.
    pub fn initializer_list(&mut self, ty: TypeRef, list: &InitializerList) -> (TypeId, Initializer) {
        let mut parts = Parts::default();
        let result = self.braced_object(ty.id, list, &mut parts);
        if parts.flexible_elements > 0 {
            self.error("bad-initializer", list.span, "a flexible array member cannot be initialised here");
        }
        result
    }

    /// Types the values of an initialiser whose target is unknown, for their own errors.
    fn check_only(&mut self, written: &syntax::Initializer) {
        match written {
            syntax::Initializer::Expr(e) => {
                self.value(e);
            }
            syntax::Initializer::List(list) => {
                list.entries.iter().for_each(|entry| self.check_only(&entry.value));
            }
        }
    }

    fn initializer(
        &mut self,
        ty: TypeRef,
        written: &syntax::Initializer,
        parts: &mut Parts,
    ) -> (TypeId, Initializer) {
        match written {
            syntax::Initializer::List(list) => self.braced_object(ty.id, list, parts),
            syntax::Initializer::Expr(e) => self.plain_object(ty.id, e, parts),
        }
    }

    /// `= e` for a whole object.
    fn plain_object(&mut self, ty: TypeId, e: &syntax::Expr, parts: &mut Parts) -> (TypeId, Initializer) {
        if let Type::Array(element, _) = *self.types().get(ty) {
            if let Some((units, encoding)) = self.string_for(element.id, e) {
                return self.string_object(ty, element, units, encoding, e.span);
            }
            // GNU C: an array from a compound literal of its type.
            if let Some((name, list)) = as_compound_literal(e) {
                let literal = self.type_name(name);
                if self.are_compatible(literal.id, ty) {
                    let from = self.composite(ty, literal.id);
                    return self.braced_object(from, list, parts);
                }
            }
            let typed = self.expr(e);
            if !self.is_error(typed.ty.id) {
                let message = "an array is initialised by a list in braces or a string".to_owned();
                self.error("bad-initializer", e.span, message);
            }
            return (ty, Initializer::Parts(Vec::new()));
        }
        if parts.is_static
            && let Some(list) = self.literal_of(ty, e)
        {
            return self.braced_object(ty, list, parts);
        }
        let typed = self.value(e);
        (ty, Initializer::Value(self.assign_convert(typed, ty, Purpose::Initialize)))
    }

    /// `= { … }` for a whole object.
    fn braced_object(
        &mut self,
        ty: TypeId,
        list: &InitializerList,
        parts: &mut Parts,
    ) -> (TypeId, Initializer) {
        match *self.types().get(ty) {
            Type::Array(element, length) => {
                if let [InitializerEntry { designators, value: syntax::Initializer::Expr(e), .. }] =
                    &list.entries[..]
                    && designators.is_empty()
                    && let Some((units, encoding)) = self.string_for(element.id, e)
                {
                    return self.string_object(ty, element, units, encoding, e.span);
                }
                let longest = self.braced(ty, list, parts);
                let completed = match length {
                    ArrayLength::Unknown => self.types_mut().array(element, ArrayLength::Known(longest)),
                    _ => ty,
                };
                (completed, Initializer::Parts(parts.finish()))
            }
            Type::Record(_) => {
                if !self.is_complete(ty) {
                    self.check_only_list(list);
                    return (ty, Initializer::Parts(Vec::new()));
                }
                self.braced(ty, list, parts);
                (ty, Initializer::Parts(parts.finish()))
            }
            _ => {
                let value = self.braced_scalar(ty, list, parts.is_static);
                (ty, Initializer::Value(value))
            }
        }
    }

    fn check_only_list(&mut self, list: &InitializerList) {
        list.entries.iter().for_each(|entry| self.check_only(&entry.value));
    }

    /// `int x = { 1 };`, also with more braces than needed.
    fn braced_scalar(&mut self, ty: TypeId, list: &InitializerList, is_static: bool) -> Expr {
        let Some(first) = list.entries.first() else {
            if self.is_special(ty) {
                let stand_in = expr(ExprKind::Integer(0), ty, list.span);
                return self.refuse_special(stand_in);
            }
            return self.zero(ty, list.span);
        };
        if self.is_special(ty) {
            self.check_only_list(list);
            let stand_in = expr(ExprKind::Integer(0), ty, list.span);
            return self.refuse_special(stand_in);
        }
        if !first.designators.is_empty() {
            self.error("bad-designator", first.span, "a designator needs an array, a struct or a union");
        }
        for excess in &list.entries[1..] {
            self.warn("excess-initializer", excess.span, "a scalar takes one value only");
            self.without_evaluation(|this| this.check_only(&excess.value), |_, ()| false);
        }
        match &first.value {
            syntax::Initializer::Expr(e) => self.scalar_value(ty, e, is_static),
            syntax::Initializer::List(inner) => self.braced_scalar(ty, inner, is_static),
        }
    }

    fn scalar_value(&mut self, ty: TypeId, e: &syntax::Expr, is_static: bool) -> Expr {
        if is_static && let Some(list) = self.literal_of(ty, e) {
            return self.braced_scalar(ty, list, true);
        }
        let typed = self.value(e);
        self.assign_convert(typed, ty, Purpose::Initialize)
    }

    /// GNU C: a compound literal of exactly the object's type is as good as its braces, also where a constant is
    /// needed.
    fn literal_of<'a>(&mut self, ty: TypeId, e: &'a syntax::Expr) -> Option<&'a InitializerList> {
        let (name, list) = as_compound_literal(e)?;
        let defines_record = matches!(
            &name.specifiers.type_specifier,
            syntax::TypeSpecifier::Record(record) if record.members.is_some()
        );
        (!defines_record && self.type_name(name).id == ty).then_some(list)
    }

    /// The string literal that can initialise an array of such elements.
    fn string_for<'a>(&mut self, element: TypeId, e: &'a syntax::Expr) -> Option<(&'a [u32], Encoding)> {
        let mut e = e;
        while let Written::Paren(inner) = &e.kind {
            e = inner;
        }
        let Written::String { units, encoding } = &e.kind else { return None };
        let fits = match encoding {
            Encoding::Plain => self.types().size_of(element) == Some(1) && self.types().is_integer(element),
            _ => {
                let character = self.character_type(*encoding);
                let same = |a: TypeId, b: TypeId| match (self.types().get(a), self.types().get(b)) {
                    (Type::Integer(x), Type::Integer(y)) => x.to_unsigned() == y.to_unsigned(),
                    _ => false,
                };
                same(character, element)
            }
        };
        fits.then_some((units.as_slice(), *encoding))
    }

    fn string_object(
        &mut self,
        ty: TypeId,
        element: TypeRef,
        units: &[u32],
        encoding: Encoding,
        span: Span,
    ) -> (TypeId, Initializer) {
        let id = self.string_literal(units, encoding, span);
        let completed = self.fit_string(ty, element, units.len() as u64, span);
        (completed, Initializer::String(id))
    }

    /// Completes an array by a string, or tells that the string is too long. The final zero may be cut off.
    fn fit_string(&mut self, ty: TypeId, element: TypeRef, length: u64, span: Span) -> TypeId {
        match *self.types().get(ty) {
            Type::Array(_, ArrayLength::Unknown) => {
                self.types_mut().array(element, ArrayLength::Known(length + 1))
            }
            Type::Array(_, ArrayLength::Known(count)) if length > count => {
                let message = format!("the string has {length} characters, the array only {count}");
                self.warn("excess-initializer", span, message);
                ty
            }
            _ => ty,
        }
    }
}

fn strip_parens(e: &syntax::Expr) -> &syntax::Expr {
    let mut e = e;
    while let Written::Paren(inner) = &e.kind {
        e = inner;
    }
    e
}

fn as_compound_literal(e: &syntax::Expr) -> Option<(&syntax::TypeName, &InitializerList)> {
    match &strip_parens(e).kind {
        Written::CompoundLiteral(name, list) => Some((name, list)),
        _ => None,
    }
}
