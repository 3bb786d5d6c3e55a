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
        // The question, the verdict, further options.
        let mut words = expectation.split_whitespace();
        let (asked, verdict) = (words.next().expect("a question"), words.next().expect("a verdict"));
        let mut further: Vec<&str> = words.collect();
        if asked == "race" {
            further.extend(["--checks", "race"]);
        }
        let output = verify(&file, &further);
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

/// Assertions in comments: where they may stand, what they may say, and what is not read.
#[test]
fn assertions_in_comments_are_assertions() {
    if !has_compiler() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/comments");
    let mut wrong = Vec::new();
    let files = testkit::c::files_below(&folder);
    assert!(files.len() > 30);
    for file in files {
        let source = std::fs::read_to_string(&file).expect("readable");
        let mut words = source
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("// "))
            .expect("an expectation")
            .split_whitespace();
        let verdict = words.next().expect("a verdict");
        let output = verify(&file, &[]);
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let warned = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_unread = told.contains("annotations in comments are not read") && warned.contains("not read");
        if !told.starts_with(verdict) || is_unread != (words.next() == Some("unread")) {
            wrong.push(format!("{}: not {verdict}\n{told}{warned}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_failing_assertion_in_a_comment_is_shown_at_its_place() {
    if !has_compiler() {
        return;
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/comments/continued_line.c");
    let told = String::from_utf8_lossy(&verify(&file, &[]).stdout).into_owned();
    assert!(
        told.contains("the assertion `x == 2` fails at") && told.contains("continued_line.c:3"),
        "{told}"
    );
    let harness = std::env::temp_dir().join(format!("concord-comment-{}.c", std::process::id()));
    let output = verify(&file, &["--harness", &harness.to_string_lossy()]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("stands in a comment"), "{output:?}");
    assert!(!harness.exists());
    // Where assertions are not asked about, a comment changes nothing.
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/comments/behind_label.c");
    assert_eq!(verify(&file, &["--label", "L"]).status.code(), Some(1));
    let run = Command::new(env!("CARGO_BIN_EXE_concord")).arg("run").arg(&file).output().expect("it runs");
    assert_eq!(run.status.code(), Some(134), "{run:?}");
}

#[test]
fn nonsense_about_threads_is_refused() {
    let file = folder().join("entry_two.c");
    for further in [
        &["--threads", "2"][..],
        &["--function", "f", "--threads", "0"][..],
        &["--function", "f", "--threads", "many"][..],
        &["--function", "f", "--threads", "2", "--steps", "statement", "--checks", "race"][..],
    ] {
        assert_eq!(verify(&file, further).status.code(), Some(2), "{further:?}");
    }
}
