//! Random loops with random assertions, against all their runs. Every engine tries its luck with them, and must not be wrong about
//! any. Thousands more are for `bench-verify-fuzz`.

use base::{Budget, Silent};
use cegar::{Choice, Property, Settings, verify};
use question::{Question, Verdict};
use std::time::Duration;
use testkit::loops;

/// What an engine decides of some seeds: how many hold, how many are violated.
fn decided(engine: &str, seeds: std::ops::Range<u64>) -> (u32, u32) {
    decided_of(loops::program, engine, seeds)
}

fn decided_of(text_of: fn(u64) -> String, engine: &str, seeds: std::ops::Range<u64>) -> (u32, u32) {
    let (mut holds, mut violated) = (0, 0);
    for seed in seeds {
        let text = text_of(seed);
        let program = testkit::c::load_text(&text, csource::types::DataModel::Lp64);
        let expected = loops::can_fail(&program);
        let budget = Budget::unlimited().with_time(Duration::from_secs(10));
        let choice = Choice::named(engine).expect("it is in the table");
        let question = Question::never(&program, Property::standard());
        let answer = verify(&question, choice, &Settings::default(), &budget, &Silent);
        match &answer.verdict {
            Verdict::Holds(proof) => {
                assert!(!expected, "seed {seed}: {proof:?}, but it can fail\n{text}");
                holds += 1;
            }
            Verdict::Violated(_) => {
                let inputs = answer.verdict.run().map(|run| &run.inputs);
                assert!(expected, "seed {seed}: {inputs:?}, but no run fails\n{text}");
                violated += 1;
            }
            Verdict::Undecided(_) => {}
        }
    }
    (holds, violated)
}

#[test]
fn loops_get_the_verdict_of_all_their_runs() {
    let (holds, violated) = decided("auto", 0..45);
    assert!(holds > 4 && violated > 8, "{holds} hold, {violated} are violated: too few to mean anything");
}

#[test]
fn property_directed_search_is_right_alone() {
    let (holds, violated) = decided("pdr", 1000..1020);
    assert!(holds > 2 && violated > 4, "{holds} hold, {violated} are violated: too few to mean anything");
}

#[test]
fn predicate_abstraction_is_right_alone() {
    let (holds, violated) = decided("predicates", 3000..3016);
    assert!(holds + violated > 3, "{holds} hold, {violated} are violated: too few to mean anything");
}

#[test]
fn intervals_are_right_alone() {
    let (_, violated) = decided("intervals", 2000..2060);
    assert_eq!(violated, 0, "intervals show no violation");
}

#[test]
fn invariants_about_all_elements_are_right_alone() {
    let (holds, violated) = decided_of(loops::array_program, "elements", 0..14);
    assert!(holds > 0 && violated == 0, "{holds} hold, {violated} are violated: too few to mean anything");
}

#[test]
fn rows_flags_and_sums_get_the_verdict_of_all_their_runs() {
    let (holds, violated) = decided_of(loops::rows_program, "auto", 0..16);
    assert!(holds > 1 && violated > 4, "{holds} hold, {violated} are violated: too few to mean anything");
}

#[test]
fn invariants_about_rows_flags_and_sums_are_right_alone() {
    let (holds, violated) = decided_of(loops::rows_program, "elements", 100..124);
    assert!(holds > 0 && violated == 0, "{holds} hold, {violated} are violated: too few to mean anything");
}

#[test]
fn combinations_of_states_are_right_alone() {
    let (holds, violated) = decided_of(loops::machine_program, "control", 0..30);
    assert!(holds > 4 && violated == 0, "{holds} hold, {violated} are violated: too few to mean anything");
}

#[test]
fn loops_over_arrays_get_the_verdict_of_all_their_runs() {
    let (holds, violated) = decided_of(loops::array_program, "auto", 500..520);
    assert!(holds > 0 && violated > 4, "{holds} hold, {violated} are violated: too few to mean anything");
}
