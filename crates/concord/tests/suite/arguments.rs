//! `argc` and `argv` are inputs: what a program does with any of them, shown by a run that a compiled program
//! repeats.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn scratch(name: &str) -> PathBuf {
    let directory: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("arguments");
    std::fs::create_dir_all(&directory).expect("the scratch directory can be made");
    directory.join(name)
}

fn concord(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_concord")).args(arguments).output().expect("it runs")
}

/// All checks in one question: which of them can fail is asked elsewhere (`parts.rs`).
fn asked_once(arguments: &[&str]) -> Output {
    let options = ["verify", "--checks", "all", "--failures", "first", "--time-limit", "60s"];
    concord(&[&options, arguments].concat())
}

fn words(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A name, the expected exit status, a program.
const PROGRAMS: [(&str, i32, &str); 16] = [
    (
        "count_is_positive",
        0,
        "#include <assert.h>\nint main(int argc, char **argv) { assert(argc > 0); return 0; }",
    ),
    (
        "count_is_any",
        1,
        "#include <assert.h>\nint main(int argc, char **argv) { assert(argc != 7); return 0; }",
    ),
    (
        "count_does_not_overflow",
        0,
        "#include <stdlib.h>\nint main(int argc, char **argv) { int n = (argc + 1) * 8; return n < 0; }",
    ),
    (
        "unused",
        0,
        "#include <assert.h>\nint main(int argc, char *argv[]) { int x = 1; assert(x); return 0; }",
    ),
    (
        "copy_overruns",
        1,
        "#include <string.h>\n#include <stdio.h>\nint main(int argc, char **argv) { char b[8]; if (argc > 1) { strcpy(b, argv[1]); puts(b); } return 0; }",
    ),
    (
        "copy_of_the_name_overruns",
        1,
        "#include <string.h>\nint main(int argc, char **argv) { char b[4]; strcpy(b, argv[0]); return b[0]; }",
    ),
    (
        "missing_argument",
        1,
        "#include <stdlib.h>\nint main(int argc, char **argv) { return atoi(argv[1]) & 1; }",
    ),
    (
        "option",
        1,
        "#include <assert.h>\n#include <string.h>\nint main(int argc, const char *argv[]) { for (int i = 1; i < argc; i++) if (strcmp(argv[i], \"-v\") == 0) assert(0); return 0; }",
    ),
    (
        "number_out_of_bounds",
        1,
        "#include <stdlib.h>\nint main(int argc, char *argv[]) { int a[4] = {0}; if (argc != 2) return 1; int n = atoi(argv[1]); return n > 3 ? 0 : a[n]; }",
    ),
    (
        "too_many",
        1,
        "int main(int argc, char *argv[]) { char *a[4]; for (int i = 0; i < argc; i++) a[i] = argv[i]; return a[0] == 0; }",
    ),
    // What follows is right; a proof knows too little of `argv` to say so.
    (
        "ends_with_null",
        3,
        "#include <assert.h>\nint main(int argc, char **argv) { assert(argv[argc] == 0); return 0; }",
    ),
    (
        "are_not_null",
        3,
        "#include <assert.h>\nint main(int argc, char **argv) { for (int i = 0; i < argc; i++) assert(argv[i]); return 0; }",
    ),
    (
        "checked_copy",
        3,
        "#include <string.h>\nint main(int argc, char **argv) { char b[8]; if (argc > 1 && strlen(argv[1]) < 8) strcpy(b, argv[1]); return 0; }",
    ),
    // Freed or compared, they are objects of their own.
    (
        "freed",
        1,
        "#include <stdlib.h>\nint main(int argc, char **argv) { if (argc > 1) free(argv[1]); return 0; }",
    ),
    (
        "written_to",
        3,
        "#include <assert.h>\nint main(int argc, char **argv) { if (argc > 1) { argv[1][0] = 'x'; assert(argv[1][0] == 'x'); } return 0; }",
    ),
    // Whom the program calls itself gets what it is given there.
    (
        "main_called",
        1,
        "#include <assert.h>\nint main(int argc, char **argv) { if (argc == -5) assert(0); return argc > 0 ? main(-5, argv) : 0; }",
    ),
];

#[test]
fn arguments_are_inputs() {
    for (name, status, text) in PROGRAMS {
        let file = scratch(&format!("{name}.c"));
        std::fs::write(&file, text).expect("it can be written");
        let file = file.to_string_lossy();
        let output = asked_once(&[&file]);
        let found = output.status.code();
        // A main that calls itself keeps what engines know of it: open at worst.
        let allowed = found == Some(status) || (name == "main_called" && found == Some(3));
        assert!(allowed, "{name}: {}", words(&output));
    }
}

#[test]
fn a_harness_starts_the_program_with_the_arguments_of_the_run() {
    let cases = ["copy_overruns", "option", "number_out_of_bounds", "too_many", "count_is_any", "freed"];
    for (name, _, text) in PROGRAMS.iter().filter(|(name, ..)| cases.contains(name)) {
        let (file, harness) = (scratch(&format!("run_{name}.c")), scratch(&format!("harness_{name}.c")));
        std::fs::write(&file, text).expect("it can be written");
        let (source, written) = (file.to_string_lossy(), harness.to_string_lossy());
        let output = asked_once(&[&source, "--harness", &written]);
        assert_eq!(output.status.code(), Some(1), "{name}: {}", words(&output));
        let program = scratch(&format!("program_{name}"));
        let compiled = Command::new("gcc")
            .args(["-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-o"])
            .args([&program, &file, &harness])
            .output()
            .expect("gcc runs");
        assert!(compiled.status.success(), "{name}: {}", words(&compiled));
        let run = Command::new(&program).output().expect("it runs");
        assert!(!run.status.success(), "{name} does not fail: {}", words(&run));
    }
}

#[test]
fn arguments_are_shown_as_strings_and_nothing_else_of_the_start() {
    let (_, _, text) = PROGRAMS.iter().find(|(name, ..)| *name == "option").expect("it is there");
    let file = scratch("shown.c");
    std::fs::write(&file, text).expect("it can be written");
    let output = concord(&["verify", &file.to_string_lossy(), "--time-limit", "60s"]);
    let text = words(&output);
    assert!(text.contains("\"-v\""), "{text}");
    assert!(!text.contains("argv[1][0]") && !text.contains("(char *)"), "{text}");
}
