//! The examples do what their READMEs say.

use std::path::{Path, PathBuf};
use std::process::Command;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

fn verify(name: &str, arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .arg("verify")
        .arg(example(name))
        .args(arguments)
        .output()
        .expect("concord can be run");
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn both_lights_can_get_green() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("examples");
    std::fs::create_dir_all(&folder).expect("the scratch directory can be made");
    let (harness, compiled) = (folder.join("crossing_run.c"), folder.join("crossing"));
    let (status, out) =
        verify("crossing/crossing.c", &["--harness", harness.to_str().expect("the path is text")]);
    assert_eq!(status, 1, "{out}");
    // What random inputs find is made short before it is shown: six rounds with two inputs each.
    assert_eq!(out.matches("__VERIFIER_nondet_int = ").count(), 12, "{out}");
    let built = Command::new("cc")
        .arg("-w")
        .args([&example("crossing/crossing.c"), &harness])
        .arg("-o")
        .arg(&compiled)
        .status()
        .expect("cc can be run");
    assert!(built.success());
    let ran = Command::new(&compiled).output().expect("it can be run");
    assert!(!ran.status.success(), "the assertion fails in the compiled program as well");
}

#[test]
fn the_fixed_crossing_is_proved() {
    let (status, out) = verify("crossing/crossing_fixed.c", &[]);
    assert!(status == 0 && out.contains("HOLDS"), "{out}");
}

#[test]
fn the_device_is_used_after_it_was_stopped_only_with_the_mistake() {
    for (name, expected) in [("boolean/shutdown.bp", 1), ("boolean/shutdown_fixed.bp", 0)] {
        for engine in ["auto", "karp-miller", "backward"] {
            let output = Command::new(env!("CARGO_BIN_EXE_concord"))
                .arg("bool")
                .arg(example(name))
                .args(["--threads", "unbounded", "--engine", engine])
                .output()
                .expect("concord can be run");
            assert_eq!(output.status.code(), Some(expected), "{name} by {engine}");
        }
    }
}

/// Any number of threads: the program as it should be, and one with a mistake.
fn any_number(folder: &str, sentence: &str) {
    let out = holds_and_not(folder, sentence);
    assert!(out.contains("for any number of threads: ") && out.contains("audited: "), "{out}");
}

/// One that holds, and what is said of it; one that fails, by a schedule that repeats it.
fn holds_and_not(folder: &str, sentence: &str) -> String {
    let (status, holds) = verify(&format!("{folder}/{folder}.c"), &["--time-limit", "300s"]);
    assert_eq!(status, 0, "{holds}");
    fails(folder, sentence, "auto");
    holds
}

/// One that fails, by a schedule that repeats it.
fn fails(folder: &str, sentence: &str, engine: &str) {
    let schedule = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{folder}.schedule"));
    let written = schedule.to_str().expect("the path is text");
    let wrong = format!("{folder}/{folder}_bug.c");
    let (status, out) =
        verify(&wrong, &["--time-limit", "300s", "--engine", engine, "--write-schedule", written]);
    assert!(status == 1 && out.contains(sentence) && out.contains("column 2: thread 1"), "{out}");
    let again = Command::new(env!("CARGO_BIN_EXE_concord"))
        .arg("run")
        .arg(example(&wrong))
        .args(["--schedule", written])
        .output()
        .expect("concord can be run");
    assert_ne!(again.status.code(), Some(0), "the schedule repeats the failure");
    std::fs::remove_file(&schedule).expect("it was written");
}

#[test]
#[allow(clippy::print_stderr, reason = "says what is left to the deep run")]
fn nobody_gets_into_a_ticket_lock_beside_another() {
    let sentence = "assertion `inside == mine` fails";
    if std::env::var_os("CONCORD_DEEP").is_some() {
        any_number("ticket_lock", sentence);
    } else {
        eprintln!("the proof of the right one takes minutes: `./test --deep` makes it");
        fails("ticket_lock", sentence, "all-runs");
    }
}

#[test]
fn readers_see_both_variables_changed_or_none() {
    let out = holds_and_not("read_write_lock", "assertion `one == other` fails");
    assert!(out.contains("every run was made"), "{out}");
}

#[test]
fn a_work_queue_is_neither_too_full_nor_too_empty() {
    any_number("work_queue", "assertion `count > 0` fails");
}

#[test]
fn nodes_are_pushed_once() {
    any_number("lock_free_push", "assertion `old != mine` fails");
}

#[test]
fn nobody_uses_what_was_freed() {
    any_number("reference_count", "assertion `!is_freed` fails");
}
