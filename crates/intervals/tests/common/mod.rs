//! What the tests share: C texts to programs, and runs that are watched.

#![allow(dead_code)] // each test file uses its own part

use program::{DataModel, Program};
use std::path::{Path, PathBuf};

/// Reads, types and lowers a C file. Panics with the messages if it has errors.
pub fn load(path: &Path, model: DataModel) -> Program {
    let mut session = csource::Session::new(model);
    let options = csource::preprocess::Options::default();
    let source = csource::preprocess::read(path, &options, &mut session).unwrap_or_else(|e| panic!("{e}"));
    let syntax = csource::parser::parse(source, &mut session);
    let unit = csource::sema::analyse(&syntax, &mut session);
    let lowered = lower::lower(vec![unit], session, &lower::Settings::default());
    let errors: Vec<String> = lowered
        .diagnostics
        .iter()
        .filter(|message| message.severity == base::Severity::Error)
        .map(|message| base::render::render(message, &lowered.program.sources, base::render::Colour::Never))
        .collect();
    assert!(errors.is_empty(), "{}:\n{}", path.display(), errors.join("\n"));
    lowered.program
}

/// Loads a text.
pub fn load_text(name: &str, text: &str) -> Program {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("intervals");
    std::fs::create_dir_all(&directory).expect("the scratch directory can be made");
    let path: PathBuf = directory.join(format!("{name}.c"));
    std::fs::write(&path, text).expect("the scratch directory can be written");
    load(&path, DataModel::Lp64)
}
