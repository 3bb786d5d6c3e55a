//! Calls: direct, through pointers (resolved while solving), of functions with a built-in meaning, of missing ones.

use super::constraints::constant;
use super::objects::{ObjectId, ObjectKind};
use super::offsets::OffsetInObject;
use super::sets::{CallId, Rule, SetId};
use super::solve::Solver;
use crate::types::Type;
use crate::{Callee, EdgeId, Expr, ExprKind, Known, Place, ProcedureId};

/// A call through a pointer, or one that a library function makes.
#[derive(Debug)]
pub(super) struct Call {
    pub procedure: ProcedureId,
    pub edge: EdgeId,
    pub arguments: Vec<Argument>,
    pub result: Option<Place>,
    /// Gets the result of a call the library makes.
    pub result_set: Option<SetId>,
    /// As the library calls: with less than the arguments that the callee takes.
    pub is_by_library: bool,
}

/// An argument on its way into a parameter.
#[derive(Clone, Debug)]
pub(super) enum Argument {
    /// A scalar; `None` if it holds no pointer.
    Scalar(Option<SetId>),
    /// The address of a record, with its size.
    Record(SetId, Option<u64>),
}

impl<'a> Solver<'a> {
    pub fn call(
        &mut self,
        procedure: ProcedureId,
        edge: EdgeId,
        result: Option<&Place>,
        callee: &Callee,
        arguments: &[Expr],
    ) {
        match callee {
            Callee::Direct(callee) => {
                let target = &self.program.procedures[*callee];
                if target.is_native() {
                    let known = target.known.expect("native procedures have a known meaning");
                    self.known_call(procedure, edge, known, result, arguments);
                } else {
                    let arguments = self.arguments(arguments);
                    let call = self.new_call(procedure, edge, arguments, result);
                    self.link_call(call, *callee);
                }
            }
            Callee::Indirect(pointer) => {
                let pointer = self.value(pointer);
                let arguments = self.arguments(arguments);
                let call = self.new_call(procedure, edge, arguments, result);
                self.call_targets.entry((procedure, edge)).or_default();
                if let Some(pointer) = pointer {
                    self.sets.add_rule(pointer, Rule::Call(call));
                }
            }
        }
    }

    fn new_call(
        &mut self,
        procedure: ProcedureId,
        edge: EdgeId,
        arguments: Vec<Argument>,
        result: Option<&Place>,
    ) -> CallId {
        let result = result.cloned();
        self.calls.push(Call { procedure, edge, arguments, result, result_set: None, is_by_library: false })
    }

    fn arguments(&mut self, arguments: &[Expr]) -> Vec<Argument> {
        arguments.iter().map(|argument| self.argument(argument)).collect()
    }

    fn argument(&mut self, argument: &Expr) -> Argument {
        match &argument.kind {
            ExprKind::Load(place) if !self.program.types.is_scalar(argument.ty) => {
                Argument::Record(self.address(place), self.program.types.size_of(argument.ty))
            }
            _ => Argument::Scalar(self.value(argument)),
        }
    }

    /// A pointer that is called may point to this object.
    pub fn call_target(&mut self, call: CallId, object: ObjectId) {
        match self.objects[object].kind {
            ObjectKind::Procedure(procedure) => self.resolve(call, procedure),
            ObjectKind::Unknown => {
                // The outside may hand back any procedure it got hold of, or one of its own.
                if self.open_calls.contains(&call) {
                    return;
                }
                self.open_calls.push(call);
                for procedure in self.escaped_procedures.clone() {
                    self.resolve(call, procedure);
                }
                self.call_outside(call);
            }
            _ => {}
        }
    }

    fn resolve(&mut self, call: CallId, callee: ProcedureId) {
        if !self.may_be_called_with(call, callee) || self.linked.contains(&(call, callee)) {
            return;
        }
        let by_library = self.calls[call].is_by_library;
        if !by_library {
            let site = (self.calls[call].procedure, self.calls[call].edge);
            self.call_targets.entry(site).or_default().push(callee);
        }
        let target = &self.program.procedures[callee];
        if target.is_native() {
            self.linked.insert((call, callee));
            let allocates = matches!(
                target.known,
                Some(Known::Malloc | Known::Calloc | Known::Realloc | Known::AlignedAlloc | Known::Alloca)
            );
            if allocates && let Some(place) = self.calls[call].result.clone() {
                let fresh = self.allocation((self.calls[call].procedure, self.calls[call].edge));
                self.store(&place, fresh);
            }
            // A built-in through a pointer: for the rest it counts as missing.
            self.call_outside(call);
        } else {
            self.link_call(call, callee);
        }
    }

    /// Calling a procedure with a number or kind of arguments it does not take is undefined behaviour.
    fn may_be_called_with(&self, call: CallId, callee: ProcedureId) -> bool {
        let call = &self.calls[call];
        let Type::Function(function) = self.program.types.get(self.program.procedures[callee].ty) else {
            return true;
        };
        if !function.has_prototype || call.is_by_library {
            return true;
        }
        let (given, taken) = (call.arguments.len(), function.parameters.len());
        let count_fits = if function.is_variadic { given >= taken } else { given == taken };
        let kinds_fit = function.parameters.iter().zip(&call.arguments).all(|(&parameter, argument)| {
            self.program.types.is_scalar(parameter) == matches!(argument, Argument::Scalar(_))
        });
        count_fits && kinds_fit
    }

    /// Arguments go to parameters, the result comes back.
    fn link_call(&mut self, call: CallId, callee: ProcedureId) {
        if !self.linked.insert((call, callee)) {
            return;
        }
        let program = self.program;
        let target = &program.procedures[callee];
        if target.body.is_none() {
            self.call_outside(call);
            return;
        }
        for (index, argument) in self.calls[call].arguments.clone().into_iter().enumerate() {
            match target.parameters.get(index) {
                Some(&parameter) => {
                    let place = Place::variable(parameter, program.variables[parameter].ty);
                    match argument {
                        Argument::Scalar(None) => {}
                        Argument::Scalar(Some(value)) if program.types.is_scalar(place.ty.id) => {
                            self.store(&place, value);
                        }
                        Argument::Scalar(Some(_)) => {}
                        Argument::Record(from, size) => {
                            let to = self.address(&place);
                            self.copy_between(from, to, size);
                        }
                    }
                }
                None => self.pass_extra(argument),
            }
        }
        self.receive(call, callee);
    }

    fn pass_extra(&mut self, argument: Argument) {
        let extra = self.object(ObjectKind::ExtraArguments);
        let content = self.collapse(extra);
        match argument {
            Argument::Scalar(None) => {}
            Argument::Scalar(Some(value)) => self.sets.copy(value, content),
            Argument::Record(from, size) => {
                let to = self.sets.add();
                self.put(extra, OffsetInObject::Anywhere, to);
                self.copy_between(from, to, size);
            }
        }
    }

    fn receive(&mut self, call: CallId, callee: ProcedureId) {
        let types = &self.program.types;
        if let Some(set) = self.calls[call].result_set {
            let result = self.result(callee);
            self.sets.copy(result, set);
        }
        let Some(place) = self.calls[call].result.clone() else { return };
        if types.is_scalar(place.ty.id) {
            let result = self.result(callee);
            self.store(&place, result);
        } else {
            let from = self.result_record(callee);
            let to = self.address(&place);
            self.copy_between(from, to, types.size_of(place.ty.id));
        }
    }

    /// A function that is not shown: it gets hold of the arguments and may return anything it knows.
    fn call_outside(&mut self, call: CallId) {
        for argument in self.calls[call].arguments.clone() {
            match argument {
                Argument::Scalar(None) => {}
                Argument::Scalar(Some(value)) => self.sets.copy(value, self.outside),
                // A record by value: what is in it escapes, not the record.
                Argument::Record(from, size) => {
                    let to = self.sets.add();
                    let unknown = self.object(ObjectKind::Unknown);
                    self.put(unknown, OffsetInObject::Anywhere, to);
                    self.copy_between(from, to, size);
                }
            }
        }
        if let Some(place) = self.calls[call].result.clone() {
            self.fill_with_unknown(&place);
        }
    }

    /// The outside may call the procedure from now on.
    pub fn escape_procedure(&mut self, procedure: ProcedureId) {
        self.escaped_procedures.push(procedure);
        if self.program.procedures[procedure].body.is_some() {
            self.call_from_outside(procedure);
        }
        for call in self.open_calls.clone() {
            self.resolve(call, procedure);
        }
    }

    /// A library function calls what `function` points to, with these arguments.
    fn library_call(
        &mut self,
        site: (ProcedureId, EdgeId),
        function: Option<&Expr>,
        arguments: Vec<Option<SetId>>,
        result_set: Option<SetId>,
    ) {
        let Some(function) = function.and_then(|function| self.value(function)) else { return };
        let arguments = arguments.into_iter().map(Argument::Scalar).collect();
        let (procedure, edge) = site;
        let call = Call { procedure, edge, arguments, result: None, result_set, is_by_library: true };
        let call = self.calls.push(call);
        self.sets.add_rule(function, Rule::Call(call));
    }

    fn known_call(
        &mut self,
        procedure: ProcedureId,
        edge: EdgeId,
        known: Known,
        result: Option<&Place>,
        arguments: &[Expr],
    ) {
        let site = (procedure, edge);
        let value =
            |this: &mut Self, index: usize| arguments.get(index).and_then(|argument| this.value(argument));
        match known {
            Known::Malloc | Known::Calloc | Known::AlignedAlloc | Known::Alloca | Known::NewStream => {
                let fresh = self.allocation(site);
                self.give(result, Some(fresh));
            }
            Known::Realloc => {
                let fresh = self.allocation(site);
                if let Some(old) = value(self, 0) {
                    self.copy_between(old, fresh, None);
                    self.give(result, Some(old)); // it may stay where it is
                }
                self.give(result, Some(fresh));
            }
            Known::MemoryCopy | Known::MemoryMove => {
                let (to, from) = (value(self, 0), value(self, 1));
                if let (Some(to), Some(from)) = (to, from) {
                    let size = arguments.get(2).and_then(|size| constant(size, self.program));
                    self.copy_between(from, to, size.and_then(|size| u64::try_from(size).ok()));
                }
                self.give(result, to);
            }
            Known::MemorySet | Known::Fgets => {
                let first = value(self, 0);
                self.give(result, first);
            }
            Known::VaArg => {
                if let Some(place) = result {
                    let extra = self.object(ObjectKind::ExtraArguments);
                    let from = self.sets.add();
                    self.put(extra, OffsetInObject::Anywhere, from);
                    if self.program.types.is_scalar(place.ty.id) {
                        let content = self.collapse(extra);
                        self.store(place, content);
                    } else {
                        let to = self.address(place);
                        self.copy_between(from, to, self.program.types.size_of(place.ty.id));
                    }
                }
            }
            Known::ThreadCreate => {
                // More than one where `lower` makes the thread.
                let given = (3..arguments.len()).map(|number| value(self, number)).collect();
                let results = self.thread_results;
                self.library_call(site, arguments.get(2), given, Some(results));
            }
            Known::ThreadExit => {
                if let Some(ends_with) = value(self, 0) {
                    self.sets.copy(ends_with, self.thread_results);
                }
            }
            Known::ThreadJoin => {
                if let Some(at) = value(self, 1) {
                    let size = u64::from(self.program.types.pointer_width() / 8);
                    self.sets.add_rule(at, Rule::Store { size, from: self.thread_results });
                }
            }
            Known::OnceCall => self.library_call(site, arguments.get(1), Vec::new(), None),
            Known::AtExit => self.library_call(site, arguments.first(), Vec::new(), None),
            Known::KeyCreate => {
                let values = self.thread_values;
                self.library_call(site, arguments.get(1), vec![Some(values)], None);
            }
            Known::KeySet => {
                if let Some(kept) = value(self, 1) {
                    self.sets.copy(kept, self.thread_values);
                }
            }
            Known::KeyGet => {
                let values = self.thread_values;
                self.give(result, Some(values));
            }
            Known::Scanf | Known::Fscanf | Known::Sscanf => {
                // `%p` reads a pointer.
                for argument in arguments {
                    let into = self.program.types.pointee(argument.ty);
                    if into.is_some_and(|into| self.program.types.is_pointer(into.id))
                        && let Some(at) = self.value(argument)
                    {
                        let size = u64::from(self.program.types.pointer_width() / 8);
                        let from = self.unknown();
                        self.sets.add_rule(at, Rule::Store { size, from });
                    }
                }
            }
            // The rest neither keeps nor returns pointers into the program's memory.
            _ => {
                if let Some(place) = result
                    && self.program.types.is_pointer(place.ty.id)
                {
                    self.fill_with_unknown(place);
                }
            }
        }
    }

    fn allocation(&mut self, site: (ProcedureId, EdgeId)) -> SetId {
        let object = self.object(ObjectKind::Allocation(site.0, site.1));
        let set = self.sets.add();
        self.put(object, OffsetInObject::At(0), set);
        set
    }

    fn give(&mut self, result: Option<&Place>, value: Option<SetId>) {
        if let (Some(result), Some(value)) = (result, value) {
            self.store(result, value);
        }
    }
}
