//! C texts and files to programs.

use base::Severity;
use base::render::{Colour, render};
use csource::types::DataModel;
use csource::{Session, parser, preprocess, sema};
use program::Program;
use std::path::{Path, PathBuf};

/// Preprocesses, types and lowers a C file; its errors as they are shown to people if it has any.
pub fn read(path: &Path, model: DataModel) -> Result<Program, String> {
    let mut session = Session::new(model);
    let source = preprocess::read(path, &preprocess::Options::default(), &mut session)
        .map_err(|error| error.to_string())?;
    lowered(source, session)
}

/// The same for a text that needs no preprocessor, and no compiler.
pub fn read_text(name: &str, text: &str, model: DataModel) -> Result<Program, String> {
    let mut session = Session::new(model);
    let source = session.sources.add(name, text).ok_or("the text is too large")?;
    lowered(source, session)
}

fn lowered(source: base::SourceId, mut session: Session) -> Result<Program, String> {
    let syntax = parser::parse(source, &mut session);
    let unit = sema::analyse(&syntax, &mut session);
    let lower::Lowered { program, diagnostics } =
        lower::lower(vec![unit], session, &lower::Settings::default());
    let errors = diagnostics.iter().filter(|message| message.severity == Severity::Error);
    let errors: Vec<String> =
        errors.map(|message| render(message, &program.sources, Colour::Never)).collect();
    if errors.is_empty() { Ok(program) } else { Err(errors.join("\n")) }
}

/// The program of a file. Panics with the messages if it has errors.
pub fn load(path: &Path, model: DataModel) -> Program {
    read(path, model).unwrap_or_else(|errors| panic!("{}:\n{errors}", path.display()))
}

/// The program of a text that needs no preprocessor. Panics with the messages if it has errors.
pub fn load_text(text: &str, model: DataModel) -> Program {
    read_text("test.i", text, model).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// The program of a text that is written to a file and preprocessed. Panics with the messages if it has errors.
pub fn load_written(folder: &Path, name: &str, text: &str) -> Program {
    std::fs::create_dir_all(folder).expect("the folder can be made");
    let path = folder.join(format!("{name}.c"));
    std::fs::write(&path, text).expect("the folder can be written");
    load(&path, DataModel::Lp64)
}

/// The C files in a folder and the folders in it, in order.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "c") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
