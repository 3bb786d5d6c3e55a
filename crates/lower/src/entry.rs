//! A function as the entry: a procedure is made that calls it with any arguments, so that every engine sees an ordinary
//! program.
//!
//! What a caller could pass is supposed to be as follows, and each supposition is recorded as an assumption with its
//! place: numbers have any value; a pointer is null or points to an object of its own, which nothing else points to,
//! with as many elements as the user or the declaration says (one otherwise) and any contents; pointers inside objects
//! likewise, down to [`MOST_DEPTH`]; a pointer to a function is null or points to a function that the program does not
//! define. What cannot be made (deeper objects, incomplete types, streams) is a pointer with an unknown value: an
//! answer that needs what it points to stays open.
//! Static variables that the function can get at have any value in the same sense, or the one they are initialised
//! with.
//!
//! With threads, the procedure sets the static variables and creates threads, each of which calls the function with
//! arguments of its own: so many, or in a loop that goes on as long as an input says. Then it ends as `pthread_exit` does.

use crate::function::FunctionLowering;
use crate::link::Linker;
use base::{Diagnostic, Span};
use csource::types::{ArrayLength, FunctionType, Type, TypeId, TypeRef};
use program::expr::Part;
use program::{
    Action, AssumeReason, AssumptionKind, BinaryOp, Callee, Expr, ExprKind, HavocSource, InitialData,
    InitialValue, Origin, Place, PlaceBase, Procedure, ProcedureId, Projection, RecordKind, Variable,
    VariableId, VariableKind,
};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Where runs start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Entry {
    /// `main`, if there is one.
    #[default]
    Main,
    /// `main`, which begins by drawing its arguments.
    Arguments(crate::Arguments),
    /// A call of this function with any arguments.
    Function(FunctionEntry),
}

/// A function as the entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionEntry {
    /// The function that runs start with.
    pub name: String,
    /// How many elements pointers point to.
    pub sizes: ObjectSizes,
    /// What static variables hold at the start.
    pub globals: Globals,
    /// How many threads call it at the same time; a plain call where this is not said.
    pub threads: Option<EntryThreads>,
}

/// Threads that call the function that is the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryThreads {
    /// So many.
    Exactly(u32),
    /// Any number.
    Unbounded,
}

/// How many elements (bytes, for `void`) the objects have that pointers from outside point to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectSizes {
    /// For every pointer that is not named.
    pub every: Option<u64>,
    /// By the name of the parameter or of the global variable.
    pub named: Vec<(String, u64)>,
}

/// What static variables hold when a function that is the entry is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Globals {
    /// Any value; constants what they are initialised with.
    #[default]
    Any,
    /// What they are initialised with.
    Initialised,
}

/// Objects behind objects that are made for pointers; what is deeper is not known.
const MOST_DEPTH: u32 = 3;
/// Scalars of one object that are inputs with names of their own. A larger object has unknown contents too, but a run
/// that shows a violation finds zeros in it.
const MOST_SCALARS: u64 = 256;
/// Objects that are made in all.
const MOST_OBJECTS: usize = 64;

/// Adds the procedure that calls the function. Without such a function an error says which there are.
pub fn add(linker: &mut Linker, entry: &FunctionEntry) -> Option<(ProcedureId, program::Entry)> {
    let function = chosen(linker, &entry.name)?;
    let types = &mut linker.session.types;
    let int = types.int();
    let ty = types.intern(Type::Function(FunctionType {
        result: int.into(),
        parameters: Vec::new(),
        is_variadic: false,
        has_prototype: true,
    }));
    let span = linker.procedures[function].span;
    let procedure_id = linker.procedures.push(Procedure {
        name: Arc::from(format!("entry_of_{}", entry.name)),
        ty,
        parameters: Vec::new(),
        locals: Vec::new(),
        body: None,
        origin: Origin::User,
        known: None,
        is_static: true,
        is_noreturn: false,
        is_atomic: false,
        span,
    });
    let within_reach = within_reach(linker, function, entry.globals);
    // What is not called from here on is no part of the question.
    let all: Vec<ProcedureId> = linker.procedures.ids().collect();
    for id in all.into_iter().filter(|id| !within_reach.procedures.contains(id)) {
        linker.procedures[id].body = None;
    }
    let how = match entry.threads {
        None => "a call of `{}` with any arguments".to_owned(),
        Some(EntryThreads::Exactly(1)) => "one thread that calls `{}` with any arguments".to_owned(),
        Some(EntryThreads::Exactly(number)) => {
            format!("{number} threads that call `{{}}` at the same time, each with any arguments of its own")
        }
        Some(EntryThreads::Unbounded) => {
            "any number of threads that call `{}` at the same time, each with any arguments of its own"
                .to_owned()
        }
    };
    let message = format!("runs start with {}", how.replace("{}", &entry.name));
    linker.assume(AssumptionKind::Entry, &entry.name, span, message);
    let is_own = |linker: &Linker, id: &VariableId| linker.variables[*id].is_thread_local;
    let (own, common): (Vec<VariableId>, Vec<VariableId>) =
        within_reach.variables.iter().copied().partition(|id| entry.threads.is_some() && is_own(linker, id));
    let frees = within_reach.procedures.iter().any(|&id| {
        matches!(linker.procedures[id].known, Some(program::Known::Free | program::Known::Realloc))
    });
    let mut maker = Maker {
        lowering: FunctionLowering::new(linker, 0, procedure_id),
        entry,
        objects: Vec::new(),
        given: Vec::new(),
        has_locals: false,
    };
    maker.globals(&common);
    let start = match entry.threads {
        None => {
            let arguments = maker.arguments(function);
            maker.call(function, arguments, span);
            None
        }
        Some(threads) => {
            let start = maker.lowering.thread_procedure(format!("thread_of_{}", entry.name), span);
            maker.create(start, threads, span);
            Some(start)
        }
    };
    let Maker { lowering, mut objects, mut given, .. } = maker;
    lowering.finish_body();
    if let Some(start) = start {
        let lowering = FunctionLowering::new(linker, 0, start);
        let mut maker = Maker { lowering, entry, objects: Vec::new(), given: Vec::new(), has_locals: true };
        if !own.is_empty() {
            maker.globals(&own);
        }
        let arguments = maker.arguments(function);
        if frees && !maker.objects.is_empty() {
            let why = "a function that may free what each of several threads is given";
            maker.lowering.unsupported(why, span);
        }
        maker.call(function, arguments, span);
        objects.append(&mut maker.objects);
        given.append(&mut maker.given);
        maker.lowering.finish_body();
    }
    refuse_unknown_sizes(linker, entry, function, &within_reach.variables);
    // Whoever calls a function of a running program does so after the constructors; they have left any values behind.
    if entry.globals == Globals::Any {
        linker.constructors.clear();
    }
    linker.destructors.clear();
    Some((procedure_id, program::Entry { function, objects, given }))
}

/// Whoever gives a size for a name that nothing has means something else.
fn refuse_unknown_sizes(
    linker: &mut Linker,
    entry: &FunctionEntry,
    function: ProcedureId,
    variables: &[VariableId],
) {
    let sized = linker.procedures[function].parameters.iter().chain(variables);
    let names: Vec<Arc<str>> = sized.map(|&id| linker.variables[id].name.clone()).collect();
    let names: Vec<&str> = names.iter().map(|name| &**name).filter(|name| !name.starts_with('.')).collect();
    for (name, _) in entry.sizes.named.iter().filter(|(name, _)| !names.contains(&name.as_str())) {
        let message = format!(
            "`{}` has no parameter `{name}`, and touches no static variable of that name",
            entry.name
        );
        let hint = match closest(name, &names) {
            Some(close) => format!("did you mean `{close}`?"),
            None => format!("there is {}", listed(&names)),
        };
        let error = Diagnostic::error("no-such-object", linker.procedures[function].span, message).hint(hint);
        linker.session.diagnostics.push(error);
    }
}

/// The function of that name, or an error.
fn chosen(linker: &mut Linker, name: &str) -> Option<ProcedureId> {
    let defined: Vec<ProcedureId> = linker
        .procedures
        .iter_enumerated()
        .filter(|(_, procedure)| procedure.origin == Origin::User && procedure.body.is_some())
        .map(|(id, _)| id)
        .collect();
    let named: Vec<ProcedureId> =
        defined.iter().copied().filter(|&id| &*linker.procedures[id].name == name).collect();
    let error = match named[..] {
        [] => {
            let names: Vec<&str> = defined.iter().map(|&id| &*linker.procedures[id].name).collect();
            let is_declared = linker.procedures.iter().any(|procedure| &*procedure.name == name);
            let message = if is_declared {
                format!("`{name}` is declared, but no file given defines it")
            } else {
                format!("there is no function `{name}`")
            };
            let hint = match closest(name, &names) {
                Some(close) => format!("did you mean `{close}`?"),
                None => format!("there is {}", listed(&names)),
            };
            Diagnostic::error("no-such-function", Span::NOWHERE, message).hint(hint)
        }
        [id] => {
            let Type::Function(ty) = linker.session.types.get(linker.procedures[id].ty) else { return None };
            if !ty.is_variadic {
                return Some(id);
            }
            let message = format!("`{name}` takes a variable number of arguments, which nothing says here");
            Diagnostic::error("variadic-entry", linker.procedures[id].span, message)
                .hint("write a function that calls it, and make that the entry")
        }
        [first, second, ..] => {
            let message = format!("there are several `static` functions `{name}`");
            Diagnostic::error("ambiguous-function", linker.procedures[first].span, message)
                .label(linker.procedures[second].span, "another")
                .hint("give only the files that belong to one of them")
        }
    };
    linker.session.diagnostics.push(error);
    None
}

/// The name that is meant most likely, if one is close.
pub fn closest<'n>(name: &str, names: &[&'n str]) -> Option<&'n str> {
    let most = match name.chars().count() {
        0..=3 => 1,
        length => 2 + length / 8,
    };
    let best = names.iter().map(|known| (distance(name, known), *known)).min()?;
    (best.0 <= most).then_some(best.1)
}

/// Letters to change, add or leave out (Levenshtein).
fn distance(one: &str, two: &str) -> usize {
    let two: Vec<char> = two.chars().collect();
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (at, c) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, d) in two.iter().enumerate() {
            let above = row[column + 1];
            row[column + 1] = (diagonal + usize::from(c != *d)).min(above + 1).min(row[column] + 1);
            diagonal = above;
        }
    }
    row[two.len()]
}

/// A few names in words.
pub fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 5;
    let mut shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    if names.len() > SHOWN {
        shown.push(format!("{} more", names.len() - SHOWN));
    }
    match shown.split_last() {
        None => "no function with a body".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

/// What calls of a function can get at.
struct WithinReach {
    procedures: FxHashSet<ProcedureId>,
    /// With static storage, in order.
    variables: Vec<VariableId>,
}

/// What calls of the function may call and touch.
fn within_reach(linker: &Linker, function: ProcedureId, globals: Globals) -> WithinReach {
    let mut seen: FxHashSet<ProcedureId> = FxHashSet::default();
    let mut used: FxHashSet<VariableId> = FxHashSet::default();
    let mut open = vec![function];
    if globals == Globals::Initialised {
        open.extend(linker.constructors.iter().map(|(_, constructor)| *constructor));
    }
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let (mut variables, mut procedures) = (Vec::new(), Vec::new());
        for edge in linker.procedures[id].body.iter().flat_map(|body| &body.edges) {
            if let Action::Call { callee: Callee::Direct(callee), .. } = &edge.action {
                procedures.push(*callee);
            }
            edge.action.visit(&mut |part| note(part, &mut variables, &mut procedures));
        }
        // What a variable is initialised with can be got at through it.
        while let Some(variable) = variables.pop() {
            if used.insert(variable) {
                for initial in &linker.variables[variable].initial {
                    if let InitialData::Value(value) = &initial.value {
                        value.visit(&mut |part| note(part, &mut variables, &mut procedures));
                    }
                }
            }
        }
        open.extend(procedures);
    }
    let mut all: Vec<VariableId> =
        used.into_iter().filter(|&id| linker.variables[id].kind == VariableKind::Global).collect();
    all.sort_unstable();
    WithinReach { procedures: seen, variables: all }
}

fn note(part: Part<'_>, variables: &mut Vec<VariableId>, procedures: &mut Vec<ProcedureId>) {
    match part {
        Part::Place(Place { base: PlaceBase::Variable(id), .. }, _) => variables.push(*id),
        Part::Expr(Expr { kind: ExprKind::FunctionAddress(id), .. }) => procedures.push(*id),
        _ => {}
    }
}

/// Makes the arguments and the objects behind them.
struct Maker<'l, 'e> {
    lowering: FunctionLowering<'l>,
    entry: &'e FunctionEntry,
    objects: Vec<VariableId>,
    given: Vec<VariableId>,
    /// Are objects locals of the procedure, so that each thread has its own?
    has_locals: bool,
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
    fn globals(&mut self, within_reach: &[VariableId]) {
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

    fn arguments(&mut self, function: ProcedureId) -> Vec<Expr> {
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

    fn call(&mut self, function: ProcedureId, arguments: Vec<Expr>, span: Span) {
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
    fn create(&mut self, start: ProcedureId, threads: EntryThreads, span: Span) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_close_name_is_suggested_and_no_other() {
        assert_eq!(closest("parse_lin", &["main", "parse_line", "print"]), Some("parse_line"));
        assert_eq!(closest("sort", &["main", "parse_line"]), None);
        assert_eq!(closest("f", &["g"]), Some("g"));
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(listed(&["a", "b"]), "`a` and `b`");
        assert_eq!(listed(&["a", "b", "c", "d", "e", "f", "g"]), "`a`, `b`, `c`, `d`, `e` and 2 more");
        assert_eq!(listed(&[]), "no function with a body");
    }
}
