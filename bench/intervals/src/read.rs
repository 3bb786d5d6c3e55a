//! C files and texts to programs.

use program::{DataModel, Program};
use std::path::Path;

pub use testkit::c::read as file;

/// Reads a C text through a file of that name in a folder for scratch files.
pub fn text(folder: &Path, name: &str, text: &str) -> Result<Program, String> {
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let path = folder.join(format!("{name}.c"));
    std::fs::write(&path, text).map_err(|error| error.to_string())?;
    let program = file(&path, DataModel::Lp64);
    let _ = std::fs::remove_file(&path);
    program
}
