//! Reading test programs and their expectations.

use base::{Diagnostics, SourceMap};
use boolprog::{Setup, add_start, graph, graph::Program, syntax};
use std::path::{Path, PathBuf};

/// A program with what is asked of it and what the answer must be.
pub struct Case {
    pub name: String,
    pub path: PathBuf,
    /// `n=2`, `max=3`, `roots=a+b init=i`, as in the table of expectations.
    pub threads: String,
    /// `SAFE`, `UNSAFE` or `ERROR`.
    pub expected: String,
}

/// Parses and builds; the messages on failure.
pub fn read(text: &str, error_labels: &[&str]) -> Result<Program, String> {
    let mut sources = SourceMap::new();
    let id = sources.add("test.bp", text).expect("a small text");
    let mut diagnostics = Diagnostics::default();
    let tree = syntax::parse(text, sources.source(id).base(), &mut diagnostics);
    let program =
        if diagnostics.has_errors() { None } else { graph::build(&tree, error_labels, &mut diagnostics) };
    let shown = |d| base::render::render(d, &sources, base::render::Colour::Never);
    program.ok_or_else(|| diagnostics.iter().map(shown).collect::<Vec<_>>().join("\n"))
}

/// The question a `threads` column asks.
pub fn question(program: &mut Program, threads: &str) -> Result<Setup, String> {
    let (mut copies, mut most, mut roots, mut init) = (1, 8, Vec::new(), None);
    for word in threads.split_whitespace() {
        let (key, value) = word.split_once('=').ok_or_else(|| format!("`{word}` is no setting"))?;
        match key {
            "n" => copies = value.parse().map_err(|_| format!("`{value}` is no number"))?,
            "max" => most = value.parse().map_err(|_| format!("`{value}` is no number"))?,
            "roots" => roots = value.split('+').map(str::to_string).collect(),
            "init" => init = Some(value.to_string()),
            _ => return Err(format!("`{key}` is no setting")),
        }
    }
    let named = |program: &Program, name: &str| {
        program.procedure_named(name).ok_or_else(|| format!("no procedure `{name}`"))
    };
    if roots.is_empty() {
        roots = vec!["main".to_string(); copies];
    }
    let mut ids = Vec::new();
    for root in &roots {
        ids.push(named(program, root)?);
    }
    if let Some(init) = init {
        let init = named(program, &init)?;
        ids = vec![add_start(program, init, &ids)];
    }
    Ok(Setup { roots: ids, most_threads: Some(most) })
}

/// The project's own programs: the first lines say `// n=2: UNSAFE`.
pub fn own_cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut paths: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder exists")
        .map(|entry| entry.expect("readable").path())
        .collect();
    paths.sort();
    let mut cases = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("readable");
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let before = cases.len();
        for line in text.lines().map_while(|line| line.strip_prefix("// ")) {
            if let Some((threads, expected)) = line.split_once(": ")
                && ["SAFE", "UNSAFE", "ERROR"].contains(&expected)
            {
                let (threads, expected) = (threads.to_string(), expected.to_string());
                cases.push(Case { name: name.clone(), path: path.clone(), threads, expected });
            }
        }
        assert!(cases.len() > before, "{name} does not say what is expected of it");
    }
    cases
}

/// The rows of the shared table that can be run; `None` if the table is not on this machine.
pub fn shared_cases() -> Option<Vec<Case>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/boolean");
    let Ok(table) = std::fs::read_to_string(folder.join("EXPECTED.csv")) else {
        eprintln!("absent: ../shared/data/boolean; only the project's own programs are tested");
        return None;
    };
    let row = |line: &str| {
        let mut fields = line.splitn(4, ',');
        let (file, threads, expected) = (fields.next()?, fields.next()?, fields.next()?);
        (expected != "-").then(|| Case {
            name: file.into(),
            path: folder.join(file),
            threads: threads.into(),
            expected: expected.into(),
        })
    };
    Some(table.lines().skip(1).filter_map(row).collect())
}

/// All cases there are.
pub fn all_cases() -> Vec<Case> {
    let mut cases = own_cases();
    cases.extend(shared_cases().unwrap_or_default());
    cases
}
