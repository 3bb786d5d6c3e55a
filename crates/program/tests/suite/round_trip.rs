//! Programs printed as C and compiled behave as the originals do. (Random programs make the same trip in the deep runs.)

#![allow(clippy::print_stderr)] // tests say what they could not test

use csource::types::DataModel;
use std::path::Path;
use std::process::Command;
use testkit::absent::workspace;
use testkit::c::files_below;

/// What a compiled program does.
#[derive(Debug, PartialEq)]
struct Behaviour {
    output: String,
    status: Option<i32>,
}

fn compile_and_run(source: &Path, arguments: &[&str]) -> Behaviour {
    let binary = source.with_extension("out");
    let output = Command::new("cc")
        .args(arguments)
        .args(["-std=gnu11", "-w", "-fno-strict-aliasing", "-o"])
        .arg(&binary)
        .arg(source)
        .args(["-lm", "-pthread"])
        .output()
        .expect("cc was found before");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} does not compile:\n{messages}", source.display());
    let run = Command::new(&binary).output().expect("the compiled program starts");
    Behaviour { output: String::from_utf8_lossy(&run.stdout).into_owned(), status: run.status.code() }
}

fn round_trip(model: DataModel, name: &str, arguments: &[&str]) {
    if !testkit::compiler::has_compiler(arguments, "what needs it is not tested") {
        return;
    }
    let folder = std::env::temp_dir().join(format!("concord-round-trip-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let files = files_below(&workspace().join("crates/program/tests/programs"));
    assert!(!files.is_empty());
    for file in files {
        let program = testkit::c::load(&file, model);
        let original = folder.join("original.c");
        std::fs::copy(&file, &original).expect("the program can be copied");
        let printed = folder.join("printed.c");
        std::fs::write(&printed, program::print_c(&program)).expect("the print can be written");
        let expected = compile_and_run(&original, arguments);
        assert!(!expected.output.is_empty(), "{} prints nothing", file.display());
        assert_eq!(compile_and_run(&printed, arguments), expected, "{}", file.display());
    }
    std::fs::remove_dir_all(&folder).expect("it was just made");
}

#[test]
fn printed_programs_behave_the_same_with_64_bits() {
    round_trip(DataModel::Lp64, "64", &[]);
}

#[test]
fn printed_programs_behave_the_same_with_32_bits() {
    round_trip(DataModel::Ilp32, "32", &["-m32", "-msse2", "-mfpmath=sse"]);
}

#[test]
fn what_is_printed_can_be_read_again() {
    if !testkit::compiler::has_compiler(&[], "what needs it is not tested") {
        return;
    }
    let folder = std::env::temp_dir().join(format!("concord-print-again-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    for file in files_below(&workspace().join("crates/program/tests/programs")) {
        let printed = program::print_c(&testkit::c::load(&file, DataModel::Lp64));
        let path = folder.join("once.c");
        std::fs::write(&path, &printed).expect("the print can be written");
        // Our own front end takes what we print.
        let again = testkit::c::read(&path, DataModel::Lp64);
        assert!(again.is_ok(), "the print of {} has errors", file.display());
    }
    std::fs::remove_dir_all(&folder).expect("it was just made");
}
