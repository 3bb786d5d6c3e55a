//! Programs with lists and trees, each with its expectation in the first line: which ones are proved, and that wrong frees,
//! circles, aliases, stale heads and nodes of two sizes are found and never proved away. Those that fail do so under gcc's
//! address sanitizer too, or in their assertion, for inputs that were drawn.

use base::{Budget, Silent};
use cegar::{Check, Checks, Choice, Property, Settings, verify};
use csource::types::DataModel;
use program::Program;
use question::{Question, Verdict};
use std::path::Path;
use std::time::Duration;

fn answer(program: &Program, choice: Choice, seconds: u64) -> Verdict {
    let asked = [Check::Bounds, Check::Pointer, Check::UseAfterFree, Check::DoubleFree];
    let checks = asked.into_iter().fold(Checks::none(), Checks::with);
    let property = Property { checks, ..Property::standard() };
    let budget = Budget::unlimited().with_time(Duration::from_secs(seconds));
    let question = Question::never(program, property);
    verify(&question, choice, &Settings::default(), &budget, &Silent).verdict
}

/// The programs with this expectation, by name.
fn programs(expected: &str) -> Vec<(String, Program)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/heap");
    let files = std::fs::read_dir(directory).expect("the programs are there");
    let mut found: Vec<(String, Program)> = files
        .map(|file| file.expect("readable").path())
        .filter_map(|file| {
            let text = std::fs::read_to_string(&file).expect("readable");
            let is_asked = text.lines().next() == Some(&format!("// {expected}"));
            is_asked.then(|| (file.display().to_string(), testkit::c::load_text(&text, DataModel::Lp64)))
        })
        .collect();
    found.sort_by(|one, two| one.0.cmp(&two.0));
    found
}

#[test]
fn right_lists_are_proved() {
    let objects = Choice::named("objects").expect("it is in the table");
    let programs = programs("HOLDS");
    assert!(programs.len() > 1);
    for (name, program) in programs {
        let finding = answer(&program, objects, 120);
        assert!(matches!(finding, Verdict::Holds(_)), "{name}: {finding:?}");
    }
}

#[test]
fn wrong_lists_fail() {
    let programs = programs("VIOLATED");
    assert!(programs.len() > 30);
    for (name, program) in programs {
        let finding = answer(&program, Choice::AUTO, 60);
        assert!(matches!(finding, Verdict::Violated(_)), "{name}: {finding:?}");
    }
}

#[test]
fn wrong_lists_are_not_proved_by_conditions_about_all_blocks() {
    let objects = Choice::named("objects").expect("it is in the table");
    for (name, program) in programs("VIOLATED") {
        let finding = answer(&program, objects, 3);
        assert!(!matches!(finding, Verdict::Holds(_)), "{name}: {finding:?}");
    }
}
