//! Every verdict leaves through the gate (`concord::settle`): what tells one in words, as JSON or as SARIF
//! has it from there. That only the gate makes a `Settled` is the compiler's business; here it is shown that
//! nobody goes round it.

use std::fs;
use std::path::{Path, PathBuf};

/// What tells a verdict, and the files of the command line that may have it in their code.
const TELLS: [(&str, &[&str]); 10] = [
    // Once in a help text; `output` colours words that are there already.
    ("HOLDS", &["bool/mod.rs", "output.rs"]),
    ("VIOLATED", &["output.rs"]),
    // Results of other processes, which settled them, are read and put into a table.
    ("\"holds\"", &["verify/results.rs"]),
    ("\"violated\"", &["verify/results.rs"]),
    (".to_uppercase()", &["settle.rs", "verify/results.rs"]),
    ("json::answer", &["settle.rs"]),
    ("sarif::answer", &["settle.rs"]),
    ("answer_about_program", &["settle.rs"]),
    // What `analyze` says in its own words.
    ("is excluded:", &["analyze/claims.rs"]),
    ("is never called", &["analyze/claims.rs"]),
];

/// The code of a file: without comments, and without the tests at its end.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().take_while(|(_, line)| *line != "#[cfg(test)]");
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// What in a file of the command line tells a verdict without having it from the gate.
fn breaches(file: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, line) in code(text) {
        for (tells, allowed) in TELLS {
            if line.contains(tells) && !allowed.contains(&file) {
                found.push(format!("{file}:{}: {tells}", at + 1));
            }
        }
    }
    found
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        match entry.is_dir() {
            true => found.extend(sources(&entry)),
            false => found.push(entry),
        }
    }
    found
}

#[test]
fn verdicts_are_shown_by_the_gate_only() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = sources(&folder);
    let mut found = Vec::new();
    for file in &files {
        let name = file.strip_prefix(&folder).expect("below it").to_string_lossy().into_owned();
        found.extend(breaches(&name, &fs::read_to_string(file).expect("a source file")));
    }
    assert!(found.is_empty(), "a verdict that did not pass `settle` may be shown:\n{}", found.join("\n"));
    // What may tell a verdict does: the list has nothing that hides what comes back.
    for (tells, allowed) in TELLS {
        for name in allowed {
            let text = fs::read_to_string(folder.join(name)).expect("a source file");
            assert!(code(&text).any(|(_, line)| line.contains(tells)), "{name} has no {tells}");
        }
    }
    // Every verb that answers questions has its `Settled`.
    for verb in ["analyze", "bool", "check", "model", "verify"] {
        let own = files.iter().filter(|file| file.starts_with(folder.join(verb)));
        let mut texts = own.map(|file| fs::read_to_string(file).expect("a source file"));
        assert!(texts.any(|text| text.contains("settle(")), "`{verb}` settles nothing");
    }
}

#[test]
fn going_round_the_gate_is_objected_to() {
    for line in [
        "    writeln!(text, \"HOLDS: {property}\")",
        "    json!({ \"verdict\": \"holds\" })",
        "    let word = answer.verdict.word().to_uppercase();",
        "    evidence::json::answer(&answer)",
        "    format!(\"{what} is excluded: {about}\")",
    ] {
        assert_eq!(breaches("analyze/show.rs", line).len(), 1, "{line}");
    }
    assert!(breaches("analyze/show.rs", "// HOLDS is told elsewhere\n#[cfg(test)]\n\"HOLDS\"").is_empty());
}
