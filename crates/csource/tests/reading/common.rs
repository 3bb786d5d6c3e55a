//! What the integration tests share: finding `../shared`, reading and parsing files, asking gcc.

use base::render::{Colour, render};
use csource::Session;
use csource::preprocess::{Flag, Options, ReadError, read};
use csource::types::DataModel;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The folder of shared data beside the workspace, if it is there.
pub fn shared() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    path.is_dir().then_some(path)
}

/// All files below `folder` with one of the endings, in a fixed order.
pub fn files_below(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| endings.iter().any(|&wanted| ending == wanted)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// One file to parse and how.
pub struct Task {
    pub path: PathBuf,
    pub model: DataModel,
    pub options: Options,
}

/// What came of parsing a file.
pub struct ParseResult {
    /// The rendered errors.
    pub errors: Vec<String>,
    /// The preprocessor refused the file.
    pub unreadable: bool,
    pub items: usize,
}

/// Reads and parses a file.
pub fn parse_file(task: &Task) -> ParseResult {
    let mut session = Session::new(task.model);
    let (items, unreadable) = match read(&task.path, &task.options, &mut session) {
        Ok(source) => (csource::parser::parse(source, &mut session).items.len(), false),
        Err(ReadError::Preprocessing(_)) => (0, true),
        Err(error) => panic!("{error}"),
    };
    let errors = session
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == base::Severity::Error)
        .map(|diagnostic| render(diagnostic, &session.sources, Colour::Never))
        .collect();
    ParseResult { errors, unreadable, items }
}

/// Does gcc take the file? `None` if gcc cannot be run.
pub fn gcc_accepts(task: &Task) -> Option<bool> {
    let mut command = std::process::Command::new("gcc");
    command.args(["-fsyntax-only", "-w", "-std=gnu11"]);
    if task.model == DataModel::Ilp32 {
        command.arg("-m32");
    }
    for flag in &task.options.flags {
        match flag {
            Flag::Define(definition) => command.arg("-D").arg(definition),
            Flag::IncludeDirectory(directory) => command.arg("-I").arg(directory),
            Flag::IncludeFile(file) => command.arg("-include").arg(file),
            other => panic!("{other:?} does not occur in the manifest"),
        };
    }
    command.arg(&task.path).output().ok().map(|output| output.status.success())
}

/// Data model and preprocessor options of each file, from the manifest.
fn manifest(bench: &Path) -> HashMap<String, (DataModel, Vec<Flag>)> {
    let text = std::fs::read_to_string(bench.join("manifest.csv")).unwrap_or_default();
    let mut known = HashMap::new();
    for line in text.lines().skip(1) {
        // The columns that matter come before any that is quoted.
        let columns: Vec<&str> = line.split(',').collect();
        let [path, _, _, _, _, _, _, model, options, ..] = columns.as_slice() else { continue };
        let model = if *model == "ILP32" { DataModel::Ilp32 } else { DataModel::Lp64 };
        let mut flags = Vec::new();
        let mut words = options.trim_matches('"').split_whitespace();
        while let Some(word) = words.next() {
            if let Some(definition) = word.strip_prefix("-D") {
                flags.push(Flag::Define(definition.to_owned()));
            } else if let Some(directory) = word.strip_prefix("-I") {
                let home = bench.join(path);
                flags.push(Flag::IncludeDirectory(home.with_file_name("").join(directory)));
            } else if word == "--include" || word == "-include" {
                flags.extend(words.next().map(|file| Flag::IncludeFile(file.into())));
            }
        }
        known.insert((*path).to_owned(), (model, flags));
    }
    known
}

/// All programs of `../shared`; none when it is absent.
pub fn tasks() -> Vec<Task> {
    let Some(shared) = shared() else { return Vec::new() };
    let bench = shared.join("bench");
    let known = manifest(&bench);
    let mut tasks = Vec::new();
    for folder in ["bench/svcomp", "bench/regress", "bench/ltl-c", "data"] {
        for path in files_below(&shared.join(folder), &["c", "i"]) {
            if path.components().any(|part| part.as_os_str() == "c-features") {
                continue;
            }
            let key = path.strip_prefix(&bench).map(|path| path.to_string_lossy().into_owned());
            let (model, mut flags) =
                key.ok().and_then(|key| known.get(&key)).cloned().unwrap_or((DataModel::Lp64, Vec::new()));
            flags.push(Flag::IncludeDirectory(bench.join("regress/include")));
            tasks.push(Task { path, model, options: Options { flags, ..Options::default() } });
        }
    }
    tasks
}
