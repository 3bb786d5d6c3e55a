//! Names in specifications that mean nothing: said with their place, and with the name that was probably
//! meant.

use super::CheckArgs;
use super::input::Loaded;
use crate::cli::Common;
use crate::exit::Exit;
use crate::load;
use base::Diagnostic;
use cegar::components::{CannotAsk, nearest};
use spec::syntax::ProcedureStatement;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Is every component of the `cprog` blocks that are asked about a procedure or a process?
pub fn check_components(arguments: &CheckArgs, loaded: &Loaded, common: &Common) -> Result<(), Exit> {
    let program = &loaded.program;
    let mut known: BTreeSet<Arc<str>> = BTreeSet::new();
    for procedure in program.procedures.iter().filter(|procedure| procedure.body.is_some()) {
        known.insert(procedure.name.clone());
    }
    for book in &loaded.books {
        let specification = book.specification();
        known.extend(specification.processes.iter().map(|process| process.name.text.clone()));
        known.extend(specification.composites.iter().map(|composite| composite.name.text.clone()));
        known.extend(specification.imports.iter().map(|(name, _)| name.text.clone()));
        known.extend(specification.structures.iter().map(|(name, _)| name.text.clone()));
    }
    let mut is_wrong = false;
    for book in &loaded.books {
        for block in &book.specification().programs {
            let is_asked =
                |name: &str| arguments.only.is_empty() || arguments.only.iter().any(|one| one == name);
            if !block.statements.iter().any(|statement| is_asked(&statement.name.text)) {
                continue;
            }
            for name in block.components.iter().filter(|name| !known.contains(&name.text)) {
                is_wrong = true;
                let message = format!("`{}` is neither a procedure with a body nor a process", name.text);
                let mut diagnostic = Diagnostic::error("unknown-component", name.span, message);
                if program.procedure_named(&name.text).is_some() {
                    diagnostic = diagnostic.hint("it is declared: give the C file that defines it too");
                } else if let Some(meant) = nearest(&name.text, known.iter().map(|name| &**name)) {
                    diagnostic = diagnostic.hint(format!("did you mean `{meant}`?"));
                }
                load::tell(&base::render::render(&diagnostic, &book.loaded.sources, common.colour()));
            }
        }
    }
    if is_wrong { Err(Exit::BadInput) } else { Ok(()) }
}

/// Shorter names are too often alike by chance.
const LONG_NAME: usize = 4;

/// Is everything that `cproc` blocks speak of a function of the program? A block about a function that the
/// program does not have does no harm (specifications of a library are shared) unless another name was
/// probably meant.
pub fn check_procedures(loaded: &Loaded, common: &Common) -> Result<(), Exit> {
    let program = &loaded.program;
    let names = || program.procedures.iter().map(|procedure| &*procedure.name);
    let mut is_wrong = false;
    for book in &loaded.books {
        let tell = |diagnostic: Diagnostic| {
            load::tell(&base::render::render(&diagnostic, &book.loaded.sources, common.colour()));
        };
        for block in &book.specification().procedures {
            let name = &block.name;
            if program.procedure_named(&name.text).is_none()
                && name.text.chars().count() >= LONG_NAME
                && let Some(meant) = nearest(&name.text, names())
            {
                is_wrong = true;
                let message = format!("there is no function `{}`", name.text);
                let diagnostic = Diagnostic::error("unknown-function", name.span, message);
                tell(diagnostic.hint(format!("did you mean `{meant}`?")));
            }
            for inlined in block.statements.iter().flat_map(|statement| match statement {
                ProcedureStatement::Inline(names) => names.as_slice(),
                _ => &[],
            }) {
                let known = program.procedure_named(&inlined.text);
                if known.is_some_and(|id| program.procedures[id].body.is_some()) {
                    continue;
                }
                is_wrong = true;
                let message = format!("`{}` cannot be inlined: it has no body", inlined.text);
                let mut diagnostic = Diagnostic::error("unknown-function", inlined.span, message);
                if known.is_some() {
                    diagnostic = diagnostic.hint("it is declared: give the C file that defines it too");
                } else if let Some(meant) = nearest(&inlined.text, names()) {
                    diagnostic = diagnostic.hint(format!("did you mean `{meant}`?"));
                }
                tell(diagnostic);
            }
        }
    }
    if is_wrong { Err(Exit::BadInput) } else { Ok(()) }
}

/// A question that cannot be asked, with its place.
pub fn refuse(question: &super::questions::Question<'_>, why: &CannotAsk, common: &Common) -> Exit {
    let message = format!("{}: {why}", question.system.name);
    match (question.span, question.book) {
        (Some(span), Some(book)) => {
            let diagnostic = Diagnostic::error("cannot-ask", span, message);
            load::tell(&base::render::render(&diagnostic, &book.loaded.sources, common.colour()));
            Exit::BadInput
        }
        _ => load::complain(&message),
    }
}
