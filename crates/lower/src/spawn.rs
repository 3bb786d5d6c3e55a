//! `__CPROVER_ASYNC_n: S`: a thread that runs `S` on a copy of its creator's locals, created whenever control passes
//! the label. `S` becomes a procedure whose parameters are those locals, and the label a call that creates a thread
//! with it.
//!
//! Locals are copied by value. One whose address is taken somewhere, an array or a record, is not: which of the two a
//! pointer means would be open. Nor can `S` be left by a jump or a `return`. Reaching such a label leaves the answer
//! open.

use crate::function::FunctionLowering;
use base::{IndexVec, Span};
use csource::tree::Statement;
use csource::types::{FunctionType, Type};
use program::expr::ExprPart;
use program::{
    Action, Callee, Expr, ExprKind, Place, PlaceBase, Procedure, ProcedureId, VariableId, VariableKind,
};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Labels that begin so are threads to CBMC and SATABS.
pub const PREFIX: &str = "__CPROVER_ASYNC_";

impl FunctionLowering<'_> {
    /// The statement behind such a label.
    pub fn spawn(&mut self, body: &Statement, span: Span) {
        if !self.length_arrays.is_empty() || !self.lengths.is_empty() {
            self.unsupported("a thread beside an array of run-time length", span);
            return self.statement(body);
        }
        let (start, copied) = self.outlined(body, span);
        let is_by_value = |&id: &VariableId| {
            let variable = &self.linker.variables[id];
            let types = &self.linker.session.types;
            let is_word = types.is_pointer(variable.ty.id) || types.integer_shape(variable.ty.id).is_some();
            !variable.in_memory && is_word
        };
        if let Some(&id) = copied.iter().find(|id| !is_by_value(id)) {
            let name = self.linker.variables[id].name.clone();
            self.unsupported(
                &format!("a thread that uses `{name}` of its creator, which is in memory"),
                span,
            );
        }
        let values = copied.iter().map(|&id| self.value_of(id)).collect();
        self.create_thread(start, values, span);
    }

    /// Creates a thread that runs a procedure with these arguments behind the usual one, which is null.
    pub fn create_thread(&mut self, start: ProcedureId, values: Vec<Expr>, span: Span) {
        let types = &mut self.linker.session.types;
        let void = types.void();
        let pointer = types.pointer(void);
        let routine = types.pointer(self.linker.procedures[start].ty);
        let types = &mut self.linker.session.types;
        let int = types.int();
        let ty = types.intern(Type::Function(FunctionType {
            result: int.into(),
            parameters: [pointer, pointer, routine, pointer].map(Into::into).to_vec(),
            is_variadic: true,
            has_prototype: true,
        }));
        let null = Expr::integer(0, pointer, &self.linker.session.types);
        let start = Expr { kind: ExprKind::FunctionAddress(start), ty: routine };
        let mut arguments = vec![null.clone(), null.clone(), start, null];
        arguments.extend(values);
        let create = self.linker.intrinsic("__concord_thread_create", ty);
        self.emit(Action::Call { result: None, callee: Callee::Direct(create), arguments }, span);
    }

    /// A procedure that a thread starts with: one parameter that nobody uses, and a null result.
    pub fn thread_procedure(&mut self, name: String, span: Span) -> ProcedureId {
        let types = &mut self.linker.session.types;
        let void = types.void();
        let pointer = types.pointer(void);
        let ty = types.intern(Type::Function(FunctionType {
            result: pointer.into(),
            parameters: vec![pointer],
            is_variadic: false,
            has_prototype: true,
        }));
        let id = self.linker.procedures.push(Procedure {
            name: Arc::from(name),
            ty,
            parameters: Vec::new(),
            locals: Vec::new(),
            body: None,
            origin: self.linker.procedures[self.procedure].origin,
            known: None,
            is_static: true,
            is_noreturn: false,
            is_atomic: false,
            span,
        });
        let mut within = FunctionLowering::new(self.linker, self.unit, id);
        let unused = within.local("argument", pointer, span);
        self.linker.variables[unused].kind = VariableKind::Parameter;
        self.linker.procedures[id].parameters.push(unused);
        id
    }

    /// The statement as a procedure, and the locals that it is given copies of.
    fn outlined(&mut self, body: &Statement, span: Span) -> (ProcedureId, Vec<VariableId>) {
        let creator = self.procedure;
        let name = format!("{}_async", self.linker.procedures[creator].name);
        let id = self.thread_procedure(name, span);
        let own: Vec<_> = self.linker.units[self.unit]
            .variables
            .iter_enumerated()
            .filter_map(|(written, known)| Some((written, (*known)?)))
            .filter(|(_, known)| self.linker.variables[*known].procedure == Some(creator))
            .collect();
        let mut copies = Vec::new();
        for (written, known) in own {
            let mut copy = self.linker.variables[known].clone();
            (copy.kind, copy.procedure) = (VariableKind::Parameter, Some(id));
            let copy = self.linker.variables.push(copy);
            self.linker.units[self.unit].variables[written] = Some(copy);
            copies.push((written, known, copy));
        }
        let (label_names, address_labels) = (self.label_names.clone(), self.address_labels.clone());
        let mut within = FunctionLowering::new(self.linker, self.unit, id);
        (within.label_names, within.address_labels) = (label_names, address_labels);
        within.is_apart = true;
        within.statement(body);
        let pointer = within.result_type();
        let null = Expr::integer(0, pointer, &within.linker.session.types);
        within.emit_to(within.graph.exit, Action::Return { value: Some(null) }, span);
        within.resolve_jumps(&IndexVec::new());
        let loses_case = within.loses_case;
        within.finish_body();
        if loses_case {
            let why = "a `case` inside what a `__CPROVER_ASYNC_` label makes a thread of";
            self.linker.unmodelled.push((Arc::from(why), span));
        }
        for &(written, known, _) in &copies {
            self.linker.units[self.unit].variables[written] = Some(known);
        }
        let mut used = FxHashSet::default();
        for edge in self.linker.procedures[id].body.iter().flat_map(|body| &body.edges) {
            edge.action.visit(&mut |part| {
                if let ExprPart::Place(Place { base: PlaceBase::Variable(variable), .. }, _) = part {
                    used.insert(*variable);
                }
            });
        }
        copies.retain(|(.., copy)| used.contains(copy));
        self.linker.procedures[id].parameters.extend(copies.iter().map(|(.., copy)| *copy));
        (id, copies.into_iter().map(|(_, known, _)| known).collect())
    }
}
