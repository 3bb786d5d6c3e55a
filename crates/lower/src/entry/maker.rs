//! What a caller could pass: steps that give parameters and static variables any value, with an object of its own
//! behind each pointer.

use super::{EntryThreads, FunctionEntry, Globals};
use crate::function::FunctionLowering;
use base::Span;
use csource::types::{ArrayLength, Type, TypeId, TypeRef};
use program::{
    Action, AssumeReason, AssumptionKind, BinaryOp, Callee, Expr, ExprKind, HavocSource, InitialData,
    InitialValue, Place, ProcedureId, Projection, RecordKind, Variable, VariableId, VariableKind,
};
use std::sync::Arc;

/// Objects behind objects that are made for pointers; what is deeper is not known.
const MOST_DEPTH: u32 = 3;

/// Scalars of one object that are inputs with names of their own. A larger object has unknown contents too, but a run
/// that shows a violation finds zeros in it.
const MOST_SCALARS: u64 = 256;

/// Objects that are made in all.
const MOST_OBJECTS: usize = 64;

/// Makes the arguments and the objects behind them.
pub(super) struct Maker<'l, 'e> {
    pub(super) lowering: FunctionLowering<'l>,
    pub(super) entry: &'e FunctionEntry,
    pub(super) objects: Vec<VariableId>,
    pub(super) given: Vec<VariableId>,
    /// Are objects locals of the procedure, so that each thread has its own?
    pub(super) has_locals: bool,
}

/// A part of what is passed, for messages and names of inputs.
#[derive(Clone, Debug)]
struct Named {
    /// As C writes it: `p->next`, `a[3]`.
    text: String,
    /// The name of the parameter or of the variable.
    root: String,
    /// An identifier made of it.
    identifier: String,
    /// How many pointers lead to it.
    depth: u32,
    span: Span,
}

impl Named {
    fn root(name: &str, span: Span) -> Named {
        Named { text: name.to_owned(), root: name.to_owned(), identifier: name.to_owned(), depth: 0, span }
    }

    fn element(&self, index: u64) -> Named {
        let (text, identifier) = (format!("{}[{index}]", self.text), format!("{}_{index}", self.identifier));
        Named { text, identifier, ..self.clone() }
    }

    fn field(&self, name: Option<&str>) -> Named {
        let Some(name) = name else { return self.clone() };
        let text = match self.text.strip_prefix('*') {
            Some(pointer) => format!("{pointer}->{name}"),
            None => format!("{}.{name}", self.text),
        };
        Named { text, identifier: format!("{}_{name}", self.identifier), ..self.clone() }
    }

    /// What it points to: one thing, or several.
    fn pointee(&self, is_array: bool) -> Named {
        let text = if is_array { self.text.clone() } else { format!("*{}", self.text) };
        Named { text, depth: self.depth + 1, ..self.clone() }
    }
}

impl Maker<'_, '_> {
    pub(super) fn globals(&mut self, within_reach: &[VariableId]) {
        if self.entry.globals == Globals::Initialised {
            self.assume(
                "globals",
                Span::NOWHERE,
                "static variables hold what they are initialised with".to_owned(),
            );
            return;
        }
        let mut names = Vec::new();
        for &id in within_reach {
            let variable = &self.lowering.linker.variables[id];
            let (name, span, ty) = (variable.name.clone(), variable.span, variable.ty);
            let is_made_by_us = name.starts_with('.');
            if crate::finish::STREAMS.contains(&&*name)
                || self.lowering.linker.session.types.is_constant(ty)
                || is_made_by_us
            {
                continue;
            }
            names.push(format!("`{name}`"));
            self.given.push(id);
            let has_unnamed_parts = self.has_unnamed_parts(ty.id);
            let variable = &mut self.lowering.linker.variables[id];
            let initial = std::mem::take(&mut variable.initial);
            variable.is_external |= has_unnamed_parts;
            let place = Place::variable(id, TypeRef { id: ty.id, qualifiers: Default::default() });
            self.fill(place, &Named::root(&name, span), &initial, None);
        }
        if !names.is_empty() {
            let shown: Vec<&str> = names.iter().map(String::as_str).collect();
            let text = shown.join(", ");
            let message = format!(
                "static variables hold any value when it is called (`--globals initialised` has them as initialised): {text}"
            );
            self.assume("globals", Span::NOWHERE, message);
        }
    }

    pub(super) fn arguments(&mut self, function: ProcedureId) -> Vec<Expr> {
        let parameters = self.lowering.linker.procedures[function].parameters.clone();
        let mut arguments = Vec::new();
        for (at, parameter) in parameters.into_iter().enumerate() {
            let declared = &self.lowering.linker.variables[parameter];
            let (ty, span) = (declared.ty.id, declared.span);
            let name = match declared.name.starts_with('.') {
                true => format!("argument_{}", at + 1),
                false => declared.name.to_string(),
            };
            let elements = self.lowering.linker.parameter_elements.get(&parameter).copied();
            let argument = self.lowering.local(&name, ty, span);
            let place = Place::variable(argument, ty);
            self.fill(place.clone(), &Named::root(&name, span), &[], elements);
            let argument = Expr::load(place);
            if self.lowering.linker.never_null.contains(&parameter)
                && self.lowering.linker.session.types.is_pointer(ty)
            {
                self.never_null(argument.clone(), &name, span);
            }
            arguments.push(argument);
        }
        arguments
    }

    /// Its declaration says so: an attribute, or `[static n]`.
    fn never_null(&mut self, argument: Expr, name: &str, span: Span) {
        let int = self.lowering.linker.session.types.int();
        let null = Expr::integer(0, argument.ty, &self.lowering.linker.session.types);
        let kind = ExprKind::Binary(BinaryOp::NotEqual, Box::new(argument), Box::new(null));
        let condition = Expr { kind, ty: int };
        let action = Action::Assume { condition, expected: true, reason: AssumeReason::User };
        self.lowering.emit(action, span);
        self.assume(
            &format!("{name} is never null"),
            span,
            format!("`{name}` is not null, as its declaration says"),
        );
    }

    pub(super) fn call(&mut self, function: ProcedureId, arguments: Vec<Expr>, span: Span) {
        let result = self.lowering.linker.result_type(function);
        let is_void = self.lowering.linker.session.types.get(result) == &Type::Void;
        let result = (!is_void).then(|| {
            let temporary = self.lowering.temporary(result, span);
            self.lowering.place_of(temporary)
        });
        self.lowering.emit(Action::Call { result, callee: Callee::Direct(function), arguments }, span);
        let result = self.lowering.result_type();
        let zero = Expr::integer(0, result, &self.lowering.linker.session.types);
        let exit = self.lowering.graph.exit;
        self.lowering.emit_to(exit, Action::Return { value: Some(zero) }, span);
    }

    /// Creates threads, and lets them run on.
    pub(super) fn create(&mut self, start: ProcedureId, threads: EntryThreads, span: Span) {
        match threads {
            EntryThreads::Exactly(number) => {
                for _ in 0..number {
                    self.lowering.create_thread(start, Vec::new(), span);
                }
            }
            EntryThreads::Unbounded => {
                let head = self.lowering.graph.add_node(span);
                self.lowering.graph.nodes[head].is_loop_head = true;
                self.lowering.emit_to(head, Action::Skip, span);
                self.lowering.current = head;
                let bool_type = self.lowering.linker.session.types.bool();
                let source = HavocSource::Input(Arc::from("another thread starts"));
                let more = self.lowering.unknown_value(bool_type, source, span);
                let (yes, no) = (self.lowering.graph.add_node(span), self.lowering.graph.add_node(span));
                self.lowering.branch_on(more, yes, no, span);
                self.lowering.current = yes;
                self.lowering.create_thread(start, Vec::new(), span);
                self.lowering.emit_to(head, Action::Skip, span);
                self.lowering.current = no;
            }
        }
        let types = &mut self.lowering.linker.session.types;
        let void = types.void();
        let pointer = types.pointer(void);
        let null = Expr::integer(0, pointer, &self.lowering.linker.session.types);
        self.lowering.call_known("__concord_thread_exit", vec![null], None, span);
    }

    /// Gives a place any value of its type. `initial` is what the variable was initialised with, `elements` what the
    /// declaration says of the object a pointer points to.
    fn fill(&mut self, place: Place, named: &Named, initial: &[InitialValue], elements: Option<u64>) {
        let types = &self.lowering.linker.session.types;
        let ty = place.ty.id;
        match types.get(ty).clone() {
            Type::Pointer(to) => {
                let own = initial.iter().rev().find(|initial| initial.place.path == place.path);
                let own = own.and_then(|initial| match &initial.value {
                    InitialData::Value(value) if value.as_integer() != Some(0) => Some(value.clone()),
                    _ => None,
                });
                self.pointer(place, to, named, own, elements);
            }
            Type::Array(element, ArrayLength::Known(length)) if self.scalars(ty).is_some() => {
                for index in 0..length {
                    let mut part = place.clone();
                    part.path.push(Projection::Index(Box::new(self.lowering.size_constant(index))));
                    part.ty = element.id.into();
                    self.fill(part, &named.element(index), initial, None);
                }
            }
            Type::Record(id)
                if types.records[id].kind == RecordKind::Struct && self.scalars(ty).is_some() =>
            {
                let fields = types.records[id].fields.clone().unwrap_or_default();
                for (index, field) in fields.iter().enumerate() {
                    if field.bit_width.is_some() && field.name.is_none() {
                        continue;
                    }
                    let mut part = place.clone();
                    part.path.push(Projection::Field(id, index as u32));
                    part.ty = field.ty.id.into();
                    if field.bit_width.is_some() {
                        let value = self.any(field.ty.id, &named.field(field.name.as_deref()));
                        self.lowering.emit(Action::Assign { target: part, value }, named.span);
                        continue;
                    }
                    self.fill(part, &named.field(field.name.as_deref()), initial, None);
                }
            }
            _ if types.is_scalar(ty) => {
                let source = HavocSource::Input(Arc::from(named.text.as_str()));
                self.lowering.emit(Action::Havoc { target: place, source }, named.span);
            }
            // A local of such a type has unknown contents only if they are written: the bytes are inputs without names.
            _ if place
                .as_variable()
                .is_some_and(|id| self.lowering.linker.variables[id].kind == VariableKind::Local) =>
            {
                let source = HavocSource::Input(Arc::from(named.text.as_str()));
                self.lowering.emit(Action::Havoc { target: place, source }, named.span);
                self.unknown_pointers_in(ty, named);
            }
            // What has no names for its parts starts with unknown contents (`has_unnamed_parts`).
            _ => {}
        }
    }

    /// Pointers in what has no names for its parts, such as unions, have values that lead nowhere.
    fn unknown_pointers_in(&mut self, ty: TypeId, named: &Named) {
        if self.has_pointers(ty) {
            let message = format!(
                "pointers in `{}` are null or have unknown values: an answer that needs what they point to stays open",
                named.text
            );
            self.lowering.linker.assume(AssumptionKind::UnknownPointer, &named.text, named.span, message);
        }
    }

    fn has_pointers(&self, ty: TypeId) -> bool {
        let types = &self.lowering.linker.session.types;
        match types.get(ty) {
            Type::Pointer(_) => true,
            Type::Array(element, _) => self.has_pointers(element.id),
            Type::Record(id) => {
                types.records[*id].fields.iter().flatten().any(|field| self.has_pointers(field.ty.id))
            }
            _ => false,
        }
    }

    fn any(&mut self, ty: TypeId, named: &Named) -> Expr {
        self.lowering.unknown_value(ty, HavocSource::Input(Arc::from(named.text.as_str())), named.span)
    }

    /// Null, or the address of an object of its own, or what the variable is initialised with.
    fn pointer(
        &mut self,
        place: Place,
        to: TypeRef,
        named: &Named,
        own: Option<Expr>,
        elements: Option<u64>,
    ) {
        let ty = place.ty.id;
        let span = named.span;
        let null = Expr::integer(0, ty, &self.lowering.linker.session.types);
        let mut others: Vec<(String, Expr)> = Vec::new();
        if let Some(own) = own {
            let own = crate::fold::cast(own, ty, &self.lowering.linker.session.types);
            others.push((format!("{} is as initialised", named.text), own));
        }
        let target = self.target(to, named, elements);
        let Some((address, fillings)) = target else {
            // Null is one of its values; what else it points to is not known.
            if let Some((name, value)) = others.pop() {
                let joined = self.choose(&place, &name, value, span);
                let source = HavocSource::Input(Arc::from(named.text.as_str()));
                self.lowering.emit_to(joined, Action::Havoc { target: place, source }, span);
                self.lowering.current = joined;
            } else {
                let source = HavocSource::Input(Arc::from(named.text.as_str()));
                self.lowering.emit(Action::Havoc { target: place, source }, span);
            }
            let message = format!(
                "`{}` is null or has an unknown value: an answer that needs what it points to stays open",
                named.text
            );
            self.lowering.linker.assume(AssumptionKind::UnknownPointer, &named.text, span, message);
            return;
        };
        let address = crate::fold::cast(address, ty, &self.lowering.linker.session.types);
        others.push((format!("{} is not null", named.text), address));
        let mut joined = None;
        for (name, value) in others {
            let end = self.choose(&place, &name, value, span);
            // All ways meet at the first one's end.
            match joined {
                None => joined = Some(end),
                Some(first) => self.redirect(end, first),
            }
        }
        let joined = joined.expect("there is a way to an object");
        self.lowering.emit_to(joined, Action::Assign { target: place, value: null }, span);
        self.lowering.current = joined;
        // The contents are there whether something points to the object or not.
        for (part, named) in fillings {
            self.fill(part, &named, &[], None);
        }
    }

    /// If the input is 1, the place gets the value, and control is at the node that is returned; else it goes on at the
    /// current node.
    fn choose(&mut self, place: &Place, name: &str, value: Expr, span: Span) -> program::NodeId {
        let bool_type = self.lowering.linker.session.types.bool();
        let chosen = self.lowering.unknown_value(bool_type, HavocSource::Input(Arc::from(name)), span);
        let (yes, no) = (self.lowering.graph.add_node(span), self.lowering.graph.add_node(span));
        let reason = AssumeReason::Branch;
        self.lowering.emit_to(
            yes,
            Action::Assume { condition: chosen.clone(), expected: true, reason },
            span,
        );
        self.lowering.emit_to(no, Action::Assume { condition: chosen, expected: false, reason }, span);
        self.lowering.current = yes;
        self.lowering.emit(Action::Assign { target: place.clone(), value }, span);
        std::mem::replace(&mut self.lowering.current, no)
    }

    fn redirect(&mut self, from: program::NodeId, to: program::NodeId) {
        let span = self.lowering.graph.nodes[from].span;
        self.lowering.graph.add_edge(from, to, Action::Skip, span);
    }

    /// What a pointer may point to: an address, and the places that get values.
    fn target(
        &mut self,
        to: TypeRef,
        named: &Named,
        elements: Option<u64>,
    ) -> Option<(Expr, Vec<(Place, Named)>)> {
        let span = named.span;
        if let Type::Function(_) = self.lowering.linker.session.types.get(to.id) {
            let procedure = self.lowering.linker.outside_function(&named.text, to.id, span);
            let message =
                format!("`{}` is null or points to a function that the program does not define", named.text);
            self.assume(&named.text, span, message);
            let ty = self.lowering.linker.session.types.pointer(to.id);
            return Some((Expr { kind: ExprKind::FunctionAddress(procedure), ty }, Vec::new()));
        }
        let is_void = self.lowering.linker.session.types.get(to.id) == &Type::Void;
        let types = &mut self.lowering.linker.session.types;
        let element = if is_void { types.integer(program::IntegerKind::UnsignedChar) } else { to.id };
        let is_opaque = types.record_id(element).is_some_and(|id| {
            let record = &types.records[id];
            record.is_va_list || record.tag.as_deref().is_some_and(|tag| tag == "_IO_FILE")
        });
        if named.depth >= MOST_DEPTH
            || self.objects.len() >= MOST_OBJECTS
            || is_opaque
            || types.size_of(element).is_none_or(|size| size == 0)
        {
            return None;
        }
        let sizes = &self.entry.sizes;
        let asked = sizes.named.iter().find(|(name, _)| *name == named.root && named.depth == 0);
        let count = asked.map(|(_, count)| *count).or(elements).or(sizes.every).unwrap_or(1);
        let ty = match count {
            1 => element,
            _ => types.array(element, ArrayLength::Known(count)),
        };
        let is_external = self.has_unnamed_parts(ty);
        let identifier = format!("{}_object", named.identifier);
        let has_locals = self.has_locals;
        let object = if has_locals {
            let object = self.lowering.local(&identifier, ty, span);
            self.lowering.linker.variables[object].in_memory = true;
            if is_external {
                let source = HavocSource::Input(Arc::from(named.text.as_str()));
                self.lowering.emit(Action::Havoc { target: Place::variable(object, ty), source }, span);
                self.unknown_pointers_in(ty, named);
            }
            object
        } else {
            self.lowering.linker.variables.push(Variable {
                name: Arc::from(identifier.as_str()),
                ty: ty.into(),
                kind: VariableKind::Global,
                procedure: None,
                in_memory: true,
                is_file_local: false,
                is_thread_local: false,
                alignment: None,
                extra_bytes: 0,
                is_external,
                initial: Vec::new(),
                span,
            })
        };
        self.objects.push(object);
        if !has_locals {
            self.given.push(object);
        }
        if named.depth == 0 {
            let what = self.lowering.linker.session.types.show(element);
            let size = match (is_void, count) {
                (true, 1) => "1 byte".to_owned(),
                (true, count) => format!("{count} bytes"),
                (false, 1) => format!("one `{what}`"),
                (false, count) => format!("{count} elements of `{what}`"),
            };
            let message = format!(
                "`{}` is null or points to {size} of its own, which nothing else points to",
                named.text
            );
            self.assume(&named.text, span, message);
        }
        let types = &mut self.lowering.linker.session.types;
        let whole = Place::variable(object, ty);
        let pointer = types.pointer(element);
        let first = if count == 1 {
            whole.clone()
        } else {
            let mut first = whole.clone();
            first.path.push(Projection::Index(Box::new(self.lowering.size_constant(0))));
            first.ty = element.into();
            first
        };
        let address = Expr { kind: ExprKind::AddressOf(Box::new(first)), ty: pointer };
        Some((address, vec![(whole, named.pointee(count != 1))]))
    }

    fn assume(&mut self, subject: &str, span: Span, message: String) {
        self.lowering.linker.assume(AssumptionKind::Entry, subject, span, message);
    }

    /// Its scalars, if each can be named and there are not too many.
    fn scalars(&self, ty: TypeId) -> Option<u64> {
        let types = &self.lowering.linker.session.types;
        let count = match types.get(ty) {
            Type::Array(element, ArrayLength::Known(length)) => {
                length.checked_mul(self.scalars(element.id)?)?
            }
            Type::Record(id) if types.records[*id].kind == RecordKind::Struct => {
                let mut sum: u64 = 0;
                for field in types.records[*id].fields.as_ref()? {
                    // An array of unknown length at the end has no elements here.
                    let is_flexible = matches!(types.get(field.ty.id), Type::Array(_, ArrayLength::Unknown));
                    sum = sum.checked_add(if is_flexible {
                        0
                    } else {
                        self.scalars(field.ty.id).unwrap_or(0)
                    })?;
                }
                sum
            }
            _ if types.is_scalar(ty) => 1,
            _ => return None,
        };
        (count <= MOST_SCALARS).then_some(count)
    }

    /// Are there bytes that no input with a name gives a value: padding, unions, parts of what is too large?
    fn has_unnamed_parts(&self, ty: TypeId) -> bool {
        let types = &self.lowering.linker.session.types;
        match types.get(ty) {
            Type::Array(element, ArrayLength::Known(_)) => {
                self.scalars(ty).is_none() || self.has_unnamed_parts(element.id)
            }
            Type::Record(id) => {
                let record = &types.records[*id];
                let fields = record.fields.as_deref().unwrap_or_default();
                let mut bytes = 0;
                for field in fields {
                    if field.bit_width.is_some() || self.has_unnamed_parts(field.ty.id) {
                        return true;
                    }
                    bytes += types.size_of(field.ty.id).unwrap_or(0);
                }
                record.kind != RecordKind::Struct
                    || self.scalars(ty).is_none()
                    || types.size_of(ty) != Some(bytes)
            }
            // Ten of sixteen bytes count.
            Type::Float(program::FloatKind::LongDouble) => true,
            _ => !types.is_scalar(ty),
        }
    }
}
