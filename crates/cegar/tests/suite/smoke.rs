//! The public smoke list, as far as it is fast: no verdict may be wrong. More is in `bench/verify`.

use base::{Budget, Silent};
use cegar::{Choice, Property, Settings, verify};
use csource::types::DataModel;
use question::{Question, Verdict};
use std::path::Path;
use std::time::Duration;

/// Longer files are left to the bench.
const MOST_LINES: usize = 400;

#[test]
fn no_verdict_on_the_smoke_list_is_wrong() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench");
    let Ok(list) = std::fs::read_to_string(folder.join("smoke.csv")) else {
        use std::io::Write;
        let told = "../shared/bench/smoke.csv is absent: the public smoke list is left out\n";
        std::io::stderr().write_all(told.as_bytes()).expect("standard error is open");
        return;
    };
    let mut decided = 0;
    for line in list.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [path, "svcomp", "unreach-call", expected, _, lines, _, model, ..] = cells[..] else { continue };
        if lines.parse().unwrap_or(usize::MAX) > MOST_LINES {
            continue;
        }
        let text = std::fs::read_to_string(folder.join(path)).expect("the list names files that are there");
        let model = if model == "LP64" { DataModel::Lp64 } else { DataModel::Ilp32 };
        // What is not preprocessed needs a compiler.
        let Ok(program) = testkit::c::read_text(path, &text, model) else { continue };
        let budget = Budget::unlimited().with_time(Duration::from_millis(900));
        let property = Property { assertions: false, ..Property::standard() };
        let question = Question::never(&program, property);
        let answer = verify(&question, Choice::AUTO, &Settings::default(), &budget, &Silent);
        let answer = match answer.verdict {
            Verdict::Holds(_) => "true",
            Verdict::Violated(_) => "false",
            Verdict::Undecided(_) => continue,
        };
        assert_eq!(answer, expected, "{path}");
        decided += 1;
    }
    assert!(decided >= 4, "only {decided} tasks were decided");
}
