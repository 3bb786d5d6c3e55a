//! Units become one program: names with external linkage meet, the rest stays apart.

use crate::function::FunctionLowering;
use base::{Diagnostic, IndexVec, Span};
use csource::tree::{self, Storage};
use csource::{Session, types::ArrayLength};
use program::{
    Assumption, AssumptionKind, Known, Origin, Procedure, ProcedureId, Program, Type, TypeId, Variable,
    VariableId, VariableKind,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A unit with its names resolved to those of the program.
#[derive(Debug)]
pub struct LinkedUnit {
    /// The typed tree; bodies are taken out as they are lowered.
    pub unit: tree::Unit,
    /// Procedures by the unit's function ids.
    pub procedures: IndexVec<tree::FunctionId, ProcedureId>,
    /// Variables with static storage, and locals once their function is lowered.
    pub variables: IndexVec<tree::VariableId, Option<VariableId>>,
    /// String literals that were used.
    pub strings: FxHashMap<tree::StringId, VariableId>,
}

/// The program under construction.
#[derive(Debug)]
pub struct Linker {
    /// Texts, types, names, messages.
    pub session: Session,
    /// The units in order.
    pub units: Vec<LinkedUnit>,
    /// All variables so far.
    pub variables: IndexVec<VariableId, Variable>,
    /// All procedures so far.
    pub procedures: IndexVec<ProcedureId, Procedure>,
    /// What was supposed so far.
    pub assumptions: Vec<Assumption>,
    known_assumptions: FxHashSet<(AssumptionKind, Arc<str>)>,
    external_procedures: FxHashMap<Arc<str>, ProcedureId>,
    external_variables: FxHashMap<Arc<str>, VariableId>,
    /// Which unit's function defines a procedure.
    pub definitions: FxHashMap<ProcedureId, (usize, tree::FunctionId)>,
    /// Procedures whose attribute says that they run before or after `main`.
    pub constructors: Vec<ProcedureId>,
    /// See `constructors`.
    pub destructors: Vec<ProcedureId>,
    /// Names of labels in functions of the user's.
    pub labels: BTreeSet<Arc<str>>,
    /// Elements of the arrays that parameters are declared as.
    pub parameter_elements: FxHashMap<VariableId, u64>,
}

impl Linker {
    /// A program without units.
    pub fn new(session: Session) -> Linker {
        Linker {
            session,
            units: Vec::new(),
            variables: IndexVec::new(),
            procedures: IndexVec::new(),
            assumptions: Vec::new(),
            known_assumptions: FxHashSet::default(),
            external_procedures: FxHashMap::default(),
            external_variables: FxHashMap::default(),
            definitions: FxHashMap::default(),
            constructors: Vec::new(),
            destructors: Vec::new(),
            parameter_elements: FxHashMap::default(),
            labels: BTreeSet::new(),
        }
    }

    /// Adds a unit: its functions and static variables get their places in the program.
    pub fn add(&mut self, unit: tree::Unit, origin: Origin) {
        let index = self.units.len();
        let mut procedures = IndexVec::new();
        for (id, function) in unit.functions.iter_enumerated() {
            let procedure = self.link_function(function, origin);
            if function.body.is_some() {
                self.define(procedure, index, id, function, origin);
            }
            procedures.push(procedure);
        }
        self.resolve_aliases(&unit, &mut procedures);
        let mut variables = IndexVec::new();
        for variable in &unit.variables {
            let linked = match variable.storage {
                Storage::Local | Storage::Parameter => None,
                Storage::Global | Storage::External | Storage::FileStatic | Storage::LocalStatic => {
                    Some(self.link_variable(variable, &procedures))
                }
            };
            variables.push(linked);
        }
        self.note_flags(&unit);
        self.units.push(LinkedUnit { unit, procedures, variables, strings: FxHashMap::default() });
        self.initialize_statics(index);
    }

    /// Lowers the bodies of all user functions that are not yet lowered.
    pub fn lower_bodies(&mut self) {
        let mut pending: Vec<ProcedureId> = self.definitions.keys().copied().collect();
        pending.sort_unstable();
        for procedure in pending {
            self.lower_body(procedure);
        }
    }

    /// Lowers one body, if it waits to be lowered.
    pub fn lower_body(&mut self, procedure: ProcedureId) {
        if let Some((unit, function)) = self.definitions.remove(&procedure)
            && let Some(body) = self.units[unit].unit.functions[function].body.take()
        {
            FunctionLowering::lower(self, unit, procedure, body);
        }
    }

    /// A procedure without a body that the tool itself calls, such as `__builtin_va_start`.
    pub fn intrinsic(&mut self, name: &str, ty: TypeId) -> ProcedureId {
        if let Some(&known) = self.external_procedures.get(name) {
            return known;
        }
        let name: Arc<str> = Arc::from(name);
        let known = Known::by_name(&name);
        let id = self.procedures.push(Procedure {
            name: name.clone(),
            ty,
            parameters: Vec::new(),
            locals: Vec::new(),
            body: None,
            origin: Origin::Nowhere,
            known,
            is_static: false,
            is_noreturn: known.is_some_and(Known::never_returns),
            is_atomic: false,
            span: Span::NOWHERE,
        });
        self.external_procedures.insert(name, id);
        id
    }

    /// A function that somebody outside the program defines, for pointers that come from there.
    pub fn outside_function(&mut self, name: &str, ty: TypeId, span: Span) -> ProcedureId {
        self.procedures.push(Procedure {
            name: Arc::from(name),
            ty,
            parameters: Vec::new(),
            locals: Vec::new(),
            body: None,
            origin: Origin::Nowhere,
            known: None,
            is_static: true,
            is_noreturn: false,
            is_atomic: false,
            span,
        })
    }

    /// Variables with external linkage.
    pub fn visible_variables(&self) -> Vec<VariableId> {
        self.external_variables.values().copied().collect()
    }

    /// What a procedure returns.
    pub fn result_type(&self, id: ProcedureId) -> TypeId {
        match self.session.types.get(self.procedures[id].ty) {
            Type::Function(function) => function.result.id,
            other => unreachable!("procedures have function types, not {other:?}"),
        }
    }

    /// Records an assumption once per kind and subject.
    pub fn assume(&mut self, kind: AssumptionKind, subject: &str, span: Span, message: impl Into<String>) {
        let subject: Arc<str> = Arc::from(subject);
        if self.known_assumptions.insert((kind, subject.clone())) {
            self.assumptions.push(Assumption { kind, subject, message: message.into(), span });
        }
    }

    /// The finished program without what `finish` computes.
    pub fn into_program(self) -> (Program, base::Diagnostics) {
        let program = Program {
            types: self.session.types,
            sources: Arc::new(self.session.sources),
            variables: self.variables,
            procedures: self.procedures,
            main: None,
            entry: None,
            visible: Vec::new(),
            missing_writes: false,
            labels: self.labels,
            constructors: self.constructors,
            destructors: self.destructors,
            assumptions: self.assumptions,
        };
        (program, self.session.diagnostics)
    }

    fn link_function(&mut self, function: &tree::Function, origin: Origin) -> ProcedureId {
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

    fn define(
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
            // A weak definition gives way to any other, an inline one to an ordinary one.
            let is_weak =
                |function: &tree::Function| function.attributes.iter().any(|name| &**name == "weak");
            if is_weak(definition) || definition.is_inline {
                return;
            }
            if !is_weak(earlier) && !earlier.is_inline {
                let other = earlier.span;
                self.session.diagnostics.push(
                    Diagnostic::error(
                        "defined-twice",
                        definition.span,
                        format!("`{}` is defined in two units", definition.name),
                    )
                    .label(other, "the other definition")
                    .hint("make one of them `static`, or leave one file out"),
                );
                return;
            }
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
            let attributes = &definition.attributes;
            if attributes.iter().any(|name| &**name == "constructor") {
                self.constructors.push(procedure);
            }
            if attributes.iter().any(|name| &**name == "destructor") {
                self.destructors.push(procedure);
            }
        } else {
            target.ty = definition.ty;
        }
        self.definitions.insert(procedure, (unit, function));
    }

    fn link_variable(
        &mut self,
        variable: &tree::Variable,
        procedures: &IndexVec<tree::FunctionId, ProcedureId>,
    ) -> VariableId {
        let is_visible = matches!(variable.storage, Storage::Global | Storage::External);
        let is_defined = variable.storage != Storage::External;
        if is_visible && let Some(&known) = self.external_variables.get(&variable.name) {
            let complete = self.is_complete(variable.ty.id);
            let entry = &mut self.variables[known];
            entry.in_memory |= variable.address_taken;
            let has_more = is_defined && (entry.is_external || variable.initializer.is_some());
            if complete && has_more {
                entry.ty = variable.ty;
                entry.span = variable.span;
            }
            entry.is_external &= !is_defined;
            let extra_bytes = self.extra_bytes(variable);
            self.variables[known].extra_bytes += extra_bytes;
            return known;
        }
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
            is_external: !is_defined,
            initial: Vec::new(),
            span: variable.span,
        });
        if is_visible {
            self.external_variables.insert(variable.name.clone(), id);
        }
        id
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

    /// `alias("target")`: every mention of the alias means the target.
    fn resolve_aliases(
        &mut self,
        unit: &tree::Unit,
        procedures: &mut IndexVec<tree::FunctionId, ProcedureId>,
    ) {
        for (id, function) in unit.functions.iter_enumerated() {
            let Some(target) = &function.alias else { continue };
            let Some((target, _)) = unit.functions.iter_enumerated().find(|(_, f)| f.name == *target) else {
                continue; // stays a function without a body, and is told as one
            };
            procedures[id] = procedures[target];
            self.external_procedures.insert(function.name.clone(), procedures[target]);
        }
    }

    fn note_flags(&mut self, unit: &tree::Unit) {
        use tree::FlagKind;
        for flag in &unit.flags {
            let kind = match flag.kind {
                FlagKind::InlineAsm => AssumptionKind::InlineAsm,
                FlagKind::ComputedGoto => AssumptionKind::ComputedGoto,
                FlagKind::VariableLengthArray => AssumptionKind::VariableLengthArray,
                FlagKind::UnknownBuiltin => AssumptionKind::UnmodelledBuiltin,
                FlagKind::ImplicitDeclaration => continue, // told as a warning; the call itself is checked like any other
                FlagKind::Complex
                | FlagKind::Vector
                | FlagKind::NestedFunction
                | FlagKind::BitInt
                | FlagKind::Attribute
                | FlagKind::WideBitField => AssumptionKind::Unsupported,
            };
            let place =
                self.session.sources.location(flag.span).map_or_else(String::new, |at| at.to_string());
            self.assume(kind, &place, flag.span, flag.message.clone());
        }
    }
}
