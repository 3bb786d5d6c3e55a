//! Units become one program: names with external linkage meet, the rest stays apart.

use crate::agree::Declarations;
use crate::function::FunctionLowering;
use base::{Diagnostic, IndexVec, Span};
use csource::tree::{self, Storage};
use csource::{Session, types::ArrayLength};
use program::{
    Action, Assumption, AssumptionKind, Callee, Known, Origin, Procedure, ProcedureId, Program, Type, TypeId,
    Variable, VariableId, VariableKind,
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
    pub(crate) external_procedures: FxHashMap<Arc<str>, ProcedureId>,
    pub(crate) external_variables: FxHashMap<Arc<str>, VariableId>,
    /// What the files say of the types of external names.
    pub(crate) declarations: Declarations,
    /// Which definition of a variable counts.
    pub(crate) variable_definitions: FxHashMap<VariableId, VariableDefinition>,
    /// Functions that are other names of functions.
    pub(crate) function_aliases: FxHashMap<ProcedureId, Alias<ProcedureId>>,
    /// Variables that are other names of variables.
    pub(crate) variable_aliases: FxHashMap<VariableId, Alias<VariableId>>,
    /// External functions: do all files that declare it call it weak?
    pub(crate) only_weak_functions: FxHashMap<ProcedureId, bool>,
    /// External variables: do all files that declare it call it weak?
    pub(crate) only_weak_variables: FxHashMap<VariableId, bool>,
    /// Variables whose use has no known meaning here, and why.
    pub(crate) unmodelled_variables: FxHashMap<VariableId, Arc<str>>,
    /// What leaves the whole program without a known meaning here.
    pub(crate) unmodelled: Vec<(Arc<str>, Span)>,
    /// Does any function of the user's take the address of a label?
    pub(crate) has_label_addresses: bool,
    /// Which unit's function defines a procedure.
    pub definitions: FxHashMap<ProcedureId, (usize, tree::FunctionId)>,
    /// Functions with a body that no file exports, though other files could name them.
    inline_only: Vec<ProcedureId>,
    /// Variadic functions of which copies are called.
    pub(crate) copied: BTreeSet<ProcedureId>,
    /// Procedures whose attribute says that they run before or after `main`, with their priorities.
    pub constructors: Vec<(u32, ProcedureId)>,
    /// See `constructors`.
    pub destructors: Vec<(u32, ProcedureId)>,
    /// Names of labels in functions of the user's.
    pub labels: BTreeSet<Arc<str>>,
    /// Operands whose order of evaluation may matter.
    pub(crate) open_orders: Vec<crate::order::OpenOrder>,
    /// Blocks with arrays of run-time length that are left.
    pub(crate) left_arrays: Vec<crate::lengths::LeftArray>,
    /// Elements of the arrays that parameters are declared as.
    pub parameter_elements: FxHashMap<VariableId, u64>,
    /// Parameters that an attribute says are never null.
    pub never_null: FxHashSet<VariableId>,
    /// Is an assertion in a comment one?
    pub asserts_comments: bool,
    /// What a thread does in one step.
    pub steps: crate::Steps,
}

/// Another name of a function or variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alias<T> {
    /// What it stands for.
    pub(crate) target: T,
    /// Does it give way to an ordinary definition?
    pub(crate) is_weak: bool,
    /// Where it is declared.
    pub(crate) span: Span,
}

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
            declarations: Declarations::default(),
            variable_definitions: FxHashMap::default(),
            function_aliases: FxHashMap::default(),
            variable_aliases: FxHashMap::default(),
            only_weak_functions: FxHashMap::default(),
            only_weak_variables: FxHashMap::default(),
            unmodelled_variables: FxHashMap::default(),
            unmodelled: Vec::new(),
            has_label_addresses: false,
            definitions: FxHashMap::default(),
            inline_only: Vec::new(),
            copied: BTreeSet::new(),
            constructors: Vec::new(),
            destructors: Vec::new(),
            open_orders: Vec::new(),
            left_arrays: Vec::new(),
            parameter_elements: FxHashMap::default(),
            never_null: FxHashSet::default(),
            asserts_comments: true,
            steps: crate::Steps::Access,
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
            if origin == Origin::User && !function.is_static {
                let is_weak = function.symbol.is_weak;
                self.only_weak_functions
                    .entry(procedure)
                    .and_modify(|all| *all &= is_weak)
                    .or_insert(is_weak);
                // An implied declaration says nothing; that is warned of where it is called.
                if !function.is_implicit {
                    self.declarations.functions.push((procedure, function.ty, function.span));
                }
            }
            procedures.push(procedure);
        }
        let mut variables = IndexVec::new();
        for (id, variable) in unit.variables.iter_enumerated() {
            let linked = match variable.storage {
                Storage::Local | Storage::Parameter => None,
                Storage::Global | Storage::External | Storage::FileStatic | Storage::LocalStatic => {
                    Some(self.link_variable(variable, (index, id), &procedures, origin))
                }
            };
            variables.push(linked);
        }
        self.note_aliases(&unit, &procedures, &variables);
        self.note_flags(&unit);
        let bodies = unit.functions.iter().filter_map(|function| function.body.as_ref());
        self.has_label_addresses |= bodies.flat_map(|body| &body.labels).any(|label| label.address_taken);
        self.unmodelled.extend(unit.unmodelled.iter().cloned());
        self.units.push(LinkedUnit { unit, procedures, variables, strings: FxHashMap::default() });
        if origin == Origin::Model {
            self.initialize_statics(index);
        }
    }

    /// All of the user's units are there: checks that they agree, and computes the initial values of static variables.
    /// Says whether bodies can be lowered.
    pub fn complete(&mut self) -> bool {
        if !self.check_agreement() {
            return false;
        }
        self.check_aliases();
        let missing = self.variables.iter_enumerated().filter(|(_, variable)| variable.is_external);
        let symbols: Vec<(VariableId, Arc<str>)> = missing
            .filter_map(|(id, variable)| {
                let name = &variable.name;
                if Linker::is_linker_symbol(name) {
                    Some((id, Arc::from(format!("`{name}` is given by the linker"))))
                } else if variable.ty.qualifiers.is_volatile {
                    let why = "is volatile and defined in none of the files: it may change at any time";
                    Some((id, Arc::from(format!("`{name}` {why}"))))
                } else {
                    None
                }
            })
            .collect();
        self.unmodelled_variables.extend(symbols);
        for unit in 0..self.units.len() {
            self.initialize_statics(unit);
        }
        true
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
            let declared = &self.procedures[procedure];
            let is_exported = declared.is_static || self.units[unit].unit.functions[function].is_exported;
            if declared.origin == Origin::User && !is_exported {
                self.inline_only.push(procedure);
            }
            FunctionLowering::lower(self, unit, procedure, function, body);
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

    /// The function of that name, if it has a body.
    pub fn defined(&self, name: &str) -> Option<ProcedureId> {
        let named = self.external_procedures.get(name).copied();
        named.filter(|&id| self.procedures[id].body.is_some())
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

    /// Notes functions that are called and have no definition that a file exports: a linker may look for them in vain.
    pub fn note_inline_only(&mut self) {
        let mut called: FxHashSet<ProcedureId> = self.copied.iter().copied().collect();
        let users = self.procedures.iter().filter(|procedure| procedure.origin == Origin::User);
        for edge in users.filter_map(|procedure| procedure.body.as_ref()).flat_map(|body| &body.edges) {
            if let Action::Call { callee: Callee::Direct(id), .. } = &edge.action {
                called.insert(*id);
            }
        }
        let found = std::mem::take(&mut self.inline_only).into_iter().filter(|id| called.contains(id));
        let found: Vec<(Arc<str>, Span)> =
            found.map(|id| (self.procedures[id].name.clone(), self.procedures[id].span)).collect();
        for (name, span) in found {
            let message = format!(
                "`{name}` is only defined `inline`, and no file exports it: its body is taken; gcc without optimisation does not link this program"
            );
            self.assume(AssumptionKind::InlineOnly, &name, span, message);
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
            draws_arguments: false,
            labels: self.labels,
            constructors: in_order(self.constructors),
            // What was there last goes first.
            destructors: in_order(self.destructors).into_iter().rev().collect(),
            assumptions: self.assumptions,
            interleaving: None,
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

    fn link_variable(
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

    fn tell_defined_twice(&mut self, name: &str, span: Span, other: Span) {
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

    /// `alias("target")`, `weakref("target")`: which name means which other one. What other files define may still take
    /// precedence over a weak alias; [`resolve_names`](Self::resolve_names) has the last word.
    fn note_aliases(
        &mut self,
        unit: &tree::Unit,
        procedures: &IndexVec<tree::FunctionId, ProcedureId>,
        variables: &IndexVec<tree::VariableId, Option<VariableId>>,
    ) {
        for (id, function) in unit.functions.iter_enumerated() {
            let Some(target_name) = &function.symbol.alias else { continue };
            let own = unit.functions.iter_enumerated().find(|(_, f)| f.name == *target_name);
            let target = match own {
                Some((target, _)) => procedures[target],
                // Only `weakref` may name what other files define; another alias is gcc's error and stays without a
                // body.
                None if function.symbol.is_weakref => self.weakly_referred(target_name, function),
                None => continue,
            };
            let slot = procedures[id];
            let is_weak = function.symbol.is_weak && !function.symbol.is_weakref;
            if self.procedures[slot].origin == Origin::User && function.body.is_none() && is_weak {
                continue; // an ordinary definition has precedence
            }
            if self.procedures[slot].origin == Origin::User {
                let other = self.procedures[slot].span;
                self.tell_defined_twice(&function.name, function.span, other);
                continue;
            }
            self.function_aliases.insert(slot, Alias { target, is_weak, span: function.span });
        }
        for (id, variable) in unit.variables.iter_enumerated() {
            let Some(target_name) = &variable.symbol.alias else { continue };
            let Some(slot) = variables[id] else { continue };
            let is_static = |v: &tree::Variable| {
                matches!(v.storage, Storage::Global | Storage::External | Storage::FileStatic)
            };
            let own = unit.variables.iter_enumerated().find(|(_, v)| is_static(v) && v.name == *target_name);
            let target = own.and_then(|(target, _)| variables[target]);
            let Some(target) = target.or_else(|| self.external_variables.get(target_name).copied()) else {
                let why = format!("`{}` is an alias of `{target_name}`, which is not known", variable.name);
                self.unmodelled_variables.insert(slot, Arc::from(why));
                continue;
            };
            let is_weak = variable.symbol.is_weak && !variable.symbol.is_weakref;
            if let Some(earlier) = self.variable_definitions.get(&slot) {
                let (gives_way, span) = (earlier.gives_way, earlier.span);
                if is_weak {
                    continue;
                }
                if !gives_way {
                    self.tell_defined_twice(&variable.name, variable.span, span);
                    continue;
                }
            }
            self.variable_aliases.insert(slot, Alias { target, is_weak, span: variable.span });
        }
    }

    /// The external function that a `weakref` names: missing unless a file defines it.
    fn weakly_referred(&mut self, name: &Arc<str>, reference: &tree::Function) -> ProcedureId {
        if let Some(&known) = self.external_procedures.get(name) {
            return known;
        }
        let id = self.procedures.push(Procedure {
            name: name.clone(),
            ty: reference.ty,
            parameters: Vec::new(),
            locals: Vec::new(),
            body: None,
            origin: Origin::Nowhere,
            known: Known::by_name(name),
            is_static: false,
            is_noreturn: false,
            is_atomic: false,
            span: reference.span,
        });
        self.external_procedures.insert(name.clone(), id);
        self.only_weak_functions.insert(id, true);
        id
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

/// Constructors in the order in which they run: by priority, then as they were linked.
fn in_order(mut procedures: Vec<(u32, ProcedureId)>) -> Vec<ProcedureId> {
    procedures.sort_by_key(|&(priority, _)| priority);
    procedures.into_iter().map(|(_, procedure)| procedure).collect()
}
