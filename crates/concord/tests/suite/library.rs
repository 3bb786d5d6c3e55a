//! What library functions need and give, asked through `verify`: programs that carry their verdict, the words
//! of it, and the line it is told at.
//!
//! A program begins with a line `//= VERDICT [options] [| words]`; a violation is told at the line that has
//! `/* here */`.

use std::path::{Path, PathBuf};
use std::process::Command;

struct Case {
    name: String,
    verdict: String,
    options: Vec<String>,
    words: Option<String>,
    text: String,
}

fn cases(file: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(file).expect("the programs can be read");
    let (prelude, rest) = text.split_once("//= ").expect("a file has programs");
    let stem = file.file_stem().expect("a file").to_string_lossy().into_owned();
    let programs = rest.split("\n//= ").enumerate();
    programs
        .map(|(number, program)| {
            let (head, body) = program.split_once('\n').expect("a program has a body");
            let (head, words) = match head.split_once(" | ") {
                Some((head, words)) => (head, Some(words.to_owned())),
                None => (head, None),
            };
            let mut head = head.split_whitespace().map(str::to_owned);
            let verdict = head.next().expect("a program has a verdict");
            let text = format!("{prelude}{body}\n");
            Case { name: format!("{stem}-{number}"), verdict, options: head.collect(), words, text }
        })
        .collect()
}

fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("library");
    std::fs::create_dir_all(&directory).expect("the scratch directory can be made");
    directory.join(name)
}

fn check(case: &Case) -> Result<(), String> {
    let path = scratch(&format!("{}.c", case.name));
    std::fs::write(&path, &case.text).expect("the scratch directory can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .arg("verify")
        .arg(&path)
        .args(&case.options)
        .args(["--time-limit", "60s"])
        .output()
        .expect("it runs");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let whole = format!(
        "{} {:?}\n{}\n{told}{}",
        case.verdict,
        case.options,
        case.text,
        String::from_utf8_lossy(&output.stderr)
    );
    let found = told.split(':').next().unwrap_or_default();
    if found != case.verdict {
        return Err(format!("wanted {whole}"));
    }
    if told.contains("<library>") {
        return Err(format!("a place inside a description is told: {whole}"));
    }
    if let Some(words) = &case.words
        && !told.contains(words)
    {
        return Err(format!("`{words}` is not told: {whole}"));
    }
    let here = case.text.lines().position(|line| line.contains("/* here */"));
    if let (Some(line), "VIOLATED") = (here, &*case.verdict) {
        let place = format!("{}:{}", path.display(), line + 1);
        let first = told.lines().next().unwrap_or_default();
        if !first.ends_with(&place) {
            return Err(format!("not told at line {}: {whole}", line + 1));
        }
    }
    Ok(())
}

fn check_file(name: &str) {
    if !testkit::compiler::is_there("cc", "programs with headers cannot be read") {
        return;
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/library").join(name);
    let cases = cases(&file);
    let wrong: Vec<String> = cases.iter().filter_map(|case| check(case).err()).collect();
    assert!(wrong.is_empty(), "{} of {} programs:\n{}", wrong.len(), cases.len(), wrong.join("\n----\n"));
}

#[test]
fn strings_need_and_give() {
    check_file("string.c");
}

#[test]
fn numbers_need_and_give() {
    check_file("stdlib.c");
}

#[test]
fn the_outside_gives_what_it_can() {
    check_file("outside.c");
}

#[test]
fn pointers_into_members_stay_there_or_nothing_is_proved() {
    check_file("members.c");
}

#[test]
fn objects_live_as_long_as_they_should() {
    check_file("lives.c");
}

#[test]
fn refused_and_open_calls_do_what_they_can() {
    check_file("refused.c");
}
