//! Units become one program: names with external linkage meet, the rest stays apart.

mod aliases;
mod definitions;

pub(crate) use aliases::Alias;
pub(crate) use definitions::VariableDefinition;

use crate::agree::Declarations;
use crate::function::FunctionLowering;
use base::{IndexVec, Span};
use csource::Session;
use csource::tree::{self, Storage};
use program::{
    Action, Assumption, AssumptionKind, Callee, Known, Origin, Procedure, ProcedureId, Program, Type, TypeId,
    Variable, VariableId,
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
