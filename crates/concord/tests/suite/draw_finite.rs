//! `concord draw lks` and `concord draw automaton`, and the way of an automaton to a file and back.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn concord(arguments: &[&str]) -> Output {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_concord"));
    command.args(arguments).current_dir(workspace).output().expect("concord can be run")
}

fn told(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

fn file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("draw_finite");
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    folder.join(name)
}

const DINERS: &str = "examples/models/dining_philosophers.lts";

#[test]
fn a_process_is_drawn() {
    let drawn = concord(&["draw", "lks", DINERS, "--process", "FORK", "--as", "svg"]);
    assert_eq!(drawn.status.code(), Some(0), "{}", told(&drawn));
    assert!(told(&drawn).contains("<svg") && told(&drawn).contains("FORK: 2 states, 2 transitions"));
    let dot = concord(&["draw", "lks", DINERS, "--process", "DINERS_WITHOUT_LOCK(2)", "--as", "dot"]);
    assert!(told(&dot).starts_with("digraph") && told(&dot).contains("phil.1.left.get"), "{}", told(&dot));
}

#[test]
fn what_cannot_be_drawn_is_told() {
    let many = concord(&["draw", "lks", DINERS]);
    assert_eq!(many.status.code(), Some(2));
    assert!(
        told(&many).contains("--process") && told(&many).contains("DINERS_WITHOUT_LOCK"),
        "{}",
        told(&many)
    );
    let large = concord(&["draw", "lks", DINERS, "--process", "DINERS(6)"]);
    assert_eq!(large.status.code(), Some(2));
    assert!(told(&large).contains("too many for a picture"), "{}", told(&large));
    let wrong = concord(&["draw", "lks", DINERS, "--process", "FORK", "--as", "hoa"]);
    assert_eq!(wrong.status.code(), Some(2));
    let broken = concord(&["draw", "automaton", "--formula", "G(a =>"]);
    assert_eq!(broken.status.code(), Some(2));
    assert!(told(&broken).contains("--formula:1:"), "{}", told(&broken));
    assert_eq!(concord(&["draw", "automaton"]).status.code(), Some(2));
}

#[test]
fn an_automaton_is_written_and_asks_what_its_formula_asks() {
    let plain = concord(&["draw", "automaton", "--formula", "G F a", "--as", "hoa"]);
    assert_eq!(plain.status.code(), Some(0), "{}", told(&plain));
    assert!(told(&plain).contains("HOA: v1") && told(&plain).contains("AP: 1 \"a\""), "{}", told(&plain));
    // Some of these runs end, some do not.
    let model = file("coins.lts");
    std::fs::write(&model, "COIN = (heads -> COIN | tails -> COIN | lose -> STOP).\n").expect("writable");
    let model = model.display().to_string();
    for (index, formula) in
        ["G F heads", "F lose", "G(lose => X false)", "G(heads | tails | lose)", "G X true"]
            .iter()
            .enumerate()
    {
        let hoa = file(&format!("{index}.hoa")).display().to_string();
        let written = concord(&["draw", "automaton", "--formula", formula, "--violating", "-o", &hoa]);
        assert_eq!(written.status.code(), Some(0), "{formula}: {}", told(&written));
        let by_formula = concord(&["model", &model, "--formula", formula]);
        let by_automaton = concord(&["model", &model, "--automaton", &hoa]);
        assert!(matches!(by_formula.status.code(), Some(0 | 1)), "{formula}: {}", told(&by_formula));
        assert_eq!(
            by_formula.status.code(),
            by_automaton.status.code(),
            "{formula}: {}",
            told(&by_automaton)
        );
    }
}

/// Control-flow graphs are coloured by what runs reach, or tell values; a box that shares its line with another is not
/// said to be reached. The run of components is a sequence chart.
#[test]
fn control_flow_is_coloured_by_what_is_known() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("coloured");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("coloured.i");
    let text = "extern void __assert_fail(const char *, const char *, unsigned, const char *);\nextern int __VERIFIER_nondet_int(void);\nint main(void)\n{\n  int x = __VERIFIER_nondet_int();\n  int y = 0;\n  if (x > 5)\n    y = 1;\n  if (y > 1)\n    x = 7;\n  if (y < 0) __assert_fail(\"\", \"\", 0, \"\");\n  return 0;\n}\n";
    std::fs::write(&file, text).expect("it can be written");
    let file = file.to_string_lossy().into_owned();
    let drawn = |colour: &str| {
        let output = concord(&["draw", "cfg", &file, "--colour", colour, "--time-limit", "60s"]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let coverage = drawn("coverage");
    let style_of = |words: &str| {
        let before = &coverage[..coverage.find(words).unwrap_or_else(|| panic!("{words}: {coverage}"))];
        let rect = before.rfind("<rect class=\"").map(|at| &before[at + 13..]).expect("a box");
        rect.split('"').next().unwrap_or_default().to_owned()
    };
    assert_eq!(style_of("y = 1"), "reached");
    assert_eq!(style_of("x = 7"), "unreached");
    assert_eq!(style_of("__assert_fail("), "error");
    let values = drawn("values");
    assert!(values.contains("y = {0, 1}") || values.contains("y = {0..1}"), "{values}");
    assert_eq!(concord(&["draw", "callgraph", &file, "--colour", "values"]).status.code(), Some(2));
}
