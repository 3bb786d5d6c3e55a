//! `concord verify` from the outside: verdicts, exit statuses, JSON, tasks, and harnesses that fail when compiled.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../cegar/tests/programs")
}

fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("verify");
    std::fs::create_dir_all(&directory).expect("the scratch directory can be made");
    directory.join(name)
}

fn concord(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_concord")).arg("verify").args(arguments).output().expect("it runs")
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn has_compiler() -> bool {
    let is_there = Command::new("cc").arg("--version").output().is_ok_and(|output| output.status.success());
    if !is_there {
        use std::io::Write;
        let told = "no C compiler `cc`: harnesses are not compiled\n";
        std::io::stderr().write_all(told.as_bytes()).expect("standard error is open");
    }
    is_there
}

#[test]
fn verdicts_have_their_exit_status() {
    for (file, status) in [("lockstep.c", 0), ("overflow_bug.c", 1), ("missing_body.c", 3)] {
        let output = concord(&[&text(&programs().join(file)), "--time-limit", "60s"]);
        assert_eq!(output.status.code(), Some(status), "{file}: {}", String::from_utf8_lossy(&output.stdout));
    }
    assert_eq!(concord(&["no_such_file.c"]).status.code(), Some(4));
}

#[test]
fn json_has_what_every_verdict_has() {
    let file = text(&programs().join("overflow_bug.c"));
    let output = concord(&[&file, "--format", "json", "--time-limit", "60s"]);
    let document: Value = serde_json::from_slice(&output.stdout).expect("it writes JSON");
    assert_eq!(document["concord"], 1);
    let result = &document["results"][0];
    assert_eq!(result["verdict"], "violated");
    assert_eq!(result["counterexample"]["inputs"].as_array().map(Vec::len), Some(2));
}

#[test]
fn tasks_name_their_property() {
    let program = scratch("task.c");
    let source = "extern void __VERIFIER_error(void);\nint main(void) { long x = 1L << 31; if (x < 0) __VERIFIER_error(); return 0; }\n";
    std::fs::write(&program, source).expect("it can be written");
    std::fs::write(scratch("p.prp"), "CHECK( init(main()), LTL(G ! call(__VERIFIER_error())) )\n")
        .expect("written");
    let task = |model: &str| {
        let text = format!(
            "format_version: '2.0'\ninput_files: 'task.c'\nproperties:\n  - property_file: p.prp\noptions:\n  data_model: {model}\n"
        );
        let file = scratch(&format!("{model}.yml"));
        std::fs::write(&file, text).expect("it can be written");
        file
    };
    // The shift leaves a 32-bit long negative.
    assert_eq!(concord(&[&text(&task("LP64"))]).status.code(), Some(0));
    assert_eq!(concord(&[&text(&task("ILP32"))]).status.code(), Some(1));
}

#[test]
fn compiled_harnesses_fail() {
    if !has_compiler() {
        return;
    }
    for name in ["overflow_bug", "deep_bug", "function_pointers", "float_bug"] {
        let program = programs().join(format!("{name}.c"));
        let (harness, binary) = (scratch(&format!("{name}_run.c")), scratch(name));
        let output = concord(&[&text(&program), "--harness", &text(&harness), "--time-limit", "60s"]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        let compiled =
            Command::new("cc").arg("-w").arg("-o").arg(&binary).arg(&program).arg(&harness).output();
        let compiled = compiled.expect("cc runs");
        assert!(compiled.status.success(), "{name}: {}", String::from_utf8_lossy(&compiled.stderr));
        let status = Command::new(&binary).status().expect("it runs");
        assert!(!status.success(), "{name}: the compiled run does not fail");
    }
}
