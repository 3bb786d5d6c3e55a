//! Programs with an answer each to whether every run ends (`tests/endings/cases.txt`): wrap-around, jumps, aliases, library calls, undefined behaviour. What
//! is true of a program that stays open is never contradicted. Half of the quick ones in the normal run, all of them in the deep one.

use std::path::{Path, PathBuf};
use std::process::Command;

const INPUTS: &str = "extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);\n\
    extern short __VERIFIER_nondet_short(void); extern unsigned char __VERIFIER_nondet_uchar(void);\n\
    extern unsigned long long __VERIFIER_nondet_ulonglong(void); extern float __VERIFIER_nondet_float(void);\n\
    extern double __VERIFIER_nondet_double(void);\n";

/// A program, and what is true or told of it.
struct Case {
    name: String,
    verdict: String,
    is_deep: bool,
    text: String,
}

fn cases() -> Vec<Case> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/endings/cases.txt");
    let text = std::fs::read_to_string(file).expect("the cases are there");
    let cases: Vec<Case> = { text.split("\n## ").skip(1) }
        .map(|case| {
            let (head, text) = case.split_once('\n').expect("a program stands below its name");
            let (name, told) = head.split_once(": ").expect("the verdict stands behind the name");
            let verdict = told.trim_end_matches(" deep");
            Case {
                name: name.to_owned(),
                verdict: verdict.to_owned(),
                is_deep: verdict.len() < told.len(),
                text: format!("{INPUTS}{text}\n"),
            }
        })
        .collect();
    assert!(cases.len() > 300, "{}", cases.len());
    cases
}

fn told(file: &Path, more: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args(["verify", "--ends", "--format", "json", "--quiet"])
        .arg(file)
        .args(more)
        .output()
        .expect("concord can be run");
    match output.status.code() {
        Some(0) => "holds".to_owned(),
        Some(1) => "violated".to_owned(),
        Some(3) => "open".to_owned(),
        other => format!("{other:?}: {}", String::from_utf8_lossy(&output.stderr)),
    }
}

/// May it be told of what is known of the program?
fn is_right(told: &str, known: &str) -> bool {
    match known {
        "holds" | "violated" => told == known,
        "open, ends" => matches!(told, "open" | "holds"),
        "open, goes on" => matches!(told, "open" | "violated"),
        _ => told == "open",
    }
}

/// Every fourth, from one on.
fn compare(first: usize) {
    if !testkit::compiler::is_there("cc", "programs with headers are not read") {
        return;
    }
    let is_deep = std::env::var_os("CONCORD_DEEP").is_some();
    let folder: PathBuf =
        std::env::temp_dir().join(format!("concord-endings-{}-{first}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let mut wrong = Vec::new();
    let chosen = cases().into_iter().filter(|case| is_deep || !case.is_deep).skip(first);
    for Case { name, verdict, text, .. } in chosen.step_by(if is_deep { 4 } else { 8 }) {
        let file = folder.join(format!("{name}.c"));
        std::fs::write(&file, text).expect("the file can be written");
        let all = told(&file, &["--time-limit", "20s"]);
        if !is_right(&all, &verdict) {
            wrong.push(format!("{name}: {all}, and {verdict} is right"));
        }
        // A proof is not to hide behind a run that is found first.
        if is_deep && matches!(&*verdict, "violated" | "open, goes on" | "open") {
            let proof = told(&file, &["--engine", "ranking", "--no-audit", "--time-limit", "5s"]);
            if proof != "open" {
                wrong.push(format!("{name}: {proof} by proofs alone, and {verdict} is right"));
            }
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn endings_of_programs_0() {
    compare(0);
}

#[test]
fn endings_of_programs_1() {
    compare(1);
}

#[test]
fn endings_of_programs_2() {
    compare(2);
}

#[test]
fn endings_of_programs_3() {
    compare(3);
}
