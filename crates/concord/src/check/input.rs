//! Files to a program and the specifications that hold for its parts.

use super::CheckArgs;
use crate::cli::Common;
use crate::exit::Exit;
use crate::load;
use crate::model::{self, input as model_input};
use base::{Budget, Span};
use predicate::Routine;
use predicate::component::add_stubs;
use program::Program;
use spec::Specification;
use spec::cexpr::CExpression;
use spec::syntax::{Name, ProcedureStatement};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
}

/// Reads everything; what is wrong has been said when it fails.
pub fn load(arguments: &CheckArgs, common: &Common, budget: &Budget) -> Result<Loaded, Exit> {
    let mut sources: Vec<PathBuf> = Vec::new();
    let mut bound: Vec<(PathBuf, Vec<PathBuf>)> = Vec::new();
    let mut unbound: Vec<PathBuf> = Vec::new();
    for text in &arguments.files {
        let names: Vec<&str> = if Path::new(text).exists() { vec![text] } else { text.split('+').collect() };
        let first = PathBuf::from(names[0]);
        if is_specification(&first) {
            unbound.extend(names.iter().map(PathBuf::from));
            continue;
        }
        sources.push(first.clone());
        if names.len() > 1 {
            bound.push((first, names[1..].iter().map(PathBuf::from).collect()));
        }
    }
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
    Ok(Loaded { program, books })
}

fn is_specification(path: &Path) -> bool {
    matches!(path.extension().and_then(|ending| ending.to_str()), Some("spec" | "lts" | "aut" | "seltl"))
}

fn read(files: &[PathBuf], common: &Common) -> Result<model_input::Loaded, Exit> {
    let mut output = model::Output {
        format: model::ResultFormat::Human,
        colour: common.colour(),
        is_quiet: common.quiet,
        listener: &(),
        events: &base::Silent,
        results: &mut std::io::sink(),
        messages: &mut std::io::stderr(),
    };
    model_input::load(files, &mut output).map_err(|refused| {
        refused.told(&mut output);
        Exit::BadInput
    })
}

impl Loaded {
    /// The books that speak about a place of the program, the nearest first.
    fn books_at(&self, span: Span) -> impl Iterator<Item = &Book> {
        let file = self.program.sources.source_at(span.start).map(|source| PathBuf::from(&**source.name()));
        let own = move |book: &&Book| book.file.is_some() && book.file == file;
        self.books.iter().filter(own).chain(self.books.iter().filter(|book| book.file.is_none()))
    }

    /// What the specifications say about a function called at a place.
    pub fn routines(
        &self,
        function: &str,
        at: Span,
        models: &mut Models<'_>,
    ) -> Result<Vec<Routine>, String> {
        for book in self.books_at(at) {
            let mut found = Vec::new();
            for block in book.specification().procedures.iter().filter(|block| &*block.name.text == function)
            {
                for statement in &block.statements {
                    if let ProcedureStatement::Abstract { name, guard, process } = statement {
                        let process = models.process(self, book, process)?;
                        found.push(Routine { name: name.text.clone(), guard: guard.clone(), process });
                    }
                }
            }
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// Does a specification ask for the body of a function where a procedure calls it?
    pub fn is_inlined(&self, caller: &str, function: &str) -> bool {
        let blocks = self.books.iter().flat_map(|book| &book.specification().procedures);
        blocks.filter(|block| &*block.name.text == caller).flat_map(|block| &block.statements).any(
            |statement| {
                matches!(statement, ProcedureStatement::Inline(names)
                    if names.iter().any(|name| &*name.text == function))
            },
        )
    }

    /// The predicates that the user supplies for a procedure.
    pub fn predicates(&self, procedure: &str) -> Vec<CExpression> {
        let mut found = Vec::new();
        for book in &self.books {
            for block in book.specification().procedures.iter().filter(|block| &*block.name.text == procedure)
            {
                for statement in &block.statements {
                    if let ProcedureStatement::Predicate(predicates) = statement {
                        found.extend(predicates.iter().cloned());
                    }
                }
            }
        }
        found
    }
}

/// The processes of the books, made when they are asked for.
pub struct Models<'l> {
    models: Vec<spec::Model<'l>>,
}

impl<'l> Models<'l> {
    /// None made yet.
    pub fn new(loaded: &'l Loaded, settings: &spec::Settings<'l>) -> Models<'l> {
        let mut models: Vec<spec::Model<'l>> = Vec::new();
        for book in &loaded.books {
            let mut model = spec::Model::new(book.specification(), settings.clone());
            for (name, lks) in &book.loaded.imports {
                model.import(name, lks.clone());
            }
            models.push(model);
        }
        Models { models }
    }

    /// A process by name: of the same book, or else of any.
    pub fn process(&mut self, loaded: &Loaded, book: &Book, name: &Name) -> Result<Arc<lks::Lks>, String> {
        let own = loaded.books.iter().position(|known| std::ptr::eq(known, book)).unwrap_or(0);
        let others = (0..self.models.len()).filter(|&other| other != own);
        let order: Vec<usize> = std::iter::once(own).chain(others).collect();
        let place = order.iter().copied().find(|&at| self.models[at].names().contains(&name.text));
        let Some(at) = place else { return Err(format!("there is no process `{}`", name.text)) };
        let system = self.models[at].system(&name.text).map_err(|trouble| trouble.message)?;
        if let [only] = system.components.as_slice() {
            return Ok(only.lks.clone());
        }
        let composition =
            lks::Composition::new(system.components.clone()).hiding(|action| system.hides(action));
        let explored = lks::explore(&composition, &name.text, &base::Budget::unlimited())
            .map_err(|unfinished| format!("`{}` is too large: {}", name.text, unfinished.limit))?;
        Ok(Arc::new(explored.lks))
    }
}
