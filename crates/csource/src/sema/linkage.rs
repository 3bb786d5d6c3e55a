//! Names with linkage: file-scope variables, functions, `extern` in blocks; redeclarations and tentative definitions.

use super::analyser::{Analyser, Linked};
use super::declarations::Declared;
use super::scope::Binding;
use crate::syntax::{InitDeclarator, StorageClass, SymbolPragma};
use crate::tree::{FlagKind, Function, FunctionId, Storage, SymbolAttributes, Variable, VariableId};
use crate::types::{ArrayLength, Type, TypeId, TypeRef};
use base::{Span, Symbol};
use std::sync::Arc;

impl Analyser<'_> {
    /// A variable at file scope.
    pub fn declare_global(&mut self, declared: &Declared<'_>, written: &InitDeclarator) {
        let id = match self.known_variable(declared) {
            Some(id) => {
                self.merge_variable(id, declared);
                self.update_storage(id, declared, written.initializer.is_some());
                id
            }
            None => {
                let storage = match declared.storage {
                    Some(StorageClass::Static) => Storage::FileStatic,
                    Some(StorageClass::Extern) if written.initializer.is_none() => Storage::External,
                    _ => Storage::Global,
                };
                let id = self.new_variable(declared, storage);
                self.linked.insert(declared.name, Linked::Variable(id));
                id
            }
        };
        self.scopes.bind(declared.name, Binding::Variable(id), declared.name_span);
        if let Some(initializer) = &written.initializer {
            if self.unit.variables[id].initializer.is_some() {
                let message = format!("`{}` is initialised twice", self.text(declared.name));
                let place = self.unit.variables[id].span;
                self.error_with_place("redefinition", declared.name_span, message, place, "first here");
            } else {
                self.initialize_static(id, initializer);
                self.unit.variables[id].span = declared.name_span;
            }
        }
        let is_definition = self.unit.variables[id].storage != Storage::External;
        if is_definition && !self.is_complete(self.unit.variables[id].ty.id) {
            if self.types().get(declared.ty.id) == &Type::Void {
                self.check_object_type(id, declared);
            } else {
                self.tentative.push(id);
            }
        }
    }

    /// At the end of the unit: tentative definitions must have become complete (C11 6.9.2p2).
    pub fn finish_tentative_definitions(&mut self) {
        for id in std::mem::take(&mut self.tentative) {
            let TypeRef { id: ty, qualifiers } = self.unit.variables[id].ty;
            if self.is_complete(ty) || self.is_error(ty) {
                continue;
            }
            let (name, span) = (self.unit.variables[id].name.clone(), self.unit.variables[id].span);
            if let Type::Array(element, ArrayLength::Unknown) = *self.types().get(ty)
                && self.is_complete(element.id)
            {
                self.warn("tentative-array", span, format!("array `{name}` is taken to have one element"));
                let completed = self.types_mut().array(element, ArrayLength::Known(1));
                self.unit.variables[id].ty = TypeRef { id: completed, qualifiers };
                continue;
            }
            let message = format!("the size of `{name}` is not known: `{}` is never defined", self.show(ty));
            self.error_with_hint("incomplete-type", span, message, "define the type in this file");
            self.unit.variables[id].ty = self.common.error.into();
        }
    }

    /// At the end of the unit: what its inline definitions are to other units, and what `#pragma weak` said.
    pub fn finish_functions(&mut self, pragmas: &[SymbolPragma]) {
        for id in self.unit.functions.ids() {
            let is_gnu_extern = self.replaceable_bodies.contains(&id);
            let is_always_inline = self.always_inline.contains(&id);
            let function = &mut self.unit.functions[id];
            function.is_exported &= !is_gnu_extern;
            // What is always put in place of its calls is this unit's own, whatever others define.
            function.is_static |= function.body.is_some() && !function.is_exported && is_always_inline;
        }
        for pragma in pragmas {
            self.apply_pragma(pragma);
        }
    }

    fn apply_pragma(&mut self, pragma: &SymbolPragma) {
        match pragma {
            SymbolPragma::Weak { name, target } => {
                let said = SymbolAttributes { is_weak: true, alias: target.clone(), ..Default::default() };
                // The pragma speaks of symbols: asm labels count.
                let functions = self.unit.functions.iter_mut().filter(|f| !f.is_static && *f.name == **name);
                functions.for_each(|function| function.symbol.merge(&said));
                let is_visible = |v: &&mut Variable| matches!(v.storage, Storage::Global | Storage::External);
                let variables = self.unit.variables.iter_mut().filter(is_visible);
                variables.filter(|v| *v.name == **name).for_each(|variable| variable.symbol.merge(&said));
            }
            SymbolPragma::Unmodelled { what, span } => {
                let message = format!("`#pragma {what}` is not modelled");
                self.flag(FlagKind::Attribute, *span, message.clone());
                self.unit.unmodelled.push((Arc::from(message), *span));
            }
        }
    }

    /// The variable of that name with linkage; tells when the name is something else here.
    fn known_variable(&mut self, declared: &Declared<'_>) -> Option<VariableId> {
        if let Some(before) = self.scopes.name_here(declared.name)
            && matches!(
                before.what,
                Binding::Typedef { .. } | Binding::Constant { .. } | Binding::Function(_)
            )
        {
            self.redeclared(declared, before.span);
            return None;
        }
        match self.linked.get(&declared.name) {
            Some(Linked::Variable(id)) => Some(*id),
            Some(Linked::Function(id)) if !self.assumed_functions.contains(id) => {
                let place = self.unit.functions[*id].span;
                self.redeclared(declared, place);
                None
            }
            _ => None,
        }
    }

    fn merge_variable(&mut self, id: VariableId, declared: &Declared<'_>) {
        let before = self.unit.variables[id].ty;
        if !self.are_compatible_refs(before, declared.ty) {
            let place = self.unit.variables[id].span;
            self.redeclared(declared, place);
            return;
        }
        let ty = self.composite(before.id, declared.ty.id);
        let variable = &mut self.unit.variables[id];
        variable.ty.id = ty;
        variable.alignment = variable.alignment.max(declared.alignment);
        variable.symbol.merge(&declared.attributes.symbol);
        if let Some(label) = declared.asm_label {
            variable.name = Arc::from(label);
        }
    }

    fn update_storage(&mut self, id: VariableId, declared: &Declared<'_>, has_initializer: bool) {
        let before = self.unit.variables[id].storage;
        let place = self.unit.variables[id].span;
        let after = match (before, declared.storage) {
            (Storage::FileStatic, Some(StorageClass::Static | StorageClass::Extern)) => Storage::FileStatic,
            (Storage::FileStatic, _) => {
                let message = format!("`{}` was declared `static` before", self.text(declared.name));
                self.error_with_place("conflicting-linkage", declared.name_span, message, place, "here");
                before
            }
            (_, Some(StorageClass::Static)) => {
                let message = format!("`{}` was not declared `static` before", self.text(declared.name));
                self.error_with_place("conflicting-linkage", declared.name_span, message, place, "here");
                before
            }
            (Storage::External, Some(StorageClass::Extern)) if !has_initializer => Storage::External,
            _ => Storage::Global,
        };
        if after != before {
            self.unit.variables[id].span = declared.name_span;
        }
        self.unit.variables[id].storage = after;
    }

    /// `extern int x;` in a block.
    pub fn declare_extern_in_block(&mut self, declared: &Declared<'_>, written: &InitDeclarator) {
        if written.initializer.is_some() {
            let message = "an `extern` declaration in a block cannot have an initialiser";
            self.error("bad-initializer", written.span, message);
        }
        let id = match self.known_variable(declared) {
            Some(id) => {
                self.merge_variable(id, declared);
                id
            }
            None => {
                let id = self.new_variable(declared, Storage::External);
                self.linked.insert(declared.name, Linked::Variable(id));
                id
            }
        };
        self.scopes.bind(declared.name, Binding::Variable(id), declared.name_span);
    }

    /// A function declaration, with or without a body to follow.
    pub fn declare_function(&mut self, declared: &Declared<'_>) -> FunctionId {
        let id = self.function_slot(declared);
        self.merge_function(id, declared);
        id
    }

    /// The function of that name, new or known, bound in the current scope.
    pub fn function_slot(&mut self, declared: &Declared<'_>) -> FunctionId {
        if let Some(before) = self.scopes.name_here(declared.name)
            && !matches!(before.what, Binding::Function(_) | Binding::Broken)
        {
            self.redeclared(declared, before.span);
            let id = self.new_function(declared.name, declared.ty.id, declared.name_span);
            self.scopes.bind(declared.name, Binding::Function(id), declared.name_span);
            return id;
        }
        let id = match self.linked.get(&declared.name) {
            Some(Linked::Function(id)) => *id,
            Some(Linked::Variable(variable)) => {
                let place = self.unit.variables[*variable].span;
                self.redeclared(declared, place);
                self.new_function(declared.name, declared.ty.id, declared.name_span)
            }
            None => {
                let id = self.new_function(declared.name, declared.ty.id, declared.name_span);
                self.linked.insert(declared.name, Linked::Function(id));
                self.unit.functions[id].is_static = declared.storage == Some(StorageClass::Static);
                id
            }
        };
        self.scopes.bind(declared.name, Binding::Function(id), declared.name_span);
        id
    }

    /// A function without attributes or body.
    pub fn new_function(&mut self, name: Symbol, ty: TypeId, span: Span) -> FunctionId {
        let name = self.shared_text(name);
        self.unit.functions.push(Function {
            name,
            ty,
            is_static: false,
            is_inline: false,
            is_noreturn: false,
            is_implicit: false,
            is_exported: false,
            symbol: Default::default(),
            body: None,
            span,
        })
    }

    /// A further declaration of a function adds to what is known of it.
    pub fn merge_function(&mut self, id: FunctionId, declared: &Declared<'_>) {
        let before = self.unit.functions[id].ty;
        let place = self.unit.functions[id].span;
        let is_static = declared.storage == Some(StorageClass::Static);
        if self.assumed_functions.remove(&id) {
            if !self.are_compatible(before, declared.ty.id) && self.unit.functions[id].is_implicit {
                let message = format!("`{}` was called before with another type", self.text(declared.name));
                self.warn("conflicting-types", declared.name_span, message);
            }
            let function = &mut self.unit.functions[id];
            function.ty = declared.ty.id;
            function.span = declared.name_span;
            function.is_static = is_static;
        } else if self.are_compatible(before, declared.ty.id) {
            self.unit.functions[id].ty = self.composite(before, declared.ty.id);
            if is_static && !self.unit.functions[id].is_static {
                let message = format!("`{}` was not declared `static` before", self.text(declared.name));
                self.error_with_place("conflicting-linkage", declared.name_span, message, place, "here");
            }
        } else {
            self.redeclared(declared, place);
        }
        self.refuse_unmodelled(&declared.attributes);
        let function = &mut self.unit.functions[id];
        if let Some(label) = declared.asm_label {
            function.name = Arc::from(label);
        }
        function.is_inline |= declared.is_inline;
        function.is_noreturn |= declared.attributes.is_noreturn;
        function.symbol.merge(&declared.attributes.symbol);
        // C11 6.7.4p7: a declaration without `inline`, or with `extern`, makes the inline definition an external one.
        let is_extern = declared.storage == Some(StorageClass::Extern);
        function.is_exported |= !declared.is_inline || is_extern != declared.attributes.is_gnu_inline;
        if declared.attributes.is_always_inline {
            self.always_inline.insert(id);
        }
        let function = &mut self.unit.functions[id];
        if let Some((attribute, _)) = declared.attributes.unmodelled {
            let message = format!("the attribute `{attribute}` of `{}` is not modelled", function.name);
            function.symbol.unmodelled = Some(Arc::from(message));
        }
    }
}
