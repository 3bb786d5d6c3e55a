//! Lives of variables that jumps lead into, copies of records onto parts of themselves, and what is between the members of records: the answers
//! that are right, also from single engines, and what gcc's program does.

use super::linkage::{cases_of, compared_with_gcc, written};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

const CASES: &str = include_str!("../lives/cases.txt");

/// What one engine cannot decide is no mistake; none may say what is wrong.
const ENGINES: [&str; 5] = ["auto", "bmc", "pdr", "predicates", "intervals"];

fn answer(files: &[PathBuf], engine: &str, options: &[String]) -> (&'static str, String) {
    let limit = if engine == "auto" { "60s" } else { "3s" };
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .arg("verify")
        .args(files)
        .args(["--failures", "first", "--time-limit", limit, "--engine", engine])
        .args(options)
        .output()
        .expect("it runs");
    let shown =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let answer = match output.status.code() {
        Some(0) => "holds",
        Some(1) => "violated",
        Some(3) => "undecided",
        _ => "crashed",
    };
    (answer, shown)
}

#[test]
fn no_engine_answers_wrongly() {
    if !testkit::compiler::is_there("gcc", "programs with headers are left out") {
        return;
    }
    let cases = cases_of(CASES);
    assert!(cases.len() > 30, "only {} cases", cases.len());
    let mut wrong = String::new();
    for case in &cases {
        let files = written(case, "lives");
        for engine in ENGINES {
            let (answer, shown) = answer(&files, engine, &case.options);
            let is_open = engine != "auto" && answer == "undecided";
            if !is_open && !case.right.iter().any(|right| right == answer) {
                let right = case.right.join(" or ");
                writeln!(wrong, "{} ({engine}): {answer}, not {right}\n{shown}", case.name)
                    .expect("a string");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn gcc_agrees() {
    if !testkit::compiler::is_there("gcc", "the expectations are not compared with it") {
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lives_gcc");
    std::fs::create_dir_all(&folder).expect("the scratch directory can be made");
    let inputs = folder.join("inputs.c");
    std::fs::write(&inputs, "int __VERIFIER_nondet_int(void) { return 12345678; }\n")
        .expect("a file can be written");
    compared_with_gcc(&cases_of(CASES), "lives_gcc", &[inputs]);
}

/// gcc begins locals alike where their declarations are reached, and nowhere else.
#[test]
fn no_harness_rests_on_what_a_jump_leaves_unwritten() {
    let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("jumped_past.c");
    let harness = program.with_extension("run.c");
    let _ = std::fs::remove_file(&harness);
    let text = "extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));\n\
        int main(void) { for (int i = 0; i < 3; i++) { if (i == 1) goto in; { int x; x = 5; in: if (x != 5) __assert_fail(\"x\", \"\", 1, \"\"); } } }\n";
    std::fs::write(&program, text).expect("a file can be written");
    let option = ["--harness".to_owned(), harness.display().to_string()];
    let (answer, shown) = answer(&[program], "auto", &option);
    assert_eq!(answer, "violated", "{shown}");
    assert!(shown.contains("the run depends on what `x` starts with, which no harness can set"), "{shown}");
    assert!(!harness.exists(), "{shown}");
}

/// What a local variable held in the last call of its function is not what it holds in the next, whatever a certificate says of its object.
#[test]
fn a_certificate_that_knows_an_earlier_life_is_refused() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("earlier_life");
    std::fs::create_dir_all(&folder).expect("the scratch directory can be made");
    let program = |body: &str| {
        format!(
            "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
             static int f(int i) {{ int x[2]; {body} return i > 0 ? r : 5; }}\n\
             int main(void) {{ int i = 0; while (__VERIFIER_nondet_int()) {{ if (f(i) != 5) reach_error(); i = 1; }} }}\n"
        )
    };
    let (right, wrong) = (folder.join("right.c"), folder.join("wrong.c"));
    std::fs::write(&right, program("x[0] = 5; int r = x[0];")).expect("a file can be written");
    std::fs::write(&wrong, program("int r = x[0]; x[0] = 5;")).expect("a file can be written");
    let written = folder.join("right.json");
    let option = ["--certificate".to_owned(), written.display().to_string()];
    let (verdict, shown) = answer(std::slice::from_ref(&right), "auto", &option);
    assert_eq!(verdict, "holds", "{shown}");
    let text = std::fs::read_to_string(&written).expect("it was written");
    let mut certificate: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let (verdict, shown) = answer(std::slice::from_ref(&wrong), "bmc", &[]);
    assert_eq!(verdict, "violated", "{shown}");
    let copy = std::fs::read_to_string(&wrong).expect("it was written");
    std::fs::write(&right, copy).expect("a file can be written");
    let hash = evidence::sha256(&std::fs::read(&right).expect("it was written"));
    let object = certificate["objects"][0]["object"].as_u64().expect("the array has an object");
    // With 64 bits, an object begins a quarter into its slot.
    let address = (object << 40) | (1 << 38);
    let mut refuted = 0;
    for region in 0..4 {
        let condition = format!(
            "(or (= |state:i| #x00000000) (= (select |state:memory${region}| #x{address:016x}) #x00000005))"
        );
        certificate["loops"][0]["conditions"] = serde_json::json!([{ "smt": condition }]);
        certificate["files"][0]["sha256"] = hash.clone().into();
        std::fs::write(&written, certificate.to_string()).expect("a file can be written");
        let output =
            Command::new(env!("CARGO_BIN_EXE_concord")).arg("audit").arg(&written).arg(&right).output();
        let shown = String::from_utf8_lossy(&output.expect("it runs").stdout).into_owned();
        assert!(!shown.starts_with("ACCEPTED"), "{condition}\n{shown}");
        refuted += usize::from(shown.contains("`reach_error` is called"));
    }
    assert_eq!(refuted, 1, "one of the regions is that of the array");
}

/// The number that the next block gets is put together from constants that name nothing: with 32-bit pointers it could be known.
#[test]
fn a_certificate_that_computes_the_number_of_a_block_is_refused() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("computed_number");
    std::fs::create_dir_all(&folder).expect("the scratch directory can be made");
    let program = |condition: &str| {
        format!(
            "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); void *malloc(unsigned int); int *first;\n\
             int main(void) {{ while (__VERIFIER_nondet_int()) {{ int *p = malloc(4); if (!first) first = p; else if ({condition}) reach_error(); }} return 0; }}\n"
        )
    };
    let (path, written) = (folder.join("program.c"), folder.join("program.json"));
    std::fs::write(&path, program("p == 0")).expect("a file can be written");
    let options =
        ["--data-model", "ilp32", "--certificate", &written.display().to_string()].map(str::to_owned);
    let (verdict, shown) = answer(std::slice::from_ref(&path), "auto", &options);
    assert_eq!(verdict, "holds", "{shown}");
    let text = std::fs::read_to_string(&written).expect("it was written");
    let mut certificate: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    std::fs::write(&path, program("p != first")).expect("a file can be written");
    certificate["files"][0]["sha256"] =
        evidence::sha256(&std::fs::read(&path).expect("it was written")).into();
    // An object begins a quarter into its slot of 2^20 addresses.
    for number in 3..12u32 {
        let start = (0..number).fold("#x00040000".to_owned(), |sum, _| format!("(bvadd {sum} #x00100000)"));
        let condition = format!("(or (= |state:first| #x00000000) (= |state:first| {start}))");
        certificate["loops"][0]["conditions"] = serde_json::json!([{ "smt": condition }]);
        std::fs::write(&written, certificate.to_string()).expect("a file can be written");
        let output = Command::new(env!("CARGO_BIN_EXE_concord"))
            .args(["audit", "--data-model", "ilp32"])
            .args([&written, &path])
            .output()
            .expect("it runs");
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!shown.starts_with("ACCEPTED"), "{condition}\n{shown}");
    }
}
