//! The benchmark set beside the workspace (`../shared`): which C files there are, and how to read them.

use crate::generate::Model;
use std::path::{Path, PathBuf};

/// One C file of the set.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Task {
    /// Where it is.
    pub path: PathBuf,
    /// Its data model; LP64 when the manifest says nothing.
    pub is_ilp32: bool,
    /// `-D…`, `-U…` and `-I…` arguments it needs.
    pub arguments: Vec<String>,
    /// Size in bytes.
    pub bytes: u64,
}

impl Task {
    /// Its data model.
    pub fn model(&self) -> Model {
        if self.is_ilp32 { Model::Ilp32 } else { Model::Lp64 }
    }
}

/// The folder with the set, if this machine has it.
pub fn shared_folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    folder.join("bench/manifest.csv").exists().then_some(folder)
}

/// The C files of the suites `svcomp` and `regress` in the manifest, each way of reading a file once.
pub fn tasks(shared: &Path) -> Result<Vec<Task>, String> {
    let path = shared.join("bench/manifest.csv");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut rows = rows_of(&text).into_iter();
    let header = rows.next().ok_or("the manifest is empty")?;
    let column = |name: &str| {
        header
            .iter()
            .position(|known| known == name)
            .ok_or_else(|| format!("the manifest has no column {name}"))
    };
    let (path, suite, model, options) =
        (column("path")?, column("suite")?, column("data_model")?, column("options")?);
    let mut tasks = Vec::new();
    for row in rows {
        let field = |index: usize| row.get(index).map_or("", String::as_str);
        let is_c = field(path).ends_with(".c") || field(path).ends_with(".i");
        if !is_c || !matches!(field(suite), "svcomp" | "regress") {
            continue;
        }
        let file = shared.join("bench").join(field(path));
        let mut arguments: Vec<String> = field(options)
            .split_whitespace()
            .filter(|word| ["-D", "-U", "-I"].iter().any(|prefix| word.starts_with(prefix) && word.len() > 2))
            .map(str::to_string)
            .collect();
        if field(suite) == "regress" {
            arguments.push(format!("-I{}", shared.join("bench/regress/include").display()));
        }
        let is_ilp32 = matches!(field(model), "ILP32" | "LP32");
        let bytes = std::fs::metadata(&file).map_or(0, |metadata| metadata.len());
        tasks.push(Task { path: file, is_ilp32, arguments, bytes });
    }
    tasks.sort();
    tasks.dedup();
    Ok(tasks)
}

/// The C files of `data`, one folder deep and deeper.
pub fn data_files(shared: &Path) -> Vec<Task> {
    let mut found = Vec::new();
    let mut folders = vec![shared.join("data")];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "c") {
                let bytes = entry.metadata().map_or(0, |metadata| metadata.len());
                found.push(Task { path, is_ilp32: false, arguments: Vec::new(), bytes });
            }
        }
    }
    found.sort();
    found
}

/// The rows of a CSV text (RFC 4180: fields may be quoted, quotes in them are doubled).
fn rows_of(text: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let (mut row, mut field) = (Vec::new(), String::new());
    let mut characters = text.chars().peekable();
    let mut is_quoted = false;
    while let Some(character) = characters.next() {
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => row.push(std::mem::take(&mut field)),
            '\r' if !is_quoted => {}
            '\n' if !is_quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            _ => field.push(character),
        }
    }
    if !field.is_empty() || !row.is_empty() {
        row.push(field);
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_fields_keep_commas_and_quotes() {
        let rows = rows_of("a,b\n\"x, \"\"y\"\"\",2\n,\n");
        assert_eq!(rows, [vec!["a", "b"], vec!["x, \"y\"", "2"], vec!["", ""]]);
    }
}
