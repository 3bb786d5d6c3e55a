//! A function as the entry: a procedure is made that calls it with any arguments, so that every engine sees an ordinary
//! program.
//!
//! What a caller could pass is supposed to be as follows, and each supposition is recorded as an assumption with its
//! place: numbers have any value; a pointer is null or points to an object of its own, which nothing else points to,
//! with as many elements as the user or the declaration says (one otherwise) and any contents; pointers inside objects
//! likewise, down to a depth (`MOST_DEPTH` of `maker`); a pointer to a function is null or points to a function that
//! the program does not define. What cannot be made (deeper objects, incomplete types, streams) is a pointer with an
//! unknown value: an answer that needs what it points to stays open. Static variables that the function can get at have
//! any value in the same sense, or the one they are initialised with.
//!
//! With threads, the procedure sets the static variables and creates threads, each of which calls the function with
//! arguments of its own: so many, or in a loop that goes on as long as an input says. Then it ends as `pthread_exit`
//! does.

mod chosen;
mod maker;
mod reach;

pub use chosen::{closest, listed};

use crate::function::FunctionLowering;
use crate::link::Linker;
use chosen::{chosen, refuse_unknown_sizes};
use csource::types::{FunctionType, Type};
use maker::Maker;
use program::{AssumptionKind, Origin, Procedure, ProcedureId, VariableId};
use reach::within_reach;
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
