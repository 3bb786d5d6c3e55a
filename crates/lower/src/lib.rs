//! Typed C trees to a normalised program.
//!
//! Reading order: [`lower`] (the whole way) → `link` (units to one program) → `function` (the graph under construction)
//! → `statement`, `step`, `spawn`, `condition`, `expression`, `assignment`, `place`, `call`, `words`, `builtin`,
//! `initializer` (one kind of syntax each) → `order` (orders that C leaves open), `constants` (writes to what must not
//! be changed) → `entry` (a function as the entry), `arguments` (what `main` is given), `ends` (before and after
//! `main`) → `varargs` (variadic functions) → `library` (models of libc in C) → `outside` (pointers that lead to
//! no object of the program) → `finish` (what is done once everything is there).
//!
//! Every rewrite that loses or supposes something leaves an [`program::Assumption`] with its place.

mod agree;
mod allocation;
pub mod arguments;
mod assignment;
mod atomic;
mod builtin;
mod call;
mod condition;
mod constants;
mod ends;
pub mod entry;
mod expression;
mod finish;
mod fold;
mod formats;
mod function;
mod initializer;
mod lengths;
mod library;
mod link;
mod missing;
mod names;
mod narrow;
mod order;
mod outside;
mod overlap;
mod own_names;
mod parts;
mod place;
mod rename;
mod spawn;
mod statement;
mod step;
mod streams;
mod varargs;
pub mod words;

pub use arguments::Arguments;
pub use entry::{Entry, EntryThreads, FunctionEntry, Globals, ObjectSizes};

use base::Diagnostics;
use csource::{Session, tree};
use program::Program;

/// What the user chose about lowering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Where runs start.
    pub entry: Entry,
    /// Should missing library functions get the built-in models?
    pub library_models: LibraryModels,
    /// May `malloc` and its relatives return a null pointer?
    pub malloc_may_fail: bool,
    /// May functions without a body write to what they can get at?
    pub missing_may_write: bool,
    /// What do pointers lead to that lead to no object of the program?
    pub unknown_pointers: UnknownPointers,
    /// Is an assertion in a comment (`//@ assert e;`) one? Only where assertions are asked about: else nothing would be
    /// known past one that fails.
    pub asserts_comments: bool,
    /// What a thread does in one step.
    pub steps: Steps,
    /// What becomes of variadic functions.
    pub variadic: Variadic,
}

/// What is supposed of pointers that lead to no object of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownPointers {
    /// Nothing: following one is undefined behaviour.
    #[default]
    Stop,
    /// They lead to memory that the program uses in no other way.
    Outside,
}

/// What becomes of the program's variadic functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variadic {
    /// Each call goes to a copy with the arguments as parameters. What is known of a line is then known of each copy.
    #[default]
    Copies,
    /// They stay what they are.
    AsWritten,
}

/// What a thread does without another coming in between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Steps {
    /// One access of memory that others see.
    #[default]
    Access,
    /// A statement, a condition or an assertion; calls in it are steps of their own.
    Statement,
}

/// Where the bodies of library functions come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LibraryModels {
    /// Functions of libc that no unit defines get a built-in body.
    BuiltIn,
    /// Only what the units define; the rest is missing.
    None,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            entry: Entry::Main,
            library_models: LibraryModels::BuiltIn,
            malloc_may_fail: false,
            missing_may_write: false,
            unknown_pointers: UnknownPointers::Stop,
            asserts_comments: true,
            steps: Steps::Access,
            variadic: Variadic::Copies,
        }
    }
}

/// A lowered program, with the messages of reading and linking it.
#[derive(Debug)]
pub struct Lowered {
    /// The program. Meaningful only if there are no errors among the messages.
    pub program: Program,
    /// All messages, those of the session included.
    pub diagnostics: Diagnostics,
}

/// Links the units and lowers every function. Never panics on units that `sema` made, erroneous ones included.
pub fn lower(units: Vec<tree::Unit>, session: Session, settings: &Settings) -> Lowered {
    let mut linker = link::Linker::new(session);
    linker.asserts_comments = settings.asserts_comments;
    linker.steps = settings.steps;
    for unit in units {
        linker.add(unit, program::Origin::User);
    }
    let is_complete = linker.complete();
    if is_complete {
        linker.lower_bodies();
        linker.resolve_names();
        order::settle(&mut linker);
        constants::settle(&mut linker);
    }
    let main = linker.defined("main").filter(|_| is_complete);
    if let (Some(main), Entry::Main | Entry::Arguments(_)) = (main, &settings.entry) {
        ends::begin(&mut linker, main);
    }
    let mut draws_arguments = false;
    let entry = match &settings.entry {
        Entry::Function(function) if is_complete => entry::add(&mut linker, function),
        Entry::Arguments(arguments) if is_complete => {
            draws_arguments = arguments::draw(&mut linker, *arguments);
            None
        }
        _ => None,
    };
    if let Some((start, _)) = &entry {
        ends::begin(&mut linker, *start);
    }
    let start = match &settings.entry {
        Entry::Function(_) => entry.as_ref().map(|(start, _)| *start),
        Entry::Main | Entry::Arguments(_) => main,
    };
    if is_complete && settings.variadic == Variadic::Copies {
        varargs::specialise(&mut linker);
    }
    if settings.library_models == LibraryModels::BuiltIn {
        library::supply(&mut linker);
        if let Some(start) = start {
            ends::end(&mut linker, start);
        }
    }
    if settings.malloc_may_fail {
        allocation::may_fail(&mut linker);
    }
    let given = entry.as_ref().map(|(_, entry)| entry);
    let visible = missing::visible(&linker, given);
    let missing_writes = settings.missing_may_write && missing::may_write(&mut linker, given);
    let left_arrays = std::mem::take(&mut linker.left_arrays);
    let mut lowered = finish::finish(linker, settings, entry);
    lengths::settle(&mut lowered.program, &left_arrays);
    if settings.unknown_pointers == UnknownPointers::Outside && !lowered.diagnostics.has_errors() {
        outside::settle(&mut lowered.program);
    }
    lowered.program.visible = visible;
    lowered.program.missing_writes = missing_writes;
    lowered.program.draws_arguments = draws_arguments;
    lowered
}
