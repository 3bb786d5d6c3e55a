//! Files to a program and the specifications that hold for its parts.

use super::CheckArgs;
use crate::channel::at_terminal;
use crate::cli::Common;
use crate::exit::Exit;
use crate::load;
use crate::model::input as model_input;
use base::{Budget, Diagnostic};
use cegar::components::{self, Specified};
use predicate::component::add_stubs;
use predicate::component::share::share;
use program::Program;
use spec::syntax::ProcedureStatement;
use spec::{SharedVariable, Specification};
use std::path::{Path, PathBuf};

/// A set of specification files that belong together.
pub struct Book {
    /// The C file it speaks about; none means all.
    pub file: Option<PathBuf>,
    /// What was read.
    pub loaded: model_input::Loaded,
}

impl Book {
    /// What it says.
    pub fn specification(&self) -> &Specification {
        &self.loaded.specification
    }
}

/// All that was read.
pub struct Loaded {
    /// The linked program.
    pub program: Program,
    /// The specifications, those for all files last.
    pub books: Vec<Book>,
    /// The variables that components share.
    pub shared: Vec<SharedVariable>,
}

/// The files of the arguments, by what they are.
#[derive(Debug, Default)]
pub struct Files {
    /// C files.
    pub sources: Vec<PathBuf>,
    /// Specifications that speak about one of them.
    pub bound: Vec<(PathBuf, Vec<PathBuf>)>,
    /// Specifications that speak about all.
    pub unbound: Vec<PathBuf>,
}

/// Which files the arguments name.
pub fn files_of(arguments: &CheckArgs) -> Files {
    let mut files = Files::default();
    for text in &arguments.files {
        let names: Vec<&str> = if Path::new(text).exists() { vec![text] } else { text.split('+').collect() };
        let first = PathBuf::from(names[0]);
        if is_specification(&first) {
            files.unbound.extend(names.iter().map(PathBuf::from));
            continue;
        }
        files.sources.push(first.clone());
        if names.len() > 1 {
            files.bound.push((first, names[1..].iter().map(PathBuf::from).collect()));
        }
    }
    files
}

/// Reads everything; what is wrong has been said when it fails.
pub fn load(arguments: &CheckArgs, common: &Common, budget: &Budget) -> Result<Loaded, Exit> {
    let Files { sources, bound, unbound } = files_of(arguments);
    if sources.is_empty() {
        return Err(load::complain("no C file is given; for models without code use `concord model`"));
    }
    let mut program = load::load(&sources, common, budget)?;
    let mut books = Vec::new();
    for (file, specs) in bound {
        books.push(Book { file: Some(file), loaded: read(&specs, common)? });
    }
    if !unbound.is_empty() {
        books.push(Book { file: None, loaded: read(&unbound, common)? });
    }
    let is_specified = |function: &str| {
        books.iter().flat_map(|book: &Book| &book.specification().procedures).any(|block| {
            &*block.name.text == function
                && block.statements.iter().any(|one| matches!(one, ProcedureStatement::Abstract { .. }))
        })
    };
    add_stubs(&mut program, &is_specified);
    let shared = shared_variables(&mut program, &books, common)?;
    Ok(Loaded { program, books, shared })
}

/// The variables that are declared `shared`; their accesses become calls.
fn shared_variables(
    program: &mut Program,
    books: &[Book],
    common: &Common,
) -> Result<Vec<SharedVariable>, Exit> {
    let mut shared: Vec<SharedVariable> = Vec::new();
    for book in books {
        let refuse = |diagnostic: &Diagnostic| {
            load::tell(&base::render::render(diagnostic, &book.loaded.sources, common.colour()));
            Exit::BadInput
        };
        let model = spec::Model::new(book.specification(), spec::Settings::default());
        for variable in model.shared_variables().map_err(|why| refuse(&why))? {
            let (name, span) = (variable.name.text.clone(), variable.name.span);
            if shared.iter().any(|known| known.name.text == name) {
                let message = format!("`{name}` is declared `shared` twice");
                return Err(refuse(&Diagnostic::error("shared-twice", span, message)));
            }
            share(program, std::slice::from_ref(&name)).map_err(|(_, why)| {
                let at = why.at().and_then(|at| program.sources.location(at));
                let at = at.map_or_else(String::new, |at| format!("{at}: "));
                let message = format!("`{name}` cannot be shared: {at}{why}");
                refuse(&Diagnostic::error("cannot-share", span, message))
            })?;
            shared.push(variable);
        }
    }
    Ok(shared)
}

fn is_specification(path: &Path) -> bool {
    matches!(path.extension().and_then(|ending| ending.to_str()), Some("spec" | "lts" | "aut" | "seltl"))
}

fn read(files: &[PathBuf], common: &Common) -> Result<model_input::Loaded, Exit> {
    at_terminal(common, &(), None, |output| {
        model_input::load(files, output).map_err(|refused| {
            refused.told(output);
            Exit::BadInput
        })
    })
}

impl Loaded {
    /// The program with what is specified about it.
    pub fn specified(&self) -> Specified<'_> {
        let mut books = base::IndexVec::new();
        for book in &self.books {
            let (file, loaded) = (book.file.clone(), &book.loaded);
            let (specification, imports) = (&loaded.specification, loaded.imports.as_slice());
            books.push(components::Book { file, specification, imports });
        }
        Specified { program: &self.program, books, shared: self.shared.clone() }
    }
}
