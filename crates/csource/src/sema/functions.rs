//! Function definitions: parameters (both styles), body, labels.

use super::analyser::{Analyser, OpenFunction};
use super::declarations::Declared;
use super::declarators::NamedParameter;
use super::scope::Binding;
use super::specifiers::TagUse;
use crate::syntax::{
    Declaration, Derivation, FunctionDeclarator, FunctionDefinition, Parameters, StorageClass,
};
use crate::tree::{
    Block, FlagKind, FunctionBody, FunctionId, Statement, StatementKind, Storage, Variable, VariableId,
};
use crate::types::{Type, TypeId, TypeRef};
use base::{IndexVec, Span, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

impl Analyser<'_> {
    /// A function with its body.
    pub fn define_function(&mut self, definition: &FunctionDefinition) {
        let base = self.base(&definition.specifiers, TagUse::Refer);
        let declarator = &definition.declarator;
        let Some((Derivation::Function(function), outer)) = declarator.derivations.split_first() else {
            let message = "a body can only follow a function declarator with its parameter list";
            self.error("not-a-function", declarator.span, message);
            return;
        };
        let Some(name) = declarator.name else { return };
        let own = self.attributes(&declarator.attributes);
        let result = self.derive(base.ty, outer, declarator.span);
        let mut declared = Declared {
            name,
            name_span: declarator.name_span,
            ty: self.common.error.into(),
            storage: definition.specifiers.storage,
            is_thread_local: false,
            is_inline: definition.specifiers.is_inline,
            alignment: None,
            attributes: base.attributes.and(own),
            asm_label: declarator.asm_label.as_deref(),
        };
        if !matches!(declared.storage, None | Some(StorageClass::Static | StorageClass::Extern)) {
            self.error(
                "bad-storage",
                definition.specifiers.span,
                "a function can only be `static` or `extern`",
            );
        }
        let id = self.function_slot(&declared);
        // A new slot has no type yet; its first declaration is this one.
        if self.is_error(self.unit.functions[id].ty) {
            self.assumed_functions.insert(id);
        }
        let is_replaceable =
            declared.attributes.is_gnu_inline && declared.storage == Some(StorageClass::Extern);
        if self.unit.functions[id].body.is_some() && !self.replaceable_bodies.remove(&id) {
            let message = format!("the function `{}` is defined twice", self.text(name));
            let place = self.unit.functions[id].span;
            self.error_with_place("redefinition", declared.name_span, message, place, "first here");
        }

        self.scopes.enter();
        let (ty, parameters) = self.parameters_of_definition(id, result, function, definition);
        declared.ty = ty.into();
        let before = self.unit.functions[id].ty;
        if self.is_promoted_prototype_of(before, ty, &parameters) {
            declared.ty = before.into();
        }
        self.merge_function(id, &declared);
        self.unit.functions[id].span = declared.name_span;
        self.check_result_type(result, declared.name_span);

        let body = self.function_body(id, name, result, parameters, definition);
        self.scopes.leave();
        self.unit.functions[id].body = Some(body);
        if is_replaceable {
            self.replaceable_bodies.insert(id);
        }
    }

    fn check_result_type(&mut self, result: TypeRef, span: Span) {
        let is_void = self.types().get(result.id) == &Type::Void;
        if !is_void && !self.is_error(result.id) && !self.is_complete(result.id) {
            let message = format!("the function returns the incomplete type `{}`", self.show(result));
            self.error_with_hint("incomplete-type", span, message, "define the type before this line");
        }
    }

    fn parameters_of_definition(
        &mut self,
        id: FunctionId,
        result: TypeRef,
        function: &FunctionDeclarator,
        definition: &FunctionDefinition,
    ) -> (TypeId, Vec<VariableId>) {
        let mut parameters = Vec::new();
        let span = definition.declarator.span;
        self.entry_statements.clear();
        self.reads_parameters = true;
        let ty = self.function_declarator(result, function, span, |this, parameter| {
            let variable = this.declare_parameter(id, parameter);
            parameters.push(variable);
        });
        if let Parameters::Names(names) = &function.parameters {
            parameters = self.old_style_parameters(id, names, &definition.parameter_declarations);
        }
        self.reads_parameters = false;
        (ty, parameters)
    }

    fn declare_parameter(&mut self, function: FunctionId, parameter: NamedParameter) -> VariableId {
        let mut ty = parameter.ty;
        if !self.is_error(ty.id) && !self.is_complete(ty.id) {
            let message = format!("a parameter has the incomplete type `{}`", self.show(ty));
            self.error("incomplete-type", parameter.span, message);
            ty = self.common.error.into();
        }
        let name = match parameter.name {
            Some(name) => self.shared_text(name),
            None => std::sync::Arc::from(format!(".parameter{}", self.unit.variables.len())),
        };
        let id = self.unit.variables.push(Variable {
            name,
            ty,
            storage: Storage::Parameter,
            is_thread_local: false,
            alignment: None,
            initializer: None,
            flexible_elements: 0,
            parameter_elements: parameter.elements,
            has_least_length: parameter.has_least_length,
            function: Some(function),
            address_taken: false,
            symbol: Default::default(),
            span: parameter.span,
        });
        if let Some(name) = parameter.name {
            if self.scopes.name_here(name).is_some() {
                let message = format!("there are two parameters named `{}`", self.text(name));
                self.error("redefinition", parameter.span, message);
            }
            self.scopes.bind(name, Binding::Variable(id), parameter.span);
        }
        id
    }

    /// `int f(a, b) char a; int *b; { … }`: names in order, types from the declarations, `int` where there is none.
    fn old_style_parameters(
        &mut self,
        id: FunctionId,
        names: &[(Symbol, Span)],
        declarations: &[Declaration],
    ) -> Vec<VariableId> {
        let mut types: FxHashMap<Symbol, (TypeRef, Span)> = FxHashMap::default();
        for declaration in declarations {
            let base = self.base(&declaration.specifiers, TagUse::Refer);
            for written in &declaration.declarators {
                let declarator = &written.declarator;
                let Some(name) = declarator.name else { continue };
                let ty = self.parameter_derivations(base.ty, &declarator.derivations, declarator.span);
                if !names.iter().any(|(known, _)| *known == name) {
                    let message = format!("`{}` is not in the parameter list", self.text(name));
                    self.error("not-a-parameter", declarator.name_span, message);
                } else if types.insert(name, (ty, declarator.name_span)).is_some() {
                    let message = format!("parameter `{}` is declared twice", self.text(name));
                    self.error("redefinition", declarator.name_span, message);
                }
            }
        }
        names
            .iter()
            .map(|&(name, span)| {
                let (ty, span) = types.get(&name).copied().unwrap_or((self.common.int.into(), span));
                self.declare_parameter(
                    id,
                    NamedParameter { name: Some(name), ty, elements: None, has_least_length: false, span },
                )
            })
            .collect()
    }

    /// GCC lets an old-style definition follow a prototype with the unpromoted types (`int f(char); int f(c) char c;
    /// {…}`).
    fn is_promoted_prototype_of(&self, before: TypeId, ty: TypeId, parameters: &[VariableId]) -> bool {
        let (Some(known), Some(new)) = (self.function_type(before), self.function_type(ty)) else {
            return false;
        };
        known.has_prototype
            && !new.has_prototype
            && known.parameters.len() == parameters.len()
            && self.are_compatible(known.result.id, new.result.id)
            && known.parameters.iter().zip(parameters).all(|(&a, &b)| {
                let declared = self.unit.variables[b].ty.id;
                self.are_compatible(a, declared) || self.are_compatible(a, self.promoted_type(declared))
            })
    }

    fn function_body(
        &mut self,
        id: FunctionId,
        name: Symbol,
        result: TypeRef,
        parameters: Vec<VariableId>,
        definition: &FunctionDefinition,
    ) -> FunctionBody {
        let open = OpenFunction {
            id,
            name: self.shared_text(name),
            result,
            labels: IndexVec::new(),
            label_state: IndexVec::new(),
            label_scopes: vec![FxHashMap::default()],
            loops: 0,
            switches: Vec::new(),
            breakable: 0,
            name_array: None,
            reported: FxHashSet::default(),
        };
        let outer = self.function.replace(open);
        let outer_blocks = std::mem::take(&mut self.blocks);
        self.blocks.push(Vec::new());
        let mut statements = Vec::new();
        let span = definition.body.span;
        if !self.pending_lengths.is_empty() {
            let lengths = std::mem::take(&mut self.pending_lengths);
            let span = definition.declarator.span;
            statements.push(Statement { kind: StatementKind::EvaluateLengths(lengths), span });
        }
        statements.append(&mut self.entry_statements);
        self.block_items(&definition.body.items, &mut statements);
        let variables = self.blocks.pop().unwrap_or_default();
        self.blocks = outer_blocks;
        let labels = match std::mem::replace(&mut self.function, outer) {
            Some(open) => self.finish_labels(open),
            None => IndexVec::new(),
        };
        let block = Block { variables, statements, span };
        FunctionBody { parameters, block, labels, span: definition.span }
    }

    /// A GNU nested function: its name is known, its body is not read. Reaching the definition is flagged, since it may
    /// change the variables around it.
    pub fn nested_function(&mut self, definition: &FunctionDefinition, out: &mut Vec<Statement>) {
        let message = "a function inside a function is not modelled";
        self.flag(FlagKind::NestedFunction, definition.declarator.span, message);
        let base = self.base(&definition.specifiers, TagUse::Refer);
        let lengths = self.pending_lengths.len();
        if let Some(declared) = self.declare_with(&base, base.ty, &definition.declarator)
            && self.is_function(declared.ty.id)
        {
            let id = self.new_function(declared.name, declared.ty.id, declared.name_span);
            self.unit.functions[id].is_static = true;
            self.scopes.bind(declared.name, Binding::Function(id), declared.name_span);
        }
        self.pending_lengths.truncate(lengths);
        out.push(Statement { kind: StatementKind::Unsupported(message.into()), span: definition.span });
    }
}
