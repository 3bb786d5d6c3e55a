//! Files to one specification: models, structures and formulas, with what they include and import.

use crate::channel::{Output, Refused};
use crate::exit::Exit;
use base::{Diagnostic, Diagnostics, SourceId, SourceMap};
use lks::Lks;
use spec::{Formula, Specification};
use std::path::{Path, PathBuf};

/// All that was read.
pub struct Loaded {
    pub sources: SourceMap,
    pub specification: Specification,
    /// Structures of imported processes.
    pub imports: Vec<(String, Lks)>,
    /// Formulas from files of their own.
    pub formulas: Vec<(String, Formula)>,
}

impl Loaded {
    /// Shows the messages; refuses if there are errors among them.
    pub fn refuse_errors(&self, diagnostics: &Diagnostics, output: &mut Output<'_>) -> Result<(), Refused> {
        output.show(diagnostics, &self.sources);
        if diagnostics.has_errors() { Err(Refused::silent(Exit::BadInput)) } else { Ok(()) }
    }

    /// Shows one error and refuses.
    pub fn refuse(&self, diagnostic: Diagnostic, output: &mut Output<'_>) -> Refused {
        let mut diagnostics = Diagnostics::default();
        diagnostics.push(diagnostic);
        output.show(&diagnostics, &self.sources);
        Refused::silent(Exit::BadInput)
    }
}

fn read_text(path: &Path) -> Result<String, Refused> {
    let bytes = std::fs::read(path)
        .map_err(|error| Refused::bad_input(format!("{} cannot be read: {error}", path.display())))?;
    String::from_utf8(bytes).map_err(|_| Refused::bad_input(format!("{} is not text", path.display())))
}

/// The text of a file that another names; what is wrong with it is told where it is named.
fn read_named(path: &Path, name: &spec::syntax::Name) -> Result<String, Diagnostic> {
    let wrong = |what: String| {
        Diagnostic::error("unreadable-file", name.span, format!("{} {what}", path.display()))
            .hint("files are looked for beside the file that names them")
    };
    let bytes = std::fs::read(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|_| wrong("is not text".to_owned()))
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "unnamed".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

fn add(sources: &mut SourceMap, path: &Path, text: String) -> Result<SourceId, Refused> {
    sources
        .add(&path.display().to_string(), text)
        .ok_or_else(|| Refused::bad_input("the files together are larger than 4 GiB"))
}

/// Reads the files and all that they include or import.
pub fn load(files: &[PathBuf], output: &mut Output<'_>) -> Result<Loaded, Refused> {
    let mut diagnostics = Diagnostics::default();
    let mut sources = SourceMap::new();
    let mut texts: Vec<(PathBuf, SourceId)> = Vec::new();
    let mut structures = Vec::new();
    let mut formulas = Vec::new();
    for path in files {
        let id = add(&mut sources, path, read_text(path)?)?;
        let source = sources.source(id);
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("aut") => match lks::aut::read(&stem(path), source.text(), source.base()) {
                Ok(lks) => structures.push(lks),
                Err(diagnostic) => diagnostics.push(diagnostic),
            },
            Some("seltl") => match Formula::parse(source.text(), source.base()) {
                Ok(formula) => formulas.push((stem(path), formula)),
                Err(diagnostic) => diagnostics.push(diagnostic),
            },
            ending => match ending.and_then(advice) {
                Some(advice) => {
                    return Err(Refused::bad_input(format!("{} is no model: {advice}", path.display())));
                }
                None => texts.push((path.clone(), id)),
            },
        }
    }
    let specification = with_includes(&mut sources, &mut texts, &mut diagnostics)?;
    let mut loaded = Loaded { sources, specification, imports: Vec::new(), formulas };
    for lks in structures {
        let name = spec::syntax::Name::new(lks.name(), base::Span::NOWHERE);
        loaded.specification.structures.push((name, lks.into()));
    }
    let mut found = Diagnostics::default();
    spec::lint(&loaded.specification, &mut found);
    for warning in found.iter() {
        // Of the language's own library nobody uses everything.
        let source = loaded.sources.source_at(warning.span.start);
        if !source.is_some_and(|source| source.name().starts_with('<')) {
            diagnostics.push(warning.clone());
        }
    }
    import(&mut loaded, &texts, &mut diagnostics)?;
    loaded.refuse_errors(&diagnostics, output)?;
    Ok(loaded)
}

/// What to do with a file of another kind.
fn advice(ending: &str) -> Option<&'static str> {
    Some(match ending {
        "c" | "h" | "i" => "it is C; `concord run` runs it, and `concord draw` draws it",
        "hoa" => "it is an automaton; give it with --automaton",
        "ctl" => {
            "CTL formulas are asked of C programs, not of models; for models write state/event formulas (.seltl)"
        }
        "tc" => "test cases are for C programs",
        "pml" => "it is Promela, which Concord does not read",
        _ => return None,
    })
}

/// Parses; if the result includes files that are not there yet, adds them and parses again, since names may
/// be used before the file that defines them.
fn with_includes(
    sources: &mut SourceMap,
    texts: &mut Vec<(PathBuf, SourceId)>,
    diagnostics: &mut Diagnostics,
) -> Result<Specification, Refused> {
    let mut unreadable: Vec<PathBuf> = Vec::new();
    loop {
        let ids: Vec<SourceId> = texts.iter().map(|(_, id)| *id).collect();
        let mut found = Diagnostics::default();
        let specification = spec::parse(sources, &ids, &mut found);
        let mut missing = Vec::new();
        for include in &specification.includes {
            let path = beside(sources, texts, include);
            let is_known = texts.iter().any(|(known, _)| *known == path) || unreadable.contains(&path);
            if !is_known && !missing.iter().any(|(other, _)| *other == path) {
                missing.push((path, include.clone()));
            }
        }
        // Errors may be due to what is still missing.
        if missing.is_empty() {
            diagnostics.extend(found);
            return Ok(specification);
        }
        for (path, include) in missing {
            let read = match spec::library_text(&include.text) {
                Some(text) => Ok(text.to_owned()),
                None => read_named(&path, &include),
            };
            match read {
                Ok(text) => {
                    let id = add(sources, &path, text)?;
                    texts.push((path, id));
                }
                Err(diagnostic) => {
                    diagnostics.push(diagnostic);
                    unreadable.push(path);
                }
            }
        }
    }
}

/// The path of a file named in another, relative to that other.
fn beside(sources: &SourceMap, texts: &[(PathBuf, SourceId)], name: &spec::syntax::Name) -> PathBuf {
    let holder = texts.iter().find(|(_, id)| {
        let source = sources.source(*id);
        (source.base()..=source.base() + source.text().len() as u32).contains(&name.span.start)
    });
    if spec::library_text(&name.text).is_some() {
        return PathBuf::from(spec::library_place(&name.text));
    }
    let folder = holder.and_then(|(path, _)| path.parent()).unwrap_or(Path::new(""));
    folder.join(&*name.text)
}

fn import(
    loaded: &mut Loaded,
    texts: &[(PathBuf, SourceId)],
    diagnostics: &mut Diagnostics,
) -> Result<(), Refused> {
    for (name, file) in &loaded.specification.imports {
        let path = beside(&loaded.sources, texts, file);
        let text = match read_named(&path, file) {
            Ok(text) => text,
            Err(diagnostic) => {
                diagnostics.push(diagnostic);
                continue;
            }
        };
        let id = add(&mut loaded.sources, &path, text)?;
        let source = loaded.sources.source(id);
        match lks::aut::read(&name.text, source.text(), source.base()) {
            Ok(lks) => loaded.imports.push((name.text.to_string(), lks)),
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    Ok(())
}
