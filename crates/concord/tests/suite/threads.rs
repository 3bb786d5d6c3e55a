//! Programs with threads, each with what is asked and what is right in its first line.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn verify(file: &Path, further: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_concord"))
        .arg("verify")
        .arg(file)
        .args(["--time-limit", "60s"])
        .args(further)
        .output()
        .expect("it runs")
}

fn has_compiler() -> bool {
    testkit::compiler::is_there("cc", "programs with threads include headers")
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/threads")
}

#[test]
fn answers_about_threads_are_right() {
    if !has_compiler() {
        return;
    }
    let entries = std::fs::read_dir(folder()).expect("the programs are there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    assert!(files.len() > 15);
    let mut wrong = Vec::new();
    for file in files {
        let source = std::fs::read_to_string(&file).expect("readable");
        let expectation =
            source.lines().next().and_then(|line| line.strip_prefix("// ")).expect("an expectation");
        let (asked, verdict) = expectation.split_once(' ').expect("a question and a verdict");
        let further = ["--checks", asked];
        let output = verify(&file, if asked == "assert" { &[] } else { &further });
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        if !told.starts_with(verdict) {
            wrong.push(format!("{}: not {verdict}\n{told}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_run_has_a_column_for_each_thread() {
    if !has_compiler() {
        return;
    }
    let output = verify(&folder().join("count_without_lock.c"), &[]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("column 3: thread 2, which runs `f`, created at"), "{told}");
    assert!(!told.contains("next thread"), "{told}");
    assert!(told.contains("memory is sequentially consistent"), "{told}");
}
