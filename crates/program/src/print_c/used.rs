//! What is worth printing: everything a run can need. Headers declare thousands of things that no run touches.

use crate::expr::ExprPart;
use crate::types::{RecordId, Type, TypeId};
use crate::{
    Action, AssumeReason, Callee, ExprKind, HavocSource, InitialData, Known, Origin, Place, PlaceBase,
    ProcedureId, Program, Projection, VariableId, Word,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Model procedures whose name starts so are Concord's own: no library has them, so their bodies are printed.
const OWN_PREFIX: &str = "__concord_";

#[derive(Default)]
pub(super) struct Used {
    pub procedures: FxHashSet<ProcedureId>,
    pub variables: FxHashSet<VariableId>,
    types: FxHashSet<TypeId>,
    /// In the order they must be defined in.
    pub records: Vec<RecordId>,
    /// Vector types, in the order found.
    pub vectors: Vec<TypeId>,
    /// Inputs that no procedure of the program declares, with the type they are used at.
    pub inputs: BTreeMap<Arc<str>, TypeId>,
    pub has_user_assumption: bool,
    pub has_memory_input: bool,
    bodies: FxHashSet<ProcedureId>,
}

impl Used {
    pub fn of(program: &Program) -> Used {
        let mut search = Search {
            program,
            used: Used::default(),
            pending: Vec::new(),
            by_name: FxHashMap::default(),
            seen_records: FxHashSet::default(),
        };
        for (id, procedure) in program.procedures.iter_enumerated() {
            search.by_name.entry(procedure.name.clone()).or_insert(id);
            // A definition that others can see may replace one of the library's, called or not.
            if procedure.origin == Origin::User && procedure.body.is_some() && !procedure.is_static {
                search.procedure(id);
            }
        }
        let runs_by_itself = program.main.iter().chain(&program.constructors).chain(&program.destructors);
        runs_by_itself.for_each(|&id| search.procedure(id));
        while let Some(id) = search.pending.pop() {
            search.body(id);
        }
        search.used.order_records(program);
        search.used
    }

    /// Is its body printed (or is it left to the library)?
    pub fn prints_body(&self, id: ProcedureId) -> bool {
        self.bodies.contains(&id)
    }

    fn order_records(&mut self, program: &Program) {
        let mut done = FxHashSet::default();
        let mut order = Vec::with_capacity(self.records.len());
        let mut sorted = std::mem::take(&mut self.records);
        sorted.sort_unstable();
        for record in sorted {
            visit_record(program, record, &mut done, &mut order);
        }
        self.records = order;
        self.vectors.sort_unstable();
    }
}

/// Members by value come first.
fn visit_record(program: &Program, id: RecordId, done: &mut FxHashSet<RecordId>, order: &mut Vec<RecordId>) {
    if !done.insert(id) {
        return;
    }
    for field in program.types.records[id].fields.iter().flatten() {
        let mut ty = field.ty.id;
        while let Type::Array(element, _) = program.types.get(ty) {
            ty = element.id;
        }
        if let Type::Record(inner) = program.types.get(ty) {
            visit_record(program, *inner, done, order);
        }
    }
    order.push(id);
}

struct Search<'a> {
    program: &'a Program,
    used: Used,
    pending: Vec<ProcedureId>,
    by_name: FxHashMap<Arc<str>, ProcedureId>,
    seen_records: FxHashSet<RecordId>,
}

impl<'a> Search<'a> {
    fn procedure(&mut self, id: ProcedureId) {
        if !self.used.procedures.insert(id) {
            return;
        }
        let procedure = &self.program.procedures[id];
        self.ty(procedure.ty);
        let is_own = match procedure.origin {
            Origin::User => true,
            Origin::Model => procedure.name.starts_with(OWN_PREFIX),
            Origin::Nowhere => false,
        };
        if is_own && procedure.body.is_some() {
            self.used.bodies.insert(id);
            self.pending.push(id);
        }
    }

    fn body(&mut self, id: ProcedureId) {
        let program = self.program;
        let procedure = &program.procedures[id];
        procedure.parameters.iter().for_each(|&parameter| self.variable(parameter));
        let body = procedure.body.as_ref().expect("pending procedures have a body");
        for edge in &body.edges {
            edge.action.visit(&mut |part| self.part(part));
            match &edge.action {
                Action::Call { callee: Callee::Direct(callee), .. } => {
                    let callee = *callee;
                    match program.procedures[callee].known {
                        // Printed as the compiler's own builtins.
                        Some(Known::VaStart | Known::VaArg | Known::VaEnd | Known::VaCopy) => {}
                        Some(
                            Known::Alloca
                            | Known::Unreachable
                            | Known::Trap
                            | Known::Word(
                                Word::Need | Word::NeedNoOverflow | Word::NeedArgument | Word::Unknown,
                            ),
                        ) if program.procedures[callee].origin != Origin::User => {}
                        _ => self.procedure(callee),
                    }
                }
                Action::Assume { reason: AssumeReason::User, .. } => self.used.has_user_assumption = true,
                Action::Havoc { target, source: HavocSource::Input(name) } => self.input(name, target),
                _ => {}
            }
        }
    }

    fn input(&mut self, name: &Arc<str>, target: &Place) {
        if !self.program.types.is_scalar(target.ty.id) {
            self.used.has_memory_input = true;
        } else if let Some(&known) = self.by_name.get(name) {
            self.procedure(known);
        } else {
            self.used.inputs.entry(name.clone()).or_insert(target.ty.id);
        }
    }

    fn part(&mut self, part: ExprPart<'a>) {
        match part {
            ExprPart::Expr(expr) => {
                self.ty(expr.ty);
                if let ExprKind::FunctionAddress(id) = expr.kind {
                    self.procedure(id);
                }
            }
            ExprPart::Place(place, _) => {
                self.ty(place.ty.id);
                if let PlaceBase::Variable(id) = place.base {
                    self.variable(id);
                }
                for step in &place.path {
                    if let Projection::Field(record, _) = step {
                        self.record(*record);
                    }
                }
            }
        }
    }

    fn variable(&mut self, id: VariableId) {
        if !self.used.variables.insert(id) {
            return;
        }
        let program = self.program;
        let variable = &program.variables[id];
        self.ty(variable.ty.id);
        for initial in &variable.initial {
            self.part(ExprPart::Place(&initial.place, crate::expr::Access::Write));
            if let InitialData::Value(value) = &initial.value {
                value.visit(&mut |part| self.part(part));
            }
        }
    }

    fn ty(&mut self, id: TypeId) {
        if !self.used.types.insert(id) {
            return;
        }
        match self.program.types.get(id) {
            Type::Pointer(to) | Type::Array(to, _) => self.ty(to.id),
            Type::Function(function) => {
                self.ty(function.result.id);
                function.parameters.iter().for_each(|&parameter| self.ty(parameter));
            }
            Type::Record(record) => self.record(*record),
            Type::Vector(element, _) => {
                self.used.vectors.push(id);
                self.ty(*element);
            }
            Type::Enum(id) => self.ty(self.program.types.enums[*id].underlying),
            Type::Void | Type::Bool | Type::Integer(_) | Type::Float(_) | Type::Complex(_) | Type::Error => {}
        }
    }

    fn record(&mut self, id: RecordId) {
        if !self.seen_records.insert(id) {
            return;
        }
        self.used.records.push(id);
        for field in self.program.types.records[id].fields.iter().flatten() {
            self.ty(field.ty.id);
        }
    }
}
