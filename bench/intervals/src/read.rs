//! C files and texts to programs.

use csource::preprocess::Options;
use program::{DataModel, Program};
use std::path::Path;

/// Reads a C file; the message of the first error if it has any.
pub fn file(path: &Path, model: DataModel) -> Result<Program, String> {
    let mut session = csource::Session::new(model);
    let source = csource::preprocess::read(path, &Options::default(), &mut session)
        .map_err(|error| error.to_string())?;
    let syntax = csource::parser::parse(source, &mut session);
    let unit = csource::sema::analyse(&syntax, &mut session);
    let lowered = lower::lower(vec![unit], session, &lower::Settings::default());
    match lowered.diagnostics.iter().find(|message| message.severity == base::Severity::Error) {
        Some(message) => Err(message.message.clone()),
        None => Ok(lowered.program),
    }
}

/// Reads a C text through a file of that name in a folder for scratch files.
pub fn text(folder: &Path, name: &str, text: &str) -> Result<Program, String> {
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let path = folder.join(format!("{name}.c"));
    std::fs::write(&path, text).map_err(|error| error.to_string())?;
    let program = file(&path, DataModel::Lp64);
    let _ = std::fs::remove_file(&path);
    program
}
