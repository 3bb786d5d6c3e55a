//! Variadic functions, constructors, `atexit` and destructors of the program: the answers that are right, in both data models, and what gcc's
//! program does with every input 4.

use super::linkage::{answer, cases_of, compared_with_gcc, written};
use std::fmt::Write;
use std::path::Path;

const CASES: &str = include_str!("../everyday/cases.txt");

#[test]
fn answers_are_right_in_both_data_models() {
    if !testkit::compiler::is_there("gcc", "programs with headers are left out") {
        return;
    }
    let cases = cases_of(CASES);
    assert!(cases.len() > 35, "only {} cases", cases.len());
    let mut wrong = String::new();
    for case in &cases {
        let files = written(case, "everyday");
        for model in ["lp64", "ilp32"] {
            let mut options: Vec<&str> = case.options.iter().map(String::as_str).collect();
            options.extend(["--data-model", model]);
            let (answer, shown) = answer(&files, &options);
            if !case.right.iter().any(|right| right == answer) {
                writeln!(
                    wrong,
                    "{} ({model}): {answer}, not {}\n{shown}",
                    case.name,
                    case.right.join(" or ")
                )
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
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("everyday_gcc");
    std::fs::create_dir_all(&folder).expect("the scratch directory can be made");
    let inputs = folder.join("inputs.c");
    std::fs::write(&inputs, "int __VERIFIER_nondet_int(void) { return 4; }\n")
        .expect("a file can be written");
    compared_with_gcc(&cases_of(CASES), "everyday_gcc", &[inputs]);
}
