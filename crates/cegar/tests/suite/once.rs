//! Programs whose blocks and variables are made once, or only seem to be, and whose variables keep their values, or only seem to, each with its expectation in the first line. Those that fail do so under gcc
//! with address sanitizer, or in `reach_error`, for inputs that were drawn (but for the array that is returned, which the sanitizer does not watch).

use base::{Budget, Silent};
use cegar::{Choice, Property, Settings, verify};
use csource::types::DataModel;
use question::{Question, Verdict};
use std::path::Path;
use std::time::Duration;

fn answer(text: &str, choice: Choice, seconds: u64) -> Verdict {
    let program = testkit::c::load_text(text, DataModel::Lp64);
    let budget = Budget::unlimited().with_time(Duration::from_secs(seconds));
    let question = Question::never(&program, Property::standard());
    verify(&question, choice, &Settings::default(), &budget, &Silent).verdict
}

/// The programs with this expectation, by name.
fn programs(expected: &str) -> Vec<(String, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/once");
    let files = std::fs::read_dir(directory).expect("the programs are there");
    let texts = files.map(|file| file.expect("readable").path()).map(|file| {
        let text = std::fs::read_to_string(&file).expect("readable");
        (file.display().to_string(), text)
    });
    let first = format!("// {expected}");
    let mut found: Vec<_> = texts.filter(|(_, text)| text.lines().next() == Some(&first)).collect();
    found.sort();
    found
}

#[test]
fn what_is_made_once_is_followed() {
    let programs = programs("HOLDS");
    assert!(programs.len() > 4);
    for (name, text) in programs {
        let verdict = answer(&text, Choice::AUTO, 90);
        assert!(matches!(verdict, Verdict::Holds(_)), "{name}: {verdict:?}");
    }
}

#[test]
fn what_is_made_again_is_not_taken_for_the_same() {
    let programs = programs("FAILS");
    assert!(programs.len() > 22);
    for (name, text) in programs {
        for engine in ["elements", "k-induction"] {
            let choice = Choice::named(engine).expect("it is in the table");
            let verdict = answer(&text, choice, 1);
            assert!(!matches!(verdict, Verdict::Holds(_)), "{name} by {engine}: {verdict:?}");
        }
    }
}

#[test]
fn numbers_as_large_as_addresses_are_written_down() {
    // Where addresses have 32 bits, 268435455 is that of some block. Invariants about numbers that never are addresses may have it.
    let text = "extern void reach_error(void);\nint main(void) {\n  unsigned x = 0, y;\n  while (x < 0x0fffffff) {\n\
        y = 0;\n while (y < 0x0fffffff) y++;\n if (y % 2 == 0) reach_error();\n x++;\n  }\n\
        if (x % 4 != 3) reach_error();\n  return 0;\n}\n";
    let program = testkit::c::load_text(text, DataModel::Ilp32);
    let budget = Budget::unlimited().with_time(Duration::from_secs(30));
    let question = Question::never(&program, Property::standard());
    let choice = Choice::named("k-induction").expect("it is in the table");
    let verdict = verify(&question, choice, &Settings::default(), &budget, &Silent).verdict;
    let proof = verdict.program_proof().unwrap_or_else(|| panic!("{verdict:?}"));
    assert_eq!(proof.gap, None, "{proof:?}");
    assert!(proof.loops.iter().all(|invariant| !invariant.conditions.is_empty()), "{proof:?}");
}
