//! `concord analyze` from outside: what it prints and how it exits.

use std::path::{Path, PathBuf};
use std::process::Command;

fn file(name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("analyze");
    std::fs::create_dir_all(&folder).expect("the scratch directory can be made");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the scratch directory can be written");
    path
}

/// The status and what went to standard output.
fn analyze(path: &Path, arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .arg("analyze")
        .arg(path)
        .args(arguments)
        .output()
        .expect("concord can be run");
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).into_owned())
}

const COUNTER: &str = "extern int __VERIFIER_nondet_int(void);\n\
    int level;\n\
    int main(void) {\n\
      for (;;) {\n\
        int in = __VERIFIER_nondet_int();\n\
        if (in > 0 && level < 3) level = level + 1;\n\
        if (in < 0 && level > 0) level = level - 1;\n\
      }\n\
    }\n";

#[test]
fn ranges_are_shown() {
    let path = file("ranges.c", COUNTER);
    let (status, out) = analyze(&path, &["--at", "6", "--variable", "level"]);
    assert_eq!(status, 0, "{out}");
    assert!(out.contains("level = {0..3}"), "{out}");
}

#[test]
fn formulas_are_answered_with_a_run() {
    let path = file("formulas.c", COUNTER);
    let (status, out) = analyze(&path, &["--ctl", "AG(level <= 3); AG(level < 3)", "--levels"]);
    assert_eq!(status, 1, "{out}");
    assert!(
        out.contains("HOLDS (1)") && out.contains("VIOLATED (2)") && out.contains("inputs: 1, 1, 1"),
        "{out}"
    );
    assert!(out.contains("replayed: the interpreter takes exactly this way"), "{out}");
    let (status, out) = analyze(&path, &["--ctl", "AG(level <= 3); AG(level < 3)", "--only", "1"]);
    assert_eq!(status, 0, "{out}");
    let (status, _) = analyze(&path, &["--ctl", "AG(unknown = 1)"]);
    assert_eq!(status, 4);
}

#[test]
fn findings_have_carets_and_sarif() {
    let path =
        file("findings.c", "int main(int argc, char **argv) { int a[3]; a[argc] = 1; return 6 / argc; }\n");
    let (status, out) = analyze(&path, &[]);
    assert_eq!(status, 3, "{out}");
    assert!(out.contains("out-of-bounds") && out.contains("division-by-zero") && out.contains('^'), "{out}");
    let (status, out) = analyze(&path, &["--format", "sarif"]);
    assert_eq!(status, 3, "{out}");
    let sarif: serde_json::Value = serde_json::from_str(&out).expect("SARIF is JSON");
    assert_eq!(sarif["version"], "2.1.0");
    assert!(sarif["runs"][0]["results"].as_array().is_some_and(|all| !all.is_empty()), "{out}");
    let (_, out) = analyze(&path, &["--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!(json["concord"], 1);
}

#[test]
fn what_is_safe_is_said_to_be_safe() {
    let path =
        file("safe.c", "int main(void) { int i, s = 0; for (i = 0; i < 10; i++) s = s | i; return s; }\n");
    let (status, out) = analyze(&path, &[]);
    assert_eq!(status, 0, "{out}");
}
