//! Which of several definitions and declarations of a name counts: an ordinary one before a weak one, the user's before
//! the library's. What a linker would refuse is an error here.

use super::Linker;
use base::{Diagnostic, IndexVec, Span};
use csource::tree::{self, Storage};
use csource::types::ArrayLength;
use program::{Known, Origin, Procedure, ProcedureId, Type, TypeId, Variable, VariableId, VariableKind};

/// The definition of a variable that counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VariableDefinition {
    /// The unit and the variable in it.
    pub(crate) place: (usize, tree::VariableId),
    /// Weak or common: an ordinary definition has precedence.
    pub(crate) gives_way: bool,
    /// Where it is defined.
    pub(crate) span: Span,
}

impl VariableDefinition {
    fn new(variable: &tree::Variable, place: (usize, tree::VariableId)) -> VariableDefinition {
        let gives_way = variable.symbol.is_weak || variable.symbol.is_common;
        VariableDefinition { place, gives_way, span: variable.span }
    }
}

impl Linker {
    pub(super) fn link_function(&mut self, function: &tree::Function, origin: Origin) -> ProcedureId {
        if !function.is_static
            && let Some(&known) = self.external_procedures.get(&function.name)
        {
            let procedure = &mut self.procedures[known];
            procedure.is_noreturn |= function.is_noreturn;
            // A prototype tells more than an old-style or implied declaration.
            let tells_more =
                |ty: TypeId| matches!(self.session.types.get(ty), Type::Function(f) if f.has_prototype);
            if procedure.body.is_none()
                && !self.definitions.contains_key(&known)
                && !tells_more(procedure.ty)
                && tells_more(function.ty)
            {
                procedure.ty = function.ty;
            }
            return known;
        }
        let known = Known::by_name(&function.name).filter(|_| !function.is_static || origin == Origin::Model);
        let id = self.procedures.push(Procedure {
            name: function.name.clone(),
            ty: function.ty,
            parameters: Vec::new(),
            locals: Vec::new(),
            body: None,
            origin: Origin::Nowhere,
            known,
            is_static: function.is_static,
            is_noreturn: function.is_noreturn || known.is_some_and(Known::never_returns),
            is_atomic: function.name.starts_with("__VERIFIER_atomic_") && known.is_none(),
            span: function.span,
        });
        if !function.is_static {
            self.external_procedures.insert(function.name.clone(), id);
        }
        id
    }

    pub(super) fn define(
        &mut self,
        procedure: ProcedureId,
        unit: usize,
        function: tree::FunctionId,
        definition: &tree::Function,
        origin: Origin,
    ) {
        if origin == Origin::User
            && let Some(&(earlier_unit, earlier)) = self.definitions.get(&procedure)
            && let Some(earlier) = self.units.get(earlier_unit).map(|unit| &unit.unit.functions[earlier])
        {
            // A weak definition gives way to any other, an inline one that is not exported to one that is.
            let gives_way = |function: &tree::Function| function.symbol.is_weak || !function.is_exported;
            // Ordinary, weak, inline: the first kind that is there counts, and the first of the kind.
            let rank = |function: &tree::Function| match (function.is_exported, function.symbol.is_weak) {
                (true, false) => 0,
                (true, true) => 1,
                (false, _) => 2,
            };
            if gives_way(definition) && rank(definition) >= rank(earlier) {
                return;
            }
            if !gives_way(earlier) && !gives_way(definition) {
                let other = earlier.span;
                self.tell_defined_twice(&definition.name, definition.span, other);
                return;
            }
        }
        if origin == Origin::User
            && let Some(alias) = self.function_aliases.get(&procedure)
        {
            let (is_weak, span) = (alias.is_weak, alias.span);
            if !is_weak && !definition.symbol.is_weak {
                self.tell_defined_twice(&definition.name, definition.span, span);
            }
            if !is_weak {
                return;
            }
            self.function_aliases.remove(&procedure);
        }
        let target = &mut self.procedures[procedure];
        if target.origin == Origin::User && origin == Origin::Model {
            return; // the user's own function wins over the library's
        }
        target.origin = origin;
        if origin == Origin::User {
            target.ty = definition.ty;
            target.span = definition.span;
            if !target.known.is_some_and(Known::is_marker) {
                target.known = None;
            }
            target.is_noreturn = definition.is_noreturn;
            self.constructors.retain(|(_, known)| *known != procedure);
            self.destructors.retain(|(_, known)| *known != procedure);
            if let Some(priority) = definition.symbol.constructor {
                self.constructors.push((priority, procedure));
            }
            if let Some(priority) = definition.symbol.destructor {
                self.destructors.push((priority, procedure));
            }
        } else {
            target.ty = definition.ty;
        }
        self.definitions.insert(procedure, (unit, function));
    }

    pub(super) fn link_variable(
        &mut self,
        variable: &tree::Variable,
        place: (usize, tree::VariableId),
        procedures: &IndexVec<tree::FunctionId, ProcedureId>,
        origin: Origin,
    ) -> VariableId {
        let is_visible = matches!(variable.storage, Storage::Global | Storage::External);
        let is_defined = variable.storage != Storage::External;
        let known = self.external_variables.get(&variable.name).copied().filter(|_| is_visible);
        let id = match known {
            Some(known) => {
                self.variables[known].in_memory |= variable.address_taken;
                if is_defined && variable.symbol.alias.is_none() && self.takes_over(known, variable) {
                    let extra_bytes = self.extra_bytes(variable);
                    let complete = self.is_complete(variable.ty.id);
                    let entry = &mut self.variables[known];
                    if complete {
                        entry.ty = variable.ty;
                    }
                    entry.span = variable.span;
                    entry.is_external = false;
                    entry.extra_bytes = extra_bytes;
                    entry.is_thread_local |= variable.is_thread_local;
                    entry.alignment = entry.alignment.max(variable.alignment);
                    self.variable_definitions.insert(known, VariableDefinition::new(variable, place));
                }
                known
            }
            None => {
                let in_memory = variable.address_taken || !self.session.types.is_scalar(variable.ty.id);
                let id = self.variables.push(Variable {
                    name: variable.name.clone(),
                    ty: variable.ty,
                    kind: VariableKind::Global,
                    procedure: variable.function.map(|function| procedures[function]),
                    in_memory,
                    is_file_local: variable.storage == Storage::FileStatic,
                    is_thread_local: variable.is_thread_local,
                    alignment: variable.alignment,
                    extra_bytes: self.extra_bytes(variable),
                    is_external: !is_defined || variable.symbol.alias.is_some(),
                    initial: Vec::new(),
                    span: variable.span,
                });
                if is_visible {
                    self.external_variables.insert(variable.name.clone(), id);
                }
                if is_defined && variable.symbol.alias.is_none() {
                    self.variable_definitions.insert(id, VariableDefinition::new(variable, place));
                }
                id
            }
        };
        if let Some(why) = &variable.symbol.unmodelled {
            self.unmodelled_variables.insert(id, why.clone());
        }
        if is_visible && origin == Origin::User {
            self.declarations.variables.push((id, variable.ty.id, variable.span));
            let is_weak = variable.symbol.is_weak;
            self.only_weak_variables.entry(id).and_modify(|all| *all &= is_weak).or_insert(is_weak);
        }
        id
    }

    /// Does this definition take the place of what is known of the variable? Two ordinary ones are an error, as they
    /// are to the linker since gcc 10 (`-fno-common`), also without initialisers; weak and common ones give way.
    fn takes_over(&mut self, known: VariableId, variable: &tree::Variable) -> bool {
        let Some(earlier) = self.variable_definitions.get(&known) else {
            return match self.variable_aliases.get(&known) {
                None => true,
                Some(alias) if alias.is_weak => {
                    self.variable_aliases.remove(&known);
                    true
                }
                Some(alias) => {
                    let span = alias.span;
                    self.tell_defined_twice(&variable.name, variable.span, span);
                    false
                }
            };
        };
        if variable.symbol.is_weak || variable.symbol.is_common {
            return false;
        }
        if !earlier.gives_way {
            let span = earlier.span;
            self.tell_defined_twice(&variable.name, variable.span, span);
            return false;
        }
        true
    }

    pub(super) fn tell_defined_twice(&mut self, name: &str, span: Span, other: Span) {
        let message = format!("`{name}` is defined in two files");
        self.session.diagnostics.push(
            Diagnostic::error("defined-twice", span, message)
                .label(other, "the other definition")
                .hint("make one of them `static` or `extern`, or leave one file out"),
        );
    }

    fn extra_bytes(&self, variable: &tree::Variable) -> u64 {
        let types = &self.session.types;
        let last_field =
            types.record_id(variable.ty.id).and_then(|id| types.records[id].fields.as_ref()?.last());
        match last_field.map(|field| types.get(field.ty.id)) {
            Some(Type::Array(element, ArrayLength::Unknown)) => {
                variable.flexible_elements.saturating_mul(types.size_of(element.id).unwrap_or(0))
            }
            _ => 0,
        }
    }

    fn is_complete(&self, ty: TypeId) -> bool {
        !matches!(self.session.types.get(ty), Type::Array(_, ArrayLength::Unknown))
    }
}
