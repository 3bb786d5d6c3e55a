//! Declarations at file and block scope: typedefs, variables, `_Static_assert`.

use super::analyser::{Analyser, Linked};
use super::attributes::Attributes;
use super::scope::Binding;
use super::specifiers::{Base, TagUse};
use crate::syntax::{self, Declaration, Declarator, InitDeclarator, StorageClass, TypeSpecifier};
use crate::tree::{
    self, Expr, FlagKind, Statement, StatementKind, Storage, SymbolAttributes, Variable, VariableId,
};
use crate::types::{ArrayLength, Type, TypeRef};
use base::{Span, Symbol};
use std::sync::Arc;

/// A declarator whose type is known, with everything that decides what it declares.
pub(super) struct Declared<'a> {
    pub name: Symbol,
    pub name_span: Span,
    pub ty: TypeRef,
    pub storage: Option<StorageClass>,
    pub is_thread_local: bool,
    pub is_inline: bool,
    /// Alignment of an object, or the one a typedef hands on.
    pub alignment: Option<u64>,
    pub attributes: Attributes,
    pub asm_label: Option<&'a str>,
}

impl Analyser<'_> {
    /// A declaration outside functions.
    pub fn file_declaration(&mut self, declaration: &Declaration) {
        let base = self.declaration_base(declaration);
        for written in &declaration.declarators {
            let Some((declared, auto)) = self.declared(declaration, &base, written) else { continue };
            match declared.storage {
                Some(StorageClass::Typedef) => self.declare_typedef(&declared, written),
                _ if auto.is_some() => self.declare_global_auto(&declared, auto),
                _ if self.is_function(declared.ty.id) => {
                    self.declare_function(&declared);
                    self.refuse_initializer(written);
                }
                _ => self.declare_global(&declared, written),
            }
        }
        self.pending_lengths.clear();
    }

    /// A declaration in a block; what has to happen when it is reached goes to `out`.
    pub fn local_declaration(&mut self, declaration: &Declaration, out: &mut Vec<Statement>) {
        let outer = std::mem::take(&mut self.pending_lengths);
        let base = self.declaration_base(declaration);
        for written in &declaration.declarators {
            let Some((declared, auto)) = self.declared(declaration, &base, written) else { continue };
            match declared.storage {
                _ if auto.is_some() => self.declare_auto(&declared, auto, written.span, out),
                Some(StorageClass::Typedef) => {
                    self.declare_typedef(&declared, written);
                    self.flush_lengths(written.span, out);
                }
                _ if self.is_function(declared.ty.id) => {
                    self.declare_function(&declared);
                    self.refuse_initializer(written);
                }
                Some(StorageClass::Extern) => self.declare_extern_in_block(&declared, written),
                Some(StorageClass::Static) => self.declare_local_static(&declared, written),
                _ => self.declare_local(&declared, written, out),
            }
        }
        self.flush_lengths(declaration.span, out);
        self.pending_lengths = outer;
    }

    fn flush_lengths(&mut self, span: Span, out: &mut Vec<Statement>) {
        if !self.pending_lengths.is_empty() {
            let lengths = std::mem::take(&mut self.pending_lengths);
            out.push(Statement { kind: StatementKind::EvaluateLengths(lengths), span });
        }
    }

    fn declaration_base(&mut self, declaration: &Declaration) -> Base {
        let alone = declaration.declarators.is_empty();
        let tags = if alone { TagUse::Declare } else { TagUse::Refer };
        let base = self.base(&declaration.specifiers, tags);
        let declares = match &declaration.specifiers.type_specifier {
            TypeSpecifier::Record(record) => record.tag.is_some() || record.members.is_some(),
            TypeSpecifier::Enum(_) => true,
            _ => false,
        };
        if alone && !declares && !self.is_error(base.ty.id) {
            self.warn("empty-declaration", declaration.span, "this declares nothing");
        }
        base
    }

    /// The type of one declarator of a declaration.
    fn declared<'a>(
        &mut self,
        declaration: &Declaration,
        base: &Base,
        written: &'a InitDeclarator,
    ) -> Option<(Declared<'a>, Option<Expr>)> {
        let declarator = &written.declarator;
        let specifiers = &declaration.specifiers;
        let mut ty = base.ty;
        let mut auto = None;
        if base.is_auto {
            let value = self.auto_value(declarator, written)?;
            ty.id = value.ty.id;
            auto = Some(value);
        }
        let mut declared = self.declare_with(base, ty, declarator)?;
        declared.storage = specifiers.storage;
        declared.is_thread_local = specifiers.is_thread_local;
        declared.is_inline = specifiers.is_inline;
        if specifiers.storage == Some(StorageClass::Typedef) {
            declared.alignment = declared.attributes.alignment.or(declared.alignment);
        } else {
            declared.alignment = declared.alignment.max(declared.attributes.alignment);
        }
        Some((declared, auto))
    }

    /// A declarator over a base type, without storage class.
    pub fn declare_with<'a>(
        &mut self,
        base: &Base,
        mut ty: TypeRef,
        declarator: &'a Declarator,
    ) -> Option<Declared<'a>> {
        let mut attributes = base.attributes.clone();
        if !declarator.attributes.is_empty() {
            let own = self.attributes(&declarator.attributes);
            if own.mode.is_some() || own.vector_size.is_some() {
                ty.id = self.reshape(ty.id, &own);
            }
            attributes = attributes.and(own);
        }
        let ty = self.derive(ty, &declarator.derivations, declarator.span);
        let name = declarator.name?;
        let alignment = base.type_alignment.filter(|_| self.keeps_alignment(&declarator.derivations));
        Some(Declared {
            name,
            name_span: declarator.name_span,
            ty,
            storage: None,
            is_thread_local: false,
            is_inline: false,
            alignment,
            attributes,
            asm_label: declarator.asm_label.as_deref(),
        })
    }

    /// `__auto_type x = e`: the value gives the type; it is read before the name is known.
    fn auto_value(&mut self, declarator: &Declarator, written: &InitDeclarator) -> Option<Expr> {
        if let Some(syntax::Initializer::Expr(e)) = &written.initializer
            && declarator.derivations.is_empty()
        {
            let value = self.value(e);
            return Some(if self.types().is_scalar(value.ty.id) { self.as_rvalue(value) } else { value });
        }
        self.error("auto-type", declarator.span, "`__auto_type` needs an initialiser with a plain value");
        if let Some(name) = declarator.name {
            self.scopes.bind(name, Binding::Broken, declarator.name_span);
        }
        None
    }

    /// `__auto_type x = e;` outside functions.
    fn declare_global_auto(&mut self, declared: &Declared<'_>, value: Option<Expr>) {
        if let Some(before) = self.scopes.name_here(declared.name) {
            self.redeclared(declared, before.span);
        }
        let is_static = declared.storage == Some(StorageClass::Static);
        let id = self.new_variable(declared, if is_static { Storage::FileStatic } else { Storage::Global });
        self.linked.insert(declared.name, Linked::Variable(id));
        self.scopes.bind(declared.name, Binding::Variable(id), declared.name_span);
        self.check_object_type(id, declared);
        let initializer = value.map(tree::Initializer::Value);
        if let Some(initializer) = &initializer {
            self.check_static_initializer(initializer);
        }
        self.unit.variables[id].initializer = initializer;
    }

    fn declare_auto(
        &mut self,
        declared: &Declared<'_>,
        value: Option<Expr>,
        span: Span,
        out: &mut Vec<Statement>,
    ) {
        self.refuse_second_local(declared);
        if declared.storage == Some(StorageClass::Static) {
            self.error("unsupported", span, "a `static` variable of `__auto_type` is not supported");
        }
        let id = self.new_variable(declared, Storage::Local);
        self.scopes.bind(declared.name, Binding::Variable(id), declared.name_span);
        if let Some(block) = self.blocks.last_mut() {
            block.push(id);
        }
        self.check_object_type(id, declared);
        let lengths = std::mem::take(&mut self.pending_lengths);
        let initializer = value.map(tree::Initializer::Value);
        out.push(Statement { kind: StatementKind::Declare { variable: id, lengths, initializer }, span });
    }

    fn refuse_initializer(&mut self, written: &InitDeclarator) {
        if written.initializer.is_some() {
            self.error("bad-initializer", written.span, "a function or a typedef cannot have an initialiser");
        }
    }

    fn declare_typedef(&mut self, declared: &Declared<'_>, written: &InitDeclarator) {
        self.refuse_initializer(written);
        let mut ty = declared.ty;
        if let Some(before) = self.scopes.name_here(declared.name) {
            match before.what {
                Binding::Typedef { ty: known, .. } if self.are_compatible_refs(known, ty) => {
                    ty.id = self.composite(known.id, ty.id);
                }
                Binding::Broken => {}
                _ => self.redeclared(declared, before.span),
            }
        }
        if declared.attributes.is_transparent_union
            && let Some(record) = self.types().record_id(ty.id)
        {
            self.transparent_unions.insert(record);
        }
        let what = Binding::Typedef { ty, alignment: declared.alignment };
        self.scopes.bind(declared.name, what, declared.name_span);
    }

    /// The same name means something else in this scope already.
    pub fn redeclared(&mut self, declared: &Declared<'_>, before: Span) {
        let shown = self.types().declare(declared.ty, self.text(declared.name));
        let message = format!("`{shown}` does not agree with an earlier declaration of the name");
        self.error_with_place("conflicting-types", declared.name_span, message, before, "declared here");
    }

    /// A new variable, not yet bound.
    pub fn new_variable(&mut self, declared: &Declared<'_>, storage: Storage) -> VariableId {
        let name: Arc<str> = match (declared.asm_label, storage) {
            (Some(label), Storage::Global | Storage::External | Storage::FileStatic) => Arc::from(label),
            _ => self.shared_text(declared.name),
        };
        if let Some((name, span)) = declared.attributes.unmodelled {
            self.flag(FlagKind::Attribute, span, format!("the attribute `{name}` is not modelled"));
        }
        let symbol = self.variable_symbol(declared, storage);
        let in_block = !matches!(storage, Storage::Global | Storage::External | Storage::FileStatic);
        let function = self.function.as_ref().filter(|_| in_block).map(|function| function.id);
        self.unit.variables.push(Variable {
            name,
            ty: declared.ty,
            storage,
            is_thread_local: declared.is_thread_local,
            alignment: declared.alignment,
            initializer: None,
            flexible_elements: 0,
            parameter_elements: None,
            has_least_length: false,
            function,
            address_taken: false,
            symbol,
            span: declared.name_span,
        })
    }

    /// What the attributes of a variable say of its symbol, and whether using it has a meaning here.
    fn variable_symbol(&mut self, declared: &Declared<'_>, storage: Storage) -> SymbolAttributes {
        let mut symbol = declared.attributes.symbol.clone();
        let is_automatic = matches!(storage, Storage::Local | Storage::Parameter);
        let is_register = declared.storage == Some(StorageClass::Register);
        let name = self.text(declared.name).to_owned();
        if declared.asm_label.is_some() && (is_automatic || is_register) {
            let message = format!("`{name}` is a register of the machine, which is not modelled");
            symbol.unmodelled = Some(Arc::from(message));
        } else if declared.attributes.is_noreturn {
            let message = format!("`{name}` points to a function that is said never to return");
            symbol.unmodelled = Some(Arc::from(message));
        } else if let Some((attribute, _)) = declared.attributes.unmodelled
            && attribute != "cleanup"
        {
            let message = format!("the attribute `{attribute}` of `{name}` is not modelled");
            symbol.unmodelled = Some(Arc::from(message));
        }
        if let Some(why) = symbol.section.as_deref().and_then(runs_by_itself) {
            let message = format!("`{name}` is in a section whose entries run {why}");
            self.flag(FlagKind::Attribute, declared.name_span, message.clone());
            self.unit.unmodelled.push((Arc::from(message), declared.name_span));
        }
        symbol
    }

    fn declare_local(&mut self, declared: &Declared<'_>, written: &InitDeclarator, out: &mut Vec<Statement>) {
        self.refuse_second_local(declared);
        let id = self.new_variable(declared, Storage::Local);
        self.scopes.bind(declared.name, Binding::Variable(id), declared.name_span);
        if let Some(block) = self.blocks.last_mut() {
            block.push(id);
        }
        let lengths = std::mem::take(&mut self.pending_lengths);
        let initializer = written.initializer.as_ref().and_then(|initializer| {
            if self.has_variable_size(declared.ty.id) && !is_empty_list(initializer) {
                let message = "an array of run-time length cannot have an initialiser";
                self.error_with_hint("bad-initializer", written.span, message, "assign to its elements");
                return None;
            }
            self.initializer_of_variable(id, initializer)
        });
        self.check_object_type(id, declared);
        let is_cleaned_up = self.unit.variables[id].symbol.cleanup.is_some();
        self.unit.variables[id].address_taken |= is_cleaned_up;
        let open = (is_cleaned_up && self.has_variable_size(declared.ty.id))
            .then_some(("cleanup", declared.name_span))
            .or(declared.attributes.unmodelled);
        if let Some(("cleanup", span)) = open {
            let message = "the function named by `cleanup` runs when the scope is left".to_owned();
            out.push(Statement { kind: StatementKind::Unsupported(message), span });
        }
        let kind = if self.is_error(declared.ty.id) {
            StatementKind::Unsupported("the type of this variable is not modelled".into())
        } else {
            StatementKind::Declare { variable: id, lengths, initializer }
        };
        out.push(Statement { kind, span: written.span });
    }

    fn refuse_second_local(&mut self, declared: &Declared<'_>) {
        if let Some(before) = self.scopes.name_here(declared.name)
            && !matches!(before.what, Binding::Broken)
        {
            let message = format!("`{}` is declared twice in this block", self.text(declared.name));
            self.error_with_place("redefinition", declared.name_span, message, before.span, "first here");
        }
    }

    fn declare_local_static(&mut self, declared: &Declared<'_>, written: &InitDeclarator) {
        self.refuse_second_local(declared);
        if self.is_variably_modified(declared.ty.id) {
            let message = "a `static` variable needs a size that is known when compiling";
            self.error("not-constant", declared.name_span, message);
            self.pending_lengths.clear();
        }
        let id = self.new_variable(declared, Storage::LocalStatic);
        self.scopes.bind(declared.name, Binding::Variable(id), declared.name_span);
        if let Some(initializer) = &written.initializer {
            self.initialize_static(id, initializer);
        }
        self.check_object_type(id, declared);
    }

    /// An object that is defined here needs a size.
    pub fn check_object_type(&mut self, id: VariableId, declared: &Declared<'_>) {
        let ty = self.unit.variables[id].ty;
        if self.is_error(ty.id) || self.is_complete(ty.id) {
            return;
        }
        let name = self.text(declared.name).to_owned();
        let message =
            format!("the size of `{name}` is not known: its type `{}` is incomplete", self.show(ty));
        let hint = match self.types().get(ty.id) {
            Type::Array(_, ArrayLength::Unknown) => "give the array a length or an initialiser",
            Type::Void => "a variable cannot be `void`",
            _ => "define the type before this line",
        };
        self.error_with_hint("incomplete-type", declared.name_span, message, hint);
        self.unit.variables[id].ty = self.common.error.into();
    }

    /// `_Static_assert`.
    pub fn static_assert(&mut self, assertion: &syntax::StaticAssert) {
        let condition = self.without_evaluation(|this| this.value(&assertion.condition), |_, _| false);
        if self.is_error(condition.ty.id) {
            return;
        }
        match self.constant_value(&condition) {
            Some(0) => {
                let message = match &assertion.message {
                    Some(message) => format!("static assertion failed: {message}"),
                    None => "static assertion failed".to_owned(),
                };
                self.error("static-assert", assertion.span, message);
            }
            Some(_) => {}
            None => {
                self.error("not-constant", condition.span, "a static assertion needs an integer constant");
            }
        }
    }
}

fn is_empty_list(initializer: &syntax::Initializer) -> bool {
    matches!(initializer, syntax::Initializer::List(list) if list.entries.is_empty())
}

/// When the start-up code or the linker's script runs what is named in a section.
fn runs_by_itself(section: &str) -> Option<&'static str> {
    let is =
        |name: &str| section.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    if [".init_array", ".preinit_array", ".ctors", ".init"].into_iter().any(is) {
        Some("before `main`")
    } else if [".fini_array", ".dtors", ".fini"].into_iter().any(is) {
        Some("after `main`")
    } else {
        None
    }
}
