//! Every program with an expectation, by the explicit interpreter; every violation is replayed.

use crate::common::{all_cases, question, read};
use base::Budget;
use boolprog::explicit::{ExplicitSettings, explore, replay};
use question::{Decided, Monitor};

#[test]
fn every_expectation_is_met() {
    let mut wrong = Vec::new();
    for case in all_cases() {
        let text = std::fs::read_to_string(&case.path).expect("readable");
        let found = match read(&text, &["SLIC_ERROR"]) {
            Err(_) => "ERROR".to_string(),
            Ok(mut program) => match question(&mut program, &case.threads) {
                Err(_) => "ERROR".to_string(),
                Ok(question) => {
                    // Unbounded recursion is not for this engine: it must say so, and soon.
                    let settings = ExplicitSettings { deepest_stack: 8, ..ExplicitSettings::default() };
                    let found = explore(&program, &question, settings, Monitor::silent(&Budget::unlimited()));
                    match found.outcome {
                        Ok(Decided::Proved(())) => "SAFE".into(),
                        Ok(Decided::Violated(trace)) => {
                            assert_eq!(replay(&program, &question, &trace), Ok(()), "{}", case.name);
                            "UNSAFE".into()
                        }
                        Err(open) => open.to_string(),
                    }
                }
            },
        };
        let unbounded = text.contains("// unbounded recursion") && found.contains("activations on a stack");
        if found != case.expected && !unbounded {
            wrong.push(format!("{} {}: {found}, expected {}", case.name, case.threads, case.expected));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_trace_that_lies_is_refused() {
    let mut program = read("decl g := F; void main() begin g := T; assert(!g); end", &[]).expect("a program");
    let question = question(&mut program, "n=1").expect("a question");
    let found =
        explore(&program, &question, ExplicitSettings::default(), Monitor::silent(&Budget::unlimited()));
    let Ok(Decided::Violated(trace)) = found.outcome else { panic!("{:?}", found.outcome) };
    assert_eq!(replay(&program, &question, &trace), Ok(()));
    let mut other_start = trace.clone();
    other_start.globals.set(0, true);
    assert!(replay(&program, &question, &other_start).is_err());
    let mut wrong_value = trace.clone();
    wrong_value.steps[0].globals.set(0, false);
    assert!(replay(&program, &question, &wrong_value).is_err());
    let mut too_short = trace.clone();
    too_short.steps.pop();
    assert!(replay(&program, &question, &too_short).is_err());
}
