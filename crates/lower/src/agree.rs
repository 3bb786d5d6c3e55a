//! Do the declarations of one name in several files agree? C calls it undefined if they do not (C11 6.2.7p2), and what
//! a program does then depends on how values are passed and laid out: it is told as an error, with both places.
//!
//! As C's compatible types, across files: records agree if their tags and members do. Qualifiers are not compared,
//! since they change no layout; a declaration without a prototype says nothing of the parameters.

use crate::link::Linker;
use base::{Diagnostic, Span};
use csource::types::{ArrayLength, FunctionType, RecordId};
use program::{Origin, ProcedureId, Type, TypeId, TypeTable, VariableId};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// What the declarations in the user's files say of the types of names with external linkage.
#[derive(Debug, Default)]
pub struct Declarations {
    /// One entry per file that declares the function.
    pub functions: Vec<(ProcedureId, TypeId, Span)>,
    /// One entry per file that declares the variable.
    pub variables: Vec<(VariableId, TypeId, Span)>,
}

impl Linker {
    /// Tells declarations that do not agree. Says whether all do.
    pub fn check_agreement(&mut self) -> bool {
        let mut trouble = Vec::new();
        for &(id, ty, span) in &self.declarations.functions {
            let procedure = &self.procedures[id];
            if procedure.origin == Origin::User && !agree(&self.session.types, ty, procedure.ty) {
                trouble.push((procedure.name.clone(), span, ty, procedure.span, procedure.ty));
            }
        }
        for &(id, ty, span) in &self.declarations.variables {
            let variable = &self.variables[id];
            if !agree(&self.session.types, ty, variable.ty.id) {
                trouble.push((variable.name.clone(), span, ty, variable.span, variable.ty.id));
            }
        }
        for (name, span, ty, other_span, other) in &trouble {
            let (shown, other) = (self.session.types.show(*ty), self.session.types.show(*other));
            self.tell_conflict(name, *span, &shown, *other_span, &other);
        }
        let mut mixed = Vec::new();
        for (name, &id) in &self.external_procedures {
            if let Some(&variable) = self.external_variables.get(name)
                && (self.procedures[id].origin == Origin::User || !self.variables[variable].is_external)
            {
                mixed.push((name.clone(), id, variable));
            }
        }
        mixed.sort_unstable();
        for (name, id, variable) in &mixed {
            let (span, ty) = (self.procedures[*id].span, self.procedures[*id].ty);
            let shown = self.session.types.show(ty);
            let other = self.session.types.show(self.variables[*variable].ty.id);
            self.tell_conflict(name, span, &shown, self.variables[*variable].span, &other);
        }
        trouble.is_empty() && mixed.is_empty()
    }

    fn tell_conflict(&mut self, name: &Arc<str>, span: Span, shown: &str, other_span: Span, other: &str) {
        self.session.diagnostics.push(
            Diagnostic::error(
                "conflicting-types",
                span,
                format!("`{name}` is declared with the type `{shown}` here and `{other}` in another place"),
            )
            .label(other_span, "the other declaration")
            .hint("declare it once, in a header that both files include"),
        );
    }
}

/// May both types declare one object or function, in two files?
pub fn agree(types: &TypeTable, one: TypeId, two: TypeId) -> bool {
    Comparison { types, supposed: FxHashSet::default() }.agree(one, two)
}

struct Comparison<'a> {
    types: &'a TypeTable,
    /// Records that are being compared: where they meet again they agree as far as they do.
    supposed: FxHashSet<(RecordId, RecordId)>,
}

impl Comparison<'_> {
    fn agree(&mut self, one: TypeId, two: TypeId) -> bool {
        if one == two {
            return true;
        }
        let types = self.types;
        match (types.get(one), types.get(two)) {
            (Type::Error, _) | (_, Type::Error) => true,
            (Type::Enum(a), Type::Enum(b)) => types.enums[*a].underlying == types.enums[*b].underlying,
            (Type::Enum(a), Type::Integer(_)) => types.enums[*a].underlying == two,
            (Type::Integer(_), Type::Enum(b)) => types.enums[*b].underlying == one,
            (Type::Pointer(a), Type::Pointer(b)) => self.agree(a.id, b.id),
            (Type::Array(a, n), Type::Array(b, m)) => {
                let lengths = match (n, m) {
                    (ArrayLength::Known(n), ArrayLength::Known(m)) => n == m,
                    _ => true,
                };
                lengths && self.agree(a.id, b.id)
            }
            (Type::Record(a), Type::Record(b)) => self.records(*a, *b),
            (Type::Function(f), Type::Function(g)) => self.functions(f, g),
            _ => false,
        }
    }

    fn records(&mut self, one: RecordId, two: RecordId) -> bool {
        if !self.supposed.insert((one, two)) {
            return true;
        }
        let (a, b) = (&self.types.records[one], &self.types.records[two]);
        if a.kind != b.kind || a.tag != b.tag {
            return false;
        }
        let (Some(fields), Some(others)) = (&a.fields, &b.fields) else { return true };
        let sizes = |layout: &Option<csource::types::RecordLayout>| layout.as_ref().map(|layout| layout.size);
        sizes(&a.layout) == sizes(&b.layout)
            && fields.len() == others.len()
            && fields
                .iter()
                .zip(others)
                .all(|(x, y)| x.name == y.name && x.bit_width == y.bit_width && self.agree(x.ty.id, y.ty.id))
    }

    fn functions(&mut self, one: &FunctionType, two: &FunctionType) -> bool {
        if !self.agree(one.result.id, two.result.id) {
            return false;
        }
        if !one.has_prototype || !two.has_prototype {
            return true;
        }
        one.is_variadic == two.is_variadic
            && one.parameters.len() == two.parameters.len()
            && one.parameters.iter().zip(&two.parameters).all(|(&a, &b)| self.agree(a, b))
    }
}
