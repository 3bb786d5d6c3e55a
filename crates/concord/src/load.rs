//! Files to a normalised program: preprocess, parse, analyse, lower; messages go to standard error.

use crate::cli::Common;
use crate::exit::Exit;
use crate::progress::StatusLine;
use base::render::render;
use base::{Budget, Diagnostics, Event, EventSink, Severity, SourceMap};
use csource::preprocess::{self, CompileCommand, Options, ReadError};
use csource::types::DataModel;
use csource::{Session, parser, sema};
use program::Program;
use std::io::Write;
use std::path::{Path, PathBuf};

/// One translation unit to read.
struct Unit {
    file: PathBuf,
    options: Options,
}

/// Reads and links the files within the budget. Errors and limits are told; what is returned then is the exit
/// status.
pub fn load(files: &[PathBuf], common: &Common, budget: &Budget) -> Result<Program, Exit> {
    let settings = lower::Settings { variadic: lower::Variadic::AsWritten, ..lower::Settings::default() };
    load_with(files, common, &settings, budget)
}

/// Reads and links the files of a program that has to start somewhere.
pub fn load_with_entry(
    files: &[PathBuf],
    common: &Common,
    settings: &lower::Settings,
    budget: &Budget,
) -> Result<Program, Exit> {
    let program = load_with(files, common, settings, budget)?;
    crate::entry::require(&program)?;
    Ok(program)
}

fn load_with(
    files: &[PathBuf],
    common: &Common,
    settings: &lower::Settings,
    budget: &Budget,
) -> Result<Program, Exit> {
    let (units, model) = units_of(files, common).map_err(|message| complain(&message))?;
    let mut session = Session::new(model);
    session.budget = budget.clone();
    let undecided = |limit| common.last_word.undecided(limit);
    let mut trees = Vec::new();
    let mut unreadable = Vec::new();
    let progress = StatusLine::new(common);
    for unit in &units {
        let subject = unit.file.display().to_string();
        progress.emit(Event::PhaseStarted { phase: "reading", subject });
        match preprocess::read(&unit.file, &unit.options, &mut session) {
            Ok(source) => {
                let syntax = parser::parse(source, &mut session);
                budget.check().map_err(undecided)?;
                trees.push(sema::analyse(&syntax, &mut session));
                budget.check().map_err(undecided)?;
            }
            Err(ReadError::Exhausted { limit, .. }) => return Err(undecided(limit)),
            Err(error) => unreadable.push(error.to_string()),
        }
    }
    progress.emit(Event::PhaseEnded { phase: "reading" });
    // Lowering half of the units would only add messages about what the others define.
    if !unreadable.is_empty() || session.diagnostics.has_errors() {
        show(&session.diagnostics, &session.sources, common);
        let errors = session.diagnostics.error_count() + unreadable.len();
        unreadable.iter().for_each(|message| {
            complain(message);
        });
        return Err(summarise(errors));
    }
    progress.emit(Event::PhaseStarted { phase: "lowering", subject: files_in_words(units.len()) });
    let lowered = lower::lower(trees, session, settings);
    drop(progress);
    budget.check().map_err(undecided)?;
    show(&lowered.diagnostics, &lowered.program.sources, common);
    if lowered.diagnostics.has_errors() {
        return Err(summarise(lowered.diagnostics.error_count()));
    }
    if common.verbose {
        show_assumptions(&lowered.program);
    }
    Ok(lowered.program)
}

/// All that a program is read from.
pub struct Texts {
    /// The files after preprocessing, with their names.
    pub files: Vec<(String, std::sync::Arc<str>)>,
    /// The data model, in a word.
    pub data_model: String,
}

/// What the files are after preprocessing. Messages about them are for whoever reads them as a program.
pub fn texts(files: &[PathBuf], common: &Common, budget: &Budget) -> Result<Texts, String> {
    let (units, model) = units_of(files, common)?;
    let mut session = Session::new(model);
    session.budget = budget.clone();
    let mut texts = Texts { files: Vec::new(), data_model: format!("{model:?}") };
    for unit in &units {
        let id =
            preprocess::read(&unit.file, &unit.options, &mut session).map_err(|error| error.to_string())?;
        let directory = unit.options.directory.clone().unwrap_or_default();
        let name = directory.join(&unit.file).to_string_lossy().into_owned();
        texts.files.push((name, session.sources.source(id).text().clone()));
    }
    Ok(texts)
}

fn units_of(files: &[PathBuf], common: &Common) -> Result<(Vec<Unit>, DataModel), String> {
    let chosen = common.data_model.map(DataModel::from);
    let plain = Options { flags: common.flags.clone(), ..Options::default() };
    let Some(database) = &common.compile_commands else {
        if files.is_empty() {
            return Err("no input file is given".to_string());
        }
        let units = files.iter().map(|file| Unit { file: file.clone(), options: plain.clone() }).collect();
        return Ok((units, chosen.unwrap_or(DataModel::Lp64)));
    };
    let commands = preprocess::compile_commands(database).map_err(|error| error.to_string())?;
    let wanted = commands_for(files, &commands, database)?;
    let mut models: Vec<DataModel> = wanted.iter().filter_map(|command| command.data_model).collect();
    models.dedup();
    let model = match (chosen, models.as_slice()) {
        (Some(chosen), _) => chosen,
        (None, []) => DataModel::Lp64,
        (None, [model]) => *model,
        (None, _) => {
            return Err(format!(
                "{}: some files are compiled with -m32 and some with -m64; choose with --data-model",
                database.display()
            ));
        }
    };
    let units = wanted.into_iter().map(|command| {
        let mut options = command.options.clone();
        options.flags.extend(common.flags.iter().cloned());
        Unit { file: command.file.clone(), options }
    });
    Ok((units.collect(), model))
}

/// The entries of the database for the given files; all of them if none are given.
fn commands_for<'a>(
    files: &[PathBuf],
    commands: &'a [CompileCommand],
    database: &Path,
) -> Result<Vec<&'a CompileCommand>, String> {
    if commands.is_empty() {
        return Err(format!("{}: it lists no file", database.display()));
    }
    if files.is_empty() {
        return Ok(commands.iter().collect());
    }
    let place = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    files
        .iter()
        .map(|file| {
            let wanted = place(file);
            commands
                .iter()
                .find(|command| {
                    let directory = command.options.directory.clone().unwrap_or_default();
                    place(&directory.join(&command.file)) == wanted
                })
                .ok_or_else(|| format!("{}: {} does not list it", file.display(), database.display()))
        })
        .collect()
}

/// Writes messages to standard error: errors always, warnings unless quiet.
fn show(diagnostics: &Diagnostics, sources: &SourceMap, common: &Common) {
    let mut text = String::new();
    for diagnostic in diagnostics.iter() {
        if common.quiet && diagnostic.severity != Severity::Error {
            continue;
        }
        text.push_str(&render(diagnostic, sources, common.colour()));
        text.push('\n');
    }
    tell(&text);
}

fn show_assumptions(program: &Program) {
    let mut text = String::new();
    for assumption in &program.assumptions {
        let place = program.sources.location(assumption.span);
        let place = place.map_or(String::new(), |place| format!("{place}: "));
        text.push_str(&format!("{place}assumed ({}): {}\n", assumption.kind.name(), assumption.message));
    }
    tell(&text);
}

/// Says what is wrong with the input.
pub fn complain(message: &str) -> Exit {
    tell(&format!("error: {message}\n"));
    Exit::BadInput
}

/// Says what is wrong with the command line.
pub fn wrong_use(message: &str) -> Exit {
    complain(message);
    Exit::Usage
}

fn summarise(errors: usize) -> Exit {
    let word = if errors == 1 { "error" } else { "errors" };
    tell(&format!("{errors} {word}\n"));
    Exit::BadInput
}

/// Writes to standard error; without one there is nobody to tell.
pub fn tell(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

fn files_in_words(count: usize) -> String {
    if count == 1 { "1 file".to_owned() } else { format!("{count} files") }
}
