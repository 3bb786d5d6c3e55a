//! What loops leave in arrays with several indices, in every second or third element, behind flags and in sums: each program has its expectation in
//! the first line. Those that fail are almost true; a run that fails is beyond what is tried here.

use base::{Budget, Silent};
use cegar::{Choice, Property, Settings, verify};
use csource::types::DataModel;
use question::{Question, Verdict};
use std::path::Path;
use std::time::Duration;

fn answer(text: &str, engine: &str, seconds: u64) -> Verdict {
    let program = testkit::c::load_text(text, DataModel::Ilp32);
    let budget = Budget::unlimited().with_time(Duration::from_secs(seconds));
    let question = Question::never(&program, Property::standard());
    let choice = Choice::named(engine).expect("it is in the table");
    verify(&question, choice, &Settings::default(), &budget, &Silent).verdict
}

/// The programs with this expectation, by name.
fn programs(expected: &str) -> Vec<(String, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/arrays");
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
fn what_loops_leave_in_arrays_is_proved() {
    let programs = programs("HOLDS");
    assert!(programs.len() > 5);
    for (name, text) in programs {
        let verdict = answer(&text, "elements", 60);
        assert!(matches!(verdict, Verdict::Holds(_)), "{name}: {verdict:?}");
    }
}

#[test]
fn what_is_almost_so_is_not_proved() {
    let programs = programs("FAILS");
    assert!(programs.len() > 8);
    for (name, text) in programs {
        let verdict = answer(&text, "elements", 3);
        assert!(!matches!(verdict, Verdict::Holds(_)), "{name}: {verdict:?}");
    }
}
