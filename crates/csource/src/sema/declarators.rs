//! Declarators to types: pointers, arrays, functions with their parameters.

use super::analyser::Analyser;
use super::scope::Binding;
use super::specifiers::TagUse;
use crate::syntax::{
    ArrayDeclarator, ArraySize, Derivation, FunctionDeclarator, Parameter, Parameters, TypeName,
};
use crate::tree::FlagKind;
use crate::types::{ArrayLength, FunctionType, Type, TypeId, TypeRef};
use base::{Span, Symbol};

/// Past this, a declarator is an attack on the stack, not a program.
const MOST_DERIVATIONS: usize = 200;

/// A parameter of a definition: its name, and its type after adjustment.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedParameter {
    pub name: Option<Symbol>,
    pub ty: TypeRef,
    /// Elements of the array it is declared as, if it is one of constant length.
    pub elements: Option<u64>,
    /// Is it declared with `[static n]`?
    pub has_least_length: bool,
    pub span: Span,
}

impl Analyser<'_> {
    /// A base type with the derivations of a declarator.
    pub fn derive(&mut self, base: TypeRef, derivations: &[Derivation], span: Span) -> TypeRef {
        if derivations.len() > MOST_DERIVATIONS {
            self.error("too-deep", span, "this declarator has too many pointers, arrays and functions");
            return self.common.error.into();
        }
        let mut ty = base;
        for derivation in derivations.iter().rev() {
            ty = match derivation {
                Derivation::Pointer(qualifiers) => {
                    TypeRef { id: self.types_mut().pointer(ty), qualifiers: *qualifiers }
                }
                Derivation::Array(array) => self.array_type(ty, array, span).into(),
                Derivation::Function(function) => self.prototype(ty, function, span).into(),
            };
        }
        ty
    }

    /// Does a typedef's alignment survive these derivations? Arrays are aligned like their elements.
    pub fn keeps_alignment(&self, derivations: &[Derivation]) -> bool {
        derivations.iter().all(|derivation| matches!(derivation, Derivation::Array(_)))
    }

    /// A type without a name.
    pub fn type_name(&mut self, name: &TypeName) -> TypeRef {
        self.aligned_type_name(name).0
    }

    /// A type without a name, and the alignment its typedef asks for.
    pub fn aligned_type_name(&mut self, name: &TypeName) -> (TypeRef, Option<u64>) {
        let base = self.base(&name.specifiers, TagUse::Refer);
        let own = self.attributes(&name.declarator.attributes);
        let mut ty = base.ty;
        if own.mode.is_some() || own.vector_size.is_some() {
            ty.id = self.reshape(ty.id, &own);
        }
        let alignment = base.type_alignment.filter(|_| self.keeps_alignment(&name.declarator.derivations));
        let asked = base.attributes.alignment.max(own.alignment);
        (self.derive(ty, &name.declarator.derivations, name.span), alignment.or(asked))
    }

    fn array_type(&mut self, element: TypeRef, array: &ArrayDeclarator, span: Span) -> TypeId {
        let length = self.array_length(&array.length);
        if self.is_error(element.id) {
            return self.common.error;
        }
        let problem = match self.types().get(element.id) {
            Type::Function(_) => Some("an array cannot hold functions; hold pointers to them"),
            Type::Void => Some("an array cannot hold `void`"),
            _ if !self.is_complete(element.id) && !self.is_variably_modified(element.id) => {
                Some("the elements of an array need a complete type")
            }
            _ => None,
        };
        if let Some(problem) = problem {
            let message = format!("{problem} (here: `{}`)", self.show(element));
            self.error("bad-array", array.span.to(span), message);
            return self.common.error;
        }
        let Some(length) = length else { return self.common.error };
        if let (ArrayLength::Known(count), Some(size)) = (length, self.types().size_of(element.id)) {
            let most = if self.types().pointer_width() == 64 { i64::MAX as u64 } else { i32::MAX as u64 };
            if count.checked_mul(size).is_none_or(|bytes| bytes > most) {
                self.error("array-too-large", array.span, "this array is larger than the address space");
                return self.common.error;
            }
        }
        self.types_mut().array(element, length)
    }

    fn array_length(&mut self, size: &ArraySize) -> Option<ArrayLength> {
        let written = match size {
            ArraySize::Unspecified => return Some(ArrayLength::Unknown),
            ArraySize::Star => return Some(ArrayLength::Variable(self.types_mut().new_length())),
            ArraySize::Expr(written) => written,
        };
        let typed = self.value(written);
        if self.is_error(typed.ty.id) {
            return None;
        }
        if !self.types().is_integer(typed.ty.id) {
            let message = format!("the length of an array must be an integer, not `{}`", self.show(typed.ty));
            self.error("not-integer", written.span, message);
            return None;
        }
        if let Some(value) = self.constant_value(&typed) {
            let Ok(count) = u64::try_from(value) else {
                self.error("negative-length", written.span, format!("the length of an array is {value}"));
                return None;
            };
            return Some(ArrayLength::Known(count));
        }
        if self.function.is_none() && self.prototypes == 0 && !self.reads_parameters {
            let message = "the length of an array outside a function must be a constant";
            self.error("not-constant", written.span, message);
            return None;
        }
        let id = self.types_mut().new_length();
        if self.prototypes == 0 {
            self.flag(FlagKind::VariableLengthArray, written.span, "the length is computed at run time");
            let size = self.common.size;
            let length = self.cast_implicitly(typed, size);
            self.unit.lengths.insert(id, length);
            self.pending_lengths.push(id);
        }
        Some(ArrayLength::Variable(id))
    }

    /// The type of a function declarator that is not (the outermost one of) a definition.
    fn prototype(&mut self, result: TypeRef, function: &FunctionDeclarator, span: Span) -> TypeId {
        self.scopes.enter();
        self.prototypes += 1;
        let ty = self.function_declarator(result, function, span, |this, parameter| {
            if let Some(name) = parameter.name {
                this.scopes.bind(name, Binding::PrototypeParameter(parameter.ty), parameter.span);
            }
        });
        self.prototypes -= 1;
        self.scopes.leave();
        ty
    }

    /// The type of a function declarator; each parameter is shown to `declare` as soon as its type is known, since
    /// later ones may mention it.
    pub fn function_declarator(
        &mut self,
        result: TypeRef,
        function: &FunctionDeclarator,
        span: Span,
        mut declare: impl FnMut(&mut Self, NamedParameter),
    ) -> TypeId {
        let result_is_bad = self.is_function(result.id) || self.is_array(result.id);
        if result_is_bad {
            let message = format!("a function cannot return `{}`", self.show(result));
            self.error_with_hint("bad-result", span, message, "return a pointer to it");
        }
        let mut parameters = Vec::new();
        let mut has_prototype = false;
        if let Parameters::Prototype(list) = &function.parameters {
            has_prototype = true;
            parameters.reserve_exact(list.len());
            for parameter in list {
                self.parameter_elements = None;
                let has_least_length = matches!(parameter.declarator.derivations.first(), Some(Derivation::Array(array)) if array.is_static);
                let ty = self.parameter_type(parameter);
                let elements = self.parameter_elements.take();
                let name = parameter.declarator.name;
                if self.types().get(ty.id) == &Type::Void {
                    // `(void)` through a typedef
                    if list.len() > 1 || name.is_some() {
                        self.error("void-parameter", parameter.span, "a parameter cannot be `void`");
                        parameters.push(self.common.error);
                    }
                    continue;
                }
                parameters.push(ty.id);
                let span = if name.is_some() { parameter.declarator.name_span } else { parameter.span };
                declare(self, NamedParameter { name, ty, elements, has_least_length, span });
            }
        }
        if result_is_bad {
            return self.common.error;
        }
        self.types_mut().intern(Type::Function(FunctionType {
            result: result.id.into(),
            parameters,
            is_variadic: function.is_variadic,
            has_prototype,
        }))
    }

    fn parameter_type(&mut self, parameter: &Parameter) -> TypeRef {
        let base = self.base(&parameter.specifiers, TagUse::Refer);
        let mut ty = base.ty;
        let own = self.attributes(&parameter.declarator.attributes);
        if own.mode.is_some() || own.vector_size.is_some() {
            ty.id = self.reshape(ty.id, &own);
        }
        self.parameter_derivations(ty, &parameter.declarator.derivations, parameter.span)
    }

    /// Derivations of a parameter, adjusted: its own array becomes a pointer, without needing a length (C11 6.7.6.3p7).
    pub fn parameter_derivations(
        &mut self,
        base: TypeRef,
        derivations: &[Derivation],
        span: Span,
    ) -> TypeRef {
        if let Some((Derivation::Array(array), inner)) = derivations.split_first() {
            let element = self.derive(base, inner, span);
            if let ArraySize::Expr(length) = &array.length {
                self.entry_length(length);
            }
            if self.is_error(element.id) {
                return element;
            }
            return TypeRef { id: self.types_mut().pointer(element), qualifiers: array.qualifiers };
        }
        let ty = self.derive(base, derivations, span);
        self.adjust_parameter(ty)
    }

    /// Arrays and functions are passed as pointers.
    pub fn adjust_parameter(&mut self, ty: TypeRef) -> TypeRef {
        match *self.types().get(ty.id) {
            Type::Array(mut element, length) => {
                if let ArrayLength::Known(length) = length {
                    self.parameter_elements = Some(length);
                }
                element.qualifiers = element.qualifiers.and(ty.qualifiers);
                self.types_mut().pointer(element).into()
            }
            Type::Function(_) => self.types_mut().pointer(ty.id).into(),
            _ => ty,
        }
    }

    /// The length of a parameter's own array: checked; evaluated on entry if that does something.
    fn entry_length(&mut self, length: &crate::syntax::Expr) {
        let typed = self.value(length);
        if !self.is_error(typed.ty.id) && !self.types().is_integer(typed.ty.id) {
            let message = format!("the length of an array must be an integer, not `{}`", self.show(typed.ty));
            self.error("not-integer", length.span, message);
        }
        // `int a[static n]` asks for at least as many, `int a[n]` only tells the reader.
        self.parameter_elements = self.fold_integer(&typed).and_then(|length| u64::try_from(length).ok());
        if self.prototypes == 0 && super::effects::has_effects(&typed) {
            let span = typed.span;
            let kind = crate::tree::StatementKind::Expr(typed);
            self.entry_statements.push(crate::tree::Statement { kind, span });
        }
    }

    /// Does a type have a size, known now or at run time?
    pub fn is_complete(&self, ty: TypeId) -> bool {
        match self.types().get(ty) {
            Type::Void | Type::Function(_) => false,
            Type::Array(element, length) => *length != ArrayLength::Unknown && self.is_complete(element.id),
            Type::Record(id) => self.types().records[*id].layout.is_some(),
            Type::Enum(id) => self.types().enums[*id].constants.is_some(),
            _ => true,
        }
    }

    /// Does a run-time length occur in it?
    pub fn is_variably_modified(&self, ty: TypeId) -> bool {
        match self.types().get(ty) {
            Type::Array(_, ArrayLength::Variable(_)) => true,
            Type::Array(to, _) | Type::Pointer(to) => self.is_variably_modified(to.id),
            Type::Function(function) => self.is_variably_modified(function.result.id),
            _ => false,
        }
    }

    /// Is its size computed at run time?
    pub fn has_variable_size(&self, ty: TypeId) -> bool {
        match self.types().get(ty) {
            Type::Array(_, ArrayLength::Variable(_)) => true,
            Type::Array(element, _) => self.has_variable_size(element.id),
            _ => false,
        }
    }
}
