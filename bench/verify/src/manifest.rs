//! The list of tasks: comma-separated values with quotes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A task.
#[derive(Clone, Debug)]
#[allow(dead_code)] // one of two commands reads tasks
pub struct Task {
    /// As the manifest names it.
    pub name: String,
    /// The C file.
    pub file: PathBuf,
    /// `true` if the property holds.
    pub expected: bool,
    /// Its category.
    pub category: String,
    /// `ilp32` or `lp64`.
    pub data_model: String,
    /// The function that must not be called.
    pub error_function: String,
}

#[allow(dead_code)] // one of two commands reads tasks
/// The tasks of a manifest that ask whether an error function is called.
pub fn tasks(manifest: &Path) -> Result<Vec<Task>, String> {
    let folder = manifest.parent().unwrap_or(Path::new("."));
    let mut found = Vec::new();
    for row in rows(manifest)? {
        let get = |name: &str| row.get(name).cloned().unwrap_or_default();
        if get("suite") != "svcomp" || get("property") != "unreach-call" {
            continue;
        }
        let note = get("note");
        let named = note.split("error fn ").nth(1).and_then(|rest| rest.split([' ', ';', ',']).next());
        found.push(Task {
            file: folder.join(get("path")),
            name: get("path"),
            expected: get("expected") == "true",
            category: get("category"),
            data_model: if get("data_model") == "LP64" { "lp64".into() } else { "ilp32".into() },
            error_function: named.unwrap_or("reach_error").to_owned(),
        });
    }
    Ok(found)
}

/// A line of a table, by the names in its first line.
pub type Row = BTreeMap<String, String>;

/// The lines of a table.
pub fn rows(table: &Path) -> Result<Vec<Row>, String> {
    let text = std::fs::read_to_string(table).map_err(|error| format!("{}: {error}", table.display()))?;
    let mut lines = text.lines();
    let header = cells(lines.next().ok_or_else(|| format!("{} is empty", table.display()))?);
    let row = |line: &str| {
        let mut cells = cells(line);
        cells.resize(header.len(), String::new());
        header.iter().cloned().zip(cells).collect()
    };
    Ok(lines.map(row).collect())
}

fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    for character in line.chars() {
        match character {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            other => cells.last_mut().expect("there is a cell").push(other),
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_commas_together() {
        assert_eq!(cells("a,\"b, c\",,d"), ["a", "b, c", "", "d"]);
    }
}
